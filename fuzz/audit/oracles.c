/* oracles.c: compares the two oracles on random cases, in every coordinate. */
#include "audit.h"
#include "fuzz/bench/bench.h"

struct oracle_tally {
	struct audit *audit;
	struct oracle *oracle;
	int64_t cases, skipped, points;
	int64_t outcome[FD_ABSTAINS + 1];
	int64_t abstained[REASON_COUNT];
	int64_t components, undecided; /* components of the derivatives, after the confirmation */
};

static void count_components(struct oracle_tally *t, const struct truth_point *p)
{
	for (int k = 0; k < p->n_derivative; k++)
		for (int e = 0; e < shape_elements(&p->derivative[0][k].type.shape); e++) {
			t->components++;
			t->undecided += p->derivative[0][k].at[e].reason != REASON_NONE;
		}
}

/* The worst outcome along a random direction and along the coordinates. */
static void count_point(struct oracle_tally *t, const struct testcase *c, int which, const struct truth_point *p,
    const struct fd_evidence *direction)
{
	const struct fd_evidence *worst = direction->outcome == FD_DISAGREES || p->fd.outcome == FD_NOT_RUN ? direction
	                                                                                                    : &p->fd;

	t->points++;
	t->outcome[worst->outcome]++;
	if (worst->outcome == FD_ABSTAINS)
		t->abstained[worst->reason]++;
	if (worst->outcome == FD_DISAGREES)
		audit_broken(t->audit, c, "disagree",
		    "case %lld, point %d, component %d: analytic %.17g, finite differences %.17g +- %.3g",
		    (long long)t->cases, which, worst->component, worst->analytic, worst->quotient, worst->error);
	count_components(t, p);
}

static void try_case(void *context, int64_t number, const struct testcase *c, struct arena *a)
{
	struct oracle_tally *t = context;
	struct fd_evidence direction[LIMIT_POINTS];
	struct truth truth;

	(void)number;
	oracle_truth(t->oracle, c, a, &truth);
	for (int k = 0; k < truth.n_point; k++)
		direction[k] = truth.point[k].fd;
	oracle_confirm(t->oracle, c, a, &truth);
	t->cases++;
	for (int k = 0; k < truth.n_point; k++)
		count_point(t, c, k, &truth.point[k], &direction[k]);
}

static void report(struct audit *self, const struct oracle_tally *t)
{
	struct json_writer *w = audit_json(self);

	json_member_integer(w, "judged", t->cases);
	json_member_integer(w, "skipped", t->skipped);
	json_member_integer(w, "points", t->points);
	json_member_integer(w, "agree", t->outcome[FD_AGREES]);
	json_member_integer(w, "disagree", t->outcome[FD_DISAGREES]);
	json_member_integer(w, "abstain", t->outcome[FD_ABSTAINS]);
	json_member_integer(w, "not_run", t->outcome[FD_NOT_RUN]);
	json_member_object(w, "abstain_by_reason", JSON_FLOW);
	for (int r = 0; r < REASON_COUNT; r++)
		if (t->abstained[r])
			json_member_integer(w, reason_names[r], t->abstained[r]);
	json_end(w);
	json_member_integer(w, "components", t->components);
	json_member_integer(w, "undecided", t->undecided);
	audit_line(self, "cases", "%8lld  (%lld skipped, %lld points)", (long long)t->cases, (long long)t->skipped,
	    (long long)t->points);
	audit_line(self, "agree", "%8lld", (long long)t->outcome[FD_AGREES]);
	audit_line(self, "disagree", "%8lld", (long long)t->outcome[FD_DISAGREES]);
	audit_line(self, "nothing to compare", "%8lld", (long long)t->outcome[FD_NOT_RUN]);
	for (int r = 0; r < REASON_COUNT; r++)
		if (t->abstained[r])
			audit_line(self, "abstain", "%8lld  %s", (long long)t->abstained[r], reason_names[r]);
	audit_line(self, "components", "%8lld  (%lld undecided)", (long long)t->components, (long long)t->undecided);
}

void audit_oracles(struct audit *self)
{
	struct oracle_options options = audit_oracle_options(self, 1);
	struct oracle_tally t = {.audit = self, .oracle = oracle_open(&options)};

	t.skipped = audit_each_case(self, try_case, &t);
	report(self, &t);
	oracle_close(t.oracle);
}

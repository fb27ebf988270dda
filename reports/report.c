/* report.c: the report JSON of one finding.  No time, host or path: same report, same bytes. */
#include "report.h"

#include "characterization.h"
#include "report_numbers.h"
#include "summary.h"

#include "graph/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN_BYTES = 1 << 20 };

static const char *const fd_outcome_names[] = {
    [FD_NOT_RUN] = "not-run",
    [FD_AGREES] = "agrees",
    [FD_DISAGREES] = "disagrees",
    [FD_ABSTAINS] = "abstains",
};

void accuracy_put(struct json_writer *w, const struct accuracy *x)
{
	const struct formula *f = formula_of(x->op);

	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "cause", accuracy_cause(x));
	json_member_decimal(w, "ulps", x->ulps);
	json_member_decimal(w, "good", x->good);
	if (f) {
		json_member_string(w, "op", op_table[x->op].name);
		json_member_string(w, "better", f->better);
		json_member_string(w, "instead", f->instead);
	}
	json_end(w);
}

static void put_components(struct json_writer *w, const struct judgement *j)
{
	json_member_object(w, "components", JSON_FLOW);
	json_member_integer(w, "decided", j->decided);
	json_member_object(w, "undecided", JSON_FLOW);
	for (int k = 0; k < REASON_COUNT; k++)
		if (k != REASON_NONE && j->undecided[k])
			json_member_integer(w, reason_names[k], j->undecided[k]);
	json_end(w);
	json_end(w);
}

/* Writes what each oracle says at the judged point. */
static void put_oracles(struct json_writer *w, const struct report *r)
{
	int k = r->judgement->point;
	const struct truth_point *p = &r->truth->point[k >= 0 && k < r->truth->n_point ? k : 0];
	const struct fd_evidence *fd = &p->fd;

	json_member_object(w, "oracles", JSON_BLOCK);
	json_member_object(w, "analytic", JSON_FLOW);
	json_member_integer(w, "assignments", p->n_assignment);
	json_member_integer(w, "assignment", summary_assignment(r));
	json_member_bool(w, "kink", p->kink);
	json_member_bool(w, "edge", p->edge);
	json_end(w);
	json_member_object(w, "finite_difference", JSON_FLOW);
	json_member_string(w, "outcome", fd_outcome_names[fd->outcome]);
	if (fd->outcome == FD_ABSTAINS)
		json_member_string(w, "reason", reason_names[fd->reason]);
	if (fd->outcome != FD_NOT_RUN) {
		json_member_integer(w, "precision", fd->precision);
		json_member_integer(w, "step", fd->step);
		json_member_bool(w, "left", fd->left);
		json_member_bool(w, "right", fd->right);
	}
	if (fd->outcome == FD_AGREES || fd->outcome == FD_DISAGREES) {
		json_member_integer(w, "component", fd->component);
		json_member_decimal(w, "analytic", fd->analytic);
		json_member_decimal(w, "quotient", fd->quotient);
		json_member_decimal(w, "error", fd->error);
	}
	json_end(w);
	json_end(w);
}

/* Writes the program as lines for people; machines read it from the case. */
static void put_program(struct json_writer *w, const struct program *p)
{
	char *text = program_print(p, w->text.arena);

	json_member_array(w, "program", JSON_BLOCK);
	while (*text) {
		size_t len = strcspn(text, "\n");
		bool last = !text[len];

		text[len] = '\0';
		json_put_string(w, text);
		text += last ? len : len + 1;
	}
	json_end(w);
}

static void put_fine(struct json_writer *w, const struct report *r)
{
	const struct json *before = r->before ? json_find(r->before, "fine") : NULL;

	if (r->fine)
		json_member_string(w, "fine", r->fine);
	else if (before && before->kind == JSON_STRING)
		json_member_string(w, "fine", before->text);
}

/* Writes an object of texts, integers and such objects. */
static void put_again(struct json_writer *w, const struct json *object)
{
	for (const struct json *v = object->child; v; v = v->next)
		if (v->kind == JSON_STRING) {
			json_member_string(w, v->key, v->text);
		} else if (v->kind == JSON_NUMBER) {
			json_member_integer(w, v->key, strtoll(v->text, NULL, 10));
		} else if (v->kind == JSON_OBJECT) {
			json_member_object(w, v->key, JSON_FLOW);
			put_again(w, v);
			json_end(w);
		}
}

/* The case before minimization, as text.  Left out where it is the report's case, or so large that the report might be
 * larger than what is read. */
static void put_drawn(struct json_writer *w, const struct report *r)
{
	size_t len;
	const char *text;

	if (testcase_hash(r->found) == testcase_hash(r->c))
		return;
	text = testcase_write_compact(r->found, w->text.arena, &len);
	if (len <= DRAWN_BYTES)
		json_member_string(w, "case", text);
}

static void put_found(struct json_writer *w, const struct report *r)
{
	const struct json *before = r->before ? json_find(r->before, "found") : NULL;
	char seed[32];

	if (!r->found && before && before->kind == JSON_OBJECT) {
		json_member_object(w, "found", JSON_FLOW);
		put_again(w, before);
		json_end(w);
	}
	if (!r->found)
		return;
	/* a string: JSON numbers lose bits past 2^53 */
	snprintf(seed, sizeof(seed), "0x%llx", (unsigned long long)r->seed);
	json_member_object(w, "found", JSON_FLOW);
	json_member_string(w, "seed", seed);
	json_member_integer(w, "case_number", r->case_number);
	json_member_integer(w, "nodes", program_nodes(&r->found->program));
	json_member_object(w, "minimize", JSON_FLOW);
	json_member_integer(w, "tried", r->minimize_tried);
	json_member_integer(w, "accepted", r->minimize_accepted);
	json_member_integer(w, "nodes", program_nodes(&r->c->program));
	json_end(w);
	put_drawn(w, r);
	json_end(w);
}

/* Writes the typical case as far as it differs from the report: the program, the numbers and the case itself. */
static void put_typical(struct json_writer *w, const struct report *r, const struct typical_case *typical)
{
	const struct report of = {.engine = r->engine,
	    .c = typical->c,
	    .truth = typical->truth,
	    .answers = typical->answers,
	    .judgement = typical->judgement};

	json_member_object(w, "typical", JSON_BLOCK);
	json_member_string(w, "summary", summary_sentence(&of, w->text.arena));
	json_member_string(w, "request", summary_request(of.c, w->text.arena));
	report_put_where(w, &of);
	report_put_points(w, &of);
	put_program(w, &of.c->program);
	json_member_object(w, "grown", JSON_FLOW);
	json_member_integer(w, "tried", typical->tried);
	json_member_integer(w, "kept", typical->kept);
	json_end(w);
	json_put_key(w, "case");
	testcase_put(w, of.c);
	json_end(w);
}

static void put_versions(struct json_writer *w)
{
	const char *const *pair = report_versions();

	json_member_object(w, "versions", JSON_FLOW);
	for (; pair[0]; pair += 2)
		json_member_string(w, pair[0], pair[1]);
	json_end(w);
}

/* Ops with another name in the engine's API. */
static void put_calls(struct json_writer *w, const char *const *call)
{
	bool any = false;

	for (int op = 0; call && op < OP_COUNT; op++)
		if (call[op]) {
			if (!any)
				json_member_object(w, "calls", JSON_FLOW);
			any = true;
			json_member_string(w, op_table[op].name, call[op]);
		}
	if (any)
		json_end(w);
}

char *report_write(const struct report *r, struct arena *a, size_t *len)
{
	const struct judgement *j = r->judgement;
	struct json_writer w = json_document(a, "adjudge.report/1");

	json_member_string(&w, "signature", r->signature);
	put_fine(&w, r);
	json_member_string(&w, "engine", r->engine);
	if (r->engine_spec && strcmp(r->engine_spec, r->engine))
		json_member_string(&w, "engine_spec", r->engine_spec);
	json_member_string(&w, "engine_version", r->engine_version);
	if (r->spellings)
		json_member_string(&w, "spellings", r->spellings);
	json_member_string(&w, "verdict", verdict_names[j->verdict]);
	if (j->reason != REASON_NONE)
		json_member_string(&w, "reason", reason_names[j->reason]);
	json_member_string(&w, "deviation", deviation_names[j->deviation]);
	json_member_string(&w, "summary", summary_sentence(r, a));
	json_member_string(&w, "request", summary_request(r->c, a));
	report_put_where(&w, r);
	if (j->verdict == VERDICT_INACCURATE) {
		json_put_key(&w, "accuracy");
		accuracy_put(&w, &j->accuracy);
	}
	put_components(&w, j);
	put_oracles(&w, r);
	report_put_points(&w, r);
	put_program(&w, &r->c->program);
	put_found(&w, r);
	if (r->raw_request) {
		json_member_object(&w, "raw_request", JSON_BLOCK);
		json_member_integer(&w, "cases", r->raw_cases);
		json_member_string(&w, "line", arena_printf(a, "%.*s", (int)r->raw_len, r->raw_request));
		json_end(&w);
	}
	put_versions(&w);
	if (r->script) {
		json_member_object(&w, "script", JSON_BLOCK);
		json_member_string(&w, "language", r->script_suffix);
		json_member_string(&w, "text", r->script);
		if (r->script_of_smallest)
			json_member_bool(&w, "smallest", true);
		put_calls(&w, r->script_calls);
		json_end(&w);
	}
	if (r->characterization && r->characterization->typical.c)
		put_typical(&w, r, &r->characterization->typical);
	if (r->characterization) {
		json_put_key(&w, "characterization");
		characterization_put(&w, r->characterization);
	}
	json_put_key(&w, "case");
	testcase_put(&w, r->c);
	json_end(&w);
	return json_finish(&w, len);
}

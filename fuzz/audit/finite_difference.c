/*
 * finite_difference.c: tests the error estimate of finite differences.  Sometimes they converge without being told the
 * expected value.  Then they must be as near to the analytic derivative as they claim.  The same holds for mixed
 * differences of second order, which are told the expected value.
 */
#include <math.h>

#include "oracles/differences/finite_difference_mixed.h"
#include "oracles/oracle_rules.h"
#include "audit.h"
#include "fuzz/bench/bench.h"

/* How many coordinates of one point are measured, from the first; for second derivatives, the largest work of a program
 * that is measured. */
enum { COORDINATES = 6, SECOND_COORDINATES = 2, SECOND_ONE_IN = 2, SECOND_WORK = 3000 };

struct fd_tally {
	int64_t cases, skipped, measured, converged, escalated, one_sided;
	int64_t abstained[REASON_COUNT];
	int64_t beyond;                                  /* converged, but farther off than the estimate */
	double worst;                                    /* largest distance over estimate */
	int64_t second, second_converged, second_beyond; /* the same for mixed differences */
	double second_worst;
};

/* The measurement at one point. */
struct fd_trial {
	struct audit *self;
	struct fd_tally *tally;
	struct oracle *oracle;
	const struct testcase *c;
	int which;
	const struct truth_point *truth;
	struct fd *fd;
	struct fd_mixed *mixed;
	struct arena *arena;
	double *weight;
	struct tensor *direction;
};

/* The analytic oracle is accurate to about 100 bits of the path magnitudes, and its doubles to their last subnormal. */
static double doubt(const struct component *g, const struct fd_target *t, double move)
{
	return ldexp(fmax(g->magnitude, fabs(g->value)) * move, -90 - t->scale) + ldexp(move, -1072 - t->scale);
}

/* Compares the measurement with g times `move`, a power of two. */
static void compare(
    struct fd_trial *r, const struct fd_run *run, const struct fd_target *t, const struct component *g, double move)
{
	struct fd_tally *tally = r->tally;
	tally->measured++;
	tally->escalated += run->n_rung > 1;
	if (t->outcome != FD_AGREES) {
		tally->abstained[t->reason]++;
		return;
	}
	tally->converged++;
	tally->one_sided += run->left != run->right;
	double value = ldexp(g->value, ilogb(move) - t->scale), low = ldexp(g->low, ilogb(move) - t->scale);
	double gap = fabs((t->quotient - value) + (t->quotient_low - low)), allowed = t->error + doubt(g, t, move);
	tally->worst = fmax(tally->worst, allowed > 0 ? gap / allowed : 0);
	if (gap <= allowed)
		return;
	tally->beyond++;
	audit_broken(r->self, r->c, "beyond",
	    "case %lld, point %d: analytic %.17g, quotient %.17g, apart by %.3g with an estimate of %.3g at %d "
	    "bits, step 2^%d",
	    (long long)tally->cases, r->which, value, t->quotient, gap, t->error, run->precision, run->log_step);
}

/* A target that is not told the expected value.  False: nothing is known about the component. */
static bool target_of(const struct component *g, double move, int first, int count, struct fd_target *t)
{
	double size = fmax(fmax(g->magnitude, fabs(g->value)), g->tight) * move;
	if (g->reason != REASON_NONE || !isfinite(size))
		return false;
	*t = (struct fd_target){.first = first, .count = count, .scale = size > 0 ? ilogb(size) : 0};
	t->tolerance = ldexp(g->tight * move, -t->scale);
	t->magnitude = ldexp(fmax(g->magnitude, fabs(g->value)) * move, -t->scale);
	return true;
}

static bool all_finite(const struct tensor *x, int n)
{
	for (int k = 0; k < n; k++)
		for (int e = 0; dtype_is_float(x[k].type.dtype) && e < shape_elements(&x[k].type.shape); e++)
			if (!isfinite(x[k].at[e].f))
				return false;
	return true;
}

/* Whether the path is certain, and nothing depends on a convention. */
static bool measurable(const struct fd_trial *r)
{
	const struct truth_point *t = r->truth;
	const struct transform *request = &r->c->transform[0];
	if (t->kink || t->n_assignment != 1 || !all_finite(r->c->point[r->which], r->c->program.top.n_param) ||
	    !all_finite(request->seed, request->n_seed))
		return false;
	for (int k = 0; k < t->n_primal; k++)
		for (int e = 0; e < shape_elements(&t->primal[k].type.shape); e++)
			if (t->primal[k].at[e].reason != REASON_NONE)
				return false;
	return true;
}

static void try_coordinate(struct fd_trial *r, int wrt, int element)
{
	const struct transform *request = &r->c->transform[0];
	const struct tensor *x = &r->c->point[r->which][request->wrt[wrt]];
	const struct component *g = &r->truth->derivative[0][wrt].at[element];
	double at = x->at[element].f, move = ldexp(1, at != 0 ? (ilogb(at) < 1000 ? ilogb(at) : 1000) : 0);
	struct fd_target t;
	if (!target_of(g, move, 0, fd_components(r->fd), &t))
		return;
	struct fd_run run = {.direction = r->direction,
	    .step = at != 0 ? ilogb(at) - ilogb(move) - 1 : -1,
	    .weight = r->weight,
	    .n_target = 1,
	    .target = &t};
	r->direction[request->wrt[wrt]].at[element].f = move;
	fd_measure(r->fd, &run, r->arena);
	r->direction[request->wrt[wrt]].at[element].f = 0;
	compare(r, &run, &t, g, move);
}

/* The setup of a measurement: no direction yet, and for a vjp its cotangents. */
static void set_out(struct fd_trial *r)
{
	const struct transform *request = &r->c->transform[0];
	int n_input = r->c->program.top.n_param, j = 0;
	fd_begin(r->fd, r->c, r->which, r->arena);
	r->weight = NEW(r->arena, double, fd_components(r->fd));
	r->direction = NEW(r->arena, struct tensor, n_input);
	for (int i = 0; i < n_input; i++)
		r->direction[i] = tensor_new(r->arena, &r->c->point[r->which][i].type);
	for (int k = 0; request->kind == TRANSFORM_VJP && k < r->truth->n_primal; k++)
		for (int e = 0; dtype_is_float(r->truth->primal[k].type.dtype) &&
		     e < shape_elements(&r->truth->primal[k].type.shape);
		     e++)
			r->weight[j++] = request->seed[k].at[e].f;
}

static void try_vjp(struct fd_trial *r)
{
	const struct transform *request = &r->c->transform[0];
	int left = COORDINATES;
	for (int k = 0; k < request->n_wrt; k++) {
		const struct type *type = &r->c->point[r->which][request->wrt[k]].type;
		for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape) && left > 0;
		     e++, left--)
			try_coordinate(r, k, e);
	}
}

/* Limits the step: no input moves by more than half of itself. */
static int room_of(const struct fd_trial *r)
{
	const struct transform *request = &r->c->transform[0];
	int step = 1 << 14;
	for (int k = 0; k < request->n_wrt; k++) {
		const struct tensor *x = &r->c->point[r->which][request->wrt[k]];
		for (int e = 0; dtype_is_float(x->type.dtype) && e < shape_elements(&x->type.shape); e++) {
			double at = x->at[e].f, move = request->seed[k].at[e].f;
			if (move != 0 && (at != 0 ? ilogb(at) : 0) - ilogb(move) - 1 < step)
				step = (at != 0 ? ilogb(at) : 0) - ilogb(move) - 1;
		}
	}
	return step;
}

static void try_jvp(struct fd_trial *r)
{
	const struct transform *request = &r->c->transform[0];
	int n = 0, j = 0, room = fd_components(r->fd), step = room_of(r);
	struct fd_target *target = NEW(r->arena, struct fd_target, room);
	const struct component **g = NEW(r->arena, const struct component *, room);
	if (step == 1 << 14)
		return;
	for (int k = 0; k < r->truth->n_primal; k++) {
		const struct type *type = &r->truth->primal[k].type;
		for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape); e++, j++) {
			r->weight[j] = 1;
			g[n] = &r->truth->derivative[0][k].at[e];
			n += target_of(g[n], 1, j, 1, &target[n]);
		}
	}
	for (int k = 0; k < request->n_wrt; k++)
		if (dtype_is_float(r->direction[request->wrt[k]].type.dtype))
			r->direction[request->wrt[k]] = request->seed[k];
	struct fd_run run = {
	    .direction = r->direction, .step = step, .weight = r->weight, .n_target = n, .target = target};
	if (!n)
		return;
	fd_measure(r->fd, &run, r->arena);
	for (int k = 0; k < n; k++)
		compare(r, &run, &target[k], g[k], 1);
}

static void try_point(struct fd_trial *r)
{
	if (!measurable(r))
		return;
	set_out(r);
	if (r->c->transform[0].kind == TRANSFORM_VJP)
		try_vjp(r);
	else
		try_jvp(r);
}

/* ---- second derivatives of the contracted results; the expected value is told ---- */

/* Moves all differentiated floats by a power of two near their size. */
static struct tensor along(const struct fd_trial *r, const struct tensor *x)
{
	struct tensor t = tensor_new(r->arena, &x->type);
	for (int e = 0; dtype_is_float(x->type.dtype) && e < shape_elements(&x->type.shape); e++)
		t.at[e].f = ldexp(e % 2 ? -1 : 1, x->at[e].f != 0 && isfinite(x->at[e].f) ? ilogb(x->at[e].f) : 0);
	return t;
}

static void try_mixed(
    struct fd_trial *r, const struct tensor *direction, const struct component *g, int input, int element)
{
	struct fd_tally *tally = r->tally;
	double move = fabs(direction[input].at[element].f);
	struct fd_target t;
	if (!target_of(g, move, 0, fd_components(r->fd), &t))
		return;
	t.known = true;
	t.value = ldexp(g->value, ilogb(move) - t.scale);
	t.low = ldexp(g->low, ilogb(move) - t.scale);
	const struct fd_direction both[] = {{direction, -1}, {r->direction, -1}};
	struct fd_run run = {.weight = r->weight, .n_target = 1, .target = &t};
	r->direction[input].at[element].f = move;
	fd_mixed_measure(r->mixed, r->c, r->which, both, 2, &run, r->arena);
	r->direction[input].at[element].f = 0;
	tally->second++;
	if (t.outcome == FD_ABSTAINS)
		return;
	double gap = fabs(t.excess), allowed = t.error + doubt(g, &t, move);
	tally->second_converged++;
	tally->second_worst = fmax(tally->second_worst, allowed > 0 ? gap / allowed : 0);
	if (t.outcome == FD_AGREES && gap <= allowed)
		return;
	tally->second_beyond++;
	audit_broken(r->self, r->c, "beyond, second",
	    "case %lld, point %d: analytic %.17g, apart by %.3g with an estimate of %.3g at %d bits, step 2^%d",
	    (long long)tally->cases, r->which, t.value, gap, t.error, run.precision, run.log_step);
}

static void try_second(struct fd_trial *r)
{
	const struct testcase *first = r->c;
	const struct transform *vjp = &first->transform[0];
	struct testcase c = *first;
	struct truth truth;
	int n_input = c.program.top.n_param;
	if (vjp->kind != TRANSFORM_VJP || program_work(&c.program) > SECOND_WORK)
		return;
	for (r->which = 0; r->which < first->n_point; r->which++) {
		struct tensor *direction = NEW(r->arena, struct tensor, n_input);
		struct transform request[] = {
		    *vjp, {.kind = TRANSFORM_JVP, .n_wrt = vjp->n_wrt, .wrt = vjp->wrt, .n_seed = vjp->n_wrt}};
		request[1].seed = NEW(r->arena, struct tensor, vjp->n_wrt);
		for (int i = 0; i < n_input; i++)
			direction[i] = tensor_new(r->arena, &first->point[r->which][i].type);
		for (int k = 0; k < vjp->n_wrt; k++)
			request[1].seed[k] = direction[vjp->wrt[k]] = along(r, &first->point[r->which][vjp->wrt[k]]);
		c.transform = request;
		c.n_transform = 2;
		c.point = first->point + r->which;
		c.n_point = 1;
		oracle_truth(r->oracle, &c, r->arena, &truth);
		r->truth = &truth.point[0];
		if (!measurable(r))
			continue;
		set_out(r);
		int left = SECOND_COORDINATES;
		for (int k = 0; k < vjp->n_wrt; k++) {
			const struct type *type = &direction[vjp->wrt[k]].type;
			for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape) && left > 0;
			     e++, left--)
				try_mixed(r, direction, &r->truth->derivative[0][k].at[e], vjp->wrt[k], e);
		}
	}
}

static void report(struct audit *self, const struct fd_tally *t)
{
	struct json_writer *w = audit_json(self);

	json_member_integer(w, "judged", t->cases);
	json_member_integer(w, "skipped", t->skipped);
	json_member_integer(w, "measured", t->measured);
	json_member_integer(w, "converged", t->converged);
	json_member_integer(w, "one_sided", t->one_sided);
	json_member_integer(w, "escalated", t->escalated);
	json_member_integer(w, "beyond", t->beyond);
	json_member_integer(w, "second_measured", t->second);
	json_member_integer(w, "second_converged", t->second_converged);
	json_member_integer(w, "second_beyond", t->second_beyond);
	json_member_object(w, "abstain_by_reason", JSON_FLOW);
	for (int k = 0; k < REASON_COUNT; k++)
		if (t->abstained[k])
			json_member_integer(w, reason_names[k], t->abstained[k]);
	json_end(w);
	audit_line(self, "cases", "%8lld  (%lld skipped)", (long long)t->cases, (long long)t->skipped);
	audit_line(
	    self, "measured", "%8lld  (%lld on more than one rung)", (long long)t->measured, (long long)t->escalated);
	audit_line(self, "converged", "%8lld  (%lld from one side)", (long long)t->converged, (long long)t->one_sided);
	audit_line(self, "beyond", "%8lld  (largest distance %.3g of the estimate)", (long long)t->beyond, t->worst);
	audit_line(self, "second derivatives", "%8lld converged of %lld, %lld beyond (largest %.3g)",
	    (long long)t->second_converged, (long long)t->second, (long long)t->second_beyond, t->second_worst);
	for (int k = 0; k < REASON_COUNT; k++)
		if (t->abstained[k])
			audit_line(self, "abstain", "%8lld  %s", (long long)t->abstained[k], reason_names[k]);
}

static void try_case(void *context, int64_t number, const struct testcase *c, struct arena *a)
{
	struct fd_trial *r = context;
	struct truth truth;

	(void)number;
	r->c = c;
	r->arena = a;
	if (c->n_transform != 1 || c->transform[0].kind == TRANSFORM_BATCH)
		return;
	oracle_truth(r->oracle, c, a, &truth);
	r->tally->cases++;
	for (r->which = 0; r->which < truth.n_point; r->which++) {
		r->truth = &truth.point[r->which];
		try_point(r);
	}
	if (r->tally->cases % SECOND_ONE_IN == 0)
		try_second(r);
}

void audit_finite_difference(struct audit *self)
{
	struct oracle_options options = audit_oracle_options(self, 0);
	struct fd_tally tally = {0};
	const struct oracle_rules *rules = options.rules ? options.rules : &oracle_rules_right;
	struct fd_trial r = {.self = self,
	    .tally = &tally,
	    .oracle = oracle_open(&options),
	    .fd = fd_open(rules),
	    .mixed = fd_mixed_open(rules)};

	tally.skipped = audit_each_case(self, try_case, &r);
	report(self, &tally);
	fd_close(r.fd);
	fd_mixed_close(r.mixed);
	oracle_close(r.oracle);
}

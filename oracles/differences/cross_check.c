/* cross_check.c: one pass over a point. It chooses the coordinates that move and the directions to measure, and
 * compares the cotangents of a vjp. */
#include "cross_check_internal.h"
#include "oracles/evaluate/work.h"

#include <math.h>

#include "graph/random.h"

/*
 * The most scalars that may be evaluated per point; each takes 0.1 to 1 microseconds. Beyond that, the remaining
 * coordinates are measured as one block.
 */
static const int64_t work_budget = 1 << 19;

const double cross_check_grain = 0x1p-1072;

/* A hash of a stream and a position. */
static uint64_t mix(uint64_t stream, uint64_t position) { return random_mix(stream + (position + 1) * RANDOM_STEP); }

/* ---- what can be measured ---- */

static bool tensor_finite(const struct tensor *t)
{
	if (!dtype_is_float(t->type.dtype))
		return true;
	for (int e = 0; e < shape_elements(&t->type.shape); e++)
		if (!isfinite(t->at[e].f))
			return false;
	return true;
}

static void abstain(struct check_run *p, enum reason reason)
{
	p->truth->fd = (struct fd_evidence){.outcome = FD_ABSTAINS, .reason = reason, .component = -1};
}

/* Weights of the flattened float results: the innermost cotangent, or 1 (jvp). */
static void set_weights(struct check_run *p)
{
	int j = 0;
	for (int r = 0; r < p->truth->n_primal; r++) {
		const struct truth_tensor *primal = &p->truth->primal[r];
		if (!dtype_is_float(primal->type.dtype))
			continue;
		for (int e = 0; e < shape_elements(&primal->type.shape); e++)
			p->weight[j++] = p->weigh ? p->weigh->seed[r].at[e].f : 1;
	}
}

/* Whether finite differences can be taken here. If not, sets the reason in the evidence. */
static bool measurable(struct check_run *p)
{
	const struct truth_point *truth = p->truth;
	if (truth->kink || truth->n_assignment != 1) {
		abstain(p, REASON_CONVENTION);
		return false;
	}
	bool finite = true;
	for (int i = 0; i < p->c->program.top.n_param; i++)
		finite &= tensor_finite(&p->point[i]);
	for (int k = 0; k < p->c->n_transform; k++)
		for (int s = 0; s < p->c->transform[k].n_seed; s++)
			finite &= tensor_finite(&p->c->transform[k].seed[s]);
	if (!finite) {
		abstain(p, REASON_NON_FINITE);
		return false;
	}
	if (!p->weigh)
		return true;
	/*
	 * A result that depends on a predicate which rounding could flip spoils the sum over the results. Other
	 * undecided results do not matter in real arithmetic, and decided components behind them are worth a check.
	 */
	for (int r = 0; r < truth->n_primal; r++) {
		if (!dtype_is_float(truth->primal[r].type.dtype))
			continue;
		for (int e = 0; e < shape_elements(&truth->primal[r].type.shape); e++) {
			if (truth->primal[r].at[e].reason == REASON_UNSTABLE_PATH && p->weigh->seed[r].at[e].f != 0) {
				abstain(p, REASON_UNSTABLE_PATH);
				return false;
			}
		}
	}
	return true;
}

/* The exponent for the scale of a zero: that of the smallest nonzero magnitude of the point, so that no move jumps
 * over a threshold near it. */
static int zero_exponent(const struct check_run *p)
{
	int least = 0;
	for (int i = 0; i < p->c->program.top.n_param; i++) {
		const struct tensor *x = &p->point[i];
		if (!dtype_is_float(x->type.dtype))
			continue;
		for (int e = 0; e < shape_elements(&x->type.shape); e++)
			if (x->at[e].f != 0 && ilogb(x->at[e].f) < least)
				least = ilogb(x->at[e].f);
	}
	return least;
}

/*
 * Lists the coordinates that move.
 *
 * For a vjp: those whose derivative is decided. Each moves by a random small integer times the scale of the input,
 * without a sign here. For a jvp: those with a tangent, positive ones first, because moves of one sign more often
 * share a side.
 */
static void list_coordinates(struct check_run *p)
{
	bool vjp = p->t->kind == TRANSFORM_VJP;
	int room = 0, at_zero = zero_exponent(p);
	for (int k = 0; k < p->t->n_wrt; k++)
		if (dtype_is_float(p->point[p->t->wrt[k]].type.dtype))
			room += shape_elements(&p->point[p->t->wrt[k]].type.shape);
	p->coordinate = NEW(p->arena, struct coordinate, room);
	for (int sign = 1; sign >= (vjp ? 1 : -1); sign -= 2) {
		uint64_t position = 0;
		for (int k = 0; k < p->t->n_wrt; k++) {
			const struct tensor *x = &p->point[p->t->wrt[k]];
			if (!dtype_is_float(x->type.dtype))
				continue;
			for (int e = 0; e < shape_elements(&x->type.shape); e++) {
				struct coordinate m = {.input = p->t->wrt[k], .wrt = k, .element = e};
				m.exponent = x->at[e].f != 0 ? ilogb(x->at[e].f) : at_zero;
				int factor = 1 + (int)(mix(p->seed, position++) & 7);
				/* 8 * 2^1019 is still finite. */
				m.move = vjp ? ldexp(factor, m.exponent < 1019 ? m.exponent : 1019)
				             : p->t->seed[k].at[e].f;
				if (vjp ? p->truth->derivative[0][k].at[e].reason == REASON_NONE : m.move * sign > 0)
					p->coordinate[p->n_coordinate++] = m;
			}
		}
	}
}

/* ---- running ---- */

static void set_direction(struct check_run *p, int first, int n, bool random_signs)
{
	for (int i = first; i < first + n; i++) {
		const struct coordinate *m = &p->coordinate[i];
		bool negative = random_signs && (mix(p->seed, (uint64_t)i) >> 63);
		p->direction[m->input].at[m->element].f = negative ? -m->move : m->move;
	}
}

static void clear_direction(struct check_run *p, int first, int n)
{
	for (int i = first; i < first + n; i++)
		p->direction[p->coordinate[i].input].at[p->coordinate[i].element].f = 0;
}

struct fd_run cross_check_measure(
    struct check_run *p, int first, int n, bool random_signs, struct fd_target *target, int n_target)
{
	int step = 1 << 14;
	for (int i = first; i < first + n; i++) {
		int room = p->coordinate[i].exponent - ilogb(p->coordinate[i].move) - 1;
		step = room < step ? room : step;
	}
	struct fd_run run = {
	    .direction = p->direction, .step = step, .weight = p->weight, .n_target = n_target, .target = target};
	if (!p->n_fixed || p->weigh)
		set_direction(p, first, n, random_signs);
	if (p->n_fixed) {
		if (p->weigh)
			p->fixed[p->n_fixed] = (struct fd_direction){p->direction, step};
		fd_mixed_measure(
		    p->self->mixed, p->c, p->which, p->fixed, p->n_fixed + (p->weigh != NULL), &run, p->arena);
	} else {
		fd_measure(p->self->fd, &run, p->arena);
	}
	clear_direction(p, first, n);
	p->work_left -= run.work;
	p->self->fd_runs++;
	p->self->fd_escalations += run.n_rung > 2; /* two rungs are normal: the second measures the first */
	return run;
}

void cross_check_note(struct check_run *p, const struct fd_run *run, const struct fd_target *t, int component)
{
	p->disagreed |= t->outcome == FD_DISAGREES;
	if (fd_outcome_rank(t->outcome) <= fd_outcome_rank(p->truth->fd.outcome))
		return;
	p->truth->fd = (struct fd_evidence){.outcome = t->outcome,
	    .reason = t->outcome == FD_ABSTAINS ? t->reason : REASON_NONE,
	    .precision = run->precision,
	    .step = run->log_step,
	    .left = run->left,
	    .right = run->right,
	    .analytic = ldexp(t->value, t->scale),
	    .quotient = ldexp(t->quotient, t->scale),
	    .error = ldexp(t->error, t->scale),
	    .component = component};
}

void cross_check_undecide(struct check_run *p, int k, int element, enum reason reason)
{
	for (int s = 0; s < p->truth->n_assignment; s++)
		p->truth->derivative[s][k].at[element].reason = reason;
}

int cross_check_flat(const struct check_run *p, int k, int element)
{
	int flat = element;
	for (int j = 0; j < k; j++)
		flat += shape_elements(&p->truth->derivative[0][j].type.shape);
	return flat;
}

bool cross_check_off_path(const struct fd_target *t)
{
	return t->outcome == FD_ABSTAINS && (t->reason == REASON_ISOLATED_PATH || t->reason == REASON_JUMP);
}

/* ---- vjp: the cotangents of inputs, summed along a direction ---- */

void cross_check_add(struct compensated_sum *s, double x)
{
	double high = s->high + x, back = high - s->high;
	s->low += (s->high - (high - back)) + (x - back);
	s->high = high;
}

static void sum_add_product(struct compensated_sum *s, double a, double b)
{
	double product = a * b;
	cross_check_add(s, product);
	s->low += fma(a, b, -product);
}

static struct fd_target vjp_target(const struct check_run *p, int first, int n)
{
	struct fd_target t = {.count = fd_components(p->self->fd), .known = true, .scale = -(1 << 14)};
	for (int i = first; i < first + n; i++) {
		const struct coordinate *m = &p->coordinate[i];
		const struct component *g = &p->truth->derivative[0][m->wrt].at[m->element];
		double size = fmax(fmax(g->magnitude, fabs(g->value)), g->tight);
		if (size > 0 && isfinite(size) && ilogb(size) + ilogb(m->move) > t.scale)
			t.scale = ilogb(size) + ilogb(m->move);
	}
	if (t.scale == -(1 << 14))
		t.scale = 0;
	struct compensated_sum sum = {0, 0};
	for (int i = first; i < first + n; i++) {
		const struct coordinate *m = &p->coordinate[i];
		const struct component *g = &p->truth->derivative[0][m->wrt].at[m->element];
		int e = ilogb(m->move);
		double move = scalbn(p->direction[m->input].at[m->element].f, -e);
		/* Both factors are near 1 or below, so the product does not overflow, and underflows only where it
		 * is negligible. */
		sum_add_product(&sum, scalbn(g->value, e - t.scale), move);
		sum_add_product(&sum, scalbn(g->low, e - t.scale), move);
		t.tolerance += (scalbn(g->tight, e - t.scale) + scalbn(cross_check_grain, e - t.scale)) * fabs(move);
		t.magnitude += scalbn(fmax(g->magnitude, fabs(g->value)), e - t.scale) * fabs(move);
	}
	t.value = sum.high + sum.low;
	t.low = (sum.high - t.value) + sum.low;
	return t;
}

static struct fd_run vjp_measure(struct check_run *p, int first, int n, bool random_signs, struct fd_target *t)
{
	set_direction(p, first, n, random_signs);
	*t = vjp_target(p, first, n);
	return cross_check_measure(p, first, n, random_signs, t, 1);
}

/*
 * Halves a set of coordinates until each part agrees or is a single coordinate. The component of a single coordinate
 * that disagrees becomes undecided. All moves have one sign here. So where(x > 0, ...) at zeros leaves the path on the
 * same side for all of them.
 */
static void vjp_isolate(struct check_run *p, int first, int n)
{
	struct fd_target t;
	struct fd_run run = vjp_measure(p, first, n, false, &t);
	if (n > 1 && (cross_check_off_path(&t) || t.outcome == FD_DISAGREES) && p->work_left > 0) {
		vjp_isolate(p, first, n / 2);
		vjp_isolate(p, first + n / 2, n - n / 2);
		return;
	}
	const struct coordinate *m = &p->coordinate[first];
	cross_check_note(p, &run, &t, n == 1 ? cross_check_flat(p, m->wrt, m->element) : -1);
	if (!cross_check_off_path(&t) && t.outcome != FD_DISAGREES)
		return;
	enum reason reason = t.outcome == FD_DISAGREES ? REASON_ORACLE : t.reason;
	for (int i = first; i < first + n; i++)
		cross_check_undecide(p, p->coordinate[i].wrt, p->coordinate[i].element, reason);
}

static void vjp_direction(struct check_run *p)
{
	struct fd_target t;
	struct fd_run run = vjp_measure(p, 0, p->n_coordinate, true, &t);
	if (cross_check_off_path(&t) || t.outcome == FD_DISAGREES)
		vjp_isolate(p, 0, p->n_coordinate);
	else
		cross_check_note(p, &run, &t, -1);
}

static void vjp_coordinates(struct check_run *p)
{
	int i = 0;
	while (i < p->n_coordinate && p->work_left > 0)
		vjp_isolate(p, i++, 1);
	if (i < p->n_coordinate)
		vjp_isolate(p, i, p->n_coordinate - i);
}

/* ---- order 2 and above ---- */

/* Turns the seeds of a jvp, or of the cotangents of a vjp, into a direction: tangents of the inputs in t->wrt. */
static void fix_direction(struct check_run *p, const struct transform *t, const struct tensor *seed)
{
	int n_input = p->c->program.top.n_param, at_zero = zero_exponent(p), step = 1 << 14;
	struct tensor *direction = NEW(p->arena, struct tensor, n_input);
	for (int i = 0; i < n_input; i++)
		direction[i] = tensor_new(p->arena, &p->point[i].type);
	for (int k = 0; k < t->n_wrt; k++) {
		const struct tensor *x = &p->point[t->wrt[k]];
		if (!dtype_is_float(x->type.dtype))
			continue;
		direction[t->wrt[k]] = seed[k];
		for (int e = 0; e < shape_elements(&x->type.shape); e++) {
			if (seed[k].at[e].f == 0)
				continue;
			int room = (x->at[e].f != 0 ? ilogb(x->at[e].f) : at_zero) - ilogb(seed[k].at[e].f) - 1;
			step = room < step ? room : step;
		}
	}
	p->fixed[p->n_fixed++] = (struct fd_direction){direction, step};
}

/* Finds the innermost and the last vjp; see struct check_run. */
static void find_ends(struct check_run *p)
{
	p->t = &p->c->transform[p->c->n_transform - 1];
	for (int k = p->c->n_transform - 1; k >= 0; k--) {
		const struct transform *t = &p->c->transform[k];
		if (t->kind != TRANSFORM_VJP)
			continue;
		if (!p->weigh)
			p->t = t;
		p->weigh = t;
	}
}

/* Fixes the directions of all levels except the one to compare. All numbers are finite. */
static void fix_directions(struct check_run *p)
{
	const struct transform *below = NULL; /* the vjp whose cotangents the next vjp contracts */
	for (int k = 0; k < p->c->n_transform && p->c->n_transform > 1; k++) {
		const struct transform *t = &p->c->transform[k];
		if (t != p->weigh)
			fix_direction(p, t->kind == TRANSFORM_VJP ? below : t, t->seed);
		if (t->kind == TRANSFORM_VJP)
			below = t;
	}
}

/* ---- entry ---- */

/* Compares by the way of the request.  The run's coordinates are listed. */
static void compare(void *context)
{
	struct check_run *p = context;
	struct cross_check *self = p->self;
	int n_input = p->c->program.top.n_param;
	fd_begin(self->fd, p->c, p->which, p->arena);
	p->direction = NEW(p->arena, struct tensor, n_input);
	for (int i = 0; i < n_input; i++)
		p->direction[i] = tensor_new(p->arena, &p->point[i].type);
	p->weight = NEW(p->arena, double, fd_components(self->fd));
	set_weights(p);
	if (p->t->kind == TRANSFORM_JVP)
		cross_check_jvp(p);
	else if (p->by_coordinate)
		vjp_coordinates(p);
	else
		vjp_direction(p);
}

/* Without work left, the evidence so far stays. */
static void compare_within_work(struct check_run *p)
{
	struct arena_mark mark = arena_mark(p->arena);
	if (p->self->work) {
		fd_limit(p->self->fd, p->self->work);
		fd_mixed_limit(p->self->mixed, p->self->work);
	}
	if (arena_try(p->arena, compare, p))
		return;
	if (!p->self->work || !p->self->work->over)
		arena_full(p->arena);
	arena_rewind(p->arena, mark);
	p->self->work->over = false;
	p->self->work->left = 0;
	if (p->truth->fd.outcome == FD_NOT_RUN)
		p->truth->fd = (struct fd_evidence){.outcome = FD_ABSTAINS, .reason = REASON_BUDGET, .component = -1};
}

static void check(struct cross_check *self, const struct testcase *c, int which, struct truth_point *io,
    struct arena *a, bool by_coordinate)
{
	struct check_run p = {.self = self,
	    .c = c,
	    .point = c->point[which],
	    .which = which,
	    .truth = io,
	    .arena = a,
	    .seed = mix(self->seed, (uint64_t)which),
	    .by_coordinate = by_coordinate,
	    .work_left = work_budget};
	find_ends(&p);
	if (!measurable(&p))
		return;
	fix_directions(&p);
	list_coordinates(&p);
	if (p.n_coordinate == 0)
		return; /* everything is confirmed already: the earlier evidence stays */
	io->fd = (struct fd_evidence){.outcome = FD_NOT_RUN, .component = -1};
	compare_within_work(&p);
	self->fd_disagreements += p.disagreed;
}

void cross_check_direction(
    struct cross_check *self, const struct testcase *c, int which, struct truth_point *io, struct arena *a)
{
	check(self, c, which, io, a, false);
}

void cross_check_coordinates(
    struct cross_check *self, const struct testcase *c, int which, struct truth_point *io, struct arena *a)
{
	check(self, c, which, io, a, true);
}

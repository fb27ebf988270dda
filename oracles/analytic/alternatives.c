/* alternatives.c: see alternatives.h. */
#include "alternatives.h"

#include <math.h>

#include "convergence.h"
#include "graph/answer.h"
#include "oracles/oracle_rules.h"
#include "singular.h"

#define R MPFR_RNDN

/* Counted nanoseconds that one truth may spend on them. */
enum { ALTERNATIVES_WORK = 8000000 };

static const struct row {
	bool listed, on;
} rows[REASON_COUNT] = {
#define ALTERNATIVES(reason, on) [REASON_##reason] = {true, on},
#include "alternatives.def"
#undef ALTERNATIVES
};

/* ---- values ---- */

void alternatives_note(struct note *note, int k)
{
	struct note *n = &note[k];

	if (n->danger && (n->unsure || n->tie) && !n->reason)
		n->reason = REASON_UNSTABLE_PATH;
}

void alternatives_join(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	struct note *n = &note[k];
	double farthest = 0;
	mpfr_t gap;

	if (n->reason || n->danger || s->n_parent < 2) {
		n->reason = n->reason ? n->reason : REASON_UNSTABLE_PATH;
		return;
	}
	if (s->group) { /* the parents are one value */
		n->unsure = REASON_UNSTABLE_PATH;
		return;
	}
	mpfr_init2(gap, 53);
	for (int j = 0; j < s->n_parent; j++) {
		mpfr_sub(gap, ev->value[parent[j]], ev->value[parent[0]], MPFR_RNDA);
		const double far = fabs(mpfr_get_d(gap, MPFR_RNDA)) + note[parent[j]].radius;
		farthest = far > farthest || isnan(far) ? far : farthest;
	}
	mpfr_clear(gap);
	n->radius = farthest;
	n->unsure = REASON_UNSTABLE_PATH;
	if (isnan(n->radius)) /* a choice is NaN */
		n->reason = REASON_NON_FINITE;
	else if (n->magnitude + n->radius > dtype_table[s->dtype].max)
		n->reason = REASON_OVERFLOW;
}

/* ---- derivatives ---- */

/* The row of alternatives.def for such a component. A choice may also be why one is ill-conditioned. */
static struct row row_of(enum reason r) { return rows[r == REASON_ILL_CONDITIONED ? REASON_UNSTABLE_PATH : r]; }

static bool is_wanted(const struct analytic *self, enum reason r)
{
	return row_of(r).on || (row_of(r).listed && self->use == ALTERNATIVES_COUNTED);
}

static bool any_wanted(const struct analytic *self, const struct truth_point *t)
{
	for (int i = 0; i < t->n_derivative; i++)
		for (int e = 0; e < shape_elements(&t->derivative[0][i].type.shape); e++)
			if (is_wanted(self, t->derivative[0][i].at[e].reason))
				return true;
	return false;
}

/* Whether the trace of the truth shows that its choices cannot be enumerated, or that there are none. */
static bool is_hopeless(const struct analytic *self)
{
	const struct evaluation *ev = &self->ev;
	int n = ev->n_broken;

	if (n && ev->nested)
		return true;
	for (int k = 0; k < ev->n_scalar; k++)
		n += convention_tied(self->note, k) || convention_unsure(ev, self->note, k) ||
		    (ev->scalar[k].op == OP_SELECT && ev->scalar[k].n_parent == 2 && self->note[k].active);
	return n > CORNER_TIES || (ev->status == EVALUATE_OK ? n == 0 : ev->status != EVALUATE_BRANCH);
}

/* What an engine adds that shares every choice among its options, relative to the magnitude. The shares are rounded,
 * and added, in any dtype of the trace. */
static double roundings_of(const struct analytic *self, const struct corners *corners)
{
	double n = 0, unit = 0;

	for (int i = 0; i < corners->n_tie; i++)
		n += corners->n_option[i] + 1;
	for (int k = 0; k < self->ev.n_scalar; k++)
		unit = fmax(unit, dtype_table[self->ev.scalar[k].dtype].unit);
	return n * unit;
}

/* The alternatives at[n] of one component; NULL if one of them is undecided. Each share may underflow on its own. */
static const struct alternatives *join_components(
    const struct component *at, int n, double roundings, double margin, struct arena *a)
{
	struct alternatives out = {.n = n, .at = at, .low = INFINITY, .high = -INFINITY, .in_domain = true};
	double loose = 0, magnitude = 0;

	for (int s = 0; s < n; s++) {
		if (at[s].reason || !isfinite(at[s].value) || !isfinite(at[s].loose))
			return NULL;
		out.low = fmin(out.low, at[s].value);
		out.high = fmax(out.high, at[s].value);
		out.escapes |= at[s].escapes;
		out.in_domain &= at[s].in_domain;
		loose = fmax(loose, at[s].loose);
		magnitude = fmax(magnitude, at[s].magnitude);
	}
	out.margin = margin * ((out.high - out.low) + n * loose + roundings * magnitude);
	return isfinite(out.margin) ? arena_copy(a, &out, 1, sizeof out) : NULL;
}

/* An op derivative inside may pass a NaN on that nothing excuses here (analytic/README.md). So may the rule of a
 * custom, which an engine runs as it is: 0 times an infinity is NaN there. */
static void attach(const struct analytic *self, struct component *to, const struct alternatives *all, struct arena *a)
{
	struct alternatives *own;

	if (!is_wanted(self, to->reason))
		return;
	own = arena_copy(a, all, 1, sizeof *all);
	own->reason = to->reason;
	own->counted = !row_of(to->reason).on;
	own->in_domain &= self->ev.order <= 1 && !self->ev.n_broken;
	to->alternatives = own;
}

/* at[i][e][corner]: every component of the derivatives, with every combination of choices. */
static struct component ***components_of(struct analytic *self, struct conventions *conventions,
    struct corners *corners, const struct transform *t, const struct type *types, int n, struct arena *a)
{
	struct component ***at = NEW(a, struct component **, n);

	for (int i = 0; i < n; i++) {
		at[i] = NEW(a, struct component *, shape_elements(&types[i].shape));
		for (int e = 0; e < shape_elements(&types[i].shape); e++)
			at[i][e] = NEW(a, struct component, corners->n_corner);
	}
	conventions->corner = corners;
	for (int s = 0; s < corners->n_corner; s++) {
		corners_choose(corners, s);
		analytic_sweep(self, conventions, t, NULL);
		if (self->singular)
			analytic_weak_zeros(self, conventions, t->kind);
		for (int i = 0; i < n; i++)
			for (int e = 0; dtype_is_float(types[i].dtype) && e < shape_elements(&types[i].shape); e++) {
				at[i][e][s] = analytic_component(self, t, i, e);
				at[i][e][s].narrow = false; /* a share has no side */
			}
	}
	conventions->corner = NULL;
	return at;
}

/* Evaluates the program with both ways of each choice, and lists the choices. NULL: there are none, or too many. */
static struct corners *choices_of(struct analytic *self, const struct testcase *c, int which, int64_t spent,
    struct conventions *conventions, struct arena *a)
{
	const int64_t before = self->ev.work ? self->ev.work->left : 0;
	struct corners *corners;

	self->ev.both = true;
	const int order = analytic_trace(self, c, which, a);
	self->ev.both = false;
	const bool product = self->ev.product != OP_CONSTANT;
	self->ev.product = OP_CONSTANT;
	if (self->ev.status != EVALUATE_OK || self->ev.unlisted || product)
		return NULL;
	if (c->transform[0].kind == TRANSFORM_VJP)
		analytic_find_merged(self);
	self->singular = trace_singular(&self->ev, self->note, order);
	conventions_collect(conventions, &self->ev, self->note, c->transform[0].kind == TRANSFORM_JVP);
	conventions_assign(conventions, 0);
	corners = corners_collect(&self->ev, self->note, true, a);
	if (!corners || !corners->n_tie || !self->ev.work)
		return corners && corners->n_tie ? corners : NULL;
	return corners->n_corner * (spent + before - self->ev.work->left) <= ALTERNATIVES_WORK ? corners : NULL;
}

/* Attaches the alternatives of each component of every derivative. */
static void attach_all(struct analytic *self, const struct testcase *c, struct conventions *conventions,
    struct corners *corners, struct arena *a, struct truth_point *io)
{
	struct type types[LIMIT_ARGS];
	const int n = answer_derivative_types(c, types);
	struct component ***at = components_of(self, conventions, corners, &c->transform[0], types, n, a);

	for (int i = 0; i < n; i++)
		for (int e = 0; dtype_is_float(types[i].dtype) && e < shape_elements(&types[i].shape); e++) {
			const struct alternatives *all = join_components(
			    at[i][e], corners->n_corner, roundings_of(self, corners), self->ev.rules->margin, a);

			for (int s = 0; all && s < io->n_assignment; s++)
				attach(self, &io->derivative[s][i].at[e], all, a);
		}
}

void alternatives_add(
    struct analytic *self, const struct testcase *c, int which, int64_t spent, struct arena *a, struct truth_point *io)
{
	struct conventions conventions;

	if (c->n_transform != 1 || self->ev.slices || self->ev.product != OP_CONSTANT ||
	    convergence_matters(&c->program.top) || !any_wanted(self, io))
		return;
	if (is_hopeless(self) || (self->ev.work && self->ev.work->left < 2 * spent + 2 * ALTERNATIVES_WORK))
		return;
	struct corners *corners = choices_of(self, c, which, spent, &conventions, a);
	if (corners)
		attach_all(self, c, &conventions, corners, a, io);
}

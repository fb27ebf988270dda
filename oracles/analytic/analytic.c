/* analytic.c: the state of the oracle, and its hooks: the primal ball follows the trace. */
#include "alternatives.h"
#include "digits.h"
#include "internal.h"
#include "graph/heap.h"
#include "inside.h"
#include "quiet.h"
#include "regroup.h"
#include "oracles/oracle_rules.h"
#include "oracles/evaluate/double_of.h"
#include "oracles/evaluate/scalar_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- hooks: the ball follows the trace ---- */

/* Whether the ball of the op compares the classes of its parents (alike.h). */
static bool chooses(enum op op)
{
	return op == OP_MAX || op == OP_MIN || op == OP_REDUCE_MAX || op == OP_REDUCE_MIN || op == OP_SORT;
}

static void on_scalar(void *context, struct evaluation *ev, int k)
{
	struct analytic *self = context;
	const struct scalar *s = &ev->scalar[k];
	analytic_room(self, k + 1);
	bool active = ev->part ==
	    TRACE_PARAMETER; /* its ties matter to the derivative inside, whatever the request is */
	if (k < self->n_input_scalar)
		active = self->input_active[k] != 0;
	else if (s->op != OP_STOP_GRADIENT)
		for (int j = 0; j < s->n_parent; j++)
			active |= self->note[ev->parent[s->parent + j]].active;
	self->note[k].active = active;
	inside_note(self, k);
	self->by_paths |= ev->part != TRACE_PROGRAM;
	self->apart |= ev->part != TRACE_PROGRAM;
	if (chooses(s->op))
		alike_classes(self->alike, ev, self->note, k);
	ball_scalar(ev, self->note, k);
	if (ev->both)
		alternatives_note(self->note, k);
	self->note[k].excess = ev->excess;
	regroup_scalar(self, k);
	alike_appended(self->alike, k);
	self->by_paths |= self->note[k].shared && active;
	self->apart |= self->note[k].shared && active;
}

static bool on_separated(void *context, const struct evaluation *ev, int a, int b, double bound)
{
	return ball_separated(ev, ((struct analytic *)context)->note, a, b, bound);
}

static double on_radius(void *context, int k)
{
	const struct note *n = &((struct analytic *)context)->note[k];
	return n->reason ? INFINITY : n->radius;
}

static bool norm_of_zeros(const struct evaluation *ev, int k)
{
	return ev->scalar[k].op == OP_NORM && mpfr_zero_p(ev->value[k]);
}

/* Why the partials of scalar k are uncertain. */
static uint8_t reason_of_partials(const struct evaluation *ev, const struct note *note, int k)
{
	if (note[k].reason)
		return note[k].reason;
	if (ev->scalar[k].op == OP_FIXED_POINT)
		return REASON_CONVERGENCE;
	return (note[k].tie && !note[k].unsure) || norm_of_zeros(ev, k) ? REASON_CONVENTION : REASON_UNSTABLE_PATH;
}

static void on_uncertain(void *context, struct evaluation *ev, int k, int because)
{
	struct note *note = ((struct analytic *)context)->note;
	if (note[k].reason) /* of the flow itself */
		return;
	if (ev->both && because < 0)
		alternatives_join(ev, note, k);
	else
		note[k].reason = because >= 0 ? reason_of_partials(ev, note, because) : REASON_UNSTABLE_PATH;
}

/* Whether b a^(b - 1) of a negative a may have either sign: b - 1 rounds from odd to even. Then its derivatives may
 * have either sign too. */
static bool power_of_either_sign(const struct evaluation *ev, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	return s->op == OP_POW && mpfr_sgn(ev->value[parent[0]]) < 0 &&
	    fabs(double_of(ev->value[parent[1]])) * ev->dtype[s->dtype].unit >= 1;
}

static bool on_unsure(void *context, const struct evaluation *ev, int k)
{
	const struct note *n = &((struct analytic *)context)->note[k];
	/* Engines that know the meaning of a solution and engines that iterate get different derivatives
	 * (convergence.h). */
	return n->tie || n->unsure || norm_of_zeros(ev, k) || ev->scalar[k].op == OP_SELECT ||
	    ev->scalar[k].op == OP_FIXED_POINT || power_of_either_sign(ev, k);
}

static void on_settled(void *context, int k, double radius)
{
	struct analytic *self = context;
	struct note *n = &self->note[k];
	radius = rounding_flushed(&self->dtype[self->ev.scalar[k].dtype], n->magnitude, radius);
	if (isfinite(radius))
		self->stray = fmax(self->stray, radius);
	if (!isfinite(radius))
		n->reason = REASON_CONVERGENCE;
	else if (!n->reason)
		n->radius = radius;
	if (!n->reason && n->magnitude + radius > dtype_table[self->ev.scalar[k].dtype].max)
		n->reason = REASON_OVERFLOW;
}

static bool on_equal(void *context, int a, int b, int n)
{
	const struct note *note = ((struct analytic *)context)->note;
	for (int i = 0; i < n; i++)
		if (!note_equal(&note[a + i], &note[b + i]))
			return false;
	return true;
}

static void on_copied(void *context, int k, int from)
{
	struct analytic *self = context;
	analytic_room(self, k + 1);
	self->note[k] = self->note[from];
	self->note[k].original = from;
	regroup_copy(self, k, from);
	alike_appended(self->alike, k);
}

struct analytic *analytic_open(const struct oracle_rules *rules)
{
	struct analytic *self = heap_new(1, sizeof *self);
	mp_setup();
	evaluation_open(&self->ev, rules);
	self->ev.dtype = self->dtype;
	analytic_use(self, rules, NULL);
	self->alike = alike_open();
	self->ev.hooks = (struct evaluate_hooks){self, on_scalar, on_separated, on_uncertain, on_settled, on_unsure,
	    on_radius, on_equal, on_copied, quiet_excess};
	mpfr_init2(self->partial, self->ev.precision);
	mpfr_init2(self->term, self->ev.precision);
	self->kept = kept_partials_open(self->ev.precision);
	evaluation_fill(&self->ev, EVALUATION_KEPT, DIGITS_MORE);
	analytic_make_flows(self, EVALUATION_KEPT);
	return self;
}

void analytic_touch(struct analytic *self)
{
	evaluation_touch(&self->ev);
	memset(self->note, 0, (size_t)self->room * sizeof *self->note);
	memset(self->flow, 0, (size_t)self->room * sizeof *self->flow);
}

void analytic_limit(struct analytic *self, struct budget *work) { self->ev.work = work; }

void analytic_accuracy(struct analytic *self, const struct op_accuracy *of) { self->ev.accuracy = of; }

void analytic_regroups(struct analytic *self, bool regroups) { regroup_switch(self, regroups); }

void analytic_alternatives(struct analytic *self, enum alternatives_use use) { self->use = use; }

void analytic_slices(struct analytic *self, int slices) { self->ev.slices = slices; }

void analytic_use(struct analytic *self, const struct oracle_rules *rules, const bool *flushes)
{
	self->ev.rules = rules;
	for (int d = 0; d < DTYPE_COUNT; d++) {
		self->flushes[d] = flushes && flushes[d];
		bool flushed = self->flushes[d] && rules->flushes && dtype_is_float((enum dtype)d);
		self->dtype[d] = flushed ? rounding_flushing(&rules->values[d]) : rules->values[d];
		self->contributions[d] = flushed ? rounding_flushing(&rules->dtype[d]) : rules->dtype[d];
		self->sums[d] = flushed ? rounding_flushing(&rules->sums[d]) : rules->sums[d];
	}
}

void analytic_close(struct analytic *self)
{
	for (int k = 0; k < self->value_ready; k++)
		mpfr_clear(self->value[k]);
	mpfr_clear(self->partial);
	mpfr_clear(self->term);
	evaluation_close(&self->ev);
	alike_close(self->alike);
	kept_partials_close(self->kept);
	free(self->note);
	free(self->flow);
	free(self->value);
	free(self->regrouped);
	free(self);
}

void analytic_trim(struct analytic *self)
{
	evaluation_trim(&self->ev, EVALUATION_KEPT);
	alike_trim(self->alike);
	if (self->room <= EVALUATION_KEPT)
		return;
	while (self->value_ready > EVALUATION_KEPT)
		mpfr_clear(self->value[--self->value_ready]);
	self->room = EVALUATION_KEPT;
	self->note = heap_resize(self->note, EVALUATION_KEPT, sizeof *self->note);
	self->flow = heap_resize(self->flow, EVALUATION_KEPT, sizeof *self->flow);
	self->value = heap_resize(self->value, EVALUATION_KEPT, sizeof *self->value);
	regroup_room(self, EVALUATION_KEPT);
}

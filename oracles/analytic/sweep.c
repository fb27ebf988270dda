/* sweep.c: one tangent or adjoint sweep over the trace. Every contribution carries its radii. */
#include "contribution.h"
#include "inside.h"
#include "internal.h"
#include "regroup.h"
#include "resweep.h"
#include "oracles/oracle_rules.h"
#include "oracles/ball/range.h"
#include "oracles/evaluate/double_of.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define R MPFR_RNDN

/* Work of an edge beside its function (work.h), and of one that is known. */
enum { PARTIAL_WORK = 400, KEPT_WORK = 60 };

static bool compute_partial(
    struct analytic *self, const struct conventions *conventions, int k, int j, struct partial *p)
{
	bool base_of_power = self->ev.scalar[k].op == OP_POW && j == 0;
	work_take(self->ev.work, PARTIAL_WORK + work_of(self->ev.scalar[k].op, self->ev.precision, 1),
	    self->ev.n_scalar, self->ev.arena);
	p->value = self->partial;
	p->singular = p->cancels = p->strays = p->escapes = false;
	p->narrow = p->vanishes = false;
	if (!convention_chooses(conventions, self->note, k) || base_of_power)
		return self->ev.rules->partial(&self->ev, self->note, k, j, &self->shared, p);
	assert(j >= 0 && j < self->ev.scalar[k].n_parent);
	ball_share(&self->ev, self->note, k, &self->shared);
	int ties = 1, sign = convention_weight(conventions, &self->ev, &self->shared, k, j, &ties);
	mpfr_set_si(p->value, sign, R);
	mpfr_div_si(p->value, p->value, ties, R);
	p->magnitude = 1.0 / ties;
	p->tight = p->loose = (ties & (ties - 1)) == 0 ? 0 : p->magnitude * dtype_table[self->ev.scalar[k].dtype].unit;
	p->most = 0;
	p->reason = REASON_NONE;
	p->singular = convention_is_open(self->ev.scalar[k].op);
	return sign != 0 || p->singular;
}

bool analytic_partial(struct analytic *self, const struct conventions *conventions, int k, int j, struct partial *p)
{
	/* Copies have the partials of their original. A tie may follow a convention of its own. */
	const bool copy = self->note[k].original > 0 && !convention_chooses(conventions, self->note, k);
	const int edge = copy ? self->ev.scalar[self->note[k].original].parent + j : 0;
	bool connected;

	if (copy && kept_partial(self->kept, edge, p, &connected)) {
		work_take(self->ev.work, KEPT_WORK, self->ev.n_scalar, self->ev.arena);
		return connected;
	}
	connected = compute_partial(self, conventions, k, j, p);
	if (copy)
		keep_partial(self->kept, edge, p, connected);
	return connected;
}

int64_t analytic_known_work(const struct analytic *self, int k)
{
	return self->note[k].original > 0 && !convention_tied(self->note, k)
	    ? KEPT_WORK
	    : PARTIAL_WORK + work_of(self->ev.scalar[k].op, self->ev.precision, 1);
}

/*
 * Describes the edge of scalar k to its parent j as a link of a chain of products; NULL if it is none. Each link has
 * three roundings. Where a factor leaves or enters the chain, the terms added there cost one rounding each: adjoints
 * by the terms that joined, tangents by the number of factors. TOLERANCE.md counts them.
 */
static const struct chain *chain_of(struct analytic *self, int k, int j, bool adjoint, struct chain *out)
{
	const struct evaluation *ev = &self->ev;
	if (ev->scalar[k].op != OP_CUMPROD)
		return NULL;
	int parent = ev->parent[ev->scalar[k].parent + j], other = ev->parent[ev->scalar[k].parent + 1 - j];
	bool link = j == 0 && ev->scalar[parent].op == OP_CUMPROD;
	struct flow *whole = &self->flow[k], *part = &self->flow[parent];
	double x = self->note[parent].magnitude, most = self->note[k].most;
	double over = !link && x > 0 ? 1 / x : 0;
	*out = (struct chain){.roundings = 3};
	if (link && ev->scalar[parent].divided)
		out->divisor = analytic_least_divisor(self, parent);
	if (!link)
		out->roundings += (adjoint ? whole->joined : self->note[k].factors) - 1;
	if (adjoint) {
		double rest = fmax(1, whole->most), beside = fmax(1, self->note[other].magnitude);
		out->most = fmax(most * rest, over);
		out->reach = (whole->group + whole->loose) * fmax(most, over);
		if (link) {
			part->joined += whole->joined - 1;
			part->most = fmax(part->most, rest * beside);
			part->group += whole->group * beside;
		}
	} else {
		double g = fabs(double_of(self->value[parent])) + part->loose;
		whole->group += link ? part->group : g * over;
		out->most = fmax(most, over);
		out->reach = whole->group > dtype_table[ev->scalar[k].dtype].max ? INFINITY : g * out->most;
	}
	/* These are exact products. An engine rounds each factor, term and quotient. */
	out->reach *= 1 + 2 * (self->note[k].factors + whole->joined + 2) * dtype_table[ev->scalar[k].dtype].unit;
	return out;
}

/* ---- sweeps ---- */

/* Whether the partial is one of several that are 1 together. */
static bool is_share(const struct partial *p) { return p->magnitude > 0 && p->magnitude < 1; }

/*
 * Whether the value of scalar k is that of its parent: an engine may keep one adjoint for both, as if k were a move.
 * Besides an extremum, that is an op without an effect: a sum or a product of one element, x + 0, 1 x.  A sign does not
 * matter, because two negations in a row have no effect either.  An extremum of values that are one, as max(x, x), may
 * be that value again.  Its edges share a partial of 1 then, and the engine passes everything on by one of them.
 */
static bool is_operand(const struct analytic *self, int k, int parent, const struct partial *p)
{
	const struct evaluation *ev = &self->ev;
	const enum op op = ev->scalar[k].op;
	const bool extremum = op == OP_MAX || op == OP_MIN || op == OP_REDUCE_MAX || op == OP_REDUCE_MIN;

	return (is_share(p) ? extremum : p->tight == 0 && p->magnitude == 1) &&
	    ev->scalar[k].dtype == ev->scalar[parent].dtype && mpfr_cmpabs(ev->value[k], ev->value[parent]) == 0;
}

/*
 * Whether scalar k is parent j, moved by a number that is not differentiated: x + c, c + x, x - c.  An engine that
 * moves the value alone, as x += c of CoDiPack, has one adjoint for both.
 */
static bool is_moved(const struct analytic *self, int k, int j)
{
	const struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;

	return (s->op == OP_ADD || (s->op == OP_SUB && j == 0)) && s->dtype == ev->scalar[parent[j]].dtype &&
	    !self->note[parent[1 - j]].active;
}

/*
 * Whether scalar k may be the same as its one active parent in an engine. In a derivative inside the program, a
 * parameter may be its operand, and a derivative its direction, if no op computes it. An engine may then add
 * contributions to k at the parent, one by one.
 */
static bool passes_on(const struct analytic *self, int k, const struct partial *p)
{
	const struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	int parent = ev->parent[s->parent];
	if (s->op == OP_CAST && s->dtype == ev->scalar[parent].dtype) /* trace_parameter, trace_result */
		return self->by_paths;
	if (!flow_is_derivative(self, k) || p->magnitude != 1 || p->tight > 0)
		return false;
	int active = 0;
	for (int j = 0; j < s->n_parent; j++)
		active += self->note[ev->parent[s->parent + j]].active;
	return active == 1;
}

static void add_up_there(struct terms *there, const struct terms *terms)
{
	terms_count(&there->n, terms->n);
	there->positive += terms->positive;
	there->negative += terms->negative;
}

/* Whether a sweep changes the flow of scalar k. */
static bool changes(const struct resweep *again, int k) { return !again || again->inside[k]; }

/* Finishes the adjoint of scalar k and adds it to those of its parents. */
static void adjoint_of(struct analytic *self, const struct conventions *conventions, const struct resweep *again, int k)
{
	const struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	bool passed = false; /* to one of the operands that share */
	if (!self->flow[k].present || !self->note[k].active)
		return;
	if (changes(again, k)) {
		self->flow[k].grouped |= self->note[k].merged;
		flow_finish(self, k);
		if (self->note[k].merged)
			analytic_merge(self, k);
		analytic_left_alone(self, k, true);
	}
	for (int j = 0; j < s->n_parent; j++) {
		struct partial p;
		struct chain chain;
		int parent = ev->parent[s->parent + j];
		if (!self->note[parent].active || !changes(again, parent))
			continue;
		bool connected = analytic_partial(self, conventions, k, j, &p);
		flow_add_product(self, k, parent, k, connected ? &p : NULL, chain_of(self, k, j, true, &chain));
		bool operand = connected && self->flow[k].terms.n > 1 &&
		    (is_operand(self, k, parent, &p) || is_moved(self, k, j)) && !(passed && is_share(&p));
		passed |= operand;
		self->flow[parent].grouped |= operand;
		if (operand || (connected && (passes_on(self, k, &p) || regroup_joins(self, k, parent, &p))))
			add_up_there(&self->flow[parent].terms, &self->flow[k].terms);
	}
}

static void sweep_adjoint(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct resweep *again)
{
	struct evaluation *ev = &self->ev;
	for (int i = 0; i < ev->n_result; i++) {
		const struct tensor *seed = &t->seed[i];
		if (dtype_is_float(seed->type.dtype))
			for (int e = 0; e < shape_elements(&seed->type.shape); e++)
				if (changes(again, ev->result[i].at[e].scalar))
					flow_add_seed(self, ev->result[i].at[e].scalar, seed->at[e].f);
	}
	for (int i = (again ? again->n : ev->n_scalar) - 1; i >= 0; i--)
		adjoint_of(self, conventions, again, again ? again->at[i] : i);
}

/* The parent whose tangent is number `rank` in ascending order, by quickselect. order[] is working memory. */
static int nth_tangent(struct analytic *self, int *order, int n, int rank)
{
	int low = 0, high = n - 1;
	while (low < high) {
		mpfr_srcptr pivot = self->value[order[low + (high - low) / 2]];
		int i = low, j = high;
		while (i <= j) {
			while (mpfr_less_p(self->value[order[i]], pivot))
				i++;
			while (mpfr_greater_p(self->value[order[j]], pivot))
				j--;
			if (i <= j) {
				int swap = order[i];
				order[i++] = order[j];
				order[j--] = swap;
			}
		}
		if (rank <= j)
			high = j;
		else if (rank >= i)
			low = i;
		else
			break;
	}
	return order[rank];
}

/* Tied elements of a sort separate in the order of their tangents. */
static void directional_sorted(struct analytic *self, int k)
{
	const struct scalar *s = &self->ev.scalar[k];
	int *order = arena_copy(self->ev.arena, self->ev.parent + s->parent, (size_t)s->n_parent, sizeof *order);
	struct flow widest = {0};
	for (int j = 0; j < s->n_parent; j++) {
		const struct flow *f = &self->flow[order[j]];
		if (f->reason) {
			flow_poison(&self->flow[k], f->reason);
			return;
		}
		if (!f->present)
			mpfr_set_zero(self->value[order[j]], 1);
		widest.present |= f->present;
		widest.tight = fmax(widest.tight, f->tight);
		widest.loose = fmax(widest.loose, f->loose);
		widest.magnitude = fmax(widest.magnitude, f->magnitude);
		if (f->escapes)
			flow_lose(&self->flow[k], f->culprit);
	}
	if (!widest.present)
		return;
	mpfr_set(self->term, self->value[nth_tangent(self, order, s->n_parent, s->rank)], R);
	flow_add_term(self, k, widest.tight, widest.loose, widest.magnitude);
}

/* The directional derivative of a norm at zeros is the norm of the tangents. */
static void directional_norm(struct analytic *self, int k)
{
	const struct scalar *s = &self->ev.scalar[k];
	const struct dtype_info *info = &self->dtype[s->dtype];
	double tight = 0, loose = 0;
	bool present = false;
	self->flow[k].singular = true;
	mpfr_set_zero(self->term, 1);
	for (int j = 0; j < s->n_parent; j++) {
		int parent = self->ev.parent[s->parent + j];
		const struct flow *f = &self->flow[parent];
		if (f->reason) {
			flow_poison(&self->flow[k], f->reason);
			return;
		}
		if (!f->present)
			continue;
		present = true;
		tight = hypot(tight, f->tight);
		loose = hypot(loose, f->loose);
		if (f->escapes)
			flow_escape(&self->flow[k], f->culprit);
		mpfr_fma(self->term, self->value[parent], self->value[parent], self->term, R);
	}
	if (!present)
		return;
	mpfr_sqrt(self->term, self->term, R);
	double size = double_of(self->term),
	       rounding = (s->n_parent / 2.0 + 4) * info->unit * (size + tight) + info->tiny;
	flow_add_term(self, k, tight + rounding, loose + rounding, size);
}

/* The tangent of a tie if the convention follows the direction: the tangent of the parent that wins just beyond the
 * point. */
static void directional_tangent(struct analytic *self, int k)
{
	struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	if (s->op == OP_SORT || s->op == OP_NORM) {
		(s->op == OP_SORT ? directional_sorted : directional_norm)(self, k);
		return;
	}
	int sign = s->op == OP_MIN || s->op == OP_REDUCE_MIN ? -1 : 1, best = -1;
	for (int j = 0; j < s->n_parent; j++) {
		if (s->op != OP_ABS && !mpfr_equal_p(ev->value[parent[j]], ev->value[k]))
			continue;
		if (!self->flow[parent[j]].present)
			mpfr_set_zero(self->value[parent[j]], 1);
		if (best < 0 || mpfr_cmp(self->value[parent[j]], self->value[parent[best]]) * sign > 0)
			best = j;
	}
	struct partial p = {.value = self->partial, .magnitude = 1};
	mpfr_set_si(p.value, s->op == OP_ABS && mpfr_sgn(self->value[parent[best]]) < 0 ? -1 : 1, R);
	flow_add_product(self, k, k, parent[best], &p, NULL);
}

/*
 * Adds the roundings of (b a' - a b')/b^2. The path over a' is rounded as often as that over b', at the same sizes.
 * That is one rounding more than in a'/b and the sum, and one more for b^2.
 */
static void quotient_rule(struct analytic *self, int k)
{
	const int *parent = self->ev.parent + self->ev.scalar[k].parent;
	const struct dtype_info *info = &self->dtype[self->ev.scalar[k].dtype];
	struct flow *out = &self->flow[k];
	if (!self->flow[parent[0]].present || out->reason)
		return;
	double b = range_divisor(&self->ev, self->note, k),
	       g = (fabs(double_of(self->value[parent[0]])) + self->flow[parent[0]].loose) *
	    (b / self->note[parent[1]].magnitude);
	double most = fmax(b, 1 / (b * b));
	flow_widen(out, 2 * info->unit * g / b + 2 * info->tiny * most);
	out->reach += g * most;
	if (b * b > info->max || b * b < info->normal) {
		flow_widen(out, g / b); /* as in partial_div: a/infinity, a/0 */
		analytic_share(out, INFINITY, OP_DIV);
	}
	if (b * b < info->normal)
		flow_escape(out, OP_DIV);
}

/* Allows for a choice computed as b' + (a' - b') where a is chosen (PyTorch's minimum). The difference and the sum
 * are rounded, and the difference may leave the range. */
static void blend(struct analytic *self, int k)
{
	const struct scalar *s = &self->ev.scalar[k];
	const struct dtype_info *info = &dtype_table[s->dtype];
	double size = 0;
	for (int j = 0; j < s->n_parent; j++) {
		int parent = self->ev.parent[s->parent + j];
		const struct flow *f = &self->flow[parent];
		if (!f->present)
			return; /* if one is 0, the difference and the sum are exact */
		size += f->reason ? INFINITY : fabs(double_of(self->value[parent])) + f->loose;
	}
	if (size > info->max)
		flow_escape(&self->flow[k], s->kind);
	flow_widen(&self->flow[k], 2 * info->unit * fmin(size, info->max));
}

/* Allows for a mean whose tangent is the sum of the tangents, divided by n at the end. That sum may leave the range
 * although the mean does not. */
static void finish_mean(struct analytic *self, int k)
{
	const struct scalar *s = &self->ev.scalar[k];
	const struct flow *f = &self->flow[k];
	if (s->op == OP_REDUCE_MEAN && f->present &&
	    (f->terms.positive + f->terms.negative + f->tight) * s->n_parent > dtype_table[s->dtype].max)
		flow_poison(&self->flow[k], REASON_OVERFLOW);
}

static void tangent_of(struct analytic *self, const struct conventions *conventions, int k)
{
	const struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	if (!self->note[k].active)
		return;
	if (convention_tied(self->note, k) && convention_is_directional(conventions, ev, k)) {
		directional_tangent(self, k);
	} else {
		for (int j = 0; j < s->n_parent; j++) {
			struct partial p;
			struct chain chain;
			int parent = ev->parent[s->parent + j];
			if (!self->flow[parent].present)
				continue;
			bool connected = analytic_partial(self, conventions, k, j, &p);
			flow_add_product(
			    self, k, k, parent, connected ? &p : NULL, chain_of(self, k, j, false, &chain));
			if (connected && regroup_joins(self, k, parent, &p))
				add_up_there(&self->flow[k].terms, &self->flow[parent].terms);
		}
		if (s->op == OP_DIV)
			quotient_rule(self, k);
		if (s->op == OP_MAX || s->op == OP_MIN)
			blend(self, k);
	}
	flow_finish(self, k);
	regroup_tangent(self, k);
	finish_mean(self, k);
	if (self->flow[k].reach > dtype_table[s->dtype].max) /* (b a' - a b')/h^2 */
		flow_escape(&self->flow[k], s->kind);
	analytic_left_alone(self, k, false);
}

static void sweep_tangent(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct resweep *again)
{
	struct evaluation *ev = &self->ev;
	for (int i = 0; i < t->n_wrt && !again; i++) { /* no tie chooses the tangent of an input */
		const struct tensor *seed = &t->seed[i];
		if (dtype_is_float(seed->type.dtype))
			for (int e = 0; e < shape_elements(&seed->type.shape); e++)
				flow_add_seed(self, ev->input_scalar[t->wrt[i]] + e, seed->at[e].f);
	}
	for (int i = 0; i < (again ? again->n : ev->n_scalar); i++)
		tangent_of(self, conventions, again ? again->at[i] : i);
}

/* Makes the flows absent that a sweep changes. What weak zeros left in the others goes, too. */
static void clear(struct analytic *self, const struct resweep *again)
{
	if (!again) {
		flows_clear(self);
		return;
	}
	for (int i = 0; i < again->n; i++)
		if (again->inside[again->at[i]])
			memset(&self->flow[again->at[i]], 0, sizeof *self->flow);
	for (int k = 0; k < self->ev.n_scalar && self->singular; k++)
		self->flow[k].weak = false;
	self->shared.k = -1;
	work_take(self->ev.work, again->work, self->ev.n_scalar, self->ev.arena);
}

void analytic_sweep(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct resweep *again)
{
	clear(self, again);
	(t->kind == TRANSFORM_VJP ? sweep_adjoint : sweep_tangent)(self, conventions, t, again);
}

void analytic_sweep_part(
    struct analytic *self, int begin, int end, const int *seed, const int *value, int n, bool adjoint)
{
	const struct conventions none = {0};
	self->shared.k = -1;
	for (int k = begin; k < end; k++)
		self->flow[k] = (struct flow){0};
	for (int i = 0; i < n; i++)
		flow_add_seed(self, seed[i], double_of(self->ev.value[value[i]]));
	for (int k = adjoint ? end - 1 : begin; adjoint ? k >= begin : k < end; k += adjoint ? -1 : 1)
		if (adjoint)
			adjoint_of(self, &none, NULL, k);
		else
			tangent_of(self, &none, k);
}

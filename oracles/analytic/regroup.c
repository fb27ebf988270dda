/* regroup.c: see regroup.h. */
#include "regroup.h"
#include "contribution.h"
#include "graph/heap.h"
#include "oracles/ball/range.h"
#include "oracles/evaluate/double_of.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The products of one usual formula of a partial (Lemma 9). */
enum { FORMULA_PRODUCTS = 4 };

/* A scalar as the root of a tree of additions, and of a tree of multiplications. A single leaf is no tree. */
struct regrouped {
	/* The leaves of the sum: their number, the sum of their magnitudes, and of their radii. */
	double terms, size, error;
	/*
	 * The leaves of the product: their number, how far off it is because they are, the largest product of some of
	 * them (at least 1), and the smallest (at most 1).
	 */
	double factors, drift, most, least;
	bool adds, multiplies; /* whether the ops at the root do; otherwise the members above are not set */
	bool inverts;          /* a leaf is 1/b of a quotient, and is rounded */
	/* Of its flow: the largest product of some factors on the way to it, and the products on the way. */
	double way, products;
};

void regroup_switch(struct analytic *self, bool on)
{
	free(self->regrouped);
	self->regrouped = on ? heap_new((size_t)self->room, sizeof *self->regrouped) : NULL;
}

void regroup_room(struct analytic *self, int n)
{
	if (self->regrouped)
		self->regrouped = heap_resize(self->regrouped, (size_t)n, sizeof *self->regrouped);
}

void regroup_copy(struct analytic *self, int k, int from)
{
	if (self->regrouped)
		self->regrouped[k] = self->regrouped[from];
}

/* ---- values ---- */

/* The size of a scalar: a flow counts with the magnitudes of its paths, because their sum may have cancelled. */
static double size_of(const struct analytic *self, int k)
{
	return self->ev.scalar[k].derived ? self->note[k].path : self->note[k].magnitude;
}

/* An op that returns its only operand as it is, up to the sign. */
static bool moves(const struct scalar *s)
{
	return s->n_parent == 1 && (s->op == OP_NEG || s->op == OP_STOP_GRADIENT || s->op == OP_SELECT);
}

/* Adds scalar k, a leaf or a tree, to the sum *out. */
static void add_term(const struct analytic *self, int k, struct regrouped *out)
{
	const struct regrouped *in = &self->regrouped[k];
	const double size = size_of(self, k), r = self->note[k].radius;

	out->terms += in->adds ? in->terms : size > 0 || r > 0;
	out->size += in->adds ? in->size : size;
	out->error += in->adds ? in->error : r;
}

/* Multiplies the product *out, of magnitude `before`, by scalar k. */
static void multiply(const struct analytic *self, int k, double before, struct regrouped *out)
{
	const struct regrouped *in = &self->regrouped[k];
	const double size = size_of(self, k), r = self->note[k].radius, drift = in->multiplies ? in->drift : r;

	out->drift = before * drift + size * out->drift + out->drift * drift;
	out->factors += in->multiplies ? in->factors : 1;
	out->inverts |= in->multiplies && in->inverts;
	out->most *= in->multiplies ? in->most : fmax(1, size + r);
	/* A factor that may be 0 makes no product small. */
	out->least *= in->multiplies ? in->least : size > r ? fmin(1, size - r) : 1;
}

/* Divides the product *out, of magnitude `before`, by scalar k: its inverse is a leaf. That of a power of two is exact.
 */
static void divide(const struct analytic *self, int k, double before, struct regrouped *out)
{
	const struct dtype_info *info = &self->dtype[self->ev.scalar[k].dtype];
	const double size = self->note[k].magnitude, r = self->note[k].radius, inverse = 1 / size;
	int exponent;
	const bool exact = r == 0 && frexp(size, &exponent) == 0.5 && inverse <= info->max && inverse >= info->normal;
	const double error = r / size / (size - r),
	             drift = exact ? 0 : error + info->unit * (inverse + error) + info->tiny;

	out->drift = before * drift + inverse * out->drift + out->drift * drift;
	out->factors++;
	out->inverts |= !exact;
	out->most *= fmax(1, inverse + drift);
	out->least *= fmin(1, 1 / (size + r));
}

/* A dot product: each product of two is a term. */
static void add_dot(const struct analytic *self, int k, struct regrouped *out)
{
	const struct scalar *s = &self->ev.scalar[k];
	const int *parent = self->ev.parent + s->parent;
	const struct dtype_info *info = &self->dtype[s->dtype];

	for (int j = 0; j < s->n_parent; j += 2) {
		const double a = size_of(self, parent[j]), b = size_of(self, parent[j + 1]);
		const double ra = self->note[parent[j]].radius, rb = self->note[parent[j + 1]].radius;
		const double r = a * rb + b * ra + ra * rb;

		out->terms += a * b > 0 || r > 0;
		out->size += a * b;
		out->error += r + info->unit * (a * b + r) + info->tiny;
	}
}

/* Scalar k as trees of its parents. */
static struct regrouped trees_of(const struct analytic *self, int k)
{
	const struct scalar *s = &self->ev.scalar[k];
	const int *parent = self->ev.parent + s->parent, factors = s->op == OP_SQUARE ? 2 : s->n_parent;
	struct regrouped out = {.most = 1, .least = 1};
	double before = 1;

	out.adds = moves(s) || s->op == OP_ADD || s->op == OP_SUB || s->op == OP_REDUCE_SUM || s->op == OP_MATMUL;
	out.multiplies = moves(s) || s->op == OP_MUL || s->op == OP_SQUARE || s->op == OP_CUMPROD ||
	    (s->op == OP_DIV && self->note[parent[1]].magnitude > self->note[parent[1]].radius);
	if (s->op == OP_MATMUL)
		add_dot(self, k, &out);
	else if (out.adds)
		for (int j = 0; j < s->n_parent; j++)
			add_term(self, parent[j], &out);
	for (int j = 0; out.multiplies && j < factors; j++) {
		const int from = parent[j < s->n_parent ? j : 0];

		if (s->op == OP_DIV && j == 1) {
			divide(self, from, before, &out);
			break;
		}
		multiply(self, from, before, &out);
		before *= size_of(self, from);
	}
	return out;
}

static void widen(struct note *n, double radius)
{
	if (!(radius > n->radius))
		return;
	n->far += n->danger ? radius - n->radius : 0;
	n->radius = radius;
}

/* Some product of the leaves leaves the range. An underflow is off by at most tiny, times the rest. */
static void leave(struct analytic *self, int k, const struct regrouped *x)
{
	const struct dtype_info *info = &self->dtype[self->ev.scalar[k].dtype];
	struct note *n = &self->note[k];

	if (!n->danger) {
		n->far = n->radius;
		n->danger_op = self->ev.scalar[k].kind;
	}
	range_leave(n, 0, x->most > info->max ? ESCAPE_INFINITY | ESCAPE_NAN : 0);
	n->far += x->factors * info->tiny * x->most;
	if (!(n->magnitude + n->far <= info->max))
		n->escapes |= ESCAPE_INFINITY | ESCAPE_NAN;
}

void regroup_scalar(struct analytic *self, int k)
{
	const struct dtype_info *info = &self->dtype[self->ev.scalar[k].dtype];
	struct note *n = &self->note[k];
	struct regrouped x;

	if (!self->regrouped)
		return;
	self->regrouped[k] = (struct regrouped){0};
	if (n->reason)
		return;
	x = self->regrouped[k] = trees_of(self, k);
	/* A tree of two leaves has one grouping, but a quotient may be a product. */
	const bool grouped = x.factors > 2 || x.inverts;
	if (x.terms > 2)
		widen(n,
		    x.error + (x.terms - 1) * info->unit * (x.size + x.error) +
		        terms_flushed((int)fmin(x.terms, INT_MAX), info));
	if (grouped)
		widen(n,
		    x.drift + expm1((x.factors - 1) * info->unit) * (size_of(self, k) + x.drift) +
		        x.factors * info->tiny);
	if (grouped && (x.most > info->max || x.least < info->normal))
		leave(self, k, &x);
	if (!(n->magnitude + n->radius <= info->max) || (x.terms > 2 && !(x.size + x.error <= info->max)))
		n->reason = REASON_OVERFLOW;
}

/* ---- flows ---- */

void regroup_clear(struct analytic *self)
{
	for (int k = 0; self->regrouped && k < self->ev.n_scalar; k++)
		self->regrouped[k].way = self->regrouped[k].products = 0;
}

void regroup_seed(struct analytic *self, int k, double seed)
{
	if (self->regrouped)
		self->regrouped[k].way = fmax(self->regrouped[k].way, fmax(1, fabs(seed)));
}

double regroup_product(struct analytic *self, int at, int to, int from, const struct partial *p, double *products)
{
	const struct scalar *s = &self->ev.scalar[at];
	const struct flow *f = &self->flow[from];
	double way;

	*products = 0;
	if (!self->regrouped)
		return 1;
	/* The flow may be a sum, whose terms stay together. */
	way = fmax(fmax(1, self->regrouped[from].way), fabs(double_of(self->value[from])) + f->loose);
	way *= fmax(1, fmax(p->most, p->magnitude + p->loose));
	*products = self->regrouped[from].products + FORMULA_PRODUCTS;
	/* A partial may be a product of the program, whose factors meet the flow one by one. */
	for (int j = 0; j < s->n_parent; j++) {
		const struct regrouped *x = &self->regrouped[self->ev.parent[s->parent + j]];

		way *= x->multiplies ? x->most : 1;
		*products += x->multiplies ? x->factors : 0;
	}
	self->regrouped[to].way = fmax(self->regrouped[to].way, way);
	self->regrouped[to].products = fmax(self->regrouped[to].products, *products);
	return way;
}

double regroup_terms(const struct analytic *self, const struct flow *f)
{
	const double sum = f->terms.positive + f->terms.negative;

	return self->regrouped ? fmax(sum, f->magnitude) : sum;
}

void regroup_tangent(struct analytic *self, int k)
{
	struct flow *f = &self->flow[k];

	if (self->regrouped && self->regrouped[k].factors > 2 && f->present && !f->reason)
		flow_widen(f,
		    3 * self->regrouped[k].factors * self->dtype[self->ev.scalar[k].dtype].unit *
		        (f->magnitude + f->loose));
}

bool regroup_joins(const struct analytic *self, int k, int parent, const struct partial *p)
{
	return self->regrouped && p->magnitude == 1 && p->tight == 0 &&
	    self->ev.scalar[k].dtype == self->ev.scalar[parent].dtype;
}

/* flow.c: radii of tangents and adjoints that are scalars of the trace. TOLERANCE.md derives the radii. */
#include "ball.h"
#include "internal.h"
#include "rounding.h"

#include <math.h>

/* One operand of a rule. A flow counts with the magnitudes of its path contributions, because their sum may have
 * cancelled. */
struct operand {
	double path, radius, most, flushed;
	bool flow;
};

static struct operand operand(const struct evaluation *ev, const struct note *note, int k)
{
	const struct note *n = &note[k];
	bool flow = ev->scalar[k].derived;
	double path = flow ? n->path : n->magnitude;
	return (struct operand){path, n->radius, n->most, n->flushed, flow};
}

/* The size of a factor in the products that engines may form. For a flow times a formula, that is the last sum on
 * its way. */
static double in_groups(const struct operand *x, bool other_is_flow)
{
	return other_is_flow ? x->most : fmax(1, x->path);
}

/* Whether scalar k is exactly +-1, the commonest seed: a product with it rounds nothing. */
static bool is_unit(const struct evaluation *ev, const struct note *note, int k)
{
	return note[k].radius == 0 && mpfr_cmpabs_ui(ev->value[k], 1) == 0;
}

/* Whether the operand may be anything but 0. */
static bool is_some(const struct operand *x) { return x->path > 0 || x->radius > 0; }

/* Adds the product of x and y to the sums. */
static void add_product(struct note *out, const struct operand *x, const struct operand *y)
{
	out->path += x->path * y->path;
	out->radius += x->path * y->radius + y->path * x->radius + x->radius * y->radius;
	out->flushed += (x->path + x->radius) * y->flushed + (y->path + y->radius) * x->flushed;
	out->most = fmax(out->most, in_groups(x, y->flow) * in_groups(y, x->flow));
	if (x->flow != y->flow) /* the factors of the flow may meet another factor of the formula first */
		out->most = fmax(out->most, x->flow ? x->most : y->most);
}

/*
 * Adds n roundings of products. Each may also be an underflow, which the rest of the product multiplies. The doubles
 * here may underflow as well, so `some` says whether the factors may be anything but 0.
 */
static void round_products(struct note *out, const struct dtype_info *info, double n, bool some)
{
	if (some)
		out->radius += n * (info->unit * (out->path + out->radius) + info->tiny * out->most);
}

static void flow_quotient(const struct evaluation *ev, struct note *note, int k, const struct dtype_info *info)
{
	struct note *out = &note[k];
	const int *parent = ev->parent + ev->scalar[k].parent;
	struct operand g = operand(ev, note, parent[0]);
	double b = note[parent[1]].magnitude, rb = note[parent[1]].radius;
	if (rb > BALL_CLEAR * b)
		out->reason = REASON_ILL_CONDITIONED;
	out->path = g.path / b;
	out->radius = g.radius / (b - rb) + out->path * (rb / (b - rb));
	out->most = fmax(1, g.path) * fmax(1, fmax(b * b, 1 / (b * b))); /* -g a/b^2 squares b */
	out->most = fmax(out->most, g.most * fmax(1, 1 / (b * b)));
	out->most = fmax(out->most, ball_most_of_quotient(ev, note, k));
	out->flushed = g.flushed / (b - rb);
	round_products(out, info, 2, is_some(&g));
}

static void flow_cast(const struct evaluation *ev, struct note *note, int k, const struct dtype_info *to)
{
	int a = ev->parent[ev->scalar[k].parent];
	const struct dtype_info *from = &ev->dtype[ev->scalar[a].dtype];
	struct operand g = operand(ev, note, a);
	note[k].path = g.path;
	note[k].radius = g.radius;
	note[k].most = g.most;
	note[k].flushed = g.flushed;
	/* A flow that is exact may be a value of the coarser dtype, too. */
	const bool exact = g.radius == 0 && ball_representable(ev->value[a], ev->scalar[k].dtype);
	if (!exact && (to->precision < from->precision || to->emax < from->emax || to->emin > from->emin))
		round_products(&note[k], to, 1, is_some(&g));
}

/* A sum of n terms in any order. It counts the magnitudes of the paths: terms that cancel were rounded at their own
 * size. */
static void flow_sum(const struct evaluation *ev, struct note *note, int k, const struct dtype_info *info)
{
	const struct scalar *s = &ev->scalar[k];
	struct note *out = &note[k];
	for (int j = 0; j < s->n_parent; j++) {
		struct operand g = operand(ev, note, ev->parent[s->parent + j]);
		out->path += g.path;
		out->radius += g.radius;
		out->most = fmax(out->most, g.most);
		out->flushed += g.flushed;
	}
	out->radius += (s->n_parent - 1) * info->unit * (out->path + out->radius) + terms_flushed(s->n_parent, info);
}

bool ball_flow(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	const int *parent = ev->parent + s->parent;
	struct note *out = &note[k];
	bool some = false;
	out->path = out->most = 0;
	switch ((int)s->op) {
	case OP_NEG:
	case OP_ADD:
	case OP_SUB:
	case OP_REDUCE_SUM:
	case OP_SELECT:
		flow_sum(ev, note, k, info);
		break;
	case OP_CAST:
		flow_cast(ev, note, k, info);
		break;
	case OP_DIV:
		flow_quotient(ev, note, k, info);
		break;
	case OP_MUL:
	case OP_MATMUL:
		for (int j = 0; j < s->n_parent; j += 2) {
			struct operand x = operand(ev, note, parent[j]), y = operand(ev, note, parent[j + 1]);
			add_product(out, &x, &y);
			some |= is_some(&x) && is_some(&y);
		}
		if (s->op == OP_MATMUL || !(is_unit(ev, note, parent[0]) || is_unit(ev, note, parent[1])))
			round_products(out, info, s->n_parent / 2, some);
		break;
	default:
		return false;
	}
	out->flushed += rounding_flushes(info) ? info->normal : 0;
	const double slices = ev->slices > 1 ? ev->slices : 1;
	/* up to four of these are added before the last factor; those of all slices are */
	if (fmax(4 * out->most, out->path + out->radius) * slices > info->max)
		out->danger = true;
	if (!(out->path + out->radius <= info->max))
		out->reason = REASON_OVERFLOW;
	return true;
}

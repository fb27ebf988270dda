/* step_length.c: see step_length.h. */
#include "step_length.h"

#include <limits.h>
#include <math.h>

#include "oracles/oracle_rules.h"

/* Bits of a move. A smaller move is negligible beside its value, so a cancelling result does not consist of it. */
enum { VISIBLE = 40, SHRINKS = 8, STILL = INT_MIN / 2, MOVE_BITS = 40, NO_BEND = INT_MAX };

/* A value to 53 bits: part * 2^exponent. */
struct rough {
	double part;
	long exponent;
};

static struct rough rough_of(mpfr_srcptr x)
{
	struct rough r = {0};
	r.part = mpfr_get_d_2exp(&r.exponent, x, MPFR_RNDN);
	return r;
}

/* log2 of the distance of a value from its previous one; STILL if that is negligible beside the value. */
static int distance(struct rough from, mpfr_srcptr to_value)
{
	struct rough to = rough_of(to_value);
	if (!isfinite(from.part) || !isfinite(to.part))
		return isfinite(from.part) ? INT_MAX : STILL;
	long top = from.part != 0 && (to.part == 0 || from.exponent > to.exponent) ? from.exponent : to.exponent;
	double moved = fabs(ldexp(to.part, (int)(to.exponent - top)) - ldexp(from.part, (int)(from.exponent - top)));
	return moved < ldexp(1, -VISIBLE) ? STILL : (int)top + ilogb(moved);
}

static int exponent(mpfr_srcptr x) { return mpfr_regular_p(x) ? (int)mpfr_get_exp(x) : NO_BEND; }

/* The exponent of x + sign, for a singular point at -sign. */
static int exponent_beside(mpfr_srcptr x, int sign)
{
	mpfr_t beside;

	mpfr_init2(beside, mpfr_get_prec(x));
	mpfr_add_si(beside, x, sign, MPFR_RNDN);
	int e = exponent(beside);
	mpfr_clear(beside);
	return e;
}

static int larger(int a, int b) { return a == NO_BEND || (b != NO_BEND && b > a) ? b : a; }

/*
 * How far operand j of the scalar may move before the op looks like another function, as log2, rounded up.  That is the
 * distance of its nearest singular point in the complex plane, or 1 for a function like exp.  NO_BEND: the op is a
 * polynomial in that operand, or the point is singular itself.
 */
static int bend_of(const struct evaluation *ev, const struct scalar *s, int j)
{
	mpfr_srcptr x = ev->value[ev->parent[s->parent + j]];
	int widest = NO_BEND;

	switch (s->op) {
	case OP_SQRT:
	case OP_RSQRT:
	case OP_LOG:
		return exponent(x);
	case OP_LOG1P:
		return exponent_beside(x, 1);
	case OP_ACOSH:
		return exponent_beside(x, -1);
	case OP_ASIN:
	case OP_ACOS:
	case OP_ATANH:
		return exponent_beside(x, mpfr_sgn(x) < 0 ? 1 : -1);
	case OP_ATAN:
	case OP_ASINH:
		return larger(exponent(x), 1);
	case OP_DIV:
		return j == 1 ? exponent(x) : NO_BEND;
	case OP_POW:
		return j == 0 ? exponent(x) : 1;
	case OP_ATAN2:
	case OP_NORM:
		for (int k = 0; k < s->n_parent; k++)
			widest = larger(widest, exponent(ev->value[ev->parent[s->parent + k]]));
		return widest;
	case OP_EXP:
	case OP_EXPM1:
	case OP_SIN:
	case OP_COS:
	case OP_TAN:
	case OP_SINH:
	case OP_COSH:
	case OP_TANH:
	case OP_LOGISTIC:
	case OP_ERF:
	case OP_LOGSUMEXP:
		return 1;
	default:
		return NO_BEND;
	}
}

/* bend[parent place]: bend_of every operand of the trace. */
static const int *bends_of(const struct evaluation *ev, struct arena *a)
{
	int *bend = NEW(a, int, ev->n_parent);

	for (int s = 0; s < ev->n_scalar; s++)
		for (int j = 0; j < ev->scalar[s].n_parent; j++)
			bend[ev->scalar[s].parent + j] = bend_of(ev, &ev->scalar[s], j);
	return bend;
}

/* Whether an operand of the scalar moves past the bend: far out, the op looks like another function for all steps. */
static bool leaves_bend(const struct evaluation *ev, const struct scalar *s, const int *bend, const int *moved)
{
	for (int j = 0; j < s->n_parent; j++) {
		int place = s->parent + j, by = moved[ev->parent[place]];

		if (bend[place] != NO_BEND && by != STILL && by >= bend[place] - 1)
			return true;
	}
	return false;
}

bool steps_too_long(struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move,
    int n, int shrink, struct arena *a)
{
	struct arena_mark mark = arena_mark(a), inner;
	struct move shorter[LIMIT_TRANSFORMS];
	for (int k = 0; k < n; k++)
		shorter[k] = (struct move){move[k].direction, move[k].sign, move[k].step + shrink};

	ev->freeze = false;
	evaluate_moved(ev, p, point, NULL, 0, a);
	int n_scalar = ev->n_scalar;
	uint64_t path = ev->path;
	struct rough *from = NEW(a, struct rough, n_scalar);
	int *far = NEW(a, int, n_scalar);
	for (int s = 0; s < n_scalar; s++)
		from[s] = rough_of(ev->value[s]);
	const int *bend = bends_of(ev, a);

	bool found = false;
	ev->freeze = ev->rules->freeze;
	for (int pass = 0; pass < 2; pass++) {
		inner = arena_mark(a);
		evaluate_moved(ev, p, point, pass == 0 ? move : shorter, n, a);
		if (ev->status != EVALUATE_OK || !ev->rules->same_path(ev, path) || ev->n_scalar != n_scalar)
			break;
		for (int s = 0; s < n_scalar; s++) {
			int moved = distance(from[s], ev->value[s]);
			if (pass == 0) {
				far[s] = moved;
				found |= leaves_bend(ev, &ev->scalar[s], bend, far);
			} else {
				found |= moved != STILL && far[s] != STILL && moved > far[s] - SHRINKS;
			}
		}
		arena_rewind(a, inner);
	}
	arena_rewind(a, mark);
	return found;
}

bool move_is_lost(
    const struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move)
{
	for (int i = 0; i < p->top.n_param; i++) {
		const struct tensor *x = &point[i];
		for (int e = 0; dtype_is_float(x->type.dtype) && e < shape_elements(&x->type.shape); e++) {
			double by = move->direction[i].at[e].f;
			if (by != 0 && x->at[e].f != 0 &&
			    ilogb(x->at[e].f) - (move->step + ilogb(by)) > (int)ev->precision - MOVE_BITS)
				return true;
		}
	}
	return false;
}

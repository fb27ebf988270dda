/* step_length.c: see step_length.h. */
#include "step_length.h"

#include <limits.h>
#include <math.h>

#include "oracles/oracle_rules.h"

/* Bits of a move. A smaller move is negligible beside its value, so a cancelling result does not consist of it. */
enum { VISIBLE = 40, SHRINKS = 8, STILL = INT_MIN / 2, MOVE_BITS = 40 };

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

/*
 * Whether a root, a power or a norm moves by more than it is, or a logsumexp by more than 1.  A root then looks like
 * |h|, as if the point were where it is 0, and a logsumexp like the largest operand.
 */
static bool leaves_bend(const struct scalar *s, struct rough from, int moved)
{
	if (moved == STILL)
		return false;
	if (s->op == OP_LOGSUMEXP)
		return moved >= 0;
	return (s->op == OP_SQRT || s->op == OP_POW || s->op == OP_NORM) && from.part != 0 && moved > from.exponent;
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
				found |= leaves_bend(&ev->scalar[s], from[s], moved);
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

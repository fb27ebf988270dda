/* range.c: see range.h. */
#include "range.h"
#include "rounding.h"

#include <math.h>

/* ---- at a formula ---- */

void range_leave(struct note *n, double beyond, uint8_t escapes)
{
	n->danger = n->leaves = true;
	n->far += beyond;
	n->escapes |= escapes;
}

void range_leave_unary(struct note *n, enum op op, double a, double y)
{
	switch ((int)op) {
	case OP_TANH: /* (e^2a - 1)/(e^2a + 1) */
		range_leave(n, 0, ESCAPE_NAN);
		break;
	case OP_LOGISTIC: /* 1/(1 + e^-a), e^a/(1 + e^a) */
		range_leave(n, a < 0 ? fabs(y) : 0, a < 0 ? 0 : ESCAPE_NAN);
		break;
	default: /* log(a + sqrt(a^2 + 1)) and log(a + sqrt(a^2 - 1)) */
		range_leave(n, 0, ESCAPE_INFINITY);
		break;
	}
}

/* A partial product that underflows is off by half of the smallest number, times the rest. There are fewer partial
 * products than factors. */
void range_leave_product(struct note *n, const struct dtype_info *info)
{
	bool over = n->most > info->max;
	range_leave(n, n->factors * info->tiny * n->most, over ? ESCAPE_INFINITY | ESCAPE_NAN : 0);
}

void partial_widen(struct partial *out, double down, double up)
{
	if (!out->narrow && down != up) {
		out->narrow = true;
		out->down = out->up = out->loose;
	}
	out->down += down;
	out->up += up;
	out->loose += fmax(down, up);
}

void range_stray(struct partial *out, double down, double up, bool escapes)
{
	partial_widen(out, down, up);
	out->strays = true;
	out->escapes |= escapes;
}

void range_vanish(struct partial *out, double down, double up, bool escapes)
{
	range_stray(out, down, up, escapes);
	out->vanishes = true;
}

double range_divisor(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k], *over = &ev->scalar[ev->parent[s->parent]];
	const int divisor = ev->parent[s->parent + 1];
	double b = note[divisor].magnitude;
	bool root = s->part == TRACE_FORMULA && over->op == OP_RSQRT && ev->parent[over->parent] == divisor;
	if (root)
		return b * sqrt(b);
	for (int i = 0; i < s->derivations; i++)
		b *= b;
	return b;
}

double range_underflow(const struct dtype_info *info, double most, double size)
{
	double usual = rounding_tiny_times(info, 2 * most);
	return most > info->max ? fmin(usual, 15 * size) : usual; /* (1 + 1)^4 - 1 */
}

/* ---- what depends on it ---- */

/* Exchanges radius and far of the dangerous parents of scalar k. */
static void widen(const struct evaluation *ev, struct note *note, int k, bool wide)
{
	for (int j = 0; j < ev->scalar[k].n_parent; j++) {
		struct note *in = &note[ev->parent[ev->scalar[k].parent + j]];
		double radius = in->radius;
		if (!in->danger || in->widened == wide) /* done before: a parent may occur twice */
			continue;
		in->radius = in->far;
		in->far = radius;
		in->widened = wide;
	}
}

/* Whether scalar k is a NaN if its parent j is one. A choice may ignore it, and a power of 0 or of 1 does. */
static bool keeps_nan(enum op op)
{
	switch ((int)op) {
	case OP_MAX:
	case OP_MIN:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
	case OP_SORT:
	case OP_SELECT:
	case OP_SIGN:
	case OP_POW:
	case OP_LOGSUMEXP:
	case OP_FIXED_POINT:
		return false;
	default:
		return true;
	}
}

/* Whether scalar k is an infinity or a NaN if its parent j is an infinity. */
static bool keeps_infinity(enum op op, int j)
{
	switch ((int)op) {
	case OP_ADD:
	case OP_SUB:
	case OP_NEG:
	case OP_ABS:
	case OP_MUL:
	case OP_SQUARE:
	case OP_SQRT:
	case OP_LOG:
	case OP_LOG1P:
	case OP_REDUCE_SUM:
	case OP_REDUCE_MEAN:
	case OP_MATMUL:
	case OP_CUMPROD:
	case OP_CAST:
	case OP_STOP_GRADIENT:
		return true;
	case OP_DIV:
	case OP_MOD: /* NaN */
	case OP_FLOOR_DIVIDE:
		return j == 0;
	default:
		return false;
	}
}

static void nobody_knows(struct note *n)
{
	n->far = INFINITY;
	n->escapes = ESCAPE_NAN | ESCAPE_INFINITY;
}

void range_finish(const struct evaluation *ev, struct note *note, int k, range_note_fn *compute)
{
	const struct scalar *s = &ev->scalar[k];
	struct note *n = &note[k];
	uint8_t escapes = 0;
	bool kept = !s->derived && s->part == TRACE_PROGRAM && s->op != OP_FIXED_POINT, inherited = false;
	for (int j = 0; j < s->n_parent; j++) {
		const struct note *in = &note[ev->parent[s->parent + j]];
		if (!in->danger)
			continue;
		inherited = true;
		escapes |= in->escapes;
		kept &= isfinite(in->far) && (!(in->escapes & ESCAPE_NAN) || keeps_nan(s->op)) &&
		    (!(in->escapes & ESCAPE_INFINITY) || keeps_infinity(s->op, j));
	}
	if (n->reason)
		return;
	if (n->danger && !kept) {
		nobody_knows(n);
		return;
	}
	if (inherited) {
		const struct note usual = *n;
		widen(ev, note, k, true);
		*n = (struct note){
		    .active = usual.active, .magnitude = usual.magnitude, .danger = true, .danger_op = usual.danger_op};
		compute(ev, note, k);
		widen(ev, note, k, false);
		double far = n->reason ? INFINITY : fmax(n->radius + n->far, usual.radius);
		escapes |= n->escapes;
		*n = usual;
		n->far = far;
		n->escapes = escapes & ESCAPE_INFINITY ? escapes | ESCAPE_NAN : escapes; /* infinity - infinity */
	} else {
		n->far += n->radius;
	}
	n->far = rounding_flushed(&ev->dtype[s->dtype], n->magnitude, n->far);
	if (!isfinite(n->far))
		nobody_knows(n);
	else if (n->magnitude + n->far > ev->dtype[s->dtype].max)
		n->escapes |= ESCAPE_INFINITY | ESCAPE_NAN;
}

/* Whether the partial of scalar k by parent j is that of a product, and so depends on the other operand alone. */
static bool ignores(enum op op, int j, int i) { return (op == OP_MUL && i == j) || (op == OP_MATMUL && i != (j ^ 1)); }

/* Whether the partial of scalar k by parent j is an infinity or a NaN if parent i escapes. */
static bool partial_escapes(const struct evaluation *ev, const struct note *note, int k, int j, int i)
{
	enum op op = ev->scalar[k].op;
	uint8_t escapes = note[ev->parent[ev->scalar[k].parent + i]].escapes;
	if (!keeps_nan(op) || op == OP_ABS)
		return false;
	if (!(escapes & ESCAPE_INFINITY))
		return true;
	switch ((int)op) {
	case OP_MUL:
	case OP_CUMPROD:
	case OP_MATMUL:
	case OP_SQUARE:
		return true;
	case OP_DIV:
		return j == 1 && i == 0;
	default:
		return false;
	}
}

/* Allows in *out what *wide allows. */
static void partial_join(struct partial *out, const struct partial *wide)
{
	out->down = fmax(out->narrow ? out->down : out->loose, wide->narrow ? wide->down : wide->loose);
	out->up = fmax(out->narrow ? out->up : out->loose, wide->narrow ? wide->up : wide->loose);
	if (out->leap == 0 || (wide->leap > 0 && wide->leap < out->leap))
		out->leap = wide->leap;
	out->narrow |= wide->narrow;
	out->vanishes |= wide->vanishes;
	out->loose = fmax(out->loose, wide->loose);
}

void range_finish_partial(const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared,
    range_partial_fn *compute, struct partial *out)
{
	const struct scalar *s = &ev->scalar[k];
	bool product = s->op == OP_MUL || s->op == OP_MATMUL,
	     known = s->op != OP_CUMPROD && (product || isfinite(note[k].far)), concerned = note[k].leaves;
	for (int i = 0; i < s->n_parent; i++) {
		const struct note *in = &note[ev->parent[s->parent + i]];
		if (!in->danger || ignores(s->op, j, i))
			continue;
		concerned = true;
		known &= isfinite(in->far) && (!in->escapes || partial_escapes(ev, note, k, j, i));
		out->escapes |= in->escapes != 0;
	}
	if (!concerned)
		return;
	out->strays = true;
	if (!known) {
		out->loose = INFINITY;
		out->escapes = true;
	} else {
		struct partial wide = {.value = out->value};
		double radius = note[k].radius;
		shared->k = -1;
		widen(ev, note, k, true);
		note[k].radius = note[k].far;
		compute(ev, note, k, j, shared, &wide);
		note[k].radius = radius;
		widen(ev, note, k, false);
		shared->k = -1;
		partial_join(out, &wide);
		if (wide.reason)
			out->loose = INFINITY;
		out->escapes |= wide.reason != REASON_NONE;
		out->escapes |= wide.escapes;
	}
}

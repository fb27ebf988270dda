/* ball.c: radii of primal values. */
#include "internal.h"
#include "rules.h"
#include "certain.h"
#include "range.h"
#include "rounding.h"
#include "oracles/evaluate/double_of.h"

#include <assert.h>
#include <math.h>

#define R MPFR_RNDN

bool ball_decided(double tight, double magnitude, enum dtype d)
{
	return tight <= (magnitude > 0 ? magnitude / 64 : 64 * dtype_table[d].tiny);
}

bool ball_representable(mpfr_srcptr x, enum dtype d)
{
	const struct dtype_info *info = &dtype_table[d];
	if (mpfr_zero_p(x))
		return true;
	if (!mpfr_number_p(x))
		return false;
	long exponent = mpfr_get_exp(x), bits = (long)mpfr_min_prec(x);
	return exponent <= info->emax && bits <= info->precision && exponent - bits >= info->emin;
}

bool note_equal(const struct note *a, const struct note *b)
{
	return a->magnitude == b->magnitude && a->radius == b->radius && a->reason == b->reason &&
	    a->unsure == b->unsure && a->certain == b->certain && a->active == b->active && a->tie == b->tie &&
	    a->shared == b->shared && a->kinked == b->kinked && a->danger == b->danger &&
	    a->danger_op == b->danger_op && a->leaves == b->leaves && a->escapes == b->escapes && a->far == b->far &&
	    a->most == b->most && a->least == b->least && a->factors == b->factors && a->path == b->path &&
	    a->flushed == b->flushed && a->excess == b->excess;
}

/* ---- arithmetic ---- */

/* Whether a ball of this radius keeps clear of a singularity at `distance` from its centre. If not, sets
 * REASON_ILL_CONDITIONED. */
static bool clear_of(struct note *n, double radius, double distance)
{
	bool clear = radius == 0 || radius <= BALL_CLEAR * distance;
	if (!clear)
		n->reason = REASON_ILL_CONDITIONED;
	return clear;
}

/* An engine's own formulas for a derivative inside the program round in other binades, so only relative errors
 * bound them. A rule of op custom will meet other directions, but no other operands. */
bool ball_by_binade(const struct evaluation *ev, int k)
{
	const struct scalar *s = &ev->scalar[k];
	return s->quiet ? !s->derived : s->part == TRACE_PROGRAM;
}

/* Whether an engine calls its library for op and uses no formula of its own. The library's errors are stated in
 * units of the last place. */
static bool one_call(enum op op)
{
	switch ((int)op) {
	case OP_EXP:
	case OP_EXPM1:
	case OP_LOG:
	case OP_LOG1P:
	case OP_SIN:
	case OP_COS:
	case OP_TAN:
	case OP_ASIN:
	case OP_ACOS:
	case OP_ATAN:
	case OP_ATAN2:
	case OP_ERF:
	case OP_POW:
		return true;
	default:
		return false;
	}
}

/* What the engine declares of the function of scalar k. A logsumexp calls exp and log. */
static struct op_accuracy declared(const struct evaluation *ev, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct op_accuracy *of = ev->accuracy, *own = &of[s->op], *kind = &of[s->kind];
	struct op_accuracy worst = {fmax(own->relative, kind->relative), fmax(own->absolute, kind->absolute)};

	if (s->op == OP_LOGSUMEXP) {
		worst.relative = fmax(worst.relative, fmax(of[OP_EXP].relative, of[OP_LOG].relative));
		worst.absolute = fmax(worst.absolute, of[OP_LOG].absolute);
	}
	return worst;
}

double ball_worse(const struct evaluation *ev, int k, double c)
{
	return ev->accuracy && c > 1 ? fmax(1, 2 * declared(ev, k).relative / c) : 1;
}

double ball_absolute(const struct evaluation *ev, int k, double c)
{
	return ev->accuracy && c > 1 ? 2 * ev->dtype[ev->scalar[k].dtype].unit * declared(ev, k).absolute : 0;
}

/* The error at size x of an op that loses c unit roundoffs. */
double ball_one_rounding(const struct evaluation *ev, int k, double c, double x)
{
	const struct dtype_info *info = &ev->dtype[ev->scalar[k].dtype];
	double relative = c * info->unit * x +
	    rounding_tiny_times(info, fmax(1, c / 4)); /* the ulps of a function, in subnormal numbers */
	return (c <= 1 || one_call(ev->scalar[k].op)) && ball_by_binade(ev, k)
	    ? fmin(c * rounding_of(info, x), relative)
	    : relative;
}

static void ball_unary(const struct evaluation *ev, struct note *note, int k, const struct unary_rule *rule)
{
	const struct dtype_info *info = &ev->dtype[ev->scalar[k].dtype];
	const struct note *in = &note[ev->parent[ev->scalar[k].parent]];
	struct note *n = &note[k];
	double a = double_of(ev->value[ev->parent[ev->scalar[k].parent]]), y = double_of(ev->value[k]), r = 0;
	if (rule->detour(a, y) > info->max)
		range_leave_unary(n, ev->scalar[k].op, a, y);
	if (in->radius > 0 && !clear_of(n, in->radius + SPAN_BLUR * fabs(a), rule->scale(a, y)))
		return;
	if (in->radius > 0) {
		struct span at = span_of(a, y, in->radius);
		r = rule->moved(&at);
	}
	/*
	 * Every library gives an exact result where one exists: f(0), exp 0, log 1 and the like (ISO C, annex F).
	 * Elsewhere these functions are not even rational. An approximate reciprocal root is the exception.
	 */
	bool exact = ev->scalar[k].exact && r == 0 && ev->scalar[k].op != OP_RSQRT &&
	    ball_representable(ev->value[k], ev->scalar[k].dtype);
	double worse = ball_worse(ev, k, rule->c), absolute = ball_absolute(ev, k, rule->c);
	n->radius = exact && worse == 1 && absolute == 0
	    ? 0
	    : r + absolute + ball_one_rounding(ev, k, rule->c * worse, n->magnitude + r);
}

/*
 * Whether scalar k was computed. The sign of a computed zero is not defined, because a sum may start from +0. atan2 is
 * the one op whose finite value depends on it.
 */
static bool computed(const struct evaluation *ev, int k) { return ev->scalar[k].n_parent > 0; }

/*
 * An engine may group a product as it likes; for a derivative it may also divide the whole product by one factor.
 * There is danger where some partial product leaves the normal range. A factor 0 does not make a product small.
 */
static void ball_grouping(const struct evaluation *ev, struct note *note, int k)
{
	const struct dtype_info *info = &ev->dtype[ev->scalar[k].dtype];
	struct note *n = &note[k];
	n->most = n->least = 1;
	n->factors = 0;
	for (int j = 0; j < 2; j++) {
		int parent = ev->parent[ev->scalar[k].parent + j];
		const struct note *in = &note[parent];
		bool chain = ev->scalar[parent].op == OP_CUMPROD;
		n->most *= chain ? in->most : fmax(1, in->magnitude);
		n->least *= chain ? in->least : in->magnitude > 0 ? fmin(1, in->magnitude) : 1;
		n->factors += chain ? in->factors : 1;
	}
	if (n->most > info->max || n->least < info->normal)
		range_leave_product(n, info);
}

/* Whether scalar k is an exact 0: adding it rounds nothing. */
static bool adds_nothing(const struct evaluation *ev, const struct note *note, int k)
{
	return note[k].radius == 0 && mpfr_zero_p(ev->value[k]);
}

bool ball_scales(const struct evaluation *ev, const struct note *note, int k)
{
	return note[k].radius == 0 && is_power_of_two(ev->value[k]);
}

double ball_scaled_rounding(const struct dtype_info *info, bool down, double size, double radius)
{
	return down && size - radius < info->normal ? info->tiny : 0; /* a size of 0 need not be 0, as a double */
}

/* The rounding error of an addition of two. */
static double ball_addition(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	const int *parent = ev->parent + s->parent;
	double r = note[parent[0]].radius + note[parent[1]].radius, size = note[k].magnitude + r;
	if (r == 0 && s->exact && ball_representable(ev->value[k], s->dtype))
		return 0;
	return ball_by_binade(ev, k) ? rounding_of_addition(info, size) : info->unit * size;
}

double ball_pow_base(double a, double ra) { return ra > 0 ? -log1p(-ra / a) : 0; }

double ball_pow_exponent(double a, double b, double ra, double rb)
{
	double base = ball_pow_base(a, ra);
	return b * base + (rb > 0 ? rb * ((a > 0 ? fabs(log(a)) : 0) + base) : 0);
}

static void ball_binary(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	int ka = ev->parent[s->parent], kb = ev->parent[s->parent + 1];
	double a = note[ka].magnitude, b = note[kb].magnitude, ra = note[ka].radius, rb = note[kb].radius;
	struct note *n = &note[k];
	double v = n->magnitude, r = 0, c = 1;
	bool may_be_exact = true;
	switch ((int)s->op) {
	case OP_ADD:
	case OP_SUB:
		n->radius = ra + rb;
		/* x + x is exact, unless an engine computes x in two ways. The operand of a rule is one number. */
		if (!(ka == kb && (ra == 0 || s->quiet)) && !adds_nothing(ev, note, ka) && !adds_nothing(ev, note, kb))
			n->radius += ball_addition(ev, note, k);
		return;
	case OP_MUL:
		r = a * rb + b * ra + ra * rb;
		if (r > 0 && (ball_scales(ev, note, ka) || ball_scales(ev, note, kb))) {
			n->radius = r + ball_scaled_rounding(info, fmin(a, b) < 1, v, r);
			return;
		}
		break;
	case OP_CUMPROD: /* another grouping rounds products of other sizes */
		r = a * rb + b * ra + ra * rb;
		ball_grouping(ev, note, k);
		n->radius = r;
		/* A factor that is exactly 1 or 0 causes no rounding. A factor that is 0 as a double need not be 0. */
		if (!adds_nothing(ev, note, ka) && !adds_nothing(ev, note, kb) && !(a == 1 && ra == 0) &&
		    !(b == 1 && rb == 0))
			n->radius += info->unit * (v + r) + info->tiny;
		return;
	case OP_DIV: {
		double divisor = range_divisor(ev, note, k);
		if (b <= info->max && divisor > info->max) /* 1/infinity */
			range_leave(n, v, 0);
		if (b >= info->normal && divisor < info->normal) /* 1/0 */
			range_leave(n, v, ESCAPE_INFINITY);
		if (clear_of(n, rb, b))
			r = ra / (b - rb) + v * (rb / (b - rb)); /* v * rb may be below the range of double */
		bool exact_both_ways = ball_scales(ev, note, kb) && 1 / b <= info->max &&
		    1 / b >= info->normal; /* a/b and a*(1/b) */
		may_be_exact = v == 0 || exact_both_ways;
		if (r > 0 && exact_both_ways) {
			n->radius = r + ball_scaled_rounding(info, b > 1, v, r);
			return;
		}
		break;
	}
	case OP_MOD:
	case OP_FLOOR_DIVIDE:
		ball_floored(ev, note, k);
		return;
	case OP_ATAN2: {
		double h = hypot(a, b), d = hypot(ra, rb);
		if (clear_of(n, d, h) && h > 0)
			r = isinf(h) ? 0 : (b + rb) / (h - d) * (ra / (h - d)) + (a + ra) / (h - d) * (rb / (h - d));
		if (mpfr_sgn(ev->value[kb]) <= 0 && !ball_separated(ev, note, ka, -1, 0))
			n->reason = REASON_UNSTABLE_PATH;
		if (mpfr_sgn(ev->value[kb]) <= 0 && mpfr_zero_p(ev->value[ka]) &&
		    (computed(ev, ka) || computed(ev, kb)))
			n->reason = REASON_UNSTABLE_PATH;
		c = 8;                                      /* 2 ulps, in binary32 */
		may_be_exact = mpfr_sgn(ev->value[kb]) > 0; /* of 0 and a positive number it is 0 */
		break;
	}
	default: { /* pow */
		if (clear_of(n, ra, a))
			r = v * expm1(ball_pow_exponent(a, b, ra, rb));
		if (mpfr_sgn(ev->value[ka]) < 0 && rb > 0)
			n->reason = REASON_NON_FINITE; /* a correct engine may see a fractional exponent */
		if (a == 0 && !ball_separated(ev, note, kb, -1, 0))
			n->reason = REASON_UNSTABLE_PATH;                           /* 0^b is 0, 1 or infinite */
		n->tie = a == 0 && b == 0 && ra == 0 && rb == 0 && note[kb].active; /* 0^b jumps */
		c = 4;
		may_be_exact = false;
		break;
	}
	}
	bool exact = may_be_exact && r == 0 && s->exact && ball_representable(ev->value[k], s->dtype);
	double absolute = ball_absolute(ev, k, c);
	n->radius = exact && absolute == 0 ? 0
	                                   : r + absolute + ball_one_rounding(ev, k, c * ball_worse(ev, k, c), v + r);
}

static void ball_cast(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	int a = ev->parent[s->parent];
	const struct dtype_info *from = &ev->dtype[ev->scalar[a].dtype], *to = &ev->dtype[s->dtype];
	double r = note[a].radius * (ev->scalar[a].derived && !s->derived ? BALL_FLOW_SLACK : 1);
	bool wider = to->precision >= from->precision && to->emax >= from->emax && to->emin <= from->emin;
	if (wider || (r == 0 && ball_representable(ev->value[a], s->dtype)))
		note[k].radius = r;
	else
		note[k].radius = r + ball_one_rounding(ev, k, 1, note[k].magnitude + r);
}

/* ---- one scalar ---- */

/* Why scalar k is not finite. A pole gives an infinity in real arithmetic; any other infinity means that the range
 * was left. */
static enum reason non_finite(const struct evaluation *ev, int k)
{
	if (mpfr_nan_p(ev->value[k]))
		return REASON_NON_FINITE;
	switch ((int)ev->scalar[k].op) {
	case OP_LOG:
	case OP_LOG1P:
	case OP_RSQRT:
	case OP_DIV:
	case OP_MOD:
	case OP_FLOOR_DIVIDE:
	case OP_ATANH:
	case OP_POW:
	case OP_CONSTANT:
		return REASON_NON_FINITE;
	default:
		return REASON_OVERFLOW;
	}
}

static void ball_finite(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	int a = s->n_parent ? ev->parent[s->parent] : -1;
	const struct unary_rule *rule = unary_rule_of(s->op);
	if (rule) {
		ball_unary(ev, note, k, rule);
		return;
	}
	switch ((int)s->op) {
	case OP_CONSTANT:
		note[k].radius = ball_representable(ev->value[k], s->dtype)
		    ? 0
		    : rounding_of(&ev->dtype[s->dtype], note[k].magnitude);
		break;
	case OP_ABS:
		note[k].radius = note[a].radius;
		if (mpfr_zero_p(ev->value[a]) && note[a].radius == 0)
			note[k].tie = note[a].active;
		else if (!ball_separated(ev, note, a, -1, 0))
			note[k].unsure = REASON_UNSTABLE_PATH;
		break;
	case OP_FIXED_POINT:
		break; /* set by the code that appends it */
	case OP_NEG:
	case OP_STOP_GRADIENT:
	case OP_SELECT:
		note[k].radius = note[a].radius;
		break;
	case OP_SIGN:
	case OP_FLOOR:
	case OP_CEIL:
	case OP_TRUNC:
	case OP_ROUND:
		ball_step(ev, note, k);
		break;
	case OP_MAX:
	case OP_MIN:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
		ball_extremum(ev, note, k);
		break;
	case OP_SORT:
		ball_sorted(ev, note, k);
		break;
	case OP_CAST:
		ball_cast(ev, note, k);
		break;
	case OP_REDUCE_SUM:
	case OP_REDUCE_MEAN:
	case OP_NORM:
	case OP_LOGSUMEXP:
		ball_nary(ev, note, k);
		break;
	case OP_MATMUL:
		ball_dot(ev, note, k);
		break;
	default:
		ball_binary(ev, note, k);
		break;
	}
}

/* Roundings in sech^2 by a hyperbolic cosine: 3, doubled by the square, and one more. */
static const double FORMULA_ROUNDINGS = 7;

/*
 * Engines compute a^(b - i) for y/a^i, i = 1 ... order, and round each exponent. This is how far that moves the power.
 * Where b - 1 rounds from odd to even, a power of a negative number is unsure anyway (analytic.c).
 */
static double exponents_rounded(const struct evaluation *ev, const struct note *note, int k)
{
	const int *parent = ev->parent + ev->scalar[ev->parent[ev->scalar[k].parent]].parent;
	const double n = ev->order, u = ev->dtype[ev->scalar[k].dtype].unit;
	const double b = note[parent[1]].magnitude + note[parent[1]].radius;
	const double log_a = fabs(log(note[parent[0]].magnitude)) +
	    ball_pow_base(note[parent[0]].magnitude, note[parent[0]].radius);
	const double off = note[k].magnitude * expm1(log_a * n * (b + (n + 1) / 2) * u);

	return ev->nested ? off : off / BALL_FLOW_SLACK;
}

/* The radius of a finite value whose parents are known. */
static void ball_bounded(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	struct note *n = &note[k];
	bool of_rule = s->quiet && s->part == TRACE_PROGRAM; /* what it adds to 0, or scales, is exact */
	if (s->derived && !of_rule && ball_flow(ev, note, k))
		return;
	ball_finite(ev, note, k);
	if (s->derived)
		n->path = n->magnitude;
	if (s->op != OP_CUMPROD)
		n->most = ball_most(ev, note, k);
	/* Another formula for the same partial may round at its own size. A rule of op custom has to do without. */
	if (s->part == TRACE_FORMULA && !s->quiet && s->op == OP_CAST && s->kind == OP_POW) /* trace_derive's power */
		n->radius += exponents_rounded(ev, note, k);
	else if (s->part == TRACE_FORMULA && !s->quiet && n->radius > 0)
		n->radius += FORMULA_ROUNDINGS * ev->dtype[s->dtype].unit * n->magnitude +
		    ball_absolute(ev, k, FORMULA_ROUNDINGS);
	if (!n->reason && !(n->magnitude + n->radius <= ev->dtype[s->dtype].max))
		n->reason = REASON_OVERFLOW;
}

static void ball_known(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	struct note *n = &note[k];
	bool active = n->active;
	*n = (struct note){.active = active, .magnitude = fabs(double_of(ev->value[k]))};
	for (int j = 0; j < s->n_parent; j++) {
		const struct note *in = &note[ev->parent[s->parent + j]];
		n->danger |= in->danger;
		n->kinked |= in->kinked || in->tie;
		if (in->danger)
			n->danger_op = in->danger_op;
		/* some formulas for the partial have inf/inf or inf - inf on the way */
		if (in->reason && (!in->certain || s->part == TRACE_FORMULA)) {
			n->reason = in->reason;
			return;
		}
	}
	if (!mpfr_number_p(ev->value[k])) {
		n->reason = (uint8_t)non_finite(ev, k);
		n->certain = certain_non_finite(ev, note, k);
		return;
	}
	ball_bounded(ev, note, k);
}

void ball_scalar(const struct evaluation *ev, struct note *note, int k)
{
	ball_known(ev, note, k);
	note[k].radius = rounding_flushed(&ev->dtype[ev->scalar[k].dtype], note[k].magnitude, note[k].radius);
	if (note[k].danger && note[k].danger_op == OP_CONSTANT)
		note[k].danger_op = ev->scalar[k].kind;
	if (note[k].danger)
		range_finish(ev, note, k, ball_bounded);
	assert(note[k].reason || (!(note[k].radius < 0) && !(note[k].magnitude < 0)));
}

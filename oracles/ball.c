/* ball.c: radii of primal values. */
#include "ball.h"
#include "ball_rules.h"

#include <math.h>

#define R MPFR_RNDN

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

/* Exponent of the last set bit: x is a multiple of 2^quantum. */
static long quantum(mpfr_srcptr x) { return mpfr_zero_p(x) ? 1L << 30 : mpfr_get_exp(x) - (long)mpfr_min_prec(x); }

/*
 * Sums of multiples of 2^q whose magnitudes add up to less than 2^(q + precision) are exact in every order.  Less, not at most: the
 * magnitudes are added in double, which may round 2^53 + 1 to 2^53 but never below.
 */
static bool exact_in_any_order(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	const struct dtype_info *info = &dtype_table[s->dtype];
	bool product = s->op == OP_MATMUL;
	long q = 1L << 30;
	double sum = 0;
	for (int j = 0; j < s->n_parent; j += product ? 2 : 1) {
		if (note[parent[j]].radius > 0 || (product && note[parent[j + 1]].radius > 0))
			return false;
		long term = quantum(ev->value[parent[j]]);
		double magnitude = note[parent[j]].magnitude;
		if (product) {
			term += quantum(ev->value[parent[j + 1]]);
			magnitude *= note[parent[j + 1]].magnitude;
		}
		if (magnitude > 0 && term < q)
			q = term;
		sum += magnitude;
	}
	return sum == 0 || (q >= info->emin && sum < ldexp(1, (int)q + info->precision));
}

static double distance(const struct evaluation *ev, int a, int b)
{
	mpfr_t gap;
	mpfr_init2(gap, 53);
	mpfr_sub(gap, ev->value[a], ev->value[b], R);
	double d = fabs(mpfr_get_d(gap, R));
	mpfr_clear(gap);
	return d;
}

/* A NaN that every right engine has too: given, or made of exact operands. */
static bool certain_nan(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	bool certain = mpfr_nan_p(ev->value[k]) != 0;
	for (int j = 0; j < s->n_parent; j++) {
		const struct note *in = &note[ev->parent[s->parent + j]];
		certain &= !in->reason && in->radius == 0;
	}
	return certain;
}

bool ball_separated(const struct evaluation *ev, const struct note *note, int a, int b, double bound)
{
	if (note[a].danger || (b >= 0 && note[b].danger)) /* out of range on its way, a right engine's may be anything */
		return false;
	if (a == b) /* x == x asks whether x is a NaN */
		return !note[a].reason || certain_nan(ev, note, a);
	if (note[a].reason || (b >= 0 && note[b].reason))
		return false;
	double radius = note[a].radius + (b >= 0 ? note[b].radius : 0);
	if (radius == 0)
		return true;
	if (b >= 0)
		return distance(ev, a, b) > radius;
	mpfr_t gap;
	mpfr_init2(gap, 53);
	mpfr_sub_d(gap, ev->value[a], bound, R);
	double d = fabs(mpfr_get_d(gap, R));
	mpfr_clear(gap);
	return d > radius;
}

/* ---- ops that decide ---- */

/* Largest or smallest of the parents: 1-Lipschitz in the largest radius, so the value stays known even where the choice is not. */
static void ball_extremum(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	int best = 0, sign = s->op == OP_MAX || s->op == OP_REDUCE_MAX ? 1 : -1;
	bool active = false;
	for (int j = 0; j < s->n_parent; j++) {
		if (mpfr_cmp(ev->value[parent[j]], ev->value[parent[best]]) * sign > 0)
			best = j;
		if (note[parent[j]].radius > note[k].radius)
			note[k].radius = note[parent[j]].radius;
	}
	double winner = note[parent[best]].radius, widest = winner;
	for (int j = 0; j < s->n_parent; j++) {
		if (parent[j] == parent[best])
			continue;
		if (!ball_separated(ev, note, parent[j], parent[best], 0)) {
			note[k].unsure = REASON_UNSTABLE_PATH;
			if (note[parent[j]].radius > widest)
				widest = note[parent[j]].radius;
		} else if (mpfr_equal_p(ev->value[parent[j]], ev->value[parent[best]])) {
			note[k].tie = true;
			active |= note[parent[j]].active || note[parent[best]].active;
		}
	}
	note[k].radius = widest;
	note[k].tie &= active;
}

/*
 * An element of a sort among those it may change places with: order statistics are 1-Lipschitz in the largest radius.  Exact and equal
 * elements are a tie; otherwise the partials depend on an order that nobody knows.
 */
static void ball_sorted(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	bool equal = true;
	for (int j = 0; j < s->n_parent; j++) {
		if (note[parent[j]].radius > note[k].radius)
			note[k].radius = note[parent[j]].radius;
		equal &= mpfr_equal_p(ev->value[parent[j]], ev->value[k]) != 0;
	}
	if (equal && note[k].radius == 0)
		note[k].tie = note[k].active;
	else
		note[k].unsure = REASON_UNSTABLE_PATH;
}

/* The steps of floor, ceil, trunc, round and sign: the value is exact unless rounding can reach the next step. */
static void ball_step(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	int a = ev->parent[s->parent];
	double v = mpfr_get_d(ev->value[k], R), x = mpfr_get_d(ev->value[a], R), low = v, high = v;
	switch ((int)s->op) {
	case OP_SIGN: low = high = 0; break;
	case OP_FLOOR: high = v + 1; break;
	case OP_CEIL: low = v - 1; break;
	case OP_TRUNC: low = v <= 0 ? v - 1 : v, high = v >= 0 ? v + 1 : v; break;
	default: low = v - 0.5, high = v + 0.5; break; /* round */
	}
	bool far = fabs(x) > 0x1p52; /* every value of the dtype is an integer there */
	if (!far && (!ball_separated(ev, note, a, -1, low) || !ball_separated(ev, note, a, -1, high)))
		note[k].reason = REASON_UNSTABLE_PATH;
	if (far && note[a].radius > 0) /* the exact x may lie up to 1 beside the integer of a right engine */
		note[k].radius = note[a].radius + 1;
}

/* ---- arithmetic ---- */

/*
 * rho of an operand, or REASON_ILL_CONDITIONED in the note.  Below BALL_RHO_MAX the neglected orders are covered by a factor 1 + 2*rho,
 * rho = radius/scale (the geometric series of the derivatives).
 */
static double rho_of(struct note *n, double radius, double scale)
{
	if (radius == 0)
		return 0;
	double rho = radius / scale;
	if (!(rho <= BALL_RHO_MAX))
		n->reason = REASON_ILL_CONDITIONED;
	return rho;
}

static void ball_unary(const struct evaluation *ev, struct note *note, int k, const struct unary_rule *rule)
{
	const struct dtype_info *info = &dtype_table[ev->scalar[k].dtype];
	const struct note *in = &note[ev->parent[ev->scalar[k].parent]];
	struct note *n = &note[k];
	double a = mpfr_get_d(ev->value[ev->parent[ev->scalar[k].parent]], R), y = mpfr_get_d(ev->value[k], R);
	double rho = rho_of(n, in->radius, rule->scale(a, y)), r = 0;
	if (in->radius > 0)
		r = rule->slope(a, y) * in->radius * (1 + 2 * rho) + rule->curvature(a, y) * in->radius * in->radius;
	if (rule->detours && rule->inner(a, y) > info->max)
		n->danger = true;
	bool exact = ev->scalar[k].exact && r == 0 && rule->c <= 1 && ball_representable(ev->value[k], ev->scalar[k].dtype);
	n->radius = exact ? 0 : r + rule->c * info->unit * (n->magnitude + r) + info->tiny;
}

/*
 * The sign of a zero that was computed is nobody's promise (a sum may start from +0), and atan2 is the one op whose finite value
 * hangs on it.
 */
static bool computed(const struct evaluation *ev, int k) { return ev->scalar[k].n_parent > 0; }

/*
 * A product is grouped as the engine likes, or for a derivative made whole and divided by one factor: danger where some partial product
 * leaves the normal range.  A factor 0 is no reason to be small.
 */
static void ball_grouping(const struct evaluation *ev, struct note *note, int k)
{
	const struct dtype_info *info = &dtype_table[ev->scalar[k].dtype];
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
	n->danger |= n->most > info->max || n->least < info->normal;
}

static void ball_binary(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &dtype_table[s->dtype];
	int ka = ev->parent[s->parent], kb = ev->parent[s->parent + 1];
	double a = note[ka].magnitude, b = note[kb].magnitude, ra = note[ka].radius, rb = note[kb].radius;
	struct note *n = &note[k];
	double v = n->magnitude, r = 0, c = 1, tiny = info->tiny;
	bool may_be_exact = true;
	switch ((int)s->op) {
	case OP_ADD: case OP_SUB:
		r = ra + rb;
		tiny = 0; /* a sum in the subnormal range is exact */
		break;
	case OP_MUL: case OP_CUMPROD:
		r = a * rb + b * ra + ra * rb;
		may_be_exact = s->op == OP_MUL; /* another grouping may round where this one does not */
		if (s->op == OP_CUMPROD) {
			ball_grouping(ev, note, k);
			if ((a == 1 && ra == 0) || (b == 1 && rb == 0)) /* none rounds here */
				c = tiny = 0;
		}
		break;
	case OP_DIV: {
		double rho = rho_of(n, rb, b);
		r = (ra + v * rb) / b * (1 + 2 * rho);
		may_be_exact = false;
		break;
	}
	case OP_ATAN2: {
		double h = hypot(a, b), rho = rho_of(n, fmax(ra, rb), h);
		r = h > 0 ? (b * ra + a * rb) / (h * h) * (1 + 2 * rho) + fmax(ra, rb) * rho / h : 0;
		if (mpfr_sgn(ev->value[kb]) <= 0 && !ball_separated(ev, note, ka, -1, 0))
			n->reason = REASON_UNSTABLE_PATH;
		if (mpfr_sgn(ev->value[kb]) <= 0 && mpfr_zero_p(ev->value[ka]) && (computed(ev, ka) || computed(ev, kb)))
			n->reason = REASON_UNSTABLE_PATH;
		c = 8; /* of 2 ulps, in binary32 */
		may_be_exact = false;
		break;
	}
	default: { /* pow */
		double log_a = a > 0 ? fabs(log(a)) : 0;
		double rho = rho_of(n, ra * (1 + b), a) + rho_of(n, rb * (1 + log_a), 1);
		if (mpfr_sgn(ev->value[ka]) < 0 && rb > 0)
			n->reason = REASON_NON_FINITE; /* a right engine may see a fractional exponent */
		if (a == 0 && !ball_separated(ev, note, kb, -1, 0))
			n->reason = REASON_UNSTABLE_PATH; /* 0^b is 0, 1 or infinite */
		r = (ra > 0 ? v * b / a * ra : 0) + v * log_a * rb;
		r = r * (1 + 2 * rho) + v * rho * rho;
		c = 4;
		may_be_exact = false;
		break;
	}
	}
	bool exact = may_be_exact && r == 0 && s->exact && ball_representable(ev->value[k], s->dtype);
	n->radius = exact ? 0 : r + c * info->unit * (v + r) + tiny;
}

static void ball_cast(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	int a = ev->parent[s->parent];
	const struct dtype_info *from = &dtype_table[ev->scalar[a].dtype], *to = &dtype_table[s->dtype];
	double r = note[a].radius * (ev->scalar[a].derived && !s->derived ? BALL_FLOW_SLACK : 1);
	bool wider = to->precision >= from->precision && to->emax >= from->emax && to->emin <= from->emin;
	if (wider || (r == 0 && ball_representable(ev->value[a], s->dtype)))
		note[k].radius = r;
	else
		note[k].radius = r + to->unit * (note[k].magnitude + r) + to->tiny;
}

/* ---- sums and their kin: any order of accumulation, so the terms' magnitudes count and not the partial sums ---- */

static void ball_nary(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &dtype_table[s->dtype];
	const int *parent = ev->parent + s->parent;
	double u = info->unit, r = 0, sum = 0, n = s->n_parent, top = 0, squares = 0;
	struct note *out = &note[k];
	if (s->op == OP_MATMUL) {
		for (int j = 0; j < s->n_parent; j += 2) {
			const struct note *a = &note[parent[j]], *b = &note[parent[j + 1]];
			r += a->magnitude * b->radius + b->magnitude * a->radius + a->radius * b->radius;
			sum += a->magnitude * b->magnitude;
		}
		if (sum + r + n / 2 * u * (sum + r) > info->max)
			out->reason = REASON_OVERFLOW;
		out->radius = exact_in_any_order(ev, note, k) ? 0 : r + n / 2 * (u * (sum + r) + info->tiny);
		return;
	}
	for (int j = 0; j < s->n_parent; j++) {
		r += note[parent[j]].radius;
		sum += note[parent[j]].magnitude;
		top = fmax(top, note[parent[j]].magnitude);
		squares += note[parent[j]].magnitude * note[parent[j]].magnitude;
	}
	/* A partial sum may leave the range where the whole does not: which one does is a matter of the order. */
	bool adds = s->op == OP_REDUCE_SUM || s->op == OP_REDUCE_MEAN;
	if (adds && s->n_parent > 1 && sum + r + (n - 1) * u * (sum + r) > info->max)
		out->reason = REASON_OVERFLOW;
	switch ((int)s->op) {
	case OP_REDUCE_SUM:
		out->radius = exact_in_any_order(ev, note, k) ? 0 : r + (n - 1) * u * (sum + r);
		break;
	case OP_REDUCE_MEAN:
		/* Divided, or multiplied by the rounded inverse of a rounded n, after or before the sum. */
		out->radius = r / n + u * (n + 2) * (sum + r) / n + n * info->tiny;
		break;
	case OP_NORM: { /* 1-Lipschitz; squares are relative errors, halved by the root */
		double in = 0;
		for (int j = 0; j < s->n_parent; j++)
			in = hypot(in, note[parent[j]].radius);
		out->radius = in + (n / 2 + 4) * u * (out->magnitude + in) + (in > 0 || top > 0 ? info->tiny : 0);
		if (top > 0 && top * top < info->normal)
			out->danger = true;
		else if (top > 0) /* squares that underflow beside the largest */
			out->radius += n * info->tiny / (2 * out->magnitude);
		out->danger |= (1 + n * u) * squares > info->max;
		break;
	}
	default: { /* logsumexp: slopes add up to 1 */
		double widest = 0;
		for (int j = 0; j < s->n_parent; j++)
			widest = fmax(widest, note[parent[j]].radius);
		rho_of(out, widest, 1);
		out->radius = widest + u * (2 * top + 4 * out->magnitude + n + 4 * log(n) + 8) + info->tiny;
		out->danger |= n * exp(top) > info->max;
		break;
	}
	}
}

/* ---- one scalar ---- */

/* A pole gives an infinity of real arithmetic; elsewhere an infinity means that the range was left. */
static enum reason non_finite(const struct evaluation *ev, int k)
{
	if (mpfr_nan_p(ev->value[k]))
		return REASON_NON_FINITE;
	switch ((int)ev->scalar[k].op) {
	case OP_LOG: case OP_LOG1P: case OP_RSQRT: case OP_DIV: case OP_ATANH: case OP_POW: case OP_CONSTANT:
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
				     : dtype_table[s->dtype].unit * note[k].magnitude;
		break;
	case OP_ABS:
		note[k].radius = note[a].radius;
		if (mpfr_zero_p(ev->value[a]) && note[a].radius == 0)
			note[k].tie = note[a].active;
		else if (!ball_separated(ev, note, a, -1, 0))
			note[k].unsure = REASON_UNSTABLE_PATH;
		break;
	case OP_FIXED_POINT: break; /* said by whoever appends it */
	case OP_NEG: case OP_STOP_GRADIENT: case OP_SELECT: note[k].radius = note[a].radius; break;
	case OP_SIGN: case OP_FLOOR: case OP_CEIL: case OP_TRUNC: case OP_ROUND: ball_step(ev, note, k); break;
	case OP_MAX: case OP_MIN: case OP_REDUCE_MAX: case OP_REDUCE_MIN: ball_extremum(ev, note, k); break;
	case OP_SORT: ball_sorted(ev, note, k); break;
	case OP_CAST: ball_cast(ev, note, k); break;
	case OP_REDUCE_SUM: case OP_REDUCE_MEAN: case OP_NORM: case OP_LOGSUMEXP: case OP_MATMUL: ball_nary(ev, note, k); break;
	default: ball_binary(ev, note, k); break;
	}
}

/* sech^2 of a hyperbolic cosine: 3 roundings, squared, and one more. */
static const double FORMULA_ROUNDINGS = 7;

/* A factor of a formula: what another formula may have on the way to it; a value of the program is what it is. */
static double factor(const struct evaluation *ev, const struct note *note, int k)
{
	return ev->scalar[k].part == TRACE_FORMULA ? note[k].most : fmax(1, note[k].magnitude);
}

/*
 * The largest of the products that a formula with scalar k in it may be made of: a y/b is an a/b^2, a power's y/a the power less one.  That a program
 * value is used in one is not known yet, so it counts too.
 */
static double most_of(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	double most = fmax(1, note[k].magnitude);
	if (!s->n_parent)
		return most;
	const int *parent = ev->parent + s->parent;
	switch ((int)s->op) {
	case OP_MUL: case OP_SQUARE:
		return fmax(most, factor(ev, note, parent[0]) * factor(ev, note, parent[s->n_parent - 1]));
	case OP_DIV: {
		const struct scalar *over = &ev->scalar[parent[0]];
		bool twice = over->op == OP_DIV && ev->parent[over->parent + 1] == parent[1]; /* (a/b)/b */
		double a = twice ? note[parent[0]].most : factor(ev, note, parent[0]), b = note[parent[1]].magnitude;
		return fmax(most, a * fmax(factor(ev, note, parent[1]), 1 / b));
	}
	case OP_ADD: case OP_SUB:
		return fmax(most, fmax(factor(ev, note, parent[0]), factor(ev, note, parent[1])));
	case OP_RSQRT: /* its cube */
		return most * most * most;
	default: return most;
	}
}

void ball_scalar(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	struct note *n = &note[k];
	bool active = n->active;
	*n = (struct note){.active = active, .magnitude = fabs(mpfr_get_d(ev->value[k], R))};
	for (int j = 0; j < s->n_parent; j++) {
		const struct note *in = &note[ev->parent[s->parent + j]];
		n->danger |= in->danger;
		if (in->reason) {
			n->reason = in->reason;
			return;
		}
	}
	if (!mpfr_number_p(ev->value[k])) {
		n->reason = (uint8_t)non_finite(ev, k);
		return;
	}
	if (s->derived && ball_flow(ev, note, k))
		return;
	ball_finite(ev, note, k);
	if (s->derived)
		n->path = n->magnitude;
	if (s->op != OP_CUMPROD)
		n->most = most_of(ev, note, k);
	/* Another formula for the same partial rounds at its size. */
	if (s->part == TRACE_FORMULA && n->radius > 0)
		n->radius += FORMULA_ROUNDINGS * dtype_table[s->dtype].unit * n->magnitude;
	if (!n->reason && !(n->magnitude + n->radius <= dtype_table[s->dtype].max))
		n->reason = REASON_OVERFLOW;
}

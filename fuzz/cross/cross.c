/* cross.c: two answers that must be one: whether what is between them is more than right engines may differ by. */
#include "cross.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "engines/process/hello.h"
#include "engines/kernels/rounding.h"
#include "internal.h"

enum {
	BESIDE = 8,       /* points beside the point */
	STEADY = 8,       /* a side moves by at most this part of the difference */
	LOG_SHRINKS = 10, /* from f32 to f64 rounding is 2^29 times less; a difference that is 2^LOG_SHRINKS times less,
	                     or more, is no property of the program */
};

/*
 * The scatter s is at least the largest deviation in six pairs of answers, each off by sum c_i d_i, the second of a
 * pair the other way: n steps, c_i how a step counts, d_i uniform within T/2 units at least, T = CROSS_TIMES.  Its
 * standard deviation is v = T/2 sqrt(sum c_i^2 / 3), and s < v/8 once in a million.  A right engine is off by at most w
 * sum |c_i| <= w sqrt(n sum c_i^2), w = 24: 22 units are what the worst usual formula of an op loses
 * (oracles/TOLERANCE.md); two engines, by twice that.  So by no more than 2 w 8 sqrt(3 n) / (T/2) s.
 */
static double explained(const struct cross_scatter *s, double units, int i)
{
	return 2 * units * 8 * 2 / CROSS_TIMES * sqrt(3 * (double)(s->steps > 1 ? s->steps : 1)) * s->by[i];
}

const char *const cross_mode_names[CROSS_MODES] = {
#define MODE(id, name, meaning) [CROSS_MODE_##id] = name,
#include "modes.def"
#undef MODE
};

const char *const cross_verdict_names[CROSS_VERDICTS] = {[CROSS_UNSUPPORTED] = "unsupported",
    [CROSS_SAME] = "same",
    [CROSS_ROUNDING] = "rounding",
    [CROSS_EDGE] = "edge",
    [CROSS_ISOLATED] = "isolated",
    [CROSS_UNSTEADY] = "unsteady",
    [CROSS_DIFFERS] = "differs"};

static cross_fn *const modes[CROSS_MODES] = {
#define MODE(id, name, meaning) [CROSS_MODE_##id] = cross_##id,
#include "modes.def"
#undef MODE
};

struct cross {
	struct engine *engine, *against;
	struct cross_probes probes;
	int64_t asked;
};

struct cross *cross_open(struct engine *engine, struct engine *against)
{
	struct cross *self = heap_new(1, sizeof *self);

	if (!cross_probes_open(&self->probes)) {
		free(self);
		return NULL;
	}
	self->engine = engine;
	self->against = against;
	return self;
}

void cross_close(struct cross *self)
{
	if (!self)
		return;
	cross_probes_close(&self->probes);
	free(self);
}

int64_t cross_asked(const struct cross *self) { return self->asked; }

/* ---- a difference ---- */

static double distance(const struct cross_pair *p)
{
	if (p->left == p->right || (isnan(p->left) && isnan(p->right)))
		return 0;
	return isfinite(p->left) && isfinite(p->right) ? fabs(p->left - p->right) : INFINITY;
}

static double size_of(const struct cross_pair *p)
{
	return fmax(p->scale, fmax(isfinite(p->left) ? fabs(p->left) : 0, isfinite(p->right) ? fabs(p->right) : 0));
}

static double relative(const struct cross_pair *p)
{
	return distance(p) == 0 ? 0 : distance(p) / fmax(size_of(p), DBL_MIN);
}

/*
 * Half of the digits: what is less says nothing, for a worse formula may lose as much.  largest: of all numbers that
 * were computed, for what cancels elsewhere need not cancel here.  Of what is subnormal nothing is said: an engine may
 * flush it.
 */
static bool is_apart(const struct cross_pair *p, double largest, enum dtype coarsest)
{
	const struct dtype_info *info = &dtype_table[coarsest];

	return distance(p) >
	    fmax(ldexp(fmax(size_of(p), largest), -info->precision / 2), ldexp(info->normal, info->precision));
}

/* Whether a number that stands against none is one that rounding leaves half of its digits. */
static bool is_sure(const struct cross_pair *p, double scatter, enum dtype coarsest)
{
	return scatter <= ldexp(size_of(p), -dtype_table[coarsest].precision / 2);
}

static const char *kind_of(const struct cross_pair *p)
{
	if (isnan(p->left) || isnan(p->right))
		return "nan";
	return isfinite(p->left) && isfinite(p->right) ? "finite" : "infinite";
}

/* What the worst formula of an op loses, in units of rounding, or a function by what an engine declares. */
static double units_of(const struct engine *engine)
{
	const struct hello *hello = engine ? engine_hello(engine) : NULL;
	double units = 24;

	for (int op = 0; op < OP_COUNT && hello && hello->accuracy; op++)
		units = fmax(units, 2 * hello->accuracy[op].relative);
	return units;
}

/* Whether it says that it may have a number where another has none. */
static bool declares_no_numbers(const struct engine *engine)
{
	const struct hello *hello = engine ? engine_hello(engine) : NULL;

	return hello && (hello->weak_zero || hello->finite_math);
}

/* ---- one mode, on one case ---- */

struct comparison {
	struct cross *self;
	enum cross_mode mode;
	struct arena *arena;
	struct cross_ask q; /* of the case */
	enum dtype coarsest;
	struct cross_scatter scatter;
	bool *suspect; /* [q.n] */
	int n_suspect;
	bool unprobed; /* no probe answers */
};

static bool ask_of(struct comparison *x, const struct testcase *c, struct engine *right, struct cross_ask *q)
{
	*q = (struct cross_ask){.arena = x->arena, .left = x->self->engine, .right = right, .base = c};
	if (!right) {
		q->why = "no reference engine";
		return false;
	}
	bool there = modes[x->mode](q, c) && q->n;

	x->self->asked += q->asked;
	return there;
}

/* What an engine does not take itself is asked of the reference: a reverse mode is compared with a forward mode of
 * another's. */
static bool ask(struct comparison *x, const struct testcase *c, struct cross_ask *q)
{
	struct engine *against = x->self->against;
	const char *why;
	bool there;

	if (x->mode == CROSS_MODE_engine)
		return ask_of(x, c, against, q);
	there = ask_of(x, c, x->self->engine, q);
	if (there || q->broken || !against)
		return there;
	why = q->why;
	if (ask_of(x, c, against, q))
		return true;
	q->why = why;
	return false;
}

static void clear(struct comparison *x, int i)
{
	x->n_suspect -= x->suspect[i];
	x->suspect[i] = false;
}

/* Drops the suspects that rounding explains, and all that are no numbers where an engine says that it makes such of
 * zeros, or numbers of such. */
static enum cross_verdict weigh_rounding(struct comparison *x, const struct testcase *c)
{
	bool weak = declares_no_numbers(x->q.left) || declares_no_numbers(x->q.right);
	double units = fmax(units_of(x->q.left), units_of(x->q.right));
	bool no_number = false;

	x->unprobed = !cross_scatter(&x->self->probes, modes[x->mode], c, x->q.n, x->arena, &x->scatter);
	if (x->unprobed || x->scatter.edge)
		return x->unprobed ? CROSS_UNSUPPORTED : CROSS_EDGE;
	for (int i = 0; i < x->q.n; i++) {
		const struct cross_pair *p = &x->q.pair[i];
		bool usual = isinf(distance(p))
		    ? weak || !is_sure(p, x->scatter.by[i], x->coarsest)
		    : !is_apart(p, x->scatter.largest, x->coarsest) || distance(p) <= explained(&x->scatter, units, i);

		no_number = no_number || (x->suspect[i] && isinf(distance(p)));
		if (x->suspect[i] && usual)
			clear(x, i);
	}
	return x->n_suspect ? CROSS_DIFFERS : no_number ? CROSS_EDGE : CROSS_ROUNDING;
}

static bool is_steady(double here, double beside, double by)
{
	return isfinite(here) ? fabs(here - beside) <= by / STEADY : here == beside || (isnan(here) && isnan(beside));
}

/* A number that stands against none has its own size to be steady by. */
static bool same_beside(const struct cross_pair *here, const struct cross_pair *beside)
{
	double by = distance(here);

	if (isinf(by))
		by = fmax(size_of(here), DBL_MIN);
	return is_steady(here->left, beside->left, by) && is_steady(here->right, beside->right, by);
}

/* Drops the suspects that are another difference at a point beside: isolated where there is none at any. */
static enum cross_verdict weigh_beside(struct comparison *x, const struct testcase *c)
{
	bool gone = true;

	for (int k = 0; k < BESIDE && (x->n_suspect || gone); k++) {
		struct arena_mark mark = arena_mark(x->arena);
		struct cross_ask q;
		bool there = ask(x, cross_beside(x->arena, c, k), &q) && q.n == x->q.n;

		for (int i = 0; i < x->q.n; i++) {
			gone = gone && there && !is_apart(&q.pair[i], x->scatter.largest, x->coarsest);
			if (x->suspect[i] && !(there && same_beside(&x->q.pair[i], &q.pair[i])))
				clear(x, i);
		}
		arena_rewind(x->arena, mark);
	}
	return x->n_suspect ? CROSS_DIFFERS : gone ? CROSS_ISOLATED : CROSS_UNSTEADY;
}

static bool all_floats(const struct testcase *c, enum dtype d)
{
	for (int v = 0; v < c->program.n_value; v++)
		if (dtype_is_float(c->program.type[v].dtype) && c->program.type[v].dtype != d)
			return false;
	return true;
}

static bool has_dtype(const struct cross *self, enum cross_mode mode, enum dtype d)
{
	return engine_scope(self->engine).dtype[d] &&
	    (mode != CROSS_MODE_engine || !self->against || engine_scope(self->against).dtype[d]);
}

/* Drops the suspects that are of another size in another dtype: f64, or f32 where it is f64 already. */
static void weigh_dtype(struct comparison *x, const struct testcase *c)
{
	enum dtype d = all_floats(c, DTYPE_F64) ? DTYPE_F32 : DTYPE_F64;
	const struct testcase *other;
	struct cross_ask q;

	if (x->mode == CROSS_MODE_dtype || !has_dtype(x->self, x->mode, d) ||
	    !(other = cross_in_dtype(x->arena, c, d)) || !ask(x, other, &q) || q.n != x->q.n)
		return;
	for (int i = 0; i < x->q.n; i++) {
		double by = distance(&x->q.pair[i]), then = distance(&q.pair[i]), shrinks = ldexp(1, LOG_SHRINKS);

		if (x->suspect[i] &&
		    !(isinf(by)              ? isinf(then) || d == DTYPE_F32
		            : d == DTYPE_F64 ? then >= by / shrinks
		                             : then <= by * shrinks))
			clear(x, i);
	}
}

static void show(const struct comparison *x, struct cross_result *out)
{
	const struct cross_pair *worst = NULL;
	int at = 0;

	for (int i = x->q.n - 1; i >= 0; i--) {
		const struct cross_pair *p = &x->q.pair[i];

		if (worst && (x->suspect[i] != x->suspect[at] ? x->suspect[at] : relative(p) <= relative(worst)))
			continue;
		worst = p;
		at = i;
	}
	if (!worst || distance(worst) == 0)
		return;
	out->text = worst->sibling;
	if (x->q.right != x->self->engine)
		out->text = arena_printf(x->arena, "%s by %s", worst->sibling, engine_spec(x->q.right));
	out->has_numbers = true;
	out->in_primal = worst->in_primal;
	out->point = worst->point;
	out->which = worst->which;
	out->element = worst->element;
	out->left = worst->left;
	out->right = worst->right;
	out->relative = relative(worst);
	out->ulps = out->relative / (2 * dtype_table[x->coarsest].unit);
	out->scatter = x->scatter.by ? x->scatter.by[at] : NAN;
	if (out->verdict == CROSS_DIFFERS)
		out->kind = kind_of(worst);
}

/* Another request that kills the engine, again and at a point beside: no answer to compare, and yet two that are not
 * one. */
static bool breaks_again(struct comparison *x, const struct testcase *c)
{
	struct cross_ask q;

	return x->q.broken && (ask(x, c, &q), q.broken) && (ask(x, cross_beside(x->arena, c, 0), &q), q.broken);
}

static enum cross_verdict weigh(struct comparison *x, const struct testcase *c)
{
	enum cross_verdict v;

	x->suspect = NEW(x->arena, bool, x->q.n);
	for (int i = 0; i < x->q.n; i++) {
		x->suspect[i] = is_apart(&x->q.pair[i], 0, x->coarsest);
		x->n_suspect += x->suspect[i];
	}
	if (!x->n_suspect)
		return CROSS_SAME;
	v = weigh_rounding(x, c);
	if (v != CROSS_DIFFERS || x->mode == CROSS_MODE_again) /* what is asked twice need not come twice elsewhere */
		return v;
	v = weigh_beside(x, c);
	if (v != CROSS_DIFFERS)
		return v;
	weigh_dtype(x, c);
	return x->n_suspect ? CROSS_DIFFERS : CROSS_ROUNDING;
}

/* The case in a dtype with digits enough, which may be its own; NULL: the engines have none. */
static const struct testcase *with_digits(
    const struct cross *self, enum cross_mode mode, const struct testcase *c, struct arena *a)
{
	enum dtype d = cross_coarsest(c);

	if (d == DTYPE_COUNT || dtype_table[d].precision >= dtype_table[DTYPE_F32].precision)
		return c;
	return has_dtype(self, mode, DTYPE_F64) ? cross_in_dtype(a, c, DTYPE_F64)
	    : has_dtype(self, mode, DTYPE_F32)  ? cross_in_dtype(a, c, DTYPE_F32)
	                                        : NULL;
}

static void check_within(
    struct cross *self, enum cross_mode mode, const struct testcase *c, struct arena *a, struct cross_result *out)
{
	struct comparison x = {.self = self, .mode = mode, .arena = a};

	*out = (struct cross_result){
	    .verdict = CROSS_UNSUPPORTED, .text = "no dtype with digits enough", .scatter = NAN};
	c = with_digits(self, mode, c, a);
	if (!c)
		return;
	x.coarsest = mode == CROSS_MODE_dtype ? DTYPE_F32 : cross_coarsest(c);
	x.coarsest = x.coarsest == DTYPE_COUNT ? DTYPE_F64 : x.coarsest;
	bool there = ask(&x, c, &x.q);

	out->text = x.q.why ? x.q.why : "nothing to compare";
	if (x.q.broken) {
		out->kind = x.q.broken;
		out->verdict = breaks_again(&x, c) ? CROSS_DIFFERS : CROSS_UNSTEADY;
	} else if (there) {
		out->verdict = weigh(&x, c);
		out->compared = x.q.n;
		show(&x, out);
		if (x.unprobed)
			out->text = "too large for the probes: nobody knows what rounding explains";
	}
}

struct check {
	struct cross *cross;
	enum cross_mode mode;
	const struct testcase *c;
	struct arena *arena;
	struct cross_result *out;
};

static void run_check(void *context)
{
	const struct check *x = context;

	check_within(x->cross, x->mode, x->c, x->arena, x->out);
}

/* What does not fit into memory is not compared.  An engine that leaves in the middle of an answer would leave its
 * rounding to whatever is computed next. */
void cross_check(
    struct cross *self, enum cross_mode mode, const struct testcase *c, struct arena *a, struct cross_result *out)
{
	const struct arena_mark mark = arena_mark(a);
	struct check check = {self, mode, c, a, out};

	if (arena_try(a, run_check, &check))
		return;
	rounding_end();
	arena_rewind(a, mark);
	*out = (struct cross_result){.verdict = CROSS_UNSUPPORTED, .text = "too large", .scatter = NAN};
}

char *cross_signature(const struct cross *self, enum cross_mode mode, const struct cross_result *r, struct arena *a)
{
	return arena_printf(
	    a, "%s|cross|%s|%s", engine_spec(self->engine), cross_mode_names[mode], r->kind ? r->kind : "none");
}

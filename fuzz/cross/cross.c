/* cross.c: decides whether two answers that must be equal differ by more than those of correct engines may. */
#include "cross.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "engines/process/hello.h"
#include "engines/kernels/rounding.h"
#include "internal.h"
#include "fuzz/edit/edit.h"

enum {
	BESIDE = 8,       /* points beside the point */
	STEADY = 8,       /* each side moves by at most 1/STEADY of the difference */
	LOG_SHRINKS = 10, /* from f32 to f64, rounding becomes 2^29 times smaller; a difference that becomes
	                     2^LOG_SHRINKS times smaller, or more, is no property of the program */
};

/*
 * The scatter s is at least the largest deviation in six pairs of answers.  Each answer is off by sum c_i d_i over n
 * steps: c_i says how a step counts, and d_i is uniform within at least T/2 units, T = CROSS_TIMES.  The second answer
 * of a pair is off the other way.  The standard deviation is v = T/2 sqrt(sum c_i^2 / 3), and s < v/8 once in a
 * million.
 *
 * A correct engine is off by at most w sum |c_i| <= w sqrt(n sum c_i^2). w is 24, because the worst usual formula of an
 * op loses 22 units (oracles/TOLERANCE.md).  Two engines differ by at most twice that.  So they differ by no more than
 * 2 w 8 sqrt(3 n) / (T/2) s.
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
 * Whether the pair differs by more than the lower half of the digits.  A smaller difference says nothing, because a
 * worse formula may lose as much.  largest: of all numbers computed, because terms that cancel here need not cancel
 * elsewhere.  A subnormal difference never counts, because an engine may flush it.
 */
static bool is_apart(const struct cross_pair *p, double largest, enum dtype coarsest)
{
	const struct dtype_info *info = &dtype_table[coarsest];

	return distance(p) >
	    fmax(ldexp(fmax(size_of(p), largest), -info->precision / 2), ldexp(info->normal, info->precision));
}

/* For a finite number against one that is not: whether rounding leaves half of its digits. */
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

/* Units of rounding that the worst formula of an op loses, or that the engine declares for a function. */
static double units_of(const struct engine *engine)
{
	const struct hello *hello = engine ? engine_hello(engine) : NULL;
	double units = 24;

	for (int op = 0; op < OP_COUNT && hello && hello->accuracy; op++)
		units = fmax(units, 2 * hello->accuracy[op].relative);
	return units;
}

/* Whether the engine declares that it may give a number where another one gives NaN or infinity, or the reverse. */
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

/* Asks the engine.  If it does not support a request, the reference is asked for the other side: so a reverse mode can
 * be compared with another engine's forward mode. */
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

/* Drops the suspects that rounding explains.  If an engine declares weak zeros or finite math, it also drops pairs with
 * a number that is not finite. */
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

/* Whether both sides stay the same at the point beside.  If only one side is finite, the scale is the size of that
 * number. */
static bool same_beside(const struct cross_pair *here, const struct cross_pair *beside)
{
	double by = distance(here);

	if (isinf(by))
		by = fmax(size_of(here), DBL_MIN);
	return is_steady(here->left, beside->left, by) && is_steady(here->right, beside->right, by);
}

/* Drops the suspects whose difference changes at a point beside.  The case is isolated if no difference is left at any
 * of these points. */
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

/* Drops the suspects whose difference has another size in another dtype: f64, or f32 if the case is in f64 already. */
static void weigh_dtype(struct comparison *x, const struct testcase *c)
{
	enum dtype d = all_floats(c, DTYPE_F64) ? DTYPE_F32 : DTYPE_F64;
	const struct testcase *other;
	struct cross_ask q;

	if (x->mode == CROSS_MODE_dtype || !has_dtype(x->self, x->mode, d) ||
	    !(other = edit_in_dtype(x->arena, c, d)) || !ask(x, other, &q) || q.n != x->q.n)
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
		out->text = arena_printf(x->arena, "%s by %s", worst->sibling, engine_name(x->q.right));
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

/* Whether another request breaks the engine again, and also at a point beside.  There is no answer to compare, but the
 * two requests do not give the same. */
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
	if (v != CROSS_DIFFERS ||
	    x->mode == CROSS_MODE_again) /* a difference between two runs need not show again elsewhere */
		return v;
	v = weigh_beside(x, c);
	if (v != CROSS_DIFFERS)
		return v;
	weigh_dtype(x, c);
	return x->n_suspect ? CROSS_DIFFERS : CROSS_ROUNDING;
}

/* The case in a dtype with enough digits, perhaps its own; NULL: the engines have none. */
static const struct testcase *with_digits(
    const struct cross *self, enum cross_mode mode, const struct testcase *c, struct arena *a)
{
	enum dtype d = cross_coarsest(c);

	if (d == DTYPE_COUNT || dtype_table[d].precision >= dtype_table[DTYPE_F32].precision)
		return c;
	return has_dtype(self, mode, DTYPE_F64) ? edit_in_dtype(a, c, DTYPE_F64)
	    : has_dtype(self, mode, DTYPE_F32)  ? edit_in_dtype(a, c, DTYPE_F32)
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
		if (x.unprobed) {
			out->text = "too large for the probes: nobody knows what rounding explains";
			out->scatter = NAN;
		}
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

/* A case that does not fit into memory is not compared.  If the arena is full in the middle of a probe's answer, its
 * rounding is still switched on, so it is ended here. */
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
	    a, "%s|cross|%s|%s", engine_name(self->engine), cross_mode_names[mode], r->kind ? r->kind : "none");
}

/* simplest.c: see simplest.h. */
#include "simplest.h"

#include "engines/aot/aot.h"
#include "engines/aot/nested.h"
#include "engines/engine.h"
#include "engines/aot/lower.h"
#include "engines/aot/stack.h"
#include "minimize.h"
#include "fuzz/edit/edit.h"
#include "steady.h"

/* ---- levels written out ---- */

/* Ways to write a derivative as a program.  An engine uses one of them. */
struct formulation {
	bool scans;  /* batches become scans, as in an engine without rules for batches */
	int further; /* op derivative is written for this many orders more than the request has; only its masks differ
	              */
	bool loops;  /* no level is written: only scatter_apply becomes a loop */
};
static const struct formulation formulations[] = {
    {false, 0, false}, {true, 0, false}, {false, 1, false}, {true, 1, false}, {false, 0, true}};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

/* Whether the program has ops that are written as other ops for most engines. */
static bool has_derived_op(const struct program *p)
{
	return program_has_derivative(p) || region_has_op(&p->top, OP_FIXED_POINT);
}

static bool has_apply(const struct program *p) { return region_has_op(&p->top, OP_SCATTER_APPLY); }

/* Writes the `n` innermost levels of c as its program.  False: there is nothing to write, or the result is no valid
 * case. */
static bool write_levels(
    const struct testcase *c, int n, const struct formulation *f, struct arena *a, struct testcase *out)
{
	struct aot_rules rules = aot_rules_right;
	int above = request_order(c->transform + n, c->n_transform - n);
	struct program below = lower_fixed_points(&c->program, false, a);
	struct error e = {0};

	*out = *c;
	if (f->loops) {
		out->program = below;
		return !n && has_apply(&below) && lower_applies(&out->program, a, &e) && testcase_check(out, &e);
	}
	if (!n && !has_derived_op(&c->program))
		return false;
	if (f->scans)
		rules.guard = NULL;
	if (program_has_derivative(&below) &&
	    !aot_lower(&below, request_order(c->transform, c->n_transform) + f->further, &rules, a, &below, &e))
		return false;
	out->program = below;
	if (n && !aot_levels(&below, c->transform, n, above, &rules, a, &out->program, &e))
		return false;
	out->transform += n;
	out->n_transform -= n;
	return testcase_check(out, &e);
}

/* The points of c, with the seeds of t as further inputs. */
static struct tensor **points_with_seeds(const struct testcase *c, const struct transform *t, struct arena *a, int *n)
{
	struct tensor **point = NEW(a, struct tensor *, c->n_point);

	for (int p = 0; p < c->n_point; p++) {
		point[p] = NEW(a, struct tensor, c->program.top.n_param + t->n_seed);
		*n = 0;
		for (int i = 0; i < c->program.top.n_param; i++)
			point[p][(*n)++] = c->point[p][i];
		for (int i = 0; i < t->n_seed; i++)
			if (dtype_is_float(t->seed[i].type.dtype))
				point[p][(*n)++] = t->seed[i];
	}
	return point;
}

bool written_in_full(const struct testcase *c, struct arena *a, struct testcase *out)
{
	const int inner = c->n_transform - 1;
	const struct transform *t = &c->transform[inner];
	struct testcase below = *c;
	struct error e = {0};
	int n_input = 0;

	if (inner < 0 || t->kind == TRANSFORM_BATCH || (!inner && program_has_derivative(&c->program)) ||
	    (inner && !write_levels(c, inner, &formulations[0], a, &below)))
		return false;
	below.program = lower_fixed_points(&below.program, false, a);
	*out = below;
	if (!(t->kind == TRANSFORM_VJP ? aot_vjp : aot_jvp)(
	        &below.program, t->wrt, t->n_wrt, &aot_rules_right, a, &out->program, &e))
		return false;
	out->point = points_with_seeds(&below, t, a, &n_input);
	out->n_transform = 0;
	return n_input == out->program.top.n_param && testcase_check(out, &e);
}

/* Whether the engine answers `written` as it answered the case that was written out. */
static bool answers_alike(
    const struct question *any, const struct answer *as_is, const struct testcase *written, struct arena *a)
{
	const struct arena_mark mark = arena_mark(a);
	struct answer *own = NEW(a, struct answer, written->n_point);
	int same = 0;

	bench_answer(any->bench, any->bench->engine[0], written, a, own);
	while (same < written->n_point && same_answer(&as_is[same], &own[same]))
		same++;
	arena_rewind(a, mark);
	return same == written->n_point;
}

/* Goes on to the next way of writing c: *n levels, by formulation *f.  Most levels come first.  False after the last.
 */
static bool next_way(const struct testcase *c, int *n, int *f)
{
	if (++*f == FORMULATIONS) {
		*f = 0;
		--*n;
	}
	return *n > 0 || (*n == 0 && (has_derived_op(&c->program) || has_apply(&c->program)));
}

/* Writes as many inner levels of c as possible.  The engine must give the answers as_is.  If as_is is NULL, the same
 * verdict is enough, and no scatter_apply is written. */
static bool write_out(const struct question *any, const struct testcase *c, const struct answer *as_is,
    enum verdict verdict, struct arena *a, struct testcase *out)
{
	struct judgement j;

	for (int n = stack_inner(c), f = -1; next_way(c, &n, &f);) {
		const struct arena_mark mark = arena_mark(a);

		if ((as_is || !formulations[f].loops) && write_levels(c, n, &formulations[f], a, out) &&
		    (!as_is || answers_alike(any, as_is, out, a)) && case_shows(out, any, a, &j) &&
		    (as_is || j.verdict == verdict || any->runs > 1))
			return true;
		arena_rewind(a, mark);
	}
	return false;
}

bool written_alike(const struct question *any, const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct answer *as_is = NEW(a, struct answer, c->n_point);
	int n = stack_inner(c), f = -1;

	if (!next_way(c, &n, &f) || limit_over(any->until, any->bench->engine[0]))
		return false;
	bench_answer(any->bench, any->bench->engine[0], c, a, as_is);
	do {
		const struct arena_mark mark = arena_mark(a);

		if (write_levels(c, n, &formulations[f], a, out) && answers_alike(any, as_is, out, a))
			return true;
		arena_rewind(a, mark);
	} while (next_way(c, &n, &f));
	return false;
}

/*
 * The same wrong numbers show that it is the same bug.  If no way of writing gives them, any wrong numbers will do: the
 * engine may add contributions in its own order.  A bug of a lower order exists in any case, and must be fixed first.
 */
static bool write_levels_out(
    const struct question *any, const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct answer *as_is = NEW(a, struct answer, c->n_point);
	struct judgement j;

	if ((!stack_inner(c) && !has_derived_op(&c->program) && !has_apply(&c->program)) || !case_shows(c, any, a, &j))
		return false;
	bench_answer(any->bench, any->bench->engine[0], c, a, as_is);
	return write_out(any, c, as_is, j.verdict, a, out) || write_out(any, c, NULL, j.verdict, a, out);
}

/* ---- any finding, no new op ---- */

struct any_finding {
	const struct question *any; /* a question that refuses nothing */
	bool op[OP_COUNT];          /* ops of the case at the start */
	bool loop;                  /* whether one of them is a loop */
	int variant; /* of that case: it stays, because 0 was tried, and another one may be another bug */
	struct judgement
	    of; /* judgement of the case at the start, or of a smaller case that 0 * infinity no longer excuses */
	refuse_case_fn *refuse;
	void *context;
	int hangs;
};

static bool is_weak_zero(const struct judgement *j) { return j->verdict == VERDICT_NAN_LEAK && j->weak_zero; }

/*
 * Whether a case with judgement `from` may become one with judgement `to`.  Findings about numbers stay about numbers.
 * A NaN that 0 * infinity can explain may become a NaN that it cannot explain: then the infinity did not matter.  The
 * reverse is another finding, and so are wrong numbers.
 */
static bool may_become(const struct judgement *from, const struct judgement *to)
{
	if (is_weak_zero(from) || is_weak_zero(to))
		return is_weak_zero(from) && to->verdict == VERDICT_NAN_LEAK;
	return from->verdict == to->verdict || (verdict_of_numbers(from->verdict) && verdict_of_numbers(to->verdict));
}

static bool shows(struct any_finding *self, const struct testcase *c, struct arena *a, struct judgement *j)
{
	bool shows = case_shows(c, self->any, a, j) && may_become(&self->of, j);

	self->hangs += j->verdict == VERDICT_HANG;
	return shows;
}

/* Whether c, which shows a finding, shows none when one iteration replaces every loop.  Then the body is right on its
 * own. */
static bool loop_is_to_blame(struct any_finding *self, const struct testcase *c, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct judgement j;
	struct site s;

	for (int k = 0; edit_site(&e, k, &s);)
		if (!node_loop(s.node).is_loop || !edit_hoist(&e, &s, 0))
			k++;
	return edit_finish(&e, false) && !shows(self, &e.c, a, &j);
}

/* Ops of the plainest loop (loops.c). */
static bool is_of_plain_loop(enum op op) { return op == OP_FOR || op == OP_MUL || op == OP_ADD; }

/* Whether c has ops that the case at the start did not have.  *others: ones that are not of the plainest loop. */
static bool has_new_ops(const struct any_finding *self, const struct testcase *c, bool *others)
{
	bool op[OP_COUNT] = {false}, is_new = false;

	*others = false;
	region_ops(&c->program.top, op);
	for (int i = 0; i < OP_COUNT; i++) {
		const bool added = op[i] && !self->op[i] && i != OP_CONSTANT;

		is_new = is_new || added;
		*others = *others || (added && (!self->loop || !is_of_plain_loop((enum op)i)));
	}
	return is_new;
}

/* Whether c is no candidate, whatever the engine answers. */
static bool is_out(void *context, const struct testcase *c)
{
	const struct any_finding *self = context;
	bool others;

	has_new_ops(self, c, &others);
	return others || c->variant != self->variant || (self->refuse && self->refuse(self->context, c));
}

static bool is_candidate(void *context, const struct testcase *c, struct arena *scratch)
{
	struct any_finding *self = context;
	bool is_new, others;
	struct judgement j;

	if (is_out(self, c))
		return false;
	is_new = has_new_ops(self, c, &others);
	if (self->hangs >= LIMIT_HANGS || !shows(self, c, scratch, &j) ||
	    (is_new && !loop_is_to_blame(self, c, scratch)))
		return false;
	if (is_weak_zero(&self->of))
		self->of = j;
	return true;
}

/* The smallest case of any finding with the ops of `from`. q->refuse applies unless it refuses `from` itself, which was
 * written out. */
static struct testcase smallest(
    const struct question *q, const struct question *any, const struct testcase *from, int budget, struct arena *a)
{
	struct question asking = *any, looking;
	struct any_finding self = {.any = &asking,
	    .variant = from->variant,
	    .refuse = q->refuse && q->refuse(q->context, from) ? NULL : q->refuse,
	    .context = q->context};
	struct minimize_statistics stats;
	struct testcase small;

	case_shows(from, any, a, &self.of);
	region_ops(&from->program.top, self.op);
	for (int i = 0; i < OP_COUNT; i++)
		self.loop = self.loop || (self.op[i] && op_is_loop((enum op)i));
	asking.ahead = question_ahead(any, 1);
	looking = asking;
	looking.refuse = is_out;
	looking.context = &self;
	small = minimize_together(from, is_candidate, &self, &looking, budget, any->until, a, &stats);
	lookahead_close(asking.ahead);
	return small;
}

/* Some levels cannot be written at first, because the program would be too large.  They can when the case is smaller.
 * Each round leaves fewer levels. */
struct testcase simplest_case(const struct question *q, const struct testcase *minimal, int budget, struct arena *a)
{
	const struct question any = {.bench = q->bench,
	    .declared = q->declared,
	    .until = q->until,
	    .spent = q->spent,
	    .runs = steady_runs(q, minimal, a)};
	struct testcase c = *minimal, from;
	bool written = write_levels_out(&any, &c, a, &from);

	if (!written)
		return smallest(q, &any, &c, budget, a);
	for (; written; written = write_levels_out(&any, &c, a, &from))
		c = smallest(q, &any, &from, budget, a);
	return c;
}

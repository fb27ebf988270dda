/* simplest.c: the simplest case behind a minimal one, by writing out what an engine may have written out. */
#include "simplest.h"

#include "../engines/aot.h"
#include "../engines/aot_nested.h"
#include "../engines/engine.h"
#include "../engines/lower.h"
#include "../engines/stack.h"
#include "look.h"
#include "minimize_edit.h"

/* ---- levels written out ---- */

/* Ways to write a derivative as a program, of which an engine has one. */
struct formulation {
	bool scans;  /* batches as an engine without rules for them does them */
	int further; /* orders that op derivative is written for beyond what is asked: masks, so that these are right too */
};
static const struct formulation formulations[] = {{false, 0}, {true, 0}, {false, 1}, {true, 1}};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

/* c with its `n` innermost levels as its program; false: not a case. */
static bool write_levels(const struct testcase *c, int n, const struct formulation *f, struct arena *a, struct testcase *out)
{
	struct aot_rules rules = aot_rules_right;
	int above = request_order(c->transform + n, c->n_transform - n);
	struct program below = lower_fixed_points(&c->program, false, a);
	struct error e = {0};

	if (f->scans)
		rules.guard = NULL;
	*out = *c;
	if (program_has_derivative(&below) && !aot_lower(&below, request_order(c->transform, c->n_transform) + f->further, &rules, a, &below, &e))
		return false;
	out->program = below;
	if (n && !aot_levels(&below, c->transform, n, above, &rules, a, &out->program, &e))
		return false;
	out->transform += n;
	out->n_transform -= n;
	return testcase_check(out, &e);
}

/* Ops that are said in others before most engines see them. */
static bool has_derived_op(const struct program *p)
{
	return program_has_derivative(p) || region_has_op(&p->top, OP_FIXED_POINT);
}

/* c with some inner levels written out: as many as possible, of those with which the engine gives the answers as_is, or any of the same verdict where that is NULL. */
static bool write_out(const struct look *look, const struct testcase *c, const struct answer *as_is, enum verdict verdict, struct arena *a, struct testcase *out)
{
	struct answer *written = NEW(a, struct answer, c->n_point);
	struct judgement j;

	for (int n = stack_inner(c); n >= 0; n--) {
		for (int f = 0; f < FORMULATIONS; f++) {
			int same = 0;

			if ((!n && !has_derived_op(&c->program)) || !write_levels(c, n, &formulations[f], a, out))
				continue;
			if (as_is)
				engine_answer(look->bench->engine[0], out, a, written);
			while (as_is && same < c->n_point && same_answer(&as_is[same], &written[same]))
				same++;
			if ((!as_is || same == c->n_point) && look_finds(look, out, a, &j) && (as_is || j.verdict == verdict || look_is_unsteady(look)))
				return true;
		}
	}
	return false;
}

/*
 * The same wrong numbers say that it is the same bug.  Others do so too where what is wrong hangs on the order of contributions, which the engine has in its own way: a bug of a
 * lower order is there in any case, and is to be mended before more can be said.
 */
static bool write_levels_out(const struct look *look, const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct answer *as_is = NEW(a, struct answer, c->n_point);
	struct judgement j;

	if ((!stack_inner(c) && !has_derived_op(&c->program)) || !look_finds(look, c, a, &j))
		return false;
	engine_answer(look->bench->engine[0], c, a, as_is);
	return write_out(look, c, as_is, j.verdict, a, out) || write_out(look, c, NULL, j.verdict, a, out);
}

/* ---- any finding, no new op ---- */

struct any_finding {
	struct look look;
	bool op[OP_COUNT]; /* of the case that it began with */
	bool loop;         /* one of which is a loop */
	struct judgement of; /* that case; or what is left of it, where that is no longer excused */
	refuse_case_fn *refuse;
	void *context;
	int hangs;
};

static bool is_weak_zero(const struct judgement *j)
{
	return j->verdict == VERDICT_NAN_LEAK && j->weak_zero;
}

/*
 * Whether what shows `from` may show `to` when it is smaller.  What has numbers stays one of numbers.  A NaN that 0 times infinity may have made may be one that nothing excuses, of which
 * that infinity was no part; the reverse, and wrong numbers, are another finding.
 */
static bool may_become(const struct judgement *from, const struct judgement *to)
{
	if (is_weak_zero(from) || is_weak_zero(to))
		return is_weak_zero(from) && to->verdict == VERDICT_NAN_LEAK;
	return from->verdict == to->verdict || (verdict_of_numbers(from->verdict) && verdict_of_numbers(to->verdict));
}

static bool shows(struct any_finding *any, const struct testcase *c, struct arena *a, struct judgement *j)
{
	bool shows = look_finds(&any->look, c, a, j) && may_become(&any->of, j);

	any->hangs += j->verdict == VERDICT_HANG;
	return shows;
}

/* Whether c, which shows a finding, shows none with one iteration in place of every loop: what is inside is right on its own. */
static bool loop_is_to_blame(struct any_finding *any, const struct testcase *c, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct judgement j;
	struct site s;

	for (int k = 0; edit_site(&e, k, &s);)
		if (!node_loop(s.node).is_loop || !edit_hoist(&e, &s, 0))
			k++;
	return edit_finish(&e, false) && !shows(any, &e.c, a, &j);
}

/* What the plainest loop is made of (minimize_loops.c). */
static bool is_of_plain_loop(enum op op)
{
	return op == OP_FOR || op == OP_MUL || op == OP_ADD;
}

static bool shows_any(void *self, const struct testcase *c, struct arena *scratch)
{
	struct any_finding *any = self;
	bool op[OP_COUNT] = {false}, is_new = false;
	struct judgement j;

	if (any->refuse && any->refuse(any->context, c))
		return false;
	region_ops(&c->program.top, op);
	for (int i = 0; i < OP_COUNT; i++) {
		if (!op[i] || any->op[i] || i == OP_CONSTANT)
			continue;
		if (!any->loop || !is_of_plain_loop((enum op)i))
			return false;
		is_new = true;
	}
	if (any->hangs >= SAME_HANGS || !shows(any, c, scratch, &j) || (is_new && !loop_is_to_blame(any, c, scratch)))
		return false;
	if (is_weak_zero(&any->of))
		any->of = j;
	return true;
}

/* The smallest case of any finding, with the ops of `from`; of those that `refuse` does not want, unless that is `from` itself, as it was written out. */
static struct testcase smallest(const struct look *look, const struct testcase *from, int budget, refuse_case_fn *refuse, void *context, struct arena *a)
{
	struct any_finding any = {.look = *look, .refuse = refuse && refuse(context, from) ? NULL : refuse, .context = context};
	struct minimize_statistics stats;

	look_finds(look, from, a, &any.of);
	region_ops(&from->program.top, any.op);
	for (int i = 0; i < OP_COUNT; i++)
		any.loop = any.loop || (any.op[i] && op_is_loop((enum op)i));
	return minimize(from, shows_any, &any, budget, a, &stats);
}

/* Levels that cannot be written out at once, for the program is too large, can be when a smaller case is left of it: each round leaves fewer. */
struct testcase simplest_case(struct bench *one, const struct same_signature *limit, const struct testcase *minimal, int budget, refuse_case_fn *refuse, void *context, struct arena *a)
{
	const struct look look = look_at(one, limit, minimal, a);
	struct testcase c = *minimal, from;
	bool written = write_levels_out(&look, &c, a, &from);

	if (!written)
		return smallest(&look, &c, budget, refuse, context, a);
	for (; written; written = write_levels_out(&look, &c, a, &from))
		c = smallest(&look, &from, budget, refuse, context, a);
	return c;
}

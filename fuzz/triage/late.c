/*
 * late.c: joins findings when the campaign ends.  One bug in a helper that many ops share shows as a finding for each
 * of them.  Their names differ, so same_bug.h cannot tell.  Experiments can: the simplest cases need the same things in
 * order to fail (trials.h), or still fail with the other one's op or request.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/walk.h"
#include "fuzz/bench/rehearse.h"
#include "fuzz/bench/stop.h"
#include "fuzz/edit/edit.h"
#include "fuzz/minimize/simplest.h"
#include "internal.h"
#include "late.h"
#include "trials.h"

enum {
	LATE_FINDINGS = 24, /* of one engine are compared with each other, the first ones */
	LATE_TEXT = 4096
};

/* Two answers with the same error differ by rounding alone. */
static const double same_number = 1e-3;

/* A case with plain regions. */
struct plain_case {
	bool fails;
	struct testcase c;
	struct trials trials; /* if it fails */
};

/* A finding and its simplest case. */
struct late {
	int at; /* its place among the findings */
	struct testcase c;
	struct trials trials;         /* of c, with inner levels written out if the engine answers that one alike */
	struct request_summary asked; /* by the case of the trials */
	bool lowered;                 /* c had fixed points, which are loops now */
	bool has_own;                 /* c uses an input twice, and fails with an input for each use */
	struct testcase own;          /* the case with these */
	struct plain_case plain[PLAINS];
	enum op op; /* the only op of the case beside constants; OP_COUNT: there are several, or it has regions */
};

/* ---- one finding ---- */

static bool may_join(const struct finding *f)
{
	const struct symptom *s = f->symptom;

	return !s->flaky && !s->unsteady && verdict_answers(s->verdict) && *f->file;
}

static enum op lone_op(const struct program *p)
{
	enum op op = OP_COUNT;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		if (w.node->op == OP_CONSTANT)
			continue;
		if (w.node->n_region || (op != OP_COUNT && op != w.node->op))
			return OP_COUNT;
		op = w.node->op;
	}
	return op;
}

/* Asks the engine about the case with plain regions. */
static void try_plain(const struct question *any, const struct testcase *c, struct arena *a, struct plain_case *out)
{
	for (enum plain how = 0; how < PLAINS; how++) {
		out[how].fails = trial_plain(c, how, a, &out[how].c) && case_shows(&out[how].c, any, a, NULL);
		if (out[how].fails)
			trials_make(any, &out[how].c, a, &out[how].trials);
	}
}

static bool open_late(struct triage *self, int at, const struct question *any, struct late *out)
{
	const struct finding *f = &self->finding[at];
	const struct arena_mark mark = arena_mark(self->side);
	char path[LATE_TEXT];
	struct testcase written;
	struct error e = {0};
	bool shows;

	out->at = at;
	if (!may_join(f) || snprintf(path, sizeof path, "%s/%s", self->dir, f->file) >= (int)sizeof path ||
	    !testcase_read_file(path, self->side, &out->c, &e))
		return false;
	shows = case_shows(&out->c, any, self->side, NULL);
	if (!shows) {
		arena_rewind(self->side, mark);
		return false;
	}
	/* A derivative that is asked for has more to change than one that is an op. */
	if (trial_hoist(&out->c, self->side, &written) && case_shows(&written, any, self->side, NULL))
		out->c = written;
	out->lowered = trial_lower(&out->c, self->side, &written) && case_shows(&written, any, self->side, NULL);
	if (out->lowered)
		out->c = written;
	if (f->symptom->asked.order < 2 || !written_alike(any, &out->c, self->side, &written) ||
	    !case_shows(&written, any, self->side, NULL))
		written = out->c;
	out->asked = asked_of(&written);
	trials_make(any, &written, self->side, &out->trials);
	out->op = lone_op(&out->c.program);
	out->has_own = trial_own_inputs(&out->c, self->side, &out->own) && case_shows(&out->own, any, self->side, NULL);
	try_plain(any, &out->c, self->side, out->plain);
	return true;
}

/* ---- two findings ---- */

/* Whether they are the same request; jvp and vjp of order 2 or more count as the same. */
static bool asked_alike(const struct request_summary *x, const struct request_summary *y)
{
	return asked_explains(x, y) && asked_explains(y, x);
}

static bool is_elementwise(enum op op)
{
	const enum family family = op_table[op].family;

	return family == FAMILY_UNARY || family == FAMILY_BINARY;
}

/* The effect of op `to` in the place of the only one.  If an input is used twice, that may hide the mistake. */
static enum effect try_other_op(const struct question *any, const struct late *x, enum op to, struct arena *a)
{
	struct judgement j;
	const enum effect effect = trial_op(any, &x->c, x->op, to, a, &j);

	return effect == EFFECT_RIGHT && x->has_own ? trial_op(any, &x->own, x->op, to, a, &j) : effect;
}

/* Whether each case still fails with the other one's op.  Elementwise ops have rules of their own, and are left out. */
static bool fails_with_other_op(const struct question *any, const struct late *x, const struct late *y, struct arena *a)
{
	enum effect there, back;

	if (x->op == OP_COUNT || y->op == OP_COUNT || x->op == y->op || is_elementwise(x->op) || is_elementwise(y->op))
		return false;
	there = try_other_op(any, x, y->op, a);
	back = try_other_op(any, y, x->op, a);
	return there != EFFECT_RIGHT && back != EFFECT_RIGHT && (there == EFFECT_FAILS || back == EFFECT_FAILS);
}

static bool near(double x, double y) { return x == y || fabs(x - y) <= same_number * fmax(fabs(x), fabs(y)); }

/* Whether two ops that multiply make one wrong number of a product of two numbers.  It depends on both factors, so two
 * bugs seldom agree. */
static bool multiplies_alike(const struct question *any, const struct late *x, const struct late *y, struct arena *a)
{
	struct judgement j, k;

	if (x->asked.order != 1 || x->asked.batch || y->asked.batch || x->op == y->op || x->c.n_transform != 1)
		return false;
	return trial_product(any, x->op, x->c.transform, a, &j) && trial_product(any, y->op, x->c.transform, a, &k) &&
	    near(j.returned, k.returned);
}

/* Whether x, of order 1, is wrong by the same numbers in the other mode, which y is about. */
static bool fails_in_other_mode(const struct question *any, const struct late *x, const struct late *y,
    const struct symptom *s, const struct symptom *t, struct arena *a)
{
	struct judgement j, own;

	return s->asked.order == 1 && t->asked.order == 1 && strcmp(s->asked.kind, t->asked.kind) != 0 &&
	    s->asked.batch == t->asked.batch && x->op != OP_COUNT && x->op == y->op &&
	    trial_mode(any, &x->c, a, &j) == EFFECT_FAILS && case_shows(&x->c, any, a, &own) &&
	    near(j.expected, own.expected) && near(j.returned, own.returned);
}

/* Whether they have the same ops, and ask for different modes of order 1.  Then they are one bug if the case of either
 * has one wrong matrix of derivatives. */
static bool is_one_jacobian(const struct question *any, const struct late *x, const struct late *y,
    const struct symptom *s, const struct symptom *t, struct arena *a)
{
	return s->asked.order == 1 && t->asked.order == 1 && strcmp(s->asked.kind, t->asked.kind) != 0 &&
	    pattern_is_part(&s->pattern, &t->pattern) && pattern_is_part(&t->pattern, &s->pattern) &&
	    (trial_same_jacobian(any, &x->c, a) || trial_same_jacobian(any, &y->c, a));
}

/* Whether x is about a primal, and the primal of y is wrong too. */
static bool is_primal_of(
    const struct question *any, const struct symptom *x, const struct late *y, const struct symptom *s, struct arena *a)
{
	struct judgement j;

	return !x->asked.order && s->asked.order && x->asked.batch <= s->asked.batch &&
	    pattern_explains(&x->pattern, &s->pattern) && trial_primal(any, &y->c, a, &j) == EFFECT_FAILS;
}

/* Whether x is about a primal that the engine needs for the derivative of y.  Written as a program, that derivative has
 * the ops of x and gives the same wrong numbers. */
static bool is_primal_in_derivative(
    const struct question *any, const struct symptom *x, const struct late *y, const struct symptom *s, struct arena *a)
{
	struct judgement j, own;
	struct testcase written;

	return !x->asked.order && s->asked.order && x->asked.batch <= s->asked.batch &&
	    written_in_full(&y->c, a, &written) && pattern_is_in(&x->pattern, &written) &&
	    trial_written(any, &y->c, a, &j) == EFFECT_FAILS && case_shows(&y->c, any, a, &own) &&
	    near(j.expected, own.expected) && near(j.returned, own.returned);
}

/* Ops that other ones can stand for: the function of a custom as a checkpoint, a scatter_apply as a loop. */
static const struct {
	enum op op, as;
	bool (*write)(const struct testcase *c, struct arena *a, struct testcase *out);
} written_as[] = {{OP_CUSTOM, OP_CHECKPOINT, trial_as_checkpoint}, {OP_SCATTER_APPLY, OP_FOR, trial_as_loop}};

/* Whether x is about the second op of such a row, and y about the first one.  Written in the other way, y gives the
 * same wrong numbers. */
static bool is_written_as(
    const struct question *any, const struct symptom *x, const struct late *y, const struct symptom *s, struct arena *a)
{
	struct judgement j, own;
	struct testcase written;

	for (size_t i = 0; i < sizeof written_as / sizeof *written_as; i++)
		if (x->pattern.has[written_as[i].as] && s->pattern.has[written_as[i].op] &&
		    asked_is_in(&x->asked, &s->asked) && written_as[i].write(&y->c, a, &written) &&
		    pattern_is_in(&x->pattern, &written) && case_shows(&written, any, a, &j) &&
		    case_shows(&y->c, any, a, &own) && near(j.expected, own.expected) && near(j.returned, own.returned))
			return true;
	return false;
}

/* Whether y is about NaNs that 0 times infinity can explain, and has the ops of x.  It must be wrong where that
 * explains nothing: at a plain point, or in one result without the nodes that it does not need. */
static bool is_wrong_without_nan(
    const struct question *any, const struct symptom *x, const struct late *y, const struct symptom *s, struct arena *a)
{
	struct judgement j;

	return s->weak_zero && !x->weak_zero && pattern_is_leaf(&x->pattern) && pattern_is_in(&x->pattern, &y->c) &&
	    (trial_plain_point(any, &y->c, a, &j) == EFFECT_FAILS || trial_needs_no_infinity(any, &y->c, a));
}

/* Whether x is about NaNs that 0 times infinity can explain, and y about a NaN of a product with a zero derivative. The
 * other factor of that product may be anything. */
static bool is_zero_times_nan(
    const struct question *any, const struct symptom *x, const struct late *y, const struct symptom *s, struct arena *a)
{
	struct judgement j;

	return x->weak_zero && !s->weak_zero && s->verdict == VERDICT_NAN_LEAK &&
	    trial_without_zeros(any, &y->c, a, &j) == EFFECT_RIGHT;
}

/* Whether they need the same things in order to fail, by their trials.  Several points say little: then one has all ops
 * of the other too. */
static bool need_the_same(const struct late *x, const struct late *y, const struct symptom *s, const struct symptom *t)
{
	const bool alike = asked_alike(&x->asked, &y->asked),
	           first = x->asked.order == 1 && y->asked.order == 1 && x->asked.batch == y->asked.batch;
	const enum likeness likeness = alike ? trials_alike(&x->trials, &y->trials) : LIKENESS_NONE;

	return likeness == LIKENESS_FULL ||
	    (likeness == LIKENESS_POINTS &&
	        (pattern_is_part(&s->pattern, &t->pattern) || pattern_is_part(&t->pattern, &s->pattern))) ||
	    ((alike || first) && trials_same_size(&x->trials, &y->trials)) ||
	    trials_same_rounding(&x->trials, &y->trials);
}

/* Whether x is one elementwise op whose derivative counts as a constant at the next order (same_bug.h).  Its seeds may
 * depend on the inputs too, and hide that. */
static bool is_constant(const struct question *any, const struct late *x, const struct symptom *s, struct arena *a)
{
	struct judgement j;

	if (s->verdict != VERDICT_WRONG || s->asked.order < 2 || !pattern_is_elementwise_op(&s->pattern))
		return false;
	return s->deviation == DEVIATION_ZERO ||
	    (trial_seeds(any, &x->c, a, &j) == EFFECT_FAILS && j.deviation == DEVIATION_ZERO);
}

/* Whether both are wrong in loops and branches, and name the same ones when fixed points are loops.  Such names tell
 * little, so all trials must agree too. */
static bool is_same_loop(const struct late *x, const struct late *y, const struct symptom *s, const struct symptom *t)
{
	const struct pattern of_x = pattern_of(&x->c, NULL), of_y = pattern_of(&y->c, NULL);

	return x->lowered != y->lowered && asked_alike(&x->asked, &y->asked) && s->deviation == t->deviation &&
	    pattern_is_bare(&of_x) && !memcmp(&of_x, &of_y, sizeof of_x) && trials_equal(&x->trials, &y->trials);
}

/* Whether both are wrong with plain regions too, and then are one program that needs the same things in order to fail.
 * So the ops in the regions do not matter. */
static bool is_same_with_plain(const struct late *x, const struct late *y)
{
	for (enum plain how = 0; how < PLAINS; how++) {
		const struct plain_case *p = &x->plain[how], *q = &y->plain[how];

		if (p->fails && q->fails && asked_alike(&x->asked, &y->asked) && trial_same_form(&p->c, &q->c) &&
		    trials_agree(&p->trials, &q->trials))
			return true;
	}
	return false;
}

/* Whether both are about a value, x is wrong in loops and branches alone, and y has those too.  The other ops of y are
 * not to blame if the operands of its loops and branches are right. */
static bool is_region_alone(
    const struct question *any, const struct symptom *x, const struct late *y, const struct symptom *s, struct arena *a)
{
	return !x->asked.order && !s->asked.order && asked_alike(&x->asked, &s->asked) &&
	    pattern_is_bare(&x->pattern) && pattern_is_part(&x->pattern, &s->pattern) && !symptoms_apart(x, s) &&
	    trial_operands_right(any, &y->c, a);
}

static bool same_bug_by_trials(
    const struct triage *self, const struct question *any, const struct late *x, const struct late *y, struct arena *a)
{
	const struct symptom *s = self->finding[x->at].symptom, *t = self->finding[y->at].symptom;

	if (signature_declared(self->finding[x->at].signature) || signature_declared(self->finding[y->at].signature))
		return false;
	if (s->weak_zero || t->weak_zero)
		return is_wrong_without_nan(any, s, y, t, a) || is_wrong_without_nan(any, t, x, s, a) ||
		    is_zero_times_nan(any, s, y, t, a) || is_zero_times_nan(any, t, x, s, a);
	if (is_primal_of(any, s, y, t, a) || is_primal_of(any, t, x, s, a) || fails_in_other_mode(any, x, y, s, t, a) ||
	    is_one_jacobian(any, x, y, s, t, a))
		return true;
	if (is_primal_in_derivative(any, s, y, t, a) || is_primal_in_derivative(any, t, x, s, a))
		return true;
	if (need_the_same(x, y, s, t) || is_same_loop(x, y, s, t) || is_same_with_plain(x, y))
		return true;
	if (is_region_alone(any, s, y, t, a) || is_region_alone(any, t, x, s, a))
		return true;
	if (is_written_as(any, s, y, t, a) || is_written_as(any, t, x, s, a))
		return true;
	return asked_alike(&s->asked, &t->asked) &&
	    (fails_with_other_op(any, x, y, a) || multiplies_alike(any, x, y, a) ||
	        (is_constant(any, x, s, a) && is_constant(any, y, t, a)));
}

/* ---- all of them ---- */

bool late_says_more(const struct late_rank *y, const struct late_rank *x)
{
	if (y->of_value != x->of_value)
		return y->of_value;
	return y->points != x->points ? y->points < x->points : y->ops < x->ops;
}

static struct late_rank rank_of(const struct triage *self, const struct late *x)
{
	const struct finding *f = &self->finding[x->at];

	return (struct late_rank){!f->symptom->asked.order, x->c.n_point, f->ops};
}

/* Joins *y to *x, or the other way round if *y says more.  *x becomes the one that stays. */
static void join_two(struct triage *self, struct late *list, int n, int x, int y)
{
	const struct late_rank of_x = rank_of(self, &list[x]), of_y = rank_of(self, &list[y]);
	const bool swap = late_says_more(&of_y, &of_x);
	const int to = swap ? y : x, from = list[swap ? x : y].at;
	struct finding *gone = &self->finding[from];

	finding_join(self, &self->finding[list[to].at], gone);
	memmove(gone, gone + 1, (size_t)(--self->n_finding - from) * sizeof *gone);
	list[x] = list[to];
	for (int k = 0; k < n; k++)
		list[k].at -= list[k].at > from;
}

void late_group(int n, late_same_fn *same, void *self, int *group)
{
	for (int x = 0; x < n; x++)
		group[x] = x;
	for (int x = 0; x < n; x++)
		for (int y = x + 1; y < n; y++) {
			const int gone = group[y], to = group[x];

			if (gone == to || !same(self, x, y))
				continue;
			for (int k = 0; k < n; k++)
				group[k] = group[k] == gone ? to : group[k];
		}
}

struct compared {
	struct triage *triage;
	const struct question *any;
	const struct late *list;
	int n, *group;
};

static bool is_same(void *self, int x, int y)
{
	const struct compared *c = self;
	struct arena *a = c->triage->side;
	const struct arena_mark mark = arena_mark(a);
	const bool same = same_bug_by_trials(c->triage, c->any, &c->list[x], &c->list[y], a);

	arena_rewind(a, mark);
	return same && !c->any->guess; /* a guess must leave no comparison out */
}

static void compare_all(void *context, const struct question *q, struct arena *a)
{
	struct compared *x = context, own = *x;

	(void)a; /* it is that of triage */
	own.any = q;
	late_group(x->n, is_same, &own, x->group);
}

/* All are compared before any are joined: the case that stays need not be the one that tells. */
static void join_list(struct triage *self, const struct question *any, struct late *list, int n)
{
	int group[LATE_FINDINGS];

	rehearse(any, compare_all, &(struct compared){self, any, list, n, group}, self->side);
	for (int x = 0; x < n; x++)
		for (int y = x + 1; y < n; y++) {
			if (group[x] != group[y])
				continue;
			join_two(self, list, n, x, y);
			n--;
			memmove(&list[y], &list[y + 1], (size_t)(n - y) * sizeof *list);
			memmove(&group[y], &group[y + 1], (size_t)(n - y) * sizeof *group);
			y--;
		}
}

struct joining {
	struct triage *triage;
	const struct question *any;
	const char *engine;
};

static void join_engine(void *context)
{
	const struct joining *x = context;
	struct triage *self = x->triage;
	struct late *list = NEW(self->side, struct late, LATE_FINDINGS);
	int n = 0;

	for (int i = 0; i < self->n_finding && n < LATE_FINDINGS && !triage_over(self); i++)
		if (self->finding[i].engine == x->engine)
			n += open_late(self, i, x->any, &list[n]);
	if (!triage_over(self))
		join_list(self, x->any, list, n);
}

static int findings_of(const struct triage *self, const char *engine)
{
	int n = 0;

	for (int i = 0; i < self->n_finding; i++)
		n += self->finding[i].engine == engine && may_join(&self->finding[i]);
	return n;
}

void triage_join_late(struct triage *self, int which)
{
	const struct oracle_options oracle = {.seed = self->seed, .fd_one_in = INT_MAX};
	const struct limit limit = {.stop = stop_requested, .deadline = self->deadline};
	struct question any = {.until = &limit};
	struct bench one;
	struct error e = {0};

	if (findings_of(self, self->name[which]) < 2 ||
	    !bench_open_again(&one, self->spec[which], self->right_on, &oracle, self->deadline, &e))
		return;
	any.bench = &one;
	arena_reset(self->side);
	arena_try(self->side, join_engine, &(struct joining){self, &any, self->name[which]});
	self->allowance.spent += bench_work(&one);
	bench_close(&one);
}

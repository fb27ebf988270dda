/* question.c: see question.h. */
#include "question.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "engines/engine.h"
#include "declared.h"
#include "like_right.h"

enum {
	STEADY_RUNS = 8, /* fresh processes that are asked about a failure that may be chance */
	FRESH_RUNS = 16, /* for an engine whose answers differ; each run in its own process */
	/* A candidate that may hang gets this part of the time limit, */
	HANG_PART = 20,
	/* but at least this many times the slowest answer so far. */
	HANG_FACTOR = 10
};

bool limit_over(const struct limit *l, const struct engine *engine)
{
	return l &&
	    (l->ended || (l->stop && l->stop()) || (engine && l->hung > LIMIT_HANGS * 1e-3 * engine_timeout(engine)) ||
	        l->restarted > LIMIT_RESTARTS || (l->deadline > 0 && bench_clock() >= l->deadline));
}

/* A request whose cost is noted. */
struct costing {
	double start;
	int restarts;
};

/* engine: NULL where the oracles alone are asked. */
static struct costing cost_start(const struct engine *engine)
{
	return (struct costing){bench_clock(), engine ? engine_trouble(engine).restarts : 0};
}

/* died: it was not answered, and did not hang.  Returns the seconds that it took. */
static double cost_note(struct limit *l, const struct costing *x, const struct engine *engine, bool hung, bool died)
{
	const double took = bench_clock() - x->start;

	l->hung += hung ? took : 0;
	l->restarted += died && engine_trouble(engine).restarts > x->restarts ? took : 0;
	l->deaths += died;
	return took;
}

/* Whether finding j has the signature that q asks for.  Another finding is noted as a slip. */
static bool is_asked_for(const struct question *q, const struct engine *engine, const struct testcase *c,
    const struct judgement *j, struct arena *a)
{
	const char *signature;

	if (!q->signature)
		return q->declared || !j->declared;
	signature = signature_coarse(engine_name(engine), c, j, a);
	if (!strcmp(signature, q->signature))
		return true;
	if (q->slips)
		slips_note(q->slips, signature, c, a);
	return false;
}

/* ---- answers given ahead ---- */

static struct engine *engine_of(const struct question *q) { return q->engine ? q->engine : q->bench->engine[0]; }

struct lookahead *question_ahead(const struct question *q, int requests)
{
	const enum verdict expected = q->signature ? signature_verdict(q->signature) : VERDICT_UNDECIDED;

	if (q->fresh || q->runs > 1 || q->rough || q->disagreement || q->result || expected == VERDICT_HANG ||
	    expected == VERDICT_OOM)
		return NULL;
	return lookahead_open(q->bench, engine_of(q), requests);
}

/* The answers to c that were given ahead; NULL: there are none that count. */
static const struct answer *given_ahead(const struct question *q, const struct testcase *c)
{
	const struct answer *answers = q->ahead ? lookahead_answers(q->ahead, c) : NULL;

	for (int k = 0; answers && k < c->n_point; k++)
		if (answers[k].status == ANSWER_FAILURE || answers[k].status == ANSWER_INTERRUPTED)
			return NULL;
	return answers;
}

/*
 * Whether the answer that was given ahead settles the question; *out is then its judgement.  It counts as work like an
 * answer to the case alone, because the work of a search must not depend on what is asked together.
 */
static bool is_settled(const struct question *q, struct engine *engine, const struct testcase *c,
    struct shared_truth *t, struct arena *a, struct judgement *out)
{
	const struct answer *answers = given_ahead(q, c);

	if (!answers)
		return false;
	bench_verdict(q->bench, engine, c, &t->truth, answers, a, out);
	if (verdict_is_finding[out->verdict]) {
		if (!q->trusts_ahead || q->bench->reference || !verdict_of_numbers(out->verdict))
			return false;
		if (!t->confirmed) {
			t->confirmed = true;
			oracle_confirm(q->bench->oracle, c, a, &t->truth);
			bench_verdict(q->bench, engine, c, &t->truth, answers, a, out);
		}
		if (verdict_is_finding[out->verdict]) /* it would be asked a second time */
			bench_count(q->bench, engine, c);
	}
	bench_count(q->bench, engine, c);
	return true;
}

const struct answer *question_answers(const struct question *q, const struct testcase *c, struct arena *a)
{
	const struct answer *given = given_ahead(q, c);
	struct answer *own;

	if (given)
		bench_count(q->bench, engine_of(q), c);
	if (given || q->guess)
		return given;
	own = NEW(a, struct answer, c->n_point);
	bench_answer(q->bench, engine_of(q), c, a, own);
	return own;
}

/* Takes the guess for the answer to c. */
static bool guess(const struct question *q, struct judgement *out)
{
	out->verdict = q->guess == GUESS_FINDING ? VERDICT_WRONG : VERDICT_AGREE;
	return q->guess == GUESS_FINDING;
}

/* ---- in short ---- */

static enum answer_status status_of(enum verdict v)
{
	return v == VERDICT_CRASH   ? ANSWER_CRASH
	    : v == VERDICT_HANG     ? ANSWER_HANG
	    : v == VERDICT_OOM      ? ANSWER_OOM
	    : v == VERDICT_PROTOCOL ? ANSWER_PROTOCOL
	                            : ANSWER_OK;
}

static int short_timeout(const struct limit *spent, int whole)
{
	double ms = fmax(whole / HANG_PART, 1e3 * HANG_FACTOR * spent->slowest);

	return ms < whole ? (int)ms : whole;
}

/* Whether the engine's failure to answer c, which makes this verdict, is what q asks for. */
static bool is_broken(const struct question *q, struct engine *engine, const struct testcase *c, enum verdict verdict,
    struct arena *a, struct judgement *out)
{
	if (!bench_reference_agrees(q->bench, c, a))
		return false;
	*out = (struct judgement){.verdict = verdict};
	return is_asked_for(q, engine, c, out, a);
}

static bool any_answer(const struct answer *answers, int n, enum answer_status status)
{
	int k = 0;

	while (k < n && answers[k].status != status)
		k++;
	return k < n;
}

/* Whether the engine crashes, hangs or breaks the protocol on c, as `verdict` says.  This needs no truth. */
static bool ends_so(const struct question *q, struct engine *engine, enum verdict verdict, const struct testcase *c,
    struct arena *a, struct judgement *out)
{
	const struct answer *ahead = given_ahead(q, c);
	struct answer *answer = NEW(a, struct answer, c->n_point);
	const struct costing cost = cost_start(engine);
	double took;
	bool ends, hangs;

	if (ahead && !any_answer(ahead, c->n_point, status_of(verdict))) {
		bench_count(q->bench, engine, c);
		q->spent->slowest = fmax(q->spent->slowest, lookahead_seconds(q->ahead));
		return false;
	}
	engine_set_timeout(engine, short_timeout(q->spent, engine_timeout(engine)));
	bench_answer(q->bench, engine, c, a, answer);
	engine_set_timeout(engine, 0);
	ends = any_answer(answer, c->n_point, status_of(verdict));
	hangs = any_answer(answer, c->n_point, ANSWER_HANG) || any_answer(answer, c->n_point, ANSWER_OOM);
	took = cost_note(q->spent, &cost, engine, hangs, ends && !hangs);
	if (!hangs)
		q->spent->slowest = fmax(q->spent->slowest, took);
	return ends && is_broken(q, engine, c, verdict, a, out);
}

static bool any_judged(const struct truth_tensor *t, int n)
{
	for (int k = 0; k < n; k++)
		for (int i = 0; i < shape_elements(&t[k].type.shape); i++)
			if (t[k].at[i].reason == REASON_NONE || t[k].at[i].in_domain ||
			    component_alternatives(&t[k].at[i]))
				return true;
	return false;
}

/* Whether the truth decides any number, so that an answer can be wrong or leak a NaN. */
static bool can_be_wrong(const struct truth *t)
{
	for (int p = 0; p < t->n_point; p++) {
		const struct truth_point *x = &t->point[p];

		if (x->hull || any_judged(x->primal, x->n_primal))
			return true;
		for (int k = 0; k < x->n_assignment && x->n_derivative; k++)
			if (any_judged(x->derivative[k], x->n_derivative))
				return true;
	}
	return false;
}

static bool needs_number(enum verdict v)
{
	return v == VERDICT_WRONG || v == VERDICT_WRONG_PRIMAL || v == VERDICT_NAN_LEAK;
}

/* ---- one run, and all ---- */

static bool shows_once(const struct question *q, struct engine *engine, const struct testcase *c,
    struct shared_truth *t, struct arena *a, struct judgement *out)
{
	const struct costing cost = cost_start(engine);
	struct bench_result own, *r = q->result ? q->result : &own;

	if (q->judged == JUDGED_IN_FULL) {
		struct shared_truth own_truth = {.confirmed = true};

		bench_truth(q->bench, c, a, r);
		own_truth.truth = r->truth;
		if (is_settled(q, engine, c, &own_truth, a, out))
			return false;
		bench_conclude(q->bench, c, a, r);
		*out = r->judgement[0];
	} else if (is_settled(q, engine, c, t, a, out)) {
		if (!verdict_is_finding[out->verdict])
			return false;
	} else if (q->guess) {
		return guess(q, out);
	} else {
		bench_judge_one(q->bench, engine, c, a, t, out);
	}
	if (q->spent)
		cost_note(q->spent, &cost, engine, out->verdict == VERDICT_HANG,
		    out->verdict != VERDICT_HANG && !verdict_answers(out->verdict));
	return q->disagreement
	    ? r->oracle_disagreement
	    : verdict_is_finding[out->verdict] && !(q->certain && out->beyond) && is_asked_for(q, engine, c, out, a);
}

static bool ask(const struct testcase *c, const struct question *q, struct arena *a, struct judgement *out)
{
	const enum verdict expected = q->judged == JUDGED_IN_SHORT ? signature_verdict(q->signature)
	                                                           : VERDICT_UNDECIDED;
	struct engine *engine = engine_of(q);
	enum answer_status broken;
	struct shared_truth own = {.confirmed = true}; /* confirmed: so no finite differences are computed */

	if (limit_over(q->until, engine) || (q->refuse && q->refuse(q->context, c)))
		return false;
	if (q->guess && !given_ahead(q, c)) {
		if (!lookahead_has(q->ahead, c))
			lookahead_add(q->ahead, c);
		return guess(q, out);
	}
	if (!verdict_answers(expected))
		return ends_so(q, engine, expected, c, a, out);
	if (q->rough) {
		if (answers_like_right(q->bench, engine, c, a, &broken))
			return false;
		if (broken != ANSWER_OK)
			return is_broken(
			    q, engine, c, broken == ANSWER_CRASH ? VERDICT_CRASH : VERDICT_PROTOCOL, a, out);
		return true;
	}
	if (q->judged != JUDGED_IN_FULL && !q->truth)
		oracle_truth(q->bench->oracle, c, a, &own.truth);
	if (needs_number(expected) && !can_be_wrong(&own.truth))
		return false;
	for (int run = 1;; run++) {
		const bool is_fresh = q->fresh && engine_restart(engine);
		const int runs = q->runs || !q->fresh ? q->runs : is_fresh ? FRESH_RUNS : BENCH_RUNS;
		const struct arena_mark mark = arena_mark(a);

		if (shows_once(q, engine, c, q->truth ? q->truth : &own, a, out))
			return true;
		if (run >= runs)
			return false;
		if (q->judged == JUDGED_IN_FULL)
			arena_rewind(a, mark);
	}
}

struct asking {
	const struct testcase *c;
	const struct question *q;
	struct arena *arena;
	struct judgement *out;
	bool shows;
};

static void run_asking(void *context)
{
	struct asking *x = context;

	x->shows = ask(x->c, x->q, x->arena, x->out);
}

bool case_shows(const struct testcase *c, const struct question *q, struct arena *a, struct judgement *out)
{
	const struct arena_mark mark = arena_mark(a);
	struct judgement judgement;
	struct asking x = {c, q, a, out ? out : &judgement, false};

	assert(q->bench && !(q->disagreement && q->signature) && (q->judged != JUDGED_IN_SHORT || q->spent));
	assert(!q->trusts_ahead || (q->ahead && q->judged == JUDGED_BY_ANALYTIC));
	*x.out = (struct judgement){.verdict = VERDICT_UNDECIDED};
	if (!q->full_is_no)
		return ask(c, q, a, x.out);
	if (!arena_try(a, run_asking, &x))
		arena_rewind(a, mark);
	return x.shows;
}

bool case_comes_again(const struct testcase *c, const struct question *about, struct arena *a)
{
	struct engine *engine = about->engine ? about->engine : about->bench->engine[0];
	const int killed = engine_trouble(engine).killed;
	struct question q = {.bench = about->bench,
	    .engine = about->engine,
	    .fresh = true,
	    .signature = about->signature,
	    .slips = about->slips};
	struct judgement j;
	int shown = 1, runs = 1;

	if (!case_shows(c, &q, a, &j))
		return false;
	if (!engine_timeout(engine)) /* it is in this process: there is no fresh one */
		return true;
	q.runs = 1;
	while (engine_trouble(engine).killed > killed && shown == runs && runs < STEADY_RUNS) {
		shown += case_shows(c, &q, a, NULL);
		runs++;
	}
	if (!verdict_answers(j.verdict))
		return shown == runs;
	while (j.verdict == VERDICT_NONDETERMINISTIC && runs < STEADY_RUNS) {
		shown += case_shows(c, &q, a, NULL);
		runs++;
	}
	return 2 * shown >= runs;
}

bool finding_is_flaky(const struct bench *b, int k, const struct testcase *c, const struct bench_result *r,
    const char *signature, struct arena *a)
{
	struct bench own = *b;
	const struct question q = {.bench = &own, .engine = b->engine[k], .signature = signature};

	return engine_timeout(b->engine[k]) && (r->unsteady[k] || r->incident[k].killed) && !case_comes_again(c, &q, a);
}

bool question_holds(void *question, const struct testcase *candidate, struct arena *scratch)
{
	return case_shows(candidate, question, scratch, NULL);
}

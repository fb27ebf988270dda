/* bench.c: one case in, judgements out. */
#include "bench.h"

#include "engines/process/hello.h"
#include "reports/summary.h"
#include "case_work.h"
#include "declared.h"
#include "two_runs.h"

#include <string.h>
#include <time.h>

double bench_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool bench_any(const struct answer *answers, int n, enum answer_status status)
{
	for (int k = 0; k < n; k++)
		if (answers[k].status == status)
			return true;
	return false;
}

static void wait_ended(struct bench *b, const struct engine *engine, double start)
{
	for (int k = 0; k < b->n_engine; k++)
		if (b->engine[k] == engine)
			b->waited[k] += bench_clock() - start;
}

double bench_waited(const struct bench *b)
{
	double sum = 0;

	for (int k = 0; k < b->n_engine; k++)
		sum += b->waited[k];
	return sum;
}

/* ---- asking ---- */

void bench_count(struct bench *b, const struct engine *engine, const struct testcase *c)
{
	b->work += engine_hello(engine) ? case_work(c) + WORK_EXTERNAL : request_work(c, engine_spec(engine));
}

void bench_answer_shared(struct bench *b, struct engine *engine, const struct testcase *c, struct engine_share *share,
    struct arena *a, struct answer *out)
{
	bench_count(b, engine, c);
	engine_answer_shared(engine, c, share, a, out);
}

void bench_answer(struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a, struct answer *out)
{
	bench_answer_shared(b, engine, c, NULL, a, out);
}

/* Of the processes that the engine has had, and of the one that it has or will need next. */
static int64_t process_work(const struct engine *engine)
{
	return engine && engine_timeout(engine) ? (INT64_C(1) + engine_trouble(engine).restarts) * WORK_PROCESS : 0;
}

int64_t bench_work(const struct bench *b)
{
	int64_t sum = b->work + oracle_statistics(b->oracle).work + process_work(b->reference) + process_work(b->right);

	for (int k = 0; k < b->n_engine; k++)
		sum += process_work(b->engine[k]);
	return sum;
}

/* *first: receives the incident, unless it has one.  share: NULL, or what engines asked before have left. */
static struct answer *ask_shared(struct bench *b, struct engine *engine, const struct testcase *c,
    struct engine_share *share, struct arena *a, struct incident *first)
{
	struct answer *answers = NEW(a, struct answer, c->n_point);
	double start = bench_clock();

	bench_answer_shared(b, engine, c, share, a, answers);
	wait_ended(b, engine, start);
	if (first->status == ANSWER_OK)
		*first = engine_incident(engine);
	b->failures += bench_any(answers, c->n_point, ANSWER_FAILURE);
	b->interrupted += bench_any(answers, c->n_point, ANSWER_INTERRUPTED);
	return answers;
}

static struct answer *bench_ask(
    struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a, struct incident *first)
{
	return ask_shared(b, engine, c, NULL, a, first);
}

/* ---- the reference ---- */

static bool reference_agrees(struct bench *b, const struct testcase *c, const struct truth *truth, struct arena *a)
{
	struct arena_mark mark = arena_mark(a);
	struct incident incident = {.status = ANSWER_OK}; /* of the reference: of no interest */
	struct answer *answer;
	struct judgement j;

	if (!b->reference)
		return true;
	answer = bench_ask(b, b->reference, c, a, &incident);
	bench_verdict(b, b->reference, c, truth, answer, a, &j);
	judgement_forgive(&j);
	arena_rewind(a, mark);
	return j.verdict == VERDICT_AGREE || j.verdict == VERDICT_CONVENTION || j.verdict == VERDICT_INACCURATE;
}

bool bench_reference_agrees(struct bench *b, const struct testcase *c, struct arena *a)
{
	struct truth truth;

	if (!b->reference)
		return true;
	oracle_truth(b->oracle, c, a, &truth);
	return reference_agrees(b, c, &truth, a);
}

/* For a finding where the reference is not right either. */
static void judge_common(struct judgement *j)
{
	j->verdict = VERDICT_UNDECIDED;
	j->reason = REASON_REFERENCE;
	j->deviation = DEVIATION_NONE;
}

/* Each counts in whichever run it comes. */
static const enum answer_status broken[] = {ANSWER_CRASH, ANSWER_OOM, ANSWER_PROTOCOL};
enum { BROKEN = sizeof broken / sizeof *broken };

static bool is_broken(const struct answer *answers, int n)
{
	for (size_t s = 0; s < BROKEN; s++)
		if (bench_any(answers, n, broken[s]))
			return true;
	return false;
}

/*
 * Asks the engine again before a finding counts.  A crash, memory that is out or a broken protocol counts in either
 * run.  A hang that does not come again may be due to a busy machine, and a failure is not the engine's fault; the
 * other run then counts.  If the second run is interrupted, the first one counts, unless it is a hang.  True if the
 * second run shows the same as the first.
 */
static bool bench_ask_again(struct bench *b, struct engine *engine, const struct testcase *c,
    struct engine_share *share, struct arena *a, const struct truth *truth, struct answer **answer,
    struct judgement *judgement, struct incident *incident)
{
	static const enum answer_status ours[] = {ANSWER_HANG, ANSWER_FAILURE};
	const struct hello *hello = engine_hello(engine);
	struct answer *first = *answer, *second = ask_shared(b, engine, c, share, a, incident);
	struct difference d;

	for (size_t s = 0; s < BROKEN; s++) {
		if (bench_any(first, c->n_point, broken[s]))
			return bench_any(second, c->n_point, broken[s]);
		if (bench_any(second, c->n_point, broken[s])) {
			*answer = second;
			bench_verdict(b, engine, c, truth, second, a, judgement);
			return false;
		}
	}
	if (bench_any(second, c->n_point, ANSWER_INTERRUPTED) && !bench_any(first, c->n_point, ANSWER_HANG))
		return true;
	for (size_t s = 0; s < sizeof(ours) / sizeof(ours[0]); s++) {
		bool in_first = bench_any(first, c->n_point, ours[s]),
		     in_second = bench_any(second, c->n_point, ours[s]);

		if (in_second)
			return in_first;
		if (in_first) {
			*answer = second;
			bench_verdict(b, engine, c, truth, second, a, judgement);
			return false;
		}
	}
	d = compare_runs(first, second, c->n_point);
	if (d.any && !(hello && hello->nondeterministic)) {
		judge_nondeterministic(&d, judgement);
		return false;
	}
	return true;
}

static bool any_disagreement(const struct truth *t)
{
	for (int k = 0; k < t->n_point; k++)
		if (t->point[k].fd.outcome == FD_DISAGREES)
			return true;
	return false;
}

/* ---- several cases in one request ---- */

const char *engine_version(const struct engine *engine, struct arena *a)
{
	const struct hello *hello = engine_hello(engine);

	if (!hello)
		return arena_printf(a, "adjudge %s", report_versions()[1]);
	return arena_printf(a, "%s%s%s", hello->name, *hello->version ? " " : "", hello->version);
}

struct spelled engine_spelled(const struct engine *engine, const struct testcase *c, struct arena *a)
{
	const struct hello *hello = engine_hello(engine);
	const struct arena_mark mark = arena_mark(a);
	bool has[SPELLED_COUNT] = {[SPELLED_REQUEST] = true};
	struct spelled out = {{0}};

	if (!hello || !hello->variants || !c->variant)
		return out;
	engine_asked_ops(engine, c, a, has);
	arena_rewind(a, mark);
	for (int k = 0; k < SPELLED_COUNT; k++)
		if (has[k])
			out.at[k] = (unsigned char)hello_spelled(hello, k, c->variant);
	return out;
}

const char *engine_spellings(const struct engine *engine, const struct testcase *c, struct arena *a)
{
	const struct spelled spelled = engine_spelled(engine, c, a);
	const char *out = NULL;

	for (int k = 0; k < SPELLED_COUNT; k++)
		if (spelled.at[k])
			out = arena_printf(a, "%s%s%s as %s", out ? out : "", out ? ", " : "", hello_spelled_name(k),
			    hello_spelling(engine_hello(engine), k, c->variant));
	return out;
}

int bench_cases(const struct bench *b)
{
	int least = 1;

	for (int k = 0; k < b->n_engine; k++) {
		int n = engine_cases(b->engine[k]);

		if (n > 1 && (least == 1 || n < least))
			least = n;
	}
	return least;
}

void bench_send(struct bench *b, const struct testcase *c, int n, struct arena *a, struct bench_result *r)
{
	for (int k = 0; k < b->n_engine; k++) {
		double start = bench_clock();
		struct answer **out;

		if (engine_cases(b->engine[k]) == 1)
			continue;
		out = NEW(a, struct answer *, n);
		for (int i = 0; i < n; i++)
			out[i] = NEW(a, struct answer, c[i].n_point);
		engine_send(b->engine[k], c, n, a, out);
		for (int i = 0; i < n; i++) {
			r[i].answer[k] = out[i];
			r[i].ahead[k] = true;
		}
		wait_ended(b, b->engine[k], start);
	}
}

void bench_receive(struct bench *b, int n, struct bench_result *r)
{
	for (int k = 0; k < b->n_engine; k++) {
		double start = bench_clock();

		if (!n || !r->ahead[k])
			continue;
		if (!engine_receive(b->engine[k], &r->incident[k]))
			for (int i = 0; i < n; i++) {
				r[i].answer[k] = NULL;
				r[i].ahead[k] = false;
			}
		wait_ended(b, b->engine[k], start);
	}
}

/*
 * An engine showed a finding in a request with several cases, so it is asked about this case alone.  If that answer is
 * a finding too, it replaces the first one.  Otherwise the two answers are compared as two runs.
 */
static void ask_alone(struct bench *b, int k, const struct testcase *c, struct arena *a, struct bench_result *io)
{
	struct answer *alone = bench_ask(b, b->engine[k], c, a, &io->incident[k]);
	struct judgement judgement;

	bench_verdict(b, b->engine[k], c, &io->truth, alone, a, &judgement);
	if (!verdict_is_finding[judgement.verdict])
		return;
	io->answer[k] = alone;
	io->judgement[k] = judgement;
}

/* ---- one case ---- */

/* Clears the places of the first n_engine engines.  Nobody reads the others. */
static void result_clear(struct bench_result *r, int n_engine)
{
	r->truth = (struct truth){0};
	r->oracle_disagreement = r->interrupted = false;
	for (int k = 0; k < n_engine; k++) {
		r->answer[k] = NULL;
		r->ahead[k] = r->unsteady[k] = false;
		r->judgement[k] = (struct judgement){0};
		r->incident[k] = (struct incident){0};
	}
}

void bench_truth(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out)
{
	result_clear(out, b->n_engine);
	oracle_truth(b->oracle, c, a, &out->truth);
}

void bench_judge(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out)
{
	bench_truth(b, c, a, out);
	bench_conclude(b, c, a, out);
}

/* A finding does not count where the reference is not right. */
static void bench_against(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *io)
{
	bool any = false;

	for (int k = 0; k < b->n_engine; k++)
		any = any || verdict_is_finding[io->judgement[k].verdict];
	if (!any || reference_agrees(b, c, &io->truth, a))
		return;
	for (int k = 0; k < b->n_engine; k++) {
		if (!verdict_is_finding[io->judgement[k].verdict])
			continue;
		judge_common(&io->judgement[k]);
		io->incident[k] = (struct incident){0}; /* the judgement explains it */
	}
}

void bench_conclude(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *io)
{
	const int64_t interrupted = b->interrupted;
	bool finding[BENCH_ENGINES] = {false}, any = false;
	struct engine_share share = {0};

	for (int k = 0; k < b->n_engine; k++) {
		if (!io->answer[k])
			io->answer[k] = ask_shared(b, b->engine[k], c, &share, a, &io->incident[k]);
		bench_verdict(b, b->engine[k], c, &io->truth, io->answer[k], a, &io->judgement[k]);
		finding[k] = verdict_is_finding[io->judgement[k].verdict];
		if (finding[k] && io->ahead[k])
			ask_alone(b, k, c, a, io);
		any = any || finding[k];
	}
	if (any) {
		oracle_confirm(b->oracle, c, a, &io->truth);
		/* Every engine is judged anew: numbers that the oracles no longer confirm are undecided for all. */
		for (int k = 0; k < b->n_engine; k++) {
			bench_verdict(b, b->engine[k], c, &io->truth, io->answer[k], a, &io->judgement[k]);
			if (finding[k])
				io->unsteady[k] = !bench_ask_again(b, b->engine[k], c, &share, a, &io->truth,
				    &io->answer[k], &io->judgement[k], &io->incident[k]);
		}
		bench_against(b, c, a, io);
	}
	io->oracle_disagreement = any_disagreement(&io->truth);
	io->interrupted = b->interrupted > interrupted;
}

void bench_judge_one(struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a,
    struct shared_truth *t, struct judgement *out)
{
	struct incident incident = {.status = ANSWER_OK}; /* the caller asks whether the case shows something */
	struct arena_mark mark = arena_mark(a);
	struct engine_share share = {0};
	struct answer *answer = ask_shared(b, engine, c, &share, a, &incident);

	bench_verdict(b, engine, c, &t->truth, answer, a, out);
	if (verdict_is_finding[out->verdict] && !t->confirmed) {
		t->confirmed = true;
		oracle_confirm(b->oracle, c, a, &t->truth);
		bench_verdict(b, engine, c, &t->truth, answer, a, out);
		mark = arena_mark(a); /* memory used by confirming belongs to the truth */
	}
	/* A second run would not change the verdict on a broken one, and would take another process. */
	if (verdict_is_finding[out->verdict] && !is_broken(answer, c->n_point))
		bench_ask_again(b, engine, c, &share, a, &t->truth, &answer, out, &incident);
	if (verdict_is_finding[out->verdict] && !reference_agrees(b, c, &t->truth, a))
		judge_common(out);
	arena_rewind(a, mark);
}

enum verdict bench_verdict_of(enum answer_status status)
{
	switch (status) {
	case ANSWER_CRASH:
		return VERDICT_CRASH;
	case ANSWER_HANG:
		return VERDICT_HANG;
	case ANSWER_OOM:
		return VERDICT_OOM;
	case ANSWER_PROTOCOL:
		return VERDICT_PROTOCOL;
	case ANSWER_TOO_LARGE:
	case ANSWER_UNSUPPORTED:
		return VERDICT_UNSUPPORTED;
	case ANSWER_OK:
	case ANSWER_FAILURE:
	case ANSWER_INTERRUPTED:
		break;
	}
	return VERDICT_UNDECIDED;
}

static bool any_judged(const struct bench_result *r, int n, int k, enum verdict v)
{
	for (int i = 0; i < n; i++)
		if (r[i].judgement[k].verdict == v)
			return true;
	return false;
}

bool bench_unexplained(const struct bench_result *r, int n, int k, int *which)
{
	for (*which = 0; *which < n; ++*which) {
		const enum answer_status status = r[*which].incident[k].status;

		if (status != ANSWER_OK && !any_judged(r, n, k, bench_verdict_of(status)))
			return true;
	}
	return false;
}

bool bench_any_incident(const struct bench *b, const struct bench_result *r)
{
	for (int k = 0; k < b->n_engine; k++)
		if (r->incident[k].status != ANSWER_OK)
			return true;
	return false;
}

void bench_forgive(const struct bench *b, struct bench_result *io)
{
	for (int k = 0; k < b->n_engine; k++)
		judgement_forgive(&io->judgement[k]);
}

bool judgement_has_numbers(const struct judgement *j)
{
	switch (j->verdict) {
	case VERDICT_AGREE:
	case VERDICT_CONVENTION:
	case VERDICT_INACCURATE:
	case VERDICT_NAN_LEAK:
	case VERDICT_NONDETERMINISTIC:
	case VERDICT_WRONG:
	case VERDICT_WRONG_PRIMAL:
		return true;
	case VERDICT_UNSUPPORTED:
	case VERDICT_UNDECIDED:
	case VERDICT_BAD_DTYPE:
	case VERDICT_BAD_SHAPE:
	case VERDICT_INPUT_MODIFIED:
	case VERDICT_PROTOCOL:
	case VERDICT_HANG:
	case VERDICT_OOM:
	case VERDICT_CRASH:
	case VERDICT_COUNT:
		break;
	}
	return false;
}

const char *answers_text(const struct answer *answers, int n_point)
{
	for (int p = 0; p < n_point; p++)
		if (answers[p].text && *answers[p].text)
			return answers[p].text;
	return "";
}

const char *judged_text(const struct testcase *c, const struct truth *t, const struct answer *answers,
    const struct judgement *j, struct arena *a)
{
	const struct report about = {.c = c, .truth = t, .answers = answers, .judgement = j};

	return summary_subject(j->verdict) == SUBJECT_TENSOR ? summary_type(&about, a)
	                                                     : answers_text(answers, c->n_point);
}

const char *decimal_text(double x, struct arena *a)
{
	char digits[REAL_TEXT];

	return arena_printf(a, "%s", real_decimal(x, DTYPE_F64, 6, digits));
}

const char *numbers_text(const struct judgement *j, struct arena *a)
{
	const bool again = j->verdict == VERDICT_NONDETERMINISTIC;

	return arena_printf(a, "%s %s, %s %s", again ? "first" : "expected", decimal_text(j->expected, a),
	    again ? "then" : "returned", decimal_text(j->returned, a));
}

/* bench.c: one case in, judgements out: the only place where engines and oracles meet. */
#include "bench.h"

#include "../engines/hello.h"

#include <string.h>
#include <time.h>

double bench_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool bench_open(struct bench *b, const char *const *spec, int n_spec, const struct oracle_options *o, struct error *e)
{
	memset(b, 0, sizeof(*b));
	if (n_spec > BENCH_ENGINES)
		return error_set(e, NULL, "%d engines: at most %d fit one run", n_spec, BENCH_ENGINES);
	for (int k = 0; k < n_spec; k++) {
		b->engine[k] = engine_open(spec[k], e);
		if (!b->engine[k]) {
			bench_close(b);
			return false;
		}
		b->n_engine++;
	}
	b->oracle = oracle_open(o);
	if (!b->oracle) {
		bench_close(b);
		return error_set(e, NULL, "no memory for the oracles");
	}
	return true;
}

void bench_close(struct bench *b)
{
	for (int k = 0; k < b->n_engine; k++)
		engine_close(b->engine[k]);
	if (b->oracle)
		oracle_close(b->oracle);
	memset(b, 0, sizeof(*b));
}

/* What the engine says of itself is no finding. */
static void bench_verdict(const struct engine *engine, const struct testcase *c, const struct truth *truth, const struct answer *answer,
    struct judgement *out)
{
	const struct hello *hello = engine_hello(engine);

	judge(c, truth, answer, out);
	if (out->verdict == VERDICT_NAN_LEAK && hello && hello->weak_zero)
		out->verdict = VERDICT_CONVENTION;
}

static bool bench_any(const struct answer *answers, int n, enum answer_status status)
{
	for (int k = 0; k < n; k++)
		if (answers[k].status == status)
			return true;
	return false;
}

static struct answer *bench_ask(struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a)
{
	struct answer *answers = NEW(a, struct answer, c->n_point);
	double start = bench_clock();

	engine_answer(engine, c, a, answers);
	b->engine_seconds += bench_clock() - start;
	b->failures += bench_any(answers, c->n_point, ANSWER_FAILURE);
	return answers;
}

/* Where two runs of one engine part. */
struct difference {
	bool any;
	int point, which, element; /* element -1: not a matter of one element */
	bool in_primal;
	double first, second;
};

static void compare_tensors(const struct tensor *first, int n_first, const struct tensor *second, int n_second,
    struct difference *d)
{
	if (n_first != n_second) {
		d->any = true;
		return;
	}
	for (int k = 0; k < n_first && !d->any; k++) {
		if (tensor_same(&first[k], &second[k]))
			continue;
		d->any = true;
		d->which = k;
		if (!type_equal(&first[k].type, &second[k].type))
			return;
		for (int i = 0; i < shape_elements(&first[k].type.shape); i++) {
			struct type scalar = {first[k].type.dtype, shape_scalar()};
			struct tensor x = {scalar, &first[k].at[i]}, y = {scalar, &second[k].at[i]};

			if (tensor_same(&x, &y))
				continue;
			d->element = i;
			d->first = tensor_number(&x, 0);
			d->second = tensor_number(&y, 0);
			return;
		}
	}
}

static struct difference compare_runs(const struct answer *first, const struct answer *second, int n_point)
{
	struct difference d = {0};

	for (int k = 0; k < n_point && !d.any; k++) {
		d.point = k;
		d.element = -1;
		if (first[k].status != second[k].status) {
			d.any = true;
			break;
		}
		if (first[k].status != ANSWER_OK)
			continue;
		d.in_primal = true;
		compare_tensors(first[k].primal, first[k].n_primal, second[k].primal, second[k].n_primal, &d);
		if (d.any)
			break;
		d.in_primal = false;
		compare_tensors(first[k].derivative, first[k].n_derivative, second[k].derivative, second[k].n_derivative, &d);
	}
	return d;
}

/*
 * The judgement of an engine whose two runs differ: first run as expected, second as returned.  What was counted as decided
 * stays: it describes the truth.
 */
static void judge_nondeterministic(const struct difference *d, struct judgement *j)
{
	j->verdict = VERDICT_NONDETERMINISTIC;
	j->reason = REASON_NONE;
	j->deviation = DEVIATION_NONE;
	j->point = d->point;
	j->which = d->which;
	j->element = d->element < 0 ? 0 : d->element;
	j->in_primal = d->in_primal;
	j->expected = d->first;
	j->returned = d->second;
	j->radius = 0;
	j->assignment = 0;
}

/*
 * A second opinion of the engine itself before it is blamed.  A crash or garbage in either run is one.  A hang that does not come again may
 * be the load of the machine, and a failure is ours: both give way to the other run.
 */
static void bench_ask_again(struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a, const struct truth *truth,
    struct answer **answer, struct judgement *judgement)
{
	static const enum answer_status broken[] = {ANSWER_CRASH, ANSWER_PROTOCOL}, ours[] = {ANSWER_HANG, ANSWER_FAILURE};
	struct answer *first = *answer, *second = bench_ask(b, engine, c, a);
	struct difference d;

	for (size_t s = 0; s < sizeof(broken) / sizeof(broken[0]); s++) {
		if (bench_any(first, c->n_point, broken[s]))
			return;
		if (bench_any(second, c->n_point, broken[s])) {
			*answer = second;
			bench_verdict(engine, c, truth, second, judgement);
			return;
		}
	}
	for (size_t s = 0; s < sizeof(ours) / sizeof(ours[0]); s++) {
		bool in_first = bench_any(first, c->n_point, ours[s]), in_second = bench_any(second, c->n_point, ours[s]);

		if (in_second)
			return;
		if (in_first) {
			*answer = second;
			bench_verdict(engine, c, truth, second, judgement);
			return;
		}
	}
	d = compare_runs(first, second, c->n_point);
	if (d.any)
		judge_nondeterministic(&d, judgement);
}

static bool any_disagreement(const struct truth *t)
{
	for (int k = 0; k < t->n_point; k++)
		if (t->point[k].fd.outcome == FD_DISAGREES)
			return true;
	return false;
}

void bench_judge(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out)
{
	bool finding[BENCH_ENGINES] = {false}, any = false;

	memset(out, 0, sizeof(*out));
	oracle_truth(b->oracle, c, a, &out->truth);
	for (int k = 0; k < b->n_engine; k++) {
		out->answer[k] = bench_ask(b, b->engine[k], c, a);
		bench_verdict(b->engine[k], c, &out->truth, out->answer[k], &out->judgement[k]);
		finding[k] = verdict_is_finding[out->judgement[k].verdict];
		any = any || finding[k];
	}
	if (any) {
		oracle_confirm(b->oracle, c, a, &out->truth);
		/* every engine, since what the oracles no longer vouch for is undecided for all */
		for (int k = 0; k < b->n_engine; k++) {
			bench_verdict(b->engine[k], c, &out->truth, out->answer[k], &out->judgement[k]);
			if (finding[k])
				bench_ask_again(b, b->engine[k], c, a, &out->truth, &out->answer[k], &out->judgement[k]);
		}
	}
	out->oracle_disagreement = any_disagreement(&out->truth);
}

bool bench_shows(struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a, struct shared_truth *t,
    struct judgement *out)
{
	struct arena_mark mark = arena_mark(a);
	struct answer *answer = bench_ask(b, engine, c, a);

	bench_verdict(engine, c, &t->truth, answer, out);
	if (verdict_is_finding[out->verdict] && !t->confirmed) {
		t->confirmed = true;
		oracle_confirm(b->oracle, c, a, &t->truth);
		bench_verdict(engine, c, &t->truth, answer, out);
		mark = arena_mark(a); /* what confirming left belongs to the truth */
	}
	if (verdict_is_finding[out->verdict])
		bench_ask_again(b, engine, c, a, &t->truth, &answer, out);
	arena_rewind(a, mark);
	return verdict_is_finding[out->verdict];
}

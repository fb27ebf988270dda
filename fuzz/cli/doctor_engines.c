/* doctor_engines.c: the check of `adjudge doctor` that engines answer: x * x and its derivatives, judged as usual. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/view.h"
#include "doctor.h"

static const char *const requests[] = {"", "{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[1]}",
    "{\"transform\":\"jvp\",\"wrt\":[0],\"tangents\":[1]}"};
enum { REQUESTS = sizeof requests / sizeof *requests };

/* x * x at 1.5 with that request, in the first float dtype that the engine takes. */
static bool read_square(
    const struct engine *engine, const char *request, struct arena *a, struct testcase *out, struct error *e)
{
	const struct engine_scope scope = engine_scope(engine);
	int d = 0;
	const char *text;

	while (d + 1 < DTYPE_COUNT && !(scope.dtype[d] && dtype_is_float((enum dtype)d)))
		d++;
	text = arena_printf(a,
	    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: %s[]\"],\"body\":[{\"out\":[\"y\"],\"op\":\"mul\","
	    "\"args\":[\"x\",\"x\"]}],\"results\":[\"y\"],\"points\":[[1.5]],\"request\":[%s]}",
	    dtype_table[d].name, request);
	return testcase_read(text, strlen(text), a, out, e);
}

/* The verdict, and what the engine said or did. */
static const char *how_bad(const struct testcase *c, const struct bench_result *r, struct arena *a)
{
	const struct judgement *j = &r->judgement[0];
	const char *text = judged_text(c, &r->truth, r->answer[0], j, a);

	return arena_printf(a, "%s for x * x%s%s", verdict_names[j->verdict], *text ? ": " : "", text);
}

/* Judges every request.  Returns how many agree; *bad is what says otherwise at last, or NULL. */
static int count_right(struct bench *b, struct arena *a, const char **bad, struct error *e)
{
	int right = 0;

	for (int k = 0; k < REQUESTS; k++) {
		struct bench_result r = {0};
		struct testcase c;
		enum verdict v;

		if (!read_square(b->engine[0], requests[k], a, &c, e))
			return -1;
		bench_judge(b, &c, a, &r);
		v = r.judgement[0].verdict;
		if (machine_failed(engine_name(b->engine[0]), r.answer[0], c.n_point) ||
		    (v != VERDICT_AGREE && v != VERDICT_UNSUPPORTED && v != VERDICT_UNDECIDED))
			*bad = how_bad(&c, &r, a);
		right += v == VERDICT_AGREE;
	}
	return right;
}

void doctor_judge(struct doctor *d, const char *item, const char *spec, const char *fix)
{
	const struct oracle_options options = {.fd_one_in = 1};
	struct error e = {0};
	struct bench b = {0};
	const char *bad = NULL;
	struct arena a;
	int right;

	if (!bench_open(&b, &spec, 1, &options, &e)) {
		doctor_say(d, DOCTOR_BROKEN, item, fix, "%s", e.text);
		return;
	}
	arena_init(&a, CASE_ARENA);
	right = count_right(&b, &a, &bad, &e);
	if (bad)
		doctor_say(d, DOCTOR_BROKEN, item, fix, "%s: %s", engine_version(b.engine[0], &a), bad);
	else if (right <= 0)
		doctor_say(d, DOCTOR_BROKEN, item, fix, "%s: its hello is good, but it does not answer x * x",
		    engine_version(b.engine[0], &a));
	else
		doctor_say(d, DOCTOR_OK, item, NULL, "%s: right about x * x (%d of %d requests supported)",
		    engine_version(b.engine[0], &a), right, REQUESTS);
	bench_close(&b);
	arena_free(&a);
}

/* The spec of an engine that is this program in another process. */
static const char *worker_spec(struct arena *a)
{
	const char *given = getenv("ADJUDGE_WORKER");
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	exe[n > 0 ? n : 0] = '\0';
	return arena_printf(a, "proc:exec %s worker --engine tape", view_shell_word(given ? given : exe, a));
}

void doctor_engines(struct doctor *d)
{
	for (int i = 0; engine_names[i]; i++)
		doctor_judge(d, engine_names[i], engine_names[i], "build adjudge again, and run its tests");
	doctor_judge(d, "a worker process", worker_spec(&d->list.arena),
	    "adjudge must be able to start itself: /proc must be mounted, and ADJUDGE_WORKER unset or right");
	for (int i = 0; i < d->engines->n; i++) {
		const char *text = d->engines->at[i];
		size_t named;

		engine_text_spec(text, &named);
		doctor_judge(d, named ? engine_text_name(text, &d->list.arena) : "--engine", text,
		    "type the command of the engine and read what it says");
	}
}

/*
 * The log of a shard's draws: what was written is read again, also after a resume; what was cut, changed or belongs to
 * another campaign is not.
 */
#include "fuzz/campaign/counting/draw_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/check.h"

enum { DRAWS = 300 };
static const char id[] = "0123456789abcdef";
static char dir[] = "/tmp/adjudge-draws-XXXXXX";

/* Draw k has up to two failures, of few signatures. */
static int failures_of(int k) { return k % 7 == 0 ? 1 + k % 2 : 0; }
static int64_t work_of(int k) { return k % 5 ? (int64_t)k * k * 1000 : (int64_t)1 << (k % 61); }

static struct case_finding failure_of(int k, int i)
{
	static const char *const names[] = {"tape|vjp|wrong|finite", "tape|jvp|crash|none", "tape|*|hang|none"};

	return (struct case_finding){.which = (k + i) % BENCH_ENGINES,
	    .point = k % 300,
	    .signature = names[(k + i) % 3],
	    .of_twin = k % 3 == 0,
	    .twin = k % 3 ? (enum twin)0 : (enum twin)(k % TWIN_COUNT),
	    .incident = k % 14 == 0};
}

static void add_draws(struct draw_log *log, int from, int to)
{
	for (int k = from; k < to; k++) {
		struct case_finding f[2] = {failure_of(k, 0), failure_of(k, 1)};
		const struct case_record record = {.n_finding = failures_of(k), .finding = f};

		draw_log_add(log, k % 3 != 0, work_of(k), &record);
	}
}

static void save(struct draw_log *log)
{
	struct error e = {0};

	CHECK(draw_log_save(log, dir, &e), "not saved: %s", e.text);
}

static bool is_draw(const struct logged_draw *d, int k)
{
	bool same = d->counts == (k % 3 != 0) && d->work == work_of(k) && d->n == failures_of(k);

	for (int i = 0; i < d->n && same; i++) {
		const struct case_finding f = failure_of(k, i);

		same = d->failure[i].which == f.which && d->failure[i].point == f.point &&
		    d->failure[i].incident == f.incident && d->failure[i].of_twin == f.of_twin &&
		    d->failure[i].twin == f.twin && !strcmp(d->failure[i].signature, f.signature);
	}
	return same;
}

/* How many draws the log has, if the first ones are as they were written; -1: it cannot be opened. */
static int draws_in_log(void)
{
	struct draw_reader reader;
	struct logged_draw draw;
	int n = 0;

	if (!draw_reader_open(&reader, dir, id))
		return -1;
	while (draw_reader_next(&reader, &draw) && n < DRAWS) {
		CHECK(is_draw(&draw, n), "draw %d is read as another one", n);
		n++;
	}
	draw_reader_close(&reader);
	return n;
}

static long size_of_log(void)
{
	char path[sizeof dir + sizeof DRAW_LOG];
	FILE *f;
	long size;

	snprintf(path, sizeof path, "%s/" DRAW_LOG, dir);
	f = fopen(path, "rb");
	if (!f)
		return -1;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	fclose(f);
	return size;
}

static void cut_log(long size)
{
	char path[sizeof dir + sizeof DRAW_LOG];

	snprintf(path, sizeof path, "%s/" DRAW_LOG, dir);
	CHECK(truncate(path, size) == 0, "not cut");
}

static void test_written(void)
{
	struct draw_log log = {0};

	draw_log_add(&log, true, 1, &(struct case_record){0});
	CHECK(!log.len, "a log that is off takes a draw");
	draw_log_begin(&log, id);
	add_draws(&log, 0, 100);
	save(&log);
	add_draws(&log, 100, 101);
	CHECK(draws_in_log() == 100, "%d draws, not those that were saved", draws_in_log());
	save(&log);
	save(&log);
	CHECK(draws_in_log() == 101, "%d draws", draws_in_log());
	draw_log_free(&log);
}

/* A campaign that was killed after the log was saved, and before its state was. */
static void test_resumed(void)
{
	struct draw_log log = {0};
	long size;

	draw_log_begin(&log, id);
	add_draws(&log, 0, 100);
	save(&log);
	draw_log_free(&log);
	draw_log_resume(&log, dir, id, 60);
	CHECK(log.on, "the log does not go on");
	add_draws(&log, 60, DRAWS);
	save(&log);
	CHECK(draws_in_log() == DRAWS, "%d draws after a resume", draws_in_log());
	draw_log_free(&log);

	draw_log_resume(&log, dir, id, DRAWS + 1);
	CHECK(!log.on, "a log with too few draws goes on");
	draw_log_resume(&log, dir, "fedcba9876543210", 10);
	CHECK(!log.on, "the log of another campaign goes on");

	size = size_of_log();
	for (long at = size - 1; at >= 0; at--) {
		cut_log(at);
		CHECK(draws_in_log() < DRAWS, "a log without its last %ld bytes has all draws", size - at);
	}
}

/* Beyond its limit the log is given up, and its file goes. */
static void test_too_long(void)
{
	struct draw_log log = {0};
	char *name = malloc(1 << 20);
	struct case_finding f = {.signature = name};
	const struct case_record record = {.n_finding = 1, .finding = &f};

	if (!name)
		exit(2);
	memset(name, 'x', (1 << 20) - 1);
	name[(1 << 20) - 1] = '\0';
	draw_log_begin(&log, id);
	save(&log);
	CHECK(size_of_log() > 0, "no log");
	for (int k = 0; k < 65; k++) {
		name[0] = (char)('a' + k % 26);
		name[1] = (char)('a' + k / 26);
		draw_log_add(&log, true, 1, &record);
	}
	CHECK(!log.on, "a log without end");
	save(&log);
	CHECK(size_of_log() < 0, "a log that was given up stays");
	draw_log_add(&log, true, 1, &record);
	save(&log);
	CHECK(size_of_log() < 0, "a log that was given up comes back");
	draw_log_free(&log);
	free(name);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	if (!mkdtemp(dir))
		return 2;
	CHECK_LAW(test_written());
	CHECK_LAW(test_resumed());
	CHECK_LAW(test_too_long());
	rmdir(dir);
	return check_done();
}

/* test_pool.c: items in several processes: the results do not depend on how many there are, nor on deaths among them.
 */
#include "fuzz/bench/pool.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/check.h"

enum { ITEMS = 40, LARGE = 300000, ALWAYS = 1000, EVERY = 4000 };

/* A row: how often a process dies at which item (-1: while it opens; EVERY: every fourth), and what must come of that.
 */
static const struct row {
	const char *name;
	int at, deaths;
	bool halfway;       /* it dies after a part of its work, by a crash; otherwise at once, killed */
	int refuses, wants; /* `refuses` of the opens fail; so many items are wanted */
	int lost;           /* items without a result */
	bool good;
} rows[] = {
    {"nothing happens", 0, 0, false, 0, ITEMS, 0, true},
    {"a process is killed at an item", 7, 1, false, 0, ITEMS, 0, true},
    {"two processes crash at an item", 7, 2, true, 0, ITEMS, 0, true},
    {"every process dies at an item", 7, ALWAYS, true, 0, ITEMS, 1, true},
    {"every process dies at the last item", ITEMS - 1, ALWAYS, false, 0, ITEMS, 1, true},
    {"every process dies at every fourth item", EVERY, ALWAYS, true, 0, ITEMS, ITEMS / 4, true},
    {"a process dies while it opens", -1, 1, false, 0, ITEMS, 0, true},
    {"no process can open", 0, 0, false, ALWAYS, 0, 0, false},
    {"a part of the items is wanted", 0, 0, false, 0, 5, 0, true},
};

/* Counted in shared memory. */
struct shared {
	atomic_int deaths, opens;
};

struct self {
	const struct row *row;
	struct shared *shared;
	bool forks;
	int done, taken, lasts, wrong, lost; /* done: items, in this process */
	char order[ITEMS * 4];
};

static void maybe_die(const struct self *s, int at)
{
	if (!s->forks || (s->row->at != at && (s->row->at != EVERY || at % 4)) ||
	    atomic_fetch_add(&s->shared->deaths, 1) >= s->row->deaths)
		return;
	if (s->row->halfway)
		signal(SIGABRT, SIG_DFL);
	raise(s->row->halfway ? SIGABRT : SIGKILL);
}

static bool open_item(void *self)
{
	struct self *s = self;

	maybe_die(s, -1);
	return atomic_fetch_add(&s->shared->opens, 1) >= s->row->refuses;
}

/* A large result, so that a pipe holds a part of it only. */
static void do_item(void *self, int k, struct text *result)
{
	struct self *s = self;
	char *bytes = NEW(result->arena, char, LARGE);

	maybe_die(s, k);
	memset(bytes, 'a' + k % 26, LARGE);
	text_put(result, "%d:", k);
	text_put_bytes(result, bytes, k % 5 ? 1 : LARGE);
	s->done++;
}

static void close_item(void *self, struct text *last)
{
	const struct self *s = self;

	text_put(last, "%d", s->done);
}

static bool take_item(void *self, int k, const char *bytes, size_t len, const char *lost)
{
	struct self *s = self;
	const size_t head = k < 10 ? 2 : 3;

	s->wrong += k != s->taken;
	if (lost) {
		s->lost++;
		s->wrong += !strstr(lost, "died") || bytes;
	} else {
		s->wrong += atoi(bytes) != k || len != head + (k % 5 ? 1 : LARGE) || bytes[head] != 'a' + k % 26 ||
		    bytes[len - 1] != 'a' + k % 26;
	}
	return ++s->taken < s->row->wants;
}

static void take_last(void *self, const char *bytes, size_t len)
{
	struct self *s = self;
	char digits[16] = "";

	memcpy(digits, bytes, len < sizeof digits ? len : sizeof digits - 1);
	s->lasts += atoi(digits);
}

static void check_row(const struct row *row, int jobs, struct shared *shared)
{
	struct self s = {.row = row, .shared = shared};
	const struct pool_work work = {.n = ITEMS,
	    .jobs = jobs,
	    .self = &s,
	    .open = open_item,
	    .item = do_item,
	    .close = close_item,
	    .take = take_item,
	    .take_last = take_last};
	const int lost = jobs > 1 ? row->lost : 0;
	bool good;

	atomic_store(&shared->deaths, 0);
	atomic_store(&shared->opens, 0);
	s.forks = pool_forks(&work);
	good = pool_run(&work);
	CHECK(s.forks == (jobs > 1), "%s, %d processes: forks", row->name, jobs);
	CHECK(good == row->good, "%s, %d processes: returns %d", row->name, jobs, good);
	CHECK(s.taken == row->wants && !s.wrong, "%s, %d processes: %d results, %d wrong", row->name, jobs, s.taken,
	    s.wrong);
	CHECK(s.lost == lost, "%s, %d processes: %d items are lost, not %d", row->name, jobs, s.lost, lost);
	CHECK(row->deaths || row->wants < ITEMS || s.lasts == ITEMS,
	    "%s, %d processes: the last words tell of %d items", row->name, jobs, s.lasts);
}

int main(int argc, char **argv)
{
	struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	check_begin(argc, argv);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (int jobs = 1; jobs <= 4; jobs++)
			check_row(&rows[k], jobs, shared);
	munmap(shared, sizeof *shared);
	return check_done();
}

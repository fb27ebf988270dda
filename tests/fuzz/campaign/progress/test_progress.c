/* The screen of a campaign fits every terminal, and says of its engines what there is room for. */
#include <string.h>

#include "fuzz/campaign/progress/progress_screen.h"
#include "tests/check.h"

enum { ENGINES = 64 };

static void fill(struct progress_engine e[ENGINES], struct arena *a)
{
	static const char *const names[] = {"tape", "checkpointed+reactant-ckpt-index",
	    "proc:python3 /a/very/long/path/of/an/adapter.py", "a\nnew line\x1b[31m", "gr\xc3\xb6\xc3\x9f\x65", ""};

	for (int k = 0; k < ENGINES; k++)
		e[k] = (struct progress_engine){.name = k < 6 ? names[k] : arena_printf(a, "engine-%d", k),
		    .asked = k == 5 ? 0 : INT64_C(1000000000),
		    .answered = INT64_C(1000000000) - k,
		    .decided = k == 7 ? 0 : INT64_C(900000000),
		    .unsupported = k,
		    .restarts = k};
}

static struct progress sample(const struct progress_engine *e, int n)
{
	return (struct progress){.doing = "minimizing",
	    .seconds = 359999,
	    .seconds_limit = 720000,
	    .cases = INT64_C(123456789012),
	    .decided = INT64_C(123456789012),
	    .corpus = 4096,
	    .features = 123456,
	    .seconds_since_feature = 86400,
	    .findings_new = 123,
	    .findings_known = 45,
	    .jobs = 16,
	    .jobs_restarted = 2,
	    .n_engine = n,
	    .engine = e};
}

/* Lines of a first drawing: texts that end with "erase to the end of the line", with newlines between them. */
static int check_lines(const char *text, int width)
{
	int n = 0;

	text += *text == '\r';
	while (*text && strcmp(text, "\033[J") != 0) {
		const char *end = strstr(text, "\033[K");

		CHECK(end, "a line has no end: %s", text);
		if (!end)
			return n;
		CHECK(end - text < (width > 1 ? width : 2), "%d columns of %d: %s", (int)(end - text), width, text);
		for (const char *c = text; c < end; c++)
			CHECK(*c >= ' ' && *c < 127, "character %d in a line of the screen", *c);
		n++;
		text = end + 3 + (end[3] == '\n');
	}
	return n;
}

static void test_fits(struct arena *a)
{
	struct progress_engine e[ENGINES];

	fill(e, a);
	for (int width = 1; width < 150; width++)
		for (int height = 1; height < 26; height += height < 12 ? 1 : 6)
			for (int n = 0; n <= ENGINES; n += n < 10 ? 1 : 18) {
				struct arena_mark mark = arena_mark(a);
				const struct progress p = sample(e, n);
				struct text out = {.arena = a};
				int lines = screen_draw(&out, &p, 0, width, height);

				CHECK(lines == check_lines(out.at, width), "%d lines are said", lines);
				CHECK(lines >= 1 && lines <= (height > 1 ? height - 1 : 1) && lines <= 8,
				    "%d lines in %d rows", lines, height);
				arena_rewind(a, mark);
			}
}

static void test_says(struct arena *a)
{
	struct progress_engine e[ENGINES];
	struct progress p;
	struct text few = {.arena = a}, none = {.arena = a}, many = {.arena = a}, again = {.arena = a};

	fill(e, a);
	p = sample(e, 3);
	screen_draw(&few, &p, 0, 80, 24);
	CHECK(strstr(few.at, "99:59:59, 100:00:01 left"), "hours: %s", few.at);
	CHECK(
	    strstr(few.at, "123 new, 45 known; minimizing; 3 restarts; 16 jobs, 2 restarted"), "findings: %s", few.at);
	CHECK(strstr(few.at, "123456789012 cases, 342936/s, 100.0 % decided"), "cases: %s", few.at);
	CHECK(strstr(few.at, "last new 24:00:00 ago; corpus: 4096"), "features: %s", few.at);
	CHECK(strstr(few.at, "tape") && strstr(few.at, "100.0  90.0   0.0") && strstr(few.at, "checkpo..."),
	    "engines: %s", few.at);
	p = sample(e, 1);
	screen_draw(&none, &p, 0, 80, 24);
	CHECK(strstr(none.at, "45 known; minimizing; 0 restarts"), "no restart: %s", none.at);
	p = sample(e, ENGINES);
	screen_draw(&many, &p, 0, 80, 24);
	CHECK(strstr(many.at, "engine-7 ") && strstr(many.at, "other 58 engines decided 90.0 to 90.0 %"),
	    "of many engines those that decide least: %s", many.at);
	CHECK(screen_draw(&again, &p, 8, 80, 24) == 8 && !strncmp(again.at, "\r\033[7A", 5), "drawn over 8 lines: %s",
	    again.at);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 26);
	CHECK_LAW(test_fits(&a));
	CHECK_LAW(test_says(&a));
	arena_free(&a);
	return check_done();
}

/*
 * The books of campaigns with findings: counts and findings that were saved are read and saved again byte for byte, in
 * every state that was saved.  A text with any byte changed, or cut off anywhere, is read or refused with a place.
 */
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drivers/drivers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/campaign/counting/counts.h"
#include "fuzz/campaign/books/setup.h"
#include "tests/check.h"
#include "tests/support/frozen.h"

enum { ENGINES = 3, ARENA = 512 << 20, BOOK = 16 << 20 };
static const char *const engines[ENGINES] = {"tape+scale:sin:1.5", "functional+residual-fifo", "forward"};
static char base[] = "/tmp/adjudge-test-state-XXXXXX";

struct book {
	struct arena a;
	struct counts counts;
	struct triage triage;
};

static void open_book(struct book *b)
{
	*b = (struct book){.triage.name = engines};
	arena_init(&b->a, ARENA);
	arena_init(&b->triage.known, ARENA);
}

static void close_book(struct book *b)
{
	triage_close(&b->triage);
	arena_free(&b->a);
}

/* Reads counts and findings. */
static bool read_book(struct book *b, const char *text, size_t len, struct error *e)
{
	const struct json *root = json_read(text, len, &b->a, e), *counts;

	return root && json_is(root, JSON_OBJECT, e) && json_required(root, "counts", JSON_OBJECT, &counts, e) &&
	    counts_read(counts, ENGINES, &b->counts, e) && triage_read(&b->triage, ENGINES, root, e);
}

static char *write_book(struct book *b, size_t *len)
{
	struct json_writer w = json_document(&b->a, "adjudge.state/1");

	json_member_object(&w, "counts", JSON_BLOCK);
	counts_put(&b->counts, ENGINES, &w);
	json_end(&w);
	triage_put(&b->triage, &w);
	json_end(&w);
	return json_finish(&w, len);
}

/* From the counts on, without what is not in a book here. */
static const char *body(const char *text)
{
	const char *at = strstr(text, "\"counts\"");

	return at ? at : "";
}

/* Runs a campaign; its state.json is in *text, which the caller frees with the arena. */
static char *campaign_state(
    uint64_t seed, void drive(struct campaign *s), const char *driver, size_t *len, struct arena *a)
{
	struct campaign_options o = {.spec = engines,
	    .n_spec = ENGINES,
	    .seed = seed,
	    .cases = 120,
	    .profile_name = "frozen-2",
	    .profile = profile_frozen(),
	    .fd_one_in = 10,
	    .minimize_budget = 100,
	    .driver = driver,
	    .out = arena_printf(a, "%s/%s-%d", base, driver, (int)seed)};
	struct error e = {0};
	struct campaign_end end;
	struct campaign *s = campaign_open(&o, &e);
	char *text;

	CHECK(s, "%s", e.text);
	if (!s)
		exit(check_done());
	drive(s);
	campaign_close(s, &end);
	free(end.summary);
	free(end.text);
	text = json_read_bytes(arena_printf(a, "%s/state.json", o.out), BOOK, a, len, &e);
	CHECK(text, "%s", e.text);
	return text ? text : "";
}

static void check_again(const char *text, size_t len, const char *driver)
{
	struct book one, two;
	struct error e = {0};
	size_t n, m;
	char *first, *second;

	open_book(&one);
	open_book(&two);
	CHECK(read_book(&one, text, len, &e), "%s: %s: %s", driver, e.place, e.text);
	CHECK(one.triage.n_finding >= 2, "%s: %d findings are too few for this test", driver, one.triage.n_finding);
	CHECK(one.counts.cases == 120, "%lld cases", (long long)one.counts.cases);
	first = write_book(&one, &n);
	CHECK(!strncmp(body(first), body(text), strlen(body(first)) - 4), "%s: what was saved again differs", driver);
	CHECK(read_book(&two, first, n, &e), "%s: %s: %s", driver, e.place, e.text);
	second = write_book(&two, &m);
	CHECK(n == m && !memcmp(first, second, n), "%s: the second time it differs", driver);
	close_book(&one);
	close_book(&two);
}

static void check_damaged(const char *text, size_t len)
{
	char *copy = malloc(len + 1);
	uint64_t draw = 1;
	int refused = 0;

	for (int k = 0; copy && k < 300; k++) {
		struct error e = {0};
		struct book b;
		size_t n = len;

		memcpy(copy, text, len + 1);
		draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		if (k % 3)
			copy[(draw >> 20) % len] = "\0-9[]{},\"x"[(draw >> 10) % 10];
		else
			n = (draw >> 20) % len;
		open_book(&b);
		if (!read_book(&b, copy, n, &e)) {
			refused++;
			CHECK(*e.text, "change %d is refused without a reason", k);
		}
		close_book(&b);
	}
	CHECK(refused > 100, "only %d of 300 changed books are refused", refused);
	free(copy);
}

static void check_campaign(uint64_t seed, void drive(struct campaign *s), const char *driver)
{
	struct arena a;
	size_t len = 0;
	char *text;

	arena_init(&a, ARENA);
	text = campaign_state(seed, drive, driver, &len, &a);
	check_again(text, len, driver);
	if (len)
		check_damaged(text, len);
	arena_free(&a);
}

/* ---- campaign.json ---- */

static struct campaign_options some_options(void)
{
	return (struct campaign_options){.spec = engines,
	    .n_spec = ENGINES,
	    .named = true,
	    .seed = UINT64_MAX,
	    .cases = INT64_C(1) << 40,
	    .seconds = 1.5,
	    .min_decided = 30,
	    .right_on = "name=tape",
	    .fd_one_in = 3,
	    .max_findings = 4,
	    .minimize_budget = 5,
	    .shard = 6,
	    .shards = 7,
	    .driver = "generate",
	    .profile_name = "p\"\n.json",
	    .profile = profile_frozen(),
	    .corpus = "dir"};
}

/* Changes of the text, and where the reader sees them; NULL: nothing is wrong. */
static const struct {
	const char *from, *to, *place;
} changes[] = {{"\"id\": \"0123456789abcdef\"", "\"id\": \"0123456789abcdeF\"", "id"},
    {"\"id\": \"0123456789abcdef\"", "\"id\": \"../../../../etc/x\"", "id"},
    {"\"layout\": \"0x", "\"layout\": \"0y", "layout"}, {"\"fd_one_in\": 3", "\"fd_one_in\": 0", "fd_one_in"},
    {"\"shards\": 7", "\"shards\": 6", ""}, {"\"shards\": 7", "\"shards\": 0", "shards"},
    {"\"shard\": 6", "\"shard\": -1", "shard"}, {"\"cases\": 1099511627776", "\"cases\": -1", "cases"},
    {"\"seconds\": 1.5", "\"seconds\": 1e999", "seconds"}, {"\"seconds\": 1.5", "\"seconds\": -1", "seconds"},
    {"\"min_decided\": 30", "\"min_decided\": 101", "min_decided"},
    {"\"driver\": \"generate\"", "\"driver\": null", "driver"}, {"\"driver\"", "\"Driver\"", ""},
    {"\"profile\"", "\"Profile\"", ""}, {"\"corpus\"", "\"Corpus\"", NULL},
    {"\"processes\": 256", "\"processes\": -256", "limits.processes"},
    {"\"engine\": \"forward\"", "\"engine\": \"\"", "engines[2].engine"},
    {"\"cross\": false", "\"cross\": 0", "cross"}};

static char *with_change(const char *text, const char *from, const char *to, struct arena *a)
{
	const char *at = strstr(text, from);

	CHECK(at, "no %s in the text", from);
	return at ? arena_printf(a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) : NULL;
}

static void test_setup(void)
{
	const char *const versions[ENGINES] = {"1", "2", "3"};
	struct campaign_options o = some_options(), again = {0};
	struct setup setup = {.id = "0123456789abcdef", .version = versions, .corpus = 77, .quota = {0, 256, 8}},
	             twice = {.id = ""};
	struct error e = {0};
	struct arena a;
	size_t len, n;
	char *text, *second;

	arena_init(&a, ARENA);
	text = setup_text(&setup, &o, &a, &len);
	CHECK(setup_parse(text, len, &a, &again, &twice, &e), "%s: %s", e.place, e.text);
	second = setup_text(&twice, &again, &a, &n);
	CHECK(n == len && !memcmp(text, second, n), "%s\n%s", text, second);
	CHECK(again.seed == o.seed && again.cases == o.cases && again.shard == 6 &&
	        !strcmp(again.right_on, "name=tape") && twice.quota.start_ms == 8 && twice.corpus == 77 &&
	        profile_equal(&again.profile, &o.profile),
	    "%s", second);
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
		const char *changed = with_change(text, changes[k].from, changes[k].to, &a);
		bool ok;

		e = (struct error){0};
		ok = changed && setup_parse(changed, strlen(changed), &a, &again, &twice, &e);
		CHECK(ok == !changes[k].place, "%s: %s", changes[k].to, e.text);
		CHECK(!changes[k].place || !strcmp(e.place, changes[k].place), "%s: the place is '%s'", changes[k].to,
		    e.place);
	}
	arena_free(&a);
}

static void remove_all(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", base);
	CHECK(system(command) == 0, "%s is left", base);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	CHECK_LAW(test_setup());
	if (!mkdtemp(base))
		return 2;
	CHECK_LAW(check_campaign(1, drive_generate, "generate"));
	CHECK_LAW(check_campaign(2, drive_plain, "plain"));
	remove_all();
	return check_done();
}

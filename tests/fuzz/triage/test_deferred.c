/* Deferred cases: their order, their state, and that a bug behind a known signature is found later. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/triage/triage.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

enum { ARENA = 256 << 20 };

static char base[] = "/tmp/adjudge-test-deferred-XXXXXX";

static void add(struct deferred *w, int64_t number, const char *body, struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[]", body, "0.5", "vjp");
	char signature[] = "t|vjp|wrong|finite";

	deferred_add(w, &(struct deferred_case){.number = number, .signature = signature}, &c, a);
}

static void check_order(void)
{
	struct deferred w = {0};
	struct deferred_case x;
	struct arena a;

	arena_init(&a, ARENA);
	add(&w, 1, "s = sin x; t = cos s; y = mul t, s", &a);
	add(&w, 3, "y = sin x", &a);
	add(&w, 2, "y = cos x", &a);
	x = deferred_take(&w);
	CHECK(w.n == 2 && x.number == 2, "case %lld comes first", (long long)x.number);
	deferred_free_case(&x);
	for (int k = 0; k < DEFERRED_CASES; k++)
		add(&w, 10 + k, "s = sin x; y = mul s, s", &a);
	CHECK(w.n == DEFERRED_CASES && w.at->number == 3, "%d deferred", w.n);
	for (int k = 0; k < w.n; k++)
		CHECK(w.at[k].number != 1, "the largest case was not dropped");
	add(&w, 1, "s = sin x; t = cos s; y = mul t, s", &a);
	CHECK(w.n == DEFERRED_CASES && w.at[w.n - 1].number != 1, "a larger case came in");
	deferred_free(&w);
	arena_free(&a);
}

/* ---- a bug behind a known signature ---- */

static const char *const engine[] = {"tape+scale:mul:1.5+scale:sin:1.5"};

struct book {
	struct arena side;
	struct failure failure;
	struct triage triage;
};

static void open_book(struct book *b)
{
	*b = (struct book){0};
	arena_init(&b->side, ARENA);
	b->triage = (struct triage){.spec = engine,
	    .name = engine,
	    .seed = 1,
	    .minimize_budget = 1000,
	    .dir = base,
	    .side = &b->side,
	    .failure = &b->failure};
	arena_init(&b->triage.known, ARENA);
}

static void close_book(struct book *b)
{
	CHECK(!b->failure.any, "%s", b->failure.text);
	triage_close(&b->triage);
	arena_free(&b->side);
}

static void show(struct book *b, int64_t number, const char *body)
{
	struct arena a;

	arena_init(&a, ARENA);
	const struct testcase c = test_function(&a, "x: f64[]", body, "0.5", "vjp");
	const char *signature = arena_printf(&a, "%s|vjp|wrong|finite", *engine);

	triage_record(&b->triage, 0, signature, 0, &c, &(struct evidence){.report = "{}", .len = 2}, number);
	arena_free(&a);
}

/* The book as if the campaign had been killed and went on. */
static void resume(struct book *b)
{
	struct book again;
	struct arena a;
	struct json_writer w;
	const struct json *root;
	struct error e = {0};
	size_t len;
	char *text;

	arena_init(&a, ARENA);
	w = json_document(&a, "adjudge.state/1");
	triage_put(&b->triage, &w);
	json_end(&w);
	text = json_finish(&w, &len);
	root = json_read(text, len, &a, &e);
	open_book(&again);
	CHECK(root && triage_read(&again.triage, 1, root, &e), "%s: %s", e.place, e.text);
	close_book(b);
	*b = again;
	b->triage.side = &b->side;
	b->triage.failure = &b->failure;
	arena_free(&a);
}

/* One finding, and no work left for its cases. */
static void spend_all(struct book *b)
{
	open_book(b);
	show(b, 1, "y = mul x, x");
	CHECK(b->triage.n_finding == 1, "%d findings", b->triage.n_finding);
	b->triage.finding->minimized = 100;
	b->triage.allowance.spent = INT64_C(1000000000000000);
}

/* body: of a case with a bug behind that of the finding. */
static void check_bug_behind(const char *body, bool killed)
{
	struct book b;

	spend_all(&b);
	show(&b, 2, body);
	CHECK(b.triage.n_finding == 1 && b.triage.deferred.n == 1, "%d findings, %d deferred", b.triage.n_finding,
	    b.triage.deferred.n);
	CHECK(b.triage.finding->count == 2, "%lld counted", (long long)b.triage.finding->count);
	if (killed)
		resume(&b);
	triage_go_on(&b.triage);
	CHECK(b.triage.deferred.n == 1, "it was taken though no work is left");
	b.triage.allowance.spent = 0;
	triage_go_on(&b.triage);
	CHECK(b.triage.n_finding == 2 && !b.triage.deferred.n, "%d findings, %d deferred", b.triage.n_finding,
	    b.triage.deferred.n);
	for (int k = 0; k < b.triage.n_finding; k++)
		CHECK(b.triage.finding[k].count == 1, "%s: %lld counted", b.triage.finding[k].symptom->fine,
		    (long long)b.triage.finding[k].count);
	close_book(&b);
}

/* What a known pattern explains is not deferred, nor are the first cases of a finding. */
static void check_others(void)
{
	struct book b;

	spend_all(&b);
	show(&b, 2, "s = cos x; y = mul s, x");
	CHECK(b.triage.n_finding == 1 && !b.triage.deferred.n && b.triage.finding->count == 2,
	    "%d findings, %d deferred", b.triage.n_finding, b.triage.deferred.n);
	b.triage.finding->minimized = 1;
	show(&b, 3, "y = sin x");
	CHECK(b.triage.n_finding == 2 && !b.triage.deferred.n, "%d findings, %d deferred", b.triage.n_finding,
	    b.triage.deferred.n);
	close_book(&b);
}

/* Whatever is done for a case of a known finding is counted as spent on it. */
static void check_accounts(void)
{
	struct book b;
	int64_t before;

	open_book(&b);
	show(&b, 1, "y = mul x, x");
	CHECK(b.triage.allowance.found > 0 && !b.triage.allowance.spent, "%lld for the new finding, %lld for others",
	    (long long)b.triage.allowance.found, (long long)b.triage.allowance.spent);
	CHECK(b.triage.finding->spent == b.triage.allowance.found, "%lld for the finding",
	    (long long)b.triage.finding->spent);
	b.triage.finding->likely = 2; /* the third of a kind is no check */
	show(&b, 2, "s = cos x; y = mul s, x");
	CHECK(b.triage.finding->minimized == 1 && b.triage.allowance.spent > 0, "nothing for a pattern taken out");
	before = b.triage.allowance.spent;
	show(&b, 3, "y = mul x, x");
	CHECK(b.triage.finding->minimized == 2 && b.triage.allowance.spent > before, "nothing for a check");
	/* Few dear cases end the time in which a finding needs no allowance. */
	before = b.triage.allowance.spent = INT64_C(1000000000000000);
	b.triage.finding->spent = before;
	b.triage.finding->likely = 7;
	show(&b, 4, "y = mul x, x");
	CHECK(b.triage.finding->minimized == 2, "%lld minimized", (long long)b.triage.finding->minimized);
	close_book(&b);
}

int main(int argc, char **argv)
{
	char command[128];

	check_begin(argc, argv);
	if (!mkdtemp(base))
		return 1;
	CHECK_LAW(check_order());
	CHECK_LAW(check_bug_behind("y = sin x", false));
	CHECK_LAW(check_bug_behind("y = sin x", true));
	CHECK_LAW(check_bug_behind("s = sin x; p = mul x, x; y = add s, p", false)); /* beside the known pattern */
	CHECK_LAW(check_others());
	CHECK_LAW(check_accounts());
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	if (system(command))
		return 1;
	return check_done();
}

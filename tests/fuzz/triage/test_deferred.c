/* Deferred cases: their order, their state, and that a bug behind a known signature is found later. */
#include <string.h>

#include "engines/engine.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "tests/support/triage_book.h"

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

	arena_init(&a, BOOK_ARENA);
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

static const char *const engine = "tape+scale:mul:1.5+scale:sin:1.5";

static void show(struct book *b, int64_t number, const char *body)
{
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	const struct testcase c = test_function(&a, "x: f64[]", body, "0.5", "vjp");

	book_show(b, &c, number);
	arena_free(&a);
}

/* One finding, and no work left for its cases. */
static void spend_all(struct book *b)
{
	book_open(b, engine);
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
		book_resume(&b);
	triage_go_on(&b.triage);
	CHECK(b.triage.deferred.n == 1, "it was taken though no work is left");
	b.triage.allowance.spent = 0;
	triage_go_on(&b.triage);
	CHECK(b.triage.n_finding == 2 && !b.triage.deferred.n, "%d findings, %d deferred", b.triage.n_finding,
	    b.triage.deferred.n);
	for (int k = 0; k < b.triage.n_finding; k++)
		CHECK(b.triage.finding[k].count == 1, "%s: %lld counted", b.triage.finding[k].symptom->fine,
		    (long long)b.triage.finding[k].count);
	book_close(&b);
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
	book_close(&b);
}

/* Whatever is done for a case of a known finding is counted as spent on it. */
static void check_accounts(void)
{
	struct book b;
	int64_t before;

	book_open(&b, engine);
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
	book_close(&b);
}

/*
 * A new coarse signature of known patterns, when judging does not pay for minimizing: it becomes a face.  With a bug
 * behind it, and with work left, it is minimized.
 */
static void check_other_face(const char *body, bool paid, bool minimized)
{
	struct book b;

	spend_all(&b);
	b.triage.allowance.spent = paid ? 0 : b.triage.allowance.spent;
	show(&b, 2, body);
	CHECK(b.triage.finding->count + (b.triage.n_finding == 2 ? b.triage.finding[1].count : 0) == 2, "%d findings",
	    b.triage.n_finding);
	CHECK((b.triage.finding->minimized > 100 || b.triage.n_finding == 2) == minimized, "%s", body);
	CHECK(minimized || b.triage.finding->n_face == 2, "%d faces", b.triage.finding->n_face);
	CHECK(!b.triage.deferred.n, "%d deferred", b.triage.deferred.n);
	book_close(&b);
}

/* A slip waits if there is no work left, one of each signature.  It counts as no case, and is minimized when it comes.
 */
static void check_slips(bool killed)
{
	const char *signature = "tape+scale:mul:1.5+scale:sin:1.5|vjp|wrong|zero";
	struct book b;
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	const struct testcase again = test_function(&a, "x: f64[]", "y = cos x; z = mul y, x", "0.5", "vjp"),
	                      new = test_function(&a, "x: f64[]", "y = sin x", "0.5", "vjp");

	spend_all(&b);
	triage_record(&b.triage, 0, signature, 0, &again, NULL, 2);
	CHECK(b.triage.finding->n_slip == 1 && !b.triage.deferred.n, "%d slips, %d deferred", b.triage.finding->n_slip,
	    b.triage.deferred.n);
	signature = "tape+scale:mul:1.5+scale:sin:1.5|vjp|wrong|finite";
	for (int k = 0; k < 2; k++)
		triage_record(&b.triage, 0, signature, 0, &new, NULL, 3);
	CHECK(b.triage.n_finding == 1 && b.triage.deferred.n == 1, "%d findings, %d deferred", b.triage.n_finding,
	    b.triage.deferred.n);
	if (killed)
		book_resume(&b);
	b.triage.allowance.spent = 0;
	triage_go_on(&b.triage);
	CHECK(b.triage.n_finding == 2 && b.triage.finding->count == 1, "%d findings, %lld counted", b.triage.n_finding,
	    (long long)b.triage.finding->count);
	CHECK(!b.triage.deferred.n && !b.triage.finding[1].count, "the slip counts as a case");
	book_close(&b);
	arena_free(&a);
}

/* A crash that nobody could look at again, because the time was over, is no finding; it waits for the next run. */
static void check_left_open(void)
{
	struct book b;
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	const struct testcase slip = test_function(&a, "x: f64[]", "y = sin x", "0.5", "jvp");

	book_open(&b, "tape+crash");
	show(&b, 1, "y = mul x, x");
	CHECK(b.triage.n_finding == 1, "%d findings", b.triage.n_finding);
	b.triage.deadline = bench_clock() - 10;
	triage_record(&b.triage, 0, "tape+crash|jvp|crash|none", 0, &slip, NULL, 2);
	CHECK(b.triage.n_finding == 1 && b.triage.finding->n_face == 1 && b.triage.deferred.n == 1,
	    "%d findings, %d faces, %d deferred", b.triage.n_finding, b.triage.finding->n_face, b.triage.deferred.n);
	b.triage.deadline = 0;
	triage_go_on(&b.triage);
	CHECK(!b.triage.deferred.n, "it waits for ever");
	book_close(&b);
	arena_free(&a);
}

/* The engine that crashes is answered by this program as a worker. */
int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker(argv[3]);
	check_begin(argc, argv);
	if (!book_begin())
		return 1;
	CHECK_LAW(check_order());
	CHECK_LAW(check_bug_behind("y = sin x", false));
	CHECK_LAW(check_bug_behind("y = sin x", true));
	CHECK_LAW(check_bug_behind("s = sin x; p = mul x, x; y = add s, p", false)); /* beside the known pattern */
	CHECK_LAW(check_others());
	CHECK_LAW(check_accounts());
	CHECK_LAW(check_other_face("p = mul x, x; d = div x, 0.8; y = sub p, d", false, false)); /* the sign is wrong */
	CHECK_LAW(check_other_face("p = mul x, x; d = div x, 0.8; y = sub p, d", true, true));
	CHECK_LAW(check_slips(false));
	CHECK_LAW(check_slips(true));
	CHECK_LAW(check_left_open());
	if (!book_end())
		return 1;
	return check_done();
}

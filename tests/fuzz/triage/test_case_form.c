/* Forms of cases, the trail of a search, and the allowance for cases of known findings. */
#include "fuzz/triage/allowance.h"
#include "fuzz/triage/case_form.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

static const struct row {
	const char *name, *body, *point, *request, *signature;
	bool same; /* as the first row */
} rows[] = {
    {"first", "s = sin x; y = mul s, 2", "0.5", "vjp", "t|vjp|wrong|finite", true},
    {"other numbers", "s = sin x; y = mul s, 3", "0.25", "vjp with respect to x; cotangents 7", "t|vjp|wrong|finite",
        true},
    {"another op", "s = cos x; y = mul s, 2", "0.5", "vjp", "t|vjp|wrong|finite", false},
    {"another operand", "s = sin x; y = mul s, x", "0.5", "vjp", "t|vjp|wrong|finite", false},
    {"another request", "s = sin x; y = mul s, 2", "0.5", "jvp", "t|vjp|wrong|finite", false},
    {"another signature", "s = sin x; y = mul s, 2", "0.5", "vjp", "t|vjp|wrong|sign", false},
};

static void check_forms(void)
{
	uint64_t first = 0;
	struct arena a;

	arena_init(&a, (size_t)1 << 24);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		const struct testcase c = test_function(&a, "x: f64[]", row->body, row->point, row->request);
		const uint64_t form = form_hash(&c, row->signature, &a);

		first = i ? first : form;
		CHECK((form == first) == row->same, "%s", row->name);
		CHECK(form == form_hash(&c, row->signature, &a), "%s: not the same again", row->name);
	}
	arena_free(&a);
}

static void check_trail(void)
{
	struct trail t = {0};

	trail_add(&t, 3, 1);
	trail_add(&t, 3, 2);
	CHECK(t.n == 2 && t.form[1] == 2, "%d", t.n);
	trail_add(&t, 2, 3);
	CHECK(t.n == 1 && t.ops == 2 && t.form[0] == 3, "%d of %d ops", t.n, t.ops);
	for (int k = 0; k < 2 * TRAIL_FORMS; k++)
		trail_add(&t, 2, 4);
	CHECK(t.n == TRAIL_FORMS, "%d", t.n);
}

/* A campaign in which every case costs 1,000,000 to judge, and each tenth fails and is minimized for 100 times as much
 * if it may be. */
static void check_allowance(bool check)
{
	enum { CASES = 100000, WORK = 1000000, MINIMIZING = 100 * WORK };
	struct allowance a = {0};
	int minimized = 0, late = 0;

	for (int64_t n = 1; n <= CASES; n++) {
		if (n % 10 || !(check ? allowance_grants_check(&a, n * WORK) : allowance_grants(&a, n * WORK)))
			continue;
		a.spent += MINIMIZING;
		minimized++;
		late += n > CASES / 2;
	}
	/* Without an allowance, minimizing costs ten times what judging costs. */
	CHECK((double)minimized * MINIMIZING < (check ? 0.4 : 0.06) * (double)CASES * WORK, "%d minimized", minimized);
	CHECK(late > minimized / 4, "%d of %d in the second half", late, minimized);
	CHECK(!check == !a.refused, "%lld refused", (long long)a.refused);
}

/* The end of a campaign grants a fixed sum, however much was spent before. */
static void check_end(void)
{
	for (int64_t spent = 0; spent < (int64_t)1 << 40; spent = spent * 4 + 1) {
		struct allowance a = {.spent = spent};
		int64_t more = 0;

		allowance_grant_end(&a, 0);
		for (; allowance_grants(&a, 0) && more < (int64_t)1 << 40; more += 1 << 20)
			a.spent += 1 << 20;
		CHECK(more > 100000000 && more < 300000000, "%lld more after %lld", (long long)more, (long long)spent);
	}
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	CHECK_LAW(check_forms());
	CHECK_LAW(check_trail());
	CHECK_LAW(check_allowance(false));
	CHECK_LAW(check_allowance(true));
	CHECK_LAW(check_end());
	return check_done();
}

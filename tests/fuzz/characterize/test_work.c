/* An experiment about a large case ends when it has done its share of work. */
#include <string.h>

#include "fuzz/characterize/characterize.h"
#include "fuzz/characterize/lab.h"
#include "tests/check.h"

/* Work of the experiment `neighbours` of a case of the zoo, in which it makes up to 1,500 variants. */
static const struct work_row {
	const char *spec, *path;
	bool ends; /* it comes to all that it may do */
} rows[] = {
    {"tape+openfhe-cumsum-carry", "corpus/zoo/openfhe-cumsum-carry.json", true},
    {"tape+prod-div-zero", "corpus/zoo/prod-div-zero.json", false},
};

static void check_work(const struct work_row *row, struct arena *a)
{
	/* No variant takes a tenth of it, and some work is done beside the experiment. */
	const double limit = (double)LAB_WORK * LAB_WORK_NEIGHBOURS, most = 1.25, least = 0.75;
	const struct characterize_options without = {.experiments = "inputs"}, with = {.experiments = "neighbours"};
	const struct oracle_options o = {.seed = 1, .fd_one_in = 1 << 20};
	struct characterization x;
	struct testcase c;
	struct error e = {0};
	int64_t work[2] = {0};

	if (!testcase_read_file(row->path, a, &c, &e)) {
		CHECK(false, "%s", e.text);
		return;
	}
	for (int k = 0; k < 2; k++) {
		struct bench b;

		if (!bench_open(&b, &row->spec, 1, &o, &e)) {
			CHECK(false, "%s", e.text);
			return;
		}
		CHECK(characterize(&b, row->spec, &c, k ? &with : &without, a, &x, &e), "%s", e.text);
		work[k] = bench_work(&b);
		bench_close(&b);
	}
	CHECK((double)(work[1] - work[0]) < most * limit, "%s: %lld", row->spec, (long long)(work[1] - work[0]));
	CHECK(((double)(work[1] - work[0]) > least * limit) == row->ends, "%s: %lld", row->spec,
	    (long long)(work[1] - work[0]));
	CHECK(
	    x.finished && x.n_table == 1 && !strcmp(x.table->id, "neighbours"), "%s: %d tables", row->spec, x.n_table);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)256 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s", rows[k].spec))
			check_work(&rows[k], &a);
	arena_free(&a);
	return check_done();
}

/* Which cases a known finding explains, also where the engine makes the finding's ops itself. */
#include "tests/check.h"
#include "tests/support/triage_book.h"

enum { MANY = 100 };

#define CUBE \
	"inputs x: f64[]\n" \
	"y = for (x) trip=2 {\n" \
	"  params i, acc\n" \
	"  next = mul acc, x\n" \
	"  yield next\n" \
	"}\n" \
	"return y\n" \
	"point 0.5\n" \
	"request: vjp\n"
#define SLICES "inputs x: f64[]\ny = mul x, x\nreturn y\npoint [1, 2, 3]\nrequest: batch x; 3 slices\n  then vjp\n"
#define STEPS \
	"inputs x: f64[]\n" \
	"y = fixed_point (x) cap=3 meaning=steps {\n" \
	"  params v\n" \
	"  w = mul v, x\n" \
	"  done = gt w, 100\n" \
	"  yield w, done\n" \
	"}\n" \
	"return y\n" \
	"point 0.5\n" \
	"request: vjp\n"
#define SINE  "inputs x: f64[]\ny = sin x\nreturn y\npoint 0.5\nrequest: vjp\n"
#define SINES "inputs x: f64[]\ny = sin x\nreturn y\npoint [0.1, 0.2, 0.3]\nrequest: batch x; 3 slices\n  then vjp\n"

static const struct row {
	const char *name, *spec, *first, *second;
	bool explained; /* the second case counts as one more of the first one's finding, and is not minimized */
} rows[] = {
    {"a loop again", "functional+residual-fifo", CUBE, CUBE, true},
    {"a batch that runs as a loop", "functional+residual-fifo", CUBE, SLICES, true},
    {"a fixed point that runs as a loop", "functional+residual-fifo", CUBE, STEPS, true},
    {"another bug in every slice", "functional+residual-fifo+scale:sin:1.5", CUBE, SINES, false},
    {"another bug, no loop", "functional+residual-fifo+scale:sin:1.5", CUBE, SINE, false},
};

static void check_row(const struct row *row)
{
	struct book b;
	const struct finding *f;

	book_open(&b, row->spec);
	book_show_text(&b, row->first, 1);
	CHECK(b.triage.n_finding == 1, "%s: %d findings", row->name, b.triage.n_finding);
	b.triage.finding->minimized = MANY;
	b.triage.finding->likely = b.triage.finding->inside = 2; /* the third of a kind is no check */
	book_show_text(&b, row->second, 2);
	f = b.triage.finding;
	CHECK(b.triage.n_finding == (row->explained ? 1 : 2), "%s: %d findings", row->name, b.triage.n_finding);
	CHECK(f->count == (row->explained ? 2 : 1), "%s: %lld cases", row->name, (long long)f->count);
	CHECK(f->minimized == MANY, "%s: it was minimized", row->name);
	book_close(&b);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	if (!book_begin())
		return 1;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (row_wanted("%s", rows[i].name))
			check_row(&rows[i]);
	if (!book_end())
		return 1;
	return check_done();
}

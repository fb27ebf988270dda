/* Numbers in sentences. */
#include <string.h>

#include "graph/text.h"
#include "tests/check.h"

static const struct row {
	int64_t n, first;
	const char *text;
} rows[] = {
    {2, 7, "2 cases, the first is case 7"},
    {1, 7, "1 case, the first is case 7"},
    {0, 7, "met while case 7 was minimized"},
};

static const struct {
	double rate;
	const char *text;
} rates[] = {{0, "0"}, {0.334, "0.33"}, {9.5, "9.50"}, {10, "10"}, {342936.2, "342936"}};

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const char *text = text_seen(rows[k].n, rows[k].first, &a);

		CHECK(!strcmp(text, rows[k].text), "%s: %s", rows[k].text, text);
	}
	for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
		const char *text = text_rate(rates[k].rate, &a);

		CHECK(!strcmp(text, rates[k].text), "%s: %s", rates[k].text, text);
	}
	arena_free(&a);
	return check_done();
}

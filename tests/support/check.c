/* check.c: counts checks and chooses rows. */
#include "tests/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 }; /* failures that are printed */

static struct {
	int count, failures, rows; /* rows: that ran because they were asked for */
	int seen, part, parts;     /* rows that were asked about; 1 .. parts, 0: not in parts */
	bool list;
	const char *wanted; /* NULL: every row */
} state;

bool check_condition(bool holds)
{
	if (state.list)
		return true;
	state.count++;
	state.failures += !holds;
	return holds || state.failures > SHOWN;
}

void check_begin(int argc, char **argv)
{
	state.list = argc > 1 && !strcmp(argv[1], "--list");
	if (argc > 2 && !strcmp(argv[1], "--part") && sscanf(argv[2], "%d/%d", &state.part, &state.parts) == 2)
		return;
	state.wanted = argc > 1 && !state.list ? argv[1] : NULL;
}

/* Prints a name that was not printed before: a table may be walked several times. */
static void list_once(const char *name)
{
	static char **listed;
	static size_t n;

	for (size_t k = 0; k < n; k++)
		if (!strcmp(listed[k], name))
			return;
	listed = realloc(listed, (n + 1) * sizeof *listed);
	listed[n++] = strdup(name);
	puts(name);
}

bool row_wanted(const char *format, ...)
{
	char name[1024];
	va_list list;

	if (all_wanted())
		return true;
	if (state.parts) {
		bool mine = state.seen++ % state.parts == state.part - 1;

		state.rows += mine;
		return mine;
	}
	va_start(list, format);
	vsnprintf(name, sizeof name, format, list);
	va_end(list);
	for (char *c = name; *c; c++)
		if (*c == '\n')
			*c = c[1] ? ';' : '\0';
	if (state.list)
		list_once(name);
	if (state.list || !strstr(name, state.wanted))
		return false;
	state.rows++;
	return true;
}

bool all_wanted(void) { return !state.list && !state.wanted && !state.parts; }

int check_done(void)
{
	if (state.list)
		return 0;
	if (state.wanted && !state.rows) {
		fprintf(stderr, "no row has \"%s\" in its name; --list prints the names\n", state.wanted);
		return 1;
	}
	printf("%d checks, %d failed\n", state.count, state.failures);
	return state.failures || !state.count ? 1 : 0;
}

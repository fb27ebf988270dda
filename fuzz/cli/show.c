/* show.c: adjudge show: prints a case for people. */
#include <stdio.h>

#include "commands.h"

int command_show(int argc, char **argv)
{
	const struct options o = {"show", "CASE...",
	    "Prints a case, or the case of a report, for people: provenance, program, points, request (- is\n"
	    "standard input).\n"
	    "Exit status: 0 printed, 3 a case cannot be read.\n",
	    NULL, 0, 1, -1};
	struct error e = {0};
	struct testcase c;
	struct arena a;
	char **path;
	int n, code = options_parse(&o, argc, argv, &path, &n);

	if (code >= 0)
		return code;
	code = EXIT_NO_FINDING;
	arena_init(&a, COMMAND_ARENA);
	for (int i = 0; i < n; i++) {
		arena_reset(&a);
		e = (struct error){0};
		if (testcase_read_file(path[i], &a, &c, &e) && check_expectations(path[i], &c, &e))
			fputs(testcase_print(&c, &a), stdout);
		else
			code = complain_about_case(&e);
	}
	arena_free(&a);
	return code;
}

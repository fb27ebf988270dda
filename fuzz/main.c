/* main.c: adjudge COMMAND. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../reports/report.h"
#include "commands.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* NULL: not listed */
} commands[] = {
    {"run", command_run, "judge cases: expected and returned, engine by engine"},
    {"gate", command_gate, "judge all cases below paths against their expectations and a baseline"},
    {"fuzz", command_fuzz, "judge random cases; minimize and report what is found"},
    {"minimize", command_minimize, "the smallest case that shows the same finding"},
    {"show", command_show, "print a case for people"},
    {"engines", command_engines, "list the built-in engines"},
    {"ops", command_ops, "list the operations of programs"},
    {"faults", command_faults, "list the faults that can be planted"},
    {"worker", command_worker, NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *f)
{
	fputs("Usage: adjudge COMMAND [OPTION]...\n\nJudges automatic-differentiation engines.\n\nCommands:\n", f);
	for (int i = 0; i < COMMANDS; i++)
		if (commands[i].summary)
			fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n'adjudge COMMAND --help' says more; 'adjudge --version' prints versions.\n"
	    "Exit status: 0 no new finding, 1 a new finding, 2 usage, 3 a bad case file, 4 our own or the machine's failure,\n"
	    "5 nothing was run or decided, 6 only findings that did not come again.\n", f);
}

static int print_version(void)
{
	const char *const *pair = report_versions();

	for (int i = 0; pair[i] && pair[i + 1]; i += 2)
		printf("%s %s\n", pair[i], pair[i + 1]);
	return EXIT_NO_FINDING;
}

int main(int argc, char **argv)
{
	int code;

	/* A reader of our output that goes away ends us with a write error, not by a signal. */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return EXIT_NO_FINDING;
	}
	if (!strcmp(argv[1], "--version"))
		return print_version();
	for (int i = 0; i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		code = commands[i].run(argc - 1, argv + 1);
		if (fflush(stdout) || ferror(stdout)) {
			complain("cannot write to standard output");
			return EXIT_OURS;
		}
		return code;
	}
	complain("no command '%s'", argv[1]);
	fputs("Try 'adjudge --help'.\n", stderr);
	return EXIT_USAGE;
}

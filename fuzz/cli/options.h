/* options.h: parses GNU-style long options from a table; every command prints its help in the same form. */
#ifndef FUZZ_CLI_OPTIONS_H
#define FUZZ_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "fuzz/bench/exit_code.h"

enum { OPTIONS_TEXTS = 64 };
struct texts {
	int n;
	const char *at[OPTIONS_TEXTS];
};

/* Adds a text unless the list has it; false: the list is full. */
bool texts_add(struct texts *list, const char *text);

enum option_kind {
	OPTION_FLAG,     /* bool */
	OPTION_TEXT,     /* const char *; not empty where the argument is FILE or DIR */
	OPTION_ONCE,     /* const char *; a second one, if it differs, is refused */
	OPTION_TEXTS,    /* struct texts: may be repeated; the same twice counts once */
	OPTION_NUMBER,   /* int64_t from 0 to JSON_EXACT */
	OPTION_PERCENT,  /* int64_t, 0 to 100 */
	OPTION_SEED,     /* uint64_t, decimal, 0x, or "fresh": drawn from the system and printed on standard error */
	OPTION_DURATION, /* double, seconds > 0; suffix s, m, h or d */
	OPTION_LIMIT,    /* the same, or 0 for no limit */
	OPTION_SIZE      /* int64_t, bytes; suffix K, M, G or T for powers of 1024; 0 for no limit */
};

struct option_row {
	const char *name;
	enum option_kind kind;
	void *out;
	const char *argument; /* its name in the help; NULL for flags */
	const char *help;
};

struct options {
	const char *command;
	const char *usage;   /* the text after "adjudge COMMAND" */
	const char *summary; /* a paragraph; lines end in \n */
	const struct option_row *row;
	int n_row;                      /* at most 48 */
	int min_operands, max_operands; /* max -1: any number */
	bool *given;                    /* [n_row]: receives whether the user gave each option; NULL: not asked */
};

/*
 * Parses argv[1 ...] of a command.  -1: go on; *operands is argv's first operand and *n_operand their number.
 * Otherwise the exit code: it has printed help or an error.
 */
int options_parse(const struct options *o, int argc, char **argv, char ***operands, int *n_operand);

/* Prints "adjudge: ", the message and a newline to standard error.  Control characters from a file or argument are made
 * harmless for the terminal. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

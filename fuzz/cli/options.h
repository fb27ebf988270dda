/* options.h: GNU-style long options from a table, the same help for every command. */
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

/* Adds a text unless it is there; false when the list is full. */
bool texts_add(struct texts *list, const char *text);
/* Whether it is there. */
bool texts_have(const struct texts *list, const char *text);

enum option_kind {
	OPTION_FLAG,     /* bool */
	OPTION_TEXT,     /* const char *; not empty where the argument is FILE or DIR */
	OPTION_TEXTS,    /* struct texts: may be repeated; the same twice counts once */
	OPTION_NUMBER,   /* int64_t >= 0 */
	OPTION_PERCENT,  /* int64_t, 0 to 100 */
	OPTION_SEED,     /* uint64_t, decimal or 0x */
	OPTION_DURATION, /* double, seconds > 0; suffix s, m, h or d */
	OPTION_LIMIT     /* the same, or 0, which means no limit */
};

struct option_row {
	const char *name;
	enum option_kind kind;
	void *out;
	const char *argument; /* how help calls it; NULL for flags */
	const char *help;
};

struct options {
	const char *command;
	const char *usage;   /* what follows "adjudge COMMAND" */
	const char *summary; /* a paragraph; lines end in \n */
	const struct option_row *row;
	int n_row;                      /* at most 32 */
	int min_operands, max_operands; /* max -1: any number */
};

/*
 * Parses argv[1 ...] of a command.  -1: go on, *operands is argv's first operand and *n_operand their number.  Else the
 * exit code: help was printed, or what is wrong.
 */
int options_parse(const struct options *o, int argc, char **argv, char ***operands, int *n_operand);

/* "adjudge: " and the message, on standard error, with a newline.  What a file or argument smuggles in for the terminal
 * is disarmed. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/*
 * check.h: the smallest test harness: count, print the place and the operands of what failed, exit status at the end.
 *
 *   build/tests/test_x          everything
 *   build/tests/test_x --list   the names of its rows, one a line
 *   build/tests/test_x NAME     the rows whose names contain NAME
 *   build/tests/test_x --part K/N   every Nth row from the Kth on, K = 1 .. N: a long test in parts
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#define CHECK(condition, ...) \
	do { \
		if (!check_condition(condition)) { \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
		} \
	} while (0)

/* Counts a check.  False: it failed, and the message is to be printed, which the first 20 are. */
bool check_condition(bool holds);

/* What the command line asks for; at the start of main. */
void check_begin(int argc, char **argv);

/*
 * Whether the row of that name is to run; names of a test are printed by --list.  Part of a test that is no row of a
 * table (a law, a sum over all rows) is a row of its own.
 */
bool row_wanted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether all rows run: sums over a table mean nothing otherwise. */
bool all_wanted(void);

/* Runs a function whose checks are one row, named as the call. */
#define CHECK_LAW(call) \
	do { \
		if (row_wanted("%s", #call)) \
			call; \
	} while (0)

/* Prints the summary; the value to return from main.  A test that checked nothing has failed. */
int check_done(void);

#endif

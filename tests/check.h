/* check.h: the smallest test harness: count, print the place and the operands of what failed, exit status at the end. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdio.h>

static int check_count, check_failures;

#define CHECK(condition, ...)                                                                      \
	do {                                                                                       \
		check_count++;                                                                     \
		if (!(condition)) {                                                                \
			check_failures++;                                                          \
			if (check_failures <= 20) {                                                \
				fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);    \
				fprintf(stderr, __VA_ARGS__);                                      \
				fputc('\n', stderr);                                               \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* Prints the summary; the value to return from main.  A test that checked nothing has failed. */
static inline int check_done(void)
{
	printf("%d checks, %d failed\n", check_count, check_failures);
	return check_failures || !check_count ? 1 : 0;
}

#endif

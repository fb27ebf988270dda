/* failure.h: the first failure of adjudge or the machine, which ends a campaign, and writing files that may fail. */
#ifndef FUZZ_BENCH_FAILURE_H
#define FUZZ_BENCH_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. */
struct failure {
	bool any;
	char text[512];
};

/* Records a failure of adjudge or the machine, with a reason in the format of printf.  Only the first one is kept. */
void fail(struct failure *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a file as file_write_atomic does.  What cannot be written is a failure, and is printed whole on standard
 * error. */
bool write_or_fail(struct failure *self, const char *dir, const char *name, const char *text, size_t len);

#endif

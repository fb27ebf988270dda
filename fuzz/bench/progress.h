/* progress.h: whether progress may overwrite its line. */
#ifndef FUZZ_BENCH_PROGRESS_H
#define FUZZ_BENCH_PROGRESS_H

#include <stdbool.h>

/*
 * Whether standard error is a terminal that takes carriage returns and escape sequences.  It is not when NO_COLOR is
 * set and not empty, or when TERM is unset, empty or "dumb": then progress is plain lines.
 */
bool progress_overwrites(void);

#endif

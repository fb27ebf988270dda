/* stop.h: SIGINT and SIGTERM ask the process to stop. Loops over cases check between two cases. */
#ifndef FUZZ_BENCH_STOP_H
#define FUZZ_BENCH_STOP_H

#include <stdbool.h>

/* From now on the first SIGINT or SIGTERM is a request to stop.  The second ends the process at once. */
void stop_on_signals(void);
/* Whether such a request came. */
bool stop_requested(void);

#endif

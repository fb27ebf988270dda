/* stop.h: SIGINT, SIGTERM and SIGHUP ask the process to stop. Loops over cases check between two cases. */
#ifndef FUZZ_BENCH_STOP_H
#define FUZZ_BENCH_STOP_H

#include <stdbool.h>

/* From now on the first of these signals is a request to stop.  The same one again ends the process at once.  SIGHUP
 * stays ignored if it was (nohup). */
void stop_on_signals(void);
/* Whether such a request came. */
bool stop_requested(void);
/* The number and the name of the signal that made the first request; 0 and NULL: there was none. */
int stop_signal(void);
const char *stop_signal_name(void);

#endif

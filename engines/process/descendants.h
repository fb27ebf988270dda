/* descendants.h: what a process started, and what that started: however it changed groups and sessions. */
#ifndef ENGINES_PROCESS_DESCENDANTS_H
#define ENGINES_PROCESS_DESCENDANTS_H

#include <stdint.h>
#include <sys/types.h>

enum { DESCENDANTS = 1024 /* that are looked at */ };

/* Those of `root` that there are now, parents before children, without `root`: their number.  Orphans count where
 * `root` is a subreaper. */
int descendants_of(pid_t root, pid_t out[DESCENDANTS]);
/* Bytes resident of `root` and its descendants. */
int64_t descendants_memory(pid_t root);

/*
 * Nanoseconds for which the threads of a process and its descendants ran, and for which they could have but had no
 * processor: those that there are. A wait is in `waited` when it is over; `wanting` threads run or wait now.
 */
struct processor_time {
	int64_t ran, waited;
	int wanting;
};
/* Zeros where the system does not say (/proc/PID/task/TID/schedstat). */
struct processor_time descendants_time(pid_t root);

#endif

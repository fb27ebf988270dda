/*
 * process.h: a supervised process that answers lines with lines.
 *
 * It is exec'ed, leads a process group of its own, and has one end of a socket pair as its standard input and output:
 * unlike a pipe it can be written with MSG_NOSIGNAL, so its death raises no SIGPIPE here and the caller's signal state
 * is never touched.  What it writes to standard error is read as it waits, and the end of it kept.
 */
#ifndef ENGINES_PROCESS_PROCESS_H
#define ENGINES_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "graph/arena.h"
#include "graph/errors.h"
#include "descendants.h"

enum {
	PROCESS_LINE_BYTES = 16 << 20, /* longest line that is read */
	PROCESS_ERRORS = 2048,         /* bytes kept of its standard error: the last ones */
	PROCESS_DYING_MS = 1000,       /* how long a process that closed its output may take to die */
	PROCESS_STARVED = 20 /* waits of so many times the time limit for want of a processor are not counted */
};

/* How an exchange ended, or where it stands. */
enum exchange {
	EXCHANGE_SENT,   /* all of the text is, and no line has come yet */
	EXCHANGE_LINE,   /* buffer[used] holds a newline */
	EXCHANGE_END,    /* it closed its output, or died */
	EXCHANGE_LATE,   /* no answer in time */
	EXCHANGE_LONG,   /* more than PROCESS_LINE_BYTES without a newline */
	EXCHANGE_EARLY,  /* a line before all was read that it answers */
	EXCHANGE_MEMORY, /* it, or what it started, held more memory than it may */
	EXCHANGE_FAILED, /* our own or the machine's failure */
	EXCHANGE_COUNT
};
/* For people; "" for EXCHANGE_SENT and EXCHANGE_LINE. */
extern const char *const exchange_text[EXCHANGE_COUNT];

/* Zero-initialise, then process_new. */
struct process {
	pid_t pid;       /* 0: not running */
	int fd, errors;  /* our ends of its input and output, and of its standard error; -1: not running, or not read */
	int starts;      /* processes started so far */
	int64_t memory;  /* most bytes that the process and its descendants may hold resident; 0: any */
	int64_t watched; /* when it was last looked at, in milliseconds */
	struct starving {
		int64_t since; /* the first look at it in this exchange, in milliseconds; 0: none yet */
		struct processor_time first, last; /* what it had taken then, and at the last look */
		int64_t pending; /* for how long before the last look it has wanted a processor and not run */
		int64_t most;    /* how long of the exchange it had none: the result */
	} starving;
	bool kept;    /* it is a keeper (keeper.h): SIGTERM has it end what it keeps */
	char *buffer; /* [room]: the line being read */
	size_t used, room;
	enum exchange sent;        /* how process_send ended */
	char last[PROCESS_ERRORS]; /* a ring: the last of its standard error */
	size_t said;               /* bytes of standard error so far */
};

void process_new(struct process *p);
/* Kills it with its group, and gives the buffer back. */
void process_free(struct process *p);

/*
 * Starts the executable `path` (searched for as execvp does) with argv and environment.  hear: standard error is kept;
 * else it is /dev/null. False with the reason.
 */
bool process_start(struct process *p, const char *path, char *const argv[], char *const environment[], bool hear,
    struct error *e) MUST_CHECK;
/*
 * Ends the process with its group and reaps it.  patience_ms: how long it may take to die by itself.  True with the
 * wait status when it did; false when it had to be killed, or was not running.
 */
bool process_reap(struct process *p, int patience_ms, int *status);
/* Whether it runs and has said nothing since the last exchange. */
bool process_quiet(const struct process *p);

/*
 * Sends text[len] and reads until a newline has come.  Both directions at once, so that a process which answers before
 * it has read everything cannot block us, nor we it.  Of timeout_ms the time in which it wants a processor that others
 * have is not part: on a crowded machine a slow answer would be a late one.
 */
enum exchange process_exchange(struct process *p, const char *text, size_t len, int timeout_ms);
/*
 * The two halves of it, for who has something else to do while the process works: send returns as soon as all is
 * written, and receive waits for the line, timeout_ms from its call on.  What went wrong as it was sent, receive says.
 */
void process_send(struct process *p, const char *text, size_t len, int timeout_ms);
enum exchange process_receive(struct process *p, int timeout_ms);
/* The line that the exchange read, without its newline, when nothing follows it: its length in *len. */
bool process_line(const struct process *p, size_t *len);

/* What killed a process, for people, the same on every host: "exit code 3", "SIGSEGV". */
char *process_death(int status, struct arena *a);
/* The last lines that are not empty of what it wrote to standard error, printable, with "|" between them; "" when there
 * is none. */
char *process_complaint(const struct process *p, struct arena *a);

/* The environment plus NAME=VALUE, in one block for free(); NULL when memory is out. */
char **process_environment(const char *name, const char *value);

#endif

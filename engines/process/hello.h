/* hello.h: what an engine in another process says of itself, once, in its first line. */
#ifndef ENGINES_PROCESS_HELLO_H
#define ENGINES_PROCESS_HELLO_H

#include "graph/json.h"
#include "graph/testcase.h"

enum {
	HELLO_PROTOCOL = 1,       /* the version of the protocol: the value of the first member */
	HELLO_BYTES = 1 << 16,    /* of the line */
	HELLO_REQUESTS = 64,      /* at most so many stacks */
	HELLO_CASES = 256,        /* the most cases in one request, whatever an engine asks for */
	HELLO_TIMEOUT_MS = 600000 /* the longest that an engine may ask for */
};

/* A stack of transforms, innermost first; none: the primal alone. */
struct hello_request {
	int n;
	enum transform_kind kind[LIMIT_TRANSFORMS];
};

/* Members that are absent leave everything allowed and nothing asked for. */
struct hello {
	const char *name, *version; /* of the engine; "" for none */
	int n_request;              /* 0: any */
	struct hello_request request[HELLO_REQUESTS];
	bool dtype[DTYPE_COUNT]; /* that values may have */
	bool op[OP_COUNT];
	int rank; /* the largest of a value, with the axes of batches */
	/* What is done to a program before the engine sees it. */
	bool unroll;    /* in the place of regions that `op` lacks: the ops that are executed at the point, in order */
	bool constants; /* what no float input has a part in is a constant, and so is every integer and bool */
	bool broadcast; /* the operands of elementwise ops have the shape of the result */
	int one_dtype;  /* every float has this one; -1: they have their own */
	enum json_reals reals;
	/* What the engine says of its answers. */
	bool weak_zero;            /* 0 times infinity is NaN where a branch is dead */
	bool finite_math;          /* its rewrites hold for finite numbers alone: x - x is 0 */
	bool nondeterministic;     /* asked again it may round otherwise */
	bool flushes[DTYPE_COUNT]; /* subnormal numbers of that dtype may be read and left as 0 */
	const char *emits; /* the suffix of files that hold its source text ("py"): it writes some where a request asks
	                      for it; "": it does not */
	const struct op_accuracy *accuracy; /* [OP_COUNT] what functions may be off by; NULL: what is usual */
	int timeout_ms;                     /* that one request may take; 0: as usual */
	int cases_per_request;              /* at most so many in one; 1 unless it says more */
};

/* Everything allowed, nothing asked for. */
struct hello hello_open_to_all(const char *name);
/* One line without the newline; NUL-terminated, in the arena.  Members that say nothing are left out. */
char *hello_write(const struct hello *h, struct arena *a, size_t *len);
/* False with the reason when the line is no hello; {"error": "..."} is one that says why there is none.  Strings live
 * in the arena. */
bool hello_read(const char *line, size_t len, struct arena *a, struct hello *out, struct error *e) MUST_CHECK;
/* Whether the engine takes requests of that stack. */
bool hello_takes(const struct hello *h, const struct transform *t, int n);
/* Whether op derivative of p is written in other ops before the engine sees it. */
bool hello_has_derivatives_written(const struct hello *h, const struct program *p);

#endif

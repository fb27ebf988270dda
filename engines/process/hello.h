/* hello.h: the hello, the first line of an engine in another process.  It says what the engine knows. */
#ifndef ENGINES_PROCESS_HELLO_H
#define ENGINES_PROCESS_HELLO_H

#include "graph/json.h"
#include "graph/testcase.h"

enum {
	HELLO_PROTOCOL = 1,       /* the version of the protocol: the value of the first member */
	HELLO_BYTES = 1 << 16,    /* of the line */
	HELLO_REQUESTS = 64,      /* at most so many stacks */
	HELLO_CASES = 256,        /* the most cases in one request, whatever an engine asks for */
	HELLO_SPELLING = 80,      /* bytes of the name of a spelling */
	HELLO_TIMEOUT_MS = 600000 /* the longest that an engine may ask for */
};

/* A stack of transforms, innermost first; none: the primal alone. */
struct hello_request {
	int n;
	enum transform_kind kind[LIMIT_TRANSFORMS];
};

/* Where an engine may have several spellings: an op, or the levels of a request ("request"). */
enum { SPELLED_REQUEST = OP_COUNT, SPELLED_COUNT };
const char *hello_spelled_name(int spelled);

/* The names of the spellings, first the one that the engine uses without a variant. */
struct spelling_list {
	int n; /* 1 to LIMIT_SPELLINGS */
	const char *name[LIMIT_SPELLINGS];
};

/* An absent member allows everything and asks for nothing. */
struct hello {
	const char *name, *version; /* of the engine; "" for none */
	int n_request;              /* 0: any */
	struct hello_request request[HELLO_REQUESTS];
	bool dtype[DTYPE_COUNT]; /* that values may have */
	bool op[OP_COUNT];
	int rank;  /* the largest rank of a value, batch axes included */
	int nodes; /* the most nodes of a program as it arrives, with those in its regions */
	/* Changes to a program before the engine sees it. */
	bool unroll;    /* instead of regions that `op` lacks: the ops that are executed at the point, in order */
	bool constants; /* values that depend on no float input, and all integers and bools, are constants */
	bool broadcast; /* operands of elementwise ops get the shape of the result */
	int one_dtype;  /* every float gets this dtype; -1: they keep their own */
	enum json_reals reals;
	/* What the engine says about its answers. */
	bool weak_zero;            /* 0 times infinity is NaN in a dead branch */
	bool finite_math;          /* its rewrites hold for finite numbers only: x - x is 0 */
	bool reassociates;         /* it regroups sums, products and quotients across ops: (3 x) y is 3 (x y) */
	bool nondeterministic;     /* it may round differently when it is asked again */
	bool flushes[DTYPE_COUNT]; /* subnormal numbers of that dtype may count as 0 as operands and as results */
	const char *emits; /* the suffix of files with its source text ("py"), which it writes when a request asks for
	                      it; "": it writes none */
	bool variants;     /* it lists spellings, so cases keep their variant; other engines get cases without one */
	const struct spelling_list *spelling[SPELLED_COUNT]; /* NULL: one spelling, without a name */
	const struct op_accuracy *accuracy; /* errors that its functions may have; NULL: the usual ones */
	int timeout_ms;                     /* time limit of one request; 0: the usual one */
	int cases_per_request;              /* most cases in one request; 1 if the hello does not say */
	const char *unknown; /* its ops and members that this adjudge does not know, and similar names; "": none */
};

/* A hello that allows everything and asks for nothing. */
struct hello hello_open_to_all(const char *name);
/*
 * The hello as one line without the newline; NUL-terminated, in the arena.  Members that change nothing are left out.
 */
char *hello_write(const struct hello *h, struct arena *a, size_t *len);
/*
 * Reads a hello.  False with the reason when the line is no hello. {"error": "..."} is one that says why there is
 * none.  Strings live in the arena.
 */
bool hello_read(const char *line, size_t len, struct arena *a, struct hello *out, struct error *e) MUST_CHECK;
/* The number of the spelling that the variant draws there (testcase_spelling); 0: the first, or the only one. */
int hello_spelled(const struct hello *h, int spelled, int variant);
/* Its name; NULL: the first, or the only one. */
const char *hello_spelling(const struct hello *h, int spelled, int variant);
/* Whether the engine takes requests with this stack of transforms. */
bool hello_takes(const struct hello *h, const struct transform *t, int n);
/* Whether ops `derivative` in p are written in other ops before the engine sees the program. */
bool hello_has_derivatives_written(const struct hello *h, const struct program *p);

#endif

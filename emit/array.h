/*
 * array.h: array libraries as data.  A target is a file of templates (jax.def ...). array_targets.c includes it twice:
 * for its rows of ops, and for its syntax.
 *
 * A template is source text with keys in braces.  Text in braces that is no key stays unchanged.  Keys of ops are
 * listed in template.c, those of levels in array.c.
 */
#ifndef EMIT_ARRAY_H
#define EMIT_ARRAY_H

#include "emit_parts.h"

/* When a row of an op applies.  The first row that fits a node is used. */
enum form {
	FORM_ANY,
	FORM_INT,           /* operand 0 is an integer; without operands, the result is */
	FORM_TO_INT,        /* a cast of a float to an integer */
	FORM_TO_BOOL,       /* a cast to bool */
	FORM_LAST_CONSTANT, /* the last operand is a constant */
	FORM_ONE_AXIS,      /* `axes` has one element */
	FORM_LEADING,       /* `axis` is 0 */
	FORM_UNIT,          /* every stride is 1 */
	FORM_MATRICES,      /* no operand is a vector */
	FORM_SMALL,         /* no operand has more than two axes */
	FORM_SAME           /* all operands have one shape */
};

struct op_row {
	enum op op;
	enum form form;
	const char *text; /* of an expression, or, with the key out, of a line; NULL: the target has no counterpart */
	const char *name; /* of a spelling; NULL: the usual row */
};

/*
 * One way to make the functions of a source and to ask for their derivatives: a spelling of a request.  A mode has one
 * or more; the first row is the usual one.  A template of NULL: the member of the target.
 */
struct array_calls {
	const char *mode, *name;
	const char *function,
	    *level;       /* no keys: what stands before the function, and before each level; NULL: nothing */
	const char *call; /* of the outermost function */
	const char *jvp;  /* a level */
};

/*
 * The members are templates unless their comment says otherwise.  An absent member means that the target has no
 * counterpart.
 */
struct array_target {
	const char *name, *title;
	const char *comment;                /* the beginning of a comment line */
	const char *const *compare;         /* no keys: functions that judge returned numbers (compare/) */
	const char *head;                   /* no keys: imports */
	const char *flat;                   /* no keys: what `show` needs */
	const char *dtype[DTYPE_COUNT];     /* no keys */
	const char *tensor;                 /* keys: data (nested lists), type, shape */
	const char *empty;                  /* for a tensor without elements */
	const char *function;               /* keys: name, in, body, results */
	const char *line;                   /* of a body; keys: out, text */
	const char *level[TRANSFORM_COUNT]; /* keys: name, in, active, call, seeds, below, axes, mapped, batched */
	const char *lone_vjp;               /* of one output, in a brief source; seed beside these keys */
	const char *cond, *for_loop, *while_loop,
	    *scan;                 /* control flow as lines; keys in array_function.c. No for or scan ends early */
	bool while_reversed;       /* the target has the vjp of a while */
	const char *call, *pick;   /* keys of call: name, args; of pick: call, picked (of a tuple y) */
	const char *element;       /* an element of a tuple; keys: of, k */
	const char *assign, *show; /* keys of assign: out, text; of show: what, of, type, extents, expected */
	const char *suffix;        /* no keys: of files with a source that calls `judge` */
	const char *judge;         /* instead of show, without a truth; keys: what, of */
	const char *told;          /* no keys: what `judge` needs beside `flat` */
	/* In a brief source, of an output; key: of.  number: without axes; numbers: a flat list. */
	const char *number, *numbers, *dtype_of, *shape_of;
	bool compares_dtype;
	const char *ask, *conclude, *finish; /* key of ask: asked; keys of conclude: least, most */
	const char *slice_of;                /* an element of the tuple over which a batch maps; key: k */
	const char *list[2], *tuple[2];      /* brackets */
	bool comma;                          /* a tuple of one element ends in a comma */
	const char *nan, *inf, *minus_inf, *truth[2], *keep[2]; /* keep: for the key `keep` */
	bool ascending;                                         /* slices cannot have a negative stride */
	bool broadcast; /* operands of elementwise ops must have the shape of the result */
	bool clamps;    /* dynamic slices clamp their starts themselves */
	const struct op_row *row;
	int n_row;
	const struct op_row *spelling;   /* other calls for ops; ends with a row of NULLs */
	const struct array_calls *calls; /* ends with a row of NULLs; no row: one mode, with the members above */
};

#define ARRAY_TARGET(id) extern const struct array_target array_##id;
#define ARRAY_MODE(...)
#include "array_targets.def"
#undef ARRAY_TARGET
#undef ARRAY_MODE

/* ---- modes (array_modes.c) ---- */

/* The calls of a mode that the variant of a case draws. */
const struct array_calls *array_calls_of(const struct array_target *target, const char *mode, int variant);

/* The target with the rows of the spellings that the variant of a case draws, before the usual ones; in the arena. */
struct array_target array_spelled(const struct array_target *target, int variant, struct arena *a);

/* ---- templates (template.c) ---- */

/* The value of a key, or NULL. */
typedef const char *key_fn(const void *self, const char *key, size_t len);
/* Whether the key is this one. */
bool template_is(const char *key, size_t len, const char *name);
/* Replaces the keys in the text; in the arena. */
const char *template_put(const char *text, key_fn *key, const void *self, struct arena *a);

/* The same with few keys, as pairs of a key and its text, ended by NULL. */
const char *template_with(const char *text, const char *const *pairs, struct arena *a);
#define TEMPLATE_WITH(a, text, ...) template_with(text, (const char *const[]){__VA_ARGS__, NULL}, a)

/* A node, and what its template needs. */
struct template_node {
	const struct array_target *target;
	const struct program *p;
	const struct node *node;
	const struct tensor *const *constant; /* [p->n_value] NULL: not a constant */
	struct arena *arena;
};
/* The row of the node, or NULL. */
const struct op_row *template_row(const struct template_node *x);
/* The node as source: an expression, or (if *line) a line. */
const char *template_node(const struct template_node *x, const struct op_row *row, bool *line);
/* template_value: the name of a value. template_list: texts with commas between them. */
const char *template_value(int v, struct arena *a);
const char *template_list(const char *const *item, int n, struct arena *a);
/* template_tensor: a tensor as source. template_tuple: texts in brackets; a tuple of one element with its comma. */
const char *template_tensor(const struct array_target *target, const struct tensor *t, struct arena *a);
const char *template_tuple(const struct array_target *target, const char *const *item, int n, struct arena *a);

/* ---- functions (array_function.c) ---- */

/* Names of the parameters, separated by commas; in the arena. */
const char *array_parameters(const struct region *region, struct arena *a);
/* Whether the target has this op with regions, at least in some form. */
bool array_has_control(const struct array_target *target, enum op op);
/* Whether the target has all control flow of the region.  `reverse`: a vjp of it is requested. */
bool array_is_native(const struct array_target *target, const struct region *region, bool reverse);
/*
 * Writes a region of p as a function of its parameters; it uses captured values directly.  All nodes must have rows,
 * and the target must have the control flow. constant[p->n_value]: the value if it is a constant, else NULL. In the
 * arena.
 */
const char *array_function_text(const struct array_target *target, const struct program *p, const struct region *region,
    const char *name, const struct tensor **constant, struct arena *a);

/* ---- programs that the templates know (rewrite.c, rewrite_index.c) ---- */

/*
 * Rewrites p into ops that the target has rows for, and into forms that mean the same there.  For instance, indices are
 * inside their axis, and nothing slices or reduces an empty axis.  Regions stay.  In the arena.  False with the op that
 * has no counterpart.
 */
bool rewrite_for(const struct array_target *target, const struct program *p, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;
/* Whether it knows the op, at least in some form: by a row, or in other ops that have rows. */
bool rewrite_knows(const struct array_target *target, enum op op);

#endif

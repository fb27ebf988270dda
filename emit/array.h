/*
 * array.h: array libraries as data.  A target is a file of templates (jax.def ...), included twice by array_targets.c:
 * its rows of ops, and its syntax.
 *
 * A template is source text with keys in braces; what is in braces and no key stays as it is.  Keys of ops are listed
 * in template.c, those of levels in array.c.
 */
#ifndef EMIT_ARRAY_H
#define EMIT_ARRAY_H

#include "emit_parts.h"

/* When a row of an op is meant: the first row that fits a node is taken. */
enum form {
	FORM_ANY,
	FORM_INT,           /* operand 0, or the result of a node without operands, is an integer */
	FORM_TO_INT,        /* a cast of a float to an integer */
	FORM_TO_BOOL,       /* a cast to bool */
	FORM_LAST_CONSTANT, /* the last operand is a constant */
	FORM_ONE_AXIS,      /* `axes` has one */
	FORM_LEADING,       /* `axis` is 0 */
	FORM_UNIT,          /* every stride is 1 */
	FORM_MATRICES,      /* no operand is a vector */
	FORM_SMALL          /* no operand has more than two axes */
};

struct op_row {
	enum op op;
	enum form form;
	const char
	    *text; /* of an expression; with the key out, of a line; NULL: the target has nothing that means it */
};

/* Templates but where it says otherwise.  Members that are absent: the target has no such thing. */
struct array_target {
	const char *name, *title;
	const char *comment;                /* what a line of comment begins with */
	const char *head;                   /* imports, and what shows results: as it stands */
	const char *dtype[DTYPE_COUNT];     /* as it stands */
	const char *tensor;                 /* keys: data (nested lists), type, shape */
	const char *empty;                  /* the same without elements */
	const char *function;               /* keys: name, in, body, results */
	const char *line;                   /* of a body; keys: out, text */
	const char *level[TRANSFORM_COUNT]; /* keys: name, in, active, call, seeds, below, axes, mapped, batched */
	const char *cond, *for_loop, *while_loop,
	    *scan;                 /* control flow as lines; keys in array_function.c.  No for or scan ends early */
	bool while_reversed;       /* a while has a vjp */
	const char *call, *pick;   /* keys: name, args; call, picked (of a tuple y) */
	const char *element;       /* of a tuple; keys: of, k */
	const char *assign, *show; /* keys: out, text; what, of, expected */
	const char *slice_of;      /* an element of what a batch maps over; key: k */
	const char *list[2], *tuple[2];                         /* brackets */
	bool comma;                                             /* a tuple of one has a comma behind it */
	const char *nan, *inf, *minus_inf, *truth[2], *keep[2]; /* keep: of the key of that name */
	bool ascending;                                         /* slices have no negative stride */
	bool broadcast; /* operands of elementwise ops have the shape of the result */
	bool clamps;    /* dynamic slices clamp their starts by themselves */
	const struct op_row *row;
	int n_row;
};

#define ARRAY_TARGET(id) extern const struct array_target array_##id;
#include "array_targets.def"
#undef ARRAY_TARGET

/* ---- templates (template.c) ---- */

/* The value of a key, or NULL. */
typedef const char *key_fn(const void *self, const char *key, size_t len);
/* Whether the key is this one. */
bool template_is(const char *key, size_t len, const char *name);
/* The text with its keys replaced; in the arena. */
const char *template_put(const char *text, key_fn *key, const void *self, struct arena *a);

/* The same with keys of few: pairs of a key and its text, ended by NULL. */
const char *template_with(const char *text, const char *const *pairs, struct arena *a);
#define TEMPLATE_WITH(a, text, ...) template_with(text, (const char *const[]){__VA_ARGS__, NULL}, a)

/* A node and what templates ask of it. */
struct template_node {
	const struct array_target *target;
	const struct program *p;
	const struct node *node;
	const struct tensor *const *constant; /* [p->n_value] NULL: no constant */
	struct arena *arena;
};
/* The row of the node, or NULL. */
const struct op_row *template_row(const struct template_node *x);
/* The node as source: an expression, or (*line) a line. */
const char *template_node(const struct template_node *x, const struct op_row *row, bool *line);
/* The name of a value; a list of texts with commas between them. */
const char *template_value(int v, struct arena *a);
const char *template_list(const char *const *item, int n, struct arena *a);
/* A tensor as source; a list of texts between brackets, a tuple of one with its comma. */
const char *template_tensor(const struct array_target *target, const struct tensor *t, struct arena *a);
const char *template_tuple(const struct array_target *target, const char *const *item, int n, struct arena *a);

/* ---- functions (array_function.c) ---- */

/* Names of the parameters, separated by commas; in the arena. */
const char *array_parameters(const struct region *region, struct arena *a);
/* Whether the target has all control flow of the region as it stands; reverse: where it is asked for a vjp of it. */
bool array_is_native(const struct array_target *target, const struct region *region, bool reverse);
/*
 * A region of p as a function: of its parameters, of what it captures as it is.  Its nodes have rows, its control flow
 * is native.  constant[p->n_value]: NULL, or by value where it is a constant.  In the arena.
 */
const char *array_function_text(const struct array_target *target, const struct program *p, const struct region *region,
    const char *name, const struct tensor **constant, struct arena *a);

/* ---- programs that the templates know (rewrite.c, rewrite_index.c) ---- */

/*
 * p, whose regions stay what they are, in ops that the target has a row for and in the forms in which the row means the
 * same: indices inside their axis, no slices or reductions of nothing, and so on.  In the arena.  False with the op
 * that cannot be said.
 */
bool rewrite_for(const struct array_target *target, const struct program *p, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;

#endif

/* library.c: see library.h.  It hands over a case as flat arrays, and checks the memory of the answers afterwards. */
#include "library.h"

#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "graph/program.h"
#include "graph/walk.h"
#include "engines/adjudge_engine.h"

_Static_assert((int)ADJUDGE_RANK == (int)LIMIT_RANK, "the interface's rank");
_Static_assert(sizeof(union adjudge_number) == sizeof(union cell), "the interface's numbers");
_Static_assert((int)ADJUDGE_F64 == (int)DTYPE_F64 && (int)ADJUDGE_F32 == (int)DTYPE_F32 &&
        (int)ADJUDGE_BF16 == (int)DTYPE_BF16 && (int)ADJUDGE_F16 == (int)DTYPE_F16 &&
        (int)ADJUDGE_I64 == (int)DTYPE_I64 && (int)ADJUDGE_I32 == (int)DTYPE_I32 &&
        (int)ADJUDGE_BOOL == (int)DTYPE_BOOL,
    "the interface's dtypes");
_Static_assert((int)ADJUDGE_JVP == (int)TRANSFORM_JVP && (int)ADJUDGE_VJP == (int)TRANSFORM_VJP &&
        (int)ADJUDGE_BATCH == (int)TRANSFORM_BATCH,
    "the interface's transforms");

#define SYMBOL "adjudge_engine_1"

/* GUARD: cells behind each tensor of an answer, which the engine must not write. */
enum { GUARD = 8 };
/*
 * The cells of an answer before the engine writes: a NaN that no computation makes, and an integer that no engine
 * returns.
 */
static const int64_t unset = 0x7ff4adadadadadad;

struct library {
	const struct adjudge_engine *engine;
	int op[OP_COUNT]; /* the engine's number for each of our ops; -1: it does not know the op */
};

/* ---- opening ---- */

/* Reads the hello of the process protocol.  The object leaves out the version of the protocol and the ops. */
static bool read_hello(struct library *self, struct arena *a, struct hello *out, struct error *e)
{
	const char *text = self->engine->hello, *members = text ? text + strspn(text, " \t\n") : "";

	if (*members != '{')
		return error_set(e, "hello", "it is not a JSON object");
	members++;
	text = arena_printf(a, "{\"adjudge.engine\": %d%s%s", (int)HELLO_PROTOCOL,
	    members[strspn(members, " \t\n")] == '}' ? "" : ", ", members);
	if (!hello_read(text, strlen(text), a, out, e))
		return false;
	out->reals = JSON_REALS_HEX;
	out->variants = false; /* the interface in C has no variant */
	memset(out->spelling, 0, sizeof out->spelling);
	memset(out->op, 0, sizeof out->op);
	out->op[OP_CONSTANT] = true;
	for (int k = 0; k < OP_COUNT; k++)
		self->op[k] = -1;
	for (int k = 0; self->engine->ops && self->engine->ops[k]; k++) {
		int op = op_find(self->engine->ops[k]);

		if (op < 0)
			continue; /* an op of another version: it will not be asked for */
		out->op[op] = true;
		self->op[op] = k;
	}
	return true;
}

static bool load(struct library *self, const char *path, struct error *e)
{
	const struct adjudge_engine *(*entry)(void) = NULL;
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;

	if (!object)
		return error_set(e, NULL, "%s", dlerror());
	symbol = dlsym(object, SYMBOL);
	if (!symbol)
		return error_set(e, NULL, "%s exports no %s", path, SYMBOL);
	memcpy(&entry, &symbol, sizeof entry); /* POSIX stores functions in pointers to void this way */
	self->engine = entry();
	if (!self->engine)
		return error_set(e, NULL, "%s of %s returns no engine", SYMBOL, path);
	if (self->engine->version != ADJUDGE_ENGINE_VERSION)
		return error_set(e, NULL, "%s is of version %d of the interface; this adjudge speaks %d", path,
		    (int)self->engine->version, ADJUDGE_ENGINE_VERSION);
	if (!self->engine->prepare || !self->engine->answer || !self->engine->release)
		return error_set(e, NULL, "%s lacks prepare, answer or release", path);
	return true;
}

struct library *library_open(const char *path, struct arena *a, struct hello *hello, struct error *e)
{
	struct library *self = heap_new(1, sizeof *self);

	if (load(self, path, e) && read_hello(self, a, hello, e))
		return self;
	free(self);
	return NULL;
}

void library_close(struct library *self) { free(self); }

/* ---- a case as flat arrays ---- */

struct flat {
	const struct library *library;
	struct arena *arena;
	int n_node, n_region;
	struct adjudge_node *node;
	struct adjudge_region *region;
};

static struct adjudge_type *flat_types(const struct type *t, int n, struct arena *a)
{
	struct adjudge_type *out = NEW(a, struct adjudge_type, n);

	for (int k = 0; k < n; k++) {
		out[k] = (struct adjudge_type){
		    .dtype = (int32_t)t[k].dtype, .rank = t[k].shape.rank, .elements = shape_elements(&t[k].shape)};
		for (int d = 0; d < t[k].shape.rank; d++)
			out[k].extent[d] = t[k].shape.extent[d];
	}
	return out;
}

static const union adjudge_number *flat_cells(const struct tensor *t, struct arena *a)
{
	int n = shape_elements(&t->type.shape);
	union adjudge_number *out = NEW(a, union adjudge_number, n);

	memcpy(out, t->at, (size_t)n * sizeof *out);
	return out;
}

static const int32_t *flat_ints(const int *from, int n, struct arena *a)
{
	int32_t *out = NEW(a, int32_t, n);

	for (int k = 0; k < n; k++)
		out[k] = from[k];
	return out;
}

static void flat_attributes(const struct program *p, const struct node *node, struct adjudge_node *out, struct arena *a)
{
	struct adjudge_attribute *list = NEW(a, struct adjudge_attribute, ATTR_COUNT);

	out->attribute = list;
	for (int k = 0; k < ATTR_COUNT; k++)
		if (op_table[node->op].attrs & (1u << k) && attr_fields[k].kind != ATTR_KIND_TENSOR) {
			struct attr_value v = node_attr(p, node, (enum attr_index)k);

			list[out->n_attribute++] = (struct adjudge_attribute){
			    attr_fields[k].key, v.n, flat_ints(v.at, v.n, a)};
		}
	if (node->op == OP_CONSTANT)
		out->constant = flat_cells(&node->attrs.value, a);
}

static void count(const struct region *region, int *n_node, int *n_region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);) {
		++*n_node;
		*n_region += w.node->n_region;
	}
}

/* Writes the region as number `which`.  The nodes and regions inside get the next free numbers. */
static void flatten(struct flat *f, const struct program *p, const struct region *region, int which)
{
	int first = f->n_node;

	f->n_node += region->n_node;
	f->region[which] = (struct adjudge_region){.n_param = region->n_param,
	    .param = region->param,
	    .n_node = region->n_node,
	    .node = first,
	    .n_result = region->n_result,
	    .result = flat_ints(region->result, region->n_result, f->arena)};
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		struct adjudge_node *out = &f->node[first + i];

		*out = (struct adjudge_node){
		    .op = node->op == OP_CONSTANT ? ADJUDGE_CONSTANT : f->library->op[node->op],
		    .n_arg = node->n_arg,
		    .arg = flat_ints(node->arg, node->n_arg, f->arena),
		    .n_out = node->n_out,
		    .out = node->out,
		    .n_region = node->n_region,
		    .region = f->n_region};
		flat_attributes(p, node, out, f->arena);
		f->n_region += node->n_region;
		for (int r = 0; r < node->n_region; r++)
			flatten(f, p, &node->region[r], out->region + r);
	}
}

static const struct adjudge_level *flat_levels(const struct testcase *c, struct arena *a)
{
	struct adjudge_level *out = NEW(a, struct adjudge_level, c->n_transform);

	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];
		const union adjudge_number **seed = NEW(a, const union adjudge_number *, t->n_seed);
		struct type *type = NEW(a, struct type, t->n_seed);

		for (int i = 0; i < t->n_seed; i++) {
			seed[i] = flat_cells(&t->seed[i], a);
			type[i] = t->seed[i].type;
		}
		out[k] = (struct adjudge_level){.transform = (int32_t)t->kind,
		    .n_wrt = t->n_wrt,
		    .wrt = flat_ints(t->wrt, t->n_wrt, a),
		    .n_seed = t->n_seed,
		    .seed_type = flat_types(type, t->n_seed, a),
		    .seed = seed,
		    .size = t->size};
	}
	return out;
}

static struct adjudge_case flat_case(const struct library *self, const struct testcase *c, const struct type *primal,
    int n_primal, const struct type *derivative, int n_derivative, struct arena *a)
{
	struct flat f = {.library = self, .arena = a, .n_region = 1};
	const union adjudge_number **const *points;
	const union adjudge_number ***point = NEW(a, const union adjudge_number **, c->n_point);
	int n_node = 0, n_region = 1;

	count(&c->program.top, &n_node, &n_region);
	f.node = NEW(a, struct adjudge_node, n_node);
	f.region = NEW(a, struct adjudge_region, n_region);
	flatten(&f, &c->program, &c->program.top, 0);
	for (int k = 0; k < c->n_point; k++) {
		point[k] = NEW(a, const union adjudge_number *, c->program.top.n_param);
		for (int i = 0; i < c->program.top.n_param; i++)
			point[k][i] = flat_cells(&c->point[k][i], a);
	}
	points = point;
	return (struct adjudge_case){.n_value = c->program.n_value,
	    .n_node = n_node,
	    .n_region = n_region,
	    .n_level = c->n_transform,
	    .n_point = c->n_point,
	    .type = flat_types(c->program.type, c->program.n_value, a),
	    .node = f.node,
	    .region = f.region,
	    .level = flat_levels(c, a),
	    .point = (const union adjudge_number *const *const *)points,
	    .n_primal = n_primal,
	    .n_derivative = n_derivative,
	    .primal = flat_types(primal, n_primal, a),
	    .derivative = flat_types(derivative, n_derivative, a)};
}

/* ---- what the engine must leave as it was ---- */

/* How the processor computes with floats. */
struct float_modes {
	int rounding;
	unsigned flushing; /* subnormal results and operands count as 0; 0 where we do not know how to ask */
};

#ifdef __SSE__
enum { MXCSR_FLUSHING = 0x8040 }; /* FTZ and DAZ */

static unsigned flushing_now(void) { return __builtin_ia32_stmxcsr() & MXCSR_FLUSHING; }

static void set_flushing(unsigned bits)
{
	__builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~(unsigned)MXCSR_FLUSHING) | bits);
}
#else
static unsigned flushing_now(void) { return 0; }

static void set_flushing(unsigned bits) { (void)bits; }
#endif

static struct float_modes float_modes(void) { return (struct float_modes){fegetround(), flushing_now()}; }

/* Restores the modes.  Returns what the engine left changed, or NULL. */
static const char *restore_modes(struct float_modes before)
{
	const struct float_modes now = float_modes();

	fesetround(before.rounding);
	set_flushing(before.flushing);
	if (now.rounding != before.rounding)
		return "left the rounding mode changed";
	if (now.flushing != before.flushing)
		return now.flushing ? "left flushing of subnormal numbers switched on"
		                    : "left flushing of subnormal numbers switched off";
	return NULL;
}

static bool differs(const union adjudge_number *now, const struct tensor *from)
{
	return memcmp(now, from->at, (size_t)shape_elements(&from->type.shape) * sizeof *now) != 0;
}

/* Whether the engine wrote into the inputs of point `which` or into a seed. */
static bool wrote_inputs(const struct adjudge_case *flat, const struct testcase *c, int which)
{
	for (int i = 0; i < c->program.top.n_param; i++)
		if (differs(flat->point[which][i], &c->point[which][i]))
			return true;
	for (int k = 0; k < c->n_transform; k++)
		for (int i = 0; i < c->transform[k].n_seed; i++)
			if (differs(flat->level[k].seed[i], &c->transform[k].seed[i]))
				return true;
	return false;
}

/* ---- answers ---- */

/* Makes n tensors of these types, unset, with a guard behind each. */
static struct tensor *blank(const struct type *type, int n, union adjudge_number **memory, struct arena *a)
{
	struct tensor *out = NEW(a, struct tensor, n);

	for (int k = 0; k < n; k++) {
		int cells = shape_elements(&type[k].shape) + GUARD;

		out[k] = (struct tensor){type[k], NEW(a, union cell, cells)};
		memory[k] = NEW(a, union adjudge_number, cells);
		for (int i = 0; i < cells; i++)
			memory[k][i].i = unset;
	}
	return out;
}

/* Takes over the engine's answer.  Returns NULL, or what is wrong with it. */
static const char *take(
    const char *what, struct tensor *out, int n, union adjudge_number *const *memory, struct arena *a)
{
	for (int k = 0; k < n; k++) {
		int elements = shape_elements(&out[k].type.shape);

		for (int i = 0; i < GUARD; i++)
			if (memory[k][elements + i].i != unset)
				return arena_printf(a, "wrote beyond the %d elements of %s %d", elements, what, k);
		for (int i = 0; i < elements; i++) {
			if (memory[k][i].i == unset)
				return arena_printf(a, "left element %d of %s %d unwritten", i, what, k);
			out[k].at[i].i = memory[k][i].i;
		}
	}
	return NULL;
}

/* An answer with a status other than OK, and the engine's text. */
static struct answer refused(enum adjudge_status status, char text[ADJUDGE_TEXT], struct arena *a)
{
	text[ADJUDGE_TEXT - 1] = '\0';
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return (struct answer){.status = status == ADJUDGE_UNSUPPORTED ? ANSWER_UNSUPPORTED : ANSWER_CRASH,
	    .text = arena_printf(a, "%s", text)};
}

static void answer_point(struct library *self, void *state, const struct adjudge_case *flat, int which,
    const struct type *primal, const struct type *derivative, struct arena *a, struct answer *out)
{
	union adjudge_number *p[LIMIT_ARGS], *d[LIMIT_ARGS];
	struct adjudge_answer answer = {p, d};
	char text[ADJUDGE_TEXT] = "";
	enum adjudge_status status;
	const char *wrong;

	*out = (struct answer){
	    .status = ANSWER_OK, .text = "", .n_primal = flat->n_primal, .n_derivative = flat->n_derivative};
	out->primal = blank(primal, flat->n_primal, p, a);
	out->derivative = blank(derivative, flat->n_derivative, d, a);
	status = self->engine->answer(state, flat, which, &answer, text);
	if (status != ADJUDGE_OK) {
		*out = refused(status, text, a);
		return;
	}
	wrong = take("primal", out->primal, flat->n_primal, p, a);
	if (!wrong)
		wrong = take("derivative", out->derivative, flat->n_derivative, d, a);
	if (wrong)
		*out = (struct answer){.status = ANSWER_CRASH, .text = wrong};
}

void library_answer(struct library *self, const struct testcase *c, struct arena *a, struct answer *out)
{
	struct type primal[LIMIT_ARGS], derivative[LIMIT_ARGS];
	int n_primal = answer_primal_types(c, primal), n_derivative = answer_derivative_types(c, derivative);
	struct adjudge_case flat = flat_case(self, c, primal, n_primal, derivative, n_derivative, a);
	char text[ADJUDGE_TEXT] = "";
	const struct float_modes before = float_modes();
	void *state = NULL;
	enum adjudge_status status = self->engine->prepare(&flat, &state, text);
	const char *wrong;

	for (int k = 0; k < c->n_point; k++)
		if (status == ADJUDGE_OK)
			answer_point(self, state, &flat, k, primal, derivative, a, &out[k]);
		else
			out[k] = refused(status, text, a);
	self->engine->release(state);
	wrong = restore_modes(before);
	for (int k = 0; k < c->n_point; k++) {
		if (wrong && out[k].status == ANSWER_OK)
			out[k] = (struct answer){.status = ANSWER_CRASH, .text = wrong};
		out[k].input_modified = wrote_inputs(&flat, c, k);
	}
}

/*
 * c_levels.c: the derivative in a C source.  C has no derivatives of its own.  Each level of the request is a function
 * that calls Enzyme on the level below.  For another engine, a file of the user defines the outermost function.
 */
#include <string.h>

#include "c_parts.h"

/* An output of a level, by its number among all outputs of the level; outputs that are no floats are left out. */
struct output {
	int index;
	struct type type;
};

struct outputs {
	int n;
	struct output at[LIMIT_ARGS];
};

static int first_derivative(const struct testcase *c)
{
	int k = 0;

	while (k < c->n_transform && c->transform[k].kind == TRANSFORM_BATCH)
		k++;
	return k;
}

/* Whether every level from the first derivative on is a function that c_derivative writes.  The program contains the
 * batches below it; a batch above a derivative would need another program. */
static bool has_counterpart(const struct testcase *c)
{
	for (int k = first_derivative(c); k < c->n_transform; k++)
		if (c->transform[k].kind == TRANSFORM_BATCH)
			return false;
	return true;
}

static struct outputs results_of(const struct program *p)
{
	struct outputs out = {.n = p->top.n_result};

	for (int k = 0; k < out.n; k++)
		out.at[k] = (struct output){k, p->type[p->top.result[k]]};
	return out;
}

static struct outputs outputs_above(const struct program *p, const struct transform *t, const struct outputs *below)
{
	struct outputs out = {0};

	if (t->kind == TRANSFORM_JVP) {
		for (int k = 0; k < below->n; k++)
			if (dtype_is_float(below->at[k].type.dtype))
				out.at[out.n++] = below->at[k];
	} else {
		for (int k = 0; k < t->n_wrt; k++)
			if (dtype_is_float(p->type[p->top.param + t->wrt[k]].dtype))
				out.at[out.n++] = (struct output){k, p->type[p->top.param + t->wrt[k]]};
	}
	return out;
}

static struct outputs outermost(const struct program *p, const struct testcase *c)
{
	struct outputs out = results_of(p);

	for (int k = first_derivative(c); k < c->n_transform; k++)
		out = outputs_above(p, &c->transform[k], &out);
	return out;
}

static int extent(const struct type *t)
{
	int n = shape_elements(&t->shape);

	return n ? n : 1;
}

/* ---- functions of pointers ---- */

/* "const double v0[], double y0[]": all inputs, then all outputs. */
static const char *parameters(const struct c_source *s, const struct outputs *out, char letter)
{
	const struct program *p = s->p;
	struct text text = {.arena = s->arena};

	text_put(&text, "%s", "");
	for (int k = 0; k < p->top.n_param; k++)
		text_put(&text, "%sconst %s v%d[]", k ? ", " : "", c_type(p->type[p->top.param + k].dtype),
		    p->top.param + k);
	for (int k = 0; k < out->n; k++)
		text_put(&text, "%s%s %c%d[]", k || p->top.n_param ? ", " : "", c_type(out->at[k].type.dtype), letter,
		    out->at[k].index);
	return text.at;
}

/* The program as a function of pointers, which calls f. */
static void put_base(struct c_source *s, const struct outputs *out)
{
	const struct program *p = s->p;
	struct text call = {.arena = s->arena};
	bool returns = out->n == 1 && !out->at[0].type.shape.rank && dtype_is_float(out->at[0].type.dtype);

	text_put(&call, "%s", "");
	for (int k = 0; k < p->top.n_param; k++)
		text_put(
		    &call, "%s%sv%d", k ? ", " : "", p->type[p->top.param + k].shape.rank ? "" : "*", p->top.param + k);
	for (int k = 0; k < out->n && !returns; k++)
		text_put(&call, "%sy%d", k || p->top.n_param ? ", " : "", k); /* a pointer for a scalar too */
	c_line(s, "static void program(%s)", parameters(s, out, 'y'));
	c_line(s, "{");
	c_line(s, "\t%sf(%s);", returns ? "*y0 = " : "", call.at);
	c_line(s, "}\n");
}

static int seed_of(const struct transform *t, int input)
{
	for (int k = 0; k < t->n_wrt; k++)
		if (t->wrt[k] == input)
			return k;
	return -1;
}

/* By assignments: clang copies a short list as an integer, whose type Enzyme then takes for that of the numbers. */
static void put_cotangents(struct c_source *s, const struct output *o, const struct tensor *seed)
{
	int n = shape_elements(&o->type.shape);

	c_line(s, "%s c%d[%d];", c_type(o->type.dtype), o->index, extent(&o->type));
	for (int i = 0; i < n; i++)
		c_line(s, "c%d[%d] = %s;", o->index, i, c_literal(o->type.dtype, seed->at[i], s->arena));
}

/* The tangents, or cotangents, and room for the results of the level below. */
static void put_seeds(struct c_source *s, const struct transform *t, const struct outputs *below)
{
	const struct program *p = s->p;

	for (int k = 0; k < t->n_wrt && t->kind == TRANSFORM_JVP; k++)
		if (dtype_is_float(t->seed[k].type.dtype))
			c_line(s, "static const %s t%d[%d] = %s;", c_type(t->seed[k].type.dtype),
			    p->top.param + t->wrt[k], extent(&t->seed[k].type), c_list(&t->seed[k], s->arena));
	for (int k = 0; k < below->n; k++) {
		const struct output *o = &below->at[k];

		c_line(s, "%s y%d[%d];", c_type(o->type.dtype), o->index, extent(&o->type));
		if (t->kind == TRANSFORM_VJP && dtype_is_float(o->type.dtype))
			put_cotangents(s, o, &t->seed[o->index]);
	}
}

/* The call of Enzyme: every input and output of the function below, with its tangent or cotangent. */
static void put_enzyme_call(
    struct c_source *s, const struct transform *t, const char *name, const struct outputs *below)
{
	const struct program *p = s->p;
	bool forwards = t->kind == TRANSFORM_JVP;
	struct text call = {.arena = s->arena};

	for (int k = 0; k < p->top.n_param; k++) {
		int v = p->top.param + k, seed = seed_of(t, k);

		if (seed < 0 || !dtype_is_float(p->type[v].dtype))
			text_put(&call, ", enzyme_const, v%d", v);
		else if (forwards)
			text_put(&call, ", enzyme_dup, v%d, t%d", v, v);
		else
			text_put(&call, ", enzyme_dup, v%d, d%d", v, seed);
	}
	for (int k = 0; k < below->n; k++) {
		int i = below->at[k].index;

		if (!dtype_is_float(below->at[k].type.dtype))
			text_put(&call, ", enzyme_const, y%d", i);
		else
			text_put(&call, ", enzyme_dup, y%d, %c%d", i, forwards ? 'd' : 'c', i);
	}
	c_line(s, "__enzyme_%s((void *)%s%s);", forwards ? "fwddiff" : "autodiff", name, call.at);
}

static void put_level(struct c_source *s, const struct transform *t, const char *name, const char *below_name,
    const struct outputs *below, const struct outputs *out)
{
	c_line(s, "static void %s(%s)", name, parameters(s, out, 'd'));
	c_line(s, "{");
	s->depth = 1;
	put_seeds(s, t, below);
	for (int k = 0; k < out->n; k++)
		c_line(s, "for (int i = 0; i < %d; i++)\n\t\td%d[i] = 0;", extent(&out->at[k].type), out->at[k].index);
	put_enzyme_call(s, t, below_name, below);
	s->depth = 0;
	c_line(s, "}\n");
}

void c_derivative(struct c_source *s, const struct emission *x)
{
	const struct testcase *c = x->c;
	struct outputs below = results_of(s->p), top;
	const char *below_name = "program";

	if (!x->truth) /* who calls the functions wants the primal too */
		put_base(s, &below);
	if (!request_order(c->transform, c->n_transform) || !has_counterpart(c))
		return;
	top = outermost(s->p, c);
	if (x->brief)
		c_line(s,
		    "extern int enzyme_dup, enzyme_const;\nvoid __enzyme_autodiff(void *, ...);\n"
		    "void __enzyme_fwddiff(void *, ...);\n");
	else
		c_line(s,
		    "/*\n * The derivative: clang with the plugin of Enzyme, "
		    "-DENZYME where Enzyme works while linking, or\n"
		    " * -DDERIVATIVE='\"FILE\"' for another engine.  FILE defines, and may call f:\n"
		    " * static void derivative(%s)\n */",
		    parameters(s, &top, 'd'));
	if (!x->brief)
		c_line(s,
		    "#ifdef DERIVATIVE\n#include DERIVATIVE\n#define HAS_DERIVATIVE\n"
		    "#elif defined ENZYME || defined ENZYME_VERSION_MAJOR\n#define HAS_DERIVATIVE\n"
		    "extern int enzyme_dup, enzyme_const;\nvoid __enzyme_autodiff(void *, ...);\n"
		    "void __enzyme_fwddiff(void *, ...);\n");
	if (x->truth)
		put_base(s, &below);
	for (int k = first_derivative(c); k < c->n_transform; k++) {
		struct outputs out = outputs_above(s->p, &c->transform[k], &below);
		const char *name = k + 1 < c->n_transform ? arena_printf(s->arena, "level%d", k + 1) : "derivative";

		put_level(s, &c->transform[k], name, below_name, &below, &out);
		below = out;
		below_name = name;
	}
	if (!x->brief)
		c_line(s, "#endif\n");
}

static void put_call(struct c_source *s, const struct tensor *point, const struct outputs *out)
{
	const struct program *p = s->p;
	struct text call = {.arena = s->arena};

	text_put(&call, "%s", "");
	for (int k = 0; k < p->top.n_param; k++) {
		int v = p->top.param + k;

		if (!p->type[v].shape.rank)
			c_line(s, "const %s v%d[] = {%s};", c_type(p->type[v].dtype), v,
			    c_literal(p->type[v].dtype, point[k].at[0], s->arena));
		text_put(&call, "%sv%d", k ? ", " : "", v);
	}
	for (int k = 0; k < out->n; k++) {
		c_line(s, "%s d%d[%d];", c_type(out->at[k].type.dtype), out->at[k].index, extent(&out->at[k].type));
		text_put(&call, "%sd%d", k || p->top.n_param ? ", " : "", out->at[k].index);
	}
	c_line(s, "derivative(%s);", call.at);
}

void c_derivative_call(struct c_source *s, const struct emission *x, int point)
{
	struct outputs out;

	if (!has_counterpart(x->c)) {
		if (x->brief) {
			c_line(s, "return 0; /* C has no counterpart for a batch of derivatives */");
			return;
		}
		c_line(s, "puts(\"derivative: not judged; C has no counterpart for a batch of derivatives\");");
		c_line(s, "judged.unclear++;");
		return;
	}
	out = outermost(s->p, x->c);
	if (x->brief) {
		const struct type *type[LIMIT_ARGS];
		int output[LIMIT_ARGS];

		put_call(s, x->c->point[point], &out);
		for (int k = 0; k < out.n; k++) {
			output[k] = out.at[k].index;
			type[k] = &out.at[k].type;
		}
		c_compare_briefly(s, x, point, true, output, type, out.n);
		return;
	}
	text_put(s->out, "#ifdef HAS_DERIVATIVE\n");
	c_line(s, "{");
	s->depth++;
	put_call(s, x->c->point[point], &out);
	for (int k = 0; k < out.n; k++)
		c_compare(s, x, point, true, out.at[k].index, &out.at[k].type);
	s->depth--;
	c_line(s, "}");
	text_put(s->out, "#else\n");
	c_line(s, "puts(\"derivative: not judged; the comment above #ifdef DERIVATIVE says how to have it\");");
	c_line(s, "judged.unclear++;");
	for (int k = 0; k < out.n; k++)
		if (shape_elements(&out.at[k].type.shape)) {
			c_line(s, "(void)compare; /* it may have no other use */");
			break;
		}
	text_put(s->out, "#endif\n");
}

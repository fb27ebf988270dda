/* c_main.c: target `c`: the primal as a function for an engine that reads C, and a main that judges what it returns. */
#include <string.h>

#include "engines/aot/aot.h"
#include "brief.h"
#include "c_parts.h"

static const struct {
	const char *name, *source;
} helpers[] = {
#define HELPER(name, source) {name "(", source},
#include "c_helpers.def"
#undef HELPER
};

/* ---- the program ---- */

static void count_uses(const struct region *region, int *uses)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		for (int r = 0; r < node->n_region; r++)
			count_uses(&node->region[r], uses);
		for (int k = 0; k < node->n_arg; k++) /* a row that nobody reads is not taken */
			uses[node->arg[k]] += node->op != OP_SCAN || k < node->attrs.carries ||
			    uses[node->region[0].param + k];
	}
	for (int k = 0; k < region->n_result; k++)
		uses[region->result[k]]++;
}

/* A loop over nothing is not printed.  So if there are empty values, any other value may have no use. */
static bool has_empty(const struct program *p)
{
	for (int v = 0; v < p->n_value; v++)
		if (!shape_elements(&p->type[v].shape))
			return true;
	return false;
}

/* Writes the batches of the request as loops over slices. */
static bool batched_program(const struct testcase *c, struct arena *a, struct program *p, struct error *e)
{
	if (!emit_plain(c, a, p, e))
		return false;
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind == TRANSFORM_BATCH && !aot_map(p, &c->transform[k], a, p, e))
			return false;
	return true;
}

static bool has_narrow_floats(const struct program *p)
{
	for (int v = 0; v < p->n_value; v++)
		if (p->type[v].dtype == DTYPE_BF16 || p->type[v].dtype == DTYPE_F16)
			return true;
	return false;
}

/* ---- the function ---- */

/* A single float is returned by the function; other results are written to y0, y1 ... */
static bool returns(const struct program *p)
{
	const struct type *t = &p->type[p->top.result[0]];

	return p->top.n_result == 1 && !t->shape.rank && dtype_is_float(t->dtype);
}

static const char *extent(const struct shape *s, struct arena *a)
{
	int n = shape_elements(s);

	return s->rank ? arena_printf(a, "[%d]", n ? n : 1) : "";
}

static void put_head(struct c_source *s)
{
	const struct program *p = s->p;
	const char *comma = "";

	text_put(s->out, "static %s f(", returns(p) ? c_type(p->type[p->top.result[0]].dtype) : "void");
	for (int k = 0; k < p->top.n_param; k++, comma = ", ") {
		const struct type *t = &p->type[p->top.param + k];

		text_put(s->out, "%s%s%s v%d%s", comma, t->shape.rank ? "const " : "", c_type(t->dtype),
		    p->top.param + k, extent(&t->shape, s->arena));
	}
	for (int k = 0; k < p->top.n_result && !returns(p); k++, comma = ", ") {
		const struct type *t = &p->type[p->top.result[k]];

		text_put(s->out, "%s%s %sy%d%s", comma, c_type(t->dtype), t->shape.rank ? "" : "*", k,
		    extent(&t->shape, s->arena));
	}
	text_put(s->out, "%s)\n{\n", *comma ? "" : "void");
}

static bool put_function(struct c_source *s, struct error *e)
{
	const struct program *p = s->p;

	put_head(s);
	s->depth = 1;
	for (int k = 0; k < p->top.n_param; k++)
		if (!s->uses[p->top.param + k])
			c_line(s, "(void)v%d;", p->top.param + k);
	if (!c_region(s, &p->top, e))
		return false;
	for (int k = 0; k < p->top.n_result; k++) {
		const struct shape *whole = &p->type[p->top.result[k]].shape;
		const struct shape flat = {whole->rank > 0, {shape_elements(whole)}};
		const struct element_place at = c_rows(&flat);
		const char *x = c_element(s, p->top.result[k], &at, NULL);

		if (returns(p))
			c_line(s, "return %s;", x);
		else
			c_loops(s, &flat,
			    arena_printf(s->arena, "%sy%d%s = %s", whole->rank ? "" : "*", k,
			        whole->rank ? strchr(x, '[') : "", x));
	}
	text_put(s->out, "}\n\n");
	return true;
}

/* ---- main ---- */

static void put_inputs(struct c_source *s, const struct tensor *point)
{
	for (int k = 0; k < s->p->top.n_param; k++) {
		int v = s->p->top.param + k;

		if (s->p->type[v].shape.rank)
			c_line(s, "static const %s = %s;", c_declared(s, v), c_list(&point[k], s->arena));
	}
}

static void put_call(struct c_source *s, const struct tensor *point)
{
	const struct program *p = s->p;
	struct text call = {.arena = s->arena};
	const char *comma = "";

	for (int k = 0; k < p->top.n_result; k++) {
		const struct type *t = &p->type[p->top.result[k]];

		if (!returns(p))
			c_line(s, "%s y%d%s;", c_type(t->dtype), k, extent(&t->shape, s->arena));
	}
	for (int k = 0; k < p->top.n_param; k++, comma = ", ") {
		const struct type *t = &p->type[p->top.param + k];

		text_put(&call, "%s%s", comma,
		    t->shape.rank ? arena_printf(s->arena, "v%d", p->top.param + k)
		                  : c_literal(t->dtype, point[k].at[0], s->arena));
	}
	for (int k = 0; k < p->top.n_result && !returns(p); k++, comma = ", ")
		text_put(&call, "%s%sy%d", comma, p->type[p->top.result[k]].shape.rank ? "" : "&", k);
	if (returns(p))
		c_line(s, "const %s y0 = f(%s);", c_type(p->type[p->top.result[0]].dtype), call.len ? call.at : "");
	else
		c_line(s, "f(%s);", call.len ? call.at : "");
}

/* Only what is asked for. */
static void put_brief(struct c_source *s, const struct emission *x, int point)
{
	const struct type *type[LIMIT_ARGS];
	int output[LIMIT_ARGS];

	if (request_order(x->c->transform, x->c->n_transform)) {
		c_derivative_call(s, x, point);
		return;
	}
	put_call(s, x->c->point[point]);
	for (int k = 0; k < s->p->top.n_result; k++) {
		output[k] = k;
		type[k] = &s->p->type[s->p->top.result[k]];
	}
	c_compare_briefly(s, x, point, false, output, type, s->p->top.n_result);
}

static void put_main(struct c_source *s, const struct emission *x)
{
	bool several = x->c->n_point > 1;

	c_line(s, "int main(void)");
	c_line(s, "{");
	s->depth = 1;
	for (int k = 0; k < x->c->n_point; k++) {
		if (several) {
			c_line(s, "{ /* point %d */", k);
			s->depth++;
		}
		put_inputs(s, x->c->point[k]);
		if (x->brief) {
			put_brief(s, x, k);
			if (several) {
				s->depth--;
				c_line(s, "}");
			}
			continue;
		}
		put_call(s, x->c->point[k]);
		for (int i = 0; i < s->p->top.n_result; i++)
			c_compare(s, x, k, false, i, &s->p->type[s->p->top.result[i]]);
		if (request_order(x->c->transform, x->c->n_transform))
			c_derivative_call(s, x, k);
		c_conclude(s, x, k);
		if (several) {
			s->depth--;
			c_line(s, "}");
		}
	}
	if (!x->brief)
		c_line(s, "return finish();");
	text_put(s->out, "}\n");
}

static bool has_batch(const struct testcase *c)
{
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind == TRANSFORM_BATCH)
			return true;
	return false;
}

/* A brief source has those that it needs. */
static void put_includes(const struct emission *x, const char *body)
{
	static const struct {
		const char *name, *needed;
	} header[] = {{"math", "("}, {"stdbool", "bool "}, {"stdint", "int64_t"}, {"stdint", "int32_t"}, {"stdio", "("},
	    {"string", "mem"}};
	const char *before = "";

	for (size_t k = 0; k < sizeof header / sizeof *header; k++) {
		if ((x->brief && !strstr(body, header[k].needed)) || !strcmp(before, header[k].name))
			continue;
		before = header[k].name;
		text_put(x->out, "#include <%s.h>\n", before);
	}
	text_put(x->out, "\n");
}

bool emit_c(const struct emission *of, struct error *e)
{
	const struct emission own = {.c = of->c,
	                          .truth = of->truth,
	                          .tight = of->tight,
	                          .brief = of->brief && of->truth,
	                          .weak_zero = of->weak_zero,
	                          .arena = of->arena,
	                          .out = of->out},
	                      *x = &own;
	struct text body = {.arena = x->arena};
	struct program p;
	struct c_source s = {.p = &p, .arena = x->arena, .out = &body};
	int *uses;

	if (!x->truth && has_batch(x->c))
		return error_set(e, NULL, "no functions of a batch");
	if (!batched_program(x->c, x->arena, &p, e))
		return false;
	uses = NEW(x->arena, int, p.n_value);
	count_uses(&p.top, uses);
	s.uses = uses;
	s.empty = has_empty(&p);
	if (!put_function(&s, e))
		return false;
	s.depth = 0;
	c_derivative(&s, x);
	if (x->truth)
		put_main(&s, x);
	if (x->brief)
		text_put(x->out, "/* Build: clang -O2 -fplugin=ClangEnzyme-N.so FILE -lm */\n");
	else if (x->truth) {
		text_put(x->out, "/*\n");
		emit_comment(x, " * ", "C");
		if (has_narrow_floats(&p))
			text_put(x->out, " * bf16 and f16 are computed in float, which rounds less.\n");
		text_put(x->out, " */\n");
	}
	put_includes(x, body.at);
	for (size_t k = 0; k < sizeof helpers / sizeof *helpers; k++)
		if (strstr(body.at, helpers[k].name))
			text_put(x->out, "%s\n", helpers[k].source);
	if (x->truth && !x->brief)
		c_compare_functions(x, body.at);
	text_put(x->out, "%s", x->brief ? brief_folded(body.at, x->arena) : body.at);
	return true;
}

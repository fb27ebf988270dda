/* array.c: writes a program for an array library: its functions, its request, and what it prints. */
#include "array_parts.h"

#include <string.h>

#include "graph/loop.h"
#include "graph/walk.h"
#include "engines/aot/aot.h"
#include "engines/kernels/kernels.h"
#include "engines/process/straight.h"
#include "brief.h"
#include "expected.h"

/* ---- what is printed ---- */

static struct expected_words words_of(const struct array_target *t)
{
	return (struct expected_words){t->nan, t->inf, t->minus_inf, t->keep[0], t->keep[1]};
}

/* The name that a dtype has when it is printed: "float64" of "jnp.float64", "bool" of "jnp.bool_". */
static const char *dtype_word(const char *name, struct arena *a)
{
	const char *dot = strrchr(name, '.'), *word = dot ? dot + 1 : name;

	return arena_printf(a, "%.*s", (int)strcspn(word, "_"), word);
}

static void put_shown(struct array_source *s, int point, bool derivative, const struct array_output *output, int n)
{
	const struct truth_point *at = s->x->truth ? &s->x->truth->point[point] : NULL;
	const struct expected_words words = words_of(s->target);
	struct arena *a = s->arena;

	if (!s->x->truth) {
		text_put(s->out, "%s\n",
		    TEMPLATE_WITH(a, s->target->judge, "what", derivative ? "derivative" : "primal", "of",
		        derivative ? "d" : "y"));
		return;
	}
	for (int k = 0; k < n; k++) {
		int i = output[k].index;
		const struct truth_tensor *t = derivative ? &at->derivative[0][i] : &at->primal[i];

		text_put(s->out, "%s\n",
		    TEMPLATE_WITH(a, s->target->show, "what", expected_name(s->x, point, derivative, i), "of",
		        array_element(s->target, derivative ? "d" : "y", k, a), "type",
		        dtype_word(s->target->dtype[t->type.dtype], a), "extents",
		        expected_extents(&t->type.shape, ", ", a), "expected",
		        expected_rows(s->x, point, derivative, i, &words)));
	}
}

/* The outputs in a brief source. */
static void put_brief(struct array_source *s, int point, bool derivative, const struct array_output *output, int n)
{
	struct brief_result r[LIMIT_ARGS];
	struct arena *a = s->arena;

	for (int k = 0; k < n; k++) {
		const char *of = array_element(s->target, derivative ? "d" : "y", k, a);
		const struct type *t = &output[k].type;

		r[k] = (struct brief_result){point, output[k].index, derivative,
		    TEMPLATE_WITH(a, t->shape.rank ? s->target->numbers : s->target->number, "of", of),
		    TEMPLATE_WITH(a, s->target->dtype_of, "of", of),
		    s->target->compares_dtype && dtype_is_float(t->dtype) ? s->target->dtype[t->dtype] : NULL,
		    TEMPLATE_WITH(a, s->target->shape_of, "of", of)};
	}
	if (s->x->truth)
		brief_compare(
		    s->x, brief_language_of(s->target->suffix), "", r, n, point, point + 1 == s->x->c->n_point, s->out);
	for (int k = 0; k < n && !s->x->truth; k++)
		text_put(s->out, "%s\n", brief_line(&r[k], a));
}

static void put_conclusion(struct array_source *s, int point)
{
	const struct expected_words words = words_of(s->target);
	double least, most;

	expected_sum(s->x, point, &least, &most);
	text_put(s->out, "%s\n",
	    TEMPLATE_WITH(s->arena, s->target->conclude, "least", expected_word(least, &words, s->arena), "most",
	        expected_word(most, &words, s->arena)));
}

static void put_call(struct array_source *s, const char *to, const char *name, const char *args)
{
	text_put(s->out, "%s\n",
	    TEMPLATE_WITH(s->arena, s->target->assign, "out", to, "text",
	        TEMPLATE_WITH(
	            s->arena, s->calls->call ? s->calls->call : s->target->call, "name", name, "args", args)));
}

/* Writes the functions, and their results at points first ... first + n - 1. */
static bool put_points(struct array_source *s, int first, int n, struct error *e)
{
	const struct testcase *c = s->x->c;
	const char *primal = "f", *derivative = "f";
	struct array_output output[LIMIT_ARGS], derived[LIMIT_ARGS];
	int n_output = 0, n_derived = 0;
	bool differentiates = request_order(c->transform, c->n_transform) > 0,
	     batched = request_order(c->transform, c->n_transform) < c->n_transform;

	text_put(s->out, "%s%s\n", s->calls->function ? s->calls->function : "",
	    array_function_text(s->target, &s->p, &s->p.top, "f", NULL, s->arena));
	s->outermost = NULL;
	if (!(s->x->brief && differentiates) &&
	    !array_put_levels(s, differentiates && batched ? "primal_" : "", true, &primal, output, &n_output, e))
		return false;
	if (differentiates && !array_put_levels(s, "", false, &derivative, derived, &n_derived, e))
		return false;
	for (int k = first; k < first + n; k++) {
		const char *item[LIMIT_ARGS], *args;

		for (int i = 0; i < s->p.top.n_param; i++) {
			item[i] = s->x->brief && s->outermost ? template_value(s->p.top.param + i, s->arena)
			                                      : arena_printf(s->arena, "x%d", i);
			text_put(s->out, "%s\n",
			    TEMPLATE_WITH(s->arena, s->target->assign, "out", item[i], "text",
			        template_tensor(s->target, &c->point[k][i], s->arena)));
		}
		args = template_list(item, s->p.top.n_param, s->arena);
		if (s->x->brief) {
			const char *to = differentiates ? "d" : "y";

			if (s->outermost)
				text_put(s->out, "%s\n",
				    TEMPLATE_WITH(s->arena, s->target->assign, "out", to, "text", s->outermost));
			else
				put_call(s, to, differentiates ? derivative : primal, args);
			put_brief(s, k, differentiates, differentiates ? derived : output,
			    differentiates ? n_derived : n_output);
			continue;
		}
		put_call(s, "y", primal, args);
		put_shown(s, k, false, output, n_output);
		if (differentiates) {
			put_call(s, "d", derivative, args);
			put_shown(s, k, true, derived, n_derived);
		}
		if (s->x->truth)
			put_conclusion(s, k);
	}
	return true;
}

/* ---- the program ---- */

static bool has_regions(const struct program *p)
{
	for (int i = 0; i < p->top.n_node; i++)
		if (p->top.node[i].n_region)
			return true;
	return false;
}

static bool dtypes_known(const struct array_target *target, const struct program *p, struct error *e)
{
	for (int v = 0; v < p->n_value; v++) {
		if (!target->dtype[p->type[v].dtype])
			return error_set(
			    e, NULL, "%s: no counterpart for %s", target->name, dtype_table[p->type[v].dtype].name);
		if (!target->empty && !shape_elements(&p->type[v].shape))
			return error_set(e, NULL, "%s: no counterpart for a value without elements", target->name);
	}
	return true;
}

/* Whether every slice of a batch executes the same ops: its only control flow is loops of a fixed trip count. */
static bool is_counted(const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->n_region &&
		    ((w.node->op != OP_SCAN && (w.node->op != OP_FOR || node_loop(w.node).counted)) ||
		        w.node->attrs.until))
			return false;
	return true;
}

/* The inputs of a point as the program has them: slice 0 of each batch. */
static struct tensor *first_slice(const struct testcase *c, int point, struct arena *a)
{
	struct tensor *x = arena_copy(a, c->point[point], (size_t)c->program.top.n_param, sizeof *x);

	for (int k = c->n_transform - 1; k >= 0; k--)
		for (int i = 0; c->transform[k].kind == TRANSFORM_BATCH && i < c->transform[k].n_wrt; i++)
			x[c->transform[k].wrt[i]] = kernel_row(&x[c->transform[k].wrt[i]], 0, a);
	return x;
}

static bool is_reverse(const struct testcase *c)
{
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind == TRANSFORM_VJP)
			return true;
	return false;
}

/*
 * p at a point, in a form that the target has.  It is unrolled if the target lacks its control flow.  `constants`: also
 * if an integer op has no counterpart.
 */
static bool program_for(
    struct array_source *s, const struct program *p, int point, bool constants, struct program *out, struct error *e)
{
	const struct testcase *c = s->x->c;
	struct program straight = *p;

	if (constants || !array_is_native(s->target, &p->top, is_reverse(c))) {
		bool batched = request_order(c->transform, c->n_transform) < c->n_transform;

		if (batched && (constants || !is_counted(&p->top)))
			return error_set(e, NULL, "%s: no counterpart for a batch of %s", s->target->name,
			    has_regions(p) ? "control flow" : "what indices select");
		if (!straight_program(p, batched ? first_slice(c, point, s->arena) : c->point[point], constants, NULL,
		        s->arena, &straight, e))
			return false;
		straight = program_drop_dead(&straight, s->arena); /* drops the counters of unrolled loops */
	}
	if (s->target->broadcast)
		straight = straight_broadcasts(&straight, s->arena);
	return rewrite_for(s->target, &straight, s->arena, out, e) && dtypes_known(s->target, out, e);
}

/* Tries p as it is, then with integers that have their values at the point. */
static bool program_at(struct array_source *s, const struct program *p, int point, struct program *out, struct error *e)
{
	struct error again = {.text = ""};

	return program_for(s, p, point, false, out, e) || program_for(s, p, point, true, out, &again);
}

/* at[c->n_point] of the plain program. */
static bool programs_at(struct array_source *s, const struct program *plain, struct program *at, struct error *e)
{
	for (int k = 0; k < s->x->c->n_point; k++) {
		struct error why = {.text = ""};

		if (!program_at(s, plain, k, &at[k], &why))
			return error_set(e, NULL, "%s", why.text);
	}
	return true;
}

/*
 * Turns the innermost level, a batch, into a loop over the slices.  Each slice may then take its own path, as unrolling
 * needs.
 */
static bool batch_into_program(struct emission *x, struct testcase *c, struct program *plain, struct error *e)
{
	*c = *x->c;
	if (!c->n_transform || c->transform[0].kind != TRANSFORM_BATCH ||
	    !aot_map(plain, &c->transform[0], x->arena, plain, e))
		return false;
	c->transform++;
	c->n_transform--;
	x->c = c;
	return true;
}

static void put_head(const struct array_source *s)
{
	const struct emission *x = s->x;
	const struct array_target *target = s->target;

	if (!x->brief && x->truth) {
		emit_comment(x, target->comment, target->title);
		text_put(
		    x->out, "%s%s", *target->compare, TEMPLATE_WITH(x->arena, target->ask, "asked", expected_asked(x)));
	}
	if (x->brief && x->truth)
		text_put(x->out, "%s", brief_head(brief_language_of(target->suffix)));
	text_put(x->out, "%s%s%s\n", target->head + (x->brief && *target->head == '\n'),
	    x->brief || !target->flat ? "" : target->flat, x->truth || x->brief ? "" : target->told);
}

static bool emit_array(const struct emission *of, const struct array_target *target, const char *mode, struct error *e)
{
	struct text body = {.arena = of->arena};
	struct emission x = *of;
	const struct array_target spelled = array_spelled(target, of->c->variant, x.arena);
	struct array_source s = {.x = &x,
	    .target = &spelled,
	    .calls = array_calls_of(target, mode, of->c->variant),
	    .arena = x.arena,
	    .out = x.brief ? &body : x.out};
	struct program plain, *at = NEW(x.arena, struct program, x.c->n_point);
	struct error why = {.text = ""}, none = {.text = ""};
	bool said;

	if (!emit_plain(x.c, x.arena, &plain, e))
		return false;
	x.out = s.out;
	put_head(&s);
	for (said = programs_at(&s, &plain, at, &why);
	     !said && batch_into_program(&x, NEW(x.arena, struct testcase, 1), &plain, &none);)
		said = programs_at(&s, &plain, at, &none);
	if (!said)
		return error_set(e, NULL, "%s", why.text);
	for (int k = 0, n; k < x.c->n_point; k += n) { /* points that execute the same share it */
		for (n = 1; k + n < x.c->n_point && program_equal(&at[k], &at[k + n]); n++)
			;
		s.p = at[k];
		if (!put_points(&s, k, n, e))
			return false;
	}
	if (x.brief)
		text_put(of->out, "%s", x.truth ? brief_folded(body.at, x.arena) : body.at);
	else if (x.truth)
		text_put(x.out, "%s\n", target->finish);
	return true;
}

#define ARRAY_TARGET(...)
#define ARRAY_MODE(id, target, mode) \
	bool emit_##id(const struct emission *x, struct error *e) { return emit_array(x, &array_##target, mode, e); }
#include "array_targets.def"
#undef ARRAY_TARGET
#undef ARRAY_MODE

/* transforms.c: modes that are laws of derivatives: transposition, linearity, four ways to a second derivative,
 * symmetry. */
#include <math.h>
#include <string.h>

#include "fuzz/generate/choice.h"
#include "internal.h"

enum {
	COLUMNS = 6,
	RANDOM = 2
}; /* most directions of differentiation; this many of them are random, if there are more coordinates */

/* ---- directions and inner products ---- */

static int float_elements(const struct type *type, int n)
{
	int elements = 0;

	for (int k = 0; k < n; k++)
		elements += dtype_is_float(type[k].dtype) ? shape_elements(&type[k].shape) : 0;
	return elements;
}

/* 1 or -1 in every float. */
static struct tensor *random_seeds(const struct cross_ask *q, const struct type *type, int n, int seed)
{
	struct tensor *out = cross_zeros(q, type, n);
	struct choice choice = choice_seeded((uint64_t)seed + 1);

	for (int k = 0; k < n; k++)
		for (int i = 0; dtype_is_float(type[k].dtype) && i < shape_elements(&type[k].shape); i++)
			out[k].at[i].f = choice_between(&choice, 0, 1) ? 1 : -1;
	return out;
}

/* A direction; which -1: it is no coordinate. */
struct direction {
	struct tensor *seed;
	int which, element;
};

/* Direction number `number` among tensors of these types: first coordinates, spread over all of them, then random ones.
 * False past the last. */
static bool direction(const struct cross_ask *q, const struct type *type, int n, int number, struct direction *out)
{
	int elements = float_elements(type, n), at = number;

	*out = (struct direction){.which = -1};
	if (number >= (elements < COLUMNS ? elements : COLUMNS))
		return false;
	if (elements > COLUMNS && number >= COLUMNS - RANDOM) {
		out->seed = random_seeds(q, type, n, number);
		return true;
	}
	if (elements > COLUMNS)
		at = (int)((int64_t)number * (elements - 1) / (COLUMNS - RANDOM - 1));
	out->seed = cross_zeros(q, type, n);
	for (int k = 0; k < n; k++) {
		int size = dtype_is_float(type[k].dtype) ? shape_elements(&type[k].shape) : 0;

		if (at < size) {
			out->seed[k].at[at].f = 1;
			out->which = k;
			out->element = at;
			return true;
		}
		at -= size;
	}
	return false;
}

/* The inner product of a direction with row `slice` of an answer.  *scale grows by the magnitudes.  Terms with the
 * factor 0 are left out. */
static double inner(const struct tensor *seed, int n, const struct tensor *answer, int slice, double *scale)
{
	double sum = 0;

	for (int k = 0; k < n; k++)
		for (int i = 0, size = shape_elements(&seed[k].type.shape);
		     dtype_is_float(seed[k].type.dtype) && i < size; i++) {
			double term = seed[k].at[i].f == 0 ? 0 : seed[k].at[i].f * answer[k].at[slice * size + i].f;

			sum += term;
			*scale += fabs(term);
		}
	return sum;
}

/* Pairs <d, left> = <u, right> at every point and slice. */
static void add_products(struct cross_ask *q, const char *sibling, int n_point, int slices, const struct direction *d,
    int n_d, const struct answer *left, const struct tensor *u, int n_u, const struct answer *right)
{
	for (int p = 0; p < n_point; p++)
		for (int s = 0; s < slices; s++) {
			struct cross_pair pair = {
			    .sibling = sibling, .point = p, .which = d->which, .element = d->element};

			if (d->which >= 0)
				pair.element += s * shape_elements(&d->seed[d->which].type.shape);
			pair.left = inner(d->seed, n_d, left[p].derivative, s, &pair.scale);
			pair.right = inner(u, n_u, right[p].derivative, s, &pair.scale);
			cross_add(q, &pair);
		}
}

static void input_types(const struct signature *s, const int *wrt, int n_wrt, struct type *out)
{
	for (int k = 0; k < n_wrt; k++)
		out[k] = s->input[wrt[k]];
}

/* ---- modes of one level ---- */

static bool differentiates(struct cross_ask *q, const struct testcase *c, int *outermost)
{
	*outermost = cross_outermost(c);
	if (*outermost < 0)
		q->why = "nothing is differentiated";
	return *outermost >= 0;
}

bool cross_transpose(struct cross_ask *q, const struct testcase *c)
{
	const struct answer *own, *other;
	struct testcase sibling;
	struct type type[LIMIT_ARGS];
	struct direction d;
	int o, n;

	if (!differentiates(q, c, &o) || !(own = cross_ask(q, q->left, c)))
		return false;
	const struct transform *t = &c->transform[o];
	struct signature below = cross_below(c, o);
	bool is_vjp = t->kind == TRANSFORM_VJP;

	n = is_vjp ? t->n_wrt : below.n_output;
	if (is_vjp)
		input_types(&below, t->wrt, t->n_wrt, type);
	else
		memcpy(type, below.output, (size_t)n * sizeof *type);
	sibling = cross_copy(q, c);
	sibling.transform[o].kind = is_vjp ? TRANSFORM_JVP : TRANSFORM_VJP;
	sibling.transform[o].n_seed = n;
	for (int k = 0; direction(q, type, n, k, &d); k++) {
		sibling.transform[o].seed = d.seed;
		if (!(other = cross_ask(q, q->right, &sibling)))
			return false;
		add_products(
		    q, is_vjp ? "jvp" : "vjp", c->n_point, cross_slices(c, o), &d, n, own, t->seed, t->n_seed, other);
	}
	return true;
}

/* Keeps every other nonzero float of the seed; with `odd`, the remaining ones. */
static struct tensor *seed_part(const struct cross_ask *q, const struct transform *t, bool odd)
{
	struct tensor *out = tensors_copy(q->arena, t->seed, t->n_seed);
	int number = 0;

	for (int k = 0; k < t->n_seed; k++)
		for (int i = 0; dtype_is_float(out[k].type.dtype) && i < shape_elements(&out[k].type.shape); i++)
			if (out[k].at[i].f != 0 && (number++ & 1) != odd)
				out[k].at[i].f = 0;
	return out;
}

bool cross_linear(struct cross_ask *q, const struct testcase *c)
{
	const struct answer *own, *part[2];
	struct testcase sibling;
	int o;

	if (!differentiates(q, c, &o) || !(own = cross_ask(q, q->left, c)))
		return false;
	sibling = cross_copy(q, c);
	for (int k = 0; k < 2; k++) {
		sibling.transform[o].seed = seed_part(q, &c->transform[o], k);
		if (!(part[k] = cross_ask(q, q->right, &sibling)))
			return false;
	}
	for (int p = 0; p < c->n_point; p++)
		for (int w = 0; w < own[p].n_derivative; w++) {
			if (!dtype_is_float(own[p].derivative[w].type.dtype))
				continue;
			for (int i = 0; i < shape_elements(&own[p].derivative[w].type.shape); i++) {
				double a = part[0][p].derivative[w].at[i].f, b = part[1][p].derivative[w].at[i].f;

				cross_add(q,
				    &(struct cross_pair){.sibling = "parts of the seed",
				        .point = p,
				        .which = w,
				        .element = i,
				        .left = own[p].derivative[w].at[i].f,
				        .right = a + b,
				        .scale = fabs(a) + fabs(b)});
			}
		}
	return true;
}

/* ---- modes of two levels ---- */

/*
 * The two outermost levels as a second derivative of u.F: along v by the inputs wrt[1], and by the inputs wrt[0].  The
 * stacks vjp+jvp, jvp+vjp and vjp+vjp give H v, a tensor for every input of wrt[0].  The stack jvp+jvp gives numbers
 * for each output of F, whose sum over u is w.H v.
 */
struct second {
	const struct testcase *c;
	int inner, slices;
	enum transform_kind kind[2];
	int n_wrt[2], *wrt[2];
	struct type type[2][LIMIT_ARGS]; /* of those inputs */
	int n_u;
	struct tensor *u, *v, *w; /* w: of jvp+jvp */
};

static bool second_of(struct cross_ask *q, const struct testcase *c, struct second *s)
{
	int o = cross_outermost(c);

	*s = (struct second){.c = c, .inner = o - 1};
	if (o < 1 || c->transform[o - 1].kind == TRANSFORM_BATCH) {
		q->why = "no second derivative";
		return false;
	}
	const struct transform *a = &c->transform[o - 1], *b = &c->transform[o];
	struct signature below = cross_below(c, o - 1);
	/* the outer level has wrt[0], except in a jvp over a vjp */
	bool outer_first = !(a->kind == TRANSFORM_VJP && b->kind == TRANSFORM_JVP);
	const struct transform *first = outer_first ? b : a, *second = outer_first ? a : b;

	s->slices = cross_slices(c, o);
	s->kind[0] = a->kind;
	s->kind[1] = b->kind;
	s->n_wrt[0] = first->n_wrt;
	s->wrt[0] = first->wrt;
	s->n_wrt[1] = second->n_wrt;
	s->wrt[1] = second->wrt;
	for (int k = 0; k < 2; k++)
		input_types(&below, s->wrt[k], s->n_wrt[k], s->type[k]);
	s->n_u = below.n_output;
	if (a->kind == TRANSFORM_VJP) {
		s->u = a->seed;
		s->v = b->seed;
	} else {
		s->v = a->seed;
		s->u = b->kind == TRANSFORM_VJP ? b->seed : random_seeds(q, below.output, below.n_output, 0);
		s->w = b->kind == TRANSFORM_JVP ? b->seed : NULL;
	}
	return true;
}

/* The same second derivative by another stack.  along: the direction in wrt[0] of jvp+jvp, whose lower level has v. */
static const struct answer *ask_stack(struct cross_ask *q, const struct second *s, enum transform_kind lower,
    enum transform_kind upper, struct tensor *along)
{
	struct testcase sibling = cross_copy(q, s->c);
	/* in jvp over vjp the lower level has wrt[0], in the others the upper one */
	int of_lower = lower == TRANSFORM_VJP && upper == TRANSFORM_JVP ? 0 : 1;
	struct transform *a = &sibling.transform[s->inner], *b = a + 1;

	*a = (struct transform){.kind = lower, .n_wrt = s->n_wrt[of_lower], .wrt = s->wrt[of_lower]};
	*b = (struct transform){.kind = upper, .n_wrt = s->n_wrt[!of_lower], .wrt = s->wrt[!of_lower]};
	a->seed = lower == TRANSFORM_VJP ? s->u : s->v;
	a->n_seed = lower == TRANSFORM_VJP ? s->n_u : s->n_wrt[1];
	if (lower == TRANSFORM_VJP) {
		b->seed = s->v;
		b->n_seed = s->n_wrt[1];
	} else {
		b->seed = upper == TRANSFORM_VJP ? s->u : along;
		b->n_seed = upper == TRANSFORM_VJP ? s->n_u : s->n_wrt[0];
	}
	return cross_ask(q, q->right, &sibling);
}

static bool ask_products(struct cross_ask *q, const struct second *s, const struct answer *own)
{
	struct direction d;

	for (int k = 0; direction(q, s->type[0], s->n_wrt[0], k, &d); k++) {
		const struct answer *other = ask_stack(q, s, TRANSFORM_JVP, TRANSFORM_JVP, d.seed);

		if (!other)
			return false;
		add_products(q, "jvp,jvp", s->c->n_point, s->slices, &d, s->n_wrt[0], own, s->u, s->n_u, other);
	}
	return true;
}

static void add_derivatives(
    struct cross_ask *q, const char *sibling, int n_point, const struct answer *left, const struct answer *right)
{
	int before = q->n, kept;

	cross_add_answers(q, sibling, left, right, n_point);
	kept = before;
	for (int i = before; i < q->n; i++)
		if (!q->pair[i].in_primal)
			q->pair[kept++] = q->pair[i];
	q->n = kept;
}

bool cross_order(struct cross_ask *q, const struct testcase *c)
{
	static const struct {
		enum transform_kind lower, upper;
		const char *name;
	} stacks[] = {{TRANSFORM_VJP, TRANSFORM_JVP, "vjp,jvp"}, {TRANSFORM_JVP, TRANSFORM_VJP, "jvp,vjp"},
	    {TRANSFORM_VJP, TRANSFORM_VJP, "vjp,vjp"}};
	const struct answer *own, *other;
	struct second s;
	bool any = false;

	if (!second_of(q, c, &s) || !(own = cross_ask(q, q->left, c)))
		return false;
	for (size_t k = 0; k < sizeof stacks / sizeof *stacks; k++) {
		struct direction d = {.seed = s.w, .which = -1};

		if ((stacks[k].lower == s.kind[0] && stacks[k].upper == s.kind[1]) ||
		    !(other = ask_stack(q, &s, stacks[k].lower, stacks[k].upper, NULL)))
			continue;
		any = true;
		if (!s.w) {
			add_derivatives(q, stacks[k].name, c->n_point, own, other);
			continue;
		}
		/* w.H v, from the outputs of the base summed over u */
		d.seed = s.u;
		add_products(q, stacks[k].name, c->n_point, s.slices, &d, s.n_u, own, s.w, s.n_wrt[0], other);
	}
	if (!s.w && ask_products(q, &s, own))
		any = true;
	return any;
}

bool cross_symmetry(struct cross_ask *q, const struct testcase *c)
{
	const struct answer *own, *other;
	struct second s, swapped;
	struct direction d;

	if (!second_of(q, c, &s) || !(own = cross_ask(q, q->left, c)))
		return false;
	swapped = s;
	for (int k = 0; k < 2; k++) {
		swapped.wrt[k] = s.wrt[!k];
		swapped.n_wrt[k] = s.n_wrt[!k];
		memcpy(swapped.type[k], s.type[!k], sizeof s.type[k]);
	}
	if (s.w) {
		swapped.v = s.w;
		if (!(other = ask_stack(q, &swapped, s.kind[0], s.kind[1], s.v)))
			return false;
		add_derivatives(q, "directions swapped", c->n_point, own, other);
		return true;
	}
	for (int k = 0; direction(q, s.type[0], s.n_wrt[0], k, &d); k++) {
		swapped.v = d.seed;
		if (!(other = ask_stack(q, &swapped, s.kind[0], s.kind[1], NULL)))
			return false;
		add_products(
		    q, "directions swapped", c->n_point, s.slices, &d, s.n_wrt[0], own, s.v, s.n_wrt[1], other);
	}
	return true;
}

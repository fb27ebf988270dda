/* cross_over.c: makes one case from two.  It appends one program to another, or takes the points of one and the program
 * of the other. */
#include "internal.h"

enum { SPLICED_INPUTS = 8 };

struct splice {
	const struct testcase *left, *right;
	struct gen *g;
	struct rebuild l, r;
	int n_new;            /* inputs that only the right case has */
	int from[LIMIT_ARGS]; /* [n_new] their numbers there */
};

static bool same_inputs(const struct program *p, const struct program *q)
{
	if (p->top.n_param != q->top.n_param)
		return false;
	for (int i = 0; i < p->top.n_param; i++)
		if (!type_equal(&p->type[i], &q->type[i]))
			return false;
	return true;
}

static void plain(struct testcase *t)
{
	t->n_expect = 0;
	t->expect = NULL;
	t->provenance = (struct provenance){0};
}

/* Left's program at right's points. */
static struct testcase with_points(const struct testcase *left, const struct testcase *right, struct arena *a)
{
	struct testcase t = testcase_copy(left, a), other = testcase_copy(right, a);

	t.n_point = other.n_point;
	t.point = other.point;
	plain(&t);
	return t;
}

static int add_input(struct splice *s, struct rebuild *r, int input)
{
	struct type t = rebuild_type(r, input);

	return gen_input(s->g, &t, range_make(dtype_is_float(t.dtype) ? -4 : 0, 4));
}

/* Draws the inputs of both cases.  An input of right may share one of left, if the types allow it and by chance. */
static void add_inputs(struct splice *s)
{
	const struct program *p = &s->left->program, *q = &s->right->program;

	for (int i = 0; i < p->top.n_param; i++)
		s->l.map[i] = add_input(s, &s->l, i);
	for (int i = 0; i < q->top.n_param; i++) {
		int first = choice_below(s->g->c, p->top.n_param);

		for (int k = 0; k < p->top.n_param && s->r.map[i] < 0 && choice_percent(s->g->c, 80); k++) {
			int j = (first + k) % p->top.n_param;

			if (type_equal(&p->type[j], &q->type[i]))
				s->r.map[i] = s->l.map[j];
		}
		if (s->r.map[i] < 0 && s->g->n_input < SPLICED_INPUTS && choice_percent(s->g->c, 60)) {
			s->from[s->n_new++] = i;
			s->r.map[i] = add_input(s, &s->r, i);
		}
	}
}

/* Right's other inputs become values of left. */
static bool feed_inputs(struct splice *s)
{
	for (int i = 0; i < s->right->program.top.n_param; i++) {
		struct type t = rebuild_type(&s->r, i);

		if (s->r.map[i] < 0)
			s->r.map[i] = gen_value_of(s->g, &t);
		if (s->r.map[i] < 0)
			return false;
	}
	return true;
}

static int first_float(const struct gen *g, const int *value, int n)
{
	for (int i = 0; i < n; i++)
		if (gen_is_float(g, value[i]))
			return i;
	return -1;
}

/* Results of both cases; by chance a float of each is joined to one. */
static int join_results(struct splice *s, int result[LIMIT_ARGS])
{
	const struct region *p = &s->left->program.top, *q = &s->right->program.top;
	int left[LIMIT_ARGS], right[LIMIT_ARGS], i, k, n = 0;

	for (int j = 0; j < p->n_result; j++)
		left[j] = s->l.map[p->result[j]];
	for (int j = 0; j < q->n_result; j++)
		right[j] = s->r.map[q->result[j]];
	i = first_float(s->g, left, p->n_result);
	k = first_float(s->g, right, q->n_result);
	if (i >= 0 && k >= 0 && choice_percent(s->g->c, 60)) {
		const struct type scalar = {.dtype = gen_type(s->g, left[i])->dtype, .shape = shape_scalar()};
		int x = gen_as(s->g, left[i], &scalar), y = gen_as(s->g, right[k], &scalar),
		    sum = gen_binary(s->g, OP_ADD, x, y);

		if (sum >= 0) {
			result[0] = sum;
			return 1;
		}
	}
	for (int j = 0; j < p->n_result; j++)
		result[n++] = left[j];
	for (int j = 0; j < q->n_result && n < LIMIT_ARGS; j++)
		result[n++] = right[j];
	return n;
}

/* Left's points and request, extended by the inputs that come from right. */
static struct testcase extend(const struct splice *s, const struct program *program, const struct profile *profile)
{
	struct arena *a = s->g->a;
	struct choice *c = s->g->c;
	struct testcase t = testcase_copy(s->left, a);
	int n = s->left->program.top.n_param, total = n + s->n_new;

	plain(&t);
	t.program = *program;
	for (int i = 0; i < t.n_point; i++) {
		struct tensor *point = NEW(a, struct tensor, total);

		for (int k = 0; k < n; k++)
			point[k] = t.point[i][k];
		for (int k = 0; k < s->n_new; k++)
			point[n + k] = tensor_copy(a, &s->right->point[i % s->right->n_point][s->from[k]]);
		t.point[i] = point;
	}
	for (int i = 0; i < t.n_transform; i++) {
		struct transform *r = &t.transform[i];
		bool jvp = r->kind == TRANSFORM_JVP;
		struct tensor *seed = NEW(a, struct tensor, r->n_wrt + s->n_new);
		int *wrt = NEW(a, int, r->n_wrt + s->n_new), m = r->n_wrt;

		for (int k = 0; k < m; k++) {
			wrt[k] = r->wrt[k];
			if (jvp)
				seed[k] = r->seed[k];
		}
		for (int k = 0; k < s->n_new; k++) {
			if (!choice_percent(c, 70))
				continue;
			if (jvp)
				seed[m] = gen_seed(c, profile, &program->type[n + k], a);
			wrt[m++] = n + k;
		}
		r->wrt = wrt;
		r->n_wrt = m;
		if (jvp) {
			r->seed = seed;
			r->n_seed = m;
		}
	}
	request_follow(c, profile, &t, a);
	return t;
}

static bool splice(const struct testcase *left, const struct testcase *right, struct choice *c,
    const struct profile *profile, struct arena *a, struct testcase *out)
{
	struct splice s = {.left = left, .right = right};
	int result[LIMIT_ARGS], n;
	struct program p;
	struct gen g;

	s.g = &g;
	gen_begin(&g, c, profile, a);
	rebuild_begin(&s.l, &g, &left->program);
	rebuild_begin(&s.r, &g, &right->program);
	if (left->program.top.n_param)
		g.base = left->program.type[0].shape;
	add_inputs(&s);
	if (!rebuild_nodes(&s.l, &left->program.top) || !feed_inputs(&s) || !rebuild_nodes(&s.r, &right->program.top))
		return false;
	n = join_results(&s, result);
	p = gen_end(&g, result, n);
	*out = extend(&s, &p, profile);
	return testcase_check(out, NULL);
}

struct testcase cross_over(const struct testcase *left, const struct testcase *right, struct choice *c,
    const struct profile *profile, struct arena *a)
{
	struct testcase t;

	if (same_inputs(&left->program, &right->program) && choice_percent(c, 35)) {
		t = with_points(left, right, a);
		if (testcase_check(&t, NULL))
			return t;
	}
	for (int attempt = 0; attempt < 2 && right->n_point; attempt++)
		if (splice(left, right, c, profile, a, &t))
			return t;
	return mutate(left, c, profile, a);
}

/* points.c: mutations of points and request. */
#include "fuzz/edit/fit.h"
#include "internal.h"

#include <string.h>

static struct tensor *pick_input(struct mutator *m, bool only_float)
{
	int n = m->t.program.top.n_param, point, first;

	if (!n || !m->t.n_point)
		return NULL;
	point = choice_below(m->c, m->t.n_point);
	first = choice_below(m->c, n);
	for (int k = 0; k < n; k++) {
		struct tensor *t = &m->t.point[point][(first + k) % n];

		if (shape_elements(&t->type.shape) && (!only_float || dtype_is_float(t->type.dtype)))
			return t;
	}
	return NULL;
}

static union cell *pick_cell(struct mutator *m, struct tensor *t)
{
	return &t->at[choice_below(m->c, shape_elements(&t->type.shape))];
}

/* A special value, or a tie with another element. */
bool mutate_point_special(struct mutator *m)
{
	struct tensor *t = pick_input(m, true);
	double landmark[POINT_LANDMARKS];
	int n = program_landmarks(&m->t.program, landmark);
	union cell *x;

	if (!t)
		return false;
	x = pick_cell(m, t);
	x->f = gen_point_special(m->c, t->type.dtype, &m->t.program, m->t.point[0], landmark, n);
	return true;
}

bool mutate_point_equal(struct mutator *m)
{
	return m->t.program.top.n_param && m->t.n_point &&
	    gen_point_equal(m->c, &m->t.program, m->t.point[choice_below(m->c, m->t.n_point)], m->a);
}

/* x + by, wrapped to the dtype. */
static int64_t nudged(enum dtype d, int64_t x, int by)
{
	if (by > 0 ? x > INT64_MAX - by : x < INT64_MIN - by)
		return by > 0 ? INT64_MIN : INT64_MAX;
	return dtype_wrap(d, x + by);
}

bool mutate_point_nudge(struct mutator *m)
{
	static const double factors[] = {-1, 0.5, 2, 1.25, 0.75, 1.0078125};
	struct tensor *t = pick_input(m, false);
	union cell *x;

	if (!t)
		return false;
	x = pick_cell(m, t);
	if (dtype_is_float(t->type.dtype))
		x->f = dtype_round(t->type.dtype,
		    choice_percent(m->c, 70) ? x->f * factors[choice_below(m->c, 6)]
		                             : x->f + choice_between(m->c, -2, 2) * 0.25);
	else if (dtype_is_int(t->type.dtype))
		x->i = nudged(t->type.dtype, x->i, choice_between(m->c, -2, 2));
	else
		x->i = !x->i;
	return true;
}

bool mutate_point_new(struct mutator *m)
{
	struct tensor *t = pick_input(m, false);

	if (!t)
		return false;
	*t = gen_point_tensor(m->c, m->p, &t->type, NULL, m->a);
	return true;
}

/* Adds a copy of a point with one input changed.  The program is prepared once for both. */
bool mutate_add_point(struct mutator *m)
{
	int n = m->t.n_point, n_input = m->t.program.top.n_param, from;
	struct tensor **points;

	if (n >= 4 || !n || !n_input)
		return false;
	points = NEW(m->a, struct tensor *, n + 1);
	memcpy(points, m->t.point, (size_t)n * sizeof(*points));
	from = choice_below(m->c, n);
	points[n] = NEW(m->a, struct tensor, n_input);
	for (int i = 0; i < n_input; i++)
		points[n][i] = tensor_copy(m->a, &m->t.point[from][i]);
	m->t.point = points;
	m->t.n_point++;
	from = choice_below(m->c, n_input);
	points[n][from] = gen_point_tensor(m->c, m->p, &points[n][from].type, NULL, m->a);
	return true;
}

bool mutate_drop_point(struct mutator *m)
{
	int drop;

	if (m->t.n_point < 2)
		return false;
	drop = choice_below(m->c, m->t.n_point);
	m->t.n_point--;
	for (int i = drop; i < m->t.n_point; i++)
		m->t.point[i] = m->t.point[i + 1];
	return true;
}

/* ---- request ---- */

static struct transform *pick_transform(struct mutator *m)
{
	return m->t.n_transform ? &m->t.transform[choice_below(m->c, m->t.n_transform)] : NULL;
}

/* Adds an input to wrt, or removes one, with its tangent.  Other levels and the points follow. */
bool mutate_wrt(struct mutator *m)
{
	struct transform *t = pick_transform(m);
	int n_input = m->t.program.top.n_param, input = choice_below(m->c, n_input), at = 0;
	struct tensor *seed;
	bool present, jvp;
	int *wrt;

	if (!t || !n_input)
		return false;
	jvp = t->kind == TRANSFORM_JVP;
	while (at < t->n_wrt && t->wrt[at] < input)
		at++;
	present = at < t->n_wrt && t->wrt[at] == input;
	if (present && t->n_wrt == 1)
		return false;
	wrt = NEW(m->a, int, t->n_wrt + 1);
	seed = NEW(m->a, struct tensor, t->n_wrt + 1);
	for (int i = 0, n = 0; i < t->n_wrt + 1; i++) {
		if (i == at && !present) {
			wrt[n] = input;
			if (jvp)
				seed[n] = gen_seed(m->c, m->p, &m->t.program.type[input], m->a);
			n++;
		}
		if (i == t->n_wrt || (i == at && present))
			continue;
		wrt[n] = t->wrt[i];
		if (jvp)
			seed[n] = t->seed[i];
		n++;
	}
	t->wrt = wrt;
	t->n_wrt += present ? -1 : 1;
	if (jvp) {
		t->seed = seed;
		t->n_seed = t->n_wrt;
	}
	return request_follow(m->c, m->p, &m->t, m->a);
}

bool mutate_seed(struct mutator *m)
{
	struct transform *t = pick_transform(m);
	struct tensor *seed;

	if (!t || !t->n_seed)
		return false;
	seed = &t->seed[choice_below(m->c, t->n_seed)];
	*seed = gen_seed(m->c, m->p, &seed->type, m->a);
	return true;
}

/* Exchanges jvp and vjp on one level.  A case without a request gets one. */
bool mutate_kind(struct mutator *m)
{
	struct transform *t = pick_transform(m);
	enum transform_kind kind = choice_percent(m->c, m->p->jvp) ? TRANSFORM_JVP : TRANSFORM_VJP;

	if (!t) {
		const struct request_plan plan = {.order = 1};

		if (!m->t.program.top.n_param)
			return false;
		gen_request(m->c, m->p, &plan, &m->t, m->a);
		return true;
	}
	/* Only the outermost level is the engine's own; an engine may know no other kind. */
	if (t != request_outermost(m->t.transform, m->t.n_transform))
		kind = t->kind == TRANSFORM_JVP ? TRANSFORM_VJP : TRANSFORM_JVP;
	if (t->kind == TRANSFORM_BATCH || t->kind == kind)
		return false;
	t->kind = kind;
	t->n_seed = 0;
	return request_follow(m->c, m->p, &m->t, m->a);
}

/* Whether some engine under test can answer this kind: a profile with 0 or 100 percent of jvp says that none knows the
 * other. */
static bool outermost_is_drawn(const struct mutator *m)
{
	const struct transform *t = request_outermost(m->t.transform, m->t.n_transform);

	return !t || (t->kind == TRANSFORM_JVP ? m->p->jvp > 0 : m->p->jvp < 100);
}

/* Adds a level anywhere, removes one, or changes the size of a batch.  Only if the profile draws such requests. */
bool mutate_level(struct mutator *m)
{
	struct testcase *t = &m->t;
	int n = t->n_transform, at = choice_below(m->c, n + 1);
	struct transform *list = NEW(m->a, struct transform, n + 1);
	bool batch = choice_percent(m->c, 50);

	if (!n || !t->program.top.n_param || !(batch ? m->p->batch : m->p->order_second))
		return false;
	if (n > 1 && at < n && choice_percent(m->c, 50)) {
		if (t->transform[at].kind == TRANSFORM_BATCH && choice_percent(m->c, 50)) {
			t->transform[at].size = choice_between(m->c, 1, 4);
		} else {
			memmove(t->transform + at, t->transform + at + 1, (size_t)(n - 1 - at) * sizeof(*list));
			t->n_transform--;
		}
		return outermost_is_drawn(m) && request_follow(m->c, m->p, t, m->a);
	}
	if (n == LIMIT_TRANSFORMS || (!batch && request_order(t->transform, n) > (m->p->order_third ? 2 : 1)))
		return false;
	memcpy(list, t->transform, (size_t)at * sizeof(*list));
	memcpy(list + at + 1, t->transform + at, (size_t)(n - at) * sizeof(*list));
	if (batch) {
		list[at] = gen_batch(m->c, t->program.top.n_param, m->a);
	} else {
		const struct transform *outermost = request_outermost(t->transform, n);

		if (!outermost)
			return false;
		list[at] = *outermost; /* its kind and wrt, with seeds of its own */
		list[at].n_seed = 0;
	}
	t->transform = list;
	t->n_transform++;
	return request_follow(m->c, m->p, t, m->a);
}

struct seeds {
	struct choice *c;
	const struct profile *p;
	struct arena *a;
};

static struct tensor random_seed(void *context, const struct type *t)
{
	const struct seeds *s = context;

	return gen_seed(s->c, s->p, t, s->a);
}

bool request_follow(struct choice *c, const struct profile *p, struct testcase *t, struct arena *a)
{
	struct seeds s = {c, p, a};

	return fit_case(t, random_seed, &s, a);
}

bool mutate_variant(struct mutator *m)
{
	m->t.variant = gen_variant(m->c, m->p);
	return true;
}

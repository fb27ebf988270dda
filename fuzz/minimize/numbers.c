/* numbers.c: passes over the numbers in literals, points and seeds; also the other points and seeds for varied
 * candidates. */
#include "passes.h"

#include <math.h>

enum literal_kind { LITERAL_CONSTANT, LITERAL_POINT, LITERAL_SEED, LITERAL_KINDS };

/* Literal number k: constants first, then points, then seeds.  NULL past the last. */
static struct tensor *literal(struct edit *e, int k, enum literal_kind *kind)
{
	struct testcase *c = &e->c;
	struct site s;

	*kind = LITERAL_CONSTANT;
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && k-- == 0)
			return &s.node->attrs.value;
	*kind = LITERAL_POINT;
	for (int p = 0; p < c->n_point; p++)
		for (int i = 0; i < c->program.top.n_param; i++)
			if (k-- == 0)
				return &c->point[p][i];
	*kind = LITERAL_SEED;
	for (int t = 0; t < c->n_transform; t++)
		for (int i = 0; i < c->transform[t].n_seed; i++)
			if (k-- == 0)
				return &c->transform[t].seed[i];
	return NULL;
}

/*
 * Numbers that a person would write, best first.  For a point, 0 and 1 come late: many wrong rules are right there by
 * accident.  Indices and trip counts are integers, for which 0 and 1 are plain.
 */
enum { SIMPLE = 5 };
static const double simple_floats[LITERAL_KINDS][SIMPLE] = {
    [LITERAL_CONSTANT] = {1, 2, 0.5, 3, 0},
    [LITERAL_POINT] = {0.5, 2, 3, 1, 0},
    [LITERAL_SEED] = {1, 0, 2, 0.5, 3},
};
static const double simple_integers[LITERAL_KINDS][SIMPLE] = {
    [LITERAL_CONSTANT] = {0, 1, 2, 3, 4},
    [LITERAL_POINT] = {1, 2, 0, 3, 4},
    [LITERAL_SEED] = {0, 1, 2, 3, 4},
};

static const double *simple_numbers(enum dtype d, enum literal_kind kind)
{
	return dtype_is_float(d) ? simple_floats[kind] : simple_integers[kind];
}

/* How far a number is from one that a person would write; 0 is best. */
static int number_cost(enum dtype d, union cell x, enum literal_kind kind)
{
	const double v = dtype_is_float(d) ? x.f : (double)x.i, *simple = simple_numbers(d, kind);

	if (isnan(v) || isinf(v))
		return 90;
	for (int i = 0; i < SIMPLE; i++)
		if (bits_of(v) == bits_of(simple[i]))
			return i;
	if (v == trunc(v) && fabs(v) < 100)
		return v > 0 ? 5 : 6;
	for (int digits = 1; digits < 40; digits++)
		if (ldexp(v, digits) == trunc(ldexp(v, digits)) && fabs(v) < 100)
			return 7 + digits;
	return 80;
}

int64_t edit_number_cost(const struct edit *e)
{
	struct edit copy = *e; /* literal() changes nothing */
	const struct tensor *t;
	enum literal_kind kind;
	int64_t cost = 0;

	for (int k = 0; (t = literal(&copy, k, &kind)); k++)
		for (int i = 0, n = shape_elements(&t->type.shape); i < n; i++)
			cost += number_cost(t->type.dtype, t->at[i], kind);
	return cost;
}

static bool set_cell(struct tensor *t, int i, double x)
{
	union cell old = t->at[i];

	edit_round(t->type.dtype, x, &t->at[i]);
	return old.i != t->at[i].i;
}

enum edit_result pass_fill(struct edit *e, int k)
{
	enum literal_kind kind;
	bool changed = false;
	struct tensor *t = literal(e, k / SIMPLE, &kind);

	if (!t)
		return EDIT_END;
	for (int i = 0, n = shape_elements(&t->type.shape); i < n; i++)
		if (set_cell(t, i, simple_numbers(t->type.dtype, kind)[k % SIMPLE]))
			changed = true;
	return changed ? EDIT_TRY : EDIT_SKIP;
}

enum { ROUND_CELLS = 16, ROUND_HOWS = SIMPLE + 5 };

enum edit_result pass_round(struct edit *e, int k)
{
	int how = k % ROUND_HOWS, i = k / ROUND_HOWS % ROUND_CELLS;
	enum literal_kind kind;
	struct tensor *t = literal(e, k / (ROUND_HOWS * ROUND_CELLS), &kind);
	double x;

	if (!t)
		return EDIT_END;
	if (i >= shape_elements(&t->type.shape))
		return EDIT_SKIP;
	x = tensor_number(t, i);
	if (how < SIMPLE)
		x = simple_numbers(t->type.dtype, kind)[how];
	else if (how == SIMPLE)
		x = trunc(x);
	else if (how == SIMPLE + 1)
		x = fabs(x);
	else /* rounds to 1, 2 or 4 binary places */
		x = ldexp(rint(ldexp(x, 1 << (how - SIMPLE - 2))), -(1 << (how - SIMPLE - 2)));
	return set_cell(t, i, x) ? EDIT_TRY : EDIT_SKIP;
}

/* ---- all points and seeds at once ---- */

/*
 * Element number n, counted over all float inputs, becomes point + n * point_step.  Seeds change in the same way.
 * Constants and integers stay.  The deviation of a wrong derivative (its sign, zero, a common factor) depends on the
 * point, on the seeds, and on the right terms that are added to it.  `plus` adds an input to the first result.
 */
static const struct point_variant {
	double point, point_step, seed, seed_step;
	bool plus;
} variants[] = {
    {0.5, 0, 1, 0, false},
    {2, 0, 1, 0, false},
    {3, 0, 1, 0, false},
    {0.5, 0.75, 1, 0, false},
    {0.5, 0.75, 1, 1, false},
    {0.5, 0.75, 1, -3, false},
    {0.5, 0.75, -2, 3, false},
    {-0.5, 0, 1, 0, false},
    {-2, 0, 1, 0, false},
    {0.5, 0, 1, 0, true},
    {0.5, 0.75, -2, 3, true},
};
const int edit_variants = sizeof variants / sizeof *variants;

static void set_numbers(struct edit *e, const struct point_variant *v)
{
	int n_point = 0, n_seed = 0;
	enum literal_kind kind;
	struct tensor *t;

	for (int k = 0; (t = literal(e, k, &kind)); k++) {
		if (kind == LITERAL_CONSTANT || !dtype_is_float(t->type.dtype))
			continue;
		for (int i = 0, n = shape_elements(&t->type.shape); i < n; i++)
			edit_round(t->type.dtype,
			    kind == LITERAL_POINT ? v->point + v->point_step * n_point++
			                          : v->seed + v->seed_step * n_seed++,
			    &t->at[i]);
	}
}

/* Adds the first differentiated float input to result 0. edit_finish makes the types fit, or drops the candidate. */
static void add_input_to_result(struct edit *e)
{
	struct region *top = &e->c.program.top;
	const struct transform *t = e->c.transform;

	for (int i = 0; e->c.n_transform && i < t->n_wrt; i++) {
		const int input = top->param + t->wrt[i];

		if (t->wrt[i] >= top->n_param || !dtype_is_float(edit_type(e, input)->dtype))
			continue;
		top->result[0] = edit_insert_binary(
		    e, top, top->n_node, OP_ADD, top->result[0], input, edit_type(e, input));
		return;
	}
}

bool edit_variant_adds(int variant) { return variants[variant].plus; }

void edit_vary(struct edit *e, int variant)
{
	set_numbers(e, &variants[variant]);
	if (variants[variant].plus)
		add_input_to_result(e);
}

enum edit_result pass_numbers(struct edit *e, int k)
{
	if (k >= edit_variants)
		return EDIT_END;
	set_numbers(e, &variants[k]);
	return EDIT_TRY;
}

/* ---- the variant ---- */

enum edit_result pass_first_spellings(struct edit *e, int k)
{
	if (k || !e->c.variant)
		return EDIT_END;
	e->c.variant = 0;
	return EDIT_TRY;
}

/* Few are enough for the spellings of the few ops that are left. */
enum edit_result pass_variant(struct edit *e, int k)
{
	enum { SMALL_VARIANTS = 16 };

	if (k >= SMALL_VARIANTS || k >= e->c.variant)
		return EDIT_END;
	e->c.variant = k;
	return EDIT_TRY;
}

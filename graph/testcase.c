/* testcase.c: what a case must be, and copies, comparison and hash of cases. */
#include "testcase.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "random.h"
#include "walk.h"

enum { LIMIT_SPEC = 256, LIMIT_LITERAL = 40 };

struct signature testcase_signature(const struct testcase *c)
{
	struct signature s = request_base(&c->program);

	for (int k = 0; k < c->n_transform; k++)
		request_apply(&s, &c->transform[k], NULL);
	return s;
}

int answer_derivative_types(const struct testcase *c, struct type out[LIMIT_ARGS])
{
	struct signature s = testcase_signature(c);

	if (!request_order(c->transform, c->n_transform))
		return 0;
	memcpy(out, s.output, (size_t)s.n_output * sizeof *out);
	return s.n_output;
}

int answer_primal_types(const struct testcase *c, struct type out[LIMIT_ARGS])
{
	struct signature s = testcase_signature(c);

	memcpy(out, s.primal, (size_t)s.n_primal * sizeof *out);
	return s.n_primal;
}

enum answer_status answer_refusal(const struct error *e) { return e->limit ? ANSWER_TOO_LARGE : ANSWER_UNSUPPORTED; }

/* ---- validity ---- */

/* Path of what is being looked at; text only when something is wrong. */
struct where {
	const char *key; /* with up to two indices */
	int i, j;
	int transform; /* counted from 1: the key is one of that transform; 0: of the case */
};

static struct where where_at(struct where at, int i)
{
	at.i = i;
	return at;
}

static bool refuse(struct error *e, struct where at, int element, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool refuse(struct error *e, struct where at, int element, const char *format, ...)
{
	char place[sizeof e->place], text[sizeof e->text], index[16] = "", inside[24] = "";
	va_list list;

	if (!e)
		return false;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (element >= 0)
		snprintf(index, sizeof index, "[%d]", element);
	if (at.transform)
		snprintf(inside, sizeof inside, "request[%d].", at.transform - 1);
	if (at.i < 0)
		snprintf(place, sizeof place, "%s%s%s", inside, at.key, index);
	else if (at.j < 0)
		snprintf(place, sizeof place, "%s%s[%d]%s", inside, at.key, at.i, index);
	else
		snprintf(place, sizeof place, "%s%s[%d][%d]%s", inside, at.key, at.i, at.j, index);
	return error_set(e, place, "%s", text);
}

/* A tensor of type `want` whose elements are values of its dtype; integer and bool seeds are all zero. */
static bool check_tensor(const struct tensor *t, const struct type *want, bool seed, struct where at, struct error *e)
{
	char text[2][TYPE_TEXT];
	enum dtype d = want->dtype;
	bool is_float = dtype_is_float(d);
	int n = shape_elements(&want->shape);

	if (!type_equal(&t->type, want))
		return refuse(
		    e, at, -1, "type %s, expected %s", type_print(&t->type, text[0]), type_print(want, text[1]));
	for (int k = 0; k < n; k++) {
		int element = want->shape.rank ? k : -1;
		if (is_float && !isnan(t->at[k].f) && dtype_round(d, t->at[k].f) != t->at[k].f)
			return refuse(e, at, element, "%.17g is no value of %s", t->at[k].f, dtype_table[d].name);
		if (!is_float && dtype_wrap(d, t->at[k].i) != t->at[k].i)
			return refuse(
			    e, at, element, "%lld is no value of %s", (long long)t->at[k].i, dtype_table[d].name);
		if (!is_float && seed && t->at[k].i)
			return refuse(
			    e, at, element, "the tangent or cotangent of a value of %s is 0", dtype_table[d].name);
	}
	return true;
}

/* Transform k of the function s, which becomes that of the next level. */
static bool check_transform(const struct testcase *c, int k, struct signature *s, struct error *e)
{
	static const char *const seeds[] = {
	    [TRANSFORM_JVP] = "tangents", [TRANSFORM_VJP] = "cotangents", [TRANSFORM_BATCH] = "seeds"};
	const struct transform *t = &c->transform[k];
	struct type want[LIMIT_ARGS];
	struct error inner = {0};
	const struct where wrt = {"wrt", -1, -1, k + 1}, seed = {seeds[t->kind], -1, -1, k + 1};

	if (t->n_wrt < 1 || t->n_wrt > s->n_input)
		return refuse(e, wrt, -1, "%d inputs, expected 1 to %d", t->n_wrt, s->n_input);
	for (int i = 0; i < t->n_wrt; i++) {
		if (t->wrt[i] < 0 || t->wrt[i] >= s->n_input)
			return refuse(e, where_at(wrt, i), -1, "there is no input %d", t->wrt[i]);
		if (i && t->wrt[i] <= t->wrt[i - 1])
			return refuse(
			    e, where_at(wrt, i), -1, "%d after %d, expected ascending", t->wrt[i], t->wrt[i - 1]);
	}
	if (t->kind == TRANSFORM_BATCH ? t->size < 1 || t->size > LIMIT_BATCH : t->size != 0)
		return refuse(e, (struct where){"request", k, -1}, -1, "size %d, expected 1 to %d for a batch", t->size,
		    LIMIT_BATCH);
	int n = request_seeds(s, t, want);
	if (t->n_seed != n)
		return refuse(e, seed, -1, "%d tensors, expected %d", t->n_seed, n);
	for (int i = 0; i < n; i++)
		if (!check_tensor(&t->seed[i], &want[i], true, where_at(seed, i), e))
			return false;
	return request_apply(s, t, &inner) || refuse(e, (struct where){"request", k, -1}, -1, "%s", inner.text);
}

static int64_t data_elements(const struct testcase *c, const struct signature *s)
{
	int64_t n = 0, point = 0;

	for (int i = 0; i < s->n_input; i++)
		point += shape_elements(&s->input[i].shape);
	for (int k = 0; k < c->n_transform; k++)
		for (int i = 0; i < c->transform[k].n_seed; i++)
			n += shape_elements(&c->transform[k].seed[i].type.shape);
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);)
		if (w.node->op == OP_CONSTANT)
			n += shape_elements(&w.node->attrs.value.type.shape);
	return n + c->n_point * point;
}

static bool check_text(const char *text, size_t limit, const char *key, struct error *e)
{
	if (!text || strlen(text) <= limit)
		return true;
	return refuse(e, (struct where){key, -1, -1}, -1, "%zu bytes, expected at most %zu", strlen(text), limit);
}

static bool check_expectation(const struct expectation *x, int k, struct error *e)
{
	char at[48];

	snprintf(at, sizeof at, "expect[%d].engine", k);
	if (!check_text(x->engine, LIMIT_SPEC, at, e))
		return false;
	snprintf(at, sizeof at, "expect[%d].verdict", k);
	if (!check_text(x->verdict, LIMIT_SPEC, at, e))
		return false;
	if (!x->verdict && !x->n)
		return refuse(e, (struct where){"expect", k, -1}, -1, "states neither \"verdict\" nor \"returned\"");
	snprintf(at, sizeof at, "expect[%d].returned", k);
	if (x->n < 0 || x->n > LIMIT_RETURNED)
		return refuse(
		    e, (struct where){at, -1, -1}, -1, "%d literals, expected at most %d", x->n, LIMIT_RETURNED);
	for (int i = 0; i < x->n; i++)
		if (!real_is_decimal(x->returned[i]))
			return refuse(e, (struct where){at, i, -1}, -1,
			    "no decimal literal as \"1.3125\", \"-3\", \"3e-06\", \"nan\" of at most %d characters",
			    LIMIT_LITERAL);
	return true;
}

static bool check_points(const struct testcase *c, const struct signature *s, struct error *e)
{
	if (c->n_point < 1 || c->n_point > LIMIT_POINTS)
		return refuse(
		    e, (struct where){"points", -1, -1}, -1, "%d points, expected 1 to %d", c->n_point, LIMIT_POINTS);
	for (int k = 0; k < c->n_point; k++)
		for (int i = 0; i < s->n_input; i++)
			if (!check_tensor(&c->point[k][i], &s->input[i], false, (struct where){"points", k, i}, e))
				return false;
	return true;
}

/* All but the program. */
static bool check_rest(const struct testcase *c, struct error *e)
{
	const struct provenance *from = &c->provenance;
	enum { FULL_RUNS = 4 };
	const int64_t work_limit = FULL_RUNS * (int64_t)LIMIT_WORK;

	if (c->n_transform < 0 || c->n_transform > LIMIT_TRANSFORMS)
		return refuse(e, (struct where){"request", -1, -1}, -1, "%d transforms, expected at most %d",
		    c->n_transform, LIMIT_TRANSFORMS);
	struct signature s = request_base(&c->program);
	for (int k = 0; k < c->n_transform; k++)
		if (!check_transform(c, k, &s, e))
			return false;
	if (!check_points(c, &s, e))
		return false;
	if (c->variant < 0 || c->variant > LIMIT_VARIANT)
		return refuse(
		    e, (struct where){"variant", -1, -1}, -1, "%d, expected 0 to %d", c->variant, LIMIT_VARIANT);

	/* program_check bounds the work by LIMIT_WORK, and LIMIT_BATCH the slices: the product does not overflow. */
	int64_t runs = (int64_t)c->n_point * request_slices(c->transform, c->n_transform),
	        work = runs > FULL_RUNS ? runs * program_work(&c->program) : 0;
	if (work > work_limit)
		return refuse(e, (struct where){"points", -1, -1}, -1,
		    "work of %lld elements over all points and slices, expected at most %lld", (long long)work,
		    (long long)work_limit);
	int64_t data = data_elements(c, &s);
	if (data > LIMIT_DATA)
		return refuse(e, (struct where){"points", -1, -1}, -1,
		    "%lld elements of constants, points and seeds, expected at most %d", (long long)data, LIMIT_DATA);

	if (!check_text(from->title, LIMIT_TEXT, "title", e) || !check_text(from->source, LIMIT_TEXT, "source", e) ||
	    !check_text(from->comment, LIMIT_TEXT, "comment", e))
		return false;
	if (c->n_expect < 0 || c->n_expect > LIMIT_EXPECT)
		return refuse(e, (struct where){"expect", -1, -1}, -1, "%d expectations, expected at most %d",
		    c->n_expect, LIMIT_EXPECT);
	for (int k = 0; k < c->n_expect; k++)
		if (!check_expectation(&c->expect[k], k, e))
			return false;
	return true;
}

bool testcase_check(const struct testcase *c, struct error *e)
{
	return program_check(&c->program, e) && check_rest(c, e);
}

bool testcase_check_inferred(const struct testcase *c, struct error *e)
{
	return program_check_inferred(&c->program, e) && check_rest(c, e);
}

/* ---- copies and comparison ---- */

static const char *copy_text(const char *text, struct arena *a)
{
	return text ? arena_copy(a, text, strlen(text) + 1, 1) : NULL;
}

struct testcase testcase_copy(const struct testcase *c, struct arena *a)
{
	struct testcase to = *c;

	to.program = program_copy(&c->program, a);
	to.point = NEW(a, struct tensor *, c->n_point);
	for (int k = 0; k < c->n_point; k++)
		to.point[k] = tensors_copy(a, c->point[k], c->program.top.n_param);
	to.transform = NEW(a, struct transform, c->n_transform);
	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];
		to.transform[k] = *t;
		to.transform[k].wrt = NEW(a, int, t->n_wrt);
		for (int i = 0; i < t->n_wrt; i++)
			to.transform[k].wrt[i] = t->wrt[i];
		to.transform[k].seed = tensors_copy(a, t->seed, t->n_seed);
	}
	to.expect = NEW(a, struct expectation, c->n_expect);
	for (int k = 0; k < c->n_expect; k++) {
		const struct expectation *x = &c->expect[k];
		to.expect[k] = (struct expectation){copy_text(x->engine, a), copy_text(x->verdict, a), x->n, NULL};
		to.expect[k].returned = NEW(a, const char *, x->n);
		for (int i = 0; i < x->n; i++)
			to.expect[k].returned[i] = copy_text(x->returned[i], a);
	}
	to.provenance.title = copy_text(c->provenance.title, a);
	to.provenance.source = copy_text(c->provenance.source, a);
	to.provenance.comment = copy_text(c->provenance.comment, a);
	return to;
}

static bool transform_equal(const struct transform *a, const struct transform *b)
{
	if (a->kind != b->kind || a->size != b->size || a->n_wrt != b->n_wrt || a->n_seed != b->n_seed)
		return false;
	for (int i = 0; i < a->n_wrt; i++)
		if (a->wrt[i] != b->wrt[i])
			return false;
	return tensors_same(a->seed, b->seed, a->n_seed);
}

bool testcase_equal(const struct testcase *a, const struct testcase *b)
{
	if (a->n_point != b->n_point || a->n_transform != b->n_transform || a->variant != b->variant ||
	    !program_equal(&a->program, &b->program))
		return false;
	for (int k = 0; k < a->n_point; k++)
		if (!tensors_same(a->point[k], b->point[k], a->program.top.n_param))
			return false;
	for (int k = 0; k < a->n_transform; k++)
		if (!transform_equal(&a->transform[k], &b->transform[k]))
			return false;
	return true;
}

/* One step of a hash. */
static uint64_t mix(uint64_t h, uint64_t word) { return random_mix((h ^ word) + RANDOM_STEP); }

static uint64_t hash_tensor(uint64_t h, const struct tensor *t)
{
	int n = shape_elements(&t->type.shape);

	h = mix(h, (uint64_t)t->type.dtype << 8 | (uint64_t)t->type.shape.rank);
	for (int d = 0; d < t->type.shape.rank; d++)
		h = mix(h, (uint64_t)t->type.shape.extent[d]);
	for (int k = 0; k < n; k++) {
		if (!dtype_is_float(t->type.dtype))
			h = mix(h, (uint64_t)t->at[k].i);
		else /* all NaNs are one value, as in tensor_same */
			h = mix(h, isnan(t->at[k].f) ? UINT64_C(0x7ff8000000000000) : bits_of(t->at[k].f));
	}
	return h;
}

uint64_t testcase_hash(const struct testcase *c)
{
	uint64_t h = mix(program_hash(&c->program), (uint64_t)c->n_point << 32 | (uint64_t)c->n_transform);

	for (int k = 0; k < c->n_point; k++)
		for (int i = 0; i < c->program.top.n_param; i++)
			h = hash_tensor(h, &c->point[k][i]);
	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];
		h = mix(h, (uint64_t)t->size << 40 | (uint64_t)t->kind << 32 | (uint64_t)t->n_wrt);
		for (int i = 0; i < t->n_wrt; i++)
			h = mix(h, (uint64_t)t->wrt[i]);
		for (int i = 0; i < t->n_seed; i++)
			h = hash_tensor(h, &t->seed[i]);
	}
	return c->variant ? mix(h, (uint64_t)c->variant) : h;
}

int testcase_spelling(int variant, const char *name, int n)
{
	uint32_t h = UINT32_C(2166136261) ^ (uint32_t)variant; /* FNV-1a, whose high bits are mixed into the low ones */

	if (!variant)
		return 0;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT32_C(16777619);
	return (int)((h ^ h >> 16) % (uint32_t)n);
}

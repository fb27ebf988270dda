/*
 * teeth.c: of which components of random cases a grossly wrong number would be a finding (oracles/verdict/teeth.h).
 * Prints JSON; `scripts/teeth` makes a table of it.
 *
 * Usage: teeth [CASES [SEED [PROFILE]]].  The cases are those of `fuzz --driver generate`.  Finite differences run on
 * one case in 10, as in a campaign.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/generate/generate.h"
#include "graph/json.h"
#include "graph/walk.h"
#include "oracles/verdict/teeth.h"

enum { DEFAULT_CASES = 3000, FD_ONE_IN = 10, CASE_BYTES = 512 << 20, REPORT_BYTES = 512 << 20 };

/* Kinds of cases that are counted apart. */
enum kind { ALL, ORDER_0, ORDER_1, ORDER_2, ORDER_3, SCATTER_MUL, PRODUCT_2, BATCH, F64_ALONE, KINDS };
static const char *const kind_names[KINDS] = {"all", "order 0", "order 1", "order 2", "order 3 and up",
    "with scatter_mul", "order 2 and up with a product op", "batch", "no float but f64"};

/* Why 0 is no finding; the first that applies counts. */
enum zero { ZERO_CONVENTION, ZERO_FORMULA, ZERO_QUOTIENT, ZERO_CANCELLED, ZERO_RADIUS, ZEROS };
static const char *const zero_names[ZEROS] = {"convention", "formula", "quotient", "cancelled", "radius"};
/* Whether terms cancel to less than one unit roundoff of their magnitudes. */
static bool is_cancelled(const struct plants *p)
{
	return fabs(p->component->value) <= dtype_table[p->dtype].unit * p->component->magnitude;
}

static enum zero why_zero(const struct plants *p)
{
	return p->cause == BLIND_TIE ? ZERO_CONVENTION
	    : p->component->vanishes ? ZERO_FORMULA
	    : p->divided[PLANT_ZERO] ? ZERO_QUOTIENT
	    : is_cancelled(p)        ? ZERO_CANCELLED
	                             : ZERO_RADIUS;
}

struct cases {
	int64_t cases, decided, with_teeth;
};

struct measure {
	struct oracle *oracle;
	struct profile profile;
	uint64_t seed, number;
	struct arena arena;
	struct arena report;
	struct json_writer w;
	struct cases cases[KINDS];
	struct teeth_tally kind[KINDS];
	struct teeth dtype;
	int64_t blind[KINDS][ZEROS], blind_of[DTYPE_COUNT][ZEROS]; /* components that are undecided (blind) */
	int64_t cause[BLIND_COUNT];
	int64_t full;
	bool in[KINDS]; /* the current case, as the next members */
	const struct testcase *c;
	struct teeth_tally current;
};

static bool has_op(const struct program *p, bool wanted(enum op op))
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (wanted(w.node->op))
			return true;
	return false;
}

static bool is_scatter_mul(enum op op) { return op == OP_SCATTER_MUL; }
static bool is_product(enum op op) { return op == OP_SCATTER_MUL || op == OP_REDUCE_PROD || op == OP_CUMPROD; }

/* A number as text: JSON knows no infinity. */
static void put_number(struct json_writer *w, const char *key, double x)
{
	char text[40];

	snprintf(text, sizeof text, "%.9g", x);
	json_member_string(w, key, text);
}

static void put_blind(struct measure *m, const struct plants *p)
{
	struct json_writer *w = &m->w;
	const struct component *c = p->component;

	json_begin_object(w, JSON_FLOW);
	json_member_integer(w, "case", (int64_t)m->number);
	json_member_integer(w, "order", request_order(m->c->transform, m->c->n_transform));
	json_member_integer(w, "point", p->point);
	json_member_integer(w, "which", p->which);
	json_member_integer(w, "element", p->element);
	json_member_string(w, "dtype", dtype_table[p->dtype].name);
	json_member_string(w, "cause", blind_names[p->cause]);
	json_member_bool(w, "undecided", p->undecided);
	if (p->blind[PLANT_ZERO])
		json_member_string(w, "zero", zero_names[why_zero(p)]);
	json_member_string(w, "op", c->culprit == OP_CONSTANT ? NULL : op_table[c->culprit].name);
	json_member_array(w, "blind_to", JSON_FLOW);
	for (int k = 0; k < PLANT_COUNT; k++)
		if (p->blind[k])
			json_put_string(w, plant_names[k]);
	json_end(w);
	put_number(w, "x", c->value);
	put_number(w, "tight", c->tight);
	put_number(w, "loose", c->loose);
	put_number(w, "magnitude", c->magnitude);
	json_end(w);
}

static void one_component(void *context, const struct plants *p)
{
	struct measure *m = context;

	for (int k = 0; k < KINDS; k++) {
		if (m->in[k] && p->undecided)
			m->blind[k][why_zero(p)]++;
		else if (m->in[k])
			teeth_count(&m->kind[k], p);
	}
	if (p->undecided) {
		m->blind_of[p->dtype][why_zero(p)]++;
	} else {
		teeth_count(&m->dtype.of[p->dtype], p);
		teeth_count(&m->current, p);
	}
	m->cause[p->cause]++;
	if (p->cause != BLIND_NONE)
		put_blind(m, p);
}

static void one_case(void *context)
{
	struct measure *m = context;
	struct choice choice = choice_seeded(seed_mix(m->seed, m->number));
	const struct testcase c = generate(&choice, &m->profile, &m->arena);
	const int order = request_order(c.transform, c.n_transform);
	struct truth truth;

	oracle_truth(m->oracle, &c, &m->arena, &truth);
	m->in[ALL] = true;
	for (int k = ORDER_0; k <= ORDER_3; k++)
		m->in[k] = (order < 3 ? order : 3) == k - ORDER_0;
	m->in[SCATTER_MUL] = has_op(&c.program, is_scatter_mul);
	m->in[PRODUCT_2] = order >= 2 && has_op(&c.program, is_product);
	m->in[BATCH] = order < c.n_transform;
	m->in[F64_ALONE] = true;
	for (int k = 0; k < c.program.n_value; k++)
		m->in[F64_ALONE] &= !dtype_is_float(c.program.type[k].dtype) || c.program.type[k].dtype == DTYPE_F64;
	m->c = &c;
	m->current = (struct teeth_tally){0};
	teeth_each(&c, &truth, one_component, m);
	for (int k = 0; k < KINDS; k++) {
		m->cases[k].cases += m->in[k];
		m->cases[k].decided += m->in[k] && m->current.components;
		m->cases[k].with_teeth += m->in[k] && m->current.with_teeth;
	}
}

static void put_undecided(struct json_writer *w, const int64_t n[ZEROS])
{
	json_member_object(w, "undecided_blind", JSON_FLOW);
	for (int k = 0; k < ZEROS; k++)
		json_member_integer(w, zero_names[k], n[k]);
	json_end(w);
}

static void put_kinds(struct measure *m)
{
	struct json_writer *w = &m->w;

	json_member_array(w, "kinds", JSON_BLOCK);
	for (int k = 0; k < KINDS; k++) {
		json_begin_object(w, JSON_BLOCK);
		json_member_string(w, "kind", kind_names[k]);
		json_member_integer(w, "cases", m->cases[k].cases);
		json_member_integer(w, "decided_cases", m->cases[k].decided);
		json_member_integer(w, "cases_with_teeth", m->cases[k].with_teeth);
		teeth_put(&m->kind[k], w);
		put_undecided(w, m->blind[k]);
		json_end(w);
	}
	for (int d = 0; d < DTYPE_COUNT; d++) {
		if (!m->dtype.of[d].components)
			continue;
		json_begin_object(w, JSON_BLOCK);
		json_member_string(w, "kind", dtype_table[d].name);
		teeth_put(&m->dtype.of[d], w);
		put_undecided(w, m->blind_of[d]);
		json_end(w);
	}
	json_end(w);
	json_member_object(w, "causes", JSON_FLOW);
	for (int k = BLIND_NONE + 1; k < BLIND_COUNT; k++)
		json_member_integer(w, blind_names[k], m->cause[k]);
	json_end(w);
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : DEFAULT_CASES;
	struct measure m = {.profile = profile_default(), .seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1};
	struct error e = {"", ""};
	size_t len;

	if (argc > 3 && !profile_read_file(argv[3], &m.profile, &e)) {
		fprintf(stderr, "%s: %s: %s\n", argv[3], e.place, e.text);
		return 2;
	}
	m.oracle = oracle_open(&(struct oracle_options){.seed = m.seed, .fd_one_in = FD_ONE_IN});
	arena_init(&m.arena, CASE_BYTES);
	arena_init(&m.report, REPORT_BYTES);
	m.w = json_document(&m.report, "adjudge.teeth/1");
	json_member_integer(&m.w, "cases", n);
	json_member_integer(&m.w, "seed", (int64_t)m.seed);
	json_member_array(&m.w, "blind", JSON_BLOCK);
	for (; m.number < (uint64_t)n; m.number++) {
		arena_reset(&m.arena);
		m.full += !arena_try(&m.arena, one_case, &m);
	}
	json_end(&m.w);
	json_member_integer(&m.w, "too_large", m.full);
	put_kinds(&m);
	json_end(&m.w);
	fputs(json_finish(&m.w, &len), stdout);
	arena_free(&m.report);
	arena_free(&m.arena);
	oracle_close(m.oracle);
	return 0;
}

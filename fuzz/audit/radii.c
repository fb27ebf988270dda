/*
 * radii.c: bounds of radii, from above and from below, without an oracle.
 *
 * From above: every usual formula of the programs of radii.def is known.  A loose radius is at most a small multiple of
 * the worst of their errors.  The right answer moved by a little more is a finding.
 * From below: answers of correct engines at the worst points that are known are no finding.  RADII.md derives both.
 */
#include "radii.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit.h"
#include "fuzz/bench/bench.h"

static const struct radius_row {
	const char *name, *meaning;
	radius_fn *draw;
} rows[] = {
#define RADIUS(function, name, meaning) {name, meaning, radius_##function},
#include "radii.def"
#undef RADIUS
};
enum { ROWS = sizeof rows / sizeof *rows, PROGRAMS_OF_DRAW = 24, SMALL_ONE_IN = 5 };

/* ---- one program ---- */

struct radius_trial {
	struct audit *audit;
	struct oracle *oracle;
	const struct radius_row *row;
	struct radius *r;
	struct testcase c;
	struct truth truth;
	int64_t components;
	double widest; /* loose radius over the error of the worst formula */
};

/* The error that the worst formulas may have in the derivative that is asked for: by seed times partial. */
static struct inexact worst_of(const struct radius_trial *t, int number)
{
	const struct radius *r = t->r;
	const struct transform *level = &t->c.transform[0];
	struct inexact term[FORM_ELEMENTS];
	int n = 0;

	if (level->kind == TRANSFORM_VJP)
		return inexact_mul(inexact_exact(level->seed[0].at[0].f, r->u), r->worst[number]);
	for (int k = 0; k < level->n_seed; k++)
		for (int e = 0; e < shape_elements(&level->seed[k].type.shape); e++, n++)
			term[n] = inexact_mul(inexact_exact(level->seed[k].at[e].f, r->u), r->worst[n]);
	return inexact_sum(term, n);
}

/* A number of the truth, which is *at in the answer: its loose radius, and numbers beyond the bound. */
static void judge_radius(struct radius_trial *t, const struct component *c, const struct inexact *worst,
    struct answer *answer, double *at, const char *what, enum verdict wanted)
{
	const double bound = RADIUS_TIMES * worst->error;
	struct judgement j;

	if (c->reason == REASON_ILL_CONDITIONED && t->r->f.dtype != DTYPE_F64 && t->r->f.dtype != DTYPE_F32)
		return; /* so few digits may leave nothing of a number */
	t->components++;
	if (c->reason != REASON_NONE) {
		audit_broken(t->audit, &t->c, t->row->name, "%s is undecided: %s", what, reason_names[c->reason]);
		return;
	}
	if (worst->error > 0)
		t->widest = fmax(t->widest, c->loose / worst->error);
	if (!(fabs(c->value - worst->value) <= bound))
		audit_broken(t->audit, &t->c, t->row->name, "%s is %.17g, by a usual formula %.17g +- %.3g", what,
		    c->value, worst->value, bound);
	if (!(c->loose <= bound))
		audit_broken(t->audit, &t->c, t->row->name,
		    "%s is %.17g: the loose radius is %.3g, and no usual formula is off by more than %.3g", what,
		    c->value, c->loose, worst->error);
	for (int side = -1; side <= 1; side += 2) {
		*at = c->value + side * (bound > 0 ? 2 * bound : 1);
		judge(&t->c, &t->truth, answer, &j);
		if (j.verdict != wanted)
			audit_broken(t->audit, &t->c, t->row->name, "%s is %.17g: %.17g is %s", what, c->value, *at,
			    verdict_names[j.verdict]);
	}
	*at = c->value;
}

static void judge_request(struct radius_trial *t)
{
	struct arena *a = t->r->f.arena;
	struct answer answer;
	char what[32];
	int number = 0;

	oracle_truth(t->oracle, &t->c, a, &t->truth);
	answer = radii_right_answer(&t->truth.point[0], a);
	if (t->r->value.u > 0)
		judge_radius(t, t->truth.point[0].primal[0].at, &t->r->value, &answer, &answer.primal[0].at[0].f,
		    "the result", VERDICT_WRONG_PRIMAL);
	for (int k = 0; k < answer.n_derivative; k++) {
		const struct truth_tensor *d = &t->truth.point[0].derivative[0][k];

		for (int e = 0; e < shape_elements(&d->type.shape); e++) {
			const struct inexact worst = worst_of(t, number);

			snprintf(what, sizeof what, "component %d", number++);
			judge_radius(t, &d->at[e], &worst, &answer, &answer.derivative[k].at[e].f, what, VERDICT_WRONG);
		}
	}
}

/* small: in f16 or bf16. */
static void judge_program(struct radius_trial *t, uint64_t seed, int number, bool small, struct arena *a)
{
	static const enum transform_kind kinds[] = {TRANSFORM_VJP, TRANSFORM_JVP};
	struct choice *choice = NEW(a, struct choice, 1);
	struct radius *r = t->r = NEW(a, struct radius, 1);
	struct program p;

	*choice = choice_seeded(seed);
	r->number = number;
	r->f.arena = a;
	r->f.choice = choice;
	if (small)
		r->f.dtype = choice_percent(choice, 65) ? DTYPE_F16 : DTYPE_BF16;
	else
		r->f.dtype = choice_percent(choice, 50) ? DTYPE_F64 : DTYPE_F32;
	r->u = dtype_table[r->f.dtype].unit;
	build_begin(&r->f.b, a);
	t->row->draw(r);
	p = build_end(&r->f.b, &r->f.result, 1);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		t->c = form_case(&r->f, &p, &kinds[k], 1);
		judge_request(t);
	}
}

/* False when there is no time for more. */
static bool judge_row(struct audit *self, struct oracle *oracle, int number, struct arena *a)
{
	const struct audit_options *o = audit_options_of(self);
	struct radius_trial t = {.audit = self, .oracle = oracle, .row = &rows[number]};
	struct json_writer *w = audit_json(self);
	bool more = true;

	for (int k = 0; k < o->draws * PROGRAMS_OF_DRAW && (more = audit_goes_on(self, number, ROWS)); k++) {
		arena_reset(a);
		judge_program(&t, seed_mix(seed_mix(o->seed, (uint64_t)number + 1), (uint64_t)k), k, false, a);
		if (k % SMALL_ONE_IN == 0)
			judge_program(&t, seed_mix(seed_mix(o->seed, (uint64_t)number + 1), (uint64_t)k), k, true, a);
	}
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "programs", t.row->name);
	json_member_string(w, "meaning", t.row->meaning);
	json_member_integer(w, "components", t.components);
	json_member_decimal(w, "widest", t.widest);
	json_end(w);
	audit_line(self, t.row->name, "%6lld components  loose <= %.3g times the worst formula (at most %d)",
	    (long long)t.components, t.widest, RADIUS_TIMES);
	return more;
}

void audit_radii(struct audit *self)
{
	const struct audit_options *o = audit_options_of(self);
	struct oracle_options options = audit_oracle_options(self, INT_MAX);
	struct oracle *oracle = oracle_open(&options);
	struct arena a;
	bool more = true;

	arena_init(&a, CASE_ARENA);
	json_member_array(audit_json(self), "programs", JSON_BLOCK);
	for (int k = 0; k < ROWS && more; k++)
		if (!o->only || strstr(rows[k].name, o->only))
			more = judge_row(self, oracle, k, &a);
	json_end(audit_json(self));
	arena_reset(&a);
	if (more && !o->only)
		radii_worst_answers(self, &a);
	arena_free(&a);
	oracle_close(oracle);
}

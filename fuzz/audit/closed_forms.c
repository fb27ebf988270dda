/*
 * closed_forms.c: tests the truth of programs whose derivatives are known by a formula (closed_form.h).
 *
 * For every component: it is decided; value + low agrees with the formula to 90 bits; finite differences agree.  The
 * radius reaches the nearest value of the dtype, because no engine can return another one.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "oracles/evaluate/scalar_ops.h"
#include "audit.h"
#include "fuzz/bench/bench.h"
#include "closed_form.h"
#include "radii.h"

/* Bits to which value + low must agree, relative to the sum of the path magnitudes; bits beyond which the test cannot
 * tell them apart. */
enum { BITS_LEAST = 90, BITS_MOST = 104 };
/* Bits that a formula may lose to its own rounding.  A number below 2^FORM_ZERO counts as 0, because all drawn numbers
 * have moderate size. */
enum { FORM_SLACK = 64, FORM_ZERO = FORM_SLACK - FORM_PRECISION };

enum form_kind {
	SMOOTH,    /* finite differences agree */
	ONE_SIDED, /* the same, but at order 1 only: with directions of several signs, no side stays on the path */
	EDGE,      /* nothing is decided */
	TIE        /* the truth has as many conventions as the form has alternatives */
};
/* Dtypes that are drawn.  WIDE: f64 and f32.  ANY_FLOAT: bf16 and f16 too.  Their components need not be decided,
 * because a radius of a few of their units may be too large. */
enum form_dtypes { WIDE, ANY_FLOAT };

static const struct form_family {
	const char *name, *meaning;
	form_fn *draw;
	enum form_kind kind;
	enum form_dtypes dtypes;
} families[] = {
#define FORM(function, name, kind, dtypes, meaning) {name, meaning, form_##function, kind, dtypes},
#include "closed_forms.def"
#undef FORM
};
enum { FAMILIES = sizeof families / sizeof *families };

/*
 * The requests for a form: the first two for every form, the next ones if it states the second derivative, and so on.
 */
static const struct stack_row {
	int n;
	enum transform_kind kind[3];
} stacks[] = {
    {1, {TRANSFORM_VJP}},
    {1, {TRANSFORM_JVP}},
    {2, {TRANSFORM_BATCH, TRANSFORM_VJP}},
    {2, {TRANSFORM_JVP, TRANSFORM_JVP}},
    {2, {TRANSFORM_JVP, TRANSFORM_VJP}},
    {2, {TRANSFORM_VJP, TRANSFORM_JVP}},
    {2, {TRANSFORM_VJP, TRANSFORM_VJP}},
    {3, {TRANSFORM_JVP, TRANSFORM_JVP, TRANSFORM_JVP}},
    {3, {TRANSFORM_VJP, TRANSFORM_JVP, TRANSFORM_VJP}},
};
enum { STACKS = sizeof stacks / sizeof *stacks };

struct form_tally {
	int64_t cases, components;
	int bits;          /* fewest bits that agree */
	double widest;     /* radius in unit roundoffs of the sum of the path magnitudes */
	int64_t undecided; /* undecided components in dtypes of low precision */
	int64_t agree, abstain;
};

/* One case of a form. */
struct form_trial {
	struct audit *audit;
	struct oracle *oracle;
	const struct form_family *family;
	struct form *f;
	struct testcase c;
	struct form_tally *tally;
};

static int order_of(const struct stack_row *s)
{
	int order = 0;

	for (int k = 0; k < s->n; k++)
		order += s->kind[k] != TRANSFORM_BATCH;
	return order;
}

static bool applies(const struct stack_row *s, const struct form_family *family, const struct form *f)
{
	int order = order_of(s);

	if (family->kind == ONE_SIDED)
		return s->n == 1;
	if (family->kind != SMOOTH)
		return s->n == 1 && s->kind[0] == TRANSFORM_VJP;
	if (order < s->n) /* a batch of the first input, if that leaves room for an axis */
		return f->first[0] >= 0 && f->n_x <= 8;
	return order == 1 || (order == 2 && f->hessian) || (order == 3 && f->third);
}

/* ---- judging ---- */

#define BREACH(t, ...) audit_broken((t)->audit, &(t)->c, (t)->family->name, __VA_ARGS__)

/* Bits to which the two agree, relative to `scale`. */
static int bits_of_agreement(struct form *f, const struct component *c, real want)
{
	real error = r_sub(f, r_add(f, r_num(f, c->value), r_num(f, c->low)), want);
	double scale = fmax(c->magnitude, fabs(mpfr_get_d(want, MPFR_RNDN)));

	if (mpfr_zero_p(error))
		return BITS_MOST;
	if (scale == 0)
		return 0;
	int exponent = ilogb(scale) - (int)mpfr_get_exp(error);
	return exponent < BITS_MOST ? exponent : BITS_MOST;
}

/* Distance to the nearest value of the dtype; 0 if only the formula's own rounding is left. */
static double distance_to_values(struct form *f, real want, enum dtype d)
{
	real nearest = r_num(f, dtype_round(d, mpfr_get_d(want, MPFR_RNDN)));

	double distance = fabs(mpfr_get_d(r_sub(f, want, nearest), MPFR_RNDN));

	return distance <= ldexp(fabs(mpfr_get_d(want, MPFR_RNDN)), FORM_ZERO) ? 0 : distance;
}

static bool low_precision(const struct form *f) { return dtype_table[f->dtype].precision < 24; }

static void judge_component(struct form_trial *t, const struct component *c, real want, enum dtype d, int number)
{
	struct form *f = t->f;
	if (mpfr_regular_p(want) && mpfr_get_exp(want) < FORM_ZERO)
		want = r_num(f, 0);

	t->tally->components++;
	if (c->reason == REASON_ILL_CONDITIONED && low_precision(f)) {
		t->tally->undecided++;
		return;
	}
	if (c->reason != REASON_NONE) {
		BREACH(t, "component %d is undecided: %s", number, reason_names[c->reason]);
		return;
	}
	const bool excused = !c->in_domain || c->escapes,
	           expected = f->nan_from && request_order(t->c.transform, t->c.n_transform) >= f->nan_from;
	if (excused != expected)
		BREACH(t, "component %d: a NaN in its place is %s finding", number, excused ? "no" : "a");
	int bits = bits_of_agreement(f, c, want);
	double nearest = distance_to_values(f, want, d);
	if (bits < t->tally->bits)
		t->tally->bits = bits;
	if (c->magnitude > 0)
		t->tally->widest = fmax(t->tally->widest, c->tight / (c->magnitude * dtype_table[d].unit));
	if (bits < BITS_LEAST)
		BREACH(t, "component %d is %.17g, by the formula %.17g: %d bits", number, c->value,
		    mpfr_get_d(want, MPFR_RNDN), bits);
	/* Double rounding may cost a tiny amount. */
	if (!(c->tight >= nearest * (1 - 0x1p-40)) || !(c->loose >= c->tight))
		BREACH(t, "component %d is %.17g: radius %.3g (loose %.3g), but the nearest %s is %.3g away", number,
		    c->value, c->tight, c->loose, dtype_table[d].name, nearest);
}

/* Integers have no derivative: it must be 0. */
static void judge_derivatives(
    struct form_trial *t, const struct truth_point *p, const struct truth_tensor *derivative, const real *want)
{
	int number = 0;

	for (int k = 0; k < p->n_derivative; k++) {
		const struct truth_tensor *d = &derivative[k];

		for (int e = 0; e < shape_elements(&d->type.shape); e++) {
			if (dtype_is_float(d->type.dtype))
				judge_component(t, &d->at[e], want[number], d->type.dtype, number), number++;
			else if (d->at[e].value != 0 || d->at[e].reason)
				BREACH(t, "the derivative of an integer is %g", d->at[e].value);
		}
	}
}

static void judge_finite_differences(struct form_trial *t, const struct fd_evidence *fd, const char *along)
{
	if (fd->outcome == FD_AGREES) {
		t->tally->agree++;
		return;
	}
	if (fd->outcome == FD_NOT_RUN && low_precision(t->f)) /* nothing is decided */
		return;
	if (fd->outcome == FD_DISAGREES || t->family->kind != EDGE)
		BREACH(t, "finite differences along %s: %s%s", along,
		    fd->outcome == FD_DISAGREES     ? "disagree"
		        : fd->outcome == FD_NOT_RUN ? "not run"
		                                    : "abstain: ",
		    reason_names[fd->reason]);
	t->tally->abstain += fd->outcome == FD_ABSTAINS;
}

/* Whether derivatives agree with the formula to a few bits.  This tells which alternative a convention is. */
static bool resembles(
    struct form *f, const struct truth_point *p, const struct truth_tensor *derivative, const real *want)
{
	int number = 0;

	for (int k = 0; k < p->n_derivative; k++)
		for (int e = 0;
		     dtype_is_float(derivative[k].type.dtype) && e < shape_elements(&derivative[k].type.shape); e++)
			if (derivative[k].at[e].reason ||
			    bits_of_agreement(f, &derivative[k].at[e], want[number++]) < 16)
				return false;
	return true;
}

/* ---- outside of all mixtures ---- */

/* One float element of the derivatives. */
struct place {
	int which, element;
};

static struct place place_of(const struct truth_point *p, int number)
{
	struct place at = {0, number};

	for (; at.which < p->n_derivative; at.which++) {
		const struct type *type = &p->derivative[0][at.which].type;
		const int n = dtype_is_float(type->dtype) ? shape_elements(&type->shape) : 0;

		if (at.element < n)
			break;
		at.element -= n;
	}
	return at;
}

static void judge_outside(struct form_trial *t, const struct truth *truth, struct answer *answer, const char *what)
{
	struct judgement j;

	judge(&t->c, truth, answer, &j);
	if (j.verdict != VERDICT_WRONG)
		BREACH(t, "%s is %s", what, verdict_names[j.verdict]);
}

/*
 * Mixtures of the alternatives lie in their convex hull.  So an answer is wrong that has one number beyond all
 * alternatives.  If all alternatives have the same sum, each mixture has it; so an answer with the largest number
 * everywhere is wrong too, where another number is possible.
 */
static void judge_mixtures(struct form_trial *t, const struct truth *truth)
{
	const struct truth_point *p = &truth->point[0];
	struct form *f = t->f;
	struct answer right = radii_right_answer(p, f->arena), all = radii_right_answer(p, f->arena);
	const real *want[FORM_ALTERNATIVES];
	double sum[FORM_ALTERNATIVES] = {0}, excess = 0;
	bool same = true;

	for (int k = 0; k < f->n_alternative; k++)
		want[k] = form_wanted(f, &t->c, k);
	for (int i = 0; i < f->n_x; i++) {
		const struct place at = place_of(p, i);
		double *number = &right.derivative[at.which].at[at.element].f, before = *number, low = INFINITY,
		       high = -INFINITY;

		for (int k = 0; k < f->n_alternative; k++) {
			const double x = mpfr_get_d(want[k][i], MPFR_RNDN);

			sum[k] += x;
			low = fmin(low, x);
			high = fmax(high, x);
		}
		excess += high;
		all.derivative[at.which].at[at.element].f = high;
		for (int side = 0; side < 2 && high > low; side++) {
			*number = side ? high + (high - low) / 8 : low - (high - low) / 8;
			judge_outside(t, truth, &right, "a number outside of all conventions");
		}
		*number = before;
	}
	for (int k = 1; k < f->n_alternative; k++)
		same = same && fabs(sum[k] - sum[0]) <= fabs(sum[0]) / 64;
	if (same && excess - sum[0] > fabs(sum[0]) / 8)
		judge_outside(t, truth, &all, "the sum of several conventions");
}

/* Every assignment of the truth must be an alternative, and every alternative an assignment.  Two alternatives may have
 * the same numbers. */
static void judge_tie(struct form_trial *t, const struct truth_point *p)
{
	bool reached[FORM_ALTERNATIVES] = {false};

	if (!p->kink)
		BREACH(t, "the truth knows of no tie");
	for (int s = 0; s < p->n_assignment; s++) {
		int which = -1;

		for (int k = 0; k < t->f->n_alternative; k++)
			if (resembles(t->f, p, p->derivative[s], form_wanted(t->f, &t->c, k))) {
				reached[k] = true;
				which = k;
			}
		if (which < 0)
			BREACH(
			    t, "convention %d of the truth is none of the %d that there are", s, t->f->n_alternative);
		else
			judge_derivatives(t, p, p->derivative[s], form_wanted(t->f, &t->c, which));
	}
	for (int k = 0; k < t->f->n_alternative; k++)
		if (!reached[k])
			BREACH(t, "the truth lacks convention %d of %d", k, t->f->n_alternative);
}

/* Neither side of the point shows the derivative of its path. */
static void judge_edge(struct form_trial *t, const struct truth_point *p)
{
	for (int k = 0; k < p->n_derivative; k++)
		for (int e = 0; e < shape_elements(&p->derivative[0][k].type.shape); e++)
			if (strcmp(reason_names[p->derivative[0][k].at[e].reason], t->f->undecided))
				BREACH(t, "component %d is undecided(%s), not undecided(%s)", e,
				    reason_names[p->derivative[0][k].at[e].reason], t->f->undecided);
}

static void judge_case(struct form_trial *t)
{
	struct error e = {0};
	struct truth truth;

	t->tally->cases++;
	if (!testcase_check(&t->c, &e)) {
		BREACH(t, "not a case: %s: %s", e.place, e.text);
		return;
	}
	oracle_truth(t->oracle, &t->c, t->f->arena, &truth);
	const struct truth_point *p = &truth.point[0];
	if (t->family->kind == TIE) {
		judge_tie(t, p);
		judge_mixtures(t, &truth);
		return;
	}
	if (t->family->kind == EDGE) {
		if (!audit_options_of(t->audit)->glance) /* only finite differences can tell */
			judge_edge(t, p);
		return;
	}
	judge_derivatives(t, p, p->derivative[0], form_wanted(t->f, &t->c, 0));
	if (p->n_assignment != 1)
		BREACH(t, "the truth knows of %d conventions", p->n_assignment);
	if (audit_options_of(t->audit)->glance)
		return;
	judge_finite_differences(t, &p->fd, "a direction");
	oracle_confirm(t->oracle, &t->c, t->f->arena, &truth);
	judge_finite_differences(t, &p->fd, "coordinates");
}

/* ---- a family ---- */

static enum dtype drawn_dtype(struct choice *choice, enum form_dtypes which)
{
	static const enum dtype wide[] = {DTYPE_F64, DTYPE_F64, DTYPE_F32},
	                        any[] = {DTYPE_F64, DTYPE_F32, DTYPE_BF16, DTYPE_F16};

	return which == WIDE ? wide[choice_below(choice, 3)] : any[choice_below(choice, 4)];
}

/* Draws one member and makes every request that its derivatives answer. */
static void judge_member(struct audit *self, struct oracle *oracle, const struct form_family *family,
    struct choice *choice, struct arena *a, struct form_tally *tally)
{
	struct form f = {.arena = a, .choice = choice, .dtype = drawn_dtype(choice, family->dtypes)};

	build_begin(&f.b, a);
	family->draw(&f);
	struct program p = build_end(&f.b, &f.result, 1);
	for (int k = 0; k < STACKS; k++) {
		struct form_trial t = {.audit = self, .oracle = oracle, .family = family, .f = &f, .tally = tally};

		if (!applies(&stacks[k], family, &f))
			continue;
		t.c = form_case(&f, &p, stacks[k].kind, stacks[k].n);
		judge_case(&t);
	}
}

static void put_family(struct audit *self, const struct form_family *family, const struct form_tally *t)
{
	struct json_writer *w = audit_json(self);

	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "family", family->name);
	json_member_string(w, "meaning", family->meaning);
	json_member_integer(w, "cases", t->cases);
	json_member_integer(w, "components", t->components);
	json_member_integer(w, "undecided", t->undecided);
	json_member_integer(w, "bits", t->bits);
	json_member_decimal(w, "widest_radius", t->widest);
	json_member_integer(w, "fd_agree", t->agree);
	json_member_integer(w, "fd_abstain", t->abstain);
	json_end(w);
	audit_line(self, family->name,
	    "%5lld cases %6lld components %4lld undecided  %3d bits  radius <= %-9.4g fd %lld agree %lld abstain",
	    (long long)t->cases, (long long)t->components, (long long)t->undecided, t->bits, t->widest,
	    (long long)t->agree, (long long)t->abstain);
}

/* A member depends on its family's name and its number.  Adding or leaving out others changes nothing. */
static uint64_t seed_of(const struct form_family *family, uint64_t seed, int draw)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (const char *c = family->name; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 1099511628211u;
	return seed_mix(seed_mix(seed, hash), (uint64_t)draw);
}

/* False when there is no time for more. */
static bool judge_family(
    struct audit *self, struct oracle *oracle, const struct form_family *family, int64_t done, struct arena *a)
{
	const struct audit_options *o = audit_options_of(self);
	struct form_tally tally = {.bits = BITS_MOST};

	for (int draw = 0; draw < o->draws && audit_goes_on(self, done, FAMILIES); draw++) {
		struct choice choice = choice_seeded(seed_of(family, o->seed, draw));

		arena_reset(a);
		judge_member(self, oracle, family, &choice, a, &tally);
	}
	put_family(self, family, &tally);
	return tally.cases > 0;
}

void audit_closed_forms(struct audit *self)
{
	const struct audit_options *o = audit_options_of(self);
	struct oracle_options options = audit_oracle_options(self, o->glance ? INT_MAX : 1);
	struct oracle *oracle = oracle_open(&options);
	struct arena a;

	/* No recovery from a full arena: members are small, so a full arena is a mistake in the family. */
	arena_init(&a, CASE_ARENA);
	json_member_array(audit_json(self), "families", JSON_BLOCK);
	bool more = true;
	for (int k = 0; k < FAMILIES && more; k++)
		if (!o->only || strstr(families[k].name, o->only))
			more = judge_family(self, oracle, &families[k], k, &a);
	json_end(audit_json(self));
	arena_free(&a);
	oracle_close(oracle);
}

/*
 * audit_closed_forms.c: the truth of programs whose derivatives are known by a formula (closed_form.h).
 *
 * Of every component: it is decided; value + low is the formula's to 90 bits; the radius reaches the nearest value of the dtype, for no
 * engine can return another; and finite differences agree.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "../oracles/scalar_ops.h"
#include "audit.h"
#include "campaign.h"
#include "closed_form.h"

/* Bits of the sum of the path magnitudes that value + low must have, and that are no longer told apart. */
enum { BITS_LEAST = 90, BITS_MOST = 104 };
/* Bits that a formula may lose to its own rounding: what is smaller than 2^FORM_ZERO is a 0, for all that is drawn is of moderate size. */
enum { FORM_SLACK = 64, FORM_ZERO = FORM_SLACK - FORM_PRECISION };

enum form_kind {
	SMOOTH, /* finite differences agree */
	ONE_SIDED, /* the same, but of order 1 alone: directions of several signs leave no side on the path */
	EDGE,   /* they find that nothing can be decided */
	TIE     /* the truth has as many conventions as the form has alternatives */
};
/* Which dtypes are drawn: WIDE f64 and f32, ANY_FLOAT bf16 and f16 too, whose components need not be decided: 1/64 is a few of their units. */
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

/* The requests that a form is asked: the first two of every form, the next where the second derivative is stated ... */
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
enum { STACKS = sizeof stacks / sizeof *stacks, SLICES = 2 };

struct tally {
	int64_t cases, components;
	int bits; /* fewest that agree */
	double widest; /* radius in unit roundoffs of the sum of the path magnitudes */
	int64_t undecided; /* in dtypes of low precision */
	int64_t agree, abstain;
};

/* A case of a form. */
struct trial {
	struct audit *audit;
	struct oracle *oracle;
	const struct form_family *family;
	struct form *f;
	struct testcase c;
	struct tally *tally;
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

/* ---- the request ---- */

static struct tensor drawn_seed(struct form *f, const struct type *type)
{
	struct tensor t = tensor_new(f->arena, type);

	for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape); e++)
		t.at[e].f = form_between(f, 1, 12) / (form_coin(f) ? 8.0 : -8.0);
	return t;
}

static struct transform drawn_transform(struct form *f, enum transform_kind kind, const struct signature *s)
{
	struct transform t = {.kind = kind, .n_wrt = kind == TRANSFORM_BATCH ? 1 : f->n_input, .size = kind == TRANSFORM_BATCH ? SLICES : 0};
	struct type type[LIMIT_ARGS];

	t.wrt = NEW(f->arena, int, t.n_wrt);
	for (int i = 0; i < t.n_wrt; i++)
		t.wrt[i] = i;
	t.n_seed = request_seeds(s, &t, type);
	t.seed = NEW(f->arena, struct tensor, t.n_seed);
	for (int i = 0; i < t.n_seed; i++)
		t.seed[i] = drawn_seed(f, &type[i]);
	return t;
}

/* The point with every slice of the first input the same. */
static struct tensor *batched_point(struct form *f)
{
	struct tensor *point = NEW(f->arena, struct tensor, f->n_input);

	memcpy(point, f->point, (size_t)f->n_input * sizeof *point);
	struct type type = point[0].type;
	int n = shape_elements(&type.shape);
	(void)shape_stack(&type.shape, SLICES); /* forms are small */
	point[0] = tensor_new(f->arena, &type);
	for (int e = 0; e < SLICES * n; e++)
		point[0].at[e] = f->point[0].at[e % n];
	return point;
}

static struct testcase make_case(struct form *f, const struct program *p, const struct stack_row *s)
{
	struct testcase c = {.program = *p, .n_point = 1, .n_transform = s->n};
	struct signature level = request_base(p);
	struct error e = {0};

	c.transform = NEW(f->arena, struct transform, s->n);
	c.point = NEW(f->arena, struct tensor *, 1);
	c.point[0] = s->kind[0] == TRANSFORM_BATCH ? batched_point(f) : f->point;
	for (int k = 0; k < s->n; k++) {
		c.transform[k] = drawn_transform(f, s->kind[k], &level);
		(void)request_apply(&level, &c.transform[k], &e);
	}
	return c;
}

/* ---- what the formula says of a request ---- */

static real at(real number, struct form *f) { return number ? number : r_num(f, 0); }

/* Seeds of a transform as numbers, by float element; slices first where there are some. */
static const real *seeds_of(struct form *f, const struct transform *t)
{
	int n = 0, room = 0;

	for (int i = 0; i < t->n_seed; i++)
		room += shape_elements(&t->seed[i].type.shape);
	real *out = NEW(f->arena, real, room + 1);
	for (int i = 0; i < t->n_seed; i++)
		for (int e = 0; dtype_is_float(t->seed[i].type.dtype) && e < shape_elements(&t->seed[i].type.shape); e++)
			out[n++] = r_num(f, t->seed[i].at[e].f);
	return out;
}

/* sum over k of w_k dy_k/dx_i */
static real pulled(struct form *f, const real *jacobian, const real *w, int i)
{
	real sum = r_num(f, 0);

	for (int k = 0; k < f->n_y; k++)
		sum = r_add(f, sum, r_mul(f, w[k], at(jacobian[k * f->n_x + i], f)));
	return sum;
}

static real pushed(struct form *f, const real *jacobian, const real *v, int k)
{
	real sum = r_num(f, 0);

	for (int i = 0; i < f->n_x; i++)
		sum = r_add(f, sum, r_mul(f, v[i], at(jacobian[k * f->n_x + i], f)));
	return sum;
}

/* The Jacobian of x -> (directional derivatives of y along v): sum over j of v_j d2 y_k/dx_i dx_j. */
static real *moved_jacobian(struct form *f, const real *v)
{
	real *out = NEW(f->arena, real, f->n_y * f->n_x);

	for (int k = 0; k < f->n_y * f->n_x; k++)
		out[k] = pushed(f, f->hessian, v, k);
	return out;
}

/* One level of order 2: the rows are those of the Jacobian along v, contracted with what is left. */
static void want_second(struct trial *t, const real *a, const real *b, real *want)
{
	struct form *f = t->f;
	enum transform_kind inner = t->c.transform[0].kind, outer = t->c.transform[1].kind;
	/* Of two vjps the second contracts the cotangents of the first. */
	bool along_b = inner == TRANSFORM_VJP;
	const real *jacobian = moved_jacobian(f, along_b ? b : a);

	if (inner == TRANSFORM_JVP && outer == TRANSFORM_JVP)
		for (int k = 0; k < f->n_y; k++)
			want[k] = pushed(f, jacobian, b, k);
	else
		for (int i = 0; i < f->n_x; i++)
			want[i] = pulled(f, jacobian, along_b ? a : b, i);
}

/* Of one x and one y: the third derivative times all seeds. */
static real want_third(struct trial *t, const real *const seed[])
{
	return r_mul(t->f, t->f->third, r_mul(t->f, r_mul(t->f, seed[0][0], seed[1][0]), seed[2][0]));
}

/* A batch over the first input, the cotangents by slices: the other inputs have the sum over the slices. */
static void want_batch(struct trial *t, const real *w, real *want)
{
	struct form *f = t->f;
	int own = shape_elements(&f->point[0].type.shape), n = 0;

	for (int slice_ = 0; slice_ < SLICES; slice_++)
		for (int i = 0; i < own; i++)
			want[n++] = pulled(f, f->jacobian[0], w + slice_ * f->n_y, i);
	for (int i = own; i < f->n_x; i++) {
		want[n] = r_num(f, 0);
		for (int slice_ = 0; slice_ < SLICES; slice_++)
			want[n] = r_add(f, want[n], pulled(f, f->jacobian[0], w + slice_ * f->n_y, i));
		n++;
	}
}

/* The derivative that the request asks for, by the formula; float elements in order. */
static const real *wanted_of(struct trial *t, int alternative)
{
	struct form *f = t->f;
	real *want = NEW(f->arena, real, SLICES * (f->n_x + f->n_y));
	const real *seed[3];

	for (int k = 0; k < t->c.n_transform; k++)
		seed[k] = seeds_of(f, &t->c.transform[k]);
	if (t->c.transform[0].kind == TRANSFORM_BATCH)
		want_batch(t, seed[1], want);
	else if (t->c.n_transform == 3)
		want[0] = want_third(t, seed);
	else if (t->c.n_transform == 2)
		want_second(t, seed[0], seed[1], want);
	else if (t->c.transform[0].kind == TRANSFORM_VJP)
		for (int i = 0; i < f->n_x; i++)
			want[i] = pulled(f, f->jacobian[alternative], seed[0], i);
	else
		for (int k = 0; k < f->n_y; k++)
			want[k] = pushed(f, f->jacobian[alternative], seed[0], k);
	return want;
}

/* ---- judging ---- */

#define BREACH(t, ...) audit_broken((t)->audit, &(t)->c, (t)->family->name, __VA_ARGS__)

/* Bits of `scale` to which the two agree. */
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

/* How far the nearest value of the dtype is; 0 where the formula's own rounding is all there is. */
static double distance_to_values(struct form *f, real want, enum dtype d)
{
	real nearest = r_num(f, dtype_round(d, mpfr_get_d(want, MPFR_RNDN)));

	double distance = fabs(mpfr_get_d(r_sub(f, want, nearest), MPFR_RNDN));

	return distance <= ldexp(fabs(mpfr_get_d(want, MPFR_RNDN)), FORM_ZERO) ? 0 : distance;
}

static bool low_precision(const struct form *f) { return dtype_table[f->dtype].precision < 24; }

static void judge_component(struct trial *t, const struct component *c, real want, enum dtype d, int number)
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
	int bits = bits_of_agreement(f, c, want);
	double nearest = distance_to_values(f, want, d);
	if (bits < t->tally->bits)
		t->tally->bits = bits;
	if (c->magnitude > 0)
		t->tally->widest = fmax(t->tally->widest, c->tight / (c->magnitude * dtype_table[d].unit));
	if (bits < BITS_LEAST)
		BREACH(t, "component %d is %.17g, by the formula %.17g: %d bits", number, c->value, mpfr_get_d(want, MPFR_RNDN), bits);
	/* In double rounding a hair may be missing. */
	if (!(c->tight >= nearest * (1 - 0x1p-40)) || !(c->loose >= c->tight))
		BREACH(t, "component %d is %.17g: radius %.3g (loose %.3g), but the nearest %s is %.3g away", number, c->value, c->tight, c->loose,
		    dtype_table[d].name, nearest);
}

/* Integers have no derivative: zeros. */
static void judge_derivatives(struct trial *t, const struct truth_point *p, const struct truth_tensor *derivative, const real *want)
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

static void judge_finite_differences(struct trial *t, const struct fd_evidence *fd, const char *along)
{
	if (fd->outcome == FD_AGREES) {
		t->tally->agree++;
		return;
	}
	if (fd->outcome == FD_NOT_RUN && low_precision(t->f)) /* nothing is decided */
		return;
	if (fd->outcome == FD_DISAGREES || t->family->kind != EDGE)
		BREACH(t, "finite differences along %s: %s%s", along,
		    fd->outcome == FD_DISAGREES ? "disagree" : fd->outcome == FD_NOT_RUN ? "not run" : "abstain: ", reason_names[fd->reason]);
	t->tally->abstain += fd->outcome == FD_ABSTAINS;
}

/* Whether derivatives agree with the formula to a few bits: which alternative a convention is. */
static bool resembles(struct form *f, const struct truth_point *p, const struct truth_tensor *derivative, const real *want)
{
	int number = 0;

	for (int k = 0; k < p->n_derivative; k++)
		for (int e = 0; dtype_is_float(derivative[k].type.dtype) && e < shape_elements(&derivative[k].type.shape); e++)
			if (derivative[k].at[e].reason || bits_of_agreement(f, &derivative[k].at[e], want[number++]) < 16)
				return false;
	return true;
}

/* Every assignment of the truth is one of the alternatives, and every alternative an assignment (some may be the same numbers). */
static void judge_tie(struct trial *t, const struct truth_point *p)
{
	bool reached[FORM_ALTERNATIVES] = {false};

	if (!p->kink)
		BREACH(t, "the truth knows of no tie");
	for (int s = 0; s < p->n_assignment; s++) {
		int which = -1;

		for (int k = 0; k < t->f->n_alternative; k++)
			if (resembles(t->f, p, p->derivative[s], wanted_of(t, k))) {
				reached[k] = true;
				which = k;
			}
		if (which < 0)
			BREACH(t, "convention %d of the truth is none of the %d that there are", s, t->f->n_alternative);
		else
			judge_derivatives(t, p, p->derivative[s], wanted_of(t, which));
	}
	for (int k = 0; k < t->f->n_alternative; k++)
		if (!reached[k])
			BREACH(t, "the truth lacks convention %d of %d", k, t->f->n_alternative);
}

/* Neither side of the point tells what its path would be. */
static void judge_edge(struct trial *t, const struct truth_point *p)
{
	for (int k = 0; k < p->n_derivative; k++)
		for (int e = 0; e < shape_elements(&p->derivative[0][k].type.shape); e++)
			if (strcmp(reason_names[p->derivative[0][k].at[e].reason], t->f->undecided))
				BREACH(t, "component %d is undecided(%s), not undecided(%s)", e, reason_names[p->derivative[0][k].at[e].reason], t->f->undecided);
}

static void judge_case(struct trial *t)
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
		return;
	}
	if (t->family->kind == EDGE) {
		judge_edge(t, p);
		return;
	}
	judge_derivatives(t, p, p->derivative[0], wanted_of(t, 0));
	if (p->n_assignment != 1)
		BREACH(t, "the truth knows of %d conventions", p->n_assignment);
	judge_finite_differences(t, &p->fd, "a direction");
	oracle_confirm(t->oracle, &t->c, t->f->arena, &truth);
	judge_finite_differences(t, &p->fd, "coordinates");
}

/* ---- a family ---- */

static enum dtype drawn_dtype(struct choice *choice, enum form_dtypes which)
{
	static const enum dtype wide[] = {DTYPE_F64, DTYPE_F64, DTYPE_F32}, any[] = {DTYPE_F64, DTYPE_F32, DTYPE_BF16, DTYPE_F16};

	return which == WIDE ? wide[choice_below(choice, 3)] : any[choice_below(choice, 4)];
}

/* Draws one member and asks it every request that its derivatives answer. */
static void judge_member(struct audit *self, struct oracle *oracle, const struct form_family *family, struct choice *choice, struct arena *a,
    struct tally *tally)
{
	struct form f = {.arena = a, .choice = choice, .dtype = drawn_dtype(choice, family->dtypes)};

	build_begin(&f.b, a);
	family->draw(&f);
	struct program p = build_end(&f.b, &f.result, 1);
	for (int k = 0; k < STACKS; k++) {
		struct trial t = {.audit = self, .oracle = oracle, .family = family, .f = &f, .tally = tally};

		if (!applies(&stacks[k], family, &f))
			continue;
		t.c = make_case(&f, &p, &stacks[k]);
		judge_case(&t);
	}
}

static void put_family(struct audit *self, const struct form_family *family, const struct tally *t)
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
	audit_line(self, family->name, "%5lld cases %6lld components %4lld undecided  %3d bits  radius <= %-9.4g fd %lld agree %lld abstain",
	    (long long)t->cases, (long long)t->components, (long long)t->undecided, t->bits, t->widest, (long long)t->agree, (long long)t->abstain);
}

/* A member is its family's name and its number: others that are left out or added change nothing. */
static uint64_t seed_of(const struct form_family *family, uint64_t seed, int draw)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (const char *c = family->name; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 1099511628211u;
	return seed_mix(seed_mix(seed, hash), (uint64_t)draw);
}

static void judge_family(struct audit *self, struct oracle *oracle, const struct form_family *family, int64_t done, struct arena *a)
{
	const struct audit_options *o = audit_options_of(self);
	struct tally tally = {.bits = BITS_MOST};

	for (int draw = 0; draw < o->draws && audit_goes_on(self, done, FAMILIES); draw++) {
		struct choice choice = choice_seeded(seed_of(family, o->seed, draw));

		arena_reset(a);
		judge_member(self, oracle, family, &choice, a, &tally);
	}
	put_family(self, family, &tally);
}

void audit_closed_forms(struct audit *self)
{
	const struct audit_options *o = audit_options_of(self);
	struct oracle_options options = audit_oracle_options(self, 1);
	struct oracle *oracle = oracle_open(&options);
	struct arena a;

	/* No recovery from a full arena: members are small, and one that fills it is a mistake of its family. */
	arena_init(&a, CASE_ARENA);
	json_put_key(audit_json(self), "families");
	json_begin_array(audit_json(self), JSON_BLOCK);
	for (int k = 0; k < FAMILIES && audit_goes_on(self, k, FAMILIES); k++)
		if (!o->only || strstr(families[k].name, o->only))
			judge_family(self, oracle, &families[k], k, &a);
	json_end(audit_json(self));
	arena_free(&a);
	oracle_close(oracle);
}

/* teeth.c: see teeth.h. */
#include "teeth.h"

#include <math.h>
#include <stdlib.h>

#include "graph/heap.h"
#include "internal.h"

const char *const plant_names[PLANT_COUNT] = {
#define PLANT(id, name, gross, meaning) [PLANT_##id] = name,
#include "plants.def"
#undef PLANT
};

static const bool is_gross[PLANT_COUNT] = {
#define PLANT(id, name, gross, meaning) [PLANT_##id] = gross,
#include "plants.def"
#undef PLANT
};

const char *const blind_names[BLIND_COUNT] = {
#define BLIND(id, name, meaning) [BLIND_##id] = name,
#include "blind_causes.def"
#undef BLIND
};

/* The float components of a point that a request asks for. */
struct field {
	const struct truth_point *t;
	const struct truth_tensor *tensor; /* [n]; at a tie: of the first assignment */
	int n;
	bool in_primal, kink;
	int which, element, at; /* the current one; at: its flattened number */
};

/* ---- walking ---- */

static bool is_float(const struct field *f) { return dtype_is_float(f->tensor[f->which].type.dtype); }

/* The component as the verdict sees it. */
static const struct component *seen(const struct field *f)
{
	const struct component *own = &f->tensor[f->which].at[f->element];

	return f->kink ? kink_weakest(f->t, f->which, f->element) : own;
}

/* The alternatives that count; NULL: none. */
static const struct alternatives *alternatives_of(const struct field *f)
{
	const struct alternatives *x = component_alternatives(seen(f));

	return x && !x->counted ? x : NULL;
}

/* Whether 0 in its place would be no finding, although it is wrong. */
static bool is_blind(const struct field *f)
{
	return !(f->kink && kink_allows_zero(f->t, f->which, f->element, f->at)) &&
	    component_is_blind(seen(f), f->tensor[f->which].type.dtype);
}

static enum reason reason_of(const struct field *f)
{
	return alternatives_of(f) ? REASON_NONE : is_blind(f) ? REASON_BLIND : seen(f)->reason;
}

static bool is_decided(const struct field *f) { return is_float(f) && reason_of(f) == REASON_NONE; }

/* Goes to the next component, after the last one to the first. False if there is none. */
static bool step(struct field *f)
{
	f->element++;
	f->at++;
	for (int k = 0; k <= f->n; k++) {
		if (f->element < shape_elements(&f->tensor[f->which].type.shape))
			return true;
		f->element = 0;
		if (++f->which == f->n)
			f->which = f->at = 0;
	}
	return false;
}

static const struct component *here(const struct field *f)
{
	const struct alternatives *x = alternatives_of(f);

	return x ? &x->at[0] : &f->tensor[f->which].at[f->element];
}

/* ---- plants ---- */

/* The value of the next decided component that differs from x by 10 % of the larger one; NaN: there is none. */
static double value_of_other(struct field f, double x)
{
	const int start = f.at;

	while (step(&f) && f.at != start) {
		const double y = here(&f)->value;

		if (is_decided(&f) && isfinite(y) && fabs(y - x) >= 0.1 * fmax(fabs(x), fabs(y)) && y != x)
			return y;
	}
	return NAN;
}

/* The number of a plant in place of x. False: it means nothing here. */
static bool number_of(enum plant plant, const struct field *f, double x, bool zero, double *out)
{
	switch (plant) {
	case PLANT_ZERO:
		*out = 0;
		return !zero;
	case PLANT_NEGATED:
		*out = -x;
		return !zero;
	case PLANT_ONE:
		*out = 1;
		return zero;
	case PLANT_OTHER:
		*out = value_of_other(*f, x);
		return !isnan(*out);
	case PLANT_NAN:
		*out = NAN;
		return true;
	case PLANT_PERCENT:
		*out = 1.01 * x;
		return !zero && isfinite(x);
	case PLANT_NANO:
		*out = (1 + 1e-9) * x;
		return !zero && isfinite(x);
	case PLANT_COUNT:
		break;
	}
	return false;
}

/* Whether the verdict about the true numbers of the first assignment, with `got` in this place, is a finding. */
static bool joint_finds(const struct field *f, double got)
{
	struct judgement judgement = {VERDICT_UNSUPPORTED};
	struct judge j = {.out = &judgement, .counts = true};
	struct answer answer = {.n_derivative = f->n, .derivative = heap_new((size_t)f->n, sizeof *answer.derivative)};

	for (int k = 0; k < f->n; k++) {
		const struct truth_tensor *t = &f->tensor[k];
		const int elements = shape_elements(&t->type.shape);

		answer.derivative[k] = (struct tensor){
		    .type = t->type, .at = heap_new((size_t)elements + 1, sizeof *answer.derivative->at)};
		for (int e = 0; e < elements && dtype_is_float(t->type.dtype); e++)
			answer.derivative[k].at[e].f = t->at[e].value;
	}
	answer.derivative[f->which].at[f->element].f = got;
	judge_conventions(&j, f->t, &answer);
	for (int k = 0; k < f->n; k++)
		free(answer.derivative[k].at);
	free(answer.derivative);
	return verdict_is_finding[judgement.verdict];
}

/* Whether the verdict about `got` in this place alone is a finding. */
static bool is_found(const struct field *f, double got)
{
	const struct truth_tensor *t = &f->tensor[f->which];
	struct judgement judgement = {VERDICT_UNSUPPORTED};
	struct judge j = {.out = &judgement, .alternative = -1, .counts = true};

	if (f->kink)
		judge_kink_component(&j, f->t, f->which, f->element, f->at, got);
	else if (f->in_primal)
		judge_float(&j, here(f), t->type.dtype, got, VERDICT_WRONG_PRIMAL);
	else
		judge_component(&j, seen(f), t->type.dtype, got);
	return verdict_is_finding[judgement.verdict];
}

static bool is_tight(const struct field *f, double got)
{
	const struct alternatives *x = alternatives_of(f);

	for (int s = 0; x && s < x->n; s++)
		if (fabs(judge_error(&x->at[s], got)) <= x->at[s].tight)
			return true;
	if (x)
		return false;
	for (int s = 0; s < (f->kink ? f->t->n_assignment : 1); s++) {
		const struct truth_tensor *t = f->kink ? f->t->derivative[s] : f->tensor;
		const struct component *c = &t[f->which].at[f->element];

		if (fabs(judge_error(c, got)) <= c->tight)
			return true;
	}
	return false;
}

/* Whether a tie gives the component several answers. */
static bool at_tie(const struct field *f)
{
	const struct hull *h = f->kink ? f->t->hull : NULL;
	const struct alternatives *x = alternatives_of(f);

	return (x && x->low < x->high) || (h && h->low[f->at] < h->high[f->at]) ||
	    (f->kink && kink_leads(f->t, f->which, f->element, f->at));
}

static enum blind_cause cause_of(const struct field *f, const struct plants *p)
{
	bool any = false, number = false, agrees = false;

	for (int k = 0; k < PLANT_COUNT; k++) {
		any |= is_gross[k] && p->blind[k];
		number |= is_gross[k] && p->blind[k] && k != PLANT_NAN;
		agrees |= is_gross[k] && p->agrees[k];
	}
	if (!any)
		return BLIND_NONE;
	if (at_tie(f))
		return BLIND_TIE;
	if (here(f)->share == INFINITY)
		return BLIND_RANGE;
	if (!number)
		return BLIND_DOMAIN;
	return agrees ? BLIND_CANCELLATION : BLIND_FORMULA;
}

static struct plants plants_of(const struct field *f, int point)
{
	const enum dtype d = f->tensor[f->which].type.dtype;
	struct plants p = {.point = point,
	    .which = f->which,
	    .element = f->element,
	    .in_primal = f->in_primal,
	    .dtype = d,
	    .component = here(f),
	    .zero = dtype_round(d, here(f)->value) == 0,
	    .undecided = reason_of(f) != REASON_NONE};

	for (int k = 0; k < PLANT_COUNT; k++) {
		double got;

		p.tried[k] = number_of((enum plant)k, f, here(f)->value, p.zero, &got);
		p.blind[k] = p.tried[k] && !is_found(f, got) && !(f->kink && joint_finds(f, got));
		p.agrees[k] = p.blind[k] && is_tight(f, got);
		p.divided[k] = p.blind[k] && here(f)->undivided > 0 &&
		    fabs(judge_error(here(f), got)) > here(f)->undivided;
	}
	p.cause = cause_of(f, &p);
	return p;
}

/* Calls one(context, f, point) for each component that the request asks for. */
typedef void field_fn(void *context, const struct field *f, int point);

static void field_each(const struct testcase *c, const struct truth *t, field_fn *one, void *context)
{
	const bool primal = !request_order(c->transform, c->n_transform);

	for (int point = 0; point < t->n_point; point++) {
		const struct truth_point *p = &t->point[point];
		struct field f = {.t = p,
		    .tensor = primal      ? p->primal
		        : p->n_derivative ? p->derivative[0]
		                          : NULL,
		    .n = primal ? p->n_primal : p->n_derivative,
		    .in_primal = primal,
		    .kink = !primal && truth_has_conventions(p),
		    .element = -1,
		    .at = -1};

		if (!f.n || !step(&f))
			continue;
		do {
			one(context, &f, point);
			step(&f);
		} while (f.at);
	}
}

struct each {
	plants_fn *plants;
	bite_fn *bite;
	void *context;
};

/* Alternatives that let a grossly wrong number through say nothing: the component counts as undecided. */
static bool stays_undecided(const struct field *f, const struct plants *p)
{
	return alternatives_of(f) && p->cause != BLIND_NONE;
}

static void one_decided(void *context, const struct field *f, int point)
{
	const struct each *x = context;

	if (is_decided(f) || (is_float(f) && reason_of(f) == REASON_BLIND)) {
		const struct plants plants = plants_of(f, point);

		if (!stays_undecided(f, &plants))
			x->plants(x->context, &plants);
	}
}

void teeth_each(const struct testcase *c, const struct truth *t, plants_fn *one, void *context)
{
	field_each(c, t, one_decided, &(struct each){.plants = one, .context = context});
}

static void one_bite(void *context, const struct field *f, int point)
{
	const struct each *x = context;
	struct bite b = {.dtype = f->tensor[f->which].type.dtype};
	struct plants plants;

	if (!is_float(f))
		return;
	b.reason = reason_of(f);
	b.decided = b.reason == REASON_NONE;
	if (b.decided) {
		plants = plants_of(f, point);
		b.decided = !stays_undecided(f, &plants);
	}
	if (b.reason == REASON_NONE && !b.decided)
		b.reason = seen(f)->reason;
	if (b.decided) {
		b.plants = &plants;
		b.cause = plants.cause;
		b.teeth = plants.cause == BLIND_NONE;
	}
	x->bite(x->context, &b);
}

void bite_each(const struct testcase *c, const struct truth *t, bite_fn *one, void *context)
{
	field_each(c, t, one_bite, &(struct each){.bite = one, .context = context});
}

/* ---- counting ---- */

void teeth_count(struct teeth_tally *to, const struct plants *p)
{
	to->components++;
	to->with_teeth += p->cause == BLIND_NONE;
	to->zeros += p->zero;
	to->unbounded += p->component->loose == INFINITY;
	for (int k = 0; k < PLANT_COUNT; k++) {
		to->tried[k] += p->tried[k];
		to->blind[k] += p->blind[k];
		to->agrees[k] += p->agrees[k];
	}
}

void teeth_add(struct teeth_tally *to, const struct teeth_tally *from)
{
	to->components += from->components;
	to->with_teeth += from->with_teeth;
	to->zeros += from->zeros;
	to->unbounded += from->unbounded;
	for (int k = 0; k < PLANT_COUNT; k++) {
		to->tried[k] += from->tried[k];
		to->blind[k] += from->blind[k];
		to->agrees[k] += from->agrees[k];
	}
}

static void count_by_dtype(void *context, const struct plants *p)
{
	struct teeth *x = context;

	if (!p->undecided)
		teeth_count(&x->of[p->dtype], p);
}

struct teeth teeth_of(const struct testcase *c, const struct truth *t)
{
	struct teeth out = {0};

	teeth_each(c, t, count_by_dtype, &out);
	return out;
}

struct teeth_tally teeth_sum(const struct teeth *x)
{
	struct teeth_tally sum = {0};

	for (int d = 0; d < DTYPE_COUNT; d++)
		teeth_add(&sum, &x->of[d]);
	return sum;
}

void teeth_put(const struct teeth_tally *t, struct json_writer *w)
{
	json_member_integer(w, "components", t->components);
	json_member_integer(w, "with_teeth", t->with_teeth);
	json_member_integer(w, "zeros", t->zeros);
	json_member_integer(w, "unbounded", t->unbounded);
	json_member_array(w, "plants", JSON_BLOCK);
	for (int k = 0; k < PLANT_COUNT; k++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "plant", plant_names[k]);
		json_member_integer(w, "tried", t->tried[k]);
		json_member_integer(w, "no_finding", t->blind[k]);
		json_member_integer(w, "agrees", t->agrees[k]);
		json_end(w);
	}
	json_end(w);
}

bool teeth_any(const struct teeth *x) { return teeth_sum(x).with_teeth > 0; }

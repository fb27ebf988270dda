/* twin.c: see twin.h. */
#include "twin.h"

#include <math.h>

#include "case_work.h"
#include "fuzz/edit/edit.h"
#include "fuzz/generate/choice.h"
#include "graph/random.h"

const char *const twin_names[TWIN_COUNT] = {
#define TWIN(id, name, work, bare, meaning) [TWIN_##id] = name,
#include "twins.def"
#undef TWIN
};

static const struct {
	double work;
	bool bare;
} kinds[TWIN_COUNT] = {
#define TWIN(id, name, work, bare, meaning) [TWIN_##id] = {work, bare},
#include "twins.def"
#undef TWIN
};

/* ---- which twin helps ---- */

/*
 * By reason, for each kind of twin: the chance that a component has teeth in it, in percent; 0: no such twin is made.
 * Measured on 120,000 cases of frozen-2, rounded; those of causes that hardly occur are guesses.  An edge is left by
 * a small step.  Where the program itself is ill-conditioned or leaves a range, only another region of the inputs or
 * more digits help.  Nothing helps where the truth is too dear, or where there is nothing to compare.
 */
#define CHANCES(moved, ordinary, wide, inside, small, above) \
	{ \
		[TWIN_MOVED] = (moved), [TWIN_ORDINARY] = (ordinary), [TWIN_WIDE] = (wide), [TWIN_INSIDE] = (inside), \
		[TWIN_SMALL] = (small), [TWIN_ABOVE] = (above) \
	}
static const double chances_for_reason[REASON_COUNT][TWIN_COUNT] = {
    [REASON_UNSTABLE_PATH] = CHANCES(0, 17, 40, 5, 6, 0),
    [REASON_ILL_CONDITIONED] = CHANCES(0, 14, 84, 0, 0, 0),
    [REASON_JUMP] = CHANCES(96, 0, 0, 0, 0, 0),
    [REASON_ISOLATED_PATH] = CHANCES(87, 0, 0, 40, 0, 0),
    [REASON_OVERFLOW] = CHANCES(0, 41, 6, 0, 9, 0),
    [REASON_NON_FINITE] = CHANCES(0, 34, 0, 25, 8, 22),
    [REASON_CONVERGENCE] = CHANCES(0, 16, 40, 9, 0, 0),
    [REASON_CONVENTION] = CHANCES(58, 0, 0, 11, 5, 0),
    [REASON_CUSTOM_RULE] = CHANCES(0, 20, 0, 15, 11, 15),
    [REASON_BLIND] = CHANCES(0, 59, 54, 0, 24, 0),
    [REASON_RANGE] = CHANCES(0, 53, 53, 0, 13, 0)};

static const double chances_for_cause[BLIND_COUNT][TWIN_COUNT] = {[BLIND_TIE] = CHANCES(82, 0, 0, 19, 0, 0),
    [BLIND_RANGE] = CHANCES(0, 27, 9, 17, 8, 0),
    [BLIND_DOMAIN] = CHANCES(0, 27, 0, 44, 7, 10),
    [BLIND_CANCELLATION] = CHANCES(0, 37, 77, 0, 0, 0),
    [BLIND_FORMULA] = CHANCES(0, 33, 95, 0, 0, 0)};

double twin_chance(enum twin kind, int why)
{
	return (why < REASON_COUNT ? chances_for_reason[why] : chances_for_cause[why - REASON_COUNT])[kind] / 100;
}

static double chance(enum twin kind, const struct twin_component *x)
{
	return x->teeth ? 0 : twin_chance(kind, x->why);
}

const char *twin_why_name(int why) { return why < REASON_COUNT ? reason_names[why] : blind_names[why - REASON_COUNT]; }

static bool no_teeth(const struct twin_components *x)
{
	for (int k = 0; k < x->n; k++)
		if (x->at[k].teeth || x->at[k].wide)
			return false;
	return true;
}

bool twin_helps(enum twin kind, const struct twin_components *x)
{
	bool any = false;

	for (int k = 0; k < x->n; k++)
		any = any || chance(kind, &x->at[k]) > 0;
	return any && (!kinds[kind].bare || no_teeth(x));
}

/* The upper 53 bits of a hash of the case, as a number in [0, 1). */
static double draw(const struct testcase *c) { return ldexp((double)(random_mix(testcase_hash(c)) >> 11), -53); }

bool twin_affordable(const struct testcase *c, enum twin kind, const struct twin_components *x, int64_t work)
{
	const double cost = (double)work + TWIN_ENGINES * (double)case_work(c);
	const int whole = x->n < TWIN_WHOLE ? x->n : TWIN_WHOLE;
	double gain = 0;

	for (int k = 0; k < x->n; k++)
		gain += chance(kind, &x->at[k]);
	if (no_teeth(x))
		gain *= TWIN_BARE;
	return draw(c) < pow(gain * kinds[kind].work / (cost * whole), 4);
}

enum dtype twin_widest(const struct bench *b)
{
	enum dtype widest = DTYPE_COUNT;

	for (int d = 0; d < DTYPE_COUNT; d++) {
		bool all = b->n_engine > 0 && dtype_is_float((enum dtype)d);

		for (int k = 0; k < b->n_engine && all; k++)
			all = engine_scope(b->engine[k]).dtype[d];
		if (all && (widest == DTYPE_COUNT || dtype_table[d].precision > dtype_table[widest].precision))
			widest = (enum dtype)d;
	}
	return widest;
}

/* ---- other points ---- */

/* The distance of a moved input, in thousandths of its size.  The last bit of bf16 is 4 to 8 of them. */
enum { NEAREST = 20, FARTHEST = 60 };
/*
 * Where the inputs of a twin lie, by kind: the sizes in thousandths, and whether a number keeps its sign.  Ordinary
 * numbers are apart from 0, and on both sides of 1.  All numbers inside are in the domains of log, sqrt and asin, and
 * all above in that of acosh.  Functions that saturate or overflow do neither at small numbers.
 */
static const struct input_range {
	int smallest, largest;
	bool signs;
} input_ranges[TWIN_COUNT] = {[TWIN_ORDINARY] = {300, 1300, true},
    [TWIN_INSIDE] = {350, 950, false},
    [TWIN_SMALL] = {4, 60, true},
    [TWIN_ABOVE] = {1050, 2500, false}};

/* What the floats of an input are like. */
struct input_facts {
	enum dtype dtype;
	double size; /* what a zero is compared with: the largest number if it is below 1, else 1 */
	bool negative;
};

static struct input_facts facts_of(const struct tensor *t)
{
	struct input_facts f = {.dtype = t->type.dtype};

	for (int i = 0, n = shape_elements(&t->type.shape); i < n; i++) {
		f.size = isfinite(t->at[i].f) ? fmax(f.size, fabs(t->at[i].f)) : f.size;
		f.negative = f.negative || t->at[i].f < 0;
	}
	f.size = f.size > 0 && f.size < 1 ? f.size : 1;
	return f;
}

/* Zeros move to the side where the other numbers are, so that they stay in a domain that holds these. */
static double moved(double x, const struct input_facts *f, struct choice *choice)
{
	const double step = (double)choice_between(choice, NEAREST, FARTHEST) / 1000;
	const bool down = choice_percent(choice, 50);
	double y;

	if (!isfinite(x))
		x = x < 0 ? -1 : 1;
	if (x == 0)
		return dtype_round(f->dtype, (down && f->negative ? -step : step) * f->size);
	y = dtype_round(f->dtype, x * (1 + (down ? -step : step)));
	return isfinite(y) ? y : dtype_round(f->dtype, x * (1 - step));
}

static double within(const struct input_range *r, double x, const struct input_facts *f, struct choice *choice)
{
	const double y = (double)choice_between(choice, r->smallest, r->largest) / 1000;
	const bool down = choice_percent(choice, 50);

	return dtype_round(f->dtype, r->signs && (x < 0 || (x == 0 && f->negative && down)) ? -y : y);
}

/* Integers stay: they are indices and trip counts.  False: there is no float input. */
static bool other_points(struct testcase *c, enum twin kind)
{
	struct choice choice = choice_seeded(testcase_hash(c));
	bool any = false;

	for (int p = 0; p < c->n_point; p++)
		for (int i = 0; i < c->program.top.n_param; i++) {
			struct tensor *t = &c->point[p][i];
			const int n = dtype_is_float(t->type.dtype) ? shape_elements(&t->type.shape) : 0;
			const struct input_facts f = n ? facts_of(t) : (struct input_facts){0};

			for (int k = 0; k < n; k++)
				t->at[k].f = kind == TWIN_MOVED ? moved(t->at[k].f, &f, &choice)
				                                : within(&input_ranges[kind], t->at[k].f, &f, &choice);
			any = any || n;
		}
	return any;
}

/* ---- a wider dtype ---- */

/* Whether some float of the program is narrower than d, and none is wider. */
static bool is_wider(enum dtype d, const struct program *p)
{
	bool any = false;

	for (int v = 0; v < p->n_value; v++) {
		const enum dtype own = p->type[v].dtype;

		if (!dtype_is_float(own))
			continue;
		if (dtype_table[own].precision > dtype_table[d].precision)
			return false;
		any = any || dtype_table[own].precision < dtype_table[d].precision;
	}
	return any;
}

bool twin_make(const struct testcase *c, enum twin kind, enum dtype wide, struct arena *a, struct testcase *out)
{
	const struct testcase *other;

	switch (kind) {
	case TWIN_MOVED:
	case TWIN_ORDINARY:
	case TWIN_INSIDE:
	case TWIN_SMALL:
	case TWIN_ABOVE:
		*out = testcase_copy(c, a);
		out->n_expect = 0;
		out->provenance = (struct provenance){0};
		return other_points(out, kind);
	case TWIN_WIDE:
		other = wide < DTYPE_COUNT && is_wider(wide, &c->program) ? edit_in_dtype(a, c, wide) : NULL;
		if (!other)
			return false;
		*out = *other;
		out->provenance = (struct provenance){0};
		return true;
	case TWIN_COUNT:
		break;
	}
	return false;
}

/* ---- what twins say ---- */

struct component_list {
	struct twin_components *x;
	struct teeth *teeth;
	struct arena *a;
};

static void list_component(void *context, const struct bite *b)
{
	const struct component_list *l = context;
	struct twin_components *x = l->x;

	if (b->plants)
		teeth_count(&l->teeth->of[b->dtype], b->plants);
	GROW(l->a, x->at, &x->room, x->n + 1);
	x->at[x->n++] = (struct twin_component){
	    .dtype = b->dtype, .teeth = b->teeth, .why = b->decided ? REASON_COUNT + (int)b->cause : (int)b->reason};
}

struct twin_components twin_components_of(
    const struct testcase *c, const struct truth *t, struct arena *a, struct teeth *teeth)
{
	struct twin_components x = {0};

	*teeth = (struct teeth){0};
	bite_each(c, t, list_component, &(struct component_list){&x, teeth, a});
	return x;
}

struct noting {
	enum twin kind;
	int k;
	struct twin_components *x;
	struct twin_tally *tally;
	bool gained;
};

static void note_component(void *context, const struct bite *b)
{
	struct noting *n = context;
	struct twin_component *own = &n->x->at[n->k++];
	struct twin_again *again = &n->tally->again[n->kind][own->why];

	if (own->teeth)
		return;
	again->components++;
	again->decided += b->decided;
	again->with_teeth += b->teeth;
	n->gained = n->gained || b->teeth;
	if (b->teeth)
		*(n->kind == TWIN_WIDE ? &own->wide : &own->teeth) = true;
}

bool twin_note(enum twin kind, const struct testcase *twin, const struct truth *t, struct twin_components *x,
    struct twin_tally *tally)
{
	struct noting n = {.kind = kind, .x = x, .tally = tally};

	bite_each(twin, t, note_component, &n);
	tally->made[kind]++;
	tally->judged[kind] += n.gained;
	return n.gained;
}

void twin_count(const struct twin_components *before, const struct twin_components *after, struct twin_tally *tally)
{
	bool had = false, has = false, wide = false;

	for (int k = 0; k < before->n; k++) {
		const bool own = before->at[k].teeth, any = after->at[k].teeth, in_wide = !any && after->at[k].wide;

		tally->dtype[before->at[k].dtype].components++;
		tally->dtype[before->at[k].dtype].with_teeth += own;
		tally->dtype[before->at[k].dtype].gained += any && !own;
		tally->dtype[before->at[k].dtype].wide += in_wide;
		had = had || own;
		has = has || any;
		wide = wide || in_wide;
	}
	tally->gained += has && !had;
	tally->gained_wide += wide && !has;
}

void twin_tally_add(struct twin_tally *to, const struct twin_tally *from)
{
	int64_t *sum = &to->cases;
	const int64_t *other = &from->cases;

	for (int k = 0; k < TWIN_NUMBERS; k++)
		sum[k] += other[k];
}

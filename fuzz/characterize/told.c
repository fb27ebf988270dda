/*
 * told.c: the condition that people are told.  Only variants count in which the blamed operand passes a derivative on:
 * the others pass for a plain reason.  What is found on most of them must hold for the fresh ones.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "depends.h"

enum {
	ALIKE = 12, /* thin variants alike that count */
	GUESSES = 2,
	FEWEST_PASSING = 8,
	FEWEST_FRESH = 6, /* of a kind */
	WIDER = 8,
	GAP_MOST = 100,
	FEWEST = 12 /* variants of which something can be said */
};

/* Shares of the variants. */
static const double rival_cost = 0.06, least_passing = 0.2, right_always = 0.16, fresh_enough = 0.15,
                    nearly_as_good = 0.01;

/* ---- variants that count ---- */

/* The variants in which that operand passes a derivative on; NULL: there are none. */
static const struct variant_set *variants_of(const struct explanation *x, const struct blamed *b)
{
	char name[80];

	for (int i = 0; i < x->n_role && b->role; i++)
		if (!strcmp(x->role[i], b->role))
			return &x->in_role[i];
	snprintf(name, sizeof name, "%s %s", b->value ? "runs" : "derives", op_table[b->op].name);
	for (int i = FEATURE_COUNT; i < x->n_feature; i++)
		if (!strcmp(x->name[i], name))
			return &x->has[i];
	return NULL;
}

/* A number for the sizes of the blamed ops in a variant, and for its outcome. */
static uint64_t sizes_of(const struct telling *t, int v)
{
	uint64_t hash = variant_in(&t->x->fails_plainly, v);

	for (int i = 0; i < t->x->n_measured; i++) {
		const struct measured *m = &t->x->measured[i];
		const float y = m->x[v];

		if (measure_unit(m->id) == MEASURE_UNIT_COUNT && telling_blames(t, m->op))
			hash = (hash ^ (isnan(y) ? 99991 : (uint64_t)(int64_t)y)) * UINT64_C(0x100000001b3) + 1;
	}
	return hash;
}

/* Of the thin variants that have the same sizes and the same outcome, only the first ones stay. */
static void thin_out(struct telling *t)
{
	uint64_t *hash = NEW(t->arena, uint64_t, t->x->n_variant);
	struct variant_set stay = t->among;

	for (int v = 0; v < t->x->n_variant && t->n_blamed; v++) {
		int same = 0;

		if (!variant_in(&t->among, v) || !variant_in(&t->x->thin, v))
			continue;
		hash[v] = sizes_of(t, v) | 1;
		for (int k = 0; k < v && same < ALIKE; k++)
			same += hash[k] == hash[v];
		if (same == ALIKE)
			stay.at[v / 64] &= ~((uint64_t)1 << v % 64);
	}
	t->among = stay;
}

/* Takes also the variants that run an op to blame: few of those that fail pass a derivative on, as it is where a right
 * one is 0. */
static void widen(struct telling *t)
{
	const struct explanation *x = t->x;
	struct variant_set wide = t->among;
	int failing = 0, wider = 0;
	char name[80];

	for (int i = 0; i < t->n_blamed; i++) {
		snprintf(name, sizeof name, "runs %s", op_table[t->blamed[i].op].name);
		for (int f = FEATURE_COUNT; f < x->n_feature; f++)
			for (int w = 0; w < t->words && !strcmp(x->name[f], name); w++)
				wide.at[w] |= x->has[f].at[w];
	}
	for (int v = 0; v < x->n_variant; v++) {
		const bool counts = variant_in(&x->fails_plainly, v) && !variant_in(&x->mute, v);

		failing += counts && variant_in(&t->among, v);
		wider += counts && variant_in(&wide, v);
	}
	t->widened = failing * WIDER < wider;
	if (t->widened)
		t->among = wide;
}

static void find_variants(struct telling *t)
{
	const struct explanation *x = t->x;

	t->words = (x->n_variant + 63) / 64;
	for (int i = 0; i < t->n_blamed; i++) {
		const struct variant_set *s = variants_of(x, &t->blamed[i]);

		for (int w = 0; w < t->words && s; w++)
			t->among.at[w] |= s->at[w];
	}
	for (int v = 0; v < x->n_variant && !t->n_blamed; v++)
		variant_put(&t->among, v);
	widen(t);
	for (int w = 0; w < t->words; w++)
		t->among.at[w] &= ~x->mute.at[w];
	thin_out(t);
	for (int w = 0; w < t->words; w++) {
		t->fails.at[w] = x->fails_plainly.at[w] & t->among.at[w];
		t->found_on.at[w] = t->among.at[w] & ~x->fresh.at[w] & ~x->certain.at[w];
		t->n_variant += __builtin_popcountll(t->found_on.at[w]);
		t->n_failing += __builtin_popcountll(t->fails.at[w] & t->found_on.at[w]);
	}
}

/* Failing and passing variants weigh alike together.  Returns the weight of those that pass. */
static double set_weights(struct telling *t)
{
	double sum[2] = {0};

	t->firm = FIRM;
	t->alone = ALONE;
	for (int i = 0; i < t->n_blamed; i++)
		if (t->blamed[i].op == OP_DERIVATIVE) /* what it differentiates decides, and is drawn nowhere alone */
			t->firm = t->alone = 1;
	for (int v = 0; v < t->x->n_variant; v++)
		if (variant_in(&t->found_on, v))
			sum[variant_in(&t->fails, v)] += variant_in(&t->x->alone, v) ? t->alone
			    : variant_in(&t->x->thin, v)                             ? 1
			                                                             : t->firm;
	t->weight[1] = 0.5 / sum[1];
	t->weight[0] = 0.5 / fmax(fmax(sum[0], 1), least_passing * (sum[0] + sum[1]));
	return t->weight[0] * sum[0];
}

/* ---- the result ---- */

static struct literal literal_of(const struct telling *t, const struct told_literal *l)
{
	const struct explanation *x = t->x;
	const struct measured *m = l->than;
	struct arena *a = t->arena;

	if (!m)
		return (struct literal){arena_printf(a, "%s", x->name[l->feature]),
		    arena_printf(a, "%s", x->sentence[l->feature]), l->feature, l->holds};
	return (struct literal){arena_printf(a, "measure %d of %s", (int)m->id, op_table[m->op].name),
	    measure_text(m->id, l->holds, l->threshold, op_table[m->op].name, m->name, a), -1, true};
}

static void put_terms(const struct telling *t, const struct told_condition *c, struct explained *out)
{
	out->n_term = c->n;
	out->any = c->any;
	for (int i = 0; i < c->n; i++)
		out->term[i] = literal_of(t, &t->literal[c->literal[i]]);
}

static struct rival rival_of(const struct telling *t, const struct told_condition *c)
{
	struct rival r = {.n = c->n, .any = c->any};

	for (int i = 0; i < c->n; i++) {
		const struct told_literal *l = &t->literal[c->literal[i]];

		r.term[i] = (struct rival_term){.feature = l->than ? -1 : l->feature, .holds = l->holds};
		if (l->than) {
			r.term[i].measure = l->than->id;
			r.term[i].op = l->than->op;
			r.term[i].operand = l->than->operand;
			r.term[i].threshold = l->threshold;
		}
	}
	return r;
}

/* The condition without each of its terms, and those that are nearly as good. */
static void put_rivals(const struct telling *t, const struct told_condition *c, struct explained *out)
{
	out->n_rival = 0;
	out->chosen = rival_of(t, c);
	for (int i = 0; i < c->n; i++) {
		struct rival *r = &out->rival[out->n_rival++];

		*r = out->chosen;
		r->n--;
		for (int k = i; k < r->n; k++)
			r->term[k] = r->term[k + 1];
	}
	for (int i = 0; i < t->n_best && out->n_rival < RIVALS; i++)
		if (t->best[i].cost <= c->cost + rival_cost)
			out->rival[out->n_rival++] = rival_of(t, &t->best[i]);
}

static bool term_holds(const struct explanation *x, const struct rival_term *t, const struct facts *f)
{
	if (t->feature >= 0) {
		bool has = t->feature < FEATURE_COUNT && f->at[t->feature];

		for (int k = 0; t->feature >= FEATURE_COUNT && k < f->n_named; k++)
			has = has || !strcmp(f->named[k], x->name[t->feature]);
		return has == t->holds;
	}
	for (int i = 0; i < f->n_measure; i++)
		if (f->measure[i].id == t->measure && f->measure[i].op == t->op && f->measure[i].operand == t->operand)
			return (f->measure[i].x > t->threshold) == t->holds;
	return false;
}

bool rival_holds(const struct explanation *x, const struct rival *r, const struct facts *f)
{
	bool any = false, all = true;

	for (int i = 0; i < r->n; i++) {
		const bool has = term_holds(x, &r->term[i], f);

		any |= has;
		all &= has;
	}
	return r->any && r->n ? any : all;
}

bool explanation_counts(const struct explanation *x, const struct blamed *blamed, int n, const struct facts *f)
{
	bool counts = !n;

	if (program_nodes(&f->c->program) > x->nodes + TOLD_MORE_NODES)
		return false;
	for (int i = 0; i < n && !counts; i++) {
		char name[80];

		for (int k = 0; k < f->n_role && blamed[i].role; k++)
			counts |= !strcmp(f->role[k], blamed[i].role);
		snprintf(name, sizeof name, "%s %s", blamed[i].value ? "runs" : "derives", op_table[blamed[i].op].name);
		for (int k = 0; k < f->n_named && !blamed[i].role; k++)
			counts |= !strcmp(f->named[k], name);
	}
	return counts;
}

static bool condition_holds(const struct telling *t, const struct told_condition *c, int v)
{
	bool any = false, all = true;

	for (int i = 0; i < c->n; i++) {
		const bool has = variant_in(&t->set[c->literal[i]], v);

		any |= has;
		all &= has;
	}
	return c->any ? any : all;
}

/* Whether the condition predicts the variants on which it was not found; true if there are few of a kind. */
static bool predicts_fresh(const struct telling *t, const struct told_condition *c)
{
	int wrong[2] = {0}, n[2] = {0};

	for (int v = 0; v < t->x->n_variant; v++) {
		const bool fails = variant_in(&t->fails, v);

		if (!variant_in(&t->among, v) || !variant_in(&t->x->fresh, v))
			continue;
		n[fails]++;
		wrong[fails] += condition_holds(t, c, v) != fails;
	}
	return n[0] < FEWEST_FRESH || n[1] < FEWEST_FRESH ||
	    0.5 * wrong[0] / n[0] + 0.5 * wrong[1] / n[1] <= fresh_enough;
}

/* Whether the condition may be told without a hedge.  That an op is executed or differentiated is no mechanism, so such
 * a condition must predict most variants as they are counted for the reader, whatever they weigh. */
static bool may_be_told(const struct explained *x)
{
	const double most = 0.85;
	bool vague = false;

	for (int i = 0; i < x->n_term; i++)
		vague |= !strncmp(x->term[i].name, "runs ", 5) || !strncmp(x->term[i].name, "derives ", 8);
	return !vague || x->failing_with + x->passing_without >= most * (x->failing + x->passing);
}

/* Of conditions that are nearly as good as `chosen`, the first that predicts the fresh variants; else `chosen`. */
static struct told_condition predicting(const struct telling *t, struct told_condition chosen)
{
	if (predicts_fresh(t, &chosen))
		return chosen;
	for (int i = 0; i < t->n_best && t->best[i].cost <= chosen.cost + nearly_as_good; i++)
		if (t->best[i].n <= chosen.n && predicts_fresh(t, &t->best[i]))
			return t->best[i];
	return chosen;
}

/* By how much the share of failing variants is larger where the condition holds than elsewhere. */
static double apart(const struct telling *t, const struct told_condition *c)
{
	int fails[2] = {0}, n[2] = {0};

	for (int v = 0; v < t->x->n_variant; v++) {
		const bool holds = condition_holds(t, c, v);

		if (!variant_in(&t->among, v))
			continue;
		n[holds]++;
		fails[holds] += variant_in(&t->fails, v);
	}
	return n[0] && n[1] ? (double)fails[1] / n[1] - (double)fails[0] / n[0] : 0;
}

/* What to guess where no condition is good enough: one of fewer terms, if it tells the variants apart as well.  A
 * further term then holds by accident of some that are alike. */
static struct told_condition simpler(const struct telling *t, struct told_condition chosen)
{
	struct told_condition guess = chosen;

	for (int i = 0; i < t->n_best; i++)
		if (t->best[i].n < guess.n && apart(t, &t->best[i]) >= apart(t, &chosen))
			guess = t->best[i];
	return guess;
}

/* The counts that no variant has, next to the threshold of a term. */
static void find_gap(const struct telling *t, const struct told_condition *c, struct explained *out)
{
	for (int i = 0; i < c->n; i++) {
		const struct told_literal *l = &t->literal[c->literal[i]];
		double below = -INFINITY, above = INFINITY;

		if (!l->than || measure_unit(l->than->id) != MEASURE_UNIT_COUNT)
			continue;
		for (int v = 0; v < t->x->n_variant; v++) {
			const double x = l->than->x[v];

			if (!variant_in(&t->among, v) || isnan(x))
				continue;
			below = x <= l->threshold ? fmax(below, x) : below;
			above = x > l->threshold ? fmin(above, x) : above;
		}
		if (above - below > 1 && above < GAP_MOST && below > 0) {
			out->gap_from = (int)below + 1;
			out->gap_to = (int)above - 1;
		}
	}
}

static void put_counts(const struct telling *t, const struct told_condition *c, struct explained *out)
{
	out->exception = NEW(t->arena, int, t->x->n_variant);
	for (int v = 0; v < t->x->n_variant; v++) {
		const bool fails = variant_in(&t->fails, v), holds = condition_holds(t, c, v);

		if (!variant_in(&t->among, v) || variant_in(&t->x->certain, v))
			continue;
		out->failing += fails;
		out->passing += !fails;
		out->failing_with += fails && holds;
		out->passing_without += !fails && !holds;
		if (holds != fails)
			out->exception[out->n_exception++] = t->x->number[v];
	}
}

/* Whether both speak of the same feature, or of the same measure with whatever threshold. */
static bool speak_alike(const struct telling *t, const struct told_condition *a, const struct told_condition *b)
{
	for (int i = 0; i < a->n; i++)
		for (int k = 0; k < b->n; k++) {
			const struct told_literal *x = &t->literal[a->literal[i]], *y = &t->literal[b->literal[k]];

			if (x->than == y->than && (x->than || x->feature == y->feature))
				return true;
		}
	return false;
}

static void put_guesses(const struct telling *t, const struct told_condition *chosen, struct explained *out)
{
	const struct told_condition *last = NULL;

	out->alternative = NEW(t->arena, const char *, GUESSES);
	for (int i = 0; i < t->n_best && out->n_alternative < GUESSES; i++) {
		const struct told_condition *c = &t->best[i];
		struct explained other = {0};

		if (c->n > chosen->n || speak_alike(t, c, chosen) || (last && speak_alike(t, c, last)))
			continue;
		last = c;
		put_terms(t, c, &other);
		out->alternative[out->n_alternative++] = explanation_text(&other, t->arena);
	}
}

void explanation_tell(
    const struct explanation *x, const struct blamed *blamed, int n, struct arena *a, struct explained *out)
{
	struct telling *t = NEW(a, struct telling, 1);
	struct told_condition chosen;
	double always; /* the error of saying so */
	int passing;

	*out = (struct explained){0};
	*t = (struct telling){.x = x, .blamed = blamed, .n_blamed = n, .arena = a};
	find_variants(t);
	passing = t->n_variant - t->n_failing;
	if (!t->n_failing || t->n_variant < FEWEST)
		return;
	always = set_weights(t);
	telling_list(t);
	chosen = t->n_literal ? telling_search(t) : (struct told_condition){.cost = 1, .error = 1};
	/* a few that pass may pass by accident, unless a simple condition separates them all */
	if (always <= right_always && !(passing >= EXPLANATION_APART && chosen.n == 1 && chosen.error == 0) &&
	    (passing < FEWEST_PASSING || chosen.cost > always / 3)) {
		out->always = true;
		out->failing = out->failing_with = t->n_failing;
		out->passing = passing;
		put_rivals(t, &(struct told_condition){.cost = always}, out);
		return;
	}
	chosen = predicting(t, chosen);
	if (chosen.error > TOLD_ENOUGH || !predicts_fresh(t, &chosen))
		chosen = simpler(t, chosen);
	put_terms(t, &chosen, out);
	put_counts(t, &chosen, out);
	put_guesses(t, &chosen, out);
	put_rivals(t, &chosen, out);
	find_gap(t, &chosen, out);
	out->determined = chosen.error <= TOLD_ENOUGH && predicts_fresh(t, &chosen) && may_be_told(out);
}

/*
 * depends.c: the condition that people are told.  Only variants count in which the blamed operand passes a derivative
 * on: the others pass for a plain reason.  Among these, a condition is a few literals: features, and measures that are
 * above a threshold or not.  Failing and passing variants weigh alike together, whatever their numbers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_internal.h"

enum {
	LITERALS = 2048,
	CUTS = 6,   /* thresholds of one measure, the best */
	BEST = 64,  /* conditions that are kept, for a third term and as alternatives */
	ALIKE = 12, /* thin variants alike that count */
	GUESSES = 2,
	FEWEST_PASSING = 8,
	FEWEST = 12 /* variants of which something can be said */
};

/* Costs, as shares of the variants. */
static const double cost_of_term = 0.02, cost_of_any = 0.02, gain_of_term = 0.04, cost_of_negation = 0.04,
                    cost_of_form = 0.03, cost_of_name = 0.02, cost_of_other_op = 0.05, cost_of_number = 0.005,
                    cost_of_row = 3e-4, least_passing = 0.2, right_always = 0.15, right_single = 0.03,
                    right_enough = 0.08;

struct told_literal {
	int feature;                 /* -1: a measure */
	const struct measured *than; /* NULL: a feature */
	double threshold;
	bool holds; /* the feature holds; the measure is above the threshold */
	double cost;
};

struct told_condition {
	int n, literal[EXPLANATION_TERMS];
	bool any;
	double error, cost; /* cost: with that of its terms */
};

struct telling {
	const struct explanation *x;
	const struct blamed *blamed;
	int n_blamed;
	struct arena *arena;
	int words, n_variant, n_failing;
	struct variant_set among, fails;
	double fail_weight, pass_weight;
	int n_literal;
	struct told_literal *literal; /* [LITERALS] */
	struct variant_set *set;      /* [LITERALS] */
	int n_best;
	struct told_condition best[BEST + 1];
};

/* ---- variants that count ---- */

/* The variants in which that operand passes a derivative on; NULL: there are none. */
static const struct variant_set *variants_of(const struct explanation *x, const struct blamed *b)
{
	char name[80];

	for (int i = 0; i < x->n_role && b->role; i++)
		if (!strcmp(x->role[i], b->role))
			return &x->in_role[i];
	snprintf(name, sizeof name, "derives %s", op_table[b->op].name);
	for (int i = FEATURE_COUNT; i < x->n_feature; i++)
		if (!strcmp(x->name[i], name))
			return &x->has[i];
	return NULL;
}

static bool is_blamed(const struct telling *t, enum op op)
{
	bool blamed = !t->n_blamed;

	for (int i = 0; i < t->n_blamed; i++)
		blamed |= t->blamed[i].op == op;
	return blamed;
}

/* A number for the sizes of the blamed ops in a variant, and for its outcome. */
static uint64_t sizes_of(const struct telling *t, int v)
{
	uint64_t hash = variant_in(&t->x->fails_plainly, v);

	for (int i = 0; i < t->x->n_measured; i++) {
		const struct measured *m = &t->x->measured[i];
		const float y = m->x[v];

		if (measure_unit(m->id) == MEASURE_UNIT_COUNT && is_blamed(t, m->op))
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
	for (int w = 0; w < t->words; w++)
		t->among.at[w] &= ~x->mute.at[w];
	thin_out(t);
	for (int w = 0; w < t->words; w++) {
		t->fails.at[w] = x->fails_plainly.at[w] & t->among.at[w];
		t->n_variant += __builtin_popcountll(t->among.at[w]);
		t->n_failing += __builtin_popcountll(t->fails.at[w]);
	}
}

/* ---- literals ---- */

static double error_of(const struct telling *t, const uint64_t *holds)
{
	int missed = 0, spurious = 0;

	for (int w = 0; w < t->words; w++) {
		missed += __builtin_popcountll(t->fails.at[w] & ~holds[w]);
		spurious += __builtin_popcountll(holds[w] & ~t->fails.at[w] & t->among.at[w]);
	}
	return t->fail_weight * missed + t->pass_weight * spurious;
}

/* Keeps the literal for the variants of `set`; of literals for the same variants, the cheapest. */
static void keep(struct telling *t, const struct told_literal *l, const struct variant_set *set)
{
	int n = 0, k;

	for (int w = 0; w < t->words; w++)
		n += __builtin_popcountll(set->at[w] & t->among.at[w]);
	if (!n || n == t->n_variant)
		return;
	for (k = 0; k < t->n_literal; k++)
		if (!memcmp(t->set[k].at, set->at, (size_t)t->words * sizeof *set->at))
			break;
	if (k == LITERALS || (k < t->n_literal && t->literal[k].cost <= l->cost))
		return;
	t->literal[k] = *l;
	t->set[k] = *set;
	t->n_literal += k == t->n_literal;
}

/* Whether every op in the name of a feature is in the case. */
static bool names_own_ops(const struct explanation *x, int feature)
{
	char word[64];

	for (const char *at = x->name[feature]; *at; at += strspn(at, " ")) {
		const int n = (int)strcspn(at, " ");

		snprintf(word, sizeof word, "%.*s", n, at);
		if (op_find(word) >= 0 && !x->own_op[op_find(word)])
			return false;
		at += n;
	}
	return true;
}

/* What it costs to speak of a feature; infinite: it may not be spoken of. */
static double cost_of_feature(const struct explanation *x, int feature)
{
	static const char *const vague[] = {"runs ", "feeds ", "enters ", "returns ", "shares", "needs "};

	if (feature < FEATURE_COUNT)
		return facts_is_form((enum feature)feature) ? cost_of_form : 0;
	if (!names_own_ops(x, feature))
		return INFINITY;
	for (size_t i = 0; i < sizeof vague / sizeof *vague; i++)
		if (!strncmp(x->name[feature], vague[i], strlen(vague[i])))
			return cost_of_form + cost_of_name;
	return cost_of_name;
}

static void list_features(struct telling *t)
{
	const struct explanation *x = t->x;

	for (int f = 0; f < x->n_feature; f++)
		for (int holds = 1; holds >= 0; holds--) {
			const double cost = cost_of_feature(x, f) + (holds ? 0 : cost_of_negation);
			struct variant_set set = {{0}};

			for (int w = 0; w < t->words; w++)
				set.at[w] = (holds ? x->has[f].at[w] : ~x->has[f].at[w]) & t->among.at[w];
			if (isfinite(cost))
				keep(t, &(struct told_literal){.feature = f, .holds = holds, .cost = cost}, &set);
		}
}

static int compare_floats(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* The number of fewest digits in [a, b). */
static double round_between(double a, double b)
{
	if (a <= 0 && b > 0)
		return 0;
	for (double scale = 1e-6; scale < 1e9; scale *= 10) {
		const double n = ceil(a * scale) / scale;

		if (n >= a && n < b)
			return n;
	}
	return a;
}

static void set_above(const struct telling *t, const float *x, double threshold, bool above, struct variant_set *out)
{
	memset(out, 0, sizeof *out);
	for (int v = 0; v < t->x->n_variant; v++)
		if (variant_in(&t->among, v) && !isnan(x[v]) && (x[v] > threshold) == above)
			variant_put(out, v);
}

/* Keeps the best thresholds of a measure, in both directions. */
static void list_thresholds(struct telling *t, const struct measured *m, float *sorted)
{
	const bool count = measure_unit(m->id) == MEASURE_UNIT_COUNT;
	double best[CUTS], error[CUTS];
	struct variant_set set;
	int n = 0, cuts = 0;

	for (int v = 0; v < t->x->n_variant; v++)
		if (variant_in(&t->among, v) && !isnan(m->x[v]))
			sorted[n++] = m->x[v];
	qsort(sorted, (size_t)n, sizeof *sorted, compare_floats);
	for (int i = 0; i + 1 < n; i++) {
		double threshold, e;
		int at;

		if (sorted[i] == sorted[i + 1] || !isfinite(sorted[i]) || !isfinite(sorted[i + 1]))
			continue;
		threshold = count ? (double)sorted[i] : round_between(sorted[i], sorted[i + 1]);
		set_above(t, m->x, threshold, true, &set);
		e = error_of(t, set.at);
		e = fmin(e, 1 - e) + (threshold == 0 ? 0 : cost_of_number);
		at = cuts < CUTS ? cuts++ : CUTS;
		for (; at > 0 && error[at - 1] > e; at--)
			if (at < CUTS) {
				error[at] = error[at - 1];
				best[at] = best[at - 1];
			}
		if (at < CUTS) {
			error[at] = e;
			best[at] = threshold;
		}
	}
	for (int i = 0; i < cuts; i++)
		for (int above = 1; above >= 0; above--) {
			const double cost = (is_blamed(t, m->op) ? 0 : cost_of_other_op) +
			    (best[i] == 0 || count ? 0 : cost_of_number) + cost_of_row * (int)m->id;

			set_above(t, m->x, best[i], above, &set);
			if (measure_text(m->id, above, best[i], "", "", t->arena))
				keep(t,
				    &(struct told_literal){
				        .feature = -1, .than = m, .threshold = best[i], .holds = above, .cost = cost},
				    &set);
		}
}

static void list_measures(struct telling *t)
{
	float *sorted = NEW(t->arena, float, VARIANTS);

	for (int i = 0; i < t->x->n_measured; i++)
		list_thresholds(t, &t->x->measured[i], sorted);
}

/* ---- the search ---- */

static void offer(struct telling *t, const struct told_condition *c)
{
	int at = t->n_best;

	while (at > 0 && t->best[at - 1].cost > c->cost)
		at--;
	if (at == BEST)
		return;
	memmove(t->best + at + 1, t->best + at, (size_t)(t->n_best - at) * sizeof *t->best);
	t->best[at] = *c;
	t->n_best += t->n_best < BEST;
}

static void consider(struct telling *t, struct told_condition c)
{
	struct variant_set holds = t->set[c.literal[0]];

	c.cost = c.n > 1 ? (c.n - 1) * cost_of_term + (c.any ? cost_of_any : 0) : 0;
	for (int i = 0; i < c.n; i++)
		c.cost += t->literal[c.literal[i]].cost;
	if (t->n_best == BEST && c.cost >= t->best[BEST - 1].cost)
		return;
	for (int i = 1; i < c.n; i++)
		for (int w = 0; w < t->words; w++) {
			const uint64_t more = t->set[c.literal[i]].at[w];

			holds.at[w] = c.any ? holds.at[w] | more : holds.at[w] & more;
		}
	c.error = error_of(t, holds.at);
	c.cost += c.error;
	offer(t, &c);
}

/* The best condition of at most EXPLANATION_TERMS terms: each further term must save enough. */
static struct told_condition search(struct telling *t)
{
	struct told_condition chosen, pairs[BEST];
	int n_pair;

	t->n_best = 0;
	for (int i = 0; i < t->n_literal; i++)
		consider(t, (struct told_condition){.n = 1, .literal = {i}});
	chosen = t->best[0];
	if (chosen.cost <= gain_of_term)
		return chosen;
	for (int i = 0; i < t->n_literal; i++)
		for (int k = i + 1; k < t->n_literal; k++)
			for (int any = 0; any < 2; any++)
				consider(t, (struct told_condition){.n = 2, .literal = {i, k}, .any = any});
	n_pair = t->n_best;
	memcpy(pairs, t->best, sizeof pairs);
	if (chosen.cost - pairs[0].cost > gain_of_term)
		chosen = pairs[0];
	for (int p = 0; p < n_pair && chosen.n == 2; p++)
		for (int i = 0; pairs[p].n == 2 && i < t->n_literal; i++)
			consider(t,
			    (struct told_condition){
			        .n = 3, .literal = {pairs[p].literal[0], pairs[p].literal[1], i}, .any = pairs[p].any});
	if (chosen.n == 2 && chosen.cost - t->best[0].cost > gain_of_term)
		chosen = t->best[0];
	return chosen;
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

static void put_counts(const struct telling *t, const struct told_condition *c, struct explained *out)
{
	out->exception = NEW(t->arena, int, t->x->n_variant);
	for (int v = 0; v < t->x->n_variant; v++) {
		bool any = false, all = true, holds;
		const bool fails = variant_in(&t->fails, v);

		if (!variant_in(&t->among, v))
			continue;
		for (int i = 0; i < c->n; i++) {
			const bool has = variant_in(&t->set[c->literal[i]], v);

			any |= has;
			all &= has;
		}
		holds = c->any ? any : all;
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
	int passing;

	*out = (struct explained){0};
	*t = (struct telling){.x = x, .blamed = blamed, .n_blamed = n, .arena = a};
	find_variants(t);
	passing = t->n_variant - t->n_failing;
	if (!t->n_failing || t->n_variant < FEWEST)
		return;
	t->fail_weight = 0.5 / t->n_failing;
	t->pass_weight = 0.5 / fmax(fmax(passing, 1), least_passing * t->n_variant);
	t->literal = NEW(a, struct told_literal, LITERALS);
	t->set = NEW(a, struct variant_set, LITERALS);
	list_features(t);
	list_measures(t);
	chosen = t->n_literal ? search(t) : (struct told_condition){.cost = 1, .error = 1};
	/* a few that pass may pass by accident, unless one term separates them all */
	if (t->pass_weight * passing <= right_always &&
	    (passing < FEWEST_PASSING || chosen.cost > right_single || chosen.n > 1)) {
		out->always = true;
		out->failing = out->failing_with = t->n_failing;
		out->passing = passing;
		return;
	}
	put_terms(t, &chosen, out);
	put_counts(t, &chosen, out);
	put_guesses(t, &chosen, out);
	out->determined = chosen.error <= right_enough;
}

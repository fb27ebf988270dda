/*
 * depends.c: a condition is a few literals: features, and measures that are above a threshold or not.  The search for
 * the one that predicts best and costs least.  Failing and passing variants weigh alike together, whatever their
 * numbers.
 */
#include "depends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CUTS = 6,      /* thresholds of one measure, the best */
	DO_WITHOUT = 3 /* programs that fail without a term show that it is not needed: */
};

/* if they are such a share of those without it. */
static const double done_without = 0.2;

/* Costs, as shares of the variants. */
static const double cost_of_term = 0.02, cost_of_any = 0.02, gain_of_term = 0.04, gain_of_few = 0.004,
                    cost_of_negation = 0.04, cost_of_form = 0.03, cost_of_name = 0.02, cost_of_coincidence = 0.1,
                    cost_of_other_op = 0.05, cost_of_number = 0.012, cost_of_result = 0.01, cost_of_at_most = 0.002,
                    cost_of_row = 0.025 / MEASURE_COUNT, cost_of_seed = 0.02, cost_of_moved = 0.06, right_first = 0.05;

bool telling_blames(const struct telling *t, enum op op)
{
	bool blamed = !t->n_blamed;

	for (int i = 0; i < t->n_blamed; i++)
		blamed |= t->blamed[i].op == op;
	return blamed;
}

/* ---- literals ---- */

/* The weight of these variants of word w of the sets. */
static int weight_of(const struct telling *t, int w, uint64_t set)
{
	const uint64_t thin = t->x->thin.at[w], alone = t->x->alone.at[w];

	return __builtin_popcountll(set & thin & ~alone) + t->firm * __builtin_popcountll(set & ~thin & ~alone) +
	    t->alone * __builtin_popcountll(set & alone);
}

static double error_of(const struct telling *t, const uint64_t *holds)
{
	int missed = 0, spurious = 0;

	for (int w = 0; w < t->words; w++) {
		const uint64_t miss = t->fails.at[w] & ~holds[w] & t->found_on.at[w],
		               spur = holds[w] & ~t->fails.at[w] & t->found_on.at[w];

		missed += weight_of(t, w, miss);
		spurious += weight_of(t, w, spur);
	}
	return t->weight[1] * missed + t->weight[0] * spurious;
}

/* Keeps the literal for the variants of `set`; of literals for the same variants, the cheapest. */
static void keep(struct telling *t, const struct told_literal *l, const struct variant_set *set)
{
	int n = 0, k;

	for (int w = 0; w < t->words; w++)
		n += __builtin_popcountll(set->at[w] & t->found_on.at[w]);
	if (!n || n == t->n_variant)
		return;
	for (k = 0; k < t->n_literal; k++)
		if (!memcmp(t->set[k].at, set->at, (size_t)t->words * sizeof *set->at))
			break;
	if (k == TOLD_LITERALS || (k < t->n_literal && t->literal[k].cost <= l->cost))
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

	if (feature == FEATURE_RESULT_IS_INPUT)
		return cost_of_coincidence;
	if (feature < FEATURE_COUNT)
		return facts_is_form((enum feature)feature) ? cost_of_form : 0;
	if (!names_own_ops(x, feature))
		return INFINITY;
	for (size_t i = 0; i < sizeof vague / sizeof *vague; i++)
		if (!strncmp(x->name[feature], vague[i], strlen(vague[i])))
			return cost_of_form + cost_of_name;
	return cost_of_name;
}

/* Whether the feature is about the operands of some op, and those to blame have regions: then it is about another one.
 */
static bool speaks_of_others(const struct telling *t, int feature)
{
	bool regions = t->n_blamed > 0;

	for (int i = 0; i < t->n_blamed; i++)
		regions &= op_table[t->blamed[i].op].regularity == REGULARITY_REGION;
	return regions &&
	    (feature == FEATURE_ONE_OPERAND || feature == FEATURE_SECOND_OPERAND_ONLY ||
	        feature == FEATURE_ALL_OPERANDS);
}

/* Whether the feature is a coincidence: it may be a cause, but its absence is none. */
static bool is_coincidence(int feature)
{
	return feature == FEATURE_TWIN_USED || feature == FEATURE_INPUTS_EQUAL || feature == FEATURE_OPERANDS_EQUAL ||
	    feature == FEATURE_RESULT_TWICE;
}

static void list_features(struct telling *t)
{
	const struct explanation *x = t->x;

	for (int f = 0; f < x->n_feature; f++)
		for (int holds = 1; holds >= 0; holds--) {
			const double cost = cost_of_feature(x, f) + (holds ? 0 : cost_of_negation) +
			    (speaks_of_others(t, f) ? cost_of_other_op : 0) +
			    (!holds && is_coincidence(f) ? cost_of_coincidence : 0);
			struct variant_set set = {{0}};

			for (int w = 0; w < t->words; w++)
				set.at[w] = (holds ? x->has[f].at[w] : ~x->has[f].at[w]) & t->among.at[w];
			/* what was widened beyond the ops that are differentiated must not be told so */
			if (isfinite(cost) && !(t->widened && !strncmp(x->name[f], "derives ", 8)))
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

/* An operand says more. */
static bool of_result(enum measure_id id) { return id >= MEASURE_RESULT_SMALL && id <= MEASURE_RESULT_NEAR; }

/* A number among cotangents or tangents is an accident of the seeds more often than one among operands. */
static bool of_seed(enum measure_id id) { return id >= MEASURE_COTANGENT_SMALL && id <= MEASURE_TANGENT_NEAR; }

/* A number among elements that an op only moves: neither a right engine nor a wrong one computes with them. */
static bool of_moved(const struct measured *m)
{
	const bool element = (m->id >= MEASURE_SMALL && m->id <= MEASURE_NEAR && m->id != MEASURE_FIRST &&
	                         !m->operand) ||
	    of_result(m->id);

	return element && op_table[m->op].regularity == REGULARITY_MOVE;
}

/* How far two numbers are apart.  A threshold of 0 then compares them. */
static bool is_gap(enum measure_id id) { return id == MEASURE_ABOVE_BY || id == MEASURE_BELOW_BY; }

/* Whether variants on both sides of a gap show that the comparison alone does not decide. */
static bool gap_is_shown(const struct telling *t, const struct measured *m, double threshold, bool above)
{
	enum { FEWEST = 4 };
	int within = 0, beyond = 0;

	for (int v = 0; v < t->x->n_variant; v++) {
		if (!variant_in(&t->found_on, v) || variant_in(&t->x->thin, v) || !(m->x[v] > 0))
			continue;
		within += m->x[v] <= threshold && variant_in(&t->fails, v) != above;
		beyond += m->x[v] > threshold && variant_in(&t->fails, v) == above;
	}
	return within >= FEWEST && beyond >= FEWEST;
}

/* Keeps the best thresholds of a measure, in both directions. */
static void list_thresholds(struct telling *t, const struct measured *m, float *sorted)
{
	const bool count = measure_unit(m->id) == MEASURE_UNIT_COUNT;
	double best[CUTS], error[CUTS];
	struct variant_set set;
	int n = 0, cuts = 0;

	for (int v = 0; v < t->x->n_variant; v++)
		if (variant_in(&t->found_on, v) && !isnan(m->x[v]))
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
			const double cost = (telling_blames(t, m->op) ? 0 : cost_of_other_op) +
			    (best[i] == 0 || count ? 0 : cost_of_number) + cost_of_row * (int)m->id +
			    (of_result(m->id) ? cost_of_result : 0) + (of_moved(m) ? cost_of_moved : 0) +
			    (of_seed(m->id) && best[i] != 0 ? cost_of_seed : 0) + (above ? 0 : cost_of_at_most);

			if (is_gap(m->id) && best[i] != 0 && !gap_is_shown(t, m, best[i], above))
				continue;
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

void telling_list(struct telling *t)
{
	t->literal = NEW(t->arena, struct told_literal, TOLD_LITERALS);
	t->set = NEW(t->arena, struct variant_set, TOLD_LITERALS);
	list_features(t);
	list_measures(t);
}

/* ---- the search ---- */

static void offer(struct telling *t, const struct told_condition *c)
{
	int at = t->n_best;

	while (at > 0 && t->best[at - 1].cost > c->cost)
		at--;
	if (at == TOLD_BEST)
		return;
	memmove(t->best + at + 1, t->best + at, (size_t)(t->n_best - at) * sizeof *t->best);
	t->best[at] = *c;
	t->n_best += t->n_best < TOLD_BEST;
}

/*
 * Whether each term of alternatives is shown.  Variants in which it alone holds must fail, and few of them pass.
 * Otherwise it holds by chance where something else makes a variant fail.
 */
static bool each_is_shown(const struct telling *t, const struct told_condition *c)
{
	enum { FEWEST_FAILING = 3, FEWEST_THIN = 12, PASSING_ONE_IN = 5 };

	for (int i = 0; i < c->n; i++) {
		int fails = 0, thin = 0, weight[2] = {0};

		for (int w = 0; w < t->words; w++) {
			uint64_t own = t->set[c->literal[i]].at[w] & t->found_on.at[w], failing;

			for (int k = 0; k < c->n; k++)
				own &= k == i ? own : ~t->set[c->literal[k]].at[w];
			failing = own & t->fails.at[w];
			fails += __builtin_popcountll(failing & ~t->x->thin.at[w]);
			thin += __builtin_popcountll(failing & t->x->thin.at[w]);
			weight[1] += weight_of(t, w, failing);
			weight[0] += weight_of(t, w, own & ~failing);
		}
		if ((fails < FEWEST_FAILING && thin < FEWEST_THIN) ||
		    PASSING_ONE_IN * weight[0] > weight[0] + weight[1])
			return false;
	}
	return true;
}

/* Whether programs of an op alone fail without term k, though all other terms hold: enough of them, and not just a few
 * next to a threshold. */
static bool does_without(const struct telling *t, const struct told_condition *c, int k)
{
	int fails = 0, all = 0;

	for (int w = 0; w < t->words; w++) {
		uint64_t others = t->x->alone.at[w] & t->among.at[w] & ~t->set[c->literal[k]].at[w];

		for (int i = 0; i < c->n; i++)
			others &= i == k ? ~(uint64_t)0 : t->set[c->literal[i]].at[w];
		all += __builtin_popcountll(others);
		fails += __builtin_popcountll(others & t->fails.at[w]);
	}
	return fails >= DO_WITHOUT && fails >= done_without * all;
}

/* Whether each term of a condition that needs all of them is needed. */
static bool needs_all(const struct telling *t, const struct told_condition *c)
{
	for (int k = 0; k < c->n && c->n > 1; k++)
		if (does_without(t, c, k))
			return false;
	return true;
}

static void consider(struct telling *t, struct told_condition c)
{
	struct variant_set holds = t->set[c.literal[0]];

	c.cost = c.n > 1 ? (c.n - 1) * cost_of_term + (c.any ? cost_of_any : 0) : 0;
	for (int i = 0; i < c.n; i++)
		c.cost += t->literal[c.literal[i]].cost;
	if (t->n_best == TOLD_BEST && c.cost >= t->best[TOLD_BEST - 1].cost)
		return;
	for (int i = 1; i < c.n; i++)
		for (int w = 0; w < t->words; w++) {
			const uint64_t more = t->set[c.literal[i]].at[w];

			holds.at[w] = c.any ? holds.at[w] | more : holds.at[w] & more;
		}
	for (int w = 0; w < t->words; w++)
		if (t->x->certain.at[w] & t->among.at[w] & ~holds.at[w])
			return;
	c.error = error_of(t, holds.at);
	c.cost += c.error;
	if (t->n_best == TOLD_BEST && c.cost >= t->best[TOLD_BEST - 1].cost)
		return;
	if (c.any ? each_is_shown(t, &c) : needs_all(t, &c))
		offer(t, &c);
}

/* Whether a condition with one more term is better: it saves enough, or it is the first that is right. */
static bool worth(const struct told_condition *less, const struct told_condition *more)
{
	const double saved = less->cost - more->cost;

	return saved > gain_of_term || (saved > gain_of_few && more->error < less->error / 2) ||
	    (saved > 0 && less->error > TOLD_ENOUGH && more->error <= right_first);
}

/* Of conditions in the order of their costs, the first that is worth its terms; else `chosen`. */
static struct told_condition first_worth(struct told_condition chosen, const struct told_condition *more, int n)
{
	for (int i = 0; i < n; i++)
		if (more[i].n > chosen.n && worth(&chosen, &more[i]))
			return more[i];
	return chosen;
}

struct told_condition telling_search(struct telling *t)
{
	struct told_condition chosen, pairs[TOLD_BEST];
	int n_pair;

	t->n_best = 0;
	for (int i = 0; i < t->n_literal; i++)
		consider(t, (struct told_condition){.n = 1, .literal = {i}});
	chosen = t->n_best ? t->best[0] : (struct told_condition){.cost = 1, .error = 1};
	if (chosen.cost <= gain_of_term)
		return chosen;
	for (int i = 0; i < t->n_literal; i++)
		for (int k = i + 1; k < t->n_literal; k++)
			for (int any = 0; any < 2; any++)
				consider(t, (struct told_condition){.n = 2, .literal = {i, k}, .any = any});
	n_pair = t->n_best;
	memcpy(pairs, t->best, sizeof pairs);
	chosen = first_worth(chosen, pairs, n_pair);
	for (int p = 0; p < n_pair && chosen.n == 2; p++)
		for (int i = 0; pairs[p].n == 2 && i < t->n_literal; i++)
			consider(t,
			    (struct told_condition){
			        .n = 3, .literal = {pairs[p].literal[0], pairs[p].literal[1], i}, .any = pairs[p].any});
	return chosen.n == 2 ? first_worth(chosen, t->best, t->n_best) : chosen;
}

/* explain.c: finds the simplest combination of features that separates failing variants from passing ones. */
#include "explain_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"

enum {
	PAIRS = 256, /* best pairs that a third term is tried on */
	ALTERNATIVES = 2
};

struct condition_candidate {
	int n, literal[EXPLANATION_TERMS]; /* 2 * feature + negated */
	bool any;                          /* one of the terms is enough; else all are needed */
	int errors;
};

struct condition_search {
	const struct explanation *x;
	int n_variant; /* that count */
	int words, n_literal, *literal;
	struct variant_set *set; /* [n_literal] */
	struct variant_set fails, all, certain;
};

static int count(const uint64_t *bits, int words)
{
	int n = 0;

	for (int w = 0; w < words; w++)
		n += __builtin_popcountll(bits[w]);
	return n;
}

static int count_both(const struct variant_set *a, const struct variant_set *b, int words)
{
	int n = 0;

	for (int w = 0; w < words; w++)
		n += __builtin_popcountll(a->at[w] & b->at[w]);
	return n;
}

static int errors_of(const struct condition_search *s, const struct variant_set *a, const struct variant_set *b,
    const struct variant_set *c, bool any)
{
	int n = 0;

	for (int w = 0; w < s->words; w++) {
		uint64_t holds = a->at[w];

		if (b)
			holds = any ? holds | b->at[w] : holds & b->at[w];
		if (c)
			holds = any ? holds | c->at[w] : holds & c->at[w];
		n += __builtin_popcountll((holds ^ s->fails.at[w]) & s->all.at[w]);
		if (s->certain.at[w] & ~holds)
			return s->n_variant;
	}
	return n;
}

/* Lists the literals that hold for some variants and not for others; of literals for the same variants, the first. */
static void make_literals(struct condition_search *s, struct arena *a)
{
	const struct explanation *x = s->x;

	s->literal = NEW(a, int, 2 * x->n_feature);
	s->set = NEW(a, struct variant_set, 2 * x->n_feature);
	for (int negated = 0; negated < 2; negated++)
		for (int f = 0; f < x->n_feature; f++) {
			struct variant_set *set = &s->set[s->n_literal];
			int n, k;

			for (int w = 0; w < s->words; w++)
				set->at[w] = (negated ? ~x->has[f].at[w] : x->has[f].at[w]) &
				    (s->all.at[w] | s->certain.at[w]);
			n = count(set->at, s->words) - count_both(set, &s->certain, s->words);
			if (!n || n == s->n_variant)
				continue;
			for (k = 0; k < s->n_literal; k++)
				if (!memcmp(s->set[k].at, set->at, (size_t)s->words * sizeof *set->at))
					break;
			if (k == s->n_literal)
				s->literal[s->n_literal++] = 2 * f + negated;
		}
}

static bool same_terms(const struct condition_candidate *a, const struct condition_candidate *b)
{
	for (int i = 0; i < a->n; i++) {
		bool there = false;

		for (int k = 0; k < b->n; k++)
			there |= a->literal[i] == b->literal[k];
		if (!there)
			return false;
	}
	return a->any == b->any && a->n == b->n;
}

/* Inserts c into the list of the best, which is sorted and has up to `room` entries; of equals the first stays. */
static void offer(struct condition_candidate *best, int *n, int room, const struct condition_candidate *c)
{
	int at = *n;

	for (int i = 0; i < *n; i++)
		if (best[i].errors == c->errors && same_terms(&best[i], c))
			return;
	while (at > 0 && best[at - 1].errors > c->errors)
		at--;
	if (at == room)
		return;
	if (*n < room)
		++*n;
	memmove(best + at + 1, best + at, (size_t)(*n - at - 1) * sizeof *best);
	best[at] = *c;
}

static void search_singles(const struct condition_search *s, struct condition_candidate *best, int *n)
{
	for (int i = 0; i < s->n_literal; i++) {
		struct condition_candidate c = {
		    .n = 1, .literal = {i}, .errors = errors_of(s, &s->set[i], NULL, NULL, false)};

		offer(best, n, PAIRS, &c);
	}
}

static void search_pairs(const struct condition_search *s, struct condition_candidate *best, int *n)
{
	for (int i = 0; i < s->n_literal; i++)
		for (int k = i + 1; k < s->n_literal; k++)
			for (int any = 0; any < 2; any++) {
				struct condition_candidate c = {.n = 2,
				    .literal = {i, k},
				    .any = any,
				    .errors = errors_of(s, &s->set[i], &s->set[k], NULL, any)};

				if (*n < PAIRS || c.errors < best[*n - 1].errors)
					offer(best, n, PAIRS, &c);
			}
}

static void search_triples(const struct condition_search *s, const struct condition_candidate *pairs, int n_pair,
    struct condition_candidate *best, int *n)
{
	for (int p = 0; p < n_pair; p++)
		for (int k = 0; k < s->n_literal; k++) {
			struct condition_candidate c = pairs[p];

			c.n = 3;
			c.literal[2] = k;
			c.errors = errors_of(s, &s->set[c.literal[0]], &s->set[c.literal[1]], &s->set[k], c.any);
			if (*n < PAIRS || c.errors < best[*n - 1].errors)
				offer(best, n, PAIRS, &c);
		}
}

static struct literal literal_of(const struct condition_search *s, int literal, struct arena *a)
{
	const int f = s->literal[literal] / 2;

	return (struct literal){arena_printf(a, "%s", s->x->name[f]), arena_printf(a, "%s", s->x->sentence[f]), f,
	    s->literal[literal] % 2 == 0};
}

static void put_condition(
    const struct condition_search *s, const struct condition_candidate *c, struct explained *out, struct arena *a)
{
	out->n_term = c->n;
	out->any = c->any;
	for (int i = 0; i < c->n; i++)
		out->term[i] = literal_of(s, c->literal[i], a);
}

static bool holds(const struct condition_search *s, const struct condition_candidate *c, int v)
{
	bool any = false, all = true;

	for (int i = 0; i < c->n; i++) {
		bool has = s->set[c->literal[i]].at[v / 64] >> v % 64 & 1;

		any |= has;
		all &= has;
	}
	return c->any ? any : all;
}

static void put_counts(
    const struct condition_search *s, const struct condition_candidate *c, struct explained *out, struct arena *a)
{
	out->exception = NEW(a, int, s->x->n_variant);
	for (int v = 0; v < s->x->n_variant; v++) {
		bool has = holds(s, c, v), fails = variant_in(&s->x->fails, v);

		if (!(s->all.at[v / 64] >> v % 64 & 1))
			continue;

		out->failing += fails;
		out->passing += !fails;
		out->failing_with += fails && has;
		out->passing_without += !fails && !has;
		if (has != fails)
			out->exception[out->n_exception++] = s->x->number[v];
	}
}

/* The next best conditions of as many terms, with their scores: those that are nearly as good. */
static void put_alternatives(const struct condition_search *s, const struct condition_candidate *best, int n,
    struct explained *out, struct arena *a)
{
	const int variants = s->n_variant;

	out->alternative = NEW(a, const char *, ALTERNATIVES);
	for (int i = 1;
	     i < n && out->n_alternative < ALTERNATIVES && (best[i].errors - best[0].errors) * 100 <= variants; i++) {
		struct explained other = {0};

		put_condition(s, &best[i], &other, a);
		out->alternative[out->n_alternative++] = arena_printf(a, "%s (It predicts %d of %d variants.)",
		    explanation_text(&other, a), variants - best[i].errors, variants);
	}
}

/*
 * Whether one more term is worth it: it must save more than one exception in 100 variants.  Of some thousand terms, one
 * saves a few by chance, so it must save at least FEW.
 */
static bool worth(int saved, int n_variant)
{
	enum { FEW = 5 };

	return saved >= FEW && saved * 100 > n_variant;
}

/* Whether so few variants pass that "it fails" predicts enough. */
static bool nearly_all(int failing, int n_variant)
{
	enum { ONE_IN = 20 };

	return ONE_IN * (n_variant - failing) <= n_variant;
}

void explanation_find(const struct explanation *x, struct arena *a, struct explained *out)
{
	struct condition_search s = {.x = x};
	struct condition_candidate *best[EXPLANATION_TERMS + 1] = {0}, *chosen;
	int n[EXPLANATION_TERMS + 1] = {0}, terms = 1, failing = 0;

	*out = (struct explained){0};
	s.words = (x->n_variant + 63) / 64;
	for (int v = 0; v < x->n_variant; v++) {
		if (variant_in(&x->certain, v)) {
			variant_put(&s.certain, v);
			continue;
		}
		if (variant_in(&x->aside, v))
			continue;
		s.n_variant++;
		variant_put(&s.all, v);
		if (variant_in(&x->fails, v)) {
			variant_put(&s.fails, v);
			failing++;
		}
	}
	if (failing && failing == s.n_variant) {
		out->always = true;
		out->failing = out->failing_with = failing;
	}
	if (!failing || out->always)
		return;
	make_literals(&s, a);
	for (int i = 1; i <= EXPLANATION_TERMS; i++)
		best[i] = NEW(a, struct condition_candidate, PAIRS + 1);
	search_singles(&s, best[1], &n[1]);
	search_pairs(&s, best[2], &n[2]);
	search_triples(&s, best[2], n[2], best[3], &n[3]);
	if (!n[1])
		return;
	for (int i = 2; i <= EXPLANATION_TERMS; i++)
		if (n[i] && worth(best[terms][0].errors - best[i][0].errors, s.n_variant))
			terms = i;
	chosen = &best[terms][0];
	/* "always" or "never" would predict as well; one or two that pass have features in common by chance */
	if ((chosen->errors >= s.n_variant - failing || s.n_variant - failing < EXPLANATION_APART) &&
	    nearly_all(failing, s.n_variant)) {
		out->always = true;
		out->failing = out->failing_with = failing;
		out->passing = s.n_variant - failing;
		return;
	}
	if (chosen->errors >= failing || chosen->errors >= s.n_variant - failing)
		return;
	put_condition(&s, chosen, out, a);
	put_counts(&s, chosen, out, a);
	put_alternatives(&s, best[terms], n[terms], out, a);
}

bool explanation_needs(const struct explanation *x, int feature)
{
	const double nearly_all = 0.97;
	int fails[2] = {0}, has[2] = {0};

	for (int v = 0; x && v < x->n_variant; v++)
		if (variant_in(&x->fails_plainly, v)) {
			const bool thin = variant_in(&x->thin, v);

			fails[thin]++;
			has[thin] += variant_in(&x->has[feature], v);
		}
	return has[0] >= nearly_all * fails[0] && has[1] >= nearly_all * fails[1];
}

/* ---- using it ---- */

bool explanation_predicts(
    const struct explanation *x, const struct explained *condition, const struct testcase *c, struct arena *scratch)
{
	const struct facts *f = condition->n_term ? facts_of(c, scratch) : NULL;
	bool any = false, all = true;

	for (int i = 0; i < condition->n_term; i++) {
		const struct literal *t = &condition->term[i];
		bool has = t->feature < FEATURE_COUNT && f->at[t->feature];

		for (int k = 0; t->feature >= FEATURE_COUNT && k < f->n_named; k++)
			has = has || !strcmp(f->named[k], x->name[t->feature]);
		any |= has == t->holds;
		all &= has == t->holds;
	}
	return condition->any ? any : all;
}

const char *explanation_text(const struct explained *condition, struct arena *a)
{
	const char *text = "It fails", *except = "";
	int n_positive = 0, n_except = 0;

	if (condition->always && condition->passing && condition->passing < EXPLANATION_APART)
		return arena_printf(a, "It fails in %d of %d variants; those that pass are too few to tell why.",
		    condition->failing, condition->failing + condition->passing);
	if (condition->always && condition->passing)
		return arena_printf(a, "It fails in %d of %d variants; no feature tells the others apart.",
		    condition->failing, condition->failing + condition->passing);
	if (condition->always)
		return "It fails in every variant with the same request, there or at a nearby point.";
	for (int i = 0; i < condition->n_term; i++)
		n_positive += condition->term[i].holds || condition->any;
	if (!n_positive) {
		for (int i = 0; i < condition->n_term; i++)
			except = arena_printf(a, "%s%s where %s", except, i ? ", or" : "", condition->term[i].sentence);
		return arena_printf(a, "It is right%s, and fails elsewhere.", except);
	}
	n_positive = 0;
	for (int i = 0; i < condition->n_term; i++)
		if (condition->term[i].holds)
			text = arena_printf(a, "%s%s where %s", text,
			    !n_positive++        ? ""
			        : condition->any ? ", or"
			                         : ", and",
			    condition->term[i].sentence);
	for (int i = 0; i < condition->n_term; i++)
		if (!condition->term[i].holds && condition->any)
			text = arena_printf(a, "%s%s where it is not true that %s", text, n_positive++ ? ", or" : "",
			    condition->term[i].sentence);
		else if (!condition->term[i].holds)
			text = arena_printf(
			    a, "%s%s where %s", text, n_except++ ? ", or" : ", except", condition->term[i].sentence);
	return arena_printf(a, "%s.", text);
}

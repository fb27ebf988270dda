/* explain.c: finds the simplest combination of features that separates failing variants from passing ones. */
#include "explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "graph/walk.h"
#include "facts.h"

enum {
	FEATURES = 2048, /* those of features_explain.def, then those named after ops, in order of appearance */
	VARIANTS = 4096,
	WORDS = VARIANTS / 64,
	PAIRS = 256, /* best pairs that a third term is tried on */
	ALTERNATIVES = 2,
	TOLD = 10 /* a condition is told if it is wrong about at most one variant in so many */
};

struct explanation {
	int n_feature, n_variant;
	char *name[FEATURES], *sentence[FEATURES]; /* owned */
	bool fails[VARIANTS];
	int number[VARIANTS];
	uint64_t has[FEATURES][WORDS]; /* one bit per variant */
	int n_about;                   /* cases that the condition is to be about; how many of them have a feature */
	int about[FEATURES];
	bool own_op[OP_COUNT];   /* in one of them */
	uint64_t near[WORDS];    /* variants without other ops */
	uint64_t typical[WORDS]; /* variants of the typical case */
	bool of_typical;         /* so are those that are added now */
};

struct explanation *explanation_open(void)
{
	static const char *const names[] =
	    {
#define FEATURE(id, sentence) #id,
#include "features_explain.def"
#undef FEATURE
	    },
	                         *const sentences[] = {
#define FEATURE(id, sentence) sentence,
#include "features_explain.def"
#undef FEATURE
	                         };
	struct explanation *x = heap_new(1, sizeof *x);

	for (int i = 0; i < FEATURE_COUNT; i++) {
		x->name[i] = heap_text(names[i]);
		x->sentence[i] = heap_text(sentences[i]);
		for (char *c = x->name[i]; *c; c++)
			*c = *c == '_' ? '-' : *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
	}
	x->n_feature = FEATURE_COUNT;
	return x;
}

void explanation_close(struct explanation *x)
{
	for (int i = 0; x && i < x->n_feature; i++) {
		free(x->name[i]);
		free(x->sentence[i]);
	}
	free(x);
}

/* The number of a feature that is named after an op; -1: it is new, and there is no room or no sentence for it. */
static int named_feature(struct explanation *x, const char *name, const char *sentence)
{
	for (int i = FEATURE_COUNT; i < x->n_feature; i++)
		if (!strcmp(x->name[i], name))
			return i;
	if (!sentence || x->n_feature == FEATURES)
		return -1;
	x->name[x->n_feature] = heap_text(name);
	x->sentence[x->n_feature] = heap_text(sentence);
	return x->n_feature++;
}

void explanation_about(struct explanation *x, const struct testcase *c, struct arena *scratch)
{
	const struct facts *f = facts_of(c, scratch);

	x->n_about++;
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);)
		x->own_op[w.node->op] = true;
	for (int i = 0; i < FEATURE_COUNT; i++)
		x->about[i] += f->at[i];
	for (int i = 0; i < f->n_named; i++) {
		int k = named_feature(x, f->named[i], f->sentence[i]);

		if (k >= 0)
			x->about[k]++;
	}
}

void explanation_of_typical(struct explanation *x, bool typical) { x->of_typical = typical; }

static bool has_other_op(const struct explanation *x, const struct program *p)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (w.node->op != OP_CONSTANT && !x->own_op[w.node->op])
			return true;
	return false;
}

void explanation_add(struct explanation *x, const struct testcase *c, bool fails, int number, struct arena *scratch)
{
	const struct facts *f;
	int v;

	for (int i = 0; i < x->n_variant; i++)
		if (x->number[i] == number)
			return;
	if (x->n_variant == VARIANTS)
		return;
	f = facts_of(c, scratch);
	v = x->n_variant++;
	x->fails[v] = fails;
	x->number[v] = number;
	if (x->of_typical)
		x->typical[v / 64] |= (uint64_t)1 << v % 64;
	if (!has_other_op(x, &c->program))
		x->near[v / 64] |= (uint64_t)1 << v % 64;
	for (int i = 0; i < FEATURE_COUNT; i++)
		if (f->at[i])
			x->has[i][v / 64] |= (uint64_t)1 << v % 64;
	for (int i = 0; i < f->n_named; i++) {
		int k = named_feature(x, f->named[i], f->sentence[i]);

		if (k >= 0)
			x->has[k][v / 64] |= (uint64_t)1 << v % 64;
	}
}

/* ---- the search ---- */

/* Variants for which a condition holds. */
struct set {
	uint64_t at[WORDS];
};

struct condition_candidate {
	int n, literal[EXPLANATION_TERMS]; /* 2 * feature + negated */
	bool any;                          /* one of the terms is enough; else all are needed */
	int errors;
	int named; /* terms that are named after ops */
};

struct condition_search {
	const struct explanation *x;
	bool told;
	int n_variant; /* that count */
	int words, n_literal, *literal;
	struct set *set; /* [n_literal] */
	struct set fails, all;
};

static int count(const uint64_t *bits, int words)
{
	int n = 0;

	for (int w = 0; w < words; w++)
		n += __builtin_popcountll(bits[w]);
	return n;
}

static int errors_of(
    const struct condition_search *s, const struct set *a, const struct set *b, const struct set *c, bool any)
{
	int n = 0;

	for (int w = 0; w < s->words; w++) {
		uint64_t holds = a->at[w];

		if (b)
			holds = any ? holds | b->at[w] : holds & b->at[w];
		if (c)
			holds = any ? holds | c->at[w] : holds & c->at[w];
		n += __builtin_popcountll(holds ^ s->fails.at[w]);
	}
	return n;
}

/* Whether every op in the name of a feature is in a case that the condition is to be about. */
static bool names_own_ops(const struct explanation *x, int feature)
{
	char word[64];

	for (const char *at = x->name[feature]; feature >= FEATURE_COUNT && *at; at += strspn(at, " ")) {
		const int n = (int)strcspn(at, " ");

		snprintf(word, sizeof word, "%.*s", n, at);
		if (op_find(word) >= 0 && !x->own_op[op_find(word)])
			return false;
		at += n;
	}
	return true;
}

/* Whether the condition may speak of it. */
static bool is_about(const struct condition_search *s, int feature, bool negated, const struct set *set)
{
	const struct explanation *x = s->x;
	bool some = false, others = false;

	if (!x->n_about || !s->told)
		return true;
	if (!names_own_ops(x, feature))
		return false;
	if (!negated && x->about[feature])
		return true;
	for (int w = 0; w < s->words; w++) {
		some |= (set->at[w] & x->near[w]) != 0;
		others |= (~set->at[w] & x->near[w] & s->all.at[w]) != 0;
	}
	return some && others;
}

/* Lists the literals that hold for some variants and not for others; of literals for the same variants, the first. */
static void make_literals(struct condition_search *s, struct arena *a)
{
	const struct explanation *x = s->x;

	s->literal = NEW(a, int, 2 * x->n_feature);
	s->set = NEW(a, struct set, 2 * x->n_feature);
	for (int negated = 0; negated < 2; negated++)
		for (int f = 0; f < x->n_feature; f++) {
			struct set *set = &s->set[s->n_literal];
			int n, k;

			for (int w = 0; w < s->words; w++)
				set->at[w] = (negated ? ~x->has[f][w] : x->has[f][w]) & s->all.at[w];
			n = count(set->at, s->words);
			if (!n || n == s->n_variant || !is_about(s, f, negated, set))
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
/* Errors in 1000 variants.  In what is told, a term that is named after an op counts like 10. */
static int64_t cost_of(const struct condition_search *s, const struct condition_candidate *c)
{
	return (int64_t)c->errors * 1000 + (s->told ? (int64_t)c->named * 10 * s->n_variant : 0);
}

static void offer(const struct condition_search *s, struct condition_candidate *best, int *n, int room,
    const struct condition_candidate *c)
{
	int at = *n;

	for (int i = 0; i < *n; i++)
		if (best[i].errors == c->errors && same_terms(&best[i], c))
			return;
	while (at > 0 && cost_of(s, &best[at - 1]) > cost_of(s, c))
		at--;
	if (at == room)
		return;
	if (*n < room)
		++*n;
	memmove(best + at + 1, best + at, (size_t)(*n - at - 1) * sizeof *best);
	best[at] = *c;
}

static bool is_named(const struct condition_search *s, int literal) { return s->literal[literal] / 2 >= FEATURE_COUNT; }

static void search_singles(const struct condition_search *s, struct condition_candidate *best, int *n)
{
	for (int i = 0; i < s->n_literal; i++) {
		struct condition_candidate c = {.n = 1,
		    .literal = {i},
		    .errors = errors_of(s, &s->set[i], NULL, NULL, false),
		    .named = is_named(s, i)};

		offer(s, best, n, PAIRS, &c);
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
				    .errors = errors_of(s, &s->set[i], &s->set[k], NULL, any),
				    .named = is_named(s, i) + is_named(s, k)};

				if (*n < PAIRS || cost_of(s, &c) < cost_of(s, &best[*n - 1]))
					offer(s, best, n, PAIRS, &c);
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
			c.named += is_named(s, k);
			if (*n < PAIRS || cost_of(s, &c) < cost_of(s, &best[*n - 1]))
				offer(s, best, n, PAIRS, &c);
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
		bool has = holds(s, c, v), fails = s->x->fails[v];

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

/* Whether one more term is worth it: it must save more than one exception in 100 variants. */
static bool worth(int64_t saved, int n_variant) { return saved > 10 * (int64_t)n_variant; }

void explanation_find(const struct explanation *x, bool told, struct arena *a, struct explained *out)
{
	struct condition_search s = {.x = x, .told = told};
	struct condition_candidate *best[EXPLANATION_TERMS + 1] = {0}, *chosen;
	int n[EXPLANATION_TERMS + 1] = {0}, terms = 1, failing = 0;

	*out = (struct explained){0};
	s.words = (x->n_variant + 63) / 64;
	for (int v = 0; v < x->n_variant; v++) {
		if (!told && x->typical[v / 64] >> v % 64 & 1)
			continue;
		s.n_variant++;
		s.all.at[v / 64] |= (uint64_t)1 << v % 64;
		if (x->fails[v])
			s.fails.at[v / 64] |= (uint64_t)1 << v % 64;
		failing += x->fails[v];
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
		if (n[i] && worth(cost_of(&s, &best[terms][0]) - cost_of(&s, &best[i][0]), s.n_variant))
			terms = i;
	chosen = &best[terms][0];
	/* "always" or "never" would predict as well */
	if (chosen->errors >= failing || chosen->errors >= s.n_variant - failing)
		return;
	put_condition(&s, chosen, out, a);
	put_counts(&s, chosen, out, a);
	out->determined = chosen->errors * TOLD <= s.n_variant;
	put_alternatives(&s, best[terms], n[terms], out, a);
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
	const char *text = "It fails";
	int n_positive = 0, n_except = 0;

	if (condition->always)
		return "It fails in every variant that was tried.";
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

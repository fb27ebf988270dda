/* minimize.c: applies the passes until none helps.  It holds the measure, the set of tried candidates, and the best
 * case. */
#include "minimize.h"

#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "engines/engine.h"
#include "passes.h"

static const struct pass {
	minimize_pass_fn *make;
	bool elsewhere; /* candidates may be varied as well */
} passes[] = {
#define PASS(function, elsewhere, meaning) {function, elsewhere},
#include "passes.def"
#undef PASS
};
enum { PASSES = sizeof passes / sizeof *passes };

enum {
	ARENA_LIMIT = 256 << 20,
	/*
	 * A pass gives up after this many candidates without a success.  Otherwise passes over pairs of inputs, or over
	 * the elements of large literals, would use up the budget.
	 */
	PATIENCE = 4000,
	/*
	 * A search ends when the engine has died of so many candidates that were not taken.  Each death costs as much
	 * as dozens of answers.
	 */
	VAIN_DEATHS = 32
};

/* ---- the measure: lexicographic, smaller is simpler ---- */

enum { MEASURES = 13 };
struct measure {
	int64_t at[MEASURES];
	/* The order of two equally simple cases.  It lets one bug end in one program. */
	int n_key;
	const int *key;
};

static int dtype_weight(enum dtype d)
{
	return d == DTYPE_F64 || d == DTYPE_I64 || d == DTYPE_BOOL ? 0 : d == DTYPE_F32 || d == DTYPE_I32 ? 1 : 2;
}

static struct measure measure_of(const struct testcase *c, struct arena *a)
{
	struct edit sites = {.c = *c};
	const struct program *p = &c->program;
	int64_t ops = 0, regions = 0, constants = 0, weight = 0, attrs = 0, trips = 0, elements = 0, dtypes = 0;
	int64_t lists = p->top.n_param + p->top.n_result, request = c->n_point, batches = 0;
	struct measure m;
	struct site s;

	for (struct walk w = walk_nodes(&sites.c.program.top); edit_next(&sites, &w, &s);) {
		const struct attrs *at = &s.node->attrs;

		if (s.node->op == OP_CONSTANT) {
			constants++;
			continue;
		}
		ops++;
		regions += s.node->n_region;
		weight += edit_op_weight(s.node->op);
		/* Unary and binary ops: the weight says which is plainer. */
		lists += s.node->n_out + (s.node->n_arg > 2 ? s.node->n_arg - 2 : 0);
		if (s.node->n_region)
			trips += node_max_trip(s.node) + (s.node->op == OP_FOR ? 0 : 1) + at->until;
		attrs += at->keepdims + (at->axis != 0) + (at->mode != 0) + at->n_axes;
		for (int d = 0; d < LIMIT_RANK; d++)
			attrs += (at->start[d] != 0) + (at->stride[d] != 0 && at->stride[d] != 1) + (at->low[d] != 0) +
			    (at->high[d] != 0);
	}
	for (int v = 0; v < p->n_value; v++) {
		elements += shape_elements(&p->type[v].shape) + p->type[v].shape.rank;
		dtypes += dtype_weight(p->type[v].dtype);
	}
	for (int t = 0; t < c->n_transform; t++) {
		request += 1 + c->transform[t].n_wrt + c->transform[t].size;
		batches += c->transform[t].kind == TRANSFORM_BATCH;
	}
	m = (struct measure){.at = {batches, ops, regions, request, lists, trips, dtypes, elements, constants, weight,
	                         attrs, edit_number_cost(&sites), c->variant}};
	m.key = edit_order_key(&sites, a, &m.n_key);
	return m;
}

static bool measure_less(const struct measure *a, const struct measure *b, bool tidy)
{
	for (int i = 0; i < MEASURES; i++)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i];
	for (int i = 0; tidy && i < a->n_key && i < b->n_key; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i];
	return tidy && a->n_key < b->n_key;
}

/* ---- what was tried: an open-addressed set of case hashes, 0 meaning empty ---- */

struct tried {
	uint64_t *at;
	size_t mask;
};

static void tried_open(struct tried *t, int budget)
{
	size_t size = 64;

	while (size < (size_t)budget * 2)
		size *= 2;
	t->mask = size - 1;
	t->at = heap_new(size, sizeof *t->at);
}

/* False when h was there already. */
static bool tried_add(struct tried *t, uint64_t h)
{
	size_t i;

	h += !h;
	for (i = (size_t)h & t->mask; t->at[i]; i = (i + 1) & t->mask)
		if (t->at[i] == h)
			return false;
	t->at[i] = h;
	return true;
}

/* ---- the search ---- */

struct minimizer {
	interesting_fn *interesting;
	void *self;
	int budget;
	int vain_deaths;
	const struct limit *until;
	struct minimize_statistics *stats;
	struct arena keep[2]; /* the best case so far lives in keep[which] */
	struct arena work;    /* the candidate */
	struct arena scratch; /* the predicate's */
	int which;
	struct testcase best;
	struct measure measure;
	struct tried tried;
	struct engine *primal;
	bool idles;     /* the first case has a loop with no iterations */
	bool drop_dead; /* the best case has no dead code, so candidates drop theirs; otherwise dead code matters to the
	                   finding */
	bool elsewhere; /* candidates that do not fail at the points of the best case are varied */
	bool tidy;      /* an equally simple case that comes first in the order is better */
};

static void keep_case(struct minimizer *m, const struct testcase *c)
{
	struct arena *to = &m->keep[!m->which];
	struct program live;

	arena_reset(to);
	m->best = testcase_copy(c, to);
	m->which = !m->which;
	m->measure = measure_of(&m->best, to);
	live = program_drop_dead(&m->best.program, &m->work);
	m->drop_dead = program_nodes(&live) == program_nodes(&m->best.program);
}

/* Result of a candidate.  TRIAL_SIMPLER: it is simpler, but does not show the finding.  TRIAL_DEATH: the same, because
 * the engine died; it would most likely die elsewhere too. */
enum trial { TRIAL_END, TRIAL_SKIP, TRIAL_SIMPLER, TRIAL_DEATH, TRIAL_BETTER };

/* Tries candidate k of a pass, varied by edit_vary unless `variant` is -1.  TRIAL_BETTER: it is the best case now. */
static enum trial make_and_judge(struct minimizer *m, minimize_pass_fn *make, int k, int variant)
{
	struct edit e;
	const int deaths = m->until ? m->until->deaths : 0;
	struct measure measure;
	enum edit_result r;

	arena_reset(&m->work);
	arena_reset(&m->scratch);
	e = (struct edit){.c = testcase_copy(&m->best, &m->work), .arena = &m->work, .primal = m->primal};
	r = make(&e, k);
	if (r != EDIT_TRY)
		return r == EDIT_END ? TRIAL_END : TRIAL_SKIP;
	/* The seeds get their types first.  Otherwise those of a larger result would repeat each other. */
	if (variant >= 0 && edit_finish(&e, m->drop_dead))
		edit_vary(&e, variant);
	if (!edit_finish(&e, m->drop_dead) || (!m->idles && edit_idles(&e.c.program)))
		return TRIAL_SKIP;
	measure = measure_of(&e.c, &m->work);
	if (!measure_less(&measure, &m->measure, m->tidy))
		return TRIAL_SKIP;
	if (!tried_add(&m->tried, testcase_hash(&e.c)))
		return TRIAL_SIMPLER;
	m->stats->tried++;
	if (!m->interesting(m->self, &e.c, &m->scratch)) {
		if (!m->until || m->until->deaths == deaths)
			return TRIAL_SIMPLER;
		m->vain_deaths++;
		return TRIAL_DEATH;
	}
	keep_case(m, &e.c);
	m->stats->accepted++;
	return TRIAL_BETTER;
}

struct candidate {
	struct minimizer *m;
	minimize_pass_fn *make;
	int k, variant;
	enum trial became;
};

static void run_candidate(void *context)
{
	struct candidate *x = context;

	x->became = make_and_judge(x->m, x->make, x->k, x->variant);
}

/*
 * A candidate that does not fit into memory is skipped.  The best case is safe: keep_case fills the other arena first.
 */
static enum trial try_candidate(struct minimizer *m, minimize_pass_fn *make, int k, int variant)
{
	struct candidate x = {m, make, k, variant, TRIAL_SKIP};
	struct arena *const arenas[] = {&m->keep[0], &m->keep[1], &m->work, &m->scratch};

	arenas_try(arenas, 4, run_candidate, &x);
	return x.became;
}

static bool is_over(const struct minimizer *m)
{
	return m->stats->tried >= m->budget || m->vain_deaths >= VAIN_DEATHS || limit_over(m->until, NULL);
}

static enum trial try_everywhere(struct minimizer *m, const struct pass *pass, int k)
{
	enum trial t = try_candidate(m, pass->make, k, -1);

	if (!m->elsewhere || !pass->elsewhere)
		return t;
	for (int v = 0; t == TRIAL_SIMPLER && v < edit_variants && !is_over(m); v++)
		if (try_candidate(m, pass->make, k, v) == TRIAL_BETTER)
			return TRIAL_BETTER;
	return t;
}

/* Whether the pass made progress. */
static bool run_pass(struct minimizer *m, const struct pass *pass)
{
	bool progress = false;

	for (int k = 0, idle = 0; idle < PATIENCE && !is_over(m);) {
		switch (try_everywhere(m, pass, k)) {
		case TRIAL_END:
			return progress;
		case TRIAL_BETTER:
			progress = true;
			idle = 0;
			break;
		case TRIAL_SKIP:
		case TRIAL_SIMPLER:
		case TRIAL_DEATH:
			k++;
			idle++;
			break;
		}
	}
	return progress;
}

static void run_passes(struct minimizer *m)
{
	bool progress = true;

	while (progress && !is_over(m)) {
		progress = false;
		for (int i = 0; i < PASSES; i++)
			if (run_pass(m, &passes[i]))
				progress = true;
		m->stats->rounds++;
	}
}

static void search(struct minimizer *m)
{
	/* Candidates at other points cost several times as much, so they come later. */
	run_passes(m);
	m->elsewhere = true;
	run_passes(m);
	m->tidy = true;
	run_passes(m);
}

static void minimizer_close(struct minimizer *m)
{
	if (m->primal)
		engine_close(m->primal);
	free(m->tried.at);
	arena_free(&m->keep[0]);
	arena_free(&m->keep[1]);
	arena_free(&m->work);
	arena_free(&m->scratch);
}

struct handing_out {
	const struct testcase *best;
	struct arena *arena;
	struct testcase copy;
};

static void hand_out(void *context)
{
	struct handing_out *x = context;

	x->copy = testcase_copy(x->best, x->arena);
}

struct testcase minimize(const struct testcase *from, interesting_fn *interesting, void *self, int budget,
    const struct limit *until, struct arena *a, struct minimize_statistics *stats)
{
	struct minimizer m = {
	    .interesting = interesting, .self = self, .budget = budget, .until = until, .stats = stats};
	struct handing_out out = {&m.best, a};
	struct testcase start = *from;
	struct error error = {0};
	bool fits;

	*stats = (struct minimize_statistics){0};
	arena_init(&m.keep[0], ARENA_LIMIT);
	arena_init(&m.keep[1], ARENA_LIMIT);
	arena_init(&m.work, ARENA_LIMIT);
	arena_init(&m.scratch, ARENA_LIMIT);
	/* Expectations and texts describe the original case.  Only its origin stays. */
	start.n_expect = 0;
	start.provenance.title = start.provenance.comment = NULL;
	m.work.kept = m.scratch.kept = ARENA_LIMIT; /* until the search ends; a large candidate is followed by others */
	tried_open(&m.tried, budget);
	m.primal = engine_open("tape", &error);
	m.idles = edit_idles(&start.program);
	keep_case(&m, &start);
	search(&m);
	fits = arena_try(a, hand_out, &out);
	minimizer_close(&m);
	if (!fits)
		arena_full(a);
	return out.copy;
}

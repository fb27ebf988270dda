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
	VAIN_DEATHS = 32,
	/* How far a request with several candidates looks ahead.  Most of what it sees there is no simpler case. */
	LOOK_AHEAD = 2000
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

/* Where h is, or belongs. */
static uint64_t *tried_place(const struct tried *t, uint64_t h)
{
	size_t i = (size_t)h & t->mask;

	while (t->at[i] && t->at[i] != h)
		i = (i + 1) & t->mask;
	return &t->at[i];
}

static uint64_t tried_key(const struct testcase *c)
{
	const uint64_t h = testcase_hash(c);

	return h + !h;
}

static bool tried_has(const struct tried *t, uint64_t h) { return *tried_place(t, h) != 0; }

static void tried_add(struct tried *t, uint64_t h) { *tried_place(t, h) = h; }

/* ---- the search ---- */

struct minimizer {
	interesting_fn *interesting;
	void *self;
	int budget;
	int vain_deaths;
	const struct limit *until;
	struct minimize_statistics *stats;
	struct arena keep[2];            /* the best case so far lives in keep[which] */
	struct arena work;               /* the candidate */
	struct arena scratch;            /* the predicate's */
	struct lookahead *ahead;         /* candidates that are asked together; NULL: each is asked alone */
	const struct question *question; /* whose `ahead` that is */
	struct arena next;               /* a candidate that may be asked together with this one */
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

/* A candidate: number k of a pass, varied by edit_vary unless `variant` is -1. */
struct candidate_place {
	int pass, k, variant;
	int idle; /* candidates of this pass, each with its variants, since the last success */
};

static struct candidate_place place_at(int pass, int k)
{
	return (struct candidate_place){.pass = pass, .k = k, .variant = -1};
}

/* The candidate of the same pass after one that did not become the best case. */
static struct candidate_place place_after(const struct minimizer *m, struct candidate_place at, enum trial became)
{
	const bool varies = m->elsewhere && passes[at.pass].elsewhere;

	if (varies && (at.variant >= 0 || became == TRIAL_SIMPLER) && at.variant + 1 < edit_variants)
		at.variant++;
	else
		at = (struct candidate_place){.pass = at.pass, .k = at.k + 1, .variant = -1, .idle = at.idle + 1};
	return at;
}

/* Makes the candidate *e in `a`.  TRIAL_BETTER: it is simpler than the best case and was not tried; *hash is then its
 * key among those tried. */
static enum trial make_candidate(
    const struct minimizer *m, const struct candidate_place *at, struct arena *a, struct edit *e, uint64_t *hash)
{
	struct measure measure;
	enum edit_result r;

	arena_reset(a);
	*e = (struct edit){.c = testcase_copy(&m->best, a), .arena = a, .primal = m->primal};
	r = passes[at->pass].make(e, at->k);
	if (r != EDIT_TRY)
		return r == EDIT_END ? TRIAL_END : TRIAL_SKIP;
	/* The seeds get their types first.  Otherwise those of a larger result would repeat each other. */
	if (at->variant >= 0 && edit_finish(e, m->drop_dead))
		edit_vary(e, at->variant);
	if (!edit_finish(e, m->drop_dead) || (!m->idles && edit_idles(&e->c.program)))
		return TRIAL_SKIP;
	measure = measure_of(&e->c, a);
	if (!measure_less(&measure, &m->measure, m->tidy))
		return TRIAL_SKIP;
	*hash = tried_key(&e->c);
	return tried_has(&m->tried, *hash) ? TRIAL_SIMPLER : TRIAL_BETTER;
}

/* ---- candidates asked together ---- */

struct glance {
	struct minimizer *m;
	struct candidate_place at;
	enum trial became; /* TRIAL_END: the pass has no more */
	bool full;
};

/* Adds the candidate to those that are asked together, if it will be tried unless an earlier one succeeds. */
static void look_at(void *context)
{
	struct glance *x = context;
	struct minimizer *m = x->m;
	const struct question *q = m->question;
	struct edit e;
	uint64_t hash;

	x->became = make_candidate(m, &x->at, &m->next, &e, &hash);
	if (x->became != TRIAL_BETTER)
		return;
	x->became = TRIAL_SIMPLER;
	if (!lookahead_has(m->ahead, &e.c) && !(q->refuse && q->refuse(q->context, &e.c)))
		x->full = !lookahead_add(m->ahead, &e.c);
}

/* Asks together about c, which is the candidate at `from`, and those that follow until one succeeds. */
static void look_ahead(struct minimizer *m, const struct testcase *c, struct candidate_place from)
{
	struct glance x = {m, from, TRIAL_SIMPLER, false};
	struct arena *const next[] = {&m->next};
	const int room = lookahead_room(m->ahead);

	lookahead_clear(m->ahead);
	if (room == 1 || !lookahead_add(m->ahead, c))
		return;
	for (int seen = 0; seen < LOOK_AHEAD && lookahead_count(m->ahead) < room && !x.full; seen++) {
		x.at = x.became == TRIAL_END || x.at.idle == PATIENCE ? place_at(x.at.pass + 1, 0)
		                                                      : place_after(m, x.at, x.became);
		if (x.at.pass == PASSES)
			break;
		x.became = TRIAL_SKIP;
		arenas_try(next, 1, look_at, &x);
	}
	if (lookahead_count(m->ahead) > 1)
		lookahead_ask(m->ahead);
}

/* ---- one candidate ---- */

static enum trial make_and_judge(struct minimizer *m, const struct candidate_place *at)
{
	struct edit e;
	const int deaths = m->until ? m->until->deaths : 0;
	uint64_t hash;
	enum trial t;

	arena_reset(&m->scratch);
	t = make_candidate(m, at, &m->work, &e, &hash);
	if (t != TRIAL_BETTER)
		return t;
	tried_add(&m->tried, hash);
	m->stats->tried++;
	if (m->ahead && !lookahead_has(m->ahead, &e.c))
		look_ahead(m, &e.c, *at);
	if (!m->interesting(m->self, &e.c, &m->scratch)) {
		if (!m->until || m->until->deaths == deaths)
			return TRIAL_SIMPLER;
		m->vain_deaths++;
		return TRIAL_DEATH;
	}
	if (m->ahead)
		lookahead_succeeded(m->ahead);
	keep_case(m, &e.c);
	m->stats->accepted++;
	return TRIAL_BETTER;
}

struct candidate {
	struct minimizer *m;
	const struct candidate_place *at;
	enum trial became;
};

static void run_candidate(void *context)
{
	struct candidate *x = context;

	x->became = make_and_judge(x->m, x->at);
}

/*
 * A candidate that does not fit into memory is skipped.  The best case is safe: keep_case fills the other arena first.
 */
static enum trial try_candidate(struct minimizer *m, const struct candidate_place *at)
{
	struct candidate x = {m, at, TRIAL_SKIP};
	struct arena *const arenas[] = {&m->keep[0], &m->keep[1], &m->work, &m->scratch};

	arenas_try(arenas, 4, run_candidate, &x);
	return x.became;
}

static bool is_over(const struct minimizer *m)
{
	return m->stats->tried >= m->budget || m->vain_deaths >= VAIN_DEATHS || limit_over(m->until, NULL);
}

/* Whether the pass made progress. */
static bool run_pass(struct minimizer *m, int pass)
{
	bool progress = false;

	for (struct candidate_place at = place_at(pass, 0); at.idle < PATIENCE && !is_over(m);) {
		const enum trial became = try_candidate(m, &at);

		if (became == TRIAL_END)
			return progress;
		progress = progress || became == TRIAL_BETTER;
		at = became == TRIAL_BETTER ? place_at(pass, at.k) : place_after(m, at, became);
	}
	return progress;
}

static void run_passes(struct minimizer *m)
{
	bool progress = true;

	while (progress && !is_over(m)) {
		progress = false;
		for (int i = 0; i < PASSES; i++)
			if (run_pass(m, i))
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
	arena_free(&m->next);
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

struct testcase minimize_together(const struct testcase *from, interesting_fn *interesting, void *self,
    const struct question *question, int budget, const struct limit *until, struct arena *a,
    struct minimize_statistics *stats)
{
	struct minimizer m = {.interesting = interesting,
	    .self = self,
	    .budget = budget,
	    .until = until,
	    .stats = stats,
	    .ahead = question ? question->ahead : NULL,
	    .question = question};
	struct handing_out out = {&m.best, a};
	struct testcase start = *from;
	struct error error = {0};
	bool fits;

	*stats = (struct minimize_statistics){0};
	arena_init(&m.keep[0], ARENA_LIMIT);
	arena_init(&m.keep[1], ARENA_LIMIT);
	arena_init(&m.work, ARENA_LIMIT);
	arena_init(&m.scratch, ARENA_LIMIT);
	arena_init(&m.next, ARENA_LIMIT);
	/* Expectations and texts describe the original case.  Only its origin stays. */
	start.n_expect = 0;
	start.provenance.title = start.provenance.comment = NULL;
	m.work.kept = m.scratch.kept = m.next.kept =
	    ARENA_LIMIT; /* until the search ends; a large candidate is followed by others */
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

struct testcase minimize(const struct testcase *from, interesting_fn *interesting, void *self, int budget,
    const struct limit *until, struct arena *a, struct minimize_statistics *stats)
{
	return minimize_together(from, interesting, self, NULL, budget, until, a, stats);
}

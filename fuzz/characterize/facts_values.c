/* facts_values.c: runs the program of a case at its points, also with exchanged branches, and sums up what shows. */
#include <string.h>

#include "engines/aot/interpret.h"
#include "engines/aot/lower.h"
#include "facts_watch.h"
#include "fuzz/edit/edit.h"

enum { CONDS = 4 }; /* so many are run with their branches exchanged */

/* Whether value v was singular, or a value that v is computed from in region r and its regions. */
static bool singular_behind(const struct facts_watch *w, const struct region *r, int v, bool *seen)
{
	if (w->singular[v])
		return true;
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];

		for (int k = 0; k < n->n_region; k++)
			if (singular_behind(w, &n->region[k], v, seen))
				return true;
		if (v < n->out || v >= n->out + n->n_out || seen[v])
			continue;
		seen[v] = true;
		for (int k = 0; k < n->n_arg; k++)
			if (singular_behind(w, &w->p->top, n->arg[k], seen))
				return true;
	}
	return false;
}

static void after_run(struct facts_watch *w)
{
	for (int v = 0; v < w->p->n_value; v++) {
		w->f->at[FEATURE_SINGULAR] |= w->singular[v];
		if (w->untaken[v] || w->lost[v]) {
			bool behind = singular_behind(w, &w->p->top, v, NEW(w->f->arena, bool, w->p->n_value));

			behind = behind && (w->p->top.node != w->f->c->program.top.node || w->f->varied[v]);
			w->f->at[FEATURE_DEAD_SINGULAR] |= w->untaken[v] && behind;
			w->f->at[FEATURE_LOSER_SINGULAR] |= w->lost[v] && behind;
		}
	}
}

/* Whether some transform differentiates this input. */
static bool asked(const struct facts *f, int input)
{
	for (int t = 0; t < f->c->n_transform; t++)
		for (int i = 0; f->c->transform[t].kind != TRANSFORM_BATCH && i < f->c->transform[t].n_wrt; i++)
			if (f->c->transform[t].wrt[i] == input)
				return true;
	return false;
}

/* Features of the point itself. */
static void of_point(struct facts *f, const struct tensor *point)
{
	const int n = f->c->program.top.n_param;

	for (int i = 0; i < n; i++) {
		if (!f->varied[f->c->program.top.param + i])
			continue;
		for (int k = 0; k < shape_elements(&point[i].type.shape); k++)
			f->at[FEATURE_ZERO_VALUE] |= point[i].at[k].f == 0;
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (asked(f, i) && j != i && tensor_same(&point[i], &point[j])) {
				f->at[FEATURE_INPUTS_EQUAL] = true;
				f->at[FEATURE_TWIN_USED] |= region_reads(
				    &f->c->program.top, f->c->program.top.param + j);
			}
}

static void run_points(
    struct facts *f, const struct program *p, const struct interpret_observer *observer, uint64_t *last)
{
	struct facts_watch *w = observer->self;

	for (int k = 0; k < f->c->n_point; k++) {
		struct arena_mark mark = arena_mark(f->arena);
		struct tensor input[LIMIT_ARGS], result[LIMIT_ARGS];

		w->path = 1;
		w->point = k;
		memset(last, 0, (size_t)p->n_value * sizeof *last);
		for (int i = 0; i < p->top.n_param; i++)
			input[i] = (struct tensor){
			    p->type[p->top.param + i], f->c->point[k][i].at}; /* the first slice of a batch */
		interpret_observed(p, input, observer, f->arena, result);
		arena_rewind(f->arena, mark);
		w->first_path = k ? w->first_path : w->path;
		f->at[FEATURE_PATHS_DIFFER] |= w->path != w->first_path;
	}
}

/* Exchanges the branches of cond number `at`; false if there is none. */
static bool exchange_branches(struct program *p, int at)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (w.node->op == OP_COND && !at--) {
			struct region first = w.node->region[0];

			w.node->region[0] = w.node->region[1];
			w.node->region[1] = first;
			return true;
		}
	return false;
}

static void run_exchanged(struct facts_watch *w)
{
	const struct interpret_observer observer = {w, facts_watch_exchanged};
	struct arena *a = w->f->arena;

	for (int k = 0; k < CONDS; k++) {
		struct arena_mark mark = arena_mark(a);
		struct program p = program_copy(w->p, a);
		bool found = exchange_branches(&p, k);

		if (found)
			run_points(w->f, &p, &observer, w->last);
		arena_rewind(a, mark);
		if (!found)
			break;
	}
}

void facts_at_points(struct facts *f)
{
	const struct program *p = &f->c->program;
	struct program plain, lowered;
	struct facts_watch w = {.f = f, .p = &lowered};
	const struct interpret_observer observer = {&w, facts_watch_step};

	for (int k = 0; k < f->c->n_point; k++)
		of_point(f, f->c->point[k]);
	if (region_has_op(&p->top, OP_DERIVATIVE))
		return; /* an engine would lower it first: its values are not known */
	plain = lower_customs(p, DERIVATIVE_COUNT, f->arena);
	lowered = lower_fixed_points(&plain, false, f->arena);
	w.known = lowered.top.node == p->top.node;
	w.singular = NEW(f->arena, bool, lowered.n_value);
	w.untaken = NEW(f->arena, bool, lowered.n_value);
	w.lost = NEW(f->arena, bool, lowered.n_value);
	w.run = NEW(f->arena, bool, lowered.n_value);
	w.unentered = NEW(f->arena, bool, lowered.n_value);
	w.changes = NEW(f->arena, bool, lowered.n_value);
	w.last = NEW(f->arena, uint64_t, lowered.n_value);
	for (int k = 0; k < 2; k++)
		w.zero_factor[k] = NEW(f->arena, bool, lowered.n_value);
	w.chooses = NEW(f->arena, bool, lowered.n_value);
	for (int k = 0; k < FACTS_OPERANDS; k++)
		w.taken[k] = NEW(f->arena, bool, lowered.n_value);
	w.entered = NEW(f->arena, int, lowered.n_value);
	run_points(f, &lowered, &observer, w.last);
	if (lowered.top.node == p->top.node) { /* nothing was lowered, so values have the same numbers */
		f->run = w.run;
		f->unentered = w.unentered;
		f->chooses = w.chooses;
		f->changes = w.changes;
		memcpy(f->zero_factor, w.zero_factor, sizeof f->zero_factor);
		memcpy(f->taken, w.taken, sizeof f->taken);
		run_exchanged(&w);
	}
	after_run(&w);
}

bool facts_same_path(const struct facts *a, const struct facts *b)
{
	static const enum feature of_path[] = {FEATURE_TRIPS_ZERO, FEATURE_TRIPS_OVER_ONE, FEATURE_TRIPS_OVER_TWO,
	    FEATURE_TRIPS_OVER_THREE, FEATURE_LOOP_ENDS_EARLY, FEATURE_TIE, FEATURE_DUPLICATE_INDEX,
	    FEATURE_INDEX_NEGATIVE, FEATURE_INDEX_BEYOND, FEATURE_DEAD_SINGULAR, FEATURE_LOSER_SINGULAR,
	    FEATURE_BRANCH_SINGULAR, FEATURE_SINGULAR, FEATURE_NON_FINITE};
	const size_t n = (size_t)a->c->program.n_value * sizeof(bool);

	for (size_t i = 0; i < sizeof of_path / sizeof *of_path; i++)
		if (a->at[of_path[i]] != b->at[of_path[i]])
			return false;
	if (!a->run || !b->run)
		return !a->run == !b->run;
	for (int k = 0; k < FACTS_OPERANDS; k++)
		if (memcmp(a->taken[k], b->taken[k], n))
			return false;
	return !memcmp(a->run, b->run, n);
}

/*
 * findings.c: writes the findings of a sweep as files.  The op of a cell is not always to blame, because its programs
 * have other ops too.  So a finding is named by its minimal case, and cells with the same minimal case are one finding.
 */
#include <math.h>
#include <string.h>

#include "emit/emit.h"
#include "engines/process/hello.h"
#include "reports/file.h"
#include "fuzz/bench/bench.h"
#include "conform.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/minimize/simplest.h"
#include "fuzz/minimize/spellings.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"
#include "fuzz/triage/same_bug.h"
#include "graph/walk.h"

/* FINDING_BUDGET: candidates of the minimizer.  The cases are small already. */
enum { FINDING_BUDGET = 400, FINDING_ARENA = 512 << 20 };

/* Seconds after which a search keeps the smallest case so far.  An engine from outside may take seconds to answer. */
static const double SEARCH = 120;

/* A finding that is written. */
struct written {
	const char *name;
	struct symptom symptom;
	const char *last_cell; /* the last that pointed to it; NULL: none did */
};

struct writer {
	const struct conform *m;
	struct bench *bench;
	struct engine *emitter;   /* writes sources */
	const char *dir, *suffix; /* suffix: "" if the engine emits no source */
	FILE *list;
	struct arena *arena, side;
	int n_key, n_name, n;
	const char **key;        /* [n_key] OP|SIGNATURE of the cells that were minimized */
	const char **name;       /* [n_name] names of files */
	struct written *written; /* [n] */
};

static bool has_text(const char *const *list, int n, const char *text)
{
	for (int k = 0; k < n; k++)
		if (!strcmp(list[k], text))
			return true;
	return false;
}

static bool is_new(struct writer *w, const char *key)
{
	if (has_text(w->key, w->n_key, key))
		return false;
	w->key[w->n_key++] = arena_printf(w->arena, "%s", key);
	return true;
}

/* `name`, or with a number behind it if a file has that name already. */
static const char *new_name(struct writer *w, const char *name)
{
	const char *out = arena_printf(w->arena, "%s", name);

	for (int k = 2; has_text(w->name, w->n_name, out); k++)
		out = arena_printf(w->arena, "%s-%d", name, k);
	return w->name[w->n_name++] = out;
}

static bool write_case(struct writer *w, const struct testcase *c, const char *name, const char *title, struct error *e)
{
	struct testcase titled = *c;
	size_t len;
	char *text;

	titled.provenance.title = arena_printf(&w->side, "%s", title);
	text = testcase_write(&titled, &w->side, &len);
	return file_write_atomic(w->dir, arena_printf(&w->side, "%s.json", name), text, len, e);
}

/* Writes the case as source.  An engine that has no counterpart for a part of it writes none.  *file: the name of the
 * written file.  leak: it shows a NaN that the engine declares. */
static bool write_source(
    struct writer *w, const struct testcase *c, const char *name, bool leak, const char **file, struct error *e)
{
	struct error why = {0};
	struct text out = {.arena = &w->side};
	struct emission x = {.c = c, .arena = &w->side, .out = &out};
	struct truth truth;
	const char **text;
	int n;

	*file = arena_printf(&w->side, "%s.json", name);
	if (!*w->suffix || !engine_emit(w->emitter, c, false, &w->side, &text, &n, &why) || n != 1)
		return true;
	*file = arena_printf(&w->side, "%s.%s", name, w->suffix);
	bench_declared_truth(w->bench, c, &w->side, &truth);
	x.truth = &truth;
	x.weak_zero = engine_hello(w->bench->engine[0])->weak_zero && !leak;
	emit_adapted(&x, w->suffix, text, n);
	return file_write_atomic(w->dir, *file, out.at, out.len, e);
}

/* The float dtypes of a case. */
static void floats_of(const struct testcase *c, bool out[DTYPE_COUNT])
{
	for (int v = 0; v < c->program.n_value; v++)
		out[c->program.type[v].dtype] |= dtype_is_float(c->program.type[v].dtype);
}

/* Another dtype is another column of the matrix, so a finding in f32 is shown in f32. */
static bool has_other_floats(void *found, const struct testcase *c)
{
	bool had[DTYPE_COUNT] = {false}, has[DTYPE_COUNT] = {false};

	floats_of(found, had);
	floats_of(c, has);
	for (int d = 0; d < DTYPE_COUNT; d++)
		if (has[d] && !had[d])
			return true;
	return false;
}

/* ---- which finding a minimal case is ---- */

/* A wrong value is one finding, whatever the request. */
static struct symptom symptom_of(struct writer *w, const struct testcase *shown, const struct bench_result *r)
{
	const struct judgement *j = &r->judgement[0];
	const struct question any = {.bench = w->bench};
	struct testcase bare = *shown;
	const struct testcase *c = &bare;
	enum role *role = NEW(&w->side, enum role, program_nodes(&c->program) + 1);
	struct symptom s = {.spelled = engine_spelled(w->bench->engine[0], c, &w->side),
	    .verdict = j->verdict,
	    .deviation = j->deviation};

	if (verdict_answers(j->verdict))
		find_roles(&any, shown, j->verdict, &w->side, role);
	if (j->verdict == VERDICT_WRONG_PRIMAL)
		bare.n_transform = 0;
	s.asked = asked_of(c);
	s.fine = fine_spelled(fine_signature(engine_name(w->bench->engine[0]), c, j->verdict, role, &w->side),
	    engine_spellings(w->bench->engine[0], c, &w->side), w->arena);
	s.pattern = pattern_of(c, role);
	s.factor = j->expected != 0 ? j->returned / j->expected : NAN;
	s.weak_zero = j->verdict == VERDICT_NAN_LEAK && j->weak_zero;
	s.raised = j->verdict == VERDICT_CRASH && r->answer[0][j->point].raised;
	return s;
}

/* The finding that has this symptom, or whose symptom explains it, or that it explains; NULL: it is new. */
static struct written *known_finding(const struct writer *w, const struct symptom *s)
{
	for (int k = 0; k < w->n; k++)
		if (same_bug(&w->written[k].symptom, s))
			return &w->written[k];
	return NULL;
}

/* Says once for each cell that its finding is a known one. */
static void point_to(struct writer *w, const char *cell, struct written *known)
{
	if (!strcmp(cell, known->name) || (known->last_cell && !strcmp(cell, known->last_cell)))
		return;
	fprintf(w->list, "%s: the same finding as %s\n", cell, known->name);
	known->last_cell = arena_printf(w->arena, "%s", cell);
}

/* The ops of the case, in order: "for+mul". */
static const char *ops_of(const struct testcase *c, struct arena *a)
{
	bool had[OP_COUNT] = {[OP_CONSTANT] = true};
	const char *out = "";

	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);) {
		if (!had[w.node->op])
			out = arena_printf(a, "%s%s%s", out, *out ? "+" : "", op_table[w.node->op].name);
		had[w.node->op] = true;
	}
	return *out ? out : "no op";
}

/* What went wrong: two numbers, or what the engine's process said. */
static const char *evidence(struct writer *w, const struct testcase *small, const struct bench_result *r)
{
	const struct judgement *j = &r->judgement[0];

	return judgement_has_numbers(j)
	    ? numbers_text(j, &w->side)
	    : text_harmless(judged_text(small, &r->truth, r->answer[0], j, &w->side), &w->side);
}

/* Writes the minimal case under the name of its own ops.  `column`: REQUEST-DTYPE-POINTS.  cell: the name of the cell.
 */
static bool write_named(struct writer *w, const struct testcase *small, const struct bench_result *r, const char *cell,
    const char *column, struct error *e)
{
	const struct judgement *j = &r->judgement[0];
	const struct symptom symptom = symptom_of(w, small, r);
	struct written *known = known_finding(w, &symptom);
	const char *ops = ops_of(small, &w->side), *spellings, *name, *title, *file;

	if (known) {
		point_to(w, cell, known);
		return true;
	}
	spellings = engine_spellings(w->bench->engine[0], small, &w->side);
	name = new_name(w, arena_printf(&w->side, "%s-%s", strcmp(ops, "no op") ? ops : "none", column));
	title = arena_printf(
	    &w->side, "%s: %s%s%s", ops, verdict_names[j->verdict], spellings ? ", " : "", spellings ? spellings : "");
	w->written[w->n++] = (struct written){.name = name, .symptom = symptom};
	if (!write_case(w, small, name, title, e) || !write_source(w, small, name, j->declared, &file, e))
		return false;
	fprintf(w->list, "%s, %s: %s: %s/%s\n", text_harmless(title, &w->side), name, evidence(w, small, r),
	    text_harmless(w->dir, &w->side), file);
	return true;
}

/* ---- cells ---- */

/* Whether both ask for the same stack of levels, which is the column of the matrix. */
static bool same_stack(const struct testcase *x, const struct testcase *y)
{
	bool same = x->n_transform == y->n_transform;

	for (int k = 0; same && k < x->n_transform; k++)
		same = x->transform[k].kind == y->transform[k].kind;
	return same;
}

/* Makes *small, which *r judges, the simplest case behind it, as long as it stays in its column.  The minimizer keeps
 * the look of the number, and so ops that have nothing to do with the bug. */
static void simplify(struct writer *w, const struct question *same, struct testcase *small, struct bench_result *r)
{
	const struct question any = {.bench = w->bench,
	    .declared = signature_declared(same->signature),
	    .until = same->until,
	    .spent = same->spent,
	    .refuse = same->refuse,
	    .context = same->context};
	struct testcase simple;
	struct bench_result judged;

	if (!verdict_answers(r->judgement[0].verdict))
		return;
	simple = simplest_case(&any, small, FINDING_BUDGET, &w->side);
	if (!same_stack(&simple, small))
		return;
	bench_judge(w->bench, &simple, &w->side, &judged);
	if (!verdict_is_finding[judged.judgement[0].verdict])
		return;
	*small = simple;
	*r = judged;
}

/* A failing case of a cell. */
struct shown_cell {
	struct writer *w;
	const struct conform_shown *shows;
	const char *name;   /* of the cell */
	const char *column; /* REQUEST-DTYPE-POINTS */
	const char *group;  /* of the failing cases of a group, one of each coarse signature is minimized; NULL: all */
	const char *title;
	struct error *e;
	bool good;
};

/* The name of a file with the case as it was found. */
static const char *file_name(const struct shown_cell *x)
{
	return new_name(x->w, strchr(x->name, '/') ? strrchr(x->name, '/') + 1 : x->name);
}

static bool write_minimized(const struct shown_cell *x)
{
	struct writer *w = x->w;
	const struct testcase *found = &x->shows->c;
	struct minimize_statistics stats = {0};
	struct testcase kept = *found;
	struct bench_result r;
	struct limit limit = {
	    .stop = stop_requested, .deadline = engine_hello(w->bench->engine[0]) ? bench_clock() + SEARCH : 0};
	struct question same = {.bench = w->bench,
	    .judged = JUDGED_IN_FULL,
	    .until = &limit,
	    .spent = &limit,
	    .refuse = has_other_floats,
	    .context = &kept};
	struct testcase small;

	if (!case_shows(found,
	        &(struct question){.bench = w->bench, .declared = true, .judged = JUDGED_IN_FULL, .result = &r},
	        &w->side, NULL))
		return write_case(w, found, file_name(x), x->title, x->e); /* the finding did not show again */
	same.signature = arena_printf(
	    w->arena, "%s", signature_coarse(engine_name(w->bench->engine[0]), found, &r.judgement[0], &w->side));
	if (x->group && !is_new(w, arena_printf(&w->side, "%s|%s", x->group, same.signature)))
		return true;
	same.ahead = question_ahead(&same, 1);
	small = minimize_together(found, question_holds, &same, &same, FINDING_BUDGET, &limit, &w->side, &stats);
	lookahead_close(same.ahead);
	same.ahead = NULL;
	small = fewest_spellings(&same, &small, &w->side);
	bench_judge(w->bench, &small, &w->side, &r);
	simplify(w, &same, &small, &r);
	return write_named(w, &small, &r, x->name, x->column, x->e);
}

static void write_shown(void *context)
{
	struct shown_cell *x = context;

	x->good = verdict_is_finding[x->shows->verdict] ? write_minimized(x)
	                                                : write_case(x->w, &x->shows->c, file_name(x), x->title, x->e);
}

/* Written as it was found, if there is no memory for more. */
static bool write_one(struct shown_cell *x)
{
	arena_reset(&x->w->side);
	if (arena_try(&x->w->side, write_shown, x))
		return x->good;
	arena_reset(&x->w->side);
	return write_case(x->w, &x->shows->c, file_name(x), x->title, x->e);
}

/* The findings of a cell; an inaccuracy only if the cell has no finding. */
static bool write_cell(struct writer *w, enum op op, int column, struct error *e)
{
	const struct conform_cell *cell = &w->m->cell[op][column];
	const enum point_class points = w->m->column[column].points;
	const char *name = conform_cell_name(w->m, op, column, w->arena);
	bool good = true;

	for (const struct conform_shown *s = cell->found; s && good; s = s->next)
		if (s == cell->shows || verdict_is_finding[s->verdict])
			good = write_one(&(struct shown_cell){.w = w,
			    .shows = s,
			    .name = name,
			    .column = name + strlen(op_table[op].name) + 1,
			    .group = arena_printf(w->arena, "%s.%s.%d", op_table[op].name,
			        points <= POINTS_EDGE ? "" : point_class_names[points], s->form),
			    .title = arena_printf(w->arena, "%s: %s", op_table[op].name, verdict_names[s->verdict]),
			    .e = e});
	return good;
}

static bool write_replayed(struct writer *w, const struct conform_replayed *x, struct error *e)
{
	const struct conform_shown *s = x->cell.shows;

	return !s || !verdict_is_finding[s->verdict] ||
	    write_one(&(struct shown_cell){.w = w,
	        .shows = s,
	        .name = x->name,
	        .column = conform_replayed_column(&s->c, w->arena),
	        .title = arena_printf(w->arena, "%s: %s", x->name, verdict_names[s->verdict]),
	        .e = e});
}

/* Writes the smallest of the leaks that the engine declares. */
static bool write_leak(struct writer *w, struct error *e)
{
	static const char title[] = "nan-leak by weak zeros";
	const struct testcase *c = w->m->leaks.smallest;
	const char *name = new_name(w, "nan-leak"), *file;

	arena_reset(&w->side);
	if (!write_case(w, c, name, title, e) || !write_source(w, c, name, true, &file, e))
		return false;
	fprintf(w->list, "%s, which the engine declares, in %d cases: %s/%s\n", title, w->m->leaks.cases,
	    text_harmless(w->dir, &w->side), file);
	return true;
}

bool conform_write_findings(const struct conform *m, struct bench *b, struct engine *writer, const char *dir,
    FILE *list, struct arena *a, struct error *e)
{
	struct engine *emitter = writer ? writer : b->engine[0];
	const struct hello *h = engine_hello(emitter);
	struct writer w = {.m = m,
	    .bench = b,
	    .emitter = emitter,
	    .dir = dir,
	    .suffix = h ? arena_printf(a, "%s", h->emits) : "",
	    .list = list,
	    .arena = a};
	bool good = file_make_directory(dir, e);
	int most = 1 + m->n_replayed; /* cases that are written */

	arena_init(&w.side, FINDING_ARENA);
	for (int op = 0; op < OP_COUNT; op++)
		for (int k = 0; m->cell[op] && k < m->n_column; k++)
			for (const struct conform_shown *s = m->cell[op][k].found; s; s = s->next)
				most++;
	w.key = NEW(a, const char *, most);
	w.name = NEW(a, const char *, 2 * most);
	w.written = NEW(a, struct written, most);
	if (good && m->leaks.declared)
		good = write_leak(&w, e);
	for (int op = 0; op < OP_COUNT; op++)
		for (int k = 0; good && m->cell[op] && k < m->n_column; k++)
			good = write_cell(&w, (enum op)op, k, e);
	for (int k = 0; good && k < m->n_replayed; k++)
		good = write_replayed(&w, &m->replayed[k], e);
	arena_free(&w.side);
	return good;
}

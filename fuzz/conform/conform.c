/* conform.c: the sweep. */
#include "leaks.h"
#include "graph/walk.h"

#include <stdio.h>
#include <string.h>

#include "engines/process/hello.h"
#include "fuzz/bench/progress.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"
#include "fuzz/bench/draw.h"
#include "fuzz/generate/generate.h"

/* CONFORM_DRAWS: most programs drawn until one has the op. */
enum { CONFORM_DRAWS = 400, CONFORM_OPS = 3, LINE_SECONDS = 60 };

const char *const point_class_names[POINTS_COUNT] = {"inside", "edge"};

/* ---- columns ---- */

static void add_columns(struct conform *m, const struct conform_options *o, const struct engine_scope *scope,
    const enum transform_kind *stack, int n)
{
	for (int d = 0; d < DTYPE_COUNT; d++)
		for (int p = 0; p < POINTS_COUNT; p++) {
			struct conform_column *c = &m->column[m->n_column];
			size_t at = 0;

			if (!dtype_is_float((enum dtype)d) || !scope->dtype[d] || !o->dtype[d] ||
			    m->n_column == CONFORM_COLUMNS)
				continue;
			m->n_column++;
			*c = (struct conform_column){
			    .n_stack = n, .dtype = (enum dtype)d, .points = (enum point_class)p};
			snprintf(c->request, sizeof c->request, "primal");
			for (int k = 0; k < n; k++) {
				c->stack[k] = stack[k];
				at += (size_t)snprintf(c->request + at, sizeof c->request - at, "%s%s", k ? "," : "",
				    transform_names[stack[k]]);
			}
		}
}

/* The requests that the engine names; otherwise those of its kind, with one level each. */
static void make_columns(struct conform *m, const struct conform_options *o, const struct engine *engine)
{
	static const enum transform_kind jvp = TRANSFORM_JVP, vjp = TRANSFORM_VJP;
	const struct engine_scope scope = engine_scope(engine);
	const struct engine_kind *kind = engine_kind(engine);
	const struct hello *h = engine_hello(engine);

	for (int k = 0; h && k < h->n_request; k++)
		if (h->request[k].n)
			add_columns(m, o, &scope, h->request[k].kind, h->request[k].n);
	if (h && h->n_request)
		return;
	if (kind->jvp)
		add_columns(m, o, &scope, &jvp, 1);
	if (kind->vjp)
		add_columns(m, o, &scope, &vjp, 1);
}

/* ---- cases ---- */

/* Tiny programs of the op, with ops that make its operands and use its result. */
static struct profile cell_profile(enum op op, const struct conform_column *column, const struct engine_scope *scope)
{
	static const enum op help[] = {OP_CONSTANT, OP_ADD, OP_MUL, OP_SIN, OP_RESHAPE, OP_BROADCAST_TO, OP_CAST,
	    OP_REDUCE_SUM, OP_ABS, OP_DYNAMIC_UPDATE_SLICE};
	struct profile p = profile_default();

	p.ops_min = 1;
	p.ops_max = CONFORM_OPS;
	p.ops_low_precision = 100;
	p.body_ops_max = 2;
	p.dead_code = p.results_several = p.result_input = p.result_constant = p.result_integer = 0;
	p.points_several = p.point_equal = p.wrt_integer = 0;
	p.extent_empty = p.trip_medium = p.trip_large = 0;
	p.weight_large = p.weight_edge = p.unguarded = p.bare = 0;
	p.edge_point = column->points == POINTS_EDGE ? 100 : 0;
	p.f64 = column->dtype == DTYPE_F64;
	p.f32 = column->dtype == DTYPE_F32;
	p.bf16 = column->dtype == DTYPE_BF16;
	p.f16 = column->dtype == DTYPE_F16;
	if (scope->rank < 1)
		p.rank1 = 0;
	if (scope->rank < 2)
		p.rank2 = 0;
	p.rank3 = p.rank4 = 0;
	if (column->n_stack > 1) {
		p.elements = 6;
		p.work = 300;
	}
	for (int k = 0; k < OP_COUNT; k++)
		p.without[k] = k != (int)op && op_table[k].regularity != REGULARITY_DISCRETE;
	for (size_t k = 0; k < sizeof help / sizeof *help; k++)
		p.without[help[k]] = !scope->op[help[k]];
	p.without[op] = false;
	if (op != OP_CAST)
		p.mix_dtype = p.weight_cast = 0;
	return p;
}

/* As draw, of cases that the engine knows or of any. */
static bool draw_from(const struct bench *b, enum op op, const struct conform_column *column, uint64_t seed, bool known,
    const struct profile *profile, struct arena *a, struct testcase *out)
{
	for (uint64_t k = 0; k < CONFORM_DRAWS; k++) {
		struct arena_mark mark = arena_mark(a);
		struct choice choice = choice_seeded(seed_mix(seed, k));

		*out = generate_stack(&choice, profile, column->stack, column->n_stack, a);
		if (region_has_op(&out->program.top, op) && out->n_transform == column->n_stack &&
		    (!known || bench_knows(b, out, a)))
			return true;
		arena_rewind(a, mark);
	}
	return false;
}

/* A case with the op, which the engine knows if one of the first does. The first at the edges of select is that of a
 * dead branch. */
static bool draw(const struct bench *b, const struct conform_options *o, enum op op,
    const struct conform_column *column, int column_number, int number, const struct profile *profile, struct arena *a,
    struct testcase *out)
{
	const uint64_t seed = seed_mix(seed_mix(o->seed, (uint64_t)op), (uint64_t)(column_number * 1000 + number));

	if (op == OP_SELECT && column->points == POINTS_EDGE && !number && conform_dead_branch(column, a, out) &&
	    bench_knows(b, out, a))
		return true;
	return draw_from(b, op, column, seed, true, profile, a, out) ||
	    draw_from(b, op, column, seed, false, profile, a, out);
}

const char *conform_cell_name(const struct conform *m, enum op op, int column, struct arena *a)
{
	const struct conform_column *c = &m->column[column];

	return arena_printf(
	    a, "%s-%s-%s-%s", op_table[op].name, c->request, dtype_table[c->dtype].name, point_class_names[c->points]);
}

int conform_cell_cases(const struct conform_cell *cell)
{
	int sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		sum += cell->cases[v];
	return sum;
}

/* ---- the sweep ---- */

static bool keeps(enum verdict v) { return verdict_is_finding[v] || v == VERDICT_INACCURATE; }

/*
 * Counts a request that ended badly, although the judgement of its case does not show it, and a finding that fresh
 * processes do not show again.  The latter becomes undecided.
 */
static void note_flaky(struct bench *b, const struct testcase *c, struct bench_result *r, struct arena *scratch,
    struct arena *a, struct conform *m, struct conform_cell *cell)
{
	struct judgement *j = &r->judgement[0];
	const char *text = r->incident[0].text, *signature;
	enum verdict gone = bench_verdict_of(r->incident[0].status);
	int at;

	if (!bench_unexplained(r, 1, 0, &at)) {
		if (!verdict_is_finding[j->verdict])
			return;
		signature = signature_coarse(engine_name(b->engine[0]), c, j, scratch);
		if (!finding_is_flaky(b, 0, c, r, signature, scratch))
			return;
		gone = j->verdict;
		text = answers_text(r->answer[0], c->n_point);
		j->verdict = VERDICT_UNDECIDED;
	}
	if (!cell->flaky++) {
		cell->gone = gone;
		cell->gone_text = arena_printf(a, "%s", text);
	}
	m->flaky++;
}

struct op_sweep {
	struct bench *bench;
	const struct conform_options *o;
	enum op op;
	int column, number; /* column of the cell; number of its case */
	struct profile profile;
	struct arena *scratch, *arena;
	struct conform *m;
};

static void judge_case(const struct op_sweep *s, const struct testcase *c)
{
	struct bench *b = s->bench;
	struct conform *m = s->m;
	struct conform_cell *cell = &m->cell[s->op][s->column];
	struct arena *scratch = s->scratch, *a = s->arena;
	struct bench_result r;
	enum verdict v;
	const char *text = "";

	bench_judge(b, c, scratch, &r);
	if (r.interrupted)
		return;
	conform_note_leak(&s->m->leaks, c, &r.judgement[0], conform_cell_name(s->m, s->op, s->column, a),
	    signature_coarse(engine_name(b->engine[0]), c, &r.judgement[0], a), a);
	if (!s->o->strict)
		bench_forgive(b, &r);
	note_flaky(b, c, &r, scratch, a, m, cell);
	v = r.judgement[0].verdict;
	for (int k = 0; k < c->n_point; k++) {
		if (r.answer[0][k].text && *r.answer[0][k].text && !*text)
			text = r.answer[0][k].text;
		if (r.answer[0][k].status == ANSWER_FAILURE && !m->failed) {
			m->failed = true;
			snprintf(m->failure, sizeof m->failure, "%s", r.answer[0][k].text);
		}
	}
	m->asked++;
	if (v > cell->worst || !*cell->text) {
		bool first = v > cell->worst;

		cell->text = arena_printf(a, "%s", text);
		if (first && keeps(v)) {
			cell->shows = NEW(a, struct testcase, 1);
			*cell->shows = testcase_copy(c, a);
			cell->signature = signature_coarse(engine_name(b->engine[0]), c, &r.judgement[0], a);
			cell->numbers = "";
			if (judgement_has_numbers(&r.judgement[0]))
				cell->numbers = arena_printf(a, "expected %s, returned %s",
				    decimal_text(r.judgement[0].expected, scratch),
				    decimal_text(r.judgement[0].returned, scratch));
		}
		cell->worst = v > cell->worst ? v : cell->worst;
	}
	cell->cases[v]++;
	m->verdict[v]++;
}

static void sweep_case(void *context)
{
	const struct op_sweep *s = context;
	struct testcase c;

	if (draw(s->bench, s->o, s->op, &s->m->column[s->column], s->column, s->number, &s->profile, s->scratch, &c))
		judge_case(s, &c);
}

static int cases_of(const struct conform_options *o, const struct conform_column *column)
{
	int n = o->cases, order = 0;

	for (int k = 0; k < column->n_stack; k++)
		order += column->stack[k] != TRANSFORM_BATCH;
	for (; order > 1 && n > 1; order--)
		n = n > 4 ? n / 4 : 1;
	return n;
}

/* A case that does not fit into memory is left out. */
static void sweep_op(struct bench *b, const struct conform_options *o, enum op op, struct arena *scratch,
    struct arena *a, struct conform *m)
{
	const struct engine_scope scope = engine_scope(b->engine[0]);

	m->cell[op] = NEW(a, struct conform_cell, m->n_column);
	for (int k = 0; k < m->n_column; k++) {
		struct op_sweep s = {b, o, op, k, 0, cell_profile(op, &m->column[k], &scope), scratch, a, m};
		const struct hello *hello = engine_hello(b->engine[0]);

		s.profile.variants = hello && hello->variants;
		m->cell[op][k].text = "";
		for (; s.number < cases_of(o, &m->column[k]) && !m->failed && !stop_requested(); s.number++) {
			arena_reset(scratch);
			arena_try(scratch, sweep_case, &s);
		}
	}
}

void conform_sweep(struct bench *b, const struct conform_options *o, struct arena *a, struct conform *out)
{
	const struct engine_scope scope = engine_scope(b->engine[0]);
	struct arena scratch;
	bool terminal = o->progress && progress_overwrites();
	double shown = bench_clock();

	memset(out, 0, sizeof *out);
	make_columns(out, o, b->engine[0]);
	arena_init(&scratch, (size_t)1 << 30);
	for (int op = 0; op < OP_COUNT && !out->failed; op++) {
		/* discrete ops have no derivative */
		if (!scope.op[op] || !o->op[op] || (o->n_shard && op % o->n_shard != o->shard) || op == OP_CONSTANT ||
		    op_table[op].regularity == REGULARITY_DISCRETE)
			continue;
		sweep_op(b, o, (enum op)op, &scratch, a, out);
		if (terminal) {
			fprintf(stderr, "\r\033[K%s: %d cases", op_table[op].name, out->asked);
		} else if (o->progress && bench_clock() - shown >= LINE_SECONDS) {
			fprintf(stderr, "%s: %d cases\n", op_table[op].name, out->asked);
			shown = bench_clock();
		}
	}
	conform_minimize_leak(&out->leaks, b, &scratch, a);
	if (terminal)
		fputs("\r\033[K", stderr);
	arena_free(&scratch);
}

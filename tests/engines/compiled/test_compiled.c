/* test_compiled.c: passes change no bit, and fire; compiled code gives what the interpreter gives, bit by bit, whatever
 * is switched off. */
#include <dirent.h>

#include "graph/walk.h"
#include "engines/aot/case.h"
#include "engines/aot/nested.h"
#include "engines/compiled/parts.h"
#include "engines/aot/interpret.h"
#include "fuzz/generate/generate.h"
#include "tests/engines/samples.h"

static struct compiled_rules rules;
static int fired[PASS_COUNT];
static const struct type vector = F64V(4);
static int64_t buffers, cells, cells_shared; /* with all passes on */

static bool is_limit(const struct error *e) { return strstr(e->text, "work of") || strstr(e->text, "more than"); }

/* ---- programs with inputs ---- */

/* What a derived program is run on: a point, then the seeds. */
static int inputs_of(const struct testcase *c, int point, struct tensor input[LIMIT_ARGS])
{
	int n = 0;

	for (int k = 0; k < c->program.top.n_param; k++)
		input[n++] = c->point[point][k];
	for (int k = 0; c->n_transform && k < c->transform[0].n_seed; k++)
		if (dtype_is_float(c->transform[0].seed[k].type.dtype))
			input[n++] = c->transform[0].seed[k];
	return n;
}

static bool same_results(const struct program *p, const struct tensor *a, const struct tensor *b)
{
	for (int k = 0; k < p->top.n_result; k++)
		if (!tensor_same(&a[k], &b[k]))
			return false;
	return true;
}

/* Every pass that rewrites, one after the other: valid IR, the same bits. */
static void check_passes(const struct program *p, const struct tensor *input, const char *what, struct arena *a)
{
	struct tensor before[LIMIT_ARGS], after[LIMIT_ARGS];
	struct program now = *p;
	struct error e = {.text = ""};
	bool valid = program_check(p, &e);

	interpret_program(p, input, a, before);
	for (int k = 0; k < PASS_COUNT; k++) {
		uint64_t given = program_hash(&now);
		struct program q;
		int n;

		if (!compiled_passes[k].rewrite)
			continue;
		n = compiled_passes[k].rewrite(&rules, &now, a, &q);
		fired[k] += n;
		if (n)
			q = program_renumber(&q, a);
		CHECK(program_check(&q, &e) || (!valid && is_limit(&e)), "%s, %s: %s: %s", what,
		    compiled_passes[k].name, e.place, e.text);
		CHECK(n || program_equal(&now, &q), "%s, %s: changed without saying so", what, compiled_passes[k].name);
		CHECK(program_hash(&now) == given, "%s, %s: wrote into the program that it was given", what,
		    compiled_passes[k].name);
		interpret_program(&q, input, a, after);
		CHECK(same_results(p, before, after), "%s, %s: another result", what, compiled_passes[k].name);
		now = q;
	}
}

/* Cells that a right program never reads hold what no right result has. */
static void poison(struct code *code)
{
	for (int64_t k = 0; k < code->n_cell; k++)
		code->cell[k].i = INT64_C(0x4172c0ffee000000) + k;
}

/* All passes but those in `off`, a set of bits, at every point. */
static void check_code(
    const struct testcase *c, const struct program *p, unsigned off, const char *what, struct arena *a)
{
	struct compiled_options o = {.rules = &rules};
	const char *text = "";
	struct code *code;

	for (int k = 0; k < PASS_COUNT; k++)
		o.off[k] = off >> k & 1;
	code = compiled_code(p, &o, a, &text);
	CHECK(code, "%s: %s", what, text);
	if (!code)
		return;
	for (int k = 0; k < PASS_COUNT; k++) {
		CHECK(
		    !o.off[k] || !code->counts.rewrites[k], "%s: %s fired, but is off", what, compiled_passes[k].name);
		if (!compiled_passes[k].rewrite)
			fired[k] += code->counts.rewrites[k];
	}
	CHECK(code->counts.cells_shared <= code->counts.cells, "%s: sharing takes memory", what);
	if (!off) {
		buffers += code->counts.buffers;
		cells += code->counts.cells;
		cells_shared += code->counts.cells_shared;
	}
	for (int point = 0; point < c->n_point; point++) {
		struct tensor input[LIMIT_ARGS], want[LIMIT_ARGS], got[LIMIT_ARGS];

		inputs_of(c, point, input);
		interpret_program(p, input, a, want);
		poison(code);
		compiled_run(code, input, a, got);
		CHECK(same_results(p, want, got), "%s, passes off %x, point %d: another result", what, off, point);
	}
}

static void check_case(const struct testcase *c, const char *what, unsigned random, struct arena *a)
{
	struct tensor input[LIMIT_ARGS];
	struct testcase lowered = *c;
	struct program derived;
	struct error e;
	const char *text;

	if (!aot_lower(
	        &c->program, request_order(c->transform, c->n_transform), &aot_rules_right, a, &lowered.program, &e) ||
	    aot_case_program(&aot_rules_right, &lowered, "aot", a, &derived, &text) != ANSWER_OK)
		return;
	inputs_of(c, 0, input);
	check_passes(&derived, input, what, a);
	check_code(c, &derived, 0, what, a);
	check_code(c, &derived, (1u << PASS_COUNT) - 1, what, a);
	check_code(c, &derived, random % (1u << PASS_COUNT), what, a);
	check_code(c, &derived, 1u << random % PASS_COUNT, what, a);
}

enum { GENERATED = 3000 };

static void check_generated(struct arena *a)
{
	const struct profile profile = profile_default();

	for (int number = 0; number < GENERATED; number++) {
		struct choice choice = choice_seeded(seed_mix(99, (uint64_t)number));
		struct testcase c;

		arena_reset(a);
		c = generate(&choice, &profile, a);
		check_case(&c, arena_printf(a, "case %d", number), (unsigned)number * 2654435761u >> 8, a);
	}
}

static void check_folder(const char *path, struct arena *a)
{
	DIR *d = opendir(path);
	int n = 0;

	CHECK(d, "%s", path);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		struct testcase c;
		struct error e;

		if (!strstr(entry->d_name, ".json"))
			continue;
		arena_reset(a);
		if (testcase_read_file(arena_printf(a, "%s/%s", path, entry->d_name), a, &c, &e))
			check_case(&c, entry->d_name, (unsigned)n++, a);
	}
	if (d)
		closedir(d);
	CHECK(n > 30, "%s: %d cases", path, n);
}

/* ---- common subexpressions ---- */

/* exp(x) twice, the second time inside a branch, which may use the first; two branches may not use each other's. */
static void check_cse(struct arena *a)
{
	struct program p, q;
	struct builder b;
	int x, first, inside, y, predicate;

	build_begin(&b, a);
	x = build_input(&b, &vector);
	predicate = build_input(&b, &(struct type){DTYPE_BOOL, {0}});
	first = op1(&b, OP_EXP, x);
	build_open(&b, NULL, 0);
	inside = op2(&b, OP_ADD, op1(&b, OP_EXP, x), op1(&b, OP_SIN, x));
	build_close(&b, &inside, 1);
	build_open(&b, NULL, 0);
	inside = op2(&b, OP_ADD, op1(&b, OP_SIN, x), op1(&b, OP_EXP, x));
	build_close(&b, &inside, 1);
	y = op2(&b, OP_MUL, build_region_node(&b, OP_COND, &predicate, 1, NULL, NULL), first);
	p = build_end(&b, &y, 1);
	CHECK(compiled_cse(&rules, &p, a, &q) == 2, "two of five are known where they stand");
	q = program_renumber(&q, a);
	CHECK(program_nodes(&q) == 7 && program_check(&q, NULL), "%d nodes", program_nodes(&q));
}

/* ---- lowering ---- */

/* sum((2 x + y)^T [reversed]) as one loop over views: one buffer, for the result. */
static void check_fused(struct arena *a)
{
	const struct type matrix = F64M(3, 5), row = F64V(3);
	const struct attrs swap = {.n_axes = 2, .axes = {1, 0}}, last = {.n_axes = 1, .axes = {1}};
	struct compiled_options o = {.rules = &rules};
	struct program p;
	struct builder b;
	struct code *code;
	const char *text;
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &matrix);
	y = build_input(&b, &row);
	x = build_node(&b, OP_TRANSPOSE, &x, 1, &swap, NULL);
	x = build_node(&b, OP_REVERSE, &x, 1, &last, NULL);
	x = op2(&b, OP_ADD, op2(&b, OP_MUL, x, build_scalar(&b, DTYPE_F64, 2)), y);
	x = build_node(&b, OP_REDUCE_SUM, &x, 1, &last, NULL);
	p = build_end(&b, &x, 1);
	code = compiled_code(&p, &o, a, &text);
	CHECK(code->counts.loops == 1 && code->counts.kernels == 0 && code->counts.buffers == 1,
	    "%d loops, %d kernels, %d buffers", code->counts.loops, code->counts.kernels, code->counts.buffers);
	o.off[PASS_FUSE] = true;
	code = compiled_code(&p, &o, a, &text);
	CHECK(code->counts.loops == 3, "%d loops", code->counts.loops);
}

/* A chain of twenty moves of memory, unfused: all in place, or in two buffers, or in twenty. */
static void check_memory(struct arena *a)
{
	enum { LENGTH = 20 };
	const struct type long_vector = F64V(1000);
	struct compiled_options o = {.rules = &rules, .off = {[PASS_FUSE] = true}};
	const struct compiled_counts *counts;
	struct program p;
	struct builder b;
	const char *text;
	int x;

	build_begin(&b, a);
	x = build_input(&b, &long_vector);
	for (int k = 0; k < LENGTH; k++)
		x = op1(&b, OP_SIN, x);
	p = build_end(&b, &x, 1);
	counts = compiled_code_counts(compiled_code(&p, &o, a, &text));
	CHECK(counts->cells_shared == 1000 && counts->rewrites[PASS_INPLACE] == LENGTH - 1, "in place: %lld cells",
	    (long long)counts->cells_shared);
	o.off[PASS_INPLACE] = true;
	counts = compiled_code_counts(compiled_code(&p, &o, a, &text));
	CHECK(counts->cells_shared == 2000 && counts->cells == 1000 * LENGTH, "reused: %lld cells",
	    (long long)counts->cells_shared);
	o.off[PASS_REUSE] = true;
	counts = compiled_code_counts(compiled_code(&p, &o, a, &text));
	CHECK(counts->cells_shared == 1000 * LENGTH, "neither: %lld cells", (long long)counts->cells_shared);
}

/* What varies along no axis takes one cell, whatever is computed from it. */
static void check_collapsed(struct arena *a)
{
	const struct attrs wide = {.shape = {2, {30, 40}}};
	struct compiled_options o = {.rules = &rules, .off = {[PASS_SIMPLIFY] = true}};
	struct program p;
	struct builder b;
	const struct compiled_counts *counts;
	const char *text;
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &sample_f64);
	y = build_node(&b, OP_BROADCAST_TO, &x, 1, &wide, NULL);
	y = op1(&b, OP_SIN, op2(&b, OP_MUL, y, y));
	p = build_end(&b, &y, 1);
	counts = compiled_code_counts(compiled_code(&p, &o, a, &text));
	CHECK(counts->cells == 1, "%lld cells", (long long)counts->cells);
}

/* ---- faults ---- */

static bool same_answer(const struct answer *x, const struct answer *y)
{
	if (x->status != y->status || x->n_primal != y->n_primal || x->n_derivative != y->n_derivative)
		return false;
	for (int k = 0; k < x->n_primal; k++)
		if (!tensor_same(&x->primal[k], &y->primal[k]))
			return false;
	for (int k = 0; k < x->n_derivative; k++)
		if (!tensor_same(&x->derivative[k], &y->derivative[k]))
			return false;
	return true;
}

/* The fault shows in programs that have its op (OP_COUNT: in any), and in no other. */
static void check_fault(const char *faulty_spec, enum op op, int programs, struct arena *a)
{
	struct engine *right = sample_engine("aot"), *faulty = sample_engine(faulty_spec);
	const struct profile profile = profile_default();
	int shown = 0;

	for (int number = 0; number < programs; number++) {
		struct choice choice = choice_seeded(seed_mix(101, (uint64_t)number));
		struct answer x[LIMIT_POINTS], y[LIMIT_POINTS];
		struct testcase c;

		arena_reset(a);
		c = generate(&choice, &profile, a);
		engine_answer(right, &c, a, x);
		engine_answer(faulty, &c, a, y);
		for (int k = 0; k < c.n_point; k++) {
			if (same_answer(&x[k], &y[k]))
				continue;
			shown++;
			/* The adjoint of pad by its scalar clears the padded block by a slice_scatter. */
			CHECK(op == OP_COUNT || region_has_op(&c.program.top, op) ||
			        region_has_op(&c.program.top, OP_PAD),
			    "%s, case %d: shows without %s", faulty_spec, number, op_table[op].name);
		}
	}
	printf("%s: %d points of %d programs\n", faulty_spec, shown, programs);
	CHECK(shown > 0, "%s never shows", faulty_spec);
	engine_close(right);
	engine_close(faulty);
}

/* What the seams decide is decided for a reason: each of these edits shows. */
static void check_seams(struct arena *a)
{
	static const char *const edits[] = {
	    "cse: attributes are not compared",
	    "cse: constants of one type are equal",
	    "cse: ops of one family are equal",
	    "scatter: in place on elements that share cells",
	    "inplace: an operand that is read later is written over",
	    "reuse: a buffer read last in a loop may hold its result",
	    "reuse: what a loop reads is free before it ends",
	    "loops: carries are overwritten one by one",
	    "loops: only the last carry is set aside",
	};
	char text[MUTANT_TEXT];
	size_t n = 0;

	for (int k = 0; mutant_row("compiled", k, text); k++)
		for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
			if (row_wanted("seams: %s", edits[i]))
				if (!strcmp(text, edits[i])) {
					char spec[64];

					snprintf(spec, sizeof spec, "compiled+mutant:%d", k);
					check_fault(spec, OP_COUNT, 1000, a);
					n++;
				}
	if (all_wanted())
		CHECK(n == sizeof edits / sizeof *edits, "%zu edits", n);
}

/* ---- specs ---- */

static void check_specs(void)
{
	static const char *const bad[] = {
	    "compiled:no-fuse=1", "compiled:fuse", "compiled:no-fuse,", "compiled:no-fus", "tape:no-fuse"};
	struct engine *self = engine_open("compiled:no-fuse,no-cse", NULL);

	CHECK(self, "two flags");
	engine_close(self);
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		if (!row_wanted("specs: %s", bad[k]))
			continue;
		struct error e = {.text = ""};

		CHECK(!engine_open(bad[k], &e), "%s opens", bad[k]);
		CHECK(strstr(e.text, "compiled") ? strstr(e.text, "no-simplify, no-fold")
		                                 : strstr(e.text, "takes no arguments"),
		    "%s", e.text);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	compiled_rules_init(&rules);
	check_specs();
	CHECK_LAW(check_cse(&a));
	CHECK_LAW(check_fused(&a));
	CHECK_LAW(check_memory(&a));
	CHECK_LAW(check_collapsed(&a));
	CHECK_LAW(check_folder("corpus/documents", &a));
	CHECK_LAW(check_folder("corpus/zoo", &a));
	CHECK_LAW(check_folder("corpus/regressions", &a));
	CHECK_LAW(check_generated(&a));
	CHECK_LAW(check_fault("compiled+inductor-slice-scatter", OP_SLICE_SCATTER, 2 * GENERATED, &a));
	CHECK_LAW(
	    check_fault("compiled:no-fuse,no-simplify+inductor-slice-scatter", OP_SLICE_SCATTER, 2 * GENERATED, &a));
	check_seams(&a);
	printf("%lld buffers of %lld bytes share %lld\n", (long long)buffers, 8 * (long long)cells,
	    8 * (long long)cells_shared);
	CHECK(!all_wanted() || cells_shared * 3 < cells * 2, "little memory is shared");
	for (int k = 0; all_wanted() && k < PASS_COUNT; k++) {
		printf("%s: %d\n", compiled_passes[k].name, fired[k]);
		CHECK(fired[k] > 100, "%s fired %d times", compiled_passes[k].name, fired[k]);
	}
	arena_free(&a);
	return check_done();
}

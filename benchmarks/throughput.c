/*
 * throughput.c: judged cases per second on two fixed sets of straight-line programs of scalar f64 ops, and where the
 * time goes.
 *
 *   throughput [--ops N] [SPEC...]   ops of a program, 20 unless given; engines, three right ones unless given
 *   throughput [--ops N] --floor     no engine and no judging: central differences in MPFR, and nothing else
 *
 * A case is a program, a point and one request, vjp and jvp in turn; three right engines are asked, or those that the
 * command line names, both oracles run as in a campaign (finite differences on one case in 16 and wherever something is
 * off).  One thread, and the engine's own where it is one of others: what it takes in one request, it works on while
 * the last ones are judged.
 */
#include "engines/kernels/kernels.h"
#include "fuzz/bench/bench.h"
#include "fuzz/generate/choice.h"
#include "oracles/evaluate/evaluate.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/oracle_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROGRAMS = 400, OPS = 20, OPS_MOST = 200, ROUNDS = 5, WINDOW = 64, FLOOR_BITS = 128, FLOOR_STEP = -40 };

static double clock_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return clock_of(CLOCK_MONOTONIC); }

static bool is_scalar_float_op(enum op op)
{
	const struct op_info *info = &op_table[op];
	return (info->family == FAMILY_UNARY || info->family == FAMILY_BINARY) && (info->dtypes & MASK_FLOAT) &&
	    op != OP_STOP_GRADIENT;
}

/* Ops of a set: arithmetic is drawn `percent` of the time, the rest uniformly from the op table. */
static enum op draw_op(struct choice *c, int percent)
{
	static const enum op arithmetic[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV};
	if (choice_percent(c, percent))
		return arithmetic[choice_below(c, 4)];
	enum op op;
	do
		op = (enum op)choice_below(c, OP_COUNT);
	while (!is_scalar_float_op(op));
	return op;
}

/* A program of n_op ops whose values stay in [1/64, 64]: an op that would leave is drawn again. */
static struct testcase draw_case(struct choice *c, int percent, int n_op, bool vjp, struct arena *a)
{
	const struct type f64 = {.dtype = DTYPE_F64};
	struct builder b = {0};
	double value[OPS_MOST + 4];
	int id[OPS_MOST + 4], n = 3;
	build_begin(&b, a);
	for (int k = 0; k < n; k++) {
		id[k] = build_input(&b, &f64);
		value[k] = 0.25 + choice_below(c, 1 << 20) / (double)(1 << 19);
	}
	double point[3] = {value[0], value[1], value[2]};
	while (n < n_op + 3) {
		enum op op = draw_op(c, percent);
		int x = n - 1 - choice_below(c, n < 4 ? n : 4), y = choice_below(c, n);
		double v = kernel_scalar(op, value[x], value[y], 0);
		if (!(fabs(v) > 1.0 / 64 && fabs(v) < 64))
			continue;
		const int arg[2] = {id[x], id[y]};
		id[n] = build_node(&b, op, arg, op_table[op].n_arg, NULL, NULL);
		value[n++] = v;
	}
	struct testcase out = {.program = build_end(&b, &id[n - 1], 1), .n_point = 1, .n_transform = 1};
	out.point = NEW(a, struct tensor *, 1);
	out.point[0] = NEW(a, struct tensor, 3);
	struct transform *t = out.transform = NEW(a, struct transform, 1);
	t->kind = vjp ? TRANSFORM_VJP : TRANSFORM_JVP;
	t->n_wrt = 3;
	t->wrt = NEW(a, int, 3);
	t->n_seed = vjp ? 1 : 3;
	t->seed = NEW(a, struct tensor, t->n_seed);
	for (int k = 0; k < 3; k++) {
		out.point[0][k] = tensor_new(a, &f64);
		out.point[0][k].at[0].f = point[k];
		t->wrt[k] = k;
	}
	for (int k = 0; k < t->n_seed; k++) {
		t->seed[k] = tensor_new(a, &f64);
		t->seed[k].at[0].f = 0.5 + k;
	}
	return out;
}

/* What was asked in one request, and is judged while the next one is worked on. */
struct window {
	struct arena arena;
	int n;
	struct testcase c[WINDOW];
	struct bench_result r[WINDOW];
};

struct counts {
	int decided, undecided, findings;
};

static void conclude(struct bench *b, struct window *w, struct counts *sum)
{
	for (int k = 0; k < w->n; k++) {
		struct bench_result *r = &w->r[k];

		bench_conclude(b, &w->c[k], &w->arena, r);
		for (int i = 0; i < b->n_engine; i++) {
			sum->findings += verdict_is_finding[r->judgement[i].verdict];
			sum->decided += r->judgement[i].decided;
			for (int reason = 1; reason < REASON_COUNT; reason++)
				sum->undecided += r->judgement[i].undecided[reason];
		}
	}
	w->n = 0;
	arena_reset(&w->arena);
}

/* Every case through its JSON and all the way to a judgement.  *json: seconds spent on the former. */
static struct counts judge_all(struct bench *b, const struct testcase *cases, struct window window[2], double *json)
{
	int room = bench_cases(b) < WINDOW ? bench_cases(b) : WINDOW, open = 0;
	struct counts sum = {0};

	for (int k = 0; k < PROGRAMS * ROUNDS; k++) {
		struct window *w = &window[open], *asked = &window[!open];
		double start = now();
		size_t len;
		char *text = testcase_write_compact(&cases[k % PROGRAMS], &w->arena, &len);

		if (!testcase_read(text, len, &w->arena, &w->c[w->n], NULL))
			abort();
		*json += now() - start;
		bench_truth(b, &w->c[w->n], &w->arena, &w->r[w->n]);
		if (++w->n < room)
			continue;
		bench_receive(b, asked->n, asked->r);
		bench_send(b, w->c, w->n, &w->arena, w->r);
		conclude(b, asked, &sum);
		open = !open;
	}
	for (int k = 0; k < 2; k++, open = !open) {
		bench_receive(b, window[!open].n, window[!open].r);
		conclude(b, &window[!open], &sum);
	}
	return sum;
}

static int measure(const char *name, int percent, int n_op, const char *const *spec, int n_spec)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = 16};
	static struct window window[2];
	struct arena programs;
	struct bench b = {0};
	struct error e = {0};
	struct testcase cases[PROGRAMS];
	struct counts sum;
	double start, generation, drawing, json = 0, total, processor;

	if (!bench_open(&b, spec, n_spec, &options, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	arena_init(&programs, (size_t)1 << 30);
	for (int k = 0; k < 2; k++)
		arena_init(&window[k].arena, (size_t)1 << 30);
	start = now();
	processor = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	/* As often as they are judged: the first round is slower, because it touches new memory. */
	for (int round = 0; round < ROUNDS; round++) {
		struct choice c = choice_seeded(20);

		arena_reset(&programs);
		for (int k = 0; k < PROGRAMS; k++)
			cases[k] = draw_case(&c, percent, n_op, k % 2, &programs);
	}
	generation = now() - start;
	drawing = clock_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
	start = now();
	processor = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	sum = judge_all(&b, cases, window, &json);
	processor = clock_of(CLOCK_PROCESS_CPUTIME_ID) - processor + drawing;
	total = now() - start + generation;
	struct oracle_statistics s = oracle_statistics(b.oracle);
	double mpfr = s.analytic_seconds + s.fd_seconds;
	printf("%-16s %8.0f cases/s   %8.0f per second of the processor   MPFR %4.1f %% "
	       "(analytic %4.1f, finite differences %4.1f)   engines %4.1f %%   generation %4.1f %%   "
	       "JSON %4.1f %%   decided %.1f %%   findings %d\n",
	    name, PROGRAMS * ROUNDS / total, PROGRAMS * ROUNDS / processor, 100 * mpfr / total,
	    100 * s.analytic_seconds / total, 100 * s.fd_seconds / total, 100 * bench_waited(&b) / total,
	    100 * generation / total, 100 * json / total, 100.0 * sum.decided / (sum.decided + sum.undecided),
	    sum.findings);
	bench_close(&b);
	arena_free(&programs);
	for (int k = 0; k < 2; k++)
		arena_free(&window[k].arena);
	return sum.findings > 0;
}

/*
 * The least that an oracle in high precision could do: two evaluations of the program for each input, at the precision
 * of the oracles and without error bounds.
 */
static int measure_floor(const char *name, int percent, int n_op)
{
	struct arena programs, scratch;
	struct evaluation ev = {0};
	struct choice c = choice_seeded(20);
	struct testcase cases[PROGRAMS];
	double processor;

	arena_init(&programs, (size_t)1 << 30);
	arena_init(&scratch, (size_t)1 << 30);
	mp_setup();
	evaluation_open(&ev, &oracle_rules_right);
	ev.precision = FLOOR_BITS;
	for (int k = 0; k < PROGRAMS; k++)
		cases[k] = draw_case(&c, percent, n_op, k % 2, &programs);
	processor = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	for (int k = 0; k < PROGRAMS * ROUNDS; k++, arena_reset(&scratch)) {
		const struct testcase *t = &cases[k % PROGRAMS];

		for (int i = 0; i < t->program.top.n_param; i++) {
			struct tensor *direction = NEW(&scratch, struct tensor, t->program.top.n_param);

			for (int j = 0; j < t->program.top.n_param; j++) {
				direction[j] = tensor_new(&scratch, &t->point[0][j].type);
				direction[j].at[0].f = j == i;
			}
			for (int sign = -1; sign <= 1; sign += 2)
				evaluate(&ev, &t->program, t->point[0], direction, sign, FLOOR_STEP, &scratch);
		}
	}
	processor = clock_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
	printf("%-16s %8.0f per second of the processor\n", name, PROGRAMS * ROUNDS / processor);
	evaluation_close(&ev);
	arena_free(&programs);
	arena_free(&scratch);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const right[] = {"forward", "tape", "functional"};
	bool given = argc > 1 && !strcmp(argv[1], "--ops");
	int first = given ? 3 : 1, n_op = given ? argc > 2 ? atoi(argv[2]) : 0 : OPS;
	const char *const *spec = argc > first ? (const char *const *)(argv + first) : right;
	int n = argc > first ? argc - first : 3;

	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker_exec(argv[3]);
	if (n_op < 1 || n_op > OPS_MOST) {
		fprintf(stderr, "throughput: --ops needs a number from 1 to %d\n", OPS_MOST);
		return 2;
	}
	if (argc == first + 1 && !strcmp(argv[first], "--floor"))
		return measure_floor("arithmetic-heavy", 70, n_op) | measure_floor("uniform", 0, n_op);
	return measure("arithmetic-heavy", 70, n_op, spec, n) | measure("uniform", 0, n_op, spec, n);
}

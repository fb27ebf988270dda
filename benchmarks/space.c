/*
 * space.c: what the cases of a profile are like: ops, sizes, iterations, magnitudes, and how much of them is wasted.
 * Prints JSON; `scripts/space` makes a table of it.
 *
 * Usage: space CASES SEED [PROFILE].  The cases are those of `fuzz --driver generate`.  Finite differences do not run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/generate/generate.h"
#include "graph/json.h"
#include "graph/walk.h"
#include "oracles/truth.h"

enum { CASE_BYTES = 512 << 20, REPORT_BYTES = 1 << 20, SIZES = 6, MAGNITUDES = 5 };

/* Upper ends of the classes of tensors and loops. */
static const int sizes[SIZES] = {1, 8, 32, 256, 1024, 4096};
static const double magnitudes[MAGNITUDES] = {1e-30, 1e-3, 4, 1e3, INFINITY};

struct space {
	struct oracle *oracle;
	struct profile profile;
	uint64_t seed, number;
	struct arena arena;
	int64_t cases, ops[OP_COUNT], tensors[SIZES], loops[SIZES], inputs[MAGNITUDES];
	int64_t undecided, zero, components, zeros, reason[REASON_COUNT];
};

static void count_size(int64_t *of, int n)
{
	for (int i = 0; i < SIZES; i++)
		if (n <= sizes[i]) {
			of[i]++;
			return;
		}
}

static void count_program(struct space *s, const struct program *p)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		const struct attrs *a = &w.node->attrs;

		s->ops[w.node->op]++;
		if (op_is_loop(w.node->op))
			count_size(s->loops, a->trip > a->cap ? a->trip : a->cap);
	}
	for (int v = 0; v < p->n_value; v++)
		count_size(s->tensors, shape_elements(&p->type[v].shape));
}

/* Float inputs by the magnitude of their largest element. */
static void count_inputs(struct space *s, const struct testcase *c)
{
	for (int i = 0; i < c->program.top.n_param; i++) {
		const struct tensor *x = &c->point[0][i];
		const int n = dtype_is_float(x->type.dtype) ? shape_elements(&x->type.shape) : 0;
		double most = 0;

		for (int k = 0; k < n; k++)
			most = fmax(most, fabs(x->at[k].f));
		for (int m = 0; most > 0 && m < MAGNITUDES; m++)
			if (most <= magnitudes[m]) {
				s->inputs[m]++;
				break;
			}
	}
}

static void count_truth(struct space *s, const struct truth *t)
{
	int64_t reason[REASON_COUNT] = {0}, decided = 0, zeros = 0;
	int most = REASON_NONE;

	for (int p = 0; p < t->n_point; p++)
		for (int i = 0; i < t->point[p].n_derivative; i++) {
			const struct truth_tensor *x = &t->point[p].derivative[0][i];
			const int n = dtype_is_float(x->type.dtype) ? shape_elements(&x->type.shape) : 0;

			for (int k = 0; k < n; k++) {
				reason[x->at[k].reason] += x->at[k].reason != REASON_NONE;
				decided += x->at[k].reason == REASON_NONE;
				zeros += x->at[k].reason == REASON_NONE &&
				    dtype_round(x->type.dtype, x->at[k].value) == 0;
			}
		}
	for (int r = 0; r < REASON_COUNT; r++)
		most = reason[r] > reason[most] ? r : most;
	s->undecided += !decided && reason[most];
	s->reason[most] += !decided && reason[most];
	s->zero += decided && zeros == decided;
	s->components += decided;
	s->zeros += zeros;
}

static void one_case(void *context)
{
	struct space *s = context;
	struct choice choice = choice_seeded(seed_mix(s->seed, s->number));
	const struct testcase c = generate(&choice, &s->profile, &s->arena);
	struct truth truth;

	oracle_truth(s->oracle, &c, &s->arena, &truth);
	s->cases++;
	count_program(s, &c.program);
	count_inputs(s, &c);
	count_truth(s, &truth);
}

static void put_classes(struct json_writer *w, const char *name, const int64_t *of)
{
	json_member_object(w, name, JSON_FLOW);
	for (int i = 0; i < SIZES; i++) {
		char key[20];

		snprintf(key, sizeof key, "%d", sizes[i]);
		json_member_integer(w, key, of[i]);
	}
	json_end(w);
}

static void put(const struct space *s, struct json_writer *w)
{
	json_member_integer(w, "cases", s->cases);
	json_member_integer(w, "undecided", s->undecided);
	json_member_integer(w, "zero", s->zero);
	json_member_integer(w, "components", s->components);
	json_member_integer(w, "zeros", s->zeros);
	put_classes(w, "tensors", s->tensors);
	put_classes(w, "loops", s->loops);
	json_member_object(w, "inputs", JSON_FLOW);
	for (int m = 0; m < MAGNITUDES; m++) {
		char key[20];

		snprintf(key, sizeof key, "%g", magnitudes[m]);
		json_member_integer(w, key, s->inputs[m]);
	}
	json_end(w);
	json_member_object(w, "reasons", JSON_FLOW);
	for (int r = REASON_NONE + 1; r < REASON_COUNT; r++)
		json_member_integer(w, reason_names[r], s->reason[r]);
	json_end(w);
	json_member_object(w, "ops", JSON_BLOCK);
	for (int op = 0; op < OP_COUNT; op++)
		json_member_integer(w, op_table[op].name, s->ops[op]);
	json_end(w);
	json_end(w);
}

int main(int argc, char **argv)
{
	struct space s = {.profile = profile_default()};
	struct arena report;
	struct json_writer w;
	struct error e = {"", ""};
	size_t len;

	if (argc < 3 || (argc > 3 && !profile_read_file(argv[3], &s.profile, &e))) {
		fprintf(stderr, "usage: space CASES SEED [PROFILE]: %s %s\n", e.place, e.text);
		return 2;
	}
	s.seed = (uint64_t)atoll(argv[2]);
	s.oracle = oracle_open(&(struct oracle_options){.seed = s.seed, .fd_one_in = 1 << 30});
	arena_init(&s.arena, CASE_BYTES);
	arena_init(&report, REPORT_BYTES);
	for (; s.number < (uint64_t)atoll(argv[1]); s.number++) {
		arena_reset(&s.arena);
		if (!arena_try(&s.arena, one_case, &s))
			fprintf(stderr, "case %llu is too large\n", (unsigned long long)s.number);
	}
	w = json_document(&report, "adjudge.space/1");
	put(&s, &w);
	fputs(json_finish(&w, &len), stdout);
	arena_free(&report);
	arena_free(&s.arena);
	oracle_close(s.oracle);
	return 0;
}

/* What is behind a case: what a loop is blamed for, what an op is, and whether any other op would do. */
#include "fuzz/minimize/simplest.h"

#include <limits.h>
#include <string.h>

#include "fuzz/triage/fine_signature.h"
#include "fuzz/minimize/steady.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* A loop that carries nothing and gathers what it captures. */
static const char gathering[] = "inputs v0: f64[2]\n"
                                "v1: i64[2,1] = constant [0, 1]\n"
                                "v4: f64[2,1] = scan (v1) trip=2 carries=0 {\n"
                                "  params v2: i64[1]\n"
                                "  v3: f64[1] = take_along_axis v0, v2 axis=0 mode=clip\n"
                                "  yield v3\n"
                                "}\n"
                                "return v4\n"
                                "point [0x1p-1, 0x1p-1]\n"
                                "request: vjp; cotangents [0x1p+0, 0x0p+0]";

/* A loop that adds what it carries, but for the first iteration: the branch hangs on the loop's index. */
static const char branching[] = "inputs v0: f64[]\n"
                                "v7: f64[] = for (v0) trip=3 {\n"
                                "  params v1: i64[], v2: f64[]\n"
                                "  v3: f64[] = add v2, v0\n"
                                "  v4: i64[] = constant 0\n"
                                "  v5: bool[] = gt v1, v4\n"
                                "  v6: f64[] = cond (v5) {\n"
                                "    yield v3\n"
                                "  } else {\n"
                                "    yield v0\n"
                                "  }\n"
                                "  yield v6\n"
                                "}\n"
                                "return v7\n"
                                "point 0x1p-1\n"
                                "request: vjp";

/* A power that leaks a NaN at 0, beside what 0 times infinity may have made another of. */
static const char excused[] = "inputs v0: f64[]\n"
                              "v2: f64[] = pow v0, 0\n"
                              "v3: f64[] = asin v2\n"
                              "v4: f64[] = sign v3\n"
                              "return v2, v4\n"
                              "point 0\n"
                              "request: vjp";

/* A slice of another shape than what is carried: the sum is there for the shape. */
static const char widening[] = "inputs v0: f64[1]\n"
                               "v4: f64[1] = scan (v0, v0) trip=1 carries=1 {\n"
                               "  params v1: f64[1], v2: f64[]\n"
                               "  v3: f64[1] = add v2, v0\n"
                               "  yield v3\n"
                               "}\n"
                               "return v4\n"
                               "point [0x1p-1]\n"
                               "request: vjp";

/* For `aot`, a loop that writes with dynamic_update_slice. */
static const char applying[] = "inputs v0: f64[1]\n"
                               "v1: i64[1] = constant [0]\n"
                               "v4: f64[1] = scatter_apply (v0, v1) axis=0 mode=clip {\n"
                               "  params v2: f64[]\n"
                               "  v3: f64[] = sin v2\n"
                               "  yield v3\n"
                               "}\n"
                               "return v4\n"
                               "point [0x1p-1]\n"
                               "request: vjp";

/* A case, an engine that it shows a finding of, and what is behind it. */
static const struct row {
	const char *spec, *file, *name; /* file: or the case itself */
} rows[] = {
    /* A loop that saves the wrong thing: any body that needs what was saved would do, */
    {"functional+residual-fifo", "corpus/documents/nx-while-acc-mul-x-n3.json", "vjp|for{nonlinear}"},
    /* and any body at all where a path is lost. */
    {"functional+torch-scan-carry-nograd", "corpus/zoo/torch-scan-carry-nograd-c0.json", "vjp|for{elementwise}"},
    {"functional+residual-fifo", gathering, "vjp|for{nonlinear}"},
    /* Not where the product would be wrong without the loop. */
    {"functional+residual-fifo+scale:mul:1.5", gathering, "vjp|for{gather}"},
    /* An op is to blame though it stands in a loop. */
    {"functional+scale:mul:1.5", "corpus/documents/nx-while-acc-mul-x-n3.json", "vjp|mul"},
    {"functional+scale:take_along_axis:1.5", gathering, "vjp|gather"},
    {"tape+cumprod-div-zero", "corpus/zoo/cumprod-div-zero.json", "vjp|cumprod"},
    /* An op of its own, whatever is asked: the level above is written out. */
    /* Whatever is of the index of the loop: what reads there, and what branches. */
    {"checkpointed+reactant-ckpt-index", "corpus/zoo/reactant-ckpt-index.json", "vjp|for{index+nonlinear}"},
    {"checkpointed+reactant-ckpt-index", branching, "vjp|for{elementwise+index{}{}}"},
    {"functional+jax-scan-xs-zero", widening, "vjp|for{}"},
    /* A NaN that nothing excuses is in it. */
    {"tape+pow-at-zero", excused, "vjp|pow"},
    {"aot+jax-pow-2nd", "corpus/zoo/jax-pow-2nd-aot-xy.json", "order 2|pow"},
    /* An op that the engine writes in others; and one that it does not. */
    {"aot+scale:dynamic_update_slice:1.5", applying, "vjp|dynamic_update_slice"},
    {"functional+jax-scatter-apply", "corpus/zoo/jax-scatter-apply-vjp-1.json", "vjp|scatter_apply{}"},
};

static bool at_once(void) { return true; }

static void check_row(const struct row *row, struct arena *a)
{
	const struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct bench one;
	const struct limit over = {.stop = at_once};
	struct question any = {.bench = &one}, late = {.bench = &one, .until = &over};
	struct testcase c, simple, again;
	struct error e = {0};
	struct bench_result r;
	enum role *role;
	const char *name;
	bool read;

	read = strstr(row->file, ".json") ? testcase_read_file(row->file, a, &c, &e)
	                                  : case_text_read(row->file, a, &c, &e);
	CHECK(read && bench_open(&one, &row->spec, 1, &oracle, &e), "%s: %s %s", row->file, e.place, e.text);
	if (*e.text)
		return;
	c.n_expect = 0;
	bench_judge(&one, &c, a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "%s is right about %s", row->spec, row->file);
	simple = simplest_case(&any, &c, 2000, a);
	bench_judge(&one, &simple, a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "%s: what is left shows nothing", row->file);
	role = NEW(a, enum role, program_nodes(&simple.program) + 1);
	any.runs = steady_runs(&any, &simple, a);
	find_roles(&any, &simple, r.judgement[0].verdict, a, role);
	name = strchr(fine_signature(row->spec, &simple, r.judgement[0].verdict, role, a), '|') + 1;
	CHECK(!strcmp(name, row->name), "%s, %s: %s, not %s", row->spec, row->file, name, row->name);
	again = simplest_case(&any, &c, 2000, a);
	CHECK(testcase_hash(&again) == testcase_hash(&simple), "%s: another case the second time", row->file);
	again = simplest_case(&late, &c, 2000, a);
	CHECK(testcase_hash(&again) == testcase_hash(&c), "%s: another case though time is over", row->file);
	late.runs = steady_runs(&late, &simple, a);
	find_roles(&late, &simple, r.judgement[0].verdict, a, role);
	for (int k = 0; k < program_nodes(&simple.program); k++)
		CHECK(role[k] == ROLE_OWN, "%s: a role though time is over", row->file);
	bench_close(&one);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("%s", rows[i].name))
			continue;
		arena_reset(&a);
		check_row(&rows[i], &a);
	}
	arena_free(&a);
	return check_done();
}

/* What is behind a case: what a loop is blamed for, what an op is, and whether any other op would do. */
#include "../../fuzz/simplest.h"

#include <limits.h>
#include <string.h>

#include "../../fuzz/fine_signature.h"
#include "../check.h"

/* A loop that carries nothing and gathers what it captures. */
static const char gathering[] =
    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"v0: f64[2]\"],\"body\":[{\"out\":[\"v1: i64[2,1]\"],\"op\":\"constant\",\"value\":[0,1]},{\"out"
    "\":[\"v4: f64[2,1]\"],\"op\":\"scan\",\"args\":[\"v1\"],\"trip\":2,\"carries\":0,\"regions\":[{\"params\":[\"v2: i64[1]\"],\"body\":[{\"out"
    "\":[\"v3: f64[1]\"],\"op\":\"take_along_axis\",\"args\":[\"v0\",\"v2\"],\"axis\":0,\"mode\":\"clip\"}],\"results\":[\"v3\"]}]}],\"results\":"
    "[\"v4\"],\"points\":[[[\"0x1p-1\",\"0x1p-1\"]]],\"request\":[{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[[\"0x1p+0\",\"0x0p+0\"]]}]}";

/* A loop that adds what it carries, but for the first iteration: the branch hangs on the loop's index. */
static const char branching[] =
    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"v0: f64[]\"],\"body\":[{\"out\":[\"v7: f64[]\"],\"op\":\"for\",\"args\":[\"v0\"],\"trip\":3,\"regions\":[{\"params\":[\"v1: "
    "i64[]\",\"v2: f64[]\"],\"body\":[{\"out\":[\"v3: f64[]\"],\"op\":\"add\",\"args\":[\"v2\",\"v0\"]},{\"out\":[\"v4: i64[]\"],\"op\":\"constant\",\"value\":0},{\"out\":[\"v5: "
    "bool[]\"],\"op\":\"gt\",\"args\":[\"v1\",\"v4\"]},{\"out\":[\"v6: f64[]\"],\"op\":\"cond\",\"args\":[\"v5\"],\"regions\":[{\"params\":[],\"body\":[],\"results\":[\"v3\"]},{"
    "\"params\":[],\"body\":[],\"results\":[\"v0\"]}]}],\"results\":[\"v6\"]}]}],\"results\":[\"v7\"],\"points\":[[\"0x1p-1\"]],\"request\":[{\"transform\":\"vjp\",\"wrt\":[0],"
    "\"cotangents\":[\"0x1p+0\"]}]}";

/* A power that leaks a NaN at 0, beside what 0 times infinity may have made another of. */
static const char excused[] =
    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"v0: f64[]\"],\"body\":[{\"out\":[\"v1: f64[]\"],\"op\":\"constant\",\"value\":0},{\"out\":[\"v2: f64[]\"],\"op\":\"pow\",\"args\":[\"v0\","
    "\"v1\"]},{\"out\":[\"v3: f64[]\"],\"op\":\"asin\",\"args\":[\"v2\"]},{\"out\":[\"v4: f64[]\"],\"op\":\"sign\",\"args\":[\"v3\"]}],\"results\":[\"v2\",\"v4\"],\"points\":[[0]],"
    "\"request\":[{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[\"0x1p+0\",\"0x1p+0\"]}]}";

/* A slice of another shape than what is carried: the sum is there for the shape. */
static const char widening[] =
    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"v0: f64[1]\"],\"body\":[{\"out\":[\"v4: f64[1]\"],\"op\":\"scan\",\"args\":[\"v0\",\"v0\"],\"trip\":1,\"carries\":1,\"regions\":[{"
    "\"params\":[\"v1: f64[1]\",\"v2: f64[]\"],\"body\":[{\"out\":[\"v3: f64[1]\"],\"op\":\"add\",\"args\":[\"v2\",\"v0\"]}],\"results\":[\"v3\"]}]}],\"results\":[\"v4\"],"
    "\"points\":[[[\"0x1p-1\"]]],\"request\":[{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[[\"0x1p+0\"]]}]}";

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
};

static bool at_once(void) { return true; }

static void check_row(const struct row *row, struct arena *a)
{
	const struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct bench one;
	const struct same_signature over = {.bench = &one, .spec = row->spec, .stop = at_once};
	struct testcase c, simple, again;
	struct error e = {0};
	struct bench_result r;
	struct look look;
	enum role *role;
	const char *name;
	bool read;

	read = *row->file == '{' ? testcase_read(row->file, strlen(row->file), a, &c, &e) : testcase_read_file(row->file, a, &c, &e);
	CHECK(read && bench_open(&one, &row->spec, 1, &oracle, &e), "%s: %s %s", row->file, e.place, e.text);
	if (*e.text)
		return;
	c.n_expect = 0;
	bench_judge(&one, &c, a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "%s is right about %s", row->spec, row->file);
	simple = simplest_case(&one, NULL, &c, 2000, NULL, NULL, a);
	bench_judge(&one, &simple, a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "%s: what is left shows nothing", row->file);
	role = NEW(a, enum role, program_nodes(&simple.program) + 1);
	look = look_at(&one, NULL, &simple, a);
	find_roles(&look, &simple, r.judgement[0].verdict, a, role);
	name = strchr(fine_signature(row->spec, &simple, r.judgement[0].verdict, role, a), '|') + 1;
	CHECK(!strcmp(name, row->name), "%s, %s: %s, not %s", row->spec, row->file, name, row->name);
	again = simplest_case(&one, NULL, &c, 2000, NULL, NULL, a);
	CHECK(testcase_hash(&again) == testcase_hash(&simple), "%s: another case the second time", row->file);
	again = simplest_case(&one, &over, &c, 2000, NULL, NULL, a);
	CHECK(testcase_hash(&again) == testcase_hash(&c), "%s: another case though time is over", row->file);
	look = look_at(&one, &over, &simple, a);
	find_roles(&look, &simple, r.judgement[0].verdict, a, role);
	for (int k = 0; k < program_nodes(&simple.program); k++)
		CHECK(role[k] == ROLE_OWN, "%s: a role though time is over", row->file);
	bench_close(&one);
}

int main(void)
{
	struct arena a;

	arena_init(&a, (size_t)1 << 30);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		arena_reset(&a);
		check_row(&rows[i], &a);
	}
	arena_free(&a);
	return check_done();
}

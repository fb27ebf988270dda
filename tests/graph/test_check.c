/* Programs that program_check must refuse, and what it says of them. */
#include "graph/program.h"

#include <string.h>

#include "tests/check.h"
#include "tests/graph/example_program.h"

static void self_use(struct program *p) { p->top.node[0].arg[0] = p->top.node[0].out; }
static void later_use(struct program *p) { loop(p)->arg[0] = repeat(p)->out; }
static void no_value(struct program *p) { scan(p)->region[0].node[0].arg[1] = 999; }
static void negative_value(struct program *p) { p->top.result[1] = -1; }
static void inner_value(struct program *p) { p->top.result[1] = scan(p)->out; }
static void sibling_value(struct program *p) { cond(p)->region[1].result[0] = cond(p)->region[0].node[0].out; }
static void inner_param(struct program *p) { repeat(p)->arg[0] = loop(p)->region[0].param + 1; }
static void stored_type(struct program *p) { p->type[loop(p)->out].dtype = DTYPE_F32; }
static void defined_twice(struct program *p) { scan(p)->region[0].node[1].out = scan(p)->region[0].node[0].out; }
static void never_defined(struct program *p) { p->n_value++; }
static void param_count(struct program *p) { repeat(p)->region[0].n_param = 0; }
static void param_type(struct program *p) { p->type[scan(p)->region[0].param + 1] = vector; }
static void carry_type(struct program *p) { loop(p)->region[0].result[0] = loop(p)->region[0].param; }
static void predicate_type(struct program *p) { repeat(p)->region[0].result[0] = 0; }
static void until_type(struct program *p) { scan(p)->region[0].result[2] = 0; }
static void branch_type(struct program *p) { cond(p)->region[1].result[0] = 1; }
static void branch_results(struct program *p) { cond(p)->region[1].n_result = 0; }
static void scan_trip(struct program *p) { scan(p)->attrs.trip = 4; }
static void scan_carries(struct program *p) { scan(p)->attrs.carries = 3; }
static void long_trip(struct program *p) { loop(p)->attrs.trip = 1000000; }
static void much_work(struct program *p) { loop(p)->attrs.trip = 60000; }
static void negative_cap(struct program *p) { repeat(p)->attrs.cap = -1; }
static void count_type(struct program *p) { loop(p)->attrs.trip = -1; }
static void region_count(struct program *p) { repeat(p)->n_region = 1; }
static void bad_op(struct program *p) { p->top.node[0].op = OP_COUNT; }
static void many_args(struct program *p) { p->top.node[0].n_arg = 17; }
static void no_results(struct program *p) { p->top.n_result = 0; }
static void input_type(struct program *p) { p->type[1].shape.extent[0] = 1 << 17; }
static void input_dtype(struct program *p) { p->type[0].dtype = DTYPE_COUNT; }
static void literal(struct program *p)
{
	/* Valid types all over, but 0.1 is no f16. */
	struct tensor *value = &repeat(p)->region[1].node[0].attrs.value;
	value->type.dtype = DTYPE_F16;
}

static const struct bad {
	void (*edit)(struct program *p);
	const char *place, *text;
} bads[] = {
    {self_use, "body[0].args[0]", "not defined before"},
    {later_use, "body[1].args[0]", "not defined before"},
    {no_value, "body[1].regions[0].body[1].regions[0].body[0].args[1]", "no value v999"},
    {negative_value, "results[1]", "no value v-1"},
    {inner_value, "results[1]", "region that has ended"},
    {sibling_value, "body[1].regions[0].body[1].regions[0].body[2].regions[1].results[0]", "region that has ended"},
    {inner_param, "body[2].args[0]", "region that has ended"},
    {stored_type, "body[1]", "result 0 has type f32[], expected f64[]"},
    {defined_twice, "body[1].regions[0].body[1].regions[0].body[1]", "a second time"},
    {never_defined, "", "1 of 22 values are never defined"},
    {param_count, "body[2].regions[0].params", "0 parameters, expected 1"},
    {param_type, "body[1].regions[0].body[1].regions[0].params[1]", "type f64[3], expected f64[]"},
    {carry_type, "body[1].regions[0].results[0]", "type i64[], expected f64[]"},
    {predicate_type, "body[2].regions[0].results[0]", "type f64[], expected bool[]"},
    {until_type, "body[1].regions[0].body[1].regions[0].results[2]", "expected bool[]"},
    {branch_type, "body[1].regions[0].body[1].regions[0].body[2].regions[1].results[0]", "type f64[3], expected f64[]"},
    {branch_results, "body[1].regions[0].body[1].regions[0].body[2].regions[1].results", "0 results, expected 1"},
    {scan_trip, "body[1].regions[0].body[1].args[1]", "leading extent of trip, 4"},
    {scan_carries, "body[1].regions[0].body[1].carries", "3 carries"},
    {long_trip, "body[1].trip", "trip 1000000, expected 0 to 65536"},
    {much_work, "", "work of"},
    {negative_cap, "body[2].cap", "cap -1"},
    {count_type, "body[1].args[0]", "the count"},
    {region_count, "body[2].regions", "1 regions, expected 2"},
    {bad_op, "body[0].op", "no op"},
    {many_args, "body[0].args", "17 operands"},
    {no_results, "results", "at least 1"},
    {input_type, "inputs[1]", "f64[131072]"},
    {input_dtype, "inputs[0]", "type ?[]"},
    {literal, "body[2].regions[1].body[0].value[0]", "0.10000000000000001 is no value of dtype f16"},
};

static void test_refused(struct arena *a)
{
	for (int i = 0; i < LENGTH(bads); i++) {
		struct program p = example(a, false);
		struct error e = {0};
		/* Room for one more value, with a type. */
		p.type = arena_copy(a, p.type, (size_t)p.n_value + 1, sizeof *p.type);
		bads[i].edit(&p);
		CHECK(!program_check(&p, &e), "edit %d", i);
		CHECK(!strcmp(e.place, bads[i].place) && strstr(e.text, bads[i].text), "edit %d: \"%s\": %s", i,
		    e.place, e.text);
		CHECK(!program_check(&p, NULL), "edit %d without an error to fill", i);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	test_refused(&a);
	arena_free(&a);
	return check_done();
}

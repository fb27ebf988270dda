/* What an operand is to its op, in words: rows of the table, and a law over all ops. */
#include "fuzz/edit/operand_name.h"

#include <string.h>

#include "tests/check.h"

static void check_rows(struct arena *a)
{
	static const struct {
		enum op op;
		int n_arg, k;
		const char *one, *group;
	} rows[] = {
	    {OP_CLAMP, 3, 1, "lower bound", "bounds"},
	    {OP_CLAMP, 3, 2, "upper bound", "bounds"},
	    {OP_DIV, 2, 0, "numerator", "operands"},
	    {OP_MUL, 2, 1, "second operand", "operands"},
	    {OP_SIN, 1, 0, "operand", "operands"},
	    {OP_STORE, 3, 1, "update", "operands"},
	    {OP_SCATTER_ADD, 3, 2, "update", "operands"},
	    {OP_CONCATENATE, 3, 2, "third operand", "operands"},
	    {OP_CONCATENATE, 9, 8, "operand number 9", "operands"},
	    {OP_SCAN, 3, 0, "initial carry", "initial carries"},
	    {OP_SCAN, 3, 2, "second per-iteration input", "per-iteration inputs"},
	    {OP_SCAN, 2, 1, "per-iteration input", "per-iteration inputs"},
	    {OP_FOR, 2, 0, "trip count", "operands"},
	    {OP_FOR, 2, 1, "initial carry", "initial carries"},
	    {OP_FOR, 3, 2, "second initial carry", "initial carries"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct region body[2] = {{.n_param = 4}, {.n_param = 4}};
		/* a scan has one carry and two per-iteration inputs; a for without a fixed trip count reads it first */
		struct node n = {.op = rows[i].op,
		    .n_arg = rows[i].n_arg,
		    .n_out = 1,
		    .attrs = {.trip = rows[i].op == OP_FOR ? -1 : 2, .carries = 1},
		    .n_region = op_table[rows[i].op].n_region,
		    .region = body};

		if (!row_wanted("%s %d", op_table[rows[i].op].name, rows[i].k))
			continue;
		CHECK(!strcmp(operand_name(&n, rows[i].k, a), rows[i].one), "%s", operand_name(&n, rows[i].k, a));
		CHECK(!strcmp(operand_group(&n, rows[i].k), rows[i].group), "%s", operand_group(&n, rows[i].k));
	}
}

/* Two operands of one op never have the same name, and an op has a name for captures if its regions may capture. */
static void check_names(struct arena *a)
{
	for (int op = 0; op < OP_COUNT; op++) {
		struct node n = {.op = (enum op)op, .n_arg = op_table[op].n_arg, .n_out = 1};

		if (!op_table[op].n_region)
			for (int i = 0; i < n.n_arg; i++)
				for (int k = 0; k < i; k++)
					CHECK(strcmp(operand_name(&n, i, a), operand_name(&n, k, a)) != 0,
					    "%s: operands %d and %d", op_table[op].name, i, k);
		CHECK((captured_name((enum op)op) != NULL) == (op_table[op].n_region && op != OP_CUSTOM), "%s",
		    op_table[op].name);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 20);
	check_rows(&a);
	CHECK_LAW(check_names(&a));
	arena_free(&a);
	return check_done();
}

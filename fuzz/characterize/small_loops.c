/*
 * small_loops.c: small loops of every kind, which end in every way.  One operand is differentiated through one result.
 * So the table shows which initial value, row or captured value is wrong through which final carry or stacked row, and
 * how the loop must end.
 */
#include <string.h>

#include "fuzz/edit/formula.h"
#include "lab_edit.h"
#include "rows.h"

enum { ROUNDS = 4, LONGER = 6, FIRST_CARRY = 0, SECOND_CARRY = 1, FIRST_ROW = 2, RESULTS = FIRST_ROW + ROUNDS };
enum { INITIAL, OTHER_INITIAL, CAPTURED, ROWS_READ, INPUTS };

enum property {
	FIXED = 1,   /* the number of iterations is a number in the program */
	COUNTED = 2, /* it is a value of the program */
	STOPS = 4,   /* `until` becomes true */
	ENDS_AT_LIMIT = 8
};

/* A loop of ROUNDS iterations. */
static const struct loop_ending {
	enum op op;
	const char *name;
	int trip, cap, count; /* 0: not used */
	int until;            /* the iteration in which it becomes true; -1: it has none */
	unsigned has;
} endings[] = {
    {OP_FOR, "fixed trip count", ROUNDS, 0, 0, -1, FIXED | ENDS_AT_LIMIT},
    {OP_FOR, "until, early", LONGER, 0, 0, ROUNDS - 1, STOPS},
    {OP_FOR, "until, in the last iteration", ROUNDS, 0, 0, ROUNDS - 1, STOPS | ENDS_AT_LIMIT},
    {OP_FOR, "until, never true", ROUNDS, 0, 0, LONGER, ENDS_AT_LIMIT},
    {OP_FOR, "trip count below the limit", 0, LONGER, ROUNDS, -1, COUNTED},
    {OP_FOR, "trip count equal to the limit", 0, ROUNDS, ROUNDS, -1, COUNTED | ENDS_AT_LIMIT},
    {OP_FOR, "trip count above the limit", 0, ROUNDS, LONGER, -1, COUNTED | ENDS_AT_LIMIT},
    {OP_WHILE, "condition, below the limit", 0, LONGER, ROUNDS, -1, 0},
    {OP_WHILE, "condition, at the limit", 0, ROUNDS, ROUNDS, -1, ENDS_AT_LIMIT},
    {OP_WHILE, "condition, cut short", 0, ROUNDS, LONGER, -1, ENDS_AT_LIMIT},
    {OP_SCAN, "fixed trip count", ROUNDS, 0, 0, -1, FIXED | ENDS_AT_LIMIT},
    {OP_SCAN, "until, early", LONGER, 0, 0, ROUNDS - 1, STOPS},
    {OP_SCAN, "until, in the last iteration", ROUNDS, 0, 0, ROUNDS - 1, STOPS | ENDS_AT_LIMIT},
    {OP_SCAN, "until, never true", ROUNDS, 0, 0, LONGER, ENDS_AT_LIMIT},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

static const char *const input_names[INPUTS] = {
    "first initial carry", "second initial carry", "captured value", "per-iteration input"};
static const char *const result_names[RESULTS] = {
    "first final carry", "second final carry", "stacked row 0", "stacked row 1", "stacked row 2", "stacked row 3"};

/* ---- the programs ---- */

static const struct type number = {DTYPE_I64, {0}}, truth_value = {DTYPE_BOOL, {0}};

/* Fills the body with the next carries, the stacked row, and whether to stop.  Each derivative depends on all values,
 * so that a wrong one shows everywhere.  False: a formula does not fit. */
static bool fill_body(struct edit *e, const struct loop_ending *way, struct region *body, int captured, enum dtype d)
{
	const bool scan = way->op == OP_SCAN;
	const int first = body->param + (way->op == OP_FOR);
	const struct text_name name[] = {
	    {"c", first}, {"d", first + 1}, {"r", scan ? first + 3 : captured}, {"a", captured}};
	const char *const text[] = {"sin(c * a + r)", "sin(d * r + c * a)", "sin(c * r + d)"};
	int value[5], n = 0, one;

	body->result = NEW(e->arena, int, 5);
	for (int i = 0; i < 2 + scan; i++)
		if (!formula_build(e, body, text[i], name, 4, d, &value[i]))
			return false;
	body->result[n++] = value[0];
	body->result[n++] = value[1];
	one = edit_insert_fill(e, body, body->n_node, &number, 1);
	body->result[n++] = edit_insert_binary(e, body, body->n_node, OP_ADD, first + 2, one, &number);
	if (scan)
		body->result[n++] = value[2];
	if (way->until >= 0) {
		one = edit_insert_fill(e, body, body->n_node, &number, way->until);
		body->result[n++] = edit_insert_binary(e, body, body->n_node, OP_GE, first + 2, one, &truth_value);
	}
	body->n_result = n;
	return true;
}

/* Appends the loop to the program whose inputs are c, d, a and, for a scan, the rows.  Returns its first result; -1: it
 * does not fit. */
static int append_loop(struct edit *e, const struct loop_ending *way, enum dtype d)
{
	struct region *top = &e->c.program.top, *region = NEW(e->arena, struct region, 2),
	              *body = &region[way->op == OP_WHILE];
	const struct type scalar = {d, shape_scalar()}, rows = {d, {1, {way->trip}}};
	struct type type[5];
	struct node node = {.op = way->op, .n_region = 1 + (way->op == OP_WHILE), .region = region};
	int *arg = NEW(e->arena, int, 5), n = 0, carries[3] = {top->param, top->param + 1, 0};

	carries[2] = edit_insert_fill(e, top, top->n_node, &number, 0);
	if (way->op == OP_FOR)
		type[n++] = number;
	type[n++] = scalar;
	type[n++] = scalar;
	type[n++] = number;
	if (way->op == OP_SCAN)
		type[n++] = scalar;
	body->n_param = n;
	body->param = edit_new_values(e, type, n);
	if (!fill_body(e, way, body, top->param + CAPTURED, d))
		return -1;
	if (way->op == OP_WHILE) {
		int bound;

		*region = (struct region){.n_param = n, .param = edit_new_values(e, type, n)};
		bound = edit_insert_fill(e, region, 0, &number, way->count);
		region->result = NEW(e->arena, int, 1);
		region->n_result = 1;
		region->result[0] = edit_insert_binary(e, region, 1, OP_LT, region->param + 2, bound, &truth_value);
	}
	if (way->op == OP_FOR && way->count)
		arg[node.n_arg++] = edit_insert_fill(e, top, top->n_node, &number, way->count);
	for (int i = 0; i < 3; i++)
		arg[node.n_arg++] = carries[i];
	if (way->op == OP_SCAN)
		arg[node.n_arg++] = top->param + ROWS_READ;
	node.arg = arg;
	node.attrs = (struct attrs){.trip = way->op == OP_FOR && way->count ? -1 : way->trip,
	    .cap = way->cap,
	    .until = way->until >= 0,
	    .carries = way->op == OP_SCAN ? 3 : 0};
	node.n_out = 3 + (way->op == OP_SCAN);
	node.out = edit_new_values(e, (const struct type[]){scalar, scalar, number, rows}, node.n_out);
	edit_insert_node(e, top, top->n_node, &node);
	return node.out;
}

static void try_loop(struct lab *l, const struct loop_ending *way, int input, int result)
{
	static const double numbers[INPUTS] = {0.75, 1.25, 0.625, 0}, rows[] = {1.5, 0.875, 1.375, 0.5, 1.125, 0.8125};
	const enum dtype d = lab_dtype(l);
	struct tensor in[INPUTS];
	struct edit e;
	int out;

	for (int i = 0; i < ROWS_READ; i++)
		in[i] = lab_scalar(l, d, numbers[i]);
	in[ROWS_READ] = lab_vector(l, d, rows, way->trip);
	e = lab_fresh(l, in, way->op == OP_SCAN ? INPUTS : ROWS_READ);
	out = append_loop(&e, way, d);
	if (out < 0)
		return;
	if (result >= FIRST_ROW)
		out = edit_append(&e, &e.c.program.top, OP_SLICE, (const int[]){out + 3}, 1,
		    &(struct attrs){.start = {result - FIRST_ROW}, .size = {1}, .stride = {1}});
	else
		out += result;
	e.c.program.top.result[0] = out;
	e.c.program.top.n_result = 1;
	lab_take_request(l, &e, &input, 1);
	lab_try(
	    l, &e, (const char *const[]){op_table[way->op].name, way->name, input_names[input], result_names[result]});
}

void experiment_small_loops(struct lab *l)
{
	bool loop = false;

	lab_columns(l, (const char *const[]){"loop", "ends", "differentiated", "through"}, 4);
	for (struct walk w = walk_nodes(&l->base->program.top); walk_next(&w);)
		loop |= node_loop(w.node).is_loop;
	if (!loop || lab_kills(l))
		return;
	l->apart = true;
	for (int i = 0; i < ENDINGS; i++)
		for (int input = 0; input < (endings[i].op == OP_SCAN ? INPUTS : ROWS_READ); input++)
			for (int result = 0; result < (endings[i].op == OP_SCAN ? RESULTS : FIRST_ROW); result++)
				try_loop(l, &endings[i], input, result);
	l->apart = false;
}

/* ---- what it says ---- */

enum { LOOP, ENDS, DIFFERENTIATED, THROUGH, COLUMNS };

/* Rows of the table that tell: a right derivative of 0 does not. */
static bool tells(const struct variant_row *r)
{
	bool zero = r->expected == 0;

	for (int i = 0; i < r->n_element; i++)
		zero &= r->element_expected[i] == 0;
	return r->decided && (r->fails || !zero);
}

static bool fails_with(const struct variant_table *t, int column, const char *text)
{
	for (int i = 0; i < t->n_row; i++)
		if (row_fails(&t->row[i], NULL) && !strcmp(t->row[i].cell[column], text))
			return true;
	return false;
}

/* Whether rows that differ from failing ones in that column alone pass: what it says there is needed.  Loops of another
 * kind have their own ways to end. */
static bool is_needed(const struct variant_table *t, int column)
{
	enum { FEWEST = 2 };
	int passing = 0;

	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		bool alike = tells(r) && !r->fails && !fails_with(t, column, r->cell[column]);

		for (int k = 0; k < COLUMNS; k++)
			alike &= k == column || (column == LOOP && k == ENDS) || fails_with(t, k, r->cell[k]);
		passing += alike;
	}
	return passing >= FEWEST;
}

/* The texts of a column with which it fails: "for and scan". */
static const char *list_failing(struct lab *l, const struct variant_table *t, int column)
{
	const char *list = "", *last = NULL;

	for (int i = 0; i < t->n_row; i++) {
		const char *text = t->row[i].cell[column];
		bool first = fails_with(t, column, text);

		for (int k = 0; k < i; k++)
			first &= strcmp(t->row[k].cell[column], text) != 0;
		if (!first)
			continue;
		if (last)
			list = LAB_TEXT(l, "%s%s%s", list, *list ? ", " : "", last);
		last = text;
	}
	return *list ? LAB_TEXT(l, "%s and %s", list, last) : last ? last : "";
}

/* How a loop must end to fail: in every way of those that fail, and in no other of the same loops. */
static const struct {
	unsigned has, lacks;
	const char *text;
} ways[] = {
    {FIXED, 0, "its number of iterations is a fixed number"},
    {0, FIXED, "its number of iterations is found at run time"},
    {STOPS, 0, "until becomes true"},
    {0, STOPS, "until does not become true"},
    {COUNTED, 0, "its trip count is a value of the program"},
    {0, COUNTED, "its trip count is no value of the program"},
    {ENDS_AT_LIMIT, 0, "it runs as often as it may"},
    {0, ENDS_AT_LIMIT, "it ends before its limit"},
    {ENDS_AT_LIMIT, FIXED, "its number of iterations is found at run time and is the most that it may be"},
    {ENDS_AT_LIMIT | STOPS, 0, "until becomes true in the last iteration that it may run"},
    {STOPS, ENDS_AT_LIMIT, "until becomes true before its limit"},
    {ENDS_AT_LIMIT | COUNTED, 0, "its trip count is a value of the program and the most that it may be"},
    {COUNTED, ENDS_AT_LIMIT, "its trip count is a value of the program and below its limit"},
};

/* NULL: none of the texts says it. */
static const char *way_text(const struct variant_table *t)
{
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		bool agrees = true;

		for (int i = 0; i < ENDINGS && agrees; i++) {
			const struct loop_ending *e = &endings[i];
			const bool has = (e->has & ways[w].has) == ways[w].has && !(e->has & ways[w].lacks);
			bool seen = false, fails = false;

			for (int k = 0; k < t->n_row; k++) {
				const struct variant_row *r = &t->row[k];

				if (strcmp(r->cell[LOOP], op_table[e->op].name) != 0 ||
				    strcmp(r->cell[ENDS], e->name) != 0 || !tells(r) ||
				    !fails_with(t, LOOP, r->cell[LOOP]) ||
				    !fails_with(t, DIFFERENTIATED, r->cell[DIFFERENTIATED]) ||
				    !fails_with(t, THROUGH, r->cell[THROUGH]))
					continue;
				seen = true;
				fails |= r->fails;
			}
			agrees = !seen || fails == has;
		}
		if (agrees)
			return ways[w].text;
	}
	return NULL;
}

struct named_set {
	unsigned set; /* of results, or of operands: bit k is number k */
	const char *text;
};

enum {
	CARRIES = 1 << FIRST_CARRY | 1 << SECOND_CARRY,
	TOP_ROW = 1 << FIRST_ROW,
	LAST_ROW = 1 << (RESULTS - 1),
	STACKED = (1 << RESULTS) - TOP_ROW
};
static const struct named_set result_sets[] = {
    {1 << FIRST_CARRY, "its first final carry"},
    {1 << SECOND_CARRY, "its second final carry"},
    {CARRIES, "its final carries"},
    {STACKED, "its stacked output"},
    {TOP_ROW, "the first row of its stacked output"},
    {LAST_ROW, "the last row of its stacked output"},
    {STACKED & ~LAST_ROW, "rows of its stacked output before the last"},
    {STACKED & ~TOP_ROW, "rows of its stacked output after the first"},
    {CARRIES | TOP_ROW, "its final carries and the first row of its stacked output"},
    {CARRIES | LAST_ROW, "its final carries and the last row of its stacked output"},
    {0, NULL},
};

static const struct named_set operand_sets[] = {
    {1 << INITIAL, "its first initial carry"},
    {1 << OTHER_INITIAL, "its second initial carry"},
    {1 << INITIAL | 1 << OTHER_INITIAL, "its initial carries"},
    {1 << CAPTURED, "the value that it captures"},
    {1 << ROWS_READ, "its per-iteration input"},
    {0, NULL},
};

/* What those that fail have in common; NULL: nothing that has a name, so a part of them may be an accident. */
static const char *set_name(
    const struct variant_table *t, int column, const char *const *name, int n, const struct named_set *sets)
{
	unsigned set = 0;

	for (int i = 0; i < n; i++)
		set |= fails_with(t, column, name[i]) ? 1u << i : 0;
	while (sets->text && sets->set != set)
		sets++;
	return sets->text;
}

/* Whether a loop of each kind fails. */
static bool each_kind_fails(const struct variant_table *t)
{
	for (int i = 0; i < ENDINGS; i++)
		if (!fails_with(t, LOOP, op_table[endings[i].op].name))
			return false;
	return true;
}

void lab_state_small_loops(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "small_loops");
	const struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};
	const char *text = "";

	if (!t || !s[0].n_row)
		return;
	const char *operands = set_name(t, DIFFERENTIATED, input_names, INPUTS, operand_sets),
	           *results = set_name(t, THROUGH, result_names, RESULTS, result_sets), *way = way_text(t);

	if (is_needed(t, LOOP))
		text = LAB_TEXT(l, ", as %s", list_failing(l, t, LOOP));
	if (is_needed(t, DIFFERENTIATED) && operands)
		text = LAB_TEXT(l, "%s, with respect to %s", text, operands);
	if (is_needed(t, THROUGH) && results)
		text = LAB_TEXT(l, "%s, through %s", text, results);
	if (is_needed(t, ENDS) && way)
		text = LAB_TEXT(l, "%s, where %s", text, way);
	if (*text)
		lab_say(l, "small-loops", STATEMENT_SHOWN, s, 2, "A small loop fails only%s.", text + 1);
	else if (each_kind_fails(t))
		lab_say(
		    l, "kinds-of-loops", STATEMENT_SHOWN, s, 2, "Small loops of each kind fail: for, while and scan.");
}

/* Whether the operand that is differentiated in a row of small loops is what the use is called. */
static bool is_called(const char *differentiated, const char *name)
{
	static const char initial[] = "initial carry", captured[] = "captured";

	if (strstr(differentiated, captured))
		return strstr(name, captured) != NULL;
	if (strstr(differentiated, initial) && !strncmp(name, initial, sizeof initial - 1))
		return true; /* the only one */
	return strstr(name, differentiated) != NULL;
}

bool lab_fails_in_small_loop(const struct lab *l, const struct use *u)
{
	const struct variant_table *t = lab_find(l, "small_loops");

	for (int i = 0; t && i < t->n_row; i++)
		if (row_fails(&t->row[i], NULL) && !strcmp(t->row[i].cell[0], op_table[u->op].name) &&
		    is_called(t->row[i].cell[2], u->name))
			return true;
	return false;
}

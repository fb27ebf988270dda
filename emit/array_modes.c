/* array_modes.c: the modes of an array library: the calls of each, and what an engine behind its sources can be asked.
 */
#include "array.h"

#include <string.h>

/* ---- calls ---- */

/* The rows of a mode; none if it has the members of the target alone. */
static int rows_of(const struct array_target *target, const char *mode, const struct array_calls *row[LIMIT_SPELLINGS])
{
	int n = 0;

	for (const struct array_calls *c = target->calls; c->name && n < LIMIT_SPELLINGS; c++)
		if (!strcmp(c->mode, mode))
			row[n++] = c;
	return n;
}

const struct array_calls *array_calls_of(const struct array_target *target, const char *mode, int variant)
{
	static const struct array_calls usual = {0};
	const struct array_calls *row[LIMIT_SPELLINGS];
	int n = rows_of(target, mode, row);

	return n ? row[testcase_spelling(variant, hello_spelled_name(SPELLED_REQUEST), n)] : &usual;
}

/* ---- spellings of ops ---- */

/* The names of an op's spellings, the usual one first. */
static struct spelling_list spellings_of(const struct array_target *target, enum op op)
{
	struct spelling_list list = {.n = 1, .name = {"as usual"}};

	for (const struct op_row *row = target->spelling; row->text; row++) {
		bool known = row->op != op || list.n == LIMIT_SPELLINGS;

		for (int k = 0; k < list.n; k++)
			known = known || !strcmp(list.name[k], row->name);
		if (!known)
			list.name[list.n++] = row->name;
	}
	return list;
}

struct array_target array_spelled(const struct array_target *target, int variant, struct arena *a)
{
	struct array_target out = *target;
	struct op_row *all;
	int n = 0;

	while (target->spelling[n].text)
		n++;
	all = NEW(a, struct op_row, n + target->n_row);
	out.row = all;
	out.n_row = 0;
	for (int k = 0; k < n && variant; k++) {
		const struct op_row *row = &target->spelling[k];
		struct spelling_list list = spellings_of(target, row->op);

		if (!strcmp(list.name[testcase_spelling(variant, op_table[row->op].name, list.n)], row->name))
			all[out.n_row++] = *row;
	}
	for (int k = 0; k < target->n_row; k++)
		all[out.n_row++] = target->row[k];
	return out;
}

/* ---- what may be asked ---- */

/* Adds a stack, if the target has its levels. */
static void add_stack(struct hello *out, const struct array_target *target, const enum transform_kind *kind, int n)
{
	struct hello_request *r = &out->request[out->n_request];

	for (int k = 0; k < n; k++)
		if (!target->level[kind[k]])
			return;
	r->n = n;
	memcpy(r->kind, kind, (size_t)n * sizeof *kind);
	out->n_request++;
}

/* The primal, every stack of up to three levels that differentiate, and batches within and around up to two of them. */
static void add_stacks(struct hello *out, const struct array_target *target)
{
	enum { MOST = 3, MOST_BATCHED = 2 };
	const enum transform_kind batch = TRANSFORM_BATCH;

	out->n_request = 1;
	add_stack(out, target, &batch, 1);
	for (int n = 1; n <= MOST; n++)
		for (int bits = 0; bits < 1 << n; bits++) {
			enum transform_kind kind[MOST + 2] = {TRANSFORM_BATCH};

			for (int k = 0; k < n; k++)
				kind[k + 1] = bits >> k & 1 ? TRANSFORM_VJP : TRANSFORM_JVP;
			kind[n + 1] = TRANSFORM_BATCH;
			add_stack(out, target, kind + 1, n);
			for (int k = 0; k < 3 && n <= MOST_BATCHED; k++)
				add_stack(out, target, kind + (k == 1), n + 1 + (k == 2));
		}
}

static struct hello hello_of(
    const struct array_target *target, const char *name, const char *mode, const char *suffix, struct arena *a)
{
	struct hello out = hello_open_to_all(name);
	const struct array_calls *row[LIMIT_SPELLINGS];
	struct spelling_list *list = NEW(a, struct spelling_list, 1);

	add_stacks(&out, target);
	out.unroll = true;
	out.emits = suffix;
	for (int d = 0; d < DTYPE_COUNT; d++)
		out.dtype[d] = target->dtype[d];
	for (int op = 0; op < OP_COUNT; op++)
		out.op[op] = rewrite_knows(target, (enum op)op) || array_has_control(target, (enum op)op);
	list->n = rows_of(target, mode, row);
	for (int k = 0; k < list->n; k++)
		list->name[k] = row[k]->name;
	if (list->n > 1)
		out.spelling[SPELLED_REQUEST] = list;
	for (int op = 0; op < OP_COUNT; op++) {
		struct spelling_list calls = spellings_of(target, (enum op)op);

		if (calls.n > 1)
			out.spelling[op] = arena_copy(a, &calls, 1, sizeof calls);
	}
	for (int k = 0; k < SPELLED_COUNT; k++)
		out.variants = out.variants || out.spelling[k];
	return out;
}

bool emit_hello(const struct emit_target *target, struct arena *a, struct hello *out)
{
	static const struct {
		emit_fn *write;
		const struct array_target *library;
		const char *mode;
	} modes[] = {
#define ARRAY_TARGET(...)
#define ARRAY_MODE(id, library, mode) {emit_##id, &array_##library, mode},
#include "array_targets.def"
#undef ARRAY_TARGET
#undef ARRAY_MODE
	};

	if (target->write == emit_c) {
		*out = hello_open_to_all(target->name);
		out->emits = "c";
		return true;
	}
	for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
		if (modes[k].write == target->write && modes[k].library->judge) {
			*out = hello_of(modes[k].library, target->name, modes[k].mode, modes[k].library->suffix, a);
			return true;
		}
	return false;
}

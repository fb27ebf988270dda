/* faults.c: the table of faults; packed tangents; rules off by a factor. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"

/* ---- packed tangents ---- */

/*
 * The condition of select is operand 0 and is not in the sum.  Memory beyond argnums[] contained this position in MLX.
 */
static int argnums_twice(const int *argnums, int n_traced, int i)
{
	return argnums[i] < n_traced ? argnums[argnums[i]] : 0;
}

const struct edits plant_packed_select = {.edit = {
                                              EDIT(tangent.row[OP_SELECT].packing.operand, argnums_twice),
                                              EDIT(tangent.row[OP_SELECT].packing.pick, argnums_twice),
                                          }};

static int two_terms(int n_traced)
{
	(void)n_traced;
	return 2;
}

static int operand_by_position(const int *argnums, int n_traced, int i)
{
	(void)argnums, (void)n_traced;
	return i;
}

static int last_past_end(const int *argnums, int n_traced, int i)
{
	(void)argnums;
	return i < n_traced ? i : n_traced - 1;
}

const struct edits plant_packed_atan2 = {.edit = {
                                             EDIT(tangent.row[OP_ATAN2].packing.terms, two_terms),
                                             EDIT(tangent.row[OP_ATAN2].packing.operand, operand_by_position),
                                             EDIT(tangent.row[OP_ATAN2].packing.pick, last_past_end),
                                         }};

/*
 * A real read past the end. 2^47 bytes past any address of a process is outside the user half of the address space on
 * x86-64 and AArch64.  So the read traps whatever the heap contains.
 */
static int read_past_end(const int *argnums, int n_traced, int i)
{
	volatile uintptr_t far = (uintptr_t)argnums + ((uintptr_t)1 << 47);

	return i < n_traced ? i : *(const volatile int *)far;
}

const struct edits plant_packed_atan2_oob = {.edit = {
                                                 EDIT(tangent.row[OP_ATAN2].packing.terms, two_terms),
                                                 EDIT(tangent.row[OP_ATAN2].packing.operand, operand_by_position),
                                                 EDIT(tangent.row[OP_ATAN2].packing.pick, read_past_end),
                                             }};

static int second_for_source(const int *argnums, int n_traced, int i)
{
	(void)n_traced;
	return argnums[i] == 2 ? 1 : i;
}

const struct edits plant_packed_masked_scatter = {
    .edit = {
        EDIT(tangent.row[OP_MASKED_SCATTER].packing.pick, second_for_source),
    }};

static int one_per_operand(int n_out, int n_traced)
{
	(void)n_out;
	return n_traced;
}

const struct edits plant_packed_bitwise = {.edit = {
                                               EDIT(tangent.row[OP_BITWISE_AND].packing.out_arity, one_per_operand),
                                               EDIT(tangent.row[OP_BITWISE_OR].packing.out_arity, one_per_operand),
                                               EDIT(tangent.row[OP_BITWISE_XOR].packing.out_arity, one_per_operand),
                                               EDIT(tangent.row[OP_SHIFT_LEFT].packing.out_arity, one_per_operand),
                                               EDIT(tangent.row[OP_SHIFT_RIGHT].packing.out_arity, one_per_operand),
                                           }};

/* ---- any rule ---- */

/* "OP:FACTOR", FACTOR decimal or hexadecimal. */
static bool scale(struct engine *self, const char *args, struct error *e)
{
	const char *colon = strchr(args, ':');
	char name[48], *end = NULL, *dot;
	unsigned unscaled = 0;
	double factor = 0;
	int op;

	if (colon && (size_t)(colon - args) < sizeof name && colon[1] && !strchr(" \t", colon[1]))
		factor = strtod(colon + 1, &end);
	if (!end || *end || !isfinite(factor))
		return error_set(e, NULL,
		    "fault scale: expected scale:OP:FACTOR or scale:OP.OPERAND:FACTOR with a finite FACTOR, not "
		    "scale:%.60s",
		    args);
	memcpy(name, args, (size_t)(colon - args));
	name[colon - args] = '\0';
	dot = strchr(name, '.');
	if (dot)
		*dot = '\0';
	op = op_find(name);
	if (op < 0)
		return error_set(e, NULL, "fault scale: no op '%s'", name);
	if (op_table[op].n_region || op_table[op].regularity == REGULARITY_DISCRETE ||
	    op_table[op].regularity == REGULARITY_STEP)
		return error_set(e, NULL, "fault scale: op %s contributes nothing of its own to a derivative", name);
	if (dot) {
		if (dot[1] < 'a' || dot[1] >= 'a' + op_table[op].n_arg || dot[2])
			return error_set(e, NULL, "fault scale: op %s has no operand '%s'", name, dot + 1);
		unscaled = ~(1U << (dot[1] - 'a'));
	}
	if (self->adjoint.row[op].scale != 1 && self->adjoint.row[op].unscaled != unscaled)
		return error_set(e, NULL, "fault scale: op %s is off by one factor, in one operand or in all", name);
	self->tangent.row[op].unscaled = self->adjoint.row[op].unscaled = self->aot.row[op].unscaled = unscaled;
	self->tangent.row[op].scale *= factor;
	self->adjoint.row[op].scale *= factor;
	self->aot.row[op].scale *= factor;
	return true;
}

const struct edits plant_scale = {.compute = scale};

/* ---- the table ---- */

static const struct fault {
	const char *engine, *args;
	struct fault_info info;
	const struct edits *edits;
} faults[] = {
#define FAULT(engine, slug, args, isolated, plant, source, meaning) \
	{engine, args, {engine "+" slug args, slug, source, meaning, isolated, 0, "", ""}, &plant_##plant},
#define HISTORIC(engine, slug, isolated, plant, year, family, request, source, meaning) \
	{engine, "", {engine "+" slug, slug, source, meaning, isolated, year, family, request}, &plant_##plant},
#include "faults.def"
#undef FAULT
#undef HISTORIC
};

enum { FAULTS = sizeof faults / sizeof *faults };

const struct fault_info *fault_row(int index) { return index >= 0 && index < FAULTS ? &faults[index].info : NULL; }

/* The first faults of an engine: "residual-fifo, weak-zero, ..."; "" when it has none. */
static void list_faults(const char *engine, char *text, size_t room)
{
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; i < FAULTS; i++) {
		const char *name = strchr(faults[i].info.spec, '+') + 1;

		if (strcmp(faults[i].engine, engine))
			continue;
		/* behind any name there must be room for the mark that more follow */
		if (len + strlen(", ") + strlen(name) + sizeof ", ..." > room) {
			strcpy(text + len, ", ...");
			return;
		}
		len += (size_t)snprintf(text + len, room - len, "%s%s", len ? ", " : "", name);
	}
}

static void apply(struct engine *self, const struct edits *edits)
{
	for (const struct rule_edit *edit = edits->edit; edit < edits->edit + EDITS_MOST && edit->size; edit++) {
		void *member = (char *)self + edit->at;
		bool known = edit->replacement || expression_compile(member, edit->text, NULL);

		assert(known);
		(void)known;
		if (edit->replacement)
			memcpy(member, edit->replacement, edit->size);
	}
}

bool fault_plant(struct engine *self, const char *text, size_t len, struct error *e)
{
	char copy[96], known[100];
	char *args;

	if (len >= sizeof copy)
		return error_set(e, NULL, "fault name of %zu bytes", len);
	memcpy(copy, text, len);
	copy[len] = '\0';
	args = strchr(copy, ':');
	if (args)
		*args++ = '\0';
	for (int i = 0; i < FAULTS; i++) {
		const struct fault *f = &faults[i];

		if (strcmp(f->engine, self->kind->name) || strcmp(f->info.slug, copy))
			continue;
		if (args && !*f->args)
			return error_set(e, NULL, "fault %s takes no arguments", copy);
		apply(self, f->edits);
		if (f->edits->compute && !f->edits->compute(self, args ? args : "", e))
			return false;
		self->n_fault++;
		self->isolated = self->isolated || f->info.isolated;
		return true;
	}
	list_faults(self->kind->name, known, sizeof known);
	return error_set(e, NULL, "engine %s has no fault '%.40s'; it has %s ('adjudge faults' lists all)",
	    self->kind->name, copy, known);
}

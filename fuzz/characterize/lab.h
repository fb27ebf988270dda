/*
 * lab.h: what experiments share.  An experiment makes variants, each an edited copy of the case or a program of its
 * own, and has them judged: a row each in its table.
 */
#ifndef FUZZ_CHARACTERIZE_LAB_H
#define FUZZ_CHARACTERIZE_LAB_H

#include "reports/characterization.h"
#include "fuzz/bench/bench.h"
#include "explain.h"
#include "fuzz/edit/edit.h"

enum {
	LAB_ROWS = 600, /* of one table: more say no more */
	LAB_HANGS = 4,  /* of all experiments: then they end */
	LAB_CELLS = 8
};

struct lab {
	struct bench *bench; /* the engine under test alone */
	struct bench peers;  /* right built-in engines; opened by the first that asks for them */
	const char *spec;
	const struct testcase *base;
	struct judgement finding;   /* of the base */
	struct arena *arena;        /* what is kept */
	struct arena work, scratch; /* of one variant; of its judging */
	double deadline;            /* on bench_clock; infinite: none */
	bool late;                  /* it has passed */
	struct characterization *out;
	struct variant_table *table; /* of the experiment at work */
	int hangs, samples;
	int asks; /* how often a case is asked before it passes: more than once where the engine answers by chance */
	struct explanation *explain; /* the features of every variant */
	struct engine *primal;
	int case_room, hash_room, statement_room;
	uint64_t *case_hash;
};

/* ---- variants ---- */

/* A copy of the base to edit; gives back what the variant before it used. */
struct edit lab_edit(struct lab *l);
/* The same of any case; c must not lie in l->work. */
struct edit lab_edit_of(struct lab *l, const struct testcase *c);
/* A program with these inputs and no node or result yet, a point at these values. */
struct edit lab_fresh(struct lab *l, const struct tensor *input, int n);
/* The request [kind wrt...] in place of what there is; seeds are made by edit_finish. */
void lab_request(struct edit *e, enum transform_kind kind, const int *wrt, int n_wrt);

/* The columns of the table; before the first row. */
void lab_columns(struct lab *l, const char *const *column, int n);
/*
 * Finishes the variant, has it judged and appends a row with cell[n_column].  The row, valid until the next one, or
 * NULL: it is no valid case, does not fit into memory, is in the table already, or the experiment is over.
 */
const struct variant_row *lab_try(struct lab *l, struct edit *e, const char *const *cell);
/* The same case put to peer `which` (peers are opened on demand); no more features are counted. */
const struct variant_row *lab_try_peer(struct lab *l, struct edit *e, int which, const char *const *cell);
int lab_peers(struct lab *l);
/* Judges c, for the condition alone: no row tells of it. */
void lab_sample(struct lab *l, const struct testcase *c);
/* The base once more, by the first engine of b; a row even where there is one of that case. */
const struct variant_row *lab_again(struct lab *l, struct bench *b, const char *const *cell);
/*
 * Whether a case that was judged `fails` does so: also one that passes, of an engine that answers by chance, if it
 * fails when it is asked again; and if it fails at a point and direction beside its own, where the same is executed and
 * taken: at its own it is right by accident.
 */
bool lab_fails(struct lab *l, const struct testcase *c, bool fails, struct arena *scratch);
/* Asks the base some times, to see whether the engine answers by chance. */
void lab_try_chance(struct lab *l);
/* Whether c is asked by the same stack of transforms as the base.  The condition is about programs and points: only
 * such variants count for it. */
bool lab_same_request(const struct lab *l, const struct testcase *c);
/* Whether the experiment must end. */
bool lab_over(const struct lab *l);

/* printf into the arena that is kept. */
#define LAB_TEXT(l, ...) arena_printf((l)->arena, __VA_ARGS__)
/* A number in few digits, kept. */
const char *lab_number(struct lab *l, double x);

/* ---- what follows ---- */

/* The table of that id, or NULL where it was not made. */
const struct variant_table *lab_find(const struct lab *l, const char *id);
typedef bool row_fn(const struct variant_row *r, const void *self);
bool row_fails(const struct variant_row *r, const void *self);
bool row_passes(const struct variant_row *r, const void *self);
/* The rows of t for which `keep` holds, in the arena. */
struct support lab_support(struct lab *l, const struct variant_table *t, row_fn *keep, const void *self);
/* Appends a statement; support is copied, those without rows dropped. */
void lab_say(struct lab *l, const char *id, enum statement_kind kind, const struct support *support, int n,
    const char *format, ...) __attribute__((format(printf, 6, 7)));

#define EXPERIMENT(id, title, varies) void experiment_##id(struct lab *l);
#include "experiments.def"
#undef EXPERIMENT

/* What the tables say, said (statements.c). */
void lab_state(struct lab *l);
/* The first node that departs (cuts.c): from table `cuts`. */
void lab_depart(struct lab *l);

#endif

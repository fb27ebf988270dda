/*
 * lab.h: the tools of the experiments.  An experiment makes variants: edited copies of the case, or programs of its
 * own. The lab has each variant judged and adds a row to the experiment's table.
 */
#ifndef FUZZ_CHARACTERIZE_LAB_H
#define FUZZ_CHARACTERIZE_LAB_H

#include "reports/characterization.h"
#include "fuzz/bench/bench.h"
#include "fuzz/bench/case_work.h"
#include "explain.h"
#include "facts.h"
#include "fuzz/edit/edit.h"

enum {
	LAB_ROWS = 600, /* at most, in one table */
	LAB_HANGS = 4,  /* in all experiments together; then they end */
	/* The work of one experiment, after which it makes no more variants.  Only large cases need so much. */
	LAB_WORK = 2000 * WORK_MILLISECOND,
	/* How many times that of experiment `neighbours`: a condition that rests on few of them predicts badly. */
	LAB_WORK_NEIGHBOURS = 4,
	LAB_CELLS = 8
};

enum { LAB_USES = 48, LAB_SHOWN = 64 };

struct lab {
	struct bench *bench; /* the engine under test alone */
	struct bench others; /* right built-in engines; opened when first needed */
	const char *spec;    /* [NAME=]SPEC of it */
	const struct testcase *base;
	const struct testcase *typical; /* the base, if there is no other */
	struct judgement finding;       /* of the base */
	bool raised;                    /* the engine answered an error there */
	struct arena *arena;            /* for everything that is kept */
	struct arena work, scratch;     /* for one variant; for judging it */
	double deadline;                /* on bench_clock; infinite: none */
	bool late;                      /* the deadline has passed */
	struct characterization *out;
	struct variant_table *table; /* of the running experiment */
	int64_t until;               /* bench_work at which it makes no more variants */
	int hangs, samples;
	int focus; /* the derivative, of a vjp, that rows are about; -1: the worst one, as the verdict */
	int asks;  /* how often a case must pass to count as passing; more than 1 if the engine answers by chance */
	struct explanation *explain;     /* the features of every variant */
	struct engine *primal, *forward; /* right engines: for values and vjp, for jvp (right.c) */
	bool at_tie;               /* the typical case is at a tie, though its numbers may differ: the tie is needed */
	bool apart;                /* the rows do not count for the condition */
	bool strict;               /* a variant that passes is not tried at a point beside */
	bool bounded;              /* samples end where the experiment must */
	struct together *together; /* variants that wait for others; NULL: none ever does */
	struct lookahead *ahead;   /* answers to them that the engine gave ahead; NULL: there are none now */
	int n_shown;               /* variants that fail, drawn */
	const struct testcase *shown[LAB_SHOWN];
	struct condition *told; /* out->told, or the best guess where that is missing; NULL: none */
	int n_blamed;           /* set by experiment `contributions` */
	struct blamed blamed[LAB_USES];
	bool drops;                   /* what is wrong by them is 0: set with them */
	double needed[FEATURE_COUNT]; /* how much pairs of cases say that the failure needs a feature (needed.c) */
	int case_room, hash_room, statement_room;
	uint64_t *case_hash;
};

/* Opens the engines that the experiments rely on: of another family than the engine under test.  False with a reason.
 */
bool lab_open_right(struct lab *l, struct error *e) MUST_CHECK;

/* ---- variants ---- */

/* A copy of the base to edit.  Frees the memory of the previous variant. */
struct edit lab_edit(struct lab *l);
/* The same of any case; c must not lie in l->work. */
struct edit lab_edit_of(struct lab *l, const struct testcase *c);
/* A program with these inputs, no nodes and no results yet, and a point with these values. */
struct edit lab_fresh(struct lab *l, const struct tensor *input, int n);
/* Replaces the request by [kind wrt...].  edit_finish makes the seeds. */
void lab_request(struct edit *e, enum transform_kind kind, const int *wrt, int n_wrt);

/* Names the columns of the table.  Call it before the first row. */
void lab_columns(struct lab *l, const char *const *column, int n);
/*
 * Finishes the variant, judges it and appends a row with cell[n_column].  There is no row if the variant is no valid
 * case, does not fit into memory or is in the table already, or if the experiment is over.  It may wait until several
 * are asked about together (together.c): an experiment that reads its own table calls lab_settle before.
 */
void lab_try(struct lab *l, struct edit *e, const char *const *cell);
/* The same, at once.  Returns the row, which is valid until the next one; NULL: there is none. */
const struct variant_row *lab_try_now(struct lab *l, struct edit *e, const char *const *cell);
/* The same with other engine `which` instead of the engine under test.  The row does not count for the condition. */
const struct variant_row *lab_try_other(struct lab *l, struct edit *e, int which, const char *const *cell);
/* The same with the first engine of b, which is another process of the engine under test. */
const struct variant_row *lab_try_with(struct lab *l, struct bench *b, struct edit *e, const char *const *cell);
int lab_others(struct lab *l);
/* Judges c for the condition only, without a row.  It may wait too. */
void lab_sample(struct lab *l, const struct testcase *c);
/* Measures all variants so far again, now that it is known which ops are to blame: their cotangents count. */
void lab_measure_again(struct lab *l);
/* Judges all variants that wait, in their order. */
void lab_settle(struct lab *l);
/* Samples the typical case with these extents, along each axis in turn. */
void lab_try_sizes(struct lab *l, int from, int to);
/* Judges the base once more with the first engine of b.  Always adds a row. */
const struct variant_row *lab_again(struct lab *l, struct bench *b, const char *const *cell);
/* Whether each float input that is read, and each constant, has equal elements, some have several, and an op moves
 * elements.  Then a value may not tell which element was read. */
bool lab_hides_places(const struct testcase *c);
/* Whether several operands of an op of the top region depend on one input, and the op is to blame by several: what each
 * gets wrong may cancel. */
bool lab_shares_operands(struct lab *l, const struct testcase *c);
/* Whether no derivative of c tells whether an engine is right: each is undecided, or 0, or may be off by half.  Of a
 * wrong value: whether c hides places. */
bool lab_is_silent(const struct lab *l, const struct testcase *c, const struct truth *t);
/* Whether the verdict says whether the engine under test fails as in the finding.  A failure of another kind does not:
 * it may be another bug, and it hides whether this one is there. */
bool lab_decides(const struct lab *l, enum verdict v);
/*
 * Whether a case counts as failing; `fails` is the first judgement.  A case that passed counts as failing in two
 * cases.  The engine answers by chance, and the case fails when it is asked again.  Or the case fails at a nearby point
 * with a nearby seed on the same path: then it was right by accident.
 */
bool lab_fails(struct lab *l, const struct testcase *c, bool fails, struct arena *scratch);
/* Asks the base several times, to see whether the engine answers by chance; sets asks. */
void lab_try_chance(struct lab *l);
/* Whether c has the same kinds of transforms as the base.  The condition is about programs and points, so only these
 * variants count for it. */
bool lab_same_request(const struct lab *l, const struct testcase *c);
/* Whether all experiments must end, because their time is over or a signal came (stop.h). */
bool lab_time_over(const struct lab *l);
/* Whether each variant that fails costs a process. */
bool lab_kills(const struct lab *l);
/* Whether the experiment must end. */
bool lab_over(const struct lab *l);

/* In a cell: nothing is varied. */
#define LAB_AS_IT_IS "as it is"
/* printf into l->arena. */
#define LAB_TEXT(l, ...) arena_printf((l)->arena, __VA_ARGS__)
/* A number in few digits, kept. */
const char *lab_number(struct lab *l, double x);

/* ---- variants that wait ---- */

/* Lets variants wait, if the engine takes several cases in one request, and one run of each is enough. */
void lab_open_together(struct lab *l);
/* Judges all that wait first. */
void lab_close_together(struct lab *l);
/* Whether the variant, a sample without cells, now waits; else it must be judged at once, after those that did. */
bool lab_waits(struct lab *l, const struct testcase *c, const char *const *cell);
/* As bench_judge.  The engine is not asked if it gave an answer ahead that is no finding; the work is the same. */
void lab_bench_judge(struct lab *l, struct bench *b, const struct testcase *c, struct bench_result *r);
/* Judges one that waited.  cell NULL: a sample. */
void lab_judge(struct lab *l, const struct testcase *c, const char *const *cell);

/* ---- statements ---- */

/* The table with that id, or NULL if there is none. */
const struct variant_table *lab_find(const struct lab *l, const char *id);
typedef bool row_fn(const struct variant_row *r, const void *self);
bool row_fails(const struct variant_row *r, const void *self);
bool row_passes(const struct variant_row *r, const void *self);
/* The rows of t for which `keep` holds, in the arena. */
struct support lab_support(struct lab *l, const struct variant_table *t, row_fn *keep, const void *self);
/* Appends a statement.  Copies support, without entries that have no rows. */
void lab_say(struct lab *l, const char *id, enum statement_kind kind, const struct support *support, int n,
    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* ---- uses of values, and the cause ---- */

/* A place of the typical case where a float is used. */
struct use {
	int site; /* of the node */
	enum op op;
	int operand; /* -1: a value from outside that regions of the node use */
	int value;
	bool top;                 /* the node is in the top region */
	const char *name, *group; /* "lower bound of clamp"; "bounds of clamp" (fuzz/edit/operand_name.h) */
	const char *role;         /* as facts_of names it (facts.h) */
};
/* Lists them in order; returns how many.  Texts in l->arena. */
int lab_uses(struct lab *l, struct use out[LAB_USES]);
/* The same of any case. */
int lab_uses_of(struct lab *l, const struct testcase *c, struct use out[LAB_USES]);
/* Gives the use an input of its own, which alone is differentiated; false: not possible. */
bool lab_use_alone(struct edit *e, const struct use *u);
/* Places along an axis, or of an iteration among others. */
enum place { PLACE_LAST, PLACE_FIRST, PLACE_NOT_FIRST, PLACE_NOT_LAST, PLACE_ODD, PLACE_EVEN, PLACES };
/* Says which elements of the derivative are wrong by their place, and which iterations (positions.c, iterations.c).
 * They stand in the cause. */
void lab_state_positions(struct lab *l);
void lab_state_iterations(struct lab *l);
/* Says in which iteration alone a loop must compute to fail (single_steps.c).  It stands in the cause. */
void lab_state_single_steps(struct lab *l);
/* Whether just that iteration of the loop is wrong by the operand; true if that is not known. */
bool lab_step_is_at(struct lab *l, const char *operand, enum place p);
/* Says whether a failing case is right with its carries exchanged. */
void lab_state_carries(struct lab *l, const struct variant_table *t);
bool lab_is_at(enum place p, int index, int extent);
/* "the last iteration", "the last element". */
const char *lab_place_text(enum place p, bool iterations);
/* Whether it is the operand that is to blame. */
bool lab_blames(const struct lab *l, const struct use *u);
/* Appends statements about the numbers from which on the case fails (counts.c).  They stand in the cause. */
void lab_state_counts(struct lab *l);
/* What is counted if that is iterations. */
#define LAB_ITERATIONS "iterations of the loop"
/*
 * The same about the rows with that text in column 0, whose sizes are in column 1, ascending.  `what` is counted.
 * False: they do not show from which size on it fails.
 */
bool lab_state_sizes(struct lab *l, const struct variant_table *t, const char *text, const char *what);
/* Notes what a case has that fails, and an edit of it lacks that does not: a grow_pair_fn for a lab. */
void lab_note_pair(void *lab, const struct testcase *fails, const struct testcase *passes);
/* Says which features of the typical case the failure needs. */
void lab_state_needed(struct lab *l);
/* The operands whose derivative is wrong, by table `contributions`; else ops of the smallest case.  Returns how many.
 */
int lab_blamed(struct lab *l, struct blamed out[LAB_USES]);
/* Whether every derivative by an operand to blame is wrong in that it, or elements of it, are 0. */
bool lab_drops(struct lab *l);
/* The ops of lab_blamed, each once.  Returns how many. */
int lab_blamed_ops(struct lab *l, enum op out[LAB_USES]);
/* Draws small program number k of that op and of ops that make operands, with the request of the base.  False if it is
 * none of the op, or the engine does not know it.  In l->scratch. */
bool lab_draw_of(struct lab *l, enum op op, int k, struct testcase *out);
/* Whether lab_draw_alone draws programs of that op. */
bool lab_is_drawn_alone(const struct lab *l, enum op op);
/* Draws program number k of the op alone on inputs (alone.c), in l->scratch; uses l->work.  False: there is none, or
 * the engine does not know it. */
bool lab_draw_alone(struct lab *l, enum op op, int k, struct testcase *out);
/* Whether a small loop of the kind of the use's node is wrong with respect to such an operand (small_loops.c). */
bool lab_fails_in_small_loop(const struct lab *l, const struct use *u);
/* Whether the derivative with respect to that operand is wrong in programs of its op alone. */
bool lab_fails_alone(const struct lab *l, const struct use *u);
/* Lets every axis of that extent have another one; if the use is a per-iteration input, also the loop's iterations. */
bool lab_lengthen(struct edit *e, const struct use *u, int from, int to);
/* Turns the elements of all floats at the point by some places: what depends on numbers moves, what depends on places
 * stays. */
void lab_turn_values(struct edit *e);
/* Whether indices or a mask say which elements the node takes: then places mean nothing. */
bool lab_goes_by_integers(const struct program *p, const struct use *u);
/* Says which elements of a tangent are handed on wrongly (single_seeds.c). */
void lab_state_single_seeds(struct lab *l);
/* Says which small loops fail: of what kind, with respect to what, through which result, ending how (small_loops.c). */
void lab_state_small_loops(struct lab *l);
/* Whether small programs of several ops fail alike at order 2, and through which inputs (directions.c).  It stands in
 * the cause. */
bool lab_fails_for_any_op(const struct lab *l);
void lab_state_directions(struct lab *l);
/* Says which other ops fail as those to blame do (relatives.c).  They stand in the cause. */
void lab_state_relatives(struct lab *l);
/* Whether an op to blame is in the top region, unless it is not there in the typical case. */
bool lab_in_place(const struct lab *l, const struct testcase *c);
/* The cotangents of the results of the ops to blame in the top region, as a right engine finds them; NULL: not known.
 * In l->scratch. */
const struct known_cotangents *lab_cotangents(struct lab *l, const struct testcase *c);
/* Whether a derivative other than 0 flows through an operand to blame, in this case; true if that is not known. */
bool lab_role_counts(struct lab *l, const struct testcase *c);
/* Judges cases that may refute what is told, others in each round.  Returns how many; with 0 nothing new is known. */
int lab_refute(struct lab *l, const struct blamed *blamed, int n, const struct explained *told, int round);
/* Writes out->cause: the paragraph that a maintainer reads first (cause.c).  Call it after all else. */
void lab_tell_cause(struct lab *l);
/* Its last sentences, each after a blank: on which condition it fails (cause_condition.c); "": nothing is said. */
const char *lab_about_condition(struct lab *l);
/* Whether the failure depends on the dtype, and not on the digits alone: a dtype with as many digits as one that fails
 * is right. */
bool lab_dtype_decides(struct lab *l);

#define EXPERIMENT(id, title, varies)            void experiment_##id(struct lab *l);
#define EXPERIMENT_OF_TYPICAL(id, title, varies) void experiment_##id(struct lab *l);
#include "experiments.def"
#undef EXPERIMENT
#undef EXPERIMENT_OF_TYPICAL

/* Appends statements about all tables (statements.c). */
void lab_state(struct lab *l);
/* Appends statements about the i-th kind of table (sentences.c).  Returns its id; NULL after the last. */
const char *lab_state_table(struct lab *l, int i);
/* Finds the first node that departs from the truth, in table `cuts` (cuts.c). */
void lab_depart(struct lab *l);

#endif

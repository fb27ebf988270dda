/*
 * memo.h: the last results of elementary functions, to give them again.
 *
 * The oracles compute many values several times. The iterations of a solution repeat at each number of steps, and the
 * copies of a body at its solution have the same values. A difference starts at the point, and moves only a part of the
 * trace; a difference of a difference comes back to the same points. A question is kept with every bit of it, so a
 * result that is given again is the one that would be computed.
 */
#ifndef ORACLES_EVALUATE_MEMO_H
#define ORACLES_EVALUATE_MEMO_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

/* A function of one or two regular operands, and the precision of its result. b NULL: it has one. */
struct memo_question {
	int function;
	mpfr_prec_t precision;
	mpfr_srcptr a, b;
};

/* Where a question and its result are kept. It holds until the next question. */
struct memo_place;

/* Makes the tables of this thread, if there are none. Else the first result makes them, late in the life of a process.
 */
void memo_begin(void);
/* Forgets all results of this thread, and takes the memory of its tables from the system now. */
void memo_touch(void);
/*
 * The place of the question; NULL if it has too many bits. If no result is known, the place takes the question, and
 * forgets what it held.
 */
struct memo_place *memo_ask(const struct memo_question *q);
/* If the result is known: sets out, which has the precision of the question, and *ternary. */
bool memo_recall(struct memo_place *p, mpfr_ptr out, int *ternary);
/* Keeps the result of the question that the place took. */
void memo_keep(struct memo_place *p, mpfr_srcptr out, int ternary);
/* Forgets all results of this thread and frees their memory. */
void memo_free(void);

#endif

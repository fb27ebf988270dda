/*
 * memo.h: the last results of elementary functions, to give them again.
 *
 * The oracles compute many values several times. The iterations of a solution repeat at each number of steps, and the
 * copies of a body at its solution have the same values. A difference starts at the point, and moves only a part of the
 * trace. A key holds every bit of the question, so a result that is given again is the one that would be computed.
 */
#ifndef ORACLES_EVALUATE_MEMO_H
#define ORACLES_EVALUATE_MEMO_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

/* The largest precision of operands and results that are kept. */
enum { MEMO_BITS = 256, MEMO_WORDS = MEMO_BITS / 64 };

/*
 * A function of one or two regular operands, and the precision of its result. The words of an operand are its
 * precision and sign, its exponent and its significand.
 */
struct memo_key {
	uint64_t result, operand[2][2 + MEMO_WORDS];
};

/* Makes the table of this thread, if there is none. Else the first result makes it, late in the life of a process. */
void memo_begin(void);
/* Writes the key; b NULL for one operand. False: an operand or the result has more than MEMO_BITS bits. */
bool memo_key(struct memo_key *key, int function, mpfr_prec_t precision, mpfr_srcptr a, mpfr_srcptr b);
/* If the result is known: sets out, which has the precision of the key, and *ternary. */
bool memo_recall(const struct memo_key *key, mpfr_ptr out, int *ternary);
/* Keeps the result, in place of another one. */
void memo_keep(const struct memo_key *key, mpfr_srcptr out, int ternary);
/* Forgets all results of this thread and frees their memory. */
void memo_free(void);

#endif

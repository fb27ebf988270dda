/* memo.c: see memo.h. Tables without chains: a new result takes the place of an old one. */
#include "memo.h"
#include "graph/heap.h"
#include "graph/random.h"

#include <stdlib.h>
#include <string.h>

#define R MPFR_RNDN

struct memo_place {
	uint64_t asked;         /* the function, and the precision of the result; 0: the place is empty */
	uint64_t operand[2][2]; /* precision and sign, and the exponent */
	bool known;
	int ternary, kind; /* of the result, and its exponent: */
	mpfr_exp_t exponent;
	mp_limb_t limb[]; /* the significands of the operands and of the result */
};

/* A table for operands and results of at most so many bits. */
static const struct tier {
	int bits, place_bits;
} tiers[] = {{128, 12}, {256, 11}, {512, 9}, {2560, 9}};
enum { TIERS = sizeof tiers / sizeof *tiers };

/*
 * Tables of each thread. They are no part of an evaluation because elementary functions have the arguments of MPFR's,
 * which keeps the digits of pi in the same way. They decide no result.
 */
static _Thread_local char *table[TIERS]; /* NULL before the first result */

static size_t limbs_of(mpfr_prec_t bits) { return ((size_t)bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS; }
static size_t place_size(const struct tier *t)
{
	return sizeof(struct memo_place) + 3 * limbs_of(t->bits) * sizeof(mp_limb_t);
}

void memo_begin(void)
{
	for (int k = 0; k < TIERS; k++)
		if (!table[k])
			table[k] = heap_new((size_t)1 << tiers[k].place_bits, place_size(&tiers[k]));
}

void memo_touch(void)
{
	memo_begin();
	for (int k = 0; k < TIERS; k++)
		memset(table[k], 0, place_size(&tiers[k]) << tiers[k].place_bits);
}

/* The number of the table for that many bits; TIERS: none. */
static int tier_of(const struct memo_question *q)
{
	mpfr_prec_t most = q->precision > mpfr_get_prec(q->a) ? q->precision : mpfr_get_prec(q->a);
	int k = 0;

	if (q->b && mpfr_get_prec(q->b) > most)
		most = mpfr_get_prec(q->b);
	while (k < TIERS && most > tiers[k].bits)
		k++;
	return k;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * RANDOM_STEP;
	return hash ^ hash >> 32;
}

/* Describes operand x and adds it to the hash. */
static uint64_t put_operand(uint64_t *to, mpfr_srcptr x, uint64_t hash)
{
	const mp_limb_t *limb = mpfr_custom_get_significand(x);

	to[0] = (uint64_t)mpfr_get_prec(x) << 1 | (mpfr_sgn(x) < 0);
	to[1] = (uint64_t)mpfr_get_exp(x);
	hash = mix(mix(hash, to[0]), to[1]);
	for (size_t k = 0; k < limbs_of(mpfr_get_prec(x)); k++)
		hash = mix(hash, limb[k]);
	return hash;
}

static size_t significand_size(mpfr_srcptr x) { return mpfr_custom_get_size(mpfr_get_prec(x)); }

struct memo_place *memo_ask(const struct memo_question *q)
{
	const int k = tier_of(q);
	struct memo_place new = {.asked = (uint64_t)q->function << 32 | (uint64_t)q->precision};
	uint64_t hash = put_operand(new.operand[0], q->a, new.asked);

	if (k == TIERS)
		return NULL;
	if (q->b)
		hash = put_operand(new.operand[1], q->b, hash);
	if (!table[k])
		memo_begin();
	hash = random_mix(hash) >> (64 - tiers[k].place_bits);
	struct memo_place *p = (void *)(table[k] + hash * place_size(&tiers[k]));
	mp_limb_t *const second = p->limb + limbs_of(mpfr_get_prec(q->a));
	const bool same = p->known && p->asked == new.asked && !memcmp(p->operand, new.operand, sizeof new.operand) &&
	    !memcmp(p->limb, mpfr_custom_get_significand(q->a), significand_size(q->a)) &&
	    (!q->b || !memcmp(second, mpfr_custom_get_significand(q->b), significand_size(q->b)));
	if (same)
		return p;
	*p = new;
	memcpy(p->limb, mpfr_custom_get_significand(q->a), significand_size(q->a));
	if (q->b)
		memcpy(second, mpfr_custom_get_significand(q->b), significand_size(q->b));
	return p;
}

/* Where the significand of the result begins. */
static size_t result_at(const struct memo_place *p)
{
	return limbs_of((mpfr_prec_t)(p->operand[0][0] >> 1)) + limbs_of((mpfr_prec_t)(p->operand[1][0] >> 1));
}

bool memo_recall(struct memo_place *p, mpfr_ptr out, int *ternary)
{
	mpfr_t value;

	if (!p->known)
		return false;
	mpfr_custom_init_set(value, p->kind, p->exponent, mpfr_get_prec(out), p->limb + result_at(p));
	mpfr_set(out, value, R);
	*ternary = p->ternary;
	return true;
}

void memo_keep(struct memo_place *p, mpfr_srcptr out, int ternary)
{
	p->known = true;
	p->ternary = ternary;
	p->kind = mpfr_custom_get_kind(out);
	if (!mpfr_regular_p(out))
		return;
	p->exponent = mpfr_get_exp(out);
	memcpy(p->limb + result_at(p), mpfr_custom_get_significand(out), significand_size(out));
}

void memo_free(void)
{
	for (int k = 0; k < TIERS; k++) {
		free(table[k]);
		table[k] = NULL;
	}
}

/* memo.c: see memo.h. A table without chains: a new result takes the place of an old one. */
#include "memo.h"
#include "graph/heap.h"
#include "graph/random.h"

#include <stdlib.h>
#include <string.h>

#define R MPFR_RNDN

/* 1024 places, 170 KiB. With 16 times as many, 3 % more results would be known. */
enum { PLACE_BITS = 10, LIMBS = MEMO_BITS / GMP_NUMB_BITS };

struct memo_place {
	struct memo_key key; /* result 0: the place is empty */
	int ternary;
	mpfr_t value; /* its significand is here: */
	mp_limb_t significand[LIMBS];
};

/*
 * One table for each thread. It is no part of an evaluation because elementary functions have the arguments of MPFR's,
 * which keeps the digits of pi in the same way. It decides no result.
 */
static _Thread_local struct memo_place *table; /* [1 << PLACE_BITS], or NULL before the first result */

static void put_operand(uint64_t *to, mpfr_srcptr x)
{
	to[0] = (uint64_t)mpfr_get_prec(x) << 1 | (mpfr_sgn(x) < 0);
	to[1] = (uint64_t)mpfr_get_exp(x);
	memcpy(to + 2, mpfr_custom_get_significand(x), mpfr_custom_get_size(mpfr_get_prec(x)));
}

bool memo_key(struct memo_key *key, int function, mpfr_prec_t precision, mpfr_srcptr a, mpfr_srcptr b)
{
	if (precision > MEMO_BITS || mpfr_get_prec(a) > MEMO_BITS || (b && mpfr_get_prec(b) > MEMO_BITS))
		return false;
	memset(key, 0, sizeof *key);
	key->result = (uint64_t)function << 32 | (uint64_t)precision;
	put_operand(key->operand[0], a);
	if (b)
		put_operand(key->operand[1], b);
	return true;
}

void memo_begin(void)
{
	if (!table)
		table = heap_new((size_t)1 << PLACE_BITS, sizeof *table);
}

static struct memo_place *place_of(const struct memo_key *key)
{
	uint64_t hash = key->result;
	memo_begin();
	for (int j = 0; j < 2; j++)
		for (int k = 0; k < 2 + MEMO_WORDS; k++) {
			hash = (hash ^ key->operand[j][k]) * RANDOM_STEP;
			hash ^= hash >> 32;
		}
	return &table[random_mix(hash) >> (64 - PLACE_BITS)];
}

bool memo_recall(const struct memo_key *key, mpfr_ptr out, int *ternary)
{
	const struct memo_place *p = place_of(key);
	if (memcmp(&p->key, key, sizeof *key))
		return false;
	mpfr_set(out, p->value, R);
	*ternary = p->ternary;
	return true;
}

void memo_keep(const struct memo_key *key, mpfr_srcptr out, int ternary)
{
	struct memo_place *p = place_of(key);
	p->key = *key;
	p->ternary = ternary;
	mpfr_custom_init_set(p->value, MPFR_ZERO_KIND, 0, mpfr_get_prec(out), p->significand);
	mpfr_set(p->value, out, R);
}

void memo_free(void)
{
	free(table);
	table = NULL;
}

/* fit_profile.c: see fit_profile.h. */
#include "fit_profile.h"

#include "engines/process/hello.h"

/* Removes ops, dtypes and ranks. */
static void fit_programs(const struct bench *b, struct profile *profile)
{
	int *const weight[DTYPE_COUNT] = {[DTYPE_F64] = &profile->f64,
	    [DTYPE_F32] = &profile->f32,
	    [DTYPE_BF16] = &profile->bf16,
	    [DTYPE_F16] = &profile->f16};
	bool dtype[DTYPE_COUNT] = {false}, op[OP_COUNT] = {false};
	int *const rank[] = {&profile->rank0, &profile->rank1, &profile->rank2, &profile->rank3, &profile->rank4};
	int most = 0;

	for (int k = 0; k < b->n_engine; k++) {
		struct engine_scope scope = engine_scope(b->engine[k]);

		for (int d = 0; d < DTYPE_COUNT; d++)
			dtype[d] = dtype[d] || scope.dtype[d];
		for (int i = 0; i < OP_COUNT; i++)
			op[i] = op[i] || scope.op[i];
		most = scope.rank > most ? scope.rank : most;
	}
	for (int r = most + 1; b->n_engine && r <= LIMIT_RANK; r++)
		*rank[r] = 0;
	for (int i = 0; i < OP_COUNT; i++)
		profile->without[i] = b->n_engine && !op[i];
	for (int d = 0; d < DTYPE_COUNT && b->n_engine; d++)
		if (weight[d] && !dtype[d])
			*weight[d] = 0;
}

/* Percent of the programs. */
enum { MOVED = 30 };

void fit_profile(const struct bench *b, struct profile *profile)
{
	const struct profile preset = profile_default();
	const bool is_preset = profile_equal(profile, &preset);
	bool jvp = false, vjp = false, batch = false, outside = true;
	int order = 1;

	for (int k = 0; k < b->n_engine; k++) {
		const struct engine_kind *kind = engine_kind(b->engine[k]);
		const struct hello *hello = engine_hello(b->engine[k]);

		jvp = jvp || kind->jvp;
		vjp = vjp || kind->vjp;
		batch = batch || kind->batch;
		outside = outside && hello;
		profile->variants = profile->variants || (hello && hello->variants);
		order = kind->order > order ? kind->order : order;
	}
	fit_programs(b, profile);
	if (jvp != vjp)
		profile->jvp = jvp ? 100 : 0;
	if (is_preset && outside && vjp && !jvp)
		profile->moved = MOVED;
	if (!batch)
		profile->batch = 0;
	if (order < 3)
		profile->order_third = 0;
	if (order < 2)
		profile->order_second = 0;
}

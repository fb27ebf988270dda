/* work.c: see work.h. */
#include "work.h"

enum { PRECISIONS = 4, OTHER_OPS = 20, SCALAR = 80 };

static const int weight[OP_COUNT][PRECISIONS] = {
#define WORK(op, w128, w256, w512, w2560) [OP_##op] = {w128, w256, w512, w2560},
#include "work.def"
#undef WORK
};

/* Ops whose weight is that of one term of many parents. */
static bool is_sum(enum op op)
{
	return op == OP_REDUCE_SUM || op == OP_REDUCE_MEAN || op == OP_NORM || op == OP_LOGSUMEXP || op == OP_MATMUL;
}

int64_t work_of(enum op op, mpfr_prec_t precision, int n)
{
	const int column = precision <= 128 ? 0 : precision <= 256 ? 1 : precision <= 512 ? 2 : 3;
	const int64_t each = weight[op][column] ? weight[op][column] : OTHER_OPS;

	return SCALAR + (is_sum(op) ? each * n : each + (int64_t)OTHER_OPS * (n > 2 ? n : 0));
}

void work_begin(struct budget *w, int64_t limit, int scalars, const struct arena *a)
{
	*w = (struct budget){.left = limit, .scalars = scalars, .first_byte = a->used};
}

/* allowance.c: see allowance.h. */
#include "allowance.h"

#include "fuzz/bench/case_work.h"

enum {
	BASE = 250 * WORK_MILLISECOND, /* for a campaign of any length: some dozen cases */
	SHARE = 5,                     /* percent; the counted work of judging is about twice its time */
	NEVERTHELESS_ONE_IN = 32
};

bool allowance_grants(const struct allowance *self, int64_t judged)
{
	return self->spent <= BASE + judged / 100 * SHARE;
}

bool allowance_grants_check(struct allowance *self, int64_t judged)
{
	return allowance_grants(self, judged) || !(++self->refused % NEVERTHELESS_ONE_IN);
}

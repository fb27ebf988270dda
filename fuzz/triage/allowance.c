/* allowance.c: see allowance.h. */
#include "allowance.h"

#include "fuzz/bench/case_work.h"

enum {
	BASE = 100 * WORK_MILLISECOND, /* for a campaign of any length: a few cases */
	SHARE = 2, /* percent; the counted work of judging is 3 to 9 times its time, that of minimizing about twice */
	END = 150 * WORK_MILLISECOND, /* for deferred cases, when no more cases come */
	NEVERTHELESS_ONE_IN = 32
};

static int64_t granted(int64_t judged) { return BASE + judged / 100 * SHARE; }

bool allowance_grants(const struct allowance *self, int64_t judged)
{
	return self->spent <= granted(judged) + self->extra;
}

bool allowance_grants_check(struct allowance *self, int64_t judged)
{
	return allowance_grants(self, judged) || !(++self->refused % NEVERTHELESS_ONE_IN);
}

void allowance_grant_end(struct allowance *self, int64_t judged)
{
	const int64_t over = self->spent - granted(judged);

	self->extra = (over > 0 ? over : 0) + END;
}

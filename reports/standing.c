/* standing.c: one returned number against its component of the truth. */
#include "standing.h"

#include <math.h>

#include "summary.h"

const char *const standing_names[] = {"agree", "inaccurate", "nan-leak", "wrong"};

enum standing standing_of(const struct component *c, const struct tensor *t, int i)
{
	double x, off;

	if (!dtype_is_float(t->type.dtype))
		return t->at[i].i == summary_integer(c) ? STANDING_AGREE : STANDING_WRONG;
	x = t->at[i].f;
	if (c->escapes && !isfinite(x) && x != c->value)
		return STANDING_INACCURATE;
	if (isnan(x))
		return isnan(c->value) ? STANDING_AGREE : STANDING_NAN_LEAK;
	/* the two parts one after the other: value + low has more digits than a double; an infinity is met exactly or
	 * not */
	off = x == c->value ? (isfinite(x) ? fabs(c->low) : 0) : fabs((x - c->value) - c->low);
	if (off <= c->tight)
		return STANDING_AGREE;
	return off <= component_radius(c, x) ? STANDING_INACCURATE : STANDING_WRONG;
}

bool standing_wrong(const struct truth_tensor *truth, const struct tensor *returned, int i)
{
	return truth->at[i].reason == REASON_NONE && standing_of(&truth->at[i], returned, i) > STANDING_INACCURATE;
}

int standing_count_wrong(const struct truth_tensor *truth, const struct tensor *returned)
{
	int n = shape_elements(&truth->type.shape), wrong = 0;

	if (!type_equal(&returned->type, &truth->type))
		return n;
	for (int i = 0; i < n; i++)
		wrong += standing_wrong(truth, returned, i);
	return wrong;
}

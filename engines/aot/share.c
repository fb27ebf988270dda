/* share.c: see share.h. */
#include "share.h"

#include <string.h>

bool share_find(const struct engine_share *share, enum shared_program which, const struct aot_rules *rules,
    const struct program *from, struct program *out)
{
	const struct shared_derivation *s = share ? &share->of[which] : NULL;

	if (!s || !s->rules || memcmp(s->rules, rules, sizeof *rules) != 0 || !program_equal(&s->from, from))
		return false;
	*out = s->derived;
	return true;
}

void share_keep(struct engine_share *share, enum shared_program which, const struct aot_rules *rules,
    const struct program *from, const struct program *derived)
{
	if (share && !share->of[which].rules)
		share->of[which] = (struct shared_derivation){rules, *from, *derived};
}

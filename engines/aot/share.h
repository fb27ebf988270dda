/* share.h: programs that several engines need for one case (struct engine_share). */
#ifndef ENGINES_AOT_SHARE_H
#define ENGINES_AOT_SHARE_H

#include "engines/engine.h"
#include "table.h"

/* Whether equal rules have written that program from `from`.  Then it is in *out.  share may be NULL. */
bool share_find(const struct engine_share *share, enum shared_program which, const struct aot_rules *rules,
    const struct program *from, struct program *out);
/* Keeps the program for others, unless there is one.  share may be NULL.  The rules must outlive the case. */
void share_keep(struct engine_share *share, enum shared_program which, const struct aot_rules *rules,
    const struct program *from, const struct program *derived);

#endif

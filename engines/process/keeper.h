/*
 * keeper.h: a process between the supervisor and an engine of others: nothing that the engine started is left when
 * either ends.
 *
 * The engine may have forked, changed its group and session, and left children that hold its output open.  All that
 * becomes an orphan below a subreaper is the subreaper's child, so the keeper finds it.
 */
#ifndef ENGINES_PROCESS_KEEPER_H
#define ENGINES_PROCESS_KEEPER_H

#include <stdbool.h>

/*
 * Returns in a child, which goes on as the engine; true, or false where there is none.  The process itself stays as its
 * keeper and never returns: it ends the way that the child does (the same exit code or signal), or at SIGTERM, and
 * kills all descendants before.  It has no descriptor open.
 */
bool keeper_split(void);

#endif

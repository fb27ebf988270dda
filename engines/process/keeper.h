/*
 * keeper.h: the keeper, a process between the supervisor and an engine from outside.  When either ends, the keeper ends
 * everything that the engine started.
 *
 * The engine may have forked, changed its group and session, and left children that hold its output open.  An orphan
 * below a subreaper becomes the subreaper's child.  The keeper is one, so it finds them all.
 */
#ifndef ENGINES_PROCESS_KEEPER_H
#define ENGINES_PROCESS_KEEPER_H

#include <stdbool.h>

/*
 * Splits the process in two.  The function returns in a child, which goes on as the engine: true, or false if no child
 * could be made.  The process itself stays as the keeper and never returns.  It ends when the child ends, with the same
 * exit code or signal, or at SIGTERM. Before it ends, it kills all descendants.  It has no descriptor open.
 */
bool keeper_split(void);

#endif

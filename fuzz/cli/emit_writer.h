/* emit_writer.h: the engine that writes sources for an engine that cannot. */
#ifndef FUZZ_CLI_EMIT_WRITER_H
#define FUZZ_CLI_EMIT_WRITER_H

#include "engines/engine.h"

/* Opens the adapter that writes sources for such an engine.  NULL: the engine writes them itself, none does, or it
 * cannot be opened. */
struct engine *emit_writer_open(const struct engine *engine, struct arena *a);

/* The name of an op in the API of the engine whose hello says this name; NULL: it has none of its own (emit_calls.def).
 */
const char *emit_call(const char *says, enum op op);

#endif

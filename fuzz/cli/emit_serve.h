/* emit_serve.h: sources for an adapter. */
#ifndef FUZZ_CLI_EMIT_SERVE_H
#define FUZZ_CLI_EMIT_SERVE_H

#include "emit/emit.h"

/*
 * Writes the hello of an engine behind the target (emit_hello), then reads requests for source text from standard input
 * and writes the sources, until end of file.  An exit code.
 */
int emit_serve(const struct emit_target *target) MUST_CHECK;

#endif

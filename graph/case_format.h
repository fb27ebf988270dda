/* case_format.h: what the readers and the writer of cases share. */
#ifndef GRAPH_CASE_FORMAT_H
#define GRAPH_CASE_FORMAT_H

#include "json.h"
#include "testcase.h"

#define CASE_SCHEMA          "adjudge.case/1"
#define REPORT_SCHEMA_PREFIX "adjudge.report/"

/* Names are [A-Za-z_][A-Za-z0-9_]*, at most this long. */
enum { CASE_NAME = 32 };

/* Members inputs, body and results of `root` as a program: typed and wired, not yet checked (case_program.c). */
bool case_read_program(const struct json *root, struct arena *a, struct program *out, struct error *e) MUST_CHECK;

#endif

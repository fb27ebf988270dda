/* file.h: writes files that are either complete or absent. */
#ifndef REPORTS_FILE_H
#define REPORTS_FILE_H

#include "graph/errors.h"

#include <stddef.h>

/* Writes dir/name atomically: temporary file in dir, fsync, rename, fsync of dir.  False with the reason. */
bool file_write_atomic(const char *dir, const char *name, const char *data, size_t len, struct error *e) MUST_CHECK;
/* Removes dir/name.  A missing file is no error. */
bool file_remove(const char *dir, const char *name, struct error *e);
/* Makes dir and its parents, durably.  Existing ones are fine. */
bool file_make_directory(const char *dir, struct error *e) MUST_CHECK;

#endif

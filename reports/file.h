/* file.h: files that are either whole or not there. */
#ifndef REPORTS_FILE_H
#define REPORTS_FILE_H

#include "graph/errors.h"

#include <stddef.h>

/* Writes dir/name atomically: temporary file in dir, fsync, rename, fsync of dir.  False with the reason (ENOSPC ...).
 */
bool file_write_atomic(const char *dir, const char *name, const char *data, size_t len, struct error *e) MUST_CHECK;
/* Removes dir/name; one that is not there is fine. */
bool file_remove(const char *dir, const char *name, struct error *e);
/* Makes dir and its parents. */
bool file_make_directory(const char *dir, struct error *e) MUST_CHECK;

#endif

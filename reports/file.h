/* file.h: writes files that are either complete or absent. */
#ifndef REPORTS_FILE_H
#define REPORTS_FILE_H

#include "graph/errors.h"

#include <stddef.h>

/* Writes dir/name atomically: temporary file in dir, fsync, rename, fsync of dir.  Replaces only a regular file or a
 * link.  False with the reason. */
bool file_write_atomic(const char *dir, const char *name, const char *data, size_t len, struct error *e) MUST_CHECK;
/* The same without fsync: for a file that may be lost if the machine fails, but not if the process does. */
bool file_write_unsynced(const char *dir, const char *name, const char *data, size_t len, struct error *e) MUST_CHECK;
/*
 * Writes the file of that path: a regular or new one as file_write_atomic does, also through a link.  A device or FIFO
 * is written to, and so are standard output and error under another name.
 */
bool file_write_path(const char *path, const char *data, size_t len, struct error *e) MUST_CHECK;
/* Whether it looks as if that path could be written, before the work for it is done.  False with the reason. */
bool file_may_write(const char *path, struct error *e) MUST_CHECK;
/*
 * Writes data[len] at byte `from` of dir/name, cuts the file there, and syncs it; a missing file is made.  After a
 * failure the bytes before `from` are as they were.  False with the reason, also if the file is not a regular one.
 */
bool file_write_from(
    const char *dir, const char *name, size_t from, const char *data, size_t len, struct error *e) MUST_CHECK;
/* Removes dir/name.  A missing file is no error. */
bool file_remove(const char *dir, const char *name, struct error *e);
/* Removes a directory and all that is below it, as far as that can be done.  Follows no link. */
void file_remove_tree(const char *dir);
/*
 * Takes dir for this process alone, until the result is closed or the process ends, however it ends.  -1 with the
 * reason, such as that another process has it.  The empty file .lock stays.
 */
int file_lock(const char *dir, struct error *e) MUST_CHECK;
/* Removes the temporary files in dir whose writers are dead.  Only for who holds the lock. */
void file_sweep(const char *dir);
/* Makes dir and its parents, durably.  Existing ones are fine. */
bool file_make_directory(const char *dir, struct error *e) MUST_CHECK;

#endif

/* file.c: writes files that are complete or absent, even after a crash or on a full disk. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name is only taken if a process with the same id died and left its file: a few tries are enough. */
enum { TEMPORARY_TRIES = 64, TEMPORARY_TEXT = 64 };

static bool file_fail(struct error *e, const char *what, const char *dir, const char *name, int code)
{
	/* strerror_r is not portable; with strerror, only another failing thread could race */
	return error_set(e, NULL, "cannot %s %s%s%s: %s", what, dir, *name ? "/" : "", name, strerror(code));
}

static bool write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0) {
			errno = ENOSPC;
			return false;
		}
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/* Some file systems cannot fsync directories and return EINVAL: that counts as done. */
static bool sync_directory(int fd) { return fsync(fd) == 0 || errno == EINVAL; }

/* Opens a new file in `at`; temporary[TEMPORARY_TEXT] receives its name.  -1 with errno. */
static int open_temporary(int at, char *temporary)
{
	for (int n = 0; n < TEMPORARY_TRIES; n++) {
		int fd;

		snprintf(temporary, TEMPORARY_TEXT, ".tmp.%ld.%d", (long)getpid(), n);
		fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Whether a rename to that name would replace a device, FIFO, socket or directory. */
static bool is_special(int at, const char *name)
{
	struct stat status;

	return fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode) &&
	    !S_ISLNK(status.st_mode);
}

static bool write_file(const char *dir, const char *name, const char *data, size_t len, bool durable, struct error *e)
{
	char temporary[TEMPORARY_TEXT];
	const char *step = NULL;
	int code = 0, at, fd;

	if (!*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		return error_set(e, NULL, "not a file name: '%s'", name);
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return file_fail(e, "open directory", dir, "", errno);
	if (is_special(at, name)) {
		close(at);
		return error_set(e, NULL, "cannot replace %s/%s: not a regular file", dir, name);
	}
	fd = open_temporary(at, temporary);
	if (fd < 0) {
		code = errno;
		close(at);
		return file_fail(e, "create a temporary file in", dir, "", code);
	}
	if (!write_all(fd, data, len))
		step = "write";
	else if (durable && fsync(fd) != 0)
		step = "sync";
	if (step)
		code = errno;
	/* close may report a delayed error of a network file system; the descriptor is closed in any case */
	if (close(fd) != 0 && !step) {
		step = "close";
		code = errno;
	}
	if (!step && renameat(at, temporary, at, name) != 0) {
		step = "rename";
		code = errno;
	}
	if (step)
		unlinkat(at, temporary, 0);
	else if (durable && !sync_directory(at)) {
		step = "sync the directory of";
		code = errno;
	}
	close(at);
	return step ? file_fail(e, step, dir, name, code) : true;
}

bool file_write_atomic(const char *dir, const char *name, const char *data, size_t len, struct error *e)
{
	return write_file(dir, name, data, len, true, e);
}

bool file_write_unsynced(const char *dir, const char *name, const char *data, size_t len, struct error *e)
{
	return write_file(dir, name, data, len, false, e);
}

bool file_write_from(const char *dir, const char *name, size_t from, const char *data, size_t len, struct error *e)
{
	const char *step = NULL;
	struct stat status;
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, code = 0;

	if (at < 0)
		return file_fail(e, "open directory", dir, "", errno);
	fd = openat(at, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0 || fstat(fd, &status) != 0)
		step = "open";
	else if (!S_ISREG(status.st_mode))
		step = "write to";
	else if (ftruncate(fd, (off_t)from) != 0 || lseek(fd, (off_t)from, SEEK_SET) < 0 || !write_all(fd, data, len))
		step = "write";
	else if (fsync(fd) != 0 || (!from && !sync_directory(at)))
		step = "sync";
	if (step)
		code = errno;
	if (fd >= 0 && close(fd) != 0 && !step) {
		step = "close";
		code = errno;
	}
	close(at);
	return step ? file_fail(e, step, dir, name, code) : true;
}

/* Standard output or error where the file is theirs, such as /dev/stdout; else a new descriptor, or -1 with errno. */
static int open_special(const char *path, const struct stat *file)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat own;

		if (fstat(fd, &own) == 0 && own.st_dev == file->st_dev && own.st_ino == file->st_ino)
			return fd;
	}
	return S_ISREG(file->st_mode) ? -1 : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

bool file_write_path(const char *path, const char *data, size_t len, struct error *e)
{
	char target[PATH_MAX];
	struct stat status;
	char *slash;
	bool there = stat(path, &status) == 0;
	int fd = there ? open_special(path, &status) : -1, code = 0;

	if (fd >= 0) {
		if (!write_all(fd, data, len))
			code = errno;
		if (fd > STDERR_FILENO && close(fd) != 0 && !code)
			code = errno;
		return code ? file_fail(e, "write", path, "", code) : true;
	}
	if (there && !S_ISREG(status.st_mode))
		return file_fail(e, "write", path, "", errno);
	if (strlen(path) >= sizeof target)
		return file_fail(e, "write", path, "", ENAMETOOLONG);
	if (!there || !realpath(path, target))
		snprintf(target, sizeof target, "%s", path);
	slash = strrchr(target, '/');
	if (!slash)
		return file_write_atomic(".", target, data, len, e);
	*slash = '\0';
	return file_write_atomic(slash == target ? "/" : target, slash + 1, data, len, e);
}

bool file_may_write(const char *path, struct error *e)
{
	char target[PATH_MAX];
	struct stat status;
	const bool there = stat(path, &status) == 0;
	char *slash;

	if (there && S_ISDIR(status.st_mode))
		return file_fail(e, "write", path, "", EISDIR);
	if (there && !S_ISREG(status.st_mode))
		return true;
	if (strlen(path) >= sizeof target)
		return file_fail(e, "write", path, "", ENAMETOOLONG);
	if (!there || !realpath(path, target))
		snprintf(target, sizeof target, "%s", path);
	slash = strrchr(target, '/');
	if (slash)
		slash[slash == target] = '\0'; /* the root keeps its slash */
	if (stat(slash ? target : ".", &status) != 0 || access(slash ? target : ".", W_OK | X_OK) != 0)
		return file_fail(e, "write", path, "", errno);
	return S_ISDIR(status.st_mode) || file_fail(e, "write", path, "", ENOTDIR);
}

bool file_remove(const char *dir, const char *name, struct error *e)
{
	int at, code = 0;

	if (!*name || strchr(name, '/'))
		return error_set(e, NULL, "not a file name: '%s'", name);
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return file_fail(e, "open directory", dir, "", errno);
	if (unlinkat(at, name, 0) != 0 && errno != ENOENT)
		code = errno;
	close(at);
	return code ? file_fail(e, "remove", dir, name, code) : true;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

void file_remove_tree(const char *dir)
{
	enum { OPEN_DIRECTORIES = 8 };

	nftw(dir, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
}

int file_lock(const char *dir, struct error *e)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;

	fd = at < 0 ? -1 : openat(at, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd >= 0 && fcntl(fd, F_SETLK, &whole) == 0) {
		close(at);
		return fd;
	}
	if (fd >= 0 && (errno == EACCES || errno == EAGAIN))
		error_set(e, NULL, "%s is in use by another campaign", dir);
	else
		file_fail(e, "lock", dir, "", errno);
	if (fd >= 0)
		close(fd);
	if (at >= 0)
		close(at);
	return -1;
}

/* Whether that is the name of a temporary file (open_temporary) whose process is gone.  Ours writes none now. */
static bool is_left_over(const char *name)
{
	long writer;
	int number, end = 0;

	if (sscanf(name, ".tmp.%ld.%d%n", &writer, &number, &end) != 2 || name[end] || writer <= 0)
		return false;
	return writer == (long)getpid() || (kill((pid_t)writer, 0) != 0 && errno == ESRCH);
}

void file_sweep(const char *dir)
{
	DIR *list = opendir(dir);

	for (struct dirent *entry; list && (entry = readdir(list));)
		if (is_left_over(entry->d_name))
			unlinkat(dirfd(list), entry->d_name, 0);
	if (list)
		closedir(list);
}

/* Makes one directory and makes its entry in the parent durable; an existing one is fine. */
static bool make_one(const char *path, struct error *e)
{
	char parent[PATH_MAX];
	struct stat status;
	char *slash;
	int fd;
	bool ok;

	if (mkdir(path, 0777) != 0) {
		if (errno != EEXIST)
			return file_fail(e, "make directory", path, "", errno);
		if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
			return true;
		return file_fail(e, "make directory", path, "", ENOTDIR);
	}
	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (!slash)
		snprintf(parent, sizeof(parent), ".");
	else
		slash[slash == parent] = '\0';
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return true; /* the parent may be entered but not read, so its entry cannot be synced */
	ok = sync_directory(fd);
	if (!ok)
		file_fail(e, "sync directory", parent, "", errno);
	close(fd);
	return ok;
}

bool file_make_directory(const char *dir, struct error *e)
{
	char path[PATH_MAX];
	size_t len = strlen(dir);

	if (!len)
		return error_set(e, NULL, "not a directory name: ''");
	if (len >= sizeof(path))
		return file_fail(e, "make directory", dir, "", ENAMETOOLONG);
	memcpy(path, dir, len + 1);
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	for (size_t k = 1; k < len; k++) {
		if (path[k] != '/' || path[k - 1] == '/')
			continue;
		path[k] = '\0';
		if (!make_one(path, e))
			return false;
		path[k] = '/';
	}
	return make_one(path, e);
}

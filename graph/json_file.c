/* json_file.c: the bytes of a file, whatever it is and however it changes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"

static char *bytes_fail(const char *path, struct error *e, const char *what)
{
	char place[sizeof e->place];

	snprintf(place, sizeof place, "%s", *path ? path : "''");
	error_set(e, text_disarm(place, false), "%s", what);
	return NULL;
}

static char *bytes_too_many(const char *path, struct error *e, size_t limit)
{
	char what[64];

	snprintf(what, sizeof what, "the file is larger than %zu bytes", limit);
	return bytes_fail(path, e, what);
}

static char *read_all(
    int fd, const char *path, size_t limit, size_t room, struct arena *a, size_t *len, struct error *e)
{
	char *text = NEW(a, char, room + 1);
	size_t used = 0;

	for (;;) {
		if (used > limit)
			return bytes_too_many(path, e, limit);
		if (used == room) {
			char *more = NEW(a, char, 2 * room + 1);
			memcpy(more, text, used);
			text = more;
			room *= 2;
		}
		ssize_t n = read(fd, text + used, room - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bytes_fail(path, e, strerror(errno));
		if (n == 0)
			break;
		used += (size_t)n;
	}
	text[used] = '\0';
	*len = used;
	return text;
}

char *json_read_bytes(const char *path, size_t limit, struct arena *a, size_t *len, struct error *e)
{
	struct stat before, now;

	if (!strcmp(path, "-"))
		return read_all(STDIN_FILENO, path, limit, 1 << 16, a, len, e);
	if (stat(path, &before))
		return bytes_fail(path, e, strerror(errno));
	if (!S_ISREG(before.st_mode))
		return bytes_fail(path, e,
		    S_ISDIR(before.st_mode)
		        ? "is a directory"
		        : "not a regular file; what comes from a pipe is given as standard input, -");
	if (before.st_size < 0 || (uintmax_t)before.st_size > limit)
		return bytes_too_many(path, e, limit);

	/* The memory comes first: an arena that is full must not leak a descriptor. */
	size_t size = (size_t)before.st_size, used = 0;
	char *text = NEW(a, char, size + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return bytes_fail(path, e, strerror(errno));
	const char *wrong = NULL;
	if (fstat(fd, &now) || !S_ISREG(now.st_mode) || now.st_size != before.st_size)
		wrong = "the file changed while it was read";
	while (!wrong && used < size) {
		ssize_t n = read(fd, text + used, size - used);
		if (n > 0)
			used += (size_t)n;
		else if (n == 0)
			wrong = "the file changed while it was read";
		else if (errno != EINTR)
			wrong = strerror(errno);
	}
	close(fd);
	if (wrong)
		return bytes_fail(path, e, wrong);
	*len = size;
	return text;
}

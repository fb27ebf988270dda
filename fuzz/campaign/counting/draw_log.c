/*
 * draw_log.c: see draw_log.h.
 *
 * A number is written as in LEB128: seven bits a byte, the lowest first, and the top bit of all bytes but the last is
 * set.  A draw is the number 4 work + 2 (it has failures) + (it counts).  If it has failures, their number follows, and
 * for each: the engine, 2 point + (it is an incident), 1 + the kind of its twin or 0, and the number of the signature.
 * A new signature has the next number, and then its length and its bytes follow.
 */
#include "draw_log.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/heap.h"
#include "reports/file.h"

enum {
	LOG_BYTES = 64 << 20, /* some ten million draws; `merge` copies the file */
	NAME_BYTES = 4096,
	PATH_TEXT = 4096,
	HEADER = 64
};

static void header_of(const char *id, char text[HEADER]) { snprintf(text, HEADER, "adjudge.draws/1 %s\n", id); }

static void names_add(struct logged_names *self, const char *name)
{
	self->at = heap_resize(self->at, (size_t)self->n + 1, sizeof *self->at);
	self->at[self->n++] = heap_text(name);
}

static void names_free(struct logged_names *self)
{
	for (int k = 0; k < self->n; k++)
		free(self->at[k]);
	free(self->at);
	*self = (struct logged_names){0};
}

/* The number of a name; that of the next one if it is new. */
static int names_find(const struct logged_names *self, const char *name)
{
	int k = 0;

	while (k < self->n && strcmp(self->at[k], name) != 0)
		k++;
	return k;
}

/* ---- writing ---- */

static void put_bytes(struct draw_log *self, const char *bytes, size_t len)
{
	if (self->len + len > self->room) {
		self->room = 2 * (self->len + len);
		self->text = heap_resize(self->text, self->room, 1);
	}
	memcpy(self->text + self->len, bytes, len);
	self->len += len;
}

static void put_number(struct draw_log *self, uint64_t x)
{
	do {
		const char byte = (char)(unsigned char)((x & 127) | (x > 127 ? 128 : 0));

		put_bytes(self, &byte, 1);
		x >>= 7;
	} while (x);
}

void draw_log_begin(struct draw_log *self, const char *id)
{
	char header[HEADER];

	header_of(id, header);
	self->on = true;
	put_bytes(self, header, strlen(header));
}

static void put_failure(struct draw_log *self, const struct case_finding *f)
{
	const int k = names_find(&self->names, f->signature);

	put_number(self, (uint64_t)f->which);
	put_number(self, 2 * (uint64_t)f->point + f->incident);
	put_number(self, f->of_twin ? 1 + (uint64_t)f->twin : 0);
	put_number(self, (uint64_t)k);
	if (k < self->names.n)
		return;
	names_add(&self->names, f->signature);
	put_number(self, strlen(f->signature));
	put_bytes(self, f->signature, strlen(f->signature));
}

void draw_log_add(struct draw_log *self, bool counts, int64_t work, const struct case_record *record)
{
	if (!self->on)
		return;
	put_number(self, 4 * (uint64_t)work + 2 * (uint64_t)(record->n_finding > 0) + counts);
	if (record->n_finding)
		put_number(self, (uint64_t)record->n_finding);
	for (int k = 0; k < record->n_finding; k++)
		put_failure(self, &record->finding[k]);
	self->on = self->saved + self->len <= LOG_BYTES;
}

bool draw_log_save(struct draw_log *self, const char *dir, struct error *e)
{
	const size_t len = self->len;

	if (!self->on && !self->text)
		return true;
	if (!self->on) {
		draw_log_free(self);
		return file_remove(dir, DRAW_LOG, e);
	}
	if (len && !file_write_from(dir, DRAW_LOG, self->saved, self->text, len, e))
		return false;
	self->saved += len;
	self->len = 0;
	return true;
}

void draw_log_free(struct draw_log *self)
{
	free(self->text);
	names_free(&self->names);
	*self = (struct draw_log){0};
}

void draw_log_resume(struct draw_log *self, const char *dir, const char *id, int64_t draws)
{
	struct draw_reader reader;
	struct logged_draw draw;
	bool all;
	long at;

	if (!draws) {
		draw_log_begin(self, id);
		return;
	}
	if (!draw_reader_open(&reader, dir, id))
		return;
	all = true;
	for (int64_t k = 0; k < draws && all; k++)
		all = draw_reader_next(&reader, &draw);
	at = ftell(reader.file);
	if (all && at > 0) {
		self->on = true;
		self->saved = (size_t)at;
		self->names = reader.names;
		reader.names = (struct logged_names){0};
	}
	draw_reader_close(&reader);
}

/* ---- reading ---- */

bool draw_reader_open(struct draw_reader *self, const char *dir, const char *id)
{
	char path[PATH_TEXT], header[HEADER], line[HEADER];
	struct stat status;
	int fd;

	*self = (struct draw_reader){0};
	header_of(id, header);
	fd = (size_t)snprintf(path, sizeof path, "%s/" DRAW_LOG, dir) < sizeof path
	    ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
	    : -1;
	if (fd < 0)
		return false;
	self->file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "rb") : NULL;
	if (!self->file) {
		close(fd);
		return false;
	}
	if (fgets(line, sizeof line, self->file) && !strcmp(line, header))
		return true;
	draw_reader_close(self);
	return false;
}

/* A number from 0 to `most`. */
static bool read_number(struct draw_reader *self, uint64_t most, uint64_t *out)
{
	uint64_t x = 0;
	int byte;

	for (int shift = 0; shift < 64; shift += 7) {
		byte = getc(self->file);
		if (byte == EOF || (shift == 63 && byte > 1))
			return false;
		x |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*out = x;
			return x <= most;
		}
	}
	return false;
}

static bool read_name(struct draw_reader *self)
{
	char name[NAME_BYTES];
	uint64_t len;

	if (!read_number(self, sizeof name - 1, &len) || fread(name, 1, len, self->file) != len)
		return false;
	name[len] = '\0';
	if (strlen(name) != len)
		return false;
	names_add(&self->names, name);
	return true;
}

static bool read_failure(struct draw_reader *self, struct logged_failure *out)
{
	uint64_t which, point, twin, name;

	if (!read_number(self, BENCH_ENGINES - 1, &which) || !read_number(self, INT_MAX, &point) ||
	    !read_number(self, TWIN_COUNT, &twin) || !read_number(self, (uint64_t)self->names.n, &name) ||
	    ((int)name == self->names.n && !read_name(self)))
		return false;
	*out = (struct logged_failure){.which = (int)which,
	    .point = (int)(point / 2),
	    .incident = point % 2,
	    .of_twin = twin > 0,
	    .twin = (enum twin)(twin ? twin - 1 : 0),
	    .signature = self->names.at[name]};
	return true;
}

bool draw_reader_next(struct draw_reader *self, struct logged_draw *out)
{
	uint64_t first, n = 0;

	if (!read_number(self, INT64_MAX, &first) || (first & 2 && !read_number(self, LOGGED_MOST, &n)))
		return false;
	out->counts = first & 1;
	out->work = (int64_t)(first / 4);
	out->n = (int)n;
	for (int k = 0; k < out->n; k++)
		if (!read_failure(self, &out->failure[k]))
			return false;
	return true;
}

void draw_reader_close(struct draw_reader *self)
{
	if (self->file)
		fclose(self->file);
	names_free(&self->names);
	self->file = NULL;
}

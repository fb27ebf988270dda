/* text.h: a text that grows in an arena. */
#ifndef GRAPH_TEXT_H
#define GRAPH_TEXT_H

#include <stddef.h>

#include "arena.h"

/* Zero-initialise all but the arena.  `at` is NUL-terminated once anything was put, be it nothing. */
struct text {
	struct arena *arena;
	char *at;
	size_t len, room;
};

/* Appends, as printf.  `at` moves when there is no room left. */
void text_put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_put_bytes(struct text *t, const char *bytes, size_t len);

#endif

/* text.h: a text that grows in an arena. */
#ifndef GRAPH_TEXT_H
#define GRAPH_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* Set the arena and zero the rest.  After the first text_put, even of "", `at` is NUL-terminated. */
struct text {
	struct arena *arena;
	char *at;
	size_t len, room;
};

/* Appends, like printf.  `at` may move. */
void text_put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_put_bytes(struct text *t, const char *bytes, size_t len);
/* Makes room for `more` bytes behind the text, when there is not. */
void text_grow(struct text *t, size_t more);
/* The end of the text, with room for `more` bytes and a NUL. */
static inline char *text_room(struct text *t, size_t more)
{
	if (t->room - t->len <= more)
		text_grow(t, more);
	return t->at + t->len;
}
static inline void text_put_char(struct text *t, char c)
{
	if (t->room - t->len <= 1)
		text_grow(t, 1);
	t->at[t->len++] = c;
	t->at[t->len] = '\0';
}

/* A copy of text that somebody else wrote, as one line and disarmed (errors.h). */
char *text_harmless(const char *text, struct arena *a);

/* "1 finding", "2 findings": the noun with an s for any other number. */
char *text_count(int64_t n, const char *noun, struct arena *a);
/* Things per second, with two digits behind the point below 10: "0.33", "812". */
char *text_rate(double per_second, struct arena *a);
/* "2 cases, the first is case 7".  If n is 0, no case of the campaign showed it: "met while case 7 was minimized". */
char *text_seen(int64_t n, int64_t first, struct arena *a);

#endif

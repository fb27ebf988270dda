/* errors.h: what went wrong and where, for people.  The first writer wins. */
#ifndef GRAPH_ERRORS_H
#define GRAPH_ERRORS_H

#include <stdbool.h>

/* On a function whose result says whether it failed: a caller that ignores it does not compile without a warning. */
#define MUST_CHECK __attribute__((warn_unused_result))

struct error {
	char place[1024]; /* the file and the path inside it, as in loop.json: body[3].op; "" when there is none */
	char text[256];   /* "" means no error */
};

/* Sets place (may be NULL) and text unless an error is already there.  Returns false, to be returned on. */
bool error_set(struct error *e, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Disarms text that somebody else wrote before it goes to a terminal, in place: control characters (C1 ones too) and
 * those that reorder lines become question marks; with `lines` newlines and tabs stay.  Returns text.
 */
char *text_disarm(char *text, bool lines);

#endif

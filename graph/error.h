/* error.h: what went wrong and where, for people.  The first writer wins. */
#ifndef GRAPH_ERROR_H
#define GRAPH_ERROR_H

#include <stdbool.h>

struct error {
	char place[160]; /* path inside the case file, as in body[3].op; "" when there is none */
	char text[256];  /* "" means no error */
};

/* Sets place (may be NULL) and text unless an error is already there.  Returns false, to be returned on. */
bool error_set(struct error *e, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

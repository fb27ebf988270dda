/* cross_show.h: what the modes of cross.h say of a case, for people and as JSON. */
#ifndef FUZZ_CROSS_SHOW_H
#define FUZZ_CROSS_SHOW_H

#include "cross.h"

/* The head of a table on standard output, and a row of it. */
void cross_print_head(void);
void cross_print(const char *spec, enum cross_mode mode, const struct cross_result *r, struct arena *a);
/* One object. */
struct json_writer;
void cross_put(struct json_writer *w, const struct cross *cross, enum cross_mode mode, const struct cross_result *r, struct arena *a);

#endif

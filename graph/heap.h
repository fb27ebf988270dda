/* heap.h: memory that outlives a case.  Where there is none left, the process ends: nobody has to look at what these
 * return. */
#ifndef GRAPH_HEAP_H
#define GRAPH_HEAP_H

#include <stddef.h>

/* Ends the process with a message and exit code 4. */
_Noreturn void out_of_memory(void);

/* `count` zeroed elements of `size` bytes; to be given to free(). */
void *heap_new(size_t count, size_t size);
/* realloc to `count` elements of `size` bytes; what is new is not set. */
void *heap_resize(void *at, size_t count, size_t size);
/* A copy of the text. */
char *heap_text(const char *text);

#endif

/* heap.h: memory that outlives a case.  If there is none left, the process ends, so callers need not check results. */
#ifndef GRAPH_HEAP_H
#define GRAPH_HEAP_H

#include <stddef.h>

/* Ends the process with a message and exit code 4. */
_Noreturn void out_of_memory(void);

/*
 * Called once, as a program starts: large blocks go back to the system as soon as they are freed.  Otherwise small
 * blocks settle behind large ones that are freed later, and a long campaign grows around the holes.
 */
void heap_begin(void);
/* Gives free memory back to the system, also between blocks that are in use.  For quiet moments: it looks at each. */
void heap_rest(void);
/* Allocates `count` zeroed elements of `size` bytes.  The caller frees them with free(). */
void *heap_new(size_t count, size_t size);
/* Resizes to `count` elements of `size` bytes, as realloc does.  New elements are not initialised. */
void *heap_resize(void *at, size_t count, size_t size);
/* A copy of the text, to be freed with free(). */
char *heap_text(const char *text);

#endif

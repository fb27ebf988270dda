/* heap.c: see heap.h. */
#include "heap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { LARGE_BLOCK = 256 << 10, FREE_END = 512 << 10 };

void heap_begin(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK); /* the preset rises with each large block that is freed */
	mallopt(M_TRIM_THRESHOLD, FREE_END);
#endif
}

void heap_rest(void)
{
#ifdef __GLIBC__
	malloc_trim(FREE_END);
#endif
}

void out_of_memory(void)
{
	fputs("adjudge: out of memory\n", stderr);
	exit(4);
}

/* At least one byte, so that NULL can only mean that memory is exhausted. */
void *heap_new(size_t count, size_t size)
{
	void *at = calloc(count ? count : 1, size ? size : 1);

	if (!at)
		out_of_memory();
	return at;
}

void *heap_resize(void *at, size_t count, size_t size)
{
	void *to = size && count > SIZE_MAX / size ? NULL : realloc(at, count && size ? count * size : 1);

	if (!to)
		out_of_memory();
	return to;
}

char *heap_text(const char *text)
{
	size_t len = strlen(text) + 1;

	return memcpy(heap_new(len, 1), text, len);
}

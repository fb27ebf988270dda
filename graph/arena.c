/* arena.c: blocks that double, kept across resets. */
#include "arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	max_align_t data[];
};

struct arena_exit {
	jmp_buf at;
};

enum { FIRST_BLOCK = 1 << 16, FIRST_ROOM = 8, ALIGN = _Alignof(max_align_t) };

void arena_init(struct arena *a, size_t limit) { *a = (struct arena){.limit = limit, .kept = ARENA_KEPT}; }

void arena_free(struct arena *a)
{
	struct arena_block *next;

	for (struct arena_block *b = a->first; b; b = next) {
		next = b->next;
		free(b);
	}
	a->first = a->current = NULL;
	a->used = 0;
}

/* Frees the blocks behind the first ones, which hold a->kept bytes at most. */
static void free_surplus(struct arena *a)
{
	struct arena_block **at = &a->first;
	size_t kept = 0;

	while (*at && kept + (*at)->size <= a->kept) {
		kept += (*at)->size;
		at = &(*at)->next;
	}
	while (*at) {
		struct arena_block *b = *at;

		*at = b->next;
		free(b);
	}
}

size_t arena_held(const struct arena *a)
{
	size_t sum = 0;

	for (const struct arena_block *b = a->first; b; b = b->next)
		sum += b->size;
	return sum;
}

void arena_reset(struct arena *a)
{
	free_surplus(a);
	a->current = a->first;
	if (a->first)
		a->first->used = 0;
	a->used = a->rewound = 0;
}

size_t arena_peak(const struct arena *a) { return a->used > a->rewound ? a->used : a->rewound; }

/* A function of its own: what it sets before run() is not needed after it. */
static bool returns(struct arena_exit *full, arena_run_fn *run, void *context)
{
	if (setjmp(full->at))
		return false;
	run(context);
	return true;
}

bool arenas_try(struct arena *const *arenas, int n, arena_run_fn *run, void *context)
{
	struct arena_exit full, *outer[ARENAS_TRIED];
	bool returned;

	for (int k = 0; k < n; k++) {
		outer[k] = arenas[k]->on_full;
		arenas[k]->on_full = &full;
	}
	returned = returns(&full, run, context);
	for (int k = 0; k < n; k++)
		arenas[k]->on_full = outer[k];
	return returned;
}

bool arena_try(struct arena *a, arena_run_fn *run, void *context) { return arenas_try(&a, 1, run, context); }

void arena_full(const struct arena *a)
{
	if (a->on_full)
		longjmp(a->on_full->at, 1);
	fprintf(stderr, "adjudge: out of memory (%zu bytes in use, limit %zu)\n", a->used, a->limit);
	exit(4);
}

/* Makes a->current a block with room for `bytes`.  Blocks behind the current one are free. */
static void add_block(struct arena *a, size_t bytes)
{
	struct arena_block *tail = a->current ? a->current->next : a->first;
	size_t size = a->current ? a->current->size * 2 : FIRST_BLOCK;

	if (tail && tail->size >= bytes) {
		tail->used = 0;
		a->current = tail;
		return;
	}
	if (size < bytes)
		size = bytes;
	struct arena_block *b = malloc(sizeof *b + size);
	if (!b && size > bytes) {
		size = bytes;
		b = malloc(sizeof *b + size);
	}
	if (!b)
		arena_full(a);
	*b = (struct arena_block){.next = tail, .size = size};
	if (a->current)
		a->current->next = b;
	else
		a->first = b;
	a->current = b;
}

void arena_touch(struct arena *a)
{
	size_t held = 0;

	for (size_t size = FIRST_BLOCK; held + size <= a->kept; size *= 2) {
		add_block(a, size);
		memset(a->current->data, 0, size);
		held += size;
	}
	arena_reset(a);
}

/* The bytes that an array takes.  Even an empty one gets an address of its own. */
static inline size_t rounded(size_t bytes) { return (bytes + !bytes + ALIGN - 1) / ALIGN * ALIGN; }

/* Counts `bytes` more of the current block as handed out. */
static inline void count_bytes(struct arena *a, size_t bytes)
{
	a->current->used += bytes;
	a->used += bytes;
}

/* Takes rounded bytes where the block has no room, or leaves the try. */
static void *take_elsewhere(struct arena *a, size_t bytes)
{
	if (bytes > a->limit - a->used)
		arena_full(a);
	if (!a->current || a->current->size - a->current->used < bytes)
		add_block(a, bytes);
	char *p = (char *)a->current->data + a->current->used;
	count_bytes(a, bytes);
	memset(p + bytes - ALIGN, 0, ALIGN);
	return p;
}

/*
 * rounded(bytes) bytes as they lie in the block. What is behind the array is 0: an engine that reads a little too
 * far is then wrong in the same way each time.  a->used is never above the limit.
 */
static inline __attribute__((always_inline)) void *take(struct arena *a, size_t bytes)
{
	struct arena_block *b = a->current;

	bytes = rounded(bytes);
	if (!b || b->size - b->used < bytes || bytes > a->limit - a->used)
		return take_elsewhere(a, bytes);
	char *p = (char *)b->data + b->used;
	b->used += bytes;
	a->used += bytes;
	memset(p + bytes - ALIGN, 0, ALIGN);
	return p;
}

/* count * size; an array that is larger than any memory leaves the try. */
static inline size_t array_bytes(const struct arena *a, size_t count, size_t size)
{
	size_t bytes;

	/* No division: every allocation comes here. */
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ALIGN)
		arena_full(a);
	return bytes;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t bytes = array_bytes(a, count, size);

	return memset(take(a, bytes), 0, bytes);
}

void *arena_take(struct arena *a, size_t count, size_t size) { return take(a, array_bytes(a, count, size)); }

void *arena_copy(struct arena *a, const void *from, size_t count, size_t size)
{
	size_t bytes = array_bytes(a, count, size);
	void *to = take(a, bytes);

	/* An empty source may be NULL, which memcpy does not allow. */
	return bytes ? memcpy(to, from, bytes) : to;
}

/* As arena_enlarge, but the new bytes are not cleared. */
static void *enlarge(struct arena *a, void *array, size_t old, size_t new)
{
	struct arena_block *b = a->current;
	char *to = array;
	size_t more = rounded(new) - rounded(old);

	if (old && to + rounded(old) == (char *)b->data + b->used && b->size - b->used >= more && a->used <= a->limit &&
	    more <= a->limit - a->used) {
		count_bytes(a, more);
	} else {
		to = take(a, new);
		if (old)
			memcpy(to, array, old);
	}
	return to;
}

void *arena_enlarge(struct arena *a, void *array, size_t old, size_t new)
{
	char *to = enlarge(a, array, old, new);

	memset(to + old, 0, new - old);
	return to;
}

static int larger_room(int room, int need)
{
	int larger = room ? room : FIRST_ROOM;

	while (larger < need)
		larger *= 2;
	return larger;
}

void *arena_grow(struct arena *a, void *array, int *room, int need, size_t size)
{
	int larger = larger_room(*room, need);

	if (need <= *room)
		return array;
	array = arena_enlarge(a, array, (size_t)*room * size, array_bytes(a, (size_t)larger, size));
	*room = larger;
	return array;
}

void *arena_grow_raw(struct arena *a, void *array, int *room, int need, size_t size)
{
	int larger = larger_room(*room, need);

	if (need <= *room)
		return array;
	array = enlarge(a, array, (size_t)*room * size, array_bytes(a, (size_t)larger, size));
	*room = larger;
	return array;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){a->current, a->current ? a->current->used : 0, a->used};
}

void arena_rewind(struct arena *a, struct arena_mark mark)
{
	a->rewound = arena_peak(a);
	a->current = mark.block;
	if (mark.block)
		mark.block->used = mark.block_used;
	a->used = mark.used;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
	va_list list, again;
	char *text;
	int n;

	va_start(list, format);
	va_copy(again, list);
	n = vsnprintf(NULL, 0, format, list);
	va_end(list);
	text = arena_alloc(a, n < 0 ? 1 : (size_t)n + 1, 1);
	if (n >= 0)
		vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	return text;
}

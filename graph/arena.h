/* arena.h: bump allocation.  All memory of a case is freed at once. */
#ifndef GRAPH_ARENA_H
#define GRAPH_ARENA_H

#include "errors.h"

#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena_exit;

/*
 * Memory that is freed all at once.  arena_reset keeps the blocks, so a loop over cases soon needs no malloc.  Not
 * thread-safe: each thread needs its own arena.
 */
struct arena {
	struct arena_block *first, *current;
	size_t used;    /* bytes handed out since the last reset */
	size_t rewound; /* the highest value of `used` at a rewind since the last reset */
	size_t limit;   /* bytes that may be handed out between resets */
	size_t kept;    /* bytes of blocks that arena_reset keeps at most */
	struct arena_exit
	    *on_full; /* where to jump when the limit or the machine's memory is reached; set by arena_try */
};

typedef void arena_run_fn(void *context);

/*
 * Calls run(context).  Returns true if it returned, and false if the arena was full.  Then `run` was left in the middle
 * by longjmp: it may hold nothing but arenas and pools, and returns results only through `context`.  Tries may be
 * nested.
 */
bool arena_try(struct arena *a, arena_run_fn *run, void *context);

/* The same for n arenas, at most ARENAS_TRIED: false if any of them was full. */
enum { ARENAS_TRIED = 4 };
bool arenas_try(struct arena *const *arenas, int n, arena_run_fn *run, void *context);

/* Leaves the innermost try of this arena; without one, ends the process with exit code 4 and a message. */
_Noreturn void arena_full(const struct arena *a);

/* A position in an arena.  arena_rewind frees the memory that was handed out after it. */
struct arena_mark {
	struct arena_block *block;
	size_t block_used, used;
};

/* Makes an empty arena.  `limit` in bytes.  Allocates nothing yet. */
void arena_init(struct arena *a, size_t limit);

/* Frees every block. */
void arena_free(struct arena *a);

/*
 * Forgets everything handed out.  Keeps blocks of at most `kept` bytes, so that one large case does not hold memory for
 * the rest of a campaign.  arena_init sets it to ARENA_KEPT; one case in 25 needs more than half of that.  An arena
 * that seldom holds much keeps ARENA_KEPT_SMALL, or it would still grow after an hour.
 */
enum { ARENA_KEPT = 8 << 20, ARENA_KEPT_SMALL = 1 << 20 };
void arena_reset(struct arena *a);
/* Takes the memory that an empty arena may keep, so that a process does not grow when its first large cases come. */
void arena_touch(struct arena *a);
/* The most bytes that were handed out at once since the last reset. */
size_t arena_peak(const struct arena *a);
/* The bytes of its blocks, handed out or not. */
size_t arena_held(const struct arena *a);

/*
 * Allocates `count` zeroed elements of `size` bytes, aligned for any type.  Never returns NULL: beyond the limit, or if
 * malloc fails, it calls arena_full.
 */
void *arena_alloc(struct arena *a, size_t count, size_t size) __attribute__((malloc));

/* The same, not zeroed: the caller sets every element. */
void *arena_take(struct arena *a, size_t count, size_t size) __attribute__((malloc));

/* A copy of `count` elements of `size` bytes. */
void *arena_copy(struct arena *a, const void *from, size_t count, size_t size);

/*
 * Makes an array of `old` bytes (0: none yet) one of `new` bytes, which are more.  It stays where it is if it was the
 * last allocation and its block has room; else it is copied, and the old copy stays valid.  The new bytes are zero.
 */
void *arena_enlarge(struct arena *a, void *array, size_t old, size_t new);

struct arena_mark arena_mark(const struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark mark);

/* NEW(a, struct node, n): n zeroed structs. */
#define NEW(a, type, count) ((type *)arena_alloc((a), (size_t)(count), sizeof(type)))
/* The same, not zeroed: for arrays that are filled at once. */
#define NEW_RAW(a, type, count) ((type *)arena_take((a), (size_t)(count), sizeof(type)))

/*
 * Makes room for `need` elements in `array`, which has *room elements (0: no array yet).  If that is too few, the array
 * at least doubles and may move; new elements are zero.  The old copy stays valid until the arena is reset.  Evaluates
 * its arguments more than once.
 */
#define GROW(a, array, room, need) \
	((array) = (need) <= *(room) ? (array) : arena_grow((a), (array), (room), (need), sizeof *(array)))
void *arena_grow(struct arena *a, void *array, int *room, int need, size_t size);
/* The same, but new elements are not zeroed: the caller sets each before it reads it. */
#define GROW_RAW(a, array, room, need) \
	((array) = (need) <= *(room) ? (array) : arena_grow_raw((a), (array), (room), (need), sizeof *(array)))
void *arena_grow_raw(struct arena *a, void *array, int *room, int need, size_t size);

/* printf into the arena; the result is NUL-terminated. */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

/*
 * ring.h: messages from one process to another through shared memory.
 *
 * One process writes, one reads, and no lock is taken.  A message may be larger than the ring: it then goes through it
 * in pieces.  If the writer dies in the middle of a message, the reader drops that message (ring_forget).
 */
#ifndef FUZZ_CAMPAIGN_JUDGING_RING_H
#define FUZZ_CAMPAIGN_JUDGING_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_BYTES = 8 << 20 };

/* In memory that both processes share; initially zero. */
struct ring {
	_Atomic uint64_t written, read; /* bytes so far */
	bool cut;                       /* the writer's: its last message is not whole, so nothing may follow */
	char at[RING_BYTES];
};

/* Writes bytes[len]; waits while the ring is full.  False if *stop became true meanwhile, and ever after. */
bool ring_write(struct ring *r, const char *bytes, size_t len, const atomic_bool *stop);

/* The reader's side: the message that it is putting together.  Initialise to zero. */
struct ring_message {
	char *at; /* [room]; the owner frees it */
	size_t room, got, len;
	bool has_length, complete;
};

/* Reads what is there.  True once m->at[m->len] is a whole message; it stays until ring_done. */
bool ring_read(struct ring *r, struct ring_message *m);
/* The message was used. */
void ring_done(struct ring_message *m);
/* Drops an incomplete message and what is left in the ring, after the writer has died. */
void ring_forget(struct ring *r, struct ring_message *m);

#endif

/* ring.c: see ring.h.  Each side publishes its own counter of bytes after it has copied them. */
#include "ring.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph/heap.h"

enum { KEPT_BYTES = 1 << 20 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void wait_a_moment(void)
{
	const struct timespec pause = {0, 2000000};

	nanosleep(&pause, NULL);
}

static bool put(struct ring *r, const char *bytes, size_t len, const atomic_bool *stop)
{
	uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);

	while (len) {
		const uint64_t read = atomic_load_explicit(&r->read, memory_order_acquire);
		const size_t at = (size_t)(written % RING_BYTES), room = (size_t)(RING_BYTES - (written - read)),
		             n = smaller(len, smaller(room, RING_BYTES - at));

		if (!n) {
			if (atomic_load_explicit(stop, memory_order_relaxed))
				return false;
			wait_a_moment();
			continue;
		}
		memcpy(r->at + at, bytes, n);
		written += n;
		bytes += n;
		len -= n;
		atomic_store_explicit(&r->written, written, memory_order_release);
	}
	return true;
}

bool ring_write(struct ring *r, const char *bytes, size_t len, const atomic_bool *stop)
{
	const uint64_t length = len;

	r->cut = r->cut || !put(r, (const char *)&length, sizeof length, stop) || !put(r, bytes, len, stop);
	return !r->cut;
}

/* Takes up to len bytes; returns how many. */
static size_t get(struct ring *r, char *to, size_t len)
{
	uint64_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
	const uint64_t written = atomic_load_explicit(&r->written, memory_order_acquire);
	size_t got = 0;

	while (got < len && read != written) {
		const size_t at = (size_t)(read % RING_BYTES),
		             n = smaller(len - got, smaller((size_t)(written - read), RING_BYTES - at));

		memcpy(to + got, r->at + at, n);
		got += n;
		read += n;
	}
	atomic_store_explicit(&r->read, read, memory_order_release);
	return got;
}

static void make_room(struct ring_message *m, size_t room)
{
	if (m->room >= room)
		return;
	m->room = room;
	m->at = heap_resize(m->at, room, 1);
}

bool ring_read(struct ring *r, struct ring_message *m)
{
	uint64_t length;

	if (m->complete)
		return true;
	make_room(m, sizeof length);
	if (!m->has_length) {
		m->got += get(r, m->at + m->got, sizeof length - m->got);
		if (m->got < sizeof length)
			return false;
		memcpy(&length, m->at, sizeof length);
		m->has_length = true;
		m->got = 0;
		m->len = (size_t)length;
		make_room(m, m->len);
	}
	m->got += get(r, m->at + m->got, m->len - m->got);
	m->complete = m->got == m->len;
	return m->complete;
}

void ring_done(struct ring_message *m)
{
	if (m->room > KEPT_BYTES) { /* one large case holds no memory for the rest of a campaign */
		free(m->at);
		m->at = NULL;
		m->room = 0;
	}
	m->has_length = m->complete = false;
	m->got = m->len = 0;
}

void ring_forget(struct ring *r, struct ring_message *m)
{
	ring_done(m);
	atomic_store(&r->read, atomic_load(&r->written));
}

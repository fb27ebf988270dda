/*
 * Messages between two processes: in order and whole, whatever their size; a writer that dies in the middle of one; a
 * writer that must stop while the ring is full.
 */
#include "fuzz/campaign/judging/ring.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/check.h"

struct shared {
	atomic_bool stop;
	struct ring ring;
};

static struct shared *open_shared(void)
{
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		exit(2);
	return s;
}

static void wait_a_moment(void)
{
	const struct timespec pause = {0, 1000000};

	nanosleep(&pause, NULL);
}

/* Byte k of message i: no two messages are alike. */
static char byte_of(int i, size_t k) { return (char)(i * 31 + (int)(k % 251) + (int)(k >> 16)); }

/* Lengths around those of the ring and of its end. */
static const size_t lengths[] = {0, 1, 7, 8, 9, 4096, RING_BYTES - 9, RING_BYTES - 8, RING_BYTES - 7, RING_BYTES,
    RING_BYTES + 1, 3, 2 * (size_t)RING_BYTES + 5, 100, 0, (size_t)1 << 20};
enum { MESSAGES = sizeof lengths / sizeof *lengths };

static void write_all(struct shared *s)
{
	char *text = malloc(2 * (size_t)RING_BYTES + 8);

	for (int i = 0; text && i < MESSAGES; i++) {
		for (size_t k = 0; k < lengths[i]; k++)
			text[k] = byte_of(i, k);
		if (!ring_write(&s->ring, text, lengths[i], &s->stop))
			_exit(2);
	}
	_exit(0);
}

/* Waits for the next message. */
static void read_next(struct shared *s, struct ring_message *m)
{
	while (!ring_read(&s->ring, m))
		wait_a_moment();
}

static void test_sizes(void)
{
	struct shared *s = open_shared();
	struct ring_message m = {0};
	const pid_t pid = fork();
	int status;

	if (!pid)
		write_all(s);
	for (int i = 0; i < MESSAGES; i++) {
		size_t wrong = 0;

		read_next(s, &m);
		CHECK(m.len == lengths[i], "message %d: %zu bytes instead of %zu", i, m.len, lengths[i]);
		CHECK(ring_read(&s->ring, &m) && m.complete, "message %d does not stay", i);
		for (size_t k = 0; k < m.len; k++)
			wrong += m.at[k] != byte_of(i, k);
		CHECK(!wrong, "message %d: %zu bytes are wrong", i, wrong);
		ring_done(&m);
	}
	CHECK(!ring_read(&s->ring, &m), "one message too many");
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "the writer ended with %d", status);
	free(m.at);
	munmap(s, sizeof *s);
}

/* Writes n messages of that length, then waits to be killed. */
static pid_t start_writer(struct shared *s, int n, size_t len)
{
	const pid_t pid = fork();
	char *text;

	if (pid)
		return pid;
	text = calloc(len + 1, 1);
	for (int i = 0; text && i < n; i++)
		ring_write(&s->ring, text, len, &s->stop);
	for (;;)
		pause();
}

/* The reader got some of a message, wherever in it; the next writer begins anew. */
static void test_killed(void)
{
	struct shared *s = open_shared();
	struct ring_message m = {0};

	for (int round = 0; round < 6; round++) {
		const size_t len = round % 2 ? (size_t)RING_BYTES * 3 : 5;
		const pid_t pid = start_writer(s, 1, len);
		int status;

		while (!atomic_load(&s->ring.written) || (round % 2 && (ring_read(&s->ring, &m), !m.has_length)))
			wait_a_moment();
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		ring_forget(&s->ring, &m);
		CHECK(!ring_read(&s->ring, &m) && !m.has_length, "round %d: something is left", round);
		CHECK(ring_write(&s->ring, "next", 4, &s->stop), "round %d", round);
		read_next(s, &m);
		CHECK(m.len == 4 && !memcmp(m.at, "next", 4), "round %d: the next message is %zu bytes", round, m.len);
		ring_done(&m);
	}
	free(m.at);
	munmap(s, sizeof *s);
}

static void test_stop(void)
{
	struct shared *s = open_shared();
	struct ring_message m = {0};
	char *text = calloc(RING_BYTES, 1);

	CHECK(text && ring_write(&s->ring, text, RING_BYTES - 8, &s->stop), "an empty ring has room");
	atomic_store(&s->stop, true);
	CHECK(!ring_write(&s->ring, text, 1, &s->stop), "a full ring that is stopped takes nothing");
	read_next(s, &m);
	ring_done(&m);
	CHECK(!ring_write(&s->ring, text, 1, &s->stop), "nothing follows a message that is not whole");
	CHECK(!ring_read(&s->ring, &m), "a message that is not whole is read");
	free(m.at);
	free(text);
	munmap(s, sizeof *s);
}

/* A large message holds no memory when it was used. */
static void test_memory(void)
{
	struct shared *s = open_shared();
	struct ring_message m = {0};
	char *text = calloc(RING_BYTES, 1);

	if (text)
		ring_write(&s->ring, text, RING_BYTES - 8, &s->stop);
	read_next(s, &m);
	ring_done(&m);
	CHECK(m.room <= 1 << 20, "%zu bytes are held", m.room);
	ring_write(&s->ring, "x", 1, &s->stop);
	read_next(s, &m);
	CHECK(m.len == 1 && *m.at == 'x', "%zu bytes", m.len);
	free(m.at);
	free(text);
	munmap(s, sizeof *s);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	CHECK_LAW(test_sizes());
	CHECK_LAW(test_killed());
	CHECK_LAW(test_stop());
	CHECK_LAW(test_memory());
	return check_done();
}

/*
 * case_reader.c: a libFuzzer target that reads any bytes as a case.  An accepted case is written and read again, in
 * both forms, and must be the same case with the same text.  A refused one must have a reason.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/testcase.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written(
    const struct testcase *c, struct arena *a, char *(*writer)(const struct testcase *, struct arena *, size_t *))
{
	struct testcase again;
	struct error e = {0};
	size_t len, again_len;
	const char *text = writer(c, a, &len);

	if (!testcase_read(text, len, a, &again, &e) || !testcase_equal(c, &again) ||
	    testcase_hash(c) != testcase_hash(&again))
		abort();
	const char *again_text = writer(&again, a, &again_len);
	if (len != again_len || memcmp(text, again_text, len))
		abort();
}

struct text_input {
	const char *text;
	size_t len;
	struct arena *arena;
};

static void check_input(void *context)
{
	const struct text_input *in = context;
	struct arena *a = in->arena;
	struct testcase c;
	struct error e = {0};

	if (!testcase_read(in->text, in->len, a, &c, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	check_written(&c, a, testcase_write);
	check_written(&c, a, testcase_write_compact);
	testcase_print(&c, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The arena is kept between runs only to reuse its memory. */
	static struct arena arena;
	static bool ready;

	if (!ready)
		arena_init(&arena, (size_t)256 << 20);
	ready = true;
	arena_reset(&arena);
	arena_try(&arena, check_input, &(struct text_input){(const char *)data, size, &arena});
	return 0;
}

/*
 * standalone.c: runs a libFuzzer target over files, without libFuzzer.
 *
 * Usage: TARGET [--changed N] FILE|DIRECTORY...    N: also run N changed copies of each file, always the same ones
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/campaign/books/case_paths.h"
#include "fuzz/generate/choice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy with the exact size, so that a sanitizer sees a read past its end. */
static void run_bytes(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

/* One change: a byte or bit replaced, a piece left out or repeated, or a piece of another place written over. */
static void change(struct choice *c, uint8_t *data, size_t *size)
{
	static const char bytes[] = "0129-+.eE\"\\{}[],: \n\x1b\xff\x80";
	int n = (int)*size, at = choice_below(c, n), other = choice_below(c, n);
	int len = choice_between(c, 1, 1 + choice_below(c, n - (at > other ? at : other)));

	switch (choice_below(c, 5)) {
	case 0:
		data[at] = (uint8_t)bytes[choice_below(c, (int)sizeof bytes)];
		break;
	case 1:
		data[at] ^= (uint8_t)(1 << choice_below(c, 8));
		break;
	case 2:
		memmove(data + at, data + at + len, *size - (size_t)(at + len));
		*size -= (size_t)len;
		break;
	case 3:
		memmove(data + at + len, data + at, *size - (size_t)at);
		*size += (size_t)len;
		break;
	default:
		memmove(data + at, data + other, (size_t)len);
	}
}

enum { CHANGES = 4, CHANGED_BYTES = 1 << 16 };

/* Runs changed copies of a file; a copy may become at most 16 times as long. */
static void run_changed(const uint8_t *data, size_t size, int copies)
{
	struct choice c = choice_seeded(size);
	uint8_t *copy = malloc(size << CHANGES);

	if (!copy)
		abort();
	for (int k = 0; k < copies; k++) {
		size_t len = size;

		memcpy(copy, data, size);
		for (int i = choice_between(&c, 1, CHANGES); i && len; i--)
			change(&c, copy, &len);
		run_bytes(copy, len);
	}
	free(copy);
}

static int run_file(const char *path, int copies)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, room = 0, got;

	if (!f) {
		perror(path);
		return 0;
	}
	do {
		room = room ? room * 2 : 1 << 16;
		data = realloc(data, room);
		if (!data)
			abort();
		got = fread(data + size, 1, room - size, f);
		size += got;
	} while (size == room);
	fclose(f);
	run_bytes(data, size);
	if (size && size <= CHANGED_BYTES)
		run_changed(data, size, copies);
	free(data);
	return 1;
}

/* Inputs that no corpus holds: the empty one, and texts that are cut or changed. */
static void run_variants(void)
{
	static const char *const texts[] = {
	    "", "\n", "{", "[[[[[[[[", "{\"schema\":\"adjudge.case/1\"}", "\xff\xfe", "null", "{}{}"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		run_bytes((const uint8_t *)texts[i], strlen(texts[i]));
}

int main(int argc, char **argv)
{
	bool changed = argc > 2 && !strcmp(argv[1], "--changed");
	int first = changed ? 3 : 1, copies = changed ? atoi(argv[2]) : 0, ran = 0;
	struct paths files = paths_find((const char *const *)argv + first, argc - first);

	run_variants();
	for (int i = 0; i < files.n; i++)
		ran += run_file(files.at[i], copies);
	printf("%d files\n", ran);
	if (files.error || ran != files.n) {
		fprintf(stderr, "cannot read %s\n", files.error ? files.error : "every file");
		return 1;
	}
	paths_free(&files);
	return 0;
}

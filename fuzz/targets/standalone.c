/* standalone.c: runs a libFuzzer target over the files and directories given as arguments, without libFuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/campaign/case_paths.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
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
	/* The buffer has the exact size, so that a sanitizer sees a read past its end. */
	data = realloc(data, size + !size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

/* Inputs that no corpus holds: the empty one, and texts that are cut or changed. */
static void run_variants(void)
{
	static const char *const texts[] = {
	    "", "\n", "{", "[[[[[[[[", "{\"schema\":\"adjudge.case/1\"}", "\xff\xfe", "null", "{}{}"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		LLVMFuzzerTestOneInput((const uint8_t *)texts[i], strlen(texts[i]));
}

int main(int argc, char **argv)
{
	struct paths files = paths_find((const char *const *)argv + 1, argc - 1);
	int ran = 0;

	run_variants();
	for (int i = 0; i < files.n; i++)
		ran += run_file(files.at[i]);
	printf("%d files\n", ran);
	if (files.error || ran != files.n) {
		fprintf(stderr, "cannot read %s\n", files.error ? files.error : "every file");
		return 1;
	}
	paths_free(&files);
	return 0;
}

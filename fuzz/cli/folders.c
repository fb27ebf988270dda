/* folders.c: folders of files that belong to adjudge, wherever it lies. */
#include <string.h>
#include <unistd.h>

#include "commands.h"

enum { EXECUTABLE_TEXT = 4096 };

const char *data_folder(const char *const place[DATA_PLACES], const char *file, struct arena *a)
{
	char exe[EXECUTABLE_TEXT];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	char *slash;

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		slash[1] = '\0';
	for (int k = 0; k < DATA_PLACES; k++) {
		const char *folder = place[k][0] == '/' ? place[k] : arena_printf(a, "%s%s", exe, place[k]);

		if (!access(arena_printf(a, "%s/%s", folder, file), R_OK))
			return folder;
	}
	return NULL;
}

const char *corpus_folder(struct arena *a)
{
	static const char *const places[] = {"../corpus", ADJUDGE_CORPUS_FROM_BIN, ADJUDGE_CORPUS_INSTALLED};

	return data_folder(places, "README.md", a);
}

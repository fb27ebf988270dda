/* progress.c: see progress.h. */
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool progress_overwrites(void)
{
	const char *plain = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && !(plain && *plain) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

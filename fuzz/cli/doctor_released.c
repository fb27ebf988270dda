/* doctor_released.c: the check of `adjudge doctor` about released engines: scripts/engines knows which are ready. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reports/view.h"
#include "doctor.h"

/* One line of scripts/engines --lacks: "NAME: what it lacks". */
static bool say_engine(struct doctor *d, char *line)
{
	char *lacks = strstr(line, ": ");

	line[strcspn(line, "\n")] = '\0';
	if (!lacks)
		return false;
	*lacks = '\0';
	lacks += strlen(": ");
	if (*lacks)
		doctor_say(d, DOCTOR_ABSENT, line,
		    arena_printf(&d->list.arena, "scripts/engines %s%s", line, strstr(lacks, "=DIR") ? "=DIR" : ""),
		    "lacks %s", lacks);
	else
		doctor_say(d, DOCTOR_OK, line, NULL, "ready; scripts/engines %s prints its spec", line);
	return true;
}

void doctor_released(struct doctor *d)
{
	struct arena *a = &d->list.arena;
	const char *folder = doctor_adapter_folder(d),
	           *script = folder ? arena_printf(a, "%s/../../scripts/engines", folder) : NULL;
	FILE *f = NULL;
	char line[512];
	int n = 0;

	if (script && !access(script, X_OK))
		f = popen(arena_printf(a, "%s --lacks 2>/dev/null </dev/null", view_shell_word(script, a)), "r");
	while (f && fgets(line, sizeof line, f))
		n += say_engine(d, line);
	if (f)
		pclose(f);
	if (!n)
		doctor_say(d, DOCTOR_ABSENT, "scripts/engines", "a clone of adjudge's repository on a system with dpkg",
		    "released engines are given by a spec of your own");
}

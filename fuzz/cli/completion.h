/* completion.h: the completion scripts of shells, made from the option tables of the commands. */
#ifndef FUZZ_CLI_COMPLETION_H
#define FUZZ_CLI_COMPLETION_H

#include "options.h"

/* `adjudge COMMAND` prints its branch of a shell's script when this and the name of the shell are all that it is given.
 */
#define COMPLETION_ASK "--complete="

struct completion_shell {
	const char *name;
	/* The script up to the branches; the commands are name[n], each with its summary[n]. */
	void (*begin)(const char *const *name, const char *const *summary, int n);
	/* The branch of one command, from its table. */
	void (*put)(const struct options *o);
	const char *end;
};

/* bash or zsh; NULL for any other name. */
const struct completion_shell *completion_shell_find(const char *name);

#endif

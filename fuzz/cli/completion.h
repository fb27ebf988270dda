/* completion.h: the completion scripts of shells, made from the option tables of the commands. */
#ifndef FUZZ_CLI_COMPLETION_H
#define FUZZ_CLI_COMPLETION_H

#include "options.h"

/* If this and the name of a shell are the only argument, `adjudge COMMAND` prints its branch of that shell's script. */
#define COMPLETION_ASK "--complete="

struct completion_shell {
	const char *name;
	/* Prints the script up to the branches.  The commands are name[n], each with summary[n]. */
	void (*begin)(const char *const *name, const char *const *summary, int n);
	/* Prints the branch of one command, from its table. */
	void (*put)(const struct options *o);
	const char *end;
};

/* bash or zsh; NULL for any other name. */
const struct completion_shell *completion_shell_find(const char *name);

#endif

/* doctor.h: what the parts of `adjudge doctor` share. */
#ifndef FUZZ_CLI_DOCTOR_H
#define FUZZ_CLI_DOCTOR_H

#include "commands.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_ABSENT, /* something optional is missing */
	DOCTOR_BROKEN, /* something that adjudge needs, or that the user named, does not work */
	DOCTOR_STATES
};

struct doctor {
	struct listing list;
	const char *check;     /* the name of the check that runs */
	struct texts *engines; /* given by --engine */
	const char *out;       /* given by --out; NULL: none */
	int count[DOCTOR_STATES];
};

/* Prints one line about an item.  `fix` is the command or advice that helps; NULL: none is needed. */
void doctor_say(struct doctor *d, enum doctor_state state, const char *item, const char *fix, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Says where the adapters are. */
void doctor_adapters(struct doctor *d);
/* The folder of adapters, or NULL where it has none. */
const char *doctor_adapter_folder(struct doctor *d);
/* Opens an engine and has it judge a small case; says the result under `item`. */
void doctor_judge(struct doctor *d, const char *item, const char *spec, const char *fix);

#define CHECK(id, name, meaning) void doctor_##id(struct doctor *d);
#include "doctor_checks.def"
#undef CHECK

#endif

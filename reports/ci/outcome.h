/*
 * outcome.h: what a gate, a campaign or a conformance run found, as one list.  Each format of a CI system is a function
 * of that list, so all formats say the same.  The list has no times: equal runs give equal bytes.
 */
#ifndef REPORTS_CI_OUTCOME_H
#define REPORTS_CI_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/text.h"

enum ci_state {
#define STATE(id, name, level, meaning) CI_##id,
#include "states.def"
#undef STATE
	CI_STATES
};

enum { CI_FINGERPRINT = 32 }; /* room of a fingerprint */

enum ci_level { CI_LEVEL_FAIL, CI_LEVEL_WARN, CI_LEVEL_KNOWN, CI_LEVEL_SKIP, CI_LEVEL_PASS };

extern const char *const ci_state_names[CI_STATES];
extern const char *const ci_state_meanings[CI_STATES];
extern const enum ci_level ci_state_levels[CI_STATES];

/* One check and its result.  A text that does not apply is NULL or "". */
struct ci_outcome {
	enum ci_state state;
	const char *path;      /* the file that it is about: a case, a report or a baseline */
	const char *engine;    /* the text that names the engine */
	const char *signature; /* of the finding */
	const char *verdict;   /* its name */
	const char *message;
	const char *link; /* from the baseline */
	int line;         /* of the file at `path`, counted from 1; 0: the whole file */
};

/* An engine from outside, and the name and version that it gives itself. */
struct ci_engine {
	const char *engine, *version;
};

/* The list.  Set command, shard, root and the arena, and zero the rest. */
struct ci_report {
	struct arena *arena;
	const char *command; /* "gate", "fuzz" or "conform" */
	const char *shard;   /* "2/4", or NULL */
	const char *root;    /* directory to which paths below it are made relative, or NULL */
	int n, room;
	struct ci_outcome *at;
	int count[CI_STATES];
	int n_engine, engine_room;
	struct ci_engine *engine;
	int n_total, total_room;
	const char **total; /* lines for people about the whole run: one for each engine, then the sum */
	int exit_code;
};

/*
 * Appends an outcome.  The list keeps copies of the texts.  They are one line of valid UTF-8 each, of limited length,
 * without control characters.  So a format escapes only the characters that mean something in it.
 */
void ci_add(struct ci_report *r, struct ci_outcome x);
/* Says which name and version the engine gives itself.  "" or an engine that has one already: nothing happens. */
void ci_add_engine(struct ci_report *r, const char *engine, const char *version);
/* That name and version; "" if it is not known. */
const char *ci_version(const struct ci_report *r, const char *engine);
/* "ENGINE (NAME VERSION)", or the engine alone.  In the arena of the list. */
const char *ci_engine_text(const struct ci_report *r, const char *engine);
/* Appends a line about the whole run; its newline is dropped. */
void ci_add_total(struct ci_report *r, const char *line);
/* How many outcomes fail. */
int ci_failures(const struct ci_report *r);
/* The outcome as a line for people, with a newline; "" for one that nobody needs to see.  In the arena. */
const char *ci_line(const struct ci_outcome *x, struct arena *a);
/* A number for who this finding is: the same in each run, and different for each outcome of a list. */
void ci_fingerprint(const struct ci_report *r, int k, char out[CI_FINGERPRINT]);
/* The path with the line, as compilers write it: "known.json:5". */
const char *ci_place(const char *path, const struct ci_outcome *x, struct arena *a);
/* The path as services know it: relative to the root, without "./" at its start. */
const char *ci_path(const struct ci_report *r, const struct ci_outcome *x);

/* Writes the list in one format; NUL-terminated, in the arena of the list. */
typedef void ci_write_fn(const struct ci_report *r, struct text *out);

struct ci_format {
	const char *name;
	ci_write_fn *write;
	bool printed; /* by --format; the others are files */
};

/* The formats; the last one has no name. */
extern const struct ci_format ci_formats[];
/* The format of that name, or NULL. */
const struct ci_format *ci_format_find(const char *name);
/* The whole list in that format. */
struct text ci_write(const struct ci_report *r, const char *format);

#define FORMAT(name, writer, printed) ci_write_fn writer;
#include "formats.def"
#undef FORMAT

#endif

/* gate_defects.h: which defects of a folder's defects.jsonl an engine still has. */
#ifndef FUZZ_CLI_GATE_DEFECTS_H
#define FUZZ_CLI_GATE_DEFECTS_H

#include "graph/json.h"
#include "options.h"
#include "reports/ci/outcome.h"

enum defect_state { DEFECT_THERE, DEFECT_EXCUSED, DEFECT_RIGHT, DEFECT_OPEN, DEFECT_STATES };
extern const char *const defect_state_names[DEFECT_STATES];

/* A defect, as one engine under test has it. */
struct defect_here {
	const char *engine, *version; /* what the user calls it, and the version that it says */
	const char *program, *faulty; /* from the list: the program, and the faulty versions */
	const char *files;            /* its cases */
	enum defect_state state;
};

struct defects_here {
	int n, room;
	struct defect_here *at; /* by engine, then by state */
};

/*
 * Reads DIR/defects.jsonl and DIR/engines.jsonl of each root that is a folder with both.  It compares the defects of
 * each engine from outside with the outcomes in r.  A defect is there if a case of it fails, or is inaccurate where
 * the list says so.  It is excused if a case of it counts as a convention, right if the engine is right in all of its
 * cases, and open otherwise.  Lists that cannot be read are complained about, and left out.  So is an engine that does
 * not start any more.
 */
struct defects_here gate_defects(
    const char *const *root, int n_root, const struct texts *specs, const struct ci_report *r, struct arena *a);
/* One line for people. */
const char *gate_defect_line(const struct defect_here *d, struct arena *a);
void gate_defect_put(const struct defect_here *d, struct json_writer *w);

#endif

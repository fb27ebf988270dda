/* bench.h: a bench of engines and an oracle: one case in, judgements out.  Used by run, gate, fuzz and minimize alike. */
#ifndef FUZZ_BENCH_H
#define FUZZ_BENCH_H

#include "../engines/engine.h"
#include "../oracles/verdict.h"

enum { BENCH_ENGINES = 64 };

struct bench {
	int n_engine;
	struct engine *engine[BENCH_ENGINES]; /* owned */
	struct oracle *oracle;                /* owned */
	double engine_seconds;
};

/* Everything said about one case; lives in the arena. */
struct bench_result {
	struct truth truth;
	struct answer *answer[BENCH_ENGINES]; /* [n_point] each */
	struct judgement judgement[BENCH_ENGINES];
	bool oracle_disagreement;
};

/* Opens every spec; false with a message that names the bad one. */
bool bench_open(struct bench *b, const char *const *spec, int n_spec, const struct oracle_options *o, struct error *e);
void bench_close(struct bench *b);
/*
 * Truth once, then every engine.  When a judgement is a finding, both oracles are confirmed coordinate by coordinate, the engine
 * is asked again (nondeterminism) and judged anew.
 */
void bench_judge(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out);

#endif

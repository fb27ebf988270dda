/*
 * record.h: everything that a campaign learns from one draw, as plain data.
 *
 * The process that judges a case fills a record.  The process that owns the campaign counts it (counts.h) and hands its
 * findings to triage.  With --jobs these are two processes, and a record is packed into bytes between them.
 */
#ifndef FUZZ_CAMPAIGN_COUNTING_RECORD_H
#define FUZZ_CAMPAIGN_COUNTING_RECORD_H

#include "coverage.h"
#include "fuzz/bench/account.h"
#include "fuzz/triage/triage.h"
#include "fuzz/bench/twin.h"

/* Strata in the order of struct strata (generate.h). */
enum stratum {
	LOOP,
	COND,
	SCATTER_OR_SLICE,
	EDGE_POINT,
	LOW_PRECISION,
	JVP,
	VJP,
	STRICT_SUBSET,
	NESTED,
	SOLUTION,
	HIGHER_ORDER,
	BATCH,
	STRATUM_COUNT
};

enum outcome { OUTCOME_DECIDED, OUTCOME_UNDECIDED, OUTCOME_UNSUPPORTED };

/* What one engine contributes to a record. */
struct engine_record {
	struct account_fact account;
	bool supported;                /* the engine was judged */
	int decided;                   /* components */
	int undecided[REASON_COUNT];   /* components */
	struct engine_trouble trouble; /* of its processes since the record before */
	double waited;                 /* seconds spent waiting for it since then */
};

/* A counter of features that reached a class that this process had not seen. */
struct feature {
	uint16_t index;
	uint8_t class; /* one bit (counter_class) */
};

struct spent_seconds {
	double generate, analytic, fd, cross;
};

/* A finding of one engine in the case or one of its twins; at most two of each engine in each of these. */
struct case_finding {
	int which, point;
	const char *signature; /* coarse */
	struct evidence evidence;
	bool of_twin; /* the case is a twin of that kind of the record's case */
	enum twin twin;
	bool incident; /* a request ended badly, and no case of it shows that alone (triage_record_incident) */
};

/* Texts and lists belong to whoever filled or unpacked the record. */
struct case_record {
	int64_t draw;      /* from 0; the seed and this number give the case, if the driver draws independent cases */
	bool drawn;        /* there was a case: it counts */
	bool skipped;      /* there was no memory for it; only `draw` and `drawn` mean anything */
	bool disagreement; /* of the oracles, about the case */
	unsigned twin_disagreements; /* the same about twins: a set, 1 << kind */
	bool parent;                 /* a mutating driver may use it as a start (case_is_parent) */
	enum outcome outcome;
	enum reason reason;
	unsigned strata, dtypes; /* sets: bit 1 << stratum, 1 << dtype of a result */
	int ops;
	struct teeth teeth;               /* of the truth, whatever engines answer */
	struct twin_tally twins;          /* what its twins say */
	struct twin_components component; /* only for the process that judges; not packed */
	struct oracle_statistics oracle;  /* the work of this case and its twins; its seconds are in `seconds` */
	struct spent_seconds seconds;     /* since the record before */
	int n_engine, n_feature, n_finding;
	struct engine_record *engine; /* [n_engine] */
	struct feature *feature;      /* [n_feature] */
	struct case_finding *finding; /* [n_finding] */
	const char *text; /* [len], then a zero: the case as compact JSON, where its owner needs it; else NULL */
	size_t len;
};

/* Appends the record as bytes, for another process of the same executable. */
void record_pack(const struct case_record *record, struct text *to);
/* The record in bytes[len] from record_pack; its texts point into them, its lists are in the arena. */
struct case_record record_unpack(const char *bytes, size_t len, struct arena *a);

#endif

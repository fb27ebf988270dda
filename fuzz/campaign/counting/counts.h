/* counts.h: the counters of a campaign.  They are sums over records, so it does not matter which process judged. */
#ifndef FUZZ_CAMPAIGN_COUNTING_COUNTS_H
#define FUZZ_CAMPAIGN_COUNTING_COUNTS_H

#include "graph/json.h"
#include "record.h"

struct tally {
	int64_t cases, decided, undecided;
	int64_t with_teeth; /* decided cases in which a component has teeth (teeth.h) */
	/* Other cases with teeth in a twin of their own dtype; and those with teeth in a wide twin alone. */
	int64_t twin, wide;
};

/* Initialise to zero. */
struct counts {
#define COUNT(name, meaning) int64_t name;
#include "counts.def"
#undef COUNT
	struct tally all, stratum[STRATUM_COUNT], dtype[DTYPE_COUNT];
	struct teeth teeth; /* components; each case counts once, for all engines */
	struct twin_tally twins;
	int64_t undecided[REASON_COUNT], components_undecided[REASON_COUNT];
	int64_t ops[LIMIT_NODES + 1]; /* cases with that many ops */
	struct account account[BENCH_ENGINES];
	uint8_t seen[FEATURE_BYTES]; /* classes of each counter that some case reached */
	struct spent_seconds seconds;
	double waited[BENCH_ENGINES]; /* seconds, for each engine */
};

/* The classes into which libFuzzer divides a counter: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128+; one bit. */
uint8_t counter_class(uint8_t counter);
/* Counts a record.  Returns how many of its features no record before had. */
int counts_add(struct counts *self, const struct case_record *record);

/* Adds the counters of another campaign.  engine[n_engine]: the index here of each of its engines. */
void counts_join(struct counts *self, const struct counts *other, const int *engine, int n_engine);

/* Writes the counters as members of the open JSON object; counts_read reads them again. */
void counts_put(const struct counts *self, int n_engine, struct json_writer *w);
/* Reads what counts_put wrote.  False with an error that names the place. */
bool counts_read(const struct json *object, int n_engine, struct counts *out, struct error *e) MUST_CHECK;

#endif

/* counts.c: see counts.h. */
#include "counts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- counting ---- */

uint8_t counter_class(uint8_t counter)
{
	static const uint8_t above[] = {1, 2, 3, 7, 15, 31, 127, 255};
	unsigned k = 0;

	while (counter > above[k])
		k++;
	return (uint8_t)(1u << k);
}

static int count_features(struct counts *self, const struct case_record *record)
{
	int fresh = 0;

	for (int k = 0; k < record->n_feature; k++) {
		uint8_t *seen = &self->seen[record->feature[k].index];

		fresh += (record->feature[k].class & ~*seen) != 0;
		*seen = (uint8_t)(*seen | record->feature[k].class);
	}
	self->features += fresh;
	return fresh;
}

static void count_tally(struct tally *t, bool is_in, const struct case_record *r)
{
	if (!is_in)
		return;
	t->cases++;
	t->decided += r->outcome == OUTCOME_DECIDED;
	t->undecided += r->outcome == OUTCOME_UNDECIDED;
	t->with_teeth += r->outcome == OUTCOME_DECIDED && teeth_any(&r->teeth);
	t->twin += r->twins.gained;
	t->wide += r->twins.gained_wide;
}

static void count_engine(struct counts *self, int which, const struct engine_record *r)
{
	struct account *account = &self->account[which];

	account_count(account, &r->account);
	account->trouble = account_trouble_sum(account->trouble, r->trouble);
	self->waited[which] += r->waited;
	if (!r->supported)
		return;
	self->components_decided += r->decided;
	for (int k = 0; k < REASON_COUNT; k++)
		self->components_undecided[k] += r->undecided[k];
}

static void count_work(struct counts *self, const struct case_record *record)
{
	self->work += record->oracle.work;
	self->truths += record->oracle.truths;
	self->fd_runs += record->oracle.fd_runs;
	self->fd_escalations += record->oracle.fd_escalations;
	self->fd_disagreements += record->oracle.fd_disagreements;
	self->seconds.generate += record->seconds.generate;
	self->seconds.analytic += record->seconds.analytic;
	self->seconds.fd += record->seconds.fd;
	self->seconds.cross += record->seconds.cross;
}

static void count_teeth(struct teeth *to, const struct teeth *from)
{
	for (int d = 0; d < DTYPE_COUNT; d++)
		teeth_add(&to->of[d], &from->of[d]);
}

int counts_add(struct counts *self, const struct case_record *record)
{
	self->draws++;
	self->cases += record->drawn;
	self->skipped += record->skipped;
	if (record->skipped || !record->drawn)
		return 0;
	count_work(self, record);
	count_teeth(&self->teeth, &record->teeth);
	twin_tally_add(&self->twins, &record->twins);
	count_tally(&self->all, true, record);
	if (record->outcome == OUTCOME_UNDECIDED)
		self->undecided[record->reason]++;
	for (int k = 0; k < STRATUM_COUNT; k++)
		count_tally(&self->stratum[k], record->strata >> k & 1, record);
	for (int k = 0; k < DTYPE_COUNT; k++)
		count_tally(&self->dtype[k], record->dtypes >> k & 1, record);
	self->ops[record->ops < LIMIT_NODES ? record->ops : LIMIT_NODES]++;
	for (int k = 0; k < record->n_engine; k++)
		count_engine(self, k, &record->engine[k]);
	self->oracle_disagreements += record->disagreement;
	for (unsigned set = record->twin_disagreements; set; set &= set - 1)
		self->oracle_disagreements++;
	return count_features(self, record);
}

/* ---- joining ---- */

static const struct counter {
	const char *name;
	size_t offset;
} counters[] = {
#define COUNT(name, meaning) {#name, offsetof(struct counts, name)},
#include "counts.def"
#undef COUNT
};

enum { COUNTERS = sizeof counters / sizeof *counters };

static void join_numbers(int64_t *to, const int64_t *from, int n)
{
	for (int k = 0; k < n; k++)
		to[k] += from[k];
}

static void join_tally(struct tally *to, const struct tally *from)
{
	to->cases += from->cases;
	to->decided += from->decided;
	to->undecided += from->undecided;
	to->with_teeth += from->with_teeth;
	to->twin += from->twin;
	to->wide += from->wide;
}

static void join_seconds(struct spent_seconds *to, const struct spent_seconds *from)
{
	to->generate += from->generate;
	to->analytic += from->analytic;
	to->fd += from->fd;
	to->cross += from->cross;
}

/* A feature counts once, in whichever campaign it was seen. */
static void join_features(struct counts *self, const struct counts *other)
{
	self->features = 0;
	for (int k = 0; k < FEATURE_BYTES; k++) {
		self->seen[k] = (uint8_t)(self->seen[k] | other->seen[k]);
		for (unsigned bits = self->seen[k]; bits; bits &= bits - 1)
			self->features++;
	}
}

void counts_join(struct counts *self, const struct counts *other, const int *engine, int n_engine)
{
	for (int k = 0; k < COUNTERS; k++) {
		int64_t left, right;

		memcpy(&left, (const char *)self + counters[k].offset, sizeof left);
		memcpy(&right, (const char *)other + counters[k].offset, sizeof right);
		left += right;
		memcpy((char *)self + counters[k].offset, &left, sizeof left);
	}
	join_tally(&self->all, &other->all);
	for (int k = 0; k < STRATUM_COUNT; k++)
		join_tally(&self->stratum[k], &other->stratum[k]);
	for (int k = 0; k < DTYPE_COUNT; k++)
		join_tally(&self->dtype[k], &other->dtype[k]);
	count_teeth(&self->teeth, &other->teeth);
	twin_tally_add(&self->twins, &other->twins);
	join_numbers(self->undecided, other->undecided, REASON_COUNT);
	join_numbers(self->components_undecided, other->components_undecided, REASON_COUNT);
	join_numbers(self->ops, other->ops, LIMIT_NODES + 1);
	join_seconds(&self->seconds, &other->seconds);
	join_features(self, other);
	for (int k = 0; k < n_engine; k++) {
		account_join(&self->account[engine[k]], &other->account[k]);
		self->waited[engine[k]] += other->waited[k];
	}
}

/* ---- saving ---- */

/* Writes the elements that are not zero: index and number by turns. */
static void put_sparse(struct json_writer *w, const char *key, const int64_t *number, int n)
{
	json_member_array(w, key, JSON_FLOW);
	for (int k = 0; k < n; k++)
		if (number[k]) {
			json_put_integer(w, k);
			json_put_integer(w, number[k]);
		}
	json_end(w);
}

/* Numbers from 0 to `most`. */
static bool read_sparse(
    const struct json *object, const char *key, int64_t *number, int n, int64_t most, struct error *e)
{
	const struct json *list;

	if (!json_required(object, key, JSON_ARRAY, &list, e))
		return false;
	for (const struct json *v = list->child; v; v = v->next->next) {
		int k;

		if (!v->next)
			return json_error(v, e, "an index without its number");
		if (!json_int(v, 0, n - 1, &k, e) || !json_integer(v->next, 0, most, &number[k], e))
			return false;
	}
	return true;
}

/* All tallies: in one list of numbers, as many for each as it has members. */
enum { TALLIES = 1 + STRATUM_COUNT + DTYPE_COUNT, TALLY_NUMBERS = sizeof(struct tally) / sizeof(int64_t) };

static void put_tallies(struct json_writer *w, const struct counts *self)
{
	struct tally all[TALLIES];

	all[0] = self->all;
	memcpy(all + 1, self->stratum, sizeof self->stratum);
	memcpy(all + 1 + STRATUM_COUNT, self->dtype, sizeof self->dtype);
	put_sparse(w, "tallies", &all->cases, TALLIES * TALLY_NUMBERS);
}

static bool read_tallies(const struct json *object, struct counts *out, struct error *e)
{
	struct tally all[TALLIES] = {0};

	if (!read_sparse(object, "tallies", &all->cases, TALLIES * TALLY_NUMBERS, JSON_EXACT, e))
		return false;
	out->all = all[0];
	memcpy(out->stratum, all + 1, sizeof out->stratum);
	memcpy(out->dtype, all + 1 + STRATUM_COUNT, sizeof out->dtype);
	return true;
}

static void put_features(struct json_writer *w, const struct counts *self)
{
	int64_t seen[FEATURE_BYTES];

	for (int k = 0; k < FEATURE_BYTES; k++)
		seen[k] = self->seen[k];
	put_sparse(w, "seen", seen, FEATURE_BYTES);
}

static bool read_features(const struct json *object, struct counts *out, struct error *e)
{
	int64_t seen[FEATURE_BYTES] = {0};

	if (!read_sparse(object, "seen", seen, FEATURE_BYTES, UINT8_MAX, e))
		return false;
	for (int k = 0; k < FEATURE_BYTES; k++)
		out->seen[k] = (uint8_t)seen[k];
	return true;
}

static const struct {
	const char *name;
	size_t offset;
} seconds[] = {{"generate", offsetof(struct spent_seconds, generate)},
    {"analytic", offsetof(struct spent_seconds, analytic)}, {"fd", offsetof(struct spent_seconds, fd)},
    {"cross", offsetof(struct spent_seconds, cross)}};

enum { SECONDS = sizeof seconds / sizeof *seconds, MICRO = 1000000 };

/* Seconds are kept in microseconds. */
static int64_t to_micro(double x) { return llround(x * MICRO); }

static void put_seconds(struct json_writer *w, const struct counts *self, int n_engine)
{
	int64_t waited[BENCH_ENGINES];

	json_member_object(w, "microseconds", JSON_FLOW);
	for (int k = 0; k < SECONDS; k++) {
		double x;

		memcpy(&x, (const char *)&self->seconds + seconds[k].offset, sizeof x);
		json_member_integer(w, seconds[k].name, to_micro(x));
	}
	for (int k = 0; k < n_engine; k++)
		waited[k] = to_micro(self->waited[k]);
	put_sparse(w, "waited", waited, n_engine);
	json_end(w);
}

static bool read_seconds(const struct json *object, int n_engine, struct counts *out, struct error *e)
{
	int64_t waited[BENCH_ENGINES] = {0};

	if (!json_required(object, "microseconds", JSON_OBJECT, &object, e))
		return false;
	for (int k = 0; k < SECONDS; k++) {
		int64_t n;
		double x;

		if (!json_count(object, seconds[k].name, &n, e))
			return false;
		x = (double)n / MICRO;
		memcpy((char *)&out->seconds + seconds[k].offset, &x, sizeof x);
	}
	if (!read_sparse(object, "waited", waited, n_engine, JSON_EXACT, e))
		return false;
	for (int k = 0; k < n_engine; k++)
		out->waited[k] = (double)waited[k] / MICRO;
	return true;
}

void counts_put(const struct counts *self, int n_engine, struct json_writer *w)
{
	for (int k = 0; k < COUNTERS; k++) {
		int64_t number;

		memcpy(&number, (const char *)self + counters[k].offset, sizeof number);
		json_member_integer(w, counters[k].name, number);
	}
	put_tallies(w, self);
	put_sparse(w, "teeth", &self->teeth.of->components, DTYPE_COUNT * TEETH_NUMBERS);
	put_sparse(w, "twins", &self->twins.cases, TWIN_NUMBERS);
	put_sparse(w, "undecided", self->undecided, REASON_COUNT);
	put_sparse(w, "components_undecided", self->components_undecided, REASON_COUNT);
	put_sparse(w, "ops", self->ops, LIMIT_NODES + 1);
	put_features(w, self);
	put_seconds(w, self, n_engine);
	json_member_array(w, "accounts", JSON_BLOCK);
	for (int k = 0; k < n_engine; k++) {
		json_begin_object(w, JSON_FLOW);
		account_save(&self->account[k], w);
		json_end(w);
	}
	json_end(w);
}

static bool read_accounts(const struct json *object, int n_engine, struct counts *out, struct error *e)
{
	const struct json *list;
	int n = 0;

	if (!json_required(object, "accounts", JSON_ARRAY, &list, e))
		return false;
	if (list->n_child != n_engine)
		return json_error(list, e, "%d accounts for %d engines", list->n_child, n_engine);
	for (const struct json *v = list->child; v; v = v->next)
		if (!json_is(v, JSON_OBJECT, e) || !account_load(&out->account[n++], v, e))
			return false;
	return true;
}

bool counts_read(const struct json *object, int n_engine, struct counts *out, struct error *e)
{
	*out = (struct counts){0};
	for (int k = 0; k < COUNTERS; k++) {
		int64_t number;

		if (!json_count(object, counters[k].name, &number, e))
			return false;
		memcpy((char *)out + counters[k].offset, &number, sizeof number);
	}
	return read_tallies(object, out, e) &&
	    read_sparse(object, "teeth", &out->teeth.of->components, DTYPE_COUNT * TEETH_NUMBERS, JSON_EXACT, e) &&
	    read_sparse(object, "twins", &out->twins.cases, TWIN_NUMBERS, JSON_EXACT, e) &&
	    read_sparse(object, "undecided", out->undecided, REASON_COUNT, JSON_EXACT, e) &&
	    read_sparse(object, "components_undecided", out->components_undecided, REASON_COUNT, JSON_EXACT, e) &&
	    read_sparse(object, "ops", out->ops, LIMIT_NODES + 1, JSON_EXACT, e) && read_features(object, out, e) &&
	    read_seconds(object, n_engine, out, e) && read_accounts(object, n_engine, out, e);
}

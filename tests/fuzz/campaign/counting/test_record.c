/* A record that was packed and unpacked is the same record, whatever lies behind its bytes; more bytes are refused. */
#include "fuzz/campaign/counting/record.h"

#include <string.h>

#include "tests/check.h"

enum { ARENA = 64 << 20, MOST = 3 };

/* A record with so many engines, features and findings. */
static struct case_record make(int n_engine, int n_feature, int n_finding, bool text, struct arena *a)
{
	struct case_record r = {.draw = (INT64_C(7) << 40) + 11,
	    .drawn = true,
	    .parent = true,
	    .outcome = OUTCOME_UNDECIDED,
	    .reason = (enum reason)1,
	    .strata = 5,
	    .dtypes = 9,
	    .ops = 12,
	    .teeth.of[DTYPE_F32] = {.components = 9, .with_teeth = 7, .blind[PLANT_NAN] = 2},
	    .seconds = {.generate = 0.25, .fd = 3},
	    .n_engine = n_engine,
	    .n_feature = n_feature,
	    .n_finding = n_finding,
	    .engine = NEW(a, struct engine_record, MOST),
	    .feature = NEW(a, struct feature, MOST),
	    .finding = NEW(a, struct case_finding, MOST)};

	for (int k = 0; k < n_engine; k++) {
		r.engine[k].decided = 100 + k;
		r.engine[k].waited = 0.5 * k;
		strcpy(r.engine[k].account.cause, "no such op");
	}
	for (int k = 0; k < n_feature; k++)
		r.feature[k] = (struct feature){(uint16_t)(k * 1000), (uint8_t)(1 << k)};
	for (int k = 0; k < n_finding; k++) {
		const char *report = arena_printf(a, "{\"report\": %d}", k);

		r.finding[k] = (struct case_finding){.which = k,
		    .point = 2 * k,
		    .incident = k == 1,
		    .signature = arena_printf(a, "engine%.*s|vjp|mul", k, "xyz"),
		    .evidence = {.report = report, .len = strlen(report), .by_chance = k == 2}};
	}
	if (text) {
		r.text = "{\"case\": 1}";
		r.len = strlen(r.text);
	}
	return r;
}

static void check_lists(const struct case_record *x, const struct case_record *y)
{
	for (int k = 0; k < x->n_engine; k++)
		CHECK(x->engine[k].decided == y->engine[k].decided && x->engine[k].waited == y->engine[k].waited &&
		        !strcmp(x->engine[k].account.cause, y->engine[k].account.cause),
		    "engine %d", k);
	for (int k = 0; k < x->n_feature; k++)
		CHECK(x->feature[k].index == y->feature[k].index && x->feature[k].class == y->feature[k].class,
		    "feature %d", k);
	for (int k = 0; k < x->n_finding; k++) {
		const struct case_finding *f = &x->finding[k], *g = &y->finding[k];

		CHECK(f->which == g->which && f->point == g->point && f->incident == g->incident &&
		        f->evidence.by_chance == g->evidence.by_chance && !strcmp(f->signature, g->signature),
		    "finding %d: %s, %s", k, f->signature, g->signature);
		CHECK(f->evidence.len == g->evidence.len &&
		        !memcmp(f->evidence.report, g->evidence.report, f->evidence.len),
		    "evidence %d", k);
	}
}

static void check_same(const struct case_record *x, const struct case_record *y)
{
	CHECK(x->draw == y->draw && x->drawn == y->drawn && x->skipped == y->skipped && x->parent == y->parent &&
	        x->outcome == y->outcome && x->reason == y->reason && x->strata == y->strata &&
	        x->dtypes == y->dtypes && x->ops == y->ops && x->seconds.fd == y->seconds.fd,
	    "draw %lld", (long long)y->draw);
	CHECK(x->teeth.of[DTYPE_F32].components == 9 && x->teeth.of[DTYPE_F32].with_teeth == 7 &&
	        x->teeth.of[DTYPE_F32].blind[PLANT_NAN] == 2 && !x->teeth.of[DTYPE_F64].components,
	    "teeth");
	CHECK(x->n_engine == y->n_engine && x->n_feature == y->n_feature && x->n_finding == y->n_finding, "%d %d %d",
	    y->n_engine, y->n_feature, y->n_finding);
	CHECK(!x->text == !y->text && x->len == y->len && (!x->text || !strcmp(x->text, y->text)), "text");
	check_lists(x, y);
}

static void check_one(int n_engine, int n_feature, int n_finding, bool text)
{
	struct arena a;
	struct text to = {.arena = &a};
	struct case_record record, again;
	char *odd;

	arena_init(&a, ARENA);
	record = make(n_engine, n_feature, n_finding, text, &a);
	record_pack(&record, &to);
	odd = memset(NEW(&a, char, to.len + 9), 'x', to.len + 9);
	memcpy(odd + 1, to.at, to.len); /* where it lies does not matter */
	again = record_unpack(odd + 1, to.len, &a);
	check_same(&again, &record);
	CHECK(record_unpack(odd + 1, to.len + 1, &a).skipped, "a byte too many");
	arena_free(&a);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	for (int k = 0; k <= MOST * MOST * MOST; k++) {
		CHECK_LAW(check_one(k % (MOST + 1), k / 2 % (MOST + 1), k / 3 % (MOST + 1), k % 2));
	}
	return check_done();
}

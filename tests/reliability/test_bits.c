/*
 * Every bit of a number arrives: random bit patterns of f64, f32, bf16 and f16, with zeros of both signs, subnormal
 * numbers, infinities and NaNs among them.  They go through a case as JSON, an engine in another process, and a report.
 *
 * A NaN arrives as a NaN: the formats have one text for all of them, so its sign and payload are not kept.
 *
 * BITS_CASES: how many cases are tried, of 4,096 numbers each.  This executable is its own engine: `worker --engine
 * SPEC`.
 */
#include "fuzz/bench/bench.h"
#include "graph/json.h"
#include "graph/random.h"
#include "graph/text.h"
#include "reports/report.h"
#include "tests/check.h"
#include "tests/support/bits.h"
#include "tests/support/case_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 25, POINTS = 16, DTYPES = 4, ELEMENTS = 64, SPEC = 4200 };
static const enum dtype dtypes[DTYPES] = {DTYPE_F64, DTYPE_F32, DTYPE_BF16, DTYPE_F16};
enum { KINDS = 5 };
static long met[KINDS]; /* zeros, subnormal numbers, infinities, NaNs, others */

static void note(double x, enum dtype d)
{
	met[isnan(x) ? 3 : isinf(x) ? 2 : x == 0 ? 0 : fabs(x) < dtype_table[d].normal ? 1 : 4]++;
}

/* Any bits; one number in four has the smallest or the largest exponent, or is a zero. */
static double draw(enum dtype d, uint64_t *state)
{
	static const int sign[DTYPE_COUNT] = {[DTYPE_F64] = 63, [DTYPE_F32] = 31, [DTYPE_BF16] = 15, [DTYPE_F16] = 15};
	static const int low[DTYPE_COUNT] = {[DTYPE_F64] = 52, [DTYPE_F32] = 23, [DTYPE_BF16] = 7, [DTYPE_F16] = 10};
	const uint64_t top = UINT64_C(1) << sign[d], exponent = top - (UINT64_C(1) << low[d]);
	uint64_t bits = random_next(state);

	switch (random_next(state) % 16) {
	case 0:
		bits &= ~exponent;
		break;
	case 1:
		bits |= exponent;
		break;
	case 2:
		bits = (bits & top) | exponent;
		break;
	case 3:
		bits &= top;
		break;
	default:
		break;
	}
	return number_of_bits(d, bits);
}

/* A program that returns its inputs, at points of such numbers. */
static struct testcase drawn_case(struct arena *a, uint64_t *state)
{
	struct text list = {.arena = a};
	struct testcase c;
	const char *zeros;

	for (int i = 0; i < ELEMENTS; i++)
		text_put(&list, "%s0", i ? "," : "[");
	text_put(&list, "]");
	zeros = list.at;
	c = test_case_json(a,
	    arena_printf(a,
	        "{'schema':'adjudge.case/1','inputs':['a: f64[64]','b: f32[64]','c: bf16[64]','d: f16[64]'],'body':[],"
	        "'results':['a','b','c','d'],'points':[[%s,%s,%s,%s]],'request':[]}",
	        zeros, zeros, zeros, zeros));

	c.n_point = POINTS;
	c.point = NEW(a, struct tensor *, POINTS);
	for (int k = 0; k < POINTS; k++) {
		c.point[k] = NEW(a, struct tensor, DTYPES);
		for (int d = 0; d < DTYPES; d++) {
			c.point[k][d] = tensor_new(a, &c.program.type[d]);
			for (int i = 0; i < ELEMENTS; i++) {
				c.point[k][d].at[i].f = draw(dtypes[d], state);
				note(c.point[k][d].at[i].f, dtypes[d]);
			}
		}
	}
	return c;
}

/* Checks numbers of point k of dtype d, which came by that way. */
static void check_numbers(const char *way, const struct testcase *c, int k, int d, const double *got)
{
	for (int i = 0; i < ELEMENTS; i++)
		CHECK(same_number(got[i], c->point[k][d].at[i].f), "%s: %a in %s arrives as %a", way,
		    c->point[k][d].at[i].f, dtype_table[dtypes[d]].name, got[i]);
}

static void check_tensor(const char *way, const struct testcase *c, int k, int d, const struct tensor *t)
{
	double got[ELEMENTS];

	CHECK(type_equal(&t->type, &c->program.type[d]), "%s: another type", way);
	if (!type_equal(&t->type, &c->program.type[d]))
		return;
	for (int i = 0; i < ELEMENTS; i++)
		got[i] = t->at[i].f;
	check_numbers(way, c, k, d, got);
}

static void check_case_text(const struct testcase *c, const char *text, size_t len, struct arena *a, const char *way)
{
	struct error e = {0};
	struct testcase back;

	CHECK(testcase_read(text, len, a, &back, &e), "%s: %s: %s", way, e.place, e.text);
	for (int k = 0; k < POINTS && !*e.text; k++)
		for (int d = 0; d < DTYPES; d++)
			check_tensor(way, c, k, d, &back.point[k][d]);
}

/* Member key of an object, or element i of an array where key is NULL; NULL if there is none. */
static const struct json *child(const struct json *v, const char *key, int i)
{
	const struct json *at = v && !key ? v->child : NULL;

	while (at && i-- > 0)
		at = at->next;
	return v && key ? json_find(v, key) : at;
}

static void check_report(const struct testcase *c, const char *text, size_t len, struct arena *a)
{
	struct error e = {0};
	const struct json *points = child(json_read(text, len, a, &e), "points", 0);

	check_case_text(c, text, len, a, "the case of a report");
	for (int k = 0; k < POINTS; k++)
		for (int d = 0; d < DTYPES; d++) {
			const struct json *primal = child(child(child(points, NULL, k), "primal", 0), NULL, d);
			double got[ELEMENTS] = {0};

			for (int i = 0; i < ELEMENTS; i++) {
				const struct json *x = child(
				    child(child(primal, "elements", 0), NULL, i), "returned", 0);

				CHECK(x && x->kind == JSON_STRING && real_parse(x->text, &got[i]),
				    "a report without returned number %d", i);
			}
			check_numbers("a report", c, k, d, got);
		}
}

static void check_one(struct bench *b, struct arena *a, uint64_t *state)
{
	const struct testcase c = drawn_case(a, state);
	struct bench_result r;
	struct report report = {.signature = "bits", .engine = "tape", .engine_version = "", .c = &c};
	size_t len;
	char *text;

	text = testcase_write(&c, a, &len);
	check_case_text(&c, text, len, a, "a case");
	text = testcase_write_compact(&c, a, &len);
	check_case_text(&c, text, len, a, "a case on one line");
	bench_judge(b, &c, a, &r);
	for (int k = 0; k < POINTS; k++) {
		CHECK(r.answer[0][k].status == ANSWER_OK && r.answer[0][k].n_primal == DTYPES, "no answer: %s",
		    r.answer[0][k].text);
		for (int d = 0; d < r.answer[0][k].n_primal; d++)
			check_tensor("the answer of a process", &c, k, d, &r.answer[0][k].primal[d]);
	}
	report.truth = &r.truth;
	report.answers = r.answer[0];
	report.judgement = &r.judgement[0];
	text = report_write(&report, a, &len);
	check_report(&c, text, len, a);
}

int main(int argc, char **argv)
{
	const struct oracle_options oracle = {.fd_one_in = 1000000};
	const char *text = getenv("BITS_CASES");
	const long cases = text ? atol(text) : CASES;
	uint64_t state = 0x2545f4914f6cdd1du;
	struct error e = {0};
	struct arena a;
	struct bench b;
	char spec[SPEC];
	const char *const specs[] = {spec};

	if (argc == 4 && !strcmp(argv[1], "worker"))
		return strcmp(argv[2], "--engine") ? engine_worker_exec(argv[3]) : engine_worker(argv[3]);
	check_begin(argc, argv);
	snprintf(spec, sizeof spec, "proc:exec '%s' worker --engine tape", argv[0]);
	arena_init(&a, CASE_ARENA);
	if (!bench_open(&b, specs, 1, &oracle, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	for (long k = 0; k < cases; k++) {
		arena_reset(&a);
		check_one(&b, &a, &state);
	}
	for (int k = 0; k < KINDS; k++)
		CHECK(met[k] > cases, "%ld numbers of kind %d are too few", met[k], k);
	printf("%ld zeros, %ld subnormal numbers, %ld infinities, %ld NaNs, %ld others\n", met[0], met[1], met[2],
	    met[3], met[4]);
	bench_close(&b);
	arena_free(&a);
	return check_done();
}

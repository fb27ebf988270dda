/*
 * The text form of cases: what may be left out, what is refused and where, and that print, read, print gives the
 * same.
 */
#include "case_text.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/generate/choice.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"

/* Two texts of one case. */
static const struct {
	const char *name, *brief, *full;
} pairs[] = {
    {"types and names are inferred", "inputs x: f64[], y: f64[]\nz = mul x, y\nreturn z\npoint 1, 2\n",
        "inputs v0: f64[], v1: f64[]\n"
        "v2: f64[] = mul v0, v1\n"
        "return v2\n"
        "point 0: v0 = 1, v1 = 2\n"
        "request: the primal alone\n"},
    {"a number as an operand", "inputs x: f64[]; y = sub 2, x; z = pow y, -0x1.8p1; return z; point 1.5; request: vjp",
        "inputs v0: f64[]\n"
        "v1: f64[] = constant 2\n"
        "v2: f64[] = sub v1, v0\n"
        "v3: f64[] = constant -3\n"
        "v4: f64[] = pow v2, v3\n"
        "return v4\n"
        "point 0: v0 = 1.5\n"
        "request: vjp with respect to v0; cotangents 1\n"},
    {"constants without a type",
        "a = constant 1\n"
        "b = constant [1, nan]\n"
        "c = constant true\n"
        "d = constant [false]\n"
        "return a, b, c, d\n"
        "point",
        "v0: f64[] = constant 1\n"
        "v1: f64[2] = constant [1, nan]\n"
        "v2: bool[] = constant true\n"
        "v3: bool[1] = constant [false]\n"
        "return v0, v1, v2, v3\n"
        "point 0:\n"
        "request: the primal alone\n"},
    {"rounding to the dtype", "c: f16[2] = constant [0.1, -inf]\nreturn c\npoint",
        "v0: f16[2] = constant [0.09997558593750000, -inf]\n"
        "return v0\n"
        "point 0:\n"
        "request: the primal alone\n"},
    {"parameters, trip and carries",
        "inputs x: f64[] # the start\n"
        "y = for (x) trip=3 { params i, p; q = mul p, x; yield q }\n"
        "return y\n"
        "point 1; point 2\n",
        "inputs v0: f64[]\n"
        "v4: f64[] = for (v0) trip=3 {\n"
        "  params v1: i64[], v2: f64[]\n"
        "  v3: f64[] = mul v2, v0\n"
        "  yield v3\n"
        "}\n"
        "return v4\n"
        "point 0: v0 = 1\n"
        "point 1: v0 = 2\n"
        "request: the primal alone\n"},
    {"levels by short names",
        "inputs x: f64[], n: i64[2]\n"
        "y = sin x\n"
        "return y, n\n"
        "point n = [3, 4], x = [1, 2]\n"
        "request: batch x; 2 slices\n"
        "then jvp x\n"
        "then vjp",
        "inputs v0: f64[], v1: i64[2]\n"
        "v2: f64[] = sin v0\n"
        "return v2, v1\n"
        "point 0: v0 = [1, 2], v1 = [3, 4]\n"
        "request: batch over v0; 2 slices\n"
        "    then jvp with respect to v0; tangents [1, 1]\n"
        "    then vjp with respect to v0, v1; cotangents [1, 1], [0, 0, 0, 0]\n"},
    {"regions on one line",
        "inputs p: bool[], x: f64[]\n"
        "y = cond p { yield x } else { z = neg x; yield z }\n"
        "return y\n"
        "point true, 1",
        "inputs v0: bool[], v1: f64[]\n"
        "v3: f64[] = cond (v0) {\n"
        "  yield v1\n"
        "} else {\n"
        "  v2: f64[] = neg v1\n"
        "  yield v2\n"
        "}\n"
        "return v3\n"
        "point 0: v0 = true, v1 = 1\n"
        "request: the primal alone\n"},
};

static void test_pairs(struct arena *a)
{
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		if (!row_wanted("%s", pairs[k].name))
			continue;
		struct testcase brief = test_case(a, pairs[k].brief), full = test_case(a, pairs[k].full);
		CHECK(testcase_equal(&brief, &full), "%s:\n%s", pairs[k].name, testcase_print(&brief, a));
	}
}

#define X "inputs x: f64[]\n"

static const struct {
	const char *name, *text, *place, *says;
} refused[] = {
    {"no op of that name", X "y = mull x, x\nreturn y\npoint 1", "line 2, column 5", "did you mean \"mul\""},
    {"no value of that name", X "y = mul x, z\nreturn y\npoint 1", "line 2, column 12", "no value \"z\""},
    {"a value out of scope",
        X "y = checkpoint {\n"
          "  z = sin x\n"
          "  yield z\n"
          "}\n"
          "return z\n"
          "point 1",
        "line 6, column 8", "a region that has ended"},
    {"the wrong type", X "y: f32[] = sin x\nreturn y\npoint 1", "line 2, column 1", "its type is f64[]"},
    {"no such attribute", X "y = sin x axis=0\nreturn y\npoint 1", "line 2, column 1", "no attribute \"axis\""},
    {"an attribute that lacks",
        "inputs x: f64[2]\n"
        "y = cumsum x\n"
        "return y\n"
        "point [1, 2]",
        "line 2, column 1", "lacks its attribute \"axis\""},
    {"an error of inference",
        "inputs x: f64[2], y: f64[3]\n"
        "z = add x, y\n"
        "return z\n"
        "point [1, 2], [1, 2, 3]",
        "line 2, column 12", "does not broadcast"},
    {"an error inside a region",
        X "y = for (x) trip=2 {\n"
          "  params i, p\n"
          "  q = add p, i\n"
          "  yield q\n"
          "}\n"
          "return y\n"
          "point 1",
        "line 4, column 14", "expected dtype f64"},
    {"no end of a region", X "y = checkpoint {\n  yield x\nreturn y\npoint 1", "line 4, column 1", "expected \"}\""},
    {"no result", X "y = sin x\npoint 1", "line 3, column 7", "expected \"=\""},
    {"two statements on a line", X "y = sin x y = cos x\nreturn y\npoint 1", "line 2, column 1", "unknown key \"y\""},
    {"a cut literal",
        X "c: f64[20] = constant [1, 2, ... 20 elements]\n"
          "return c\n"
          "point 1",
        "line 2, column 30", "was cut"},
    {"too few elements", X "c: f64[3] = constant [1, 2]\nreturn c\npoint 1", "line 2, column 22", "2 elements"},
    {"no number", X "return x\npoint 1.5.2", "line 3, column 7", "no number"},
    {"no value of the dtype", "inputs x: i32[]\nreturn x\npoint 2147483648", "line 3, column 7", "no value of i32"},
    {"no hex value of the dtype",
        "inputs x: f32[]\n"
        "return x\n"
        "point 0x1.00000001p0",
        "line 3, column 7", "no value of f32"},
    {"too few inputs", "inputs x: f64[], y: f64[]\nreturn x\npoint 1", "line 3, column 7", "there are 2 inputs"},
    {"one input twice",
        "inputs x: f64[], y: f64[]\n"
        "return x\n"
        "point x = 1, x = 2",
        "line 3, column 18", "has a value already"},
    {"no such input", X "return x\npoint z = 1", "line 3, column 7", "there is no input \"z\""},
    {"a list for a scalar", X "return x\npoint [1]", "line 3, column 7", "a list of 1 elements, but f64[] has 1"},
    {"no such transform", X "return x\npoint 1\nrequest: grad", "line 4, column 10", "expected vjp, jvp, batch"},
    {"too many seeds",
        X "return x\n"
          "point 1\n"
          "request: vjp x; cotangents 1, 2",
        "line 4, column 10", "2 seeds, needed are 1"},
    {"seeds of another transform",
        X "return x\n"
          "point 1\n"
          "request: vjp x; tangents 1",
        "line 4, column 17", "expected cotangents"},
    {"no point", X "return x\n", "line 1, column 1", "points"},
    {"something else", X "return x\npoint 1\nlater", "line 4, column 1", "expected point, request"},
};

static void test_refused(struct arena *a)
{
	for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
		struct testcase c;
		struct error e = {.text = ""};

		if (!row_wanted("refused: %s", refused[k].name))
			continue;
		CHECK(!case_text_read(refused[k].text, a, &c, &e), "%s is read", refused[k].name);
		CHECK(!strcmp(e.place, refused[k].place) && strstr(e.text, refused[k].says), "%s: %s: %s",
		    refused[k].name, e.place, e.text);
	}
}

/* ---- laws ---- */

struct tally {
	int read, cut;
};

/* print(read(print(c))) is print(c), and read(print(c)) is c; cases with literals that were cut are counted. */
static void check_same(const char *name, const struct testcase *c, struct arena *a, struct tally *tally)
{
	const char *text = testcase_print(c, a);
	struct testcase back;
	struct error e = {.text = ""};
	bool ok = case_text_read(text, a, &back, &e);

	if (strstr(text, ", ... ")) {
		tally->cut++;
		CHECK(!ok && strstr(e.text, "was cut"), "%s: %s: %s", name, e.place, e.text);
		return;
	}
	tally->read++;
	CHECK(ok, "%s: %s: %s\n%s", name, e.place, e.text, text);
	if (!ok)
		return;
	CHECK(testcase_equal(c, &back), "%s: another case after\n%s", name, text);
	CHECK(!strcmp(testcase_print(&back, a), text),
	    "%s: another text:\n"
	    "%s\n"
	    "%s",
	    name, text, testcase_print(&back, a));
}

static void read_folder(const char *path, struct arena *a, struct tally *tally)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	CHECK(folder, "%s", path);
	while (folder && (entry = readdir(folder))) {
		char inside[1024];
		struct stat info;
		struct testcase c;
		struct error e = {.text = ""};

		snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.' || stat(inside, &info))
			continue;
		if (S_ISDIR(info.st_mode))
			read_folder(inside, a, tally);
		arena_reset(a);
		if (S_ISREG(info.st_mode) && strstr(inside, ".json") && testcase_read_file(inside, a, &c, &e))
			check_same(inside, &c, a, tally);
	}
	if (folder)
		closedir(folder);
}

static void test_corpus(struct arena *a)
{
	struct tally tally = {0, 0};

	read_folder("corpus", a, &tally);
	CHECK(tally.read > 300, "%d cases", tally.read);
	printf("corpus: %d cases read back, %d were cut\n", tally.read, tally.cut);
}

static void test_generated(struct arena *a)
{
	const struct profile profile = profile_default();
	struct tally tally = {0, 0};

	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct choice choice = choice_seeded(seed);
		char name[32];

		arena_reset(a);
		struct testcase c = generate(&choice, &profile, a);
		snprintf(name, sizeof name, "seed %d", (int)seed);
		check_same(name, &c, a, &tally);
	}
	CHECK(tally.read > 1900, "%d cases", tally.read);
	printf("generated: %d cases read back, %d were cut\n", tally.read, tally.cut);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	test_pairs(&a);
	test_refused(&a);
	CHECK_LAW(test_corpus(&a));
	CHECK_LAW(test_generated(&a));
	arena_free(&a);
	return check_done();
}

/* test_json.c: JSON, read strictly: decoded strings, the texts of numbers, and any tree back from its text. */
#include "tests/check.h"

#include "graph/json.h"
#include "graph/random.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <string.h>

/* What a text is when it is written again; ' stands for ". */
static const struct {
	const char *text, *again;
} reads[] = {
    {" [ ] ", "[]"},
    {"{ }", "{}"},
    {"[[],{},[[]]]", "[[],{},[[]]]"},
    {"[true,false,null]", "[true,false,null]"},
    {"[0,-0,1,-12]\n", "['0','-0','1','-12']"},
    {"[1.50,2e3,-0.1E-7,3e+0]", "['1.50','2e3','-0.1E-7','3e+0']"},
    {"{'a' : 1 , 'b' :2}", "{'a':'1','b':'2'}"},
    {"7", "'7'"},
    {"''", "''"},
    {"'a\\nb'", "'a\\nb'"},
    {"'\\b\\f\\r\\t'", "'\\u0008\\u000c\\u000d\\t'"},
    {"'\\/\\\\'", "'/\\\\'"},
    {"'\\u0041\\u00e9\\u20AC'", "'A\xC3\xA9\xE2\x82\xAC'"},
    {"'x\\uD834\\uDD1Ey'", "'x\xF0\x9D\x84\x9Ey'"},
    {"'\\u0001\\u007f\\u0080'", "'\\u0001\x7F\xC2\x80'"},
    {"'\xC3\xA9\\n\xF0\x9D\x84\x9E'", "'\xC3\xA9\\n\xF0\x9D\x84\x9E'"},
    {"{'\\u006b':'\\u0076'}", "{'k':'v'}"},
};

/* Writes the tree again, numbers as the strings of their texts. */
static void put_tree(struct json_writer *w, const struct json *v)
{
	if (v->kind == JSON_OBJECT)
		json_begin_object(w, JSON_FLOW);
	else if (v->kind == JSON_ARRAY)
		json_begin_array(w, JSON_FLOW);
	else if (v->kind == JSON_BOOL)
		json_put_bool(w, v->truth);
	else
		json_put_string(w, v->kind == JSON_NULL ? NULL : v->text);
	if (v->kind != JSON_OBJECT && v->kind != JSON_ARRAY)
		return;
	int n = 0;
	for (const struct json *child = v->child; child; child = child->next) {
		CHECK(child->parent == v && child->index == n++, "child %d", n);
		CHECK(child->len == (int)strlen(child->text), "length %d of %s", child->len, child->text);
		if (v->kind == JSON_OBJECT)
			json_put_key(w, child->key);
		put_tree(w, child);
	}
	CHECK(n == v->n_child, "%d children, not %d", n, v->n_child);
	json_end(w);
}

static const char *again(const char *text, size_t len, struct arena *a)
{
	struct error e = {0};
	const struct json *v = json_read(text, len, a, &e);
	struct json_writer w = json_writer_new(a, false);

	CHECK(v, "%.60s: %s: %s", text, e.place, e.text);
	if (!v)
		return "";
	put_tree(&w, v);
	return json_finish(&w, &len);
}

static void test_reads(struct arena *a)
{
	for (size_t k = 0; k < sizeof reads / sizeof reads[0]; k++) {
		if (!row_wanted("reads: %s", reads[k].text))
			continue;
		const char *text = json_text(a, reads[k].text), *got = again(text, strlen(text), a);
		CHECK(!strcmp(got, json_text(a, reads[k].again)), "%s gives %s", text, got);
	}
}

static void test_writer(struct arena *a)
{
	struct json_writer w = json_writer_new(a, false);
	size_t len;
	struct error e = {0};

	json_begin_object(&w, JSON_BLOCK);
	json_member_decimal(&w, "bad \xff\x01\"", 0.1);
	json_member_array(&w, "list", JSON_FLOW);
	json_put_null(&w);
	json_put_decimal(&w, NAN);
	json_put_integer(&w, INT64_MIN);
	json_put_bool(&w, false);
	json_begin_array(&w, JSON_BLOCK);
	json_end(&w);
	json_end(&w);
	json_member_string(&w, "nobody", NULL);
	json_member_integer_if(&w, "none", false, 7);
	json_member_decimal_if(&w, "half", true, 0.5);
	json_end(&w);
	const char *text = json_finish(&w, &len),
	           *want = "{'bad \xEF\xBF\xBD\\u0001\\'':0.10000000000000001,'list':[null,'nan',"
	                   "'-9223372036854775808',false,[]],'nobody':null,'none':null,'half':0.5}";
	CHECK(!strcmp(text, json_text(a, want)), "got %s", text);
	const struct json *v = json_read(text, len, a, &e);
	CHECK(v && v->n_child == 5 && json_find(v, "list")->n_child == 5 && !json_find(v, "List"), "%s", e.text);
}

/* Writes a random tree; ROOM: bytes of a random string. */
static void put_random(struct json_writer *w, uint64_t *random, int depth)
{
	enum { ROOM = 12 };
	static const char *const pieces[] = {"a", "\"", "\\", "\n", "\xC3\xA9", "\xF0\x9D\x84\x9E", "\x01", "/"};
	char text[ROOM * 4 + 1] = "";
	int kind = (int)(random_next(random) % (depth ? 4 : 2)), n = (int)(random_next(random) % 6);

	for (int k = (int)(random_next(random) % ROOM); k; k--)
		strcat(text, pieces[random_next(random) % 8]);
	if (kind == 0)
		json_put_string(w, text);
	else if (kind == 1)
		json_put_bool(w, n & 1);
	else if (kind == 2)
		json_begin_array(w, n & 1 ? JSON_FLOW : JSON_BLOCK);
	else
		json_begin_object(w, n & 1 ? JSON_FLOW : JSON_BLOCK);
	for (int k = 0; kind >= 2 && k < n; k++) {
		const char key[] = {(char)('a' + k), '"', '\0'};

		if (kind == 3)
			json_put_key(w, key);
		put_random(w, random, depth - 1);
	}
	if (kind >= 2)
		json_end(w);
}

/* Law: a text that was written pretty or compact reads as the same tree. */
static void test_round_trips(struct arena *a)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct json_writer w[2] = {json_writer_new(a, false), json_writer_new(a, true)};
		const char *text[2], *read[2];
		size_t len[2];

		for (int k = 0; k < 2; k++) {
			uint64_t random = seed;
			put_random(&w[k], &random, 5);
			text[k] = json_finish(&w[k], &len[k]);
			read[k] = again(text[k], len[k], a);
		}
		CHECK(!strcmp(read[0], text[0]) && !strcmp(read[1], text[0]), "seed %llu: %.200s gives %.200s",
		    (unsigned long long)seed, text[0], read[1]);
		arena_reset(a);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)16 << 20);
	test_reads(&a);
	CHECK_LAW(test_writer(&a));
	CHECK_LAW(test_round_trips(&a));
	arena_free(&a);
	return check_done();
}

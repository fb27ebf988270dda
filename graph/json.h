/*
 * json.h: the one strict way from and to JSON.  Nothing else in the project calls cJSON.
 *
 * Reading refuses what RFC 8259 refuses, and also byte order marks, \u0000, duplicate keys, deep nesting and floods of
 * values. The tree that comes out lives in the arena; cJSON's own is gone before json_read returns.
 */
#ifndef GRAPH_JSON_H
#define GRAPH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "errors.h"
#include "bounds.h"
#include "text.h"

enum {
	JSON_BYTES = 4 * LIMIT_CASE_BYTES, /* a summary may be larger than a case */
	JSON_DEPTH = 64,                   /* nested arrays and objects */
	JSON_VALUES = 1 << 19,             /* values of one text: at some 200 bytes each, below 128 MiB */
	JSON_MEMBERS = 256,                /* members of one object: duplicates are looked for pair by pair */
	JSON_KEY = 128,                    /* bytes of a key */
	JSON_DIGITS = 60,                  /* characters of a number; cJSON silently cuts at 63 */
	JSON_PLACE = 160,                  /* room of a place */
	JSON_SHOWN = 56                    /* room of a piece of the file inside a message */
};

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
extern const char *const json_kind_names[];

/* A value.  Its children, in file order, are a list: for (const struct json *v = array->child; v; v = v->next). */
struct json {
	enum json_kind kind;
	bool truth;  /* JSON_BOOL */
	int index;   /* among the parent's children */
	int n_child; /* JSON_ARRAY, JSON_OBJECT */
	int len;     /* of text */
	const struct json *parent, *child, *next;
	const char *key;  /* in an object; else NULL */
	const char *text; /* JSON_STRING: decoded, NUL-terminated, no NUL inside.  JSON_NUMBER: as written */
};

/* ---- reading (json.c) ---- */

/* Parses text[len]; NULL with an error whose place is "line L, column C". */
const struct json *json_read(const char *text, size_t len, struct arena *a, struct error *e) MUST_CHECK;

/*
 * The bytes of a regular file of at most `limit` bytes, or of standard input ("-"); NUL-terminated, *len without that
 * NUL. NULL with an error whose place is the path.
 */
char *json_read_bytes(const char *path, size_t limit, struct arena *a, size_t *len, struct error *e) MUST_CHECK;

/* The path of `v` from the root, as in body[3].op; "" for the root.  Returns buf. */
char *json_place(const struct json *v, char buf[JSON_PLACE]);

/* error_set with the place of `at`.  Returns false. */
bool json_error(const struct json *at, struct error *e, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* `text` in quotes, fit for a message: printable ASCII, cut when long.  Returns buf. */
char *json_quote(const char *text, char buf[JSON_SHOWN]);

/* The one of name[n] that is spelled most like `word`, or NULL when none is near. */
const char *json_nearest(const char *word, const char *const *name, int n);

/* Whether `v` is of that kind; an error at v else. */
bool json_is(const struct json *v, enum json_kind kind, struct error *e) MUST_CHECK;

/* The member `key` (case matters), or NULL. */
const struct json *json_find(const struct json *object, const char *key);
/* The same; an error when it is absent or of another kind. */
bool json_required(const struct json *object, const char *key, enum json_kind kind, const struct json **out,
    struct error *e) MUST_CHECK;
/* The same; *out is NULL when it is absent, an error only when it is of another kind. */
bool json_optional(const struct json *object, const char *key, enum json_kind kind, const struct json **out,
    struct error *e) MUST_CHECK;
/* Whether every key of `object` is among key[n]; an error at the first that is not. */
bool json_only_keys(const struct json *object, const char *const *key, int n, struct error *e) MUST_CHECK;

/* An integer written as a JSON number without point or exponent, in [low, high]; high <= 2^53. */
bool json_integer(const struct json *v, int64_t low, int64_t high, int64_t *out, struct error *e) MUST_CHECK;
bool json_int(const struct json *v, int low, int high, int *out, struct error *e) MUST_CHECK;
/* Any 64-bit integer: a JSON number up to 2^53 in magnitude, or a string of decimal digits. */
bool json_int64(const struct json *v, int64_t *out, struct error *e) MUST_CHECK;

/* ---- writing (json_write.c) ---- */

/* FLOW: children on one line; BLOCK: a line each, indented by the enclosing blocks.  Without `pretty` there are no
 * spaces at all. */
enum json_layout { JSON_FLOW, JSON_BLOCK };

/*
 * How json_put_real writes.  HEX: the string of real_print ("0x1.8p-1", "nan").  DECIMAL: a number of 17 digits, or
 * "nan", "inf", "-inf". BITS: the 16 hexadecimal digits of the binary64, as a string.  All are exact.
 */
enum json_reals { JSON_REALS_HEX, JSON_REALS_DECIMAL, JSON_REALS_BITS };

struct json_writer {
	bool pretty;
	enum json_reals reals; /* HEX unless set */
	struct text text;
	int depth;      /* open containers */
	bool after_key; /* a key waits for its value */
	struct {
		char close;
		bool block;
		int count;
	} level[JSON_DEPTH + 1];
};

struct json_writer json_writer_new(struct arena *a, bool pretty);
void json_begin_object(struct json_writer *w, enum json_layout layout);
void json_begin_array(struct json_writer *w, enum json_layout layout);
/* Ends the innermost open container. */
void json_end(struct json_writer *w);
/* The key of the next value of an object. */
void json_put_key(struct json_writer *w, const char *key);
/* Escaped; bytes that are not UTF-8 become U+FFFD.  NULL is written as null. */
void json_put_string(struct json_writer *w, const char *text);
/* A number up to 2^53 in magnitude, a string beyond. */
void json_put_integer(struct json_writer *w, int64_t i);
void json_put_bool(struct json_writer *w, bool b);
void json_put_null(struct json_writer *w);
/* Exact, as w->reals says. */
void json_put_real(struct json_writer *w, double x);
/* A plain number with 17 digits, for statistics and people; "nan", "inf" and "-inf" as strings. */
void json_put_decimal(struct json_writer *w, double x);
/* A member of the open object: key and value, as json_put_key and the json_put_ of its kind. */
void json_member_string(struct json_writer *w, const char *key, const char *text);
void json_member_integer(struct json_writer *w, const char *key, int64_t i);
void json_member_bool(struct json_writer *w, const char *key, bool b);
void json_member_real(struct json_writer *w, const char *key, double x);
void json_member_decimal(struct json_writer *w, const char *key, double x);
/* The same; null unless it is known. */
void json_member_integer_if(struct json_writer *w, const char *key, bool known, int64_t i);
void json_member_decimal_if(struct json_writer *w, const char *key, bool known, double x);
/* A member that is an object or an array, which json_end closes. */
void json_member_object(struct json_writer *w, const char *key, enum json_layout layout);
void json_member_array(struct json_writer *w, const char *key, enum json_layout layout);
/* A member that is an array of n strings. */
void json_member_strings(
    struct json_writer *w, const char *key, const char *const *text, int n, enum json_layout layout);
/* A pretty writer whose root is begun: a block object that names its schema. */
struct json_writer json_document(struct arena *a, const char *schema);
/* The text, NUL-terminated, in the arena; a final newline when pretty.  Every container must be ended. */
char *json_finish(struct json_writer *w, size_t *len);

#endif

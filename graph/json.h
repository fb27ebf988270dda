/*
 * json.h: reads and writes JSON, strictly.  Nothing else in the project calls cJSON.
 *
 * Reading refuses what RFC 8259 refuses, and also byte order marks, \u0000, duplicate keys, deep nesting and too many
 * values.  The resulting tree lives in the arena; json_read frees the tree of cJSON before it returns.
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
	JSON_VALUES = 1 << 19,             /* values of one text; about 200 bytes each, so below 128 MiB */
	JSON_MEMBERS = 256,                /* members of one object; the search for duplicates compares all pairs */
	JSON_KEY = 128,                    /* bytes of a key */
	JSON_DIGITS = 60,                  /* characters of a number; cJSON silently cuts off at 63 */
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

/* ---- reading (json.c, json_file.c) ---- */

/* Parses text[len].  NULL with an error at "line L, column C". */
const struct json *json_read(const char *text, size_t len, struct arena *a, struct error *e) MUST_CHECK;

/*
 * Reads a regular file of at most `limit` bytes, or standard input ("-").  The bytes are NUL-terminated; *len does not
 * count the NUL.  NULL with an error at the path.
 */
char *json_read_bytes(const char *path, size_t limit, struct arena *a, size_t *len, struct error *e) MUST_CHECK;

/* The path of `v` from the root, such as "body[3].op"; "" for the root.  Returns buf. */
char *json_place(const struct json *v, char buf[JSON_PLACE]);

/* error_set with the place of `at`.  Returns false. */
bool json_error(const struct json *at, struct error *e, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts the path of the file before the place of an error.  Returns false. */
bool json_error_in(const char *path, struct error *e);

/* `text` in quotes for a message: printable ASCII only, shortened if it is long.  Returns buf. */
char *json_quote(const char *text, char buf[JSON_SHOWN]);

/* The name in name[n] whose spelling is closest to `word`, or NULL if none is close. */
const char *json_nearest(const char *word, const char *const *name, int n);

/* Whether `v` is of that kind; if not, sets an error at v. */
bool json_is(const struct json *v, enum json_kind kind, struct error *e) MUST_CHECK;

/* Whether two keys are equal.  They are short: a call of strcmp would cost more than the comparison. */
static inline bool json_same_key(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return *a == *b;
}
/* The member `key` (case-sensitive), or NULL. */
const struct json *json_find(const struct json *object, const char *key);
/* The same; false with an error if it is missing or of another kind. */
bool json_required(const struct json *object, const char *key, enum json_kind kind, const struct json **out,
    struct error *e) MUST_CHECK;
/* The same; if it is missing, *out is NULL.  False with an error if it is of another kind. */
bool json_optional(const struct json *object, const char *key, enum json_kind kind, const struct json **out,
    struct error *e) MUST_CHECK;
/* Whether `root` is an object whose member "schema" is that text; if not, sets an error. */
bool json_schema(const struct json *root, const char *schema, struct error *e) MUST_CHECK;
/* Whether every key of `object` is among key[n]; if not, sets an error at the first other one. */
bool json_only_keys(const struct json *object, const char *const *key, int n, struct error *e) MUST_CHECK;
/* The same; also sets at[i] to the member with key[i], or NULL. */
bool json_members(
    const struct json *object, const char *const *key, int n, const struct json **at, struct error *e) MUST_CHECK;

/* The largest integer up to which a JSON number is exact in every reader. */
#define JSON_EXACT (INT64_C(1) << 53)
/* An integer written as a JSON number without point or exponent, in [low, high]; high <= JSON_EXACT. */
bool json_integer(const struct json *v, int64_t low, int64_t high, int64_t *out, struct error *e) MUST_CHECK;
bool json_int(const struct json *v, int low, int high, int *out, struct error *e) MUST_CHECK;
/* Any 64-bit integer: a JSON number up to JSON_EXACT in magnitude, or a string of decimal digits. */
bool json_int64(const struct json *v, int64_t *out, struct error *e) MUST_CHECK;
/* The member `key` of an object: an integer from 0 to JSON_EXACT, written as a number. */
bool json_count(const struct json *object, const char *key, int64_t *out, struct error *e) MUST_CHECK;

/* ---- writing (json_write.c) ---- */

/* FLOW: all children on one line.  BLOCK: one line per child, indented.  Without `pretty` there are no spaces at all.
 */
enum json_layout { JSON_FLOW, JSON_BLOCK };

/*
 * How json_put_real writes a number.  All three are exact.  HEX: the string of real_print ("0x1.8p-1", "nan"). DECIMAL:
 * a number of 17 digits, or "nan", "inf", "-inf".  BITS: a string with the 16 hexadecimal digits of the binary64.
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
/* Writes the key of the next value of an object. */
void json_put_key(struct json_writer *w, const char *key);
/* Writes an escaped string; bytes that are not UTF-8 become U+FFFD.  NULL becomes null. */
void json_put_string(struct json_writer *w, const char *text);
/* Writes text[n] as it is: a string with its quotes that needs no escape, or a number. */
void json_put_token(struct json_writer *w, const char *text, size_t n);
/* Writes a number up to 2^53 in magnitude, and a string beyond. */
void json_put_integer(struct json_writer *w, int64_t i);
void json_put_bool(struct json_writer *w, bool b);
void json_put_null(struct json_writer *w);
/* Writes x exactly, in the form w->reals. */
void json_put_real(struct json_writer *w, double x);
/* Writes a plain number with 17 digits, for statistics and people; "nan", "inf" and "-inf" as strings. */
void json_put_decimal(struct json_writer *w, double x);
/* Each writes a member of the open object: its key, then its value as the json_put_ function of that kind. */
void json_member_string(struct json_writer *w, const char *key, const char *text);
void json_member_integer(struct json_writer *w, const char *key, int64_t i);
void json_member_bool(struct json_writer *w, const char *key, bool b);
void json_member_real(struct json_writer *w, const char *key, double x);
void json_member_decimal(struct json_writer *w, const char *key, double x);
/* The same; writes null unless `known`. */
void json_member_integer_if(struct json_writer *w, const char *key, bool known, int64_t i);
void json_member_decimal_if(struct json_writer *w, const char *key, bool known, double x);
/* Opens a member that is an object or an array.  json_end closes it. */
void json_member_object(struct json_writer *w, const char *key, enum json_layout layout);
void json_member_array(struct json_writer *w, const char *key, enum json_layout layout);
/* Writes a member that is an array of n strings. */
void json_member_strings(
    struct json_writer *w, const char *key, const char *const *text, int n, enum json_layout layout);
/* A pretty writer with an open root: a block object that begins with its schema. */
struct json_writer json_document(struct arena *a, const char *schema);
/* Returns the text, NUL-terminated, in the arena; with `pretty` it ends in a newline.  All containers must be closed.
 */
char *json_finish(struct json_writer *w, size_t *len);

#endif

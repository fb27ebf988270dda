/* case_reader.h: what the files that read a case as text share (case_text.h).  Only for these. */
#ifndef TESTS_SUPPORT_CASE_READER_H
#define TESTS_SUPPORT_CASE_READER_H

#include "case_text.h"
#include "graph/case_format.h"

enum token_kind { TOKEN_END, TOKEN_LINE, TOKEN_WORD, TOKEN_NUMBER, TOKEN_OTHER };

struct token {
	enum token_kind kind;
	const char *at;
	int len, line, column;
};

/* A value of the tree and where it was read; `json` comes first, so that one can be made of the other. */
struct placed {
	struct json json;
	int line, column;
	struct placed *last; /* child */
};

/* A tensor as tokens. */
struct literal {
	struct token place;
	bool list;
	int n, room;
	struct token *at; /* [n] */
};

enum { NO_INPUT = -1 };

/* A transform whose inputs and seeds are still names and tokens. */
struct level {
	struct token kind;
	int n_name, n_seed; /* NO_INPUT: "with respect to" nothing */
	struct token name[LIMIT_ARGS];
	struct literal seed[LIMIT_ARGS];
	bool seeds_stated;
	int size;
};

struct point {
	struct token place;
	int n;
	struct token name[LIMIT_ARGS]; /* len 0: none was given */
	struct literal value[LIMIT_ARGS];
};

/* The state of reading: the text, the token that is next, and what was read so far. */
struct reader {
	struct arena *arena;
	struct error *e;
	const char *next, *line_start;
	int line, brackets; /* inside brackets a line does not end a statement */
	struct token token;
	struct placed *root;
	int n_constant; /* operands that were numbers */
	struct testcase c;
	struct point *point[LIMIT_POINTS];
	int n_point;
	struct level *level[LIMIT_TRANSFORMS];
	int n_level;
};

/* ---- tokens (case_tokens.c) ---- */

/* Sets the error, with the place of the token.  Returns false. */
bool reader_fail(struct reader *r, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool token_is_word(const struct token *t, const char *word);
bool token_is(const struct token *t, char c);
/* "..." */
bool token_is_cut(const struct token *t);
/* Goes on to the next token. */
void reader_advance(struct reader *r);
/* The token as a message shows it. */
const char *token_shown(const struct reader *r, const struct token *t);
/* Whether `is`; if not, the error says that `what` was expected. */
bool reader_expect(struct reader *r, bool is, const char *what);
/* Takes the word or the character if it is next. */
bool reader_take_word(struct reader *r, const char *word);
bool reader_take(struct reader *r, char c);
/* Takes the character, or a word; an error if something else is next. */
bool reader_need(struct reader *r, char c);
bool reader_need_word(struct reader *r, struct token *out, const char *what);
void reader_skip_lines(struct reader *r);
/* A statement ends here; a closing brace may follow it on its line. */
bool reader_end_statement(struct reader *r);
/* The rest of the line as it stands. */
char *reader_take_rest(struct reader *r);

/* ---- the tree, literals and the program (case_program.c) ---- */

/* A new child of `parent`, which may be NULL; so may key and text. */
struct placed *tree_put(struct reader *r, struct placed *parent, const char *key, enum json_kind kind,
    const struct token *at, const char *text);
/* A copy of the token. */
char *token_text(struct reader *r, const struct token *t);
/* An error of case_read_program: its place is a path in the tree. */
bool reader_fail_at_path(struct reader *r, const struct error *inner);
/* Reads a tensor as tokens. */
bool reader_literal(struct reader *r, struct literal *x);
/* The tensor of that type, once the type is known. */
bool literal_tensor(struct reader *r, const struct literal *x, const struct type *type, struct tensor *out);
/* Reads the program and puts its tree into r->root. */
bool reader_program(struct reader *r);

#endif

/*
 * escape.h: text that engines, cases and paths bring along, made harmless in each format.
 *
 * In all of them: control characters and those that reorder lines become question marks, newlines and tabs spaces, so
 * that nothing reaches a terminal and no line of a log begins with what somebody else wrote; and "##[", which a
 * workflow runner reads as a command anywhere in a line, is taken apart, as is "::" where a text begins.
 */
#ifndef REPORTS_ESCAPE_H
#define REPORTS_ESCAPE_H

#include <stdarg.h>

#include "graph/text.h"

/*
 * HTML: text and double-quoted attributes.  MARKDOWN: prose and cells of tables, on one line.  MARKDOWN_CODE: a line
 * inside a fence of fence_of. DOT: inside a double-quoted string.  COMMENT: a line of a comment of C, between the marks
 * that begin and end it, or behind # or //.
 */
enum escape { ESCAPE_HTML, ESCAPE_MARKDOWN, ESCAPE_MARKDOWN_CODE, ESCAPE_DOT, ESCAPE_COMMENT };

void text_put_escaped(struct text *t, enum escape e, const char *text);
/* Puts the format as it stands, with the next of the texts, escaped, for every %s.  The format holds no other
 * directive. */
void text_put_template(struct text *t, enum escape e, const char *format, va_list texts);
/* As many backticks as it takes that none of the texts, which may be NULL, ends the block: three at least.  In the
 * arena. */
const char *fence_of(const char *const *texts, int n, struct arena *a);

#endif

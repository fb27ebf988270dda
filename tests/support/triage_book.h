/* triage_book.h: a triage with one engine, as a campaign has one, for tests that show it cases. */
#ifndef TESTS_SUPPORT_TRIAGE_BOOK_H
#define TESTS_SUPPORT_TRIAGE_BOOK_H

#include "fuzz/triage/triage.h"

enum { BOOK_ARENA = 256 << 20 };

struct book {
	const char *spec[1];
	struct arena side;
	struct failure failure;
	struct triage triage;
};

/* A directory for reports, which book_end removes.  False: it cannot be made. */
bool book_begin(void) MUST_CHECK;
/* False: the directory cannot be removed. */
bool book_end(void) MUST_CHECK;

/* Opens a book without findings.  spec lives as long as the book. */
void book_open(struct book *b, const char *spec);
/* Checks that nothing failed. */
void book_close(struct book *b);
/* Shows it the case, for which its engine must show a finding. */
void book_show(struct book *b, const struct testcase *c, int64_t number);
/* The same, of a case as text (case_text.h). */
void book_show_text(struct book *b, const char *text, int64_t number);
/* The book as if the campaign had been killed and went on. */
void book_resume(struct book *b);

#endif

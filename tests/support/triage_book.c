/* triage_book.c: see triage_book.h. */
#include "triage_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "case_text.h"
#include "tests/check.h"

static char base[] = "/tmp/adjudge-test-book-XXXXXX";

bool book_begin(void) { return mkdtemp(base); }

bool book_end(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", base);
	return !system(command);
}

/* What a triage does not keep. */
static void set_up(struct book *b)
{
	b->triage.n_spec = 1;
	b->triage.spec = b->triage.name = b->spec;
	b->triage.seed = 1;
	b->triage.minimize_budget = 1000;
	b->triage.dir = base;
	b->triage.side = &b->side;
	b->triage.failure = &b->failure;
}

void book_open(struct book *b, const char *spec)
{
	*b = (struct book){.spec = {spec}};
	arena_init(&b->side, BOOK_ARENA);
	arena_init(&b->triage.known, BOOK_ARENA);
	set_up(b);
}

void book_close(struct book *b)
{
	CHECK(!b->failure.any, "%s", b->failure.text);
	triage_close(&b->triage);
	arena_free(&b->side);
}

void book_show(struct book *b, const struct testcase *c, int64_t number)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = 1 << 20};
	struct bench_result r;
	struct bench bench;
	struct error e = {0};
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	CHECK(bench_open(&bench, b->spec, 1, &o, &e), "%s", e.text);
	bench_judge(&bench, c, &a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "case %lld shows nothing", (long long)number);
	triage_record(&b->triage, 0, signature_coarse(*b->spec, c, &r.judgement[0], &a), 0, c,
	    &(struct evidence){.report = "{}", .len = 2}, number);
	bench_close(&bench);
	arena_free(&a);
}

void book_show_text(struct book *b, const char *text, int64_t number)
{
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	const struct testcase c = test_case(&a, text);

	book_show(b, &c, number);
	arena_free(&a);
}

void book_resume(struct book *b)
{
	struct book again;
	struct arena a;
	struct json_writer w;
	const struct json *root;
	struct error e = {0};
	size_t len;
	char *text;

	arena_init(&a, BOOK_ARENA);
	w = json_document(&a, "adjudge.state/1");
	triage_put(&b->triage, &w);
	json_end(&w);
	text = json_finish(&w, &len);
	root = json_read(text, len, &a, &e);
	book_open(&again, *b->spec);
	/* Findings refer to the book's own array of names. */
	again.triage.spec = again.triage.name = b->spec;
	CHECK(root && triage_read(&again.triage, 1, root, &e), "%s: %s", e.place, e.text);
	book_close(b);
	*b = again;
	set_up(b);
	arena_free(&a);
}

/*
 * read_state.c: reads any bytes as the counts and the findings of state.json, of a campaign with two engines.  What was
 * accepted is written, and read again as the same text.
 */
#include "reader.h"
#include "state_line.h"

#include <string.h>

#include "fuzz/campaign/counting/counts.h"

enum { ENGINES = 2, KNOWN = 256 << 20 };
static const char *const names[ENGINES] = {"tape", "tape+scale:mul:1.5"};

/* A state that was read. */
struct state {
	struct counts counts;
	struct triage triage;
};

struct state_text {
	const char *text;
	size_t len;
	struct arena *a;
	struct state *state;
	char *again; /* the text of what was read; NULL: it was refused */
	size_t again_len;
};

static void read_state(void *context)
{
	struct state_text *x = context;
	const struct json *root, *counts;
	struct json_writer w;
	struct error e = {0};

	root = json_read(x->text, x->len, x->a, &e);
	if (!root || !json_is(root, JSON_OBJECT, &e) || !json_required(root, "counts", JSON_OBJECT, &counts, &e) ||
	    !counts_read(counts, ENGINES, &x->state->counts, &e) ||
	    !triage_read(&x->state->triage, ENGINES, root, &e)) {
		if (!e.text[0])
			state_line_abort("state: refused without a reason");
		return;
	}
	w = json_document(x->a, "adjudge.state/1");
	json_member_object(&w, "counts", JSON_BLOCK);
	counts_put(&x->state->counts, ENGINES, &w);
	json_end(&w);
	triage_put(&x->state->triage, &w);
	json_end(&w);
	x->again = json_finish(&w, &x->again_len);
}

/* Reads the text.  False: it was refused, or memory was full. */
static bool read_once(struct state_text *x)
{
	x->state = NEW(x->a, struct state, 1);
	x->state->triage.name = names;
	arena_init(&x->state->triage.known, KNOWN);
	struct arena *const arenas[] = {x->a, &x->state->triage.known};
	const bool ok = arenas_try(arenas, 2, read_state, x) && x->again;

	triage_close(&x->state->triage);
	return ok;
}

void reader_state(const char *text, size_t len, struct arena *a)
{
	struct state_text first = {.text = text, .len = len, .a = a}, second = {.a = a};

	if (!read_once(&first))
		return;
	second.text = first.again;
	second.len = first.again_len;
	if (!read_once(&second))
		state_line_abort("state: what was written cannot be read");
	if (first.again_len != second.again_len || memcmp(first.again, second.again, first.again_len) != 0)
		state_line_abort("state: another text when it is written again");
}

/* outcome.c: see outcome.h. */
#include "outcome.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "graph/hash.h"

/* Bytes of a text that is kept.  GitHub shows 1,024 characters of a message. */
enum { MESSAGE_BYTES = 900, TEXT_BYTES = 4000 };

const char *const ci_state_names[CI_STATES] = {
#define STATE(id, name, level, meaning) name,
#include "states.def"
#undef STATE
};

const char *const ci_state_meanings[CI_STATES] = {
#define STATE(id, name, level, meaning) meaning,
#include "states.def"
#undef STATE
};

const enum ci_level ci_state_levels[CI_STATES] = {
#define STATE(id, name, level, meaning) CI_LEVEL_##level,
#include "states.def"
#undef STATE
};

const struct ci_format ci_formats[] = {
#define FORMAT(name, writer, printed) {name, writer, printed},
#include "formats.def"
#undef FORMAT
    {NULL, NULL, false}};

/* ---- texts ---- */

/* Bytes of the UTF-8 character at c, or 0 if there is none that XML and JSON allow. */
static size_t character(const unsigned char *c)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t n = c[0] < 0x80 ? 1 : c[0] < 0xC0 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF8 ? 4 : 0;
	unsigned code;

	if (n < 2)
		return n;
	code = c[0] & (0xFFu >> (n + 1));
	for (size_t k = 1; k < n; k++) {
		if ((c[k] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (c[k] & 0x3Fu);
	}
	if (code == 0x2028 || code == 0x2029) /* they end a line */
		return 0;
	if (code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || (code & 0xFFFE) == 0xFFFE)
		return 0;
	return n;
}

/* A copy of at most `most` bytes: valid UTF-8, one line, no control characters. */
static const char *clean(const char *text, size_t most, struct arena *a)
{
	struct text t = {.arena = a};

	text_put_bytes(&t, "", 0);
	while (text && *text && t.len < most) {
		const size_t n = character((const unsigned char *)text);

		if (n)
			text_put_bytes(&t, text, n);
		else
			text_put(&t, "\xEF\xBF\xBD");
		text += n ? n : 1;
	}
	if (text && *text)
		text_put(&t, " ...");
	return text_disarm(t.at, false);
}

/* ---- the list ---- */

void ci_add(struct ci_report *r, struct ci_outcome x)
{
	struct ci_outcome *to;

	GROW(r->arena, r->at, &r->room, r->n + 1);
	to = &r->at[r->n++];
	*to = (struct ci_outcome){.state = x.state,
	    .path = clean(x.path, TEXT_BYTES, r->arena),
	    .line = x.line,
	    .engine = clean(x.engine, TEXT_BYTES, r->arena),
	    .signature = clean(x.signature, TEXT_BYTES, r->arena),
	    .verdict = clean(x.verdict, TEXT_BYTES, r->arena),
	    .message = clean(x.message, MESSAGE_BYTES, r->arena),
	    .link = clean(x.link, TEXT_BYTES, r->arena)};
	r->count[x.state]++;
}

void ci_add_engine(struct ci_report *r, const char *engine, const char *version)
{
	if (!*version || *ci_version(r, engine))
		return;
	char *plain = arena_printf(r->arena, "%s", clean(version, TEXT_BYTES, r->arena));

	for (char *c = plain; *c; c++) /* it stands in lines for people, whose format cannot escape these */
		*c = strchr("<>`", *c) ? '?' : *c;
	GROW(r->arena, r->engine, &r->engine_room, r->n_engine + 1);
	r->engine[r->n_engine++] = (struct ci_engine){clean(engine, TEXT_BYTES, r->arena), plain};
}

const char *ci_version(const struct ci_report *r, const char *engine)
{
	for (int k = 0; k < r->n_engine; k++)
		if (!strcmp(r->engine[k].engine, engine))
			return r->engine[k].version;
	return "";
}

const char *ci_engine_text(const struct ci_report *r, const char *engine)
{
	const char *version = ci_version(r, engine);

	return *version ? arena_printf(r->arena, "%s (%s)", engine, version) : engine;
}

void ci_add_total(struct ci_report *r, const char *line)
{
	const char *text = arena_printf(r->arena, "%.*s", (int)strcspn(line, "\n"), line);

	GROW(r->arena, r->total, &r->total_room, r->n_total + 1);
	r->total[r->n_total++] = clean(text, TEXT_BYTES, r->arena);
}

int ci_failures(const struct ci_report *r)
{
	int sum = 0;

	for (int s = 0; s < CI_STATES; s++)
		sum += ci_state_levels[s] == CI_LEVEL_FAIL ? r->count[s] : 0;
	return sum;
}

const char *ci_place(const char *path, const struct ci_outcome *x, struct arena *a)
{
	return x->line ? arena_printf(a, "%s:%d", path, x->line) : path;
}

const char *ci_line(const struct ci_outcome *x, struct arena *a)
{
	static const char *const label[] = {[CI_LEVEL_FAIL] = "FAIL",
	    [CI_LEVEL_WARN] = "warning",
	    [CI_LEVEL_KNOWN] = "known",
	    [CI_LEVEL_SKIP] = "not checked"};
	const enum ci_level level = ci_state_levels[x->state];
	const char *what = *x->signature ? x->signature : x->engine;

	if (level == CI_LEVEL_PASS || x->state == CI_UNDECIDED || x->state == CI_UNSUPPORTED)
		return "";
	if (level == CI_LEVEL_KNOWN)
		return arena_printf(a, "known %s: %s (%s)\n", x->path, what, *x->link ? x->link : x->message);
	return arena_printf(a, "%s %s%s%s%s%s\n", label[level], ci_place(x->path, x, a), *x->path && *what ? ": " : "",
	    what, *x->message ? ": " : "", x->message);
}

const char *ci_path(const struct ci_report *r, const struct ci_outcome *x)
{
	const size_t root = r->root && strcmp(r->root, "/") ? strlen(r->root) : 0;
	const char *path = x->path;

	if (root && !strncmp(path, r->root, root) && path[root] == '/' && path[root + 1] && path[root + 1] != '/')
		return path + root + 1;
	while (path[0] == '.' && path[1] == '/' && path[2] && path[2] != '/')
		path += 2;
	return path;
}

/* Adds a text, and its end, to the hash h. */
static uint64_t add_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = hash_step(h, (unsigned char)*text);
	return hash_step(h, 0);
}

void ci_fingerprint(const struct ci_report *r, int k, char out[CI_FINGERPRINT])
{
	const struct ci_outcome *x = &r->at[k];
	uint64_t h;
	int same = 1;

	/* Outcomes about one file stand together. */
	for (int i = k - 1; i >= 0 && !strcmp(r->at[i].path, x->path); i--)
		same += !strcmp(r->at[i].engine, x->engine) && !strcmp(r->at[i].signature, x->signature);
	h = add_text(add_text(add_text(HASH_BEGIN, ci_path(r, x)), x->engine), x->signature);
	snprintf(out, CI_FINGERPRINT, "%016" PRIx64 ":%d", h, same);
}

/* ---- formats ---- */

const struct ci_format *ci_format_find(const char *name)
{
	for (const struct ci_format *f = ci_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

struct text ci_write(const struct ci_report *r, const char *format)
{
	struct text t = {.arena = r->arena};

	text_put_bytes(&t, "", 0);
	ci_format_find(format)->write(r, &t);
	return t;
}

/* emit_serve.c: adjudge emit --serve: writes the sources of many cases, as the protocol's requests "emit" ask for them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "emit_serve.h"
#include "engines/process/wire.h"
#include "commands.h"

struct served {
	const struct emit_target *target;
	struct arena arena;
	const char *line; /* the request */
	size_t len;
	long id;
	char *reply; /* in the arena */
	size_t reply_len;
};

static bool write_source(struct served *s, const struct testcase *c, bool brief, const char **source, struct error *e)
{
	struct text out = {.arena = &s->arena};
	struct emission x = {.c = c, .brief = brief, .arena = out.arena, .out = &out};

	text_put_bytes(&out, "", 0);
	if (!s->target->write(&x, e))
		return false;
	*source = out.at;
	return true;
}

static void reply(void *context)
{
	struct served *s = context;
	struct error e = {.text = ""};
	struct testcase *c;
	const char **source;
	int n;
	bool brief, ok = wire_read_emission(s->line, s->len, &s->arena, &s->id, &c, &n, &brief, &e);

	source = NEW(&s->arena, const char *, ok ? n : 0);
	for (int k = 0; k < n && ok; k++)
		ok = write_source(s, &c[k], brief, &source[k], &e);
	s->reply = ok
	    ? wire_write_sources(s->id, source, n, &s->arena, &s->reply_len)
	    : wire_write_error(s->id, arena_printf(&s->arena, "%s%s%s", e.place, *e.place ? ": " : "", e.text),
	          &s->arena, &s->reply_len);
}

static bool put_line(const char *text, size_t len)
{
	fwrite(text, 1, len, stdout);
	putchar('\n');
	return !fflush(stdout) && !ferror(stdout);
}

/* False when the reply cannot be written. */
static bool serve_line(struct served *s, const char *line, size_t len)
{
	arena_reset(&s->arena);
	s->line = line;
	s->len = len;
	s->id = 0;
	if (!arena_try(&s->arena, reply, s)) {
		arena_reset(&s->arena);
		s->reply = wire_write_error(s->id, "the case needs too much memory", &s->arena, &s->reply_len);
	}
	return put_line(s->reply, s->reply_len);
}

int emit_serve(const struct emit_target *target)
{
	struct served s = {.target = target};
	struct hello hello;
	char *line = NULL, *text;
	size_t room = 0, len;
	ssize_t n;
	int code = EXIT_NO_FINDING;

	arena_init(&s.arena, COMMAND_ARENA);
	if (emit_hello(target, &s.arena, &hello)) {
		text = hello_write(&hello, &s.arena, &len);
		code = put_line(text, len) ? EXIT_NO_FINDING : EXIT_OURS;
		while (code == EXIT_NO_FINDING && (n = getline(&line, &room, stdin)) > 0)
			if (!serve_line(&s, line, (size_t)n - (line[n - 1] == '\n')))
				code = EXIT_OURS;
	} else {
		complain("emit: %s cannot be served: its sources need the expected numbers", target->name);
		code = EXIT_USAGE;
	}
	free(line);
	arena_free(&s.arena);
	return code;
}

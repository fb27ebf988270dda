/* brief_fold.c: no line of a short source is long. */
#include "brief.h"

#include <string.h>

enum { COLUMNS = 120, LEAST = 24, TAB = 4 };

/*
 * Where the line of this length may be broken between two columns.  That is after a comma or before `or` inside
 * brackets or, in C and JavaScript, before && and +; as few brackets as may be are open there.  A comment is broken
 * after a space.  *before: how many brackets are open before it; then, before the break.
 */
static size_t break_between(const char *line, size_t len, size_t from, size_t columns, size_t *before)
{
	const char *first = line + strspn(line, " \t");
	const bool comment = !strncmp(first, "/*", 2) || !strncmp(first, "//", 2) || *first == '#';
	char quote = 0;
	size_t at = 0, depth = *before, least = (size_t)-1;

	if (comment && strncmp(first, "/*", 2) != 0)
		return 0;
	for (size_t i = 0, column = 0; i < len && column < columns; i++) {
		bool may;

		column += line[i] == '\t' ? TAB : 1;
		if (quote && line[i] == '\\')
			i++;
		else if (quote || line[i] == '"' || line[i] == '\'')
			quote = !quote ? line[i] : quote == line[i] ? 0 : quote;
		else if (strchr("([{", line[i]))
			depth++;
		else if (strchr(")]}", line[i]))
			depth -= depth > 0;
		may = !quote && line[i] == ' ' && column > from &&
		    (comment || (depth && (line[i - 1] == ',' || !strncmp(line + i, " or ", 4))) ||
		        (len && line[len - 1] == ';' &&
		            (!strncmp(line + i, " && ", 4) || !strncmp(line + i, " + ", 3))));
		if (may && (comment || depth <= least)) {
			at = i;
			least = depth;
		}
	}
	*before = at ? least : depth;
	return at;
}

static size_t break_at(const char *line, size_t len, size_t columns, size_t *before)
{
	size_t depth = *before, at = break_between(line, len, columns / 2, columns, &depth);

	if (!at) {
		depth = *before;
		at = break_between(line, len, LEAST, columns, &depth);
	}
	*before = depth;
	return at;
}

static size_t columns_of(const char *line, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += line[i] == '\t' ? TAB : 1;
	return n;
}

const char *brief_folded(const char *text, struct arena *a)
{
	struct text out = {.arena = a};
	bool empty = true;

	text_put_bytes(&out, "", 0);
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const int indent = (int)strspn(line, " \t");
		const char *rest = line;
		size_t at, room = COLUMNS, depth = 0;

		end = line + strcspn(line, "\n");
		if (line == end && empty)
			continue;
		empty = line == end;
		while (columns_of(rest, (size_t)(end - rest)) > room &&
		    (at = break_at(rest, (size_t)(end - rest), room, &depth))) {
			text_put(&out, "%.*s\n%.*s    ", (int)at, rest, indent, line);
			rest += at + 1;
			room = COLUMNS - columns_of(line, (size_t)indent) - TAB;
		}
		text_put(&out, "%.*s\n", (int)(end - rest), rest);
	}
	return out.at;
}

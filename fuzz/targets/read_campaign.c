/*
 * read_campaign.c: reads any bytes as campaign.json.  An accepted one is written, and read again as the same text; and
 * it names no engine without a name.  The layout is replaced by that of this build, so that seeds stay good.
 */
#include "reader.h"
#include "state_line.h"

#include <stdio.h>
#include <string.h>

#include "fuzz/campaign/books/setup.h"
#include "graph/text.h"

/* A copy in which the layout is that of this build. */
static char *with_layout(const char *text, size_t len, struct arena *a)
{
	const char key[] = "\"layout\": \"0x";
	enum { DIGITS = 16 };
	char *copy = memcpy(arena_alloc(a, len + 1, 1), text, len), digits[DIGITS + 1], *at = strstr(copy, key);

	snprintf(digits, sizeof digits, "%016llx", (unsigned long long)setup_layout());
	if (at && strlen(at) >= sizeof key - 1 + DIGITS)
		memcpy(at + sizeof key - 1, digits, DIGITS);
	return copy;
}

void reader_campaign(const char *text, size_t len, struct arena *a)
{
	struct campaign_options o = {0}, again = {0};
	struct setup setup, twice;
	struct error e = {0};
	char *first, *second;
	size_t n, m;

	if (!setup_parse(with_layout(text, len, a), len, a, &o, &setup, &e)) {
		if (!e.text[0])
			state_line_abort("campaign: refused without a reason");
		return;
	}
	for (int k = 0; k < o.n_spec; k++)
		if (!*o.spec[k])
			state_line_abort("campaign: an engine without a name");
	first = setup_text(&setup, &o, a, &n);
	if (!setup_parse(first, n, a, &again, &twice, &e))
		state_line_abort("campaign: what was written cannot be read");
	second = setup_text(&twice, &again, a, &m);
	if (n != m || memcmp(first, second, n) != 0)
		state_line_abort("campaign: another text when it is written again");
}

/* errors.c: see errors.h. */
#include "errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void set(
    struct error *e, const char *place, const char *format, va_list list)
{
	if (!e || e->text[0])
		return;
	snprintf(e->place, sizeof e->place, "%s", place ? place : "");
	vsnprintf(e->text, sizeof e->text, format, list);
	if (!e->text[0])
		snprintf(e->text, sizeof e->text, "error");
}

bool error_set(struct error *e, const char *place, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	set(e, place, format, list);
	va_end(list);
	return false;
}

bool error_set_limit(struct error *e, const char *place, const char *format, ...)
{
	const bool first = e && !e->text[0];
	va_list list;

	va_start(list, format);
	set(e, place, format, list);
	va_end(list);
	if (first)
		e->limit = true;
	return false;
}

/* Length of a UTF-8 sequence that may control a terminal: U+0080 to U+009F, U+202A to U+202E, U+2066 to U+2069; else 0.
 */
static int armed_length(const unsigned char *c)
{
	if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)
		return 2;
	if (c[0] == 0xE2 &&
	    ((c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE) || (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9)))
		return 3;
	return c[0] < 0x20 || c[0] == 0x7F;
}

char *text_disarm(char *text, bool lines)
{
	bool begins = true; /* nothing but blanks since the line began; what is not ASCII may be one */

	for (char *c = text; *c; c++) {
		int n = armed_length((const unsigned char *)c);

		if (lines && (*c == '\n' || *c == '\t')) {
			begins = begins || *c == '\n';
			continue;
		}
		if (*c == '\n' || *c == '\t' || *c == '\r') {
			*c = ' ';
			n = 0;
		}
		if ((begins && *c == ':' && c[1] == ':') || (*c == '#' && !strncmp(c, "##[", 3)))
			n = 1;
		for (int k = 0; k < n; k++)
			c[k] = '?';
		begins = begins && (*c == ' ' || (unsigned char)*c >= 0x80);
	}
	return text;
}

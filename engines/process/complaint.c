/* complaint.c: what a process said last on its standard error, for people. */
#include "process.h"

#include <ctype.h>
#include <string.h>

enum {
	COMPLAINT_LINES = 4,
	LONG_FUNCTION = 80 /* characters of a function's name that hide the assertion behind it */
};

/*
 * Cuts the name of the function out of "FILE:LINE: FUNCTION: Assertion `...' failed." if it is long, as those of C++
 * templates are.  They would leave no room for the assertion.
 */
static void cut_function(char *text)
{
	char *end = strstr(text, "Assertion `"), *begin = text;

	if (!end)
		return;
	for (char *c = text; c < end; c++)
		if (*c == '\n')
			begin = c + 1;
	for (char *c = begin; c + 2 < end; c++)
		if (isdigit((unsigned char)c[0]) && c[1] == ':' && c[2] == ' ') {
			begin = c + 3;
			break;
		}
	if (end - begin > LONG_FUNCTION)
		memmove(begin, end, strlen(end) + 1);
}

char *process_complaint(const struct process *p, struct arena *a)
{
	size_t n = p->said < PROCESS_ERRORS ? p->said : PROCESS_ERRORS, first = 0, len = 0;
	char *text = arena_alloc(a, n + 1, 1);
	int lines = 0;

	/* printable, without empty lines and blanks at the ends of lines */
	for (size_t k = 0; k < n; k++) {
		char c = p->last[(p->said - n + k) % PROCESS_ERRORS];

		if ((c == '\n' || c == ' ') && (!len || text[len - 1] == '\n'))
			continue;
		while (c == '\n' && text[len - 1] == ' ')
			len--;
		text[len++] = c == '\n' ? c : c >= ' ' && c <= '~' ? c : '?';
	}
	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	text[len] = '\0';
	for (first = len; first && (text[first - 1] != '\n' || ++lines < COMPLAINT_LINES); first--)
		;
	cut_function(text + first);
	for (char *c = text + first; *c; c++)
		*c = *c == '\n' ? '|' : *c;
	return text + first;
}

/* error.c: see error.h. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *e, const char *place, const char *format, ...)
{
	va_list list;

	if (!e || e->text[0])
		return false;
	snprintf(e->place, sizeof e->place, "%s", place ? place : "");
	va_start(list, format);
	vsnprintf(e->text, sizeof e->text, format, list);
	va_end(list);
	if (!e->text[0])
		snprintf(e->text, sizeof e->text, "error");
	return false;
}

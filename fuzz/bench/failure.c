/* failure.c: see failure.h. */
#include <stdarg.h>
#include <stdio.h>

#include "reports/file.h"
#include "failure.h"

void fail(struct failure *self, const char *format, ...)
{
	va_list args;

	if (self->any)
		return;
	self->any = true;
	va_start(args, format);
	vsnprintf(self->text, sizeof self->text, format, args);
	va_end(args);
}

bool write_or_fail(struct failure *self, const char *dir, const char *name, const char *text, size_t len)
{
	struct error e = {0};

	if (file_write_atomic(dir, name, text, len, &e))
		return true;
	fail(self, "%s", e.text);
	fprintf(stderr, "adjudge: %s; it would be:\n", text_disarm(e.text, false));
	fwrite(text, 1, len, stderr);
	return false;
}

/* campaign_write.c: the files of a campaign, and the failure of ours that ends it. */
#include <stdarg.h>
#include <stdio.h>

#include "../reports/file.h"
#include "campaign_internal.h"

void campaign_fail(struct campaign *self, const char *format, ...)
{
	va_list args;

	if (self->failed)
		return;
	self->failed = true;
	va_start(args, format);
	vsnprintf(self->failure, sizeof self->failure, format, args);
	va_end(args);
}

void campaign_write_file(struct campaign *self, const char *dir, const char *name, const char *text, size_t len)
{
	struct error e = {0};

	if (!self->failed && !file_write_atomic(dir, name, text, len, &e))
		campaign_fail(self, "%s", e.text);
}

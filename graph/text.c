/* text.c: see text.h. */
#include "text.h"
#include "errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_grow(struct text *t, size_t more)
{
	size_t room = t->room ? t->room : 256;

	while (room < t->len + more + 1)
		room *= 2;
	t->at = arena_enlarge(t->arena, t->at, t->room, room);
	t->room = room;
}

void text_put_bytes(struct text *t, const char *bytes, size_t len)
{
	if (t->room - t->len <= len)
		text_grow(t, len);
	memcpy(t->at + t->len, bytes, len);
	t->len += len;
	t->at[t->len] = '\0';
}

void text_put(struct text *t, const char *format, ...)
{
	va_list list, again;
	int n;

	va_start(list, format);
	va_copy(again, list);
	/* Most texts fit, and are printed once. */
	n = vsnprintf(t->at ? t->at + t->len : NULL, t->room - t->len, format, list);
	va_end(list);
	if (n >= 0 && (size_t)n >= t->room - t->len) {
		text_grow(t, (size_t)n);
		vsnprintf(t->at + t->len, (size_t)n + 1, format, again);
	}
	if (n >= 0)
		t->len += (size_t)n;
	va_end(again);
}

char *text_harmless(const char *text, struct arena *a) { return text_disarm(arena_printf(a, "%s", text), false); }

char *text_count(int64_t n, const char *noun, struct arena *a)
{
	return arena_printf(a, "%lld %s%s", (long long)n, noun, n == 1 ? "" : "s");
}

char *text_rate(double per_second, struct arena *a)
{
	return arena_printf(a, "%.*f", per_second > 0 && per_second < 10 ? 2 : 0, per_second);
}

char *text_seen(int64_t n, int64_t first, struct arena *a)
{
	if (!n)
		return arena_printf(a, "met while case %lld was minimized", (long long)first);
	return arena_printf(a, "%s, the first is case %lld", text_count(n, "case", a), (long long)first);
}

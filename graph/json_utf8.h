/* json_utf8.h: the bytes of strings, for the reader and the writer of JSON.  UTF-8 is by RFC 3629. */
#ifndef GRAPH_JSON_UTF8_H
#define GRAPH_JSON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN(c)   ((c) >= ' ' && (c) < 0x7f && (c) != '"' && (c) != '\\')
#define PLAIN4(c)  PLAIN(c), PLAIN((c) + 1), PLAIN((c) + 2), PLAIN((c) + 3)
#define PLAIN16(c) PLAIN4(c), PLAIN4((c) + 4), PLAIN4((c) + 8), PLAIN4((c) + 12)

/* Whether the byte is ASCII and stands for itself in a string. */
static inline bool is_plain(char c)
{
	static const bool plain[256] = {PLAIN16(0), PLAIN16(16), PLAIN16(32), PLAIN16(48), PLAIN16(64), PLAIN16(80),
	    PLAIN16(96), PLAIN16(112)}; /* none from 128 on */

	return plain[(unsigned char)c];
}

/* How many bytes of s, which ends in a NUL, are plain. */
static inline size_t plain_length(const char *s)
{
	size_t n = 0;

	while (is_plain(s[n]))
		n++;
	return n;
}

#undef PLAIN16
#undef PLAIN4
#undef PLAIN

/* Length in bytes of the character at the start of s[n]; 0 if it is overlong, a surrogate, above U+10FFFF or cut off.
 */
static inline size_t utf8_length(const char *s, size_t n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = n ? (unsigned char)s[0] : 0xFF;
	size_t len = c < 0x80 ? 1 : (c & 0xE0) == 0xC0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : (c & 0xF8) == 0xF0 ? 4 : 0;

	if (len <= 1)
		return len;
	if (n < len)
		return 0;
	uint32_t code = c & (0x7Fu >> len);
	for (size_t k = 1; k < len; k++) {
		if (((unsigned char)s[k] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)s[k] & 0x3Fu);
	}
	return code < least[len] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ? 0 : len;
}

#endif

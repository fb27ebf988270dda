/* pattern_text.h: patterns of fine signatures as tests write them. */
#ifndef TESTS_FUZZ_PATTERN_TEXT_H
#define TESTS_FUZZ_PATTERN_TEXT_H

#include <string.h>

#include "fuzz/triage/fine_signature.h"

/* "for+mul": names of ops and roles. */
static struct pattern parse(const char *text)
{
	static const char *const roles[] = {"elementwise", "nonlinear", "write", "index"};
	struct pattern p = {{false}};

	for (size_t len; *text; text += len + (text[len] == '+')) {
		len = strcspn(text, "+");
		for (int i = 0; i < PATTERN_SIZE; i++) {
			const char *name = i < OP_COUNT ? op_table[i].name : roles[i - OP_COUNT];

			p.has[i] = p.has[i] || (strlen(name) == len && !memcmp(name, text, len));
		}
	}
	return p;
}

#endif

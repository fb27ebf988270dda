/*
 * write_outcomes.c: prints a list of outcomes in one format, for test_ci_formats.py.  The texts of the list try to
 * escape from each format.  Usage: write_outcomes FORMAT [FURTHER]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/ci/outcome.h"

static const char *const attacks[] = {
    "::error file=a::b",
    "  ::add-mask::secret",
    "a\n::error::b",
    "a\r\n::stop-commands::b",
    "##[error]x",
    "\x1b[31mred\x1b[0m \x9b"
    "31m \xc2\x9b"
    "31m",
    "]]><failure message=\"x\"/>",
    "</testsuite><script>alert(1)</script>",
    "<script>alert('x')</script> <img src=x onerror=alert(1)>",
    "a | b || c `x` ``` ```` ~~~",
    "[link](https://example.org) ![image](https://example.org/x.png) https://example.org www.example.org @someone #12",
    "ok 1 - fine # SKIP all",
    "# TODO later \\# TODO",
    "Bail out! now",
    "1..0 # SKIP",
    "  ---\n  a: b\n  ...",
    "\"}]}, {\"state\": \"passed\"",
    "%0A::error::x, a:b,c=d",
    "\x01\x02\x07\x08\x0b\x0c\x0e\x1f\x7f",
    "\xff\xfe \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82",
    "\xef\xbf\xbe \xef\xbf\xbf \xf0\x9f\xbf\xbf",
    "\xe2\x80\xa8 \xe2\x80\xa9 \xe2\x80\xae right to left \xe2\x81\xa6",
    "a\tb",
    "--> <!-- <![CDATA[ &amp; &#0; &x; 'y' \"z\"",
    "/etc/passwd",
    "/srv/cases/a.json",
    "../../up/../x y%20z.json",
    "https://example.org/a?b#c",
    "c:/windows",
    "\xf0\x9f\x98\x80 \xc3\xa9",
    "",
};
enum { ATTACKS = sizeof attacks / sizeof *attacks };

int main(int argc, char **argv)
{
	struct arena a;
	struct ci_report r = {.arena = &a, .command = "gate", .shard = "2/4", .root = "/srv/cases", .exit_code = 1};
	const int further = argc > 2 ? atoi(argv[2]) : 0;
	char *long_text;
	struct text t;

	if (argc < 2 || !ci_format_find(argv[1]))
		return 2;
	arena_init(&a, (size_t)1 << 30);
	ci_add_engine(&r, "one", "tool 1.2");
	for (int k = 0; k < ATTACKS; k++)
		ci_add_engine(&r, attacks[k], attacks[(k + 7) % ATTACKS]);
	for (int i = 0; i < further; i++)
		ci_add(&r,
		    (struct ci_outcome){.state = i % 7 == 3 ? CI_KNOWN : CI_NEW,
		        .path = arena_printf(&a, "./cases/%d.json", i),
		        .engine = i % 2 ? "one" : "two",
		        .signature = i % 2 ? "one|vjp|wrong|sign" : "two|vjp|wrong|sign",
		        .verdict = "wrong",
		        .message = "wrong: expected 1, returned -1"});
	for (int s = 0; s < CI_STATES; s++)
		for (int k = 0; k < ATTACKS; k++)
			ci_add(&r,
			    (struct ci_outcome){.state = (enum ci_state)s,
			        .path = attacks[k],
			        .engine = attacks[(k + s) % ATTACKS],
			        .signature = attacks[(k + 2 * s) % ATTACKS],
			        .verdict = k % 3 ? "wrong" : "crash",
			        .message = attacks[(k + 3 * s) % ATTACKS],
			        .link = k % 2 ? attacks[(k + 5 * s) % ATTACKS] : NULL});
	/* Texts of 100,000 bytes; the last character of a text must not be cut. */
	long_text = NEW(&a, char, 100001);
	for (int i = 0; i < 100000; i += 2)
		memcpy(long_text + i, "\xc3\xa9", 2);
	for (int k = 0; k < 2; k++) /* the same twice: two fingerprints */
		ci_add(&r,
		    (struct ci_outcome){CI_NEW, long_text, long_text + k, long_text, long_text, long_text, long_text});
	for (int k = 0; k < ATTACKS; k++)
		ci_add_total(&r, attacks[k]);
	t = ci_write(&r, argv[1]);
	fwrite(t.at, 1, t.len, stdout);
	arena_free(&a);
	return 0;
}

/* versions.c: what built and runs adjudge. */
#include "report.h"

#include <cjson/cJSON.h>
#include <gnu/libc-version.h>
#include <mpfr.h>
#include <string.h>

#ifdef __clang__
#define REPORT_COMPILER "clang " __clang_version__
#else
#define REPORT_COMPILER "gcc " __VERSION__
#endif

const char *const *report_versions(void)
{
	/* filled at run time, because libraries tell their versions only then; every call writes the same pointers */
	static const char *pairs[11];
	const char *const now[11] = {"adjudge", ADJUDGE_VERSION, "mpfr", mpfr_get_version(), "cjson", cJSON_Version(),
	    "libc", gnu_get_libc_version(), "compiler", REPORT_COMPILER, NULL};

	memcpy(pairs, now, sizeof(pairs));
	return pairs;
}

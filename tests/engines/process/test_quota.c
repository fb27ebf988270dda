/* test_quota.c: the limits that the environment sets: numbers, texts that are none, and numbers that are too large. */
#include "engines/process/quota.h"

#include <limits.h>
#include <stdlib.h>

#include "tests/check.h"

static const struct row {
	const char *text;
	int64_t memory, processes, start_ms;
} rows[] = {
    {"", QUOTA_MEMORY, QUOTA_PROCESSES, QUOTA_START_MS},
    {"much", QUOTA_MEMORY, QUOTA_PROCESSES, QUOTA_START_MS},
    {"-1", QUOTA_MEMORY, QUOTA_PROCESSES, QUOTA_START_MS},
    {"7s", QUOTA_MEMORY, QUOTA_PROCESSES, QUOTA_START_MS},
    {"0", 0, 0, 0},
    {"7", 7, 7, 7},
    {"2147483647", INT_MAX, INT_MAX, INT_MAX},
    {"2147483648", (int64_t)INT_MAX + 1, INT_MAX, INT_MAX},
    {"4294967297", (int64_t)UINT_MAX + 2, INT_MAX, INT_MAX},
    {"99999999999999999999", INT64_MAX, INT_MAX, INT_MAX},
};

int main(int argc, char **argv)
{
	static const char *const name[] = {"ADJUDGE_MEMORY_LIMIT", "ADJUDGE_PROCESS_LIMIT", "ADJUDGE_START_LIMIT"};

	check_begin(argc, argv);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct quota got, again;

		if (!row_wanted("quota: %s", rows[i].text))
			continue;
		for (int k = 0; k < 3; k++)
			setenv(name[k], rows[i].text, 1);
		got = quota_now();
		CHECK(got.memory == rows[i].memory && got.processes == rows[i].processes &&
		        got.start_ms == rows[i].start_ms,
		    "'%s': %lld bytes, %lld processes, %lld ms", rows[i].text, (long long)got.memory,
		    (long long)got.processes, (long long)got.start_ms);
		quota_set(&got);
		again = quota_now();
		CHECK(again.memory == got.memory && again.processes == got.processes && again.start_ms == got.start_ms,
		    "'%s': other limits when they are set", rows[i].text);
	}
	return check_done();
}

/* report_index.c: adjudge report DIR: writes the index of a campaign. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/index.h"
#include "commands.h"

bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int report_index(const char *dir, const char *format, struct text *out)
{
	struct error e = {0};
	struct index x;
	size_t len;
	char *json;

	if (!index_read(dir, out->arena, &x, &e)) {
		complain("%s: %s", e.place, e.text);
		return EXIT_BAD_CASE;
	}
	if (!strcmp(format, "json")) {
		json = index_json(&x, out->arena, &len);
		text_put_bytes(out, json, len);
	} else if (!strcmp(format, "html")) {
		index_html(out, &x);
	} else if (!strcmp(format, "markdown") || !strcmp(format, "text")) {
		index_markdown(out, &x);
	} else {
		complain("report: no index as '%s': json, markdown or html", format);
		return EXIT_USAGE;
	}
	return x.n_report ? EXIT_NO_FINDING : EXIT_NOTHING;
}

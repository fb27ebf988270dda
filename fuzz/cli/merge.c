/* merge.c: adjudge merge: joins campaigns. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/merge/merge.h"

int command_merge(int argc, char **argv)
{
	struct merge_options merge = {0};
	struct naming names;
	struct texts specs = {0};
	struct arena texts;
	const char *engines = NULL;
	bool json = false;
	const struct option_row rows[] = {
	    {"out", OPTION_TEXT, &merge.out, "DIR", "write the merge here; an earlier merge there is added to"},
	    {"engine", OPTION_TEXTS, &specs, ENGINE_ARGUMENT,
	        "an engine from outside that shards name and that may be started; may be repeated"},
	    {"engines", OPTION_TEXT, &engines, "FILE", "names of such engines (adjudge.engines/1)"},
	    {"by-name", OPTION_FLAG, &merge.by_name, NULL,
	        "ask no engine: join findings of shards by their names alone"},
	    {"json", OPTION_FLAG, &json, NULL, "print the summary as JSON"},
	};
	const struct options o = {"merge", "DIR... --out DIR [OPTION]...",
	    "Joins campaigns, such as shards or nights: findings of one bug become one, counts are added, and\n"
	    "corpora are joined, without cases whose features smaller ones have.  A campaign counts once,\n"
	    "however often it is merged, and the order does not matter.  A campaign that still runs, or was\n"
	    "killed, counts as far as it got.\n"
	    "The failing cases of shards are sorted into findings again, as one campaign would: the engines are\n"
	    "asked for that, and it takes as long as one campaign would minimize.  --by-name takes no time.\n"
	    "The directory can be given to `report` and to `fuzz --corpus`, its findings/ to `gate`.\n"
	    "Example: adjudge merge shard-1 shard-2 --out all && adjudge report all\n"
	    "Exit status: that of one campaign with all these cases: 0 no finding, 1 a finding, 5 nothing was\n"
	    "decided about an engine, or less than --min-decided of the campaigns, 6 only findings that did not\n"
	    "come again; 3 a directory holds no campaign, 4 our own or the machine's failure.\n",
	    rows, sizeof rows / sizeof *rows, 1, -1};
	struct campaign_end end;
	struct error e = {0};
	char **dir, *warnings;
	int n, code = options_parse(&o, argc, argv, &dir, &n);

	if (code >= 0)
		return code;
	if (!merge.out) {
		complain("merge: --out is missing");
		fputs("Try 'adjudge merge --help'.\n", stderr);
		return EXIT_USAGE;
	}
	arena_init(&texts, COMMAND_ARENA);
	code = naming_apply("merge", engines, true, &names, &texts, &specs, NULL, 0);
	if (code >= 0) {
		arena_free(&texts);
		return code;
	}
	merge.engine = specs.at;
	merge.n_engine = specs.n;
	stop_on_signals();
	code = merge_campaigns((const char *const *)dir, n, &merge, &end, &warnings, &e);
	if (stop_requested() && !end.summary)
		code = complain_about_stop("merge");
	if (*warnings)
		fprintf(stderr, "adjudge: merge: these campaigns differ:\n%s", warnings);
	if (*e.text)
		complain("merge: %s%s%s", e.place, *e.place ? ": " : "", e.text);
	else if (*end.failure)
		complain("%s", end.failure);
	if (end.summary && end.text)
		fputs(json ? end.summary : end.text, stdout);
	free(warnings);
	free(end.summary);
	free(end.text);
	arena_free(&texts);
	return code;
}

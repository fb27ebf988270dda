/* options.c: see options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "graph/errors.h"
#include "graph/json.h"
#include "completion.h"

enum { ROWS = 48, FIRST_CODE = 256 };

void complain(const char *format, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	fprintf(stderr, "adjudge: %s\n", text_disarm(text, false));
}

static void print_help(const struct options *o)
{
	printf("Usage: adjudge %s %s\n\n%s\nOptions:\n", o->command, o->usage, o->summary);
	for (int i = 0; i < o->n_row; i++) {
		char left[64];

		snprintf(left, sizeof left, "--%s%s%s", o->row[i].name, o->row[i].argument ? " " : "",
		    o->row[i].argument ? o->row[i].argument : "");
		printf("  %-22s %s\n", left, o->row[i].help);
	}
	printf("  %-22s %s\n", "--help", "this text");
}

static int bad_usage(const struct options *o)
{
	fprintf(stderr, "Try 'adjudge %s --help'.\n", o->command);
	return EXIT_USAGE;
}

static bool texts_have(const struct texts *list, const char *text)
{
	for (int i = 0; i < list->n; i++)
		if (!strcmp(list->at[i], text))
			return true;
	return false;
}

bool texts_add(struct texts *list, const char *text)
{
	if (texts_have(list, text))
		return true;
	if (list->n == OPTIONS_TEXTS)
		return false;
	list->at[list->n++] = text;
	return true;
}

static bool parse_unsigned(const char *text, int base, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, base);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

static bool parse_duration(const char *text, double *out)
{
	static const struct {
		const char *suffix;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
	char *end;

	*out = strtod(text, &end);
	if (end == text || !isfinite(*out) || *out < 0)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].suffix)) {
			*out *= units[i].seconds;
			return true;
		}
	return false;
}

static bool parse_size(const char *text, int64_t *out)
{
	static const char suffixes[] = "KMGT";
	char digits[32];
	size_t n = strspn(text, "0123456789");
	const char *suffix = text[n] ? strchr(suffixes, text[n]) : NULL;
	const int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;
	uint64_t u;

	if (n >= sizeof digits || (text[n] && (!suffix || text[n + 1])))
		return false;
	snprintf(digits, sizeof digits, "%.*s", (int)n, text);
	if (!parse_unsigned(digits, 10, &u) || u > (uint64_t)JSON_EXACT >> shift)
		return false;
	*out = (int64_t)(u << shift);
	return true;
}

/* Draws a seed, and says which, so that the run can be repeated. */
static bool draw_seed(uint64_t *out)
{
	if (getrandom(out, sizeof *out, 0) != sizeof *out)
		return false;
	fprintf(stderr, "adjudge: seed 0x%016llx\n", (unsigned long long)*out);
	return true;
}

static const char *const value_wanted[] = {
    [OPTION_FLAG] = "no value",
    [OPTION_TEXT] = "a name",
    [OPTION_ONCE] = "one value and no second one",
    [OPTION_TEXTS] = "at most 64 different ones",
    [OPTION_NUMBER] = "an integer from 0 to 2^53",
    [OPTION_PERCENT] = "an integer from 0 to 100",
    [OPTION_SEED] = "an integer of 64 bits, decimal or 0x hexadecimal, or the word fresh",
    [OPTION_DURATION] = "a positive time such as 90s, 10m, 8h",
    [OPTION_LIMIT] = "a time such as 90s, 10m, 8h, or 0 for no limit",
    [OPTION_SIZE] = "a size such as 512M or 4G, at most 8192T, or 0 for no limit",
};

static bool take_value(const struct option_row *r, const char *text)
{
	bool hexadecimal;
	uint64_t u;

	switch (r->kind) {
	case OPTION_FLAG:
		*(bool *)r->out = true;
		return true;
	case OPTION_TEXT:
		*(const char **)r->out = text;
		return *text || (strcmp(r->argument, "FILE") && strcmp(r->argument, "DIR"));
	case OPTION_ONCE:
		if (*(const char **)r->out)
			return !strcmp(*(const char **)r->out, text);
		*(const char **)r->out = text;
		return true;
	case OPTION_TEXTS:
		return texts_add(r->out, text);
	case OPTION_NUMBER:
	case OPTION_PERCENT:
		if (!parse_unsigned(text, 10, &u) || u > (r->kind == OPTION_PERCENT ? 100 : JSON_EXACT))
			return false;
		*(int64_t *)r->out = (int64_t)u;
		return true;
	case OPTION_SEED:
		if (!strcmp(text, "fresh"))
			return draw_seed(r->out);
		/* Base 10, not 0, because 010 means ten. */
		hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
		return parse_unsigned(text, hexadecimal ? 16 : 10, r->out);
	case OPTION_DURATION:
	case OPTION_LIMIT:
		return parse_duration(text, r->out) && (r->kind == OPTION_LIMIT || *(double *)r->out > 0);
	case OPTION_SIZE:
		return parse_size(text, r->out);
	}
	return false;
}

/* Names the option that getopt refused. getopt only tells where it stands. */
static void complain_about_option(const struct options *o, const char *given)
{
	const char *names[ROWS + 1], *near;
	char word[64];

	if (given[0] != '-' || given[1] != '-') {
		complain("%s: unknown option %s; all options are long ones", o->command, given);
		return;
	}
	snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
	for (int i = 0; i < o->n_row; i++) {
		names[i] = o->row[i].name;
		if (!strcmp(word, names[i])) {
			complain("%s: option --%s takes no value", o->command, word);
			return;
		}
	}
	names[o->n_row] = "help";
	near = json_nearest(word, names, o->n_row + 1);
	complain("%s: unknown or ambiguous option --%s%s%s%s", o->command, word, near ? "; did you mean --" : "",
	    near ? near : "", near ? "?" : "");
}

int options_parse(const struct options *o, int argc, char **argv, char ***operands, int *n_operand)
{
	struct option list[ROWS + 2] = {{0}};
	const struct completion_shell *shell;
	int code;

	for (int i = 0; i < o->n_row; i++)
		list[i] = (struct option){
		    o->row[i].name, o->row[i].argument ? required_argument : no_argument, NULL, FIRST_CODE + i};
	list[o->n_row] = (struct option){"help", no_argument, NULL, 'h'};
	if (argc == 2 && !strncmp(argv[1], COMPLETION_ASK, strlen(COMPLETION_ASK)) &&
	    (shell = completion_shell_find(argv[1] + strlen(COMPLETION_ASK)))) {
		shell->put(o);
		return EXIT_NO_FINDING;
	}
	opterr = 0;
	optind = 1;
	while ((code = getopt_long(argc, argv, ":h", list, NULL)) != -1) {
		const struct option_row *r;

		if (code == 'h') {
			print_help(o);
			return EXIT_NO_FINDING;
		}
		if (code == '?') {
			complain_about_option(o, argv[optind - 1]);
			return bad_usage(o);
		}
		if (code == ':') {
			complain("%s: option %s needs a value", o->command, argv[optind - 1]);
			return bad_usage(o);
		}
		r = &o->row[code - FIRST_CODE];
		if (o->given)
			o->given[code - FIRST_CODE] = true;
		if (!take_value(r, optarg)) {
			complain("%s: bad value '%s' for --%s, which needs %s", o->command, optarg ? optarg : "",
			    r->name, value_wanted[r->kind]);
			return bad_usage(o);
		}
	}
	*operands = argv + optind;
	*n_operand = argc - optind;
	if (*n_operand < o->min_operands || (o->max_operands >= 0 && *n_operand > o->max_operands)) {
		complain(
		    "%s: %s", o->command, *n_operand < o->min_operands ? "an operand is missing" : "too many operands");
		return bad_usage(o);
	}
	return -1;
}

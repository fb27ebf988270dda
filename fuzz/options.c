/* options.c: see options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 32, FIRST_CODE = 256 };

void complain(const char *format, ...)
{
	va_list ap;

	fputs("adjudge: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
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
	if (end == text || !isfinite(*out) || *out <= 0)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].suffix)) {
			*out *= units[i].seconds;
			return true;
		}
	return false;
}

static bool take_value(const struct option_row *r, const char *text)
{
	struct texts *list;
	uint64_t u;

	switch (r->kind) {
	case OPTION_FLAG:
		*(bool *)r->out = true;
		return true;
	case OPTION_TEXT:
		*(const char **)r->out = text;
		return true;
	case OPTION_TEXTS:
		list = r->out;
		if (list->n == OPTIONS_TEXTS)
			return false;
		list->at[list->n++] = text;
		return true;
	case OPTION_NUMBER:
		if (!parse_unsigned(text, 10, &u) || u > INT64_MAX)
			return false;
		*(int64_t *)r->out = (int64_t)u;
		return true;
	case OPTION_SEED:
		return parse_unsigned(text, 0, r->out);
	case OPTION_DURATION:
		return parse_duration(text, r->out);
	}
	return false;
}

int options_parse(const struct options *o, int argc, char **argv, char ***operands, int *n_operand)
{
	struct option list[ROWS + 2] = {{0}};
	int code;

	for (int i = 0; i < o->n_row && i < ROWS; i++)
		list[i] = (struct option){o->row[i].name, o->row[i].argument ? required_argument : no_argument, NULL, FIRST_CODE + i};
	list[o->n_row] = (struct option){"help", no_argument, NULL, 'h'};
	opterr = 0;
	optind = 1;
	while ((code = getopt_long(argc, argv, ":h", list, NULL)) != -1) {
		const struct option_row *r;

		if (code == 'h') {
			print_help(o);
			return EXIT_NO_FINDING;
		}
		if (code == '?') {
			complain("%s: unknown or ambiguous option %s", o->command, argv[optind - 1]);
			return bad_usage(o);
		}
		if (code == ':') {
			complain("%s: option %s needs a value", o->command, argv[optind - 1]);
			return bad_usage(o);
		}
		r = &o->row[code - FIRST_CODE];
		if (!take_value(r, optarg)) {
			complain("%s: bad value '%s' for --%s", o->command, optarg ? optarg : "", r->name);
			return bad_usage(o);
		}
	}
	*operands = argv + optind;
	*n_operand = argc - optind;
	if (*n_operand < o->min_operands || (o->max_operands >= 0 && *n_operand > o->max_operands)) {
		complain("%s: %s", o->command, *n_operand < o->min_operands ? "an operand is missing" : "too many operands");
		return bad_usage(o);
	}
	return -1;
}

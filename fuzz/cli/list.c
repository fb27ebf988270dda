/* list.c: adjudge engines, ops, and the hidden worker. */
#include <stdio.h>

#include "graph/json.h"
#include "commands.h"

void listing_begin(struct listing *l, const char *schema)
{
	arena_init(&l->arena, COMMAND_ARENA);
	l->w = schema ? json_document(&l->arena, schema) : json_writer_new(&l->arena, true);
	if (!schema)
		json_begin_array(&l->w, JSON_BLOCK);
}

/* Parses the options of a command whose only option is --json.  -1 with an array begun, or an exit code. */
static int begin_command(struct listing *l, const char *command, const char *summary, int argc, char **argv)
{
	const struct option_row rows[] = {{"json", OPTION_FLAG, &l->json, NULL, "print JSON"}};
	const struct options o = {command, "[--json]", summary, rows, 1, 0, 0};
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	listing_begin(l, NULL);
	return -1;
}

int listing_end(struct listing *l)
{
	size_t len;

	json_end(&l->w);
	if (l->json)
		fputs(json_finish(&l->w, &len), stdout);
	arena_free(&l->arena);
	return EXIT_NO_FINDING;
}

enum { ARGUMENT_TEXT = 80 };

/* Writes an argument of an engine as its spec has it.  Returns text. */
static const char *argument_print(const struct engine_option *o, char text[ARGUMENT_TEXT])
{
	if (o->flag)
		snprintf(text, ARGUMENT_TEXT, "%s", o->name);
	else
		snprintf(text, ARGUMENT_TEXT, "%s=INTEGER (%d to %d)", o->name, o->low, o->high);
	return text;
}

static void list_arguments(struct listing *l, const struct engine_option *o)
{
	char text[ARGUMENT_TEXT];
	const char *before = "arguments: ";

	json_member_array(&l->w, "arguments", JSON_FLOW);
	for (; o && o->name; o++, before = ", ") {
		json_put_string(&l->w, argument_print(o, text));
		if (!l->json)
			printf("%s%s%s", *before == 'a' ? "                        " : "", before, text);
	}
	json_end(&l->w);
	if (!l->json && *before == ',')
		putchar('\n');
}

int command_engines(int argc, char **argv)
{
	struct listing l = {0};
	int code = begin_command(&l, "engines", "Lists the built-in engines; all of them are right.\n", argc, argv);

	if (code >= 0)
		return code;
	for (int i = 0; engine_names[i]; i++) {
		const struct engine_kind *k = engine_kind_find(engine_names[i]);

		json_begin_object(&l.w, JSON_FLOW);
		json_member_string(&l.w, "name", k->name);
		json_member_string(&l.w, "summary", k->summary);
		json_member_string(&l.w, "modelled_on", k->modelled_on);
		json_member_bool(&l.w, "jvp", k->jvp);
		json_member_bool(&l.w, "vjp", k->vjp);
		json_member_bool(&l.w, "jvp_over_vjp", k->jvp || k->jvp_over_vjp);
		json_member_integer(&l.w, "order", k->order ? k->order : 1);
		json_member_bool(&l.w, "batch", k->batch);
		json_member_bool(&l.w, "isolated", k->isolated);
		if (!l.json)
			printf("%-14s %-3s %-3s order %d %-5s  %s (%s)\n", k->name, k->jvp ? "jvp" : "",
			    k->vjp ? "vjp" : "", k->order ? k->order : 1, k->batch ? "batch" : "", k->summary,
			    k->modelled_on);
		list_arguments(&l, k->option);
		json_end(&l.w);
	}
	return listing_end(&l);
}

static void put_dtypes(struct json_writer *w, unsigned mask)
{
	static const struct {
		unsigned bit;
		const char *name;
	} classes[] = {{MASK_FLOAT, "float"}, {MASK_INT, "integer"}, {MASK_BOOL, "bool"}};

	json_member_array(w, "dtypes", JSON_FLOW);
	for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
		if (mask & classes[k].bit)
			json_put_string(w, classes[k].name);
	json_end(w);
}

int command_ops(int argc, char **argv)
{
	struct listing l = {0};
	int code = begin_command(&l, "ops", "Lists the operations of programs.\n", argc, argv);

	if (code >= 0)
		return code;
	for (int op = 0; op < OP_COUNT; op++) {
		const struct op_info *i = &op_table[op];

		json_begin_object(&l.w, JSON_FLOW);
		json_member_string(&l.w, "name", i->name);
		json_member_integer_if(&l.w, "operands", i->n_arg >= 0, i->n_arg); /* null: any number from 1 */
		put_dtypes(&l.w, i->dtypes);
		json_member_string(&l.w, "family", family_names[i->family]);
		json_member_string(&l.w, "regularity", regularity_names[i->regularity]);
		json_member_string(&l.w, "meaning", i->meaning);
		json_end(&l.w);
		if (!l.json)
			printf("%-22s %-14s %s\n", i->name, family_names[i->family], i->meaning);
	}
	return listing_end(&l);
}

int command_worker(int argc, char **argv)
{
	const char *spec = NULL, *command = NULL, *path = NULL;
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXT, &spec, "SPEC", "the built-in engine that answers"},
	    {"exec", OPTION_TEXT, &command, "COMMAND", "run this command instead; it ends with its parent"},
	    {"library", OPTION_TEXT, &path, "PATH", "the shared object that answers"},
	};
	const struct options o = {"worker", "--engine SPEC | --exec COMMAND | --library PATH",
	    "Speaks the protocol for engines in other processes: a hello, then one answer for each request, one\n"
	    "JSON line each, until end of file.\n",
	    rows, 3, 0, 0};
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	if (!!spec + !!command + !!path != 1) {
		complain("worker: needs one of --engine, --exec and --library");
		return EXIT_USAGE;
	}
	return spec ? engine_worker(spec) : path ? engine_worker_library(path) : engine_worker_exec(command);
}

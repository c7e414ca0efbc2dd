/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_schema.c - cinstr schema: JSON Schemas of what verbs print. */

#include "cmd.h"
#include "lib/util.h"
#include "schema.h"

static void list_verb(void *arg, const char *verb)
{
	struct strbuf *text = arg;

	strbuf_printf(text, "%s%s", text->length ? ", " : "", verb);
}

static int say_none(const char *verb)
{
	STRBUF(known);

	schema_each_verb(list_verb, &known);
	return error_usage("schema: %s has no --format=json; there are schemas of %s", verb, known.text);
}

static int run(const struct command *self, int argc, char **argv)
{
	int n_operands;
	enum options_result result = options_parse(self, argc, argv, NULL, &n_operands);
	const struct command *command = NULL;

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (n_operands && !(command = command_find(argv[1])))
		return STATUS_USAGE;
	if (command && !schema_has(command->name))
		return say_none(command->name);
	schema_write(stdout, command ? command->name : NULL);
	return STATUS_OK;
}

const struct command command_schema = {
	.name = "schema",
	.operands = "[COMMAND]",
	.summary = "Shows the JSON Schema of what a command prints with --format=json,\n"
		   "by the rules of 2020-12; without COMMAND one schema of all commands.",
	.max_operands = 1,
	.examples = "  cinstr schema report > report.schema.json\n"
		    "  cinstr report --format=json > report.json\n"
		    "  python3 -m jsonschema -i report.json report.schema.json\n"
		    "  cinstr schema | jq '.[\"$defs\"].row.properties.cpu_exclusive_ns'\n",
	.run = run,
};

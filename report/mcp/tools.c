/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools.h"

#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"
#include "session/session.h"

#define SCHEMA_DEPTH 4

const struct tool_number_range tool_numbers[N_NUMBERS] = {
	[NUMBER_LIMIT] = { 50, 1, 1000 },
	[NUMBER_OFFSET] = { 0, 0, 100000000 },
	[NUMBER_BYTES] = { 20000, 2000, 1000000 },
	[NUMBER_SECONDS] = { 60, 1, 3600 },
};

#define SESSION_HELP "the session: a folder or file, below a folder that the server was started for"
#define SESSION \
	{ \
		.name = "session", .type = ARGUMENT_SESSION, .help = SESSION_HELP, .fallback = INPUT_DEFAULT \
	}
#define BYTES \
	{ \
		.name = "max_bytes", .type = ARGUMENT_NUMBER, .help = "most bytes of the answer", \
		.number = NUMBER_BYTES \
	}
#define PAGE \
	{ .name = "limit", \
	  .type = ARGUMENT_NUMBER, \
	  .help = "most rows of the answer", \
	  .number = NUMBER_LIMIT }, \
		{ .name = "offset", \
		  .type = ARGUMENT_NUMBER, \
		  .help = "rows to leave out first: next_offset of the page before", \
		  .number = NUMBER_OFFSET }, \
		BYTES
#define TEXT(argument, verb_option, text) \
	{ \
		.name = argument, .type = ARGUMENT_TEXT, .option = verb_option, .help = text \
	}
#define WORD(argument, verb_option, list, text) \
	{ \
		.name = argument, .type = ARGUMENT_WORD, .option = verb_option, .words = list, .help = text \
	}
#define FLAG(argument, verb_option, text) \
	{ \
		.name = argument, .type = ARGUMENT_FLAG, .option = verb_option, .help = text \
	}
#define FUNCTION(required, text) \
	{ \
		.name = "function", .type = ARGUMENT_OPERAND, .help = text, .is_required = required \
	}
#define FILTERS \
	TEXT("process", "--process", \
	     "only processes of these names or numbers: globs, GLOB,GLOB; !GLOB: not"), \
		TEXT("thread", "--thread", "only threads of these names or numbers, likewise"), \
		TEXT("module", "--module", "only what is in these executables and libraries, likewise"), \
		TEXT("from", "--from", "only from here on: 12.5s, 300ms since the start, or a mark"), \
		TEXT("to", "--to", "only up to here"), \
		FLAG("just_my_code", "--just-my-code", \
		     "calls among the system's libraries are one function, [External Code]")
#define COLUMNS TEXT("columns", "--columns", "the columns of rows, names with commas; all: each there is")
#define MEASURE \
	WORD("measure", "--measure", "time|instructions", \
	     "instructions: executed ones, exactly, of programs built for that")
#define BY "function|module|thread|thread-name|process|line|site|address|mark|rank|host|job"
#define DIFF_BY "function|line|module|path|site|address"

static const struct tool_argument record_arguments[] = {
	{ .name = "program", .type = ARGUMENT_OPERAND, .help = "what to run", .is_required = 1 },
	{ .name = "args", .type = ARGUMENT_TEXTS, .help = "its arguments" },
	{ .name = "session",
	  .type = ARGUMENT_SESSION,
	  .option = "--output",
	  .help = "where to record; one that is there is kept as NAME.old",
	  .fallback = INPUT_DEFAULT },
	FLAG("sample", "--sample",
	     "take samples of a program as it is; without it the program must have been built with the "
	     "plugin"),
	FLAG("full", "--full", "time every call, whatever that costs"),
	TEXT("only", "--only", "record only functions of these names: globs"),
	{ .name = "time_limit_s",
	  .type = ARGUMENT_NUMBER,
	  .help = "the program is asked to end after so many seconds",
	  .number = NUMBER_SECONDS },
};
static const struct tool_argument summary_arguments[] = { SESSION, FILTERS, BYTES };
static const struct tool_argument findings_arguments[] = { SESSION, FILTERS, PAGE };
static const struct tool_argument report_arguments[] = {
	SESSION,
	WORD("by", "--by", BY, "what a row stands for; function without it"),
	TEXT("sort", "--sort", "the column that rows are in order of, NAME or NAME:asc"),
	TEXT("function", "--function", "only these functions: globs"),
	COLUMNS,
	MEASURE,
	FILTERS,
	PAGE,
};
static const struct tool_argument callers_arguments[] = {
	SESSION,
	FUNCTION(1, "a name, with or without scopes and arguments, or a glob"),
	FLAG("sites", "--sites", "a row for each place that calls, with its line"),
	COLUMNS,
	MEASURE,
	FILTERS,
	PAGE,
};
static const struct tool_argument annotate_arguments[] = {
	SESSION,
	FUNCTION(1, "a function, or a source file"),
	FLAG("all", "--all", "all lines, not only those around lines with values"),
	COLUMNS,
	MEASURE,
	FILTERS,
	PAGE,
};
static const struct tool_argument waits_arguments[] = { SESSION, PAGE };
static const struct tool_argument diff_arguments[] = {
	{ .name = "a",
	  .type = ARGUMENT_SESSIONS,
	  .help = "the sessions before; several runs tell what is noise",
	  .is_required = 1 },
	{ .name = "b", .type = ARGUMENT_SESSIONS, .help = "the sessions after", .is_required = 1 },
	WORD("by", "--by", DIFF_BY, "what a row stands for; function without it"),
	TEXT("column", "--column", "what is compared, without it elapsed_exclusive: calls needs no luck"),
	FLAG("relative", "--relative", "compare shares of the whole"),
	COLUMNS,
	MEASURE,
	FILTERS,
	PAGE,
};
static const struct tool_argument explain_arguments[] = {
	{ .name = "id",
	  .type = ARGUMENT_TEXT,
	  .option = "--explain",
	  .help = "a finding's id, as CF0102; all: each there is",
	  .is_required = 1 },
	BYTES,
};

static const char *const json_options[] = { "--format=json", NULL };
static const char *const findings_options[] = { "--format=json", "--findings", NULL };
static const char *const summary_options[] = { "--format=json", "--limit=5", NULL };
static const char *const explain_options[] = { "--width=100", NULL };
static const char *const record_options[] = { NULL };
static const char *const short_session[] = {
	"method",
	"command_line",
	"duration_ns",
	"elapsed_inclusive_ns",
	"cpu_inclusive_ns",
	"off_cpu_ns",
	"processes",
	"threads",
	"samples",
	"event",
	"interval",
	"interval_unit",
	"thin",
	"counted_calls",
	"lost_events",
	"lost_threads",
	"samples_lost",
	"died",
	"live",
	"filter",
	"raw",
	"probe_overhead_ns",
	"instructions",
	NULL,
};
static const char *const summary_keeps[] = {
	"session",  "findings",	     "time",	      "thread_groups",
	"hot_path", "cpu_exclusive", "waiting_sites", "exclusive_samples",
	"modules",  "waits",	     "recording",     "advice",
	NULL,
};

#define ARGUMENTS(list) .arguments = (list), .n_arguments = ARRAY_SIZE(list)

const struct tool tools[] = {
	{ .name = "summary",
	  .title = "Summary of a session",
	  .description = "Ask this first. Who computes, who waits, what takes most time, what could be "
			 "saved (findings), what the recording is worth (recording, advice).",
	  .command = &command_summary,
	  .options = summary_options,
	  ARGUMENTS(summary_arguments),
	  .keeps = summary_keeps },
	{ .name = "findings",
	  .title = "Findings on the program",
	  .description =
		  "What takes time in the program that could be saved, those about most first: text, place "
		  "in the source, time, and the most that could be saved (bound_percent) or what likely is "
		  "(estimate_low_percent to estimate_high_percent). An empty list: no rule applies.",
	  .command = &command_summary,
	  .options = findings_options,
	  ARGUMENTS(findings_arguments),
	  .list = "findings" },
	{ .name = "report",
	  .title = "Functions, lines, threads with their time",
	  .description = "Calls and times, or samples: a row for each function, line, thread, call site "
			 "and the like, those that compute most first.",
	  .command = &command_report,
	  .options = json_options,
	  ARGUMENTS(report_arguments),
	  .session_keeps = short_session,
	  .list = "rows",
	  .hidden = "rows_hidden",
	  .takes_limit = 1 },
	{ .name = "callers",
	  .title = "Who called a function, and what it called",
	  .description = "Rows of type caller, root (the function itself) and callee, with the time of "
			 "these calls.",
	  .command = &command_callers,
	  .options = json_options,
	  ARGUMENTS(callers_arguments),
	  .session_keeps = short_session,
	  .list = "rows" },
	{ .name = "annotate",
	  .title = "Source lines with their time",
	  .description = "The source of a function with the values of each line, and what was called "
			 "from there.",
	  .command = &command_annotate,
	  .options = json_options,
	  ARGUMENTS(annotate_arguments),
	  .session_keeps = short_session,
	  .list = "sources.lines" },
	{ .name = "waits",
	  .title = "Locks and other waits",
	  .description = "What threads waited for, where, for how long, and who held or signalled it.",
	  .command = &command_waits,
	  .options = json_options,
	  ARGUMENTS(waits_arguments),
	  .list = "waits" },
	{ .name = "diff",
	  .title = "What changed between sessions",
	  .description = "Compares session A with B, or several runs of each, the largest changes first. "
			 "With one run on each side times are not known to differ by more than chance.",
	  .command = &command_diff,
	  .options = json_options,
	  ARGUMENTS(diff_arguments),
	  .list = "rows",
	  .hidden = "rows_beyond_limit",
	  .takes_limit = 1 },
	{ .name = "explain",
	  .title = "What a finding means",
	  .description = "Of a finding's id: what is measured, why it matters, what people do about it, "
			 "and when it is a false alarm.",
	  .command = &command_summary,
	  .options = explain_options,
	  ARGUMENTS(explain_arguments),
	  .is_plain_text = 1 },
	{ .name = "record",
	  .title = "Run a program and record it",
	  .description = "Runs a program in the server's folder and records it into a session. Build it "
			 "with the plugin first (gcc -O2 -g $(cinstr --cflags)), or take samples of it.",
	  .command = &command_record,
	  .options = record_options,
	  ARGUMENTS(record_arguments),
	  .runs_programs = 1 },
};
const size_t n_tools = ARRAY_SIZE(tools);

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; i < n_tools; i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

/* ---- schemas --------------------------------------------------------------------------------- */

static void put_words(struct json_object *schema, const char *words)
{
	struct json_object *list = json_add_list(schema, "enum");

	while (*words) {
		size_t n = strcspn(words, "|");

		json_object_array_add(list, json_object_new_string_len(words, (int)n));
		words += n + (words[n] == '|');
	}
}

static void put_number(struct json_object *schema, const struct tool_number_range *range)
{
	json_add_text(schema, "type", "integer");
	json_add_count(schema, "minimum", range->least);
	json_add_count(schema, "maximum", range->most);
	json_add_count(schema, "default", range->fallback);
}

static void put_argument(struct json_object *properties, const struct tool_argument *argument)
{
	struct json_object *schema = json_add_object(properties, argument->name);

	switch (argument->type) {
	case ARGUMENT_SESSIONS:
	case ARGUMENT_TEXTS:
		json_add_text(schema, "type", "array");
		json_add_text(json_add_object(schema, "items"), "type", "string");
		if (argument->type == ARGUMENT_SESSIONS)
			json_add_count(schema, "minItems", 1);
		break;
	case ARGUMENT_FLAG:
		json_add_text(schema, "type", "boolean");
		break;
	case ARGUMENT_NUMBER:
		put_number(schema, &tool_numbers[argument->number]);
		break;
	default:
		json_add_text(schema, "type", "string");
		if (argument->words)
			put_words(schema, argument->words);
		if (argument->fallback)
			json_add_text(schema, "default", argument->fallback);
		break;
	}
	json_add_text(schema, "description", argument->help);
}

/* Adds the schema of the answers to a call, if the verb's JSON has one: of the outermost object
 * only, as clients may hand all of it to a model. */
static void put_output(struct json_object *object, const struct tool *tool)
{
	struct json_object *schema, *properties;
	const char *problem;
	char *text = NULL;
	size_t n = 0;
	FILE *out;

	if (tool->is_plain_text || !schema_has(tool->command->name) || !(out = open_memstream(&text, &n)))
		return;
	schema_write_outermost(out, tool->command->name);
	fclose(out);
	properties = json_read(text, n, SCHEMA_DEPTH, &problem);
	free(text);
	json_add_text(json_add_object(properties, "answer"), "type", "object");
	schema = json_add_object(object, "outputSchema");
	json_add_text(schema, "type", "object");
	json_object_object_add(schema, "properties", properties);
	json_add_flag(schema, "additionalProperties", 0);
}

void tool_describe(const struct tool *tool, struct json_object *list)
{
	struct json_object *object = json_append_object(list), *schema, *properties, *hints;
	struct json_object *required = json_object_new_array();

	json_add_text(object, "name", tool->name);
	json_add_text(object, "title", tool->title);
	json_add_text(object, "description", tool->description);
	schema = json_add_object(object, "inputSchema");
	json_add_text(schema, "type", "object");
	properties = json_add_object(schema, "properties");
	for (size_t i = 0; i < tool->n_arguments; i++) {
		put_argument(properties, &tool->arguments[i]);
		if (tool->arguments[i].is_required)
			json_append_text(required, tool->arguments[i].name);
	}
	json_object_object_add(schema, "required", required);
	json_add_flag(schema, "additionalProperties", 0);
	put_output(object, tool);
	hints = json_add_object(object, "annotations");
	json_add_flag(hints, "readOnlyHint", !tool->runs_programs);
	json_add_flag(hints, "openWorldHint", tool->runs_programs);
}

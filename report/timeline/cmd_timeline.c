/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_timeline.c - cinstr timeline: the events of a session in order of time, one per line.
 * event_lines.c formats the lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event_lines.h"
#include "lib/array.h"
#include "lib/files.h"
#include "samples_timeline.h"
#include "view/view.h"
#include "selection/selection_state.h"

struct timeline_options {
	const char *events, *min_duration, *output, *sort, *columns;
	uint64_t depth, limit;
	int format; /* enum output_format_number */
	struct terminal_options terminal;
	struct names_options names;
	struct selection selection;
};

#define NO_LIMIT UINT64_MAX
#define KIND(kind) (1u << (kind))

static const struct option timeline_options[] = {
	{ "events", 'e', OPTION_TEXT, "LIST", offsetof(struct timeline_options, events),
	  "which, of: enter, exit, call, return (functions without probes), line, mark, pause, lost, "
	  "thread, process; os: those that end a time in which the operating system acted; all",
	  "all but line" },
	{ "min-duration", 'm', OPTION_TEXT, "TIME", offsetof(struct timeline_options, min_duration),
	  "leave out calls that are shorter (10us, 1ms)", NULL },
	{ "depth", 'd', OPTION_NUMBER, "N", offsetof(struct timeline_options, depth),
	  "leave out calls below N others", NULL },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct timeline_options, limit), "show the first N",
	  NULL },
	{ "sort", 's', OPTION_TEXT, "COLUMN", offsetof(struct timeline_options, sort),
	  "another order: duration, start, off_cpu, function (any column, also with :asc or :desc). Without "
	  "--limit all that is shown is kept in memory",
	  "time" },
	{ "columns", 'c', OPTION_TEXT, "LIST", offsetof(struct timeline_options, columns),
	  "what to show, in this order: names as in csv (time, thread, event, function, duration), all; "
	  "+NAME and -NAME change the default; help: lists them",
	  "all in csv and json" },
	{ "format", 'f', OPTION_CHOICE, OUTPUT_FORMAT_WORDS, offsetof(struct timeline_options, format),
	  "csv, json: with file, line, ids; integers of nanoseconds", "table" },
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct timeline_options, output),
	  "write there instead of stdout", NULL },
	TERMINAL_OPTIONS(struct timeline_options, terminal),
	NAMES_OPTIONS(struct timeline_options, names),
	SELECTION_OPTIONS(struct timeline_options, selection),
};

static const struct {
	const char *name;
	uint32_t kinds;
} words[] = {
	{ "enter", KIND(STREAM_ENTER) | KIND(STREAM_RUNNING) },
	{ "exit", KIND(STREAM_EXIT) | KIND(STREAM_IMPLICIT_EXIT) },
	{ "call", KIND(STREAM_CALL) },
	{ "return", KIND(STREAM_RETURN) | KIND(STREAM_IMPLICIT_RETURN) },
	{ "line", KIND(STREAM_LINE) },
	{ "mark", KIND(STREAM_MARK) },
	{ "pause", KIND(STREAM_PAUSE) | KIND(STREAM_CONTINUE) },
	{ "lost", KIND(STREAM_LOST) | KIND(STREAM_MISSING) },
	{ "thread", KIND(STREAM_THREAD_BEGIN) | KIND(STREAM_THREAD_END) },
	{ "process", KIND(STREAM_PROCESS_BEGIN) | KIND(STREAM_PROCESS_END) },
	{ "os", KIND(STREAM_NONE) },
	{ "all", ~KIND(STREAM_NONE) },
};

static int events_parse(const char *list, uint32_t *kinds)
{
	*kinds = 0;
	while (*list) {
		size_t n = strcspn(list, ","), i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i].name) != n || strncmp(words[i].name, list, n)))
			i++;
		if (i == ARRAY_SIZE(words))
			return error(
				"timeline: --events has no '%.*s'; it takes enter, exit, call, return, line, "
				"mark, pause, lost, thread, process, os, all",
				(int)n, list);
		*kinds |= words[i].kinds;
		list += n + (list[n] == ',');
	}
	return 0;
}

/* ---- what is shown --------------------------------------------------------------------------- */

struct showing {
	const struct timeline_options *options;
	struct field_choice columns; /* none: all */
	struct field_order order;    /* if there is a --sort */
	uint32_t kinds;
	struct system_code *system_code; /* NULL: all is shown */
};

static int is_of_function(const struct stream_event *event)
{
	return event->function.tag != 0;
}

static uint32_t number_of(struct event_merge_process *process, const struct stream_function *function)
{
	struct cinstr_cell cell = stream_cell(function);

	return names_of_cell(&process->names, &process->data, &cell);
}

static const struct entity *entity_of(struct event_merge_process *process,
				      const struct stream_function *function)
{
	uint32_t number = number_of(process, function);

	return number == NAMES_NONE ? NULL : &process->names.list[number];
}

/* Whether --function and --module take it; each function is asked once. */
static int is_chosen(const struct selection *selection, struct event_merge_process *process,
		     const struct stream_function *function)
{
	uint32_t number = number_of(process, function);

	if (number == NAMES_NONE)
		return 0;
	ARRAY_REACH_ZEROED(process->verdicts, number, process->n_verdicts);
	if (!process->verdicts[number])
		process->verdicts[number] =
			(uint8_t)(1 + selection_of_entity(selection, &process->names.list[number]));
	return process->verdicts[number] == 1 + GLOBS_TAKEN;
}

/* Within the system's code, and not right below the program's. */
static int is_inner(const struct showing *showing, const struct merged_event *event)
{
	const struct entity *function, *caller;

	if (!showing->system_code || !event->what.caller.tag)
		return 0;
	function = entity_of(event->process, &event->what.function);
	if (!function || !system_code_has(showing->system_code, function))
		return 0;
	caller = entity_of(event->process, &event->what.caller);
	return caller && system_code_has(showing->system_code, caller);
}

static int is_shown(const struct showing *showing, const struct merged_event *event)
{
	const struct timeline_options *options = showing->options;
	int is_wanted = (showing->kinds >> event->what.kind & 1) ||
			((showing->kinds & KIND(STREAM_NONE)) && event->what.os_bits);

	if (showing->system_code && event->what.kind == STREAM_PROCESS_BEGIN)
		system_code_add(showing->system_code, &event->process->data);
	if (!is_wanted || !is_of_function(&event->what))
		return is_wanted;
	if (event->what.depth > options->depth || is_inner(showing, event))
		return 0;
	if (!options->selection.functions && !options->selection.modules)
		return 1;
	return is_chosen(&options->selection, event->process, &event->what.function);
}

/* 1: the limit was reached. */
static int show(const struct showing *showing, struct event_merge *story, struct event_lines *output)
{
	struct merged_event event;
	while (event_merge_next(story, &event)) {
		if (!is_shown(showing, &event))
			continue;
		if (event_lines_put(output, &event))
			return 1;
		if (ferror(output->items.out))
			return 1;
	}
	return 0;
}

/* Is there a timeline in any of the files? */
static int has_timeline(const struct session *input)
{
	struct cinstr_header header;

	for (size_t i = 0; i < input->n_files; i++)
		if (session_header(input->files[i], &header) || header.timeline_mode)
			return 1;
	error("%s: no timeline was recorded: run the program with CINSTR_TIMELINE=unlimited in its "
	      "environment (or a size, 100M; or ring:SIZE), or with cinstr record --timeline=unlimited",
	      input->path);
	return 0;
}

static void say_without(const struct event_merge *story)
{
	if (story->n_with_timeline < story->n_visited)
		warning("%zu of %zu processes have no timeline", story->n_visited - story->n_with_timeline,
			story->n_visited);
}

static int write_story(const struct showing *showing, struct event_merge *story, const struct session *input,
		       FILE *out)
{
	const struct output_format *format = &output_formats[showing->options->format];
	struct event_lines output = { .writer = format->shape->events,
				      .story = story,
				      .source = input->path,
				      .selection = &showing->options->selection,
				      .columns = showing->columns.n ? &showing->columns : NULL,
				      .order = showing->options->sort ? &showing->order : NULL,
				      .limit = showing->options->limit };
	int is_cut, status = story->status;

	items_begin(&output.items, out, format->items);
	event_lines_begin(&output);
	is_cut = show(showing, story, &output);
	event_lines_end(&output, is_cut);
	if (story->status)
		status = story->status;
	if (is_cut)
		return status;
	say_without(story);
	if (selection_end(&showing->options->selection, story->n_visited) ||
	    selection_check_seen(&showing->options->selection))
		status = STATUS_DATA;
	return status;
}

/* story NULL: the session was sampled. */
static int write_what(const struct showing *showing, struct event_merge *story, struct session *input,
		      FILE *out)
{
	const struct timeline_options *options = showing->options;

	if (story)
		return write_story(showing, story, input, out);
	return samples_timeline_write(
		&(struct samples_timeline){ &options->selection, &output_formats[options->format],
					    options->limit, showing->columns.n ? &showing->columns : NULL,
					    options->sort ? &showing->order : NULL },
		input, out);
}

static int write_output(const struct showing *showing, struct event_merge *story, struct session *input)
{
	const char *path = showing->options->output;
	FILE *out = path && strcmp(path, "-") ? files_write(path) : stdout;
	int status, failed;

	if (!out)
		return error_data("%s: cannot be written: %s", path, files_problem(errno));
	if (out == stdout)
		terminal_page();
	errno = 0;
	status = write_what(showing, story, input, out);
	failed = fflush(out) || ferror(out);
	if (out != stdout && fclose(out))
		failed = 1;
	if (failed && errno != EPIPE)
		error("%s: cannot be written: %s", path ? path : "stdout", strerror(errno));
	return failed ? STATUS_DATA : status;
}

/* Its samples; there is nothing that lasts or nests. */
static int timeline_of_samples(const struct showing *showing, struct session *input)
{
	const struct timeline_options *options = showing->options;
	const char *option = options->events		  ? "--events"
			     : options->min_duration	  ? "--min-duration"
			     : options->depth != NO_LIMIT ? "--depth"
							  : NULL;

	if (!option)
		return write_output(showing, NULL, input);
	return error_usage("%s: this session was sampled: there are samples in it, not calls", option);
}

/* --columns and --sort, of events or of samples. 0, or -1 after an error message. */
static int choose_fields(struct showing *showing, int is_sampled)
{
	const struct timeline_options *options = showing->options;
	const struct field_list *fields = is_sampled ? &sample_fields : &event_fields;
	const struct field_choice *defaults = is_sampled ? &sample_fields_default : &event_fields_default;

	if (options->columns &&
	    field_choice_parse(&showing->columns, "timeline", options->columns, fields, defaults))
		return -1;
	return options->sort ? field_order_parse(&showing->order, "timeline", options->sort, fields) : 0;
}

static int timeline(const struct timeline_options *options, const char *path, uint32_t kinds, uint64_t min_ns)
{
	struct showing showing = { .options = options, .kinds = kinds };
	struct session input;
	struct event_merge story = { 0 };
	int status = STATUS_DATA, method;

	if (options->selection.just_my_code)
		showing.system_code = &options->selection.state->system_code;
	if (session_open(&input, path)) {
		session_release(&input);
		return STATUS_DATA;
	}
	method = view_method_of(&input);
	if (method >= 0 && choose_fields(&showing, method == CINSTR_METHOD_SAMPLING)) {
		session_release(&input);
		return STATUS_USAGE;
	}
	if (method == CINSTR_METHOD_SAMPLING) {
		status = timeline_of_samples(&showing, &input);
	} else if (method >= 0 && has_timeline(&input)) {
		status = event_merge_open(&story, &options->selection, &input, min_ns);
		if (!status)
			status = write_output(&showing, &story, &input);
		event_merge_release(&story);
	}
	session_release(&input);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct timeline_options options = { .depth = NO_LIMIT, .limit = NO_LIMIT };
	long double min_ns = 0;
	uint32_t kinds = ~(KIND(STREAM_NONE) | KIND(STREAM_LINE));
	int n_operands, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.min_duration && selection_time_parse(options.min_duration, &min_ns))
		return error_usage(
			"timeline: --min-duration does not take '%s'; it takes a time: 10us, 1.5ms",
			options.min_duration);
	if (options.columns && !strcmp(options.columns, "help")) {
		field_list_help(stdout, &event_fields);
		return STATUS_OK;
	}
	if (options.events && events_parse(options.events, &kinds))
		return STATUS_USAGE;
	if (terminal_configure(command->name, &options.terminal) ||
	    names_configure(command->name, &options.names,
			    output_formats[options.format].shape->is_for_people))
		return STATUS_USAGE;
	status = selection_check(&options.selection);
	if (!status)
		status = timeline(&options, n_operands ? argv[1] : NULL, kinds, util_rounded(min_ns));
	selection_release(&options.selection);
	return status;
}

static const struct absent_options absent[] = {
	{ "view", "--columns chooses what is shown of an event" },
	{ "application os-events raw inlines", "events are shown as they were recorded" },
	{ "verbose", "nothing is left out" },
	{ NULL, NULL },
};

const struct command command_timeline = {
	.name = "timeline",
	.operands = "[FOLDER | FILE]",
	.summary = "Lists what happened, in order of time: each enter and exit, calls, marks, pauses,\n"
		   "of a session that was recorded with CINSTR_TIMELINE; of a sampled one its samples\n"
		   "(default: cinstr.data).",
	OPTIONS_OF(timeline_options),
	.max_operands = 1,
	.notes = "Of a sampled session each line is a sample: when, and what was executing; csv\n"
		 "and json also have its stack. Times count from the beginning of the session.\n"
		 "Durations include the cost of probes. (jump) marks a tail call: the caller\n"
		 "jumped there instead of calling, and stays the caller here (csv and json:\n"
		 "tail_call).\n",
	.examples = "  cinstr timeline | head                       the first events\n"
		    "  cinstr timeline --min-duration=1ms           what took long\n"
		    "  cinstr timeline --sort=duration --limit=20   the longest calls\n"
		    "  cinstr timeline --columns=start,duration,thread,function --events=exit\n"
		    "  cinstr timeline --from='request 7*' --to='request 8*'\n"
		    "  cinstr timeline --function='parse_*' --thread=worker --format=csv -o calls.csv\n"
		    "  cinstr timeline --events=os,mark             where the operating system acted\n",
	.absent = absent,
	.run = run,
};

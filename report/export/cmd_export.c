/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_export.c - cinstr export: writes a session as a file for another viewer. Formats:
 * export.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"
#include "lib/progress.h"

#define OPERANDS_MAX 2
#define FORMAT_WORD(name) "|" #name
#define FORMAT_WORDS (&("" EXPORT_FORMATS(FORMAT_WORD))[1])
#define FORMAT_POINTER(name) &export_##name,

static const struct export_format *const formats[] = { EXPORT_FORMATS(FORMAT_POINTER) };

static const struct option export_options[] = {
	{ "format", 'f', OPTION_TEXT, FORMAT_WORDS, offsetof(struct export_options, format),
	  "for which viewer: see below", NULL },
	{ "output", 'o', OPTION_TEXT, "FILE", offsetof(struct export_options, view.output),
	  "write there (parquet: a folder); what is there is replaced once all is written", "stdout" },
	{ "measure", 'm', OPTION_TEXT, "LIST", offsetof(struct export_options, measure),
	  "what is told of each path, of: elapsed, application, waiting (off the processor), preempted (a "
	  "part of that), cpu, calls, jumps (those of calls that were tail calls), switches; of sampled "
	  "sessions: samples; or one of instructions (executed ones, of modules built with "
	  "-fplugin-arg-cinstr-instructions), cycles, retired, misses (of cinstr record --counter), alone or "
	  "with calls",
	  "by format" },
	{ "by", 'b', OPTION_CHOICE, "all|thread|thread-name", offsetof(struct export_options, by),
	  "paths of all threads merged; or below each thread its own; thread-name: below each name those of "
	  "all threads of that name",
	  "all; speedscope, firefox: thread" },
	{ "min-duration", 0, OPTION_TEXT, "TIME", offsetof(struct export_options, min_duration),
	  "of a timeline: leave out calls and waits that are shorter (10us, 1ms)", NULL },
	{ "depth", 'd', OPTION_NUMBER, "N", offsetof(struct export_options, depth),
	  "of a timeline: leave out calls below N others", NULL },
	{ "recursion", 0, OPTION_NUMBER, "N", offsetof(struct export_options, recursion),
	  "callgrind: of functions that call themselves, directly or not, N levels are functions of their "
	  "own: f, f'2, ...",
	  "2" },
	{ "min-percent", 0, OPTION_PERCENT, "PERCENT", offsetof(struct export_options, min_percent),
	  "dot: leave out functions below this share, with what they called", "0.5" },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct export_options, limit),
	  "dot: draw the N functions with most", "60" },
	{ "linker", 0, OPTION_CHOICE, "lld|gold|bfd", offsetof(struct export_options, linker),
	  "order: for whom: names of functions (lld), patterns of sections (gold), or a part of a linker "
	  "script (bfd)",
	  "lld" },
	{ "order", 0, OPTION_CHOICE, "first-call|callers", offsetof(struct export_options, order),
	  "order: by first calls, as far as they are known, for a short start; or all by who calls whom how "
	  "often",
	  "first-call" },
	{ "dry-run", 0, OPTION_FLAG, NULL, offsetof(struct export_options, dry_run),
	  "say how large it would be, about, and write nothing", NULL },
	{ "force", 0, OPTION_FLAG, NULL, offsetof(struct export_options, force),
	  "write it however large it is", NULL },
	READING_OPTIONS(struct export_options, view),
};

/* ---- for the formats ------------------------------------------------------------------------- */

int export_read(struct export_job *job, size_t number, struct profile *const *profiles, size_t n_profiles,
		int (*show)(struct view *view, void *arg), void *arg)
{
	return view_read(job->paths ? job->paths[number] : NULL, &job->options.view, profiles, n_profiles,
			 show, arg);
}

static int asks(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static int is_agreed(void)
{
	int answer, c;

	fputs("Write it? [y/N] ", stderr);
	answer = getchar();
	for (c = answer; c != '\n' && c != EOF;)
		c = getchar();
	return answer == 'y' || answer == 'Y';
}

/* Whether what is too large may be written all the same. */
static int may_be_large(const struct export_job *job, const char *size, const char *what)
{
	STRBUF(most);

	strbuf_size(&most, job->kind->most);
	if (asks()) {
		fprintf(stderr, "cinstr: about %s (%s): more than %s are too much for most viewers of %s.\n",
			size, what, most.text, job->kind->name);
		return is_agreed();
	}
	error("export: about %s (%s): more than %s are too much for most viewers of %s. Choose less "
	      "(--thread, --function, --from, --to%s), or give --force",
	      size, what, most.text, job->kind->name, job->is_of_events ? ", --min-duration, --depth" : "");
	return 0;
}

static int is_to_terminal(const struct export_job *job)
{
	const char *output = job->options.view.output;

	if (!job->kind->is_binary || (output && strcmp(output, "-")) || !isatty(STDOUT_FILENO))
		return 0;
	error("export: %s is not text, and stdout is a terminal: -o FILE%s", job->kind->name,
	      job->kind->extension);
	return 1;
}

int export_begin(struct export_job *job, uint64_t bytes, const char *what, int *status)
{
	const struct export_options *options = &job->options;
	STRBUF(size);
	uint64_t most = options->force ? 0 : job->kind->most;

	strbuf_size(&size, bytes);
	*status = STATUS_OK;
	if (options->dry_run) {
		printf("%s %s%s: %s\n", job->is_at_most ? "at most" : "about", size.text,
		       job->kind->is_packed ? " before it is packed" : "", what);
	} else if (most && bytes > most && !job->is_at_most) {
		*status = may_be_large(job, size.text, what) ? STATUS_OK : STATUS_USAGE;
		most = 0;
	}
	if (!*status && !options->dry_run && is_to_terminal(job))
		*status = STATUS_USAGE;
	if (!*status && !options->dry_run) {
		*status = sink_open(&job->sink, options->view.output, job->kind->is_packed, most);
		job->is_open = !*status;
		progress_begin("writing", 0, "paths");
	}
	return job->is_open;
}

int export_end(struct export_job *job, const char *what)
{
	STRBUF(size);
	int status;

	progress_end();
	status = sink_close(&job->sink, 1);
	job->is_open = 0;
	if (status || !job->sink.path || job->is_quiet)
		return status;
	strbuf_size(&size, job->sink.written);
	print_visible(stdout, "%s: %s, %s\n", job->sink.path, size.text, what);
	if (job->kind->opens) {
		STRBUF(name);
		STRBUF(shown);

		strbuf_argument(&name, job->sink.path);
		strbuf_visible(&shown, name.text);
		fputs("To look at it: ", stdout);
		printf(job->kind->opens, shown.text);
		fputs("\n", stdout);
	}
	return STATUS_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct export_format *format_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	error("export: --format is missing; it takes %s", FORMAT_WORDS);
	return NULL;
}

/* A and B stand on both sides of `separator`, or beside one another. 0, or -1 after a message. */
static int sessions_find(struct export_job *job, char **operands, int n, const char *separator)
{
	int at = 0, left = 0;

	while (at < n && operands[at] != separator)
		at++;
	for (int i = 0; i < n; i++)
		if (operands[i] != separator)
			operands[left++] = operands[i];
	job->paths = left ? operands : NULL;
	job->n_paths = left ? (size_t)left : 1;
	if (at < n && (at != 1 || left != 2))
		return error("export: one session, or two to compare: A -- B");
	if (left <= 1 || job->kind->takes_two)
		return 0;
	return error("export: %s files hold one session", job->kind->name);
}

/* Reads the sessions' counts in place of their times, if --measure asks for them; not instructions
 * for callgrind, which come by line. Returns 0, or -1 after an error message. */
static int counts_take(struct export_job *job)
{
	enum export_measure measure = measures_counted(job->options.measure);

	if (measure == MEASURES)
		return 0;
	if (!job->kind->takes_counts)
		return error(
			"export: --measure=%s: %s files have no place for it: callgrind, collapsed, pprof, "
			"speedscope, firefox and dot have; cinstr tree --measure=%s --format=csv has all "
			"paths",
			measure_infos[measure].name, job->kind->name, measure_infos[measure].name);
	if (!export_has_lines(job))
		job->options.view.measure =
			MEASURE_INSTRUCTIONS + (int)measure - (int)MEASURE_COUNT_INSTRUCTIONS;
	return 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	/* in the place of --: options_parse() would take everything behind it for operands */
	static char separator[] = "and";
	struct export_job job = { .command = command,
				  .options.depth = EXPORT_EVERY_DEPTH,
				  .options.by = -1,
				  .options.recursion = 2,
				  .options.min_percent = -1,
				  .options.view = { .os_events = "default", .format = OUTPUT_FORMAT_csv } };
	int n_operands, status;
	enum options_result result;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = separator;
			break;
		}
	result = options_parse(command, argc, argv, &job.options, &n_operands);
	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	job.kind = format_find(job.options.format);
	if (!job.kind || counts_take(&job) || sessions_find(&job, argv + 1, n_operands, separator) ||
	    view_counting(command, &job.options.view, &job.counting))
		return STATUS_USAGE;
	if (job.options.by < 0)
		job.options.by = (int)job.kind->by;
	status = job.kind->write(&job);
	if (job.is_open)
		sink_close(&job.sink, 0);
	selection_release(&job.options.view.selection);
	return status;
}

const struct command command_export = {
	.name = "export",
	.operands = "[FOLDER | FILE] [-- FOLDER | FILE]",
	.summary = "Writes a session (default: cinstr.data) as a file for another viewer.",
	OPTIONS_OF(export_options),
	.max_operands = OPERANDS_MAX + 1,
	.notes = "Formats, and who reads them:\n"
		 "  callgrind   functions, calls and lines with all values: KCachegrind,\n"
		 "              callgrind_annotate\n"
		 "  collapsed   a line for each call path: flamegraph.pl, inferno, speedscope;\n"
		 "              with two sessions: both numbers, for differences\n"
		 "  pprof       all values, with process, thread and phase as labels:\n"
		 "              go tool pprof, Pyroscope, Parca\n"
		 "  speedscope  speedscope.app: with a timeline its calls; else, or with\n"
		 "              --measure, call paths\n"
		 "  firefox     Firefox Profiler: a timeline's calls, or single samples; else, or\n"
		 "              with --measure, call paths\n"
		 "  perfetto    ui.perfetto.dev: a timeline, with waiting, marks, pauses\n"
		 "  chrome      the same in JSON, larger: speedscope and others\n"
		 "  perf        samples as perf script prints them: stackcollapse-perf.pl, Firefox\n"
		 "              Profiler, speedscope\n"
		 "  sqlite      SQL for sqlite3: paths; with a timeline, without --measure, its\n"
		 "              calls and waits\n"
		 "  parquet     a folder of tables for SQL on many sessions: DuckDB, ClickHouse,\n"
		 "              Spark\n"
		 "  dot         a picture of the functions with most: Graphviz;\n"
		 "              with two sessions: what has more is red, what has less is blue\n"
		 "  order       an order of the program's functions for its linker: ld.lld, gold,\n"
		 "              GNU ld\n"
		 "\n"
		 "Values are exclusive, and whole: of a function they add up to what cinstr report\n"
		 "--format=csv says. With --function and --module only paths that have such a\n"
		 "function on their stack are written.\n",
	.examples = "  cinstr export -f collapsed -o app.folded\n"
		    "  cinstr export -f pprof -o app.pb.gz && go tool pprof -http=: app.pb.gz\n"
		    "  cinstr export -f dot --measure=waiting | dot -Tsvg > waiting.svg\n"
		    "  cinstr export -f callgrind -o app.cg && kcachegrind app.cg\n"
		    "  cinstr export -f pprof --measure=instructions -o app.pb.gz\n"
		    "  cinstr export -f collapsed --measure=waiting | flamegraph.pl > app.svg\n"
		    "  cinstr export -f collapsed old.data -- new.data | flamegraph.pl > change.svg\n"
		    "  cinstr export -f speedscope --measure=elapsed,waiting -o app.speedscope.json\n"
		    "  cinstr export -f parquet -o app.tables\n"
		    "  cinstr export -f perfetto --min-duration=10us -o app.pftrace\n",
	.run = run,
};

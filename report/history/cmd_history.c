/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_history.c - cinstr history: values of functions in many runs, and when they have changed. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/options.h"
#include "lib/terminal.h"
#include "output/format.h"
#include "trend.h"

#define MEASURE_WORD(id, name, ...) "|" name
#define MEASURE_WORDS (&("" HISTORY_MEASURES(MEASURE_WORD))[1])
#define ALPHA_PERCENT 1
#define LEAST_PERCENT 1
#define LEAST_PERCENT_EXACT 0.5 /* a change of a hundredth, rounded, is one */
#define LIMIT 20

struct history_options {
	const char *label, *commit, *time;
	int measure; /* < 0: by what there is */
	int format;
	double alpha, least;
	uint64_t last, fail_within, limit;
	int any_build;
	struct terminal_options terminal;
};

static const struct option history_options[] = {
	{ "label", 'l', OPTION_TEXT, "TEXT", offsetof(struct history_options, label),
	  "add: what the run is called, as a branch or a machine; list, trend: a glob, those runs only",
	  NULL },
	{ "commit", 'c', OPTION_TEXT, "ID", offsetof(struct history_options, commit),
	  "add: of the program that was recorded", NULL },
	{ "time", 0, OPTION_TEXT, "TIME", offsetof(struct history_options, time),
	  "add: where it stands among the others: 2026-11-25, 2026-11-25T10:00:00 (UTC), or seconds since "
	  "1970",
	  "when it was recorded" },
	{ "measure", 'm', OPTION_CHOICE, MEASURE_WORDS, offsetof(struct history_options, measure),
	  "trend: what is compared; all but inclusive and calls: the function's own",
	  "instructions, if the last run and another one have counted them; else unpreempted: elapsed, but "
	  "for what other threads and processes had the processor; of sampled runs samples" },
	{ "alpha", 0, OPTION_PERCENT, "PERCENT", offsetof(struct history_options, alpha),
	  "trend: where nothing has changed, so many of 100 looks may show a change of any function", "1" },
	{ "min-percent", 0, OPTION_PERCENT, "PERCENT", offsetof(struct history_options, least),
	  "trend: smaller changes are none", "1; of instructions 0.5" },
	{ "last", 0, OPTION_NUMBER, "N", offsetof(struct history_options, last), "trend: of the last N runs",
	  "all" },
	{ "fail-within", 0, OPTION_NUMBER, "N", offsetof(struct history_options, fail_within),
	  "trend: exit with 1 if something takes more since one of the last N runs, and most functions do "
	  "not",
	  NULL },
	{ "any-build", 0, OPTION_FLAG, NULL, offsetof(struct history_options, any_build),
	  "trend: compare executed instructions of programs, too, that other compilers or options have made",
	  NULL },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct history_options, limit),
	  "list, trend: no more than N lines of a table; 0: all", "20" },
	{ "format", 'f', OPTION_CHOICE, OUTPUT_FORMAT_WORDS, offsetof(struct history_options, format),
	  "list, trend: csv, json: a row for each run, or for each change", "table" },
	TERMINAL_OPTIONS(struct history_options, terminal),
};

/* 0: it is none. */
static uint64_t time_of(const char *text)
{
	static const char *const forms[] = { "%s", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
					     "%Y-%m-%d" };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct tm tm = { .tm_mday = 1 };
		const char *end = strptime(text, forms[i], &tm);
		time_t seconds;

		if (!end || (*end && strcmp(end, "Z") != 0))
			continue;
		seconds = i ? timegm(&tm) : mktime(&tm);
		return seconds > 0 ? (uint64_t)seconds * 1000000000 : 0;
	}
	return 0;
}

static int add(const struct command *command, const struct history_options *options, const char *path,
	       const char *session)
{
	struct history_addition addition = { options->label, options->commit, 0 };

	if (options->time) {
		addition.time_ns = time_of(options->time);
		if (!addition.time_ns)
			return error_usage(
				"history: --time=%s is no time: 2026-11-25, 2026-11-25T10:00:00, or seconds "
				"since 1970",
				options->time);
	}
	return history_add(command, path, session, &addition);
}

static int list(const struct history_options *options, const char *path)
{
	struct history history;
	int status;

	if (history_open(&history, path, options->label))
		return STATUS_DATA;
	status = trend_list(&history, options->format, options->limit);
	status = status ? status : history.status;
	history_release(&history);
	return status;
}

static enum history_measure measure_of_runs(const struct history *history, size_t first)
{
	const struct history_run *last = history->n ? &history->runs[history->n - 1] : NULL;
	size_t n_counted = 0, n_old = 0;

	for (size_t i = first; i < history->n; i++) {
		n_counted += history->runs[i].has_instructions != 0;
		n_old += !history->runs[i].has_unpreempted && strcmp(history->runs[i].method, "samples") != 0;
	}
	if (last && last->has_instructions && n_counted > 1)
		return HISTORY_INSTRUCTIONS;
	return last && !strcmp(last->method, "samples") ? HISTORY_SAMPLES
	       : n_old					? HISTORY_ELAPSED
							: HISTORY_UNPREEMPTED;
}

static int show_trend(const struct history *history, struct trend_options *options)
{
	struct series_set set;
	int status;

	series_read(&set, history, options->first, &options->choice);
	series_test(&set, &options->choice);
	if (set.n) {
		status = trend_print(history, &set, options);
	} else {
		error("history: no run has %s%s%s", history_measures[options->choice.measure].name,
		      options->choice.function ? " of " : "",
		      options->choice.function ? options->choice.function : "");
		status = STATUS_DATA;
	}
	status = status ? status : set.status;
	series_release(&set);
	return status;
}

static int show_instructions(const struct history *history, struct trend_options *options, int any_build)
{
	struct run_builds builds;
	int status;

	run_builds_read(&builds, history, options->first, any_build);
	options->choice.builds = &builds;
	status = show_trend(history, options);
	status = status ? status : builds.status;
	run_builds_release(&builds);
	return status;
}

static int trend(const struct history_options *options, const char *path, const char *function)
{
	struct trend_options choice = { .format = options->format,
					.choice = { .function = function,
						    .level = options->alpha / 100,
						    .least_percent = options->least },
					.limit = options->limit,
					.fail_within = options->fail_within };
	struct history history;
	int status, is_exact;

	if (history_open(&history, path, options->label))
		return STATUS_DATA;
	if (options->last && history.n > options->last)
		choice.first = history.n - options->last;
	choice.choice.measure = options->measure >= 0 ? (enum history_measure)options->measure
						      : measure_of_runs(&history, choice.first);
	is_exact = choice.choice.measure == HISTORY_INSTRUCTIONS;
	if (options->least < 0)
		choice.choice.least_percent = is_exact ? LEAST_PERCENT_EXACT : LEAST_PERCENT;
	status = is_exact ? show_instructions(&history, &choice, options->any_build)
			  : show_trend(&history, &choice);
	status = status ? status : history.status;
	history_release(&history);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct history_options options = {
		.measure = -1, .alpha = ALPHA_PERCENT, .least = -1, .limit = LIMIT
	};
	int n;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n);
	const char *verb = n > 0 ? argv[1] : "", *path = n > 1 ? argv[2] : NULL,
		   *last = n > 2 ? argv[3] : NULL;

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (terminal_configure(command->name, &options.terminal))
		return STATUS_USAGE;
	if (path && !strcmp(verb, "add"))
		return add(command, &options, path, last);
	if (path && !strcmp(verb, "list") && !last)
		return list(&options, path);
	if (path && !strcmp(verb, "trend"))
		return trend(&options, path, last);
	return error_usage("history: add FOLDER [SESSION], list FOLDER, or trend FOLDER [FUNCTION]");
}

const struct command command_history = {
	.name = "history",
	.operands = "add|list|trend FOLDER [SESSION | FUNCTION]",
	.summary = "Keeps what functions took in many runs, and shows what has changed since when.",
	OPTIONS_OF(history_options),
	.max_operands = 3,
	.notes = "add puts a session (default: cinstr.data) into the folder, as tables of Parquet files\n"
		 "(doc/tables.md). What is damaged, or still being recorded, is not added. Several\n"
		 "may be added at the same time.\n"
		 "\n"
		 "trend shows since which run a function takes more or less, or, of one FUNCTION\n"
		 "(name or glob), each run. Changes are found by ranks, so single bad runs are none;\n"
		 "the chance is that of as great a step without a change. How many runs it takes\n"
		 "until a step is seen, and what is no change of the program: doc/recipes.md. All\n"
		 "functions with 0.1 % of all are looked at; the fewer there are, the more is found.\n"
		 "Where most of eight or more functions have shifted together, that is one line, and\n"
		 "all others are judged against it: a machine that is slower today does no harm.\n"
		 "Executed instructions need no statistics: of a function that had as many in all\n"
		 "runs of each build, every difference is a change.\n",
	.examples = "  cinstr history add perf.history --commit=$(git rev-parse HEAD) --label=main\n"
		    "  cinstr history trend perf.history --fail-within=20\n"
		    "  cinstr history trend perf.history 'parse*' --measure=inclusive\n",
	.run = run,
};

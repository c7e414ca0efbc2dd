/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_compare.c - cinstr compare: records two programs alternately, in an order determined by a
 * seed, each run by a `cinstr record` of its own into a session of its own, and runs diff on them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "comparison.h"
#include "lib/files.h"
#include "recorded_run.h"

#define RUNS "5"
#define RUNS_MOST 100

struct compare_options {
	uint64_t runs, seed;
	const char *fail_over, *output, *summary;
	int measure, format;
};

struct compare {
	const struct compare_options *options;
	char **programs[2]; /* each ends with NULL */
	struct strbuf order;
	unsigned random;
	struct comparison comparison;
};

/* ---- runs ------------------------------------------------------------------------------------ */

/* Each two runs are one of A and one of B. */
static void choose_order(struct compare *c)
{
	for (uint64_t i = 0; i < c->options->runs; i++)
		strbuf_puts(&c->order, rand_r(&c->random) >> 8 & 1 ? "BA" : "AB");
}

/* The number-th run of a side. 0, or -1 after an error message: no other one comes. */
static int run_once(const struct compare *c, int side, size_t number, off_t input)
{
	STRBUF(who);

	if (input >= 0)
		lseek(STDIN_FILENO, input, SEEK_SET);
	strbuf_printf(&who, "compare: run %zu of %c", number + 1, 'A' + side);
	return recorded_run(c->programs[side], c->comparison.sessions[side][number], NULL, who.text);
}

static int run_all(const struct compare *c, size_t done_before, off_t input)
{
	size_t done[2] = { done_before, done_before };

	for (const char *run = c->order.text + 2 * done_before; *run; run++) {
		int side = *run == 'B';

		if (run_once(c, side, done[side]++, input))
			return -1;
	}
	return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* FOLDER/a.1 and so on. 0, or -1 after an error message. */
static int name_sessions(struct compare *c)
{
	struct comparison *comparison = &c->comparison;

	if (mkdir(c->options->output, 0700) && errno != EEXIST)
		return error("compare: %s: %s", util_shown(c->options->output), strerror(errno));
	comparison->n_runs += c->options->runs;
	for (int side = 0; side < 2; side++) {
		comparison->sessions[side] =
			xrealloc(comparison->sessions[side], comparison->n_runs, sizeof(char *));
		for (size_t i = comparison->n_runs - c->options->runs; i < comparison->n_runs; i++) {
			struct strbuf path = { 0 };

			strbuf_printf(&path, "%s/%c.%zu", c->options->output, 'a' + side, i + 1);
			comparison->sessions[side][i] = path.text;
		}
	}
	return 0;
}

/* "A.. -- B..": ends the first one at the --. 0, or -1 after an error message. */
static int split(struct compare *c, char **operands, size_t n)
{
	size_t at = 0;

	while (at < n && strcmp(operands[at], "--") != 0)
		at++;
	operands[n] = NULL;
	if (!at || at + 1 >= n)
		return error("compare: which two? cinstr compare -- ./old ARGUMENTS -- ./new ARGUMENTS");
	operands[at] = NULL;
	c->programs[0] = operands;
	c->programs[1] = operands + at + 1;
	return 0;
}

static int check(const struct compare_options *options)
{
	char *end;

	if (!options->runs || options->runs > RUNS_MOST)
		return error("compare: --runs=%llu: 1 to %d", (unsigned long long)options->runs, RUNS_MOST);
	if (options->fail_over && (!(strtod(options->fail_over, &end) >= 0) || end == options->fail_over ||
				   *end || !isfinite(strtod(options->fail_over, NULL)))) {
		return error("compare: --fail-over does not take '%s'; it takes a percentage",
			     options->fail_over);
	}
	return 0;
}

static char *line_of(char *const *program)
{
	struct strbuf line = { 0 };

	for (size_t i = 0; program[i]; i++) {
		strbuf_puts(&line, i ? " " : "");
		strbuf_argument(&line, program[i]);
	}
	return line.text;
}

/* 0, or -1 after an error message. */
static int append_summary(const struct compare *c, const struct compared_programs *programs)
{
	FILE *out = files_write_by(c->options->summary, FILES_APPEND);

	if (out)
		comparison_write(out, COMPARE_MARKDOWN, &c->comparison, programs);
	if (out && !fclose(out))
		return 0;
	return error("%s: cannot be written: %s", c->options->summary, files_problem(errno));
}

/* More runs of each. 0, or -1 after an error message. */
static int record(struct compare *c, off_t input)
{
	size_t before = c->comparison.n_runs;

	choose_order(c);
	return name_sessions(c) || run_all(c, before, input) ? -1 : 0;
}

/* Records the runs, and as many again if B seems to fail by time. Returns 0, or -1 after an error
 * message. */
static int record_all(struct compare *c)
{
	off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);

	c->random = (unsigned)(c->options->seed ^ c->options->seed >> 32);
	if (record(c, input))
		return -1;
	c->comparison.n_first = c->comparison.n_runs;
	return comparison_suspects(&c->comparison) ? record(c, input) : 0;
}

static int record_and_compare(struct compare *c)
{
	struct compared_programs programs = { .seed = c->options->seed };
	int status = STATUS_DATA;

	if (!record_all(c) && !comparison_make(&c->comparison)) {
		programs.order = c->order.text;
		for (int side = 0; side < 2; side++)
			programs.names[side] = line_of(c->programs[side]);
		comparison_write(stdout, (enum compare_format)c->options->format, &c->comparison, &programs);
		status = c->options->fail_over ? c->comparison.status : STATUS_OK;
		if (c->options->summary && append_summary(c, &programs))
			status = STATUS_DATA;
		free(programs.names[0]);
		free(programs.names[1]);
	}
	comparison_release(&c->comparison);
	strbuf_release(&c->order);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	static const int decides[] = { N_MEASURED, BY_INSTRUCTIONS, BY_CALLS, BY_TIME };
	struct compare_options options = { .runs = strtoull(RUNS, NULL, 10),
					   .output = "cinstr.compare",
					   .seed = util_realtime_ns() / 1000 % 1000000 };
	struct compare c = { .options = &options };
	FREED char **own = xcalloc((size_t)argc + 1, sizeof(*own));
	int n_operands, status;
	enum options_result parsed;

	memcpy(own, argv, (size_t)argc * sizeof(*own));
	parsed = options_parse(command, argc, own, &options, &n_operands);
	status = parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (parsed == OPTIONS_OK && !check(&options) && !split(&c, own + 1, (size_t)n_operands)) {
		c.comparison.fail_over = options.fail_over;
		c.comparison.decides = decides[options.measure];
		status = record_and_compare(&c);
	}
	return status;
}

static const struct option compare_options[] = {
	{ "runs", 'n', OPTION_NUMBER, "N", offsetof(struct compare_options, runs),
	  "run each of them N times; 1 is enough for calls and instructions, if they do not vary", RUNS },
	{ "fail-over", 0, OPTION_TEXT, "PERCENT", offsetof(struct compare_options, fail_over),
	  "exit with 1 if cinstr diff --fail-over=PERCENT does: by what decides, something of B is certain "
	  "to have grown by more than this",
	  NULL },
	{ "measure", 0, OPTION_CHOICE, "auto|instructions|calls|time",
	  offsetof(struct compare_options, measure),
	  "what decides; auto: executed instructions, if both programs are built with "
	  "-fplugin-arg-cinstr-instructions, else time",
	  "auto" },
	{ "format", 'f', OPTION_CHOICE, "text|markdown|github|json", offsetof(struct compare_options, format),
	  "markdown: at most 30 lines, for a comment; github: annotations of the lines that got slower",
	  "text" },
	{ "summary", 0, OPTION_TEXT, "FILE", offsetof(struct compare_options, summary),
	  "append it to this file, too, as markdown", NULL },
	{ "output", 'o', OPTION_TEXT, "FOLDER", offsetof(struct compare_options, output),
	  "the sessions: FOLDER/a.1 to a.N, and b.1 to b.N", "cinstr.compare" },
	{ "seed", 0, OPTION_NUMBER, "N", offsetof(struct compare_options, seed),
	  "the order of the runs; it is printed", "by the time of day" },
};

const struct command command_compare = {
	.name = "compare",
	.operands = "-- A... -- B...",
	.summary = "Runs two programs in turn, and tells whether B does more, or is slower, than A.\n",
	OPTIONS_OF(compare_options),
	.max_operands = 2,
	.stops_at_operand = 1,
	.notes =
		"A and B are programs with their arguments, up to the -- between them. Each two runs are\n"
		"one of A and one of B, in random order, so that a machine that gets slower does not look\n"
		"like a program that does. What they print is left out; an input file is read by each\n"
		"from the beginning. A run that fails ends all.\n"
		"\n"
		"What is said of calls, instructions and time is what cinstr diff says of the sessions:\n"
		"calls and instructions are exact, times are not, and differ only if an interval says so.\n"
		"Times are without waiting for a processor that others had (cinstr diff --unpreempted).\n"
		"\n"
		"A --fail-over by time seldom fails by chance: if 99 % confidence says that B fails, N more\n"
		"runs of each are recorded, and all of them decide, with 99.99 %.\n",
	.examples = "  cinstr compare -- ./old input -- ./new input\n"
		    "  cinstr compare --fail-over=1 --format=markdown -- ./old -- ./new > comment.md\n"
		    "  cinstr compare --runs=1 --measure=calls --fail-over=0 -- ./old -- ./new\n",
	.run = run,
};

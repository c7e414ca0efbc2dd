/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_diff.c - cinstr diff: what changed between two sessions, or between two sets of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_fields.h"
#include "diff_processes.h"
#include "diff_shares.h"
#include "file/samples.h"
#include "instructions/instructions.h"
#include "lib/terminal.h"
#include "old_runs.h"
#include "view/view.h"

#define LIMIT_ON_TERMINAL 50
#define NO_LIMIT UINT64_MAX
#define DEFAULT_THRESHOLD 0.1
#define DEFAULT_COLUMN "elapsed_exclusive"
#define OPERANDS_MAX 1000

enum { FAIL_ON_ANY, FAIL_ON_ROW, FAIL_ON_TOTAL };

struct diff_options {
	int by;
	const char *column, *columns, *sort, *fail_over, *single;
	int fail_on, is_relative, is_unpreempted, per, measure, any_build;
	double threshold, alpha;
	uint64_t limit;
	struct view_options view;
};

static const struct option diff_options[] = {
	{ "by", 'b', OPTION_CHOICE, "function|line|module|path|site|address",
	  offsetof(struct diff_options, by), "what is compared", "function" },
	MEASURE_OPTION_ANY(struct diff_options, measure),
	{ "column", 'c', OPTION_TEXT, "COLUMN", offsetof(struct diff_options, column),
	  "the value that is compared: any number of cinstr report --format=csv, by its name there",
	  "elapsed_exclusive" },
	{ "sort", 's', OPTION_TEXT, "COLUMN", offsetof(struct diff_options, sort),
	  "order: change, a, b, change_percent, calls_b, name or another one of --columns; changes go by "
	  "their size, with :desc or :asc by their sign",
	  "change" },
	{ "columns", 0, OPTION_TEXT, "LIST", offsetof(struct diff_options, columns),
	  "what to show, in this order (verdict, a, b, change, change_percent, interval, calls_a, name, "
	  "module), all; +NAME and -NAME change the default; help: lists them",
	  "what fits; all in csv and json" },
	{ "relative", 0, OPTION_FLAG, NULL, offsetof(struct diff_options, is_relative),
	  "compare shares of the session in percent, not nanoseconds (of sampled sessions always)", NULL },
	{ "unpreempted", 0, OPTION_FLAG, NULL, offsetof(struct diff_options, is_unpreempted),
	  "compare elapsed times without waiting for a processor that others had", NULL },
	{ "per", 0, OPTION_CHOICE, "auto|session|process", offsetof(struct diff_options, per),
	  "what values are of: a session, all its processes together; or a process in the mean, and how much "
	  "processes differ; auto: process, if each side is one session of cinstr merge",
	  "auto" },
	{ "threshold", 't', OPTION_PERCENT, "PERCENT", offsetof(struct diff_options, threshold),
	  "leave out what is below this share of the session on both sides", "0.1" },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct diff_options, limit), "show the first N rows",
	  "50 in a table on a terminal, else all" },
	{ "alpha", 0, OPTION_PERCENT, "PERCENT", offsetof(struct diff_options, alpha),
	  "so many of 100 comparisons of equal programs may call a row changed; as many the total", "5" },
	{ "fail-over", 0, OPTION_TEXT, "PERCENT", offsetof(struct diff_options, fail_over),
	  "exit with 1 if something is certain to have grown by more than this; of shares of samples: to "
	  "differ by more points",
	  NULL },
	{ "fail-on", 0, OPTION_CHOICE, "any|row|total", offsetof(struct diff_options, fail_on),
	  "what --fail-over is about: a row, or the session's total time; any: both, the total if a time is "
	  "compared",
	  "any" },
	{ "single", 0, OPTION_MAYBE, "PERCENT", offsetof(struct diff_options, single),
	  "of one run on each side take changes up to PERCENT (10) of a value, and up to a tenth of that of "
	  "the session, for chance; --fail-over wants this, or several runs",
	  NULL },
	{ "any-build", 0, OPTION_FLAG, NULL, offsetof(struct diff_options, any_build),
	  "compare executed instructions of programs, too, that other compilers or options have made", NULL },
	VIEW_OPTIONS(struct diff_options, view),
};

struct job {
	const struct command *command;
	struct diff_options options;
	struct counting counting;
	enum profile_by by;
	enum column column;
	char *const *paths; /* of the runs */
	size_t n_runs, n_a;
	double fail_over;	      /* < 0: no */
	double floor;		      /* --single; < 0: no */
	struct profile profile;	      /* of the run at hand */
	struct profile paths_profile; /* SHARES_BESIDE: the same by paths */
	struct field_choice columns;  /* none: as each format has them */
	struct field_order order;     /* if there is a --sort */
	size_t n_read;
	int has_lines; /* the first run has line events */
	struct diff diff;
	struct shares shares; /* where samples are on a side */
	struct diff_processes processes;
	struct names shown; /* the rows' names */
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Where one run has the time of every line, and another one only that of lines that call, nothing
 * is comparable. */
static int has_other_lines(struct job *job, const char *path)
{
	int has_lines = job->profile.totals.lines != 0;
	const char *shown;

	if (!job->n_read)
		job->has_lines = has_lines;
	if ((job->by != BY_LINE && job->by != BY_ADDRESS) || job->has_lines == has_lines)
		return 0;
	shown = util_shown(path);
	error("%s: %s line events (--probes=lines), other than the first run", shown,
	      has_lines ? "has" : "has no");
	return 1;
}

/* How the rows of the run are added. */
static void take_rows(struct job *job)
{
	size_t run = job->n_read++;

	if (!job->diff.shares)
		diff_add(&job->diff, run, &job->profile, job->profile.totals.exe);
	else
		shares_add(&job->diff, run, &job->profile, job->profile.totals.exe,
			   job->shares.kind == SHARES_BESIDE ? &job->paths_profile : NULL);
}

/* Adds the run that has been read. */
static int take_run(struct view *view, void *arg)
{
	static const struct paths_choice everything = { .depth = UINT64_MAX };
	struct job *job = arg;

	if (has_other_lines(job, view->source) ||
	    (job->by == BY_PATH && view_read_paths(view, &job->profile, &everything)))
		return STATUS_DATA;
	view->rows = xcalloc(job->profile.n_rows, sizeof(*view->rows));
	for (size_t i = 0; i < job->profile.n_rows; i++)
		view->rows[view->n_rows++] = &job->profile.rows[i];
	view_resolve(view, &job->profile);
	free(view->rows);
	take_rows(job);
	return STATUS_OK;
}

static int read_run(struct job *job, size_t number)
{
	struct profile *profiles[] = { &job->profile, &job->paths_profile };
	size_t n = job->shares.kind == SHARES_BESIDE ? 2 : 1;
	int status;

	profile_init(profiles[0], job->by, &job->counting);
	profile_init(profiles[1], BY_PATH, &job->counting);
	if (job->diff.processes) {
		profiles[0]->spreads.is_wanted = 1;
		profiles[0]->spreads.of = (enum spread_value)diff_processes_value(job->column);
	}
	profiles[1]->paths.read_once = 1;
	job->n_read = number;
	status = view_read(job->paths[number], &job->options.view, profiles, n, take_run, job);
	for (size_t i = 0; i < 2; i++)
		profile_release(profiles[i]);
	return job->n_read == number + 1 ? status : -1;
}

/* ---- samples on a side ----------------------------------------------------------------------- */

/* SHARES_BESIDE: a sampled run, by paths, so that it can be seen as probes would. */
static int take_beside(struct view *view, void *arg)
{
	struct job *job = arg;

	(void)view;
	shares_fold(&job->diff, job->n_read++, &job->profile, job->profile.totals.exe);
	return STATUS_OK;
}

static int read_beside(struct job *job, size_t number)
{
	struct view_options options = job->options.view;
	struct profile *profile = &job->profile;
	struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	int status;

	options.application = options.raw = 0;
	options.os_events = "default";
	profile_init(profile, BY_PATH, &counting);
	profile->paths.read_once = 1;
	job->n_read = number;
	status = view_read(job->paths[number], &options, &profile, 1, take_beside, job);
	profile_release(profile);
	return job->n_read == number + 1 ? status : -1;
}

/* The options that are about times make no sense for shares. 0, or an exit status after an error
 * message. */
static int shares_check(struct job *job)
{
	if (diff_check_of_shares(job->options.alpha, job->options.is_unpreempted))
		return STATUS_USAGE;
	job->shares.is_inclusive = strstr(column_infos[job->column].key, "inclusive") != NULL;
	if (!job->shares.is_inclusive && !strstr(column_infos[job->column].key, "exclusive"))
		return error_usage("diff: --column=%s: of sampled sessions inclusive_percent and "
				   "exclusive_percent can be compared",
				   job->options.column);
	if (job->shares.kind != SHARES_BESIDE || job->by == BY_FUNCTION)
		return STATUS_OK;
	return error_usage("diff: a sampled and an instrumented session can be compared --by=function");
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Why processes cannot be compared; NULL: they can. */
static const char *why_not_per_process(const struct job *job)
{
	const struct view_options *view = &job->options.view;

	if (job->diff.shares)
		return "of samples shares are compared";
	if (job->n_runs != 2)
		return "it compares two sessions, not several runs";
	if (job->floor >= 0 || job->options.is_relative || job->options.is_unpreempted)
		return "--single, --relative and --unpreempted are about whole sessions";
	if (job->by != BY_FUNCTION && job->by != BY_MODULE && job->by != BY_PATH)
		return "it takes --by=function, module or path";
	if (diff_processes_value(job->column) < 0)
		return "--column: calls, cpu_exclusive_ns and the four times are known of processes";
	if (view->raw || view->application || strcmp(view->os_events, "default") != 0)
		return "of processes times are known as they are by default";
	return NULL;
}

/* Before sessions are read. 0, or an exit status after an error message. */
static int per_process_begin(struct job *job)
{
	const char *why = why_not_per_process(job);

	if (job->options.per == DIFF_PER_PROCESS && why)
		return error_usage("diff: --per=process: %s", why);
	if (job->options.per != DIFF_PER_SESSION && !why)
		job->diff.processes = &job->processes;
	return STATUS_OK;
}

/* A single run may be slower by chance. 0, or an exit status after an error message. */
static int single_check(const struct job *job)
{
	if (job->fail_over < 0 || job->n_runs > 2 || job->floor >= 0 || job->diff.processes)
		return STATUS_OK;
	error("diff: --fail-over of one run on each side: how much runs differ is not known");
	return error_usage(
		"record several (cinstr record --repeat=5 -o new.data -- PROGRAM), or give --single");
}

/* Both have been read. 0, or an exit status after an error message. */
static int per_process_decide(struct job *job)
{
	const struct diff_processes *p = &job->processes;

	if (!job->diff.processes)
		return STATUS_OK;
	if (job->options.per == DIFF_PER_PROCESS || (p->is_merged[0] && p->is_merged[1])) {
		diff_processes_apply(&job->diff);
		return STATUS_OK;
	}
	job->diff.processes = NULL;
	return single_check(job);
}

/* Finds out what kind of sessions are compared. Returns 0, or an exit status after an error. */
static int shares_begin(struct job *job, char **paths)
{
	enum shares_kind kind;
	int status = shares_sides(paths, job->n_runs, &job->n_a, &kind);

	job->diff.n_a = job->n_a;
	if (!status && kind == SHARES_NONE)
		status = per_process_begin(job);
	if (status || kind == SHARES_NONE)
		return status ? status : single_check(job);
	shares_init(&job->shares, kind, job->n_runs);
	job->diff.shares = &job->shares;
	if ((status = per_process_begin(job)))
		return status;
	if (kind == SHARES_BESIDE) {
		job->options.view.inlines = 1;
		samples_show_inlines(0); /* probes do not see them */
		job->options.view.application = job->counting.on_cpu = 1;
	}
	return shares_check(job);
}

/* ---- what is chosen -------------------------------------------------------------------------- */

/* What the row is chosen by: by line and address the function it is in, by call site the one that
 * is called. */
static const char *chosen_by(const struct job *job, const struct diff_row *row)
{
	return job->by == BY_LINE || job->by == BY_ADDRESS ? row->function
	       : job->by == BY_SITE			   ? row->callee
							   : row->name;
}

static int is_chosen(const struct job *job, const struct diff_row *row)
{
	const char *name = chosen_by(job, row);
	char *forms[NAMES_FORMS];
	enum globs_verdict verdict;

	names_forms(name ? name : "", row->file, row->line, forms);
	verdict = selection_of_names(&job->options.view.selection, (const char *const *)forms, NAMES_FORMS,
				     row->module);
	for (size_t i = 0; i < NAMES_FORMS; i++)
		free(forms[i]);
	return verdict == GLOBS_TAKEN;
}

/* While names are the assembler's. 0, or an exit status after an error message. */
static int choose_rows(struct job *job)
{
	const struct selection *selection = &job->options.view.selection;

	if (!selection->functions && !selection->modules)
		return STATUS_OK;
	if (job->by == BY_MODULE && selection->functions)
		return error_usage("--function: rows that are modules are in none");
	for (size_t i = 0; i < job->diff.n_rows; i++)
		job->diff.rows[i].is_left_out = !is_chosen(job, &job->diff.rows[i]);
	return selection_check_seen(selection) ? STATUS_DATA : STATUS_OK;
}

/* ---- showing --------------------------------------------------------------------------------- */

static int is_over(const struct job *job, const struct difference *d)
{
	return d->a > 0 && d->change - d->half > d->a * job->fail_over / 100;
}

static void say_over(const struct job *job, const char *what, const char *value, const struct difference *d)
{
	error("diff: %s: %s grew by %.1f %%, at least %.1f %%, which is more than --fail-over=%s",
	      util_shown(what), value, 100 * d->change / d->a, 100 * (d->change - d->half) / d->a,
	      job->options.fail_over);
}

/* Whether something grew too much; says so. */
static int has_grown(const struct job *job, const uint32_t *rows, size_t n)
{
	const struct diff *diff = &job->diff;
	int found = 0;

	if (job->fail_over < 0)
		return 0;
	if (diff->shares)
		return shares_differ(diff, job->options.fail_on == FAIL_ON_TOTAL ? 0 : n, rows,
				     job->options.fail_on != FAIL_ON_ROW, job->fail_over);
	for (size_t i = 0; i < n && job->options.fail_on != FAIL_ON_TOTAL; i++) {
		const struct diff_row *row = &diff->rows[rows[i]];

		if (row->verdict != DIFF_MORE || !is_over(job, &row->difference))
			continue;
		say_over(job, row->name, column_infos[job->column].key, &row->difference);
		found = 1;
	}
	if (job->options.fail_on == FAIL_ON_ROW ||
	    (job->options.fail_on == FAIL_ON_ANY && !diff_total_of(job->column)))
		return found;
	if (diff->total_verdict == DIFF_MORE && is_over(job, &diff->total)) {
		say_over(job, "the session's total",
			 diff->counted			   ? diff->counted->what
			 : diff_total_of(job->column) == 2 ? "application time"
							   : "elapsed time",
			 &diff->total);
		found = 1;
	}
	return found;
}

static int show(struct job *job)
{
	const struct diff *diff = &job->diff;
	uint32_t *rows = xcalloc(diff->n_rows, sizeof(*rows));
	struct diff_view view = { .diff = diff,
				  .rows = rows,
				  .threshold = job->options.threshold,
				  .sources = (const char *const *)job->paths,
				  .selection = &job->options.view.selection,
				  .columns = job->columns.n ? &job->columns : NULL,
				  .view.verbose = job->options.view.verbose };
	int status, grown;

	for (uint32_t i = 0; i < diff->n_rows; i++) {
		if (diff->rows[i].is_left_out)
			view.n_left_out++;
		else if (diff->rows[i].share >= job->options.threshold)
			rows[view.n_rows++] = i;
		else
			view.n_small++;
	}
	diff_order_rows(diff, rows, view.n_rows, job->options.sort ? &job->order : NULL);
	grown = has_grown(job, rows, view.n_rows);
	if (view.n_rows > job->options.limit) {
		view.n_hidden = view.n_rows - job->options.limit;
		view.n_rows = job->options.limit;
	}
	status = view_write(&view.view, &job->options.view, diff->shares ? OUTPUT_SHARES : OUTPUT_DIFF);
	free(rows);
	return status || grown ? STATUS_DATA : STATUS_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* All runs; sampled ones are folded by what the instrumented ones have seen. */
static int read_runs(struct job *job)
{
	int status = STATUS_OK;
	int is_beside = job->shares.kind == SHARES_BESIDE;
	size_t first = is_beside ? job->n_a : 0;

	for (size_t i = 0; i < job->n_runs && status >= 0; i++) {
		size_t number = (first + i) % job->n_runs;
		int read = is_beside && number < job->n_a ? read_beside(job, number) : read_run(job, number);

		status = read < 0 || read > status ? read : status;
	}
	return status;
}

static int compare(struct job *job, char **paths)
{
	struct names_options names = job->options.view.names;
	enum cinstr_counter counter = view_counter(job->options.measure);
	int status, shown;

	diff_init(&job->diff, job->by, job->column, job->n_a, job->n_runs - job->n_a);
	job->diff.is_relative = job->options.is_relative;
	job->diff.is_unpreempted = job->options.is_unpreempted;
	job->diff.alpha = job->options.alpha / 100;
	job->diff.is_single = job->floor >= 0;
	job->diff.floor = job->floor;
	if (counter)
		job->diff.counted = measure_of((enum cinstr_method)DATA_METHOD_COUNTED(counter));
	status = shares_begin(job, paths);
	names.style = NAMES_ASSEMBLER; /* what tells functions apart */
	names_configure(job->command->name, &names, 0);
	if (!status)
		status = read_runs(job);
	else
		job->n_runs = 0;
	if (job->n_runs && status >= 0 && ((shown = per_process_decide(job)) || (shown = choose_rows(job)))) {
		status = shown;
	} else if (job->n_runs && status >= 0) {
		names_configure(job->command->name, &job->options.view.names,
				output_formats[job->options.view.format].shape->is_for_people);
		diff_name_rows(&job->diff, &job->shown,
			       output_formats[job->options.view.format].shape->is_for_people);
		if (job->diff.shares)
			shares_compare(&job->diff, job->options.threshold);
		else
			diff_compare(&job->diff, job->options.threshold);
		shown = show(job);
		status = shown ? shown : status;
	}
	names_release(&job->shown);
	diff_release(&job->diff);
	shares_release(&job->shares);
	diff_processes_release(&job->processes);
	return status < 0 ? STATUS_DATA : status;
}

/* --columns, --sort. 0, or -1 after an error message. */
static int fields_parse(struct job *job)
{
	const struct diff_options *options = &job->options;

	if (options->columns &&
	    field_choice_parse(&job->columns, "diff", options->columns, &diff_fields, &diff_fields_default))
		return -1;
	if (options->columns && view_counter(options->measure) && !diff_drop_times(&job->columns))
		return error("diff: --columns=%s: what the processor counted has no times", options->columns);
	return options->sort ? field_order_parse(&job->order, "diff", options->sort, &diff_fields) : 0;
}

static int fail_over_parse(struct job *job)
{
	const char *text = job->options.fail_over;
	char *end;

	job->fail_over = -1;
	if (!text)
		return 0;
	job->fail_over = strtod(text, &end);
	if (end != text && !*end && job->fail_over >= 0 && isfinite(job->fail_over))
		return 0;
	return error("diff: --fail-over does not take '%s'; it takes a percentage", text);
}

static int single_parse(struct job *job)
{
	const char *text = job->options.single;
	char *end;

	job->floor = -1;
	if (!text)
		return 0;
	job->floor = *text ? strtod(text, &end) : DIFF_FLOOR;
	if (!*text || (end != text && !*end && job->floor >= 0 && job->floor <= 100))
		return 0;
	return error("diff: --single does not take '%s'; it takes a percentage, such as --single=5", text);
}

/* The sides: two operands, or those before and behind `separator`. */
static int sides_find(struct job *job, char **operands, size_t n, const char *separator)
{
	size_t at = 0;

	while (at < n && operands[at] != separator)
		at++;
	job->paths = operands;
	job->n_a = at;
	job->n_runs = n;
	if (at < n) {
		size_t n_b = old_runs_leave_out(operands + at + 1, n - at - 1);

		job->n_a = old_runs_leave_out(operands, at);
		memmove(operands + job->n_a, operands + at + 1, n_b * sizeof(*operands));
		job->n_runs = job->n_a + n_b;
	} else if (n == 2) {
		job->n_a = 1;
	}
	if (job->n_a && job->n_runs > job->n_a)
		return 0;
	return error("diff: which two? cinstr diff A B, or cinstr diff A1 A2 ... -- B1 B2 ...");
}

/* --measure=instructions. */
static int compare_instructions(const struct job *job)
{
	const struct diff_options *o = &job->options;
	const char *option = strcmp(o->column, DEFAULT_COLUMN) != 0 ? "--column"
			     : o->sort				    ? "--sort"
			     : o->is_relative			    ? "--relative"
			     : o->per				    ? "--per"
			     : o->is_unpreempted		    ? "--unpreempted"
			     : o->alpha != 100 * DIFF_ALPHA	    ? "--alpha"
			     : o->single			    ? "--single"
								    : NULL;
	struct instructions_diff diff = { .paths = job->paths,
					  .n_a = job->n_a,
					  .n_runs = job->n_runs,
					  .by = job->by == BY_MODULE ? EXECUTED_BY_MODULE
								     : EXECUTED_BY_FUNCTION,
					  .fail_over = job->fail_over,
					  .fails_by_row = o->fail_on != FAIL_ON_TOTAL,
					  .fails_by_total = o->fail_on != FAIL_ON_ROW,
					  .limit = o->limit,
					  .any_build = o->any_build,
					  .view = o->view };

	if (!option && o->threshold != DEFAULT_THRESHOLD)
		option = "--threshold";
	if (option || (job->by != BY_FUNCTION && job->by != BY_MODULE))
		return error_usage(
			"diff: %s does not go with --measure=instructions: numbers are exact, by function or "
			"module",
			option ? option : "--by");
	diff.view.columns = o->columns;
	return instructions_diff(job->command, &diff);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const enum profile_by views[] = {
		BY_FUNCTION, BY_LINE, BY_MODULE, BY_PATH, BY_SITE, BY_ADDRESS
	};
	/* in the place of --: options_parse() would take everything behind it for operands */
	static char separator[] = "and";
	struct job job = { .command = command,
			   .options = { .column = DEFAULT_COLUMN,
					.threshold = DEFAULT_THRESHOLD,
					.alpha = 100 * DIFF_ALPHA,
					.limit = NO_LIMIT,
					.view.os_events = "default",
					.view.keep_names = 1 } };
	int n_operands, column, status;
	enum options_result result;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = separator;
			break;
		}
	result = options_parse(command, argc, argv, &job.options, &n_operands);
	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (view_counter(job.options.measure)) {
		job.options.view.measure = job.options.measure;
		if (!strcmp(job.options.column, DEFAULT_COLUMN))
			job.options.column = "exclusive_counted";
	}
	column = column_find(job.options.column);
	job.column = (enum column)column;
	job.by = views[job.options.by];
	if (job.options.columns && !strcmp(job.options.columns, "help")) {
		field_list_help(stdout, &diff_fields);
		return STATUS_OK;
	}
	if (column < 0 ||
	    diff_check_column(job.column, view_counter(job.options.measure), job.options.is_relative) ||
	    fields_parse(&job) || fail_over_parse(&job) || single_parse(&job) ||
	    diff_check_certainty(job.column, job.options.alpha, job.options.is_unpreempted) ||
	    sides_find(&job, argv + 1, (size_t)n_operands, separator) ||
	    view_counting(command, &job.options.view, &job.counting))
		return STATUS_USAGE;
	if (job.options.limit == NO_LIMIT && output_formats[job.options.view.format].shape->is_for_people &&
	    !job.options.view.output && terminal_is_watched())
		job.options.limit = LIMIT_ON_TERMINAL;
	status = job.options.measure == MEASURE_INSTRUCTIONS ? compare_instructions(&job)
							     : compare(&job, argv + 1);
	selection_release(&job.options.view.selection);
	return status;
}

static const struct absent_options absent[] = {
	{ "view", "--column says what is compared, --columns what is shown" },
	{ NULL, NULL },
};

const struct command command_diff = {
	.name = "diff",
	.operands = "A B | A... -- B...",
	.summary = "Shows what changed from session A to session B, or from several runs to several others,\n"
		   "with the largest changes first.",
	OPTIONS_OF(diff_options),
	.max_operands = OPERANDS_MAX,
	.notes = "Rows of A and B belong together if their names, files and modules are the same;\n"
		 "addresses, lines and folders of sources may differ. With --by=address the\n"
		 "instruction is found by its offset in the same build, else by a guess: by\n"
		 "function, callee and number of the call (samples: by offset); the foot says how\n"
		 "many.\n"
		 "\n"
		 "With two or more runs on a side each change has an interval, +-, which holds the\n"
		 "true change: all intervals of a report together in 95 % of the cases (Welch's t,\n"
		 "Bonferroni; --alpha). noise: the change may be 0. added, removed: all runs of one side\n"
		 "have it, none of the other. With one run on each side it is not known how much\n"
		 "runs differ: there is no +-, and the verdict ends in a ?; noise then means that\n"
		 "the probes' cost may explain the change. cinstr record --repeat=5 -o new.data\n"
		 "records new.data.1 to new.data.5; older ones (new.data.1.old) are left out.\n"
		 "\n"
		 "Two jobs of many processes, merged (cinstr merge), are compared by what a process\n"
		 "has in the mean, so that 16 ranks compare with 32; +- comes of how much the\n"
		 "processes differ (--per=session: sums). Imbal. is most / mean - 1, and whose the\n"
		 "most is. Of a function with several call paths +- is an upper bound.\n"
		 "\n"
		 "--fail-over fails if the whole interval is above the limit; new rows and rows\n"
		 "below --threshold do not fail. With one run on each side it needs --single,\n"
		 "which says what counts as chance (--single=0 for counts that are the same in\n"
		 "each run). Samples have an interval of their own, by their number.\n"
		 "\n"
		 "--measure=instructions compares executed instructions (cinstr help report), which\n"
		 "are exact: what differs between two runs differs. With several runs on a side\n"
		 "functions differ whose numbers do not overlap; those that differ between runs\n"
		 "of one side (seeds, addresses, times) are told apart: varies.\n"
		 "\n"
		 "Two sampled sessions are compared by shares. A sampled and an instrumented one\n"
		 "stand side by side: how much do the probes distort? The instrumented shares are\n"
		 "of Application time, on-cpu: samples see nothing else. What samples see and probes do not "
		 "is a part of its caller.\n",
	.examples = "  cinstr diff old.data new.data               functions by change of own time\n"
		    "  cinstr diff old.data.* -- new.data.*        several runs each: what is noise?\n"
		    "  cinstr diff --by=path --relative old new    call paths, as shares\n"
		    "  cinstr diff --column=calls old new          calls instead of time\n"
		    "  cinstr diff --sort=b --columns=a,b,name old new   what takes most now\n"
		    "  cinstr diff old.cinstr new.cinstr           merged jobs: means of a process\n"
		    "  cinstr diff sampled.data probes.data        both methods side by side\n"
		    "  cinstr diff --fail-over=5 a.* -- b.*        1 if something is 5 % slower\n"
		    "  cinstr diff --measure=instructions --fail-over=1 a b   1 % more instructions\n"
		    "  cinstr diff --single --fail-over=25 a b     the same of single runs, roughly\n",
	.absent = absent,
	.run = run,
};

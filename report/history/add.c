/* SPDX-License-Identifier: GPL-3.0-or-later */
/* add.c - cinstr history add: stores the values of a session's functions as a run of a history. */
#include <errno.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "add_instructions.h"
#include "lib/files.h"
#include "lib/options.h"
#include "instructions/builds.h"
#include "parquet/folder.h"
#include "store.h"
#include "view/view.h"

#define NUMBER_MOST 999999

/* clang-format off */
#define RUN_COLUMNS(C) \
	C(RUN_TIME, "time_ns", INT64, 0, 0) \
	C(RUN_LABEL, "label", TEXT, 1, 0) \
	C(RUN_COMMIT, "commit", TEXT, 1, 0) \
	C(RUN_COMMAND, "command", TEXT, 1, 0) \
	C(RUN_HOST, "host", TEXT, 1, 0) \
	C(RUN_METHOD, "method", TEXT, 0, 0) \
	C(RUN_CINSTR, "cinstr", TEXT, 0, 0) \
	C(RUN_BEGIN, "begin_realtime_ns", INT64, 0, 0) \
	C(RUN_DURATION, "duration_ns", INT64, 0, 0) \
	C(RUN_PROCESSES, "processes", INT64, 0, 0) \
	C(RUN_FUNCTIONS, "functions", INT64, 0, 0) \
	C(RUN_ELAPSED, "elapsed_ns", INT64, 1, 0) \
	C(RUN_APPLICATION, "application_ns", INT64, 1, 0) \
	C(RUN_SAMPLES, "samples", INT64, 1, 0) \
	C(RUN_INSTRUCTIONS, "instructions", INT64, 1, 0) \
	C(RUN_UNKNOWN, "functions_not_known", INT64, 1, 0) \
	C(RUN_UNPREEMPTED, "unpreempted_ns", INT64, 1, 0)
enum { RUN_COLUMNS(PARQUET_NUMBER) };
static const struct parquet_column run_columns[] = { RUN_COLUMNS(PARQUET_COLUMN) };

#define FUNCTION_COLUMNS(C) \
	C(FUNCTION_NAME, "name", TEXT, 0, 0) \
	C(FUNCTION_MODULE, "module", TEXT, 1, 0) \
	C(FUNCTION_FILE, "file", TEXT, 1, 0) \
	C(FUNCTION_LINE, "line", INT32, 1, 0) \
	C(FUNCTION_CALLS, "calls", INT64, 1, 0) \
	C(FUNCTION_ELAPSED, "elapsed_ns", INT64, 1, 0) \
	C(FUNCTION_INCLUSIVE, "elapsed_inclusive_ns", INT64, 1, 0) \
	C(FUNCTION_APPLICATION, "application_ns", INT64, 1, 0) \
	C(FUNCTION_WAITING, "waiting_ns", INT64, 1, 0) \
	C(FUNCTION_UNPREEMPTED, "unpreempted_ns", INT64, 1, 0) \
	C(FUNCTION_SAMPLES, "samples", INT64, 1, 0) \
	C(FUNCTION_SAMPLES_INCLUSIVE, "samples_inclusive", INT64, 1, 0) \
	C(FUNCTION_INSTRUCTIONS, "instructions", INT64, 1, 0) \
	C(FUNCTION_IS_ESTIMATE, "instructions_is_estimate", INT32, 1, 0)
enum { FUNCTION_COLUMNS(PARQUET_NUMBER) };
static const struct parquet_column function_columns[] = { FUNCTION_COLUMNS(PARQUET_COLUMN) };
/* clang-format on */

/* Of modules whose executed instructions are counted: each compiler a row, or one without. */
enum { MODULE_NAME, MODULE_BUILD_ID, MODULE_COMPILER, MODULE_HAS_OPTIONS };
static const struct parquet_column module_columns[] = {
	{ "module", PARQUET_TEXT, 0, 0 },
	{ "build_id", PARQUET_TEXT, 1, 0 },
	{ "compiler", PARQUET_TEXT, 1, 0 },
	{ "compiler_has_options", PARQUET_INT32, 1, 0 },
};

struct adding {
	const struct history_addition *addition;
	const char *session;
	const struct view_options *options;
	struct profile *profile;
	struct added_instructions executed;
	struct folder folder;
	int error;
	uint64_t bytes;
	size_t n_functions;
	long double unpreempted; /* of all functions, ns */
	int is_live;
};

/* ---- tables ---------------------------------------------------------------------------------- */

static struct parquet_writer *table_open(struct adding *adding, const char *name,
					 const struct parquet_column *columns, size_t n)
{
	FREED char *path = folder_file(&adding->folder, name);

	return parquet_create(path, columns, n);
}

static void table_close(struct adding *adding, struct parquet_writer *writer)
{
	int error = parquet_close(writer, &adding->bytes);

	if (!adding->error)
		adding->error = error;
}

static void put_if(struct parquet_writer *w, size_t column, long double value, int is_known)
{
	if (is_known)
		parquet_number(w, column, (int64_t)util_rounded(value));
	else
		parquet_none(w, column);
}

static void put_instructions(struct parquet_writer *w, const struct adding *adding,
			     const struct executed_row *row)
{
	int is_known = row && added_instructions_knows(&adding->executed, row);

	put_if(w, FUNCTION_INSTRUCTIONS, is_known ? (long double)row->instructions : 0, is_known);
	put_if(w, FUNCTION_IS_ESTIMATE, is_known && row->is_estimate, is_known);
}

static long double unpreempted_of(const struct sums *s)
{
	return s->elapsed_exclusive > s->preempted_exclusive ? s->elapsed_exclusive - s->preempted_exclusive
							     : 0;
}

static void put_function(struct parquet_writer *w, struct adding *adding, const struct row *row,
			 int is_sampled)
{
	const struct sums *s = &row->sums;

	parquet_text(w, FUNCTION_NAME, row->name);
	parquet_text(w, FUNCTION_MODULE, row->module && *row->module ? row->module : NULL);
	parquet_text(w, FUNCTION_FILE, row->file);
	put_if(w, FUNCTION_LINE, row->line, row->file && row->line);
	put_if(w, FUNCTION_CALLS, (long double)row->calls, !is_sampled);
	put_if(w, FUNCTION_ELAPSED, s->elapsed_exclusive, !is_sampled);
	put_if(w, FUNCTION_INCLUSIVE, s->elapsed_inclusive, !is_sampled);
	put_if(w, FUNCTION_APPLICATION, s->application_exclusive, !is_sampled);
	put_if(w, FUNCTION_WAITING, s->off_cpu_exclusive, !is_sampled);
	put_if(w, FUNCTION_UNPREEMPTED, unpreempted_of(s), !is_sampled);
	adding->unpreempted += unpreempted_of(s);
	put_if(w, FUNCTION_SAMPLES, s->elapsed_exclusive, is_sampled);
	put_if(w, FUNCTION_SAMPLES_INCLUSIVE, s->elapsed_inclusive, is_sampled);
	put_instructions(w, adding,
			 added_instructions_take(&adding->executed, row->name, row->module, row->file));
	parquet_row_end(w);
}

/* A function that was executed, and has no event. */
static void put_executed(struct parquet_writer *w, struct adding *adding, const struct executed_row *row)
{
	parquet_text(w, FUNCTION_NAME, row->name);
	parquet_text(w, FUNCTION_MODULE, row->module && *row->module ? row->module : NULL);
	parquet_text(w, FUNCTION_FILE, row->file);
	put_if(w, FUNCTION_LINE, row->line, row->file && row->line);
	for (size_t i = FUNCTION_CALLS; i < FUNCTION_INSTRUCTIONS; i++)
		parquet_none(w, i);
	put_instructions(w, adding, row);
	parquet_row_end(w);
	adding->n_functions++;
}

static void put_module(struct parquet_writer *w, const struct executed_image *image, const char *compiler,
		       int has_options)
{
	parquet_text(w, MODULE_NAME, image->path);
	parquet_text(w, MODULE_BUILD_ID, *image->build_id ? image->build_id : NULL);
	parquet_text(w, MODULE_COMPILER, compiler);
	put_if(w, MODULE_HAS_OPTIONS, has_options, compiler != NULL);
	parquet_row_end(w);
}

static void put_compilers(struct parquet_writer *w, const struct executed_image *image)
{
	size_t n = 0;
	struct built built;

	built_read(&built, image->symbols);
	for (int k = 0; k < BUILT_KINDS; k++) {
		char *rest = built.lines[k], *line;

		while ((line = strsep(&rest, "\n")))
			if (*line) {
				put_module(w, image, line, k == SYMBOLS_BUILT_WITH_OPTIONS);
				n++;
			}
	}
	if (!n)
		put_module(w, image, NULL, 0);
	built_release(&built);
}

static void put_modules(struct adding *adding)
{
	const struct executed *executed = &adding->executed.executed;
	struct parquet_writer *w =
		table_open(adding, "module.parquet", module_columns, ARRAY_SIZE(module_columns));

	for (size_t i = 0; i < executed_n_images(executed); i++)
		put_compilers(w, &executed->images[i]);
	table_close(adding, w);
}

/* Its name, where there is but one: a key has the boot behind it. */
static void put_host(struct parquet_writer *w, const struct totals *totals)
{
	char *host = totals->hosts.n == 1 ? xstrdup(totals->hosts.keys[0]) : NULL;

	if (host)
		host[strcspn(host, "\n")] = '\0';
	parquet_text(w, RUN_HOST, host && *host ? host : NULL);
	free(host);
}

static void put_run(struct adding *adding, const struct profile *profile)
{
	const struct history_addition *addition = adding->addition;
	const struct totals *t = &profile->totals;
	int is_sampled = profile_is_sampled(profile);
	struct parquet_writer *w = table_open(adding, "run.parquet", run_columns, ARRAY_SIZE(run_columns));

	parquet_number(w, RUN_TIME, (int64_t)(addition->time_ns ? addition->time_ns : t->begin_realtime_ns));
	parquet_text(w, RUN_LABEL, addition->label);
	parquet_text(w, RUN_COMMIT, addition->commit);
	parquet_text(w, RUN_COMMAND, t->title);
	put_host(w, t);
	parquet_text(w, RUN_METHOD, is_sampled ? "samples" : t->is_mixed ? "mixed" : "probes");
	parquet_text(w, RUN_CINSTR, CINSTR_VERSION);
	parquet_number(w, RUN_BEGIN, (int64_t)t->begin_realtime_ns);
	parquet_number(w, RUN_DURATION, (int64_t)util_rounded(totals_duration(t)));
	parquet_number(w, RUN_PROCESSES, (int64_t)t->processes);
	parquet_number(w, RUN_FUNCTIONS, (int64_t)adding->n_functions);
	put_if(w, RUN_ELAPSED, t->elapsed, !is_sampled);
	put_if(w, RUN_APPLICATION, t->application, !is_sampled);
	put_if(w, RUN_SAMPLES, t->elapsed, is_sampled);
	put_if(w, RUN_INSTRUCTIONS, (long double)adding->executed.rows.instructions,
	       adding->executed.is_there);
	put_if(w, RUN_UNKNOWN, (long double)adding->executed.rows.n_unknown, adding->executed.is_there);
	put_if(w, RUN_UNPREEMPTED, adding->unpreempted, !is_sampled);
	parquet_row_end(w);
	table_close(adding, w);
}

/* Looks up where a function is defined that no table tells of. */
static void resolve(struct profile *profile, struct row *row)
{
	const struct entity *entity;

	if (row->file || row->entity == NAMES_NONE)
		return;
	names_resolve(profile->names, row->entity);
	entity = &profile->names->list[row->entity];
	row->file = entity->file;
	row->line = entity->line;
}

static int take(struct view *view, void *arg)
{
	struct adding *adding = arg;
	struct profile *profile = adding->profile;
	struct view_options options = *adding->options;
	const struct executed_row *row;
	struct parquet_writer *w;
	size_t at = 0;

	options.is_quiet = 1; /* problems have just been told */
	if (added_instructions_read(&adding->executed, adding->session, &options))
		return STATUS_DATA;
	adding->is_live = view->is_live;
	w = table_open(adding, "function.parquet", function_columns, ARRAY_SIZE(function_columns));
	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].name) {
			resolve(profile, &profile->rows[i]);
			put_function(w, adding, &profile->rows[i], profile_is_sampled(profile));
			adding->n_functions++;
		}
	while ((row = added_instructions_left(&adding->executed, &at)))
		put_executed(w, adding, row);
	table_close(adding, w);
	if (adding->executed.is_there)
		put_modules(adding);
	put_run(adding, profile);
	return STATUS_OK;
}

/* ---- its number ------------------------------------------------------------------------------ */

static uint64_t last_number(const char *path)
{
	DIR *folder = files_list(path, 0);
	struct dirent *entry;
	uint64_t last = 0;

	while (folder && (entry = readdir(folder))) {
		unsigned long long number = 0;
		int length = 0;

		if (sscanf(entry->d_name, "run=%6llu%n", &number, &length) == 1 && !entry->d_name[length] &&
		    number > last)
			last = number;
	}
	if (folder)
		closedir(folder);
	return last;
}

/* The next that nobody has; somebody else may take it at the same time. 0: it has none. */
static uint64_t number_take(struct adding *adding, const char *path)
{
	for (uint64_t number = last_number(path) + 1; number <= NUMBER_MOST; number++) {
		STRBUF(name);
		int taken;

		strbuf_printf(&name, "%s/run=%06llu", path, (unsigned long long)number);
		taken = folder_end_as(&adding->folder, name.text);
		if (taken <= 0)
			return taken ? 0 : number;
	}
	error("%s: no more than %d runs; nothing was added", path, NUMBER_MOST);
	return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Why it is not added; NULL: it is. */
static const char *reason(const struct adding *adding, int status)
{
	if (adding->error)
		return strerror(adding->error);
	if (adding->is_live)
		return "it is still being recorded";
	if (status)
		return "it could not be read as a whole";
	return adding->n_functions ? NULL : "it has no functions";
}

/* A folder that is not there is made. 0, or -1 after a message. */
static int check_folder(const char *path)
{
	int fd = files_folder(path, 0);

	if (fd < 0 && errno == ELOOP)
		return error("%s: %s", util_shown(path), files_problem(ELOOP));
	if (fd >= 0)
		close(fd);
	return 0;
}

int history_add(const struct command *command, const char *path, const char *session,
		const struct history_addition *addition)
{
	struct view_options options = { .os_events = "default", .format = OUTPUT_FORMAT_csv };
	struct profile profile, *profiles = &profile;
	struct adding adding = {
		.addition = addition, .session = session, .options = &options, .profile = &profile
	};
	struct counting counting;
	struct strbuf folder = { 0 };
	uint64_t number = 0;
	const char *why;
	int status;

	if (view_counting(command, &options, &counting))
		return STATUS_USAGE;
	if (check_folder(path))
		return STATUS_DATA;
	strbuf_printf(&folder, "%s/new", path);
	status = folder_begin(&adding.folder, folder.text) ? STATUS_DATA : STATUS_OK;
	strbuf_release(&folder);
	if (status)
		return status;
	profile_init(&profile, BY_FUNCTION, &counting);
	status = view_read(session, &options, &profiles, 1, take, &adding);
	why = reason(&adding, status);
	if (!why) {
		number = number_take(&adding, path);
	} else {
		error("%s: nothing was added: %s", util_shown(session ? session : INPUT_DEFAULT), why);
	}
	if (adding.folder.path)
		folder_end(&adding.folder, 0);
	if (number)
		print_visible(stdout, "%s: run %llu, %zu functions\n", path, (unsigned long long)number,
			      adding.n_functions);
	added_instructions_release(&adding.executed);
	profile_release(&profile);
	selection_release(&options.selection);
	return number ? STATUS_OK : STATUS_DATA;
}

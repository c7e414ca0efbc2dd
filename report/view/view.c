/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view.c - shared by the commands that show rows: options, reading, writing (view.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "executed/executed_tree.h"
#include "file/samples.h"
#include "lib/files.h"
#include "lib/progress.h"
#include "lib/terminal.h"
#include "session/beside_files.h"
#include "session/rule_check.h"
#include "session/session_command.h"
#include "values/user_counts.h"
#include "view.h"

/* ---- options --------------------------------------------------------------------------------- */

/* 0, or -1: there is no such word. */
static int os_event_bits(const char *word, size_t n, uint32_t *mask)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} words[] = {
#define WORD(x, id, number, by_default, source, word, ...) { word, CINSTR_OS_##id },
		CINSTR_OS_EVENTS(WORD, )
#undef WORD
			{ "default", CINSTR_OS_DEFAULT_MASK },
		{ "all", CINSTR_OS_ALL },
		{ "none", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == n && !strncmp(words[i].name, word, n)) {
			*mask |= words[i].bits;
			return 0;
		}
	return -1;
}

static int os_events_parse(const struct command *command, const char *list, uint32_t *mask)
{
	*mask = 0;
	while (*list) {
		size_t n = strcspn(list, ",");
		STRBUF(words);

		if (os_event_bits(list, n, mask)) {
			os_events_put(&words, CINSTR_OS_ALL, ", ");
			return error("%s: --os-events has no event '%.*s'; it takes %s, all, default, none",
				     command->name, (int)n, list, words.text);
		}
		list += n + (list[n] == ',');
	}
	return 0;
}

int view_counting(const struct command *command, struct view_options *options, struct counting *counting)
{
	if (terminal_configure(command->name, &options->terminal))
		return -1;
	samples_show_inlines(!options->inlines);
	user_counts_choose(options->count);
	if (options->count)
		options->set = COLUMNS_COUNTS;
	/* Who chooses what Application time is wants to see it. */
	if (options->set == COLUMNS_CPU && (options->application || strcmp(options->os_events, "default")))
		options->set = COLUMNS_FULL;
	*counting = (struct counting){ .on_cpu = options->application, .raw = options->raw };
	if (options->measure != MEASURE_TIME && view_check_executed(command, options))
		return -1;
	if (names_configure(command->name, &options->names,
			    output_formats[options->format].shape->is_for_people) ||
	    selection_check(&options->selection))
		return -1;
	return os_events_parse(command, options->os_events, &counting->os_mask);
}

/* ---- reading and writing --------------------------------------------------------------------- */

struct reading {
	struct profile *const *profiles; /* these count alike */
	size_t n_profiles;
	const struct selection *selection;
	int again;	 /* a second time: call paths only */
	int tells_apart; /* functions of one name */
	struct rule_check rules;
	struct executed *executed; /* NULL: times or samples are looked at */
	struct executed *beside;   /* to be compared with times; NULL: nobody does */
};

static void profiles_read(const struct reading *reading, const struct data *data)
{
	if (!reading->again) {
		profiles_add(reading->profiles, reading->n_profiles, data);
		return;
	}
	for (size_t i = 0; i < reading->n_profiles; i++)
		if (reading->profiles[i]->by == BY_PATH && reading->profiles[i]->paths.row_of)
			profile_add(reading->profiles[i], data);
}

/* What profiles are made of: of executed instructions another file, to be released. */
static struct data *measured(const struct reading *reading, struct data *data)
{
	return reading->executed ? executed_tree_make(reading->executed, data) : data;
}

static void measured_release(const struct reading *reading, struct data *data)
{
	if (reading->executed)
		executed_tree_release(data);
}

static void add_data(void *arg, struct data *data)
{
	struct reading *reading = arg;
	struct data *shown;

	if (!reading->again && !selection_is_any(reading->selection)) /* else there may be others */
		rule_check_add(&reading->rules, data);
	if (!reading->again && reading->executed)
		executed_add(reading->executed, data);
	if (!reading->again && reading->beside)
		executed_add(reading->beside, data);
	shown = measured(reading, data);
	user_counts_see(shown);
	profiles_read(reading, shown);
	measured_release(reading, shown);
}

int view_write(const struct view *view, const struct view_options *options, enum output_kind kind)
{
	FILE *out = stdout;
	int status;

	if (options->output && strcmp(options->output, "-"))
		out = files_write(options->output);
	if (!out)
		return error_data("%s: cannot be written: %s", options->output, files_problem(errno));
	if (out == stdout)
		terminal_page();
	errno = 0;
	if (out != stdout || !terminal_is_watched())
		progress_begin("writing", 0, "rows");
	output_write(out, (enum output_format_number)options->format, kind, view);
	status = fflush(out) || ferror(out) ? -1 : 0;
	if (out != stdout && fclose(out))
		status = -1;
	progress_end();
	if (status && errno != EPIPE)
		error("%s: cannot be written: %s", options->output ? options->output : "stdout",
		      strerror(errno));
	return status ? STATUS_DATA : STATUS_OK;
}

static void say_not_counted(const struct profile *profile, const char *name)
{
	STRBUF(names);

	if (!profile->totals.counting) {
		error("the program counted nothing: it did not call cinstr_count() of cinstr.h");
		return;
	}
	user_counts_put_all(&names);
	error("--count=%s: the program counted nothing by this name; there are: %s", name, names.text);
}

/* What a view needs and the session does not hold. */
static int view_lacks(const struct profile *profile, const struct view_options *options)
{
	if (options->set == COLUMNS_COUNTS && !profile_is_sampled(profile) &&
	    (!profile->totals.counting || !user_counts_is_known())) {
		say_not_counted(profile, options->count);
		return 1;
	}
	if (options->histogram && profile_is_sampled(profile)) {
		error("--histogram: samples do not tell how long calls take: record with probes");
		return 1;
	}
	if (profile->totals.merged && profile->totals.merged == profile->totals.processes &&
	    (profile->by == BY_THREAD || profile->by == BY_MARK)) {
		error("--by=%s: merged sessions do not keep %s; use --by=process or --by=rank",
		      profile->by == BY_MARK ? "mark" : "thread",
		      profile->by == BY_MARK ? "marks" : "threads");
		return 1;
	}
	if (profile->by == BY_MARK && profile->marks_unknown) {
		error("--by=mark: what lies between marks is not known of a part that was taken from the "
		      "timeline: --from and --to take marks");
		return 1;
	}
	return 0;
}

/* A row of several folded paths has a name that says so. */
static int has_own_name(const struct profile *profile, const struct row *row)
{
	const struct entity *entity = row->entity == NAMES_NONE ? NULL : &profile->names->list[row->entity];

	return entity && (row->name == entity->name || (entity->named && row->name == entity->named));
}

/* What is made of one function's name gets that anew. */
static void name_anew(const struct profile *profile, struct row *row, int is_own)
{
	const struct entity *list = profile->names->list;

	if (is_own)
		row->name = list[row->entity].name;
	if (row->about == NAMES_NONE)
		return;
	if (profile->by == BY_SITE) {
		row->callee = list[row->about].name;
		row->name = row->place != NAMES_NONE ? list[row->place].name : row->name;
	} else if (profile->by == BY_LINE && row->n_functions == 1 && !row->is_of_several) {
		row->function = list[row->about].name;
	}
}

/*
 * In a table, where no column may tell them apart. Of all functions of the session, shown or not:
 * so that a function has the same name in every view. The profiles share their names.
 */
static void tell_names_apart(const struct reading *reading)
{
	struct names *names = reading->profiles[0]->names;
	size_t n = names->keys.n;
	FREED uint32_t *entities = xcalloc(n + 1, sizeof(*entities));
	FREED uint8_t **is_own = xcalloc(reading->n_profiles, sizeof(*is_own));

	for (size_t p = 0; p < reading->n_profiles; p++) {
		const struct profile *profile = reading->profiles[p];

		is_own[p] = xcalloc(profile->n_rows + 1, 1);
		for (size_t i = 0; i < profile->n_rows; i++)
			is_own[p][i] = has_own_name(profile, &profile->rows[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		entities[i] = names->list[i].is_function ? i : NAMES_NONE;
	names_tell_apart(names, entities, n);
	for (size_t p = 0; p < reading->n_profiles; p++) {
		struct profile *profile = reading->profiles[p];

		for (size_t i = 0; i < profile->n_rows; i++)
			name_anew(profile, &profile->rows[i], is_own[p][i]);
		free(is_own[p]);
	}
}

static void resolve_row(struct profile *profile, struct row *row)
{
	int is_own;

	if (row->entity == UINT32_MAX)
		return;
	is_own = has_own_name(profile, row);
	if (!row->file) {
		names_resolve(profile->names, row->entity);
		row->file = profile->names->list[row->entity].file;
		row->line = profile->names->list[row->entity].line;
	}
	if (is_own)
		row->name = profile->names->list[row->entity].name;
	if (!row->address)
		row->address = names_address(profile->names, row->entity);
}

void view_resolve(const struct view *view, struct profile *profile)
{
	for (size_t i = 0; i < view->n_rows; i++)
		resolve_row(profile, &profile->rows[view->rows[i] - profile->rows]);
}

/* What --columns says. 0, or -1 after an error message. */
static int choose_columns(struct view *view, struct column_list *columns, const struct view_options *options)
{
	struct column_list defaults;

	view->set = (enum column_set)options->set;
	if (!options->columns)
		return 0;
	column_list_default(&defaults, view->profile, view->set, terminal_width(stdout));
	if (column_list_parse(columns, options->columns, &defaults, view->profile))
		return -1;
	view->columns = columns;
	return 0;
}

/* What is wrong with --columns whatever the session is. */
static int check_columns(struct view *view, struct column_list *columns, struct profile *profile,
			 const struct view_options *options)
{
	int status;

	profile->any_method = 1;
	status = choose_columns(view, columns, options);
	profile->any_method = 0;
	return status;
}

/* A session is called by what was recorded, which is not always its first process: of `sh -c ...`
 * that is what the shell runs first. */
static void title(const struct reading *reading, const char *path)
{
	FREED char *command = session_command(path);

	for (size_t i = 0; i < reading->n_profiles && command; i++) {
		free(reading->profiles[i]->totals.title);
		reading->profiles[i]->totals.title = xstrdup(command);
	}
}

/* What functions have executed, for the first profile. To be freed. */
static struct executed_work *work_make(const struct reading *reading)
{
	struct profile *profile = reading->profiles[0];
	struct executed_work *work;

	profile->is_work_wanted = 0; /* it is there, or not */
	if (!reading->beside)
		return NULL;
	executed_finish(reading->beside);
	work = executed_work_make(reading->beside, profile->names);
	profile->work = work;
	profile->n_work = profile->names->keys.n;
	return work;
}

/* Reads the session, and has it shown. */
static int read_session(struct view *view, const struct selection *selection,
			int (*show)(struct view *view, void *arg), void *arg)
{
	struct reading *reading = view->reading;
	struct session_clock clock;
	struct strbuf filter = { 0 };
	FREED struct executed_work *work = NULL;
	const char *const *alone;
	int status, shown, is_there;

	session_clock_init(&clock, view->input);
	for (size_t i = 0; i < reading->n_profiles; i++) {
		struct profile *profile = reading->profiles[i];

		profile->clock = &clock;
		view->input->keeps |= profile->by == BY_PATH && !profile->paths.read_once;
	}
	view->input->is_silent = 1;
	status = selection_each(selection, view->input, add_data, reading);
	rule_check_end(&reading->rules);
	for (size_t i = 0; i < reading->n_profiles; i++)
		profile_settle(reading->profiles[i]);
	view->source = view->input->path;
	if (reading->executed) {
		executed_finish(reading->executed);
		if (!view->input->is_quiet && view_say_executed(reading->executed, view->source))
			status = STATUS_DATA;
	}
	view->is_live = view->input->is_live;
	if (selection_is_any(selection)) {
		selection_put(&filter, selection);
		view->filter = filter.text;
	}
	if (reading->tells_apart)
		tell_names_apart(reading);
	for (size_t i = 0; i < reading->n_profiles && reading->tells_apart; i++)
		if (reading->profiles[i]->by == BY_PROCESS)
			processes_tell_apart(reading->profiles[i]);
	title(reading, view->input->path);
	for (size_t i = 0; i < reading->n_profiles; i++)
		reading->profiles[i]->totals.mixed.alone = beside_alone(view->input->beside, &alone);
	work = work_make(reading);
	is_there = view->input->n_usable && (!reading->executed || reading->executed->n_counting);
	shown = is_there ? show(view, arg) : STATUS_OK;
	session_clock_release(&clock);
	strbuf_release(&filter);
	reading->profiles[0]->work = NULL;
	return shown ? shown : status;
}

int view_read(const char *path, const struct view_options *options, struct profile *const *profiles,
	      size_t n_profiles, int (*show)(struct view *view, void *arg), void *arg)
{
	struct session input;
	struct reading reading = { .profiles = profiles,
				   .n_profiles = n_profiles,
				   .selection = &options->selection,
				   .tells_apart = output_formats[options->format].shape->is_for_people &&
						  !options->keep_names };
	struct view view = { .profile = profiles[0],
			     .put_serious = advices_put_serious,
			     .put_errors = advices_put_errors,
			     .count_notes = advices_count_notes,
			     .verbose = options->verbose,
			     .input = &input,
			     .reading = &reading };
	struct column_list columns;
	struct executed executed, beside;
	int status = STATUS_DATA, is_executed = options->measure != MEASURE_TIME;

	if (options->columns && !strcmp(options->columns, "help")) {
		column_list_help(stdout);
		return STATUS_OK;
	}
	if (check_columns(&view, &columns, profiles[0], options))
		return STATUS_USAGE;
	for (size_t i = 1; i < n_profiles; i++)
		profile_share_names(profiles[i], profiles[0]);
	executed_init(&executed, profiles[0]->names);
	executed.counter = view_counter(options->measure);
	executed.some_threads = options->selection.threads != NULL;
	if (is_executed)
		view.executed = reading.executed = &executed;
	executed_init(&beside, names_new());
	if (profiles[0]->is_work_wanted && !is_executed && !selection_is_any(&options->selection))
		reading.beside = &beside;
	if (!session_open(&input, path)) {
		input.is_quiet = options->is_quiet;
		status = view_method(&input, options, profiles, n_profiles);
		if (!profile_is_sampled(profiles[0]))
			reading.n_profiles -= options->only_sampled;
		if (!status && choose_columns(&view, &columns, options))
			status = STATUS_USAGE;
		if (!status)
			status = read_session(&view, &options->selection, show, arg);
	}
	session_release(&input);
	executed_release(&executed);
	names_drop(beside.names);
	executed_release(&beside);
	return status;
}

/* Nothing is below a root that was asked for. */
static int has_no_paths(const struct profile *profile)
{
	if (!profile->paths.root || profile->paths.n > 1)
		return 0;
	error(profile_is_sampled(profile) ? "no function '%s' is in any sample"
					  : "no function '%s' was called",
	      util_shown(profile->paths.root));
	return 1;
}

/* A pass over what was read: by those of view_read, and by others. */
struct pass {
	const struct reading *reading;
	const struct view_more *more;
	int is_only_more;
};

static void add_again(void *arg, struct data *data)
{
	const struct pass *pass = arg;
	const struct view_more *more = pass->more;
	struct data *shown = measured(pass->reading, data);

	if (!pass->is_only_more)
		profiles_read(pass->reading, shown);
	if (more->n)
		profiles_add(more->profiles, more->n, shown);
	measured_release(pass->reading, shown);
	if (more->visit)
		more->visit(more->arg, data);
}

/* They are read as the first one was. */
static void more_begin(const struct view *view, const struct view_more *more)
{
	const struct profile *first = view->reading->profiles[0];

	for (size_t i = 0; i < more->n; i++) {
		struct profile *profile = more->profiles[i];
		struct totals *totals = &profile->totals;

		profile_share_names(profile, first);
		profile->clock = first->clock;
		totals->method = first->totals.method;
		totals->is_mixed = first->totals.is_mixed;
		totals->mixed.alone = first->totals.mixed.alone;
		free(totals->title);
		totals->title = first->totals.title ? xstrdup(first->totals.title) : NULL;
	}
}

static const struct view_more nobody;

static void read_again(struct view *view, const struct view_more *more, int is_only_more)
{
	struct pass pass = { view->reading, more, is_only_more };

	more_begin(view, more);
	selection_again(view->reading->selection, view->input, add_again, &pass);
	for (size_t i = 0; i < more->n; i++)
		profile_settle(more->profiles[i]);
}

int view_read_paths_of(struct view *view, struct profile *const *profiles, const struct paths_choice *choices,
		       size_t n, const struct view_more *more)
{
	for (size_t i = 0; i < n; i++) {
		struct paths_choice own = choices[i];

		if (has_no_paths(profiles[i]))
			return -1;
		if (profile_is_sampled(profiles[i]) && own.fold_length_sampled)
			own.fold_length = own.fold_length_sampled;
		view->n_hidden = paths_choose(profiles[i], &own, &view->hidden);
	}
	view->reading->again = 1;
	if (profiles[0]->stream.list)
		return 0; /* it is read again while rows are written */
	read_again(view, more ? more : &nobody, 0);
	for (size_t i = 0; i < n; i++) {
		paths_finish(profiles[i]);
		counted_calls_finish(profiles[i]);
	}
	return 0;
}

int view_read_paths(struct view *view, struct profile *profile, const struct paths_choice *choice)
{
	return view_read_paths_of(view, &profile, choice, 1, NULL);
}

void view_read_more(struct view *view, struct profile *const *profiles, size_t n)
{
	const struct view_more more = { profiles, n, NULL, NULL };

	read_again(view, &more, 1);
}

/* The profile of view_run, and call sites beside it. */
struct showing {
	struct profile profile, sites;
	int has_sites;
	const struct view_options *options;
	const struct paths_choice *paths; /* BY_PATH: what is shown */
	void (*choose)(struct view *view, void *arg);
	void *arg;
};

/* Rows that the selection leaves out: marked, and counted. Returns an exit status. */
static int filter(struct view *view, struct profile *profile, const struct selection *selection)
{
	int status = selection_rows(selection, profile);

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];

		if (!row->filtered || (!row->calls && row->sums.elapsed_inclusive <= 0))
			continue;
		view->n_filtered++;
		view->filtered += row->sums.elapsed_exclusive;
	}
	return status;
}

struct streaming {
	struct profile *profile;
	void (*put)(void *arg, struct row *row);
	void *arg;
};

static void put_streamed(void *arg, struct row *row)
{
	const struct streaming *streaming = arg;

	resolve_row(streaming->profile, row);
	streaming->put(streaming->arg, row);
}

static void each_streamed(const struct view *view, void (*put)(void *arg, struct row *row), void *arg)
{
	struct profile *profile = view->reading->profiles[0];
	struct streaming streaming = { profile, put, arg };
	struct pass pass = { view->reading, &nobody, 0 };

	view_stream_order(profile);
	profile->stream.put = put_streamed;
	profile->stream.arg = &streaming;
	selection_again(view->reading->selection, view->input, add_again, &pass);
}

static int show_rows(struct view *view, void *arg)
{
	struct showing *showing = arg;
	int status;

	showing->profile.stream.is_wanted =
		showing->paths && view_can_stream(&showing->profile, showing->options, showing->paths);
	if (view_lacks(&showing->profile, showing->options) ||
	    (showing->paths && view_read_paths(view, &showing->profile, showing->paths)))
		return STATUS_DATA;
	status = filter(view, &showing->profile, &showing->options->selection);
	if (status)
		return status;
	view->rows = xcalloc(showing->profile.n_rows, sizeof(*view->rows));
	view->each = showing->profile.stream.list ? each_streamed : NULL;
	progress_begin("looking up", 0, "names");
	if (!view->each)
		showing->choose(view, showing->arg);
	view_resolve(view, &showing->profile);
	progress_end();
	view->sites = showing->has_sites ? &showing->sites : NULL;
	status = view_write(view, showing->options,
			    showing->options->histogram ? OUTPUT_HISTOGRAM : OUTPUT_ROWS);
	free(view->rows);
	return status;
}

static int show(struct showing *showing, const char *path)
{
	struct profile *profiles[] = { &showing->profile, &showing->sites };
	int status =
		view_read(path, showing->options, profiles, showing->has_sites ? 2 : 1, show_rows, showing);

	profile_release(&showing->profile);
	if (showing->has_sites)
		profile_release(&showing->sites);
	return status;
}

/* Below the functions of a table it is told where the largest waits are: of all that there is. */
static int tells_waits(enum profile_by by, const struct view_options *options)
{
	return by == BY_FUNCTION && options->set == COLUMNS_CPU && !options->columns &&
	       output_formats[options->format].shape->is_for_people && !options->selection.functions &&
	       !options->selection.modules;
}

int view_run(const char *path, enum profile_by by, const struct counting *counting,
	     const struct view_options *options, void (*choose)(struct view *view, void *arg), void *arg)
{
	struct showing showing = { .options = options, .choose = choose, .arg = arg };

	profile_init(&showing.profile, by, counting);
	showing.has_sites = tells_waits(by, options);
	if (showing.has_sites)
		profile_init(&showing.sites, BY_SITE, counting);
	showing.profile.functions = options->functions;
	showing.profile.merge_threads = options->merge_threads;
	showing.profile.group = (enum process_group)options->group;
	showing.profile.spreads.is_wanted = 1;
	showing.profile.is_work_wanted = by == BY_FUNCTION;
	return show(&showing, path);
}

int view_run_paths(const char *path, const struct counting *counting, const struct view_options *options,
		   const char *root, const struct paths_choice *choice,
		   void (*choose)(struct view *view, void *arg), void *arg)
{
	struct showing showing = { .options = options, .paths = choice, .choose = choose, .arg = arg };

	profile_init(&showing.profile, BY_PATH, counting);
	showing.profile.spreads.is_wanted = 1;
	showing.profile.paths.root = root;
	showing.profile.paths.by = (enum paths_by)options->paths_by;
	return show(&showing, path);
}

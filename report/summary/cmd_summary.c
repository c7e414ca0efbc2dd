/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_summary.c - cinstr summary: a session at a glance. */
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/terminal.h"
#include "names/thread_names.h"
#include "output/command_line.h"
#include "rows/uncertainty.h"
#include "summary.h"
#include "view/view.h"

#define LIMIT_OF_DATA 10
#define LIMIT_ON_SCREEN SUMMARY_ON_PAGE
#define NO_LIMIT UINT64_MAX
#define LINES_PERCENT 25   /* of the samples */
#define NEXT_LEAST 0.01L   /* of all waits: what waits less is not what to look at next */
#define GROUP_LEAST 0.001L /* of the time: threads with less are not told of */

struct summary_options {
	uint64_t limit;
	int advice, findings;
	const char *explain;
	struct view_options view;
};

static const struct option summary_options[] = {
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct summary_options, limit),
	  "functions, threads and processes in each list", "5; with --verbose, in csv and json 10" },
	{ "advice", 'a', OPTION_FLAG, NULL, offsetof(struct summary_options, advice),
	  "only the advice, all of it, with what to do", NULL },
	{ "findings", 0, OPTION_FLAG, NULL, offsetof(struct summary_options, findings),
	  "only the findings on the program, all of them", NULL },
	{ "explain", 0, OPTION_TEXT, "ID", offsetof(struct summary_options, explain),
	  "what a finding means: what is measured, why it matters, what people do, when it is a false "
	  "alarm; all: of each",
	  NULL },
	VIEW_OPTIONS_OF(struct summary_options, view, OUTPUT_FORMAT_WORDS_AND("sarif"),
			"; sarif: the findings for services that show them beside the source (SARIF 2.1.0)"),
};

/* ---- where the time went --------------------------------------------------------------------- */

static void add_time(struct summary *summary, const char *key, const char *title, long double ns,
		     long double of, int is_part)
{
	summary->times[summary->n_times++] = (struct summary_time){ key, title, ns, of, is_part };
}

static void gather_times(struct summary *summary)
{
	static const char *const keys[] = { "waiting", "preempted", "page_ins", "disk" };
	static const char *const titles[] = { "waiting", "preempted", "waiting for pages",
					      "waiting for a disk" };
	const struct totals *t = &summary->profiles[SUMMARY_FUNCTIONS].totals;
	const struct waits *waits = &t->facts.waits;
	long double on_cpu = t->elapsed - waits_sum(waits);

	add_time(summary, "elapsed", "all threads", t->elapsed, t->elapsed, 0);
	add_time(summary, "on_processor", "on a processor", on_cpu > 0 ? on_cpu : 0, t->elapsed, 1);
	for (int i = 0; i < WAIT_KINDS; i++)
		add_time(summary, keys[i], titles[i], waits->off_cpu[i], t->elapsed, 1);
	if (totals_has_application(t))
		add_time(summary, "application", "Application", t->application, 0, 0);
	add_time(summary, "outside_functions", "outside any function", t->outside, t->elapsed, 0);
	add_time(summary, "probe_overhead", "probe overhead", t->overhead, 0, 0);
	add_time(summary, "probe_overhead_low", "at least", t->overhead_low, 0, 0);
	add_time(summary, "probe_overhead_high", "at most", t->overhead_high, 0, 0);
	add_time(summary, "own_work", "recording's own work", t->runtime, 0, 0);
	add_time(summary, "paused", "paused", t->paused + t->paused_beyond, 0, 0);
	add_time(summary, "attach", "to attach", t->attach, 0, 0);
}

/* ---- threads --------------------------------------------------------------------------------- */

ORDER_ITEMS(compare_groups, struct summary_group, ORDER(y->elapsed, x->elapsed), strcmp(x->name, y->name))

/* What it calls for longest; 0: nothing. */
static size_t longest_callee(const struct paths *paths, size_t caller)
{
	size_t longest = 0;

	for (size_t i = caller + 1; i < paths->n; i++)
		if (paths->list[i].parent == caller &&
		    (!longest || paths->list[i].elapsed_inclusive > paths->list[longest].elapsed_inclusive))
			longest = i;
	return longest;
}

/* Returns the name of a thread's first function. std::thread's own says nothing: then it is the one
 * that std::thread was told to run. */
static const char *group_name(const struct profile *profile, size_t root)
{
	static const char library[] = "std::thread::_State_impl<";
	struct names *names = profile->names;
	const struct path *list = profile->paths.list;
	const struct entity *first = &names->list[list[root].entity], *entity = first;
	const char *kept = NULL;
	FREED char *lambda = NULL;

	if (strncmp(first->name, library, strlen(library)) != 0)
		return first->name;
	for (size_t at = root; at && thread_is_start_code(entity); at = longest_callee(&profile->paths, at))
		entity = &names->list[list[at].entity];
	lambda = entity->file && !thread_is_start_code(entity) ? NULL : thread_lambda(first);
	if (lambda)
		kept = map_keep(&names->strings, lambda);
	return kept ? kept : thread_is_start_code(entity) ? first->name : entity->name;
}

/* Threads that began with the root's function: each may have called it many times, as a parallel
 * region. Where threads are not known, there are no more than calls. */
static uint64_t threads_of_group(const struct summary *summary, const struct path *root)
{
	const struct thread_facts *facts = &summary->profiles[SUMMARY_EDGES].thread_facts;
	uint64_t n = 0;

	for (size_t i = 0; i < facts->n; i++)
		n += facts->list[i].n_chain && facts->list[i].chain[0] == root->entity;
	return n && n < root->calls ? n : root->calls;
}

/* By the function that a thread began with: paths from the roots on. */
static void gather_groups(struct summary *summary)
{
	const struct profile *profile = &summary->profiles[SUMMARY_PATHS];
	const struct paths *paths = &profile->paths;

	summary->groups = xcalloc(paths->n + 1, sizeof(*summary->groups));
	for (size_t i = 1; i < paths->n; i++) {
		const struct path *path = &paths->list[i];

		if (path->parent || path->elapsed_inclusive <= GROUP_LEAST * profile->totals.elapsed)
			continue;
		summary->groups[summary->n_groups++] =
			(struct summary_group){ group_name(profile, i), threads_of_group(summary, path),
						path->elapsed_inclusive, path->off_cpu, path->preempted };
	}
	util_sort(summary->groups, summary->n_groups, sizeof(*summary->groups), compare_groups, NULL);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static const struct summary_list list_kinds[SUMMARY_LISTS] = {
	[LIST_ELAPSED] = { "elapsed_exclusive", "Most work by themselves, Elapsed", COLUMN_ELAPSED_EXCLUSIVE,
			   SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_APPLICATION] = { "application_exclusive", "... Application (not waiting)",
			       COLUMN_APPLICATION_EXCLUSIVE, SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_INCLUSIVE] = { "elapsed_inclusive", "Most time with what they call", COLUMN_ELAPSED_INCLUSIVE,
			     SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_WAITING] = { "waiting", "Most time off the processor", COLUMN_OFF_CPU_EXCLUSIVE,
			   SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_THREADS] = { "threads", "Threads", COLUMN_ELAPSED_INCLUSIVE, SUMMARY_THREADS, NULL, 0 },
	[LIST_PROCESSES] = { "processes", "Processes", COLUMN_ELAPSED_INCLUSIVE, SUMMARY_PROCESSES, NULL, 0 },
	[LIST_CPU] = { "cpu_exclusive", "Computing", COLUMN_CPU_EXCLUSIVE, SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_WAITS] = { "waiting_sites", "Waiting", COLUMN_OFF_CPU_EXCLUSIVE, SUMMARY_SITES, NULL, 0 },
	[LIST_SYSTEM_CALLS] = { "system_calls", "system calls", COLUMN_SYSCALL_EXCLUSIVE, SUMMARY_FUNCTIONS,
				NULL, 0 },
	[LIST_SWITCHES] = { "voluntary_switches", "waits", COLUMN_VOLUNTARY_EXCLUSIVE, SUMMARY_FUNCTIONS,
			    NULL, 0 },
	[LIST_PREEMPTIONS] = { "involuntary_switches", "preempted", COLUMN_INVOLUNTARY_EXCLUSIVE,
			       SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_PAGE_INS] = { "page_ins", "page-ins", COLUMN_MAJOR_FAULT_EXCLUSIVE, SUMMARY_FUNCTIONS, NULL,
			    0 },
	[LIST_DISK_INPUT] = { "disk_input", "disk input", COLUMN_BLOCK_IN_EXCLUSIVE, SUMMARY_FUNCTIONS, NULL,
			      0 },
	[LIST_DISK_OUTPUT] = { "disk_output", "disk output", COLUMN_BLOCK_OUT_EXCLUSIVE, SUMMARY_FUNCTIONS,
			       NULL, 0 },
};

static const struct summary_list sampled_list_kinds[SUMMARY_LISTS] = {
	[LIST_ELAPSED] = { "exclusive_samples", "Most samples by themselves", COLUMN_EXCLUSIVE_SAMPLES,
			   SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_INCLUSIVE] = { "inclusive_samples", "... with what they call", COLUMN_INCLUSIVE_SAMPLES,
			     SUMMARY_FUNCTIONS, NULL, 0 },
	[LIST_LINES] = { "lines", "Source lines with most samples", COLUMN_EXCLUSIVE_SAMPLES, SUMMARY_LINES,
			 NULL, 0 },
	[LIST_MODULES] = { "modules", "Modules", COLUMN_EXCLUSIVE_SAMPLES, SUMMARY_MODULES, NULL, 0 },
	[LIST_THREADS] = { "threads", "Threads", COLUMN_INCLUSIVE_SAMPLES, SUMMARY_THREADS, NULL, 0 },
	[LIST_PROCESSES] = { "processes", "Processes", COLUMN_INCLUSIVE_SAMPLES, SUMMARY_PROCESSES, NULL, 0 },
};

/* What calls main and the first functions of threads: it is on every stack, and says nothing. */
int summary_is_start(const char *name)
{
	static const char *const names[] = { "_start",	"clone",    "clone3",
					     "__clone", "__clone3", "start_thread" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return 1;
	return !strncmp(name, "__libc_start", strlen("__libc_start"));
}

static int is_taken(const struct summary *s, const struct summary_list *list, const struct row *row)
{
	const struct profile *profile = &s->profiles[list->profile];
	struct value value = column_value(profile, row, list->column);

	if (!row->name || value.type == VALUE_NONE || value.number <= 0 ||
	    (list->profile == SUMMARY_LINES && !row->line) ||
	    (list->column == COLUMN_INCLUSIVE_SAMPLES && list->profile == SUMMARY_FUNCTIONS &&
	     summary_is_start(row->name)))
		return 0;
	return list->profile != SUMMARY_FUNCTIONS ||
	       selection_takes_row(&s->options->selection, profile, row);
}

static void gather_list(const struct summary *s, struct summary_list *list)
{
	const struct profile *profile = &s->profiles[list->profile];

	list->column = column_for(profile, list->column);
	list->rows = xcalloc(profile->n_rows + 1, sizeof(*list->rows));
	for (size_t i = 0; i < profile->n_rows; i++)
		if (is_taken(s, list, &profile->rows[i]))
			list->rows[list->n++] = &profile->rows[i];
	column_sort(profile, list->rows, list->n, list->column);
	if (list->n > s->limit)
		list->n = s->limit;
}

long double summary_with_probes(const struct row *row)
{
	return uncertainty_cpu(&row->sums, 0) + row->sums.overhead_exclusive;
}

ORDER_POINTERS(by_time_with_probes, struct row, ORDER(summary_with_probes(y), summary_with_probes(x)),
	       strcmp(x->name, y->name))

static void gather_with_probes(struct summary *s)
{
	const struct profile *profile = &s->profiles[SUMMARY_FUNCTIONS];
	struct summary_list *list = &s->with_probes;

	list->profile = SUMMARY_FUNCTIONS;
	list->column = COLUMN_CPU_EXCLUSIVE;
	list->rows = xcalloc(profile->n_rows + 1, sizeof(*list->rows));
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];

		if (row->name && summary_with_probes(row) > 0 &&
		    selection_takes_row(&s->options->selection, profile, row))
			list->rows[list->n++] = row;
	}
	util_sort(list->rows, list->n, sizeof(*list->rows), by_time_with_probes, NULL);
	if (list->n > s->limit)
		list->n = s->limit;
}

/* Where few sources are known, the first lines are those of a library that has debug information by
 * chance. */
static int has_lines(const struct summary *summary)
{
	const struct profile *profile = &summary->profiles[SUMMARY_LINES];
	long double samples = 0;

	for (size_t i = 0; i < profile->n_rows; i++)
		samples += profile->rows[i].line ? profile->rows[i].sums.elapsed_exclusive : 0;
	return samples * 100 >= LINES_PERCENT * profile->totals.elapsed;
}

static void resolve_list(struct summary *s, const struct summary_list *list)
{
	struct profile *profile = &s->profiles[list->profile];
	struct view view = { .profile = profile, .rows = list->rows, .n_rows = list->n };

	view_resolve(&view, profile);
}

/* What to instrument next. Functions that the compiler has inlined cannot be: the session is read
 * once more without them. */
static void gather_suggestions(struct summary *s, const char *path)
{
	const struct view_options *options = s->options;
	struct suggest_choice choice = { SUGGEST_PERCENT, SUGGEST_LIMIT, &options->selection };

	suggest_read(&s->suggest, path, options, &choice, 1);
}

/* ---- the command ----------------------------------------------------------------------------- */

char *summary_command(const struct summary *summary, const char *verb, const char *function, size_t width)
{
	struct strbuf line = { 0 };

	output_put_command(&line, verb, function, output_session_word(summary->view.source, width));
	return line.text;
}

static int is_instrumented(const struct summary *summary, const struct row *row)
{
	const struct map *modules = &summary->profiles[SUMMARY_FUNCTIONS].totals.facts.instrumented;

	return row->module && map_find(modules, row->module, strlen(row->module)) != MAP_NONE;
}

/* The first, if there is any, of those whose source may be annotated. NULL: there is none. */
static const char *first_of(const struct summary *summary, const struct summary_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (is_instrumented(summary, list->rows[i]))
			return list->rows[i]->name;
	return list->n ? list->rows[0]->name : NULL;
}

/* Of samples: the first that is a function, perhaps of those whose source is known. */
static const char *first_of_sampled(const struct summary_list *list, int with_source)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->rows[i]->name[0] != '[' && (!with_source || list->rows[i]->file))
			return list->rows[i]->name;
	return NULL;
}

/* Else there is nothing to annotate: a function of a library. */
static int has_source(const struct summary *s, const char *name)
{
	const struct profile *functions = &s->profiles[SUMMARY_FUNCTIONS];
	int is_sampled = profile_is_sampled(functions);

	for (size_t i = 0; i < functions->n_rows; i++) {
		const struct row *row = &functions->rows[i];

		if (row->entity == NAMES_NONE || !row->name || strcmp(row->name, name) != 0)
			continue;
		names_resolve(functions->names, row->entity);
		if (is_sampled ? functions->names->list[row->entity].file != NULL : is_instrumented(s, row))
			return 1;
	}
	return 0;
}

/* What the first finding is about. */
static int choose_found(struct summary *s)
{
	const struct finding *first = s->findings.n ? s->findings.list : NULL;

	if (!first || !first->function || !*first->function)
		return 0;
	s->next = first->function;
	s->next_source = first->subject ? first->subject : first->function;
	if (!has_source(s, s->next_source))
		s->next_source = NULL;
	return 1;
}

/* A wait that the program has chosen, and not next to nothing of all. Who loses the processor in a
 * call, as when it gives back a lock that another thread waits for, does not wait in it. */
static int is_worth_a_look(const struct summary *s, const struct row *wait)
{
	const struct totals *t = &s->profiles[SUMMARY_FUNCTIONS].totals;

	return !waits_for_others(wait->callee) && !waits_for_events(wait->callee) &&
	       (!wait->os || wait->os->exclusive.of[OS_VOLUNTARY]) &&
	       wait->sums.off_cpu_exclusive >= NEXT_LEAST * waits_sum(&t->facts.waits);
}

/* Nothing was found: where threads mostly wait, what they wait in; else what computes most. */
static void choose_next(struct summary *s)
{
	const struct totals *t = &s->profiles[SUMMARY_FUNCTIONS].totals;
	const struct summary_list *waits = &s->lists[LIST_WAITS], *cpu = &s->lists[LIST_CPU];

	if (choose_found(s))
		return;
	if (profile_is_sampled(s->view.profile)) {
		s->next = first_of_sampled(&s->lists[0], 0);
		s->next_source = first_of_sampled(&s->lists[0], 1);
		return;
	}
	cpu = s->is_rough ? &s->with_probes : cpu;
	s->next = cpu->n ? cpu->rows[0]->name : NULL;
	s->next_source = first_of(s, cpu);
	for (size_t i = 0; i < waits->n && !s->is_rough && 2 * totals_cpu(t) < t->elapsed; i++)
		if (is_worth_a_look(s, waits->rows[i])) {
			s->next = waits->rows[i]->callee;
			s->next_source = waits->rows[i]->name;
			return;
		}
}

static void add_executed(void *arg, const struct data *data)
{
	struct summary *s = arg;

	if (!s->executed.names)
		executed_init(&s->executed, names_new());
	executed_add(&s->executed, data);
}

static void gather_findings(struct summary *s)
{
	struct findings_input input = {
		.view = &s->view,
		.functions = &s->profiles[SUMMARY_FUNCTIONS],
		.paths = &s->profiles[SUMMARY_PATHS],
		.threads = &s->profiles[SUMMARY_THREADS],
		.processes = &s->profiles[SUMMARY_PROCESSES],
		.edges = &s->profiles[SUMMARY_EDGES],
	};
	struct executed_work *executed;

	executed_finish(&s->executed);
	executed = selection_is_any(&s->options->selection)
			   ? NULL
			   : executed_work_make(&s->executed, input.edges->names);
	input.executed = executed;
	findings_make(&s->findings, &input);
	free(executed);
}

int summary_make(struct summary *summary, const struct view *view)
{
	int is_sampled = profile_is_sampled(view->profile);

	summary->view = *view;
	if (!is_sampled)
		gather_times(summary);
	else if (!summary->advice_only)
		gather_suggestions(summary, view->source);
	hot_path_make(&summary->hot, &summary->profiles[SUMMARY_PATHS]);
	gather_groups(summary);
	for (int i = 0; i < SUMMARY_LISTS; i++) {
		summary->lists[i] = is_sampled ? sampled_list_kinds[i] : list_kinds[i];
		if (summary->lists[i].key)
			gather_list(summary, &summary->lists[i]);
	}
	summary->is_rough = !is_sampled && uncertainty_of_whole_is_rough(&view->profile->totals);
	if (summary->is_rough)
		gather_with_probes(summary);
	summary->has_lines = is_sampled && has_lines(summary);
	if (!summary->advice_only)
		gather_findings(summary);
	choose_next(summary);
	advices_make(&summary->advices, &summary->profiles[SUMMARY_FUNCTIONS], view->is_live);
	if (selection_check_seen(&summary->options->selection))
		return STATUS_DATA;
	for (int i = 0; i < SUMMARY_LISTS; i++)
		if (summary->lists[i].key)
			resolve_list(summary, &summary->lists[i]);
	if (summary->is_rough)
		resolve_list(summary, &summary->with_probes);
	return STATUS_OK;
}

static int show(struct view *view, void *arg)
{
	struct summary *summary = arg;
	int status = summary_make(summary, view);

	return status ? status : view_write(&summary->view, summary->options, OUTPUT_SUMMARY);
}

void summary_begin(struct summary *summary, const struct view_options *options, uint64_t limit,
		   const struct counting *counting)
{
	static const enum profile_by by[SUMMARY_PROFILES] = { BY_FUNCTION, BY_PATH,    BY_THREAD, BY_PROCESS,
							      BY_SITE,	   BY_CALLERS, BY_LINE,	  BY_MODULE };

	summary->options = options;
	summary->limit = limit;
	for (int i = 0; i < SUMMARY_PROFILES; i++)
		profile_init(&summary->profiles[i], by[i], counting);
	summary->profiles[SUMMARY_EDGES].by_call_site = 1;
	summary->profiles[SUMMARY_EDGES].shares.is_wanted = 1;
	summary->profiles[SUMMARY_EDGES].spreads.is_wanted = 1;
	summary->profiles[SUMMARY_EDGES].system.is_wanted = 1;
	summary->profiles[SUMMARY_EDGES].waits.is_wanted = 1;
	summary->profiles[SUMMARY_EDGES].critical.is_wanted = !selection_is_any(&options->selection);
	summary->profiles[SUMMARY_EDGES].visit = add_executed;
	summary->profiles[SUMMARY_EDGES].visit_arg = summary;
}

void summary_end(struct summary *summary)
{
	for (int i = 0; i < SUMMARY_LISTS; i++)
		free(summary->lists[i].rows);
	free(summary->with_probes.rows);
	names_drop(summary->executed.names);
	executed_release(&summary->executed);
	for (int i = 0; i < SUMMARY_PROFILES; i++)
		profile_release(&summary->profiles[i]);
	hot_path_release(&summary->hot);
	free(summary->groups);
	findings_release(&summary->findings);
	advices_release(&summary->advices);
	suggest_release(&summary->suggest);
}

static int read_and_show(struct summary *summary, const char *path)
{
	struct profile *profiles[SUMMARY_PROFILES];
	int status;

	for (int i = 0; i < SUMMARY_PROFILES; i++)
		profiles[i] = &summary->profiles[i];
	summary->profiles[SUMMARY_PATHS].paths.read_once = 1;
	status = view_read(path, summary->options, profiles, SUMMARY_PROFILES, show, summary);
	summary_end(summary);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct summary_options options = { .limit = NO_LIMIT,
					   .view.os_events = "default",
					   .view.only_sampled = SUMMARY_PROFILES - SUMMARY_LINES };
	struct summary summary = { 0 };
	struct counting counting;
	int n_operands, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.explain)
		return findings_explain(options.explain, terminal_width(stdout)) ? STATUS_USAGE : STATUS_OK;
	summary.is_sarif = options.view.format == OUTPUT_FORMAT_OWN;
	if (summary.is_sarif) {
		if (options.advice)
			return error_usage("summary: --format=sarif is of findings, and --advice shows none");
		options.view.format = OUTPUT_FORMAT_json;
	}
	if (view_counting(command, &options.view, &counting))
		return STATUS_USAGE;
	summary.advice_only = options.advice;
	summary.findings_only = options.findings;
	summary.is_brief = output_formats[options.view.format].shape->is_for_people && !options.view.verbose;
	if (options.limit == NO_LIMIT)
		options.limit = summary.is_brief ? LIMIT_ON_SCREEN : LIMIT_OF_DATA;
	summary_begin(&summary, &options.view, options.limit, &counting);
	status = read_and_show(&summary, n_operands ? argv[1] : NULL);
	selection_release(&options.view.selection);
	return status;
}

static const struct absent_options absent[] = {
	{ "sort columns view", "each of its lists answers one question, and is in the order of that; cinstr "
			       "report has tables to sort and to choose columns of" },
	{ NULL, NULL },
};

const struct command command_summary = {
	.name = "summary",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows a session on one screen: who computes, who waits, and what to look at.\n"
		   "Default: cinstr.data.",
	OPTIONS_OF(summary_options),
	.max_operands = 1,
	.notes = "csv: section, rank, name, module, value, unit, percent, text. json: every column of each "
		 "row.\n",
	.examples = "  cinstr summary\n"
		    "  cinstr summary --findings        all findings on the program\n"
		    "  cinstr summary --explain=CF0101  what a finding means\n"
		    "  cinstr summary --advice          what the numbers are worth\n"
		    "  cinstr summary --verbose         all of where the time went\n"
		    "  cinstr summary --limit=3 old.data\n"
		    "  cinstr summary --format=json     everything, with advice by its id\n"
		    "  cinstr summary --format=sarif -o app.sarif\n",
	.absent = absent,
	.run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_waits.c - cinstr waits: the locks and other objects that threads waited for, where they did,
 * and who held or signalled them. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/options.h"
#include "lib/order.h"
#include "lib/terminal.h"
#include "output/format.h"
#include "output/items.h"
#include "session/session.h"
#include "waits.h"

#define LIMIT 10
#define FORMAT_WORDS (&("" OUTPUT_EACH_FORMAT(OUTPUT_FORMAT_WORD) "|dot")[1])

/* ---- for scripts ----------------------------------------------------------------------------- */

static const char *const columns[] = {
	"object",	 "kind",	 "address",    "module",      "pid",	     "waiter",
	"waiter_file",	 "waiter_line",	 "waiter_tid", "path",	      "ended_by",    "ended_by_file",
	"ended_by_line", "ended_by_tid", "known",      "waits",	      "waiting_ns",  "longest_ns",
	"open",		 "since_ns",	 "holder",     "holder_file", "holder_line", "holder_tid",
	"held",		 "cycle",	 "readers",
};

static void put_script_place(struct items *items, const struct waits_view *w, const char *const *names,
			     const struct wait_place *place, uint32_t tid)
{
	items_text(items, names[0], place->entity == NAMES_NONE ? NULL : waits_name(w, place->entity));
	items_text(items, names[1], place->file);
	if (place->line)
		items_count(items, names[2], place->line);
	else
		items_none(items, names[2]);
	if (tid)
		items_count(items, names[3], tid);
	else
		items_none(items, names[3]);
}

/* The columns of what is waited for. */
static void put_object(struct items *items, uint64_t address, const char *name, enum cinstr_object_kind kind,
		       const char *module, uint32_t pid)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	items_text(items, "object", name);
	items_text(items, "kind", wait_words[kind].word);
	items_text(items, "address", address && !wait_kind_is_end(kind) ? text : NULL);
	items_text(items, "module", module);
	items_count(items, "pid", pid);
}

/* The columns of a wait that has not ended; NULL: it has. */
static void put_open(struct items *items, const struct waits_view *w, const struct open_wait *wait)
{
	static const char *const holder[] = { "holder", "holder_file", "holder_line", "holder_tid" };
	static const struct wait_party nobody = { .at = { .entity = NAMES_NONE } };
	const struct wait_party *party = wait ? &wait->holder : &nobody;

	items_flag(items, "open", wait != NULL);
	if (wait && wait->address)
		items_ns(items, "since_ns", wait->since);
	else
		items_none(items, "since_ns");
	put_script_place(items, w, holder, &party->at, party->tid);
	items_text(items, "held", !party->tid ? NULL : wait->is_certain ? "certain" : "likely");
	if (wait && wait->cycle)
		items_count(items, "cycle", wait->cycle);
	else
		items_none(items, "cycle");
}

static void put_readers(struct items *items, uint32_t readers)
{
	if (readers)
		items_count(items, "readers", readers);
	else
		items_none(items, "readers");
}

static void put_fact(struct items *items, const struct waits_view *w, const struct wait_fact *fact)
{
	static const char *const waiter[] = { "waiter", "waiter_file", "waiter_line", "waiter_tid" };
	static const char *const giver[] = { "ended_by", "ended_by_file", "ended_by_line", "ended_by_tid" };
	static const char *const known[] = { "no", "thread", "call" };
	const struct wait_object *object = &w->facts.objects[fact->object];

	items_open(items, NULL, '{', ITEMS_LINES);
	put_object(items, object->address, object->name, object->kind, object->module, object->pid);
	put_script_place(items, w, waiter, &fact->waiter, fact->waiter_tid);
	items_text(items, "path", *fact->path ? fact->path : NULL);
	put_script_place(items, w, giver, &fact->giver, fact->giver_tid);
	items_text(items, "known", fact->known && !fact->is_exact ? "likely" : known[fact->known]);
	items_count(items, "waits", fact->waits);
	items_ns(items, "waiting_ns", fact->ns);
	items_ns(items, "longest_ns", fact->longest_ns);
	put_open(items, w, NULL);
	put_readers(items, fact->readers);
	items_close(items);
}

static void put_open_wait(struct items *items, const struct waits_view *w, const struct open_wait *wait)
{
	static const char *const waiter[] = { "waiter", "waiter_file", "waiter_line", "waiter_tid" };
	static const char *const giver[] = { "ended_by", "ended_by_file", "ended_by_line", "ended_by_tid" };
	static const struct wait_place nowhere = { .entity = NAMES_NONE };

	items_open(items, NULL, '{', ITEMS_LINES);
	put_object(items, wait->address, wait->name, wait->kind, wait->module, wait->pid);
	put_script_place(items, w, waiter, &wait->waiter.at, wait->waiter.tid);
	items_text(items, "path", *wait->path ? wait->path : NULL);
	put_script_place(items, w, giver, &nowhere, 0);
	items_text(items, "known", "no");
	items_count(items, "waits", 1);
	items_ns(items, "waiting_ns", wait->ns);
	items_ns(items, "longest_ns", wait->ns);
	put_open(items, w, wait);
	put_readers(items, wait->readers);
	items_close(items);
}

ORDER_ITEMS(compare_facts, struct wait_fact, ORDER(y->ns, x->ns))

static void print_for_scripts(struct waits_view *w, const struct items_format *format)
{
	struct items items;

	util_sort(w->facts.list, w->facts.n, sizeof(*w->facts.list), compare_facts, NULL);
	items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns));
	items_table_rows(&items, "waits");
	for (size_t i = 0; i < w->facts.n; i++)
		put_fact(&items, w, &w->facts.list[i]);
	for (size_t i = 0; i < w->facts.open.n; i++)
		put_open_wait(&items, w, &w->facts.open.list[i]);
	items_table_end(&items);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The names of the process's threads. */
static void keep_thread_names(struct waits_view *w, const struct data *data)
{
	for (size_t i = 0; i < data->n_threads; i++) {
		uint32_t key[2] = { data->header->pid, data->threads[i].record->tid };
		int is_new;
		size_t number = map_add(&w->threads, key, sizeof(key), &is_new);

		if (is_new)
			ARRAY_ONE_MORE(w->thread_names, number);
		w->thread_names[number] = wait_thread_called(&w->names, data, key[1]);
		if (key[0] == key[1])
			w->thread_names[number] = "main thread";
	}
}

const char *waits_thread_name(const struct waits_view *w, uint32_t pid, uint32_t tid)
{
	uint32_t key[2] = { pid, tid };
	size_t number = map_find(&w->threads, key, sizeof(key));

	return number == MAP_NONE ? NULL : w->thread_names[number];
}

static void visit(void *arg, struct data *data)
{
	struct waits_view *w = arg;

	if (w->options->critical_path) {
		uint64_t from, to;

		selection_range(&w->options->selection, data, &from, &to);
		critical_path_add(&w->path, &w->names, data, from, to);
		names_next_process(&w->names);
		return;
	}
	if (w->options->graph)
		keep_thread_names(w, data);
	wait_facts_add(&w->facts, &w->names, data);
	names_next_process(&w->names);
}

/* Why there is nothing to show. */
static void say_nothing(const struct waits_view *w)
{
	if (w->facts.n_timed || w->facts.n_merged)
		printf("No thread waited for a lock, a condition variable, a semaphore, a barrier or\n"
		       "another thread by a call that was recorded%s.\n",
		       w->facts.n_merged ? ", or an older cinstr has merged\nthe session" : "");
	else
		error("waits: what was waited for is known of programs that were built with the plugin");
}

static int show_path(struct waits_view *w)
{
	const struct critical_path *path = &w->path;

	if (path->n_without == path->n_processes) {
		error("waits: the critical path is known of programs that were built with the plugin, and "
		      "recorded by this version or a later one");
		return STATUS_DATA;
	}
	if (globs_check_matched(path->without.globs, "without"))
		return STATUS_DATA;
	terminal_page();
	waits_print_path(w, path, &output_formats[w->options->format]);
	return STATUS_OK;
}

static int show(struct waits_view *w)
{
	int is_drawing = w->options->format == OUTPUT_N_FORMATS;
	const struct output_format *format = is_drawing ? NULL : &output_formats[w->options->format];

	if (!w->facts.n && !w->facts.n_timed && !w->facts.n_merged) {
		say_nothing(w);
		return STATUS_DATA;
	}
	terminal_page();
	if (is_drawing || !format->shape->is_for_people) {
		if (w->options->graph)
			waits_graph(w, format);
		else
			print_for_scripts(w, format->items);
	} else if (!w->facts.n && !open_waits_any_shown(&w->facts.open))
		say_nothing(w);
	else if (w->options->graph)
		waits_graph(w, format);
	else
		waits_print(w);
	return STATUS_OK;
}

/* Checks what goes with the critical path only, and what does not. 0, or -1 after a message. */
static int choose_path(struct waits_view *w, const struct waits_options *options)
{
	if (options->critical_path && (options->graph || options->format == OUTPUT_N_FORMATS))
		error("waits: --critical-path has no graph");
	else if (!options->critical_path && selection_has_range(&options->selection))
		error("waits: --from and --to go with --critical-path");
	else if (!options->critical_path && options->without)
		error("waits: --without goes with --critical-path");
	else if (options->without && globs_parse(&w->without, options->without))
		error("waits: --without=%s: a name is empty", options->without);
	else {
		w->path.without.text = options->without;
		return 0;
	}
	return -1;
}

/* Reads what the graph is of. 0, or -1 after a message. */
static int choose_graph(struct waits_view *w, struct waits_options *options)
{
	if (options->format == OUTPUT_N_FORMATS && !options->graph)
		options->graph = "";
	if (!options->graph || !*options->graph || !strcmp(options->graph, "functions"))
		return 0;
	w->of_threads = 1;
	if (!strcmp(options->graph, "threads"))
		return 0;
	error("waits: --graph=%s: there are functions, threads", options->graph);
	return -1;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct waits_options options = { .limit = LIMIT };
	struct waits_view w = { .options = &options, .path.without.globs = &w.without };
	struct session input;
	int n_operands, status;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (choose_path(&w, &options) || choose_graph(&w, &options) || selection_check(&options.selection) ||
	    terminal_configure(command->name, &options.terminal) ||
	    names_configure(command->name, &options.names,
			    options.format == OUTPUT_N_FORMATS ||
				    output_formats[options.format].shape->is_for_people))
		return STATUS_USAGE;
	status = session_open(&input, n_operands ? argv[1] : NULL) ? STATUS_DATA : STATUS_OK;
	if (!status && !(status = selection_begin(&options.selection, &input))) {
		status = session_each(&input, visit, &w);
		if (input.n_usable && (options.critical_path ? show_path(&w) : show(&w)))
			status = STATUS_DATA;
	}
	session_release(&input);
	selection_release(&options.selection);
	critical_path_release(&w.path);
	globs_release(&w.without);
	wait_facts_release(&w.facts);
	map_release(&w.threads);
	free(w.thread_names);
	names_release(&w.names);
	return status;
}

static const struct option waits_options[] = {
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct waits_options, limit),
	  "show the first N locks, and the first N others; 0: all", "10" },
	{ "graph", 'g', OPTION_MAYBE, "functions|threads", offsetof(struct waits_options, graph),
	  "show who waits for whom, and circles among them", "functions" },
	{ "critical-path", 'c', OPTION_FLAG, NULL, offsetof(struct waits_options, critical_path),
	  "show the threads and functions that the time from begin to end was spent in, one after another",
	  NULL },
	{ "without", 0, OPTION_TEXT, "GLOB,...", offsetof(struct waits_options, without),
	  "of the critical path: say how much faster the process would be if these functions, with all "
	  "that they call, took nothing, or 20 % less; of locks, if no other thread had them",
	  NULL },
	{ "from", 0, OPTION_TEXT, "TIME|MARK", offsetof(struct waits_options, selection.from),
	  "of the critical path only what lies behind this moment: a time since the session's start "
	  "(12.5s, 300ms, us, ns), or a mark, by its number or a glob of its text",
	  NULL },
	{ "to", 0, OPTION_TEXT, "TIME|MARK", offsetof(struct waits_options, selection.to),
	  "... and up to this one; of a mark: the first such one after --from", NULL },
	{ "format", 'f', OPTION_CHOICE, FORMAT_WORDS, offsetof(struct waits_options, format),
	  "csv, json: a row for each object, waiting call path, and call that ended the wait, or for "
	  "each arrow of the graph; dot: the graph for Graphviz",
	  "table" },
	NAMES_OPTIONS(struct waits_options, names),
	TERMINAL_OPTIONS(struct waits_options, terminal),
};

const struct command command_waits = {
	.name = "waits",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows locks that were waited for, who held them, and deadlocks.\n"
		   "The same of signals, and of threads that ended, and the critical path; in a session\n"
		   "(default: cinstr.data).",
	.options = waits_options,
	.n_options = ARRAY_SIZE(waits_options),
	.max_operands = 1,
	.notes = "Objects that are global variables have their names; others of one kind that the same\n"
		 "call waits for are shown together. 'held by' is the function that gave the lock back\n"
		 "when the wait ended, at that line: whoever had it before, among several, is not there.\n"
		 "Of a condition variable, a semaphore or a read-write lock it is the last one that\n"
		 "signalled during the wait; 'likely' if others did, too. Waits are calls in which the\n"
		 "thread left the processor by itself, or that took long without being preempted.\n"
		 "Waits that have not ended, of a process that was killed or still runs, stand first, and\n"
		 "threads that wait for one another before these. 'had by': a thread had the mutex when\n"
		 "the wait began, and may have given it back to another one since.\n"
		 "The critical path goes back from the end, in each thread up to its last wait that\n"
		 "another thread has ended, and on in that one: its pieces add up to all of the time.\n"
		 "What is not on it may take longer, and nothing else does.\n",
	.examples = "  cinstr waits                    locks, and who held them\n"
		    "  cinstr waits --graph            who waits for whom\n"
		    "  cinstr waits --critical-path    what the end has waited for all the time\n"
		    "  cinstr waits --format=dot | dot -Tsvg > waits.svg\n"
		    "  cinstr waits --format=csv       with threads, call paths and addresses\n",
	.run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_waits.c - cinstr waits: which locks and other objects threads waited for, where, and who had
 * or signalled them.
 */
#include <stdlib.h>

#include "lib/ink.h"
#include "lib/options.h"
#include "lib/terminal.h"
#include "output/format.h"
#include "output/grid.h"
#include "output/item_writer.h"
#include "session/session.h"
#include "wait_groups.h"

#define LIMIT 10
#define SHARES 4	   /* of each object: who waited, who ended that */
#define SHARE_LEAST 0.005L /* ... with so much of its time */
#define LABEL_COLUMNS 11

struct waits_options {
	int format;
	uint64_t limit;
	struct terminal_options terminal;
	struct names_options names;
};

struct waits {
	const struct waits_options *options;
	struct names names;
	struct wait_facts facts;
	struct printer printer;
};

/* What objects are called, and who ended waits for them. */
static const struct {
	const char *one, *many, *given, *word;
} kinds[] = {
	[CINSTR_OBJECT_LOCK] = { "lock", "locks", "held by", "lock" },
	[CINSTR_OBJECT_MUTEX] = { "mutex", "mutexes", "held by", "mutex" },
	[CINSTR_OBJECT_RWLOCK] = { "read-write lock", "read-write locks", "held by", "rwlock" },
	[CINSTR_OBJECT_SEMAPHORE] = { "semaphore", "semaphores", "posted by", "semaphore" },
	[CINSTR_OBJECT_CONDITION] = { "condition variable", "condition variables", "signal by", "condition" },
	[CINSTR_OBJECT_BARRIER] = { "barrier", "barriers", "last was", "barrier" },
	[CINSTR_OBJECT_THREAD] = { "end of a thread", "ends of threads", "that is", "thread" },
};

/* ---- for people ------------------------------------------------------------------------------ */

static const char *name_of(const struct waits *w, uint32_t entity)
{
	return entity == NAMES_NONE ? "not known" : w->names.list[entity].name;
}

/* "lookup  hold.c:20" */
static void put_place(const struct waits *w, struct strbuf *line, const struct wait_place *place)
{
	strbuf_visible(line, name_of(w, place->entity));
	if (place->file)
		strbuf_printf(line, "  %s", util_basename(place->file));
	if (place->file && place->line)
		strbuf_printf(line, ":%u", place->line);
}

/* "worker, thread 1234, not known where" */
static void put_thread(struct strbuf *line, const struct wait_share *share, const struct wait_group *group)
{
	if (share->thread) {
		strbuf_visible(line, share->thread);
		strbuf_puts(line, ", ");
	}
	strbuf_printf(line, "thread %u%s", share->tid,
		      group->kind == CINSTR_OBJECT_THREAD ? "" : ", not known where");
}

static void put_share(const struct waits *w, const char *label, const struct wait_share *share,
		      const struct wait_group *group)
{
	struct strbuf line = { 0 };

	strbuf_printf(&line, "  %-*s %3.0Lf %%  ", LABEL_COLUMNS, label, 100 * share->ns / group->ns);
	if (share->known == WAIT_KNOWN_THREAD)
		put_thread(&line, share, group);
	else if (share->known == WAIT_KNOWN_NOT)
		strbuf_puts(&line, "not known");
	else
		put_place(w, &line, &share->place);
	if (share->n_threads > 1)
		strbuf_printf(&line, "  %zu threads", share->n_threads);
	printer_line(&w->printer, &line, INK_PLAIN);
	strbuf_release(&line);
}

static void print_shares(const struct waits *w, const char *label, const struct wait_shares *shares,
			 const struct wait_group *group)
{
	size_t all = 1, n; /* those that are worth a line */
	struct strbuf line = { 0 };

	while (all < shares->n && shares->list[all].ns >= SHARE_LEAST * group->ns)
		all++;
	n = all > SHARES ? SHARES - 1 : all;

	for (size_t i = 0; i < n; i++)
		put_share(w, i ? "" : label, &shares->list[i], group);
	if (n == all)
		return;
	strbuf_printf(&line, "  %-*s and %zu more", LABEL_COLUMNS + 7, "", all - n);
	printer_line(&w->printer, &line, INK_DIM);
	strbuf_release(&line);
}

/* "mutex table_lock: 1.24 s in 32 waits, longest 24 ms" */
static void print_group(const struct waits *w, const struct wait_group *group)
{
	struct strbuf line = { 0 };

	if (group->n_objects > 1 && !group->name)
		strbuf_printf(&line, "%zu %s", group->n_objects, kinds[group->kind].many);
	else
		strbuf_puts(&line, kinds[group->kind].one);
	if (group->name) {
		strbuf_puts(&line, " ");
		strbuf_visible(&line, group->name);
	}
	strbuf_puts(&line, ": ");
	strbuf_duration(&line, group->ns);
	strbuf_puts(&line, " in ");
	strbuf_thousands(&line, group->waits);
	strbuf_puts(&line, group->waits == 1 ? " wait" : " waits");
	if (group->waits > 1) {
		strbuf_puts(&line, ", longest ");
		strbuf_duration(&line, group->longest_ns);
	}
	printer_line(&w->printer, &line, INK_STRONG);
	strbuf_release(&line);
	print_shares(w, "waiting", &group->waiters, group);
	print_shares(w, kinds[group->kind].given, &group->givers, group);
}

/* Prints so many groups at most; returns the time of all of them. */
static void print_groups(const struct waits *w, const char *what, const struct wait_group *groups, size_t n)
{
	size_t shown = w->options->limit && n > w->options->limit ? w->options->limit : n;
	struct strbuf line = { 0 };
	long double ns = 0;

	for (size_t i = 0; i < n; i++)
		ns += groups[i].ns;
	if (!n)
		return;
	strbuf_printf(&line, "Waiting for %s: ", what);
	strbuf_duration(&line, ns);
	strbuf_puts(&line, ", all threads together");
	printer_line(&w->printer, &line, INK_HEADING);
	for (size_t i = 0; i < shown; i++) {
		fputc('\n', w->printer.out);
		print_group(w, &groups[i]);
	}
	if (shown < n) {
		strbuf_printf(&line, "%zu more; --limit=0 shows them.", n - shown);
		fputc('\n', w->printer.out);
		printer_line(&w->printer, &line, INK_DIM);
	}
	strbuf_release(&line);
}

/* Says of which part of the time nobody knows who ended it. */
static void print_unknown(const struct waits *w)
{
	long double all = 0, unknown = 0;
	struct strbuf line = { 0 };

	for (size_t i = 0; i < w->facts.n; i++) {
		all += w->facts.list[i].ns;
		unknown += w->facts.list[i].known == WAIT_KNOWN_NOT ? w->facts.list[i].ns : 0;
	}
	if (unknown < all / 100)
		return;
	strbuf_printf(&line, "Not known who ended %.0Lf %% of it: calls in code without probes.",
		      100 * unknown / all);
	fputc('\n', w->printer.out);
	printer_line(&w->printer, &line, INK_DIM);
	strbuf_release(&line);
}

static void print_for_people(struct waits *w)
{
	struct wait_groups groups;

	w->printer = printer_of(stdout);
	wait_groups_make(&groups, &w->facts);
	print_groups(w, "locks", groups.list, groups.n_locks);
	if (groups.n_locks && groups.n_locks < groups.n)
		fputc('\n', stdout);
	print_groups(w, "signals and for threads to end", groups.list + groups.n_locks,
		     groups.n - groups.n_locks);
	print_unknown(w);
	wait_groups_release(&groups);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static const char *const columns[] = {
	"object",	 "kind",	 "address",    "module", "pid",	       "waiter",
	"waiter_file",	 "waiter_line",	 "waiter_tid", "path",	 "ended_by",   "ended_by_file",
	"ended_by_line", "ended_by_tid", "known",      "waits",	 "waiting_ns", "longest_ns",
};

static void put_script_place(struct sheet *sheet, const struct waits *w, const char *const *names,
			     const struct wait_place *place, uint32_t tid)
{
	sheet_text(sheet, names[0], place->entity == NAMES_NONE ? NULL : name_of(w, place->entity));
	sheet_text(sheet, names[1], place->file);
	if (place->line)
		sheet_count(sheet, names[2], place->line);
	else
		sheet_none(sheet, names[2]);
	if (tid)
		sheet_count(sheet, names[3], tid);
	else
		sheet_none(sheet, names[3]);
}

static void put_fact(struct sheet *sheet, const struct waits *w, const struct wait_fact *fact)
{
	static const char *const waiter[] = { "waiter", "waiter_file", "waiter_line", "waiter_tid" };
	static const char *const giver[] = { "ended_by", "ended_by_file", "ended_by_line", "ended_by_tid" };
	static const char *const known[] = { "no", "thread", "call" };
	const struct wait_object *object = &w->facts.objects[fact->object];
	char address[32];

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)object->address);
	sheet_open(sheet, NULL, '{', SHEET_LINES);
	sheet_text(sheet, "object", object->name);
	sheet_text(sheet, "kind", kinds[object->kind].word);
	sheet_text(sheet, "address", object->address ? address : NULL);
	sheet_text(sheet, "module", object->module);
	sheet_count(sheet, "pid", object->pid);
	put_script_place(sheet, w, waiter, &fact->waiter, fact->waiter_tid);
	sheet_text(sheet, "path", *fact->path ? fact->path : NULL);
	put_script_place(sheet, w, giver, &fact->giver, fact->giver_tid);
	sheet_text(sheet, "known",
		   fact->known == WAIT_KNOWN_CALL && !wait_kind_is_exact(object->kind) ? "likely"
										       : known[fact->known]);
	sheet_count(sheet, "waits", fact->waits);
	sheet_ns(sheet, "waiting_ns", fact->ns);
	sheet_ns(sheet, "longest_ns", fact->longest_ns);
	sheet_close(sheet);
}

static int compare_facts(const void *a, const void *b, void *arg)
{
	const struct wait_fact *x = a, *y = b;

	(void)arg;
	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static void print_for_scripts(struct waits *w, const struct sheet_format *format)
{
	struct sheet sheet;

	util_sort(w->facts.list, w->facts.n, sizeof(*w->facts.list), compare_facts, NULL);
	sheet_begin(&sheet, stdout, format);
	if (format->columns) {
		sheet_columns(&sheet, columns, ARRAY_SIZE(columns));
	} else {
		sheet_open(&sheet, NULL, '{', SHEET_LINES);
		sheet_open(&sheet, "waits", '[', SHEET_LINES);
	}
	for (size_t i = 0; i < w->facts.n; i++)
		put_fact(&sheet, w, &w->facts.list[i]);
	if (!format->columns) {
		sheet_close(&sheet);
		sheet_close(&sheet);
	}
	sheet_end(&sheet);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void visit(void *arg, struct data *data)
{
	struct waits *w = arg;

	wait_facts_add(&w->facts, &w->names, data);
	names_next_process(&w->names);
}

/* Why there is nothing to show. */
static void say_nothing(const struct waits *w)
{
	if (w->facts.n_timed)
		printf("No thread waited for a lock, a condition variable, a semaphore, a barrier or\n"
		       "another thread by a call that was recorded.\n");
	else if (w->facts.n_merged)
		error("waits: merged sessions do not keep what was waited for: ask those that were merged");
	else
		error("waits: what was waited for is known of programs that were built with the plugin");
}

static int show(struct waits *w)
{
	const struct output_format *format = &output_formats[w->options->format];

	if (!w->facts.n && !w->facts.n_timed) {
		say_nothing(w);
		return STATUS_DATA;
	}
	terminal_page();
	if (!format->shape->is_for_people)
		print_for_scripts(w, format->items);
	else if (!w->facts.n)
		say_nothing(w);
	else
		print_for_people(w);
	return STATUS_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct waits_options options = { .limit = LIMIT };
	struct waits w = { .options = &options };
	struct input input;
	int n_operands, status;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (terminal_configure(command->name, &options.terminal) ||
	    names_configure(command->name, &options.names,
			    output_formats[options.format].shape->is_for_people))
		return STATUS_USAGE;
	status = input_open(&input, n_operands ? argv[1] : NULL) ? STATUS_DATA : STATUS_OK;
	if (!status) {
		status = input_each(&input, visit, &w);
		if (input.n_usable && show(&w))
			status = STATUS_DATA;
	}
	input_release(&input);
	wait_facts_release(&w.facts);
	names_release(&w.names);
	return status;
}

static const struct option waits_options[] = {
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct waits_options, limit),
	  "show the first N locks, and the first N others; 0: all", "10" },
	{ "format", 'f', OPTION_CHOICE, OUTPUT_FORMAT_WORDS, offsetof(struct waits_options, format),
	  "csv, json: a row for each object, waiting call path, and call that ended the wait", "table" },
	NAMES_OPTIONS(struct waits_options, names),
	TERMINAL_OPTIONS(struct waits_options, terminal),
};

const struct command command_waits = {
	.name = "waits",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows which locks were waited for, where, and who held them.\n"
		   "The same of signals, and of threads that ended; in a session (default:\n"
		   "cinstr.data).",
	.options = waits_options,
	.n_options = ARRAY_SIZE(waits_options),
	.max_operands = 1,
	.notes = "Objects that are global variables have their names; others of one kind that the same\n"
		 "call waits for are shown together. 'held by' is the function that gave the lock back\n"
		 "when the wait ended, at that line: whoever had it before, among several, is not there.\n"
		 "Of a condition variable, a semaphore or a read-write lock it is the last one that\n"
		 "signalled during the wait, and likely the one that ended it. Waits are calls in which\n"
		 "the thread left the processor by itself, or that took long without being preempted.\n",
	.examples = "  cinstr waits                    locks, and who held them\n"
		    "  cinstr waits --format=csv       with threads, call paths and addresses\n",
	.run = run,
};

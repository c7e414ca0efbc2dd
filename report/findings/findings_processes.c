/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_processes.c - rules on processes: their begin, their end, waiting for them; CF05xx. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "rules.h"

/* Processes so short, ns, and so many. */
#define SHORT_NS 5e6L
#define SHORT_COMMAND_NS 20e6L
#define SHORT_PROCESSES 20
/* Processes one after another: so many; ns of each. */
#define IN_TURN 4
#define IN_TURN_NS 20e6L
/* Waits for commands, ns. */
#define COMMAND_NS 20e6L
/* Before main: percent of the main thread's time. */
#define OUTSIDE_MAIN_PERCENT 10

static struct finding *found_at(struct finder *finder, const struct finding_rule *rule,
				const struct kernel_site *site, long double time)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = site->caller;
	finding->edge = site->edge;
	finding->time = time;
	finding->verb = "callers --sites";
	finding->look_at = site->edge->entity;
	return finding;
}

/* ---- before and behind main ------------------------------------------------------------------ */

static void outside_main(struct finder *finder, const struct finding_rule *rule,
			 const struct outside_main *outside, const char *when)
{
	long double all = finder->input->edges->system.main_threads;
	struct finding *finding;

	if (outside->ns <= 0 || outside->ns * 100 < OUTSIDE_MAIN_PERCENT * all)
		return;
	finding = finding_new(finder, rule);
	finding->about = finding->look_at = outside->entity;
	finding->time = outside->ns / finder->at_once;
	finding->verb = "callers";
	strbuf_puts(&finding->text, "takes ");
	strbuf_duration(&finding->text, outside->most);
	strbuf_printf(&finding->text, " %s, with all that runs then ", when);
	finding_put_percent(&finding->text, 100 * outside->ns / all);
	strbuf_puts(&finding->text, " of the main thread's time");
}

static void before_main(struct finder *finder, const struct finding_rule *rule)
{
	outside_main(finder, rule, &finder->input->edges->system.before, "before main");
}

static void at_exit(struct finder *finder, const struct finding_rule *rule)
{
	outside_main(finder, rule, &finder->input->edges->system.after, "after main, at the exit");
}

/* ---- children -------------------------------------------------------------------------------- */

/* Processes that were recorded, as was their parent. */
struct children {
	const struct row **list; /* in order of their begin */
	size_t n;
};

static long double length_of(const struct row *row)
{
	return row->begin >= 0 && row->end > row->begin ? row->end - row->begin : 0;
}

ORDER_POINTERS(by_begin, struct row, ORDER(x->begin, y->begin))

static struct map pids_of(const struct profile *processes)
{
	struct map pids = { 0 };
	int is_new;

	for (size_t i = 0; i < processes->n_rows; i++)
		map_add(&pids, &processes->rows[i].pid, sizeof(uint32_t), &is_new);
	return pids;
}

static struct children children_of(const struct finder *finder)
{
	const struct profile *p = finder->input->processes;
	struct children children = { .list = xcalloc(p->n_rows + 1, sizeof(*children.list)) };
	struct map pids = pids_of(p);

	for (size_t i = 0; i < p->n_rows; i++) {
		const struct row *row = &p->rows[i];

		if (!row->name || row->begin < 0 ||
		    map_find(&pids, &row->parent_pid, sizeof(uint32_t)) == MAP_NONE)
			continue;
		children.list[children.n++] = row;
	}
	map_release(&pids);
	util_sort(children.list, children.n, sizeof(*children.list), by_begin, NULL);
	return children;
}

/* The place that has most time in calls of such a kind; NULL: none. */
static const struct kernel_site *site_of_kind(const struct finder *finder, enum call_kind kind,
					      uint64_t least)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == kind && o->sites[i].calls >= least)
			return &o->sites[i];
	return NULL;
}

static int is_short_command(const struct kernel_site *site)
{
	return site->kind == CALL_COMMAND && site->calls >= SHORT_PROCESSES && site->usual >= 0 &&
	       site->usual <= SHORT_COMMAND_NS;
}

static void put_calls(const struct finder *finder, struct strbuf *text, const struct kernel_site *site)
{
	strbuf_thousands(text, site->calls);
	strbuf_puts(text, site->calls == 1 ? " call of " : " calls of ");
	finding_put_name(finder, text, site->edge->entity);
	strbuf_puts(text, ", ");
	strbuf_duration(text, site->elapsed / (long double)site->calls);
	strbuf_puts(text, site->calls == 1 ? "" : " each");
}

/* Returns for how long the function that ends a command by pclose has started it and waited for
 * what it prints; 0 of system(), which is all of it. */
static long double other_part(const struct finder *finder, const struct kernel_site *site)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, site->caller, &n);
	long double started = 0, read = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = call_graph_entity(finder->graph, out[i]->entity)->assembler;

		if (name && !strcmp(name, "popen"))
			started += out[i]->sums.elapsed_inclusive;
		else if (finder->known[out[i]->entity] == KNOWN_INPUT)
			read += out[i]->sums.off_cpu_inclusive;
	}
	return started > 0 ? started + read : 0;
}

static void short_commands(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		struct kernel_site site = o->sites[i];
		struct finding *finding;
		long double other;

		if (!is_short_command(&site))
			continue;
		other = other_part(finder, &site);
		site.elapsed += other;
		finding = found_at(finder, rule, &site,
				   finder_on_one_thread(finder, site.edge, site.elapsed, SHARE_ELAPSED));
		strbuf_puts(&finding->text, "runs a short command again and again: ");
		put_calls(finder, &finding->text, &site);
		if (other > 0)
			strbuf_puts(&finding->text, " with popen and reading");
	}
}

static void short_children(struct finder *finder, const struct finding_rule *rule)
{
	const struct kernel_site *site = site_of_kind(finder, CALL_FORK, SHORT_PROCESSES);
	struct children children = children_of(finder);
	long double length = 0;
	struct finding *finding;
	size_t n = 0;

	for (size_t i = 0; i < children.n; i++)
		if (length_of(children.list[i]) <= SHORT_NS) {
			n++;
			length += length_of(children.list[i]);
		}
	free(children.list);
	if (!site || n < SHORT_PROCESSES || n * 2 < children.n)
		return;
	finding = found_at(finder, rule, site, site->elapsed + length);
	strbuf_puts(&finding->text, "starts ");
	strbuf_thousands(&finding->text, n);
	strbuf_puts(&finding->text, " processes that run for ");
	strbuf_duration(&finding->text, length / (long double)n);
	strbuf_puts(&finding->text, " on the average");
}

static void short_processes(struct finder *finder, const struct finding_rule *rule)
{
	short_commands(finder, rule);
	short_children(finder, rule);
}

/* Children that only became another program, which was not recorded, do not count. */
static long double lengths_of(const struct children *children)
{
	long double sum = 0;

	for (size_t i = 0; i < children->n; i++)
		sum += length_of(children->list[i]);
	return sum;
}

/* Is there a recorded child for each of the calls, or for half of their time? A child's recording
 * is shorter than the wait for it: fork and exit are outside, and long on a busy machine. */
static int are_for_children(const struct kernel_site *site, const struct children *children)
{
	size_t n = 0;

	for (size_t i = 0; i < children->n; i++)
		n += strcmp(children->list[i]->ended ? children->list[i]->ended : "", "exec") != 0;
	return n >= site->calls || lengths_of(children) * 2 >= site->off_cpu;
}

/* Waits for programs of which nothing was recorded: those that were speak for themselves. */
static void commands(struct finder *finder, const struct finding_rule *rule)
{
	const struct kernel_site *sites[] = { site_of_kind(finder, CALL_COMMAND, 1),
					      site_of_kind(finder, CALL_CHILD, 1) };
	struct children children = children_of(finder);

	for (size_t i = 0; i < ARRAY_SIZE(sites); i++) {
		struct finding *finding;

		if (!sites[i] || is_short_command(sites[i]) || sites[i]->off_cpu < COMMAND_NS ||
		    are_for_children(sites[i], &children))
			continue;
		finding = found_at(finder, rule, sites[i],
				   finder_on_one_thread(finder, sites[i]->edge, sites[i]->off_cpu,
							SHARE_ELAPSED));
		strbuf_puts(&finding->text, "waits for a program that was not recorded: ");
		put_calls(finder, &finding->text, sites[i]);
	}
	free(children.list);
}

/* Does each begin when the one before is over? So many do. */
static size_t in_turn(const struct children *children, long double *length)
{
	long double end = 0;
	size_t n = 0;

	*length = 0;
	for (size_t i = 0; i < children->n; i++) {
		const struct row *child = children->list[i];

		if (length_of(child) < IN_TURN_NS)
			continue;
		if (child->begin < end)
			return 0;
		end = child->end;
		*length += length_of(child);
		n++;
	}
	return n;
}

static void one_after_another(struct finder *finder, const struct finding_rule *rule)
{
	const struct kernel_site *site = site_of_kind(finder, CALL_CHILD, IN_TURN);
	uint64_t processors = finder->input->edges->system.processors;
	struct children children;
	struct finding *finding;
	long double length;
	size_t n;

	if (!site || processors < 2)
		return;
	children = children_of(finder);
	n = in_turn(&children, &length);
	free(children.list);
	if (n < IN_TURN)
		return;
	finding = found_at(finder, rule, site, length);
	strbuf_printf(&finding->text, "waits for %zu processes one after another, ", n);
	strbuf_duration(&finding->text, length / (long double)n);
	strbuf_printf(&finding->text, " each; the machine has %llu processors",
		      (unsigned long long)processors);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct finding_rule findings_processes_rules[] = {
	{ "CF0501", "time before main", OF_TIMED | OF_SINGLE, 50, 2, before_main,
	  "Time of the main thread in functions that nobody with probes has called, and that ran first "
	  "before main: constructors of global objects, functions with __attribute__((constructor)). At "
	  "least 10 % of the main threads' time, without waits for a processor. What the dynamic loader "
	  "does before them is not seen.",
	  "All of it.", "It is in each start, whatever the program is asked to do.",
	  "Make tables when they are used first, or at compile time (constexpr, constinit); put what is "
	  "always the same into the program as data.",
	  "The run was short, and in use the program runs for long." },
	{ "CF0502", "time at the exit", OF_TIMED | OF_SINGLE, 50, 2, at_exit,
	  "Time of the main thread in functions that nobody with probes has called, and that ran first "
	  "after main: destructors of global objects, functions of atexit. At least 10 % of the main "
	  "threads' time.",
	  "All of it.", "Whoever started the program waits for it, though its work is done.",
	  "Leave memory to the kernel, which takes it back at once: no destructor for large global objects, "
	  "or _exit, or std::quick_exit when all is written.",
	  "Files have to be written and connections closed then." },
	{ "CF0503", "processes that hardly live", OF_TIMED | OF_SINGLE | OF_WAITING, 75, 2, short_processes,
	  "Calls at one place of system and pclose, half of which take up to 20 ms: 20 and more. And "
	  "recorded children that lived up to 5 ms: 20 and more, if they are half of all.",
	  "The calls' time, of pclose with that of popen and for which what the command prints is waited "
	  "for; "
	  "of children that were recorded, that to start them, and their lives. Recording "
	  "children takes time, too.",
	  "To start a process, a shell and the dynamic loader takes 1 to 5 ms: more than such a command's "
	  "work.",
	  "Do it in the program itself, by a function of a library (stat in place of `test -e`); one command "
	  "for all files (xargs); a process that stays and is asked through a pipe; posix_spawn without a "
	  "shell.",
	  "The command's work cannot be had in another way, and there are few." },
	{ "CF0504", "waits for a command", OF_TIMED | OF_WAITING, 55, 20, commands,
	  "Time off the processor at one place in system, pclose, wait, waitpid and the like: 20 ms and "
	  "more, where all children that were recorded lived for less than half of it, and are fewer than "
	  "its calls.",
	  "All of it.", "The time is another program's, of which this recording knows nothing.",
	  "Look into that program (cinstr record --sample takes any), do something else meanwhile, start "
	  "several at once.",
	  "The program's task is to run others and wait for them: a shell, a supervisor." },
	{ "CF0505", "processes one after another", OF_TIMED | OF_SINGLE | OF_WAITING, 50, 20,
	  one_after_another,
	  "Four and more recorded children of 20 ms and more, each of which begins when the one before has "
	  "ended, and a machine with several processors.",
	  "Their time. Of as many at once as there are processors it would be as many times shorter.",
	  "The other processors have nothing to do meanwhile.",
	  "Start as many as there are processors, and the next when one ends (xargs -P, make -j, a pool of "
	  "workers).",
	  "Each needs what the one before has made." },
};
const size_t findings_n_processes_rules = ARRAY_SIZE(findings_processes_rules);

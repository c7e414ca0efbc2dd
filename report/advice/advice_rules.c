/* SPDX-License-Identifier: GPL-3.0-or-later */
/* advice_rules.c - the rules of advice, in order of severity. */
#include "advice_rules.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/share.h"
#include "output/output.h"
#include "rows/uncertainty.h"

#define NAMED 6 /* functions named in one text */
/* Percent: from here on something is worth saying. */
#define OVERHEAD_PERCENT 30
#define CORRECTED_PERCENT 10
#define UNCERTAIN_PERCENT 10
#define MIXED_PERCENT 50
#define PREEMPTED_PERCENT 10
#define PAGES_PERCENT 5
#define IMPLICIT_PERCENT 1
#define SWITCHES_PERCENT 1
#define OVER_LIMIT_PERCENT 10
#define SHARE_PERCENT 1	 /* of all time: processes of one kind with less are not worth a word */
#define SPREAD_PERCENT 5 /* of all time: functions with less do not have their calls looked at */
#define FEW_CALLS 10
#define SHORT_RUN_NS 10e6L
#define SHORT_RUN_CALLS 1000
#define LIMIT_NEEDS_NS 1e9L /* so long must a process run before a limit on overhead can be kept */

/* ---- words ----------------------------------------------------------------------------------- */

static void put_percent(struct strbuf *buf, long double part, long double whole)
{
	strbuf_printf(buf, "%.*Lf %%", share_percent(part, whole) < 10 ? 1 : 0, share_percent(part, whole));
}

/* "In 2 processes" that had these ns, or "In 2 processes, with 12 % of the time"; 0: that is too
 * little to say anything. */
static int put_share_of(const struct advised *s, struct strbuf *text, const char *before, uint64_t n,
			long double ns)
{
	if (!n || share_percent(ns, s->t->elapsed) < SHARE_PERCENT)
		return 0;
	strbuf_puts(text, before);
	output_plural(text, n, "process", "es");
	if (n < s->t->processes) {
		strbuf_puts(text, ", with ");
		put_percent(text, ns, s->t->elapsed);
		strbuf_puts(text, " of the time,");
	}
	return 1;
}

/* Rows that `takes` takes, with the highest `weight` first. Returns how many; the caller frees
 * *rows. */
static size_t pick(const struct advised *s, int (*takes)(const struct advised *, const struct row *),
		   int (*order)(const void *, const void *, void *), const struct row ***rows)
{
	const struct profile *p = s->profile;
	size_t n = 0;

	*rows = xcalloc(p->n_rows + 1, sizeof(**rows));
	for (size_t i = 0; p->by == BY_FUNCTION && i < p->n_rows; i++)
		if (p->rows[i].name && takes(s, &p->rows[i]))
			(*rows)[n++] = &p->rows[i];
	util_sort(*rows, n, sizeof(**rows), order, NULL);
	return n;
}

ORDER_POINTERS(by_calls, struct row, ORDER(y->calls, x->calls), strcmp(x->name, y->name))

ORDER_POINTERS(by_exclusive, struct row, ORDER(y->sums.elapsed_exclusive, x->sums.elapsed_exclusive),
	       strcmp(x->name, y->name))

static void put_names(struct strbuf *buf, const struct row **rows, size_t n, const char *before,
		      const char *between)
{
	for (size_t i = 0; i < n && i < NAMED; i++) {
		strbuf_puts(buf, i ? between : "");
		strbuf_puts(buf, before);
		strbuf_visible(buf, rows[i]->name);
	}
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static int conservation(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->threads_off || s->is_live)
		return 0;
	strbuf_puts(text, "In ");
	output_plural(text, s->t->threads_off, "thread", "s");
	strbuf_puts(text, " the times do not add up to the thread's life: ");
	output_plural(text, s->t->conservation_ticks_off, "tick", "s");
	strbuf_puts(text, " are missing or too many. The data file is damaged, or this is a bug of cinstr.");
	strbuf_puts(action, "Do not trust these times; record again. If it happens again, report it.");
	return 1;
}

static int balance(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->unbalanced || s->is_live)
		return 0;
	strbuf_puts(text, "Entries and exits do not balance: ");
	strbuf_printf(text, "%+lld. The data file is damaged, or this is a bug of cinstr.",
		      (long long)s->t->unbalanced);
	strbuf_puts(action, "Do not trust these counts; record again. If it happens again, report it.");
	return 1;
}

static int nothing(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (s->t->events)
		return 0;
	if (s->t->modules_refused) {
		output_put_unrecorded(text, s->t);
		strbuf_puts(text, ".");
		strbuf_puts(action, "Link it again, and run the tool that changed it without "
				    "cinstr's plugin, or not at all: doc/reliability.md has what goes.");
	} else if (s->t->waiting) {
		strbuf_puts(
			text,
			"Nothing was recorded: recording is off until a start or region (an option of the "
			"plugin), and none was reached.");
		strbuf_puts(action, "Check the names in -fplugin-arg-cinstr-region and -start.");
	} else if (s->t->paused > 0 || s->t->facts.began_paused) {
		strbuf_puts(text, "Nothing was recorded: recording was paused all the time.");
		strbuf_puts(action, "Start it while the program runs: cinstr control on, or cinstr_start().");
	} else {
		strbuf_puts(
			text,
			"Nothing was recorded: no function with probes was called while recording was on.");
		strbuf_puts(action, "Compile the code that does the work with the plugin; cinstr info shows "
				    "what has probes.");
	}
	return 1;
}

int advice_stopped(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	static const struct {
		const char *why, *what;
	} reasons[STOP_REASONS] = {
		[CINSTR_STOP_NO_SPACE] = { "there was no space left for the data file",
					   "Make room, record to another disk (--output), or fewer paths "
					   "(--paths)." },
		[CINSTR_STOP_NO_MEMORY] = { "there was no memory left",
					    "Give it more memory, or --paths less." },
		[CINSTR_STOP_CODES] = { "there was more code than can be numbered",
					"Build fewer of its libraries with the plugin." },
		[CINSTR_STOP_OUT_OF_REACH] = { "its data file was deleted, or out of reach",
					       "Choose a session folder that the program does not touch "
					       "(--output)." },
		[CINSTR_STOP_SECCOMP] = { "the program forbade itself system calls that recording needs "
					  "(seccomp)",
					  "What was recorded before that is good. To see more, run it "
					  "without its filter." },
		[CINSTR_STOP_TASK] = { "the program made a task by clone() whose thread pointer leads to no "
				       "thread",
				       "What was recorded before that is good. To see more, make threads by "
				       "pthread_create()." },
		[CINSTR_STOP_CLOCK] = { "the program forbade itself to read the time-stamp counter "
					"(PR_SET_TSC)",
					"What was recorded before that is good. CINSTR_CLOCK=monotonic "
					"records the rest, too." },
		[CINSTR_STOP_DISPATCH] = { "the program handles its system calls itself "
					   "(PR_SET_SYSCALL_USER_DISPATCH)",
					   "What was recorded before that is good." },
	};
	const struct quality *f = &s->t->facts;
	uint32_t most = 0;

	if (!s->t->stopped)
		return 0;
	for (uint32_t i = 0; i < STOP_REASONS; i++)
		most = f->stops[i] > f->stops[most] ? i : most;
	strbuf_puts(text, "Recording stopped early in ");
	output_plural(text, s->t->stopped, "process", "es");
	if (reasons[most].why)
		strbuf_printf(text, ": %s", reasons[most].why);
	if (f->stop_errno)
		strbuf_printf(text, " (%s)", strerror((int)f->stop_errno));
	strbuf_puts(text, ". What came after that was not recorded.");
	strbuf_puts(action, reasons[most].what ? reasons[most].what : "cinstr info says more.");
	return 1;
}

static int lost(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->lost_events && !s->t->lost_threads)
		return 0;
	output_plural(text, s->t->lost_events, "event", "s");
	if (s->t->lost_threads) {
		strbuf_puts(text, " and ");
		output_plural(text, s->t->lost_threads, "thread", "s");
	}
	strbuf_puts(text, " were lost: counts are too low, and their time is in other functions.");
	strbuf_puts(action, "cinstr info says in which process. Most often space or memory was short.");
	return 1;
}

/* ---- what the numbers are worth -------------------------------------------------------------- */

/* Without waiting times: they would hide how little work there is. */
static long double own_time(const struct row *row)
{
	return row->sums.elapsed_exclusive - row->sums.off_cpu_exclusive;
}

static int is_mostly_correction(const struct advised *s, const struct row *row)
{
	(void)s;
	return row->calls && uncertainty_is_mostly_correction(&row->sums);
}

/* Its own probes cost more than it does by itself; and it has some. */
static int costs_more_than_it_measures(const struct advised *s, const struct row *row)
{
	const struct map *modules = &s->t->facts.instrumented;

	return row->calls && row->module && own_time(row) < s->cost_of_call * (long double)row->calls &&
	       map_find(modules, row->module, strlen(row->module)) != MAP_NONE;
}

/* The runtime's rules take assembler names. */
static void put_exclusion(const struct advised *s, struct strbuf *action, const struct row **rows, size_t n)
{
	strbuf_puts(action, ", or without these functions: --probes=functions --not=");
	for (size_t i = 0; i < n && i < NAMED; i++) {
		uint32_t entity = rows[i]->entity;

		strbuf_puts(action, i ? "," : "");
		strbuf_visible(action, entity == NAMES_NONE ? rows[i]->name
							    : s->profile->names->list[entity].assembler);
	}
	strbuf_puts(
		action,
		n > NAMED
			? " and so on (at their calls there are probes as well: --probes=functions leaves "
			  "them out)."
			: " (at their calls there are probes as well: --probes=functions leaves them out).");
}

static void put_share(const struct advised *s, struct strbuf *text, const struct row **rows, size_t n)
{
	long double calls = 0;

	for (size_t i = 0; i < n && i < NAMED; i++)
		calls += (long double)rows[i]->calls;
	strbuf_puts(text,
		    " Some functions' probes cost more than they do themselves; those called most have ");
	put_percent(text, calls * s->cost_of_call, s->t->overhead);
	strbuf_puts(text, " of it: ");
	put_names(text, rows, n, "", ", ");
	strbuf_puts(text, ".");
}

static int overhead(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct totals *t = s->t;
	const struct row **rows;
	size_t n;

	if (share_percent(t->overhead, s->on_cpu + t->overhead) < OVERHEAD_PERCENT)
		return 0;
	n = pick(s, costs_more_than_it_measures, by_calls, &rows);
	strbuf_puts(text, "Probes took ");
	put_percent(text, t->overhead, s->on_cpu + t->overhead);
	strbuf_puts(text, " of the processor time (");
	strbuf_duration(text, t->overhead);
	strbuf_puts(text, " of ");
	strbuf_duration(text, s->on_cpu + t->overhead);
	strbuf_puts(text, t->facts.limited ? "), with a limit on overhead." : ").");
	if (!s->profile->counting.raw)
		strbuf_puts(text, " That is subtracted, but what it did to caches is not.");
	strbuf_puts(action, "Record with --max-overhead=10, which takes out the probes that cost most for "
			    "what they measure");
	if (n)
		put_share(s, text, rows, n);
	if (t->lines) {
		/* leaving out functions would not help: the probes are in the lines of others */
		strbuf_puts(action, ". Most are probes at lines: --probes=calls leaves these out.");
	} else if (n) {
		put_exclusion(s, action, rows, n);
	} else {
		strbuf_puts(action, ", or with --probes=functions.");
	}
	free(rows);
	return 1;
}

static int corrected(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct row **rows;
	size_t n = pick(s, is_mostly_correction, by_exclusive, &rows);
	long double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += own_time(rows[i]);
	if (s->profile->counting.raw || share_percent(sum, s->on_cpu) < CORRECTED_PERCENT) {
		free(rows);
		return 0;
	}
	put_percent(text, sum, s->on_cpu);
	strbuf_puts(text, " of the processor time is in ");
	output_plural(text, n, "function", "s");
	strbuf_puts(text, " whose times are mostly correction (~, <=): ");
	put_names(text, rows, n, "", ", ");
	strbuf_puts(text, n > NAMED ? ", ..." : ".");
	strbuf_puts(action, "Read their times as rough. For better ones record only what matters "
			    "(--only, --not, --depth)");
	strbuf_puts(action, ", so that fewer probes run.");
	free(rows);
	return 1;
}

static int uncertain(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct totals *t = s->t;
	long double half = (t->overhead_high - t->overhead_low) / 2;

	if (s->profile->counting.raw || share_percent(half, s->on_cpu) < UNCERTAIN_PERCENT)
		return 0;
	strbuf_puts(text, "What a probe costs is not known well: calibrations gave ");
	strbuf_duration(text, t->overhead_low);
	strbuf_puts(text, " to ");
	strbuf_duration(text, t->overhead_high);
	if (half < s->on_cpu) {
		strbuf_puts(text, " for all of them, so that the processor time is uncertain by about ");
		put_percent(text, half, s->on_cpu);
		strbuf_puts(text, ".");
	} else {
		strbuf_puts(text, " for all of them, which is more than the program's own processor time.");
	}
	strbuf_puts(action, "Record on a quiet machine at a fixed clock rate, or with fewer probes.");
	return 1;
}

static int no_application(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->no_source || !s->t->events)
		return 0;
	strbuf_puts(text, "Application time is n/a: in ");
	output_plural(text, s->t->no_source, "process", "es");
	strbuf_puts(text, " nothing showed when the operating system acted (counters out of reach: a seccomp "
			  "filter, or a kernel without them).");
	strbuf_puts(action, "cinstr info says why. Use Elapsed, or record outside the sandbox.");
	return 1;
}

static int uncalibrated(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->events || !put_share_of(s, text, "In ", s->t->uncalibrated, s->t->uncalibrated_ns))
		return 0;
	strbuf_puts(text, " the probes were not calibrated: their cost is in the times.");
	strbuf_puts(action, "Let the program run longer. The times of short functions are too long.");
	return 1;
}

static int no_frequency(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->no_frequency)
		return 0;
	strbuf_puts(text, "The clock's frequency is not known in ");
	output_plural(text, s->t->no_frequency, "process", "es");
	strbuf_puts(text, ": a tick is shown as a nanosecond. Percentages are right, times are not.");
	strbuf_puts(action, "Record again, with --clock=monotonic if it stays so.");
	return 1;
}

static uint64_t missing(uint64_t kernel, uint64_t recorded)
{
	return kernel > recorded ? kernel - recorded : 0;
}

static int switches(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct totals *t = s->t;
	uint64_t kernel = t->kernel_voluntary + t->kernel_involuntary;
	uint64_t unseen =
		missing(t->kernel_voluntary, t->voluntary) + missing(t->kernel_involuntary, t->involuntary);

	if (s->is_live || !unseen ||
	    share_percent((long double)unseen, (long double)kernel) < SWITCHES_PERCENT)
		return 0;
	strbuf_thousands(text, unseen);
	strbuf_puts(text, " of ");
	output_plural(text, kernel, "context switch", "es");
	strbuf_puts(text, " were not seen: Application times have some waiting in them.");
	strbuf_puts(action, "cinstr info says what detected them; record with restartable sequences.");
	return 1;
}

static int merged(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->merged_by_number)
		return 0;
	output_plural(text, s->t->merged_by_number, "call", "s");
	strbuf_puts(text, " did not fit into the call paths that were asked for (--paths): they are exact by "
			  "function and call site, but not in the tree.");
	strbuf_puts(action, "Record with more --paths, or --paths=auto, which keeps those that take time.");
	return 1;
}

static int killed(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct quality *f = &s->t->facts;
	const char *name = sigabbrev_np(f->signal);

	if (!f->killed)
		return 0;
	output_plural(text, f->killed, "process", "es");
	strbuf_puts(text, s->t->processes > 1 ? " of " : "");
	if (s->t->processes > 1)
		strbuf_thousands(text, s->t->processes);
	strbuf_puts(text, f->killed == 1 ? " was killed by a signal" : " were killed by a signal");
	if (f->signal)
		strbuf_printf(text, " (SIG%s)", name ? name : "?");
	strbuf_puts(text, f->signal ? ". Everything up to there is recorded"
				    : ". Recorded is what came before the last event");
	strbuf_puts(text, "; open calls are marked +.");
	strbuf_puts(action, f->signal ? "cinstr info shows which, and in which function they were."
				      : "cinstr info shows in which function; by which signal is noted if "
					"cinstr record begins the program.");
	return 1;
}

/* A short process above the limit does not matter, unless it took much of all time. */
static int over_limit(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct quality_limit *all = &s->t->facts.all_limited, *over = &s->t->facts.over_limit;

	if (!over->n ||
	    (!quality_is_over_limit(all) && share_percent(over->own_ns, all->own_ns) < OVER_LIMIT_PERCENT))
		return 0;
	strbuf_printf(text, "The limit on overhead was %.3Lg %%, the estimate is %.0Lf %%",
		      share_percent(over->allowed_ns, over->own_ns),
		      share_percent(over->probes_ns, over->own_ns));
	if (all->n > 1) {
		strbuf_puts(text, " in ");
		output_plural(text, over->n, "process", "es");
		strbuf_puts(text, ", which had ");
		put_percent(text, over->own_ns, all->own_ns);
		strbuf_puts(text, " of the time");
	}
	if (over->own_ns / (long double)over->n < LIMIT_NEEDS_NS) {
		strbuf_puts(text, all->n > 1 ? ": a program ran for only " : ": the program ran for only ");
		strbuf_duration(text, over->own_ns / (long double)over->n);
		strbuf_puts(text, ", too short for the limit to work.");
		strbuf_puts(action, "Let it run for some seconds, or choose what to leave out yourself "
				    "(--not, --depth).");
	} else {
		strbuf_puts(text, ", over the whole run.");
		strbuf_puts(action, "cinstr info shows what was taken out, and when. Leave out more yourself "
				    "(--not, --depth).");
	}
	return 1;
}

static int refused(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->sleds_refused)
		return 0;
	output_plural(text, s->t->sleds_refused, "probe", "s");
	strbuf_puts(
		text,
		" could not be switched on: another tool had changed the code there, or it is not writable.");
	strbuf_puts(action, "cinstr info shows in which modules. Run without the other tool.");
	return 1;
}

static int preempted(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	long double off = s->t->facts.waits.off_cpu[WAIT_PREEMPTED];

	if (share_percent(off, s->on_cpu + off) < PREEMPTED_PERCENT)
		return 0;
	strbuf_puts(text, "Threads waited ");
	strbuf_duration(text, off);
	strbuf_puts(text, s->t->cpu_limit ? " for a processor that others had, or that "
					  : " for a processor while others had it, ");
	totals_put_cpu_limit(text, s->t);
	strbuf_puts(text, s->t->cpu_limit ? " of the control group (cgroup) did not let them have, " : "");
	put_percent(text, off, s->on_cpu + off);
	strbuf_puts(text, " of the time they could have run: Elapsed times are those of a busy machine");
	strbuf_puts(text, s->t->cpu_limit ? ", or of that limit." : ".");
	strbuf_puts(action, s->t->cpu_limit
				    ? "Read Application times, or record without the limit (cpu.max, "
				      "docker --cpus, Kubernetes limits.cpu, CPUQuota=)."
				    : "Read Application times, or record with fewer threads or on a quieter "
				      "machine.");
	return 1;
}

/* ---- what is good to know -------------------------------------------------------------------- */

static int is_short(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct totals *t = s->t;
	uint64_t calls = t->events / 2;

	if (!t->events || (calls >= SHORT_RUN_CALLS && t->elapsed >= SHORT_RUN_NS))
		return 0;
	strbuf_puts(text, "This is a short recording: about ");
	output_plural(text, calls, "call", "s");
	strbuf_puts(text, ", ");
	strbuf_duration(text, t->elapsed);
	strbuf_puts(text, ". Small disturbances change its times a lot.");
	strbuf_puts(action, "Give the program more to do, or record several times and compare.");
	return 1;
}

static int is_few(const struct advised *s, const struct row *row)
{
	long double shortest = row->shortest[VALUE_ELAPSED_INCLUSIVE];
	long double longest = row->longest[VALUE_ELAPSED_INCLUSIVE];

	return row->calls > 1 && row->calls < FEW_CALLS &&
	       share_percent(own_time(row), s->on_cpu) >= SPREAD_PERCENT && shortest >= 0 &&
	       longest > 2 * shortest;
}

static int few_calls(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct row **rows;
	size_t n = pick(s, is_few, by_exclusive, &rows);

	if (n) {
		strbuf_puts(text, "The mean says little about few calls of very different lengths: ");
		put_names(text, rows, n, "", ", ");
		strbuf_printf(text, " (fewer than %d calls each).", FEW_CALLS);
		strbuf_puts(action, "Look at Min and Max, or record more calls.");
	}
	free(rows);
	return n != 0;
}

static int left_out(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct totals *t = s->t;
	uint64_t n = t->left_out_by_choice + t->left_out_by_need;

	if (!n)
		return 0;
	output_plural(text, n, "function", "s");
	strbuf_puts(text, n == 1 ? " has no probes" : " have no probes");
	if (t->left_out_by_choice) {
		strbuf_puts(text, ": ");
		strbuf_thousands(text, t->left_out_by_choice);
		strbuf_puts(text, " by choice (small leaf functions, rules)");
	}
	if (t->left_out_by_need) {
		strbuf_puts(text, t->left_out_by_choice ? ", " : ": ");
		strbuf_thousands(text, t->left_out_by_need);
		strbuf_puts(text, " because they cannot have any");
	}
	strbuf_puts(text, ". Their time is their callers'.");
	strbuf_puts(action, "cinstr info lists them, with the reasons; -fplugin-arg-cinstr-small=0 keeps the "
			    "small ones.");
	return 1;
}

static int implicit(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct totals *t = s->t;

	if (share_percent((long double)t->implicit_exits, (long double)t->enters) < IMPLICIT_PERCENT)
		return 0;
	put_percent(text, (long double)t->implicit_exits, (long double)t->enters);
	strbuf_puts(text, " of the calls (");
	strbuf_thousands(text, t->implicit_exits);
	strbuf_puts(text, ") ended without an exit event: exceptions, longjmp, pthread_exit, exit. cinstr "
			  "notices that at the next event, so they may look a little too long.");
	strbuf_puts(action, "Nothing to do, if the program does that (doc/semantics.md, R15).");
	return 1;
}

static int marks_lost(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->facts.marks_lost)
		return 0;
	output_plural(text, s->t->facts.marks_lost, "mark", "s");
	strbuf_puts(text, " did not fit into the data file.");
	strbuf_puts(action, "Set fewer marks.");
	return 1;
}

static int timeline_cut(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->facts.timelines_cut)
		return 0;
	strbuf_puts(text, "The timeline is incomplete: ");
	output_plural(text, s->t->timeline_lost, "event", "s");
	strbuf_puts(text, " did not fit into it. All other views have them.");
	strbuf_puts(action, "Record with a larger --timeline, with ring:SIZE for the newest events, or with "
			    "--timeline-min.");
	return 1;
}

static int taken_out(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct exclusions *outs = &s->profile->taken_outs;

	if (!outs->n || s->profile->totals.mixed.processes)
		return 0;
	strbuf_puts(text, "The limit on overhead took probes out of ");
	output_plural(text, outs->n, "function", "s");
	strbuf_puts(text,
		    outs->uncounted.n
			    ? " (*): their counts and times cover a part of the run, the rest is their "
			      "callers'."
			    : " (*): their calls are exact, but their times cover a part of the run, the "
			      "rest is their callers'.");
	strbuf_puts(action, "cinstr info --marks says when. Totals stay exact; do not compare such rows "
			    "between recordings.");
	return 1;
}

static int functions_only(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!put_share_of(s, text, "In ", s->t->functions_only, s->t->functions_only_ns))
		return 0;
	strbuf_puts(text, " calls were not recorded (--probes=functions): functions without probes, such as "
			  "those of the C library, are part of their callers.");
	strbuf_puts(action, "Record with --probes=calls to see them.");
	return 1;
}

static int pages(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	long double off = s->t->facts.waits.off_cpu[WAIT_PAGE];

	if (share_percent(off, s->on_cpu + off) < PAGES_PERCENT)
		return 0;
	strbuf_puts(text, "Threads waited ");
	strbuf_duration(text, off);
	strbuf_puts(text, " for pages to be read in, ");
	put_percent(text, off, s->on_cpu + off);
	strbuf_puts(text, " of their time.");
	strbuf_puts(action, "If this is the first run, record another: the files are in memory then. If not, "
			    "memory is short.");
	return 1;
}

static int monotonic(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!put_share_of(s, text, "In ", s->t->facts.monotonic, s->t->monotonic_ns))
		return 0;
	strbuf_puts(text, " the time-stamp counter was not used (not invariant on this machine, or "
			  "--clock=monotonic): probes cost more.");
	strbuf_puts(action, "On a machine with an invariant counter, record with --clock=tsc.");
	return 1;
}

static int no_end(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	uint64_t n = s->t->facts.no_end;

	if (!n || s->is_live)
		return 0;
	output_plural(text, n, "process", "es");
	strbuf_puts(text, n == 1 ? " was" : " were");
	strbuf_puts(text,
		    " killed by a signal, or ended by _exit() or exec where no probe saw it. Recorded is "
		    "what came before the last event.");
	strbuf_puts(action, "cinstr info shows what they did last; cinstr record sees when a program ends, "
			    "and by which signal.");
	return 1;
}

/* Such functions are what a mixed recording only counts. As it was recorded, with its probes, most
 * of the time is theirs. */
static int better_mixed(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct totals *t = s->t;
	const struct row **rows;
	size_t n = pick(s, is_mostly_correction, by_exclusive, &rows);
	long double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += own_time(rows[i]) + rows[i]->sums.overhead_exclusive;
	free(rows);
	if (s->profile->counting.raw || t->is_mixed || t->facts.limited ||
	    share_percent(sum, s->on_cpu + t->overhead) < MIXED_PERCENT)
		return 0;
	put_percent(text, sum, s->on_cpu + t->overhead);
	strbuf_puts(text, " of the processor time, with probes, was spent in functions whose times are "
			  "mostly correction (~, <=): their calls are too short and too many to be timed.");
	strbuf_puts(action, "Without --full calls of such functions are only counted, and samples tell their "
			    "time: cinstr record -- ");
	strbuf_puts(action, t->title ? t->title : "PROGRAM");
	return 1;
}

/* ---- all of them ----------------------------------------------------------------------------- */

const struct rule advice_rules[] = {
	{ "CI0001", SEVERITY_ERROR, conservation, 0 },
	{ "CI0002", SEVERITY_ERROR, balance, 0 },
	{ "CI0003", SEVERITY_ERROR, nothing, 0 },
	{ "CI0004", SEVERITY_ERROR, advice_stopped, 0 },
	{ "CI0005", SEVERITY_ERROR, lost, 0 },
	{ "CI0101", SEVERITY_WARNING, overhead, 0 },
	{ "CI0102", SEVERITY_WARNING, corrected, 0 },
	{ "CI0103", SEVERITY_WARNING, uncertain, 0 },
	{ "CI0104", SEVERITY_WARNING, no_application, 0 },
	{ "CI0105", SEVERITY_WARNING, uncalibrated, 0 },
	{ "CI0106", SEVERITY_WARNING, no_frequency, 0 },
	{ "CI0107", SEVERITY_WARNING, switches, 0 },
	{ "CI0108", SEVERITY_WARNING, merged, 0 },
	{ "CI0109", SEVERITY_WARNING, killed, 1 },
	{ "CI0110", SEVERITY_WARNING, over_limit, 0 },
	{ "CI0111", SEVERITY_WARNING, refused, 0 },
	{ "CI0112", SEVERITY_WARNING, preempted, 0 },
	{ "CI0113", SEVERITY_WARNING, advice_stacks, 0 },
	{ "CI0201", SEVERITY_INFORMATION, is_short, 0 },
	{ "CI0202", SEVERITY_INFORMATION, few_calls, 0 },
	{ "CI0203", SEVERITY_INFORMATION, left_out, 0 },
	{ "CI0204", SEVERITY_INFORMATION, implicit, 0 },
	{ "CI0205", SEVERITY_INFORMATION, marks_lost, 0 },
	{ "CI0206", SEVERITY_INFORMATION, timeline_cut, 0 },
	{ "CI0207", SEVERITY_INFORMATION, taken_out, 0 },
	{ "CI0208", SEVERITY_INFORMATION, functions_only, 0 },
	{ "CI0209", SEVERITY_INFORMATION, pages, 0 },
	{ "CI0210", SEVERITY_INFORMATION, monotonic, 0 },
	{ "CI0211", SEVERITY_INFORMATION, no_end, 0 },
	{ ADVICE_MIXED, SEVERITY_INFORMATION, better_mixed, 0 },
};

const size_t advice_n_rules = ARRAY_SIZE(advice_rules);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_system.c - rules on system calls and what the kernel gives out: CF03xx. */
#include <math.h>
#include <string.h>

#include "bounds.h"
#include "hot_code.h"
#include "kernel_time.h"
#include "moved_words.h"
#include "repeated_calls.h"

#define MANY KERNEL_SITE_MANY
#define MUCH 5 /* percent of the time on a processor */
/* Half of the calls are as short as they are with little data, ns. */
#define SHORT_READ_NS REPEATED_CALLS_SHORT_NS
#define SHORT_WRITE_NS 5000
#define SYNC_CALLS 10
/* Polling: waits of up to so long, so many of them. */
#define POLLING_NS 2e6L
#define POLLING_CALLS 200
/* Threads wait for one another so: percent of their time, and what they work for each sleep. */
#define POLLED_PERCENT 50
#define POLLED_WORK_NS 10000.0L
/* Sleeps: percent of the thread's time, and how much of it the thread works. */
#define SLEEP_PERCENT 20
#define SLEEPER_WORKS 1
#define SLEEPER_WORKS_ALONE 5
#define SLEEP_CALLERS 5
/* A page fault at the first touch takes from FAULT_LEAST_NS to FAULT_MOST_NS; FAULTS of them are
 * reported. */
#define FAULT_LEAST_NS 250
#define FAULT_MOST_NS 2500
#define FAULTS 20000
#define PAGE_BYTES 4096
/* Threads that could run, for each processor; percent of the time that they could run. */
#define RUNNABLE 1.5L
#define PREEMPTED_PERCENT 25
/* A thread that loses its processor loses at most so many ns by it: the switch, and until the
 * caches have its data again. The rest of such a wait is work of others. */
#define SWITCH_NS 50000
/* Percent of the time that they could run: what they wait longer than for one another is told. */
#define OTHERS_PERCENT 10

/* "4,000 calls of read, 421 ns each". ns: of all of them. */
static void put_calls(const struct finder *finder, struct strbuf *text, const struct kernel_site *site,
		      long double ns)
{
	strbuf_thousands(text, site->calls);
	strbuf_puts(text, site->calls == 1 ? " call of " : " calls of ");
	finding_put_name(finder, text, site->edge->entity);
	strbuf_puts(text, ", ");
	moved_put_mean(text, site);
	strbuf_duration(text, ns / (long double)site->calls);
	strbuf_puts(text, site->calls == 1 ? "" : " each");
}

/* ", most for main (a.c:3)": who calls a function that makes one of these calls each time. */
static void put_asker(const struct finder *finder, struct strbuf *text, const struct kernel_site *site)
{
	const struct row *asker = computing_repeated(&finder->computing, site->edge);

	if (!asker || asker == site->edge || !computing_is_own(&finder->computing, call_graph_caller(asker)))
		return;
	strbuf_puts(text, ", most for ");
	finding_put_call(finder, text, asker);
}

/* Is it worth a word beside all that the processors did? However long the run had to wait for
 * them. */
static int is_much(const struct finder *finder, long double ns)
{
	return ns * 100 >= MUCH * finder->operating->on_cpu;
}

/* ---- the same system call again and again ---------------------------------------------------- */

static void put_others(const struct finder *finder, struct strbuf *text, const struct repeated_calls *all)
{
	const struct operating *o = finder->operating;
	int n = 0;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];

		if (site == all->most || site->caller != all->most->caller || !repeated_calls_has(o, site))
			continue;
		strbuf_puts(text, n++ ? ", " : "; ");
		strbuf_thousands(text, site->calls);
		strbuf_puts(text, " of ");
		finding_put_name(finder, text, site->edge->entity);
	}
}

static void repeated_calls(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		struct repeated_calls all = { 0 };
		struct finding *finding;

		if (kernel_site_is_question(&o->sites[i]))
			all = repeated_calls_in(o, o->sites[i].caller);
		if (!all.most || all.most != &o->sites[i] || !is_much(finder, all.on_cpu))
			continue;
		finding = finding_at_site(finder, rule, all.most, all.on_cpu);
		strbuf_puts(&finding->text, all.most->kind == CALL_OPEN
						    ? "opens files again and again: "
						    : "asks the kernel again and again: ");
		put_calls(finder, &finding->text, all.most, all.most->on_cpu);
		moved_put_opened(finder, &finding->text, all.most);
		put_others(finder, &finding->text, &all);
		put_asker(finder, &finding->text, all.most);
	}
}

/* ---- small reads and writes, streams that are flushed ---------------------------------------- */

static void small(struct finder *finder, const struct finding_rule *rule, const struct kernel_site *site,
		  long double short_ns, const char *what)
{
	struct finding *finding;

	if (!kernel_site_enters(site) || !moved_is_little(site, short_ns) || !is_much(finder, site->on_cpu) ||
	    kernel_site_is_answer(finder->operating, site) ||
	    (repeated_calls_in(finder->operating, site->caller).most &&
	     !repeated_calls_is_outweighing(finder->operating, site)))
		return;
	finding = finding_at_site(finder, rule, site, site->on_cpu);
	strbuf_printf(&finding->text, "%s little at a time: ", what);
	put_calls(finder, &finding->text, site, site->on_cpu);
	put_asker(finder, &finding->text, site);
}

static void small_reads(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_READ || o->sites[i].kind == CALL_GET)
			small(finder, rule, &o->sites[i], SHORT_READ_NS, "reads");
}

static void small_writes(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_WRITE)
			small(finder, rule, &o->sites[i], SHORT_WRITE_NS, "writes");
}

/* Of much data, writing past the buffer is right. */
static int is_print_of_little(const struct kernel_site *site)
{
	return site->kind == CALL_PRINT && site->usual >= 0 && site->usual <= SHORT_WRITE_NS;
}

static void flushes(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];
		struct finding *finding;

		if ((site->kind != CALL_FLUSH && !is_print_of_little(site)) || !kernel_site_enters(site) ||
		    !is_much(finder, site->on_cpu) || kernel_site_is_answer(o, site))
			continue;
		finding = finding_at_site(finder, rule, site, site->on_cpu);
		strbuf_puts(&finding->text, site->kind == CALL_FLUSH ? "flushes a stream again and again: "
								     : "prints without a buffer: ");
		put_calls(finder, &finding->text, site, site->on_cpu);
		put_asker(finder, &finding->text, site);
	}
}

static void syncs(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];
		struct finding *finding;

		if (site->kind != CALL_SYNC || site->calls < SYNC_CALLS)
			continue;
		finding = finding_at_site(finder, rule, site, site->elapsed);
		finding_waits_at(finding, site->edge);
		strbuf_puts(&finding->text, "waits for the disk: ");
		put_calls(finder, &finding->text, site, site->elapsed);
	}
}

/* ---- waiting by the clock -------------------------------------------------------------------- */

/* Calls that move data: what is waited for did happen. */
static uint64_t transfers(const struct operating *o)
{
	uint64_t n = 0;

	for (size_t i = 0; i < o->n_sites; i++)
		n += o->sites[i].kind == CALL_READ || o->sites[i].kind == CALL_WRITE ? o->sites[i].calls : 0;
	return n;
}

/* Tells whether the call waits for a time: a sleep, or poll and the like in a program that reads
 * and writes next to nothing. */
static int is_timer(const struct operating *o, const struct kernel_site *site)
{
	return site->kind == CALL_SLEEP || (site->kind == CALL_POLL && transfers(o) * 10 < o->polls);
}

static int is_polling(const struct operating *o, const struct kernel_site *site)
{
	if (site->calls < POLLING_CALLS || site->usual < 0 || site->usual > POLLING_NS)
		return 0;
	return (is_timer(o, site) && site->voluntary * 2 >= site->calls) ||
	       (site->kind == CALL_POLL && site->calls >= MANY && transfers(o) * 10 < site->calls);
}

static const struct kernel_site *site_of_calls(const struct operating *o, const struct thread_calls *calls)
{
	for (size_t i = 0; i < o->n_sites; i++)
		if (is_timer(o, &o->sites[i]) && o->sites[i].caller == calls->caller &&
		    o->sites[i].edge->entity == calls->callee)
			return &o->sites[i];
	return NULL;
}

/* Returns the longest time, ns, that a thread is in such sleeps; 0: none is for half its life. */
static long double polled_ns(const struct finder *finder, const struct kernel_site *site, size_t *threads)
{
	const struct system_facts *facts = &finder->input->edges->system;
	long double most = 0;

	for (size_t i = 0; i < facts->n; i++)
		if (site_of_calls(finder->operating, &facts->list[i]) == site &&
		    facts->list[i].taken * 100 >= POLLED_PERCENT * facts->list[i].elapsed) {
			most = fmaxl(most, facts->list[i].taken);
			++*threads;
		}
	return most;
}

/* Tells whether it waits for events by other calls than those that look again and again. */
static int waits_for_events(const struct operating *o)
{
	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_POLL && o->sites[i].calls &&
		    !(is_timer(o, &o->sites[i]) && is_polling(o, &o->sites[i])))
			return 1;
	return 0;
}

/*
 * Do two threads and more sleep for most of their time, and work between these sleeps? Nobody else
 * is waited for, so they wait for one another, and the sleeps are lost time. Threads that find
 * nothing to do work less.
 */
static int poll_one_another(const struct finder *finder)
{
	const struct operating *o = finder->operating;
	long double work = o->on_cpu, calls = 0;
	size_t threads = 0;

	for (size_t i = 0; i < o->n_sites; i++)
		if (is_timer(o, &o->sites[i]) && is_polling(o, &o->sites[i])) {
			polled_ns(finder, &o->sites[i], &threads);
			work -= o->sites[i].on_cpu;
			calls += (long double)o->sites[i].calls;
		}
	return threads > 1 && finder->t->processes == 1 && !waits_for_events(o) &&
	       work >= POLLED_WORK_NS * calls;
}

static void polling(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;
	int is_lost = poll_one_another(finder);

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];
		struct finding *finding;
		size_t threads = 0;

		if (!is_polling(o, site))
			continue;
		finding = finding_at_site(finder, rule, site, site->on_cpu);
		if (is_lost && is_timer(o, site))
			finding->time = fmaxl(finding->time, polled_ns(finder, site, &threads));
		strbuf_puts(&finding->text, "looks again and again instead of waiting: ");
		put_calls(finder, &finding->text, site, site->elapsed);
		if (threads)
			strbuf_puts(&finding->text, ", while the others do so, too");
	}
}

static int is_sleep_in_work(const struct thread_calls *s)
{
	long double each = s->taken / (long double)(s->calls ? s->calls : 1);
	int is_called_for_it = s->caller_calls >= SLEEP_CALLERS;

	/* a timer, and a thread that does something from time to time, sleep in their own loop */
	return (is_called_for_it || s->is_alone) && s->taken * 100 >= SLEEP_PERCENT * s->elapsed &&
	       each > POLLING_NS / 2 &&
	       s->on_cpu * 100 >= (is_called_for_it ? SLEEPER_WORKS : SLEEPER_WORKS_ALONE) * s->elapsed;
}

/* The thread in which it takes most. */
static int is_first_of_its_kind(const struct system_facts *facts, size_t i)
{
	for (size_t k = 0; k < facts->n; k++)
		if (facts->list[k].caller == facts->list[i].caller &&
		    facts->list[k].callee == facts->list[i].callee && is_sleep_in_work(&facts->list[k]) &&
		    (facts->list[k].taken > facts->list[i].taken ||
		     (facts->list[k].taken == facts->list[i].taken && k < i)))
			return 0;
	return 1;
}

static void sleeps(struct finder *finder, const struct finding_rule *rule)
{
	const struct system_facts *facts = &finder->input->edges->system;

	for (size_t i = 0; i < facts->n; i++) {
		const struct thread_calls *calls = &facts->list[i];
		const struct kernel_site *site = site_of_calls(finder->operating, calls);
		struct finding *finding;

		if (!site || !is_sleep_in_work(calls) || !is_first_of_its_kind(facts, i))
			continue;
		finding = finding_at_site(finder, rule, site, 0);
		finding->time = calls->taken / finder->at_once;
		finding_waits_at(finding, site->edge);
		strbuf_puts(&finding->text, "sleeps: ");
		put_calls(finder, &finding->text, site, site->elapsed);
		strbuf_printf(&finding->text, ", %.0Lf %% of the time of ",
			      100 * calls->taken / calls->elapsed);
		finding_put_thread(&finding->text, calls->thread);
	}
}

/* ---- pages ----------------------------------------------------------------------------------- */

static long double on_cpu_of(const struct row *row)
{
	return row->sums.elapsed_exclusive - row->sums.off_cpu_exclusive;
}

/* The function that most likely has them: calls with some, and their time. */
static const struct row *touches(const struct finder *finder, enum os_kind kind,
				 long double (*time_of)(const struct row *row))
{
	const struct row *most = NULL;
	long double weight = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		const struct row *row = finder->graph->nodes[e];
		uint64_t faults = row && row->os ? row->os->exclusive.of[kind] : 0;
		long double of_it;

		if (!faults || !row->calls)
			continue;
		of_it = fminl(1, (long double)faults / (long double)row->calls) * time_of(row);
		if (of_it > weight) {
			weight = of_it;
			most = row;
		}
	}
	return most;
}

static long double os_events(const struct finder *finder, enum os_kind kind)
{
	uint64_t n = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		const struct row *row = finder->graph->nodes[e];

		n += row && row->os ? row->os->exclusive.of[kind] : 0;
	}
	return (long double)n;
}

/* Returns the time, ns, of all functions that have some of these events. */
static long double time_with(const struct finder *finder, enum os_kind kind,
			     long double (*time_of)(const struct row *row))
{
	long double ns = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		const struct row *row = finder->graph->nodes[e];

		ns += row && row->os && row->os->exclusive.of[kind] ? time_of(row) : 0;
	}
	return ns;
}

static struct finding *found_in(struct finder *finder, const struct finding_rule *rule, const struct row *row,
				long double amount)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = finding->look_at = row->entity;
	finding->time = finder_on_one_thread(finder, row, amount, SHARE_ELAPSED);
	finding->verb = "callers";
	return finding;
}

/* Returns ns of so many page faults, with giving the memory back; where samples do not tell the
 * kernel's time, the middle of what it may be. */
static long double fault_time(const struct finder *finder, uint64_t faults, long double kernel)
{
	long double least = (long double)faults * FAULT_LEAST_NS, most = (long double)faults * FAULT_MOST_NS;

	if (kernel > 0)
		return fminl(most, fmaxl(least, kernel));
	most = fminl(most, time_with(finder, OS_MINOR_FAULT, on_cpu_of));
	return (least + fmaxl(most, least)) / 2;
}

/* Of a function of the program: what has most of its samples touches the memory, too. */
static void put_hottest_place(const struct finder *finder, struct finding *finding)
{
	struct hot_code code;
	struct code_place place;

	if (hot_code_find(&code, &finder->computing, finding->about) || !code.is_inlined)
		return;
	code_place_find(&place, &finder->computing, finding->about, code.most_at);
	finding->file = place.file;
	finding->line = place.line;
	finding->inlined = place.inlined;
}

static void first_touch(struct finder *finder, const struct finding_rule *rule)
{
	uint64_t faults = finder->input->edges->system.minor_faults;
	const struct row *row = faults >= FAULTS ? touches(finder, OS_MINOR_FAULT, on_cpu_of) : NULL;
	long double kernel = row ? kernel_time_uncalled(finder) : 0;
	struct finding *finding;

	if (!row || !is_much(finder, kernel > 0 ? kernel : 2.0L * (long double)faults * FAULT_LEAST_NS))
		return;
	finding = found_in(finder, rule, row, fault_time(finder, faults, kernel));
	finding->place = computing_own_call(&finder->computing, row->entity);
	if (!finding->place) {
		put_hottest_place(finder, finding);
		finding->verb = "annotate";
	}
	if (finding->place) {
		finding->said_of = call_graph_caller(finding->place);
		strbuf_puts(&finding->text, "calls ");
		finding_put_name(finder, &finding->text, row->entity);
		strbuf_puts(&finding->text, ", which ");
	}
	strbuf_puts(&finding->text, "likely has most of ");
	strbuf_thousands(&finding->text, faults);
	strbuf_puts(&finding->text, " page faults, at the first use of ");
	strbuf_size(&finding->text, faults * PAGE_BYTES);
	strbuf_puts(&finding->text, " of memory");
}

static long double off_cpu_of(const struct row *row)
{
	return row->sums.off_cpu_exclusive;
}

static void page_ins(struct finder *finder, const struct finding_rule *rule)
{
	long double ns = finder->t->facts.waits.off_cpu[WAIT_PAGE];
	const struct row *row = ns > 0 ? touches(finder, OS_MAJOR_FAULT, off_cpu_of) : NULL;
	struct finding *finding;

	if (!row)
		return;
	finding = found_in(finder, rule, row, ns);
	finding_waits(finding, ns, os_events(finder, OS_MAJOR_FAULT));
	strbuf_puts(&finding->text, "likely has most of ");
	strbuf_duration(&finding->text, ns);
	strbuf_puts(&finding->text, " of waiting for pages that are read from a disk");
}

/* ---- processors ------------------------------------------------------------------------------ */

/* Of all machines, which have as many each (system_facts.h); 0: not known. */
static uint64_t processors_of_all(const struct finder *finder)
{
	return finder->input->edges->system.processors * finder->t->hosts.n;
}

static void say_processors(const struct finder *finder, uint64_t n, struct strbuf *text)
{
	strbuf_printf(text, "%llu processor%s", (unsigned long long)n, n == 1 ? "" : "s");
	if (finder->t->hosts.n > 1)
		strbuf_printf(text, " of %zu machines", finder->t->hosts.n);
}

/*
 * The part of the time in which threads can run that they wait for one another at most: all of them
 * have that time together. How many these are, threads that hardly run count little.
 */
static long double own_part(const struct finder *finder, long double processors)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	long double sum = 0, squares = 0, threads;

	if (finder->t->merged) /* threads that were added up */
		return 1;
	for (size_t i = 0; i < facts->n; i++) {
		const struct thread_fact *thread = &facts->list[i];
		long double ready = fmaxl(0, thread->elapsed - thread->off_cpu) + thread->preempted;

		sum += ready;
		squares += ready * ready;
	}
	threads = squares > 0 ? sum * sum / squares : 0;
	return threads > processors ? 1 - processors / threads : 0;
}

static void preemption(struct finder *finder, const struct finding_rule *rule)
{
	long double all = finder->t->facts.waits.off_cpu[WAIT_PREEMPTED];
	long double could = finder->operating->on_cpu + all;
	long double runnable = finder->wall > 0 ? could / finder->wall : 0;
	uint64_t processors = processors_of_all(finder);
	long double waited = fminl(all, could * own_part(finder, (long double)processors));
	struct finding *finding;

	if (!processors || waited * 100 < PREEMPTED_PERCENT * could ||
	    runnable < RUNNABLE * (long double)processors)
		return;
	finding = finding_new(finder, rule);
	finding->verb = finder->t->merged ? "report --by=process" : "report --by=thread";
	finding->time = os_events(finder, OS_INVOLUNTARY) * SWITCH_NS / (long double)processors;
	strbuf_printf(&finding->text, "%.1Lf threads at a time are ready to run, on ", runnable);
	say_processors(finder, processors, &finding->text);
	strbuf_printf(&finding->text, ": they wait for one %.0Lf %% of that time", 100 * all / could);
	if ((all - waited) * 100 >= OTHERS_PERCENT * could)
		strbuf_printf(&finding->text,
			      ", at most %.0Lf %% for one another, the rest for other programs%s",
			      100 * waited / could, finder->t->cpu_limit ? " or for their limit" : "");
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct finding_rule findings_system_rules[] = {
	{ "CF0301", "small reads", OF_TIMED | OF_WAITING | OF_COMPUTING | OF_PROCESSOR, 60, 2, small_reads,
	  "Calls at one place of read, pread, recv and the like, and of fread and getline where most of them "
	  "enter the kernel: 1,000 and more, of fewer than 2,048 bytes each (bytes not known: half of them "
	  "take up to 2.5 us). Not if the data come from others: then the calls wait, or the program waits "
	  "for events.",
	  "Their time on a processor, which must be at least 5 % of all such time.",
	  "Each system call costs 0.2 to 1 us, some 1,000 instructions, however little it reads.",
	  "Read 64 KiB and more at once into a buffer and take records from there; use a stream (fread, "
	  "std::ifstream), which does it; map the file (mmap). With fseek before each fread the buffer is "
	  "thrown away: read on where records follow one another. Give streams their buffer back "
	  "(setvbuf). Many positions at once: preadv, io_uring.",
	  "The records lie far apart in a file that is too large to be read or mapped as a whole. The file "
	  "is a device that gives a little at a time." },
	{ "CF0302", "small writes", OF_TIMED | OF_WAITING | OF_COMPUTING | OF_PROCESSOR, 60, 2, small_writes,
	  "Calls at one place of write, pwrite, send and the like: 1,000 and more, of fewer than 2,048 bytes "
	  "each (bytes not known: half of them take up to 5 us). Not those that another process or thread "
	  "waits for, nor a server's, which waits for events.",
	  "Their time on a processor, which must be at least 5 % of all such time.",
	  "Each system call costs 0.2 to 1 us, more on a file system, however little it writes.",
	  "Put records into a buffer and write it when it has 64 KiB; use a stream; put the parts of a "
	  "record together by writev.",
	  "Each record has to be there at once: another program reads it, or a log must have the last lines "
	  "before a crash." },
	{ "CF0303", "flush after each piece", OF_TIMED | OF_WAITING, 65, 2, flushes,
	  "Calls at one place of fflush, std::endl, std::flush that write, and of printf, puts, fwrite and "
	  "the like that enter the kernel at least every second time (the stream has no buffer, or is a "
	  "terminal): 1,000 and more; of printf and the like only where half take up to 5 us, as those of "
	  "little data do.",
	  "Their time on a processor, which must be at least 5 % of all such time.",
	  "A stream collects some KiB before it writes. A flush for each line makes a system call of each.",
	  "'\\n' in place of std::endl; no fflush in the loop, one at its end; no setvbuf(_IONBF), "
	  "std::unitbuf; std::clog in place of std::cerr; setvbuf(_IOFBF) for what goes into a file.",
	  "Somebody reads along, and lines are to be seen at once; or the log must be complete after a "
	  "crash." },
	{ "CF0304", "a sync for each record", OF_TIMED | OF_WAITING, 70, 5, syncs,
	  "Time in calls at one place of fsync, fdatasync, msync, sync: ten and more.",
	  "All of it. At most what all threads wait there could be saved.",
	  "Each call waits until the disk has written: 0.1 to 10 ms.",
	  "One sync for several records (group commit), at the end of a file, or by a thread of its own; "
	  "fdatasync in place of fsync. Of a database: several statements in one transaction.",
	  "Each record must survive a loss of power before the next step (a commit)." },
	{ "CF0305", "the same system calls again and again",
	  OF_TIMED | OF_WAITING | OF_COMPUTING | OF_PROCESSOR, 50, 2, repeated_calls,
	  "Calls in one function of open, close, stat, lseek, getpid, ioctl, mmap and other functions that "
	  "enter the kernel each time: 1,000 and more at a place, with its reads and writes. Not a "
	  "server's, which waits for events.",
	  "Their time on a processor, which must be at least 5 % of all such time.",
	  "Each costs 0.2 to 5 us, and the answer is often the same as the last time.",
	  "Keep files open, and their locks for several steps (a transaction); pread in place of lseek and "
	  "read; ask once and keep the answer (getpid, stat, "
	  "getenv of what does not change); look at a clock that needs no system call (clock_gettime); "
	  "take memory once and use it again.",
	  "Each call is about another file: a program that lists or copies many files has to make them." },
	{ "CF0306", "polling", OF_TIMED | OF_WAITING, 60, 2, polling,
	  "Sleeps (usleep, nanosleep) at one place, half of which last up to 2 ms: 200 and more; as many of "
	  "poll, select, epoll_wait that go to sleep, where next to no data was read or written, and 1,000 "
	  "and more of any.",
	  "Their time on a processor. Besides, what is waited for is noticed late, by half of a sleep on the "
	  "average. Where two threads and more sleep so for half of their time, in a process that waits for "
	  "no files, and work for 10 us and more for each sleep, they wait for one another: then it is the "
	  "time of the sleeps, in the thread that has most.",
	  "Waking up costs 5 to 50 us each time and keeps the processor from saving power.",
	  "Wait for what happens: a condition variable, a semaphore, eventfd, a futex; poll or epoll with "
	  "all files that matter and the time until the next timer.",
	  "The thread has to do something at that rate (sound, control), or what it waits for cannot tell "
	  "(a device)." },
	{ "CF0307", "sleeps in working code", OF_TIMED | OF_WAITING, 70, 5, sleeps,
	  "Sleeps of more than 1 ms (nanosleep, usleep, sleep) in a function that a thread has called five "
	  "times and more: at least 20 % of the time of a thread that computes 1 % of it. In a process with "
	  "one thread also those in any other function, if it computes 5 %.",
	  "The sleep of the thread that has most. At most that of all threads could be saved.",
	  "What waits for this thread waits for its sleep, too.",
	  "Wait for the event itself in place of a fixed time; do something else meanwhile; try again at "
	  "once the first time, and later after longer times.",
	  "A rate that is wanted, such as a limit, or a simulation of a slow device." },
	{ "CF0308", "page faults at the first touch", OF_TIMED | OF_COMPUTING | OF_PROCESSOR, 20, 2,
	  first_touch,
	  "Minor page faults of all threads, by the kernel's count: 20,000 and more. The function is the one "
	  "with most time in calls that had some: how many a function had is not recorded.",
	  "What the kernel did without being called, with taking the memory back: the time on a processor "
	  "that has no samples of the program's own code. Where threads have no samples: 250 ns to 2.5 us "
	  "for each page fault, but no more than the functions that had some compute themselves: the "
	  "middle.",
	  "The kernel gives new memory page by page, when it is first used. A program that gives large "
	  "blocks back and takes new ones pays for that again and again.",
	  "Use buffers again in place of freeing them; mallopt(M_MMAP_THRESHOLD, M_TRIM_THRESHOLD), or "
	  "another malloc; large pages (madvise MADV_HUGEPAGE, transparent_hugepage); MAP_POPULATE.",
	  "The memory is needed, and touched once." },
	{ "CF0309", "waits for pages of a file", OF_TIMED | OF_WAITING, 60, 5, page_ins,
	  "Time off the processor in intervals with a major page fault, of all threads. The function is the "
	  "one with most such time.",
	  "All of it, which is the most that could be saved, too.",
	  "A page of a mapped file, or of the program itself, was not in memory and is read from the disk, "
	  "while the thread waits. Memory that was swapped out comes back that way, too.",
	  "Read ahead (madvise MADV_WILLNEED, MADV_SEQUENTIAL, readahead); read in the order of the file; "
	  "use less memory if it is swap.",
	  "The first run after a start of the machine: record again." },
	{ "CF0310", "more threads than processors", OF_TIMED, 40, 0.1, preemption,
	  "How many threads are able to run at a time, on a processor or waiting for one: more than 1.5 for "
	  "each processor of the machine, and at least 25 % of that time waiting for one another. Of n "
	  "threads on p processors each waits (n - p) / n of the time for the others, at most; the rest is "
	  "what other programs took.",
	  "At most 50 us each time that a thread loses its processor, on all processors: the switch, and "
	  "until "
	  "the caches have its data again: the most. Little could be saved: with fewer threads the same work "
	  "takes about as long.",
	  "Threads that take turns lose what they had in the caches, and the one that holds a lock may be "
	  "one that does not run.",
	  "As many threads as there are processors (sysconf(_SC_NPROCESSORS_ONLN), or fewer where a limit of "
	  "the container says so); a pool with a queue; more processors.",
	  "The threads wait most of the time in other runs, or are processes of a build or test that is "
	  "meant to fill the machine." },
};
const size_t findings_n_system_rules = ARRAY_SIZE(findings_system_rules);

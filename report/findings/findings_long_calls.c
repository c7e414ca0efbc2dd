/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_long_calls.c - rules on system calls that take long for what the program gets of them:
 * data that were there before, events of many files, folders, copies of a large process. */
#include <math.h>
#include <string.h>

#include "bounds.h"
#include "rules.h"

#define MUCH 10 /* percent of the time on a processor */
/* Bytes that nobody has computed: so many for each ns that the program computes. Memory takes up
 * to ten. */
#define BYTES_PER_NS 20.0L
#define MOVES 10	   /* calls */
#define MOVED_BYTES 16384L /* on the average: of little data, its number of calls is what matters */
/* A page fault makes so many bytes of a mapped file visible. */
#define FAULT_BYTES 65536
/* Calls that wait for events: so many, ns of each, how many times as long as a read or write. */
#define LOOKS 1000
#define LOOK_NS 10000.0L
#define LOOK_LONGER 3
/* Folders that are read; names in each; names for each other system call. */
#define FOLDERS 100
#define NAMES_EACH 10
#define NAMES_UNUSED 10
/* Copies of a process: so many, and ns of each. */
#define FORKS 10
#define FORK_NS 1e6L

static int is_much(const struct finder *finder, long double on_cpu)
{
	return on_cpu * 100 >= MUCH * finder->operating->on_cpu;
}

static int is_call_of(const struct finder *finder, const struct kernel_site *site, const char *const *globs)
{
	return computing_is_one_of(call_graph_entity(finder->graph, site->edge->entity), globs);
}

/* Returns the calls and times of all sites of such functions in a caller, as one site. */
static struct kernel_site sum_of(const struct finder *finder, uint32_t caller, const char *const *globs)
{
	const struct operating *o = finder->operating;
	struct kernel_site sum = { 0 };

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];

		if (site->caller != caller || !is_call_of(finder, site, globs))
			continue;
		sum.edge = sum.edge ? sum.edge : site->edge;
		sum.calls += site->calls;
		sum.on_cpu += site->on_cpu;
	}
	return sum;
}

/* Appends "1,000 calls of poll". */
static void put_calls(const struct finder *finder, struct strbuf *text, const struct kernel_site *site)
{
	strbuf_thousands(text, site->calls);
	strbuf_puts(text, " calls of ");
	finding_put_name(finder, text, site->edge->entity);
}

/* ---- more data than the program computes ----------------------------------------------------- */

/* Returns the bytes that the site's calls have moved. */
static long double bytes_of(const struct kernel_site *site, enum cinstr_amount_kind kind)
{
	const struct os_counts *os = site->edge->os;

	return os ? (long double)os->inclusive.moved[kind].bytes : 0;
}

/* Returns the bytes that all sites have moved, read or written. */
static long double all_bytes(const struct operating *o, enum cinstr_amount_kind kind)
{
	long double bytes = 0;

	for (size_t i = 0; i < o->n_sites; i++)
		bytes += bytes_of(&o->sites[i], kind);
	return bytes;
}

/* Returns ns on a processor that are not in calls that enter the kernel. */
static long double own_work(const struct operating *o)
{
	long double ns = o->on_cpu;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];

		if (site->entered)
			ns -= site->on_cpu * fminl(1, (long double)site->entered / (long double)site->calls);
	}
	return fmaxl(ns, 0);
}

/* Tells whether the function opens files itself, again and again. */
static int opens_files(const struct operating *o, uint32_t caller)
{
	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].caller == caller && o->sites[i].kind == CALL_OPEN &&
		    o->sites[i].calls >= MOVES)
			return 1;
	return 0;
}

/* Tells whether the place moves bytes to or from files. Of a stream the file is not known: it is
 * one if the function opens it. */
static int moves_files(const struct finder *finder, const struct kernel_site *site,
		       enum cinstr_amount_kind kind)
{
	const struct file_facts *facts = &finder->input->edges->files;
	int is_stream = (site->kind == CALL_PRINT || site->kind == CALL_GET) &&
			opens_files(finder->operating, site->caller);
	long double bytes = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct file_fact *fact = &facts->list[i];
		const char *name = facts->files[fact->file].name;

		if (fact->kind == kind && fact->place.entity == site->caller &&
		    (name ? name[0] == '/' && strncmp(name, "/dev/", 5) != 0 : is_stream))
			bytes += (long double)fact->sums.bytes;
	}
	return bytes * 2 >= bytes_of(site, kind);
}

static int is_old_data(const struct finder *finder, const struct kernel_site *site,
		       enum cinstr_amount_kind kind, enum cinstr_amount_kind other)
{
	const struct operating *o = finder->operating;
	long double bytes = bytes_of(site, kind), work = own_work(o);
	long double faults = (long double)finder->input->edges->system.minor_faults * FAULT_BYTES;

	return site->calls >= MOVES && bytes >= MOVED_BYTES * (long double)site->calls &&
	       is_much(finder, site->on_cpu) && bytes >= all_bytes(o, other) + BYTES_PER_NS * work &&
	       bytes >= faults && moves_files(finder, site, kind);
}

/* Returns the time of the site, and of what its function asks the kernel for it: to open, close and
 * rename the file. */
static long double time_of_saving(const struct operating *o, const struct kernel_site *of)
{
	long double ns = of->elapsed;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];

		if (site != of && site->caller == of->caller && kernel_site_is_question(site) &&
		    site->entered && site->calls <= of->calls)
			ns += site->elapsed;
	}
	return ns;
}

static void tell_data(struct finder *finder, const struct finding_rule *rule, const struct kernel_site *site,
		      enum cinstr_amount_kind kind)
{
	struct finding *finding =
		finding_at_site(finder, rule, site, time_of_saving(finder->operating, site));
	uint64_t bytes = (uint64_t)bytes_of(site, kind);
	int is_read = kind == CINSTR_AMOUNT_READ;

	strbuf_puts(&finding->text, is_read ? "reads " : "writes ");
	strbuf_size(&finding->text, bytes);
	strbuf_puts(&finding->text, " in ");
	put_calls(finder, &finding->text, site);
	strbuf_puts(&finding->text, ", ");
	strbuf_size(&finding->text, bytes / site->calls);
	strbuf_puts(&finding->text, " each, but the program computes only ");
	strbuf_duration(&finding->text, own_work(finder->operating));
	strbuf_puts(&finding->text,
		    is_read ? ": it hardly looks at most of it" : ": most of it has likely not changed");
}

static void old_data(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];

		if (is_old_data(finder, site, CINSTR_AMOUNT_WRITTEN, CINSTR_AMOUNT_READ))
			tell_data(finder, rule, site, CINSTR_AMOUNT_WRITTEN);
		else if (is_old_data(finder, site, CINSTR_AMOUNT_READ, CINSTR_AMOUNT_WRITTEN))
			tell_data(finder, rule, site, CINSTR_AMOUNT_READ);
	}
}

/* ---- events of many files -------------------------------------------------------------------- */

static const char *const lookers[] = {
	"poll", "ppoll", "select", "pselect", "__poll_chk", "__ppoll_chk", NULL
};

/* Returns ns on a processor of a read or write in this session; 0: there are none. */
static long double usual_call(const struct operating *o)
{
	long double ns = 0, calls = 0;

	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_READ || o->sites[i].kind == CALL_WRITE) {
			ns += o->sites[i].on_cpu;
			calls += (long double)o->sites[i].calls;
		}
	return calls > 0 ? ns / calls : 0;
}

static void many_files(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];
		long double each = site->calls ? site->on_cpu / (long double)site->calls : 0;
		struct finding *finding;

		if (site->calls < LOOKS || !is_call_of(finder, site, lookers) || each < LOOK_NS ||
		    each < LOOK_LONGER * usual_call(o) || !is_much(finder, site->on_cpu))
			continue;
		finding = finding_at_site(finder, rule, site, site->on_cpu);
		put_calls(finder, &finding->text, site);
		strbuf_puts(&finding->text, " take ");
		strbuf_duration(&finding->text, each);
		strbuf_puts(&finding->text, " of a processor each: likely they ask for many files; epoll "
					    "tells only those with events");
	}
}

/* ---- folders that are read ------------------------------------------------------------------- */

static const char *const openers[] = { "opendir", "fdopendir", NULL };
static const char *const readers[] = { "readdir", "readdir64", NULL };
static const char *const closers[] = { "closedir", NULL };

/* Returns how many other system calls the session has made: at most so many names were used. */
static uint64_t uses(const struct finder *finder)
{
	const struct operating *o = finder->operating;
	uint64_t calls = 0;

	for (size_t i = 0; i < o->n_sites; i++)
		if (!is_call_of(finder, &o->sites[i], openers) &&
		    !is_call_of(finder, &o->sites[i], readers) && !is_call_of(finder, &o->sites[i], closers))
			calls += o->sites[i].entered;
	return calls;
}

static void folders(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];
		struct kernel_site opened, closed;
		struct finding *finding;

		if (!is_call_of(finder, site, readers))
			continue;
		opened = sum_of(finder, site->caller, openers);
		closed = sum_of(finder, site->caller, closers);
		if (opened.calls < FOLDERS || site->calls < NAMES_EACH * opened.calls ||
		    site->calls < NAMES_UNUSED * uses(finder) ||
		    !is_much(finder, site->on_cpu + opened.on_cpu + closed.on_cpu))
			continue;
		finding = finding_at_site(finder, rule, site, site->on_cpu + opened.on_cpu + closed.on_cpu);
		strbuf_puts(&finding->text, "looks through a folder again and again: ");
		put_calls(finder, &finding->text, &opened);
		strbuf_puts(&finding->text, ", ");
		strbuf_thousands(&finding->text, site->calls / opened.calls);
		strbuf_puts(&finding->text, " names each; ask for the file itself, or keep the names");
	}
}

/* ---- copies of a large process --------------------------------------------------------------- */

static const char *const forks[] = { "fork", "_Fork", NULL };

/* Returns ns of all waits for child processes. */
static long double waits_for_children(const struct operating *o)
{
	long double ns = 0;

	for (size_t i = 0; i < o->n_sites; i++)
		ns += o->sites[i].kind == CALL_CHILD ? o->sites[i].off_cpu : 0;
	return ns;
}

static void large_forks(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct kernel_site *site = &o->sites[i];
		struct finding *finding;

		if (site->calls < FORKS || !is_call_of(finder, site, forks) ||
		    site->on_cpu < FORK_NS * (long double)site->calls)
			continue;
		finding = finding_at_site(finder, rule, site,
					  site->elapsed + fminl(site->elapsed, waits_for_children(o)));
		put_calls(finder, &finding->text, site);
		strbuf_puts(&finding->text, " take ");
		strbuf_duration(&finding->text, site->on_cpu / (long double)site->calls);
		strbuf_puts(&finding->text, " of a processor each: likely the process has much memory, "
					    "which posix_spawn does not copy");
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct finding_rule findings_long_calls_rules[] = {
	{ "CF0313", "data that nobody has computed", OF_TIMED | OF_WAITING | OF_COMPUTING, 45, 5, old_data,
	  "Calls at one place that write more to files than the program reads, or read more than it writes, "
	  "by 20 bytes and more for each nanosecond that it computes: ten and more, of 16 KiB and more each, "
	  "with 10 % of the time on a processor. Memory itself takes up to ten bytes in a nanosecond. Not if "
	  "as much may have come "
	  "from mapped files.",
	  "Their time, with waits for the disk, and that of opening, closing and renaming files in the same "
	  "function.",
	  "What is written so is mostly what was there before: a whole table for each change of it. What is "
	  "read so is mostly not looked at.",
	  "Write only what has changed (pwrite of the record, a log to which changes are added), or all of "
	  "it once at the end; read the part that is needed, or keep what was read.",
	  "The program fills files with a pattern, or measures the disk." },
	{ "CF0314", "events of many files", OF_TIMED | OF_WAITING | OF_COMPUTING | OF_PROCESSOR, 55, 5,
	  many_files,
	  "Calls of poll and select at one place that take 10 us of a processor and more each, and three "
	  "times as much as the program's reads and writes: 1,000 and more, with 10 % of the time on a "
	  "processor. How many files they ask for is not recorded.",
	  "Their time on a processor.",
	  "The kernel goes through all files that are passed, for each event: the work grows with the number "
	  "of connections, though few have something to say.",
	  "epoll: files are passed once, and a call tells those with events. Or take all events that a call "
	  "tells before the next one.",
	  "Most files have something each time." },
	{ "CF0315", "folders that are read again", OF_TIMED | OF_WAITING | OF_COMPUTING | OF_PROCESSOR, 55, 5,
	  folders,
	  "Calls of readdir in a function that opens folders: 100 folders and more, with ten names and more "
	  "each, and ten times as many names as the program makes other system calls; with 10 % of the time "
	  "on a processor.",
	  "The time on a processor of opening, reading and closing them.",
	  "To read a folder takes 0.1 to 0.5 us for each name in it. The names are hardly used otherwise.",
	  "open or stat the file, the kernel finds it by its name at once; read the folder once and keep the "
	  "names, sorted or in a table (inotify tells what changes).",
	  "Each is another folder: a program that looks for files by their names alone." },
	{ "CF0506", "fork of a large process", OF_TIMED | OF_WAITING, 80, 5, large_forks,
	  "Calls of fork at one place that take 1 ms of a processor and more each: ten and more. Of a small "
	  "process it takes 0.1 to 0.3 ms. How much memory there is is not recorded.",
	  "Theirs, and of the waits for children as much again, as a child has to give back what was copied.",
	  "fork copies the tables of all pages that the process uses: some ms for each 100 MB. Afterwards "
	  "each page is copied when it is written.",
	  "posix_spawn or vfork, which copy none, if the child runs another program; a small process that is "
	  "started first and forks for the large one; threads.",
	  "The children need a copy of the data, as for a snapshot." },
};
const size_t findings_n_long_calls_rules = ARRAY_SIZE(findings_long_calls_rules);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile.h - rows of values: by function, module, thread or process (semantics R5-R8, R17), or as
 * a tree of call paths; and the totals of the session. Data files are added one after another and
 * may be released in between.
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include <stdint.h>

#include "budget_exclusions.h"
#include "call_paths.h"
#include "code_samples.h"
#include "critical_path.h"
#include "counted_calls.h"
#include "executed/executed_work.h"
#include "file/data.h"
#include "known_calls.h"
#include "line_reach.h"
#include "mixed_rows.h"
#include "names/names.h"
#include "recording_quality.h"
#include "row_stream.h"
#include "samples_totals.h"
#include "spread.h"
#include "thread_facts.h"
#include "thread_heads.h"
#include "held_facts.h"
#include "system_facts.h"
#include "count_facts.h"
#include "tag_facts.h"
#include "thread_shares.h"
#include "file_facts.h"
#include "wait_facts.h"
#include "session/session_clock.h"
#include "values/durations.h"
#include "values/measure.h"
#include "values/os_counts.h"
#include "values/values.h"

/* BY_PROCESS: the unit that a row stands for. */
enum process_group { GROUP_PROCESS, GROUP_RANK, GROUP_HOST, GROUP_JOB };

enum profile_by {
	BY_FUNCTION,
	BY_MODULE,
	BY_THREAD,
	BY_PROCESS,
	BY_LINE,
	BY_SITE,
	BY_ADDRESS,
	BY_MARK,
	BY_PATH,
	BY_CALLERS,
	BY_EACH /* no rows: profile.each gets each thread */
};

/* Sums in nanoseconds, or in another unit that the session measures (measure.h). */
struct sums {
#define AMOUNT_IN_SUMS(name) long double name##_inclusive, name##_exclusive;
	AMOUNTS(AMOUNT_IN_SUMS)
#undef AMOUNT_IN_SUMS
	/* variance of the error of estimates (mixed_rows.h) */
	long double variance_inclusive, variance_exclusive;
};

/* Bits: values come from timed intervals, from estimates. */
enum row_source { SOURCE_TIMED = 1, SOURCE_ESTIMATE = 2 };

/* BY_CALLERS: the relation of a row to its root, the function in question. */
enum relation { RELATION_NONE, RELATION_CALLER, RELATION_ROOT, RELATION_CALLEE };

struct row {
	const char *name;
	const char *module, *file; /* NULL: not in this view, or not known */
	/* BY_LINE: the functions that execute the line, and where it was inlined. BY_SITE: the
	 * callee, and the calling instruction. BY_ADDRESS: the instruction's function, and its
	 * callees. */
	const char *function, *inlined_from, *callee, *address;
	/* BY_ADDRESS, for the diff: identifies the instruction in its function, independent of its
	 * address ("2 puts": the third one that calls puts), and the build of the module. NULL: the
	 * row is the function itself, or not known. */
	const char *which, *build;
	/* number of texts joined in these; more than PLACES_SHOWN: some are left out */
	uint32_t n_functions, n_inlined, n_callees;
	uint32_t line;
	/* BY_LINE: range of lines that its exclusive time belongs to, if no more is known; 0:
	 * `line` */
	uint32_t line_from, line_to;
	uint32_t pid, tid;	 /* 0: not in this view */
	uint32_t process_number; /* in the session, from 1; 0: several processes or none */
	uint32_t twin;		 /* the process's: see struct data */
	uint32_t parent_pid;
	uint32_t n_threads; /* BY_THREAD: number of threads in this row */
	/* BY_THREAD, BY_PROCESS; NULL: not known. ended: see process_end.h */
	const char *host, *process, *command_line, *ended;
	/* BY_THREAD, BY_PROCESS: the parallel job of a rank; NULL: not known */
	const char *job;
	uint32_t rank_after;  /* rank + 1; 0: not a rank */
	uint32_t n_processes; /* BY_PROCESS: number of processes in this row */
	/* BY_THREAD, BY_PROCESS: ns in calls of MPI that wait (mpi_calls.h); of these, on a
	 * processor */
	double mpi, mpi_busy;
	/* BY_THREAD, BY_PROCESS, BY_MARK: ns since the session's begin. BY_MARK: mark_id is the
	 * program's number. */
	double begin, end; /* < 0: not known */
	int64_t mark_id;
	uint64_t calls, open_calls;
	uint64_t tail_calls; /* those of `calls` that were jumps (R15) */
	/* those of `calls` without a known time, as they were only counted, less the counted ones
	 * that have a time, as their callers were timed */
	int64_t untimed;
	uint64_t entries; /* BY_LINE, BY_ADDRESS: calls of the functions that are defined here */
	struct sums sums;
	/* Sums of the inclusive times of all activations, including nested ones (R8), but without
	 * those that forked children inherited. */
	long double activations_elapsed, activations_application;
	/* exclusive time of inherited activations */
	long double inherited_elapsed, inherited_application;
	/* Extremes of finished activations, ns, by enum value_kind; < 0: not known. */
	double shortest[VALUE_KINDS], longest[VALUE_KINDS];
	struct durations durations; /* elapsed inclusive time of finished activations */
	struct os_counts *os;	    /* NULL: no events of the operating system */
	/* BY_FUNCTION, BY_PATH: the function; BY_LINE: a function whose lines are not known */
	uint32_t entity;
	/* entity by which the row is selected: BY_LINE, BY_ADDRESS the first function, BY_SITE the
	 * callee; else NAMES_NONE */
	uint32_t about;
	/* BY_PATH: rows are numbered in order of creation, so parents have lower numbers. BY_MODULE
	 * with functions: depth is 1 for modules and 2 for functions, whose parent is their
	 * module's row. */
	uint32_t parent, child, sibling; /* UINT32_MAX: none */
	uint32_t depth;
	uint32_t path; /* the first path in the row */
	/* BY_CALLERS (caller_rows.h) */
	const char *root_function;
	uint32_t root; /* entity in question */
	/* entity that calls `entity`; NAMES_NONE: not known; EDGE_NO_CALLER: the row is no edge */
	uint32_t caller;
	/* BY_SITE, and with by_call_site: entity that contains the call instruction; NAMES_NONE:
	 * not known */
	uint32_t place;
	uint8_t source[2];	 /* bits of enum row_source: inclusive, exclusive */
	uint8_t is_partly_timed; /* not all calls were timed: nothing is known of single calls */
	uint8_t are_calls_least; /* there may be more than `calls` (known_calls.h) */
	uint8_t is_hot;		 /* BY_PATH: on the hot path */
	/* several paths in one line; its name marks those that were jumps */
	uint8_t is_chain;
	uint8_t relation;      /* BY_CALLERS (caller_rows.h): enum relation */
	uint8_t is_recursive;  /* bits RECURSIVE_*; in rows that are shown: 1 or 0 */
	uint8_t is_indirect;   /* with by_call_site: called through a pointer */
	uint8_t is_of_several; /* BY_LINE: `about` is one of several functions */
	uint8_t is_unmeasured; /* BY_MARK: the mark began no phase, so no values are known */
	/* a process of a merged file, whose OS events are not known by process */
	uint8_t is_contributor;
	/* executed instructions: the number may be slightly too low or too high */
	uint8_t has_rough_code;
	uint8_t has_recursion; /* executed instructions: some of the row's calls were recursive */
	uint8_t filtered;      /* hidden by the selection (selection.h) */
};

struct totals {
	enum cinstr_method method;	  /* decides what `elapsed` and its parts measure */
	long double elapsed, application; /* the denominators of R7 */
	long double preempted_work;	  /* not part of application (values.h) */
	long double outside;		  /* part of `elapsed` outside any function */
	long double outside_cpu;	  /* part of `outside` on a processor */
	long double off_cpu;		  /* part of `elapsed` off the processor */
	long double runtime;		  /* the runtime's work; not part of `elapsed` */
	long double paused;		  /* time with recording off; not part of `elapsed` */
	/* time with recording off before a thread's first stamp and after its last: not in R10 */
	long double paused_beyond;
	long double attach; /* time to attach and patch, ns */
	long double overhead, overhead_low, overhead_high;
	uint64_t conservation_ticks_off; /* sum over threads of ticks that do not add up (R10) */
	uint64_t threads_off;
	uint64_t pauses, repaired;
	uint64_t lines; /* nodes of source lines */
	uint64_t events, enters, exits, implicit_exits, open_frames, orphans;
	int64_t unbalanced; /* enters - exits - implicit - open */
	uint64_t lost_events, lost_threads, merged_calls, timeline_lost;
	uint64_t merged_by_number; /* those of merged_calls where CINSTR_PATHS was a number */
	/* finished calls missing in durations and extremes */
	uint64_t uncounted;
	uint64_t moving;     /* places that have read or written */
	uint64_t counting;   /* ... that have counted (cinstr_count) */
	uint64_t allocating; /* ... and that have allocated */
	/* ... of which it is known what was not freed. Of all processes: the sum of what each held
	 * at most, blocks that were freed unseen; the most halvings (cinstr/held.h) of one */
	uint64_t holding;
	uint64_t held_most, held_unseen;
	uint32_t held_halvings;
	uint64_t voluntary, involuntary; /* context switches recorded */
	/* counted by the kernel, less the runtime's own: R13 */
	uint64_t kernel_voluntary, kernel_involuntary;
	uint64_t processes, threads, sleds_refused;
	uint64_t merged;  /* those of `processes` in merged files */
	uint64_t waiting; /* processes in which recording is off until a start or region */
	uint64_t left_out_by_choice, left_out_by_need; /* functions */
	/* modules built with the plugin that cannot be recorded; the path of the first one, and the
	 * reason */
	uint64_t modules_refused;
	char *refused_path;
	const char *refused_why;
	uint64_t begin_realtime_ns, end_realtime_ns;
	/* processes by their way to detect OS events */
	uint64_t restartable, by_threshold, no_source;
	uint64_t streams; /* processes in which stdio's calls of the kernel are seen */
	uint64_t uncalibrated, no_frequency, stopped, functions_only; /* processes */
	/* elapsed time of such processes */
	long double uncalibrated_ns, functions_only_ns, monotonic_ns;
	long double threshold; /* the highest, ns */
	struct map modules;    /* paths */
	/* machines, by name and boot */
	struct map hosts;
	uint64_t ranked; /* processes that are ranks of a parallel job */
	struct map jobs;
	/* the lowest limit of a control group, in thousandths of a processor; 0: no limit */
	uint64_t cpu_limit;
	struct map chosen; /* texts that say what was recorded of processes; "": everything */
	struct quality facts;
	struct samples_totals samples;
	int is_mixed; /* recorded by both methods at once */
	struct mixed_totals mixed;
	/* the recorded command, or if that is not known the command line of the first process */
	char *title;
	/* path of the executable that most was recorded of; NULL: not known */
	char *exe;
	uint64_t exe_recorded; /* ticks or samples of that process */
};

struct addition;

struct profile {
	enum profile_by by;
	/* the method is not known yet (view.c): columns of both methods are accepted */
	int any_method;
	int by_call_site; /* BY_CALLERS: an edge is a call site, not a caller */
	struct counting counting;
	int merge_threads;	  /* BY_THREAD: threads with the same name share a row */
	enum process_group group; /* BY_PROCESS */
	uint32_t process_row;	  /* BY_PROCESS: row of the current process */
	/* BY_MODULE: adds a row for each function, as a child of its module's */
	int functions;
	struct row *rows;
	size_t n_rows, size_rows;
	struct totals totals;
	struct exclusions taken_outs;
	struct counted_calls counted;
	struct known_calls known;
	struct names *names; /* may be shared with other profiles */
	struct map keys;     /* key of a row -> its number */
	/* key of a node's row in the current process -> index in row_of_code */
	struct map codes;
	uint32_t *row_of_code;
	size_t n_row_of_code;
	/* (row, text) already joined in row->function, row->inlined_from */
	struct map joined;
	struct line_reach reach; /* BY_LINE */
	struct map strings;
	const struct session_clock *clock; /* BY_MARK */
	/* BY_MARK: row of each phase of the current process, or ROW_NONE */
	uint32_t *phase_rows;
	/* phases are not known: a range of time was chosen from a timeline */
	int marks_unknown;
	struct paths paths;	  /* BY_PATH */
	struct row_stream stream; /* BY_PATH: if wanted, in place of `rows` */
	/* BY_EACH: called with each thread and its values, in the order in which they are added. */
	void (*each)(void *arg, const struct addition *addition);
	void *each_arg;
	/* Called with each data file after its threads, unless NULL. */
	void (*visit)(void *arg, const struct data *data);
	void *visit_arg;
	struct thread_shares shares;
	struct spreads spreads;
	struct thread_facts thread_facts;
	struct thread_heads thread_heads;
	struct system_facts system;
	struct wait_facts waits;       /* if wanted: objects that were waited for */
	struct file_facts files;       /* with `waits`: files that were read, written and opened */
	struct held_facts held;	       /* with `waits`: blocks that were not freed */
	struct tag_facts tags;	       /* with `waits`: values of the program's tags */
	struct count_facts counts;     /* with `waits`: what the program has counted */
	struct critical_path critical; /* if wanted: what the process's end has waited for */
	struct code_samples code;      /* if shares are wanted */
	/* [n_work], by entity: the work of functions in executed instructions; NULL: not known. Not
	 * owned by the profile; view_read() makes it if it is wanted. */
	const struct executed_work *work;
	size_t n_work;
	int is_work_wanted; /* set until the work is read */
};

/* A thread being added. */
struct addition {
	struct profile *profile;
	const struct data *data;
	struct data_thread *thread;
	struct values *values;
	const uint32_t *entities; /* by node */
	uint32_t *rows;		  /* by node; ROW_NONE: no row */
	/* BY_LINE, BY_ADDRESS: row of the line or instruction that each node was called from, or
	 * ROW_NONE; equals rows + n_nodes. Else NULL. */
	uint32_t *places;
	long double ns_per_tick;
	/* Returns the row of a FLAT cell. */
	uint32_t (*row_of_flat)(struct profile *profile, const struct data *data,
				const struct cinstr_cell *cell, uint32_t entity);
	int is_by_function; /* rows are those of functions, whatever profile->by says */
	/* rows are those of callers and callees, which counters of call sites apply to */
	int is_by_edge;
	/* rows by function or module get the lengths of calls in FLAT cells */
	int has_flat_lengths;
	struct mixed_tally *tally;
};

static inline int addition_is_line(const struct addition *a, size_t node)
{
	return data_cell_is_line(a->thread->nodes[node].cell);
}

/* Returns the unit of sums, elapsed and its parts. */
static inline const struct measure *profile_measure(const struct profile *profile)
{
	return measure_of(profile->totals.method);
}

/* Whether the session was sampled: no calls, no Application time, no overhead. */
static inline int profile_is_sampled(const struct profile *profile)
{
	return profile->totals.method == CINSTR_METHOD_SAMPLING;
}

/* Whether the session has executed instructions, or another count: calls, no times. */
static inline int profile_is_executed(const struct profile *profile)
{
	return DATA_METHOD_COUNTED(profile->totals.method) < CINSTR_COUNTERS;
}

/* Returns the counter of the processor's whose counts the session has, or CINSTR_COUNTER_NONE. */
static inline enum cinstr_counter profile_counter(const struct profile *profile)
{
	return profile_is_executed(profile) ? (enum cinstr_counter)DATA_METHOD_COUNTED(profile->totals.method)
					    : CINSTR_COUNTER_NONE;
}

/* instruction_shares.c: notes the mark of a node in the row; `parts`: what was added
 * (ADD_EXCLUSIVE, ...). */
void row_add_share(struct row *row, uint64_t mark, unsigned parts);
/* Whether a row's executed instructions are an estimate: it has some but not all paths of a
 * function (executed/call_shares.h), or code that is not executed as it stands. */
int row_is_share(const struct profile *profile, const struct row *row, enum value_kind kind);

/* Whether rows are parts of functions. */
static inline int profile_is_by_place(const struct profile *profile)
{
	return profile->by == BY_LINE || profile->by == BY_ADDRESS;
}

enum {
	ADD_EXCLUSIVE = 1,
	ADD_INCLUSIVE = 2,
	ADD_CALLS = 4
}; /* ADD_CALLS: with all that is known of single calls */
void addition_exclusive(const struct addition *a, uint32_t row, const struct ticks *t);
void addition_inclusive(const struct addition *a, uint32_t row, const struct ticks *t);
/* Adds parts (ADD_...) of a node's values to a row. */
void addition_to_row(const struct addition *a, struct row *row, size_t node, unsigned parts);

/* Returns whether the node only has a call that a forked child inherited: it is a call of the
 * parent process, not of the child. Not for merged files. */
int addition_is_inherited(const struct addition *a, size_t node);
/* Adds the node's time to the sums of which Avg is the mean. */
void addition_activations(const struct addition *a, struct row *row, size_t node);
/* Adds the extremes and all durations of the node's finished activations. */
void addition_lengths(const struct addition *a, struct row *row, size_t node);
/* Adds their durations only; the node's extremes are known. */
void addition_lengths_between(const struct addition *a, struct row *row, size_t node,
			      const struct extremes *extremes);
/* Add the extremes of some activations; and their durations, from the cell, corrected by
 * corrected(). */
void addition_extremes(const struct addition *a, struct row *row, const struct extremes *extremes);
void addition_durations(const struct addition *a, struct row *row, const struct cinstr_cell *cell,
			const struct extremes *extremes,
			uint64_t (*corrected)(const void *arg, uint64_t ticks), const void *arg);
/* profile_flat.c: add calls beyond the budget of paths to their rows; or all of them to one row. */
void addition_flat(const struct addition *a);
void addition_flat_calls(const struct addition *a, struct row *row);

/* A row that nothing was added to. */
extern const struct row row_empty;
/* Returns the row with this number. Creates it, and all rows before it, if needed. */
struct row *profile_row(struct profile *profile, uint32_t number);
/* Makes room for n rows, without a reserve. */
void profile_rows_expect(struct profile *profile, size_t n);
/* Sets the entity, name, module, file and line of a function's row. */
void profile_row_name(const struct profile *profile, struct row *row, uint32_t entity);

/* place_rows.c: return the row of a node BY_LINE, BY_SITE, BY_ADDRESS; ROW_NONE: it has none.
 * `entity`: of the node. */
#define ROW_NONE UINT32_MAX
#define PLACES_SHOWN 3
#define PLACES_SEPARATOR "; " /* between joined texts */
uint32_t place_of_line(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity);
uint32_t place_of_site(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity);
uint32_t place_of_address(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			  uint32_t entity);
/* BY_LINE, BY_ADDRESS: returns the row of the line or instruction `site`, which makes a call in the
 * function `entity`. */
uint32_t place_of_call(struct profile *profile, const struct data *data, uint32_t site, uint32_t entity);
/* BY_LINE, for a frame without line events: widens its row to the lines that its time until its
 * first call may belong to. is_whole: to all lines of the function. */
void place_reaches_from_entry(struct profile *profile, const struct data *data,
			      const struct cinstr_cell *cell, uint32_t row, int is_whole);
/* Whether of the lines of the row's exclusive time only the range line_from to line_to is known. */
int row_has_range(const struct row *row);
/* BY_ADDRESS: adds a callee to the row. */
void place_calls(struct profile *profile, uint32_t row, uint32_t callee);
/* Forgets what is known of the current process; called between two processes. */
void places_next_process(struct profile *profile);

/* Returns a moment of a process in ns since the session's begin; without a session's clock, since
 * the process's begin. */
long double profile_moment_ns(const struct profile *profile, const struct data *data, uint64_t ticks);

/* process_rows.c: fills in the row of a process or a thread, except its values. */
/* Returns the name that the program has set (cinstr_name), or that of its executable. */
const char *process_name_of(struct profile *profile, const struct data *data);
/* Returns the process's rank in a parallel job + 1; 0: it has none. */
uint32_t process_rank_after(const struct data *data);
void life_of_process(struct profile *profile, struct row *row, const struct data *data);
/* BY_PROCESS: makes profile->process_row; for a merged file all rows, with their values. */
void process_rows_add(struct profile *profile, const struct data *data);
void life_of_thread(struct profile *profile, struct row *row, const struct data *data,
		    const struct data_thread *thread);
/* BY_PROCESS, for a table: adds arguments to the names of processes of one program that differ in
 * them. */
void processes_tell_apart(struct profile *profile);
/* Returns the row of all threads with this thread's name in processes of one name, and adds this
 * thread to it. */
struct row *life_of_thread_name(struct profile *profile, const struct data *data,
				const struct data_thread *thread);

/* Returns the os_counts of a row. Creates them, empty, if needed. */
struct os_counts *row_os(struct row *row);
/* Whether nothing happened in the row: no view shows it. */
int row_is_empty(const struct row *row);
/* Frees the rows and all that they own. */
void rows_release(struct row *rows, size_t n);

/* mark_rows.c: adds rows of a process's phases and marks. */
void mark_rows_add(struct profile *profile, const struct data *data);

void profile_init(struct profile *profile, enum profile_by by, const struct counting *counting);
/* Makes the profile use the names of another one of the same session. To be called before data are
 * added. */
void profile_share_names(struct profile *profile, const struct profile *with);
/* Adds a data file to n profiles, n > 0, with equal counting. */
void profiles_add(struct profile *const *profiles, size_t n, const struct data *data);
/* Adds a data file. BY_PATH this is the first reading; after paths_choose() the same data must be
 * added again (call_paths.h). */
static inline void profile_add(struct profile *profile, const struct data *data)
{
	profiles_add(&profile, 1, data);
}

/* Frees what is needed for adding only. After that only the second reading of paths may add
 * data. */
void profile_settle(struct profile *profile);
void profile_release(struct profile *profile);

/* Returns the time, in ns, in which recording of threads was off before their first stamp or after
 * their last one, as no stamp shows. The time before is known for the main thread of a process that
 * began paused. length_ns: of the process. */
long double totals_paused_beyond(const struct data *data, long double ns_per_tick, uint64_t length_ns);
/* Returns the time from the first process's begin to the last end that is known, ns. */
long double totals_duration(const struct totals *totals);
/* Returns elapsed time less time off the processor, ns. */
long double totals_cpu(const struct totals *totals);
/* Whether Application time has a source in every process (R12). */
int totals_has_application(const struct totals *totals);
/* Appends "the limit of 0.5 processors" of a control group; nothing if there is none. */
void totals_put_cpu_limit(struct strbuf *text, const struct totals *totals);

/* totals.c */
void totals_add_process(struct totals *totals, const struct data *data, long double ns_per_tick, int known,
			uint64_t length_ns);
/* root: values of the thread's first node */
void totals_add_thread(struct totals *totals, const struct data *data, const struct data_thread *thread,
		       const struct node_values *root, long double ns_per_tick);
void totals_release(struct totals *totals);
/* Returns the program's command line as one string, which the caller frees. */
char *totals_command_line(const struct data *data);

#endif

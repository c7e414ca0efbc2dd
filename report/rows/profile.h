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
#include "counted_calls.h"
#include "executed/executed_work.h"
#include "file/data.h"
#include "known_calls.h"
#include "line_reach.h"
#include "mixed_rows.h"
#include "names/names.h"
#include "recording_quality.h"
#include "samples_totals.h"
#include "spread.h"
#include "thread_facts.h"
#include "thread_heads.h"
#include "system_facts.h"
#include "thread_shares.h"
#include "wait_facts.h"
#include "session/session_clock.h"
#include "values/durations.h"
#include "values/measure.h"
#include "values/os_counts.h"
#include "values/values.h"

/* BY_PROCESS: what a row stands for. */
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
	BY_EACH /* no rows: somebody else gets each thread (profile.each) */
};

/* Nanoseconds, or what else the session measures (measure.h). */
struct sums {
#define AMOUNT_IN_SUMS(name) long double name##_inclusive, name##_exclusive;
	AMOUNTS(AMOUNT_IN_SUMS)
#undef AMOUNT_IN_SUMS
	/* of estimates (mixed_rows.h): squares of what they are off by, one standard deviation */
	long double variance_inclusive, variance_exclusive;
};

/* Bits: intervals, estimates. */
enum row_source { SOURCE_TIMED = 1, SOURCE_ESTIMATE = 2 };

/* BY_CALLERS: what a row is to the function that is looked at, its root. */
enum relation { RELATION_NONE, RELATION_CALLER, RELATION_ROOT, RELATION_CALLEE };

struct row {
	const char *name;
	const char *module, *file; /* NULL: the view has none, or not known */
	/*
	 * BY_LINE: where the line is executed, and how it got there. BY_SITE: what is called, by
	 * which instruction. BY_ADDRESS: the instruction's function, and what was called from
	 * there.
	 */
	const char *function, *inlined_from, *callee, *address;
	/*
	 * BY_ADDRESS, for the diff: which of its function's instructions it is, whatever its
	 * address ("2 puts": the third one that calls puts); and in which build of the module.
	 * NULL: it is the function itself, or not known.
	 */
	const char *which, *build;
	uint32_t n_functions, n_inlined,
		n_callees; /* texts joined in these; more than PLACES_SHOWN: some are left out */
	uint32_t line;
	/* BY_LINE: its exclusive time is of these lines, more is not known; 0: of the line */
	uint32_t line_from, line_to;
	uint32_t pid, tid;	 /* 0: the view has none */
	uint32_t process_number; /* in the session, from 1; 0: the row is of several, or has none */
	uint32_t twin;		 /* of the process: struct data */
	uint32_t parent_pid;
	uint32_t n_threads; /* BY_THREAD: so many are this row */
	/* BY_THREAD, BY_PROCESS; NULL: not known. ended: see process_end.h */
	const char *host, *process, *command_line, *ended;
	const char *job;      /* the same: of a rank of a parallel job */
	uint32_t rank_after;  /* its rank + 1; 0: it is none */
	uint32_t n_processes; /* BY_PROCESS: so many are this row */
	/* BY_THREAD, BY_PROCESS: in calls of MPI that wait (mpi_calls.h); of that on a processor */
	double mpi, mpi_busy;
	/* BY_THREAD, BY_PROCESS, BY_MARK: since the session's begin, ns; BY_MARK: the program's
	 * number. */
	double begin, end; /* < 0: not known */
	int64_t mark_id;
	uint64_t calls, open_calls;
	uint64_t tail_calls; /* of calls: those that were jumps (R15) */
	/* of calls: those of which no time is known, as they were only counted, less those counted
	 * of which there is one, as their callers were timed */
	int64_t untimed;
	uint64_t entries; /* BY_LINE, BY_ADDRESS: calls of the functions that are defined here */
	struct sums sums;
	/* Sums of the inclusive times of all activations, nested ones too (R8), but of those that
	 * forked children go on with. */
	long double activations_elapsed, activations_application;
	long double inherited_elapsed, inherited_application; /* what these have by themselves */
	/* Of a finished activation, by enum value_kind; < 0: not known. */
	double shortest[VALUE_KINDS], longest[VALUE_KINDS];
	struct durations durations; /* elapsed inclusive, of finished activations */
	struct os_counts *os;	    /* NULL: the operating system did nothing */
	/* BY_FUNCTION, BY_PATH; BY_LINE: of a function whose lines are not known */
	uint32_t entity;
	/* entity by which it is chosen: BY_LINE, BY_ADDRESS the first function, BY_SITE the callee;
	 * else NAMES_NONE */
	uint32_t about;
	/*
	 * BY_PATH: rows are numbered in order of creation, so parents have lower numbers. BY_MODULE
	 * with functions: depth is 1 of modules and 2 of functions, whose parent is their module's
	 * row.
	 */
	uint32_t parent, child, sibling; /* UINT32_MAX: none */
	uint32_t depth;
	uint32_t path; /* the first that is in it */
	/* BY_CALLERS (caller_rows.h) */
	const char *root_function;
	uint32_t root; /* entity that is looked at */
	/* entity that calls `entity`; NAMES_NONE: nobody is known; EDGE_NO_CALLER: not an edge */
	uint32_t caller;
	/* BY_SITE, and with by_call_site: entity whose call instruction it is; NAMES_NONE: not
	 * known */
	uint32_t place;
	uint8_t source[2];	 /* bits of enum row_source: inclusive, exclusive */
	uint8_t is_partly_timed; /* not all calls were: nothing is known of single ones */
	uint8_t are_calls_least; /* there may be more than `calls` (known_calls.h) */
	uint8_t is_hot;		 /* BY_PATH: on the hot path */
	uint8_t is_chain;	 /* several paths in one line; its name tells which were jumps */
	uint8_t relation;	 /* BY_CALLERS (caller_rows.h): enum relation */
	uint8_t is_recursive;	 /* bits RECURSIVE_*; of rows that are shown: 1 or 0 */
	uint8_t is_indirect;	 /* with by_call_site: called through a pointer */
	uint8_t is_of_several;	 /* BY_LINE: `about` is not the only function */
	uint8_t is_unmeasured;	 /* BY_MARK: it began no phase, so that nothing is known */
	/* of what was merged: what the system did is not known of it alone */
	uint8_t is_contributor;
	uint8_t has_rough_code; /* executed instructions: there may have been a few more or fewer */
	uint8_t has_recursion;	/* ... some calls were made by others of the row's */
	uint8_t filtered;	/* not to be shown (selection.h) */
};

struct totals {
	enum cinstr_method method;	  /* and so what `elapsed` and its parts measure */
	long double elapsed, application; /* the denominators of R7 */
	long double preempted_work;	  /* not in application (values.h) */
	long double outside;		  /* of `elapsed`: outside any function */
	long double outside_cpu;	  /* ... of it, on a processor */
	long double off_cpu;		  /* the same: off the processor */
	long double runtime;		  /* the runtime's own work; not part of `elapsed` */
	long double paused;		  /* recording was off; not part of `elapsed` */
	/* the same, before the thread's first stamp and behind its last: in no R10 */
	long double paused_beyond;
	long double attach; /* time to attach and patch */
	long double overhead, overhead_low, overhead_high;
	uint64_t conservation_ticks_off; /* sum over threads of what does not add up (R10) */
	uint64_t threads_off;
	uint64_t pauses, repaired;
	uint64_t lines; /* nodes that are source lines */
	uint64_t events, enters, exits, implicit_exits, open_frames, orphans;
	int64_t unbalanced; /* enters - exits - implicit - open */
	uint64_t lost_events, lost_threads, merged_calls, timeline_lost;
	uint64_t merged_by_number; /* of the merged calls: where CINSTR_PATHS was a number */
	/* finished calls that are not among durations and extremes */
	uint64_t uncounted;
	uint64_t voluntary, involuntary; /* switches recorded */
	/* by the kernel, less the runtime's own: R13 */
	uint64_t kernel_voluntary, kernel_involuntary;
	uint64_t processes, threads, sleds_refused;
	uint64_t merged;  /* of the processes: in what was merged */
	uint64_t waiting; /* processes in which recording is off until a start or region */
	uint64_t left_out_by_choice, left_out_by_need; /* functions */
	/* modules built with the plugin that cannot be recorded; the first one, and why */
	uint64_t modules_refused;
	char *refused_path;
	const char *refused_why;
	uint64_t begin_realtime_ns, end_realtime_ns;
	uint64_t restartable, by_threshold, no_source; /* processes by what detects OS events */
	uint64_t streams; /* processes in which stdio's ways into the kernel are seen */
	uint64_t uncalibrated, no_frequency, stopped, functions_only; /* processes */
	/* elapsed of such processes */
	long double uncalibrated_ns, functions_only_ns, monotonic_ns;
	long double threshold; /* the highest, ns */
	struct map modules;    /* paths seen */
	/* machines, by name and boot */
	struct map hosts;
	uint64_t ranked; /* processes that are ranks of a parallel job */
	struct map jobs;
	/* thousandths of a processor that a control group may use, the least; 0: no limit */
	uint64_t cpu_limit;
	struct map chosen; /* what was recorded of processes, in words; "": everything */
	struct facts facts;
	struct samples_totals samples;
	int is_mixed; /* recorded by both methods at once */
	struct mixed_totals mixed;
	/* what was recorded: the command, or where that is not known the command line of the first
	 * process */
	char *title;
	char *exe;	       /* path of what most was recorded of; NULL: not known */
	uint64_t exe_recorded; /* how much that is */
};

struct addition;

struct profile {
	enum profile_by by;
	int any_method;	  /* which one is not known yet (view.c): columns of both are taken */
	int by_call_site; /* BY_CALLERS: an edge is a place that calls, not a caller */
	struct counting counting;
	int merge_threads;	  /* BY_THREAD: those of one name are one row */
	enum process_group group; /* BY_PROCESS */
	uint32_t process_row;	  /* BY_PROCESS: of the process at hand */
	/* BY_MODULE: also a row for each function, child of its module's */
	int functions;
	struct row *rows;
	size_t n_rows, size_rows;
	struct totals totals;
	struct taken_outs taken_outs;
	struct counted_calls counted;
	struct known_calls known;
	struct names *names; /* perhaps those of others, too */
	struct map keys;     /* what a row stands for -> its number */
	struct map codes;    /* of the process at hand: what makes a node's row -> row_of_code */
	uint32_t *row_of_code;
	size_t n_row_of_code;
	struct map joined;	 /* row and text: is in row->function, row->inlined_from */
	struct line_reach reach; /* BY_LINE */
	struct map strings;
	const struct session_clock *clock; /* BY_MARK */
	uint32_t *phase_rows;		   /* BY_MARK: of the process at hand, by phase; ROW_NONE */
	int marks_unknown;  /* phases cannot be told: a range of time was chosen from a timeline */
	struct paths paths; /* BY_PATH */
	/* BY_EACH: gets the threads, with their values, in the order in which they are added. */
	void (*each)(void *arg, const struct addition *addition);
	void *each_arg;
	/* Gets each data file behind its threads; NULL: nobody does. */
	void (*visit)(void *arg, const struct data *data);
	void *visit_arg;
	struct thread_shares shares;
	struct spreads spreads;
	struct thread_facts thread_facts;
	struct thread_heads thread_heads;
	struct system_facts system;
	struct wait_facts waits;  /* if wanted: objects that were waited for */
	struct code_samples code; /* if shares are wanted */
	/* [n_work], by entity: what functions have executed; NULL: not known. Its owner's, who is
	 * view_read() if it is wanted. */
	const struct executed_work *work;
	size_t n_work;
	int is_work_wanted; /* until it is read */
};

/* One thread being added. */
struct addition {
	struct profile *profile;
	const struct data *data;
	struct data_thread *thread;
	struct values *values;
	const uint32_t *entities; /* of each node */
	uint32_t *rows;		  /* of each node; ROW_NONE */
	/* BY_LINE, BY_ADDRESS: of the line or instruction that each node was called from, where
	 * that has a row by it; rows + n_nodes. Else NULL. */
	uint32_t *places;
	long double ns_per_tick;
	/* Of a FLAT cell. */
	uint32_t (*row_of_flat)(struct profile *profile, const struct data *data,
				const struct cinstr_cell *cell, uint32_t entity);
	int is_by_function; /* rows are those of functions, whatever the profile's */
	int is_by_edge;	    /* those of callers and callees: of these counters of sites tell */
	/* rows by function or module: what is known of the lengths of calls in FLAT cells is
	 * theirs */
	int has_flat_lengths;
	struct mixed_tally *tally;
};

static inline int addition_is_line(const struct addition *a, size_t node)
{
	return data_cell_is_line(a->thread->nodes[node].cell);
}

/* What sums, elapsed and its parts are so many of. */
static inline const struct measure *profile_measure(const struct profile *profile)
{
	return measure_of(profile->totals.method);
}

/* Recorded by samples: no calls, no Application time, no overhead. */
static inline int profile_is_sampled(const struct profile *profile)
{
	return profile->totals.method == CINSTR_METHOD_SAMPLING;
}

/* Of executed instructions: calls, no times. */
static inline int profile_is_executed(const struct profile *profile)
{
	return (uint32_t)profile->totals.method == DATA_METHOD_EXECUTED;
}

/* instruction_shares.c: notes the mark of a node of which parts (ADD_EXCLUSIVE, ...) were added. */
void row_add_share(struct row *row, uint64_t mark, unsigned parts);
/* Whether a row's executed instructions are an estimate: those of some paths of a function of whose
 * others it has none (executed/call_shares.h); or of code that is not executed as it stands. */
int row_is_share(const struct profile *profile, const struct row *row, enum value_kind kind);

/* Rows are parts of functions. */
static inline int profile_is_by_place(const struct profile *profile)
{
	return profile->by == BY_LINE || profile->by == BY_ADDRESS;
}

enum {
	ADD_EXCLUSIVE = 1,
	ADD_INCLUSIVE = 2,
	ADD_CALLS = 4
}; /* CALLS: with all that is known of single ones */
void addition_exclusive(const struct addition *a, uint32_t row, const struct ticks *t);
void addition_inclusive(const struct addition *a, uint32_t row, const struct ticks *t);
/* Adds a node's values to a row. */
void addition_to_row(const struct addition *a, struct row *row, size_t node, unsigned parts);

/* Tells whether the node has only a call that a forked child goes on with: it is the parent
 * process's, and no call of the child. Not of merged files. */
int addition_is_inherited(const struct addition *a, size_t node);
/* Adds the node's time to what Avg is the mean of. */
void addition_activations(const struct addition *a, struct row *row, size_t node);
/* Shortest, longest and all durations of the node's finished activations. */
void addition_lengths(const struct addition *a, struct row *row, size_t node);
/* Of these the lengths alone; the node's extremes are known. */
void addition_lengths_between(const struct addition *a, struct row *row, size_t node,
			      const struct extremes *extremes);
/* Shortest and longest of some activations; and their durations, those of the cell, corrected. */
void addition_extremes(const struct addition *a, struct row *row, const struct extremes *extremes);
void addition_durations(const struct addition *a, struct row *row, const struct cinstr_cell *cell,
			const struct extremes *extremes,
			uint64_t (*corrected)(const void *arg, uint64_t ticks), const void *arg);
/* profile_flat.c: calls beyond the budget of paths; all of them in one row. */
void addition_flat(const struct addition *a);
void addition_flat_calls(const struct addition *a, struct row *row);

/* The row that has this number, which begins to exist with all before it. */
struct row *profile_row(struct profile *profile, uint32_t number);
/* There are to be n rows: room for no more than these. */
void profile_rows_expect(struct profile *profile, size_t n);
/* The row is a function's. */
void profile_row_name(const struct profile *profile, struct row *row, uint32_t entity);

/*
 * place_rows.c: the row of a node BY_LINE, BY_SITE, BY_ADDRESS; ROW_NONE: it has none. `entity`:
 * the node's.
 */
#define ROW_NONE UINT32_MAX
#define PLACES_SHOWN 3
#define PLACES_SEPARATOR "; " /* between joined texts */
uint32_t place_of_line(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity);
uint32_t place_of_site(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
		       uint32_t entity);
uint32_t place_of_address(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			  uint32_t entity);
/* BY_LINE, BY_ADDRESS: the row of the line or instruction `site`, which calls from the function
 * `entity`. */
uint32_t place_of_call(struct profile *profile, const struct data *data, uint32_t site, uint32_t entity);
/* BY_LINE, of a frame without line events: its time until its first call is of more lines than its
 * row's. is_whole: until some other event, too. */
void place_reaches_from_entry(struct profile *profile, const struct data *data,
			      const struct cinstr_cell *cell, uint32_t row, int is_whole);
/* Whether the row's own time is of the lines line_from to line_to, more is not known. */
int row_has_range(const struct row *row);
/* BY_ADDRESS: a callee of the row. */
void place_calls(struct profile *profile, uint32_t row, uint32_t callee);
/* Between two processes. */
void places_next_process(struct profile *profile);

/* A moment of a process, ns since the session's begin; where there is no clock of a session, since
 * the process's. */
long double profile_moment_ns(const struct profile *profile, const struct data *data, uint64_t ticks);

/* process_rows.c: all of a row of a process or a thread but its values. */
/* As the program has named it (cinstr_name), or that of its executable. */
const char *process_name_of(struct profile *profile, const struct data *data);
/* Its rank in a parallel job + 1; 0: it has none. */
uint32_t process_rank_after(const struct data *data);
void life_of_process(struct profile *profile, struct row *row, const struct data *data);
/* BY_PROCESS: makes profile->process_row; of what was merged all rows, with their values. */
void process_rows_add(struct profile *profile, const struct data *data);
void life_of_thread(struct profile *profile, struct row *row, const struct data *data,
		    const struct data_thread *thread);
/* BY_PROCESS, for a table: processes of one program get names with their arguments. */
void processes_tell_apart(struct profile *profile);
/* The row of all threads of this one's name in processes of one name, which is one more now. */
struct row *life_of_thread_name(struct profile *profile, const struct data *data,
				const struct data_thread *thread);

/* os_counts of a row, made with nothing in them if need be. */
struct os_counts *row_os(struct row *row);
/* It stands for nothing that happened: no view shows it. */
int row_is_empty(const struct row *row);
/* What rows own goes with them. */
void rows_release(struct row *rows, size_t n);

/* mark_rows.c: rows of a process's phases and marks. */
void mark_rows_add(struct profile *profile, const struct data *data);

void profile_init(struct profile *profile, enum profile_by by, const struct counting *counting);
/* Before anything is added: it is of the same session as the other one, and has its names. */
void profile_share_names(struct profile *profile, const struct profile *with);
/* BY_PATH this is the first reading; after paths_choose() the same data is to be added again
 * (call_paths.h). */
void profile_add(struct profile *profile, const struct data *data);
/* The same of several, n > 0, that count alike. */
void profiles_add(struct profile *const *profiles, size_t n, const struct data *data);
/* No more data comes but for the second reading of paths: what was only for adding goes. */
void profile_settle(struct profile *profile);
void profile_release(struct profile *profile);

/*
 * Time of threads that recording was off before their first stamp, or after their last one: no
 * stamp tells of that. Before it is known of the main thread of a process that began paused.
 * length_ns: of the process.
 */
long double totals_paused_beyond(const struct data *data, long double ns_per_tick, uint64_t length_ns);
/* Time from the first process's begin to the last end that is known, ns. */
long double totals_duration(const struct totals *totals);
/* Elapsed less what threads were off the processor, ns. */
long double totals_cpu(const struct totals *totals);
/* R12: whether Application time has a source in every process. */
int totals_has_application(const struct totals *totals);
/* "the limit of 0.5 processors", of a control group; nothing where there is none. */
void totals_put_cpu_limit(struct strbuf *text, const struct totals *totals);

/* totals.c */
void totals_add_process(struct totals *totals, const struct data *data, long double ns_per_tick, int known,
			uint64_t length_ns);
/* root: values of the thread's first node */
void totals_add_thread(struct totals *totals, const struct data *data, const struct data_thread *thread,
		       const struct node_values *root, long double ns_per_tick);
void totals_release(struct totals *totals);
/* The program's command line as one string that the caller frees. */
char *totals_command_line(const struct data *data);

#endif

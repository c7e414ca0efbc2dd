/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export.h - shared by the formats of cinstr export. A format is a row of EXPORT_FORMATS and a file
 * with its `struct export_format`, whose write() does everything: it reads the sessions in any way
 * (export_tree.h: paths with their values), reports the expected size (export_begin()), and writes
 * to job->sink.
 */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include <string.h>

#include "measures.h"
#include "sink.h"
#include "view/view.h"

/* All formats, in the order of --help. */
/* clang-format off */
#define EXPORT_FORMATS(FORMAT) \
	FORMAT(callgrind) \
	FORMAT(collapsed) \
	FORMAT(pprof) \
	FORMAT(speedscope) \
	FORMAT(firefox) \
	FORMAT(perfetto) \
	FORMAT(chrome) \
	FORMAT(perf) \
	FORMAT(sqlite) \
	FORMAT(parquet) \
	FORMAT(dot) \
	FORMAT(order)
/* clang-format on */

#define EXPORT_EVERY_DEPTH UINT64_MAX

enum export_by { EXPORT_BY_ALL, EXPORT_BY_THREAD, EXPORT_BY_THREAD_NAME };

/* Values of the command line. */
struct export_options {
	const char *format; /* a name of EXPORT_FORMATS */
	const char *measure;
	int by;			  /* enum export_by; < 0: the format's default */
	const char *min_duration; /* shortest call that is exported from a timeline */
	uint64_t depth;
	int force, dry_run;
	/* callgrind: levels of recursion that are functions of their own */
	uint64_t recursion;
	double min_percent;	  /* dot; < 0: the default */
	uint64_t limit;		  /* dot; 0: the default */
	int linker, order;	  /* format order: lld, gold or bfd; by first call or by callers */
	struct view_options view; /* .output: path of the file */
};

/* Data that a session must contain for the format. */
enum export_needs {
	EXPORT_ANY,	 /* call paths, which every session has */
	EXPORT_TIMELINE, /* single events */
	EXPORT_SAMPLES,	 /* single samples */
};

struct export_job;
struct export_delta; /* export_delta.h */

/* pprof: profiles of limited size instead of one. Each is written to the same output; end() is
 * called when it is complete, to take it from there. */
struct export_parts {
	uint64_t most_samples, most_bytes; /* bytes: before compression */
	void (*end)(void *arg);
	void *arg;
};

struct export_format {
	const char *name;
	const char *extension; /* expected by its viewers */
	const char *opens;     /* command to view it, with %s for the file; NULL: several ways */
	enum export_needs needs;
	enum export_by by; /* default */
	int takes_counts;  /* has a place for what was counted instead of time (measures.h) */
	int takes_two;	   /* accepts a second session to compare with */
	int is_binary;	   /* not for a terminal */
	int is_packed;	   /* compressed by gzip */
	/* Size in bytes that its viewers can handle; larger files need --force. */
	uint64_t most;
	int (*write)(struct export_job *job); /* returns an exit status */
};

#define EXPORT_DECLARE(name) extern const struct export_format export_##name;
EXPORT_FORMATS(EXPORT_DECLARE)
#undef EXPORT_DECLARE

struct export_job {
	const struct command *command;
	struct export_options options;
	struct counting counting;
	const struct export_format *kind;
	char *const *paths; /* paths of sessions; NULL: the default one */
	size_t n_paths;	    /* 1, or 2 */
	struct sink sink;
	int is_open;	  /* the sink is open: there is something to write */
	int is_of_events; /* single calls, not paths */
	/* the size is an upper bound: an unknown number of calls is left out */
	int is_at_most;
	int is_quiet; /* the content of the file is not reported */
	/* pprof: exports only changes since the last time; NULL: everything */
	struct export_delta *delta;
	const struct export_parts *parts; /* pprof; NULL: one profile */
};

/*
 * To be called after everything is read. `bytes`: approximate size before compression; `what`: the
 * content, such as "1,234 paths". Asks about a large result or refuses it; if is_at_most, the sink
 * refuses it once it is too large. Returns 1 if job->sink is open; 0 if nothing is to be written,
 * with *status set.
 */
int export_begin(struct export_job *job, uint64_t bytes, const char *what, int *status);
/* To be called last: closes the sink and reports the content of the file. Returns an exit
 * status. */
int export_end(struct export_job *job, const char *what);

/* Whether executed instructions by line are asked for, in callgrind's format. */
static inline int export_has_lines(const struct export_job *job)
{
	return !strcmp(job->kind->name, "callgrind") && job->options.measure &&
	       !strcmp(job->options.measure, "instructions");
}
/* callgrind_instructions.c: exports executed instructions. Returns an exit status. */
int export_callgrind_instructions(struct export_job *job);

/* Reads session `number` (0, 1) into profiles, as view_read(). */
int export_read(struct export_job *job, size_t number, struct profile *const *profiles, size_t n_profiles,
		int (*show)(struct view *view, void *arg), void *arg);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export.h - what the formats of cinstr export have in common. A format is a row of EXPORT_FORMATS,
 * and a file with its `struct export_format`, whose write() does all: it reads the sessions, in
 * whatever way suits it (export_tree.h: paths with their values), says how large the result will be
 * (export_begin()), and writes it to job->sink.
 */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

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

/* As the command line has them. */
struct export_options {
	const char *format; /* a name of EXPORT_FORMATS */
	const char *measure;
	int by;			  /* enum export_by; < 0: as the format has it */
	const char *min_duration; /* of what is shown of a timeline */
	uint64_t depth;
	int force, dry_run;
	uint64_t recursion;	  /* callgrind: levels of it that are functions of their own */
	double min_percent;	  /* dot; < 0: the default */
	uint64_t limit;		  /* dot; 0: the default */
	int linker, order;	  /* order: lld, gold, bfd; by first call, by callers */
	struct view_options view; /* .output: the file */
};

/* What of a session there must be for it. */
enum export_needs {
	EXPORT_ANY,	 /* call paths: every session has them */
	EXPORT_TIMELINE, /* single events */
	EXPORT_SAMPLES,	 /* single samples */
};

struct export_job;
struct export_delta; /* export_delta.h */

struct export_format {
	const char *name;
	const char *extension; /* that its viewers look for */
	const char *opens;     /* how to look at it, with %s for the file; NULL: no one way */
	enum export_needs needs;
	enum export_by by; /* by default */
	int takes_two;	   /* a second session, to compare with */
	int is_binary;	   /* not for a terminal */
	int is_packed;	   /* by gzip */
	/* More than so many bytes its viewers do not take, or take ages for: needs --force. */
	uint64_t most;
	int (*write)(struct export_job *job); /* an exit status */
};

#define EXPORT_DECLARE(name) extern const struct export_format export_##name;
EXPORT_FORMATS(EXPORT_DECLARE)
#undef EXPORT_DECLARE

struct export_job {
	const struct command *command;
	struct export_options options;
	struct counting counting;
	const struct export_format *kind;
	char *const *paths; /* of the sessions; NULL: the default one */
	size_t n_paths;	    /* 1, or 2 */
	struct sink sink;
	int is_open;		    /* the sink: there is something to write */
	int is_of_events;	    /* single calls, not paths */
	int is_at_most;		    /* it is less, nobody knows how much: calls are left out */
	int is_quiet;		    /* nobody wants to know what is in the file */
	struct export_delta *delta; /* pprof: only what is new since the last time; NULL: all */
};

/*
 * Everything is read: `bytes` is about what will be written (before gzip), `what` what that is:
 * "1,234 paths". Refuses what is too large, or asks; what is_at_most so large may be less, and the
 * sink refuses it once it is not. 1: job->sink is open, go on; 0: there is nothing to do, and
 * *status says why.
 */
int export_begin(struct export_job *job, uint64_t bytes, const char *what, int *status);
/* The sink is closed, and it is said what is in the file; write() calls it last. */
int export_end(struct export_job *job, const char *what);

/* callgrind_instructions.c: --measure=instructions. Returns an exit status. */
int export_callgrind_instructions(struct export_job *job);

/* Reads session `number` (0, 1) into profiles, as view_read() does. */
int export_read(struct export_job *job, size_t number, struct profile *const *profiles, size_t n_profiles,
		int (*show)(struct view *view, void *arg), void *arg);

#endif

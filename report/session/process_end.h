/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process_end.h - finds out how a process ended: from its data file's header, from the calls that
 * were open, and from whether it still exists. Reports only what is known: a process without a
 * noted end was killed by a signal only if its probes would have seen any other end.
 */
#ifndef REPORT_SESSION_PROCESS_END_H
#define REPORT_SESSION_PROCESS_END_H

#include "file/data.h"
#include "lib/util.h"
#include "names/names.h"

enum ending_kind {
	ENDING_EXIT,	 /* status */
	ENDING_HANDLERS, /* status passed to exit(); what followed its handlers is not known */
	ENDING_SIGNAL,	 /* status: the number of the signal noted */
	ENDING_EXEC,
	ENDING_SNAPSHOT, /* had not ended when its file was copied */
	ENDING_RUNNING,
	/* In a call that ends processes (_exit, abort, ...): likely, but not noted. */
	ENDING_CALL,
	ENDING_KILLED,	 /* by a signal, which was not noted */
	ENDING_UNKNOWN,	 /* without exit(): by a signal, or in code without probes */
	ENDING_UNNOTED,	 /* a copy, or from another machine, where it may still run */
	ENDING_DETACHED, /* continued after its sampling ended */
	ENDING_SEVERAL,	 /* several processes (cinstr merge) with different ends */
	ENDING_UNSEEN,	 /* sampled child of another process, which alone knows its status */
};

#define ENDING_THREADS 3

struct ending {
	enum ending_kind kind;
	int status;
	int until_now;	  /* RUNNING: the file is the process's own, not a copy */
	const char *call; /* CALL: name of the function */
	/* Innermost open call of each thread that had not ended, and its caller if that has no
	 * probes; NULL: not known. */
	struct ending_place {
		const char *name, *caller;
	} places[ENDING_THREADS];
	size_t n_places; /* number of different places; only ENDING_THREADS are kept */
};

/* Returns how the process ended. Looks at processes that run now. `names` owns the texts. */
struct ending ending_of(const struct data *data, struct names *names);
/* Appends the end in few words, for a table: "exit 0", "exit 0?" (seen as far as its handlers),
 * "signal 9 (KILL)", "signal", "exec", "abort", "unknown", "running", "snapshot", "detached". */
void ending_put(struct strbuf *text, const struct ending *ending);
/* Appends the end in a sentence, for cinstr info. */
void ending_tell(struct strbuf *text, const struct ending *ending);

/* Returns the length of the recording, up to now if the process runs, whatever its threads do. */
uint64_t ending_length_ns(const struct data *data, const struct ending *ending);

/* Whether the process died: by a known signal, or without an exit that was seen. */
int ending_is_death(const struct ending *ending);
/* Returns the number of the signal that ended the process; 0: an unknown signal; -1: none, or not
 * for certain. */
int ending_signal(const struct ending *ending);

/* Processes that died, with a text about the first few. Zero-initialised: none. */
#define DEATHS_TOLD 3
struct deaths {
	uint64_t n;
	struct strbuf only; /* text about the first one, used if it is the only one */
	/* Processes that died for certain, and those that may have ended in code without probes. */
	struct deaths_list {
		uint64_t n;
		struct strbuf first;
	} certain, perhaps;
};
void deaths_add(struct deaths *deaths, const struct data *data, const struct ending *ending);
/* Appends one line: "app (pid 123) died by signal 11 (SIGSEGV, Segmentation fault) while in
 * parse". */
void deaths_put(struct strbuf *text, const struct deaths *deaths);
void deaths_release(struct deaths *deaths);

#endif

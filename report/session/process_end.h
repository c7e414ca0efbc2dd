/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process_end.h - how a process ended: from its data file's header, from the calls that were open,
 * and from what is left of it now. Says no more than is known: a process without a noted end was
 * killed by a signal only if its probes would have seen it end otherwise.
 */
#ifndef REPORT_SESSION_PROCESS_END_H
#define REPORT_SESSION_PROCESS_END_H

#include "file/data.h"
#include "lib/util.h"
#include "names/names.h"

enum ending_kind {
	ENDING_EXIT,	 /* status */
	ENDING_HANDLERS, /* status, as exit was called: what came after its handlers was not seen */
	ENDING_SIGNAL,	 /* status: the signal, as noted */
	ENDING_EXEC,
	ENDING_SNAPSHOT, /* not ended when it was copied */
	ENDING_RUNNING,
	/* in a call that ends processes (_exit, abort, ...): not noted, but likely */
	ENDING_CALL,
	ENDING_KILLED,	 /* killed by a signal; which one was not noted */
	ENDING_UNKNOWN,	 /* without exit(): by a signal, or where no probe was */
	ENDING_UNNOTED,	 /* a copy, or of another machine: it may run on there */
	ENDING_DETACHED, /* it went on when its sampling ended */
	ENDING_SEVERAL,	 /* it stands for many processes (cinstr merge) that ended differently */
	ENDING_UNSEEN,	 /* sampled, and a child of another process: that one knows */
};

#define ENDING_THREADS 3

struct ending {
	enum ending_kind kind;
	int status;
	int until_now;	  /* RUNNING: this is its file, not a copy */
	const char *call; /* CALL: its name */
	/* Where threads were that had not ended: innermost open calls, and who called these if they
	 * have no probes; NULL: not known. */
	struct ending_place {
		const char *name, *caller;
	} places[ENDING_THREADS];
	size_t n_places; /* different ones; beyond ENDING_THREADS only counted */
};

/* Looks at processes that run now. Names are kept by `names`. */
struct ending ending_of(const struct data *data, struct names *names);
/* In few words, for a table: "exit 0", "exit 0?" (as far as its handlers), "signal 9 (KILL)",
 * "signal", "exec", "abort", "unknown", "running", "snapshot", "detached". */
void ending_put(struct strbuf *text, const struct ending *ending);
/* In a sentence, for cinstr info. */
void ending_tell(struct strbuf *text, const struct ending *ending);

/* How long it was recorded, or has been up to now if it runs, whatever its threads do. */
uint64_t ending_length_ns(const struct data *data, const struct ending *ending);

/* Did it end otherwise than a program means to? Known by its signal, or unknown but without an exit
 * that was seen. */
int ending_is_death(const struct ending *ending);
/* By a signal: its number, or 0: by which is not known; -1: not, or not for certain. */
int ending_signal(const struct ending *ending);

/* Processes that died, and what is told of the first few; zero-initialised is none. */
#define DEATHS_TOLD 3
struct deaths {
	uint64_t n;
	struct strbuf only; /* the first one by itself */
	/* Of those that died for certain, and of those that may have ended in code without
	 * probes. */
	struct deaths_list {
		uint64_t n;
		struct strbuf first;
	} certain, perhaps;
};
void deaths_add(struct deaths *deaths, const struct data *data, const struct ending *ending);
/* One line: "app (pid 123) died by signal 11 (SIGSEGV, Segmentation fault) while in parse". */
void deaths_put(struct strbuf *text, const struct deaths *deaths);
void deaths_release(struct deaths *deaths);

#endif

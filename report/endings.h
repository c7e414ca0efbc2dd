/* SPDX-License-Identifier: GPL-3.0-or-later */
/* endings.h - how a process ended, from its data file's header and from the calls that were open. */
#ifndef REPORT_ENDINGS_H
#define REPORT_ENDINGS_H

#include "data.h"
#include "names.h"
#include "util.h"

enum ending_kind {
	ENDING_EXIT,   /* status */
	ENDING_SIGNAL, /* status: the signal */
	ENDING_EXEC,
	ENDING_SNAPSHOT, /* not ended when it was copied */
	ENDING_RUNNING,
	ENDING_CALL,	 /* in a call that ends processes (_exit, abort, ...): not noted, but likely */
	ENDING_UNKNOWN,	 /* without a trace, as by a signal */
	ENDING_DETACHED, /* it went on when its sampling ended */
	ENDING_UNSEEN,	 /* sampled, and a child of another process: that one knows */
};

struct ending {
	enum ending_kind kind;
	int status;
	const char *call;  /* CALL: its name */
	const char *where; /* UNKNOWN: innermost open call of the first thread that has one; NULL */
};

/* Looks at processes that run now if `may_run`. Names are kept by `names`. */
struct ending ending_of(const struct data *data, struct names *names, int may_run);
/* In few words, for a table: "exit 0", "signal 9 (KILL)", "exec", "abort", "unknown", "running", "snapshot", "detached". */
void ending_put(struct strbuf *text, const struct ending *ending);
/* In a sentence, for cinstr info. */
void ending_tell(struct strbuf *text, const struct ending *ending);

#endif

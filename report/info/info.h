/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info.h - shared by the parts of cinstr info: cmd_info.c, info_lines.c, info_marks.c and
 * others. */
#ifndef REPORT_INFO_H
#define REPORT_INFO_H

#include "lib/util.h"
#include "names/names.h"
#include "output/items.h"
#include "session/rule_check.h"
#include "session/session.h"
#include "values/overhead.h"

struct info {
	struct items items; /* for scripts */
	const struct session *input;
	struct names names;
	struct strbuf text; /* text of the current line */
	struct rule_check rules;
};

/* Prints the text wrapped, with following lines at column `indent`, and clears it. */
void info_line(struct info *info, size_t indent);
/* Prints "  label   text" wrapped, and clears the text; prints nothing if it is empty. */
void info_say(struct info *info, const char *label);

/* Prints NAME=VALUE NAME=VALUE, wrapped between options. */
void info_say_options(struct info *info, const char *all);
/* Pad the text since `from` to `width` columns; append numbers aligned right, for the table of
 * threads. */
void info_put_padded(struct strbuf *buf, size_t from, size_t width);
void info_put_count(struct strbuf *buf, uint64_t n, size_t width);
void info_put_duration(struct strbuf *buf, long double ns, size_t width);

/* Sums over all threads of a process, for text and scripts. */
struct info_pauses {
	uint64_t n, n_repaired; /* functions that were running when recording was switched on */
	uint64_t n_uncounted;	/* calls missing in extremes and percentiles */
	long double ns;		/* time of pauses, ns, including those that no thread saw */
};
struct info_pauses info_pauses_of(struct info *info, const struct data *data);
/* Returns the switches counted by the kernel without those inside the runtime's own work (R13). */
uint64_t info_kernel_switches(const struct cinstr_thread *thread);
/* Sets `call` to the costs subtracted for a whole call, times `unit`. */
void info_call_costs(const struct cinstr_calibration *calibration, long double unit,
		     long double call[OVERHEAD_ESTIMATES]);

/* info_samples.c: print how a process was sampled and where its samples went, and its threads;
 * info_put_...(): write the same for scripts. */
void info_say_sampling(struct info *info, const struct data *data);
void info_say_sampled_threads(struct info *info, const struct data *data);
/* Prints samples attributed to what its probes timed, and counted calls. */
void info_say_mixed(struct info *info, const struct data *data);
void info_put_sampling(struct items *items, struct info *info, const struct data *data);
void info_put_sampled_thread(struct items *items, const struct data *data, const struct data_thread *thread);

/* info_marks.c: prints the marks that the program and cinstr control have set. */
void info_say_marks(struct info *info, const struct data *data);
/* Prints which functions were recorded, unless all were, and how that was changed later. */
void info_say_chosen(struct info *info, const struct data *data);

/* Place where a mark was set. */
struct info_place {
	const char *function, *file; /* NULL: not known */
	uint32_t line;
};
struct info_place info_mark_place(struct info *info, const struct data *data, const struct data_mark *mark);
/* Returns the mark's time, ns since the begin of the process's recording. */
long double info_mark_ns(const struct data *data, const struct data_mark *mark);

/* Print everything or the marks to stdout; return the exit status. In cmd_info.c and info_marks.c;
 * for scripts in info_data.c. */
int info_table(struct info *info, struct session *input);
int info_marks_table(struct info *info, struct session *input);
int info_data(struct info *info, struct session *input);
int info_marks_flat(struct info *info, struct session *input);
int info_marks_nested(struct info *info, struct session *input);

/* info_merged.c: append or print the processes of a merged session. */
struct merged;
struct merged_contributor;
void info_put_contributor(struct strbuf *text, const struct merged_contributor *contributor);
void info_say_merged(struct info *info, const struct merged *merged);
void info_put_merged(struct items *items, const struct merged *merged);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info.h - the parts of cinstr info: cmd_info.c, info_lines.c, info_marks.c. */
#ifndef REPORT_INFO_H
#define REPORT_INFO_H

#include "lib/util.h"
#include "names/names.h"
#include "output/item_writer.h"
#include "session/rule_check.h"
#include "session/session.h"
#include "values/overhead.h"

struct info {
	struct sheet sheet; /* for scripts */
	const struct input *input;
	struct names names;
	struct strbuf text; /* of the line at hand */
	struct rule_check rules;
};

/* Prints the text, wrapped, and empties it; it goes on at column `indent`. */
void info_line(struct info *info, size_t indent);
/* Prints "  label   text" likewise; nothing if there is none. */
void info_say(struct info *info, const char *label);

/* NAME=VALUE NAME=VALUE, wrapped before names. */
void info_say_options(struct info *info, const char *all);
/* Cells of the table of threads: spaces up to `width` columns from `from` on; numbers to the
 * right. */
void info_put_padded(struct strbuf *buf, size_t from, size_t width);
void info_put_count(struct strbuf *buf, uint64_t n, size_t width);
void info_put_duration(struct strbuf *buf, long double ns, size_t width);

/* The sums over all threads of a process that info_pauses_of() returns, for text and scripts. */
struct info_pauses {
	uint64_t n, n_repaired; /* functions that were running when recording came on */
	uint64_t n_uncounted;	/* calls that are not among extremes and percentiles */
	long double ns;		/* with what no thread saw of it */
};
struct info_pauses info_pauses_of(struct info *info, const struct data *data);
/* Switches that the kernel counted less those inside the runtime's own work (R13). */
uint64_t info_kernel_switches(const struct cinstr_thread *thread);
/* Fills `call` with what the correction subtracts for a whole call: the costs times `unit`. */
void info_call_costs(const struct cinstr_calibration *calibration, long double unit,
		     long double call[OVERHEAD_ESTIMATES]);

/* info_samples.c: how a process was sampled, what became of its samples, its threads; the same for
 * scripts. */
void info_say_sampling(struct info *info, const struct data *data);
void info_say_sampled_threads(struct info *info, const struct data *data);
/* Samples that were joined with what its probes timed; calls that were counted. */
void info_say_mixed(struct info *info, const struct data *data);
void info_put_sampling(struct sheet *sheet, struct info *info, const struct data *data);
void info_put_sampled_thread(struct sheet *sheet, const struct data *data, const struct data_thread *thread);

/* info_marks.c: marks of the program and from outside; what was recorded, if not everything, and
 * how that changed. */
void info_say_marks(struct info *info, const struct data *data);
void info_say_chosen(struct info *info, const struct data *data);

/* Where a mark was set, as far as known. */
struct info_place {
	const char *function, *file; /* NULL: not known */
	uint32_t line;
};
struct info_place info_mark_place(struct info *info, const struct data *data, const struct data_mark *mark);
/* When, ns since the process's recording began. */
long double info_mark_ns(const struct data *data, const struct data_mark *mark);

/* All of it, or the marks, to stdout. They return the exit status. cmd_info.c, info_marks.c;
 * info_data.c: for scripts. */
int info_table(struct info *info, struct input *input);
int info_marks_table(struct info *info, struct input *input);
int info_data(struct info *info, struct input *input);
int info_marks_flat(struct info *info, struct input *input);
int info_marks_nested(struct info *info, struct input *input);

/* info_merged.c: of what a merged session was made. */
struct merged;
struct merged_contributor;
void info_put_contributor(struct strbuf *text, const struct merged_contributor *contributor);
void info_say_merged(struct info *info, const struct merged *merged);
void info_put_merged(struct sheet *sheet, const struct merged *merged);

#endif

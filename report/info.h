/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info.h - the parts of cinstr info: cmd_info.c, info_marks.c. */
#ifndef REPORT_INFO_H
#define REPORT_INFO_H

#include "input.h"
#include "names.h"
#include "util.h"

struct info {
	const struct input *input;
	struct names names;
	struct strbuf text; /* of the line at hand */
};

/* Prints "  label   text" and empties the text; nothing if there is none. */
void info_say(struct info *info, const char *label);

/* info_marks.c: marks of the program and from outside; what was recorded, if not everything, and how that changed; a table of all. */
void info_say_marks(struct info *info, const struct data *data);
void info_say_chosen(struct info *info, const struct data *data);
void info_list_marks(void *info, struct data *data);

/* Where a mark was set, as far as known. */
struct info_place {
	const char *function, *file; /* NULL: not known */
	uint32_t line;
};
struct info_place info_mark_place(struct info *info, const struct data *data, const struct data_mark *mark);
/* When, ns since the process's recording began. */
long double info_mark_ns(const struct data *data, const struct data_mark *mark);

/* info_data.c: all of it for scripts, or the marks, to stdout; csv or json. They return the exit status. */
int info_write(struct info *info, struct input *input, int is_csv);
int info_write_marks(struct info *info, struct input *input, int is_csv);

#endif

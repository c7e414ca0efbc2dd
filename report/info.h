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
void info_list_marks(void *info, const struct data *data);

#endif

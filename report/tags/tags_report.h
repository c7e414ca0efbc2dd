/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tags_report.h - cinstr report --by=tag: the time that threads had each value of the program's
 * tags, and how much of it they waited (semantics R20). */
#ifndef REPORT_TAGS_TAGS_REPORT_H
#define REPORT_TAGS_TAGS_REPORT_H

#include "view/view.h"

/* Prints the values of all tags of the session at `path`; limit: of values of each tag. Returns a
 * STATUS. */
int tags_report(const struct command *command, const char *path, const struct view_options *options,
		uint64_t limit);

#endif

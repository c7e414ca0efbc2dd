/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * quickfix.h - cinstr annotate --format=quickfix: FILE:LINE: MESSAGE for each finding and each line
 * with much time, in the format of compilers' messages that editors read.
 */
#ifndef REPORT_ANNOTATE_QUICKFIX_H
#define REPORT_ANNOTATE_QUICKFIX_H

#include "view/view.h"

struct quickfix;

/* Reads the session and writes to options->output. Returns an exit status. */
int quickfix_run(const char *path, struct view_options *options, const struct counting *counting);
/* Writes the messages; called by annotate_table(). */
void quickfix_write(FILE *out, const struct quickfix *quickfix);

#endif

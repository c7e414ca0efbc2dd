/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * quickfix.h - cinstr annotate --format=quickfix: FILE:LINE: MESSAGE of each finding and each line
 * with much of the time, as editors read what compilers say.
 */
#ifndef REPORT_ANNOTATE_QUICKFIX_H
#define REPORT_ANNOTATE_QUICKFIX_H

#include "view/view.h"

struct quickfix;

/* Reads the session, and writes it to options->output. Returns an exit status. */
int quickfix_run(const char *path, struct view_options *options, const struct counting *counting);
/* annotate_table() has it write so. */
void quickfix_write(FILE *out, const struct quickfix *quickfix);

#endif

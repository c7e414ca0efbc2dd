/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_line.h - commands that show more, as texts name them. */
#ifndef REPORT_OUTPUT_COMMAND_LINE_H
#define REPORT_OUTPUT_COMMAND_LINE_H

#include "lib/util.h"

/* "cinstr VERB 'FUNCTION' SESSION"; function "": none. `session` is left out where it is what the
 * command reads by default. */
void output_put_command(struct strbuf *line, const char *verb, const char *function, const char *session);

#endif

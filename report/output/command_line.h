/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_line.h - commands that show more, as texts name them. */
#ifndef REPORT_OUTPUT_COMMAND_LINE_H
#define REPORT_OUTPUT_COMMAND_LINE_H

#include <stdio.h>

#include "lib/util.h"

/* "cinstr VERB 'FUNCTION' SESSION"; function "": none. `session` is left out where it is what the
 * command reads by default. */
void output_put_command(struct strbuf *line, const char *verb, const char *function, const char *session);
/* What commands call the session by in lines of `width` columns (0: of any length): a name that is
 * long is said once, in a line that a shell understands, and is "$S" in commands. */
const char *output_session_word(const char *session, size_t width);
void output_say_session(FILE *out, const char *session, size_t width);

#endif

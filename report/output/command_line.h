/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_line.h - writes commands that show more, for use in texts. */
#ifndef REPORT_OUTPUT_COMMAND_LINE_H
#define REPORT_OUTPUT_COMMAND_LINE_H

#include <stdio.h>

#include "lib/util.h"

/* Appends "cinstr VERB 'FUNCTION' SESSION". function "": none. The default session is left out. */
void output_put_command(struct strbuf *line, const char *verb, const char *function, const char *session);
/* Returns the word for the session in commands that are printed on `width` columns (0: unlimited):
 * `session`, or "$S" if the path is long. output_say_session() then prints the line that sets S. */
const char *output_session_word(const char *session, size_t width);
void output_say_session(FILE *out, const char *session, size_t width);

#endif

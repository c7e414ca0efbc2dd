/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_line.c - see command_line.h. */
#include "command_line.h"

#include <string.h>

#include "session/session.h"

void output_put_command(struct strbuf *line, const char *verb, const char *function, const char *session)
{
	const char *quote = strpbrk(function, " <>()*&~[];$'\"") ? "'" : "";

	strbuf_printf(line, "cinstr %s%s%s", verb, *function ? " " : "", quote);
	strbuf_visible(line, function);
	strbuf_puts(line, quote);
	if (strcmp(session, INPUT_DEFAULT)) {
		strbuf_puts(line, " ");
		strbuf_visible(line, session);
	}
}

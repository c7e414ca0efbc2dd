/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command_line.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/session.h"
#include "symbols/cxx_names.h"

#define NAME_SHOWN 40	 /* columns: longer ones are shown as globs */
#define SESSION_SHOWN 22 /* columns: longer ones are named once */
#define FOR_SHELLS " \t<>()*&~[];$'\"\\|?!#"

static const char session_word[] = "$S", session_word_of_blanks[] = "\"$S\"";

/* One below the folder that the command runs in is named from there on. */
static const char *short_session(const char *session)
{
	char here[PATH_MAX];
	size_t n;

	if (session[0] != '/' || !getcwd(here, sizeof(here)))
		return session;
	n = strlen(here);
	return !strncmp(session, here, n) && session[n] == '/' && session[n + 1] && session[n + 1] != '/'
		       ? session + n + 1
		       : session;
}

/* A long name as a glob without its template arguments. Returns a new string. */
static char *short_pattern(const char *function)
{
	struct strbuf text = { 0 };
	const char *close;

	strbuf_clear(&text);
	if (util_columns(function) <= NAME_SHOWN || !strchr(function, '<')) {
		strbuf_puts(&text, function);
		return text.text;
	}
	for (const char *s = function; *s; s++) {
		size_t n = *s == 'o' ? cxx_operator_length(s, function) : 0;

		if (n) {
			for (; n; n--, s++)
				strbuf_add(&text, strchr("*[]", *s) ? "?" : s, 1);
			s--;
		} else if (*s == '<' && (close = cxx_closing(s))) {
			strbuf_puts(&text, "<*>");
			s = close;
		} else {
			strbuf_add(&text, strchr("[]", *s) ? "?" : s, 1);
		}
	}
	return text.text;
}

static void put_word(struct strbuf *line, const char *word)
{
	const char *quote = strpbrk(word, FOR_SHELLS) ? "'" : "";

	strbuf_puts(line, quote);
	strbuf_visible(line, word);
	strbuf_puts(line, quote);
}

void output_put_command(struct strbuf *line, const char *verb, const char *function, const char *session)
{
	FREED char *pattern = short_pattern(function);

	strbuf_printf(line, "cinstr %s%s", verb, *function ? " " : "");
	put_word(line, pattern);
	if (!strcmp(session, INPUT_DEFAULT))
		return;
	strbuf_puts(line, " ");
	if (session == session_word || session == session_word_of_blanks)
		strbuf_puts(line, session);
	else
		put_word(line, short_session(session));
}

const char *output_session_word(const char *session, size_t width)
{
	if (!width || util_columns(short_session(session)) <= SESSION_SHOWN)
		return session;
	return strpbrk(session, " \t*?[") ? session_word_of_blanks : session_word;
}

void output_say_session(FILE *out, const char *session, size_t width)
{
	static const char comment[] = "# for the commands below";
	STRBUF(line);

	strbuf_puts(&line, "S=");
	put_word(&line, short_session(session));
	if (util_columns(line.text) + 2 + strlen(comment) <= width)
		fprintf(out, "%s  %s\n\n", line.text, comment);
	else
		fprintf(out, "%s\n%s\n\n", comment, line.text);
}

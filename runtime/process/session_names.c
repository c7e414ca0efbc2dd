/* SPDX-License-Identifier: MIT */
/* session_names.c - templates in the names of sessions (session_job.h). No state; any thread. */
#include <errno.h>

#include "folder.h"
#include "session.h"
#include "session_job.h"
#include "system/sys.h"
#include "system/text.h"

/* As a part of a name: no folder of its own, none that is hidden. */
static void add_part(struct text *text, const char *part, const char *fallback)
{
	unsigned from = text->used;

	text_add(text, *part ? part : fallback);
	for (unsigned i = from; i < text->used; i++) {
		unsigned char c = (unsigned char)text->data[i];

		if (c <= ' ' || c == '/' || c == 127 || (i == from && c == '.'))
			text->data[i] = '_';
	}
}

static int add_letter(char letter, const struct session_job *job, struct text *text)
{
	switch (letter) {
	case 'h':
		add_part(text, job->host, "nohost");
		return 0;
	case 'j':
		add_part(text, job->job, "nojob");
		return 0;
	case 'r':
		if (job->launcher)
			text_add_number(text, job->rank);
		else
			text_add(text, "norank");
		return 0;
	case 'p':
		text_add_number(text, SYS0(SYS_getpid));
		return 0;
	case '%':
		text_add(text, "%");
		return 0;
	default:
		return letter ? (unsigned char)letter : '%';
	}
}

int session_name_expand(const char *name, const struct session_job *job, struct text *expanded)
{
	int wrong = 0;

	expanded->used = 0;
	expanded->data[0] = '\0';
	for (const char *s = name; *s && !wrong; s++) {
		char character[2] = { *s, '\0' };

		if (*s == '%')
			wrong = add_letter(*++s, job, expanded);
		else
			text_add(expanded, character);
	}
	return wrong ? wrong : expanded->used >= SESSION_PATH_MAX ? -ENAMETOOLONG : 0;
}

int session_make_parents(const char *wanted)
{
	char path[SESSION_PATH_MAX];
	int error = session_absolute(wanted, path);

	for (unsigned i = 1; !error && path[i]; i++) {
		if (path[i] != '/')
			continue;
		path[i] = '\0';
		error = folder_make_if_none(path);
		path[i] = '/';
	}
	return error;
}

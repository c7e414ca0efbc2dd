/* SPDX-License-Identifier: MIT */
/*
 * ranks.c - the session that this process records into, if it is the first of its own: its name, by
 * the template of CINSTR_DATA, and whether other ranks of its job have made it (session_job.h). In
 * constructors.
 */
#include "runtime.h"

static struct session_job job;
static struct text wanted;

const struct session_job *ranks_job(void)
{
	if (!job.host[0])
		job_find_own(&job, libc_variable);
	return &job;
}

const char *ranks_wanted(void)
{
	if (!wanted.used && session_name_expand(option_value(CINSTR_OPTION_DATA), ranks_job(), &wanted)) {
		option_complain(CINSTR_OPTION_DATA);
		wanted = text_of(option_value(CINSTR_OPTION_DATA), "", "");
	}
	return wanted.data;
}

static int has_template(const char *name)
{
	while (*name && *name != '%')
		name++;
	return *name;
}

int ranks_open_session(char *folder)
{
	if (has_template(option_value(CINSTR_OPTION_DATA)))
		session_make_parents(ranks_wanted());
	return session_create_ranks(ranks_wanted(), ranks_job(), folder);
}

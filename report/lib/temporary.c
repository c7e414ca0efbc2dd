/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "temporary.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util.h"

#define DEPTH 8 /* folders that are open at the same time */

char *temporary_make(const char *verb)
{
	const char *in = getenv("TMPDIR");
	struct strbuf name = { 0 };

	strbuf_printf(&name, "%s/cinstr-%s-XXXXXX", in && *in ? in : "/tmp", verb);
	if (mkdtemp(name.text)) /* mode 0700 */
		return name.text;
	error("%s: %s: %s", verb, name.text, strerror(errno));
	strbuf_release(&name);
	return NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	remove(path);
	return 0;
}

void temporary_remove(const char *folder)
{
	nftw(folder, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
}

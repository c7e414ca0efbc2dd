/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "siblings.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/order.h"
#include "lib/util.h"
#include "runtime/process/folder.h"
#include "session.h"

#define NAMED_MAX 3
#define OLD ".old"

/* A session and when it began. */
struct candidate {
	char *path;
	uint64_t begin_realtime_ns; /* 0: it has no data */
};

/* When the first of its processes began; 0: it has none, or belongs to another user, whose data
 * cannot be trusted. */
static uint64_t begin_of(const char *path)
{
	int fd = folder_open(AT_FDCWD, path);
	DIR *folder = fd >= 0 && folder_is_own(fd) == 1 ? fdopendir(fd) : NULL;
	STRBUF(file);
	struct dirent *entry;
	uint64_t begin = 0;

	if (fd >= 0 && !folder)
		close(fd);

	while (folder && (entry = readdir(folder))) {
		struct cinstr_header header;

		if (!util_has_suffix(entry->d_name, CINSTR_FILE_SUFFIX))
			continue;
		strbuf_clear(&file);
		strbuf_printf(&file, "%s/%s", path, entry->d_name);
		if (!session_header(file.text, &header) && (!begin || header.start_realtime_ns < begin))
			begin = header.start_realtime_ns;
	}
	if (folder)
		closedir(folder);
	return begin;
}

ORDER_ITEMS(compare_candidates, struct candidate, ORDER(y->begin_realtime_ns, x->begin_realtime_ns),
	    strcmp(x->path, y->path))

static void siblings_add(struct siblings *siblings, struct candidate *candidates, size_t n)
{
	util_sort(candidates, n, sizeof(*candidates), compare_candidates, NULL);
	siblings->paths = xcalloc(n + 1, sizeof(*siblings->paths));
	for (size_t i = 0; i < n && candidates[i].begin_realtime_ns; i++)
		siblings->paths[siblings->n++] = xstrdup(candidates[i].path);
}

void siblings_find(struct siblings *siblings, const char *folder)
{
	STRBUF(pattern);
	FREED struct candidate *candidates = NULL;
	glob_t found;
	size_t n;

	*siblings = (struct siblings){ .n = 0 };
	strbuf_printf(&pattern, "%s.[0-9]*", folder);
	if (glob(pattern.text, GLOB_ONLYDIR | GLOB_NOSORT, NULL, &found))
		found.gl_pathc = 0;
	n = found.gl_pathc;
	candidates = xcalloc(n + 1, sizeof(*candidates));
	for (size_t i = 0; i < n; i++)
		candidates[i] = (struct candidate){ found.gl_pathv[i], begin_of(found.gl_pathv[i]) };
	candidates[n] = (struct candidate){ (char *)(uintptr_t)folder, begin_of(folder) };
	siblings_add(siblings, candidates, n + 1);
	if (n)
		globfree(&found);
}

void siblings_release(struct siblings *siblings)
{
	for (size_t i = 0; i < siblings->n; i++)
		free(siblings->paths[i]);
	free(siblings->paths);
	*siblings = (struct siblings){ .n = 0 };
}

void siblings_say_others(const struct siblings *siblings)
{
	STRBUF(names);
	size_t others = siblings->n - 1;

	if (siblings->n < 2)
		return;
	for (size_t i = 1; i <= others && i <= NAMED_MAX; i++) {
		strbuf_puts(&names, i > 1 ? ", " : "");
		strbuf_visible(&names, siblings->paths[i]);
	}
	if (others > NAMED_MAX)
		strbuf_printf(&names, " and %zu more", others - NAMED_MAX);
	fprintf(stderr, "cinstr: note: this is the newest session here; there %s also %s\n",
		others == 1 ? "is" : "are", names.text);
}

int siblings_is_old(const char *folder, const char *name)
{
	STRBUF(newer);
	struct stat st;
	const char *old = strstr(name, OLD);

	/* .old itself, or .old.PID.N */
	while (old && old[sizeof(OLD) - 1] && old[sizeof(OLD) - 1] != '.')
		old = strstr(old + 1, OLD);
	if (!old)
		return 0;
	strbuf_printf(&newer, "%s/%.*s", folder, (int)(old - name), name);
	return old > name && !stat(newer.text, &st) && S_ISDIR(st.st_mode);
}

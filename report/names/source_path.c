/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source_path.h"

#include <string.h>
#include <sys/stat.h>

#include "lib/util.h"

static int is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* One FROM=TO of `n` bytes. */
static int pair_is_sound(const char *pair, size_t n)
{
	const char *equals = memchr(pair, '=', n);

	return equals && equals > pair;
}

int source_path_check(const char *pairs, const char **wrong, size_t *n)
{
	for (; pairs && *pairs; pairs += *n + (pairs[*n] == ',')) {
		*n = strcspn(pairs, ",");
		if (!pair_is_sound(pairs, *n)) {
			*wrong = pairs;
			return -1;
		}
	}
	return 0;
}

/* The rest of the path below `folder` of n bytes; NULL: it is not below it. */
static const char *below(const char *path, const char *folder, size_t n)
{
	while (n > 1 && folder[n - 1] == '/')
		n--;
	if (strncmp(path, folder, n))
		return NULL;
	if (n && folder[n - 1] != '/' && path[n] && path[n] != '/')
		return NULL;
	return path + n;
}

static char *mapped(const char *recorded, const char *pairs)
{
	for (size_t n; pairs && *pairs; pairs += n + (pairs[n] == ',')) {
		const char *to, *rest;
		struct strbuf path = { 0 };

		n = strcspn(pairs, ",");
		to = memchr(pairs, '=', n);
		rest = to ? below(recorded, pairs, (size_t)(to - pairs)) : NULL;
		if (!rest)
			continue;
		strbuf_printf(&path, "%.*s%s%s", (int)(pairs + n - to - 1), to + 1,
			      *rest && *rest != '/' ? "/" : "", rest);
		if (is_file(path.text))
			return path.text;
		strbuf_release(&path);
	}
	return NULL;
}

/* The longest end of the path that is below `folder`. */
static char *found_below(const char *folder, const char *recorded)
{
	for (const char *end = recorded; end; end = strchr(end, '/')) {
		struct strbuf path = { 0 };

		end += strspn(end, "/");
		strbuf_printf(&path, "%s/%s", folder, end);
		if (*end && is_file(path.text))
			return path.text;
		strbuf_release(&path);
	}
	return NULL;
}

char *source_path_find(const char *recorded, const char *pairs, const char *session)
{
	char *found = mapped(recorded, pairs);
	struct strbuf folder = { 0 };

	if (!found && is_file(recorded))
		found = xstrdup(recorded);
	if (!found)
		found = found_below(".", recorded);
	if (!found && session) {
		strbuf_printf(&folder, "%s/..", session);
		found = found_below(folder.text, recorded);
		strbuf_release(&folder);
	}
	return found;
}

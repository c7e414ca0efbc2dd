/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/files.h"
#include "session/session.h"

#define NAMED 5 /* sessions in a message */

int folders_open(struct folders *folders, char **names, size_t n)
{
	static char *here[] = { "." };
	struct stat st;

	*folders = (struct folders){ .list = xcalloc(n ? n : 1, sizeof(*folders->list)) };
	for (size_t i = 0; i < (n ? n : 1); i++) {
		const char *name = n ? names[i] : here[0];
		char *path = realpath(name, NULL);

		if (!path || stat(path, &st) || !S_ISDIR(st.st_mode)) {
			error("mcp: %s: %s", util_shown(name), path ? "not a folder" : strerror(errno));
			free(path);
			return -1;
		}
		folders->list[folders->n++] = path;
	}
	return 0;
}

void folders_release(struct folders *folders)
{
	for (size_t i = 0; i < folders->n; i++)
		free(folders->list[i]);
	free(folders->list);
	*folders = (struct folders){ 0 };
}

/* Whether the path, which has no links, is one of the folders or in one. */
static int holds(const struct folders *folders, const char *path)
{
	for (size_t i = 0; i < folders->n; i++) {
		size_t n = strlen(folders->list[i]);

		n -= n && folders->list[i][n - 1] == '/'; /* the root */
		if (!strncmp(path, folders->list[i], n) && (path[n] == '/' || !path[n]))
			return 1;
	}
	return 0;
}

/* "; there is a.data, b.data": sessions of a folder. */
static void put_some(struct strbuf *why, const char *folder)
{
	DIR *list = files_list(folder, 0);
	size_t n = 0;

	for (struct dirent *entry; list && n < NAMED && (entry = readdir(list));) {
		STRBUF(path);

		strbuf_printf(&path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && session_is_session(path.text)) {
			strbuf_puts(why, n++ ? ", " : "; there is ");
			strbuf_visible(why, entry->d_name);
		}
	}
	if (list)
		closedir(list);
}

static void say_outside(struct strbuf *why, const char *name)
{
	strbuf_visible(why, name);
	strbuf_puts(why, ": outside of the folders that cinstr mcp was started for");
}

/* The path of a name in the i-th folder; of an absolute one the name. */
static char *joined(const struct folders *folders, size_t i, const char *name)
{
	struct strbuf path = { 0 };

	if (*name == '/')
		return xstrdup(name);
	strbuf_printf(&path, "%s/%s", folders->list[i], name);
	return path.text;
}

char *folders_session(const struct folders *folders, const char *name, struct strbuf *why)
{
	int is_outside = 0;

	for (size_t i = 0; i < folders->n; i++) {
		FREED char *path = joined(folders, i, name);
		char *real = realpath(path, NULL);

		if (real && holds(folders, real))
			return real;
		is_outside |= real != NULL;
		free(real);
	}
	if (is_outside) {
		say_outside(why, name);
		return NULL;
	}
	strbuf_visible(why, name);
	strbuf_puts(why, ": there is no such session");
	put_some(why, folders->list[0]);
	return NULL;
}

char *folders_new(const struct folders *folders, const char *name, struct strbuf *why)
{
	char *path = joined(folders, 0, name), *slash = strrchr(path, '/'), *real;
	struct strbuf made = { 0 };

	if (!*slash || !slash[1] || !strcmp(slash + 1, ".") || !strcmp(slash + 1, "..") ||
	    strchr(name, '%')) {
		strbuf_visible(why, name);
		strbuf_puts(why, ": not a name for a session");
		free(path);
		return NULL;
	}
	*slash = '\0';
	real = realpath(*path ? path : "/", NULL);
	if (real && holds(folders, real)) {
		struct stat st;

		strbuf_printf(&made, "%s/%s", real, slash + 1);
		if (!lstat(made.text, &st) && S_ISLNK(st.st_mode))
			strbuf_clear(&made);
	}
	if (!made.length) {
		strbuf_release(&made);
		say_outside(why, name);
	}
	free(real);
	free(path);
	return made.text;
}

int folders_hold(const struct folders *folders, const char *session)
{
	struct session input;
	int status = session_list(&input, session);

	for (size_t i = 0; !status && i < input.n_files; i++) {
		FREED char *real = realpath(input.files[i], NULL);

		if (real && !holds(folders, real)) {
			error("%s: a link that leads out of the folders that cinstr mcp was started for",
			      util_shown(input.files[i]));
			status = -1;
		}
	}
	session_release(&input);
	return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util.h"

#define TABLE ".parquet"
#define FOLDERS_OPEN 16 /* at once, when one is gone through */

/* ---- what was made, latest first: read by a signal handler ----------------------------------- */

struct made {
	struct made *before;
	char path[];
};
static struct made *volatile made;
static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

static void remove_made(void)
{
	for (struct made *one = made; one; one = one->before)
		if (unlink(one->path) && (errno == EISDIR || errno == EPERM))
			rmdir(one->path);
}

static void end(int number)
{
	remove_made();
	signal(number, SIG_DFL);
	raise(number);
}

static void watch(void)
{
	struct sigaction action = { .sa_handler = end }, before;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
}

static void note(const char *path)
{
	size_t bytes = strlen(path) + 1;
	struct made *one = xcalloc(1, sizeof(*one) + bytes);

	memcpy(one->path, path, bytes);
	one->before = made;
	made = one;
}

static void forget(void)
{
	struct made *one = made;

	made = NULL;
	while (one) {
		struct made *before = one->before;

		free(one);
		one = before;
	}
}

/* ---- what may be replaced -------------------------------------------------------------------- */

static char *foreign; /* the first file that is no table */

static int look(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)where;
	if (type == FTW_DP || type == FTW_D || (type == FTW_F && util_has_suffix(path, TABLE)))
		return 0;
	foreign = xstrdup(path);
	return 1;
}

static int drop(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)where;
	if (type == FTW_DP)
		rmdir(path);
	else if (type == FTW_F && util_has_suffix(path, TABLE))
		unlink(path);
	return 0;
}

static int may_be_replaced(const char *path)
{
	struct stat status;
	const char *shown;

	if (lstat(path, &status))
		return errno == ENOENT;
	foreign = NULL;
	if (S_ISDIR(status.st_mode) && !nftw(path, look, FOLDERS_OPEN, FTW_PHYS))
		return 1;
	shown = util_shown(foreign ? foreign : path);
	if (foreign)
		error("export: %s is no table (%s): a folder that holds anything else is not replaced", shown,
		      TABLE);
	else
		error("export: %s is there, and is no folder", shown);
	free(foreign);
	return 0;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int say(const char *path, int why)
{
	return error("%s: cannot be written: %s; nothing is left of it", util_shown(path), strerror(why));
}

static void release(struct folder *folder)
{
	forget();
	free(folder->path);
	free(folder->partial);
	*folder = (struct folder){ 0 };
}

/* Those that it is in; who makes the folder itself says what is wrong. */
static void make_parents(const char *path)
{
	FREED char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0777);
		*slash = '/';
	}
}

int folder_begin(struct folder *folder, const char *path)
{
	struct strbuf partial = { 0 };
	size_t length = strlen(path);

	*folder = (struct folder){ .path = xstrdup(path) };
	while (length > 1 && folder->path[length - 1] == '/')
		folder->path[--length] = '\0';
	strbuf_printf(&partial, "%s.partial.%ld", folder->path, (long)getpid());
	folder->partial = partial.text;
	if (!may_be_replaced(folder->path)) {
		release(folder);
		return -1;
	}
	watch();
	make_parents(folder->partial);
	if (mkdir(folder->partial, 0777)) {
		say(folder->path, errno);
		release(folder);
		return -1;
	}
	note(folder->partial);
	return 0;
}

char *folder_file(struct folder *folder, const char *name)
{
	struct strbuf path = { 0 };

	strbuf_printf(&path, "%s/", folder->partial);
	for (const char *at = name, *slash; (slash = strchr(at, '/')); at = slash + 1) {
		strbuf_add(&path, at, (size_t)(slash - at));
		if (!mkdir(path.text, 0777)) /* who opens the file says what is wrong */
			note(path.text);
		strbuf_puts(&path, "/");
	}
	strbuf_puts(&path, util_basename(name));
	note(path.text);
	return path.text;
}

/* Both names change at once, where the file system can do that. */
static int take_place(const struct folder *folder)
{
	STRBUF(aside);
	int failed;

	if (!rename(folder->partial, folder->path))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -1;
	if (!renameat2(AT_FDCWD, folder->partial, AT_FDCWD, folder->path, RENAME_EXCHANGE)) {
		nftw(folder->partial, drop, FOLDERS_OPEN, FTW_PHYS | FTW_DEPTH);
		return 0;
	}
	strbuf_printf(&aside, "%s.old", folder->partial);
	failed = rename(folder->path, aside.text) || rename(folder->partial, folder->path);
	if (!failed)
		nftw(aside.text, drop, FOLDERS_OPEN, FTW_PHYS | FTW_DEPTH);
	return failed ? -1 : 0;
}

int folder_end(struct folder *folder, int is_whole)
{
	int status = 0;

	if (is_whole && take_place(folder)) {
		status = say(folder->path, errno);
		is_whole = 0;
	}
	if (!is_whole)
		remove_made();
	release(folder);
	return status;
}

int folder_end_as(struct folder *folder, const char *path)
{
	if (!renameat2(AT_FDCWD, folder->partial, AT_FDCWD, path, RENAME_NOREPLACE)) {
		release(folder);
		return 0;
	}
	if (errno == EINVAL && !rename(folder->partial, path)) { /* of empty folders only */
		release(folder);
		return 0;
	}
	if (errno == EEXIST || errno == ENOTEMPTY)
		return 1;
	say(path, errno);
	remove_made();
	release(folder);
	return -1;
}

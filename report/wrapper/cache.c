/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/util.h"

static int is_ours(const struct stat *status)
{
	return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

int cache_folder_at(const char *path)
{
	struct stat status;
	char *copy;

	if (!lstat(path, &status))
		return S_ISDIR(status.st_mode) && is_ours(&status) ? 0 : -1;
	copy = xstrdup(path);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	mkdir(copy, 0700);
	free(copy);
	return !lstat(path, &status) && S_ISDIR(status.st_mode) && is_ours(&status) ? 0 : -1;
}

/* Takes the base away. */
static char *below(struct strbuf *base, const char *name)
{
	struct strbuf path = { 0 };
	int good;

	/* The folder above counts as well: who may write to it could put another folder in this
	 * one's place. */
	good = base->length && base->text[0] == '/' && !cache_folder_at(base->text);
	if (good) {
		strbuf_printf(&path, "%s/%s", base->text, name);
		good = !cache_folder_at(path.text) && !access(path.text, W_OK);
	}
	strbuf_release(base);
	if (!good)
		strbuf_release(&path);
	return good ? path.text : NULL;
}

char *cache_folder(const char *name)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *temporary = getenv("TMPDIR");
	struct strbuf base = { 0 };
	char *found = NULL;

	if (cache && cache[0] == '/') {
		strbuf_printf(&base, "%s/cinstr", cache);
		found = below(&base, name);
	}
	if (!found && home && home[0] == '/' && !access(home, W_OK)) {
		strbuf_printf(&base, "%s/.cache/cinstr", home);
		found = below(&base, name);
	}
	if (!found) {
		strbuf_printf(&base, "%s/cinstr-%u", temporary && temporary[0] == '/' ? temporary : "/tmp",
			      (unsigned int)geteuid());
		found = below(&base, name);
	}
	return found;
}

FILE *cache_open(const char *path)
{
	return files_read(path, FILES_OWN);
}

static int holds(const char *path, const char *text)
{
	FILE *file = cache_open(path);
	int same = file != NULL;

	for (int c; same && (c = getc(file)) != EOF; text++)
		same = *text && c == (unsigned char)*text;
	if (file)
		fclose(file);
	return same && !*text;
}

int cache_write(const char *path, const char *text)
{
	STRBUF(name);
	int fd, good;

	if (holds(path, text))
		return 0;
	strbuf_printf(&name, "%s.XXXXXX", path);
	fd = files_make_unique(name.text);
	good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		good &= !close(fd);
	good = good && !rename(name.text, path);
	if (fd >= 0 && !good)
		unlink(name.text);
	return good ? 0 : -1;
}

/* FNV-1a, the NUL included. */
uint64_t cache_hash(uint64_t before, const char *text)
{
	do
		before = (before ^ (unsigned char)*text) * 0x100000001b3u;
	while (*text++);
	return before;
}

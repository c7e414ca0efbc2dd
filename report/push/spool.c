/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spool.c - see spool.h. A file is TIME.PID.KIND, TIME in ns, so that names are in order. */
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"

static int say(const char *path)
{
	return error("%s: %s", util_shown(path), files_problem(errno));
}

int spool_open(struct spool *spool, const char *path, uint64_t most)
{
	*spool = (struct spool){ .path = path, .most = most };
	if (mkdir(path, 0700) && errno != EEXIST)
		return say(path);
	spool->folder = files_folder(path, FILES_OWN);
	return spool->folder < 0 ? say(path) : 0;
}

/* Names that end in `kind`; NULL: all but those that are being written; "": all that wait. */
static const char *wanted_kind;

static int is_wanted(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	if (entry->d_name[0] == '.' || !end || !strcmp(end, SPOOL_PARTIAL))
		return 0;
	if (wanted_kind && !*wanted_kind)
		return strcmp(end, SPOOL_NOT_TAKEN) != 0;
	return !wanted_kind || !strcmp(end + 1, wanted_kind);
}

static int names_of(const struct spool *spool, const char *kind, struct dirent ***names)
{
	int n;

	wanted_kind = kind;
	n = scandirat(spool->folder, ".", names, is_wanted, alphasort);
	return n < 0 ? 0 : n;
}

static void names_release(struct dirent **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	if (n)
		free(names);
}

static uint64_t size_of(const struct spool *spool, const char *name)
{
	struct stat status;

	return fstatat(spool->folder, name, &status, AT_SYMLINK_NOFOLLOW) ? 0 : (uint64_t)status.st_size;
}

static uint64_t bytes_of(const struct spool *spool, struct dirent *const *names, int n)
{
	uint64_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += size_of(spool, names[i]->d_name);
	return bytes;
}

uint64_t spool_waiting(const struct spool *spool, uint64_t *bytes)
{
	struct dirent **names;
	int n = names_of(spool, "", &names);

	*bytes = bytes_of(spool, names, n);
	names_release(names, n);
	return (uint64_t)n;
}

/* Until there is room for `room` more. */
static void drop_oldest(const struct spool *spool, uint64_t room)
{
	struct dirent **names;
	int n = names_of(spool, NULL, &names), dropped = 0;
	uint64_t bytes = bytes_of(spool, names, n);

	for (int i = 0; i < n && bytes + room > spool->most; i++) {
		uint64_t size = size_of(spool, names[i]->d_name);

		if (!unlinkat(spool->folder, names[i]->d_name, 0)) {
			bytes -= size;
			dropped++;
		}
	}
	if (dropped)
		warning("%s: full: the %d oldest were never sent, and are gone", spool->path, dropped);
	names_release(names, n);
}

/* 0, or -1: errno. */
static int write_file(const struct spool *spool, const char *name, const void *body, size_t n)
{
	int fd = files_make_at(spool->folder, name), failed = fd < 0;

	for (size_t at = 0; !failed && at < n;) {
		ssize_t written = write(fd, (const char *)body + at, n - at);

		if (written < 0 && errno == EINTR)
			continue;
		failed = written <= 0;
		at += failed ? 0 : (size_t)written;
	}
	if (fd >= 0 && close(fd))
		failed = 1;
	return failed ? -1 : 0;
}

int spool_name(const struct spool *spool, const char *name)
{
	STRBUF(partial);
	int failed;

	strbuf_printf(&partial, "%s" SPOOL_PARTIAL, name);
	failed = renameat(spool->folder, partial.text, spool->folder, name);
	return failed ? -1 : 0;
}

int spool_add_noted(const struct spool *spool, const char *kind, const void *body, size_t n,
		    int (*note)(void *arg, const char *name), void *arg)
{
	STRBUF(name);
	STRBUF(partial);
	int failed;

	if (n > spool->most)
		return error("%s: the profile alone is larger than the spool may be (--spool-size)",
			     spool->path);
	drop_oldest(spool, n);
	strbuf_printf(&name, "%020llu.%ld.%s", (unsigned long long)util_realtime_ns(), (long)getpid(), kind);
	strbuf_printf(&partial, "%s" SPOOL_PARTIAL, name.text);
	failed = write_file(spool, partial.text, body, n);
	if (failed)
		say(spool->path);
	failed = failed || note(arg, name.text);
	if (failed)
		unlinkat(spool->folder, partial.text, 0);
	else if (spool_name(spool, name.text))
		failed = say(spool->path);
	return failed ? -1 : 0;
}

static int note_nothing(void *arg, const char *name)
{
	(void)arg, (void)name;
	return 0;
}

int spool_add(struct spool *spool, const char *kind, const void *body, size_t n)
{
	return spool_add_noted(spool, kind, body, n, note_nothing, NULL);
}

/* 0: it is ours; else somebody has it, or has sent it meanwhile. */
static int take(const struct spool *spool, struct spooled *spooled)
{
	struct stat status;
	char buffer[1 << 16];
	ssize_t n;

	spooled->fd = files_open_at(spool->folder, spooled->name, FILES_OWN);
	if (spooled->fd < 0)
		return -1;
	if (flock(spooled->fd, LOCK_EX | LOCK_NB) || fstat(spooled->fd, &status) || !status.st_nlink) {
		close(spooled->fd);
		return -1;
	}
	while ((n = read(spooled->fd, buffer, sizeof(buffer))) > 0)
		strbuf_add(&spooled->body, buffer, (size_t)n);
	return 0;
}

int spool_next(const struct spool *spool, const char *kind, const char *after, struct spooled *spooled)
{
	struct dirent **names;
	int n = names_of(spool, kind, &names), found = 0;

	*spooled = (struct spooled){ .fd = -1 };
	for (int i = 0; i < n && !found; i++) {
		if (after && strcmp(names[i]->d_name, after) <= 0)
			continue;
		spooled->name = xstrdup(names[i]->d_name);
		found = !take(spool, spooled);
		if (!found)
			free(spooled->name);
	}
	names_release(names, n);
	return found;
}

void spool_done(const struct spool *spool, struct spooled *spooled, enum spool_end end)
{
	STRBUF(refused);

	strbuf_printf(&refused, "%s" SPOOL_NOT_TAKEN, spooled->name);
	if (end == SPOOL_SENT)
		unlinkat(spool->folder, spooled->name, 0);
	else if (end == SPOOL_REFUSED)
		renameat(spool->folder, spooled->name, spool->folder, refused.text);
	close(spooled->fd);
	free(spooled->name);
	strbuf_release(&spooled->body);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_shims.c - the folder of shims of `cinstr build` (build.h). */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "lib/files.h"
#include "lib/util.h"
#include "wrapper/cache.h"
#include "wrapper/names.h"
#include "wrapper/shims.h"

/* ---- what is in it --------------------------------------------------------------------------- */

/* real: NULL, or the compiler that its shims stand for. */
static char *contents(const struct build_shims *shims, const char *real)
{
	struct strbuf text = { 0 };

	strbuf_printf(&text, "home %.*s\n", (int)(util_basename(shims->wrapper) - shims->wrapper - 1),
		      shims->wrapper);
	for (size_t i = 0; i < shims->args.n; i++)
		strbuf_printf(&text, "arg -fplugin-arg-cinstr-%s\n", shims->args.items[i]);
	if (real)
		strbuf_printf(&text, "real %s\n", real);
	return text.text;
}

static int is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int is_copy(const char *path, const char *of)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(of, &b) && a.st_size == b.st_size &&
	       a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

static int copy_bytes(int from, int to)
{
	char bytes[65536];
	struct stat status;
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			return -1;
	/* The copy gets the time of the original: by it we, and ccache, know that it is a copy. */
	return n || fstat(from, &status) || fchmod(to, 0700) ||
	       futimens(to, (struct timespec[]){ status.st_atim, status.st_mtim });
}

/* The program of this folder's shims. Put in its place at once: it may be running. */
static int copy_make(const struct build_shims *shims)
{
	STRBUF(path);
	STRBUF(temporary);
	int from, to, wrong = 1;

	strbuf_printf(&path, "%s/" SHIMS_COPY, shims->folder);
	if (is_copy(path.text, shims->wrapper))
		return 0;
	strbuf_printf(&temporary, "%s.XXXXXX", path.text);
	from = files_open(shims->wrapper, FILES_LINKED);
	to = from < 0 ? -1 : files_make_unique(temporary.text);
	if (to >= 0)
		wrong = copy_bytes(from, to) | close(to);
	if (to >= 0 && (wrong || rename(temporary.text, path.text))) {
		unlink(temporary.text);
		wrong = 1;
	}
	if (from >= 0)
		close(from);
	return wrong ? -1 : 0;
}

/* Several builds may do this at a time: each link is put in place at once. */
static int link_make(const struct build_shims *shims, const char *folder, const char *name)
{
	STRBUF(copy);
	STRBUF(path);
	STRBUF(temporary);
	int good;

	strbuf_printf(&copy, "%s/" SHIMS_COPY, shims->folder);
	strbuf_printf(&path, "%s/%s", folder, name);
	strbuf_printf(&temporary, "%s.%ld", path.text, (long)getpid());
	good = is_same_file(copy.text, path.text);
	if (!good) {
		unlink(temporary.text);
		/* Some file systems have symbolic links only. */
		good = (!link(copy.text, temporary.text) || !symlink(copy.text, temporary.text)) &&
		       !rename(temporary.text, path.text);
	}
	return good ? 0 : -1;
}

static int folder_make(const struct build_shims *shims, const char *folder, const char *real)
{
	FREED char *text = contents(shims, real);
	STRBUF(path);
	int wrong;

	strbuf_printf(&path, "%s/" SHIMS_FILE, folder);
	wrong = cache_folder_at(folder) || cache_write(path.text, text);
	return wrong ? -1 : 0;
}

/* ---- compilers in PATH ----------------------------------------------------------------------- */

static int links_make(const struct build_shims *shims, const char *from)
{
	DIR *folder = files_list(from, FILES_LINKED);
	struct dirent *entry;
	int wrong = 0;

	while (folder && (entry = readdir(folder)))
		if (name_is_shimmed(entry->d_name))
			wrong |= link_make(shims, shims->folder, entry->d_name);
	if (folder)
		closedir(folder);
	return wrong;
}

static int path_links_make(const struct build_shims *shims)
{
	const char *path = getenv("PATH");
	FREED char *copy = shims_path_without(path ? path : "/usr/local/bin:/usr/bin:/bin");
	char *rest = copy, *folder;
	int wrong = 0;

	while ((folder = strsep(&rest, ":")))
		wrong |= links_make(shims, *folder ? folder : ".");
	return wrong;
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* cinstr-gcc, beside this command. */
static char *wrapper_find(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct strbuf path = { 0 };

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	strbuf_add(&path, self, (size_t)(util_basename(self) - self));
	strbuf_puts(&path, SHIMS_WRAPPER);
	if (!access(path.text, X_OK))
		return path.text;
	error("build: there is no %s: install cinstr again (make install)", path.text);
	strbuf_release(&path);
	return NULL;
}

/* The same for the same options, so that paths of compilers that a build keeps stay right. */
static char *folder_choose(const struct build_shims *shims)
{
	char *base = cache_folder("shims"), *text;
	struct strbuf path = { 0 };

	if (!base) {
		error("build: no folder for the shims: neither below HOME nor in /tmp; choose one with "
		      "--shims=FOLDER");
		return NULL;
	}
	text = contents(shims, NULL);
	strbuf_printf(&path, "%s/%016jx", base, (uintmax_t)cache_hash(CACHE_HASH_START, text));
	free(text);
	free(base);
	return path.text;
}

/* A folder of the caller's that holds anything else is not filled with links. */
static int is_taken(const char *folder)
{
	DIR *open = files_list(folder, 0);
	struct dirent *entry;
	int taken = 0;

	while (open && !taken && (entry = readdir(open)))
		taken = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (open)
		closedir(open);
	return taken && !shims_here(folder);
}

int build_shims_make(struct build_shims *shims, const char *wanted)
{
	shims->wrapper = wrapper_find();
	if (!shims->wrapper)
		return STATUS_DATA;
	shims->folder = wanted ? files_absolute(wanted) : folder_choose(shims);
	if (!shims->folder)
		return STATUS_DATA;
	if (strchr(shims->folder, ':') || is_taken(shims->folder))
		return error_usage(
			"build: '%s' cannot hold the shims: %s; choose a new folder with --shims=FOLDER",
			shims->folder,
			strchr(shims->folder, ':') ? "PATH takes no ':'" : "it holds something else");
	if (!folder_make(shims, shims->folder, NULL) && !copy_make(shims) && !path_links_make(shims))
		return STATUS_OK;
	return error_data(
		"build: the shims cannot be put into '%s', or others may write there; choose another folder "
		"with --shims=FOLDER",
		shims->folder);
}

char *build_shims_for(const struct build_shims *shims, const char *path)
{
	const char *name = util_basename(path);
	struct strbuf shim = { 0 };

	if (path[0] != '/' || !name_of_compiler(name) || access(path, X_OK) ||
	    !strncmp(path, shims->folder, strlen(shims->folder)))
		return NULL;
	strbuf_printf(&shim, "%s/at-%016jx", shims->folder, (uintmax_t)cache_hash(CACHE_HASH_START, path));
	if (folder_make(shims, shim.text, path) || link_make(shims, shim.text, name)) {
		strbuf_release(&shim);
		return NULL;
	}
	strbuf_printf(&shim, "/%s", name);
	return shim.text;
}

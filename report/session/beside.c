/* SPDX-License-Identifier: GPL-3.0-or-later */
/* beside.c - see beside.h. */
#include "beside.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "processes.h"
#include "runtime/process/session.h"
#include "session.h"

/* A process of a folder, by its last data file. */
struct life {
	uint64_t process_start, latest_realtime_ns;
	uint32_t pid;
};

static struct folder {
	char *path;
	struct life *list;
	size_t n;
	struct map numbers; /* pid and process_start -> list */
	int is_live, is_seen;
} folder; /* the last that was asked about: files of a folder come one after another */

static struct life *life_of(const struct cinstr_header *header)
{
	uint64_t key[2] = { header->pid, header->process_start };
	int is_new;
	size_t number = map_add(&folder.numbers, key, sizeof(key), &is_new);

	if (is_new) {
		folder.list = xrealloc(folder.list, folder.n + 1, sizeof(*folder.list));
		folder.list[folder.n++] =
			(struct life){ .pid = header->pid, .process_start = header->process_start };
	}
	return &folder.list[number];
}

static void add(const char *path)
{
	struct cinstr_header header;
	struct life *life;

	if (input_header(path, &header) || process_is_companion(&header))
		return;
	life = life_of(&header);
	if (header.start_realtime_ns > life->latest_realtime_ns)
		life->latest_realtime_ns = header.start_realtime_ns;
	folder.is_seen |= folder.is_live && !folder.is_seen && process_of(path, &header);
}

static void release(void)
{
	free(folder.path);
	free(folder.list);
	map_release(&folder.numbers);
	folder = (struct folder){ 0 };
}

static int is_data(const char *name)
{
	size_t n = strlen(name), suffix = strlen(CINSTR_FILE_SUFFIX);

	return n > suffix && !strcmp(name + n - suffix, CINSTR_FILE_SUFFIX);
}

/* The folder of the data file at `path`. */
static void look(const char *path)
{
	size_t n = (size_t)(util_basename(path) - path);
	struct strbuf name = { 0 };
	struct dirent *entry;
	char *absolute;
	DIR *all;

	strbuf_add(&name, n ? path : "./", n ? n : 2);
	if (folder.path && !strcmp(folder.path, name.text)) {
		strbuf_release(&name);
		return;
	}
	release();
	folder.path = xstrdup(name.text);
	absolute = realpath(name.text, NULL);
	folder.is_live = absolute && strlen(absolute) < SESSION_PATH_MAX && session_is_live(absolute) == 1;
	free(absolute);
	all = opendir(name.text);
	while (all && (entry = readdir(all))) {
		if (!is_data(entry->d_name))
			continue;
		strbuf_clear(&name);
		strbuf_puts(&name, folder.path);
		strbuf_puts(&name, entry->d_name);
		add(name.text);
	}
	if (all)
		closedir(all);
	strbuf_release(&name);
}

int beside_has_successor(const char *path, const struct cinstr_header *header)
{
	look(path);
	return life_of(header)->latest_realtime_ns > header->start_realtime_ns;
}

int beside_is_hidden(const char *path)
{
	look(path);
	return folder.is_live && !folder.is_seen;
}

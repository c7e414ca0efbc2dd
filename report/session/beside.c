/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beside.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/files.h"
#include "lib/util.h"
#include "processes.h"
#include "runtime/process/session.h"
#include "session.h"

/* A process of a folder, by its last data file. */
struct life {
	uint64_t process_start, latest_realtime_ns;
	uint32_t pid;
};

struct folder {
	struct life *list;
	size_t n;
	struct map numbers; /* pid and process_start -> list */
	int is_live, is_seen;
};

/* All that were asked about: files of several machines' folders come in order of time. */
static struct map paths;
static struct folder *folders;
static size_t n_folders, size_folders;

static struct life *life_of(struct folder *folder, const struct cinstr_header *header)
{
	uint64_t key[2] = { header->pid, header->process_start };
	int is_new;
	size_t number = map_add(&folder->numbers, key, sizeof(key), &is_new);

	if (is_new) {
		folder->list = xrealloc(folder->list, folder->n + 1, sizeof(*folder->list));
		folder->list[folder->n++] =
			(struct life){ .pid = header->pid, .process_start = header->process_start };
	}
	return &folder->list[number];
}

static void add(struct folder *folder, const char *path)
{
	struct cinstr_header header;
	struct life *life;

	if (session_header(path, &header) || process_is_companion(&header))
		return;
	life = life_of(folder, &header);
	if (header.start_realtime_ns > life->latest_realtime_ns)
		life->latest_realtime_ns = header.start_realtime_ns;
	folder->is_seen |= folder->is_live && !folder->is_seen && process_of(path, &header);
}

void beside_forget(void)
{
	for (size_t i = 0; i < n_folders; i++) {
		free(folders[i].list);
		map_release(&folders[i].numbers);
	}
	free(folders);
	map_release(&paths);
	folders = NULL;
	n_folders = size_folders = 0;
}

static void list(struct folder *folder, const char *path)
{
	FREED char *absolute = realpath(path, NULL);
	STRBUF(name);
	struct dirent *entry;
	DIR *all;

	folder->is_live = absolute && strlen(absolute) < SESSION_PATH_MAX && session_is_live(absolute) == 1;
	all = files_list(path, 0);
	while (all && (entry = readdir(all))) {
		if (!util_has_suffix(entry->d_name, CINSTR_FILE_SUFFIX))
			continue;
		strbuf_clear(&name);
		strbuf_printf(&name, "%s%s", path, entry->d_name);
		add(folder, name.text);
	}
	if (all)
		closedir(all);
}

/* The folder of the data file at `path`. */
static struct folder *look(const char *path)
{
	size_t n = (size_t)(util_basename(path) - path), number;
	STRBUF(name);
	int is_new;

	strbuf_add(&name, n ? path : "./", n ? n : 2);
	number = map_add(&paths, name.text, name.length, &is_new);
	if (is_new) {
		ARRAY_ROOM(folders, n_folders, size_folders, 4);
		folders[n_folders++] = (struct folder){ 0 };
		list(&folders[number], name.text);
	}
	return &folders[number];
}

int beside_has_successor(const char *path, const struct cinstr_header *header)
{
	return life_of(look(path), header)->latest_realtime_ns > header->start_realtime_ns;
}

int beside_is_hidden(const char *path)
{
	const struct folder *folder = look(path);

	return folder->is_live && !folder->is_seen;
}

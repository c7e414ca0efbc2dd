/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pack_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"
#include "lib/workers.h"
#include "runtime/process/folder.h"

#define AHEAD 16

struct file_result {
	struct pack_sizes sizes;
	int status; /* as pack_file */
};

struct packing {
	char **files;
	enum pack_way way;
	const struct pack_limits *limits;
	struct file_result *results;
};

/* The folder that the file is in, open, or -errno. */
static int folder_of(const char *path)
{
	const char *name = util_basename(path);
	char *folder = strndup(path, (size_t)(name - path));
	int fd = folder_open_trusted(AT_FDCWD, *folder ? folder : ".");

	free(folder);
	return fd;
}

static void pack_one(void *arg, size_t i)
{
	struct packing *p = arg;
	struct file_result *r = &p->results[i];
	const char *name = util_basename(p->files[i]);
	int folder = folder_of(p->files[i]);

	r->status = folder;
	if (folder < 0)
		return;
	r->status = p->way == PACK ? pack_file(folder, name, p->limits, &r->sizes)
				   : pack_undo(folder, name, &r->sizes);
	close(folder);
}

static const char *text_of(int status)
{
	return status == -EBADMSG ? "it is damaged, or no data file"
	       : status == -EPERM ? "it, or its folder, is another user's, or others may write there"
				  : strerror(-status);
}

static void add(struct pack_result *result, const struct packing *p, size_t i)
{
	const struct file_result *r = &p->results[i];

	if (r->status < 0) {
		error("%s: left as it is: %s", util_shown(p->files[i]), text_of(r->status));
		result->n_failed++;
		return;
	}
	result->n_changed += (size_t)r->status;
	result->sizes.before += r->sizes.before;
	result->sizes.after += r->sizes.after;
}

void pack_session(const struct session *input, enum pack_way way, const struct pack_limits *limits,
		  struct pack_result *result)
{
	struct packing p = { input->files, way, limits, xcalloc(input->n_files, sizeof(*p.results)) };
	struct workers *tasks = workers_begin(input->n_files, AHEAD, pack_one, &p);

	*result = (struct pack_result){ .n_changed = 0 };
	for (size_t i = 0; i < input->n_files; i++) {
		workers_wait(tasks, i);
		add(result, &p, i);
	}
	workers_end(tasks);
	free(p.results);
}

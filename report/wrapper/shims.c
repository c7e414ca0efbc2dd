/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shims.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "lib/files.h"
#include "lib/util.h"

int shims_here(const char *folder)
{
	STRBUF(path);
	int here;

	strbuf_printf(&path, "%s/" SHIMS_FILE, *folder ? folder : ".");
	here = !access(path.text, F_OK);
	return here;
}

static void read_line(struct shims *shims, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "arg ", 4)) {
		shims->args = xrealloc(shims->args, shims->n_args + 1, sizeof(*shims->args));
		shims->args[shims->n_args++] = xstrdup(line + 4);
	} else if (!strncmp(line, "real ", 5)) {
		shims->real = xstrdup(line + 5);
	} else if (!strncmp(line, "home ", 5)) {
		shims->home = xstrdup(line + 5);
	}
}

int shims_read(const char *folder, struct shims *shims)
{
	STRBUF(path);
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	strbuf_printf(&path, "%s/" SHIMS_FILE, folder);
	file = cache_open(path.text);
	if (!file)
		return -1;
	while (getline(&line, &size, file) > 0)
		read_line(shims, line);
	free(line);
	fclose(file);
	return 0;
}

char *shims_path_without(const char *path)
{
	struct strbuf kept = { 0 };
	char *copy = xstrdup(path), *rest = copy, *folder;
	int first = 1;

	strbuf_puts(&kept, "");
	while ((folder = strsep(&rest, ":"))) {
		if (shims_here(folder))
			continue;
		strbuf_printf(&kept, "%s%s", first ? "" : ":", folder);
		first = 0;
	}
	free(copy);
	return kept.text;
}

void shims_log(enum shims_event event, size_t count, const char *who, const char *why)
{
	const char *path = getenv(SHIMS_LOG);
	STRBUF(line);
	int fd = path ? files_open(path, FILES_APPEND) : -1;

	if (fd < 0)
		return;
	strbuf_printf(&line, "%c\t%zu\t%s\t%s\n", event, count, who ? who : "", why ? why : "");
	/* In one write, so that lines of compilers that run at the same time do not mix. If one is
	 * lost, only a count is wrong. */
	if (write(fd, line.text, line.length) < 0)
		warning("%s cannot be written", path);
	close(fd);
}

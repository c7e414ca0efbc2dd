/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_stacks.c - see plan_stacks.h. Examines the program and the C library, which is on nearly
 * every stack: if one of them has no frame pointers, the chain ends or skips callers.
 */
#include "plan_stacks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/util.h"
#include "plan.h"
#include "sampler/images/images.h"
#include "sampler/unwind/unwind.h"

char *plan_program(const char *program)
{
	const char *path = getenv("PATH");
	char resolved[PATH_MAX];
	STRBUF(candidate);

	if (strchr(program, '/'))
		return realpath(program, resolved) ? xstrdup(resolved) : NULL;
	for (path = path ? path : "/bin:/usr/bin"; *path;) {
		size_t n = strcspn(path, ":");

		strbuf_clear(&candidate);
		strbuf_printf(&candidate, "%.*s/%s", n ? (int)n : 1, n ? path : ".", program);
		if (!access(candidate.text, X_OK) && realpath(candidate.text, resolved)) {
			return xstrdup(resolved);
		}
		path += n + (path[n] == ':');
	}
	return NULL;
}

static int has_frame_pointers(struct images *images, struct space *space, uint32_t pid, const char *path)
{
	static uint64_t at = 1u << 30;
	struct raw_mapping mapping = { .pid = pid, .start = at, .end = at + 4096, .path = path };
	const struct mapped_image *mapped;

	(void)images;
	space_map(space, &mapping);
	mapped = space_find(space, at);
	at += 1u << 20;
	return mapped && mapped->image && mapped->image->fd >= 0 && unwind_has_frame_pointers(mapped->image);
}

/* The program's own file, and the C library's, as a process has them mapped. */
static int process_has(struct images *images, struct space *space, uint32_t pid, int is_program_asked)
{
	char path[PATH_MAX], line[PATH_MAX + 128], name[PATH_MAX];
	FILE *maps;
	int has = 1, found = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	n = readlink(path, name, sizeof(name) - 1);
	if (is_program_asked && n > 0) {
		name[n] = '\0';
		has = has_frame_pointers(images, space, pid, name);
	}
	maps = files_kernel("/proc/%u/maps", pid);
	while (has && maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%*s %*2cx%*s %*s %*s %*s %4095[^\n]", name) == 1 &&
		    (strstr(name, "/libc.so") || strstr(name, "/libc-") || strstr(name, "/ld-musl"))) {
			found = 1;
			has = has_frame_pointers(images, space, pid, name);
		}
	if (maps)
		fclose(maps);
	return has;
}

/* A program that does not run yet is assumed to have the same C library as we have. */
static int all_have(const char *program, const pid_t *pids, size_t n_pids)
{
	struct images *images = images_new();
	struct space *space = space_new(images, (uint32_t)getpid());
	FREED char *path = program ? plan_program(program) : NULL;
	int has = !program || (path && has_frame_pointers(images, space, (uint32_t)getpid(), path));

	if (program && has)
		has = process_has(images, space, (uint32_t)getpid(), 0);
	for (size_t i = 0; i < n_pids && has; i++) {
		struct space *other = space_new(images, (uint32_t)pids[i]);

		has = process_has(images, other, (uint32_t)pids[i], 1);
		space_release(other);
	}
	space_release(space);
	images_release(images);
	return has;
}

enum cinstr_sampling_stacks plan_stacks(int wanted, const char *program, const pid_t *pids, size_t n_pids)
{
	switch (wanted) {
	case CHOICE_STACKS_NONE:
		return CINSTR_STACKS_NONE;
	case CHOICE_STACKS_FRAME_POINTERS:
		return CINSTR_STACKS_FRAME_POINTERS;
	case CHOICE_STACKS_DWARF:
		return CINSTR_STACKS_CFI;
	default:
		return all_have(program, pids, n_pids) ? CINSTR_STACKS_FRAME_POINTERS : CINSTR_STACKS_CFI;
	}
}

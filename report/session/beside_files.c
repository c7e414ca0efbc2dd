/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beside_files.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/util.h"
#include "session.h"

/* Timers may begin so much later than the first probe: libraries come before them. */
#define LATE_NS 1000000000ull

/* A program that a process ran, by one of its files. */
struct program {
	uint32_t pid;
	uint64_t process_start, begin_ns;
	uint64_t late_ns; /* it may have begun so much earlier */
	const char *path;
};

struct programs {
	struct program *list;
	size_t n, size;
};

struct beside_files {
	char **paths; /* all that were set aside */
	size_t n_paths, size_paths;
	struct map recorded;  /* path of the runtime's -> samples */
	const char **samples; /* NULL: none */
	const char **alone;
	size_t n_alone;
};

/* ---- what there is --------------------------------------------------------------------------- */

static int is_beside(const struct cinstr_header *header)
{
	return header->method == CINSTR_METHOD_SAMPLING &&
	       (header->sampling.flags & CINSTR_SAMPLING_BESIDE) != 0;
}

static void add(struct programs *programs, const struct cinstr_header *header, const char *path)
{
	/* a forked child has its parent's first */
	int pair = header->forked && header->clock_ns[1] ? 1 : 0;
	int is_late = is_beside(header) && header->sampling.source == CINSTR_SOURCE_TIMERS;

	ARRAY_ROOM(programs->list, programs->n, programs->size, 16);
	programs->list[programs->n++] = (struct program){ .pid = header->pid,
							  .process_start = header->process_start,
							  .begin_ns = header->clock_ns[pair],
							  .late_ns = is_late ? LATE_NS : 0,
							  .path = path };
}

static void list(const struct session *input, struct programs *recorded, struct programs *sampled)
{
	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;

		if (session_header(input->files[i], &header))
			continue;
		if (is_beside(&header))
			add(sampled, &header, input->files[i]);
		else if (header.method == CINSTR_METHOD_INSTRUMENTATION)
			add(recorded, &header, input->files[i]);
	}
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Numbers of processes are of a machine, whose sessions are a folder of their own. */
static int compare_folders(const char *a, const char *b)
{
	size_t x = (size_t)(util_basename(a) - a), y = (size_t)(util_basename(b) - b);
	int order = strncmp(a, b, x < y ? x : y);

	return order ? order : (x > y) - (x < y);
}

static int compare_processes(const struct program *x, const struct program *y)
{
	int order = compare_folders(x->path, y->path);

	if (!order)
		order = (x->pid > y->pid) - (x->pid < y->pid);
	return order ? order : (x->process_start > y->process_start) - (x->process_start < y->process_start);
}

ORDER_ITEMS(compare_programs, struct program, compare_processes(x, y), ORDER(x->begin_ns, y->begin_ns),
	    strcmp(x->path, y->path))

static void pair(struct beside_files *beside, const char *recorded, const char *samples)
{
	int is_new;
	size_t number = map_add(&beside->recorded, recorded, strlen(recorded), &is_new);

	beside->samples = xrealloc(beside->samples, number + 1, sizeof(*beside->samples));
	beside->samples[number] = samples;
}

static void leave_alone(struct beside_files *beside, const char *samples)
{
	beside->alone = xrealloc(beside->alone, beside->n_alone + 1, sizeof(*beside->alone));
	beside->alone[beside->n_alone++] = samples;
}

/*
 * The samples of a program, from *at on, which goes behind them: the last that had begun by then,
 * or those of timers that began late. NULL: it has none.
 */
static const char *samples_of(struct beside_files *beside, const struct program *program,
			      const struct programs *sampled, size_t *at)
{
	const struct program *found = NULL, *next = sampled->list + *at, *end = sampled->list + sampled->n;

	for (; next < end && compare_processes(next, program) < 0; next++)
		leave_alone(beside, next->path);
	for (; next < end && !compare_processes(next, program); next++) {
		if (next->begin_ns > program->begin_ns &&
		    (found || next->begin_ns - program->begin_ns > next->late_ns))
			break;
		if (found)
			leave_alone(beside, found->path);
		found = next;
	}
	*at = (size_t)(next - sampled->list);
	return found ? found->path : NULL;
}

static void pair_all(struct beside_files *beside, const struct programs *recorded,
		     const struct programs *sampled)
{
	size_t at = 0;

	for (size_t i = 0; i < recorded->n; i++) {
		const char *samples = samples_of(beside, &recorded->list[i], sampled, &at);

		if (samples)
			pair(beside, recorded->list[i].path, samples);
	}
	while (at < sampled->n)
		leave_alone(beside, sampled->list[at++].path);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* Both are in order of time. */
static void take_out(struct session *input, struct beside_files *beside)
{
	size_t n = 0;

	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;

		if (session_header(input->files[i], &header) || !is_beside(&header)) {
			input->files[n++] = input->files[i];
			continue;
		}
		ARRAY_ROOM(beside->paths, beside->n_paths, beside->size_paths, 16);
		beside->paths[beside->n_paths++] = input->files[i];
	}
	input->n_files = n;
}

void beside_set_aside(struct session *input)
{
	struct programs recorded = { 0 }, sampled = { 0 };

	list(input, &recorded, &sampled);
	if (recorded.n && sampled.n) {
		input->beside = xcalloc(1, sizeof(*input->beside));
		util_sort(recorded.list, recorded.n, sizeof(*recorded.list), compare_programs, NULL);
		util_sort(sampled.list, sampled.n, sizeof(*sampled.list), compare_programs, NULL);
		pair_all(input->beside, &recorded, &sampled);
		take_out(input, input->beside);
	}
	free(recorded.list);
	free(sampled.list);
}

void beside_take(struct session *input)
{
	struct beside_files *beside = input->beside;

	for (size_t i = 0; i < input->n_files; i++)
		free(input->files[i]);
	input->files = xrealloc(input->files, beside->n_paths, sizeof(*input->files));
	memcpy(input->files, beside->paths, beside->n_paths * sizeof(*input->files));
	input->n_files = beside->n_paths;
	beside->n_paths = 0; /* they are the input's */
	beside_files_release(beside);
	input->beside = NULL;
}

int beside_is_of(const char *path, const struct cinstr_header *recorded)
{
	struct cinstr_header header;

	return !session_header(path, &header) && is_beside(&header) && header.pid == recorded->pid &&
	       header.process_start == recorded->process_start;
}

const char *beside_find(const struct beside_files *beside, const char *path)
{
	size_t number = beside ? map_find(&beside->recorded, path, strlen(path)) : MAP_NONE;

	return number == MAP_NONE ? NULL : beside->samples[number];
}

size_t beside_alone(const struct beside_files *beside, const char *const **paths)
{
	*paths = beside ? beside->alone : NULL;
	return beside ? beside->n_alone : 0;
}

void beside_files_release(struct beside_files *beside)
{
	if (!beside)
		return;
	for (size_t i = 0; i < beside->n_paths; i++)
		free(beside->paths[i]);
	free(beside->paths);
	map_release(&beside->recorded);
	free(beside->samples);
	free(beside->alone);
	free(beside);
}

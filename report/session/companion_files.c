/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "companion_files.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "session.h"

/* A file of a sampled process, with its samples or a companion. */
struct sampled_file {
	uint32_t pid;
	uint64_t process_start, begin_ticks;
	char *path; /* of a companion; else NULL */
};

struct companions_read {
	struct sampled_file *list;
	size_t n;
};

static void add(struct companions_read *companions, const struct cinstr_header *header, char *path)
{
	companions->list = xrealloc(companions->list, companions->n + 1, sizeof(*companions->list));
	companions->list[companions->n++] =
		(struct sampled_file){ header->pid, header->process_start, header->clock_ticks[0], path };
}

static int is_companion(const struct cinstr_header *header)
{
	return (header->sampling.flags & CINSTR_SAMPLING_COMPANION) != 0;
}

void companions_set_aside(struct session *input)
{
	struct companions_read *companions = xcalloc(1, sizeof(*companions));
	size_t n = 0;

	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;
		int is_sampled =
			!session_header(input->files[i], &header) && header.method == CINSTR_METHOD_SAMPLING;

		if (is_sampled && is_companion(&header)) {
			add(companions, &header, input->files[i]);
			continue;
		}
		if (is_sampled)
			add(companions, &header, NULL);
		input->files[n++] = input->files[i];
	}
	input->n_files = n;
	input->companions = companions;
}

static int is_same_process(const struct sampled_file *a, const struct cinstr_header *b)
{
	return a->pid == b->pid && a->process_start == b->process_start;
}

/* Whether the companion is of the program of this file: the process's last that had begun when the
 * companion was made. */
static int is_of_program(const struct companions_read *companions, const struct sampled_file *companion,
			 const struct cinstr_header *header)
{
	uint64_t own = header->clock_ticks[0];

	for (size_t i = 0; i < companions->n; i++) {
		const struct sampled_file *other = &companions->list[i];

		if (other->path || !is_same_process(other, header) || other->begin_ticks == own)
			continue;
		if (own <= companion->begin_ticks
			    ? other->begin_ticks > own && other->begin_ticks <= companion->begin_ticks
			    : other->begin_ticks < own)
			return 0;
	}
	return 1;
}

/* The name that the program gave its process. */
static void take_name(struct data *data, const struct data *from)
{
	struct cinstr_control_block *own = (void *)(data->memory + CINSTR_CONTROL_OFFSET);
	const struct cinstr_control_block *other = (const void *)(from->memory + CINSTR_CONTROL_OFFSET);

	if (data->header->header_bytes < CINSTR_PAGE || from->header->header_bytes < CINSTR_PAGE ||
	    other->named != 1)
		return;
	memcpy(own->name, other->name, sizeof(own->name));
	own->named = 1;
}

static void join_one(const struct sampled_file *companion, struct data *data)
{
	struct data from;

	if (!data_open(&from, companion->path)) {
		samples_add_marks(data, from.marks, from.n_marks);
		take_name(data, &from);
	}
	for (size_t i = 0; i < from.n_problems && !from.not_begun; i++)
		data_problem(data, from.problems[i].offset, "%s (of its companion %s)",
			     from.problems[i].reason, util_basename(companion->path));
	data_release(&from);
}

void companions_join(const struct companions_read *companions, struct data *data)
{
	for (size_t i = 0; companions && data->sampled && i < companions->n; i++)
		if (companions->list[i].path && is_same_process(&companions->list[i], data->header) &&
		    is_of_program(companions, &companions->list[i], data->header))
			join_one(&companions->list[i], data);
}

void companions_read_release(struct companions_read *companions)
{
	for (size_t i = 0; companions && i < companions->n; i++)
		free(companions->list[i].path);
	if (companions)
		free(companions->list);
	free(companions);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording_end.h"

#include <pthread.h>
#include <stdio.h>

#include "file/data.h"
#include "lib/files.h"
#include "processes.h"

/* Looking for processes keeps a list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t process_now(const struct data *data)
{
	uint32_t pid;

	if (process_end_is_known(data->header))
		return 0;
	pthread_mutex_lock(&lock);
	pid = process_of(data->path, data->header);
	pthread_mutex_unlock(&lock);
	return pid;
}

/* Processor time of a thread; 0: not known. */
static uint64_t cpu_ns_of(uint32_t pid, uint32_t tid)
{
	unsigned long long ns = 0;
	FILE *file;

	file = files_kernel("/proc/%u/task/%u/schedstat", pid, tid);
	if (file && fscanf(file, "%llu", &ns) != 1)
		ns = 0;
	if (file)
		fclose(file);
	return ns;
}

void recording_note_end(struct data *data)
{
	uint32_t pid;

	if (data->header->method != CINSTR_METHOD_INSTRUMENTATION)
		return;
	pid = process_now(data);
	if (!pid)
		return;
	data->end_ticks = open_time_stamp(data->header, data->loaded_ns);
	for (size_t i = 0; i < data->n_segments && pid == data->header->pid; i++) {
		const struct data_segment *s = &data->segments[i];
		struct cinstr_thread *t = (void *)(data->memory + s->offset);

		if (s->type == CINSTR_SEG_THREAD && s->bytes >= sizeof(*t) && t->state == CINSTR_THREAD_LIVE)
			t->end_cpu_ns = cpu_ns_of(pid, t->tid);
	}
}

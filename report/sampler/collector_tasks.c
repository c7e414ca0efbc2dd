/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collector_tasks.c - the sampled processes and threads: their creation, names, execs and ends. */
#include "collector_state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/files.h"

/* files that are kept open until the end of the recording, when there is time for their symbols */
#define ENDED_MOST 2048

/* ---- finding --------------------------------------------------------------------------------- */

static struct process *process_new(uint32_t pid, uint64_t ticks)
{
	struct process *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	process->begin_ticks = ticks;
	return process;
}

void process_free(struct process *process)
{
	if (!process)
		return;
	if (process->store)
		store_release(process->store);
	on_off_log_release(&process->switches);
	space_release(process->space);
	free(process->images);
	free(process->exe);
	free(process);
}

/* The place of the process of that number; what is there may have ended. */
static struct process **process_slot(struct collector *c, uint32_t pid)
{
	int is_new;
	size_t number = map_add(&c->pids, &pid, sizeof(pid), &is_new);

	if (is_new) {
		c->processes = xrealloc(c->processes, number + 1, sizeof(struct process *));
		c->processes[number] = NULL;
	}
	return &c->processes[number];
}

/* One whose birth was not told of is looked at as it is now. */
struct process *process_get(struct collector *c, uint32_t pid, uint64_t ticks)
{
	struct process **slot = process_slot(c, pid);

	if (!*slot) {
		*slot = process_new(pid, ticks);
		control_begin(c, *slot, NULL);
		(*slot)->space = space_new(c->images, pid);
		space_read((*slot)->space);
	}
	return *slot;
}

static struct thread *thread_slot(struct collector *c, uint32_t tid)
{
	int is_new;
	size_t number = map_add(&c->tids, &tid, sizeof(tid), &is_new);

	if (is_new) {
		c->threads = xrealloc(c->threads, number + 1, sizeof(*c->threads));
		c->threads[number] = (struct thread){ .tid = tid };
	}
	return &c->threads[number];
}

static void thread_begin(struct thread *thread, struct process *process, uint64_t ticks)
{
	*thread = (struct thread){
		.process = process, .tid = thread->tid, .begin_ticks = ticks, .task = UINT32_MAX, .is_live = 1
	};
	process->live++;
}

static void name_read(struct thread *thread)
{
	char line[64];
	FILE *file;

	file = files_kernel("/proc/%u/task/%u/comm", thread->process->pid, thread->tid);
	if (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		thread_name(thread, line);
	}
	if (file)
		fclose(file);
}

struct thread *thread_get(struct collector *c, uint32_t pid, uint32_t tid, uint64_t ticks)
{
	struct process *process = process_get(c, pid, ticks);
	struct thread *thread = thread_slot(c, tid);

	if (thread->process == process)
		return thread;
	thread_begin(thread, process, ticks);
	name_read(thread);
	return thread;
}

void thread_name(struct thread *thread, const char *name)
{
	snprintf(thread->name, sizeof(thread->name), "%.*s", THREAD_NAME_MAX - 1, name);
	if (thread->process->store && thread->task != UINT32_MAX)
		store_task_name(thread->process->store, thread->task, thread->name);
}

/* So that `cinstr control` finds what waits to be switched on. */
static void show_paused(struct collector *c, struct process *process)
{
	if (process->switches.is_last)
		file_begin(c, process);
}

/* A thread all of whose samples were left out is in the file as well. */
static void thread_list(struct collector *c, struct thread *thread)
{
	if (thread->paused && file_begin(c, thread->process))
		thread_prepare(thread);
}

/* The name that the program gave it through cinstr.h. */
static void thread_name_own(struct collector *c, struct thread *thread)
{
	const char *name = companions_thread_name(c->companions, thread->process->pid, thread->tid);

	if (name)
		thread_name(thread, name);
}

/* ---- attaching ------------------------------------------------------------------------------- */

void process_attach(struct collector *c, uint32_t pid, uint64_t ticks)
{
	struct process *process = process_get(c, pid, ticks);
	char path[64];
	struct dirent *entry;
	DIR *tasks;

	process->is_attached = 1;
	show_paused(c, process);
	c->n_attached++;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = files_list(path, 0);
	while (tasks && (entry = readdir(tasks))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid)
			thread_get(c, pid, tid, ticks);
	}
	if (tasks)
		closedir(tasks);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* What has a file waits for its symbols. */
static void process_retire(struct collector *c, struct process *process)
{
	if (!process->store) {
		process_free(process);
		return;
	}
	if (c->n_ended == ENDED_MOST) {
		file_finish(c, c->ended[0]);
		file_symbolize(c->ended[0]);
		process_free(c->ended[0]);
		memmove(c->ended, c->ended + 1, --c->n_ended * sizeof(*c->ended));
	}
	ARRAY_ROOM(c->ended, c->n_ended, c->size_ended, 16);
	c->ended[c->n_ended++] = process;
}

/* Of an ended process none is left, but for those whose end was lost; of one that execs mostly the
 * first. */
static void threads_forget(struct collector *c, const struct process *process)
{
	struct thread *first = thread_slot(c, process->pid);
	size_t left = process->live;

	if (first->process == process) {
		thread_name_own(c, first);
		first->process = NULL;
		left -= left > 0;
	}
	for (size_t i = 0; left && i < c->tids.n; i++)
		if (c->threads[i].process == process) {
			thread_name_own(c, &c->threads[i]);
			c->threads[i].process = NULL;
		}
}

void process_end(struct collector *c, struct process *process, enum cinstr_end end, int status,
		 uint64_t ticks)
{
	struct process **slot = process_slot(c, process->pid);

	if (process->is_attached)
		c->n_attached--;
	if (!process->store)
		c->collected.silent++;
	file_end(c, process, end, status, ticks);
	process->has_ended = 1;
	companions_end(c->companions, process->pid, end, status);
	if (*slot == process)
		*slot = NULL;
	threads_forget(c, process);
	process_retire(c, process);
}

/* The threads but one are gone, and so is what was mapped. */
void process_renew(struct collector *c, struct process *process, uint64_t ticks)
{
	struct process *next = process_new(process->pid, ticks);

	next->parent_pid = process->parent_pid;
	next->program = process->program + 1;
	next->is_attached = process->is_attached;
	control_begin(c, next, process);
	companions_exec(c->companions, process->pid, ticks);
	next->counted = next->counted_before = process->counted;
	next->space = process->space;
	space_clear(next->space);
	process->space = NULL;
	threads_forget(c, process);
	*process_slot(c, process->pid) = next;
	file_end(c, process, CINSTR_END_EXEC, 0, ticks);
	process_retire(c, process);
}

/* ---- what the source tells ------------------------------------------------------------------- */

static void process_forked(struct collector *c, uint32_t pid, uint32_t parent_pid, uint64_t ticks)
{
	struct process *parent = process_get(c, parent_pid, ticks), **slot = process_slot(c, pid), *child;

	if (*slot) /* its end was lost */
		process_end(c, *slot, CINSTR_END_UNKNOWN, 0, ticks);
	child = process_new(pid, ticks);
	child->parent_pid = parent_pid;
	child->forked = 1;
	control_begin(c, child, parent);
	child->exe = parent->exe ? xstrdup(parent->exe) : NULL;
	child->space = space_copy(parent->space, pid);
	*process_slot(c, pid) = child;
}

void tasks_forked(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		  uint32_t parent_tid)
{
	struct collector *c = arg;
	struct thread *thread;
	char name[THREAD_NAME_MAX];

	if (pid != parent_pid)
		process_forked(c, pid, parent_pid, ticks);
	memcpy(name, thread_get(c, parent_pid, parent_tid, ticks)->name, sizeof(name));
	thread = thread_slot(c, tid);
	if (thread->process == process_get(c, pid, ticks) && thread->is_live && c->attaches)
		return; /* it was there already when the process was looked at */
	thread_begin(thread, process_get(c, pid, ticks), ticks);
	thread_name(thread, name);
}

void tasks_named(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, const char *name, int is_exec)
{
	struct collector *c = arg;

	struct process **slot = process_slot(c, pid);

	if (is_exec && *slot) {
		process_renew(c, *slot, ticks);
	} else if (is_exec) {
		/* the program itself: what its process was before is of no interest */
		*slot = process_new(pid, ticks);
		control_begin(c, *slot, NULL);
		(*slot)->space = space_new(c->images, pid);
		show_paused(c, *slot);
	}
	thread_name(thread_get(c, pid, tid, ticks), name);
}

void tasks_exited(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid)
{
	struct collector *c = arg;
	struct thread *thread = thread_get(c, pid, tid, ticks);
	struct process *process = thread->process;

	thread_list(c, thread);
	if (process->store && thread->task != UINT32_MAX) {
		thread_name_own(c, thread);
		store_task_end(process->store, thread->task, ticks);
	}
	companions_thread_end(c->companions, pid, tid);
	thread->is_live = 0;
	thread->process = NULL;
	if (process->live)
		process->live--;
	if (!process->live && pid != c->child) /* how that program ended is looked up */
		process_end(c, process, CINSTR_END_UNKNOWN, 0, ticks);
}

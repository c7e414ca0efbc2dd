/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collector_file.c - the data file of a sampled process: its creation, modules and end. */
#include "collector_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "runtime/process/session_job.h"
#include "symbolize.h"

#define PROC_PATH 64
#define ARGUMENTS_MAX (128u << 10)

/* ---- what /proc knows ------------------------------------------------------------------------ */

/* Reads a file of the process; its bytes, NUL behind them. */
static void proc_read(uint32_t pid, const char *name, struct strbuf *text)
{
	char path[PROC_PATH], buffer[4096];
	ssize_t n = 0;
	int fd;

	strbuf_clear(text);
	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = files_open(path, 0);
	while (fd >= 0 && text->length < ARGUMENTS_MAX && (n = read(fd, buffer, sizeof(buffer))) > 0)
		strbuf_add(text, buffer, (size_t)n);
	if (fd >= 0)
		close(fd);
}

static char *proc_link(uint32_t pid, const char *name)
{
	char path[PROC_PATH], target[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return NULL;
	target[n] = '\0';
	return xstrdup(target);
}

/* Field 22 of its stat: when it started; 0: it is gone. And its parent, field 4. */
static uint64_t proc_start(uint32_t pid, uint32_t *parent)
{
	STRBUF(stat);
	unsigned long long start = 0;
	const char *at;

	proc_read(pid, "stat", &stat);
	at = strrchr(stat.text, ')');
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at + 1, ' ');
		if (at && field == 3)
			*parent = (uint32_t)strtoul(at + 1, NULL, 10);
		if (at && field == 21)
			start = strtoull(at + 1, NULL, 10);
	}
	return start;
}

/* It may be gone, or be another program by now: `exe` was mapped first. */
static int is_still(const struct process *process, const char *exe)
{
	return exe && (!process->exe || !strncmp(exe, process->exe, strlen(process->exe)));
}

/* Of the process's environment, each variable with its NUL. */
static const char *variable_in(const void *data, const char *variable)
{
	const struct strbuf *environment = data;
	size_t n = strlen(variable);

	for (size_t at = 0; at < environment->length; at += strlen(environment->text + at) + 1)
		if (!strncmp(environment->text + at, variable, n) && environment->text[at + n] == '=')
			return environment->text + at + n + 1;
	return NULL;
}

/* One that is gone already was of the same rank as the collector, most likely. */
static void find_job(struct session_job *job, uint32_t pid)
{
	STRBUF(environment);

	proc_read(pid, "environ", &environment);
	if (environment.length)
		job_find(job, variable_in, &environment, pid);
	else
		job_find_own(job, secure_getenv);
}

/* ---- begin ----------------------------------------------------------------------------------- */

static struct cinstr_sampling sampling_of(const struct collector *c, const struct process *process)
{
	const struct sampling *sampling = &c->source->sampling;

	return (struct cinstr_sampling){
		.interval = sampling->interval,
		.unit = sampling->unit,
		.source = c->source->operations->kind,
		.stacks = sampling->stacks,
		.stack_bytes = sampling->stacks == CINSTR_STACKS_CFI ? sampling->stack_bytes : 0,
		.collector = (uint32_t)getpid(),
		.flags = (sampling->kernel ? CINSTR_SAMPLING_KERNEL : 0u) |
			 (process->is_attached ? CINSTR_SAMPLING_ATTACHED : 0u) |
			 (sampling->beside ? CINSTR_SAMPLING_BESIDE : 0u),
	};
}

static void file_make(struct collector *c, struct process *process)
{
	STRBUF(arguments);
	struct session_job job;
	char *exe = proc_link(process->pid, "exe"), *cwd = NULL;
	int still = is_still(process, exe), error = 0;
	struct store_process about = { .session = c->session,
				       .pid = process->pid,
				       .begin_ticks = process->begin_ticks,
				       .forked = process->forked,
				       .program = process->program,
				       .event = c->source->sampling.event,
				       .asked = c->source->sampling.asked,
				       .sampling = sampling_of(c, process) };

	find_job(&job, process->pid);
	about.job = &job;
	about.process_start = proc_start(process->pid, &about.parent_pid);
	if (process->parent_pid)
		about.parent_pid = process->parent_pid;
	strbuf_clear(&arguments);
	if (still) {
		proc_read(process->pid, "cmdline", &arguments);
		cwd = proc_link(process->pid, "cwd");
	}
	if (!process->exe && exe) {
		process->exe = exe;
		exe = NULL;
	}
	about.exe = process->exe;
	about.cwd = cwd;
	about.command_line = arguments.length ? arguments.text : process->exe;
	about.command_line_bytes = arguments.length;
	process->store = store_new(&about, &error);
	if (process->store)
		control_show(process);
	if (!process->store) {
		process->has_failed = 1;
		c->collected.failed++;
		c->collected.failed_why = -error;
	}
	free(exe);
	free(cwd);
}

int file_begin(struct collector *c, struct process *process)
{
	if (!process->store && !process->has_failed)
		file_make(c, process);
	return process->store != NULL;
}

/* ---- modules --------------------------------------------------------------------------------- */

static uint32_t module_add(struct process *process, const struct mapped_image *mapped)
{
	struct image *image = mapped->image;
	struct cinstr_module module = {
		.base = mapped->base,
		.text_start = mapped->start,
		.text_end = mapped->end,
		.flags = process->exe && !strcmp(image->path, process->exe) ? CINSTR_MODULE_MAIN : 0,
		.build_id_bytes = image->build_id_bytes,
	};
	uint32_t number;

	_Static_assert(sizeof(module.build_id) == sizeof(image->build_id), "");
	memcpy(module.build_id, image->build_id, sizeof(module.build_id));
	number = store_module(process->store, image->path, &module);
	if (number > process->n_images) {
		process->images = xrealloc(process->images, number, sizeof(struct image *));
		while (process->n_images < number)
			process->images[process->n_images++] = NULL;
	}
	if (number)
		process->images[number - 1] = image;
	return number;
}

uint32_t file_module(struct process *process, const struct mapped_image *mapped)
{
	struct module_number *recent = &process->recent[mapped->image->number % ARRAY_SIZE(process->recent)];

	if (recent->image == mapped->image && recent->base == mapped->base && recent->number)
		return recent->number;
	*recent = (struct module_number){ mapped->image, mapped->base, module_add(process, mapped) };
	return recent->number;
}

/* ---- end ------------------------------------------------------------------------------------- */

void file_counted(struct process *process)
{
	if (process->counted > process->counted_before)
		store_sampling(process->store)->counted = process->counted - process->counted_before;
}

void file_end(struct collector *c, struct process *process, enum cinstr_end end, int status, uint64_t ticks)
{
	struct cinstr_sampling *sampling = process->store ? store_sampling(process->store) : NULL;

	if (!sampling) {
		c->collected.lost += process->lost;
		c->collected.paused += process->paused;
		return;
	}
	sampling->lost += process->lost;
	sampling->paused += process->paused;
	file_counted(process);
	store_end(process->store, end, status, ticks);
}

/* For the summary. */
static void add_up(struct collected *sum, const struct cinstr_sampling *sampling)
{
	sum->samples += sampling->kept;
	sum->discarded += sampling->discarded;
	sum->paused += sampling->paused;
	sum->truncated += sampling->truncated;
	sum->lost += sampling->lost;
	sum->processes += sampling->kept > 0;
}

void file_finish(struct collector *c, struct process *process)
{
	struct cinstr_sampling *sampling = store_sampling(process->store);

	sampling->flags |= CINSTR_SAMPLING_COMPLETE;
	add_up(&c->collected, sampling);
}

void file_symbolize(struct process *process)
{
	symbolize(process->store, process->images, process->n_images);
	store_release(process->store);
	process->store = NULL;
}

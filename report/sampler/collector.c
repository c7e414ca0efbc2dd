/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collector.c - see collector.h. */
#include "collector_state.h"
#include "lib/files.h"
#include "lib/util.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TURN_MS 10
#define CLOCK_NS 1000000000 /* how often data files are told how far time has gone */
#define ENDS_NS 500000000

/* ---- samples --------------------------------------------------------------------------------- */

static uint32_t frame_node(struct process *process, uint32_t parent, uint64_t address)
{
	const struct mapped_image *mapped = space_find(process->space, address);
	uint32_t module = mapped && mapped->image ? file_module(process, mapped) : 0;

	return store_node(process->store, parent, module, module ? address - mapped->base : address);
}

/* Number of the node that was executing. */
static uint32_t stack_node(struct collector *c, struct process *process, const struct raw_sample *sample,
			   int *truncated)
{
	struct image *blind;
	uint32_t node = 0;
	size_t n;

	*truncated = 0;
	if (c->source->sampling.stacks == CINSTR_STACKS_NONE) {
		c->frames[0].address = sample->registers[MACHINE_IP];
		n = sample->registers[MACHINE_IP] != 0;
	} else {
		n = unwind(c->unwinder, process->space, sample, c->frames, UNWIND_FRAMES_MAX, truncated);
	}
	blind = *truncated && n ? unwind_blind(c->unwinder, process->space, c->frames[n - 1].address) : NULL;
	if (blind)
		blind->blind++;
	if (*truncated)
		node = store_node(process->store, 0, CINSTR_NODE_TRUNCATED, 0);
	while (n--)
		node = frame_node(process, node, c->frames[n].address);
	return sample->in_kernel ? store_node(process->store, node, CINSTR_NODE_KERNEL, 0) : node;
}

void thread_prepare(struct thread *thread)
{
	if (thread->task == UINT32_MAX)
		thread->task =
			store_task(thread->process->store, thread->tid, thread->name, thread->begin_ticks);
	for (; thread->paused && thread->task != UINT32_MAX; thread->paused--) {
		store_count(thread->process->store, thread->task, STORE_PAUSED);
		thread->process->paused--;
	}
}

static void keep(struct collector *c, struct thread *thread, const struct raw_sample *sample)
{
	struct process *process = thread->process;
	int truncated;
	uint32_t node = stack_node(c, process, sample, &truncated);

	store_sample(process->store, sample->ticks, thread->task, node, truncated);
	c->collected.threads += !thread->is_counted;
	thread->is_counted = 1;
}

static void take_sample(void *arg, const struct raw_sample *sample)
{
	struct collector *c = arg;
	struct thread *thread;
	int is_off;

	if (!sample->pid || sample->pid == UINT32_MAX)
		return;
	thread = thread_get(c, sample->pid, sample->tid, sample->ticks);
	is_off = control_is_off(c, thread->process, sample->tid, sample->ticks);
	if (is_off && !thread->process->store) {
		thread->process->paused++;
		thread->paused++;
		return;
	}
	if (!file_begin(c, thread->process)) {
		thread->process->lost++;
		return;
	}
	thread_prepare(thread);
	if (thread->task == UINT32_MAX)
		thread->process->lost++;
	else if (sample->is_foreign)
		store_count(thread->process->store, thread->task, STORE_DISCARDED);
	else if (is_off)
		store_count(thread->process->store, thread->task, STORE_PAUSED);
	else
		keep(c, thread, sample);
}

/* ---- the rest of what is told ---------------------------------------------------------------- */

static void take_mapping(void *arg, const struct raw_mapping *mapping)
{
	struct collector *c = arg;
	struct process *process = process_get(c, mapping->pid, mapping->ticks);

	if (!process->exe && mapping->path[0] == '/' && !process->is_attached) {
		/* at an exec the kernel maps the program itself first */
		process->exe = xstrdup(mapping->path);
		if (process->store) /* a sample came before */
			store_program(process->store, process->exe);
	}
	space_map(process->space, mapping);
}

static void take_lost(void *arg, uint32_t pid, uint64_t n)
{
	struct collector *c = arg;
	size_t number = map_find(&c->pids, &pid, sizeof(pid));

	if (number != MAP_NONE && c->processes[number])
		c->processes[number]->lost += n;
	else
		c->collected.lost += n;
}

static void take_throttled(void *arg, uint64_t ticks)
{
	struct collector *c = arg;

	(void)ticks;
	c->collected.throttled++;
}

static void take_counted(void *arg, uint32_t pid, uint64_t units)
{
	struct collector *c = arg;
	size_t number = map_find(&c->pids, &pid, sizeof(pid));

	if (!pid) {
		c->counted = units;
		return;
	}
	if (number != MAP_NONE && c->processes[number]) {
		c->processes[number]->counted = units;
		return;
	}
	/* A thread's counts come behind its end. */
	for (size_t i = c->n_ended; i-- > 0;)
		if (c->ended[i]->pid == pid) {
			c->ended[i]->counted = units;
			file_counted(c->ended[i]);
			return;
		}
}

/* ---- life ------------------------------------------------------------------------------------ */

struct collector *collector_new(const char *session)
{
	struct collector *c = xcalloc(1, sizeof(*c));

	c->sink = (struct sink){ .sample = take_sample,
				 .mapping = take_mapping,
				 .forked = tasks_forked,
				 .named = tasks_named,
				 .exited = tasks_exited,
				 .lost = take_lost,
				 .throttled = take_throttled,
				 .counted = take_counted,
				 .arg = c };
	c->session = session;
	c->images = images_new();
	c->unwinder = unwinder_new();
	return c;
}

const struct sink *collector_sink(struct collector *collector)
{
	return &collector->sink;
}

void collector_begin(struct collector *c, struct source *source, const pid_t *pids, size_t n_pids,
		     pid_t child)
{
	c->source = source;
	c->child = (uint32_t)child;
	c->attaches = n_pids > 0;
	c->companions = companions_new(c->session);
	c->has_started = c->is_on = !source->sampling.starts_paused;
	for (size_t i = 0; i < n_pids; i++)
		process_attach(c, (uint32_t)pids[i], util_raw_ns());
}

static void clocks_tell(struct collector *c, uint64_t now)
{
	if (now - c->clock_ticks < CLOCK_NS)
		return;
	c->clock_ticks = now;
	for (size_t i = 0; i < c->pids.n; i++)
		if (c->processes[i] && c->processes[i]->store)
			store_clock(c->processes[i]->store, now);
}

/*
 * Whether there is no such process any more, or only what its parent has not asked for yet. A first
 * thread that has ended looks the same, but others are counted then.
 */
static int is_gone(const struct process *process)
{
	char line[512], letter;
	const char *state = NULL;
	long threads;
	FILE *file;

	file = files_kernel("/proc/%u/stat", process->pid);
	if (file && fgets(line, sizeof(line), file))
		state = strrchr(line, ')');
	if (file)
		fclose(file);
	if (!state ||
	    sscanf(state, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &letter,
		   &threads) != 2)
		return !state;
	return (letter == 'Z' || letter == 'X') && threads <= 1;
}

/* Ends of which nothing was told: the ring was full. What is in the ring of a process that is gone
 * comes first. */
static void ends_look(struct collector *c, uint64_t now)
{
	if (!c->n_attached || now - c->ends_ticks < ENDS_NS)
		return;
	c->ends_ticks = now;
	for (size_t i = 0; i < c->pids.n; i++) {
		struct process *process = c->processes[i];

		if (!process || !process->is_attached || !is_gone(process))
			continue;
		if (process->is_gone)
			process_end(c, process, CINSTR_END_UNKNOWN, 0, now);
		else
			process->is_gone = 1;
	}
}

int collector_turn(struct collector *c, int fd)
{
	int why = c->source->operations->wait(c->source, fd, TURN_MS);

	control_look(c);
	if (!why)
		why = c->source->operations->drain(c->source, 0);
	clocks_tell(c, util_raw_ns());
	ends_look(c, util_raw_ns());
	return why;
}

size_t collector_attached(const struct collector *c)
{
	return c->n_attached;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Threads of a process that goes on: up to here they were seen. */
static int goes_on(const struct process *process)
{
	return !kill((pid_t)process->pid, 0);
}

static void process_finish(struct collector *c, struct process *process, int status)
{
	uint64_t now = util_raw_ns();

	if (process->pid == c->child) {
		process_end(c, process, WIFSIGNALED(status) ? CINSTR_END_SIGNAL : CINSTR_END_EXIT,
			    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), now);
		return;
	}
	c->collected.going_on++;
	c->collected.silent -= !process->store; /* it has not ended */
	if (process->store && goes_on(process))
		store_sampling(process->store)->flags |= CINSTR_SAMPLING_DETACHED;
	process_end(c, process, CINSTR_END_UNKNOWN, 0, now);
}

/* What is of no single process is put into the first file. */
static void counts_put(struct collector *c)
{
	struct cinstr_sampling *sampling = c->n_ended ? store_sampling(c->ended[0]->store) : NULL;

	if (!sampling)
		return;
	sampling->silent = c->collected.silent;
	sampling->throttled = c->collected.throttled;
	sampling->lost += c->collected.lost;
	c->collected.lost = 0; /* added up with the rest */
}

static uint64_t taken(const struct process *process)
{
	const struct cinstr_sampling *s = store_sampling(process->store);

	return s->kept + s->discarded + s->paused + s->lost;
}

/* Units that were counted for all processes together: each has as much of them as of the
 * samples. */
static void counted_put(struct collector *c)
{
	uint64_t all =
		c->collected.samples + c->collected.discarded + c->collected.paused + c->collected.lost;

	for (size_t i = 0; i < c->n_ended; i++)
		all += taken(c->ended[i]);
	for (size_t i = 0; i < c->n_ended && all && c->counted; i++)
		store_sampling(c->ended[i]->store)->counted =
			(uint64_t)((long double)c->counted * taken(c->ended[i]) / all);
}

static void find_blind(struct collector *c)
{
	for (size_t i = 0; i < images_count(c->images); i++) {
		const struct image *image = images_at(c->images, i);

		if (!image->path || image->blind <= c->collected.blind)
			continue;
		c->collected.blind = image->blind;
		snprintf(c->collected.blind_path, sizeof(c->collected.blind_path), "%s", image->path);
	}
}

void collector_finish(struct collector *c, int status, struct collected *collected)
{
	c->source->operations->drain(c->source, 1);
	for (size_t i = 0; i < c->pids.n; i++)
		if (c->processes[i])
			process_finish(c, c->processes[i], status);
	counts_put(c);
	counted_put(c);
	for (size_t i = 0; i < c->n_ended; i++)
		file_finish(c, c->ended[i]);
	find_blind(c);
	*collected = c->collected;
}

const char *collector_first_file(const struct collector *c)
{
	return c->n_ended ? store_path(c->ended[0]->store) : NULL;
}

void collector_symbolize(struct collector *c)
{
	for (size_t i = 0; i < c->n_ended; i++) {
		file_symbolize(c->ended[i]);
		process_free(c->ended[i]);
	}
	c->n_ended = 0;
}

void collector_release(struct collector *c)
{
	if (c->companions)
		companions_release(c->companions);
	on_off_log_release(&c->switches);
	unwinder_release(c->unwinder);
	images_release(c->images);
	free(c->processes);
	free(c->threads);
	free(c->ended);
	map_release(&c->pids);
	map_release(&c->tids);
	free(c);
}

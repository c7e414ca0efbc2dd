/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timer_processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/files.h"
#include "lib/search.h"
#include "lib/util.h"

#define MAPS_EVERY_NS 50000000u
/* reading them takes one part of so many of the collector's time at most */
#define MAPS_SHARE 100
#define MAPS_UNKNOWN_NS 5000000u /* code at an unknown address: sooner */
#define NAMES_EVERY_NS 1000000000u
#define LOOK_EVERY_NS 200000000u
#define LINE_MAX_ 8192
#define UNSEEN_NS 2000000000u /* of processor time without a sample, and ... */
#define UNSEEN_INTERVALS 100

/* ---- processes ------------------------------------------------------------------------------- */

struct timer_process *timer_process_find(struct timer_processes *all, uint32_t pid)
{
	for (size_t i = all->n; i-- > 0;)
		if (all->processes[i].pid == pid)
			return &all->processes[i];
	return NULL;
}

struct timer_process *timer_process_add(struct timer_processes *all, uint32_t pid)
{
	ARRAY_ROOM(all->processes, all->n, all->size, 16);
	all->processes[all->n] = (struct timer_process){ .pid = pid };
	return &all->processes[all->n++];
}

void timer_process_clear(struct timer_process *process)
{
	process->n_ranges = 0;
	process->maps_ns = 0;
}

static void process_remove(struct timer_processes *all, struct timer_process *process)
{
	uint32_t pid = process->pid;

	free(process->ranges);
	*process = all->processes[--all->n];
	for (size_t i = all->n_threads; i-- > 0;)
		if (all->threads[i].pid == pid)
			all->threads[i] = all->threads[--all->n_threads];
}

/* ---- what is mapped -------------------------------------------------------------------------- */

/* The first that ends behind the address. */
static size_t range_at(const struct timer_process *process, uint64_t address)
{
	size_t i;

	SEARCH(i, process->n_ranges, process->ranges[i].end > address);
	return i;
}

static int is_known(const struct timer_process *process, uint64_t address)
{
	size_t i = range_at(process, address);

	return i < process->n_ranges && process->ranges[i].start <= address;
}

/* Takes the place of all that it overlaps. */
static void range_put(struct timer_process *process, const struct timer_range *range)
{
	size_t first = range_at(process, range->start), last = first;

	while (last < process->n_ranges && process->ranges[last].start < range->end)
		last++;
	ARRAY_ROOM(process->ranges, process->n_ranges, process->size, 32);
	memmove(process->ranges + first + 1, process->ranges + last,
		(process->n_ranges - last) * sizeof(*process->ranges));
	process->n_ranges = process->n_ranges + 1 - (last - first);
	process->ranges[first] = *range;
}

static int is_told(const struct timer_process *process, const struct timer_range *range)
{
	size_t i = range_at(process, range->start);

	return i < process->n_ranges && !memcmp(&process->ranges[i], range, sizeof(*range));
}

/* "start-end perms offset major:minor inode   path", no end of line. */
static void map_line(struct timer_processes *all, struct timer_process *process, uint64_t ticks, char *line)
{
	static const char gone[] = " (deleted)";
	unsigned long long start, end, offset, inode;
	unsigned major, minor;
	char permissions[8], *path;
	struct timer_range range;
	int at = 0;
	size_t n;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, permissions, &offset, &major,
		   &minor, &inode, &at) != 7 ||
	    !at || permissions[2] != 'x' || start >= end)
		return;
	range = (struct timer_range){ start, end, offset, inode };
	if (is_told(process, &range))
		return;
	range_put(process, &range);
	path = line + at;
	n = strlen(path);
	if (n > sizeof(gone) && !strcmp(path + n - sizeof(gone) + 1, gone))
		path[n - sizeof(gone) + 1] = '\0';
	all->sink->mapping(all->sink->arg, &(struct raw_mapping){ .ticks = ticks,
								  .pid = process->pid,
								  .start = start,
								  .end = end,
								  .file_offset = offset,
								  .path = *path ? path : "//anon",
								  .device_major = major,
								  .device_minor = minor,
								  .inode = inode });
}

void timer_process_lines(struct timer_processes *all, struct timer_process *process, uint64_t ticks,
			 const char *text, size_t bytes)
{
	while (bytes) {
		char line[LINE_MAX_];
		const char *end = memchr(text, '\n', bytes);
		size_t n = end ? (size_t)(end - text) : bytes;

		if (n < sizeof(line)) {
			memcpy(line, text, n);
			line[n] = '\0';
			map_line(all, process, ticks, line);
		}
		n += end != NULL;
		text += n;
		bytes -= n;
	}
}

static void read_maps(struct timer_processes *all, struct timer_process *process, uint64_t now)
{
	char line[LINE_MAX_];
	FILE *file;

	file = files_kernel("/proc/%u/maps", process->pid);
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		map_line(all, process, now, line);
	}
	if (file)
		fclose(file);
	process->maps_ns = now;
	process->maps_cost_ns = util_raw_ns() - now;
}

void timer_process_look(struct timer_processes *all, struct timer_process *process, uint64_t now, uint64_t ip)
{
	uint64_t every = process->maps_cost_ns * MAPS_SHARE, since = now - process->maps_ns;

	process->seen_cpu_ns = process->cpu_ns;
	if (every < MAPS_EVERY_NS)
		every = MAPS_EVERY_NS;
	if (since >= every || (since >= MAPS_UNKNOWN_NS && !is_known(process, ip)))
		read_maps(all, process, now);
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct timer_thread *thread_find(struct timer_processes *all, uint32_t pid, uint32_t tid)
{
	for (size_t i = all->n_threads; i-- > 0;)
		if (all->threads[i].tid == tid && all->threads[i].pid == pid)
			return &all->threads[i];
	ARRAY_ROOM(all->threads, all->n_threads, all->threads_size, 16);
	all->threads[all->n_threads] = (struct timer_thread){ .pid = pid, .tid = tid };
	return &all->threads[all->n_threads++];
}

void timer_thread_named(struct timer_processes *all, uint64_t ticks, uint32_t pid, uint32_t tid,
			const char *name)
{
	struct timer_thread *thread = thread_find(all, pid, tid);

	if (!strncmp(thread->name, name, sizeof(thread->name) - 1))
		return;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	all->sink->named(all->sink->arg, ticks, pid, tid, thread->name, 0);
}

void timer_thread_look(struct timer_processes *all, uint32_t pid, uint32_t tid, uint64_t now)
{
	struct timer_thread *thread = thread_find(all, pid, tid);
	char name[32] = "";
	FILE *file;

	if (thread->named_ns && now - thread->named_ns < NAMES_EVERY_NS)
		return;
	thread->named_ns = now;
	file = files_kernel("/proc/%u/task/%u/comm", pid, tid);
	if (!file)
		return;
	if (fgets(name, sizeof(name), file) && *name != '\n') {
		name[strcspn(name, "\n")] = '\0';
		timer_thread_named(all, now, pid, tid, name);
	}
	fclose(file);
}

void timer_thread_end(struct timer_processes *all, uint32_t pid, uint32_t tid)
{
	/* it may be new, and all of them moved */
	struct timer_thread *thread = thread_find(all, pid, tid);

	*thread = all->threads[--all->n_threads];
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Processor time of another process: as clock_getcpuclockid has it. 0: it is gone. */
static uint64_t process_cpu_ns(uint32_t pid)
{
	clockid_t clock;
	struct timespec used;

	if (clock_getcpuclockid((pid_t)pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* A zombie's other threads may go on: its first one has ended alone. `at`: its stat, from the end
 * of its name on. */
static int is_last_thread(const char *at)
{
	for (int field = 2; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	return !at || strtoul(at + 1, NULL, 10) <= 1;
}

/* Ended, though perhaps nobody has waited for it. */
static int is_gone(uint32_t pid)
{
	char line[512];
	FILE *file;
	const char *at = NULL;

	file = files_kernel("/proc/%u/stat", pid);
	if (!file)
		return errno == ENOENT || errno == ESRCH;
	if (fgets(line, sizeof(line), file))
		at = strrchr(line, ')');
	fclose(file);
	return at && (at[2] == 'Z' || at[2] == 'X') && is_last_thread(at);
}

static void count(struct timer_processes *all, struct timer_process *process, int is_paused)
{
	uint64_t used = process_cpu_ns(process->pid);

	if (used > process->cpu_ns) {
		process->cpu_begin_ns +=
			is_paused ? used - process->cpu_ns : 0; /* no sample was wanted of it */
		process->cpu_ns = used;
	}
	if (process->cpu_ns > process->cpu_begin_ns)
		all->sink->counted(all->sink->arg, process->pid, process->cpu_ns - process->cpu_begin_ns);
}

/* Its signals are blocked, or the handler is another one. */
static void look_for_samples(struct timer_processes *all, struct timer_process *process, int is_paused)
{
	uint64_t most = UNSEEN_INTERVALS * all->interval_ns;

	if (is_paused)
		process->seen_cpu_ns = process->cpu_ns;
	if (process->is_unseen ||
	    process->cpu_ns < process->seen_cpu_ns + (most > UNSEEN_NS ? most : UNSEEN_NS))
		return;
	process->is_unseen = 1;
	warning("process %u uses processor time, but gives no samples: it blocks signals, uses SIGURG "
		"itself, or its threads were made in other ways than by pthread_create",
		process->pid);
}

/* Threads of which no end was told ended with it. */
static void tell_end(struct timer_processes *all, uint32_t pid, uint64_t now)
{
	for (size_t i = 0; i < all->n_threads; i++)
		if (all->threads[i].pid == pid && all->threads[i].tid != pid)
			all->sink->exited(all->sink->arg, now, pid, all->threads[i].tid);
	all->sink->exited(all->sink->arg, now, pid, pid);
}

void timer_processes_find_gone(struct timer_processes *all, uint64_t now, int is_end)
{
	if (!is_end && now - all->looked_ns < LOOK_EVERY_NS)
		return;
	all->looked_ns = now;
	for (size_t i = 0; i < all->n; i++)
		all->processes[i].is_gone = is_gone(all->processes[i].pid);
}

void timer_processes_look(struct timer_processes *all, uint64_t now, int is_paused)
{
	for (size_t i = all->n; i-- > 0;) {
		count(all, &all->processes[i], is_paused);
		look_for_samples(all, &all->processes[i], is_paused);
		if (!all->processes[i].is_gone)
			continue;
		tell_end(all, all->processes[i].pid, now);
		process_remove(all, &all->processes[i]);
	}
}

void timer_processes_release(struct timer_processes *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->processes[i].ranges);
	free(all->processes);
	free(all->threads);
}

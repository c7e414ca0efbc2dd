/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf_source.c - samples by the kernel: perf_event_open (source.h).
 *
 * For each thread that is there at the begin, and each processor, one event that samples and one
 * that counts nothing and tells of mappings, forks, names and ends, also while the first is off.
 * What these threads make inherits both. All events of a processor write into one ring; a ring
 * cannot be shared between processors, and events that are inherited cannot go without one.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kernel_setting.h"
#include "lib/array.h"
#include "lib/files.h"
#include "lib/util.h"
#include "perf_events.h"
#include "perf_ring.h"
#include "source.h"

#define RING_BYTES ((size_t)16 << 20)
#define RING_BYTES_LEAST ((size_t)4 << 20)
#define RINGS_BYTES ((size_t)128 << 20) /* of all rings together, as long as each has the least */
#define WAKE_BYTES (256u << 10)
#define SLICE_NS 20000000 /* so much work is done before others get their turn */
#define LIST_ROUNDS 20
#define CPUS_MAX 4096

/* The events of a thread on a processor. */
struct opened {
	int sampling, tracking; /* tracking -1: the other one does both */
};

struct perf_source {
	struct source base;
	struct perf_event event;
	struct perf_queue queue;
	int *cpus; /* cpus[queue.n_rings] */
	struct pollfd *polled;
	size_t n_cpus;
	struct opened *opened;
	size_t n_opened, size_opened;
	struct map tids;  /* opened */
	uint64_t before;  /* when the rings were looked at before */
	int follows_exec; /* everything begins at the child's exec */
	int is_combined;  /* where few files may be open, one event does both */
};

static struct perf_source *perf_source_of(struct source *source)
{
	return (struct perf_source *)(void *)source;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void ask_for_stacks(const struct sampling *sampling, struct perf_event_attr *attr)
{
	attr->exclude_callchain_kernel = 1;
	attr->sample_regs_user = MACHINE_PERF_IP;
	if (sampling->stacks == CINSTR_STACKS_FRAME_POINTERS) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	} else if (sampling->stacks == CINSTR_STACKS_CFI) {
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = sampling->stack_bytes;
		attr->sample_regs_user = MACHINE_PERF_REGISTERS;
	}
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
}

static void ask_for_events(struct perf_event_attr *attr)
{
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
}

static void sampling_attr(const struct perf_source *self, struct perf_event_attr *attr)
{
	const struct sampling *sampling = &self->base.sampling;

	perf_event_attr(&self->event, attr);
	attr->sample_period = sampling->interval;
	attr->exclude_kernel = !sampling->kernel;
	attr->inherit = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = WAKE_BYTES;
	ask_for_stacks(sampling, attr);
	attr->enable_on_exec = self->follows_exec && !sampling->starts_paused;
	attr->disabled = self->follows_exec || sampling->starts_paused;
	if (self->is_combined)
		ask_for_events(attr);
}

/* The same layout of records as those of the other event. */
static void tracking_attr(const struct perf_source *self, struct perf_event_attr *attr)
{
	struct perf_event_attr other;

	sampling_attr(self, &other);
	*attr = (struct perf_event_attr){ .size = sizeof(*attr),
					  .type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_DUMMY,
					  .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					  .use_clockid = 1,
					  .clockid = CLOCK_MONOTONIC_RAW };
	attr->exclude_kernel = attr->exclude_hv = 1;
	attr->sample_id_all = attr->inherit = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = WAKE_BYTES;
	attr->disabled = attr->enable_on_exec = self->follows_exec != 0;
	ask_for_events(attr);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void cpus_read(struct perf_source *self)
{
	FILE *file = files_kernel("/sys/devices/system/cpu/online");
	int first, last, n, c = ',';

	self->cpus = xcalloc(CPUS_MAX, sizeof(*self->cpus));
	while (file && c == ',' && fscanf(file, "%d", &first) == 1) {
		last = first;
		c = getc(file);
		if (c == '-') {
			n = fscanf(file, "%d", &last);
			c = n == 1 ? getc(file) : EOF;
		}
		for (; first <= last && self->n_cpus < CPUS_MAX; first++)
			self->cpus[self->n_cpus++] = first;
	}
	if (file)
		fclose(file);
	for (first = 0; !self->n_cpus && first < sysconf(_SC_NPROCESSORS_ONLN) && first < CPUS_MAX; first++)
		self->cpus[first] = first;
	if (!self->n_cpus)
		self->n_cpus = (size_t)first;
}

/* Samples with copied stacks come in bursts of many megabytes, for example page faults while a
 * program starts. */
static size_t ring_bytes(const struct perf_source *self)
{
	size_t bytes = self->base.sampling.stacks == CINSTR_STACKS_CFI ? RING_BYTES : RING_BYTES_LEAST;

	while (bytes > RING_BYTES_LEAST && bytes * self->n_cpus > RINGS_BYTES)
		bytes /= 2;
	return perf_ring_bytes_fair(bytes, self->n_cpus);
}

static int ring_attach(struct perf_source *self, size_t cpu, int fd)
{
	struct perf_queue *queue = &self->queue;
	struct perf_ring *ring;

	if (self->polled[cpu].fd >= 0)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, self->polled[cpu].fd) ? -errno : 0;
	ring = perf_ring_new(fd, ring_bytes(self));
	if (!ring)
		return errno == EPERM ? -ENOBUFS : -errno;
	queue->rings[queue->n_rings++] = ring;
	self->polled[cpu] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return 0;
}

static int event_open(struct perf_source *self, struct perf_event_attr *attr, pid_t tid, size_t cpu, int *fd)
{
	int why;

	*fd = perf_event_open_fd(attr, tid, self->cpus[cpu]);
	if (*fd < 0)
		return -errno;
	why = ring_attach(self, cpu, *fd);
	if (!why)
		return 0;
	close(*fd);
	*fd = -1;
	return why;
}

static int opened_open(struct perf_source *self, pid_t tid, size_t cpu, struct opened *opened)
{
	struct perf_event_attr attr;
	int why;

	sampling_attr(self, &attr);
	why = event_open(self, &attr, tid, cpu, &opened->sampling);
	if (why || self->is_combined)
		return why;
	tracking_attr(self, &attr);
	why = event_open(self, &attr, tid, cpu, &opened->tracking);
	if (why && self->polled[cpu].fd != opened->sampling) {
		close(opened->sampling);
		opened->sampling = -1;
	}
	return why;
}

static void opened_add(struct perf_source *self, const struct opened *opened)
{
	ARRAY_ROOM(self->opened, self->n_opened, self->size_opened, 64);
	self->opened[self->n_opened++] = *opened;
}

static int is_urgent(const struct perf_source *self)
{
	for (size_t i = 0; i < self->queue.n_rings; i++)
		if (perf_ring_is_urgent(self->queue.rings[i]))
			return 1;
	return 0;
}

/* The events of a thread on all processors. An event may not be there on some (there are processors
 * of two kinds). */
static int thread_open(struct perf_source *self, pid_t tid)
{
	size_t before = self->n_opened;
	int why = 0;

	for (size_t cpu = 0; cpu < self->n_cpus; cpu++) {
		struct opened opened = { -1, -1 };

		why = opened_open(self, tid, cpu, &opened);
		if (opened.sampling >= 0)
			opened_add(self, &opened);
		if (why && !(why == -ENODEV || (why == -ENOENT && self->n_opened > before)))
			return why;
	}
	return self->n_opened > before ? 0 : why;
}

static int is_opened(struct perf_source *self, uint32_t tid)
{
	return map_find(&self->tids, &tid, sizeof(tid)) != MAP_NONE ||
	       perf_queue_has_forked(&self->queue, tid);
}

/* Threads that have come since, and were made by one whose events they do not have. Returns their
 * number, or -errno. */
static int process_open_new(struct perf_source *self, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int n = 0, why = 0, is_new;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = files_list(path, 0);
	if (!tasks)
		return -ESRCH;
	perf_queue_fill(&self->queue);
	while (!why && (entry = readdir(tasks))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (!tid || is_opened(self, tid))
			continue;
		why = thread_open(self, (pid_t)tid);
		if (why == -ESRCH) { /* it has ended */
			why = 0;
			continue;
		}
		map_add(&self->tids, &tid, sizeof(tid), &is_new);
		if (is_urgent(self)) /* threads that were attached to before are running again */
			perf_queue_fill(&self->queue);
		n++;
	}
	closedir(tasks);
	return why ? why : n;
}

static int process_open(struct perf_source *self, pid_t pid)
{
	int n = 1;

	for (int round = 0; n > 0 && round < LIST_ROUNDS; round++)
		n = process_open_new(self, pid);
	return n < 0 ? n : 0;
}

/* ---- why not --------------------------------------------------------------------------------- */

static void say_why(struct perf_source *self, int why, pid_t pid)
{
	char *out = self->base.why;
	size_t size = sizeof(self->base.why);
	const char *event = self->base.sampling.event;

	switch (-why) {
	case EACCES:
	case EPERM:
		if (pid)
			snprintf(out, size,
				 "--pid=%d: not permitted to look into that process: it belongs to another "
				 "user, or has more rights (root may, and who has CAP_PERFMON)",
				 (int)pid);
		else
			snprintf(out, size,
				 "--event=%s: not permitted here (kernel.perf_event_paranoid is %ld, or a "
				 "filter of system calls stands before it)",
				 event, kernel_setting_paranoid());
		break;
	case ENOBUFS:
		snprintf(
			out, size,
			"--event=%s: no more memory may be locked for samples: other recordings of this user "
			"have it (all together kernel.perf_event_mlock_kb for each processor, and ulimit "
			"-l); --sample-source=timers can do without",
			event);
		break;
	case ESRCH:
		snprintf(out, size, "--pid=%d: there is no such process", (int)pid);
		break;
	case EMFILE:
	case ENFILE:
		snprintf(out, size,
			 "--pid=%d: it has too many threads: each needs %zu open files, and no more may be "
			 "open (ulimit -n)",
			 (int)pid, self->n_cpus);
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		snprintf(out, size,
			 "--event=%s: this machine has no such counter that can be sampled (cinstr record "
			 "--list-events)",
			 event);
		break;
	case EINVAL:
		snprintf(out, size,
			 "--event=%s: the kernel does not take it with this interval, or not at all", event);
		break;
	default:
		snprintf(out, size, "--event=%s: %s", event, strerror(-why));
	}
}

/* ---- open ------------------------------------------------------------------------------------ */

static void limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void rings_prepare(struct perf_source *self)
{
	struct perf_event_attr attr;

	cpus_read(self);
	self->queue.rings = xcalloc(self->n_cpus, sizeof(struct perf_ring *));
	self->polled = xcalloc(self->n_cpus + 1, sizeof(*self->polled));
	for (size_t i = 0; i <= self->n_cpus; i++)
		self->polled[i].fd = -1;
	sampling_attr(self, &attr);
	self->queue.layout =
		(struct perf_layout){ .sample_type = attr.sample_type, .registers = attr.sample_regs_user };
}

static void all_close(struct perf_source *self)
{
	for (size_t i = 0; i < self->n_opened; i++) {
		close(self->opened[i].sampling);
		if (self->opened[i].tracking >= 0)
			close(self->opened[i].tracking);
	}
	perf_queue_release(&self->queue);
	map_release(&self->tids);
	free(self->opened);
	free(self->polled);
	free(self->cpus);
	*self = (struct perf_source){ .base = self->base, .event = self->event };
}

static int processes_open(struct perf_source *self, const pid_t *pids, size_t n_pids, pid_t *failed)
{
	int why = 0;

	rings_prepare(self);
	for (size_t i = 0; i < n_pids && !why; i++) {
		*failed = pids[i];
		why = process_open(self, pids[i]);
	}
	return why;
}

static int perf_open(struct source *source, const pid_t *pids, size_t n_pids, pid_t child)
{
	struct perf_source *self = perf_source_of(source);
	pid_t failed = 0;
	int why;

	limit_raise();
	if (n_pids) {
		why = processes_open(self, pids, n_pids, &failed);
		/* half of the files will do, if it cannot be paused at the source */
		if (why == -EMFILE) {
			all_close(self);
			self->is_combined = 1;
			why = processes_open(self, pids, n_pids, &failed);
		}
	} else {
		self->follows_exec = 1;
		rings_prepare(self);
		why = thread_open(self, child);
	}
	if (why)
		say_why(self, why, failed);
	return why;
}

static void perf_environment(const struct source *source)
{
	setenv("CINSTR_METHOD", source->sampling.beside ? "beside" : "sampling", 1);
	setenv("CINSTR_SESSION", source->sampling.session, 1);
}

/* ---- running --------------------------------------------------------------------------------- */

static int perf_enable(struct source *source, int on)
{
	struct perf_source *self = perf_source_of(source);
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	if (self->is_combined)
		return 0;
	for (size_t i = 0; i < self->n_opened; i++)
		ioctl(self->opened[i].sampling, request, 0);
	return 0;
}

static int perf_wait(struct source *source, int extra_fd, int timeout_ms)
{
	struct perf_source *self = perf_source_of(source);
	struct pollfd *polled = self->polled;
	int n;

	polled[self->n_cpus] = (struct pollfd){ .fd = extra_fd, .events = POLLIN };
	n = poll(polled, self->n_cpus + 1, timeout_ms);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	/* The thread that a ring was mapped for has ended; it would not wait any more. Others'
	 * records are found when time is up. */
	for (size_t i = 0; i < self->n_cpus; i++)
		if (polled[i].revents & (POLLHUP | POLLERR))
			polled[i].fd = ~polled[i].fd;
	return 0;
}

static void tell(struct perf_source *self, const struct perf_record *record)
{
	const struct sink *sink = self->base.sink;

	switch (record->kind) {
	case PERF_KIND_SAMPLE:
		sink->sample(sink->arg, &record->sample);
		break;
	case PERF_KIND_MAPPING:
		sink->mapping(sink->arg, &record->mapping);
		break;
	case PERF_KIND_FORKED:
		sink->forked(sink->arg, record->ticks, record->pid, record->tid, record->parent_pid,
			     record->parent_tid);
		break;
	case PERF_KIND_NAMED:
		sink->named(sink->arg, record->ticks, record->pid, record->tid, record->name,
			    record->is_exec);
		break;
	case PERF_KIND_EXITED:
		sink->exited(sink->arg, record->ticks, record->pid, record->tid);
		break;
	case PERF_KIND_LOST:
		sink->lost(sink->arg, record->pid, record->n);
		break;
	case PERF_KIND_THROTTLED:
		sink->throttled(sink->arg, record->ticks);
		break;
	case PERF_KIND_OTHER:
		break;
	}
}

static uint64_t counter_read(int fd)
{
	uint64_t units;

	return read(fd, &units, sizeof(units)) == sizeof(units) ? units : 0;
}

/*
 * The counters have the units of all that inherited them, too. Counts of single threads
 * (inherit_stat) would be to be had, but are wrong where threads share a processor: half of the
 * units may be missing then.
 */
static void counters_read(struct perf_source *self)
{
	const struct sink *sink = self->base.sink;
	uint64_t units = 0;

	for (size_t i = 0; i < self->n_opened; i++)
		units += counter_read(self->opened[i].sampling);
	sink->counted(sink->arg, 0, units);
}

static int perf_drain(struct source *source, int is_end)
{
	struct perf_source *self = perf_source_of(source);
	uint64_t now = util_raw_ns(), until = is_end ? UINT64_MAX : self->before;
	const struct perf_record *record;
	unsigned n = 0;

	perf_queue_fill(&self->queue);
	while ((record = perf_queue_first(&self->queue, until))) {
		tell(self, record);
		perf_queue_drop(&self->queue);
		if (++n % 16)
			continue;
		if (is_urgent(self))
			perf_queue_fill(&self->queue);
		if (!is_end && util_raw_ns() - now > SLICE_NS)
			return 0;
	}
	self->before = now;
	if (is_end)
		counters_read(self);
	return 0;
}

static void perf_close(struct source *source)
{
	FREED struct perf_source *self = perf_source_of(source);

	all_close(self);
}

struct source *perf_source_new(const struct sampling *sampling, const struct sink *sink)
{
	static const struct source_operations operations = { .kind = CINSTR_SOURCE_PERF,
							     .open = perf_open,
							     .environment = perf_environment,
							     .enable = perf_enable,
							     .wait = perf_wait,
							     .drain = perf_drain,
							     .close = perf_close };
	struct perf_source *self = xcalloc(1, sizeof(*self));

	self->base = (struct source){ .operations = &operations, .sampling = *sampling, .sink = sink };
	if (perf_event_find(sampling->event, &self->event))
		snprintf(self->base.why, sizeof(self->base.why), "--event=%s: there is no such event",
			 sampling->event);
	if (!self->base.sampling.interval)
		self->base.sampling.interval = self->event.interval;
	self->base.sampling.unit = self->event.unit;
	return &self->base;
}

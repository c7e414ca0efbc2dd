/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timer_source.c - samples by timers of the threads' processor time, where perf_event_open is
 * forbidden. libcinstr-sampler.so is preloaded into the program; its threads put their samples into
 * slots of a file in the session's folder (sampler_ring.h), which is made, emptied and removed
 * here. Programs that do not load it (static, set-user-ID) have no samples; nor can a process that
 * runs already be sampled so.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/files.h"
#include "lib/order.h"
#include "lib/util.h"
#include "runtime/process/session.h"
#include "runtime/sampler/sampler_ring.h"
#include "source.h"
#include "timer_processes.h"
#include "timer_program.h"

#define INTERVAL_DEFAULT_NS 1000000u
#define STACK_BYTES_MAX (256u << 10)
#define LOOK_MS 50  /* the ring is emptied at least so often ... */
#define KEEP_MS 250 /* ... and has room for the samples of all processors for so long */
#define RING_MIN (4ull << 20)
#define RING_MAX (256ull << 20)
#define BUSY_NS 1000000000u /* a slot that is being written for so long is looked at */

struct found {
	uint64_t ticks;
	uint32_t slot;
};

struct timer_source {
	struct source base;
	struct sampler_ring *ring;
	uint64_t bytes;
	uint32_t n_slots, slot_bytes; /* as we made them: the file can be written by others */
	char path[4096];
	char *library;
	uint32_t child;
	struct timer_processes all;
	struct found *found;
	uint64_t *busy_since; /* by slot; 0: it is not */
	uint64_t told_lost;
	uint64_t programs;
};

static struct timer_source *timer_source_of(struct source *source)
{
	return (struct timer_source *)(void *)source; /* `base` is the first */
}

/* ---- open ------------------------------------------------------------------------------------ */

/* The kernel looks at timers of processor time at its ticks only. */
static uint64_t tick_ns(void)
{
	struct timespec resolution = { 0, 4000000 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	return (uint64_t)resolution.tv_sec * 1000000000 + (uint64_t)resolution.tv_nsec;
}

static void choose(struct sampling *sampling, uint64_t tick)
{
	sampling->unit = CINSTR_SAMPLING_NS;
	sampling->event = "cpu-clock";
	if (!sampling->interval)
		sampling->interval = INTERVAL_DEFAULT_NS;
	if (sampling->interval < tick)
		sampling->interval = tick;
	if (sampling->asked && sampling->asked < tick)
		warning("--sample=%.4gms: timers go off at the kernel's tick only: every %.3g ms",
			(double)sampling->asked / 1e6, (double)tick / 1e6);
	/* registers and copied stacks are what there is */
	if (sampling->stacks != CINSTR_STACKS_NONE)
		sampling->stacks = CINSTR_STACKS_CFI;
	if (sampling->stacks == CINSTR_STACKS_NONE)
		sampling->stack_bytes = 0;
	if (sampling->stack_bytes > STACK_BYTES_MAX)
		sampling->stack_bytes = STACK_BYTES_MAX;
	sampling->stack_bytes &= ~7u;
}

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

static uint32_t slots_wanted(const struct sampling *sampling, uint32_t slot_bytes)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t per_s = (uint64_t)(processors > 0 ? processors : 1) * 1000000000 / sampling->interval;
	uint64_t bytes = (per_s * KEEP_MS / 1000 + 1) * slot_bytes;

	if (bytes < RING_MIN)
		bytes = RING_MIN;
	if (bytes > RING_MAX)
		bytes = RING_MAX;
	return (uint32_t)(bytes / slot_bytes);
}

/* Blocks for all of it: a store into a hole of a full disk would end the program. With fewer slots
 * if need be. */
static int make_ring(struct timer_source *self, int fd)
{
	uint64_t record = sizeof(struct sampler_record) + sizeof(struct sampler_sample);
	int why = ENOSPC;

	self->slot_bytes = (uint32_t)round_up(self->base.sampling.stack_bytes + record, SAMPLER_PAGE);
	for (self->n_slots = slots_wanted(&self->base.sampling, self->slot_bytes); self->n_slots >= 8;
	     self->n_slots /= 2) {
		self->bytes = SAMPLER_PAGE + round_up(self->n_slots * 8ull, SAMPLER_PAGE) +
			      (uint64_t)self->n_slots * self->slot_bytes;
		why = posix_fallocate(fd, 0, (off_t)self->bytes);
		if (!why || (why != ENOSPC && why != EDQUOT))
			break;
		if (ftruncate(fd, 0))
			return -errno;
	}
	if (why)
		return -why;
	self->ring = mmap(NULL, self->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (self->ring == MAP_FAILED)
		self->ring = NULL;
	return self->ring ? 0 : -errno;
}

static uint64_t own_filters(void)
{
	char text[SAMPLER_STATUS_MAX];
	int fd = files_open("/proc/self/status", 0);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : 0;

	if (fd >= 0)
		close(fd);
	return sampler_filters(text, n > 0 ? (uint64_t)n : 0);
}

static void fill_ring(struct timer_source *self, uint64_t tick)
{
	struct sampler_ring *ring = self->ring;

	ring->bytes = self->bytes;
	ring->n_slots = self->n_slots;
	ring->slot_bytes = self->slot_bytes;
	ring->words_at = SAMPLER_PAGE;
	ring->slots_at = SAMPLER_PAGE + round_up(self->n_slots * 8ull, SAMPLER_PAGE);
	ring->interval_ns = self->base.sampling.interval;
	ring->tick_ns = tick;
	ring->stack_bytes = self->base.sampling.stack_bytes;
	ring->collector = (uint32_t)getpid();
	ring->filters = own_filters();
	ring->paused = (uint32_t)self->base.sampling.starts_paused;
	ring->beat_ns = util_raw_ns();
	ring->state = SAMPLER_OPEN;
	memcpy(ring->magic, SAMPLER_RING_MAGIC, sizeof(ring->magic));
}

static int open_ring(struct timer_source *self)
{
	uint64_t tick = tick_ns();
	int fd, error;

	choose(&self->base.sampling, tick);
	snprintf(self->path, sizeof(self->path), "%s/%s", self->base.sampling.session, SAMPLER_RING_NAME);
	fd = session_make_file(self->base.sampling.session, SAMPLER_RING_NAME);
	if (fd < 0)
		return fd;
	error = make_ring(self, fd);
	close(fd);
	if (error)
		unlink(self->path);
	else
		fill_ring(self, tick);
	return error;
}

static int timer_open(struct source *source, const pid_t *pids, size_t n_pids, pid_t child)
{
	struct timer_source *self = timer_source_of(source);
	int error;

	(void)pids;
	if (n_pids) {
		snprintf(source->why, sizeof(source->why),
			 "a process that is running already can be sampled only where perf_event_open is "
			 "permitted; start the program with cinstr record --sample -- PROGRAM");
		return -ENOTSUP;
	}
	if (source->sampling.program &&
	    timer_program_check(source->sampling.program, source->why, sizeof(source->why)))
		return -ENOTSUP;
	self->library = timer_library(source->why, sizeof(source->why));
	if (!self->library)
		return -ENOTSUP;
	self->child = (uint32_t)child;
	self->all.sink = source->sink;
	error = open_ring(self);
	if (error) {
		snprintf(source->why, sizeof(source->why), "%.300s: %s", self->path, strerror(-error));
		return error;
	}
	self->all.interval_ns = source->sampling.interval;
	self->found = xcalloc(self->n_slots, sizeof(*self->found));
	self->busy_since = xcalloc(self->n_slots, sizeof(*self->busy_since));
	return 0;
}

/* A variable whose value is a list with colons. */
static void add_to_variable(const char *name, const char *value, int first)
{
	const char *before = getenv(name);
	STRBUF(list);

	if (!before || !*before)
		strbuf_puts(&list, value);
	else
		strbuf_printf(&list, "%s:%s", first ? value : before, first ? before : value);
	setenv(name, list.text, 1);
}

/* What is preloaded already stays. Programs with AddressSanitizer end at once when its library is
 * not the first. */
static void timer_environment(const struct source *source)
{
	add_to_variable("LD_PRELOAD", ((const struct timer_source *)(const void *)source)->library, 1);
	add_to_variable("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
	setenv("CINSTR_METHOD", source->sampling.beside ? "beside" : "sampling", 1);
	setenv("CINSTR_SESSION", source->sampling.session, 1);
}

static int timer_enable(struct source *source, int on)
{
	atomic_store_relaxed(&timer_source_of(source)->ring->paused, (uint32_t)!on);
	return 0;
}

/* ---- wait ------------------------------------------------------------------------------------ */

static void beat(struct timer_source *self)
{
	atomic_store_relaxed(&self->ring->beat_ns, util_raw_ns());
}

/* Nobody tells when there is something: a handler that woke somebody up would take the program's
 * time. */
static int timer_wait(struct source *source, int extra_fd, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = extra_fd, .events = POLLIN };

	beat(timer_source_of(source));
	poll(&poll_fd, extra_fd >= 0, timeout_ms < 0 || timeout_ms > LOOK_MS ? LOOK_MS : timeout_ms);
	return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static const char *text_of(const struct sampler_record *record, char *text, size_t size)
{
	size_t n = record->text_bytes < size - 1 ? record->text_bytes : size - 1;

	memcpy(text, record + 1, n);
	text[n] = '\0';
	return text;
}

/* A process that has not been told of yet: its parent forked it. Unless that record was lost: then
 * it is looked at as it is. */
static struct timer_process *process_of(struct timer_source *self, const struct sampler_record *record)
{
	struct timer_process *process = timer_process_find(&self->all, record->pid);
	const struct sink *sink = self->base.sink;

	if (process)
		return process;
	if (record->pid != self->child && record->parent_pid && record->parent_pid != record->pid)
		sink->forked(sink->arg, record->ticks, record->pid, record->pid, record->parent_pid,
			     record->parent_tid ? record->parent_tid : record->parent_pid);
	return timer_process_add(&self->all, record->pid);
}

static void tell_program(struct timer_source *self, const struct sampler_record *record)
{
	int is_new = !timer_process_find(&self->all, record->pid);
	struct timer_process *process = process_of(self, record);
	const struct sink *sink = self->base.sink;
	char name[32];

	timer_process_clear(process);
	/* else it goes on counting: what comes before a program's begin cannot be sampled */
	if (is_new)
		process->cpu_begin_ns = process->cpu_ns = record->cpu_ns;
	text_of(record, name, sizeof(name));
	sink->named(sink->arg, record->ticks, record->pid, record->tid, name, 1);
	timer_thread_named(&self->all, record->ticks, record->pid, record->tid, name);
	self->programs++;
}

static void tell_thread(struct timer_source *self, const struct sampler_record *record)
{
	const struct sink *sink = self->base.sink;
	char name[32];

	process_of(self, record);
	sink->forked(sink->arg, record->ticks, record->pid, record->tid, record->pid, record->parent_tid);
	timer_thread_named(&self->all, record->ticks, record->pid, record->tid,
			   text_of(record, name, sizeof(name)));
}

static void tell_thread_end(struct timer_source *self, const struct sampler_record *record)
{
	const struct sink *sink = self->base.sink;
	char name[32];

	timer_thread_named(&self->all, record->ticks, record->pid, record->tid,
			   text_of(record, name, sizeof(name)));
	sink->exited(sink->arg, record->ticks, record->pid, record->tid);
	timer_thread_end(&self->all, record->pid, record->tid);
}

/* Counts the sample as often as it stands for an interval. The program could write to the copy of
 * the stack until now: its length is limited to what fits. */
static void tell_sample(struct timer_source *self, const struct sampler_record *record)
{
	const struct sampler_sample *from = (const void *)(record + 1);
	const struct sink *sink = self->base.sink;
	uint32_t intervals =
		from->intervals < SAMPLER_INTERVALS_MAX ? from->intervals : SAMPLER_INTERVALS_MAX;
	size_t room = self->slot_bytes - sizeof(*record) - sizeof(*from);
	struct raw_sample sample = { .ticks = record->ticks,
				     .pid = record->pid,
				     .tid = record->tid,
				     .in_kernel = (from->flags & SAMPLER_IN_KERNEL) != 0,
				     .has_registers = 1,
				     .stack = (const uint8_t *)(from + 1),
				     .stack_bytes = from->stack_bytes < room ? from->stack_bytes : room,
				     .stack_ends = (from->flags & SAMPLER_STACK_ENDS) != 0 };

	_Static_assert(SAMPLER_REGISTERS == MACHINE_REGISTERS, "the ring holds all of them");
	memcpy(sample.registers, from->registers, sizeof(sample.registers));
	if (!sample.stack_bytes)
		sample.stack = NULL;
	timer_process_look(&self->all, process_of(self, record), util_raw_ns(), sample.registers[MACHINE_IP]);
	timer_thread_look(&self->all, record->pid, record->tid, record->ticks);
	if (sample.in_kernel && !self->base.sampling.kernel)
		return;
	for (uint32_t i = 0; i < intervals; i++, sample.ticks++)
		sink->sample(sink->arg, &sample);
}

static void tell_silent(const struct sampler_record *record)
{
	char why[256];

	warning("no more samples of process %u: %s", record->pid,
		util_shown(text_of(record, why, sizeof(why))));
}

static void tell_process_end(struct timer_source *self, const struct sampler_record *record)
{
	struct timer_process *process = process_of(self, record);

	if (record->cpu_ns > process->cpu_ns)
		process->cpu_ns = record->cpu_ns;
}

static void tell(struct timer_source *self, const struct sampler_record *record)
{
	const struct sink *sink = self->base.sink;

	switch (record->type) {
	case SAMPLER_SAMPLE:
		tell_sample(self, record);
		break;
	case SAMPLER_PROGRAM:
		tell_program(self, record);
		break;
	case SAMPLER_MAPS:
		timer_process_lines(&self->all, process_of(self, record), record->ticks,
				    (const char *)(record + 1), record->text_bytes);
		break;
	case SAMPLER_FORKED:
		process_of(self, record)->cpu_begin_ns = record->cpu_ns;
		break;
	case SAMPLER_THREAD:
		tell_thread(self, record);
		break;
	case SAMPLER_THREAD_END:
		tell_thread_end(self, record);
		break;
	case SAMPLER_EXIT:
		tell_process_end(self, record);
		break;
	case SAMPLER_SILENT:
		tell_silent(record);
		break;
	}
	if (!record->lost)
		return;
	self->told_lost += record->lost;
	sink->lost(sink->arg, record->pid, record->lost);
}

/* ---- drain ----------------------------------------------------------------------------------- */

/* The slot of a thread that was killed while it wrote. One that was only stopped will go on. */
static void look_at_busy(struct timer_source *self, uint32_t slot, uint64_t word, uint64_t now)
{
	uint64_t *since = &self->busy_since[slot];

	if (!*since)
		*since = now;
	if (now - *since < BUSY_NS || !kill((pid_t)SAMPLER_WORD_TID(word), 0) || errno != ESRCH)
		return;
	*since = 0;
	if (atomic_compare_swap(sampler_word(self->ring, slot), &word, SAMPLER_FREE))
		atomic_add(&self->ring->lost, 1);
}

ORDER_ITEMS(is_earlier, struct found, ORDER(x->ticks, y->ticks), ORDER(x->slot, y->slot))

/* What is ready and was there when the look began: what has come meanwhile may have a predecessor
 * in a slot already passed. */
static size_t find(struct timer_source *self, uint64_t until)
{
	size_t n = 0;

	for (uint32_t i = 0; i < self->n_slots; i++) {
		uint64_t word = atomic_load_acquire(sampler_word(self->ring, i));
		uint64_t ticks;

		if (SAMPLER_WORD_SLOT(word) == SAMPLER_BUSY) {
			look_at_busy(self, i, word, util_raw_ns());
			continue;
		}
		self->busy_since[i] = 0;
		ticks = sampler_slot_at(self->ring, i)->ticks;
		if (SAMPLER_WORD_SLOT(word) == SAMPLER_READY && ticks <= until)
			self->found[n++] = (struct found){ ticks, i };
	}
	util_sort(self->found, n, sizeof(*self->found), is_earlier, NULL);
	return n;
}

static void finish(struct timer_source *self)
{
	const struct sink *sink = self->base.sink;
	uint64_t lost = atomic_load_relaxed(&self->ring->lost);

	if (lost > self->told_lost)
		sink->lost(sink->arg, 0, lost - self->told_lost);
	self->told_lost = lost;
	if (!self->programs)
		warning("no program has loaded %s: are they statically linked, or set-user-ID? They can be "
			"sampled only where perf_event_open is permitted",
			self->library);
}

static int timer_drain(struct source *source, int is_end)
{
	struct timer_source *self = timer_source_of(source);
	uint64_t now;
	size_t n;

	beat(self);
	timer_processes_find_gone(&self->all, util_raw_ns(), is_end);
	now = util_raw_ns();
	n = find(self, is_end ? UINT64_MAX : now);
	for (size_t i = 0; i < n; i++) {
		struct sampler_record *record = sampler_slot_at(self->ring, self->found[i].slot);

		if (record->text_bytes > SAMPLER_TEXT)
			record->text_bytes = 0;
		tell(self, record);
		/* slot_take */
		atomic_store_release(sampler_word(self->ring, self->found[i].slot), SAMPLER_FREE);
	}
	timer_processes_look(&self->all, now, (int)atomic_load_relaxed(&self->ring->paused));
	if (is_end)
		finish(self);
	return 0;
}

static void timer_close(struct source *source)
{
	struct timer_source *self = timer_source_of(source);

	if (self->ring) {
		atomic_store_release(&self->ring->state,
				     SAMPLER_ENDED); /* sampler_signal.c: no record depends on it */
		munmap(self->ring, self->bytes);
		unlink(self->path);
	}
	timer_processes_release(&self->all);
	free(self->found);
	free(self->busy_since);
	free(self->library);
	free(self);
}

struct source *timer_source_new(const struct sampling *sampling, const struct sink *sink)
{
	static const struct source_operations operations = { .kind = CINSTR_SOURCE_TIMERS,
							     .open = timer_open,
							     .environment = timer_environment,
							     .enable = timer_enable,
							     .wait = timer_wait,
							     .drain = timer_drain,
							     .close = timer_close };
	struct timer_source *self = xcalloc(1, sizeof(*self));

	self->base = (struct source){ .operations = &operations, .sampling = *sampling, .sink = sink };
	return &self->base;
}

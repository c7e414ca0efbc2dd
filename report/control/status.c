/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * status.c - cinstr control status: which processes of a session record, what keeps the others from
 * it, how much was recorded and what is wrong with it. Reads the files as they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control_levels.h"
#include "output/output.h"
#include "target.h"

#define THREADS_SHOWN 20 /* that are off, of a process, in a table */

/* One process, as it is told. */
struct status {
	const struct process *process;
	const char *state; /* "running", "ended" */
	struct strbuf off; /* why it does not record; empty: it does, or it has ended */
	struct strbuf problem;
	char *host;
	uint64_t length_ns, threads, live_threads, events, lost, bytes;
	long double elapsed, overhead; /* ns */
	struct level own;
	struct status_thread {
		uint32_t tid;
		char name[33];
		struct level level;
	} * live;	      /* threads, of one that is not sampled */
	uint32_t threads_off; /* of these: stopped or suspended by themselves */
	int usable;
	int is_sampled; /* `events` are samples */
};

/* ---- finding out ----------------------------------------------------------------------------- */

static void put_part(struct strbuf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
static void put_part(struct strbuf *buf, const char *format, ...)
{
	va_list args;

	strbuf_puts(buf, buf->length ? ", " : "");
	va_start(args, format);
	strbuf_vprintf(buf, format, args);
	va_end(args);
}

static void look_at_thread(struct status *status, const struct cinstr_thread *record)
{
	uint32_t pid = status->process->pid;
	struct status_thread *thread;

	if (record->state != CINSTR_THREAD_LIVE || !pid)
		return;
	status->live = xrealloc(status->live, status->live_threads + 1, sizeof(*status->live));
	thread = &status->live[status->live_threads++];
	*thread = (struct status_thread){ .tid = record->tid,
					  .level = level_read(&record->stopped, &record->suspensions) };
	memcpy(thread->name, record->name, sizeof(record->name));
	if (!record->named && pid == status->process->header.pid)
		process_thread_name(pid, thread->tid, thread->name, sizeof(thread->name));
	status->threads_off += (uint32_t)level_is_off(thread->level);
}

/* Of a sampled process samples are what is kept; nothing is run in it that could cost. */
static void look_at_samples(struct status *status, const struct data *data)
{
	status->is_sampled = 1;
	status->events = data->header->sampling.kept;
	status->lost = data->header->sampling.lost;
	status->elapsed = status->overhead = 0;
}

static void look_at_problems(struct status *status, const struct data *data, const struct totals *totals)
{
	static const char *const reasons[] = {
		[CINSTR_STOP_NO_SPACE] = "stopped early: no space left",
		[CINSTR_STOP_NO_MEMORY] = "stopped early: no memory",
		[CINSTR_STOP_CODES] = "stopped early: too much code",
		[CINSTR_STOP_OUT_OF_REACH] = "stopped early: its file is out of reach",
		[CINSTR_STOP_SECCOMP] = "stopped early: system calls are forbidden",
		[CINSTR_STOP_TASK] = "stopped early: a task without a thread",
		[CINSTR_STOP_CLOCK] = "stopped early: its clock is forbidden",
		[CINSTR_STOP_DISPATCH] = "stopped early: system calls go to the program",
	};
	const struct cinstr_header *h = data->header;

	if (h->stop != CINSTR_STOP_NONE)
		put_part(&status->problem, "%s",
			 h->stop < ARRAY_SIZE(reasons) && reasons[h->stop] ? reasons[h->stop]
									   : "stopped early");
	if (totals->lost_threads)
		put_part(&status->problem, "%llu threads not recorded",
			 (unsigned long long)totals->lost_threads);
	if (h->marks_lost)
		put_part(&status->problem, "%llu marks without room", (unsigned long long)h->marks_lost);
	if (data->n_problems)
		put_part(&status->problem, "damaged: %s", data->problems[0].reason);
}

static void look_at_data(struct status *status, const struct data *data)
{
	struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	const struct cinstr_control_block *own = (const void *)(data->memory + CINSTR_CONTROL_OFFSET);
	struct cinstr_control_block *companion =
		status->process->companion ? control_map(status->process->companion, 0) : NULL;
	const struct cinstr_control_block *block = companion ? companion : own;
	const char *host = data_property(data, "hostname");
	struct profile profile;

	profile_init(&profile, BY_PROCESS, &counting);
	profile_add(&profile, data);
	status->host = xstrdup(host ? host : "");
	status->length_ns = data_length_ns(data);
	status->threads = profile.totals.threads;
	status->events = profile.totals.events;
	status->lost = profile.totals.lost_events;
	status->elapsed = profile.totals.elapsed;
	status->overhead = profile.totals.overhead;
	status->bytes = data->file_bytes;
	status->own = level_of(block);
	if (data->header->method == CINSTR_METHOD_SAMPLING)
		look_at_samples(status, data);
	else
		for (size_t i = 0; i < data->n_threads; i++)
			look_at_thread(status, data->threads[i].record);
	look_at_problems(status, data, &profile.totals);
	profile_release(&profile);
	control_unmap(companion);
}

/* A file does not tell how long its process has been running without an event. */
static uint64_t since(uint64_t realtime_ns)
{
	uint64_t ns = util_realtime_ns();

	return ns > realtime_ns ? ns - realtime_ns : 0;
}

static void look(struct status *status, const struct process *process,
		 const struct cinstr_control_block *session)
{
	struct data data;

	*status = (struct status){ .process = process, .state = process->pid ? "running" : "ended" };
	strbuf_clear(&status->off);
	strbuf_clear(&status->problem);
	status->usable = !data_open(&data, process->path);
	if (status->usable)
		look_at_data(status, &data);
	else if (data.n_problems)
		strbuf_puts(&status->problem, data.problems[0].reason);
	data_release(&data);
	if (!process->pid || !status->usable)
		return;
	status->length_ns = since(process->header.start_realtime_ns);
	level_put_why(&status->off, "session", level_of(session));
	level_put_why(&status->off, "process", status->own);
	if (status->threads_off && status->threads_off == status->live_threads)
		put_part(&status->off, "all threads stopped or suspended");
}

static void status_release(struct status *status)
{
	strbuf_release(&status->off);
	strbuf_release(&status->problem);
	free(status->host);
	free(status->live);
}

static int is_recording(const struct status *status)
{
	return status->process->pid && status->usable && !status->off.length;
}

static size_t count_recording(const struct status *all, size_t n)
{
	size_t recording = 0;

	for (size_t i = 0; i < n; i++)
		recording += (size_t)is_recording(&all[i]);
	return recording;
}

/* ---- table ----------------------------------------------------------------------------------- */

static void put_recording(struct strbuf *buf, const struct status *status)
{
	if (!status->process->pid) {
		strbuf_puts(buf, "ended");
		return;
	}
	strbuf_puts(buf, status->off.length ? "off: " : status->usable ? "on" : "?");
	strbuf_puts(buf, status->off.length ? status->off.text : "");
	if (!status->off.length && status->threads_off)
		strbuf_printf(buf, ", but %u of %llu threads %s off", status->threads_off,
			      (unsigned long long)status->live_threads,
			      status->threads_off == 1 ? "is" : "are");
	if (status->own.suspensions < 0)
		level_put_resumed(buf, status->own.suspensions);
}

/* Those whose state is not that of a thread that nobody has switched. */
static void print_threads(const struct status *status, struct strbuf *line)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < status->live_threads; i++) {
		const struct status_thread *thread = &status->live[i];

		if ((!level_is_off(thread->level) && !thread->level.suspensions) || n++ >= THREADS_SHOWN)
			continue;
		strbuf_printf(line, "          thread %u (", thread->tid);
		strbuf_visible(line, thread->name);
		strbuf_puts(line, ")");
		level_put_state(line, thread->level, "");
		printf("%s\n", line->text);
		strbuf_clear(line);
	}
	if (n > THREADS_SHOWN)
		printf("          and %llu threads more\n", (unsigned long long)(n - THREADS_SHOWN));
}

static void put_overhead(struct strbuf *buf, const struct status *status)
{
	long double all = status->elapsed + status->overhead;

	if (all > 0)
		strbuf_printf(buf, "%.0Lf %%", 100 * status->overhead / all);
}

static void put_cell(struct strbuf *line, struct strbuf *cell, size_t width, int right)
{
	size_t n = util_columns(cell->text);

	if (right && n < width)
		strbuf_fill(line, ' ', width - n);
	strbuf_puts(line, cell->text);
	if (!right && n < width)
		strbuf_fill(line, ' ', width - n);
	strbuf_puts(line, "  ");
	strbuf_clear(cell);
}

static void print_status(const struct status *status, int hosts, struct strbuf *line)
{
	STRBUF(cell);

	strbuf_printf(&cell, "%u", status->process->shown_pid);
	put_cell(line, &cell, 8, 1);
	strbuf_visible(&cell, status->process->name);
	put_cell(line, &cell, 16, 0);
	if (hosts > 1) {
		strbuf_visible(&cell, status->host ? status->host : "");
		put_cell(line, &cell, 16, 0);
	}
	strbuf_duration(&cell, (long double)status->length_ns);
	put_cell(line, &cell, 9, 1);
	strbuf_thousands(&cell, status->threads);
	put_cell(line, &cell, 7, 1);
	strbuf_thousands(&cell, status->events);
	put_cell(line, &cell, 15, 1);
	put_overhead(&cell, status);
	put_cell(line, &cell, 8, 1);
	strbuf_thousands(&cell, status->lost);
	put_cell(line, &cell, 6, 1);
	strbuf_size(&cell, status->bytes);
	put_cell(line, &cell, 8, 1);
	put_recording(&cell, status);
	if (status->problem.length) {
		strbuf_puts(&cell, "; ");
		strbuf_visible(&cell, status->problem.text);
	}
	put_cell(line, &cell, 0, 0);
	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	printf("%s\n", line->text);
	strbuf_clear(line);
	print_threads(status, line);
}

static int all_sampled(const struct status *all, size_t n)
{
	size_t sampled = 0;

	for (size_t i = 0; i < n; i++)
		sampled += (size_t)all[i].is_sampled;
	return n && sampled == n;
}

static void print_table(const struct target *target, const struct status *all, size_t n, int hosts,
			const struct cinstr_control_block *session)
{
	STRBUF(line);
	STRBUF(why);

	strbuf_clear(&why);
	level_put_why(&why, "", level_of(session));
	if (!why.length)
		strbuf_puts(&why, target_has_ended(target) ? "ended" : "on");
	if (level_of(session).suspensions < 0)
		level_put_resumed(&why, level_of(session).suspensions);
	strbuf_visible(&line, target->folder);
	printf("Session %s: %s, %zu process%s, %zu running, %zu recording\n\n", line.text, why.text, n,
	       n == 1 ? "" : "es", target->n_live, count_recording(all, n));
	strbuf_clear(&line);
	printf("     PID  Name            %s   Length  Threads          %s  Overhead    Lost      Size  "
	       "Recording\n",
	       hosts > 1 ? "  Host            " : "", all_sampled(all, n) ? "Samples" : " Events");
	for (size_t i = 0; i < n; i++)
		print_status(&all[i], hosts, &line);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_level(struct items *items, struct level level)
{
	items_flag(items, "stopped", level.stopped != 0);
	items_signed(items, "suspensions", level.suspensions);
}

static void put_threads(struct items *items, const struct status *s)
{
	items_open(items, "live_threads", '[', ITEMS_INLINE);
	for (uint64_t i = 0; i < s->live_threads; i++) {
		items_open(items, NULL, '{', ITEMS_INLINE);
		items_count(items, "tid", s->live[i].tid);
		items_text(items, "name", s->live[i].name);
		put_level(items, s->live[i].level);
		items_close(items);
	}
	items_close(items);
}

static void put_process(struct items *items, const struct status *s)
{
	items_open(items, NULL, '{', ITEMS_INLINE);
	items_count(items, "pid", s->process->shown_pid);
	items_text(items, "name", s->process->name);
	items_text(items, "host", s->host ? s->host : "");
	items_text(items, "file", util_basename(s->process->path));
	items_text(items, "state", s->state);
	items_flag(items, "recording", is_recording(s));
	items_text(items, "off_because", s->off.text);
	put_level(items, s->own);
	items_count(items, "threads_off", s->threads_off);
	put_threads(items, s);
	items_text(items, "method", s->is_sampled ? "sampling" : "instrumentation");
	items_count(items, "length_ns", s->length_ns);
	items_count(items, "threads", s->threads);
	items_count(items, s->is_sampled ? "samples" : "events", s->events);
	items_count(items, s->is_sampled ? "lost_samples" : "lost_events", s->lost);
	items_ns(items, "elapsed_ns", s->elapsed);
	items_ns(items, "probe_overhead_ns", s->overhead);
	items_count(items, "bytes", s->bytes);
	items_text(items, "problem", s->problem.text);
	items_close(items);
}

static void put_all(struct items *items, const struct target *target, const struct status *all, size_t n,
		    const struct cinstr_control_block *session)
{
	items_open(items, NULL, '{', ITEMS_BLOCK);
	items_open(items, "session", '{', ITEMS_INLINE);
	items_text(items, "folder", target->folder);
	put_level(items, level_of(session));
	items_flag(items, "started_later", session && session->started_later);
	items_count(items, "processes", n);
	items_count(items, "running", target->n_live);
	items_count(items, "recording", count_recording(all, n));
	items_close(items);
	items_open(items, "processes", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < n; i++)
		put_process(items, &all[i]);
	items_close(items);
	items_close(items);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int count_hosts(const struct status *all, size_t n)
{
	int hosts = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < i && strcmp(all[k].host ? all[k].host : "", all[i].host ? all[i].host : ""))
			k++;
		hosts += k == i;
	}
	return hosts;
}

int status_show(struct target *target, const struct items_format *format)
{
	struct items items;
	struct cinstr_control_block *session = control_map(target->session_file, 0);
	struct status *all = xcalloc(target->n + 1, sizeof(*all));
	int status = STATUS_OK;

	for (size_t i = 0; i < target->n; i++) {
		look(&all[i], &target->processes[i], session);
		if (!all[i].usable)
			status = STATUS_DATA;
	}
	if (format) {
		items_begin(&items, stdout, format);
		put_all(&items, target, all, target->n, session);
		items_end(&items);
	} else {
		print_table(target, all, target->n, count_hosts(all, target->n), session);
	}
	for (size_t i = 0; i < target->n; i++)
		status_release(&all[i]);
	control_unmap(session);
	free(all);
	return status;
}

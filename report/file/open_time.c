/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "open_time.h"

#include <stddef.h>
#include <string.h>

#include "cinstr/waits.h"
#include "data.h"
#include "runtime/fold/fold.h"

/* What was off the processor for less than this part of the time was computing: the clock of
 * another thread's processor time may be late. */
#define OFF_PART 16
/* A stamp that is later than that after the recording's begin counts as damaged. */
#define LATEST_NS 3e17L /* ten years */
#define LATEST_TICKS 1e18L

/* ---- the end --------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

int open_time_has_stamp(const struct cinstr_record *r)
{
	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_START:
	case CINSTR_SP_SLOW:
	case CINSTR_SP_RESUME:
	case CINSTR_SP_PAUSE:
	case CINSTR_SP_CONTINUE:
		return 1;
	default:
		return 0;
	}
}

uint64_t open_time_latest(const struct data *data)
{
	int known;
	long double ticks = LATEST_NS / data_ns_per_tick(data, &known);

	return later(data->header->clock_ticks[0], data->header->clock_ticks[1]) +
	       (uint64_t)(ticks < LATEST_TICKS ? ticks : LATEST_TICKS);
}

/* The buffer ends before a record that is too late. */
static void cut(struct data *data, struct cinstr_record *r)
{
	data_problem(data, (uint64_t)((char *)r - data->memory),
		     "the time of an event is years after the beginning: no event after it is used");
	r->code = 0;
}

/* The last stamp in a buffer: up to what is not valid, as in a fold (struct cinstr_thread). */
static uint64_t last_in(struct data *data, struct cinstr_record *r, size_t n)
{
	uint64_t now = CINSTR_SPECIAL_VALUE(&r[0]), next, latest = open_time_latest(data);

	for (size_t i = 1; i < n && r[i].code; i++, now = next) {
		int is_special = CINSTR_CODE_KIND(r[i].code) == CINSTR_EV_SPECIAL;

		if (is_special ? fold_is_stale(now, &r[i]) : r[i].time_lo < (uint32_t)now)
			break;
		if (is_special)
			next = open_time_has_stamp(&r[i]) ? CINSTR_SPECIAL_VALUE(&r[i]) : now;
		else
			next = now + (r[i].time_lo - (uint32_t)now);
		if (next > latest) {
			cut(data, &r[i]);
			break;
		}
	}
	return now;
}

/* The last stamp of the thread, in its tree or in its buffer; 0: not known. */
static uint64_t last_stamp(struct data *data, const struct cinstr_thread *t)
{
	uint64_t time = t->states[t->commit & 1].time, latest = open_time_latest(data);
	struct cinstr_record *r;

	if (time > latest)
		return 0;
	if (t->buffer_offset % CINSTR_PAGE != sizeof(struct cinstr_segment) || t->buffer_bytes < sizeof(*r) ||
	    t->buffer_bytes > data->file_bytes || t->buffer_offset > data->file_bytes - t->buffer_bytes)
		return time;
	r = (struct cinstr_record *)(void *)(data->memory + t->buffer_offset);
	if (CINSTR_CODE_KIND(r->code) != CINSTR_EV_SPECIAL ||
	    CINSTR_SPECIAL_TYPE(r->code) != CINSTR_SP_START || CINSTR_SPECIAL_VALUE(r) < time)
		return time;
	if (CINSTR_SPECIAL_VALUE(r) <= latest)
		return last_in(data, r, t->buffer_bytes / sizeof(*r));
	cut(data, r);
	return time;
}

/* Stamp of the end that the header has; 0: none. */
static uint64_t noted_end(struct data *data)
{
	uint64_t end = data->header->end_ticks;

	if (end <= open_time_latest(data))
		return end;
	data_problem(data, offsetof(struct cinstr_header, end_ticks),
		     "the time of its end is years after its beginning, and is not used");
	return 0;
}

uint64_t open_time_end(struct data *data)
{
	uint64_t end = later(data->end_ticks, noted_end(data));

	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];
		const struct cinstr_thread *t = (const void *)(data->memory + s->offset);

		if (s->type == CINSTR_SEG_THREAD && s->bytes >= sizeof(*t) && t->root && t->state)
			end = later(end, last_stamp(data, t));
	}
	return data->header->stop ? 0 : end; /* it ended earlier, in each thread for itself */
}

uint64_t open_time_stamp(const struct cinstr_header *h, uint64_t raw_ns)
{
	struct data data = { .header = h };
	int known, last = h->clock_ns[2] ? 2 : 1;
	long double ns_per_tick = data_ns_per_tick(&data, &known);

	if (h->clock == CINSTR_CLOCK_MONOTONIC_RAW)
		return raw_ns;
	if (!known || !h->clock_ns[last] || raw_ns < h->clock_ns[last])
		return 0;
	return h->clock_ticks[last] + util_whole((long double)(raw_ns - h->clock_ns[last]) / ns_per_tick);
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* Functions without probes that do nothing but wait, though they are not among the known wrappers
 * of system calls: what an older plugin did not say of a site, its callee's name does. */
static int waits_by_name(const char *name)
{
	static const char *const locks[] = { "mtx_lock", "pthread_mutex_lock", "pthread_rwlock_rdlock",
					     "pthread_rwlock_wrlock", "sem_wait" };

	for (size_t i = 0; i < sizeof(locks) / sizeof(*locks); i++)
		if (!strcmp(locks[i], name))
			return 1;
	return cinstr_waits_by_name(name);
}

static int is_call(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT || kind == CINSTR_CELL_FLAT_CALL;
}

/* Of a call by name. */
static int is_wait(const struct data *data, const struct cinstr_cell *cell)
{
	const struct module *module = is_call(cell) ? modules_by_code(&data->modules, cell->site) : NULL;
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;

	return site && (site->flags & CINSTR_SITE_SYSCALL || (site->callee && waits_by_name(site->callee)));
}

/* Ticks that the thread was off the processor since its last event; where nobody could be asked, a
 * wait was so all the time. */
static uint64_t off_cpu(const struct data *data, const struct cinstr_thread *t,
			const struct cinstr_cell *current, const struct open_time *open)
{
	uint64_t whole = open->to - open->from, cpu, off;
	int known;

	if (!t->end_cpu_ns || !t->asked_ticks)
		return is_wait(data, current) ? whole : 0;
	if (open->to <= t->asked_ticks || t->end_cpu_ns < t->asked_cpu_ns)
		return 0;
	cpu = util_whole((long double)(t->end_cpu_ns - t->asked_cpu_ns) / data_ns_per_tick(data, &known));
	off = open->to - t->asked_ticks;
	off = off > cpu ? off - cpu : 0;
	off = off < whole ? off : whole;
	return off > whole / OFF_PART ? off : 0;
}

struct open_time open_time_of(const struct data *data, const struct cinstr_thread *t)
{
	const struct cinstr_fold_state *state = &t->states[t->commit & 1];
	const struct cinstr_cell *current;
	struct open_time open = { state->time, data->end_ticks, 0, 0 };

	if (t->state != CINSTR_THREAD_LIVE || t->end_cpu_ns == UINT64_MAX || !state->depth || state->paused ||
	    open.to <= open.from)
		return (struct open_time){ 0 };
	current = (const void *)(data->memory + (uint64_t)state->current * sizeof(*current));
	open.off_cpu_ticks = off_cpu(data, t, current, &open);
	/* A function with probes does not ask to wait: the others do. */
	if (open.off_cpu_ticks)
		open.bits = is_call(current) ? CINSTR_OS_VOLUNTARY : CINSTR_OS_INVOLUNTARY;
	return open;
}

void open_time_fold(struct fold *fold, const struct open_time *open, uint64_t to)
{
	const struct cinstr_thread *t = fold->thread;
	uint64_t now = t->states[t->commit & 1].time, whole = open->to - open->from, ticks;

	to = to < open->to ? to : open->to;
	if (to <= now)
		return;
	ticks = to - now;
	fold_extend(fold, to, open->bits,
		    (uint64_t)((unsigned __int128)open->off_cpu_ticks * (ticks < whole ? ticks : whole) /
			       whole));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * collector_control.c - decides whether recording is on: from the control blocks of the session and
 * of the processes' files, which `cinstr control` writes, and from the programs' companions
 * (companion_watch.h). Polled every few milliseconds; samples are judged by the time when they were
 * taken. If nothing is on, the source is switched off.
 */
#include "collector_state.h"

#include <stdio.h>

#include "cinstr/atomics.h"
#include "lib/util.h"
#include "runtime/process/session.h"

static int block_is_off(const struct cinstr_control_block *block)
{
	return atomic_load_relaxed(&block->stopped) || atomic_load_relaxed(&block->suspensions) > 0;
}

static struct cinstr_control_block *session_block(void)
{
	char *page = session_page().at;

	return page ? (struct cinstr_control_block *)(void *)(page + CINSTR_CONTROL_OFFSET) : NULL;
}

/* ---- begin ----------------------------------------------------------------------------------- */

/* Processes that come begin stopped, unless the session was switched on since. */
void control_begin(const struct collector *c, struct process *process, const struct process *parent)
{
	const struct cinstr_control_block *block = session_block();
	int is_paused =
		c->source->sampling.starts_paused && !(block && atomic_load_relaxed(&block->started_later));

	on_off_log_begin(&process->switches, parent ? parent->switches.is_last : is_paused);
}

/* So that the block says what is: of a file that was just made. */
void control_show(const struct process *process)
{
	store_control(process->store)->stopped = process->switches.is_last != 0;
}

/* ---- looking --------------------------------------------------------------------------------- */

static void mark(const struct process *process, uint64_t now, const char *level, int is_off)
{
	char text[64];

	snprintf(text, sizeof(text), "%s goes %s", level, is_off ? "off" : "on");
	store_mark(process->store, now, process->pid, CINSTR_MARK_STATE, text);
}

static void session_look(struct collector *c, uint64_t now)
{
	const struct cinstr_control_block *block = session_block();

	if (!block || !on_off_log_add(&c->switches, now, block_is_off(block)))
		return;
	for (size_t i = 0; i < c->pids.n; i++)
		if (c->processes[i] && c->processes[i]->store)
			mark(c->processes[i], now, "session", c->switches.is_last);
}

/* 1: it is on. One without a file yet is on when the session says so of those that come. */
static int process_look(const struct collector *c, struct process *process, uint64_t now, int are_started)
{
	const struct cinstr_control_block *own = companions_block(c->companions, process->pid);

	if (own)
		return !block_is_off(own);
	if (!process->store) {
		if (are_started)
			on_off_log_add(&process->switches, now, 0);
	} else if (on_off_log_add(&process->switches, now, block_is_off(store_control(process->store)))) {
		mark(process, now, "process", process->switches.is_last);
	}
	return !process->switches.is_last;
}

void control_look(struct collector *c)
{
	const struct cinstr_control_block *block = session_block();
	int are_started = block && atomic_load_relaxed(&block->started_later), is_on = 0;
	uint64_t now = util_raw_ns();

	session_look(c, now);
	companions_look(c->companions, now);
	for (size_t i = 0; i < c->pids.n; i++)
		if (c->processes[i])
			is_on |= process_look(c, c->processes[i], now, are_started);
	c->has_started |= is_on || are_started;
	is_on = c->has_started && !c->switches.is_last;
	if (is_on != c->is_on)
		c->source->operations->enable(c->source, is_on);
	c->is_on = is_on;
}

int control_is_off(struct collector *c, struct process *process, uint32_t tid, uint64_t ticks)
{
	if (on_off_log_at(&c->switches, ticks))
		return 1;
	if (companions_block(c->companions, process->pid))
		return !companions_are_on(c->companions, process->pid, tid, ticks);
	return on_off_log_at(&process->switches, ticks);
}

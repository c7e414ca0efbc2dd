/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * collector_control.c - whether recording is on: the control blocks of the session and of the processes' files, into which `cinstr
 * control` writes. They are looked at every few milliseconds; samples are judged by when they were taken.
 */
#include "collector_state.h"

#include <stdio.h>
#include <time.h>

#include "session.h"

uint64_t collector_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int block_is_off(const struct cinstr_control_block *block)
{
	return __atomic_load_n(&block->stopped, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&block->suspensions, __ATOMIC_RELAXED) > 0;
}

static int last_is_off(const struct switches *switches)
{
	return switches->n ? switches->last[(switches->n - 1) % SWITCHES_KEPT].is_off : 0;
}

/* Notes a change. 1: there was one. */
static int switches_look(struct switches *switches, const struct cinstr_control_block *block, uint64_t now)
{
	/* Acquire: pairs with control_changed. */
	uint32_t epoch = __atomic_load_n(&block->epoch, __ATOMIC_ACQUIRE);
	int is_off;

	if (epoch == switches->epoch)
		return 0;
	switches->epoch = epoch;
	is_off = block_is_off(block);
	if (is_off == last_is_off(switches))
		return 0;
	switches->last[switches->n % SWITCHES_KEPT].ticks = now;
	switches->last[switches->n++ % SWITCHES_KEPT].is_off = is_off;
	return 1;
}

/* Behind the last change before that moment. */
static int was_off(const struct switches *switches, uint64_t ticks)
{
	uint64_t kept = switches->n < SWITCHES_KEPT ? switches->n : SWITCHES_KEPT;

	for (uint64_t i = switches->n; i > switches->n - kept; i--)
		if (switches->last[(i - 1) % SWITCHES_KEPT].ticks <= ticks)
			return switches->last[(i - 1) % SWITCHES_KEPT].is_off;
	return kept ? !switches->last[(switches->n - kept) % SWITCHES_KEPT].is_off : 0;
}

int control_is_off(const struct collector *c, const struct process *process, uint64_t ticks)
{
	return was_off(&c->switches, ticks) || was_off(&process->switches, ticks);
}

/* ---- looking ------------------------------------------------------------------------------------------- */

static struct cinstr_control_block *session_block(void)
{
	char *page = session_page().at;

	return page ? (struct cinstr_control_block *)(void *)(page + CINSTR_CONTROL_OFFSET) : NULL;
}

static void mark(const struct process *process, uint64_t now, const char *level, int is_off)
{
	char text[64];

	snprintf(text, sizeof(text), "%s goes %s", level, is_off ? "off" : "on");
	store_mark(process->store, now, process->pid, CINSTR_MARK_STATE, text);
}

static void session_look(struct collector *c, uint64_t now)
{
	const struct cinstr_control_block *block = session_block();
	int is_off;

	if (!block || !switches_look(&c->switches, block, now))
		return;
	is_off = last_is_off(&c->switches);
	c->source->operations->enable(c->source, !is_off);
	for (size_t i = 0; i < c->pids.n; i++)
		if (c->processes[i] && c->processes[i]->store)
			mark(c->processes[i], now, "session", is_off);
}

void control_look(struct collector *c)
{
	uint64_t now = collector_now();

	session_look(c, now);
	for (size_t i = 0; i < c->pids.n; i++) {
		struct process *process = c->processes[i];

		if (process && process->store &&
		    switches_look(&process->switches, store_control(process->store), now))
			mark(process, now, "process", last_is_off(&process->switches));
	}
}

void control_begin_paused(struct collector *c)
{
	struct cinstr_control_block *block = session_page().writable ? session_block() : NULL;

	if (!block)
		return;
	__atomic_store_n(&block->stopped, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&block->epoch, 1, __ATOMIC_RELEASE); /* pairs with switches_look */
	c->switches.epoch = block->epoch;
	c->switches.last[c->switches.n % SWITCHES_KEPT].is_off = 1;
	c->switches.last[c->switches.n++ % SWITCHES_KEPT].ticks = 0;
}

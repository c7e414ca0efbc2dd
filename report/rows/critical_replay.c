/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * critical_replay.c - the time that a process would have taken if a function took less: replays its
 * threads in order of time. The function takes a part of its time, everything else takes its own,
 * and each wait that another thread ended is over when that thread comes to the same moment (and as
 * long after it as it was). With the factor 1 the result is the process's time, to the tick. Where
 * only windows of time were kept, they follow one another.
 */
#include <stdlib.h>

#include "critical_steps.h"
#include "lib/order.h"
#include "lib/search.h"

/* In the order in which they are done at one moment. */
enum event_kind {
	EVENT_BEGIN, /* of a thread */
	EVENT_END,   /* of an item that nobody has ended */
	EVENT_GIVE,  /* a wait is ended by its waker ... */
	EVENT_WOKEN, /* ... and is over */
	EVENT_OVER,  /* end of a thread, before that of the process */
};

struct event {
	uint64_t time;
	uint32_t line, item;
	enum event_kind kind;
};

/* Where a thread is: at `time` it would have been at `now`, since the window's begin; the next item
 * is `next`. */
struct place {
	uint64_t time;
	long double now;
	size_t next;
	long double gap;   /* what a tick of a gap takes */
	long double given; /* when the next item's wait was ended ... */
	uint64_t given_at; /* ... and the begin of the window, before which it was not */
	/* that it was in at the end of the window before; NULL: none */
	const struct critical_item *wait;
	int has_begun;
};

struct critical_replay {
	const struct critical_lines *lines;
	struct event *events; /* in order of time; begins first */
	size_t n;
	struct place *places; /* of each line */
	const struct critical_less *less;
	long double latest; /* of the threads, at the end of the window before */
	/* when the last of the threads that are over has ended: see end_item() and end_line() */
	long double ended;
};

ORDER_ITEMS(compare, struct event, ORDER(x->time, y->time), ((int)x->kind - (int)y->kind))

static void add_events(struct critical_replay *replay, uint32_t number)
{
	const struct critical_line *line = &replay->lines->list[number];

	replay->events[replay->n++] = (struct event){ line->begin, number, 0, EVENT_BEGIN };
	if (line->end < replay->lines->end)
		replay->events[replay->n++] = (struct event){ line->end, number, 0, EVENT_OVER };
	for (uint32_t i = 0; i < line->n; i++) {
		const struct critical_item *item = &line->items[i];
		int is_woken = item->waker != CRITICAL_NOBODY;

		replay->events[replay->n++] =
			(struct event){ item->end, number, i, is_woken ? EVENT_WOKEN : EVENT_END };
		if (is_woken)
			replay->events[replay->n++] = (struct event){ item->given, number, i, EVENT_GIVE };
	}
}

struct critical_replay *critical_replay_new(const struct critical_lines *lines)
{
	struct critical_replay *replay = xcalloc(1, sizeof(*replay));
	size_t n = 2 * lines->n;

	replay->lines = lines;
	for (size_t i = 0; i < lines->n; i++)
		n += 2 * lines->list[i].n;
	replay->events = xcalloc(n + 1, sizeof(*replay->events));
	replay->places = xcalloc(lines->n + 1, sizeof(*replay->places));
	for (uint32_t i = 0; i < lines->n; i++)
		add_events(replay, i);
	util_sort(replay->events, replay->n, sizeof(*replay->events), compare, NULL);
	return replay;
}

static int is_of(const struct critical_replay *replay, uint32_t path)
{
	return replay->less->nodes[path];
}

/* What a tick of the item takes. What was waited for another thread is not the function's. */
static long double rate_of(const struct critical_replay *replay, const struct critical_item *item)
{
	long double all = (long double)(item->end - item->begin);
	long double kept = item->part == CRITICAL_UNKNOWN ? (long double)item->off / all : 0;

	if (item->waker != CRITICAL_NOBODY || !is_of(replay, item->path))
		return 1;
	return kept + (1 - kept) * replay->less->factor;
}

/* Returns when the thread would have been where it was at `time`: not before its place, and not
 * behind the end of its next item. */
static long double when(const struct critical_replay *replay, uint32_t number, uint64_t time)
{
	const struct critical_line *line = &replay->lines->list[number];
	const struct place *place = &replay->places[number];
	const struct critical_item *item = place->next < line->n ? &line->items[place->next] : NULL;
	uint64_t gap_end = time;

	if (item && item->begin < time)
		gap_end = item->begin > place->time ? item->begin : place->time;
	return place->now + place->gap * (long double)(gap_end - place->time) +
	       (gap_end < time ? rate_of(replay, item) * (long double)(time - gap_end) : 0);
}

static void end_item(struct critical_replay *replay, const struct event *event)
{
	struct place *place = &replay->places[event->line];
	const struct critical_item *item = &replay->lines->list[event->line].items[event->item];
	long double now;

	if (event->kind == EVENT_END) {
		now = when(replay, event->line, item->end);
	} else {
		uint64_t begin = item->begin > place->time ? item->begin : place->time;
		uint64_t given = item->given > place->given_at ? item->given : place->given_at;
		long double begun = when(replay, event->line, begin);

		now = place->given + (long double)(item->end - given);
		now = begun > now ? begun : now;
		if (item->is_join && replay->ended > now)
			now = replay->ended;
		if (item->is_lock && replay->less->frees_locks && is_of(replay, item->path))
			now = begun;
	}
	place->now = now;
	place->time = item->end;
	place->next++;
}

static void give(struct critical_replay *replay, const struct event *event)
{
	const struct critical_item *item = &replay->lines->list[event->line].items[event->item];

	replay->places[event->line].given = when(replay, item->waker, item->given);
}

/* The process's end, and each end of a wait for a thread, come after the ends of all threads that
 * were over by then: other calls that waited for these returned at once. */
static void end_line(struct critical_replay *replay, const struct event *event)
{
	long double end = when(replay, event->line, event->time);

	if (replay->places[event->line].has_begun && end > replay->ended)
		replay->ended = end;
}

/* What a tick takes in the gaps of the thread. */
static long double gap_of(const struct critical_replay *replay, const struct critical_line *line)
{
	long double of = 0;

	for (size_t i = 0; i < line->n_shares; i++)
		for (int part = 0; is_of(replay, line->shares[i].path) && part < CRITICAL_UNKNOWN; part++)
			of += line->shares[i].ticks[part];
	return line->shared > 0 ? 1 - (1 - replay->less->factor) * of / line->shared : 1;
}

static void begin_line(struct critical_replay *replay, uint32_t number)
{
	const struct critical_line *line = &replay->lines->list[number];
	struct place *place = &replay->places[number];

	place->time = line->begin;
	place->now = line->maker == CRITICAL_NOBODY ? replay->latest : when(replay, line->maker, line->begin);
	place->has_begun = 1;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Returns the wait for another thread that lies across this time; NULL: the thread is in none. */
static const struct critical_item *wait_across(const struct critical_line *line, uint64_t time)
{
	const struct critical_item *item = critical_item_before(line, time);

	return item && item->end > time && item->waker != CRITICAL_NOBODY ? item : NULL;
}

/* Who waits for another thread is where it was when it began to. */
static void end_window(struct critical_replay *replay, uint64_t end)
{
	replay->latest = 0;
	for (uint32_t i = 0; i < replay->lines->n; i++) {
		const struct critical_line *line = &replay->lines->list[i];
		struct place *place = &replay->places[i];
		const struct critical_item *wait = wait_across(line, end);
		uint64_t until = end < line->end ? end : line->end;

		if (!place->has_begun)
			continue;
		if (wait)
			until = wait->begin;
		if (until > place->time)
			place->now = when(replay, i, until);
		place->wait = wait;
		if (line->end > end && place->now > replay->latest)
			replay->latest = place->now;
	}
}

/* The threads stand where they were at the end of the window before; what they did between the two
 * has taken no time, but that waits are over. */
static void begin_window(struct critical_replay *replay, uint64_t begin)
{
	const struct critical_lines *lines = replay->lines;

	for (size_t i = 0; i < lines->n; i++) {
		const struct critical_line *line = &lines->list[i];
		const struct critical_item *item = critical_item_before(line, begin + 1);
		struct place *place = &replay->places[i];
		const struct critical_item *over = place->wait;

		place->next = item ? (size_t)(item - line->items) + (item->end <= begin) : 0;
		place->time = begin;
		place->given_at = begin;
		if (!place->has_begun && line->begin <= begin) {
			place->now = replay->latest;
			place->has_begun = 1;
		}
		if (over && over->end <= begin && replay->places[over->waker].now > place->now)
			place->now = replay->places[over->waker].now;
	}
	for (size_t i = 0; i < lines->n; i++) {
		const struct critical_item *wait = wait_across(&lines->list[i], begin);

		if (wait)
			replay->places[i].given = replay->places[wait->waker].now;
	}
}

/* Returns the number of the first event behind this time. */
static size_t event_behind(const struct critical_replay *replay, uint64_t time)
{
	size_t i;

	SEARCH(i, replay->n, replay->events[i].time > time);
	return i;
}

static void run_window(struct critical_replay *replay, const struct critical_window *window)
{
	begin_window(replay, window->begin);
	for (size_t i = event_behind(replay, window->begin);
	     i < replay->n && replay->events[i].time <= window->end; i++) {
		const struct event *event = &replay->events[i];

		if (event->kind == EVENT_BEGIN)
			begin_line(replay, event->line);
		else if (event->kind == EVENT_GIVE)
			give(replay, event);
		else if (event->kind == EVENT_OVER)
			end_line(replay, event);
		else
			end_item(replay, event);
	}
}

long double critical_replay_run(struct critical_replay *replay, const struct critical_window *windows,
				size_t n, const struct critical_less *less)
{
	long double end;

	replay->less = less;
	replay->latest = 0;
	replay->ended = 0;
	for (size_t i = 0; i < replay->lines->n; i++)
		replay->places[i] = (struct place){ .gap = gap_of(replay, &replay->lines->list[i]) };
	for (size_t i = n; i-- > 1;) {
		run_window(replay, &windows[i]);
		end_window(replay, windows[i].end);
	}
	if (!n)
		return 0;
	run_window(replay, windows);
	end = when(replay, windows->thread, windows->end);
	return windows->end == replay->lines->end && replay->ended > end ? replay->ended : end;
}

void critical_replay_free(struct critical_replay *replay)
{
	free(replay->events);
	free(replay->places);
	free(replay);
}

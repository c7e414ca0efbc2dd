/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "on_off_log.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

void on_off_log_begin(struct on_off_log *switches, int is_off)
{
	switches->is_off = switches->is_last = is_off;
	switches->first = switches->n = 0;
}

/* What was asked for is let go of when room is needed. */
static void make_room(struct on_off_log *switches)
{
	if (switches->n < switches->size)
		return;
	if (switches->first > switches->size / 2) {
		switches->n -= switches->first;
		memmove(switches->moments, switches->moments + switches->first,
			switches->n * sizeof(*switches->moments));
		switches->first = 0;
		return;
	}
	ARRAY_ROOM(switches->moments, switches->n, switches->size, 8);
}

int on_off_log_add(struct on_off_log *switches, uint64_t ticks, int is_off)
{
	if (switches->is_last == is_off)
		return 0;
	make_room(switches);
	if (switches->n > switches->first && switches->moments[switches->n - 1].ticks > ticks)
		ticks = switches->moments[switches->n - 1].ticks;
	switches->moments[switches->n].ticks = ticks;
	switches->moments[switches->n++].is_off = switches->is_last = is_off;
	return 1;
}

int on_off_log_at(struct on_off_log *switches, uint64_t ticks)
{
	while (switches->first < switches->n && switches->moments[switches->first].ticks <= ticks)
		switches->is_off = switches->moments[switches->first++].is_off;
	return switches->is_off;
}

void on_off_log_release(struct on_off_log *switches)
{
	free(switches->moments);
	*switches = (struct on_off_log){ .is_off = 0 };
}

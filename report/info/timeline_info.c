/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timeline_info.c - see timeline_info.h: how much of a process's timeline there is, and which rings
 * were kept.
 */
#include <stdlib.h>

#include "file/timeline_chunks.h"
#include "lib/order.h"
#include "lib/util.h"
#include "timeline_info.h"

#define KEPT_SHOWN 20

/* What was kept for one mark; or the timeline as it stands (kept: 0). */
struct part {
	uint64_t kept;
	uint64_t events, bytes;
	uint64_t from, to; /* stamps */
};

struct parts {
	struct part *list;
	size_t n;
	uint64_t lost, left_out, damaged;
};

static struct part *part_of(struct parts *parts, uint64_t kept)
{
	for (size_t i = 0; i < parts->n; i++)
		if (parts->list[i].kept == kept)
			return &parts->list[i];
	parts->list = xrealloc(parts->list, parts->n + 1, sizeof(*parts->list));
	parts->list[parts->n] = (struct part){ .kept = kept, .from = UINT64_MAX };
	return &parts->list[parts->n++];
}

static void add_thread(struct parts *parts, const struct data *data, const struct data_thread *thread)
{
	struct timeline timeline;
	struct timeline_piece piece;
	int status = timeline_open(&timeline, data, thread);

	timeline.headers_only = 1;
	while (!status && timeline_next(&timeline, &piece)) {
		struct part *part = part_of(parts, piece.kept);

		part->events += piece.events;
		part->bytes += piece.is_pending ? 0 : piece.bytes;
		part->from = piece.start_ticks < part->from ? piece.start_ticks : part->from;
		part->to = piece.end_ticks > part->to ? piece.end_ticks : part->to;
	}
	parts->damaged += timeline.damaged;
	timeline_release(&timeline);
	parts->lost += thread->record->timeline_lost;
	parts->left_out += thread->record->timeline_short;
}

ORDER_ITEMS(by_kept, struct part, ORDER(x->kept, y->kept))

/* ---- text ------------------------------------------------------------------------------------ */

static void put_moment(struct strbuf *text, const struct data *data, uint64_t ticks)
{
	uint64_t begin = data->header->clock_ticks[0];
	int known;

	strbuf_printf(text, "%.3Lf ms",
		      (ticks > begin ? (long double)(ticks - begin) : 0) * data_ns_per_tick(data, &known) /
			      1e6L);
}

static void put_part(struct strbuf *text, const struct data *data, const struct part *part)
{
	strbuf_thousands(text, part->events);
	strbuf_puts(text, part->events == 1 ? " event in " : " events in ");
	strbuf_size(text, part->bytes);
	if (part->events)
		strbuf_printf(text, " (%.2f bytes an event)", (double)part->bytes / (double)part->events);
	if (!part->events || part->from > part->to)
		return;
	strbuf_puts(text, ", from ");
	put_moment(text, data, part->from);
	strbuf_puts(text, " to ");
	put_moment(text, data, part->to);
}

static void say_mode(struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	struct strbuf *text = &info->text;

	strbuf_puts(text, h->timeline_mode == CINSTR_TIMELINE_RING ? "the newest events, " : "all events, ");
	if (h->timeline_bytes == UINT64_MAX) {
		strbuf_puts(text, "without a limit");
	} else {
		strbuf_puts(text, "up to ");
		strbuf_size(text, h->timeline_bytes);
	}
	if (h->timeline_min_ns) {
		strbuf_puts(text, "; calls shorter than ");
		strbuf_duration(text, (long double)h->timeline_min_ns);
		strbuf_puts(text, " were left out");
	}
	info_say(info, "timeline");
}

static void say_missing(struct info *info, const struct data *data, const struct parts *parts)
{
	int ring = data->header->timeline_mode == CINSTR_TIMELINE_RING;
	struct strbuf *text = &info->text;

	if (parts->lost) {
		strbuf_thousands(text, parts->lost);
		strbuf_puts(text, ring ? " events overwritten" : " events beyond the budget");
	}
	if (parts->left_out) {
		strbuf_puts(text, text->length ? "; " : "");
		strbuf_thousands(text, parts->left_out);
		strbuf_puts(text, " events of short calls left out");
	}
	if (parts->damaged) {
		strbuf_puts(text, text->length ? "; " : "");
		strbuf_thousands(text, parts->damaged);
		strbuf_puts(text, " segments damaged");
	}
	if (text->length)
		info_say(info, "");
}

static void say_kept(struct info *info, const struct data *data, const struct part *part)
{
	struct strbuf *text = &info->text;

	strbuf_puts(text, "kept: ");
	for (size_t i = 0; i < data->n_marks; i++) {
		if (data->marks[i].ticks != part->kept)
			continue;
		strbuf_visible(text, data->marks[i].text);
		strbuf_puts(text, ": ");
		break;
	}
	put_part(text, data, part);
	info_say(info, "");
}

/* The timeline as it stands comes first. */
static struct parts parts_of(const struct data *data)
{
	struct parts parts = { 0 };

	part_of(&parts, 0);
	for (size_t i = 0; i < data->n_threads; i++)
		add_thread(&parts, data, &data->threads[i]);
	util_sort(parts.list, parts.n, sizeof(*parts.list), by_kept, NULL);
	return parts;
}

void timeline_say(struct info *info, const struct data *data)
{
	struct parts parts;

	if (!data->header->timeline_mode)
		return;
	parts = parts_of(data);
	say_mode(info, data);
	put_part(&info->text, data, &parts.list[0]);
	info_say(info, "");
	say_missing(info, data, &parts);
	for (size_t i = 1; i < parts.n && i <= KEPT_SHOWN; i++)
		say_kept(info, data, &parts.list[i]);
	free(parts.list);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static long double ns_of(const struct data *data, uint64_t ticks)
{
	uint64_t begin = data->header->clock_ticks[0];
	int known;

	return (ticks > begin ? (long double)(ticks - begin) : 0) * data_ns_per_tick(data, &known);
}

static void part_put(struct items *items, const struct data *data, const struct part *part)
{
	int has_range = part->events && part->from <= part->to;

	items_open(items, NULL, '{', ITEMS_LINES);
	items_count(items, "events", part->events);
	items_count(items, "bytes", part->bytes);
	if (has_range) {
		items_ns(items, "from_ns", ns_of(data, part->from));
		items_ns(items, "to_ns", ns_of(data, part->to));
	}
	if (part->kept)
		items_ns(items, "kept_ns", ns_of(data, part->kept));
	items_close(items);
}

void timeline_put(struct items *items, const struct data *data)
{
	struct parts parts;

	if (!data->header->timeline_mode)
		return;
	parts = parts_of(data);
	items_open(items, "timeline", '{', ITEMS_LINES);
	items_text(items, "mode",
		   data->header->timeline_mode == CINSTR_TIMELINE_RING ? "newest events" : "all events");
	items_count(items, "min_ns", data->header->timeline_min_ns);
	items_count(items, "lost_events", parts.lost);
	items_count(items, "left_out_events", parts.left_out);
	items_count(items, "damaged_segments", parts.damaged);
	items_open(items, "parts", '[', ITEMS_LINES);
	for (size_t i = 0; i < parts.n; i++)
		part_put(items, data, &parts.list[i]);
	items_close(items);
	items_close(items);
	free(parts.list);
}

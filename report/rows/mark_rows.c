/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mark_rows.c - BY_MARK: a row for each phase of each process, in order of time: the begin of the
 * recording, and each mark that began one; and one without values for each mark that did not
 * (profile.h).
 */
#include <stdlib.h>

#include "file/phases.h"
#include "profile.h"

#define NONE ROW_NONE

static int is_mark(const struct data_mark *mark)
{
	return mark->kind == CINSTR_MARK_PROGRAM || mark->kind == CINSTR_MARK_OUTSIDE;
}

static const char *mark_name(struct profile *profile, const struct data_mark *mark)
{
	STRBUF(text);

	if (*mark->text)
		return map_keep(&profile->strings, mark->text);
	strbuf_printf(&text, "mark %lld", (long long)mark->id);
	return map_keep(&profile->strings, text.text);
}

long double profile_moment_ns(const struct profile *profile, const struct data *data, uint64_t ticks)
{
	struct session_clock own = { 0 };
	long double ns;

	if (profile->clock)
		return session_clock_ns(profile->clock, data->header, ticks);
	session_clock_init_file(&own, data->header);
	ns = session_clock_ns(&own, data->header, ticks);
	session_clock_release(&own);
	return ns;
}

static uint32_t row_add(struct profile *profile, const struct data *data, uint64_t ticks, const char *name,
			int64_t id)
{
	uint32_t number = (uint32_t)profile->n_rows;
	struct row *row = profile_row(profile, number);
	const char *host = process_host(data);

	row->name = name;
	row->pid = data->header->pid;
	row->host = host ? map_keep(&profile->strings, host) : NULL;
	row->mark_id = id;
	row->begin = profile_moment_ns(profile, data, ticks);
	row->end = -1;
	return number;
}

static void phase_row(struct profile *profile, const struct data *data, uint32_t number,
		      const struct data_mark *mark)
{
	uint64_t begin = phases_begin(data, number);
	const char *name = number ? "(mark lost)" : "(begin of the recording)";

	profile->phase_rows[number] = NONE;
	if (phases_is_chosen(data, number))
		profile->phase_rows[number] =
			row_add(profile, data, begin, mark ? mark_name(profile, mark) : name,
				mark ? mark->id : 0);
	if (profile->phase_rows[number] != NONE && number + 1 < phases_count(data))
		profile->rows[profile->phase_rows[number]].end =
			profile_moment_ns(profile, data, phases_begin(data, number + 1));
}

/* Marks that began no phase, from `next` on, up to the begin of `number`. Returns the next one. */
static size_t other_rows(struct profile *profile, const struct data *data, size_t next, uint32_t number)
{
	uint64_t end = number < phases_count(data) ? data_phases(data)[number - 1] : UINT64_MAX;

	for (; next < data->n_marks && data->marks[next].ticks < end; next++) {
		const struct data_mark *mark = &data->marks[next];
		uint32_t row;

		if (!is_mark(mark) || mark->phase || !phases_is_chosen(data, number - 1))
			continue;
		row = row_add(profile, data, mark->ticks, mark_name(profile, mark), mark->id);
		profile->rows[row].is_unmeasured = 1;
	}
	return next;
}

void mark_rows_add(struct profile *profile, const struct data *data)
{
	uint32_t n = phases_count(data);
	FREED const struct data_mark **mark_of = xcalloc(n, sizeof(const struct data_mark *));
	size_t next = 0;

	profile->marks_unknown |= data->phases_unknown;
	profile->phase_rows = xrealloc(profile->phase_rows, n, sizeof(*profile->phase_rows));
	for (size_t i = 0; i < data->n_marks; i++)
		if (data->marks[i].phase < n)
			mark_of[data->marks[i].phase] = &data->marks[i];
	mark_of[0] = NULL;
	for (uint32_t number = 0; number < n; number++) {
		phase_row(profile, data, number, mark_of[number]);
		next = other_rows(profile, data, next, number + 1);
	}
}

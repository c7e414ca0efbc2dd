/* SPDX-License-Identifier: GPL-3.0-or-later */
/* process_rows.c - the properties of a process's or thread's row beside its values: names, begin,
 * end, how it ended (profile.h). */
#include <stdlib.h>
#include <string.h>

#include "names/thread_names.h"
#include "profile.h"
#include "session/process_end.h"

#define PROCESS_NAME_MOST 48

static const char *keep(struct profile *profile, struct strbuf *text)
{
	const char *kept = map_keep(&profile->strings, text->text);

	strbuf_release(text);
	return kept;
}

const char *process_name_of(struct profile *profile, const struct data *data)
{
	const char *exe = data_property(data, "exe");
	const struct cinstr_control_block *block = (const void *)(data->memory + CINSTR_CONTROL_OFFSET);
	char name[sizeof(block->name) + 1] = "";

	if (data->header->header_bytes >= CINSTR_PAGE && block->named == 1)
		memcpy(name, block->name, sizeof(block->name));
	if (name[0])
		return map_keep(&profile->strings, name);
	return map_keep(&profile->strings, exe ? util_basename(exe) : SYMBOL_UNKNOWN);
}

static const char *ending_name(struct profile *profile, const struct ending *ending)
{
	struct strbuf text = { 0 };

	ending_put(&text, ending);
	return keep(profile, &text);
}

uint32_t process_rank_after(const struct data *data)
{
	const char *rank = data_property(data, "rank");
	char *end;
	unsigned long number = rank ? strtoul(rank, &end, 10) : 0;

	return rank && *rank && !*end && number < UINT32_MAX ? (uint32_t)number + 1 : 0;
}

static void put_process(struct profile *profile, struct row *row, const struct data *data,
			const struct ending *ending)
{
	const char *host = process_host(data), *job = data_property(data, "job");

	row->process = process_name_of(profile, data);
	row->pid = data->header->pid;
	row->process_number = data->process_number;
	row->twin = data->twin;
	row->parent_pid = data->header->parent_pid;
	row->host = host ? map_keep(&profile->strings, host) : NULL;
	row->ended = ending_name(profile, ending);
	row->job = job && *job ? map_keep(&profile->strings, job) : NULL;
	row->rank_after = process_rank_after(data);
}

/* Processes begin and end by the time of day, which is noted, if it is, when they have ended. */
static long double realtime_of(const struct profile *profile, uint64_t start_realtime_ns,
			       uint64_t realtime_ns)
{
	uint64_t begin = profile->clock ? profile->clock->begin_realtime_ns : start_realtime_ns;

	return realtime_ns > begin ? (long double)(realtime_ns - begin) : 0;
}

static long double realtime_ns(const struct profile *profile, const struct data *data, uint64_t realtime_ns)
{
	return realtime_of(profile, data->header->start_realtime_ns, realtime_ns);
}

static long double end_of_process(const struct profile *profile, const struct data *data,
				  const struct ending *ending)
{
	const struct cinstr_header *h = data->header;
	uint64_t last = h->clock_ticks[0];

	if (ending->until_now)
		return realtime_ns(profile, data, h->start_realtime_ns + ending_length_ns(data, ending));
	if (h->end_realtime_ns > h->start_realtime_ns)
		return realtime_ns(profile, data, h->start_realtime_ns + data_length_ns(data));
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].state->time > last)
			last = data->threads[i].state->time;
	return profile_moment_ns(profile, data, last);
}

/* The arguments, where the first word of a command line is the program. */
static const char *arguments_of(const struct row *row)
{
	const char *space = row->command_line ? strchr(row->command_line, ' ') : NULL;

	return space && *row->command_line != '\'' ? space : "";
}

/* Shortened in the middle: what tells one from the others is often at the end. */
static const char *with_arguments(struct profile *profile, const struct row *row)
{
	struct strbuf text = { 0 };

	strbuf_printf(&text, "%s%s", row->process, arguments_of(row));
	if (text.length > PROCESS_NAME_MOST) {
		struct strbuf shorter = { 0 };

		strbuf_add(&shorter, text.text, PROCESS_NAME_MOST / 2);
		strbuf_puts(&shorter, "..");
		strbuf_puts(&shorter, text.text + text.length - PROCESS_NAME_MOST / 2 + 2);
		strbuf_release(&text);
		text = shorter;
	}
	return keep(profile, &text);
}

/* A row differs from another one that is called alike, if any two of these differ. */
void processes_tell_apart(struct profile *profile)
{
	struct map names = { 0 };
	/* by name; the first: of the first row that has it */
	FREED const char **arguments = xcalloc(profile->n_rows + 1, sizeof(*arguments));
	FREED uint8_t *differs = xcalloc(profile->n_rows + 1, 1);

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];
		size_t name;
		int is_new;

		if (!row->process)
			continue;
		name = map_add(&names, row->process, strlen(row->process), &is_new);
		if (is_new)
			arguments[name] = arguments_of(row);
		else if (strcmp(arguments[name], arguments_of(row)) != 0)
			differs[name] = 1;
	}
	for (size_t i = 0; i < profile->n_rows; i++) {
		struct row *row = &profile->rows[i];

		if (row->process && differs[map_find(&names, row->process, strlen(row->process))])
			row->name = with_arguments(profile, row);
	}
	map_release(&names);
}

void life_of_process(struct profile *profile, struct row *row, const struct data *data)
{
	char *command_line = totals_command_line(data);
	struct strbuf text = { .text = command_line };
	struct ending ending = ending_of(data, profile->names);

	put_process(profile, row, data, &ending);
	row->name = row->process;
	row->command_line = keep(profile, &text);
	row->begin = realtime_ns(profile, data, data->header->start_realtime_ns);
	row->end = end_of_process(profile, data, &ending);
}

/* ---- groups of processes --------------------------------------------------------------------- */

static void group_key(struct strbuf *key, const struct profile *profile, const struct row *row)
{
	const char *job = row->job ? row->job : "", *host = row->host ? row->host : "";

	if (profile->group == GROUP_RANK)
		strbuf_printf(key, "%s\n%u", job, row->rank_after);
	else
		strbuf_printf(key, "%s\n", profile->group == GROUP_HOST ? host : job);
}

static const char *group_name(struct profile *profile, const struct row *row)
{
	struct strbuf text = { 0 };

	if (profile->group == GROUP_RANK && row->rank_after)
		strbuf_printf(&text, "rank %u", row->rank_after - 1);
	else if (profile->group == GROUP_RANK)
		strbuf_puts(&text, "[no rank]");
	else if (profile->group == GROUP_HOST)
		strbuf_puts(&text, row->host ? row->host : "[host not known]");
	else
		strbuf_puts(&text, row->job ? row->job : "[no job]");
	return keep(profile, &text);
}

static void join(struct row *row, const struct row *more);

/* The number of the row that the process belongs to. */
static uint32_t place_process(struct profile *profile, const struct row *process)
{
	struct strbuf key = { 0 };
	struct row *row;
	uint32_t number = (uint32_t)profile->n_rows;
	int is_new = 1;

	if (profile->group != GROUP_PROCESS) {
		group_key(&key, profile, process);
		number = (uint32_t)map_add(&profile->keys, key.text, key.length, &is_new);
		strbuf_release(&key);
	}
	row = profile_row(profile, number);
	if (!is_new) {
		join(row, process);
		return number;
	}
	*row = *process;
	if (profile->group != GROUP_PROCESS)
		row->name = group_name(profile, row);
	return number;
}

static struct row row_of_none(void)
{
	struct row row = row_empty;

	row.n_processes = 1;
	return row;
}

static const char *text_or_none(struct profile *profile, const char *text)
{
	return *text ? map_keep(&profile->strings, text) : NULL;
}

static void add_contributor(struct profile *profile, const struct merged_contributor *c)
{
	struct row process = row_of_none(), *row;
	uint32_t number;

	process.host = text_or_none(profile, c->host);
	process.job = text_or_none(profile, c->job);
	process.process = text_or_none(profile, c->program);
	process.name = process.process ? process.process : SYMBOL_UNKNOWN;
	process.rank_after = c->rank_after;
	process.pid = c->pid;
	process.begin = realtime_of(profile, c->start_realtime_ns, c->start_realtime_ns);
	process.end = process.begin + (long double)c->length;
	process.is_contributor = 1;
	number = place_process(profile, &process);
	row = &profile->rows[number];
	row->calls += c->calls;
	row->are_calls_least |= c->are_calls_least != 0;
	mixed_row_add_whole(row);
	row->mpi += (long double)c->mpi;
	row->mpi_busy += (long double)c->mpi_busy;
#define ADD(name) \
	row->sums.name##_inclusive += (long double)c->name; \
	row->sums.name##_exclusive += (long double)c->name;
	AMOUNTS_MERGED(ADD)
#undef ADD
}

void process_rows_add(struct profile *profile, const struct data *data)
{
	struct row process = row_of_none();

	if (!data->merged) {
		life_of_process(profile, &process, data);
		profile->process_row = place_process(profile, &process);
		return;
	}
	for (uint32_t i = 0; i < data->merged->head->n_contributors; i++)
		add_contributor(profile, &data->merged->contributors[i]);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void put_thread(struct profile *profile, struct row *row, const struct data *data,
		       const struct data_thread *thread)
{
	const struct cinstr_thread *record = thread->record;
	FREED char *name = thread_shown_name(profile->names, data, thread);
	struct ending ending = ending_of(data, profile->names);

	put_process(profile, row, data, &ending);
	if (record->state == CINSTR_THREAD_ENDED)
		row->ended = "ended";
	row->name = name[0] ? map_keep(&profile->strings, name) : row->process;
	row->n_threads = record->members > 1 ? record->members : 1;
	row->tid = record->tid;
	row->begin = profile_moment_ns(profile, data, record->first_ticks);
	row->end = profile_moment_ns(profile, data, thread->state->time);
}

void life_of_thread(struct profile *profile, struct row *row, const struct data *data,
		    const struct data_thread *thread)
{
	struct strbuf shared = { 0 };

	put_thread(profile, row, data, thread);
	if (data->merged) {
		strbuf_printf(&shared, "all %u threads", row->n_threads);
		row->name = keep(profile, &shared);
	} else if (row->n_threads > 1) { /* short-lived threads that shared one record */
		strbuf_printf(&shared, "%s and %u more", row->name, row->n_threads - 1);
		row->name = keep(profile, &shared);
	}
}

static int are_equal(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* What is not the same in all of them is left empty. */
static void join(struct row *row, const struct row *more)
{
	row->n_threads += more->n_threads;
	row->begin = more->begin < row->begin ? more->begin : row->begin;
	row->end = more->end > row->end ? more->end : row->end;
	row->pid = are_equal(row->host, more->host) && row->pid == more->pid ? row->pid : 0;
	row->process_number = row->process_number == more->process_number ? row->process_number : 0;
	row->twin = row->process_number ? row->twin : 0;
	row->host = are_equal(row->host, more->host) ? row->host : NULL;
	row->tid = 0;
	row->job = are_equal(row->job, more->job) ? row->job : NULL;
	row->rank_after = row->rank_after == more->rank_after ? row->rank_after : 0;
	row->ended = are_equal(row->ended, more->ended) ? row->ended : NULL;
	row->process = are_equal(row->process, more->process) ? row->process : NULL;
	row->command_line = are_equal(row->command_line, more->command_line) ? row->command_line : NULL;
	row->parent_pid = row->parent_pid == more->parent_pid ? row->parent_pid : 0;
	row->n_processes += more->n_processes;
	row->is_contributor |= more->is_contributor;
}

struct row *life_of_thread_name(struct profile *profile, const struct data *data,
				const struct data_thread *thread)
{
	struct row more = { 0 }, *row;
	STRBUF(key);
	uint32_t number;
	int is_new;

	put_thread(profile, &more, data, thread);
	strbuf_printf(&key, "%s\n%s", more.process, more.name);
	number = (uint32_t)map_add(&profile->keys, key.text, key.length, &is_new);
	row = profile_row(profile, number);
	if (is_new)
		put_thread(profile, row, data, thread);
	else
		join(row, &more);
	if (row->n_threads > 1)
		row->tid = 0;
	return row;
}

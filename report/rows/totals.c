/* SPDX-License-Identifier: GPL-3.0-or-later */
/* totals.c - sums over a session: denominators, conservation, events, losses (profile.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/held.h"
#include "profile.h"
#include "session/recorded_choice.h"

#define ARGUMENTS_MAX 64

/* "app and others, merged of 12 processes" */
static void put_merged_title(struct strbuf *line, const struct merged *merged)
{
	const char *first = merged->contributors[0].program;
	int are_others = 0;

	for (uint32_t i = 1; i < merged->head->n_contributors; i++)
		are_others |= strcmp(merged->contributors[i].program, first) != 0;
	strbuf_printf(line, "%s%s, merged of ", *first ? first : SYMBOL_UNKNOWN,
		      are_others ? " and others" : "");
	strbuf_thousands(line, merged->head->n_contributors);
	strbuf_printf(line, " process%s", merged->head->n_contributors == 1 ? "" : "es");
}

char *totals_command_line(const struct data *data)
{
	struct strbuf line = { 0 };
	const char *value;
	char key[16];

	strbuf_clear(&line);
	for (unsigned i = 0; i < ARGUMENTS_MAX; i++) {
		snprintf(key, sizeof(key), "argv%u", i);
		value = data_property(data, key);
		if (!value)
			break;
		strbuf_puts(&line, i ? " " : "");
		strbuf_argument(&line, value);
	}
	value = data_property(data, "exe");
	if (!line.length && data->merged && data->merged->head->n_contributors)
		put_merged_title(&line, data->merged);
	else if (!line.length)
		strbuf_puts(&line, value ? util_basename(value) : SYMBOL_UNKNOWN);
	return line.text;
}

static void add_refused(struct totals *totals, const struct module *module)
{
	const char *why = module_why_refused(module);

	if (!why)
		return;
	totals->modules_refused++;
	if (totals->refused_path)
		return;
	totals->refused_path = xstrdup(module->path);
	totals->refused_why = why;
}

static void add_modules(struct totals *totals, const struct data *data)
{
	int waits = 0;

	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];
		int is_new;

		map_add(&totals->modules, module->path, strlen(module->path), &is_new);
		for (size_t k = 0; is_new && k < module->n_left_out; k++) {
			int by_choice = module_left_out_by_choice(&module->left_out[k]);

			totals->left_out_by_choice += by_choice;
			totals->left_out_by_need += !by_choice;
		}
		if (is_new)
			add_refused(totals, module);
		totals->sleds_refused += module->raw->refused;
		waits |= module->waits_for_start;
	}
	totals->waiting += (uint64_t)waits;
}

static void add_chosen(struct totals *totals, const struct data *data)
{
	STRBUF(text);
	int is_new;

	strbuf_clear(&text);
	choice_put(&text, data);
	map_add(&totals->chosen, text.text, text.length + 1, &is_new);
}

static void add_host(struct totals *totals, const struct data *data)
{
	const char *host = data_property(data, "hostname"), *boot = data_property(data, "boot_id");
	STRBUF(key);
	int is_new;

	strbuf_printf(&key, "%s\n%s", host ? host : "", boot ? boot : "");
	map_add(&totals->hosts, key.text, key.length, &is_new);
}

/* A merged file is of so many processes. */
static uint64_t processes_of(const struct data *data)
{
	return data->merged ? data->merged->head->n_contributors : 1;
}

/* The boots of their machines are not kept. */
static void add_merged_hosts(struct totals *totals, const struct merged *merged)
{
	for (uint32_t i = 0; i < merged->head->n_contributors; i++) {
		const struct merged_contributor *c = &merged->contributors[i];
		int is_new;

		map_add(&totals->hosts, c->host, strlen(c->host) + 1, &is_new);
		totals->ranked += c->rank_after != 0;
		if (*c->job)
			map_add(&totals->jobs, c->job, strlen(c->job) + 1, &is_new);
	}
}

static void add_rank(struct totals *totals, const struct data *data)
{
	const char *job = data_property(data, "job");
	int is_new;

	totals->ranked += process_rank_after(data) != 0;
	if (job && *job)
		map_add(&totals->jobs, job, strlen(job) + 1, &is_new);
}

static void add_cpu_limit(struct totals *totals, const struct data *data)
{
	const char *text = data_property(data, "cpu_limit");
	uint64_t limit = text ? strtoull(text, NULL, 10) : 0;

	if (limit && (!totals->cpu_limit || limit < totals->cpu_limit))
		totals->cpu_limit = limit;
}

static void add_times(struct totals *totals, const struct data *data, uint64_t length_ns)
{
	uint64_t begin = data->header->start_realtime_ns, end = begin + length_ns;

	if (!totals->processes || begin < totals->begin_realtime_ns)
		totals->begin_realtime_ns = begin;
	if (end > totals->end_realtime_ns)
		totals->end_realtime_ns = end;
}

static int began_paused(const struct data *data)
{
	const char *options = data_property(data, "options");

	if (options && strstr(options, "CINSTR_START=paused"))
		return 1;
	for (size_t i = 0; i < data->modules.n; i++)
		if (data->modules.list[i].waits_for_start)
			return 1;
	return 0;
}

long double totals_paused_beyond(const struct data *data, long double ns_per_tick, uint64_t length_ns)
{
	uint64_t begin = data->header->clock_ticks[0];
	int began = began_paused(data);
	long double sum = 0;

	if (data->sampled || data->phases_unknown)
		return 0;
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct cinstr_thread *record = data->threads[i].record;
		const struct cinstr_fold_state *state = data->threads[i].state;
		long double until_last = (long double)(int64_t)(state->time - begin) * ns_per_tick;

		if (began && record->tid == data->header->pid && record->first_ticks > begin && state->pauses)
			sum += (long double)(record->first_ticks - begin) * ns_per_tick;
		if (state->paused && record->state != CINSTR_THREAD_ENDED &&
		    (long double)length_ns > until_last)
			sum += (long double)length_ns - until_last;
	}
	return sum;
}

/* Ticks, or samples, of all paths. */
static uint64_t recorded_of(const struct data *data)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < data->n_threads; i++)
		for (size_t k = 0; k < data->threads[i].n_nodes; k++)
			sum += data->threads[i].nodes[k].cell->ticks;
	return sum;
}

/* A shell, or another program that starts it, may be the first one. */
static void add_exe(struct totals *totals, const struct data *data)
{
	uint64_t recorded = recorded_of(data);
	const char *exe = data_property(data, "exe");

	if (totals->processes && recorded <= totals->exe_recorded)
		return;
	free(totals->exe);
	totals->exe = exe ? xstrdup(exe) : NULL;
	totals->exe_recorded = recorded;
}

void totals_add_process(struct totals *totals, const struct data *data, long double ns_per_tick, int known,
			uint64_t length_ns)
{
	const struct cinstr_header *h = data->header;
	long double threshold = (long double)h->threshold_ticks * ns_per_tick;
	uint64_t n = processes_of(data);

	if (!totals->processes || h->start_realtime_ns < totals->begin_realtime_ns) {
		free(totals->title);
		totals->title = totals_command_line(data);
	}
	add_exe(totals, data);
	totals->method = (enum cinstr_method)h->method;
	add_times(totals, data, length_ns);
	add_modules(totals, data);
	add_chosen(totals, data);
	if (data->merged)
		add_merged_hosts(totals, data->merged);
	else
		add_host(totals, data);
	add_rank(totals, data);
	add_cpu_limit(totals, data);
	quality_add(&totals->facts, data, ns_per_tick);
	totals->processes += n;
	totals->merged += data->merged ? n : 0;
	totals->attach += (long double)h->attach_ns;
	totals->paused_beyond += totals_paused_beyond(data, ns_per_tick, length_ns);
	totals->lost_events += h->lost_events;
	totals->lost_threads += h->lost_threads;
	totals->restartable += h->restartable ? n : 0;
	totals->by_threshold += !h->restartable && h->threshold_ticks ? n : 0;
	totals->no_source += (!h->restartable && !h->threshold_ticks) || h->no_counters ? n : 0;
	totals->streams += h->streams ? n : 0;
	totals->uncalibrated += !h->calibration.rounds && !data->sampled ? n : 0;
	totals->no_frequency += known ? 0 : n;
	totals->stopped += h->stop != CINSTR_STOP_NONE;
	totals->functions_only += h->probes == 1 ? n : 0;
	if (threshold > totals->threshold)
		totals->threshold = threshold;
	if (data->sampled)
		samples_totals_add(&totals->samples, data);
	totals->is_mixed |= h->mixed || data->mixed || (data->merged && data->merged->totals.mixed);
	mixed_totals_add(&totals->mixed, data, ns_per_tick);
}

static uint64_t open_frames(const struct data_thread *thread)
{
	uint64_t n = thread->n_open_flat;

	for (size_t i = 0; i < thread->n_open; i++)
		n += CINSTR_CELL_KIND(thread->nodes[thread->open[i]].cell->tag) == CINSTR_CELL_FRAME;
	return n;
}

static void add_events(struct totals *totals, const struct data *data, const struct data_thread *thread)
{
	const struct cinstr_fold_state *s = thread->state;
	const struct cinstr_thread *t = thread->record;
	uint64_t open = open_frames(thread);
	uint32_t hot_from;

	totals->events += s->events;
	totals->enters += s->enters;
	totals->exits += s->exits;
	totals->implicit_exits += s->implicit_exits;
	totals->open_frames += open;
	totals->unbalanced +=
		(int64_t)(s->enters - s->exits - s->implicit_exits - open - thread->n_open_elsewhere);
	totals->orphans += s->orphans;
	totals->pauses += s->pauses;
	totals->repaired += s->repaired;
	totals->lost_events += s->lost_events;
	totals->merged_calls += s->merged_calls;
	data_paths(data, t, &hot_from);
	totals->merged_by_number += hot_from ? 0 : s->merged_calls;
	totals->uncounted += s->uncounted;
	totals->timeline_lost += thread->record->timeline_lost;
	totals->voluntary += s->voluntary;
	totals->involuntary += s->involuntary;
	totals->kernel_voluntary +=
		t->counters_last.voluntary - t->counters_first.voluntary - t->own_voluntary;
	totals->kernel_involuntary +=
		t->counters_last.involuntary - t->counters_first.involuntary - t->own_involuntary;
}

/* What a kind of process weighs is its time, not its number. */
static void add_by_kind(struct totals *totals, const struct data *data, long double elapsed)
{
	const struct cinstr_header *h = data->header;

	if (data->sampled)
		return;
	totals->uncalibrated_ns += h->calibration.rounds ? 0 : elapsed;
	totals->functions_only_ns += h->probes == 1 ? elapsed : 0;
	totals->monotonic_ns += h->clock == CINSTR_CLOCK_MONOTONIC_RAW ? elapsed : 0;
}

/* Adds the table of the process's blocks, with its first thread. */
static void add_held(struct totals *totals, const struct data *data, const struct data_thread *thread)
{
	size_t n;
	const struct cinstr_held_table *table = held_table(data, &n);

	/* of a part of the recording (--from) it is not known */
	if (!table || (const char *)thread->record != data->memory + thread->offset)
		return;
	totals->holding++;
	if (thread != data->threads)
		return;
	totals->held_most += table->most;
	totals->held_unseen += table->replaced;
	if (table->halvings > totals->held_halvings)
		totals->held_halvings = table->halvings;
}

void totals_add_thread(struct totals *totals, const struct data *data, const struct data_thread *thread,
		       const struct node_values *root, long double ns_per_tick)
{
	int64_t off = values_conservation(thread);

	totals->threads += thread->record->members ? thread->record->members : 1;
	totals->elapsed += (long double)root->inclusive.elapsed * ns_per_tick;
	add_by_kind(totals, data, (long double)root->inclusive.elapsed * ns_per_tick);
	totals->application += (long double)root->inclusive.application * ns_per_tick;
	totals->preempted_work += (long double)root->inclusive.preempted_work * ns_per_tick;
	totals->off_cpu += (long double)root->inclusive.off_cpu * ns_per_tick;
	totals->outside += (long double)root->exclusive.elapsed * ns_per_tick;
	if (root->exclusive.elapsed > root->exclusive.off_cpu)
		totals->outside_cpu +=
			(long double)(root->exclusive.elapsed - root->exclusive.off_cpu) * ns_per_tick;
	totals->overhead += (long double)root->inclusive.overhead * ns_per_tick;
	totals->runtime += (long double)thread->state->runtime_ticks * ns_per_tick;
	totals->paused += (long double)thread->state->paused_ticks * ns_per_tick;
	for (size_t i = 0; i < thread->n_nodes; i++)
		totals->lines += (uint64_t)data_cell_is_line(thread->nodes[i].cell);
	totals->overhead_low += (long double)root->inclusive.overhead_low * ns_per_tick;
	totals->overhead_high += (long double)root->inclusive.overhead_high * ns_per_tick;
	totals->conservation_ticks_off += off < 0 ? 0 - (uint64_t)off : (uint64_t)off;
	totals->threads_off += off != 0;
	add_held(totals, data, thread);
	for (size_t i = 0; i < thread->moved.n; i++) {
		uint32_t kind = thread->moved.list[i].kind;

		*(kind == CINSTR_AMOUNT_COUNTED	    ? &totals->counting
		  : kind == CINSTR_AMOUNT_ALLOCATED ? &totals->allocating
		  : kind == CINSTR_AMOUNT_HELD	    ? &totals->holding
						    : &totals->moving) += 1;
	}
	add_events(totals, data, thread);
	if (data->sampled)
		samples_totals_add_thread(&totals->samples, data, thread);
	mixed_totals_add_thread(&totals->mixed, data, thread);
}

long double totals_duration(const struct totals *totals)
{
	if (totals->end_realtime_ns <= totals->begin_realtime_ns)
		return 0;
	return (long double)(totals->end_realtime_ns - totals->begin_realtime_ns);
}

long double totals_cpu(const struct totals *totals)
{
	long double cpu = totals->elapsed - totals->off_cpu;

	return cpu > 0 ? cpu : 0;
}

int totals_has_application(const struct totals *totals)
{
	return !totals->no_source;
}

void totals_put_cpu_limit(struct strbuf *text, const struct totals *totals)
{
	if (totals->cpu_limit)
		strbuf_printf(text, "the limit of %.3Lg processors", (long double)totals->cpu_limit / 1000);
}

void totals_release(struct totals *totals)
{
	free(totals->title);
	quality_release(&totals->facts);
	samples_totals_release(&totals->samples);
	free(totals->exe);
	map_release(&totals->modules);
	free(totals->refused_path);
	map_release(&totals->chosen);
	map_release(&totals->hosts);
	map_release(&totals->jobs);
	*totals = (struct totals){ 0 };
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_facts.c - see system_facts.h. Times are as measured: the cost of probes is negligible
 * against the times that matter here. */
#include "system_facts.h"

#include <stdlib.h>
#include <string.h>

#include "file/cell_details.h"
#include "file/mixed.h"
#include "lib/array.h"
#include "values/values.h"

#define MUCH 10 /* percent of the thread's time */
#define PAGE_BYTES 4096

/* ---- system calls ---------------------------------------------------------------------------- */

/* Off the processor: in all intervals, or in those that had none of the events `but`. */
static uint64_t off_cpu_ticks(const struct data *data, const struct cinstr_cell *cell, uint32_t but)
{
	uint64_t ticks = 0;

	for (uint32_t i = details_buckets(data->memory, cell); i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		ticks += bucket->bits & but ? 0 : bucket->off_cpu_ticks;
		i = bucket->next;
	}
	return ticks;
}

/* Those of a thread, by caller and callee. */
struct calls_of_thread {
	struct thread_calls *list;
	size_t n, size;
};

static struct thread_calls *calls_by(struct calls_of_thread *calls, uint32_t caller, uint32_t callee)
{
	for (size_t i = 0; i < calls->n; i++)
		if (calls->list[i].caller == caller && calls->list[i].callee == callee)
			return &calls->list[i];
	ARRAY_ROOM(calls->list, calls->n, calls->size, 4);
	calls->list[calls->n] = (struct thread_calls){ .caller = caller, .callee = callee };
	return &calls->list[calls->n++];
}

/* The function that the node was called by: nodes of lines are parts of theirs. */
static const struct data_node *caller_of(const struct data_thread *thread, const struct data_node *node)
{
	const struct data_node *caller = &thread->nodes[node->parent];

	while (data_cell_is_line(caller->cell))
		caller = &thread->nodes[caller->parent];
	return caller;
}

/* Cells with less than this are not looked at: they are few that have more. */
static void find_calls(struct calls_of_thread *calls, struct names *names, const struct data *data,
		       const struct data_thread *thread, uint64_t least_ticks)
{
	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		const struct cinstr_cell *cell = node->cell;
		struct thread_calls *found;

		if (data_cell_is_line(cell) || cell->ticks < least_ticks || !node->parent ||
		    !values_is_system_call(data, cell))
			continue;
		found = calls_by(calls, names_of_cell(names, data, caller_of(thread, node)->cell),
				 names_of_cell(names, data, cell));
		found->calls += cell->calls;
		found->taken += (long double)cell->ticks;
	}
}

static uint64_t calls_of(struct names *names, const struct data *data, const struct data_thread *thread,
			 uint32_t entity)
{
	uint64_t calls = 0;

	for (size_t i = 1; i < thread->n_nodes; i++)
		if (!data_cell_is_line(thread->nodes[i].cell) &&
		    names_of_cell(names, data, thread->nodes[i].cell) == entity)
			calls += thread->nodes[i].cell->calls;
	return calls;
}

/* Returns the sum that calls of the function are added to; NULL: none. */
static uint64_t *sum_of(struct thread_peers *peers, const char *assembler)
{
	static const char accepts[] = " accept accept4 ", connects[] = " connect ";
	static const char pairs[] = " pipe pipe2 socketpair popen ";
	static const char writes[] = " write writev send sendto sendmsg ";
	struct strbuf word = { 0 };
	uint64_t *sum;

	strbuf_printf(&word, " %s ", assembler);
	sum = strstr(writes, word.text)	    ? &peers->writes
	      : strstr(pairs, word.text)    ? &peers->pairs
	      : strstr(connects, word.text) ? &peers->connects
	      : strstr(accepts, word.text)  ? &peers->accepts
					    : NULL;
	strbuf_release(&word);
	return sum;
}

static void add_peers(struct system_facts *facts, struct names *names, const struct data *data,
		      const struct data_thread *thread)
{
	struct thread_peers peers = { .pid = data->header->pid, .tid = thread->record->tid };

	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		uint32_t entity = data_cell_is_line(cell) || !values_is_system_call(data, cell)
					  ? NAMES_NONE
					  : names_of_cell(names, data, cell);
		uint64_t *sum = entity == NAMES_NONE || !names->list[entity].assembler
					? NULL
					: sum_of(&peers, names->list[entity].assembler);

		if (sum)
			*sum += cell->calls;
	}
	ARRAY_ROOM(facts->peers, facts->n_peers, facts->size_peers, 8);
	facts->peers[facts->n_peers++] = peers;
}

static void keep(struct system_facts *facts, const struct thread_calls *calls)
{
	ARRAY_ROOM(facts->list, facts->n, facts->size, 8);
	facts->list[facts->n++] = *calls;
}

static void add_thread(struct system_facts *facts, struct names *names, const struct data *data,
		       const struct data_thread *thread, long double ns_per_tick)
{
	struct calls_of_thread calls = { 0 };
	uint64_t ticks = 0, off = 0;

	for (size_t i = 0; i < thread->n_nodes; i++) {
		ticks += thread->nodes[i].cell->ticks;
		off += off_cpu_ticks(data, thread->nodes[i].cell, 0);
	}
	find_calls(&calls, names, data, thread, ticks / 1000);
	for (size_t i = 0; i < calls.n; i++) {
		struct thread_calls *one = &calls.list[i];

		if (one->taken * 100 < MUCH * (long double)ticks)
			continue;
		one->taken *= ns_per_tick;
		one->elapsed = (long double)ticks * ns_per_tick;
		one->on_cpu = (long double)(ticks - (off < ticks ? off : ticks)) * ns_per_tick;
		one->caller_calls = calls_of(names, data, thread, one->caller);
		one->is_alone = data->n_threads == 1;
		one->pid = data->header->pid;
		one->tid = thread->record->tid;
		one->thread = map_keep(&names->strings, thread->record->name);
		keep(facts, one);
	}
	free(calls.list);
}

/* ---- before and behind main ------------------------------------------------------------------ */

static void outside_add(struct outside_main *outside, uint32_t entity, long double ns)
{
	outside->ns += ns;
	if (ns <= outside->most)
		return;
	outside->most = ns;
	outside->entity = entity;
}

/* With what was called from there; without waits for a processor, which are others' doing. */
static uint64_t inclusive_ticks(const struct data *data, const struct data_thread *thread, size_t node)
{
	const uint32_t waits =
		CINSTR_OS_VOLUNTARY | CINSTR_OS_MAJOR_FAULT | CINSTR_OS_BLOCK_IN | CINSTR_OS_BLOCK_OUT;
	uint64_t ticks = 0;

	for (size_t i = node; i <= thread->nodes[node].last; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		uint64_t off = off_cpu_ticks(data, cell, waits);

		ticks += cell->ticks > off ? cell->ticks - off : 0;
	}
	return ticks;
}

static const struct cinstr_cell *main_of(struct names *names, const struct data *data,
					 const struct data_thread *thread)
{
	for (size_t i = 1; i < thread->n_nodes; i = (size_t)thread->nodes[i].last + 1) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		uint32_t entity = names_of_cell(names, data, cell);
		const char *assembler = entity == NAMES_NONE ? NULL : names->list[entity].assembler;

		if (assembler && !strcmp(assembler, "main"))
			return cell;
	}
	return NULL;
}

/* The cell in the file of a node that nobody has called: samples may have made a copy of it, or the
 * node itself (file/mixed.h). NULL: samples made it. */
static const struct cinstr_cell *in_file(const struct data_thread *thread, const struct cinstr_cell *cell)
{
	const struct mixed_thread *mixed = thread->mixed;

	if (!mixed || !mixed->nodes_before)
		return cell;
	for (size_t i = 1; i < mixed->n_nodes_before; i = (size_t)mixed->nodes_before[i].last + 1) {
		const struct cinstr_cell *before = mixed->nodes_before[i].cell;

		if (before == cell || (before->func == cell->func && before->site == cell->site))
			return before;
	}
	return NULL;
}

/* Of the segment that the cell is in. What a reader has added is in none: it is the last. */
static uint64_t sequence_of(const struct data *data, const struct cinstr_cell *cell)
{
	uint64_t offset = (uint64_t)((const char *)cell - data->memory);

	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (s->type == CINSTR_SEG_CELLS && offset >= s->offset && offset - s->offset < s->bytes)
			return ((const struct cinstr_segment *)(const void *)(data->memory + s->offset))[-1]
				.sequence;
	}
	return UINT64_MAX;
}

/* What a thread calls first is made first: a thread's segments lie anywhere in the file, and cells
 * in a segment in the order of first calls. */
static int is_first(const struct data *data, const struct cinstr_cell *a, const struct cinstr_cell *b)
{
	uint64_t of_a = sequence_of(data, a), of_b = sequence_of(data, b);

	return of_a != of_b ? of_a < of_b : a < b;
}

static void add_main_thread(struct system_facts *facts, struct names *names, const struct data *data,
			    const struct data_thread *thread, long double ns_per_tick)
{
	const struct cinstr_cell *main_cell = main_of(names, data, thread);

	if (main_cell)
		main_cell = in_file(thread, main_cell);
	if (!main_cell)
		return; /* forked by a thread other than the first, or it has no probes */
	facts->main_threads += (long double)inclusive_ticks(data, thread, 0) * ns_per_tick;
	if (thread->state->orphans)
		return; /* it switches stacks: what nobody has called is not outside of main */
	for (size_t i = 1; i < thread->n_nodes; i = (size_t)thread->nodes[i].last + 1) {
		const struct cinstr_cell *cell = in_file(thread, thread->nodes[i].cell);

		if (cell && cell != main_cell && !data_cell_is_line(cell))
			outside_add(is_first(data, cell, main_cell) ? &facts->before : &facts->after,
				    names_of_cell(names, data, cell),
				    (long double)inclusive_ticks(data, thread, i) * ns_per_tick);
	}
}

/* ---- processes ------------------------------------------------------------------------------- */

static void add_faults(struct system_facts *facts, const struct data *data)
{
	uint64_t own = data->file_bytes / PAGE_BYTES, all = 0;

	for (size_t t = 0; t < data->n_threads; t++) {
		const struct cinstr_thread *record = data->threads[t].record;

		if (record->counters_last.minor_faults > record->counters_first.minor_faults)
			all += record->counters_last.minor_faults - record->counters_first.minor_faults;
	}
	facts->minor_faults += all > own ? all - own : 0;
}

static void add_processors(struct system_facts *facts, const struct data *data)
{
	const char *cpus = data_property(data, "cpus");
	uint64_t n = cpus ? strtoull(cpus, NULL, 10) : 0;

	facts->processors = facts->has_processors && facts->processors != n ? 0 : n;
	facts->has_processors = 1;
}

void system_facts_add(struct system_facts *facts, struct names *names, const struct data *data)
{
	int known;
	long double ns_per_tick = data_ns_per_tick(data, &known);

	if (!facts->is_wanted)
		return;
	add_processors(facts, data);
	if (data->sampled)
		return;
	add_faults(facts, data);
	for (size_t t = 0; t < data->n_threads; t++) {
		const struct data_thread *thread = &data->threads[t];

		add_thread(facts, names, data, thread, ns_per_tick);
		add_peers(facts, names, data, thread);
		if (thread->record->tid == data->header->pid)
			add_main_thread(facts, names, data, thread, ns_per_tick);
	}
}

void system_facts_release(struct system_facts *facts)
{
	free(facts->list);
	free(facts->peers);
	*facts = (struct system_facts){ 0 };
}

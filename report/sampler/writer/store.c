/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.c - see store.h. The collector's thread only; `cinstr control` changes the control block
 * and adds marks from outside (report/control/control_mark.c), everything else is the store's
 * alone.
 */
#include "store.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/array.h"
#include "lib/util.h"
#include "store_file.h"
#include "store_nodes.h"
#include "store_properties.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define MARKS_REFILL 1024
#define MARK_TEXT_MAX 1000
#define NO_TASK UINT32_MAX

struct store {
	struct store_file file;
	struct cinstr_sampling *sampling;
	struct store_nodes nodes;
	struct map module_numbers; /* of base and path */
	struct cinstr_module **modules;
	struct cinstr_segment *modules_segment;
	struct store_list tasks, samples;
	struct cinstr_task **task_at;
	uint32_t n_tasks;
	struct map task_keys;  /* tids */
	uint32_t *newest_task; /* by number of the key */
	struct cinstr_segment *marks;
};

/* ---- its life -------------------------------------------------------------------------------- */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The time of day at a stamp. */
static uint64_t realtime_at(uint64_t ticks)
{
	return clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC_RAW) - ticks);
}

/*
 * EXE.PID.UNIQUE, as the runtime does: no other process's file has that name, whatever its machine,
 * so that files of several sessions can be put into one folder.
 */
static void file_name(struct strbuf *name, const struct store_process *process, uint64_t attempt)
{
	char machine[64] = "";
	uint64_t what[] = { attempt, process->begin_ticks, clock_ns(CLOCK_REALTIME),
			    (uint64_t)process->pid << 32 | process->program, 0 };

	store_boot_id(machine, sizeof(machine));
	what[4] = XXH3_64bits(machine, strlen(machine));
	strbuf_clear(name);
	strbuf_printf(name, "%.15s.%u.%08x", process->exe ? util_basename(process->exe) : "program",
		      process->pid, (unsigned)XXH3_64bits(what, sizeof(what)));
	for (char *c = name->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == '/')
			*c = '_';
}

static int create(struct store *store, const struct store_process *process)
{
	STRBUF(name);
	int why = -1;

	for (uint64_t attempt = 0; attempt < 100; attempt++) {
		file_name(&name, process, attempt);
		why = store_file_create(&store->file, process->session, name.text);
		if (why != -17) /* EEXIST */
			break;
	}
	return why;
}

static void fill_header(struct cinstr_header *header, const struct store_process *process)
{
	header->pid = process->pid;
	header->parent_pid = process->parent_pid;
	header->process_start = process->process_start;
	header->start_realtime_ns = realtime_at(process->begin_ticks);
	header->clock = CINSTR_CLOCK_MONOTONIC_RAW;
	header->forked = (uint32_t)process->forked;
	for (int i = 0; i < 3; i++)
		header->clock_ticks[i] = header->clock_ns[i] = process->begin_ticks;
	header->method = CINSTR_METHOD_SAMPLING;
	header->sampling = process->sampling;
	if (!header->sampling.collector)
		header->sampling.collector = (uint32_t)getpid();
}

/* It takes marks from outside from now on, too. */
static int marks_add_segment(struct store *store, uint64_t bytes)
{
	struct cinstr_segment *segment = store_file_segment(&store->file, CINSTR_SEG_MARKS, bytes);

	if (!segment)
		return -1;
	store->marks = segment;
	/* control_mark.c */
	atomic_store_release(&store->file.header->marks_at, store_file_offset(&store->file, segment + 1));
	return 0;
}

static void put_properties(struct store *store, const struct strbuf *text)
{
	struct cinstr_segment *segment =
		store_file_segment(&store->file, CINSTR_SEG_PROPERTIES, text->length);

	if (!segment)
		return;
	memcpy(segment + 1, text->text, text->length);
	segment->used = text->length;
}

void store_program(struct store *store, const char *exe)
{
	STRBUF(text);

	store_properties_program(&text, exe);
	put_properties(store, &text);
	store_file_publish(&store->file);
}

struct store *store_new(const struct store_process *process, int *error)
{
	struct store *store = xcalloc(1, sizeof(*store));
	STRBUF(text);

	*error = create(store, process);
	if (*error) {
		free(store);
		return NULL;
	}
	store->tasks = (struct store_list){ .type = CINSTR_SEG_TASKS, .element = sizeof(struct cinstr_task) };
	store->samples =
		(struct store_list){ .type = CINSTR_SEG_SAMPLES, .element = sizeof(struct cinstr_sample) };
	store_nodes_init(&store->nodes);
	store->sampling = &store->file.header->sampling;
	fill_header(store->file.header, process);
	store_properties(&text, process);
	put_properties(store, &text);
	marks_add_segment(store, 1);
	store_file_publish(&store->file);
	return store;
}

void store_end(struct store *store, enum cinstr_end end, int status, uint64_t ticks)
{
	struct cinstr_header *header = store->file.header;

	store_clock(store, ticks);
	for (uint32_t i = 0; end != CINSTR_END_UNKNOWN && i < store->n_tasks; i++)
		if (store->task_at[i]->state == CINSTR_THREAD_LIVE)
			store_task_end(store, i, ticks);
	header->end_status = status;
	if (end != CINSTR_END_UNKNOWN)
		header->end_realtime_ns = realtime_at(ticks);
	atomic_store_release(&header->end, (uint32_t)end); /* reader */
}

const char *store_path(const struct store *store)
{
	return store->file.path;
}

void store_release(struct store *store)
{
	if (!store)
		return;
	store_file_seal(&store->file);
	store_file_release(&store->file);
	store_nodes_release(&store->nodes);
	map_release(&store->module_numbers);
	map_release(&store->task_keys);
	free(store->modules);
	free(store->task_at);
	free(store->newest_task);
	free(store);
}

struct cinstr_sampling *store_sampling(struct store *store)
{
	return store->sampling;
}

struct cinstr_control_block *store_control(struct store *store)
{
	return (void *)((char *)store->file.header + CINSTR_CONTROL_OFFSET);
}

/* ---- modules --------------------------------------------------------------------------------- */

static uint64_t round8(uint64_t n)
{
	return (n + 7) & ~7ull;
}

/* Room for an entry of `bytes`, not yet in use. */
static struct cinstr_module *module_room(struct store *store, uint64_t bytes)
{
	struct cinstr_segment *segment = store->modules_segment;

	if (!segment || segment->used + bytes > segment->bytes - sizeof(*segment)) {
		if (store->file.is_full)
			return NULL;
		segment = store_file_segment(&store->file, CINSTR_SEG_MODULES, bytes);
		if (!segment)
			return NULL;
		store->modules_segment = segment;
	}
	return (struct cinstr_module *)(void *)((char *)(segment + 1) + segment->used);
}

static struct cinstr_module *module_write(struct store *store, const struct cinstr_module *module,
					  const char *path)
{
	struct cinstr_module *entry = module_room(store, module->bytes);

	if (!entry)
		return NULL;
	*entry = *module;
	memcpy((char *)entry + entry->path_offset, path, strlen(path) + 1);
	/* reader */
	atomic_store_release(&store->modules_segment->used, store->modules_segment->used + module->bytes);
	store->file.header->modules++;
	return entry;
}

/* A piece of the module's code at another place. */
static void module_widen(struct cinstr_module *module, uint64_t start, uint64_t end)
{
	if (start < module->text_start)
		module->text_start = start;
	if (end > module->text_end)
		module->text_end = end;
}

/* Number of the key "base path"; MAP_NONE: it has no entry. */
static size_t module_key(struct store *store, const char *path, uint64_t base, int *is_new)
{
	STRBUF(key);

	strbuf_add(&key, (const char *)&base, sizeof(base));
	strbuf_puts(&key, path);
	return map_add(&store->module_numbers, key.text, key.length, is_new);
}

uint32_t store_module(struct store *store, const char *path, const struct cinstr_module *module)
{
	int is_new;
	size_t number = module_key(store, path, module->base, &is_new);
	struct cinstr_module entry = *module;

	if (!is_new) {
		if (number >= store->file.header->modules)
			return 0;
		module_widen(store->modules[number], module->text_start, module->text_end);
		store->modules[number]->flags |= module->flags;
		return (uint32_t)number + 1;
	}
	entry.path_offset = sizeof(entry);
	entry.bytes = sizeof(entry) + round8(strlen(path) + 1);
	store->modules = xrealloc(store->modules, number + 1, sizeof(struct cinstr_module *));
	/* Numbers are those of the entries: once one had no room, no later one may have. */
	store->modules[number] =
		number == store->file.header->modules ? module_write(store, &entry, path) : NULL;
	return store->modules[number] ? (uint32_t)number + 1 : 0;
}

uint32_t store_node(struct store *store, uint32_t parent, uint32_t module, uint64_t address)
{
	struct cinstr_stack_node node = { .parent = parent, .module = module, .address = address };

	return store_nodes_add(&store->nodes, &store->file, &node);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Did this thread have the tid at that moment? What it did may become known after its end is. */
static int is_still(const struct cinstr_task *task, uint64_t ticks)
{
	return task->state == CINSTR_THREAD_LIVE || ticks <= task->end_ticks;
}

static uint32_t task_add(struct store *store, uint32_t tid, uint64_t ticks)
{
	struct cinstr_task task = { .tid = tid, .state = CINSTR_THREAD_LIVE, .begin_ticks = ticks };
	struct cinstr_task *entry = store_list_add(&store->file, &store->tasks, &task);

	if (!entry)
		return NO_TASK;
	ARRAY_ONE_MORE(store->task_at, store->n_tasks);
	store->task_at[store->n_tasks] = entry;
	store->file.header->threads = store->n_tasks + 1;
	return store->n_tasks++;
}

uint32_t store_task(struct store *store, uint32_t tid, const char *name, uint64_t ticks)
{
	int is_new;
	size_t key = map_add(&store->task_keys, &tid, sizeof(tid), &is_new);
	uint32_t task;

	if (is_new) {
		store->newest_task = xrealloc(store->newest_task, key + 1, sizeof(*store->newest_task));
		store->newest_task[key] = NO_TASK;
	}
	task = store->newest_task[key];
	if (task != NO_TASK && is_still(store->task_at[task], ticks))
		return task;
	task = task_add(store, tid, ticks);
	store->newest_task[key] = task;
	if (name)
		store_task_name(store, task, name);
	return task;
}

void store_task_name(struct store *store, uint32_t task, const char *name)
{
	char *to;

	if (task >= store->n_tasks)
		return;
	to = store->task_at[task]->name;
	strncpy(to, name, sizeof(store->task_at[task]->name) - 1);
}

void store_task_end(struct store *store, uint32_t task, uint64_t ticks)
{
	if (task >= store->n_tasks)
		return;
	store->task_at[task]->end_ticks = ticks;
	store->task_at[task]->state = CINSTR_THREAD_ENDED;
}

/* ---- samples --------------------------------------------------------------------------------- */

void store_sample(struct store *store, uint64_t ticks, uint32_t task, uint32_t stack, int truncated)
{
	struct cinstr_sample sample = { .ticks = ticks, .stack = stack, .task = task };

	if (task >= store->n_tasks || !store_list_add(&store->file, &store->samples, &sample)) {
		store->sampling->lost++;
		return;
	}
	store->task_at[task]->kept++;
	store->sampling->kept++;
	if (truncated) {
		store->task_at[task]->truncated++;
		store->sampling->truncated++;
	}
}

void store_count(struct store *store, uint32_t task, enum store_count what)
{
	struct cinstr_task *entry = task < store->n_tasks ? store->task_at[task] : NULL;

	if (what == STORE_DISCARDED) {
		store->sampling->discarded++;
		if (entry)
			entry->discarded++;
	} else {
		store->sampling->paused++;
		if (entry)
			entry->paused++;
	}
}

/* ---- clock, marks ---------------------------------------------------------------------------- */

/* Whoever adds a mark from outside cannot make a segment. */
static void marks_refill(struct store *store)
{
	if (store->marks && !store->file.is_full &&
	    atomic_load_relaxed(&store->marks->used) + MARKS_REFILL >
		    store->marks->bytes - sizeof(*store->marks))
		marks_add_segment(store, 2 * store->marks->bytes);
}

void store_clock(struct store *store, uint64_t ticks)
{
	struct cinstr_header *header = store->file.header;

	if (ticks > header->clock_ticks[2])
		header->clock_ticks[2] = header->clock_ns[2] = ticks;
	marks_refill(store);
}

static struct cinstr_mark *mark_room(struct store *store, uint64_t bytes)
{
	uint64_t *used, at;

	marks_refill(store);
	if (!store->marks)
		return NULL;
	used = &store->marks->used;
	at = atomic_load_relaxed(used);
	while (at + bytes <= store->marks->bytes - sizeof(*store->marks))
		if (atomic_compare_swap(used, &at, at + bytes))
			return (struct cinstr_mark *)(void *)((char *)(store->marks + 1) + at);
	return NULL;
}

void store_mark(struct store *store, uint64_t ticks, uint32_t tid, enum cinstr_mark_kind kind,
		const char *text)
{
	size_t length = strnlen(text, MARK_TEXT_MAX);
	uint64_t bytes = round8(sizeof(struct cinstr_mark) + length + 1);
	struct cinstr_mark *mark = mark_room(store, bytes);

	if (!mark) {
		atomic_add(&store->file.header->marks_lost, 1);
		return;
	}
	mark->kind = kind;
	mark->tid = tid;
	mark->ticks = ticks;
	memcpy(mark + 1, text, length);			     /* zero bytes follow */
	atomic_store_release(&mark->bytes, (uint32_t)bytes); /* reader */
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct store_address *store_addresses(const struct store *store, size_t *n)
{
	return store_nodes_addresses(&store->nodes, n);
}

int store_symbols(struct store *store, const struct cinstr_symbols *head,
		  const struct cinstr_symbol_address *addresses, const struct cinstr_symbol_frame *frames,
		  const char *strings)
{
	size_t addresses_bytes = head->n_addresses * sizeof(*addresses);
	size_t frames_bytes = head->n_frames * sizeof(*frames);
	uint64_t bytes = sizeof(*head) + addresses_bytes + frames_bytes + head->strings_bytes;
	struct cinstr_segment *segment = store_file_segment(&store->file, CINSTR_SEG_SYMBOLS, bytes);
	char *at;

	if (!segment)
		return -28; /* ENOSPC */
	at = (char *)(segment + 1);
	memcpy(at, head, sizeof(*head));
	at += sizeof(*head);
	if (addresses_bytes)
		memcpy(at, addresses, addresses_bytes);
	if (frames_bytes)
		memcpy(at + addresses_bytes, frames, frames_bytes);
	if (head->strings_bytes)
		memcpy(at + addresses_bytes + frames_bytes, strings, head->strings_bytes);
	atomic_store_release(&segment->used, bytes); /* reader */
	return 0;
}

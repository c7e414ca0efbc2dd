/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_facts.c - see wait_facts.h. */
#include "wait_facts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "names/system_paths.h"
#include "names/thread_names.h"
#include "values/values.h"

#define PATH_MAX_FRAMES 512

static const struct cinstr_cell *cell_at(const struct data *data, uint32_t index)
{
	return (const void *)(data->memory + (uint64_t)index * sizeof(struct cinstr_cell));
}

/* Returns the function above a cell: the FRAME that a line belongs to, or NULL at the root. */
static const struct cinstr_cell *frame_above(const struct data *data, const struct cinstr_cell *cell)
{
	do {
		if (!cell->parent)
			return NULL;
		cell = cell_at(data, cell->parent);
	} while (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE);
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME ? cell : NULL;
}

/* ---- places ---------------------------------------------------------------------------------- */

static const struct module_site *site_of(const struct data *data, uint32_t code, const struct module **module)
{
	*module = code ? modules_by_code(&data->modules, code) : NULL;
	return *module ? module_site_of_word(*module, code) : NULL;
}

/* Returns the place of the call behind a sled, by its code. */
static struct wait_place place_of(struct wait_facts *facts, const struct data *data, uint32_t code)
{
	struct wait_place place = { .entity = NAMES_NONE };
	const struct module *module;
	const struct module_site *site = site_of(data, code, &module);
	const struct module_function *function;

	if (!site || site->function >= module->n_functions)
		return place;
	function = &module->functions[site->function];
	place.entity = names_of_function(facts->names, module, function);
	place.file = names_file(facts->names, function->comp_dir, site->file ? site->file : function->file);
	place.line = site->line;
	/* the line of a header that was inlined here says nothing of the place */
	if (system_code_is_header(place.file)) {
		place.file = names_file(facts->names, function->comp_dir, function->file);
		place.line = 0;
	}
	if (system_code_is_header(place.file))
		place.file = NULL;
	return place;
}

static int is_of_system(const struct wait_facts *facts, uint32_t entity)
{
	return entity != NAMES_NONE && system_code_is_header(facts->names->list[entity].file);
}

/* Returns where a wait was, in the program's own code: std::mutex::lock() is not. */
static struct wait_place waiter_of(struct wait_facts *facts, const struct data *data,
				   const struct cinstr_wait *wait)
{
	struct wait_place place = place_of(facts, data, wait->site);
	const struct cinstr_cell *cell = wait->cell ? cell_at(data, wait->cell) : NULL;

	while (cell && is_of_system(facts, place.entity)) {
		struct wait_place outer;

		cell = frame_above(data, cell);
		outer = place_of(facts, data, cell ? cell->site : 0);
		if (outer.entity == NAMES_NONE)
			break;
		place = outer;
	}
	return place;
}

static void put_path(struct wait_facts *facts, const struct data *data, const struct cinstr_wait *wait,
		     struct strbuf *text)
{
	uint32_t entities[PATH_MAX_FRAMES];
	const struct cinstr_cell *cell = wait->cell ? cell_at(data, wait->cell) : NULL;
	size_t n = 0;

	while (cell && n < ARRAY_SIZE(entities)) {
		cell = frame_above(data, cell);
		if (cell)
			entities[n++] = names_of_cell(facts->names, data, cell);
	}
	while (n--)
		if (entities[n] != NAMES_NONE)
			strbuf_printf(text, "%s%s", text->length ? ";" : "",
				      facts->names->list[entities[n]].name);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Returns the module whose image begins closest below the address, or NULL. */
static const struct module *module_below(const struct data *data, uint64_t address)
{
	const struct module *found = NULL;

	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];

		if (module->raw->text_start <= address && *module->path &&
		    (!found || module->raw->text_start > found->raw->text_start))
			found = module;
	}
	return found;
}

static void object_name(struct wait_facts *facts, const struct data *data, struct wait_object *object)
{
	const struct module *module = module_below(data, object->address);
	struct symbols *symbols = module ? names_symbols(facts->names, module) : NULL;
	struct strbuf name = { 0 };
	const char *symbol;
	uint64_t offset;

	if (object->kind == CINSTR_OBJECT_THREAD || !symbols)
		return;
	symbol = symbols_object(symbols, object->address - module->raw->base, &offset);
	if (!symbol)
		return;
	object->name = names_shown(symbol, NULL, 0);
	object->module = names_file(facts->names, NULL, module->path);
	if (!offset)
		return;
	strbuf_printf(&name, "%s+%llu", object->name, (unsigned long long)offset);
	free(object->name);
	object->name = name.text;
}

static uint32_t object_of(struct wait_facts *facts, const struct data *data, uint64_t address,
			  enum cinstr_object_kind kind)
{
	uint64_t key[3] = { data->header->pid | (uint64_t)kind << 32, data->header->process_start, address };
	int is_new;
	size_t number = map_add(&facts->keys, key, sizeof(key), &is_new);

	if (!is_new)
		return (uint32_t)number;
	ARRAY_ONE_MORE(facts->objects, facts->n_objects);
	facts->objects[facts->n_objects++] =
		(struct wait_object){ .address = address, .pid = data->header->pid, .kind = kind };
	if (address)
		object_name(facts, data, &facts->objects[number]);
	return (uint32_t)number;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Returns the name of the function that waits; "": not known. */
static const char *callee_of(const struct data *data, uint32_t site)
{
	const struct module *module;
	const struct module_site *s = site_of(data, site, &module);

	return s && s->callee ? s->callee : "";
}

static enum cinstr_object_kind kind_of(const struct data *data, uint32_t site)
{
	const struct cinstr_object_call *call = cinstr_object_call_of(callee_of(data, site));

	return call ? call->kind : CINSTR_OBJECT_LOCK;
}

/* Whether a time limit has ended the wait. */
static int is_timed_out(const struct data *data, const struct cinstr_wait *wait)
{
	const char *callee = callee_of(data, wait->site);

	if (strstr(callee, "_until")) /* GLib's, which returns whether there was a signal */
		return !wait->failed;
	return wait->failed && (strstr(callee, "timed") || strstr(callee, "clock"));
}

/* Returns the process's thread with this tid; NULL: it has none. */
static const struct data_thread *thread_of(const struct data *data, uint32_t tid)
{
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].record->tid == tid)
			return &data->threads[i];
	return NULL;
}

/* Returns what the process's thread with this tid is called; NULL: nothing is known of it. */
static const char *thread_called(struct wait_facts *facts, const struct data *data, uint32_t tid)
{
	const struct data_thread *thread = thread_of(data, tid);
	char *name = thread ? thread_shown_name(facts->names, data, thread) : NULL;
	const char *kept = name && *name ? map_keep(&facts->names->strings, name) : NULL;

	free(name);
	return kept;
}

static void add_wait(struct wait_facts *facts, const struct data *data, const struct data_thread *thread,
		     const struct cinstr_wait *wait)
{
	struct wait_fact fact = { .object = object_of(facts, data, wait->object, kind_of(data, wait->site)),
				  .waiter = waiter_of(facts, data, wait),
				  .giver = { .entity = NAMES_NONE },
				  .waiter_tid = thread->record->tid,
				  .waits = wait->waits };
	struct wait_object *object = &facts->objects[fact.object];
	struct strbuf path = { 0 };
	long double ns;
	int known;

	if (!is_timed_out(data, wait)) {
		fact.giver = place_of(facts, data, (uint32_t)(wait->given_by >> 32));
		fact.giver_tid = (uint32_t)wait->given_by;
	}
	/* what a C library of another kind has where glibc has the owner is no thread */
	if (!fact.giver_tid && thread_of(data, wait->holder))
		fact.giver_tid = wait->holder;
	ns = data_ns_per_tick(data, &known);
	fact.ns = (long double)wait->ticks * ns;
	fact.longest_ns = (long double)wait->longest * ns;
	/* std::mutex::unlock() that was not inlined: who called it is not known */
	if (is_of_system(facts, fact.giver.entity))
		fact.giver = (struct wait_place){ .entity = NAMES_NONE };
	fact.known = fact.giver.entity != NAMES_NONE ? WAIT_KNOWN_CALL
		     : fact.giver_tid		     ? WAIT_KNOWN_THREAD
						     : WAIT_KNOWN_NOT;
	if (fact.known == WAIT_KNOWN_THREAD)
		fact.giver_thread = thread_called(facts, data, fact.giver_tid);
	put_path(facts, data, wait, &path);
	strbuf_puts(&path, "");
	fact.path = path.text;
	object->waits += fact.waits;
	object->ns += fact.ns;
	object->longest_ns = fact.longest_ns > object->longest_ns ? fact.longest_ns : object->longest_ns;
	ARRAY_ROOM(facts->list, facts->n, facts->size, 64);
	facts->list[facts->n++] = fact;
}

void wait_facts_add(struct wait_facts *facts, struct names *names, const struct data *data)
{
	facts->names = names;
	facts->n_merged += data->merged != NULL;
	facts->n_timed += !data->merged && !data->sampled;
	for (size_t i = 0; i < data->n_threads; i++)
		for (size_t k = 0; k < data->threads[i].awaited.n; k++)
			if (data->threads[i].awaited.list[k].waits)
				add_wait(facts, data, &data->threads[i], &data->threads[i].awaited.list[k]);
}

int wait_kind_is_exact(enum cinstr_object_kind kind)
{
	return kind == CINSTR_OBJECT_MUTEX || kind == CINSTR_OBJECT_LOCK || kind == CINSTR_OBJECT_THREAD;
}

int wait_kind_is_lock(enum cinstr_object_kind kind)
{
	return kind == CINSTR_OBJECT_LOCK || kind == CINSTR_OBJECT_MUTEX || kind == CINSTR_OBJECT_RWLOCK;
}

/* Times by a number, of which the largest is asked for. */
struct times {
	struct map keys;
	long double *ns;
	uint32_t most; /* the number with most time */
	long double most_ns;
};

static void times_add(struct times *times, uint32_t number, long double ns)
{
	int is_new;
	size_t at = map_add(&times->keys, &number, sizeof(number), &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(times->ns, at);
		times->ns[at] = 0;
	}
	times->ns[at] += ns;
	if (times->ns[at] > times->most_ns) {
		times->most_ns = times->ns[at];
		times->most = number;
	}
}

static void times_release(struct times *times)
{
	map_release(&times->keys);
	free(times->ns);
}

/* Whether one thread at a time has such a lock. */
static int is_owned(enum cinstr_object_kind kind)
{
	return kind == CINSTR_OBJECT_LOCK || kind == CINSTR_OBJECT_MUTEX;
}

struct wait_holder wait_facts_holder(const struct wait_facts *facts, uint32_t waiter)
{
	struct wait_holder holder = { .entity = NAMES_NONE };
	struct times givers = { .most = NAMES_NONE }, objects = { .most = 0 };
	long double all = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_fact *fact = &facts->list[i];

		if (fact->waiter.entity != waiter || !is_owned(facts->objects[fact->object].kind))
			continue;
		all += fact->ns;
		times_add(&objects, fact->object, fact->ns);
		if (fact->known == WAIT_KNOWN_CALL)
			times_add(&givers, fact->giver.entity, fact->ns);
	}
	if (all > 0) {
		holder.entity = givers.most;
		holder.part = givers.most_ns / all;
		holder.object = 2 * objects.most_ns >= all ? facts->objects[objects.most].name : NULL;
	}
	times_release(&givers);
	times_release(&objects);
	return holder;
}

void wait_facts_release(struct wait_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		free(facts->list[i].path);
	for (size_t i = 0; i < facts->n_objects; i++)
		free(facts->objects[i].name);
	free(facts->list);
	free(facts->objects);
	map_release(&facts->keys);
}

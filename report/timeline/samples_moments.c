/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "samples_moments.h"

#include <stdlib.h>
#include <string.h>

#include "file/samples_paths.h"
#include "lib/array.h"
#include "lib/order.h"
#include "names/thread_names.h"
#include "session/session_clock.h"
#include "session/twins.h"

#define IS_PLACE(what) ((what)&1)

/* A process being gathered. */
struct gathering {
	struct moments *moments;
	const struct selection *selection;
	const struct session_clock *clock;
	const struct data *data;
	uint32_t *number_of; /* of each path of the process, + 1; 0: not asked for */
};

/* ---- paths ----------------------------------------------------------------------------------- */

static uint32_t entity_of(struct gathering *g, uint32_t what)
{
	struct cinstr_cell cell = { .tag = SAMPLES_CELL_FUNCTION, .func = what / 2 + 1 };

	return names_of_cell(&g->moments->names, g->data, &cell);
}

/* Functions of the path, the innermost first. Returns how many. */
static uint32_t functions_of(const struct samples *s, uint32_t path, uint32_t *whats)
{
	uint32_t n = 0;

	for (; path; path = s->paths[path].parent)
		if (!IS_PLACE(s->paths[path].what)) {
			if (whats)
				whats[n] = s->paths[path].what;
			n++;
		}
	return n;
}

static void put_stack(struct gathering *g, struct moments_path *path, uint32_t number)
{
	const struct samples *s = g->data->sampled->samples;
	FREED uint32_t *whats = xcalloc(path->depth + 1, sizeof(*whats));
	STRBUF(text);

	strbuf_clear(&text);
	functions_of(s, number, whats);
	for (uint32_t i = path->depth; i--;) {
		uint32_t entity = entity_of(g, whats[i]);

		strbuf_puts(&text,
			    entity == NAMES_NONE ? SYMBOL_UNKNOWN : g->moments->names.list[entity].name);
		strbuf_puts(&text, i ? ";" : "");
	}
	path->stack = map_keep(&g->moments->strings, text.text);
}

/* A place comes before its function here. */
static void put_frames(struct gathering *g, struct moments_path *path, uint32_t number)
{
	const struct sampled *sampled = g->data->sampled;
	const struct samples_path *paths = sampled->samples->paths;
	const struct sampled_place *place = NULL;
	STRBUF(text);

	strbuf_clear(&text);
	for (; number; number = paths[number].parent) {
		uint32_t what = paths[number].what, entity;

		if (IS_PLACE(what)) {
			place = &sampled->places[what / 2];
			continue;
		}
		entity = entity_of(g, what);
		g->moments->put_frame(&text, entity == NAMES_NONE ? NULL : &g->moments->names.list[entity],
				      &sampled->functions[what / 2], place);
		place = NULL;
	}
	path->stack = map_keep(&g->moments->strings, text.text);
}

/* What was executing: the innermost function, and the place in it. */
static void put_leaf(struct gathering *g, struct moments_path *path, uint32_t number)
{
	const struct sampled *sampled = g->data->sampled;
	const struct samples_path *paths = sampled->samples->paths;
	const struct entity *entity;
	uint32_t function;

	if (number && IS_PLACE(paths[number].what)) {
		const struct sampled_place *place = &sampled->places[paths[number].what / 2];

		path->file = place->file ? names_file(&g->moments->names, NULL, place->file) : NULL;
		path->line = place->line;
	}
	while (number && IS_PLACE(paths[number].what))
		number = paths[number].parent;
	function = number ? entity_of(g, paths[number].what) : NAMES_NONE;
	if (function == NAMES_NONE)
		return;
	entity = &g->moments->names.list[function];
	path->function = entity->name;
	path->module = entity->module;
	path->is_taken = selection_of_entity(g->selection, entity) == GLOBS_TAKEN;
}

static uint32_t path_number(struct gathering *g, uint32_t number)
{
	struct moments *m = g->moments;
	struct moments_path *path;

	if (g->number_of[number])
		return g->number_of[number] - 1;
	m->paths = xrealloc(m->paths, m->n_paths + 1, sizeof(*m->paths));
	path = &m->paths[m->n_paths];
	*path = (struct moments_path){ .depth = functions_of(g->data->sampled->samples, number, NULL) };
	path->is_taken = !g->selection->functions && !g->selection->modules;
	put_leaf(g, path, number);
	if (m->put_frame)
		put_frames(g, path, number);
	else if (m->with_stacks)
		put_stack(g, path, number);
	g->number_of[number] = (uint32_t)++m->n_paths;
	return (uint32_t)m->n_paths - 1;
}

/* ---- moments --------------------------------------------------------------------------------- */

static uint32_t thread_add(struct gathering *g, const struct data_thread *thread)
{
	struct moments *m = g->moments;
	FREED char *name = thread_shown_name(&m->names, g->data, thread);
	const char *exe = data_property(g->data, "exe");
	STRBUF(shown);

	twins_put(&shown, g->data);
	m->threads = xrealloc(m->threads, m->n_threads + 1, sizeof(*m->threads));
	m->threads[m->n_threads] = (struct moments_thread){
		.pid = g->data->header->pid,
		.process_number = g->data->process_number,
		.track = twins_track(g->data),
		.shown_number = map_keep(&m->strings, shown.text),
		.tid = thread->record->tid,
		.name = map_keep(&m->strings, *name ? name
					      : exe ? util_basename(exe)
						    : ""),
		.process = map_keep(&m->strings, exe ? util_basename(exe) : ""),
		.is_time = g->data->sampled->info->unit == CINSTR_SAMPLING_NS,
		.event = g->data->sampled->event ? map_keep(&m->strings, g->data->sampled->event) : NULL,
		.interval = g->data->sampled->info->interval,
	};
	return (uint32_t)m->n_threads++;
}

static void moment_add(struct moments *m, const struct sampled_moment *moment)
{
	ARRAY_ROOM(m->list, m->n, m->size, 1024);
	m->list[m->n++] = *moment;
}

static void gather_thread(struct gathering *g, const struct data_thread *thread)
{
	const struct samples *s = g->data->sampled->samples;
	uint32_t number = thread_add(g, thread);

	for (uint64_t i = s->first[thread->task]; i < s->first[thread->task + 1]; i++) {
		long double ns;
		uint32_t path;

		if (s->ticks[i] < s->from || s->ticks[i] >= s->to)
			continue;
		path = path_number(g, s->paths_at[i]);
		ns = session_clock_ns(g->clock, g->data->header, s->ticks[i]);
		if (g->moments->paths[path].is_taken)
			moment_add(g->moments, &(struct sampled_moment){ util_rounded(ns), number, path });
	}
}

static void gather(void *arg, struct data *data)
{
	struct gathering *g = arg;

	if (!data->sampled)
		return;
	g->data = data;
	g->number_of = xcalloc(data->sampled->samples->n_paths + 1, sizeof(*g->number_of));
	for (size_t i = 0; i < data->n_threads; i++)
		gather_thread(g, &data->threads[i]);
	free(g->number_of);
	names_next_process(&g->moments->names);
}

ORDER_ITEMS(by_time, struct sampled_moment, ORDER(x->ns, y->ns), ORDER(x->thread, y->thread),
	    ORDER(x->path, y->path))

int moments_read(struct moments *moments, const struct selection *selection, struct session *input)
{
	struct gathering gathering = { .moments = moments, .selection = selection };
	struct session_clock clock;
	int status;

	session_clock_init(&clock, input);
	gathering.clock = &clock;
	status = selection_each(selection, input, gather, &gathering);
	session_clock_release(&clock);
	util_sort(moments->list, moments->n, sizeof(*moments->list), by_time, NULL);
	return selection_check_seen(selection) ? STATUS_DATA : status;
}

void moments_release(struct moments *moments)
{
	names_release(&moments->names);
	map_release(&moments->strings);
	free(moments->list);
	free(moments->threads);
	free(moments->paths);
}

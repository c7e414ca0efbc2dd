/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"

struct reading {
	struct source_lines *lines;
	const struct executed *executed;
	const struct executed_image *image;
	const struct executed_function *counted; /* NULL: the function was not executed */
	uint64_t count;				 /* of the segment at hand */
	const char *file;			 /* of its definition */
	uint32_t last;				 /* line of its code there */
};

static struct source_line *line_at(struct source_lines *lines, const char *file, uint32_t number)
{
	STRBUF(key);
	size_t at;
	int is_new;

	strbuf_printf(&key, "%u %s", number, file);
	at = map_add(&lines->keys, key.text, key.length, &is_new);
	ARRAY_ROOM(lines->list, at, lines->size, 256);
	if (is_new) {
		lines->list[at] =
			(struct source_line){ .file = map_keep(&lines->strings, file), .number = number };
		lines->n++;
	}
	return &lines->list[at];
}

static void instruction_add(void *arg, const struct instruction *instruction)
{
	struct reading *r = arg;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = symbols_frames(r->image->symbols, instruction->address, frames, SYMBOL_FRAMES_MAX);
	struct source_line *line;

	if (n && frames[n - 1].file && r->file && frames[n - 1].line > r->last &&
	    !strcmp(frames[n - 1].file, r->file))
		r->last = frames[n - 1].line;
	if (!n || !frames[0].file || !frames[0].line)
		return;
	line = line_at(r->lines, frames[0].file, frames[0].line);
	line->is_estimate |= r->counted && r->counted->is_estimate;
	if (__builtin_add_overflow(line->instructions, r->count, &line->instructions))
		line->instructions = UINT64_MAX;
	if (line->last != r->lines->n_read)
		line->last_executions = 0;
	line->last = r->lines->n_read;
	if (r->count > line->last_executions) {
		line->executions += r->count - line->last_executions;
		line->last_executions = r->count;
	}
}

/* Of a function that was executed, or would have been called so. */
static uint32_t entity_of(const struct reading *r, size_t function)
{
	const struct segment_table *table = &r->image->table;
	const struct segment_function *f = &table->functions[function];
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n;

	if (r->counted)
		return r->counted->entity;
	n = f->n ? symbols_frames(r->image->symbols, table->list[f->first].start, frames, SYMBOL_FRAMES_MAX)
		 : 0;
	return n ? names_of_frame(r->executed->names, r->image->path, &frames[n - 1], NULL) : NAMES_NONE;
}

static void function_keep(struct reading *r, const struct entity *entity, uint32_t number)
{
	struct source_lines *lines = r->lines;
	const struct executed_function *f = r->counted;

	if (!entity->file)
		return;
	ARRAY_ROOM(lines->functions, lines->n_functions, lines->size_functions, 64);
	lines->functions[lines->n_functions++] =
		(struct source_function){ .assembler = map_keep(&lines->strings, entity->assembler),
					  .file = map_keep(&lines->strings, entity->file),
					  .entity = number,
					  .line = entity->line,
					  .last = r->last,
					  .calls = !f		  ? 0
						   : f->has_calls ? f->calls
								  : f->counts[0] };
}

static void function_read(struct reading *r, size_t number,
			  int (*takes)(const void *arg, const struct entity *entity), const void *arg)
{
	const struct segment_table *table = &r->image->table;
	const struct segment_function *f = &table->functions[number];
	uint32_t entity = entity_of(r, number);

	if (entity == NAMES_NONE || !takes(arg, &r->executed->names->list[entity]))
		return;
	if (f->is_damaged || (r->counted && r->counted->verdict != EXECUTED_KNOWN)) {
		r->lines->n_unknown++;
		return;
	}
	r->lines->n_read++;
	r->file = r->executed->names->list[entity].file;
	r->last = r->executed->names->list[entity].line;
	for (size_t i = 0; i < f->n; i++) {
		r->count = r->counted ? r->counted->counts[i] : 0;
		segment_code_read(r->image->symbols, &table->list[f->first + i], instruction_add, r);
	}
	function_keep(r, &r->executed->names->list[entity], entity);
}

ORDER_ITEMS(compare_lines, struct source_line, strcmp(x->file, y->file), ORDER(x->number, y->number))

ORDER_ITEMS(compare_functions, struct source_function, strcmp(x->file, y->file), ORDER(x->line, y->line),
	    strcmp(x->assembler, y->assembler))

void source_lines_read(struct source_lines *lines, const struct executed *executed,
		       int (*takes)(const void *arg, const struct entity *entity), const void *arg)
{
	size_t next = 0; /* of the functions that were executed, in the order of images */

	for (size_t k = 0; k < executed_n_images(executed); k++) {
		struct reading r = { .lines = lines, .executed = executed, .image = &executed->images[k] };

		for (size_t i = 0; i < r.image->table.n_functions; i++) {
			const struct executed_function *f =
				next < executed->n_functions ? &executed->functions[next] : NULL;

			r.counted = f && f->image == k && f->number == i ? f : NULL;
			next += r.counted != NULL;
			if (r.image->symbols && r.image->verdict == EXECUTED_KNOWN)
				function_read(&r, i, takes, arg);
		}
	}
	util_sort(lines->list, lines->n, sizeof(*lines->list), compare_lines, NULL);
	util_sort(lines->functions, lines->n_functions, sizeof(*lines->functions), compare_functions, NULL);
}

static int is_end(const char *path, const char *end)
{
	size_t n = strlen(path), length = strlen(end);

	return n >= length && !strcmp(path + n - length, end) &&
	       (n == length || path[n - length - 1] == '/' || *end == '/');
}

void source_lines_keep(struct source_lines *lines, const char *path_end)
{
	size_t n = 0, n_functions = 0;

	for (size_t i = 0; i < lines->n; i++)
		if (is_end(lines->list[i].file, path_end))
			lines->list[n++] = lines->list[i];
	for (size_t i = 0; i < lines->n_functions; i++)
		if (is_end(lines->functions[i].file, path_end))
			lines->functions[n_functions++] = lines->functions[i];
	lines->n = n;
	lines->n_functions = n_functions;
}

void source_lines_release(struct source_lines *lines)
{
	map_release(&lines->keys);
	map_release(&lines->strings);
	free(lines->list);
	free(lines->functions);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_names.c - the names of a diff's rows, after rows were matched by assembler names
 * (diff.h). */
#include <stdlib.h>
#include <string.h>

#include "diff.h"

static void name_functions(struct diff *diff, struct names *names, int is_table)
{
	FREED uint32_t *entities = xcalloc(diff->n_rows, sizeof(*entities));

	for (size_t i = 0; i < diff->n_rows; i++) {
		const struct diff_row *row = &diff->rows[i];
		struct module module = { .path = row->module ? row->module : "" };
		struct module_function f = { .name = row->name, .file = row->file, .line = row->line };

		entities[i] = names_of_function(names, &module, &f);
	}
	if (is_table)
		names_tell_apart(names, entities, diff->n_rows);
	for (size_t i = 0; i < diff->n_rows; i++)
		diff->rows[i].name = names->list[entities[i]].name;
}

static const char *kept_shown(struct diff *diff, const char *name, const char *file, uint32_t line)
{
	FREED char *text = names_shown(name, file, line);

	return map_keep(&diff->strings, text);
}

/* "f+0x1c". */
static const char *kept_instruction(struct diff *diff, const char *name)
{
	const char *at = strrchr(name, '+') ? strrchr(name, '+') : strrchr(name, '-');
	FREED char *function = xcalloc(strlen(name) + 1, 1);
	FREED char *shown = NULL;
	STRBUF(text);

	if (!at || strncmp(at + 1, "0x", 2) != 0)
		at = name + strlen(name);
	memcpy(function, name, (size_t)(at - name));
	shown = names_shown(function, NULL, 0);
	strbuf_printf(&text, "%s%s", shown, at);
	return map_keep(&diff->strings, text.text);
}

/* "f; g". */
static const char *kept_joined(struct diff *diff, const char *names)
{
	STRBUF(text);
	char *copy = xcalloc(strlen(names) + 1, 1), *next, *end;
	const char *kept;

	memcpy(copy, names, strlen(names));
	strbuf_clear(&text);
	for (next = copy; next; next = end) {
		end = strstr(next, PLACES_SEPARATOR);
		if (end) {
			*end = '\0';
			end += strlen(PLACES_SEPARATOR);
		}
		strbuf_printf(&text, "%s%s", text.length ? PLACES_SEPARATOR : "",
			      kept_shown(diff, next, NULL, 0));
	}
	kept = map_keep(&diff->strings, text.text);
	free(copy);
	return kept;
}

static void name_instructions(struct diff *diff)
{
	for (size_t i = 0; i < diff->n_rows; i++) {
		struct diff_row *row = &diff->rows[i];

		row->name = kept_instruction(diff, row->name);
		row->callee = row->callee && *row->callee ? kept_joined(diff, row->callee) : NULL;
	}
}

void diff_name_rows(struct diff *diff, struct names *names, int is_table)
{
	if (diff->by == BY_FUNCTION || diff->by == BY_PATH)
		name_functions(diff, names, is_table);
	if (diff->by == BY_ADDRESS)
		name_instructions(diff);
	for (size_t i = 0; i < diff->n_rows && diff->by == BY_SITE; i++) {
		diff->rows[i].name = kept_shown(diff, diff->rows[i].name, diff->rows[i].file, 0);
		diff->rows[i].callee = kept_shown(diff, diff->rows[i].callee, NULL, 0);
	}
}

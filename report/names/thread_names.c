/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "thread_names.h"

#include <stdlib.h>
#include <string.h>

#include "system_paths.h"

#define NAME_OF_KERNEL 15 /* bytes of a thread's name that it keeps */

char *thread_name_recorded(const struct data_thread *thread)
{
	char name[sizeof(thread->record->name) + 1] = "";

	memcpy(name, thread->record->name, sizeof(thread->record->name));
	return xstrdup(name);
}

/* Whether the name is the one that every thread of the program has. */
static int is_inherited(const struct data *data, const struct data_thread *thread, const char *name)
{
	const char *exe = data_property(data, "exe");

	if (thread->record->named)
		return 0;
	if (!*name || (exe && !strncmp(name, util_basename(exe), NAME_OF_KERNEL)))
		return 1;
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct cinstr_thread *first = data->threads[i].record;

		if (first->tid == data->header->pid && first != thread->record)
			return !strncmp(name, first->name, sizeof(first->name));
	}
	return 0;
}

int thread_is_start_code(const struct entity *entity)
{
	static const char *const exact[] = { "clone",	    "clone3",	    "__clone",
					     "__clone3",    "__GI___clone", "start_thread",
					     "_start",	    "thread_start", "execute_native_thread_routine",
					     "pthread_once" };
	static const char *const begins[] = {
		"std::", "__gnu_cxx::", "void std::", "__libc_start_", "[", "0x"
	};
	/* of assembler names, since what is shown of them may begin otherwise */
	static const char *const assembler[] = { "_ZNSt", "_ZNKSt", "_ZSt" };

	if (!entity->is_function || system_code_is_header(entity->file))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(assembler); i++)
		if (!strncmp(entity->assembler, assembler[i], strlen(assembler[i])))
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		if (!strcmp(entity->name, exact[i]))
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(entity->name, begins[i], strlen(begins[i])))
			return 1;
	return 0;
}

/* What was recorded of a node and of all below it. */
static uint64_t ticks_below(const struct data_thread *thread, uint32_t node)
{
	uint64_t ticks = 0;

	for (uint32_t i = node; i <= thread->nodes[node].last; i++)
		ticks += thread->nodes[i].cell->ticks;
	return ticks;
}

/* The child with most; 0: there is none. */
static uint32_t main_child(const struct data_thread *thread, uint32_t parent)
{
	uint64_t most = 0;
	uint32_t found = 0;

	for (uint32_t i = parent + 1; i <= thread->nodes[parent].last; i = thread->nodes[i].last + 1) {
		uint64_t ticks = ticks_below(thread, i);

		if (!found || ticks > most) {
			found = i;
			most = ticks;
		}
	}
	return found;
}

/* Returns the entity's name as people write it, as a new string. */
static char *written(const struct entity *entity)
{
	char *forms[NAMES_FORMS], *name;

	names_forms(entity->assembler, entity->file, entity->line, forms);
	name = xstrdup(forms[NAMES_FORM_WRITTEN]);
	for (int i = 0; i < NAMES_FORMS; i++)
		free(forms[i]);
	return name;
}

char *thread_lambda(const struct entity *entity)
{
	static const char begin[] = "std::thread::_State_impl<";
	FREED char *name = written(entity);
	const char *lambda = strncmp(name, begin, strlen(begin)) ? NULL : strstr(name, "{lambda"),
		   *from = lambda;
	struct strbuf text = { 0 };

	while (from && !strchr("<(, ", from[-1]))
		from--;
	if (from)
		strbuf_add(&text, from, strcspn(lambda, "}") + 1 + (size_t)(lambda - from));
	return text.text;
}

static char *start_routine(struct names *names, const struct data *data, const struct data_thread *thread)
{
	uint32_t node = thread->n_nodes ? main_child(thread, 0) : 0;
	char *lambda = NULL;

	for (; node; node = main_child(thread, node)) {
		const struct cinstr_cell *cell = thread->nodes[node].cell;
		uint32_t number = data_cell_is_line(cell) ? NAMES_NONE : names_of_cell(names, data, cell);
		const struct entity *entity = number == NAMES_NONE ? NULL : &names->list[number];

		if (entity && !lambda)
			lambda = thread_lambda(entity);
		if (!entity || thread_is_start_code(entity))
			continue;
		if (lambda && !entity->file)
			break;
		free(lambda);
		return written(entity);
	}
	return lambda;
}

char *thread_shown_name(struct names *names, const struct data *data, const struct data_thread *thread)
{
	char *name = thread_name_recorded(thread), *start;

	if (thread->record->tid == data->header->pid || !is_inherited(data, thread, name))
		return name;
	start = start_routine(names, data, thread);
	if (!start)
		return name;
	free(name);
	return start;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twins.h"

#include <stdlib.h>

#include "lib/int_map.h"
#include "session.h"

void twins_find(struct session *input)
{
	struct int_map numbers = { 0 };
	FREED uint32_t *seen = xcalloc(input->n_files + 1, sizeof(*seen));

	free(input->twins);
	input->twins = xcalloc(input->n_files + 1, sizeof(*input->twins));
	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;
		int is_new;

		if (!session_header(input->files[i], &header))
			input->twins[i] = seen[int_map_add(&numbers, header.pid, &is_new)]++;
	}
	int_map_release(&numbers);
}

void twins_note(const struct session *input, size_t number, struct data *data)
{
	data->process_number = (uint32_t)number + 1;
	data->twin = input->twins ? input->twins[number] : 0;
}

void twins_put_number(struct strbuf *text, uint32_t pid, uint32_t twin)
{
	strbuf_printf(text, "%u", pid);
	if (twin)
		strbuf_printf(text, "#%u", twin + 1);
}

void twins_put(struct strbuf *text, const struct data *data)
{
	twins_put_number(text, data->header->pid, data->twin);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "thread_heads.h"

#include <stdlib.h>

#include "lib/array.h"
#include "session/twins.h"

void thread_head_put(struct thread_heads *heads, struct strbuf *text, const struct data *data,
		     const struct data_thread *thread, const char *name)
{
	size_t from = text->length, number;
	int is_new;

	strbuf_printf(text, "[thread %s %u", name, thread->record->tid);
	number = map_add(&heads->texts, text->text + from, text->length - from, &is_new);
	if (is_new) {
		ARRAY_ONE_MORE(heads->owners, number);
		heads->owners[number] = data->process_number;
	} else if (heads->owners[number] != data->process_number) {
		strbuf_puts(text, " of process ");
		twins_put(text, data);
	}
	strbuf_puts(text, "]");
}

void thread_heads_release(struct thread_heads *heads)
{
	map_release(&heads->texts);
	free(heads->owners);
	*heads = (struct thread_heads){ 0 };
}

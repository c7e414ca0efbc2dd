/* SPDX-License-Identifier: GPL-3.0-or-later */
/* endings.c - see endings.h. */
#include "endings.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "processes.h"

#define EXEC "by becoming another program (exec)"

static const struct end_call {
	const char *name, *sentence;
} end_calls[] = {
	{ "_exit", "by a call of _exit" },
	{ "_Exit", "by a call of _Exit" },
	{ "quick_exit", "by a call of quick_exit" },
	{ "exit", "by a call of exit that did not finish" },
	{ "abort", "by a call of abort" },
	{ "__assert_fail", "by a failed assertion" },
	{ "raise", "in a call of raise: probably by that signal" },
};

static int is_exec(const char *name)
{
	return !strncmp(name, "exec", 4) || !strcmp(name, "fexecve");
}

static const struct end_call *end_call(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(end_calls); i++)
		if (!strcmp(end_calls[i].name, name))
			return &end_calls[i];
	return NULL;
}

/* Name of the innermost open call of a thread; NULL: none. */
static const char *innermost(struct names *names, const struct data *data, const struct data_thread *thread)
{
	const struct data_node *node;
	uint32_t entity;

	if (!thread->n_open)
		return NULL;
	node = &thread->nodes[thread->open[thread->n_open - 1]];
	if (CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_LINE)
		node = &thread->nodes[node->parent];
	entity = names_of_cell(names, data, node->cell);
	return entity == NAMES_NONE ? NULL : names->list[entity].name;
}

static struct ending inferred(const struct data *data, struct names *names)
{
	struct ending ending = { .kind = ENDING_UNKNOWN };

	for (size_t i = 0; i < data->n_threads; i++) {
		const char *name = innermost(names, data, &data->threads[i]);

		if (!name)
			continue;
		if (is_exec(name))
			return (struct ending){ .kind = ENDING_EXEC };
		if (end_call(name))
			return (struct ending){ .kind = ENDING_CALL, .call = name };
		ending.where = ending.where ? ending.where : name;
	}
	return ending;
}

struct ending ending_of(const struct data *data, struct names *names, int may_run)
{
	const struct cinstr_header *h = data->header;

	switch (h->end) {
	case CINSTR_END_EXIT:
		return (struct ending){ .kind = ENDING_EXIT, .status = h->end_status };
	case CINSTR_END_SIGNAL:
		return (struct ending){ .kind = ENDING_SIGNAL, .status = h->end_status };
	case CINSTR_END_EXEC:
		return (struct ending){ .kind = ENDING_EXEC };
	case CINSTR_END_SNAPSHOT:
		return (struct ending){ .kind = ENDING_SNAPSHOT };
	default:
		if (may_run && process_of(data->path, h))
			return (struct ending){ .kind = ENDING_RUNNING };
		if (h->method == CINSTR_METHOD_SAMPLING)
			return (struct ending){ .kind = h->sampling.flags & CINSTR_SAMPLING_DETACHED
								? ENDING_DETACHED
								: ENDING_UNSEEN };
		return inferred(data, names);
	}
}

static const char *signal_name(int number)
{
	const char *name = sigabbrev_np(number);

	return name ? name : "?";
}

void ending_put(struct strbuf *text, const struct ending *ending)
{
	static const char *const words[] = {
		[ENDING_EXEC] = "exec",	      [ENDING_SNAPSHOT] = "snapshot", [ENDING_RUNNING] = "running",
		[ENDING_UNKNOWN] = "unknown", [ENDING_DETACHED] = "detached", [ENDING_UNSEEN] = "unknown",
	};

	if (ending->kind == ENDING_EXIT)
		strbuf_printf(text, "exit %d", ending->status);
	else if (ending->kind == ENDING_SIGNAL)
		strbuf_printf(text, "signal %d (%s)", ending->status, signal_name(ending->status));
	else
		strbuf_puts(text, ending->kind == ENDING_CALL ? ending->call : words[ending->kind]);
}

void ending_tell(struct strbuf *text, const struct ending *ending)
{
	switch (ending->kind) {
	case ENDING_EXIT:
		strbuf_printf(text, "by exit, status %d", ending->status);
		return;
	case ENDING_SIGNAL:
		strbuf_printf(text, "by signal %d (SIG%s)", ending->status, signal_name(ending->status));
		return;
	case ENDING_EXEC:
		strbuf_puts(text, EXEC);
		return;
	case ENDING_SNAPSHOT:
		strbuf_puts(text, "not yet: this is a snapshot of it");
		return;
	case ENDING_RUNNING:
		strbuf_puts(text, "still running");
		return;
	case ENDING_CALL:
		strbuf_puts(text, end_call(ending->call)->sentence);
		return;
	case ENDING_DETACHED:
		strbuf_puts(text, "not yet: it went on when the recording ended");
		return;
	case ENDING_UNSEEN:
		strbuf_puts(text, "how is not noted: that is known of the program that cinstr record began");
		return;
	case ENDING_UNKNOWN:
		break;
	}
	strbuf_puts(text, "not noted: without exit(), for example by a signal");
	if (ending->where) {
		strbuf_puts(text, "; the first thread was in ");
		strbuf_visible(text, ending->where);
	}
}

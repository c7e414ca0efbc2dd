/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answer.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/array.h"

#define DEPTH_MOST 64
#define TEXT_MOST 1000 /* bytes of a text in it */
#define MESSAGES_MOST 5
#define SESSION_LIST_MOST 5 /* items of a list of the session */
#define OWN_BYTES 2500	    /* of "answer", about */
#define ERROR_MOST 1500	    /* bytes of what went wrong */

/* ---- what says nothing ----------------------------------------------------------------------- */

/* Columns that are left out unless columns are asked for: others tell the same, or the foot of a
 * table would. */
static const char *const left_out[] = {
	"address",
	"application_*",
	"avg_application_*",
	"avg_elapsed_exclusive_ns",
	"calls_bound",
	"cpu_inclusive_percent",
	"elapsed_exclusive_percent",
	"elapsed_inclusive_percent",
	"elapsed_inclusive_uncertainty_ns",
	"max_application_*",
	"max_elapsed_exclusive_ns",
	"min_*",
	"off_cpu_ns",
	"open_calls",
	"p50_*",
	"p90_*",
	"p95_*",
	"probe_overhead_*",
	"source_exclusive",
	"*_intervals_*clusive",
	"*_switches_*clusive",
	"system_calls_*clusive",
	"tail_calls",
};

static int is_left_out(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (!fnmatch(left_out[i], name, 0))
			return 1;
	return 0;
}

/* 0, "" and lists of nothing: of a session they are the rule. */
static int is_nothing(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		return 1;
	case json_type_boolean:
		return !json_object_get_boolean(value);
	case json_type_int:
		return !json_object_get_int64(value);
	case json_type_double:
		return json_object_get_double(value) == 0;
	case json_type_string:
		return !json_object_get_string_len(value);
	case json_type_array:
		return !json_object_array_length(value);
	default:
		return 0;
	}
}

/* What a line has of its source, too. */
static int is_known(struct json_object *around, const char *name, struct json_object *value)
{
	struct json_object *same;

	return around && json_object_object_get_ex(around, name, &same) && json_object_equal(same, value);
}

struct pruning {
	int leaves_columns, is_session;
	const char *const *keeps; /* of the session; NULL: all */
};

static int is_kept(const char *const *keeps, const char *name)
{
	size_t i = 0;

	while (keeps && keeps[i] && strcmp(keeps[i], name) != 0)
		i++;
	return !keeps || keeps[i];
}

/* Whether a row tells it twice. */
static int is_twice(struct json_object *row, const char *name)
{
	return !strcmp(name, "module") && json_member(row, "module_name", json_type_string);
}

static int says_nothing(struct json_object *object, const char *name, struct json_object *member,
			const struct pruning *how)
{
	if (!member)
		return 1;
	if (how->is_session)
		return is_nothing(member) || !is_kept(how->keeps, name);
	return how->leaves_columns && (is_left_out(name) || is_twice(object, name));
}

static void cut_text(struct json_object *value)
{
	size_t n = (size_t)json_object_get_string_len(value);
	STRBUF(text);

	if (n <= TEXT_MOST)
		return;
	n = TEXT_MOST;
	while (n && (json_object_get_string(value)[n] & 0xc0) == 0x80)
		n--;
	strbuf_add(&text, json_object_get_string(value), n);
	strbuf_puts(&text, "...");
	json_object_set_string(value, text.text);
}

static void prune(struct json_object *value, const struct pruning *how, struct json_object *around)
{
	struct json_object *inner =
		json_object_is_type(value, json_type_object) && json_member(value, "lines", json_type_array)
			? value
			: around;

	if (json_object_is_type(value, json_type_string))
		cut_text(value);
	for (size_t i = 0; json_object_is_type(value, json_type_array) && i < json_object_array_length(value);
	     i++)
		prune(json_object_array_get_idx(value, i), how, around);
	if (!json_object_is_type(value, json_type_object))
		return;
	json_object_object_foreach(value, name, member)
	{
		if (says_nothing(value, name, member, how) || is_known(around, name, member) ||
		    (inner && json_object_is_type(member, json_type_array) && is_nothing(member)))
			json_object_object_del(value, name);
		else
			prune(member, how, inner);
	}
}

static void prune_all(const struct call *call, struct json_object *result)
{
	json_object_object_foreach(result, name, member)
	{
		const struct pruning how = { .leaves_columns = !call->has_columns &&
							       json_object_is_type(member, json_type_array),
					     .is_session = !strcmp(name, "session"),
					     .keeps = call->tool->session_keeps };

		if (is_kept(call->tool->keeps, name))
			prune(member, &how, NULL);
		else
			json_object_object_del(result, name);
	}
}

/* ---- a page ---------------------------------------------------------------------------------- */

struct page {
	struct json_object **lists; /* that rows are in */
	size_t n_lists;
	size_t n_rows;	/* that the verb has printed */
	uint64_t total; /* with those it has left out */
	size_t shown;
	size_t cut_to; /* other lists have been; SIZE_MAX: they have not */
};

static void add_list(struct page *page, struct json_object *list)
{
	if (!list)
		return;
	ARRAY_ONE_MORE(page->lists, page->n_lists);
	page->lists[page->n_lists++] = list;
	page->n_rows += json_object_array_length(list);
}

/* How many rows the verb has left out. */
static uint64_t hidden_rows(const struct call *call, struct json_object *result)
{
	struct json_object *session = json_member(result, "session", json_type_object), *hidden = NULL;

	if (session && call->tool->hidden)
		hidden = json_member(session, call->tool->hidden, json_type_int);
	return hidden ? (uint64_t)json_object_get_int64(hidden) : 0;
}

static void find_lists(struct page *page, const struct call *call, struct json_object *result,
		       uint64_t hidden)
{
	const char *list = call->tool->list, *inner = list ? strchr(list, '.') : NULL;
	struct json_object *outer;
	FREED char *name = NULL;

	*page = (struct page){ .cut_to = SIZE_MAX };
	if (!list)
		return;
	name = strndup(list, inner ? (size_t)(inner - list) : strlen(list));
	outer = json_member(result, name, json_type_array);
	for (size_t i = 0; inner && outer && i < json_object_array_length(outer); i++)
		add_list(page, json_member(json_object_array_get_idx(outer, i), inner + 1, json_type_array));
	if (!inner)
		add_list(page, outer);
	page->total = page->n_rows + hidden;
}

static int is_paged(const struct page *page, struct json_object *list)
{
	for (size_t i = 0; i < page->n_lists; i++)
		if (page->lists[i] == list)
			return 1;
	return 0;
}

/* Cuts all other lists. Returns whether one was longer. */
static int cut_lists(const struct page *page, struct json_object *value, size_t most)
{
	int is_cut = 0;

	if (json_object_is_type(value, json_type_array)) {
		size_t n = json_object_array_length(value);

		is_cut = !is_paged(page, value) && n > most;
		if (is_cut)
			json_object_array_del_idx(value, most, n - most);
		for (size_t i = 0; i < json_object_array_length(value); i++)
			is_cut |= cut_lists(page, json_object_array_get_idx(value, i), most);
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member)
		{
			(void)name;
			is_cut |= cut_lists(page, member, most);
		}
	}
	return is_cut;
}

static size_t bytes_of(struct json_object *value)
{
	return strlen(json_line(value)) + 1;
}

/* Leaves the rows from `offset` on that there is room for, but one at least. */
static void cut_rows(struct page *page, uint64_t offset, uint64_t limit, size_t room)
{
	uint64_t number = 0;
	int is_full = 0;

	for (size_t i = 0; i < page->n_lists; i++) {
		size_t n = json_object_array_length(page->lists[i]), first = n, last = n;

		for (size_t k = 0; k < n; k++, number++) {
			size_t bytes;

			if (number < offset || is_full)
				continue;
			bytes = bytes_of(json_object_array_get_idx(page->lists[i], k));
			is_full = page->shown >= limit || (page->shown && bytes > room);
			if (is_full)
				continue;
			room -= bytes < room ? bytes : room;
			first = first == n ? k : first;
			last = k + 1;
			page->shown++;
		}
		if (first == n) {
			json_object_array_del_idx(page->lists[i], 0, n);
			continue;
		}
		json_object_array_del_idx(page->lists[i], last, n - last);
		json_object_array_del_idx(page->lists[i], 0, first);
	}
}

static size_t bytes_without_rows(const struct page *page, struct json_object *result)
{
	size_t bytes = bytes_of(result);

	for (size_t i = 0; i < page->n_lists; i++)
		for (size_t k = 0; k < json_object_array_length(page->lists[i]); k++)
			bytes -= bytes_of(json_object_array_get_idx(page->lists[i], k));
	return bytes;
}

/* Lists of which no row is left go with what they are in. */
static void leave_out_empty(const struct call *call, struct json_object *result)
{
	const char *inner = call->tool->list ? strchr(call->tool->list, '.') : NULL;
	struct json_object *outer = inner ? json_member(result, "sources", json_type_array) : NULL;

	for (size_t i = outer ? json_object_array_length(outer) : 0; i-- > 0;) {
		struct json_object *list =
			json_member(json_object_array_get_idx(outer, i), inner + 1, json_type_array);

		if (list && !json_object_array_length(list))
			json_object_array_del_idx(outer, i, 1);
	}
}

static void cut(struct page *page, const struct call *call, struct json_object *result)
{
	static const size_t steps[] = { 50, 20, 10, 5, 2, 0 };
	size_t most = call->numbers[NUMBER_BYTES] - OWN_BYTES, bytes;
	size_t other = page->n_lists ? most / 2 : most; /* for all but the rows */
	struct json_object *session = json_member(result, "session", json_type_object);

	if (session && cut_lists(page, session, SESSION_LIST_MOST))
		page->cut_to = SESSION_LIST_MOST;
	bytes = bytes_without_rows(page, result);

	for (size_t i = 0; i < ARRAY_SIZE(steps) && bytes > other; i++) {
		if (cut_lists(page, result, steps[i]))
			page->cut_to = steps[i];
		bytes = bytes_without_rows(page, result);
	}
	cut_rows(page, call->numbers[NUMBER_OFFSET], call->numbers[NUMBER_LIMIT],
		 most > bytes ? most - bytes : 0);
	leave_out_empty(call, result);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* The next of the lines "cinstr: ..."; NULL: there is none. */
static char *next_message(char **rest)
{
	static const char prefix[] = "cinstr: ";
	char *line;

	while ((line = strsep(rest, "\n")))
		if (*line)
			return strncmp(line, prefix, sizeof(prefix) - 1) ? line : line + sizeof(prefix) - 1;
	return NULL;
}

static void put_messages(struct json_object *answer, const char *messages)
{
	FREED char *text = xstrdup(messages);
	char *rest = text, *line;
	struct json_object *list = NULL;
	size_t n = 0;

	while ((line = next_message(&rest)) && n++ < MESSAGES_MOST) {
		list = list ? list : json_add_list(answer, "messages");
		json_append_text(list, line);
		cut_text(json_object_array_get_idx(list, json_object_array_length(list) - 1));
	}
}

static void put_command(struct json_object *answer, const struct call *call)
{
	STRBUF(line);

	strbuf_puts(&line, "cinstr");
	for (int i = 0; i < call->job.argc; i++) {
		if (!strcmp(call->job.argv[i], "--") && call->job.n_sessions < 2)
			continue;
		strbuf_puts(&line, " ");
		strbuf_argument(&line, call->job.argv[i]);
	}
	json_add_text(answer, "command", line.text);
	cut_text(json_member(answer, "command", json_type_string));
}

static void put_page(struct json_object *answer, const struct call *call, const struct page *page)
{
	uint64_t offset = call->numbers[NUMBER_OFFSET];
	struct json_object *object = json_add_object(answer, "page");

	if (call->tool->list) {
		json_add_text(object, "list", call->tool->list);
		json_add_count(object, "offset", offset);
		json_add_count(object, "shown", page->shown);
		json_add_count(object, "total", page->total);
		if (offset + page->shown < page->total && page->shown)
			json_add_count(object, "next_offset", offset + page->shown);
	}
	if (page->cut_to != SIZE_MAX)
		json_add_count(object, "other_lists_cut_to", page->cut_to);
	if (!json_object_object_length(object))
		json_object_object_del(answer, "page");
}

static void put_answer(const struct call *call, struct json_object *result, const struct page *page,
		       const char *messages)
{
	uint64_t end = call->numbers[NUMBER_OFFSET] + page->shown;
	struct json_object *answer = json_object_new_object(), *next;

	put_command(answer, call);
	put_page(answer, call, page);
	next = json_add_list(answer, "next");
	next_steps_add(next, call, result);
	if (page->shown && end < page->total)
		next_steps_page(next, call, end);
	put_messages(answer, messages);
	json_object_object_add(result, "answer", answer);
}

/* What explain says. */
static struct json_object *plain_text(const struct call *call, const struct outcome *outcome)
{
	struct json_object *result = json_object_new_object();
	size_t most = call->numbers[NUMBER_BYTES] - OWN_BYTES, n = outcome->n;
	const struct page page = { .cut_to = SIZE_MAX };

	if (n > most) {
		for (n = most; n && outcome->output[n] != '\n'; n--)
			;
		json_add_flag(result, "text_is_cut", 1);
	}
	json_object_object_add(result, "text", json_object_new_string_len(outcome->output, (int)n));
	put_answer(call, result, &page, outcome->messages);
	return result;
}

/* Why there is no answer. */
static void say_why(const struct call *call, const struct outcome *outcome, struct strbuf *why)
{
	FREED char *text = xstrdup(outcome->messages);
	char *rest = text, *line;

	strbuf_printf(why, "%s: ", call->tool->name);
	if (outcome->is_late) {
		strbuf_puts(why, "it took too long, and was ended: ask for less (function, from, to)");
	} else if (outcome->status == -1 || WIFSIGNALED(outcome->status)) {
		int number = outcome->status == -1 ? 0 : WTERMSIG(outcome->status);

		strbuf_printf(why, "the reader ended by itself (%s): is the session damaged?",
			      number ? strsignal(number) : "not known why");
	} else if (!outcome->output) {
		strbuf_puts(why, "the answer is too large: ask for less (function, limit, from, to)");
	} else {
		size_t n = 0;

		while ((line = next_message(&rest)) && why->length < ERROR_MOST) {
			if (!strncmp(line, "error: ", 7))
				line += 7;
			strbuf_puts(why, n++ ? "\n" : "");
			strbuf_visible(why, line);
		}
		if (!n)
			strbuf_puts(why, "there is nothing to show");
	}
}

struct json_object *answer_make(const struct call *call, const struct outcome *outcome, struct strbuf *why)
{
	struct json_object *result = NULL;
	const char *problem;
	uint64_t hidden;
	struct page page;

	if (outcome->output && outcome->n && !outcome->is_late && outcome->status != -1 &&
	    WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) != STATUS_USAGE) {
		if (call->tool->is_plain_text)
			return plain_text(call, outcome);
		result = json_read(outcome->output, outcome->n, DEPTH_MOST, &problem);
	}
	if (!json_object_is_type(result, json_type_object)) {
		json_object_put(result);
		say_why(call, outcome, why);
		return NULL;
	}
	hidden = hidden_rows(call, result);
	prune_all(call, result);
	find_lists(&page, call, result, hidden);
	cut(&page, call, result);
	put_answer(call, result, &page, outcome->messages);
	free(page.lists);
	return result;
}

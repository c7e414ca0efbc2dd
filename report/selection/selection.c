/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selection.c - see selection.h. time_range.c cuts the range of time, selection_rows.c chooses
 * rows. */
#include "selection.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "just_my_code.h"
#include "names/thread_names.h"
#include "session/twins.h"
#include "selection_file.h"
#include "selection_state.h"
#include "time_range.h"

/* ---- options --------------------------------------------------------------------------------- */

static int globs_take(struct globs *globs, const char *option, const char *text)
{
	if (!text || !globs_parse(globs, text))
		return 0;
	return error(
		"--%s does not take '%s': it takes globs, separated by commas; ! in front of one leaves out "
		"what it matches",
		option, text);
}

int selection_time_parse(const char *text, long double *ns)
{
	static const struct {
		const char *name;
		long double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3L }, { "ms", 1e6L }, { "s", 1e9L }, { "min", 60e9L } };
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -1;
	*ns = strtold(text, &end);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].name)) {
			*ns *= units[i].ns;
			return *ns < 1e19L ? 0 : -1;
		}
	return -1;
}

static int is_number(const char *text)
{
	text += *text == '-';
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 19;
}

static int bound_parse(struct bound *bound, const char *option, const char *text)
{
	bound->option = option;
	bound->text = text;
	if (!text)
		return 0;
	bound->is_set = 1;
	if (!*text)
		return error("--%s needs a time (12.5s, 300ms, us, ns) or a mark", option);
	bound->is_mark = selection_time_parse(text, &bound->ns) != 0;
	bound->is_found = !bound->is_mark;
	bound->has_id = bound->is_mark && is_number(text);
	if (bound->has_id)
		bound->id = strtoll(text, NULL, 10);
	return 0;
}

static int is_backward(const struct bound *from, const struct bound *to)
{
	return from->is_set && to->is_set && from->is_found && to->is_found && from->ns >= to->ns;
}

static int say_backward(const struct bound *from, const struct bound *to)
{
	const char *a = util_shown(from->text), *b = util_shown(to->text);

	return error("--from=%s is not before --to=%s", a, b);
}

static int options_check(const struct selection *s)
{
	struct selection_state *state = s->state;

	if (globs_take(&state->processes, "process", s->processes) ||
	    globs_take(&state->threads, "thread", s->threads) ||
	    globs_take(&state->functions, "function", s->functions) ||
	    globs_take(&state->modules, "module", s->modules) || bound_parse(&state->from, "from", s->from) ||
	    bound_parse(&state->to, "to", s->to))
		return STATUS_USAGE;
	if (is_backward(&state->from, &state->to)) {
		say_backward(&state->from, &state->to);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

int selection_check(struct selection *selection)
{
	int status = STATUS_OK;

	if (selection->state)
		return STATUS_OK;
	selection->state = xcalloc(1, sizeof(*selection->state));
	if (selection->file)
		status = selection_file_read(selection, selection->file, &selection->state->strings);
	if (!status)
		status = options_check(selection);
	if (!status && selection->save)
		status = selection_file_write(selection, selection->save);
	return status;
}

void selection_release(struct selection *selection)
{
	struct selection_state *state = selection->state;

	if (!state)
		return;
	globs_release(&state->processes);
	globs_release(&state->threads);
	globs_release(&state->functions);
	globs_release(&state->modules);
	map_release(&state->mark_texts);
	map_release(&state->strings);
	session_clock_release(&state->clock);
	system_code_release(&state->system_code);
	names_release(&state->thread_names);
	free(state);
	selection->state = NULL;
}

int selection_has_range(const struct selection *selection)
{
	return selection->from || selection->to;
}

int selection_is_any(const struct selection *s)
{
	return s->processes || s->threads || s->functions || s->modules || s->just_my_code ||
	       selection_has_range(s);
}

/* ---- processes, threads ---------------------------------------------------------------------- */

static int takes_process(struct selection_state *state, const struct data *data)
{
	const struct cinstr_control_block *block = (const void *)(data->memory + CINSTR_CONTROL_OFFSET);
	const char *exe = data_property(data, "exe"), *argv0 = data_property(data, "argv0");
	char number[16], name[sizeof(block->name) + 1] = "";
	const char *names[] = { number, NULL, NULL, NULL, NULL, NULL, NULL };
	char *command_line = totals_command_line(data);
	struct strbuf with_arguments = { 0 }, shown_number = { 0 };
	int is_taken;

	snprintf(number, sizeof(number), "%u", data->header->pid);
	if (data->header->header_bytes >= CINSTR_PAGE && block->named == 1)
		memcpy(name, block->name, sizeof(block->name));
	names[1] = name[0] ? name : NULL;
	names[2] = exe ? util_basename(exe) : NULL;
	names[3] = argv0 ? util_basename(argv0) : NULL;
	names[4] = command_line;
	/* as a table has it */
	strbuf_printf(&with_arguments, "%s%s",
		      names[1]	 ? names[1]
		      : names[2] ? names[2]
				 : "",
		      command_line + strcspn(command_line, " "));
	names[5] = with_arguments.text;
	twins_put(&shown_number, data);
	names[6] = shown_number.text;
	is_taken = globs_match(&state->processes, names, ARRAY_SIZE(names)) == GLOBS_TAKEN;
	strbuf_release(&with_arguments);
	strbuf_release(&shown_number);
	free(command_line);
	return is_taken;
}

static int takes_thread(void *arg, const struct data *data, const struct data_thread *thread)
{
	struct selection_state *state = arg;
	const char *exe = data_property(data, "exe");
	char number[16], *shown = thread_shown_name(&state->thread_names, data, thread),
			 *recorded = thread_name_recorded(thread);
	const char *names[] = { shown, number, recorded };
	int is_taken;

	snprintf(number, sizeof(number), "%u", thread->record->tid);
	if (!*shown)
		names[0] = exe ? util_basename(exe) : NULL;
	if (!*recorded)
		names[2] = NULL;
	is_taken = globs_match(&state->threads, names, ARRAY_SIZE(names)) == GLOBS_TAKEN;
	free(shown);
	free(recorded);
	return is_taken;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static int is_mark_of(const struct bound *bound, const struct data_mark *mark)
{
	if (mark->kind != CINSTR_MARK_PROGRAM && mark->kind != CINSTR_MARK_OUTSIDE)
		return 0;
	if (bound->has_id && mark->id == bound->id)
		return 1;
	return globs_text_matches(bound->text, mark->text);
}

static void bound_look(struct bound *bound, const struct bound *behind, const struct data_mark *mark,
		       long double ns)
{
	if (!bound->is_mark || !is_mark_of(bound, mark) || (bound->is_found && ns >= bound->ns) ||
	    (behind && behind->is_set && ns <= behind->ns))
		return;
	bound->is_found = 1;
	bound->ns = ns;
}

struct looking {
	struct selection_state *state;
	struct bound *bound;
	const struct bound *behind;
};

static void look(void *arg, struct data *data)
{
	const struct looking *looking = arg;
	char id[24];

	for (size_t i = 0; i < data->n_marks; i++) {
		const struct data_mark *mark = &data->marks[i];

		bound_look(looking->bound, looking->behind, mark,
			   session_clock_ns(&looking->state->clock, data->header, mark->ticks));
		if (mark->kind != CINSTR_MARK_PROGRAM && mark->kind != CINSTR_MARK_OUTSIDE)
			continue;
		snprintf(id, sizeof(id), "%lld", (long long)mark->id);
		if (mark->id || *mark->text)
			map_keep(&looking->state->mark_texts, *mark->text ? mark->text : id);
	}
}

static int say_no_mark(const struct selection_state *state, const struct bound *bound)
{
	STRBUF(text);
	const struct map *texts = &state->mark_texts;
	const char *closest = util_closest(bound->text, (const char *const *)texts->keys, texts->n);

	strbuf_printf(&text, "--%s: '", bound->option);
	strbuf_visible(&text, bound->text);
	strbuf_puts(&text, texts->n ? "' is no time (12.5s, 300ms, us, ns), and there is no such mark"
				    : "' is no time (12.5s, 300ms, us, ns), and there are no marks here");
	if (bound->option[0] == 't' && state->from.is_set && texts->n)
		strbuf_puts(&text, " after --from");
	if (closest) {
		strbuf_puts(&text, "; did you mean '");
		strbuf_visible(&text, closest);
		strbuf_puts(&text, "'?");
	}
	return error("%s (cinstr info --marks lists them)", text.text);
}

/* When a mark was, of whatever process. */
static int find_mark(struct selection_state *state, struct session *input, struct bound *bound,
		     const struct bound *behind)
{
	struct looking looking = { state, bound, behind };

	if (!bound->is_mark)
		return 0;
	bound->is_found = 0;
	session_each_quietly(input, look, &looking);
	return bound->is_found ? 0 : say_no_mark(state, bound);
}

/* ---- data ------------------------------------------------------------------------------------ */

struct reading {
	const struct selection *selection;
	void (*visit)(void *arg, struct data *data);
	void *arg;
	int failed;
	size_t n_visited;
};

/* The process's own first such mark at or behind `behind`. 0: it has none. */
static int own_mark(const struct bound *bound, const struct data *data, uint64_t behind, uint64_t *ticks)
{
	int found = 0;

	for (size_t i = 0; bound->is_mark && i < data->n_marks; i++) {
		const struct data_mark *mark = &data->marks[i];

		if (mark->ticks < behind || !is_mark_of(bound, mark) || (found && mark->ticks >= *ticks))
			continue;
		found = 1;
		*ticks = mark->ticks;
	}
	return found;
}

void selection_range(const struct selection *selection, const struct data *data, uint64_t *from_ticks,
		     uint64_t *to_ticks)
{
	const struct selection_state *state = selection->state;
	int has_own = 0;

	*from_ticks = 0;
	*to_ticks = UINT64_MAX;
	if (state->from.is_set)
		*from_ticks = session_clock_ticks(&state->clock, data->header, state->from.ns);
	if (state->from.is_set)
		has_own = own_mark(&state->from, data, 0, from_ticks);
	if (!state->to.is_set || own_mark(&state->to, data, *from_ticks + state->from.is_set, to_ticks))
		return;
	*to_ticks = session_clock_ticks(&state->clock, data->header, state->to.ns);
	/* this process begins after others have ended, and does not come to such a mark */
	if (has_own && *to_ticks <= *from_ticks)
		*to_ticks = UINT64_MAX;
}

/* Leaves in it what is chosen but for the time. 0: nothing is left. */
static int choose_parts(const struct selection *selection, struct data *data)
{
	if (!takes_process(selection->state, data))
		return 0;
	if (!selection->threads)
		return 1;
	threads_keep(data, takes_thread, selection->state);
	names_next_process(&selection->state->thread_names);
	return data->n_threads > 0;
}

/* Checks that the options apply to a merged file, which keeps neither processes nor times. Returns
 * 0, or -1 after an error message. */
static int check_merged(const struct selection *selection, const struct data *data)
{
	const char *what = selection->processes ? "--process: merged sessions do not keep processes"
			   : selection->threads ? "--thread: merged sessions do not keep threads"
			   : selection_has_range(selection) ? "--from, --to: merged sessions keep no times"
							    : NULL;

	if (!data->merged || !what)
		return 0;
	return error("%s: %s; use the sessions that were merged", util_shown(data->path), what);
}

static void read_one(void *arg, struct data *data)
{
	struct reading *reading = arg;
	const struct selection *selection = reading->selection;
	uint64_t from, to;

	if (data->selected == DATA_SELECTED)
		reading->visit(reading->arg, data);
	if (data->selected != DATA_NOT_SELECTED)
		return;
	data->selected = DATA_NOTHING_LEFT;
	reading->failed |= check_merged(selection, data) != 0;
	if (reading->failed || !choose_parts(selection, data))
		return;
	if (selection_has_range(selection)) {
		selection_range(selection, data, &from, &to);
		reading->failed |= range_select(data, from, to, selection->by_marks) != 0;
		if (!data->n_threads)
			return;
	}
	if (selection->just_my_code)
		system_code_collapse(&selection->state->system_code, data);
	if (reading->failed)
		return;
	data->selected = DATA_SELECTED;
	reading->n_visited++;
	reading->visit(reading->arg, data);
}

int selection_begin(const struct selection *selection, struct session *input)
{
	struct selection_state *state = selection->state;

	session_clock_release(&state->clock);
	session_clock_init(&state->clock, input);
	if (find_mark(state, input, &state->from, NULL) || find_mark(state, input, &state->to, &state->from))
		return STATUS_DATA;
	if (is_backward(&state->from, &state->to) && say_backward(&state->from, &state->to))
		return STATUS_DATA;
	return STATUS_OK;
}

int selection_end(const struct selection *selection, size_t n_visited)
{
	struct selection_state *state = selection->state;

	if (globs_check_matched(&state->processes, "process") |
	    globs_check_matched(&state->threads, "thread"))
		return STATUS_DATA;
	if (n_visited || !selection_is_any(selection))
		return STATUS_OK;
	return error_data("nothing was recorded there%s",
			  selection_has_range(selection) ? ": --from, --to" : "");
}

int selection_each(const struct selection *selection, struct session *input,
		   void (*visit)(void *arg, struct data *data), void *arg)
{
	struct reading reading = { .selection = selection, .visit = visit, .arg = arg };
	int status = selection_begin(selection, input);

	if (status)
		return status;
	status = session_each(input, read_one, &reading);
	if (reading.failed)
		input->n_usable = 0;
	if (!input->n_usable || !selection_end(selection, reading.n_visited))
		return input->n_usable ? status : STATUS_DATA;
	input->n_usable = 0;
	return STATUS_DATA;
}

void selection_again(const struct selection *selection, struct session *input,
		     void (*visit)(void *arg, struct data *data), void *arg)
{
	struct reading reading = { .selection = selection, .visit = visit, .arg = arg };

	session_again(input, read_one, &reading);
}

int selection_open_one(const struct selection *selection, struct session *input, size_t number,
		       struct data *data, int *is_left)
{
	int status = session_open_one(input, number, data);

	*is_left = data->header && choose_parts(selection, data);
	return status;
}

const struct session_clock *selection_clock(const struct selection *selection)
{
	return &selection->state->clock;
}

/* ---- words ----------------------------------------------------------------------------------- */

void selection_put(struct strbuf *text, const struct selection *selection)
{
	struct selection copy = *selection;
	struct selection_field fields[SELECTION_FIELDS];
	const char *before = "";

	selection_fields(&copy, fields);
	for (int i = 0; i < SELECTION_FIELDS; i++) {
		if (fields[i].flag ? !*fields[i].flag : !*fields[i].text)
			continue;
		strbuf_printf(text, fields[i].flag ? "%s%s" : "%s%s=", before, fields[i].name);
		if (fields[i].text)
			strbuf_visible(text, *fields[i].text);
		before = ", ";
	}
}

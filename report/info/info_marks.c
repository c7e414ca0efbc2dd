/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info_marks.c - see info.h. */
#include "info.h"

#include <stdio.h>

#include "file/phases.h"
#include "session/recorded_choice.h"

#define MARKS_SHOWN 20

long double info_mark_ns(const struct data *data, const struct data_mark *mark)
{
	return data_ns_since_begin(data, mark->ticks);
}

/* Function and place of a mark's sled, as far as known. Returns 1: something is. */
static int mark_place(struct info *info, const struct data *data, uint32_t code, const struct entity **entity,
		      const char **file, uint32_t *line)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_site *site = module ? module_site_of_word(module, code) : NULL;
	const struct module_function *f;
	uint32_t number;

	if (!site)
		return 0;
	f = &module->functions[site->function];
	number = names_of_function(&info->names, module, f);
	*entity = &info->names.list[number];
	*file = site->file ? names_file(&info->names, f->comp_dir, site->file) : (*entity)->file;
	*line = site->line ? site->line : f->line;
	return 1;
}

struct info_place info_mark_place(struct info *info, const struct data *data, const struct data_mark *mark)
{
	struct info_place place = { 0 };
	const struct entity *entity;

	if (mark->site && mark_place(info, data, mark->site, &entity, &place.file, &place.line))
		place.function = entity->name;
	return place;
}

/* "\tfunction\tfile:line" */
static void put_mark_place(struct info *info, const struct data *data, uint32_t code)
{
	const struct entity *entity;
	const char *file;
	uint32_t line;

	strbuf_puts(&info->text, "\t");
	if (!code || !mark_place(info, data, code, &entity, &file, &line)) {
		strbuf_puts(&info->text, "\t");
		return;
	}
	strbuf_visible(&info->text, entity->name);
	strbuf_puts(&info->text, "\t");
	strbuf_visible(&info->text, file ? file : "");
	if (file)
		strbuf_printf(&info->text, ":%u", line);
}

static void say_mark(struct info *info, const struct data *data, const struct data_mark *mark)
{
	const struct entity *entity;
	const char *file;
	uint32_t line;

	strbuf_printf(&info->text, "%12.3Lf ms  ", info_mark_ns(data, mark) / 1000000);
	if (mark->kind == CINSTR_MARK_OUTSIDE)
		strbuf_puts(&info->text, "from outside  ");
	else if (!mark_is_of_recording(mark))
		strbuf_printf(&info->text, "thread %u  ", mark->tid);
	else
		strbuf_printf(&info->text, "%s  ", mark_kind_name(mark));
	strbuf_visible(&info->text, mark->text);
	if (mark_is_of_recording(mark) && mark->site &&
	    mark_place(info, data, mark->site, &entity, &file, &line)) {
		strbuf_puts(&info->text, *mark->text ? ": " : "");
		strbuf_visible(&info->text, entity->name);
	}
	if (mark->id && !mark_is_of_recording(mark))
		strbuf_printf(&info->text, "  (%lld)", (long long)mark->id);
	info_say(info, "");
}

/* The program's marks and those from outside, or those about the recording; the first ones. */
static void say_marks_of(struct info *info, const struct data *data, int of_recording)
{
	size_t n = 0;

	for (size_t i = 0; i < data->n_marks; i++)
		if (mark_is_of_recording(&data->marks[i]) == of_recording && n++ < MARKS_SHOWN)
			say_mark(info, data, &data->marks[i]);
	if (n <= MARKS_SHOWN)
		return;
	strbuf_puts(&info->text, "and ");
	strbuf_thousands(&info->text, n - MARKS_SHOWN);
	strbuf_puts(&info->text, " more (cinstr info --marks lists them)");
	info_say(info, "");
}

static size_t count_marks(const struct data *data, int of_recording)
{
	size_t n = 0;

	for (size_t i = 0; i < data->n_marks; i++)
		n += mark_is_of_recording(&data->marks[i]) == of_recording;
	return n;
}

static void say_phases(struct info *info, const struct data *data)
{
	uint64_t left_out = phases_left_out(data), missed = phases_missed(data);

	if (!data->n_phases && !left_out)
		return;
	strbuf_thousands(&info->text, phases_count(data));
	strbuf_puts(&info->text, " (cinstr report --by=mark)");
	if (left_out) {
		strbuf_puts(&info->text, "; ");
		strbuf_thousands(&info->text, left_out);
		strbuf_puts(&info->text, " more marks begin none: more than CINSTR_PHASES (--phases)");
	}
	if (missed) {
		strbuf_puts(&info->text, "; ");
		strbuf_thousands(&info->text, missed);
		strbuf_puts(
			&info->text,
			" times a thread had no room for one, beyond CINSTR_PATHS: it is in the one before");
	}
	info_say(info, "phases");
}

void info_say_marks(struct info *info, const struct data *data)
{
	size_t n = count_marks(data, 0);

	if (!n && !data->header->marks_lost)
		return;
	strbuf_thousands(&info->text, n);
	if (data->header->marks_lost) {
		strbuf_puts(&info->text, ", and ");
		strbuf_thousands(&info->text, data->header->marks_lost);
		strbuf_puts(&info->text, " more that there was no room for");
	}
	info_say(info, "marks");
	say_marks_of(info, data, 0);
	say_phases(info, data);
}

void info_say_chosen(struct info *info, const struct data *data)
{
	size_t n = count_marks(data, 1);

	choice_put(&info->text, data);
	info_say(info, "chosen");
	if (!n)
		return;
	strbuf_thousands(&info->text, n);
	strbuf_puts(&info->text, n == 1 ? " change while it was recorded" : " changes while it was recorded");
	info_say(info, "switched");
	say_marks_of(info, data, 1);
}

static void list_marks(void *arg, struct data *data)
{
	struct info *info = arg;

	for (size_t i = 0; i < data->n_marks; i++) {
		const struct data_mark *mark = &data->marks[i];

		strbuf_printf(&info->text, "%.0Lf\t%u\t%u\t", info_mark_ns(data, mark), data->header->pid,
			      mark->tid);
		strbuf_visible(&info->text, mark->text);
		put_mark_place(info, data, mark->site);
		strbuf_printf(&info->text, "\t%s\t%lld", mark_kind_name(mark), (long long)mark->id);
		printf("%s\n", info->text.text);
		strbuf_clear(&info->text);
	}
	names_next_process(&info->names);
}

int info_marks_table(struct info *info, struct session *input)
{
	return session_each(input, list_marks, info);
}

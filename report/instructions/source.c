/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c - cinstr annotate --measure=instructions: sources with the executions of each line; and
 * the same for whole programs in the format of other tools (lcov). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "instructions.h"
#include "lib/order.h"
#include "names/source_text.h"
#include "output/grid.h"
#include "output/items.h"
#include "source_lines.h"

#define CONTEXT 2 /* lines shown around those with code */
#define AMOUNT_WIDTH 15
#define LINE_WIDTH 6

struct listing {
	const struct instructions_source *how;
	struct executed executed;
	struct source_lines lines;
	uint8_t *is_wanted; /* of each entity; NULL: all are */
	size_t n_wanted;
};

/* ---- which functions ------------------------------------------------------------------------- */

static int takes_wanted(const void *arg, const struct entity *entity)
{
	const struct listing *l = arg;

	return selection_of_entity(&l->how->view->selection, entity) == GLOBS_TAKEN &&
	       names_matches(entity, l->how->wanted);
}

static int takes_all(const void *arg, const struct entity *entity)
{
	const struct listing *l = arg;

	return selection_of_entity(&l->how->view->selection, entity) == GLOBS_TAKEN;
}

ORDER_POINTERS(compare_functions, struct executed_function, ORDER(y->instructions, x->instructions),
	       ORDER(x, y))

/* Those that executed most. */
static void wanted_by_amount(struct listing *l)
{
	const struct executed *e = &l->executed;
	FREED const struct executed_function **list = xcalloc(e->n_functions + 1, sizeof(*list));

	l->n_wanted = e->names->keys.n;
	l->is_wanted = xcalloc(l->n_wanted + 1, 1);
	for (size_t i = 0; i < e->n_functions; i++)
		list[i] = &e->functions[i];
	util_sort(list, e->n_functions, sizeof(*list), compare_functions, NULL);
	for (size_t i = 0; i < e->n_functions && i < l->how->limit; i++)
		l->is_wanted[list[i]->entity] = 1;
}

static int takes_chosen(const void *arg, const struct entity *entity)
{
	const struct listing *l = arg;
	size_t number = (size_t)(entity - l->executed.names->list);

	return number < l->n_wanted && l->is_wanted[number] && takes_all(arg, entity);
}

/* 0, or -1 after an error message. */
static int lines_find(struct listing *l)
{
	FREED char *shown = NULL;

	if (!l->how->wanted) {
		if (!l->how->is_coverage)
			wanted_by_amount(l);
		source_lines_read(&l->lines, &l->executed, l->is_wanted ? takes_chosen : takes_all, l);
	} else {
		source_lines_read(&l->lines, &l->executed, takes_wanted, l);
		if (!l->lines.n) {
			source_lines_read(&l->lines, &l->executed, takes_all, l);
			source_lines_keep(&l->lines, l->how->wanted);
		}
	}
	if (l->lines.n)
		return 0;
	shown = util_visible(l->how->wanted ? l->how->wanted : "");
	if (l->how->wanted)
		error("no function '%s' with a known source is counted, and no lines of such a file", shown);
	else
		error("no function with a known source is counted: build with -g");
	return -1;
}

/* ---- people ---------------------------------------------------------------------------------- */

static void put_right(struct strbuf *line, const char *text, size_t width)
{
	size_t n = util_columns(text);

	if (n < width)
		strbuf_fill(line, ' ', width - n);
	strbuf_puts(line, text);
}

static void put_line(const struct printer *printer, const struct source_line *line, uint32_t number,
		     const char *source)
{
	STRBUF(text);
	STRBUF(amount);

	strbuf_clear(&amount);
	if (line) {
		strbuf_thousands(&amount, line->instructions);
		strbuf_puts(&amount, line->is_estimate ? OUTPUT_ESTIMATE : "");
	}
	put_right(&text, amount.text, AMOUNT_WIDTH);
	strbuf_clear(&amount);
	if (line)
		strbuf_thousands(&amount, line->executions);
	put_right(&text, amount.text, AMOUNT_WIDTH);
	strbuf_printf(&text, " %*u  ", LINE_WIDTH, number);
	if (source)
		source_text_put(&text, source);
	printer_line(printer, &text, INK_PLAIN);
}

const char *instructions_source_text(struct source_text *text, const char *file, const char *session,
				     uint64_t begun_ns, int newer)
{
	char *path = names_source_path(file, session);
	int status = path ? source_text_read(text, path) : -ENOENT;

	free(path);
	if (status)
		return "its source is not here (--source-path=FROM=TO says where it is)";
	if (text->changed_ns <= begun_ns || newer)
		return NULL;
	source_text_release(text);
	return "its source is newer than the recording: --newer shows it all the same";
}

/* The lines list[n] are those of one file. */
static void print_file(const struct printer *printer, const struct listing *l, const struct source_line *list,
		       size_t n)
{
	struct source_text text;
	const char *why = instructions_source_text(&text, list[0].file, l->how->session, l->executed.begun_ns,
						   l->how->newer);
	STRBUF(head);
	uint32_t shown = 0;

	strbuf_visible(&head, list[0].file);
	if (why)
		strbuf_printf(&head, " (%s)", why);
	printer_line(printer, &head, INK_PLAIN);
	put_right(&head, "Instructions", AMOUNT_WIDTH);
	put_right(&head, "Executed", AMOUNT_WIDTH);
	put_right(&head, "Line", LINE_WIDTH + 1);
	printer_line(printer, &head, INK_PLAIN);
	for (size_t i = 0; i < n; i++) {
		uint32_t from = list[i].number > CONTEXT ? list[i].number - CONTEXT : 1;
		uint32_t next = i + 1 < n ? list[i + 1].number : UINT32_MAX;

		from = from > shown && !(l->how->all && i) ? from : shown + 1;
		if (shown && from > shown + 1)
			put_right(&head, "...", 2 * AMOUNT_WIDTH + LINE_WIDTH + 1);
		if (head.length)
			printer_line(printer, &head, INK_PLAIN);
		for (uint32_t k = from; !why && k < list[i].number; k++)
			put_line(printer, NULL, k, source_text_line(&text, k));
		put_line(printer, &list[i], list[i].number,
			 why ? NULL : source_text_line(&text, list[i].number));
		shown = list[i].number;
		for (uint32_t k = 0; !why && k < CONTEXT && shown + 1 < next; k++) {
			if (!source_text_line(&text, shown + 1))
				break;
			shown++;
			put_line(printer, NULL, shown, source_text_line(&text, shown));
		}
	}
	if (!why)
		source_text_release(&text);
}

static void print_people(FILE *out, const struct listing *l)
{
	struct printer printer = printer_of(out);
	const struct source_lines *lines = &l->lines;
	STRBUF(images);
	size_t n;

	for (size_t i = 0; i < lines->n; i += n) {
		for (n = 1; i + n < lines->n && !strcmp(lines->list[i + n].file, lines->list[i].file);)
			n++;
		print_file(&printer, l, &lines->list[i], n);
		fputc('\n', out);
	}
	executed_put_images(&images, &l->executed);
	fprintf(out, "Instructions are counted in %s only.\n", images.text);
	if (lines->n_unknown)
		fprintf(out, "Not known of %zu function%s (cinstr report --measure=instructions says why).\n",
			lines->n_unknown, lines->n_unknown == 1 ? "" : "s");
}

/* ---- scripts --------------------------------------------------------------------------------- */

static void print_items(FILE *out, const struct listing *l, const struct items_format *format)
{
	static const char *const columns[] = { "file", "line", "instructions", "instructions_is_estimate",
					       "executions" };
	struct items items;

	if (items_table(&items, out, format, ITEMS_BLOCK, columns, ARRAY_SIZE(columns)))
		items_count(&items, "functions_not_known", l->lines.n_unknown);
	items_table_rows(&items, "rows");
	for (size_t i = 0; i < l->lines.n; i++) {
		const struct source_line *line = &l->lines.list[i];

		items_open(&items, NULL, '{', ITEMS_INLINE);
		items_text(&items, "file", line->file);
		items_count(&items, "line", line->number);
		items_count(&items, "instructions", line->instructions);
		items_count(&items, "instructions_is_estimate", line->is_estimate != 0);
		items_count(&items, "executions", line->executions);
		items_close(&items);
	}
	items_table_end(&items);
}

/* ---- lcov ------------------------------------------------------------------------------------ */

/* Ends a line; a name does not. */
static void put_name(FILE *out, const char *name)
{
	FREED char *shown = util_visible(name);

	fprintf(out, "%s\n", shown);
}

/* The functions of a file: those that the compiler made of one are one. */
static void put_functions(FILE *out, const struct source_lines *lines, const char *file)
{
	size_t found = 0, hit = 0, n;

	for (size_t i = 0; i < lines->n_functions; i += n) {
		const struct source_function *f = &lines->functions[i];
		uint64_t calls = 0;

		for (n = 0; i + n < lines->n_functions && lines->functions[i + n].entity == f->entity; n++)
			calls += lines->functions[i + n].calls;
		if (strcmp(f->file, file) != 0)
			continue;
		fprintf(out, "FN:%u,", f->line);
		put_name(out, f->assembler);
		fprintf(out, "FNDA:%llu,", (unsigned long long)calls);
		put_name(out, f->assembler);
		found++;
		hit += calls > 0;
	}
	fprintf(out, "FNF:%zu\nFNH:%zu\n", found, hit);
}

static void print_lcov(FILE *out, const struct listing *l)
{
	const struct source_lines *lines = &l->lines;
	size_t n;

	for (size_t i = 0; i < lines->n; i += n) {
		const char *file = lines->list[i].file;
		size_t hit = 0;

		fputs("TN:\nSF:", out);
		put_name(out, file);
		put_functions(out, lines, file);
		for (n = 0; i + n < lines->n && !strcmp(lines->list[i + n].file, file); n++) {
			const struct source_line *line = &lines->list[i + n];

			fprintf(out, "DA:%u,%llu\n", line->number, (unsigned long long)line->executions);
			hit += line->executions > 0;
		}
		fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", n, hit);
	}
}

/* ---------------------------------------------------------------------------------------------- */

static void print(FILE *out, const void *arg)
{
	const struct listing *l = arg;
	const struct output_format *format = &output_formats[l->how->view->format];

	if (l->how->is_coverage)
		print_lcov(out, l);
	else if (format->shape->is_for_people)
		print_people(out, l);
	else
		print_items(out, l, format->items);
}

int instructions_source(const struct command *command, const struct instructions_source *how)
{
	struct listing l = { .how = how };
	int status, written;

	if (how->is_coverage && how->view->format)
		return error_usage("%s: --coverage has a format of its own: lcov's", command->name);
	if (instructions_check(command, how->view))
		return STATUS_USAGE;
	status = instructions_read(&l.executed, how->session, how->view, 0, NULL);
	if (l.executed.n_counting) {
		written = lines_find(&l) || selection_check_seen(&how->view->selection)
				  ? STATUS_DATA
				  : instructions_print(how->view, print, &l);
		status = status ? status : written;
	}
	source_lines_release(&l.lines);
	free(l.is_wanted);
	names_drop(l.executed.names);
	executed_release(&l.executed);
	selection_release(&how->view->selection);
	return status;
}

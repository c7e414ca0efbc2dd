/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_timeline.c - see samples_timeline.h. */
#include "samples_timeline.h"

#include "output/grid.h"
#include "output/output.h"
#include "samples_moments.h"

#define THREAD_COLUMNS 28
#define NS_PER_S 1000000000ull

/* One sample, and all that is known of it. */
struct sampled_line {
	const struct sampled_moment *moment;
	const struct moments_thread *thread;
	const struct moments_path *path;
	const struct printer *printer; /* of tables */
};

/* ---- table ----------------------------------------------------------------------------------- */

static void table_put(struct sheet *sheet, const struct sampled_line *t, struct strbuf *line)
{
	size_t from, used;

	strbuf_printf(line, "%6llu.%09llu  ", (unsigned long long)(t->moment->ns / NS_PER_S),
		      (unsigned long long)(t->moment->ns % NS_PER_S));
	from = line->length;
	strbuf_printf(line, "%u/%u ", t->thread->pid, t->thread->tid);
	strbuf_visible(line, t->thread->name);
	used = util_columns(line->text + from);
	strbuf_fill(line, ' ', used < THREAD_COLUMNS ? THREAD_COLUMNS - used : 0);
	strbuf_puts(line, " ");
	strbuf_visible(line, t->path->function ? t->path->function : SYMBOL_UNKNOWN);
	if (t->path->file) {
		strbuf_puts(line, "  ");
		strbuf_visible(line, util_basename(t->path->file));
		strbuf_printf(line, t->path->line ? ":%u" : "", t->path->line);
	}
	if (t->path->module) {
		strbuf_puts(line, "  ");
		strbuf_visible(line, util_basename(t->path->module));
	}
	(void)sheet;
	printer_line(t->printer, line, INK_PLAIN);
}

static void table_begin(struct sheet *sheet, const struct samples_timeline *wish, struct strbuf *line)
{
	if (selection_is_any(wish->selection)) {
		selection_put(line, wish->selection);
		fprintf(sheet->out, "Filter  %s\n", line->text);
		strbuf_clear(line);
	}
	fprintf(sheet->out, "%16s  %-*s Was executing\n", "Time, s", THREAD_COLUMNS, "Process/thread");
}

static void table_end(struct sheet *sheet, int is_cut)
{
	if (is_cut)
		fputs("... (--limit)\n", sheet->out);
}

const struct sample_writer samples_table = { table_begin, table_put, table_end };

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_place(struct sheet *sheet, const struct sampled_line *t)
{
	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	sheet_count(sheet, "time_ns", t->moment->ns);
	sheet_count(sheet, "pid", t->thread->pid);
	sheet_count(sheet, "tid", t->thread->tid);
	sheet_text(sheet, "thread", t->thread->name);
	sheet_text(sheet, "function", t->path->function);
	sheet_text(sheet, "module", t->path->module);
	sheet_text(sheet, "file", t->path->file);
}

static void put_depth(struct sheet *sheet, const struct sampled_line *t)
{
	sheet_count_if(sheet, "line", t->path->line);
	sheet_count(sheet, "depth", t->path->depth);
}

static void flat_put(struct sheet *sheet, const struct sampled_line *t, struct strbuf *line)
{
	(void)line;
	put_place(sheet, t);
	put_depth(sheet, t);
	sheet_text(sheet, "stack", t->path->stack);
	sheet_close(sheet);
}

static void nested_put(struct sheet *sheet, const struct sampled_line *t, struct strbuf *line)
{
	(void)line;
	put_place(sheet, t);
	sheet_text(sheet, "stack", t->path->stack);
	put_depth(sheet, t);
	sheet_close(sheet);
}

static void flat_begin(struct sheet *sheet, const struct samples_timeline *wish, struct strbuf *line)
{
	static const char *const columns[] = { "time_ns", "pid",  "tid",  "thread", "function",
					       "module",  "file", "line", "depth",  "stack" };

	(void)wish;
	(void)line;
	sheet_columns(sheet, columns, ARRAY_SIZE(columns));
}

static void flat_end(struct sheet *sheet, int is_cut)
{
	(void)sheet;
	(void)is_cut;
}

static void nested_begin(struct sheet *sheet, const struct samples_timeline *wish, struct strbuf *line)
{
	(void)wish;
	(void)line;
	sheet_open(sheet, NULL, '[', SHEET_BLOCK);
}

static void nested_end(struct sheet *sheet, int is_cut)
{
	(void)is_cut;
	sheet_close(sheet);
}

const struct sample_writer samples_flat = { flat_begin, flat_put, flat_end };
const struct sample_writer samples_nested = { nested_begin, nested_put, nested_end };

/* ---- all of it ------------------------------------------------------------------------------- */

static void put_all(FILE *out, const struct samples_timeline *wish, const struct moments *moments)
{
	const struct sample_writer *writer = wish->format->shape->samples;
	struct strbuf line = { 0 };
	const struct printer printer = printer_of(out);
	struct sheet sheet;
	size_t i;

	strbuf_clear(&line);
	sheet_begin(&sheet, out, wish->format->items);
	writer->begin(&sheet, wish, &line);
	for (i = 0; i < moments->n && i < wish->limit && !ferror(out); i++) {
		const struct sampled_moment *moment = &moments->list[i];
		const struct sampled_line told = { moment, &moments->threads[moment->thread],
						   &moments->paths[moment->path], &printer };

		writer->put(&sheet, &told, &line);
	}
	writer->end(&sheet, i < moments->n);
	sheet_end(&sheet);
	strbuf_release(&line);
}

int samples_timeline_write(const struct samples_timeline *wish, struct input *input, FILE *out)
{
	struct moments moments = { .with_stacks = !wish->format->shape->is_for_people };
	int status = moments_read(&moments, wish->selection, input);

	put_all(out, wish, &moments);
	moments_release(&moments);
	return status;
}

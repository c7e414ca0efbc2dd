/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_timeline.c - see samples_timeline.h. */
#include "samples_timeline.h"

#include "output/output.h"
#include "samples_moments.h"

#define THREAD_COLUMNS 28
#define NS_PER_S 1000000000ull

/* One sample, and all that is known of it. */
struct sampled_line {
	const struct sampled_moment *moment;
	const struct moments_thread *thread;
	const struct moments_path *path;
};

/* ---- table ----------------------------------------------------------------------------------- */

static void table_put(FILE *out, size_t nth, const struct sampled_line *t, struct strbuf *line)
{
	size_t from, used;

	(void)nth;
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
	fprintf(out, "%s\n", line->text);
	strbuf_clear(line);
}

static void table_begin(FILE *out, const struct samples_timeline *wish, struct strbuf *line)
{
	if (selection_is_any(wish->selection)) {
		selection_put(line, wish->selection);
		fprintf(out, "Filter  %s\n", line->text);
		strbuf_clear(line);
	}
	fprintf(out, "%16s  %-*s Was executing\n", "Time, s", THREAD_COLUMNS, "Process/thread");
}

static void table_end(FILE *out, int is_cut)
{
	if (is_cut)
		fputs("... (--limit)\n", out);
}

const struct sample_writer samples_table = { table_begin, table_put, table_end };

/* ---- csv, json ------------------------------------------------------------------------------- */

static void csv_put(FILE *out, size_t nth, const struct sampled_line *t, struct strbuf *line)
{
	const char *const texts[] = { t->thread->name, t->path->function, t->path->module, t->path->file };

	(void)nth;
	(void)line;
	fprintf(out, "%llu,%u,%u", (unsigned long long)t->moment->ns, t->thread->pid, t->thread->tid);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		fputc(',', out);
		output_csv_text(out, texts[i] ? texts[i] : "");
	}
	fprintf(out, t->path->line ? ",%u" : ",", t->path->line);
	fprintf(out, ",%u,", t->path->depth);
	output_csv_text(out, t->path->stack);
	fputs("\r\n", out);
}

static void json_put(FILE *out, size_t nth, const struct sampled_line *t, struct strbuf *line)
{
	const char *const names[] = { "thread", "function", "module", "file", "stack" };
	const char *const texts[] = { t->thread->name, t->path->function, t->path->module, t->path->file,
				      t->path->stack };

	(void)line;
	fputs(nth ? ",\n" : "\n", out);
	fprintf(out, "{\"time_ns\": %llu, \"pid\": %u, \"tid\": %u", (unsigned long long)t->moment->ns,
		t->thread->pid, t->thread->tid);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		fprintf(out, ", \"%s\": ", names[i]);
		if (texts[i])
			output_json_text(out, texts[i]);
		else
			fputs("null", out);
	}
	fprintf(out, t->path->line ? ", \"line\": %u" : ", \"line\": null", t->path->line);
	fprintf(out, ", \"depth\": %u}", t->path->depth);
}

static void csv_begin(FILE *out, const struct samples_timeline *wish, struct strbuf *line)
{
	(void)wish;
	(void)line;
	fputs("time_ns,pid,tid,thread,function,module,file,line,depth,stack\r\n", out);
}

static void csv_end(FILE *out, int is_cut)
{
	(void)out;
	(void)is_cut;
}

static void json_begin(FILE *out, const struct samples_timeline *wish, struct strbuf *line)
{
	(void)wish;
	(void)line;
	fputs("[", out);
}

static void json_end(FILE *out, int is_cut)
{
	(void)is_cut;
	fputs("\n]\n", out);
}

const struct sample_writer samples_csv = { csv_begin, csv_put, csv_end };
const struct sample_writer samples_json = { json_begin, json_put, json_end };

/* ---- all of it ------------------------------------------------------------------------------- */

static void put_all(FILE *out, const struct samples_timeline *wish, const struct moments *moments)
{
	const struct sample_writer *writer = wish->format->samples;
	struct strbuf line = { 0 };
	size_t i;

	strbuf_clear(&line);
	writer->begin(out, wish, &line);
	for (i = 0; i < moments->n && i < wish->limit && !ferror(out); i++) {
		const struct sampled_moment *moment = &moments->list[i];
		const struct sampled_line told = { moment, &moments->threads[moment->thread],
						   &moments->paths[moment->path] };

		writer->put(out, i, &told, &line);
	}
	writer->end(out, i < moments->n);
	strbuf_release(&line);
}

int samples_timeline_write(const struct samples_timeline *wish, struct input *input, FILE *out)
{
	struct moments moments = { .with_stacks = !wish->format->is_for_people };
	int status = moments_read(&moments, wish->selection, input);

	put_all(out, wish, &moments);
	moments_release(&moments);
	return status;
}

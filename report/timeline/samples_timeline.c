/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_timeline.c - see samples_timeline.h. */
#include "samples_timeline.h"

#include "output/output.h"
#include "samples_moments.h"

#define THREAD_COLUMNS 28
#define NS_PER_S 1000000000ull

/* One sample, and all that is known of it. */
struct telling {
	const struct sampled_moment *moment;
	const struct moments_thread *thread;
	const struct moments_path *path;
};

/* ---- table ----------------------------------------------------------------------------------- */

static void put_table(FILE *out, struct strbuf *line, const struct telling *t)
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
	fprintf(out, "%s\n", line->text);
	strbuf_clear(line);
}

/* ---- csv, json ------------------------------------------------------------------------------- */

static void put_csv(FILE *out, const struct telling *t)
{
	const char *const texts[] = { t->thread->name, t->path->function, t->path->module, t->path->file };

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

static void put_json(FILE *out, const struct telling *t)
{
	const char *const names[] = { "thread", "function", "module", "file", "stack" };
	const char *const texts[] = { t->thread->name, t->path->function, t->path->module, t->path->file,
				      t->path->stack };

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

/* ---- all of it ------------------------------------------------------------------------------- */

static void put_begin(FILE *out, const struct samples_timeline *wish, struct strbuf *line)
{
	if (wish->format == 1)
		fputs("time_ns,pid,tid,thread,function,module,file,line,depth,stack\r\n", out);
	if (wish->format == 2)
		fputs("[", out);
	if (wish->format)
		return;
	if (selection_is_any(wish->selection)) {
		selection_put(line, wish->selection);
		fprintf(out, "Filter  %s\n", line->text);
		strbuf_clear(line);
	}
	fprintf(out, "%16s  %-*s Was executing\n", "Time, s", THREAD_COLUMNS, "Process/thread");
}

static void put_all(FILE *out, const struct samples_timeline *wish, const struct moments *moments)
{
	struct strbuf line = { 0 };
	size_t i;

	strbuf_clear(&line);
	put_begin(out, wish, &line);
	for (i = 0; i < moments->n && i < wish->limit && !ferror(out); i++) {
		const struct sampled_moment *moment = &moments->list[i];
		const struct telling telling = { moment, &moments->threads[moment->thread],
						 &moments->paths[moment->path] };

		if (wish->format == 1) {
			put_csv(out, &telling);
		} else if (wish->format == 2) {
			fputs(i ? ",\n" : "\n", out);
			put_json(out, &telling);
		} else {
			put_table(out, &line, &telling);
		}
	}
	if (wish->format == 2)
		fputs("\n]\n", out);
	if (!wish->format && i < moments->n)
		fputs("... (--limit)\n", out);
	strbuf_release(&line);
}

int samples_timeline_write(const struct samples_timeline *wish, struct input *input, FILE *out)
{
	struct moments moments = { .with_stacks = wish->format != 0 };
	int status = moments_read(&moments, wish->selection, input);

	put_all(out, wish, &moments);
	moments_release(&moments);
	return status;
}

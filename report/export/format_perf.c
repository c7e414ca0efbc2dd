/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_perf.c - the samples of a sampled session as `perf script` prints them, for who reads
 * that: stackcollapse-perf.pl, Firefox Profiler, speedscope, and many scripts.
 *
 *     worker  4711/4712 [000] 1.234567:    1000000 cpu-clock:
 *     	    11a9 parse_line+0x19 (/usr/bin/report)
 *     	    1200 main+0x40 (/usr/bin/report)
 *
 * The number before the event is what the sample stands for. Readers take lines apart by patterns:
 * what these take for something else is written differently (text_of_thread(), put_frame()).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "lib/progress.h"
#include "session/beside_files.h"
#include "timeline/samples_moments.h"

#define NS_PER_S 1000000000ull
#define NS_PER_US 1000ull
#define BYTES_A_HEADER 64 /* about */
#define KERNEL_MODULE "[kernel.kallsyms]"

/* ---- frames ---------------------------------------------------------------------------------- */

/* A name that begins with a parenthesis is one of a process for readers, who leave it out. */
static void put_name(struct strbuf *text, const char *name)
{
	size_t inner = *name == '(' ? strcspn(name, ")") : 0;

	if (inner && name[inner]) {
		strbuf_puts(text, "{");
		strbuf_add(text, name + 1, inner - 1);
		strbuf_puts(text, "}");
		name += inner + 1;
	}
	strbuf_visible(text, name);
}

/* No blanks, no parentheses. */
static void put_module(struct strbuf *text, const char *module)
{
	size_t from = text->length;

	strbuf_visible(text, module);
	for (char *at = text->text + from; *at; at++)
		if (isspace((unsigned char)*at) || *at == '(' || *at == ')')
			*at = '_';
}

/* Readers cut off one +0x... at the end: there is always one, as names may end so, too. */
static void put_frame(struct strbuf *text, const struct entity *entity,
		      const struct sampled_function *function, const struct sampled_place *place)
{
	uint64_t address = place ? place->address : function->entry;
	int has_offset = function->entry && !function->is_inlined && address >= function->entry;

	strbuf_printf(text, "\t%16llx ", (unsigned long long)address);
	put_name(text, entity ? entity->name : SYMBOL_UNKNOWN);
	strbuf_printf(text, "+0x%llx (", has_offset ? (unsigned long long)(address - function->entry) : 0);
	if (function->kind == SAMPLED_KERNEL)
		strbuf_puts(text, KERNEL_MODULE);
	else if (function->is_inlined)
		strbuf_puts(text, "inlined");
	else
		put_module(text, entity && *entity->module ? entity->module : SYMBOL_UNKNOWN);
	strbuf_puts(text, ")\n");
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Two readers take the first word of digits for the thread's number. */
static void put_thread_name(struct strbuf *line, const char *name)
{
	size_t from = line->length;

	strbuf_visible(line, *name && !isspace((unsigned char)*name) ? name : SYMBOL_UNKNOWN);
	for (char *at = line->text + from; *at; at++)
		if (*at == ' ' && isdigit((unsigned char)at[1]))
			*at = '_';
}

static void put_event(struct strbuf *line, const char *event)
{
	size_t from = line->length;

	strbuf_visible(line, event ? event : "samples");
	for (char *at = line->text + from; *at; at++)
		if (isspace((unsigned char)*at))
			*at = '_';
}

static void put_sample(struct sink *sink, const struct moments *moments, const struct sampled_moment *moment,
		       struct strbuf *line)
{
	const struct moments_thread *thread = &moments->threads[moment->thread];

	strbuf_clear(line);
	put_thread_name(line, thread->name);
	strbuf_printf(line, "  %u/%u [000] %llu.%06llu: %10llu ", thread->track, thread->tid,
		      (unsigned long long)(moment->ns / NS_PER_S),
		      (unsigned long long)(moment->ns % NS_PER_S / NS_PER_US),
		      (unsigned long long)(thread->interval ? thread->interval : 1));
	put_event(line, thread->event);
	strbuf_puts(line, ":\n");
	sink_bytes(sink, line->text, line->length);
	sink_puts(sink, moments->paths[moment->path].stack);
	sink_bytes(sink, "\n", 1);
}

static void put_samples(struct sink *sink, const struct moments *moments)
{
	STRBUF(line);

	for (size_t i = 0; i < moments->n && !sink_failed(sink); i++) {
		put_sample(sink, moments, &moments->list[i], &line);
		progress_at(i);
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

static uint64_t size_of(const struct moments *moments)
{
	FREED uint64_t *lengths = xcalloc(moments->n_paths + 1, sizeof(*lengths));
	uint64_t sum = 0;

	for (size_t i = 0; i < moments->n_paths; i++)
		lengths[i] = strlen(moments->paths[i].stack);
	for (size_t i = 0; i < moments->n; i++)
		sum += BYTES_A_HEADER + lengths[moments->list[i].path];
	return sum;
}

static int write_samples(struct export_job *job, struct session *input)
{
	struct moments moments = { .put_frame = put_frame };
	STRBUF(what);
	int status = moments_read(&moments, &job->options.view.selection, input), begun, wrong;

	output_plural(&what, moments.n, "sample", "s");
	if (export_begin(job, size_of(&moments), what.text, &begun)) {
		put_samples(&job->sink, &moments);
		wrong = export_end(job, what.text);
		status = wrong ? wrong : status;
	} else if (begun) {
		status = begun;
	}
	moments_release(&moments);
	return status;
}

static int write_perf(struct export_job *job)
{
	struct session input;
	int status = STATUS_DATA, method = -1;

	if (!session_open(&input, job->paths ? job->paths[0] : NULL))
		method = view_method_of(&input);
	if (method >= 0 && method != CINSTR_METHOD_SAMPLING && input.beside) {
		beside_take(&input);
		method = CINSTR_METHOD_SAMPLING;
	}
	if (method == CINSTR_METHOD_SAMPLING)
		status = write_samples(job, &input);
	else if (method >= 0)
		error("%s: this session has no single samples, which %s files are made of: record it with "
		      "cinstr record --sample",
		      input.path, job->kind->name);
	session_release(&input);
	return status;
}

const struct export_format export_perf = {
	.name = "perf",
	.extension = ".perf.txt",
	.needs = EXPORT_SAMPLES,
	.most = 350000000,
	.write = write_perf,
};

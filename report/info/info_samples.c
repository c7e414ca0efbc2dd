/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info_samples.c - the part of cinstr info about a sampled process (info.h): the event, how stacks
 * were taken, where the samples went. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/samples.h"
#include "info.h"
#include "lib/share.h"
#include "output/items.h"
#include "output/output.h"
#include "session/recorded_choice.h"

/* ---- how it was sampled ---------------------------------------------------------------------- */

/* The interval that was asked for; 0: none, or it is not noted. */
static uint64_t asked_of(const struct data *data)
{
	const char *asked = data_property(data, "interval_asked");

	return asked ? strtoull(asked, NULL, 10) : 0;
}

static void say_event(struct info *info, const struct data *data)
{
	const struct cinstr_sampling *s = &data->header->sampling;
	const char *event = data_property(data, "event");

	strbuf_visible(&info->text, event ? event : "an unknown event");
	strbuf_puts(&info->text, ", a sample every ");
	output_sampling_interval(&info->text, s->unit, s->interval);
	if (s->unit == CINSTR_SAMPLING_CYCLES && (!event || strcmp(event, "cycles") != 0))
		strbuf_puts(&info->text, " cycles");
	if (s->source && s->source < ARRAY_SIZE(output_sampling_sources))
		strbuf_printf(&info->text, ", by %s", output_sampling_sources[s->source]);
	if (asked_of(data) && asked_of(data) < s->interval) {
		strbuf_puts(&info->text, "; asked for: ");
		output_sampling_interval(&info->text, s->unit, asked_of(data));
		strbuf_puts(&info->text, ", which is less than the kernel's tick");
	}
	info_say(info, "sampled by");
}

static void say_stacks(struct info *info, const struct cinstr_sampling *s)
{
	strbuf_puts(&info->text, output_sampling_stacks[s->stacks < 3 ? s->stacks : 0]);
	if (s->stacks == CINSTR_STACKS_CFI && s->stack_bytes) {
		strbuf_puts(&info->text, ", of copies of up to ");
		strbuf_size(&info->text, s->stack_bytes);
	}
	if (s->truncated) {
		strbuf_puts(&info->text, "; ");
		strbuf_thousands(&info->text, s->truncated);
		strbuf_printf(&info->text, " (%.1Lf %%) truncated: the outermost callers are not known",
			      share_percent((long double)s->truncated, (long double)s->kept));
	}
	info_say(info, "stacks");
}

static void say_kernel(struct info *info, const struct cinstr_sampling *s)
{
	strbuf_puts(&info->text,
		    s->flags & CINSTR_SAMPLING_KERNEL
			    ? "samples in the kernel are kept, as [kernel]"
			    : "the kernel's own code was not sampled: not allowed, or not wanted");
	info_say(info, "kernel");
}

/* ---- what became of the samples -------------------------------------------------------------- */

static void say_count(struct info *info, const char *label, uint64_t n, const char *meaning)
{
	if (!n)
		return;
	strbuf_thousands(&info->text, n);
	strbuf_printf(&info->text, ": %s", meaning);
	info_say(info, label);
}

/* Samples' worth that the kernel counted. */
static void say_counted(struct info *info, const struct cinstr_sampling *s)
{
	long double all = s->interval ? (long double)s->counted / (long double)s->interval : 0;
	long double taken = (long double)s->kept + (long double)s->discarded + (long double)s->paused +
			    (long double)s->lost;

	if (!s->counted || !s->interval) {
		strbuf_puts(&info->text, "not known: what was not seen cannot be told");
	} else {
		strbuf_thousands(&info->text, s->counted);
		strbuf_printf(&info->text, " %s by the kernel, ", output_sampling_unit(s->unit));
		output_sampling_worth(&info->text, util_rounded(all));
		/* The kernel's counts of single processes are not to be trusted (perf_source.c). */
		if (info->input->n_files > 1 && s->source == CINSTR_SOURCE_PERF)
			strbuf_puts(&info->text,
				    ": by its samples, a part of what was counted for all processes");
		else if (all - taken >= 1)
			strbuf_printf(&info->text, ": %.1Lf %% not seen, in the kernel or in short pieces",
				      share_percent(all - taken, all));
	}
	info_say(info, "counted");
}

static void say_samples(struct info *info, const struct cinstr_sampling *s)
{
	strbuf_thousands(&info->text, s->kept);
	info_say(info, "samples");
	say_count(info, "discarded", s->discarded, "the processor was not executing the program's code");
	say_count(info, "paused", s->paused, "left out, as recording was off");
	say_count(info, "lost", s->lost, "they came faster than they were read, or there was no room");
	say_count(info, "throttled", s->throttled, "times that the kernel held samples back");
	say_counted(info, s);
	say_count(info, "silent", s->silent, "processes of the session that ended without a sample");
}

/* ---- the collector --------------------------------------------------------------------------- */

static void say_collector(struct info *info, const struct data *data)
{
	const struct cinstr_sampling *s = &data->header->sampling;

	strbuf_printf(&info->text, "pid %u, ", s->collector);
	if (s->flags & CINSTR_SAMPLING_COMPLETE)
		strbuf_puts(&info->text, "which came to its end: counts are final, names are in the file");
	else if (info->input->is_live)
		strbuf_puts(&info->text, "at work");
	else
		strbuf_puts(&info->text,
			    "which did not come to its end: the last samples may be missing, names are "
			    "looked up now");
	info_say(info, "collector");
	if (s->flags & CINSTR_SAMPLING_ATTACHED)
		strbuf_puts(&info->text, "to a process that was running");
	if (s->flags & CINSTR_SAMPLING_DETACHED)
		strbuf_printf(&info->text, "%swent on when the recording ended",
			      info->text.length ? ", which " : "it ");
	info_say(info, "attached");
	if (s->flags & CINSTR_SAMPLING_BESIDE)
		strbuf_puts(&info->text, "a recording of calls, in a file of its own");
	info_say(info, "beside");
}

void info_say_sampling(struct info *info, const struct data *data)
{
	const struct cinstr_sampling *s = &data->header->sampling;
	const char *options = data_property(data, "options");

	say_event(info, data);
	say_stacks(info, s);
	say_kernel(info, s);
	say_samples(info, s);
	say_collector(info, data);
	info_say_options(info, options ? options : "");
}

/* ---- threads --------------------------------------------------------------------------------- */

static long double length_ns(const struct data *data, const struct cinstr_task *task)
{
	return task->end_ticks > task->begin_ticks ? data_ns_since_begin(data, task->end_ticks) -
							     data_ns_since_begin(data, task->begin_ticks)
						   : 0;
}

static void say_thread(struct info *info, const struct data *data, const struct cinstr_task *task)
{
	struct strbuf *line = &info->text;
	char name[sizeof(task->name) + 1] = "";

	memcpy(name, task->name, sizeof(task->name));
	strbuf_printf(line, " %7u ", task->tid);
	strbuf_visible(line, name);
	info_put_padded(line, 0, 24);
	info_put_duration(line, data_ns_since_begin(data, task->begin_ticks), 8);
	if (task->end_ticks)
		info_put_duration(line, length_ns(data, task), 8);
	else
		strbuf_fill(line, ' ', 8);
	info_put_count(line, task->kept, 9);
	info_put_count(line, task->discarded, 11);
	info_put_count(line, task->paused, 8);
	info_put_count(line, task->truncated, 11);
	info_line(info, 9);
}

void info_say_sampled_threads(struct info *info, const struct data *data)
{
	strbuf_puts(&info->text,
		    "  threads (begin after the recording's; samples kept, and of these truncated; "
		    "discarded and paused ones)");
	info_line(info, 4);
	puts("     tid name              begin  length     kept  discarded  paused  truncated");
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct cinstr_task *task = samples_task(data, &data->threads[i]);

		if (task)
			say_thread(info, data, task);
	}
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_flags(struct items *items, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ CINSTR_SAMPLING_KERNEL, "kernel" },	  { CINSTR_SAMPLING_COMPLETE, "complete" },
		{ CINSTR_SAMPLING_ATTACHED, "attached" }, { CINSTR_SAMPLING_DETACHED, "detached" },
		{ CINSTR_SAMPLING_BESIDE, "beside" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		items_flag(items, names[i].name, (flags & names[i].flag) != 0);
}

static void put_counts(struct items *items, const struct cinstr_sampling *s)
{
	items_count(items, "kept", s->kept);
	items_count(items, "discarded", s->discarded);
	items_count(items, "paused", s->paused);
	items_count(items, "lost", s->lost);
	items_count(items, "truncated", s->truncated);
	items_count(items, "throttled", s->throttled);
	items_count(items, "counted_units", s->counted);
	items_count(items, "silent_processes", s->silent);
}

void info_put_sampling(struct items *items, struct info *info, const struct data *data)
{
	const struct cinstr_sampling *s = &data->header->sampling;

	items_text(items, "method", "sampling");
	items_open(items, "sampling", '{', ITEMS_LINES);
	items_text(items, "event", data_property(data, "event"));
	items_count(items, "interval", s->interval);
	if (asked_of(data))
		items_count(items, "interval_asked", asked_of(data));
	else
		items_text(items, "interval_asked", NULL);
	items_text(items, "interval_unit", output_sampling_unit(s->unit));
	items_text(items, "source", output_sampling_source_key(s->source));
	items_text(items, "stacks", output_sampling_stacks_key(s->stacks));
	items_count(items, "stack_bytes", s->stack_bytes);
	put_flags(items, s->flags);
	put_counts(items, s);
	items_count(items, "collector_pid", s->collector);
	items_close(items);
	items_text(items, "options", data_property(data, "options"));
	choice_put(&info->text, data);
	items_text(items, "chosen", info->text.text);
	strbuf_clear(&info->text);
	items_count(items, "lost_marks", data->header->marks_lost);
	items_count(items, "marks", data->n_marks);
}

void info_put_sampled_thread(struct items *items, const struct data *data, const struct data_thread *thread)
{
	const struct cinstr_task *task = samples_task(data, thread);
	char name[sizeof(task->name) + 1] = "";

	if (!task)
		return;
	memcpy(name, task->name, sizeof(task->name));
	items_count(items, "tid", task->tid);
	items_text(items, "name", name);
	items_ns(items, "begin_ns", data_ns_since_begin(data, task->begin_ticks));
	if (task->end_ticks)
		items_ns(items, "length_ns", length_ns(data, task));
	else
		items_text(items, "length_ns", NULL);
	items_flag(items, "ended", task->state == CINSTR_THREAD_ENDED);
	items_count(items, "kept", task->kept);
	items_count(items, "discarded", task->discarded);
	items_count(items, "paused", task->paused);
	items_count(items, "truncated", task->truncated);
}

/* ---- beside a recording ---------------------------------------------------------------------- */

static void say_counted_calls(struct info *info, const struct data *data)
{
	const struct counters *c = data->counters;

	if (!c || !c->n_codes)
		return;
	strbuf_thousands(&info->text, counters_sum_all(data, 0));
	strbuf_printf(&info->text, " calls of %zu functions, without times", c->n_functions);
	info_say(info, "counted");
	if (!c->n_sites)
		return;
	strbuf_thousands(&info->text, counters_sum_all(data, 1));
	strbuf_printf(&info->text, " calls from %zu call sites, without times", c->n_sites);
	info_say(info, "by site");
}

void info_say_mixed(struct info *info, const struct data *data)
{
	const struct mixed_samples *s = data->mixed ? &data->mixed->samples : NULL;

	say_counted_calls(info, data);
	if (data->header->self_refused) {
		strbuf_printf(&info->text, "%llu threads could not sample themselves: %s",
			      (unsigned long long)data->header->self_refused,
			      strerror((int)data->header->self_errno));
		info_say(info, "not sampled");
	}
	if (!s)
		return;
	if (data->mixed->sampled)
		strbuf_visible(&info->text, util_basename(data->mixed->sampled->path));
	else
		strbuf_puts(&info->text, "by the threads themselves, without stacks");
	strbuf_puts(&info->text, ": ");
	strbuf_thousands(&info->text, s->joined);
	strbuf_puts(&info->text, " of ");
	strbuf_thousands(&info->text, s->kept);
	strbuf_puts(&info->text, " joined with intervals");
	info_say(info, "samples");
	say_count(info, "in stubs", s->stubs, "of these in code that counts: the recording's own work");
	say_count(info, "in probes", s->probes, "of these in what probes execute");
	say_count(info, "in runtime", s->runtime, "in the recording's own code, which is in no interval");
	say_count(info, "truncated", s->truncated, "the stack is not known to its end");
	say_count(info, "no thread", s->no_thread, "of threads that were not recorded");
	say_count(info, "no interval", s->no_interval, "in no interval that was kept");
	say_count(info, "out of time", s->out_of_time, "before the first stamp or after the last");
	say_count(info, "lost", s->lost, "they came faster than they were read, or there was no room");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_info.c - cinstr info: the content of a session: processes and their ends, threads, modules,
 * machine, clock, calibration, marks, parts left out. With --marks: all marks, for scripts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "file/segments.h"
#include "info.h"
#include "rows/budget_exclusions.h"
#include "session/process_end.h"
#include "timeline_info.h"
#include "view/view.h"

#define TAKEN_OUT_SHOWN 20
#define NAMES_SHOWN 12

struct info_options {
	int marks;
	int format; /* enum output_format_number */
	struct terminal_options terminal;
	struct names_options names;
};

static const struct option info_options[] = {
	{ "marks", 0, OPTION_FLAG, NULL, offsetof(struct info_options, marks),
	  "list the marks only, one a line with tabs between: time_ns (since the process's recording "
	  "began), pid, tid, text, function, file:line, kind (program, outside; about the recording: state, "
	  "choice, demoted, restored, kept), id",
	  NULL },
	{ "format", 'f', OPTION_CHOICE, OUTPUT_FORMAT_WORDS, offsetof(struct info_options, format),
	  "csv: pid, key and value of each item, of marks a column for each; json: the same, nested",
	  "table" },
	TERMINAL_OPTIONS(struct info_options, terminal),
	NAMES_OPTIONS(struct info_options, names),
};

static void say_property(struct info *info, const struct data *data, const char *label, const char *key)
{
	const char *value = data_property(data, key);

	if (value)
		strbuf_visible(&info->text, value);
	info_say(info, label);
}

static void put_moment(struct strbuf *buf, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm tm;
	char text[64];

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		strbuf_printf(buf, "%s.%03u", text, (unsigned)(realtime_ns / 1000000 % 1000));
}

/* ---- how a process ended --------------------------------------------------------------------- */

static void say_stop(struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	static const char *const reasons[] = {
		[CINSTR_STOP_NO_SPACE] = "recording stopped early: no space left for the data file",
		[CINSTR_STOP_NO_MEMORY] = "recording stopped early: no memory",
		[CINSTR_STOP_OUT_OF_REACH] = "recording stopped early: its file was deleted or out of reach",
		[CINSTR_STOP_CODES] = "recording stopped early: more code than can be numbered",
		[CINSTR_STOP_SECCOMP] =
			"recording stopped early: the program forbade itself system calls (seccomp)",
		[CINSTR_STOP_TASK] =
			"recording stopped early: the program made a task by clone() whose thread pointer "
			"leads to no thread",
		[CINSTR_STOP_CLOCK] =
			"recording stopped early: the program forbade itself to read the clock (PR_SET_TSC)",
		[CINSTR_STOP_DISPATCH] =
			"recording stopped early: the program handles its system calls itself "
			"(PR_SET_SYSCALL_USER_DISPATCH)",
	};

	if (h->stop == CINSTR_STOP_NONE)
		return;
	strbuf_puts(&info->text,
		    h->stop < ARRAY_SIZE(reasons) ? reasons[h->stop] : "recording stopped early");
	if (h->stop_errno)
		strbuf_printf(&info->text, " (%s)", strerror((int)h->stop_errno));
	info_say(info, "stopped");
}

/* ---- process --------------------------------------------------------------------------------- */

static void say_life(struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;

	struct ending ending = ending_of(data, &info->names);

	put_moment(&info->text, h->start_realtime_ns);
	strbuf_puts(&info->text, ", recorded for ");
	strbuf_duration(&info->text, (long double)ending_length_ns(data, &ending));
	info_say(info, "started");
	ending_tell(&info->text, &ending);
	info_say(info, "ended");
	say_stop(info, data);
	if (data->merged)
		return;
	strbuf_printf(&info->text, "pid %u%s", h->parent_pid,
		      h->forked ? ", of which this one was forked while it was recorded" : "");
	info_say(info, "parent");
}

static void say_machine(struct info *info, const struct data *data)
{
	static const char *const keys[] = { "hostname", "kernel", "cpu", "cpus" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = data_property(data, keys[i]);

		if (!value)
			continue;
		strbuf_puts(&info->text, info->text.length ? ", " : "");
		strbuf_visible(&info->text, value);
		strbuf_puts(&info->text, strcmp(keys[i], "cpus") ? "" : " processors");
	}
	info_say(info, "machine");
}

/* "rank 3 of 16, started by Open MPI, job 4711, pod worker-3" */
static void say_rank(struct info *info, const struct data *data)
{
	static const struct {
		const char *key, *before;
	} parts[] = { { "rank", "rank " },
		      { "ranks", " of " },
		      { "launcher", ", started by " },
		      { "job", ", job " },
		      { "pod", ", pod " } };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *value = data_property(data, parts[i].key);

		if (!value)
			continue;
		strbuf_puts(&info->text,
			    parts[i].before + (info->text.length ? 0 : strspn(parts[i].before, ", ")));
		strbuf_visible(&info->text, value);
	}
	if (info->text.length)
		info_say(info, "parallel");
}

static void say_clock(struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	int known;
	long double ns = data_ns_per_tick(data, &known);
	const char *note = data_property(data, "clock_note");

	if (h->clock == CINSTR_CLOCK_MONOTONIC_RAW)
		strbuf_puts(&info->text, "CLOCK_MONOTONIC_RAW, nanoseconds");
	else if (known)
		strbuf_printf(&info->text, "time-stamp counter, %.3Lf MHz", 1000 / ns);
	else
		strbuf_puts(&info->text, "time-stamp counter of unknown frequency: 1 tick is shown as 1 ns");
	if (note && *note && strcmp(note, "TSC") != 0 && strcmp(note, "CLOCK_MONOTONIC_RAW") != 0) {
		strbuf_puts(&info->text, "; ");
		strbuf_visible(&info->text, note);
	}
	info_say(info, "clock");
}

static void say_os_source(struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	const char *note = data_property(data, "restartable_note");
	int known;

	strbuf_puts(&info->text, h->restartable ? "restartable sequences, and " : "");
	strbuf_puts(&info->text, "intervals over ");
	strbuf_duration(&info->text, (long double)h->threshold_ticks * data_ns_per_tick(data, &known));
	strbuf_printf(&info->text, " (%llu ticks) are checked", (unsigned long long)h->threshold_ticks);
	if (note && *note && !h->restartable) {
		strbuf_puts(&info->text, "; ");
		strbuf_visible(&info->text, note);
	}
	info_say(info, "OS events");
}

void info_call_costs(const struct cinstr_calibration *c, long double unit,
		     long double call[OVERHEAD_ESTIMATES])
{
	struct overhead_costs costs;

	overhead_costs(&costs, c);
	for (int i = 0; i < OVERHEAD_ESTIMATES; i++)
		call[i] =
			(long double)(costs.of[i][CINSTR_COST_CALL] + costs.of[i][CINSTR_COST_RETURN]) * unit;
}

static void say_contexts(struct info *info, const struct cinstr_calibration *c, long double unit)
{
	long double call[OVERHEAD_ESTIMATES];

	if (!c->contexts)
		return;
	info_call_costs(c, unit, call);
	strbuf_printf(&info->text,
		      "a whole call %.1Lf by itself, %.1Lf beside other work; subtracted %.1Lf (may be %.1Lf "
		      "to %.1Lf)",
		      (long double)c->alone_sum / (long double)c->contexts * unit,
		      (long double)c->beside_sum / (long double)c->contexts * unit, call[OVERHEAD_MEAN],
		      call[OVERHEAD_LOW], call[OVERHEAD_HIGH]);
	info_say(info, "");
}

static void say_calibration(struct info *info, const struct data *data)
{
	static const char *const kinds[] = { "call", "return", "before", "after", "enter", "exit", "line" };
	const struct cinstr_calibration *c = &data->header->calibration;
	int known;
	long double unit = data_ns_per_tick(data, &known) / 1024;

	if (!c->rounds) {
		strbuf_puts(&info->text, "none: no probe overhead can be subtracted");
		info_say(info, "calibration");
		return;
	}
	strbuf_printf(
		&info->text,
		"%llu round%s; what an empty interval measures, by its first event, in ns (lowest, highest)",
		(unsigned long long)c->rounds, c->rounds == 1 ? "" : "s");
	info_say(info, "calibration");
	for (int i = 0; i < CINSTR_COST_KINDS; i++) {
		if (i == CINSTR_COST_LINE && data->header->probes < 3)
			break;
		strbuf_printf(&info->text, "%s%s %.1Lf (%.1Lf, %.1Lf)", i % 2 ? ", " : "", kinds[i],
			      (long double)c->sum[i] / (long double)c->rounds * unit,
			      (long double)c->minimum[i] * unit, (long double)c->maximum[i] * unit);
		if (i % 2)
			info_say(info, "");
	}
	info_say(info, "");
	say_contexts(info, c, unit);
}

static void say_recording(struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	const char *version = data_property(data, "runtime_version"),
		   *options = data_property(data, "options");

	strbuf_puts(&info->text, h->probes == 1 ? "entry and exit" : "entry, exit, before and after calls");
	strbuf_puts(&info->text, h->probes >= 3 ? ", source lines" : "");
	strbuf_puts(&info->text, "; attached in ");
	strbuf_duration(&info->text, (long double)h->attach_ns);
	if (version) {
		strbuf_puts(&info->text, "; runtime ");
		strbuf_visible(&info->text, version);
	}
	info_say(info, "probes");
	info_say_options(info, options ? options : "");
	if (h->lost_events || h->lost_threads)
		strbuf_printf(&info->text, "%llu events, %llu threads", (unsigned long long)h->lost_events,
			      (unsigned long long)h->lost_threads);
	info_say(info, "lost");
}

/* What the probes are worth, and how they recorded. Merged values are corrected, and in no
 * process's ticks. */
static void say_probes(struct info *info, const struct data *data)
{
	if (!data->merged) {
		say_os_source(info, data);
		say_calibration(info, data);
	}
	say_recording(info, data);
}

/* ---- pauses --------------------------------------------------------------------------- */

struct info_pauses info_pauses_of(struct info *info, const struct data *data)
{
	struct ending ending = ending_of(data, &info->names);
	struct info_pauses pauses = { 0 };
	long double ticks = 0, ns_per_tick;
	int known;

	for (size_t i = 0; i < data->n_threads; i++) {
		const struct cinstr_fold_state *state = data->threads[i].state;

		pauses.n += state->pauses;
		pauses.n_repaired += state->repaired;
		pauses.n_uncounted += state->uncounted;
		ticks += (long double)state->paused_ticks;
	}
	ns_per_tick = data_ns_per_tick(data, &known);
	if (pauses.n)
		pauses.ns = ticks * ns_per_tick +
			    totals_paused_beyond(data, ns_per_tick, ending_length_ns(data, &ending));
	return pauses;
}

static void say_pauses(struct info *info, const struct data *data)
{
	struct info_pauses pauses = info_pauses_of(info, data);

	if (pauses.n) {
		strbuf_duration(&info->text, pauses.ns);
		strbuf_puts(&info->text, " in ");
		strbuf_thousands(&info->text, pauses.n);
		strbuf_puts(&info->text, pauses.n == 1 ? " pause" : " pauses");
		info_say(info, "paused");
	}
	if (pauses.n_repaired) {
		strbuf_thousands(&info->text, pauses.n_repaired);
		strbuf_puts(&info->text, pauses.n_repaired == 1 ? " function was" : " functions were");
		strbuf_puts(&info->text, " already running when recording came on");
		info_say(info, pauses.n ? "" : "paused");
	}
}

static void say_uncounted(struct info *info, const struct data *data)
{
	uint64_t uncounted = info_pauses_of(info, data).n_uncounted;

	if (!uncounted)
		return;
	strbuf_thousands(&info->text, uncounted);
	strbuf_puts(&info->text, uncounted == 1 ? " call is" : " calls are");
	strbuf_puts(&info->text, " not among Min, Max and percentiles: there was no room");
	info_say(info, "uncounted");
}

/* The budget of overhead: what it was, and what it took out. */
static void say_taken_out(struct info *info, const struct data *data)
{
	struct exclusions outs = { 0 };

	exclusion_put_estimate(&info->text, data);
	info_say(info, "overhead");
	exclusions_add(&outs, &info->names, data);
	for (size_t i = 0; i < outs.n && i < TAKEN_OUT_SHOWN; i++) {
		exclusion_put(&info->text, &outs.list[i], &info->names);
		info_say(info, i ? "" : "taken out");
	}
	if (outs.n > TAKEN_OUT_SHOWN)
		strbuf_printf(&info->text, "and %zu more", outs.n - TAKEN_OUT_SHOWN);
	info_say(info, "");
	exclusions_release(&outs);
}

/* ---- threads --------------------------------------------------------------------------------- */

void info_put_padded(struct strbuf *buf, size_t from, size_t width)
{
	size_t n = util_columns(buf->text + from);

	if (n < width)
		strbuf_fill(buf, ' ', width - n);
}

static void put_right(struct strbuf *buf, const struct strbuf *text, size_t width)
{
	/* What is wider moves the line's rest, and is apart from what stands before it. */
	strbuf_fill(buf, ' ', text->length < width ? width - text->length : 1);
	strbuf_puts(buf, text->text);
}

void info_put_count(struct strbuf *buf, uint64_t n, size_t width)
{
	STRBUF(text);

	strbuf_thousands(&text, n);
	put_right(buf, &text, width);
}

void info_put_duration(struct strbuf *buf, long double ns, size_t width)
{
	STRBUF(text);

	strbuf_duration(&text, ns);
	put_right(buf, &text, width);
}

uint64_t info_kernel_switches(const struct cinstr_thread *t)
{
	return t->counters_last.voluntary - t->counters_first.voluntary + t->counters_last.involuntary -
	       t->counters_first.involuntary - t->own_voluntary - t->own_involuntary;
}

static void say_thread(struct info *info, const struct data *data, const struct data_thread *thread)
{
	const struct cinstr_thread *t = thread->record;
	struct strbuf *line = &info->text;
	uint64_t switches = thread->state->voluntary + thread->state->involuntary;
	int known;
	long double ns = data_ns_per_tick(data, &known);
	char name[sizeof(t->name) + 1] = "";

	memcpy(name, t->name, sizeof(t->name));
	strbuf_printf(line, " %7u ", t->tid);
	strbuf_visible(line, name);
	info_put_padded(line, 0, 24);
	info_put_duration(line, data_ns_since_begin(data, t->first_ticks), 8);
	info_put_duration(line,
			  (long double)(thread->state->time - t->first_ticks - thread->state->between_ticks) *
				  ns,
			  8);
	info_put_count(line, thread->state->events, 12);
	info_put_count(line, thread->n_nodes, 7);
	info_put_count(line, switches, 9);
	info_put_count(line, t->long_intervals, 6);
	strbuf_puts(line, t->state != CINSTR_THREAD_ENDED && thread->n_open ? "  open" : "");
	strbuf_puts(line, thread->state->paused ? "  recording off" : "");
	if (t->members > 1)
		strbuf_printf(line, "  %u threads, one after another", t->members);
	if (info_kernel_switches(t) != switches)
		strbuf_printf(line, "  switches by the kernel: %llu",
			      (unsigned long long)info_kernel_switches(t));
	info_line(info, 9);
}

static void say_threads(struct info *info, const struct data *data)
{
	if (data->merged) /* one of all: info_say_merged has told what is known */
		return;
	strbuf_puts(&info->text,
		    "  threads (begin after the recording's; long: intervals over the threshold without "
		    "an event: interrupts, other virtual machines)");
	info_line(info, 4);
	puts("     tid name              begin  length      events  paths switches  long");
	for (size_t i = 0; i < data->n_threads; i++)
		say_thread(info, data, &data->threads[i]);
}

/* ---- modules --------------------------------------------------------------------------------- */

static void put_build_id(struct strbuf *buf, const struct cinstr_module *raw)
{
	if (!raw->build_id_bytes)
		strbuf_puts(buf, "no build-id");
	for (uint32_t i = 0; i < raw->build_id_bytes && i < sizeof(raw->build_id); i++)
		strbuf_printf(buf, "%02x", raw->build_id[i]);
}

/* Of functions of one reason, [first, end): "      left out, small leaf functions (14): a, b and 12
 * more". */
static void say_reason(struct info *info, const struct module *module, size_t first, size_t end)
{
	static const char *const reasons[] = {
		[CINSTR_LEFT_OUT_ATTRIBUTE] = "no_instrument_function",
		[CINSTR_LEFT_OUT_NAKED] = "naked or interrupt",
		[CINSTR_LEFT_OUT_IFUNC] = "ifunc resolvers",
		[CINSTR_LEFT_OUT_THUNK] = "thunks",
		[CINSTR_LEFT_OUT_OTHER] = "of odd shape",
		[CINSTR_LEFT_OUT_SMALL] = "small leaf functions",
		[CINSTR_LEFT_OUT_EXCLUDED] = "excluded by a rule",
		[CINSTR_LEFT_OUT_NOT_INCLUDED] = "not included by any rule",
		[CINSTR_LEFT_OUT_SYSTEM] = "in system headers",
	};
	uint32_t reason = module->left_out[first].reason;

	strbuf_printf(&info->text, "      left out, %s (",
		      reason && reason < ARRAY_SIZE(reasons) ? reasons[reason] : "for another reason");
	strbuf_thousands(&info->text, end - first);
	strbuf_puts(&info->text, "):");
	for (size_t i = first; i < end && i < first + NAMES_SHOWN; i++) {
		FREED char *name = names_shown(module->left_out[i].name, NULL, 0);

		strbuf_puts(&info->text, i > first ? ", " : " ");
		strbuf_visible(&info->text, name);
	}
	if (end - first > NAMES_SHOWN) {
		strbuf_puts(&info->text, " and ");
		strbuf_thousands(&info->text, end - first - NAMES_SHOWN);
		strbuf_puts(&info->text, " more");
	}
	info_line(info, 8);
}

static void say_left_out(struct info *info, const struct module *module)
{
	for (size_t first = 0, end; first < module->n_left_out; first = end) {
		end = first + 1;
		while (end < module->n_left_out &&
		       module->left_out[end].reason == module->left_out[first].reason)
			end++;
		say_reason(info, module, first, end);
	}
}

static void say_segments(struct info *info, const struct data *data, const struct module *module)
{
	size_t n;

	if (!segments_counted(data, module, &n))
		return;
	strbuf_puts(&info->text, "      executed instructions are counted");
	if (n) {
		strbuf_puts(&info->text, ": ");
		strbuf_thousands(&info->text, n);
		strbuf_puts(&info->text, " segments");
	} else {
		strbuf_puts(&info->text, ", but its file is gone, or is another one now");
	}
	info_line(info, 6);
}

static void say_modules(struct info *info, const struct data *data)
{
	printf(data->header->method == CINSTR_METHOD_SAMPLING
		       ? "  modules\n"
		       : "  modules (functions and probes of instrumented ones)\n");
	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];
		const struct cinstr_module *raw = module->raw;
		struct strbuf *line = &info->text;

		strbuf_puts(line, "    ");
		strbuf_visible(line, module->path[0] ? module->path : SYMBOL_UNKNOWN);
		strbuf_puts(line, "  ");
		put_build_id(line, raw);
		if (raw->code_base) {
			info_line(info, 6);
			strbuf_puts(line, "      ");
			strbuf_thousands(line, module->n_functions);
			strbuf_puts(line, " functions, ");
			strbuf_thousands(line, raw->sleds);
			strbuf_puts(line, " probes, ");
			strbuf_thousands(line, raw->patched);
			strbuf_puts(line, " switched on");
		}
		if (module_why_refused(module)) {
			info_line(info, 6);
			strbuf_printf(line, "      not recorded: %s", module_why_refused(module));
		}
		if (raw->refused) {
			strbuf_puts(line, ", ");
			strbuf_thousands(line, raw->refused);
			strbuf_puts(line, " refused (changed by another tool, or not writable)");
		}
		strbuf_puts(line, raw->flags & CINSTR_MODULE_UNLOADED ? ", unloaded" : "");
		info_line(info, 6);
		say_segments(info, data, module);
		say_left_out(info, module);
	}
}

/* ---- the command ----------------------------------------------------------------------------- */

static void say_probed(struct info *info, struct data *data)
{
	say_probes(info, data);
	info_say_chosen(info, data);
	say_taken_out(info, data);
	info_say_mixed(info, data);
	say_pauses(info, data);
	say_uncounted(info, data);
	info_say_marks(info, data);
	timeline_say(info, data);
	say_threads(info, data);
}

static void say_sampled(struct info *info, struct data *data)
{
	info_say_sampling(info, data);
	info_say_chosen(info, data);
	info_say_marks(info, data);
	info_say_sampled_threads(info, data);
}

/* Says whose data the file has, in a line of its own. */
static void say_title(struct info *info, const struct data *data)
{
	FREED char *command_line = totals_command_line(data);

	putchar('\n');
	if (data->merged)
		strbuf_puts(&info->text, "Merged: ");
	else
		strbuf_printf(&info->text, "Process %u: ", data->header->pid);
	strbuf_visible(&info->text, command_line);
	info_line(info, 4);
}

static void say_process(void *arg, struct data *data)
{
	struct info *info = arg;

	rule_check_add(&info->rules, data);
	say_title(info, data);
	say_property(info, data, "executable", "exe");
	say_property(info, data, "folder", "cwd");
	if (data->merged)
		info_say_merged(info, data->merged);
	say_life(info, data);
	strbuf_visible(&info->text, util_basename(data->path));
	strbuf_puts(&info->text, ", ");
	strbuf_size(&info->text, data->file_bytes);
	info_say(info, "data file");
	if (!data->merged)
		say_rank(info, data);
	say_machine(info, data);
	if (!data->merged)
		say_clock(info, data);
	(data->header->method == CINSTR_METHOD_SAMPLING ? say_sampled : say_probed)(info, data);
	say_modules(info, data);
	names_next_process(&info->names);
}

int info_table(struct info *info, struct session *input)
{
	strbuf_visible(&info->text, input->path);
	printf("Session %s: %zu data file%s%s\n", info->text.text, input->n_files,
	       input->n_files == 1 ? "" : "s", input->is_live ? ", still recording" : "");
	strbuf_clear(&info->text);
	return session_each(input, say_process, info);
}

static int run_format(const struct info_options *options, struct info *info, struct session *input)
{
	const struct output_format *format = &output_formats[options->format];
	int status;

	items_begin(&info->items, stdout, format->items);
	status = (options->marks ? format->shape->marks : format->shape->info)(info, input);
	items_end(&info->items);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct session input;
	struct info info = { .input = &input };
	struct info_options options = { 0 };
	int n_operands, status = STATUS_DATA;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (terminal_configure(command->name, &options.terminal) ||
	    names_configure(command->name, &options.names,
			    !options.marks && output_formats[options.format].shape->is_for_people))
		return STATUS_USAGE;
	strbuf_clear(&info.text);
	if (!session_open(&input, n_operands ? argv[1] : NULL)) {
		terminal_page();
		status = run_format(&options, &info, &input);
	}
	if (fflush(stdout) && errno != EPIPE) {
		error("stdout: cannot be written: %s", strerror(errno));
		status = STATUS_DATA;
	}
	rule_check_end(&info.rules);
	names_release(&info.names);
	strbuf_release(&info.text);
	session_release(&input);
	return status;
}

static const struct absent_options absent[] = {
	{ "limit sort columns view", "it tells all that a session holds; for tables: cinstr report "
				     "--by=thread, --by=process, --by=module" },
	{ "process thread function module from to just-my-code filter save-filter",
	  "it tells of the whole session; cinstr report takes a part of it" },
	{ "output verbose", "it writes all to stdout: cinstr info > FILE" },
	{ NULL, NULL },
};

const struct command command_info = {
	.name = "info",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows what a session holds: processes and how they ended, threads,\n"
		   "modules, machine; how it was sampled; what was chosen, switched and marked.\n"
		   "Default: cinstr.data.",
	OPTIONS_OF(info_options),
	.max_operands = 1,
	.examples = "  cinstr info\n  cinstr info before.data\n  cinstr info --marks | sort -n\n"
		    "  cinstr info --format=json | jq '.processes[].modules[].build_id'\n",
	.absent = absent,
	.run = run,
};

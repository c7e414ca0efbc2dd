/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_rows.c - prints what a profile knows of processes that were made by chance, for a golden
 * file of the tests of the command line: calls that were timed, counted, or neither, in each view;
 * which paths are shown; what stands beside the rows. A change of a rule is seen there by the rows
 * that have another value now.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mixed/pair.h"
#include "rows/hot_path.h"

#define PROCESSES 20u
#define SAMPLED 12u

#define TOTALS(OF) \
	OF(elapsed) \
	OF(application) \
	OF(preempted_work) \
	OF(outside) \
	OF(outside_cpu) \
	OF(off_cpu) \
	OF(runtime) \
	OF(paused) \
	OF(paused_beyond) \
	OF(attach) \
	OF(overhead) \
	OF(overhead_low) \
	OF(overhead_high) \
	OF(conservation_ticks_off) \
	OF(threads_off) \
	OF(pauses) \
	OF(repaired) \
	OF(lines) \
	OF(events) \
	OF(enters) \
	OF(exits) \
	OF(implicit_exits) \
	OF(open_frames) \
	OF(orphans) \
	OF(unbalanced) \
	OF(lost_events) \
	OF(lost_threads) \
	OF(merged_calls) \
	OF(timeline_lost) \
	OF(uncounted) \
	OF(voluntary) \
	OF(involuntary) \
	OF(kernel_voluntary) \
	OF(kernel_involuntary) \
	OF(processes) \
	OF(threads) \
	OF(left_out_by_choice) \
	OF(left_out_by_need) \
	OF(restartable) \
	OF(by_threshold) \
	OF(no_source) \
	OF(streams) \
	OF(uncalibrated) \
	OF(no_frequency) \
	OF(stopped) \
	OF(functions_only) \
	OF(uncalibrated_ns) \
	OF(functions_only_ns) \
	OF(monotonic_ns) \
	OF(threshold) \
	OF(ranked) \
	OF(exe_recorded) \
	OF(is_mixed)
#define FACTS(OF) \
	OF(killed) \
	OF(signal) \
	OF(began_paused) \
	OF(no_end) \
	OF(stop_errno) \
	OF(marks_lost) \
	OF(monotonic) \
	OF(limited)
#define MIXED_TOTALS(OF) \
	OF(processes) \
	OF(without) \
	OF(kept) \
	OF(joined) \
	OF(own) \
	OF(refused) \
	OF(refused_errno) \
	OF(tree_ns) \
	OF(counted) \
	OF(counted_functions) \
	OF(counted_sites) \
	OF(counted_by_site)

static const char *const views[] = {
	[BY_FUNCTION] = "function", [BY_MODULE] = "module", [BY_THREAD] = "thread",
	[BY_PROCESS] = "process",   [BY_LINE] = "line",	    [BY_SITE] = "site",
	[BY_ADDRESS] = "address",   [BY_MARK] = "mark",	    [BY_PATH] = "path",
	[BY_CALLERS] = "callers"
};

/* ---- printing -------------------------------------------------------------------------------- */

/* What is not the usual value. */
static void other(const char *what, long double value, long double usual)
{
	if (value < usual - 0.5L || value > usual + 0.5L)
		printf(" %s %.0Lf", what, value);
}

static void number(const char *what, long double value)
{
	other(what, value, 0);
}

static void word(const char *what, const char *text)
{
	if (text && *text)
		printf(" %s %s", what, text);
}

static const char *name_of(const struct profile *p, uint32_t entity)
{
	return entity < p->names->keys.n ? p->names->list[entity].name : "-";
}

static void print_row(const struct profile *p, const struct row *row)
{
	printf("  %s", row->name ? row->name : "-");
	word("of", row->root_function);
	word("calls", row->callee);
	word("at", row->address);
	word("in", row->function);
	word("from", row->inlined_from);
	if (row->caller != EDGE_NO_CALLER)
		printf(" < %s", name_of(p, row->caller));
	printf(":");
	number("calls", (long double)row->calls);
	number("untimed", (long double)row->untimed);
	number("open", (long double)row->open_calls);
	word("file", row->file);
	number("line", row->line);
	number("tail", (long double)row->tail_calls);
	number("entries", (long double)row->entries);
	number("EI", row->sums.elapsed_inclusive);
	other("EE", row->sums.elapsed_exclusive, row->sums.elapsed_inclusive);
	other("AI", row->sums.application_inclusive, row->sums.elapsed_inclusive);
	number("off", row->sums.off_cpu_inclusive);
	number("preempted", row->sums.preempted_exclusive);
	other("activations", row->activations_elapsed, row->sums.elapsed_inclusive);
	number("lines", row->line_from);
	number("to", row->line_to);
	if (p->totals.is_mixed) {
		number("source", row->source[0] + 4 * row->source[1]);
		number("overhead", row->sums.overhead_exclusive);
		number("+-", uncertainty_of(&row->sums, VALUE_ELAPSED_INCLUSIVE));
		number("+-", uncertainty_of(&row->sums, VALUE_APPLICATION_EXCLUSIVE));
		number("deviation", sqrtl(row->sums.variance_exclusive));
		number("deviation", sqrtl(row->sums.variance_inclusive));
	}
	number("threads", row->n_threads);
	number("depth", row->depth);
	if (row->ended)
		printf(" %s of %s, %s, %.0f to %.0f", row->ended, row->process, row->host, row->begin,
		       row->end);
	printf("%s%s%s%s%s%s%s\n", row->is_partly_timed ? " partly" : "",
	       row->are_calls_least ? " least" : "", row->is_hot ? " hot" : "", row->is_chain ? " chain" : "",
	       row->is_recursive ? " recursive" : "", row->is_indirect ? " indirect" : "",
	       row->is_of_several ? " several" : "");
}

static void print_shares(const struct profile *p)
{
	if (!p->shares.is_wanted)
		return;
	for (uint32_t i = 0; i < p->n_rows; i++) {
		uint32_t threads = thread_shares_threads(&p->shares, i);

		if (threads < 2)
			continue;
		printf("  row %u: threads %u, most", i, threads);
		for (int of = 0; of < SHARE_KINDS; of++)
			printf(" %.0Lf", thread_shares_most(&p->shares, i, of));
		printf("\n");
	}
}

static void print_chain(const struct profile *p, const char *what, const uint32_t *list, uint32_t n)
{
	printf(" %s", what);
	for (uint32_t i = 0; i < n; i++)
		printf(" %s", name_of(p, list[i]));
}

static void print_threads(const struct profile *p)
{
	for (size_t i = 0; i < p->thread_facts.n; i++) {
		const struct thread_fact *f = &p->thread_facts.list[i];

		printf("  thread %u %u:", f->pid, f->tid);
		print_chain(p, "from", f->chain, f->n_chain);
		print_chain(p, "work", f->work, f->n_work);
		number("elapsed", f->elapsed);
		number("off", f->off_cpu);
		number("others", f->for_others);
		number("waits", (long double)f->waits);
		number("preempted", f->preempted);
		printf("\n");
	}
}

static void print_system(const struct profile *p)
{
	const struct system_facts *s = &p->system;

	for (size_t i = 0; i < s->n; i++)
		printf("  %s: %s calls %s %llu of %llu, %.0Lf of %.0Lf, %.0Lf%s\n", s->list[i].thread,
		       name_of(p, s->list[i].caller), name_of(p, s->list[i].callee),
		       (unsigned long long)s->list[i].calls, (unsigned long long)s->list[i].caller_calls,
		       s->list[i].taken, s->list[i].elapsed, s->list[i].on_cpu,
		       s->list[i].is_alone ? " alone" : "");
	printf("  outside %.0Lf %.0Lf %s, %.0Lf %.0Lf %s\n", s->before.ns, s->before.most,
	       name_of(p, s->before.entity), s->after.ns, s->after.most, name_of(p, s->after.entity));
}

static void print_exclusions(const struct profile *p)
{
	for (size_t i = 0; i < p->taken_outs.n; i++) {
		struct strbuf text = { 0 };

		exclusion_put(&text, &p->taken_outs.list[i], p->names);
		printf("  out: %s\n", text.text);
		strbuf_release(&text);
	}
}

static void print_paths(const struct profile *p)
{
	for (size_t i = 1; i < p->paths.n; i++) {
		const struct path *path = &p->paths.list[i];

		printf("  path %u %s: %llu %.0f %.0f %.0f %.0f %.0f %.0f%s%s\n", path->parent,
		       name_of(p, path->entity), (unsigned long long)path->calls, path->elapsed_inclusive,
		       path->elapsed_exclusive, path->application_inclusive, path->application_exclusive,
		       path->off_cpu, path->preempted, path->are_least ? " least" : "",
		       path->is_jump ? " jump" : "");
	}
}

static void print_path(const struct profile *p)
{
	struct hot_path hot;

	hot_path_make(&hot, p);
	printf("  hot%s:", hot.skips_waits ? " but for waits" : "");
	for (size_t i = 0; i < hot.n; i++)
		printf(" %s %llu %.0f %.0f%s%s", name_of(p, hot.list[i].entity),
		       (unsigned long long)hot.list[i].calls, hot.list[i].inclusive, hot.list[i].exclusive,
		       hot.list[i].are_calls_least ? " least" : "",
		       hot.list[i].is_recursive ? " recursive" : "");
	printf("\n");
	hot_path_release(&hot);
}

static void print_joined(const struct mixed_samples *s)
{
	number("joined", (long double)s->joined);
	number("of", (long double)s->kept);
	number("stubs", (long double)s->stubs);
	number("probes", (long double)s->probes);
	number("runtime", (long double)s->runtime);
	number("truncated", (long double)s->truncated);
	number("of no thread", (long double)s->no_thread);
	number("in no interval", (long double)s->no_interval);
	number("out of time", (long double)s->out_of_time);
	number("tree", (long double)s->tree_ticks);
	printf("\n");
}

static void print_limit(const char *what, const struct quality_limit *limit)
{
	number(what, (long double)limit->n);
	number("own", limit->own_ns);
	number("probes", limit->probes_ns);
	number("allowed", limit->allowed_ns);
}

static void print_totals(const struct totals *t)
{
	printf("  totals of %s, %s:", t->title, t->exe ? t->exe : "-");
#define PRINT(member) number(#member, (long double)t->member);
	TOTALS(PRINT)
#undef PRINT
#define PRINT(member) number(#member, (long double)t->facts.member);
	FACTS(PRINT)
#undef PRINT
#define PRINT(member) number(#member, (long double)t->mixed.member);
	MIXED_TOTALS(PRINT)
#undef PRINT
	print_limit("limited", &t->facts.all_limited);
	print_limit("over limit", &t->facts.over_limit);
	for (int i = 0; i < STOP_REASONS; i++)
		number("stopped by", (long double)(i + 1) * (long double)t->facts.stops[i]);
	for (int i = 0; i < WAIT_KINDS; i++) {
		number("waits", (long double)t->facts.waits.intervals[i]);
		number("for", t->facts.waits.off_cpu[i]);
	}
	printf("\n");
}

/* ---- views ----------------------------------------------------------------------------------- */

/* Which paths to show, each time another choice. */
static void choose_paths(struct profile *p, const struct data *data, unsigned number)
{
	struct paths_choice choice = { .min_percent = number % 4 * 0.7,
				       .depth = number % 5 ? UINT64_MAX : 3,
				       .limit = number % 7 ? 0 : 6,
				       .fold_percent = number % 2 ? PATHS_FOLD_PERCENT : 60,
				       .fold_length = number % 3 };
	long double hidden;
	size_t n;

	printf("  least %.9f\n", paths_least_percent(p, 5));
	n = paths_choose(p, &choice, &hidden);
	printf("  hidden %zu %.0Lf, folded %zu in %zu, tops %zu\n", n, hidden, p->paths.n_folded,
	       p->paths.n_lines, p->paths.n_tops);
	profile_add(p, data);
	hot_path_mark(p);
	paths_finish(p);
	print_path(p);
	if (number % 8 == 1)
		print_paths(p);
}

static void print_view(const struct data *data, enum profile_by by, unsigned number)
{
	static const struct counting raw = { .os_mask = CINSTR_OS_DEFAULT_MASK | CINSTR_OS_MINOR_FAULT };
	struct profile profile;

	profile_init(&profile, by, number % 4 == 2 ? &raw : &default_counting);
	profile.merge_threads = number % 2;
	profile.by_call_site = number % 2;
	profile.functions = by == BY_MODULE;
	profile.shares.is_wanted = by == BY_FUNCTION || by == BY_CALLERS;
	profile.system.is_wanted = by == BY_FUNCTION;
	profile.paths.by = number % 3;
	profile.paths.root = number % 6 == 5 ? "work" : NULL;
	printf("%s\n", views[by]);
	profile_add(&profile, data);
	if (by == BY_FUNCTION) {
		print_totals(&profile.totals);
		print_system(&profile);
		print_exclusions(&profile);
	}
	print_shares(&profile);
	print_threads(&profile);
	if (by == BY_PATH)
		choose_paths(&profile, data, number);
	profile_settle(&profile);
	for (size_t i = 0; i < profile.n_rows; i++)
		if (!row_is_empty(&profile.rows[i]))
			print_row(&profile, &profile.rows[i]);
	profile_release(&profile);
}

static void print_views(const struct data *data, unsigned number)
{
	for (int by = BY_FUNCTION; by <= BY_CALLERS; by++) {
		int is_rare = by == BY_MODULE || by == BY_PROCESS || by == BY_ADDRESS;

		if (by != BY_MARK && (!is_rare || number % 4 == 1))
			print_view(data, by, number);
	}
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void print_spread(const struct profile *p, const struct row *row)
{
	struct spread s;

	if (spread_of_row(p, row, &s)) {
		number("    bound", spread_bound_of_row(p, row));
		printf("\n");
		return;
	}
	printf("    spread over %u: %.0Lf +- %.0Lf, %.0Lf %s, %.0Lf %s, %.6Lf, %.0Lf\n", s.n, s.mean,
	       spread_deviation(&s), s.least, s.who_least, s.most, s.who_most, spread_imbalance(&s),
	       spread_cost(&s));
}

/* Several processes. */
static void print_session(enum profile_by by, enum process_group group, enum spread_value of)
{
	struct profile profile;
	struct data data;

	profile_init(&profile, by, &default_counting);
	profile.group = group;
	profile.merge_threads = 1;
	profile.spreads.is_wanted = 1;
	profile.spreads.of = of;
	for (unsigned n = 3; n < 9; n++) {
		struct maker *maker = maker_random_counted(n);

		if (data_open(&data, maker_write(maker)))
			return;
		profile_add(&profile, &data);
		data_release(&data);
		maker_release(maker);
	}
	if (by == BY_PROCESS)
		processes_tell_apart(&profile);
	profile_settle(&profile);
	printf("session by %s, group %d, spread of %d, variance %.0Lf %.0Lf\n", views[by], (int)group,
	       (int)of, spread_variance_of_total(&profile, 0), spread_variance_of_total(&profile, 1));
	for (size_t i = 0; i < profile.n_rows; i++) {
		print_row(&profile, &profile.rows[i]);
		number("    processes", profile.rows[i].n_processes);
		print_spread(&profile, &profile.rows[i]);
	}
	profile_release(&profile);
}

static void print_sessions(void)
{
	for (int of = SPREAD_CPU; of <= SPREAD_APPLICATION_EXCLUSIVE; of++)
		print_session(BY_FUNCTION, GROUP_PROCESS, of);
	for (int group = GROUP_PROCESS; group <= GROUP_JOB; group++)
		print_session(BY_PROCESS, group, SPREAD_CPU);
	print_session(BY_THREAD, GROUP_PROCESS, SPREAD_CALLS);
	print_session(BY_CALLERS, GROUP_PROCESS, SPREAD_CALLS);
}

int random_rows(const char *const *files)
{
	struct data data;

	for (unsigned number = 1; *files; files++, number++) { /* merged ones */
		if (data_open(&data, *files))
			return 1;
		for (int by = BY_FUNCTION; by <= BY_CALLERS; by++)
			if (by != BY_MARK && by != BY_THREAD)
				print_view(&data, by, number);
		data_release(&data);
		if (!files[1])
			return 0;
	}
	print_sessions();
	for (unsigned number = 0; number < PROCESSES; number++) {
		struct maker *maker = maker_random_counted(number);

		if (data_open(&data, maker_write(maker)))
			return 1;
		printf("process %u, problems %zu\n", number, data.n_problems);
		print_views(&data, number);
		data_release(&data);
		maker_release(maker);
	}
	for (unsigned number = 0; number < SAMPLED; number++) {
		random_mixed_open(&data, number);
		printf("mixed process %u, problems %zu\n", number, data.n_problems);
		print_joined(&data.mixed->samples);
		print_views(&data, number);
		random_mixed_close(&data);
	}
	return 0;
}

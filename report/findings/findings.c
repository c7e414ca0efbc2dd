/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings.c - see findings.h. */
#include "findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "call_place.h"
#include "computing_text.h"
#include "file/merged.h"
#include "known_functions.h"
#include "lib/order.h"
#include "operating.h"
#include "output/command_line.h"
#include "rows/uncertainty.h"
#include "rules.h"
#include "selection/just_my_code.h"

#define LEAST_NS 1e6L /* less is not worth a word */
/* A more general rule's finding on a function is left out if a special one has this part of its
 * time. A hot spot is the most general one. */
#define SAME_TIME 0.5L
#define SAME_TIME_AS_HOT_SPOT 0.05L
#define HOT_SPOT 10 /* precedence */
/* A hot spot tells where, not why: a finding that tells a cause stands before it if it has this
 * part of its time. */
#define CAUSE_PART 0.3L
#define WORKS_PART 0.2L /* of its life: the first thread works */

struct finding *finding_new(struct finder *finder, const struct finding_rule *rule)
{
	struct findings *findings = finder->findings;
	struct finding *finding;

	findings->list = xrealloc(findings->list, findings->n + 1, sizeof(*findings->list));
	finding = &findings->list[findings->n++];
	*finding = (struct finding){ .rule = rule,
				     .id = rule->id,
				     .about = NAMES_NONE,
				     .said_of = NAMES_NONE,
				     .look_at = NAMES_NONE };
	strbuf_clear(&finding->text);
	return finding;
}

struct finding *finding_at_site(struct finder *finder, const struct finding_rule *rule,
				const struct kernel_site *site, long double amount)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = site->caller;
	finding->edge = site->edge;
	finding->time = finder_on_one_thread(finder, site->edge, amount, SHARE_ELAPSED);
	finding->verb = "callers --sites";
	finding->look_at = site->edge->entity;
	return finding;
}

void finding_set_path(struct finding *finding, const uint32_t *path, size_t n)
{
	finding->n_path = n < FINDING_PATH ? n : FINDING_PATH;
	memcpy(finding->path, path, finding->n_path * sizeof(*path));
}

/* ---- what rules ask -------------------------------------------------------------------------- */

/*
 * Returns which part of what threads compute the run takes at least: as many threads as there are
 * at once, which others may have slowed (finder_slowed()), do it; and as many processors.
 */
static long double least_part(const struct finder *finder)
{
	uint64_t processors = finder->t->merged ? 0 : finder->input->edges->system.processors;
	long double by_processors = processors ? 1 / (long double)processors / finder_slowed(finder) : 0;

	return fmaxl(1 / finder->threads_at_once, by_processors);
}

long double finder_on_one_thread(const struct finder *finder, const struct row *row, long double amount,
				 enum share_of of)
{
	const struct profile *edges = finder->input->edges;
	long double sum = of == SHARE_ELAPSED	? row->sums.elapsed_inclusive
			  : of == SHARE_OFF_CPU ? row->sums.off_cpu_inclusive
			  : of == SHARE_CPU	? row->sums.elapsed_inclusive - row->sums.off_cpu_inclusive
						: row->sums.application_inclusive;
	long double most = thread_shares_most(&edges->shares, (uint32_t)(row - edges->rows), of);

	if (sum <= 0)
		return 0;
	most = fminl(1, most / sum);
	if (of == SHARE_CPU)
		most = fmaxl(most, least_part(finder));
	else
		most = fmaxl(most, 1 / finder->alive_at_once);
	return most * amount / finder->at_once;
}

uint32_t finder_threads(const struct finder *finder, const struct row *row)
{
	const struct profile *edges = finder->input->edges;

	return thread_shares_threads(&edges->shares, (uint32_t)(row - edges->rows));
}

long double finder_slowed(const struct finder *finder)
{
	long double cpu = totals_cpu(finder->t);

	return cpu > 0 ? 1 + finder->t->facts.waits.off_cpu[WAIT_PREEMPTED] / cpu : 1;
}

void finding_put_thread(struct strbuf *text, const char *thread)
{
	int is_all = !strcmp(thread, MERGED_THREADS);

	strbuf_puts(text, is_all ? "" : "thread '");
	strbuf_visible(text, thread);
	strbuf_puts(text, is_all ? "" : "'");
}

void finding_put_percent(struct strbuf *text, long double percent)
{
	strbuf_printf(text, "%.*Lf %%", percent < 9.95L ? 1 : 0, percent);
}

void finding_put_name(const struct finder *finder, struct strbuf *text, uint32_t entity)
{
	computing_put_name(&finder->computing, text, entity);
}

void finding_put_call(const struct finder *finder, struct strbuf *text, const struct row *edge)
{
	finding_put_name(finder, text, call_graph_caller(edge));
	computing_put_place(&finder->computing, text, edge);
}

/* ---- the session ----------------------------------------------------------------------------- */

/* Sum of the processes' lives, over the run's. */
static long double processes_at_once(const struct finder *finder)
{
	const struct profile *processes = finder->input->processes;
	long double sum = 0;

	for (size_t i = 0; i < processes->n_rows; i++)
		if (processes->rows[i].end > processes->rows[i].begin && processes->rows[i].begin >= 0)
			sum += processes->rows[i].end - processes->rows[i].begin;
	return finder->wall > 0 && sum > finder->wall ? sum / finder->wall : 1;
}

/* Sums over all processes, ns. length: from the first to the last moment of a process's threads;
 * own: the part of it that is not the recording's own work, by the thread with most time. */
struct lives {
	long double length, own;
};

static struct lives lives_of(const struct thread_facts *facts)
{
	struct lives lives = { 0 };

	for (size_t i = 0; i < facts->n;) {
		const struct thread_fact *longest = &facts->list[i];
		long double begin = longest->begin, end = begin, life;

		for (uint32_t pid = longest->pid; i < facts->n && facts->list[i].pid == pid; i++) {
			begin = fminl(begin, facts->list[i].begin);
			end = fmaxl(end, facts->list[i].end);
			longest = facts->list[i].elapsed > longest->elapsed ? &facts->list[i] : longest;
		}
		life = longest->end - longest->begin;
		lives.length += end - begin;
		lives.own += life > 0 ? (end - begin) * fminl(1, longest->elapsed / life) : 0;
	}
	return lives;
}

/* The run as it would have been without the recording, of which the parts are told. */
static long double run_ns(const struct finder *finder)
{
	const struct totals *t = finder->t;
	struct lives lives = lives_of(&finder->input->edges->thread_facts);
	long double program = computing_likely(t->elapsed, uncertainty_of_whole(t));
	long double all = t->elapsed + t->overhead + t->runtime;

	lives.own *= t->elapsed > 0 ? program / t->elapsed : 1;
	if (t->processes == 1 && lives.own > 0)
		return fminl(finder->wall, lives.own);
	if (lives.own > 0 && lives.length > 0)
		return finder->wall * fminl(1, lives.own / lives.length);
	return all > 0 ? finder->wall * fminl(1, program / all) : finder->wall;
}

ORDER_ITEMS(by_moment, long double, ORDER(*x, *y))

static int only_waits(const struct thread_fact *thread)
{
	return thread->tid == thread->pid &&
	       thread->elapsed - thread->off_cpu + thread->preempted < WORKS_PART * thread->elapsed;
}

/* At most so many threads have lived at the same moment; is_working: without a first one that only
 * waits. What they compute, or wait, together takes the run at least its part of so many. */
static long double threads_at_once(const struct thread_facts *facts, int is_working)
{
	long double *begins = xcalloc(facts->n + 1, sizeof(*begins));
	long double *ends = xcalloc(facts->n + 1, sizeof(*ends));
	size_t n = 0, over = 0, most = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct thread_fact *thread = &facts->list[i];

		if (is_working && only_waits(thread))
			continue;
		begins[n] = thread->begin;
		ends[n++] = thread->end;
	}
	util_sort(begins, n, sizeof(*begins), by_moment, NULL);
	util_sort(ends, n, sizeof(*ends), by_moment, NULL);
	for (size_t i = 0; i < n; i++) {
		while (over < i && ends[over] <= begins[i])
			over++;
		most = i + 1 - over > most ? i + 1 - over : most;
	}
	free(begins);
	free(ends);
	return most ? (long double)most : INFINITY;
}

static void finder_make(struct finder *finder, struct findings *findings, const struct findings_input *input)
{
	const struct totals *t = &input->edges->totals;

	*finder = (struct finder){
		.input = input, .t = t, .wall = totals_duration(t), .at_once = 1, .findings = findings
	};
	finder->threads_at_once = t->merged ? INFINITY : threads_at_once(&input->edges->thread_facts, 1);
	finder->alive_at_once = t->merged ? INFINITY : threads_at_once(&input->edges->thread_facts, 0);
	computing_make(&finder->computing, input->edges);
	finder->computing.executed = input->executed;
	finder->graph = &finder->computing.graph;
	finder->known = known_functions_make(input->edges->names);
	finder->operating = xcalloc(1, sizeof(*finder->operating));
	operating_make(finder->operating, finder->graph, finder->known);
	findings->is_sampled = profile_is_sampled(input->edges);
	findings->whole = run_ns(finder);
	if (findings->is_sampled)
		findings->whole = t->elapsed; /* of which all that is sampled is a part */
	else
		finder->at_once = processes_at_once(finder);
}

static void finder_release(struct finder *finder)
{
	operating_release(finder->operating);
	free(finder->operating);
	computing_release(&finder->computing);
	free(finder->known);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void finding_release(struct finding *finding)
{
	strbuf_release(&finding->text);
	free(finding->command);
}

static int is_worth_it(const struct findings *findings, const struct finding *finding)
{
	return finding->rule->of & OF_FAULT || (finding->percent >= finding->rule->least_percent &&
						(findings->is_sampled || finding->time >= LEAST_NS));
}

static uint32_t callee_of(const struct finding *finding)
{
	return finding->edge ? finding->edge->entity : NAMES_NONE;
}

static int leads_to(const struct finding *finding, uint32_t entity)
{
	for (size_t i = 0; i < finding->n_path; i++)
		if (finding->path[i] == entity)
			return 1;
	return callee_of(finding) == entity;
}

/* Tells whether `finding` is of a hot spot, and `other` of the calls that lead to that function:
 * also of calls that wait or enter the kernel, as a flush for each line does. */
static int is_hot_callee(const struct finding *finding, const struct finding *other)
{
	return finding->rule->precedence <= HOT_SPOT && finding->about != NAMES_NONE && !finding->edge &&
	       leads_to(other, finding->about);
}

/* Do both tell of the same calls, or one of a function that the other's calls lead to? */
static int is_same_time(const struct finding *a, const struct finding *b)
{
	const unsigned kinds = OF_WAITING | OF_COMPUTING;

	return a->about != NAMES_NONE && b->about != NAMES_NONE && (a->rule->of & b->rule->of & kinds) &&
	       ((a->about == b->about && (!a->edge || !b->edge || callee_of(a) == callee_of(b))) ||
		leads_to(a, b->about) || leads_to(b, a->about));
}

static int is_told_by(const struct finding *finding, const struct finding *other)
{
	int is_more_general =
		finding->rule->precedence != other->rule->precedence
			? finding->rule->precedence < other->rule->precedence
			: finding->time < other->time || (finding->time == other->time && finding > other);
	long double part = finding->rule->precedence <= HOT_SPOT ? SAME_TIME_AS_HOT_SPOT : SAME_TIME;

	return is_more_general && (is_same_time(finding, other) || is_hot_callee(finding, other)) &&
	       other->time >= part * finding->time;
}

static void leave_out(struct findings *findings)
{
	uint8_t *out = xcalloc(findings->n + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < findings->n; i++)
		for (size_t k = 0; k < findings->n && !out[i]; k++)
			out[i] = !is_worth_it(findings, &findings->list[i]) ||
				 (k != i && is_worth_it(findings, &findings->list[k]) &&
				  is_told_by(&findings->list[i], &findings->list[k]));
	for (size_t i = 0; i < findings->n; i++)
		if (out[i])
			finding_release(&findings->list[i]);
		else
			findings->list[n++] = findings->list[i];
	findings->n = n;
	free(out);
}

static long double weight_of(const struct finding *finding)
{
	return (finding->rule->precedence <= HOT_SPOT ? CAUSE_PART : 1) * finding->time;
}

ORDER_ITEMS(by_weight, struct finding, !!(y->rule->of & OF_FAULT) - !!(x->rule->of & OF_FAULT),
	    ORDER(weight_of(y), weight_of(x)), strcmp(x->rule->id, y->rule->id))

static void put_inlined_place(const struct finder *finder, struct finding *finding, const struct row *edge)
{
	struct call_place place;

	call_place_find(&place, finder->graph, edge);
	if (place.inlined && strcmp(place.inlined, finding->subject)) /* else it is in itself */
		finding->inlined = place.inlined;
	if (place.file && (!finding->file || system_code_is_header(finding->file))) {
		finding->file = place.file;
		finding->line = place.line;
	}
}

/* Where the call is; of one in what was inlined from a header of the system, where that is called,
 * or, if this is not known, where its function is. */
static void put_place(const struct finder *finder, struct finding *finding)
{
	struct names *names = finder->input->edges->names;
	const struct row *edge = finding->place ? finding->place : finding->edge;
	uint32_t function = finding->place ? call_graph_caller(finding->place) : finding->about;

	if (finding->edge)
		finding->callee = names->list[finding->edge->entity].name;
	if (edge) {
		finding->file = edge->file;
		finding->line = edge->line;
	}
	if (finding->about == NAMES_NONE)
		return;
	names_resolve(names, finding->about);
	finding->subject =
		names->list[finding->said_of == NAMES_NONE ? finding->about : finding->said_of].name;
	finding->is_of_header = system_code_is_header(names->list[finding->about].file);
	if (edge && call_graph_caller(edge) == function)
		put_inlined_place(finder, finding, edge);
	if (!finding->file || !finding->line || system_code_is_header(finding->file)) {
		names_resolve(names, function);
		finding->file = names->list[function].file;
		finding->line = names->list[function].line;
	}
}

/* Sets the function and the command that the reader looks at next. A function of a library without
 * debug information has no lines to annotate, but it has callers. */
static void put_next(const struct finder *finder, struct finding *finding)
{
	struct names *names = finder->input->edges->names;

	finding->function = "";
	if (finding->look_at == NAMES_NONE)
		return;
	names_resolve(names, finding->look_at);
	finding->function = names->list[finding->look_at].name;
	if (!strcmp(finding->verb, "annotate") && !names->list[finding->look_at].file)
		finding->verb = "callers";
}

static void complete(const struct finder *finder, struct finding *finding)
{
	const struct findings_input *input = finder->input;
	struct strbuf command = { 0 };

	put_place(finder, finding);
	put_next(finder, finding);
	finding->session = input->view->source;
	output_put_command(&command, finding->verb, finding->function, finding->session);
	finding->command = command.text;
}

void findings_make(struct findings *findings, const struct findings_input *input)
{
	struct finder finder;

	*findings = (struct findings){ 0 };
	finder_make(&finder, findings, input);
	for (size_t f = 0; f < findings_n_families; f++)
		for (size_t i = 0; i < *findings_families[f].n; i++) {
			const struct finding_rule *rule = &findings_families[f].rules[i];

			if (rule->of & (findings->is_sampled ? OF_SAMPLED : OF_TIMED) &&
			    !(rule->of & OF_SINGLE && finder.t->merged))
				rule->find(&finder, rule);
		}
	for (size_t i = 0; i < findings->n; i++) {
		struct finding *finding = &findings->list[i];

		if (finding->rule->of & OF_PROCESSOR && !findings->is_sampled)
			finding->time *= finder_slowed(&finder);
		finding->time = fminl(finding->time, findings->whole);
		finding->percent = findings->whole > 0 ? 100 * finding->time / findings->whole : 0;
		finding_complete_bound(&finder, finding);
		finding_complete_estimate(&finder, finding);
	}
	leave_out(findings);
	util_sort(findings->list, findings->n, sizeof(*findings->list), by_weight, NULL);
	for (size_t i = 0; i < findings->n; i++)
		complete(&finder, &findings->list[i]);
	finder_release(&finder);
}

void findings_release(struct findings *findings)
{
	for (size_t i = 0; i < findings->n; i++)
		finding_release(&findings->list[i]);
	free(findings->list);
	*findings = (struct findings){ 0 };
}

/* ---- families -------------------------------------------------------------------------------- */

/* clang-format off */
const struct finding_family findings_families[] = {
	{ findings_waiting_rules, &findings_n_waiting_rules },
	{ findings_hangs_rules, &findings_n_hangs_rules },
	{ findings_rare_rules, &findings_n_rare_rules },
	{ findings_tags_rules, &findings_n_tags_rules },
	{ findings_memory_rules, &findings_n_memory_rules },
	{ findings_computing_rules, &findings_n_computing_rules },
	{ findings_growth_rules, &findings_n_growth_rules },
	{ findings_system_rules, &findings_n_system_rules },
	{ findings_long_calls_rules, &findings_n_long_calls_rules },
	{ findings_kernel_rules, &findings_n_kernel_rules },
	{ findings_network_rules, &findings_n_network_rules },
	{ findings_threads_rules, &findings_n_threads_rules },
	{ findings_anew_rules, &findings_n_anew_rules },
	{ findings_rounds_rules, &findings_n_rounds_rules },
	{ findings_pools_rules, &findings_n_pools_rules },
	{ findings_processes_rules, &findings_n_processes_rules },
	{ findings_ranks_rules, &findings_n_ranks_rules },
};
/* clang-format on */
const size_t findings_n_families = ARRAY_SIZE(findings_families);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_ranks.c - rules on the ranks of a parallel job, merged or not: which have more to do
 * than others, and how long they wait for one another; CF06xx. */
#include <math.h>
#include <stdlib.h>

#include "lib/order.h"
#include "rows/caller_rows.h"
#include "rows/mpi_calls.h"
#include "rows/spread.h"
#include "rules.h"

#define RANKS_LEAST 3
#define IMBALANCE_LEAST 0.25L /* of a function: the most is so much more than the mean */
#define STRAGGLER_LEAST 1.25L /* of a rank: so many times the median */
#define STRAGGLER_ALONE 0.5L  /* its distance from the next one, of that from the median */
#define ALIKE 0.1L	      /* ranks whose waits differ by less are not named */
#define WAITING_LEAST 0.1L    /* of the ranks' time */
/* The least of more time, in ns: with other programs on its processor, or on the other half of it,
 * a rank needs some milliseconds more than the others for the same work. */
#define MORE_LEAST 25e6L

/* All of the session are ranks of one job: else they may have other things to do. */
static int is_job(const struct finder *finder)
{
	return finder->t->ranked >= RANKS_LEAST && finder->t->ranked == finder->t->processes &&
	       finder->t->jobs.n <= 1;
}

static enum mpi_call mpi_of(const struct finder *finder, uint32_t entity)
{
	const struct entity *e = &finder->input->edges->names->list[entity];

	return e->is_function && e->assembler ? mpi_call_of(e->assembler) : MPI_CALL_NOT;
}

/* Whether all that call it, but itself, are calls of MPI or below them. */
static int is_below(const struct finder *finder, uint32_t entity, const uint8_t *below)
{
	size_t n, n_others = 0;
	const struct row **in = call_graph_in(finder->graph, entity, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t caller = call_graph_caller(in[i]);

		if (caller == entity)
			continue;
		if (caller >= finder->graph->n_entities || (!below[caller] && !mpi_of(finder, caller)))
			return 0;
		n_others++;
	}
	return n_others > 0;
}

/* By entity: functions that only calls of MPI call, themselves or through others of these. What
 * they take is in the time of MPI: a library's own waiting, callbacks. The caller frees it. */
static uint8_t *below_mpi(const struct finder *finder)
{
	const struct call_graph *graph = finder->graph;
	uint8_t *below = xcalloc(graph->n_entities, 1);

	for (int is_changed = 1; is_changed;) {
		is_changed = 0;
		for (uint32_t e = 0; e < graph->n_entities; e++) {
			if (below[e] || !is_below(finder, e, below))
				continue;
			below[e] = 1;
			is_changed = 1;
		}
	}
	return below;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void tell_imbalance(struct finder *finder, const struct finding_rule *rule, const struct row *row,
			   const struct spread *s)
{
	struct finding *finding = finding_new(finder, rule);
	struct strbuf *text = &finding->text;

	finding->about = finding->look_at = row->entity;
	finding->time = s->most - s->mean;
	finding->verb = "ranks";
	strbuf_puts(text, "computes ");
	strbuf_duration(text, s->most);
	strbuf_printf(text, " in %s, ", s->who_most);
	strbuf_duration(text, s->mean);
	strbuf_printf(text, " in the mean of %zu ranks", finder->input->edges->spreads.n);
	if (s->n < finder->input->edges->spreads.n)
		strbuf_printf(text, ", of which %u have it", s->n);
	strbuf_puts(text, ": equal shares would save ");
	strbuf_duration(text, spread_cost(s));
	strbuf_puts(text, " of all together");
}

static void imbalance(struct finder *finder, const struct finding_rule *rule)
{
	const struct profile *edges = finder->input->edges;
	uint8_t *below = is_job(finder) ? below_mpi(finder) : NULL;

	for (size_t i = 0; below && i < edges->n_rows; i++) {
		const struct row *row = &edges->rows[i];
		struct spread s;

		if (row->caller != EDGE_NO_CALLER || row->entity == ROW_NONE || mpi_of(finder, row->entity) ||
		    below[row->entity] || spread_of_row(edges, row, &s) ||
		    spread_imbalance(&s) < IMBALANCE_LEAST || s.most - s.mean < MORE_LEAST)
			continue;
		tell_imbalance(finder, rule, row, &s);
	}
	free(below);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* What the rank computed itself: not what it asked for whether others are ready. */
static long double own_of(const struct row *row)
{
	return row->sums.elapsed_inclusive - row->sums.off_cpu_inclusive - row->mpi_busy;
}

ORDER_POINTERS(by_own, struct row, ORDER(own_of(y), own_of(x)))

/* The one with most to do first. The caller frees it. */
static const struct row **ranks_make(const struct finder *finder)
{
	const struct profile *processes = finder->input->processes;
	const struct row **ranks = xcalloc(processes->n_rows + 1, sizeof(*ranks));

	for (size_t i = 0; i < processes->n_rows; i++)
		ranks[i] = &processes->rows[i];
	util_sort(ranks, processes->n_rows, sizeof(*ranks), by_own, NULL);
	return ranks;
}

static void put_rank(struct strbuf *text, const struct row *row)
{
	strbuf_printf(text, "rank %u", row->rank_after - 1);
}

static void straggler(struct finder *finder, const struct finding_rule *rule)
{
	size_t n = finder->input->processes->n_rows;
	const struct row **ranks = is_job(finder) && n >= RANKS_LEAST ? ranks_make(finder) : NULL;
	long double most = ranks ? own_of(ranks[0]) : 0, median = ranks ? own_of(ranks[n / 2]) : 0;
	struct finding *finding;
	struct strbuf *text;

	if (ranks && most >= STRAGGLER_LEAST * median && most - median >= MORE_LEAST &&
	    most - own_of(ranks[1]) >= STRAGGLER_ALONE * (most - median)) {
		finding = finding_new(finder, rule);
		finding->time = most - median;
		finding->verb = "report --by=rank";
		text = &finding->text;
		put_rank(text, ranks[0]);
		if (ranks[0]->host && finder->t->hosts.n > 1)
			strbuf_printf(text, " on %s", ranks[0]->host);
		strbuf_puts(text, " has more to do than all others: ");
		strbuf_duration(text, most);
		strbuf_puts(text, " on the processor, the next one (");
		put_rank(text, ranks[1]);
		strbuf_puts(text, ") ");
		strbuf_duration(text, own_of(ranks[1]));
		strbuf_puts(text, ", the median ");
		strbuf_duration(text, median > 0 ? median : 0);
	}
	free(ranks);
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* The call of MPI that took most. */
static const struct row *longest_call(const struct finder *finder)
{
	const struct profile *edges = finder->input->edges;
	const struct row *most = NULL;

	for (size_t i = 0; i < edges->n_rows; i++) {
		const struct row *row = &edges->rows[i];
		enum mpi_call call = row->entity == ROW_NONE || row->caller >= EDGE_NO_CALLER
					     ? MPI_CALL_NOT
					     : mpi_of(finder, row->entity);

		if ((call == MPI_CALL_MESSAGE || call == MPI_CALL_COLLECTIVE) &&
		    (!most || row->sums.elapsed_inclusive > most->sums.elapsed_inclusive))
			most = row;
	}
	return most;
}

/* Who waits least and most, if that is not about the same: then nobody is to be looked at. */
static void put_extremes(struct strbuf *text, const struct row *least, const struct row *most)
{
	if (most->mpi - least->mpi < ALIKE * most->mpi) {
		strbuf_puts(text, "all alike, ");
		strbuf_duration(text, least->mpi);
		strbuf_puts(text, " to ");
		strbuf_duration(text, most->mpi);
		return;
	}
	put_rank(text, least);
	strbuf_puts(text, " least, ");
	strbuf_duration(text, least->mpi);
	strbuf_puts(text, "; ");
	put_rank(text, most);
	strbuf_puts(text, " most, ");
	strbuf_duration(text, most->mpi);
}

static void tell_waits(struct finder *finder, const struct finding_rule *rule, long double part,
		       long double busy_part)
{
	const struct profile *processes = finder->input->processes;
	const struct row *least = &processes->rows[0], *most = least, *call = longest_call(finder);
	struct finding *finding = finding_new(finder, rule);
	struct strbuf *text = &finding->text;

	for (size_t i = 0; i < processes->n_rows; i++) {
		least = processes->rows[i].mpi < least->mpi ? &processes->rows[i] : least;
		most = processes->rows[i].mpi > most->mpi ? &processes->rows[i] : most;
		finding->time += processes->rows[i].mpi / finder->at_once;
	}
	finding->verb = "report --by=rank";
	strbuf_puts(text, "ranks wait for one another in MPI for ");
	finding_put_percent(text, 100 * part);
	strbuf_puts(text, " of their time, ");
	finding_put_percent(text, 100 * busy_part);
	strbuf_puts(text, " of that busy on a processor: ");
	put_extremes(text, least, most);
	if (!call)
		return;
	strbuf_puts(text, "; longest in ");
	finding_put_name(finder, text, call->entity);
	strbuf_puts(text, " in ");
	finding_put_call(finder, text, call);
}

static void mpi_waits(struct finder *finder, const struct finding_rule *rule)
{
	const struct profile *processes = finder->input->processes;
	long double mpi = 0, busy = 0, all = 0;

	for (size_t i = 0; i < processes->n_rows; i++) {
		mpi += processes->rows[i].mpi;
		busy += processes->rows[i].mpi_busy;
		all += processes->rows[i].sums.elapsed_inclusive;
	}
	if (is_job(finder) && mpi > 0 && mpi >= WAITING_LEAST * all)
		tell_waits(finder, rule, mpi / all, busy / mpi);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct finding_rule findings_ranks_rules[] = {
	{ "CF0601", "ranks with unequal work", OF_TIMED | OF_COMPUTING, 85, 3, imbalance,
	  "Time on a processor of a function alone in each rank of a job of three ranks and more. It is "
	  "reported if the rank with most has 25 % and 25 ms more than the mean. A rank that does not have "
	  "the function counts as 0. Calls of MPI, and what only these call, are left out. Of what was "
	  "merged "
	  "it is known of functions that have one call path.",
	  "What the rank with most has more than the mean.",
	  "In most parallel programs all wait for the slowest rank, at the next message or barrier.",
	  "Divide the work by what it costs, not by the number of pieces; divide it anew while the program "
	  "runs; see with cinstr ranks whether it is always the same rank.",
	  "Ranks have different tasks, as one that reads and gives out the work, and nobody waits for it." },
	{ "CF0602", "a rank that is behind", OF_TIMED, 40, 3, straggler,
	  "Time on a processor of each rank of a job of three ranks and more, without what it spent busy in "
	  "calls of MPI that wait. It is reported of the rank with most, if that is 1.25 times the median "
	  "and 25 ms more, and the next one is not half as far from the median.",
	  "What it has more than the median.", "All others wait for it.",
	  "If it is the same rank each time, look at its share of the work (cinstr ranks). If it is another "
	  "rank but the same host, look at the host: clock, memory, other programs.",
	  "The rank has a task of its own, and nobody waits for it." },
	{ "CF0603", "waits for other ranks", OF_TIMED | OF_WAITING, 30, 10, mpi_waits,
	  "Time in calls of MPI that wait for others, by a table of names: messages (MPI_Recv, MPI_Wait...), "
	  "collectives (MPI_Barrier, MPI_Allreduce...), not MPI_Init and MPI_Finalize. 10 % of the ranks' "
	  "time and more. Busy is what was on a processor: most MPI libraries ask again and again instead of "
	  "sleeping.",
	  "All of it, in the mean of the ranks.",
	  "It looks like computing, to the operating system too, but nothing is computed.",
	  "First equal shares (CF0601, CF0602): the rank that waits least is the one that the others wait "
	  "for. Then fewer and larger messages, MPI_Irecv and MPI_Isend with work before MPI_Wait, fewer "
	  "collectives. With more ranks than processors, let the library sleep (Open MPI: "
	  "mpi_yield_when_idle).",
	  "The time is that of moving large messages, not of waiting: nobody can tell from outside." },
};
const size_t findings_n_ranks_rules = ARRAY_SIZE(findings_ranks_rules);

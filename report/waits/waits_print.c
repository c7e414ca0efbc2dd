/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits_print.c - prints the tables of cinstr waits for people. */
#include <stdlib.h>

#include "lib/ink.h"
#include "waits.h"

#define SHARES 4	   /* of each object: who waited, who ended that */
#define SHARE_LEAST 0.005L /* ... with so much of its time */

/* ---- for people ------------------------------------------------------------------------------ */

const char *waits_name(const struct waits_view *w, uint32_t entity)
{
	return entity == NAMES_NONE ? "not known" : w->names.list[entity].name;
}

void waits_put_place(const struct waits_view *w, struct strbuf *line, const struct wait_place *place)
{
	strbuf_visible(line, waits_name(w, place->entity));
	if (place->file)
		strbuf_printf(line, "  %s", util_basename(place->file));
	if (place->file && place->line)
		strbuf_printf(line, ":%u", place->line);
}

/* "worker, thread 1234, not known where"; "worker, 8 threads, not known where"; "several
 * threads" */
static void put_thread(struct strbuf *line, const struct wait_share *share, const struct wait_group *group)
{
	if (share->thread) {
		strbuf_visible(line, share->thread);
		strbuf_puts(line, ", ");
	}
	if (share->n_threads > 1)
		strbuf_printf(line, "%zu threads", share->n_threads);
	else if (share->tid)
		strbuf_printf(line, "thread %u", share->tid);
	else
		strbuf_puts(line, "several threads");
	strbuf_puts(line, group->kind == CINSTR_OBJECT_THREAD ? "" : ", not known where");
}

/* "readers, not known which, 3 at most" */
static void put_readers(struct strbuf *line, uint32_t readers)
{
	strbuf_printf(line,
		      readers == 1 ? "a reader, not known which" : "readers, not known which, %u at most",
		      readers);
}

static void put_share(const struct waits_view *w, const char *label, const struct wait_share *share,
		      const struct wait_group *group)
{
	STRBUF(line);

	strbuf_printf(&line, "  %-*s %3.0Lf %%  ", LABEL_COLUMNS, label, 100 * share->ns / group->ns);
	if (share->known == WAIT_KNOWN_THREAD)
		put_thread(&line, share, group);
	else if (share->readers)
		put_readers(&line, share->readers);
	else if (share->known == WAIT_KNOWN_NOT)
		strbuf_puts(&line, "not known");
	else
		waits_put_place(w, &line, &share->place);
	if (share->n_threads > 1 && share->known != WAIT_KNOWN_THREAD)
		strbuf_printf(&line, "  %zu threads", share->n_threads);
	printer_line(&w->printer, &line, INK_PLAIN);
}

static void print_shares(const struct waits_view *w, const char *label, const struct wait_shares *shares,
			 const struct wait_group *group)
{
	size_t all = 1, n; /* those that are worth a line */
	STRBUF(line);

	while (all < shares->n && shares->list[all].ns >= SHARE_LEAST * group->ns)
		all++;
	n = all > SHARES ? SHARES - 1 : all;

	for (size_t i = 0; i < n; i++)
		put_share(w, i ? "" : label, &shares->list[i], group);
	if (n == all)
		return;
	strbuf_printf(&line, "  %-*s and %zu more", LABEL_COLUMNS + 7, "", all - n);
	printer_line(&w->printer, &line, INK_DIM);
}

/* "mutex table_lock: 1.24 s in 32 waits, longest 24 ms" */
static void print_group(const struct waits_view *w, const struct wait_group *group)
{
	struct strbuf line = { 0 };

	if (group->n_objects > 1 && !group->name)
		strbuf_printf(&line, "%zu %s", group->n_objects, wait_words[group->kind].many);
	else
		strbuf_puts(&line, wait_words[group->kind].one);
	if (group->name) {
		strbuf_puts(&line, " ");
		strbuf_visible(&line, group->name);
	}
	strbuf_puts(&line, ": ");
	strbuf_duration(&line, group->ns);
	strbuf_puts(&line, " in ");
	strbuf_thousands(&line, group->waits);
	strbuf_puts(&line, group->waits == 1 ? " wait" : " waits");
	if (group->waits > 1) {
		strbuf_puts(&line, ", longest ");
		strbuf_duration(&line, group->longest_ns);
	}
	printer_line(&w->printer, &line, INK_STRONG);
	strbuf_release(&line);
	print_shares(w, "waiting", &group->waiters, group);
	print_shares(w, wait_words[group->kind].given, &group->givers, group);
}

/* Prints so many groups at most; returns the time of all of them. */
static void print_groups(const struct waits_view *w, const char *what, const struct wait_group *groups,
			 size_t n)
{
	size_t shown = w->options->limit && n > w->options->limit ? w->options->limit : n;
	STRBUF(line);
	long double ns = 0;

	for (size_t i = 0; i < n; i++)
		ns += groups[i].ns;
	if (!n)
		return;
	strbuf_printf(&line, "Waiting for %s: ", what);
	strbuf_duration(&line, ns);
	strbuf_puts(&line, ", all threads together");
	printer_line(&w->printer, &line, INK_HEADING);
	for (size_t i = 0; i < shown; i++) {
		fputc('\n', w->printer.out);
		print_group(w, &groups[i]);
	}
	if (shown < n) {
		strbuf_printf(&line, "%zu more; --limit=0 shows them.", n - shown);
		fputc('\n', w->printer.out);
		printer_line(&w->printer, &line, INK_DIM);
	}
}

/* Says of which part of the time nobody knows who ended it. */
static void print_unknown(const struct waits_view *w)
{
	long double all = 0, unknown = 0;
	STRBUF(line);

	for (size_t i = 0; i < w->facts.n; i++) {
		all += w->facts.list[i].ns;
		unknown += w->facts.list[i].known == WAIT_KNOWN_NOT ? w->facts.list[i].ns : 0;
	}
	if (!(unknown > 0 && unknown >= all / 100))
		return;
	strbuf_printf(&line, "Not known who ended %.0Lf %% of it: calls in code without probes.",
		      100 * unknown / all);
	fputc('\n', w->printer.out);
	printer_line(&w->printer, &line, INK_DIM);
}

static int has_pipes(const struct wait_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		if (wait_kind_is_end(groups->list[i].kind))
			return 1;
	return 0;
}

void waits_print(struct waits_view *w)
{
	struct wait_groups groups;

	w->printer = printer_of(stdout);
	wait_groups_make(&groups, &w->facts);
	waits_print_open(w);
	if (open_waits_any_shown(&w->facts.open) && groups.n)
		fputc('\n', stdout);
	print_groups(w, "locks", groups.list, groups.n_locks);
	if (groups.n_locks && groups.n_locks < groups.n)
		fputc('\n', stdout);
	print_groups(w,
		     has_pipes(&groups) ? "signals, pipes and ends of threads"
					: "signals and for threads to end",
		     groups.list + groups.n_locks, groups.n - groups.n_locks);
	print_unknown(w);
	wait_groups_release(&groups);
}

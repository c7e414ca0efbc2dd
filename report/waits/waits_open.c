/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits_open.c - prints waits that have not ended, cycles first. */
#include <stdlib.h>

#include "lib/ink.h"
#include "output/output.h"
#include "waits.h"

static void put_thread(struct strbuf *line, const struct wait_party *party)
{
	if (party->name && !party->is_first) {
		strbuf_visible(line, party->name);
		strbuf_puts(line, ", ");
	}
	strbuf_printf(line, "%s %u", party->is_first ? "main thread" : "thread", party->tid);
}

/* "worker, thread 1234, in lookup  hold.c:20" */
static void put_party(const struct waits_view *w, struct strbuf *line, const struct wait_party *party)
{
	put_thread(line, party);
	if (party->at.entity == NAMES_NONE)
		return;
	strbuf_puts(line, ", in ");
	waits_put_place(w, line, &party->at);
	if (party->calls) {
		strbuf_puts(line, " (");
		strbuf_visible(line, party->calls);
		strbuf_puts(line, ")");
	}
}

static void print_party(const struct waits_view *w, const char *label, const struct wait_party *party)
{
	STRBUF(line);

	strbuf_printf(&line, "  %-*s ", LABEL_COLUMNS, label);
	put_party(w, &line, party);
	printer_line(&w->printer, &line, INK_PLAIN);
}

/* ": for 3.2 s, since 0.5 s of the run" */
static void put_time(struct strbuf *line, const struct open_wait *wait)
{
	if (!wait->address) {
		strbuf_puts(line, ", not known which one");
		return;
	}
	strbuf_puts(line, ": ");
	if (wait->end_is_known) {
		strbuf_puts(line, "for ");
		strbuf_duration(line, wait->ns);
		strbuf_puts(line, ", ");
	}
	strbuf_puts(line, "since ");
	strbuf_duration(line, wait->since);
	strbuf_puts(line, " of the run");
}

/* "mutex table_lock: for 3.2 s, since 0.5 s of the run" */
static void print_object(const struct waits_view *w, const struct open_wait *wait)
{
	STRBUF(line);

	strbuf_puts(&line, wait_words[wait->kind].one);
	if (wait->name) {
		strbuf_puts(&line, " ");
		strbuf_visible(&line, wait->name);
	} else if (wait->address && wait->kind != CINSTR_OBJECT_THREAD) {
		strbuf_printf(&line, " at 0x%llx", (unsigned long long)wait->address);
	}
	put_time(&line, wait);
	printer_line(&w->printer, &line, INK_STRONG);
}

static void print_readers(const struct waits_view *w, const struct open_wait *wait)
{
	STRBUF(line);

	strbuf_printf(&line, "  %-*s ", LABEL_COLUMNS, wait_holder_word(wait));
	output_plural(&line, wait->readers, "reader", "s");
	strbuf_puts(&line, ", not known which");
	printer_line(&w->printer, &line, INK_PLAIN);
}

static void print_wait(const struct waits_view *w, size_t i)
{
	const struct open_waits *open = &w->facts.open;
	const struct open_wait *wait = &open->list[i];
	STRBUF(line);
	size_t more = open_waits_more(open, i);

	fputc('\n', w->printer.out);
	print_object(w, wait);
	print_party(w, "waiting", &wait->waiter);
	if (more) {
		strbuf_printf(&line, "  %-*s and %zu more thread%s there", LABEL_COLUMNS, "", more,
			      more > 1 ? "s" : "");
		printer_line(&w->printer, &line, INK_PLAIN);
	}
	if (wait->holder.tid)
		print_party(w, wait_holder_word(wait), &wait->holder);
	else if (wait->readers)
		print_readers(w, wait);
}

static void print_cycle(const struct waits_view *w, size_t first)
{
	const struct open_waits *open = &w->facts.open;
	size_t n = open_waits_in_cycle(open, first);
	STRBUF(line);

	strbuf_puts(&line, open_waits_is_certain(open, first) ? "Deadlock: " : "Deadlock, likely: ");
	if (n == 1)
		strbuf_puts(&line, "a thread waits for what it has itself");
	else
		strbuf_printf(&line, "%zu threads, each waits for what the next one has", n);
	printer_line(&w->printer, &line, INK_HEADING);
	for (size_t i = first; i < first + n; i++)
		print_wait(w, i);
}

static void print_others(const struct waits_view *w, int is_behind)
{
	const struct open_waits *open = &w->facts.open;
	STRBUF(line);
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < open->n; i++)
		n += open_wait_is_shown(&open->list[i]) && !open->list[i].cycle &&
		     !open_waits_is_told(open, i);
	if (!n)
		return;
	if (is_behind)
		fputc('\n', w->printer.out);
	strbuf_puts(&line, "Waits that have not ended");
	printer_line(&w->printer, &line, INK_HEADING);
	for (size_t i = 0; i < open->n && (!w->options->limit || shown < w->options->limit); i++) {
		if (!open_wait_is_shown(&open->list[i]) || open->list[i].cycle || open_waits_is_told(open, i))
			continue;
		print_wait(w, i);
		shown++;
	}
	if (shown < n) {
		strbuf_printf(&line, "%zu more; --limit=0 shows them.", n - shown);
		fputc('\n', w->printer.out);
		printer_line(&w->printer, &line, INK_DIM);
	}
}

void waits_print_open(const struct waits_view *w)
{
	const struct open_waits *open = &w->facts.open;

	for (size_t i = 0; i < open->n; i++)
		if (open->list[i].cycle && (!i || open->list[i - 1].cycle != open->list[i].cycle)) {
			if (open->list[i].cycle > 1)
				fputc('\n', w->printer.out);
			print_cycle(w, i);
		}
	print_others(w, open->n_cycles > 0);
}

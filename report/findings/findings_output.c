/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_output.c - prints findings for people and for scripts, and the text of --explain
 * (findings.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "output/command_line.h"
#include "output/name_cut.h"
#include "rules.h"

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define INDENT 12 /* of what is behind number and percentage */
#define LINES 4	  /* of a finding, at most */
#define INLINED_WIDTH 40
#define EXPLAIN_WIDTH 80 /* where the width is not known */

/* ---- for people ------------------------------------------------------------------------------ */

/* Prints the words of `text` in lines of `width` columns; the first line has `used` already. out:
 * NULL: prints nothing. Returns the number of lines. */
static size_t print_wrapped(FILE *out, const char *text, size_t used, size_t indent, size_t width)
{
	char *copy = xstrdup(text), *rest = copy;
	size_t column = used, lines = 1;

	for (char *word = util_next_word(&rest); word; word = util_next_word(&rest)) {
		size_t n = util_columns(word);

		if (column > indent && column + 1 + n > width) {
			if (out)
				fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			lines++;
		}
		if (out)
			fprintf(out, "%s%s", column > indent ? " " : "", word);
		column += n + (column > indent);
	}
	if (out)
		fputc('\n', out);
	free(copy);
	return lines;
}

/* Leaves out words at the end of `text` until it has no more lines with what is put behind it. */
static void fit(struct strbuf *text, const char *end, size_t lines, size_t width)
{
	struct strbuf whole = { 0 };
	char *begin = xstrdup(text->text), *space;

	strbuf_printf(&whole, "%s%s", begin, end);
	while (print_wrapped(NULL, whole.text, INDENT, INDENT, width) > lines &&
	       (space = strrchr(begin, ' ')) != NULL) {
		*space = 0;
		strbuf_clear(&whole);
		strbuf_printf(&whole, "%s ...%s", begin, end);
	}
	strbuf_release(text);
	*text = whole;
	free(begin);
}

static void put_source(struct strbuf *text, const struct finding *finding)
{
	if (!finding->file || !finding->line)
		return;
	strbuf_visible(text, util_basename(finding->file));
	strbuf_printf(text, ":%u", finding->line);
	if (finding->inlined && !finding->is_of_header) {
		strbuf_puts(text, " (");
		name_cut(text, finding->inlined, INLINED_WIDTH);
		strbuf_puts(text, ", inlined)");
	}
	strbuf_puts(text, "  ");
}

static void put_subject(struct strbuf *text, const struct finding *finding)
{
	int is_inlined = finding->inlined && finding->is_of_header;

	if (!finding->subject)
		return;
	strbuf_visible(text, is_inlined ? finding->inlined : finding->subject);
	strbuf_puts(text, is_inlined ? " (inlined): " : ": ");
}

void finding_put_sentence(struct strbuf *text, const struct finding *finding)
{
	put_subject(text, finding);
	strbuf_puts(text, finding->text.text);
}

/* In a line of its own, if there is no room. Returns the number of lines. */
static size_t put_command(struct strbuf *text, const struct finding *finding, size_t width,
			  const char *session)
{
	struct strbuf command = { 0 };
	int is_long;

	output_put_command(&command, finding->verb, finding->function, session ? session : finding->session);
	is_long = session &&
		  INDENT + util_columns(text->text) + strlen(" -> ") + util_columns(command.text) > width;
	if (is_long)
		strbuf_printf(text, "\n%*s", INDENT - 1, "");
	strbuf_printf(text, " -> %s", command.text);
	strbuf_release(&command);
	return is_long ? 2 : 1;
}

void findings_put_gain(struct strbuf *text, const struct finding *finding)
{
	int decimals = finding->estimate_high < 9.95L ? 1 : 0;

	if (finding->bound > 0) {
		strbuf_puts(text, "; saves at most ");
		finding_put_percent(text, finding->bound_percent);
	} else if (finding->estimate_high > 0)
		strbuf_printf(text, "; without it %.*Lf to %.*Lf %% less", decimals, finding->estimate_low,
			      decimals, finding->estimate_high);
}

void findings_print(FILE *out, const struct finding *finding, size_t number, size_t width,
		    const char *session)
{
	struct strbuf text = { 0 }, gain = { 0 }, place = { 0 };
	size_t lines;
	char *cut;

	strbuf_clear(&place);
	put_source(&place, finding);
	strbuf_puts(&place, finding->id);
	lines = put_command(&place, finding, width, session);
	finding_put_sentence(&text, finding);
	strbuf_clear(&gain);
	findings_put_gain(&gain, finding);
	cut = names_cut_to_lines(text.text, LINES - lines, INDENT, INDENT, names_are_full() ? 0 : width);
	strbuf_clear(&text);
	strbuf_puts(&text, cut);
	free(cut);
	fit(&text, gain.text, names_are_full() ? SIZE_MAX : LINES - lines, width);
	if (finding->time > 0)
		fprintf(out, "%2zu %5.*Lf %%  ", number, finding->percent < 9.95L ? 1 : 0, finding->percent);
	else
		fprintf(out, "%2zu %7s  ", number, "");
	print_wrapped(out, text.text, INDENT, INDENT, width);
	fprintf(out, "%*s%s\n", INDENT, "", place.text);
	strbuf_release(&text);
	strbuf_release(&gain);
	strbuf_release(&place);
}

static void print_more(FILE *out, size_t n, const char *session)
{
	struct strbuf command = { 0 };

	output_put_command(&command, "summary --findings", "", session);
	fprintf(out, "%*sand %zu more: %s\n", INDENT, "", n, command.text);
	strbuf_release(&command);
}

void findings_table(FILE *out, const struct findings *findings, const struct findings_look *look)
{
	const char *session;

	if (!findings->n)
		return;
	session = look->screen ? output_session_word(findings->list->session, look->screen) : NULL;
	fprintf(out, "%sFindings%s: the time each is about, of %s; what they mean: --explain=ID\n",
		look->colour ? BOLD : "", look->colour ? PLAIN : "",
		findings->is_sampled ? "samples" : "the run");
	for (size_t i = 0; i < findings->n && i < look->max; i++)
		findings_print(out, &findings->list[i], i + 1, look->width, session);
	if (findings->n > look->max)
		print_more(out, findings->n - look->max, session ? session : findings->list->session);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_gain(struct items *items, const struct finding *finding)
{
	if (finding->bound > 0) {
		items_ns(items, "bound_ns", finding->bound);
		items_decimal(items, "bound_percent", finding->bound_percent, 3);
	} else {
		items_none(items, "bound_ns");
		items_none(items, "bound_percent");
	}
	if (finding->estimate_high > 0) {
		items_decimal(items, "estimate_low_percent", finding->estimate_low, 3);
		items_decimal(items, "estimate_high_percent", finding->estimate_high, 3);
	} else {
		items_none(items, "estimate_low_percent");
		items_none(items, "estimate_high_percent");
	}
}

static void put_finding(struct items *items, const struct findings *findings, size_t i)
{
	const struct finding *finding = &findings->list[i];

	items_open(items, NULL, '{', ITEMS_INLINE);
	items_count(items, "rank", i + 1);
	items_text(items, "id", finding->id);
	items_text(items, "title", finding->rule->title);
	items_text(items, "subject", finding->subject);
	items_text(items, "text", finding->text.text);
	items_ns(items, findings->is_sampled ? "time_samples" : "time_ns", finding->time);
	items_decimal(items, "percent", finding->percent, 3);
	put_gain(items, finding);
	items_text(items, "file", finding->file);
	if (finding->file && finding->line)
		items_count(items, "line", finding->line);
	else
		items_none(items, "line");
	items_text(items, "callee", finding->callee);
	items_text(items, "command", finding->command);
	items_text(items, "inlined", finding->inlined);
	items_close(items);
}

void findings_flat(struct items *items, const struct findings *findings)
{
	const int is_sampled = findings->is_sampled;
	const char *const columns[] = { "rank",
					"id",
					"title",
					"subject",
					"text",
					is_sampled ? "time_samples" : "time_ns",
					"percent",
					"bound_ns",
					"bound_percent",
					"estimate_low_percent",
					"estimate_high_percent",
					"file",
					"line",
					"callee",
					"command",
					"inlined" };

	items_columns(items, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < findings->n; i++)
		put_finding(items, findings, i);
}

void findings_nested(struct items *items, const struct findings *findings)
{
	items_open(items, "findings", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < findings->n; i++)
		put_finding(items, findings, i);
	items_close(items);
}

/* ---- --explain ------------------------------------------------------------------------------- */

static void explain_part(FILE *out, const char *label, const char *text, size_t width)
{
	fprintf(out, "  %-18s", label);
	print_wrapped(out, text, 20, 20, width);
}

void findings_explain_rule(FILE *out, const struct finding_rule *rule, size_t width)
{
	struct strbuf least = { 0 };

	fprintf(out, "%s  %s\n", rule->id, rule->title);
	explain_part(out, "measured", rule->measured, width);
	strbuf_printf(&least, "%s It is reported from %g %% of %s on.", rule->time, rule->least_percent,
		      rule->of & OF_TIMED ? "the run" : "the samples");
	explain_part(out, "the percentage", least.text, width);
	explain_part(out, "why it matters", rule->matters, width);
	explain_part(out, "what people do", rule->remedy, width);
	explain_part(out, "false alarm", rule->false_alarm, width);
	strbuf_release(&least);
}

int findings_explain(const char *id, size_t width)
{
	struct strbuf known = { 0 };
	size_t n = 0;

	width = width ? width : EXPLAIN_WIDTH;
	strbuf_clear(&known);
	for (size_t f = 0; f < findings_n_families; f++)
		for (size_t i = 0; i < *findings_families[f].n; i++) {
			const struct finding_rule *rule = &findings_families[f].rules[i];

			strbuf_printf(&known, "%s%s", known.length ? ", " : "", rule->id);
			if (strcmp(id, "all") && strcasecmp(id, rule->id))
				continue;
			if (n++)
				fputc('\n', stdout);
			findings_explain_rule(stdout, rule, width);
		}
	if (!n)
		error("summary: --explain=%s: there is no such finding; it takes all, %s", util_shown(id),
		      known.text);
	strbuf_release(&known);
	return n ? 0 : -1;
}

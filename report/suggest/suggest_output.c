/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suggest_output.c - see suggest.h: reads the session, and writes the list as a filter file or
 * below a summary. */
#include <stdlib.h>
#include <string.h>

#include "file/samples.h"
#include "output/output.h"
#include "suggest.h"

/* ---- reading --------------------------------------------------------------------------------- */

static void add_data(void *arg, struct data *data)
{
	profiles_add(arg, 2, data);
}

int suggest_read(struct suggest *suggest, const char *path, const struct view_options *options,
		 const struct suggest_choice *choice, int is_quiet)
{
	struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct session input;
	struct profile profile, functions, *profiles[] = { &profile, &functions };
	int status = STATUS_DATA;

	*suggest = (struct suggest){ 0 };
	if (session_open(&input, path)) {
		session_release(&input);
		return STATUS_DATA;
	}
	profile_init(&profile, BY_PATH, &counting);
	profile_init(&functions, BY_FUNCTION, &counting);
	profile.paths.read_once = 1;
	input.is_silent = 1;
	input.is_quiet = is_quiet;
	status = view_method(&input, options, profiles, 2);
	if (!status) {
		samples_show_inlines(0);
		status = selection_each(&options->selection, &input, add_data, profiles);
		samples_show_inlines(!options->inlines);
		if (input.n_usable)
			suggest_make(suggest, &profile, &functions, choice);
	}
	profile_release(&functions);
	profile_release(&profile);
	session_release(&input);
	return status;
}

/* ---- the filter file ------------------------------------------------------------------------- */

static double percent(const struct suggest *s, double value)
{
	return s->whole > 0 ? 100 * value / s->whole : 0;
}

/* One line of a comment, whatever is in the text. */
static void put_text(FILE *out, const char *text)
{
	FREED char *shown = util_visible(text);

	fputs(shown, out);
}

static void put_whole(FILE *out, const struct suggest *s)
{
	STRBUF(text);

	if (s->is_sampled) {
		strbuf_thousands(&text, util_rounded(s->whole));
		strbuf_printf(&text, " sample%s", s->whole == 1 ? "" : "s");
	} else {
		strbuf_duration(&text, s->whole);
		strbuf_puts(&text,
			    s->is_application ? " of Application time in all threads" : " of all threads");
	}
	fputs(text.text, out);
}

static int has_estimates(const struct suggest *s)
{
	for (size_t i = 0; i < s->n + s->n_others; i++)
		if (s->list[i].is_estimate[0] || s->list[i].is_estimate[1])
			return 1;
	return 0;
}

static void put_head(FILE *out, const struct suggest *s, const char *source)
{
	fputs("# What to instrument next, for the plugin: -fplugin-arg-cinstr-filter=THIS_FILE\n# From ",
	      out);
	put_text(out, source);
	fputs(": ", out);
	put_text(out, s->title);
	fputs("\n# ", out);
	put_whole(out, s);
	fprintf(out,
		"; functions with at least %g %% of them, with what they call, and their callers up to "
		"main\n",
		s->percent);
	if (s->own > 0)
		fprintf(out,
			"# In %.1f %% of what is the program's own code, the innermost function of it is one "
			"of these\n",
			100 * s->explained / s->own);
	if (s->n_beyond)
		fprintf(out, "# %zu more have less (--limit)\n", s->n_beyond);
	if (s->is_sampled)
		fputs("# How often they are called is not known from samples. [n]ame: a function that was "
		      "never seen to call\n"
		      "# another one; as its rule is a glob, the plugin leaves it out if it is short, for "
		      "probes would cost\n"
		      "# more than it does (-fplugin-arg-cinstr-small). Without the brackets it is "
		      "instrumented in any case\n",
		      out);
	if (has_estimates(s))
		fputs("# " OUTPUT_ESTIMATE " estimate from samples\n", out);
	fputs("#\n# inclusive  exclusive\n", out);
}

static void put_share(FILE *out, const struct suggest *s, const struct suggestion *one)
{
	const char *const marks[] = { " ", OUTPUT_ESTIMATE };

	fprintf(out, "#   %5.1f %%%s   %5.1f %%%s ", percent(s, one->inclusive), marks[one->is_estimate[0]],
		percent(s, one->exclusive), marks[one->is_estimate[1]]);
}

static void put_taken(FILE *out, const struct suggest *s, const struct suggestion *one)
{
	put_share(out, s, one);
	put_text(out, util_basename(one->module));
	if (!strncmp(one->rule + (one->rule[0] == '['), "_Z", 2)) {
		fputs(": ", out);
		put_text(out, one->name);
	}
	if (one->calls) {
		STRBUF(text);

		strbuf_thousands(&text, one->calls);
		fprintf(out, ", %s%s call%s", one->are_calls_least ? "at least " : "", text.text,
			one->calls == 1 ? "" : "s");
	}
	fputs("\ninclude ", out);
	put_text(out, one->rule);
	fputc('\n', out);
}

static void put_other(FILE *out, const struct suggest *s, const struct suggestion *one)
{
	static const char *const reasons[] = {
		[SUGGEST_SHORT] = "its calls are so short that probes would cost more",
		[SUGGEST_SYSTEM] = "not the program's own: seen as a callee",
		[SUGGEST_UNNAMED] = "no symbol: stripped",
	};

	put_share(out, s, one);
	put_text(out, one->name);
	fputs(" (", out);
	put_text(out, util_basename(one->module));
	fprintf(out, "): %s\n", reasons[one->verdict]);
}

void suggest_write(FILE *out, const struct suggest *s, const char *source)
{
	put_head(out, s, source);
	for (size_t i = 0; i < s->n; i++)
		put_taken(out, s, &s->list[i]);
	if (!s->n_others)
		return;
	fputs("#\n# Not in the list, by exclusive share:\n", out);
	for (size_t i = 0; i < s->n_others; i++)
		put_other(out, s, &s->list[s->n + i]);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_share_items(struct items *items, const struct suggest *s, const char *name, double value,
			    int is_estimate)
{
	STRBUF(key);

	strbuf_printf(&key, "%s_%s", name, s->is_sampled ? "samples" : "ns");
	items_ns(items, key.text, value);
	strbuf_clear(&key);
	strbuf_printf(&key, "%s_percent", name);
	items_decimal(items, key.text, percent(s, value), 6);
	strbuf_clear(&key);
	strbuf_printf(&key, "%s_is_estimate", name);
	items_count(items, key.text, is_estimate != 0);
}

static void put_row(struct items *items, const struct suggest *s, const struct suggestion *one)
{
	static const char *const verdicts[] = { [SUGGEST_TAKEN] = "include",
						[SUGGEST_SHORT] = "short",
						[SUGGEST_SYSTEM] = "system",
						[SUGGEST_UNNAMED] = "unnamed" };

	items_open(items, NULL, '{', ITEMS_INLINE);
	items_text(items, "name", one->name);
	items_text(items, "module", one->module);
	items_text(items, "verdict", verdicts[one->verdict]);
	items_text(items, "include", one->verdict == SUGGEST_TAKEN ? one->rule : NULL);
	put_share_items(items, s, "inclusive", one->inclusive, one->is_estimate[0]);
	put_share_items(items, s, "exclusive", one->exclusive, one->is_estimate[1]);
	items_count_if(items, "calls", one->calls);
	items_text(items, "calls_bound", !one->calls ? NULL : one->are_calls_least ? "at least" : "exact");
	items_close(items);
}

static void put_session(struct items *items, const struct suggest *s)
{
	items_open(items, "session", '{', ITEMS_BLOCK);
	items_text(items, "command_line", s->title);
	items_text(items, "of", s->is_sampled ? "samples" : s->is_application ? "application" : "elapsed");
	items_ns(items, s->is_sampled ? "samples" : "whole_ns", s->whole);
	items_short(items, "least_percent", s->percent);
	items_decimal(items, "explained_percent", s->own > 0 ? 100 * s->explained / s->own : 0, 6);
	items_count(items, "rows_hidden", s->n_beyond);
	items_close(items);
}

void suggest_items(FILE *out, const struct suggest *s, const struct items_format *format)
{
	static const char *const of_ns[] = { "name",
					     "module",
					     "verdict",
					     "include",
					     "inclusive_ns",
					     "inclusive_percent",
					     "inclusive_is_estimate",
					     "exclusive_ns",
					     "exclusive_percent",
					     "exclusive_is_estimate",
					     "calls",
					     "calls_bound" };
	const char *columns[ARRAY_SIZE(of_ns)];
	struct items items;

	memcpy(columns, of_ns, sizeof(columns));
	if (s->is_sampled) {
		columns[4] = "inclusive_samples";
		columns[7] = "exclusive_samples";
	}
	if (items_table(&items, out, format, ITEMS_BLOCK, columns, ARRAY_SIZE(columns)))
		put_session(&items, s);
	items_table_rows(&items, "rows");
	for (size_t i = 0; i < s->n + s->n_others; i++)
		put_row(&items, s, &s->list[i]);
	items_table_end(&items);
}

/* ---- below a summary ------------------------------------------------------------------------- */

void suggest_put(struct strbuf *text, const struct suggest *s, uint64_t limit, const char *command)
{
	strbuf_printf(text, "To instrument next (%s -o FILE):", command);
	for (size_t i = 0; i < s->n && i < limit; i++) {
		strbuf_puts(text, i ? ", " : " ");
		strbuf_visible(text, s->list[i].name);
		strbuf_printf(text, " %.1f%%", percent(s, s->list[i].inclusive));
	}
	if (!s->n)
		strbuf_puts(text, " nothing: no function of the program's own has a name here");
	if (s->n > limit)
		strbuf_printf(text, ", and %zu more", s->n - (size_t)limit);
}

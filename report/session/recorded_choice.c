/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorded_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cinstr/options.h"

static const struct option_text {
	const char *name, *fallback;
} options[CINSTR_OPTION_COUNT] = {
#define OPTION_TEXT_ROW(id, env, flag, argument, fallback, help) [CINSTR_OPTION_##id] = { env, fallback },
	CINSTR_OPTION_TABLE(OPTION_TEXT_ROW)
#undef OPTION_TEXT_ROW
};

/*
 * The value of an option in "NAME=VALUE NAME=VALUE", which the caller frees; NULL: it has its
 * default. A value may hold spaces: it ends where the next name stands.
 */
static char *option_value(const char *all, enum cinstr_option option)
{
	size_t n = strlen(options[option].name), length;
	const char *at = all, *end;
	char *value;

	while ((at = strstr(at, options[option].name)) && !((at == all || at[-1] == ' ') && at[n] == '='))
		at += n;
	if (!at)
		return NULL;
	at += n + 1;
	end = strstr(at, " CINSTR");
	length = end ? (size_t)(end - at) : strlen(at);
	if (!length ||
	    (length == strlen(options[option].fallback) && !strncmp(at, options[option].fallback, length)))
		return NULL;
	value = xcalloc(1, length + 1);
	memcpy(value, at, length);
	return value;
}

char *choice_option(const struct data *data, enum cinstr_option option)
{
	const char *all = data_property(data, "options");

	return all ? option_value(all, option) : NULL;
}

static void put_part(struct strbuf *buf, const char *before, const char *value, const char *behind)
{
	strbuf_puts(buf, buf->length ? ", " : "");
	strbuf_puts(buf, before);
	strbuf_visible(buf, value);
	strbuf_puts(buf, behind);
}

static void put_option(struct strbuf *buf, const char *all, enum cinstr_option option, const char *before,
		       const char *behind)
{
	FREED char *value = option_value(all, option);

	if (value)
		put_part(buf, before, value, behind);
}

/* A limit of 0 is recorded as one millionth. */
static void put_limit(struct strbuf *buf, uint64_t millionths)
{
	char percent[32];

	snprintf(percent, sizeof(percent), "%.7g", millionths > 1 ? (double)millionths / 1e4 : 0);
	put_part(buf, "overhead limited to ", percent, " %");
}

static void put_options(struct strbuf *buf, const struct data *data)
{
	const char *all = data_property(data, "options");
	FREED char *value = NULL;

	if (!all)
		return;
	put_option(buf, all, CINSTR_OPTION_ONLY, "only ", "");
	put_option(buf, all, CINSTR_OPTION_NOT, "not ", "");
	put_option(buf, all, CINSTR_OPTION_PROBES, "probes: ", "");
	put_option(buf, all, CINSTR_OPTION_DEPTH, "down to depth ", "");
	if (data->header->budget.limit && !data->header->mixed)
		put_limit(buf, data->header->budget.limit);
	value = option_value(all, CINSTR_OPTION_START);
	if (value && !strcmp(value, "paused")) /* another one was not heeded */
		put_part(buf, "began paused", "", "");
}

/* ---- chosen anew ----------------------------------------------------------------------------- */

#define CHOICES 4

/* What holds after some choices, of each kind: what a choice does not name stays as it was. */
struct choices {
	char *rules[CHOICES];
	int is_all; /* no rule since `all` */
};

static void choices_clear(struct choices *choices)
{
	for (size_t i = 0; i < CHOICES; i++) {
		free(choices->rules[i]);
		choices->rules[i] = NULL;
	}
}

static void choices_add(struct choices *choices, const char *rules)
{
	static const char *const kinds[CHOICES] = { "only=", "not=", "probes=", "depth=" };
	FREED char *copy = xstrdup(rules);
	char *rest = copy;

	for (char *rule = strsep(&rest, " "); rule; rule = strsep(&rest, " ")) {
		if (!strcmp(rule, "all")) {
			choices_clear(choices);
			choices->is_all = 1;
		}
		for (size_t i = 0; i < CHOICES; i++)
			if (!strncmp(rule, kinds[i], strlen(kinds[i]))) {
				free(choices->rules[i]);
				choices->rules[i] = xstrdup(rule);
				choices->is_all = 0;
			}
	}
}

static void put_choices(struct strbuf *buf, struct choices *choices, size_t n)
{
	STRBUF(text);

	strbuf_puts(&text, choices->is_all ? "all" : "");
	for (size_t i = 0; i < CHOICES; i++)
		if (choices->rules[i])
			strbuf_printf(&text, "%s%s", text.length ? " " : "", choices->rules[i]);
	put_part(buf, n > 1 ? "chosen anew while recording, at last: " : "chosen anew while recording: ",
		 text.text, "");
}

/* Appends how many functions the limit on overhead took out; of a recording with samples also that
 * there are none. */
static void put_out(struct strbuf *buf, const struct data *data, uint64_t n_out)
{
	if (!n_out) {
		if (data->header->mixed || data->header->self_errno)
			put_part(buf, "every call timed", "",
				 data->header->mixed ? ""
						     : ", without samples: they are not permitted (cinstr "
						       "record has timers)");
		return;
	}
	if (data->header->mixed && data->header->budget.limit)
		put_limit(buf, data->header->budget.limit);
	strbuf_puts(buf, buf->length ? ", " : "");
	strbuf_puts(buf, data->mixed ? "" : "probes taken out of ");
	strbuf_thousands(buf, n_out);
	strbuf_puts(buf, n_out == 1 ? " function" : " functions");
	strbuf_puts(buf, data->mixed ? " counted, and timed by samples" : "");
}

/* Choices add up; a function is out as long as no mark says that it is back. */
static void put_marks(struct strbuf *buf, const struct data *data)
{
	struct choices choices = { 0 };
	size_t n_choices = 0;
	struct map out = { 0 };
	uint64_t n_out = 0;

	for (size_t i = 0; i < data->n_marks; i++) {
		const struct data_mark *mark = &data->marks[i];
		int is_new;

		if (mark->kind == CINSTR_MARK_CHOICE) {
			choices_add(&choices, mark->text);
			n_choices++;
		} else if (mark->kind == CINSTR_MARK_DEMOTED) {
			map_add(&out, &mark->site, sizeof(mark->site), &is_new);
			n_out += (uint64_t)is_new;
		}
	}
	map_release(&out);
	if (n_choices)
		put_choices(buf, &choices, n_choices);
	choices_clear(&choices);
	put_out(buf, data, n_out);
}

void choice_put(struct strbuf *buf, const struct data *data)
{
	STRBUF(text);

	strbuf_clear(&text);
	put_options(&text, data);
	put_marks(&text, data);
	strbuf_puts(buf, text.text);
}

int mark_is_of_recording(const struct data_mark *mark)
{
	return mark->kind != CINSTR_MARK_PROGRAM && mark->kind != CINSTR_MARK_OUTSIDE;
}

const char *mark_kind_name(const struct data_mark *mark)
{
	static const char *const names[CINSTR_MARK_KINDS] = {
		[CINSTR_MARK_PROGRAM] = "program", [CINSTR_MARK_OUTSIDE] = "outside",
		[CINSTR_MARK_STATE] = "state",	   [CINSTR_MARK_CHOICE] = "choice",
		[CINSTR_MARK_DEMOTED] = "demoted", [CINSTR_MARK_RESTORED] = "restored",
		[CINSTR_MARK_KEPT] = "kept",
	};

	return mark->kind < CINSTR_MARK_KINDS ? names[mark->kind] : "other";
}

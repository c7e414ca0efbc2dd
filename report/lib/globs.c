/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "globs.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/plain_name.h"

#define SEEN_MAX 100000 /* names that are kept to tell the nearest of */
#define NAMES_TOLD 4

int globs_parse(struct globs *globs, const char *text)
{
	for (;;) {
		size_t n = plain_name_glob_length(text);
		int excludes = *text == '!';
		struct strbuf word = { 0 };

		if (n <= (size_t)excludes)
			return -1;
		strbuf_add(&word, text + excludes, n - (size_t)excludes);
		globs->list = xrealloc(globs->list, globs->n + 1, sizeof(*globs->list));
		globs->list[globs->n++] = (struct glob_entry){ word.text, excludes, 0 };
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

void globs_release(struct globs *globs)
{
	for (size_t i = 0; i < globs->n; i++)
		free(globs->list[i].text);
	free(globs->list);
	map_release(&globs->seen);
	*globs = (struct globs){ 0 };
}

int globs_text_matches(const char *glob, const char *text)
{
	return !fnmatch(glob, text, 0);
}

enum globs_verdict globs_match_if(struct globs *globs, int (*matches)(const void *arg, const char *glob),
				  const void *arg)
{
	int is_excluded = 0, is_taken = 0, has_positive = 0;

	/* Asks all of them, not only up to the first: each has to know whether it matches
	 * anything. */
	for (size_t i = 0; i < globs->n; i++) {
		struct glob_entry *entry = &globs->list[i];
		int does = matches(arg, entry->text);

		entry->has_matched |= does;
		has_positive |= !entry->excludes;
		is_excluded |= does && entry->excludes;
		is_taken |= does && !entry->excludes;
	}
	if (is_excluded)
		return GLOBS_EXCLUDED;
	return is_taken || !has_positive ? GLOBS_TAKEN : GLOBS_OTHER;
}

void globs_see(struct globs *globs, const char *name)
{
	if (globs->n && name && globs->seen.n < SEEN_MAX)
		map_keep(&globs->seen, name);
}

struct names_of_one {
	const char *const *names;
	size_t n;
};

static int one_matches(const void *arg, const char *glob)
{
	const struct names_of_one *one = arg;

	for (size_t i = 0; i < one->n; i++)
		if (one->names[i] && globs_text_matches(glob, one->names[i]))
			return 1;
	return 0;
}

enum globs_verdict globs_match(struct globs *globs, const char *const *names, size_t n)
{
	struct names_of_one one = { names, n };

	for (size_t i = 0; i < n; i++)
		globs_see(globs, names[i]);
	return globs_match_if(globs, one_matches, &one);
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

const char *globs_last_part(const char *name, size_t *n)
{
	const char *part = name, *end = NULL, *s = name;
	size_t word = strlen("operator");
	int depth = 0;

	for (; *s; s++) {
		if (!depth && !strncmp(s, "operator", word) && !is_word(s[word]) &&
		    (s == name || !is_word(s[-1]))) {
			size_t sign = strncmp(s + word, "()", 2) ? strspn(s + word, "<>=-+*/%^&|~!,[]") : 2;

			*n = (size_t)(s - part) + word + sign;
			return part;
		}
		if ((*s == '<' || *s == '(') && !depth++ && !end)
			end = s;
		depth -= depth && (*s == '>' || *s == ')');
		if (!depth && s[0] == ':' && s[1] == ':') {
			part = ++s + 1;
			end = NULL;
		}
	}
	*n = (size_t)((end ? end : s) - part);
	return part;
}

static const char *with_last_part(const char *word, const struct map *names)
{
	for (size_t i = 0; i < names->n; i++) {
		size_t n;
		const char *part = globs_last_part(names->keys[i], &n);

		if (n == strlen(word) && !strncmp(part, word, n))
			return names->keys[i];
	}
	return NULL;
}

const char *globs_closest(const char *glob, const struct map *names)
{
	char *word = xstrdup(glob), *to = word;
	const char *name = with_last_part(glob, names);

	for (const char *from = glob; *from; from++)
		if (!strchr("*?[]", *from))
			*to++ = *from;
	*to = '\0';
	if (!name)
		name = with_last_part(word, names);
	if (!name)
		name = *word ? util_closest(word, (const char *const *)names->keys, names->n) : NULL;
	free(word);
	return name;
}

void globs_put_some(struct strbuf *text, const struct map *names)
{
	for (size_t i = 0; i < names->n && i < NAMES_TOLD; i++) {
		strbuf_puts(text, i ? ", '" : "; there is '");
		strbuf_visible(text, names->keys[i]);
		strbuf_puts(text, "'");
	}
	if (names->n > NAMES_TOLD)
		strbuf_puts(text, ", ...");
}

/* "; did you mean 'x'?", or the first names that there are. */
static void put_nearest(struct strbuf *text, const struct globs *globs, const char *glob)
{
	const char *name = globs_closest(glob, &globs->seen);

	if (!name) {
		globs_put_some(text, &globs->seen);
		return;
	}
	strbuf_puts(text, "; did you mean '");
	strbuf_visible(text, name);
	strbuf_puts(text, "'?");
}

int globs_check_matched(const struct globs *globs, const char *option)
{
	STRBUF(text);
	int status = 0;

	for (size_t i = 0; i < globs->n; i++) {
		const struct glob_entry *entry = &globs->list[i];

		if (entry->has_matched)
			continue;
		strbuf_clear(&text);
		strbuf_printf(&text, "--%s: nothing here matches '%s", option, entry->excludes ? "!" : "");
		strbuf_visible(&text, entry->text);
		strbuf_puts(&text, "'");
		put_nearest(&text, globs, entry->text);
		error("%s", text.text);
		status = -1;
	}
	return status;
}

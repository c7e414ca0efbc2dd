/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

struct base_name {
	const char *known;   /* of the runs before; NULL: none has it */
	int is_known_more;   /* ... which have several */
	size_t run;	     /* the last that has it */
	const char *current; /* of that run */
	int is_current_more; /* ... which has several */
};

/* ---- base names ------------------------------------------------------------------------------ */

/* Length of the first word of s, words being what stands between underscores and dots. */
static size_t word_length(const char *s)
{
	return strcspn(s, "_.");
}

static int is_word_of(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == word_length(s) && !strncmp(s, words[i], word_length(s)))
			return 1;
	return 0;
}

static int is_processor(const char *s)
{
	static const char *const words[] = { "evex", "evex512", "avx",	 "avx2",   "avx512", "avx512f",
					     "sse2", "sse3",	"ssse3", "sse4",   "sse41",  "sse42",
					     "fma",  "fma4",	"bmi2",	 "shaext", "aesni",  "mmx" };

	return is_word_of(s, words, ARRAY_SIZE(words));
}

/* How such a variant may be told further. */
static int is_detail(const char *s)
{
	static const char *const words[] = { "unaligned",  "erms", "rtm", "movbe", "no",
					     "vzeroupper", "back", "1",	  "2",	   "512" };

	return is_processor(s) || is_word_of(s, words, ARRAY_SIZE(words));
}

/* The processor that ends a name: "_avx_unaligned_erms", ".avx2"; NULL: none does. */
static const char *processor_of(const char *name)
{
	for (const char *at = name + 1; *name && *at; at++) {
		const char *word = at;

		if ((*at != '_' && *at != '.') || !is_processor(at + 1))
			continue;
		while (*word && is_detail(word + 1))
			word += 1 + word_length(word + 1);
		if (!*word)
			return at;
	}
	return NULL;
}

void base_name_put(struct strbuf *text, const char *name)
{
	const char *end = processor_of(name);
	size_t n = strlen(name);

	strbuf_puts(text, "");
	if (end && !strncmp(name, "__", 2) && end > name + 2)
		name += 2;
	if (end)
		strbuf_add(text, name, (size_t)(end - name));
	else if (n > 2 && isalpha((unsigned char)name[0]) && name[n - 1] == '_' && name[n - 2] != '_')
		strbuf_add(text, name, n - 1); /* Fortran */
	else
		strbuf_puts(text, name);
}

/* Removes the ending, of which something has to be left. Returns whether it was there. */
static int without_end(struct strbuf *text, const char *end)
{
	size_t n = strlen(end);

	if (text->length <= n || strcmp(text->text + text->length - n, end) != 0)
		return 0;
	text->length -= n;
	text->text[text->length] = '\0';
	return 1;
}

int base_name_put_public(struct strbuf *text, const char *name)
{
	static const char *const begins[] = { "ieee754_", "GI_" };
	static const char *const ends[] = { "_finite", "_internal", "_l" };
	STRBUF(base);
	const char *at;
	int is_internal = 0;

	base_name_put(&base, name);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		is_internal |= without_end(&base, ends[i]);
	at = base.text + strspn(base.text, "_");
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(at, begins[i], strlen(begins[i]))) {
			at += strlen(begins[i]);
			is_internal = 1;
		}
	at += strspn(at, "_");
	is_internal &= isalpha((unsigned char)*at) && name[0] == '_' && name[1] == '_';
	if (is_internal)
		strbuf_puts(text, at);
	return is_internal;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct base_name *find(struct base_names *names, const char *module, const char *name)
{
	STRBUF(key);
	size_t number;
	int is_new;

	strbuf_printf(&key, "%s\n", module);
	base_name_put(&key, name);
	number = map_add(&names->keys, key.text, key.length, &is_new);
	if (is_new) {
		ARRAY_ROOM(names->list, names->n, names->size, 256);
		names->list[names->n++] = (struct base_name){ 0 };
	}
	return &names->list[number];
}

void base_names_add(struct base_names *names, struct map *strings, size_t run, const char *module,
		    const char *name)
{
	struct base_name *base = find(names, module, name);

	names->run = run;
	if (base->run != run)
		*base = (struct base_name){ base->known, base->is_known_more, run, map_keep(strings, name),
					    0 };
	else if (strcmp(base->current, name) != 0)
		base->is_current_more = 1;
}

static int is_joined(const struct base_name *base)
{
	return base->known && !base->is_known_more && !base->is_current_more &&
	       strcmp(base->known, base->current) != 0;
}

const char *base_names_other(struct base_names *names, const char *module, const char *name)
{
	const struct base_name *base = find(names, module, name);

	return base->run == names->run && is_joined(base) ? base->known : NULL;
}

void base_names_end_run(struct base_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		struct base_name *base = &names->list[i];

		if (base->run != names->run)
			continue;
		base->is_known_more |= base->is_current_more;
		base->known = base->known ? base->known : base->current;
	}
}

void base_names_release(struct base_names *names)
{
	map_release(&names->keys);
	free(names->list);
	*names = (struct base_names){ 0 };
}

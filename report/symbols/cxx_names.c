/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cxx_names.c - see cxx_names.h. Reads libiberty's text from left to right and appends the shorter
 * form; the arguments of a template are written first, then examined (cxx_templates.h). Names come
 * from data files: anything not understood is copied.
 */
#include "cxx_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cxx_templates.h"

#define DEPTH_MAX 48
#define ANONYMOUS "(anonymous namespace)::"
#define LAMBDA "{lambda("
#define CALL "::operator()"

struct writer {
	const char *begin, *at; /* of the demangled name; what is left of it */
	struct strbuf text;
	uint32_t line; /* of the lambda function that the name is of, or 0 */
	unsigned depth;
	int is_too_deep;
};

/* Where parts of the type that is being written begin in the text. */
struct place {
	size_t type, name, part;
	/* of a class template that has another name now, for its constructors */
	char *old_class, *new_class;
};

/* ---- reading --------------------------------------------------------------------------------- */

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

size_t cxx_operator_length(const char *s, const char *begin)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()",
					     "[]",  "+=",  "-=",  "*=",	 "/=", "%=", "^=", "&=", "|=", "==",
					     "!=",  "&&",  "||",  "++",	 "--", "<",  ">",  "+",	 "-",  "*",
					     "/",   "%",   "^",	  "&",	 "|",  "~",  "!",  "=",	 "," };
	size_t n = strlen("operator");

	if (strncmp(s, "operator", n) || (s > begin && is_word(s[-1])) || is_word(s[n]))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (cxx_begins(s + n, signs[i]))
			return n + strlen(signs[i]);
	return n;
}

const char *cxx_closing(const char *s)
{
	const char *begin = s;
	int depth = 0;

	for (; *s; s++) {
		size_t n = *s == 'o' ? cxx_operator_length(s, begin) : 0;

		if (n) {
			s += n - 1;
			continue;
		}
		depth += *s == '<' || *s == '(' || *s == '[' || *s == '{';
		if (*s == ')' || *s == ']' || *s == '}' || (*s == '>' && s[-1] != '-'))
			depth--;
		if (!depth)
			return s;
	}
	return NULL;
}

const char *cxx_behind_qualifiers(const char *s)
{
	static const char *const words[] = { " const", " volatile", " &&", " &" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (cxx_begins(s, words[i]))
			return cxx_behind_qualifiers(s + strlen(words[i]));
	return s;
}

/* Whether a part of a name is an inline namespace: those of the libraries, and v2, v9_1, abi_v3 of
 * others. `n`: its length. */
static int is_inline_namespace(const char *part, size_t n)
{
	static const char *const known[] = { "__cxx11", "__cxx1998", "_V2", "__ndk1", "debian3" };
	const char *v;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i]) == n && cxx_begins(part, known[i]))
			return 1;
	if (n == strspn(part, "_0123456789") && cxx_begins(part, "__"))
		return 1; /* std::__1 */
	if (cxx_begins(part, "lts_2") || cxx_begins(part, "json_abi_v"))
		return 1;
	v = cxx_begins(part, "abi_v") ? part + 4 : part;
	return *v == 'v' && isdigit((unsigned char)v[1]) &&
	       n == (size_t)(v - part) + 1 + strspn(v + 1, "_0123456789");
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_until(struct writer *w, const char *stops);

static char last(const struct writer *w)
{
	return w->text.length ? w->text.text[w->text.length - 1] : '\0';
}

static void cut(struct writer *w, size_t length)
{
	w->text.length = length;
	w->text.text[length] = '\0';
}

/* A list in brackets, of which the first one is read; each item is written by itself. */
static void write_list(struct writer *w, char open, char close)
{
	char stops[] = { ',', close, '\0' };

	strbuf_add(&w->text, &open, 1);
	w->at++;
	for (;;) {
		write_until(w, stops);
		if (*w->at != ',')
			break;
		strbuf_puts(&w->text, ", ");
		w->at += 1 + strspn(w->at + 1, " ");
	}
	while (close == '>' && last(w) == ' ')
		cut(w, w->text.length - 1); /* > > */
	if (*w->at == close) {
		w->at++;
		strbuf_add(&w->text, &close, 1);
	}
}

static char *text_from(const struct writer *w, size_t begin)
{
	char *text = xcalloc(w->text.length - begin + 1, 1);

	memcpy(text, w->text.text + begin, w->text.length - begin);
	return text;
}

/* Reads the arguments into `t`: each is taken off the text again. */
static void read_arguments(struct writer *w, struct cxx_template *t)
{
	size_t begin = w->text.length;

	do {
		w->at += 1 + strspn(w->at + 1, " ");
		write_until(w, ",>");
		while (w->text.length > begin && last(w) == ' ')
			cut(w, w->text.length - 1); /* > > */
		if (t->n == CXX_ARGUMENTS_MAX)
			w->is_too_deep = 1;
		else
			t->arguments[t->n++] = text_from(w, begin);
		cut(w, begin);
	} while (*w->at == ',');
	w->at += *w->at == '>';
}

static const char *last_part(const char *name)
{
	const char *part = strrchr(name, ':');

	return part ? part + 1 : name;
}

/* A class that has another name now: its constructors have it, too. */
static void remember_class(struct place *place, const char *old, const char *new)
{
	size_t n = strcspn(new, "<");
	FREED char *name = xstrdup(new);

	free(place->old_class);
	free(place->new_class);
	name[n] = '\0';
	place->old_class = xstrdup(last_part(old));
	place->new_class = xstrdup(last_part(name));
}

static void write_template(struct writer *w, struct place *place)
{
	char *name = text_from(w, place->name);
	struct cxx_template t = { .name = name };
	char *arguments[CXX_ARGUMENTS_MAX];
	size_t n;

	read_arguments(w, &t);
	n = t.n;
	memcpy(arguments, t.arguments, n * sizeof(*arguments));
	t.rest = w->at;
	cut(w, place->name);
	cxx_template_put(&w->text, &t);
	if (!cxx_begins(w->text.text + place->name, name))
		remember_class(place, name, w->text.text + place->name);
	for (size_t i = 0; i < n; i++)
		free(arguments[i]);
	free(name);
}

/* (anonymous namespace)::, (Enumeration)2, parameters of an enclosing function, those of a type. */
static void write_parentheses(struct writer *w, const struct place *place)
{
	const char *close = cxx_closing(w->at);

	if (cxx_begins(w->at, ANONYMOUS)) {
		w->at += strlen(ANONYMOUS);
		return;
	}
	if (close && cxx_begins(cxx_behind_qualifiers(close + 1), "::")) {
		w->at = cxx_behind_qualifiers(close + 1);
		return;
	}
	if (close && w->depth && w->text.length == place->type &&
	    (isdigit((unsigned char)close[1]) || close[1] == '-')) {
		/* of two, one is of every program with threads */
		w->at += cxx_begins(w->at, "(__gnu_cxx::_Lock_policy)2") ? close + 2 - w->at
									 : close + 1 - w->at;
		return;
	}
	if (w->depth && close && last(w) == ' ' && close[1] != '(' && !cxx_begins(close, ") ["))
		cut(w, w->text.length - 1); /* int (int), but not that of a pointer */
	write_list(w, '(', ')');
}

/* Whether nothing but the lambda's own template arguments and parameters follows. */
static int is_last(const char *s)
{
	const char *close;

	if (*s == '<' && (close = cxx_closing(s)))
		s = close + 1;
	if (*s == '(' && (close = cxx_closing(s)))
		s = close + 1;
	return *cxx_behind_qualifiers(s) == '\0';
}

/* {lambda(int)#1}::operator() */
static void write_lambda(struct writer *w)
{
	const char *close = cxx_closing(w->at), *number = close;
	int has_line;

	if (!close) {
		strbuf_add(&w->text, w->at++, 1);
		return;
	}
	while (number > w->at && *number != '#')
		number--;
	w->at = close + 1;
	if (cxx_begins(w->at, CALL))
		w->at += strlen(CALL);
	has_line = w->line && !w->depth;
	if (has_line)
		strbuf_puts(&w->text, "{lambda}");
	else
		strbuf_printf(&w->text, "{lambda%.*s}", (int)(close - number), number);
	if (*w->at == '<')
		write_list(w, '<', '>');
	if (has_line && is_last(w->at))
		strbuf_printf(&w->text, ":%u", w->line);
}

/* "std::string const" -> "const std::string" */
static int write_const(struct writer *w, const struct place *place)
{
	size_t n = strlen(" const"), length = w->text.length - place->type;

	if (!cxx_begins(w->at, " const") || is_word(w->at[n]) || !length ||
	    memchr(w->text.text + place->type, '*', length) || last(w) == ')' || last(w) == '&')
		return 0;
	strbuf_puts(&w->text, "const ");
	memmove(w->text.text + place->type + n, w->text.text + place->type, length);
	memcpy(w->text.text + place->type, "const ", n);
	w->at += n;
	return 1;
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (is_word(s[n]))
		n++;
	return n;
}

static void write_word(struct writer *w, struct place *place)
{
	size_t n = word_length(w->at);
	int is_further = last(w) == ':' || last(w) == '~';

	if (!is_further)
		place->name = w->text.length;
	place->part = w->text.length;
	if (is_further && cxx_begins(w->at + n, "::") && is_inline_namespace(w->at, n)) {
		w->at += n + 2;
		return;
	}
	if (is_further && place->old_class && strlen(place->old_class) == n &&
	    cxx_begins(w->at, place->old_class))
		strbuf_puts(&w->text, place->new_class);
	else
		strbuf_add(&w->text, w->at, n);
	w->at += n;
}

/* operator<, operator bool */
static void write_operator(struct writer *w, struct place *place, size_t n)
{
	if (last(w) != ':')
		place->name = w->text.length;
	strbuf_add(&w->text, w->at, n);
	w->at += n;
	if (cxx_begins(w->at, "\"\" ")) {
		strbuf_puts(&w->text, "\"\"");
		w->at += 3;
		return;
	}
	if (w->at[0] == ' ' && w->at[1] == '<') { /* operator< <int> */
		if (last(w) == '<')
			strbuf_puts(&w->text, " ");
		w->at++;
	}
	if (*w->at == '<')
		write_list(w, '<', '>');
	if (*w->at == ' ' && is_word(w->at[1])) {
		strbuf_add(&w->text, w->at++, 1);
		place->type = place->name = w->text.length;
	}
}

/* One character, or what it cxx_begins. */
static void write_next(struct writer *w, struct place *place)
{
	size_t n;

	if (is_word(*w->at)) {
		n = *w->at == 'o' ? cxx_operator_length(w->at, w->begin) : 0;
		if (n)
			write_operator(w, place, n);
		else
			write_word(w, place);
	} else if (*w->at == '<' && w->text.length && (is_word(last(w)) || last(w) == ']')) {
		write_template(w, place);
	} else if (*w->at == '(') {
		write_parentheses(w, place);
	} else if (cxx_begins(w->at, LAMBDA)) {
		write_lambda(w);
	} else if (cxx_begins(w->at, "[abi:")) {
		w->at += strcspn(w->at, "]");
		w->at += *w->at == ']';
	} else if (cxx_begins(w->at, "->")) {
		strbuf_puts(&w->text, "->");
		w->at += 2;
	} else if (!write_const(w, place)) {
		strbuf_add(&w->text, w->at++, 1);
	}
}

static void write_until(struct writer *w, const char *stops)
{
	struct place place = { .type = w->text.length, .name = w->text.length, .part = w->text.length };

	if (++w->depth > DEPTH_MAX)
		w->is_too_deep = 1;
	while (*w->at && !w->is_too_deep && (!*stops || !strchr(stops, *w->at)))
		write_next(w, &place);
	w->depth--;
	free(place.old_class);
	free(place.new_class);
}

/* Whether the name is that of a lambda's function. */
static int is_lambda(const char *name)
{
	for (const char *at = strstr(name, "}" CALL); at; at = strstr(at + 1, "}" CALL))
		if (is_last(at + strlen("}" CALL)))
			return 1;
	return 0;
}

char *cxx_name_written(const char *name, uint32_t line)
{
	struct writer w = { .begin = name, .at = name, .depth = (unsigned)-1 };

	w.line = is_lambda(name) ? line : 0;
	strbuf_clear(&w.text);
	write_until(&w, "");
	if (!w.is_too_deep)
		return w.text.text;
	strbuf_release(&w.text);
	return NULL;
}

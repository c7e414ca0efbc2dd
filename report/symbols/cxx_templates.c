/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cxx_templates.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cxx_names.h"

/* Whether `text` is `name`<`argument`>. */
static int is_of(const char *text, const char *name, const char *argument)
{
	size_t n = strlen(name), length = strlen(argument);

	return !strncmp(text, name, n) && text[n] == '<' && !strncmp(text + n + 1, argument, length) &&
	       !strcmp(text + n + 1 + length, ">");
}

/* ---- arguments that have their default ------------------------------------------------------- */

/* Whether an argument that is not the first one tells nothing, whichever the template. */
static int is_noise(const char *argument)
{
	static const char *const always[] = { "std::allocator<",
					      "std::char_traits<",
					      "std::default_delete<",
					      "std::regex_traits<",
					      "std::__detail::_Select1st",
					      "std::__detail::_Identity",
					      "std::__detail::_Mod_range_hashing",
					      "std::__detail::_Default_ranged_hash",
					      "std::__detail::_Prime_rehash_policy",
					      "std::__detail::_Hashtable_traits<" };

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (cxx_begins(argument, always[i]))
			return 1;
	return !*argument;
}

/* Whether the last argument is what it is for this first one if nobody names another. */
static int is_default(const struct cxx_template *t, const char *argument)
{
	static const char *const of_first[] = { "std::less", "std::hash", "std::equal_to" };
	static const char *const adapters[][2] = { { "std::queue", "std::deque" },
						   { "std::stack", "std::deque" },
						   { "std::priority_queue", "std::vector" } };

	for (size_t i = 0; i < ARRAY_SIZE(of_first); i++)
		if (is_of(argument, of_first[i], t->arguments[0]))
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(adapters); i++)
		if (!strcmp(t->name, adapters[i][0]) && is_of(argument, adapters[i][1], t->arguments[0]))
			return 1;
	if (!strcmp(t->name, "std::chrono::duration") && !strcmp(argument, "std::ratio<1, 1>"))
		return 1;
	return (!strcmp(t->name, "std::span") && !strcmp(argument, "18446744073709551615")) ||
	       (!strcmp(t->name, "std::chrono::time_point") && cxx_begins(argument, "std::chrono::"));
}

static void drop_defaults(struct cxx_template *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (i ? !is_noise(t->arguments[i]) : *t->arguments[i] != '\0')
			t->arguments[n++] = t->arguments[i];
	while (n > 1 && is_default(t, t->arguments[n - 1]))
		n--;
	t->n = n;
}

/* 1000000000l -> 1000000000 */
static void drop_suffix_of_number(char *argument)
{
	char *end = argument + (*argument == '-');

	if (!isdigit((unsigned char)*end))
		return;
	while (isdigit((unsigned char)*end))
		end++;
	if (end[strspn(end, "ul")] == '\0')
		*end = '\0';
}

/* ---- containers ------------------------------------------------------------------------------ */

#define PAIR "std::pair<const "

/* The value of std::pair<const KEY, VALUE>, with its `>`; NULL: `text` is not such a pair. */
static const char *value_of_pair(const char *text, const char *key)
{
	size_t n = strlen(PAIR), length = strlen(key);

	if (!cxx_begins(text, PAIR) || strncmp(text + n, key, length) != 0 ||
	    !cxx_begins(text + n + length, ", "))
		return NULL;
	return text + n + length + 2;
}

/* "std::map<K, V" or "std::set<K"; `multi`: whether keys may be there more than once. */
static void put_keyed(struct strbuf *text, const char *prefix, int multi, const char *key,
		      const char *element)
{
	const char *value = value_of_pair(element, key);

	strbuf_printf(text, "std::%s%s%s<%s", prefix, multi ? "multi" : "", value ? "map" : "set", key);
	if (value)
		strbuf_printf(text, ", %.*s", (int)(strlen(value) - 1), value);
}

/* std::_Rb_tree<K, element, which part is the key, order, allocator> */
static int put_tree(struct strbuf *text, struct cxx_template *t)
{
	int multi = strncmp(t->rest, "::_M_", 5) == 0 && strstr(t->rest, "_equal") != NULL &&
		    strcspn(t->rest, "<") > 5;

	if (t->n < 4)
		return 0;
	put_keyed(text, "", multi, t->arguments[0], t->arguments[1]);
	if (!is_of(t->arguments[3], "std::less", t->arguments[0]))
		strbuf_printf(text, ", %s", t->arguments[3]);
	strbuf_puts(text, ">");
	return 1;
}

/* std::_Hashtable<K, element, allocator, which part is the key, equality, hash, ..., traits> */
static int put_hash_table(struct strbuf *text, struct cxx_template *t)
{
	int has_hash, has_equality;

	if (t->n < 10)
		return 0;
	has_hash = !is_of(t->arguments[5], "std::hash", t->arguments[0]);
	has_equality = !is_of(t->arguments[4], "std::equal_to", t->arguments[0]);
	put_keyed(text, "unordered_", strstr(t->arguments[9], ", false>") != NULL, t->arguments[0],
		  t->arguments[1]);
	if (has_hash || has_equality)
		strbuf_printf(text, ", %s", t->arguments[5]);
	if (has_equality)
		strbuf_printf(text, ", %s", t->arguments[4]);
	strbuf_puts(text, ">");
	return 1;
}

/* An iterator of a map or a set, by its element. */
static void put_keyed_iterator(struct strbuf *text, const char *prefix, const char *element, int is_const)
{
	if (cxx_begins(element, PAIR))
		strbuf_printf(text, "std::%smap<%.*s>", prefix, (int)(strlen(element) - strlen(PAIR) - 1),
			      element + strlen(PAIR));
	else
		strbuf_printf(text, "std::%sset<%s>", prefix, element);
	strbuf_puts(text, is_const ? "::const_iterator" : "::iterator");
}

static int put_tree_iterator(struct strbuf *text, struct cxx_template *t)
{
	put_keyed_iterator(text, "", t->arguments[0], strstr(t->name, "const") != NULL);
	return 1;
}

static int put_hash_iterator(struct strbuf *text, struct cxx_template *t)
{
	put_keyed_iterator(text, "unordered_", t->arguments[0], strstr(t->name, "const") != NULL);
	return 1;
}

/* __gnu_cxx::__normal_iterator<T*, std::vector<T> > */
static int put_normal_iterator(struct strbuf *text, struct cxx_template *t)
{
	int is_const;

	if (t->n < 2)
		return 0;
	is_const = cxx_begins(t->arguments[0], "const ") && !strstr(t->arguments[1], t->arguments[0]);
	strbuf_printf(text, "%s::%s", t->arguments[1], is_const ? "const_iterator" : "iterator");
	return 1;
}

/* std::_List_iterator<T>, std::_Deque_iterator<T, T&, T*> */
static int put_simple_iterator(struct strbuf *text, struct cxx_template *t)
{
	int is_const = strstr(t->name, "const") || (t->n > 1 && cxx_begins(t->arguments[1], "const ") &&
						    !cxx_begins(t->arguments[0], "const "));

	strbuf_printf(text, "std::%s<%s>::%s", strstr(t->name, "List") ? "list" : "deque", t->arguments[0],
		      is_const ? "const_iterator" : "iterator");
	return 1;
}

/* The base class that holds a container's memory. */
static int put_base(struct strbuf *text, struct cxx_template *t)
{
	strbuf_printf(text, "std::%s<%s>",
		      strstr(t->name, "List")	  ? "list"
		      : strstr(t->name, "Vector") ? "vector"
						  : "deque",
		      t->arguments[0]);
	return 1;
}

/* ---- others ---------------------------------------------------------------------------------- */

/* std::basic_string<char> -> std::string */
static int put_of_characters(struct strbuf *text, struct cxx_template *t, int is_pmr)
{
	static const char *const kinds[][2] = { { "char", "" },
						{ "wchar_t", "w" },
						{ "char8_t", "u8" },
						{ "char16_t", "u16" },
						{ "char32_t", "u32" } };

	if (t->n != 1)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(t->arguments[0], kinds[i][0])) {
			strbuf_printf(text, "std::%s%s%s", is_pmr ? "pmr::" : "", kinds[i][1],
				      t->name + strlen("std::basic_"));
			return 1;
		}
	return 0;
}

static int put_duration(struct strbuf *text, struct cxx_template *t)
{
	static const char *const units[][2] = {
		{ "std::ratio<1, 1000000000>", "nanoseconds" },
		{ "std::ratio<1, 1000000>", "microseconds" },
		{ "std::ratio<1, 1000>", "milliseconds" },
		{ "std::ratio<1, 1>", "seconds" },
		{ "std::ratio<60, 1>", "minutes" },
		{ "std::ratio<3600, 1>", "hours" },
	};

	if (t->n != 2 || strcmp(t->arguments[0], "long") != 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(t->arguments[1], units[i][0])) {
			strbuf_printf(text, "std::chrono::%s", units[i][1]);
			return 1;
		}
	return 0;
}

/* std::thread::_Invoker<std::tuple<F, arguments...> > -> F, arguments... */
static int put_invoked(struct strbuf *text, struct cxx_template *t)
{
	const char *invoked = t->arguments[0] + strlen("std::tuple<"), *object;
	size_t n, length;

	if (t->n != 1 || !cxx_begins(t->arguments[0], "std::tuple<"))
		return 0;
	n = strlen(invoked) - 1;
	/* void (C::*)(), C* -> C */
	object = strstr(invoked, "::*)(), ");
	length = object && cxx_begins(invoked, "void (") ? (size_t)(object - invoked) - strlen("void (") : 0;
	object += length ? strlen("::*)(), ") : 0;
	if (length && !strncmp(object, invoked + strlen("void ("), length) &&
	    !strcmp(object + length, "*>")) {
		invoked = object;
		n = length;
	}
	strbuf_add(text, invoked, n);
	return 1;
}

/* Member functions whose arguments are those of a call. */
static int has_deduced_arguments(const char *name)
{
	static const char *const members[] = { "emplace",	    "_M_emplace",	  "_M_realloc_insert",
					       "_M_realloc_append", "_M_insert",	  "_M_push_back_aux",
					       "_M_push_front_aux", "_M_range",		  "_M_construct",
					       "call_once",	    "_Prepare_execution", "_M_copy" };
	const char *member = strrchr(name, ':');

	for (size_t i = 0; member && i < ARRAY_SIZE(members); i++)
		if (cxx_begins(member + 1, members[i]))
			return 1;
	return 0;
}

static int put_shared_pointer(struct strbuf *text, struct cxx_template *t)
{
	strbuf_printf(text, "std::%s<%s>", t->name + strlen("std::__"), t->arguments[0]);
	return 1;
}

static const struct {
	const char *name;
	int (*put)(struct strbuf *text, struct cxx_template *t);
	int keeps_defaults; /* its arguments have places */
} templates[] = {
	{ "std::_Rb_tree", put_tree, 1 },
	{ "std::_Hashtable", put_hash_table, 1 },
	{ "std::__detail::_Map_base", put_hash_table, 1 },
	{ "std::__detail::_Insert", put_hash_table, 1 },
	{ "std::__detail::_Insert_base", put_hash_table, 1 },
	{ "std::_Rb_tree_iterator", put_tree_iterator, 0 },
	{ "std::_Rb_tree_const_iterator", put_tree_iterator, 0 },
	{ "std::__detail::_Node_iterator", put_hash_iterator, 0 },
	{ "std::__detail::_Node_const_iterator", put_hash_iterator, 0 },
	{ "__gnu_cxx::__normal_iterator", put_normal_iterator, 0 },
	{ "std::_List_iterator", put_simple_iterator, 0 },
	{ "std::_List_const_iterator", put_simple_iterator, 0 },
	{ "std::_Deque_iterator", put_simple_iterator, 0 },
	{ "std::_List_base", put_base, 0 },
	{ "std::_Vector_base", put_base, 0 },
	{ "std::_Deque_base", put_base, 0 },
	{ "std::thread::_Invoker", put_invoked, 0 },
	{ "std::chrono::duration", put_duration, 0 },
	{ "std::__shared_ptr", put_shared_pointer, 0 },
	{ "std::__weak_ptr", put_shared_pointer, 0 },
};

static int put_specially(struct strbuf *text, struct cxx_template *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(templates); i++)
		if (!strcmp(t->name, templates[i].name)) {
			if (!templates[i].keeps_defaults)
				drop_defaults(t);
			return templates[i].put(text, t);
		}
	return 0;
}

/* Whether it is a container of std::pmr; drops its allocator. */
static int has_pmr_allocator(struct cxx_template *t)
{
	static const char *const containers[] = { "std::vector", "std::list", "std::deque",
						  "std::forward_list", "std::basic_string" };

	if (t->n < 2 || !cxx_begins(t->arguments[t->n - 1], "std::pmr::polymorphic_allocator<"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(containers); i++)
		if (!strcmp(t->name, containers[i])) {
			t->n--;
			return 1;
		}
	return 0;
}

void cxx_template_put(struct strbuf *text, struct cxx_template *t)
{
	int is_library = cxx_begins(t->name, "std::") || cxx_begins(t->name, "__gnu_cxx::"), is_pmr;

	for (size_t i = 0; i < t->n; i++)
		drop_suffix_of_number(t->arguments[i]);
	if (t->n && is_library && put_specially(text, t))
		return;
	is_pmr = is_library && has_pmr_allocator(t);
	drop_defaults(t);
	if (t->n && cxx_begins(t->name, "std::basic_") && put_of_characters(text, t, is_pmr))
		return;
	strbuf_printf(text, "%s%s", is_pmr ? "std::pmr::" : "", t->name + (is_pmr ? strlen("std::") : 0));
	if (is_library && has_deduced_arguments(t->name))
		return;
	for (size_t i = 0; i < t->n; i++)
		strbuf_printf(text, "%s%s", i ? ", " : "<", t->arguments[i]);
	strbuf_puts(text, t->n ? ">" : is_library ? "" : "<>");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of functions, made once for each assembler name.
 */
#include "names.h"

static hash_map<nofree_string_hash, struct names *> *names_by_assembler;

const char *names_assembler(tree fn)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fn));

	return *name == '*' ? name + 1 : name;
}

/* Takes `name` over. */
static void add(struct names *names, char *name)
{
	for (unsigned int i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name)) {
			free(name);
			return;
		}
	names->name = XRESIZEVEC(const char *, names->name, names->n + 1);
	names->name[names->n++] = name;
}

size_t names_operator_length(const char *s, const char *begin)
{
	size_t length = sizeof("operator") - 1;

	if (!startswith(s, "operator") || (s > begin && (ISIDNUM(s[-1]))) || ISIDNUM(s[length]))
		return 0;
	return length + strspn(s + length, "<>=-!");
}

/* f<int>::g[abi:x]<char> -> f::g. Returns a new string. */
static char *without_template_arguments(const char *name)
{
	char *out = xstrdup(name), *end = out;
	unsigned int depth = 0;

	for (const char *s = name; *s; s++) {
		size_t length = depth ? 0 : names_operator_length(s, name);

		if (length) {
			memcpy(end, s, length);
			end += length;
			s += length - 1;
		} else if (*s == '<' || startswith(s, "[abi:")) {
			depth++;
		} else if (depth && (*s == '>' || *s == ']')) {
			depth--;
		} else if (!depth) {
			*end++ = *s;
		}
	}
	while (end > out && end[-1] == ' ') /* operator< <int> */
		end--;
	*end = 0;
	return out;
}

static void add_cxx_names(struct names *names, const char *assembler)
{
	char *qualified = cplus_demangle_v3(assembler, DMGL_NO_OPTS);
	char *full = cplus_demangle_v3(assembler, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP);

	if (qualified && full) {
		char *bare = without_template_arguments(qualified);
		const char *parameters = startswith(full, qualified) ? full + strlen(qualified) : "";

		add(names, concat(bare, parameters, NULL));
		add(names, bare);
		add(names, qualified);
		add(names, full);
	} else {
		free(qualified);
		free(full);
	}
}

static void add_all(struct names *names, const char *assembler, tree decl)
{
	/* What the compiler appends to the name of a function's clones and parts begins with a
	 * dot. */
	char *source = xstrndup(assembler, strcspn(assembler + 1, ".") + 1);

	add(names, xstrdup(assembler));
	if (startswith(assembler, "_Z"))
		add_cxx_names(names, source);
	else if (decl && DECL_NAME(decl))
		add(names, xstrdup(IDENTIFIER_POINTER(DECL_NAME(decl))));
	add(names, source);
}

/* The complete object constructor is an alias of the base object one, and callers name the
 * former. */
static bool add_alias(cgraph_node *node, void *names)
{
	if (node->alias && !node->weakref && !node->ifunc_resolver)
		add_all((struct names *)names, names_assembler(node->decl), node->decl);
	return false;
}

static struct names *make_names(const char *assembler, tree decl)
{
	struct names *names = XCNEW(struct names);
	cgraph_node *node = decl ? cgraph_node::get(decl) : NULL;

	add_all(names, assembler, decl);
	if (node && !node->alias)
		node->call_for_symbol_and_aliases(add_alias, names, true);
	return names;
}

const struct names *names_of(const char *assembler, tree decl)
{
	if (!names_by_assembler)
		names_by_assembler = new hash_map<nofree_string_hash, struct names *>;
	if (struct names **known = names_by_assembler->get(assembler))
		return *known;

	struct names *names = make_names(assembler, decl);
	names_by_assembler->put(names->name[0], names);
	return names;
}

const char *names_shown(const char *assembler)
{
	char *shown = startswith(assembler, "_Z")
			      ? cplus_demangle_v3(assembler, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP)
			      : NULL;

	return shown ? shown : assembler;
}

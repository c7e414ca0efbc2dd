/* SPDX-License-Identifier: MIT */
/*
 * plain_name.c - see plain_name.h. Reads the part of the Itanium ABI's mangling that names of
 * functions begin with; their parameters are not looked at. Names that are not understood have no
 * plain name: then a glob must match the assembler name. Called when modules are attached and
 * choices change, by any thread; keeps nothing.
 */
#include "plain_name.h"

#include "text.h"

#define NESTED_MAX 32

struct reader {
	const char *at; /* NULL: not understood */
	char *name;
	size_t used, component; /* where the last component of the name begins */
	int was_lambda;
	unsigned depth;
};

static void read_name(struct reader *r);

/* ---- writing --------------------------------------------------------------------------------- */

static void put(struct reader *r, const char *text, size_t n)
{
	if (r->used + n >= PLAIN_NAME_MAX) {
		r->at = NULL;
		return;
	}
	for (size_t i = 0; i < n; i++)
		r->name[r->used++] = text[i];
	r->name[r->used] = '\0';
}

static void put_component(struct reader *r, const char *text, size_t n)
{
	if (r->used)
		put(r, "::", 2);
	r->component = r->used;
	put(r, text, n);
}

static void put_string(struct reader *r, const char *text)
{
	put_component(r, text, string_length(text));
}

/* ---- skipping -------------------------------------------------------------------------------- */

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int begins(const char *text, const char *beginning)
{
	while (*beginning)
		if (*text++ != *beginning++)
			return 0;
	return 1;
}

static const char *skip_digits(const char *s)
{
	while (is_digit(*s))
		s++;
	return s;
}

/* Behind <length><characters>; NULL: there are not as many. */
static const char *skip_source_name(const char *s, const char **text, size_t *n)
{
	size_t length = 0;

	while (is_digit(*s) && length < PLAIN_NAME_MAX)
		length = 10 * length + (size_t)(*s++ - '0');
	*text = s;
	*n = length;
	for (size_t i = 0; i < length; i++)
		if (!s[i])
			return NULL;
	return length && length < PLAIN_NAME_MAX ? s + length : NULL;
}

/* Behind "0_" or "_". */
static const char *skip_number(const char *s)
{
	s = skip_digits(s);
	return *s == '_' ? s + 1 : NULL;
}

/* Behind S_, S0_, St; T_, T0_. */
static const char *skip_reference(const char *s)
{
	if (*s == 'S' && s[1] >= 'a' && s[1] <= 'z')
		return s + 2;
	for (s++; is_digit(*s) || (*s >= 'A' && *s <= 'Z');)
		s++;
	return *s == '_' ? s + 1 : NULL;
}

/* Behind a literal, of which `s` is the type: b1E, 4Enum1E, N1n4EnumE1E; or behind a name with
 * internal linkage, 4name. */
static const char *skip_literal(const char *s)
{
	int is_nested = *s == 'N';
	const char *text;
	size_t n;

	for (s += is_nested; s && (is_digit(*s) || (is_nested && *s == 'S'));) {
		s = *s == 'S' ? skip_reference(s) : skip_source_name(s, &text, &n);
		if (s && !is_nested) {
			if (!is_digit(*s) && *s != 'n')
				return s;
			break;
		}
	}
	if (s && is_nested)
		s = *s == 'E' ? s + 1 : NULL;
	while (s && *s && *s != 'E')
		s++;
	return s && *s ? s + 1 : NULL;
}

/* One piece of a type, of template arguments or of a name; *depth: the E's that are open. */
static const char *skip_piece(const char *s, unsigned *depth)
{
	const char *text;
	size_t n;

	if (is_digit(*s))
		return skip_source_name(s, &text, &n);
	switch (*s) {
	case '\0':
	case 'X': /* an expression */
		return NULL;
	case 'E':
		--*depth;
		return s + 1;
	case 'I':
	case 'J':
	case 'N':
	case 'F':
	case 'Z':
		++*depth;
		return s + 1;
	case 'L':
		if (s[1] == '_' && s[2] == 'Z') {
			++*depth;
			return s + 3;
		}
		return skip_literal(s + 1);
	case 'S':
	case 'T':
		return skip_reference(s);
	case 'C':
		return s + 1 + is_digit(s[1]);
	case 'D':
		return s[1] && s[1] != 't' && s[1] != 'T' ? s + 2 : NULL; /* decltype */
	case 'A':
		return skip_number(s + 1);
	default:
		return s + 1;
	}
}

/* Behind the E that closes what has begun before `s`; lambdas in it are closed by themselves. */
static const char *skip_to_end(const char *s)
{
	unsigned open[NESTED_MAX], n = 1;

	open[0] = 1;
	while (s && n) {
		if (s[0] == 'U' && (s[1] == 'l' || s[1] == 't')) {
			if (s[1] == 't') {
				s = skip_number(s + 2);
			} else if (n < NESTED_MAX) {
				open[n++] = 1;
				s += 2;
			} else {
				s = NULL;
			}
			continue;
		}
		s = skip_piece(s, &open[n - 1]);
		if (s && !open[n - 1] && --n)
			s = skip_number(s); /* of a lambda */
	}
	return s;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int is_inline_namespace(const char *text, size_t n)
{
	size_t i = 1;

	if ((n == 7 && begins(text, "__cxx11")) || (n == 3 && begins(text, "_V2")) ||
	    (n == 6 && begins(text, "__ndk1")) || (n == 7 && begins(text, "debian3")) ||
	    begins(text, "json_abi_v") || begins(text, "lts_2"))
		return 1;
	if (n < 2 || (*text != 'v' && !begins(text, "__")))
		return 0;
	while (i < n && (is_digit(text[i]) || text[i] == '_'))
		i++;
	return i == n && (*text != 'v' || is_digit(text[1]));
}

static const char *operator_sign(const char *s)
{
	static const char codes[][2][12] = {
		{ "nw", " new" },      { "na", " new[]" }, { "dl", " delete" }, { "da", " delete[]" },
		{ "aw", " co_await" }, { "ps", "+" },	   { "ng", "-" },	{ "ad", "&" },
		{ "de", "*" },	       { "co", "~" },	   { "pl", "+" },	{ "mi", "-" },
		{ "ml", "*" },	       { "dv", "/" },	   { "rm", "%" },	{ "an", "&" },
		{ "or", "|" },	       { "eo", "^" },	   { "aS", "=" },	{ "pL", "+=" },
		{ "mI", "-=" },	       { "mL", "*=" },	   { "dV", "/=" },	{ "rM", "%=" },
		{ "aN", "&=" },	       { "oR", "|=" },	   { "eO", "^=" },	{ "ls", "<<" },
		{ "rs", ">>" },	       { "lS", "<<=" },	   { "rS", ">>=" },	{ "eq", "==" },
		{ "ne", "!=" },	       { "lt", "<" },	   { "gt", ">" },	{ "le", "<=" },
		{ "ge", ">=" },	       { "ss", "<=>" },	   { "nt", "!" },	{ "aa", "&&" },
		{ "oo", "||" },	       { "pp", "++" },	   { "mm", "--" },	{ "cm", "," },
		{ "pm", "->*" },       { "pt", "->" },	   { "cl", "()" },	{ "ix", "[]" },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (s[0] == codes[i][0][0] && s[1] == codes[i][0][1])
			return codes[i][1];
	return NULL;
}

static void read_source_name(struct reader *r)
{
	const char *text;
	size_t n;

	r->at = skip_source_name(r->at, &text, &n);
	if (!r->at || begins(text, "_GLOBAL__N") || (r->used && is_inline_namespace(text, n)))
		return;
	put_component(r, text, n);
}

/* C1Ev, D0Ev: named like the class. */
static void read_structor(struct reader *r)
{
	size_t begin = r->component, n = r->used - begin;
	char class[PLAIN_NAME_MAX];
	int is_destructor = *r->at == 'D';

	if (!is_digit(r->at[1]) || !r->used) {
		r->at = NULL;
		return;
	}
	r->at += 2;
	for (size_t i = 0; i < n; i++)
		class[i] = r->name[begin + i];
	put_component(r, "~", (size_t)is_destructor);
	if (r->at)
		put(r, class, n);
}

static void read_lambda(struct reader *r)
{
	r->at = skip_to_end(r->at + 2);
	r->at = r->at ? skip_number(r->at) : NULL;
	if (r->at)
		put_string(r, "{lambda}");
}

static void read_operator(struct reader *r)
{
	const char *sign = operator_sign(r->at);

	if (!sign) {
		r->at = NULL;
		return;
	}
	r->at += 2;
	if (r->was_lambda && sign[0] == '(')
		return;
	put_string(r, "operator");
	if (r->at)
		put(r, sign, string_length(sign));
}

static void read_standard(struct reader *r)
{
	static const char names[][2][16] = {
		{ "t", "" },	    { "a", "allocator" }, { "b", "basic_string" }, { "s", "string" },
		{ "i", "istream" }, { "o", "ostream" },	  { "d", "iostream" }
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (r->at[1] == names[i][0][0]) {
			r->at += 2;
			put_string(r, "std");
			if (r->at && *names[i][1])
				put_string(r, names[i][1]);
			return;
		}
	r->at = NULL;
}

/* One component, with what belongs to it but is not told. */
static void read_component(struct reader *r)
{
	int is_lambda = begins(r->at, "Ul");

	if (*r->at == 'L' && is_digit(r->at[1]))
		r->at++;
	if (is_digit(*r->at))
		read_source_name(r);
	else if (is_lambda)
		read_lambda(r);
	else if (*r->at == 'S')
		read_standard(r);
	else if (*r->at == 'C' || *r->at == 'D')
		read_structor(r);
	else
		read_operator(r);
	r->was_lambda = is_lambda;
	while (r->at && *r->at == 'B') { /* an ABI tag */
		const char *text;
		size_t n;

		r->at = skip_source_name(r->at + 1, &text, &n);
	}
	if (r->at && *r->at == 'I')
		r->at = skip_to_end(r->at + 1);
}

/* N [qualifiers] components E */
static void read_nested(struct reader *r)
{
	for (r->at++; *r->at == 'r' || *r->at == 'V' || *r->at == 'K' || *r->at == 'R' || *r->at == 'O';)
		r->at++;
	while (r->at && *r->at && *r->at != 'E')
		read_component(r);
	r->at = r->at && *r->at ? r->at + 1 : NULL;
}

/* Z function E what is local to it */
static void read_local(struct reader *r)
{
	r->at++;
	read_name(r);
	r->at = r->at ? skip_to_end(r->at) : NULL;
	if (r->at && *r->at != 's' && *r->at != 'd')
		read_name(r);
	else
		r->at = NULL;
}

static void read_name(struct reader *r)
{
	if (++r->depth > NESTED_MAX)
		r->at = NULL;
	else if (*r->at == 'N')
		read_nested(r);
	else if (*r->at == 'Z')
		read_local(r);
	else
		for (int is_std = begins(r->at, "St"); r->at && is_std >= 0; is_std--)
			read_component(r);
	r->depth--;
}

/* ---- other languages ------------------------------------------------------------------------- */

static void copy_until(struct reader *r, const char *end)
{
	put_component(r, r->at, (size_t)(end - r->at));
	if (r->at)
		r->at = end;
}

/* f.constprop.0 -> f, f._omp_fn.0 -> f::{parallel} */
static void read_c(struct reader *r)
{
	const char *end = r->at;

	while (*end && *end != '.')
		end++;
	copy_until(r, end);
}

/* __m_MOD_f -> m::f */
static void read_fortran(struct reader *r)
{
	const char *mark = r->at + 2;

	while (*mark && !begins(mark, "_MOD_"))
		mark++;
	if (!*mark) {
		r->at = NULL;
		return;
	}
	r->at += 2;
	copy_until(r, mark);
	if (r->at)
		r->at += 5;
	if (r->at)
		read_c(r);
}

/* package__f -> package.f, in place. */
static void name_as_ada(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		int is_dot = to > name && begins(from, "__");

		*to++ = is_dot ? '.' : *from;
		from += is_dot;
	}
	*to = '\0';
}

int plain_name(const char *assembler, char name[PLAIN_NAME_MAX])
{
	struct reader r = { .at = assembler, .name = name };

	*name = '\0';
	if (begins(assembler, "_Z")) {
		r.at += 2;
		read_name(&r);
	} else if (begins(assembler, "__")) {
		read_fortran(&r);
	} else {
		read_c(&r);
	}
	for (const char *s = assembler; r.at && *s; s++)
		if (begins(s, "._omp_fn.")) {
			put_string(&r, "{parallel}");
			break;
		}
	return r.at && r.used ? 0 : -1;
}

/* ---- globs ----------------------------------------------------------------------------------- */

/* Behind the bracket that closes the one at `at`, or n. */
static size_t behind_brackets(const char *glob, size_t n, size_t at, char open, char close)
{
	unsigned depth = 0;

	for (; at < n; at++) {
		depth += glob[at] == open;
		if (glob[at] == close && !--depth)
			return at + 1;
	}
	return n;
}

/* Of the sign behind "operator", or of whatever else there is: one character. */
static size_t operator_length(const char *sign, size_t n)
{
	static const char signs[][4] = { "<=>", "<<=", "<<", "<=", "<", "()", "->*", "->" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (begins(sign, signs[i]) && string_length(signs[i]) <= n)
			return string_length(signs[i]);
	return 1;
}

/* The glob without template arguments, parameters and lines. Returns its length. */
static size_t plain_glob(const char *glob, size_t n, char plain[PLAIN_NAME_MAX])
{
	size_t used = 0, i = 0;

	while (i < n && used + 1 < PLAIN_NAME_MAX) {
		int is_operator = used >= 8 && begins(plain + used - 8, "operator");

		plain[used + 1] = '\0';
		if (is_operator && glob[i] != ' ') {
			for (size_t sign = operator_length(glob + i, n - i);
			     sign && used + 1 < PLAIN_NAME_MAX; sign--)
				plain[used++] = glob[i++];
		} else if (glob[i] == ' ' && i + 1 < n && glob[i + 1] == '<') {
			i++; /* operator< <int> */
		} else if (glob[i] == '<' && used) {
			i = behind_brackets(glob, n, i, '<', '>');
		} else if (glob[i] == '(') {
			i = n;
		} else if (used && plain[used - 1] == '}' && glob[i] == ':' && i + 1 < n &&
			   glob[i + 1] != ':') {
			i = n;
		} else if (glob[i] == '#' && i + 1 < n && is_digit(glob[i + 1])) {
			for (i++; i < n && is_digit(glob[i]);)
				i++;
		} else {
			plain[used++] = glob[i++];
			plain[used] = '\0';
		}
	}
	return used;
}

size_t plain_name_glob_length(const char *list)
{
	unsigned depth = 0;
	size_t n = 0;

	for (; list[n] && (list[n] != ',' || depth); n++) {
		int is_operator = n >= 8 && begins(list + n - 8, "operator");

		depth += list[n] == '(' || (list[n] == '<' && !is_operator && n && list[n - 1] != '<');
		depth -= depth && (list[n] == ')' || (list[n] == '>' && list[n - 1] != '-'));
	}
	return n;
}

/* Equality comes first: names have characters that mean something else in globs (operator[]). */
static int matches(const char *glob, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && name[i] == glob[i])
		i++;
	return (i == n && !name[i]) || glob_match(glob, n, name);
}

/* Ada's names, and those that GNU Fortran adds a `_` to. */
static int matches_other(const char *glob, size_t n, char name[PLAIN_NAME_MAX])
{
	size_t length = string_length(name);

	if (length > 1 && name[length - 1] == '_') {
		name[length - 1] = '\0';
		return matches(glob, n, name);
	}
	name_as_ada(name);
	return matches(glob, n, name);
}

/* A glob for a container, as it is shown, means the classes that libstdc++ makes it of. */
static int matches_container(const char *glob, size_t n, const char *name)
{
	static const char trees[][20] = { "std::map::", "std::multimap::", "std::set::", "std::multiset::" };
	static const char tables[][32] = { "std::unordered_map::", "std::unordered_multimap::",
					   "std::unordered_set::", "std::unordered_multiset::" };
	static const char parts[][32] = { "std::_Hashtable::", "std::__detail::_Map_base::",
					  "std::__detail::_Insert::", "std::__detail::_Insert_base::" };

	for (size_t i = 0; i < 4 && begins(name, "std::_Rb_tree::"); i++)
		if (begins(glob, trees[i]))
			return matches(glob + string_length(trees[i]), n - string_length(trees[i]),
				       name + string_length("std::_Rb_tree::"));
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++)
			if (begins(glob, tables[i]) && begins(name, parts[j]))
				return matches(glob + string_length(tables[i]), n - string_length(tables[i]),
					       name + string_length(parts[j]));
	return 0;
}

/* std::basic_string::~basic_string -> std::string::~string */
static void drop_basic(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		if (to > name && (to[-1] == ':' || to[-1] == '~') && begins(from, "basic_"))
			from += string_length("basic_");
		*to++ = *from;
	}
	*to = '\0';
}

int plain_name_match(const char *glob, size_t n, const char *assembler)
{
	char name[PLAIN_NAME_MAX], plain[PLAIN_NAME_MAX];
	size_t length;

	if (matches(glob, n, assembler))
		return 1;
	if ((n >= 2 && begins(glob, "_Z")) || plain_name(assembler, name))
		return 0;
	length = plain_glob(glob, n, plain);
	if (matches(glob, n, name) || matches(plain, length, name) || matches_container(plain, length, name))
		return 1;
	if (begins(name, "std::basic_")) {
		drop_basic(name);
		return matches(plain, length, name);
	}
	return assembler[0] != '_' && matches_other(plain, length, name);
}

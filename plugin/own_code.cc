/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own_code.cc - see own_code.h. */
#include "own_code.h"
#include "gcc.h"

/* Where the module's own image, or the code that is to be checked, begins. A unit that refers to
 * one of them is taken for one that reads it: which of its loads do cannot be told. */
static const char *const begins[] = {
	"__ehdr_start", /* of the ELF header, from which the program headers tell where code is */
	"__executable_start",
	"BORINGSSL_bcm_text_start", /* BoringSSL, AWS-LC */
	"wolfCrypt_FIPS_first",
};
/* By itself each is a number for statistics of memory, a bound for garbage collectors, an entry
 * point; the two ends of the code make a range. */
static const char *const first_ends[] = { "_start", "_init" };
static const char *const last_ends[] = { "etext", "_etext", "__etext" };

static bool is_referenced(const char *symbol)
{
	tree name = maybe_get_identifier(symbol);

	return name && TREE_SYMBOL_REFERENCED(name);
}

template <size_t n>
static bool any_is_referenced(const char *const (&symbols)[n])
{
	for (const char *symbol : symbols)
		if (is_referenced(symbol))
			return true;
	return false;
}

/* Functions in a section of this unit, whose bounds it asks the linker for: to copy or to check
 * them. */
static bool has_bounds(const char *name)
{
	char *symbol = concat("__start_", name, NULL);
	bool found = is_referenced(symbol);

	free(symbol);
	return found;
}

bool own_code_is_read(void)
{
	cgraph_node *node;

	if (any_is_referenced(begins) || (any_is_referenced(first_ends) && any_is_referenced(last_ends)))
		return true;
	FOR_EACH_DEFINED_FUNCTION(node)
	if (DECL_SECTION_NAME(node->decl) && has_bounds(DECL_SECTION_NAME(node->decl)))
		return true;
	return false;
}

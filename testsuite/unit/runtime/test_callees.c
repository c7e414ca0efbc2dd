/* SPDX-License-Identifier: MIT */
/*
 * test_callees.c - which functions a module calls by name, and where they are
 * (runtime/choice/callee.c): this program itself, with tables that have some of the names of what
 * it calls, in any order.
 */
#include <CUnit/CUnit.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* not tests.h: what the command calls a module is another thing */
#include "choice_stubs.h"

extern CU_TestInfo callees_tests[];

static const char *const called[] = { "malloc", "calloc",   "free",    "qsort",		"fclose",
				      "fopen",	"snprintf", "strtoul", "clock_gettime", "realloc" };
static const char *const not_called[] = { "main", "no_such_function", "", "f0" };
#define CALLED (uint32_t)(sizeof(called) / sizeof(*called))
#define NAMES 24u

static struct dl_phdr_info self;
static uint64_t state;
/* The table's note, and its strings behind it. */
static struct {
	ElfW(Nhdr) header;
	char name[8];
	struct cinstr_abi_table table;
	cinstr_abi_ref refs[NAMES];
	char strings[NAMES][24];
} made;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

static int find_self(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	self = *info;
	return 1;
}

static int look(struct dl_phdr_info *info, size_t size, void *callees)
{
	(void)size;
	callees_look(callees, info);
	return 0;
}

static int is_called(const char *name)
{
	for (uint32_t i = 0; i < CALLED; i++)
		if (!strcmp(called[i], name))
			return 1;
	return 0;
}

static struct module make(uint64_t seed)
{
	struct module module = { .notes = (const char *)&made, .notes_bytes = sizeof(made) };

	state = seed;
	memset(&made, 0, sizeof(made));
	made.header.n_namesz = sizeof(CINSTR_NOTE_NAME);
	made.header.n_descsz = sizeof(made.table) + sizeof(made.refs);
	made.header.n_type = CINSTR_NOTE_TABLE;
	memcpy(made.name, CINSTR_NOTE_NAME, sizeof(CINSTR_NOTE_NAME));
	made.table.n_refs = NAMES;
	for (uint32_t i = 0; i < NAMES; i++) {
		/* several may mean one string */
		uint32_t string = below(NAMES);

		strcpy(made.strings[i], below(3) ? called[below(CALLED)] : not_called[below(4)]);
		made.refs[i] = (int32_t)((char *)made.strings[string] - (char *)&made.refs[i]);
	}
	dl_iterate_phdr(find_self, NULL);
	module.image = image_of_loaded(&self);
	module.base = self.dlpi_addr;
	image_text(&module.image, &module.text_start, &module.text_end);
	return module;
}

static int is_among(const struct callees *callees, const char *string)
{
	for (uint32_t i = 0; i < callees->n; i++)
		if (callees->list[i].string_address == (uint64_t)string - callees->base)
			return 1;
	return 0;
}

static void names_have_addresses(void)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct module module = make(seed);
		struct callees callees;

		callees_collect(&module, &callees);
		dl_iterate_phdr(look, &callees);
		CU_ASSERT_EQUAL(callees.n_missing, 0);
		for (uint32_t i = 0; i < callees.n; i++) {
			const char *name = (const char *)callees.base + callees.list[i].string_address;

			CU_ASSERT(is_called(name));
			CU_ASSERT_EQUAL(callees.list[i].address, (uint64_t)dlsym(RTLD_DEFAULT, name));
			CU_ASSERT(!i || callees.list[i - 1].string_address < callees.list[i].string_address);
		}
		for (uint32_t i = 0; i < NAMES; i++) {
			const char *string = (const char *)&made.refs[i] + made.refs[i];

			CU_ASSERT_EQUAL(is_among(&callees, string), is_called(string));
		}
		callees_release(&callees);
	}
}

CU_TestInfo callees_tests[] = {
	{ "names of what is called have addresses", names_have_addresses },
	CU_TEST_INFO_NULL,
};

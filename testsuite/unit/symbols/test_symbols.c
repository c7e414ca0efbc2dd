/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The test program looks itself up. */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/base_names.h"
#include "symbols/structors.h"
#include "symbols/symbols.h"
#include "tests.h"

static uint64_t base;

static int first_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	base = info->dlpi_addr;
	return 1;
}

__attribute__((noinline)) static void to_be_found(void)
{
	__asm__ volatile("");
}
enum { FOUND_LINE = __LINE__ - 4 };

/* As assembler code may be: without type and size; and a label within a function. */
__asm__(".pushsection .text.assembler, \"ax\", @progbits\n"
	"untyped_code: nop; nop\n"
	".type typed_code, @function\n"
	"typed_code: nop\n"
	"label_within: nop\n"
	".size typed_code, . - typed_code\n"
	".annobin_like: nop\n"
	".globl untyped_code, typed_code, label_within\n"
	".popsection");
extern const char untyped_code[], typed_code[], label_within[];

static void code_without_type(void)
{
	struct symbols *symbols = symbols_open("/proc/self/exe", NULL, 0);

	dl_iterate_phdr(first_object, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_STRING_EQUAL(symbols_name(symbols, (uint64_t)(uintptr_t)untyped_code + 1 - base, NULL),
			       "untyped_code");
	CU_ASSERT_STRING_EQUAL(symbols_name(symbols, (uint64_t)(uintptr_t)label_within - base, NULL),
			       "typed_code");
	CU_ASSERT_PTR_NULL(symbols_name(symbols, (uint64_t)(uintptr_t)label_within + 1 - base, NULL));
	symbols_release(symbols);
}

/* Whether this program was built with -g: the name of the section is in it, and not from here. */
static int has_lines(void)
{
	char name[] = "?debug_line", *bytes;
	FILE *self = fopen("/proc/self/exe", "r");
	size_t n;
	int found;

	name[0] = '.';
	fseek(self, 0, SEEK_END);
	n = (size_t)ftell(self);
	rewind(self);
	bytes = malloc(n);
	found = fread(bytes, 1, n, self) == n && memmem(bytes, n, name, sizeof(name));
	fclose(self);
	free(bytes);
	return found;
}

static void own_names_and_lines(void)
{
	struct symbols *symbols = symbols_open("/proc/self/exe", NULL, 0);
	uint64_t address;
	const char *file = NULL;
	uint32_t line = 0;

	dl_iterate_phdr(first_object, NULL);
	address = (uint64_t)(uintptr_t)to_be_found - base;
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_STRING_EQUAL(symbols_name(symbols, address, NULL), "to_be_found");
	CU_ASSERT_EQUAL(symbols_address(symbols, "to_be_found"), address);
	CU_ASSERT_PTR_NULL(symbols_name(symbols, 1, NULL));
	CU_ASSERT_EQUAL(symbols_address(symbols, "no such function"), 0);
	if (has_lines()) {
		CU_ASSERT_EQUAL(symbols_line(symbols, address, &file, &line), 0);
		CU_ASSERT(file && strstr(file, "test_symbols.c"));
		CU_ASSERT(line >= FOUND_LINE && line <= FOUND_LINE + 2);
	}
	symbols_release(symbols);
}

static void another_build_id_is_refused(void)
{
	static const uint8_t id[20] = { 1, 2, 3 };

	CU_ASSERT_PTR_NULL(symbols_open("/proc/self/exe", id, sizeof(id)));
	CU_ASSERT_PTR_NULL(symbols_open("/nowhere", NULL, 0));
	CU_ASSERT_PTR_NULL(symbols_open("/etc/passwd", NULL, 0));
	CU_ASSERT_PTR_NULL(symbols_open("/dev/null", NULL, 0));
}

static void damaged_elf_files(void)
{
	char path[] = "/tmp/cinstr-elf-XXXXXX";
	int fd = mkstemp(path);
	FILE *self = fopen("/proc/self/exe", "r");
	char *bytes = malloc(1 << 16);
	size_t n = fread(bytes, 1, 1 << 16, self);

	srandom(1);
	for (int i = 0; i < 300; i++) {
		char kept[64];
		struct symbols *symbols;

		memcpy(kept, bytes, sizeof(kept));
		bytes[random() % 64] ^= (char)(1 << random() % 8);
		CU_ASSERT_EQUAL_FATAL(pwrite(fd, bytes, n, 0), (ssize_t)n);
		symbols = symbols_open(path, NULL, 0);
		if (symbols)
			symbols_name(symbols, 0x1000, NULL);
		symbols_release(symbols);
		memcpy(bytes, kept, sizeof(kept));
	}
	CU_PASS("no crash");
	fclose(self);
	free(bytes);
	close(fd);
	unlink(path);
}

static void other_name_is(const char *name, const char *other)
{
	char *found = structor_other_name(name);

	CU_ASSERT_STRING_EQUAL(found ? found : "none", other ? other : "none");
	free(found);
}

/* Digits of other names, of parameters, and of destructors that also free, are none of these. */
static void two_names_of_constructors(void)
{
	other_name_is("_ZN3DocC1Ei", "_ZN3DocC2Ei");
	other_name_is("_ZN3DocC2Ei", "_ZN3DocC1Ei");
	other_name_is("_ZN3DocD1Ev", "_ZN3DocD2Ev");
	other_name_is("_ZN3DC1C1ERK3DC2", "_ZN3DC1C2ERK3DC2");
	other_name_is("_ZN3BoxIiEC1ESt4pairIiPcE", "_ZN3BoxIiEC2ESt4pairIiPcE");
	other_name_is("_ZN3DocD0Ev", NULL);
	other_name_is("_ZN3DC13runEv", NULL);
	other_name_is("_ZN3DC13runE3DD2", NULL);
	other_name_is("C1", NULL);
	other_name_is("main", NULL);
	other_name_is("", NULL);
}

static void public_name_is(const char *name, const char *expected)
{
	STRBUF(text);
	int is_internal = base_name_put_public(&text, name);

	CU_ASSERT_EQUAL(is_internal, expected != NULL);
	CU_ASSERT_STRING_EQUAL(text.text ? text.text : "", expected ? expected : "");
}

/* Names of programs do not begin with two underscores; others have none of the ends. */
static void public_names_of_internal_functions(void)
{
	public_name_is("__ieee754_pow_fma", "pow");
	public_name_is("__ieee754_exp2f", "exp2f");
	public_name_is("__pow_finite", "pow");
	public_name_is("____strtoll_l_internal", "strtoll");
	public_name_is("__strtof_internal", "strtof");
	public_name_is("__GI___memcpy_chk", "memcpy_chk");
	public_name_is("__lll_lock_wait_private", NULL);
	public_name_is("__internal", NULL);
	public_name_is("__pow_fma", NULL);
	public_name_is("part_internal", NULL);
	public_name_is("_int_malloc", NULL);
	public_name_is("ieee754_pow", NULL);
	public_name_is("", NULL);
}

CU_TestInfo symbols_tests[] = {
	{ "own names and lines", own_names_and_lines },
	{ "code without a type", code_without_type },
	{ "another build-id is refused", another_build_id_is_refused },
	{ "damaged ELF files", damaged_elf_files },
	{ "the two names of constructors", two_names_of_constructors },
	{ "public names of internal functions", public_names_of_internal_functions },
	CU_TEST_INFO_NULL,
};

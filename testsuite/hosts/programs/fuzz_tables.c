/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_tables LIBRARY RUNS SEED - damages the tables of a loaded library in RUNS ways, and has the
 * runtime, which is linked in, look at them. What it accepts is read and patched as any other
 * module is, and the library's functions are called. Nothing may crash, or return another result;
 * and what is accepted in spite of damage does not name a sled that is none.
 *
 * Every other run is on a copy of the notes that lies elsewhere, as patchelf leaves them, right in
 * front of a page that cannot be read. Prints how many were accepted.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"
#include "tables.h"

#define SLEDS_MAX 4096
#define PAGE 4096ul

struct known_sled {
	char *at;
	uint32_t info;
};

static struct known_sled known[SLEDS_MAX];
static unsigned n_known;
static struct module *original;
static char *place, *copy; /* of the notes: where they are, and elsewhere */
static char *pristine;
static size_t bytes;
static const void *hook, *code; /* of the library */
static uint64_t state;
static int has_checksums, is_wrong;

/* ---- random numbers -------------------------------------------------------------------------- */

static uint32_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static uint32_t below(uint32_t n)
{
	return next_random() % n;
}

/* ---- damage ---------------------------------------------------------------------------------- */

static uint32_t interesting(uint32_t old)
{
	static const uint32_t numbers[] = { 0,		1,	    2,		4,	    7,
					    0x7f,	0xff,	    0xffff,	0x7fffffff, 0x80000000,
					    0xffffffff, 0xfffffff0, 0x43490001, 0x43490002, 0x43490003 };
	static const int32_t steps[] = { 1, -1, 4, -4, 8, -8, 16, 0x100, -0x100, 0x1000, 0x1000000 };

	if (below(2))
		return old + (uint32_t)steps[below(sizeof(steps) / sizeof(*steps))];
	return numbers[below(sizeof(numbers) / sizeof(*numbers))];
}

static void damage_word(char *at)
{
	uint32_t word;

	memcpy(&word, at, 4);
	switch (below(4)) {
	case 0:
		word ^= 1u << below(32);
		break;
	case 1:
		word = next_random();
		break;
	default:
		word = interesting(word);
	}
	memcpy(at, &word, 4);
}

static void damage_once(char *notes)
{
	size_t words = bytes / 4, a = below((uint32_t)words), b = below((uint32_t)words);
	char word[4];

	switch (below(8)) {
	case 0:
		notes[below((uint32_t)bytes)] = (char)next_random();
		break;
	case 1: /* swaps two words */
		memcpy(word, notes + 4 * a, 4);
		memcpy(notes + 4 * a, notes + 4 * b, 4);
		memcpy(notes + 4 * b, word, 4);
		break;
	case 2: /* copies a few words */
		memmove(notes + 4 * a, notes + 4 * b,
			4 * min_of(min_of(words - a, words - b), 1 + (size_t)below(16)));
		break;
	case 3: /* moves all behind it */
		memmove(notes + 4 * a, notes + 4 * b, 4 * (words - (a > b ? a : b)));
		break;
	default:
		damage_word(notes + 4 * a);
	}
}

/* Does each table have one? What dropped ones would find is left to the other checks. */
static void look_at_checksums(char *notes, int are_dropped)
{
	const char *at = notes, *end = notes + bytes;
	struct note note;

	for (; at < end; at = note.end) {
		struct cinstr_abi_table *table;

		if (!note_read(at, end, 4, &note))
			return;
		table = (struct cinstr_abi_table *)note.descriptor;
		if (note.type != CINSTR_NOTE_TABLE || note.bytes < sizeof(*table))
			continue;
		if (are_dropped)
			table->checksum = 0;
		has_checksums &= table->checksum != 0;
	}
}

/* ---- what was accepted ----------------------------------------------------------------------- */

static void know_sled(const struct module *module, char *sled, uint32_t info)
{
	(void)module;
	if (n_known < SLEDS_MAX)
		known[n_known++] = (struct known_sled){ sled, info };
}

static void sled_off(const struct module *module, char *sled, uint32_t info)
{
	(void)info;
	patch_off(module->thunks, sled);
}

/* With a checksum all that is known of a sled is as it was. It may be another NOP. */
static void check_sled(const struct module *module, char *sled, uint32_t info)
{
	static const char nop[] = CINSTR_SLED_NOP;
	unsigned i = 0;

	(void)module;
	while (i < n_known && known[i].at != sled)
		i++;
	if (i == n_known)
		is_wrong |= memcmp(sled, nop, sizeof(nop)) != 0;
	else
		is_wrong |= has_checksums && known[i].info != info;
}

static void read_string(const char *string, void *data)
{
	*(size_t *)data += strlen(string);
}

static void all_off(struct module *module)
{
	patch_begin(module, 0, UINT64_MAX);
	module_each_sled(module, sled_off);
	patch_end(module, 0, UINT64_MAX);
}

static void use(struct module *module, int (*function)(void), int expected)
{
	size_t length = 0;

	module->code_base = original->code_base;
	module->code_bytes = original->code_bytes;
	module->thunks = original->thunks;
	module->loaded = 1;
	module_each_string(module, read_string, &length);
	module_each_sled(module, check_sled);
	choices_find(module);
	switch_module(module);
	is_wrong |= function() != expected;
	all_off(module);
	if (module->actions)
		munmap(module->actions, module->n_actions * sizeof(*module->actions));
	if (module->small)
		munmap(module->small, (module->strings_end - module->strings_start) / 8 + 1);
}

/* ---- the image ------------------------------------------------------------------------------- */

#define HEADERS_MAX 40

static struct image image_with(ElfW(Phdr) * headers, const char *notes)
{
	struct image image = original->image;

	memcpy(headers, image.headers, (size_t)image.n * sizeof(*headers));
	image.headers = headers;
	for (int i = 0; i < image.n; i++)
		if (headers[i].p_type == PT_NOTE && notes == copy)
			headers[i].p_type = PT_NULL;
	if (notes == place)
		return image;
	headers[image.n] = (ElfW(Phdr)){
		.p_type = PT_LOAD,
		.p_flags = PF_R,
		.p_vaddr = (uint64_t)notes - image.base,
		.p_filesz = bytes,
		.p_memsz = bytes,
		.p_offset = 1ull << 40,
	};
	headers[image.n + 1] = headers[image.n];
	headers[image.n + 1].p_type = PT_NOTE;
	image.n += 2;
	return image;
}

static void damage_headers(const struct image *image)
{
	for (int i = 0; i < image->n; i++) {
		ElfW(Phdr) *ph = (ElfW(Phdr) *)image->headers + i;

		if (ph->p_type == PT_NOTE && !below(2))
			damage_word((char *)ph + 8 + 4 * below(12));
	}
}

static void find_hook(void)
{
	const char *at = original->notes;
	struct note note;

	for (; !hook; at = note.end) {
		const struct cinstr_abi_hook_note *found;

		if (!note_read(at, original->notes + original->notes_bytes, 4, &note))
			exit(3);
		found = (const void *)note.descriptor;
		if (note.type != CINSTR_NOTE_HOOK)
			continue;
		hook = (const char *)&found->data + found->data;
		code = (const char *)&found->code + found->code;
	}
}

/* Memory near the library, in front of a page without access. */
static char *guarded(const char *near, size_t size)
{
	size_t whole = (size + PAGE - 1) & ~(PAGE - 1);

	for (uint64_t at = ((uint64_t)near & ~(PAGE - 1)) + (16ul << 20);; at += 1ul << 20) {
		char *memory = mmap((void *)at, whole + PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (memory == MAP_FAILED)
			continue;
		mprotect(memory + whole, PAGE, PROT_NONE);
		return memory + whole - size;
	}
}

static void prepare(void)
{
	uint64_t page;

	original = &cinstr.modules[0];
	if (!cinstr.n_modules || original->image.n + 2 > HEADERS_MAX)
		exit(3);
	place = (char *)original->notes;
	bytes = original->notes_bytes;
	page = (uint64_t)place & ~(PAGE - 1);
	mprotect((void *)page, (uint64_t)place + bytes - page, PROT_READ | PROT_WRITE);
	pristine = malloc(bytes);
	memcpy(pristine, place, bytes);
	copy = guarded(place, bytes);
	module_each_sled(original, know_sled);
	find_hook();
	all_off(original);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int run_once(int is_damaged, int (*function)(void), int expected)
{
	char *notes = below(2) ? copy : place;
	ElfW(Phdr) headers[HEADERS_MAX];
	struct module module = { .ehdr = original->ehdr, .base = original->base };

	memcpy(notes, pristine, bytes);
	module.image = image_with(headers, notes);
	has_checksums = 1;
	if (is_damaged && below(2))
		look_at_checksums(notes, 1);
	for (uint32_t n = is_damaged ? 1 + below(3) : 0; n > 0; n--)
		damage_once(notes);
	look_at_checksums(notes, 0);
	if (is_damaged && !below(16))
		damage_headers(&module.image);
	if (tables_check(&module, hook, code))
		return 0;
	use(&module, function, expected);
	return 1;
}

int main(int argc, char **argv)
{
	void *library = dlopen(argc == 4 ? argv[1] : "", RTLD_NOW);
	int (*function)(void) = library ? (int (*)(void))dlsym(library, "all") : NULL;
	unsigned long runs, accepted = 0;
	int expected;

	if (!function)
		return 3;
	runs = strtoul(argv[2], NULL, 10);
	state = strtoul(argv[3], NULL, 10) * 0x9e3779b97f4a7c15ul + 1;
	prepare();
	expected = function();
	for (int i = 0; i < 8; i++)
		if (!run_once(0, function, expected))
			return 4; /* sound tables are not accepted */
	for (unsigned long i = 0; i < runs; i++) {
		accepted += (unsigned)run_once(1, function, expected);
		if (!is_wrong)
			continue;
		printf("wrong after %lu runs\n", i + 1);
		return 5;
	}
	memcpy(place, pristine, bytes);
	printf("%lu runs, %lu accepted\n", runs, accepted);
	return 0;
}

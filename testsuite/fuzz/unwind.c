/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind.c - libFuzzer on what reads a program's unwind information. An input is a short program:
 * which library of the folder $FUZZ_SEEDS, whether it keeps its section headers, what to change in
 * which of its sections or headers. Then some addresses of its code are asked for their rule,
 * and for a step to the caller.
 */
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/util.h"
#include "sampler/images/image.h"
#include "sampler/unwind/internal.h"
#include "sampler/unwind/unwind.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define LIBRARIES_MAX 16
#define FILE_MAX (64u << 10)
#define SECTIONS_MAX 64
#define NO_SECTION_HEADERS 0x80 /* with the library's number */
/* Addresses that an input asks for: each function has one, calls through the PLT, which is before
 * .text, have one, too. */
#define ASKED 10
#define STRIDE 52
#define FROM 52

/* What may be changed: the ELF and program headers, section headers, sections. */
struct part {
	size_t offset, bytes;
};

static struct library {
	uint8_t *bytes;
	size_t size;
	uint64_t text; /* link address of the code */
	struct part parts[SECTIONS_MAX + 2];
	size_t n_parts, n_unwind; /* sections of unwind information come first */
} libraries[LIBRARIES_MAX];
static size_t n_libraries;

/* ---- libraries ------------------------------------------------------------------------------- */

static void add_part(struct library *library, size_t offset, size_t bytes)
{
	if (bytes && offset + bytes <= library->size)
		library->parts[library->n_parts++] = (struct part){ offset, bytes };
}

static int is_unwind(const char *name)
{
	return !strncmp(name, ".eh_frame", 9) || !strcmp(name, ".debug_frame");
}

static void add_sections(struct library *library, int unwind)
{
	const Elf64_Ehdr *header = (const void *)library->bytes;
	const Elf64_Shdr *sections = (const void *)(library->bytes + header->e_shoff);
	const char *names = (const char *)library->bytes + sections[header->e_shstrndx].sh_offset;

	for (size_t i = 1; i < header->e_shnum && i < SECTIONS_MAX; i++) {
		const char *name = names + sections[i].sh_name;

		if (!strcmp(name, ".text"))
			library->text = sections[i].sh_addr;
		if (sections[i].sh_type != SHT_NOBITS && is_unwind(name) == unwind)
			add_part(library, sections[i].sh_offset, sections[i].sh_size);
	}
}

static void find_parts(struct library *library)
{
	const Elf64_Ehdr *header = (const void *)library->bytes;

	add_sections(library, 1);
	library->n_unwind = library->n_parts;
	add_part(library, 0, sizeof(*header) + header->e_phnum * sizeof(Elf64_Phdr));
	add_part(library, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr));
	add_sections(library, 0);
}

static void add_library(const char *path)
{
	struct library *library = &libraries[n_libraries];
	FILE *file = fopen(path, "r");

	if (!file)
		return;
	library->bytes = xcalloc(1, FILE_MAX);
	library->size = fread(library->bytes, 1, FILE_MAX, file);
	fclose(file);
	find_parts(library);
	n_libraries++;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = getenv("FUZZ_SEEDS");
	struct dirent **names;
	int n = folder ? scandir(folder, &names, NULL, alphasort) : -1;

	(void)argc, (void)argv;
	for (int i = 0; i < n && n_libraries < LIBRARIES_MAX; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (strstr(names[i]->d_name, ".so"))
			add_library(path);
	}
	if (!n_libraries) {
		fprintf(stderr, "FUZZ_SEEDS: no library in that folder\n");
		exit(2);
	}
	return 0;
}

/* ---- an input -------------------------------------------------------------------------------- */

/* Four bytes each: which part, where in it, what to put there. Three of four times unwind
 * information, where there is some. */
static void change(const struct library *library, uint8_t *damaged, const uint8_t *input, size_t size)
{
	for (; size >= 4; input += 4, size -= 4) {
		size_t n = input[0] & 3 && library->n_unwind ? library->n_unwind : library->n_parts;
		const struct part *part = &library->parts[(input[0] >> 2) % n];

		damaged[part->offset + (input[1] | (size_t)input[2] << 8) % part->bytes] = input[3];
	}
}

/* A rule and a step, of code as it is found, and of calls. */
static void ask(struct image *image, uint64_t text)
{
	static uint8_t words[512];
	const struct stack stack = { words, 1 << 20, sizeof(words) };
	struct rules *rules = rules_new();

	for (size_t i = 0; i < ASKED; i++) {
		struct registers registers = { .known = (1u << MACHINE_REGISTERS) - 1 };
		uint64_t pc = text - FROM + STRIDE * i;

		for (size_t k = 0; k < MACHINE_REGISTERS; k++)
			registers.value[k] = stack.start + 8 * k;
		if (rules_find(rules, image, pc, i & 1)->kind == RULE_ASK)
			cfi_step(image, pc, &registers, &stack);
	}
	unwind_has_frame_pointers(image);
	rules_release(rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static _Alignas(8) uint8_t damaged[FILE_MAX];
	struct image image = { .fd = memfd_create("damaged", MFD_CLOEXEC), .number = 1 };
	const struct library *library = &libraries[size ? (input[0] & ~NO_SECTION_HEADERS) % n_libraries : 0];

	memcpy(damaged, library->bytes, library->size);
	if (size)
		change(library, damaged, input + 1, size - 1);
	if (size && input[0] & NO_SECTION_HEADERS)
		((Elf64_Ehdr *)(void *)damaged)->e_shnum = 0;
	if (write(image.fd, damaged, library->size) != (ssize_t)library->size)
		abort();
	image_read_headers(&image);
	ask(&image, library->text);
	unwind_image_release(&image);
	free(image.segments);
	close(image.fd);
	return 0;
}

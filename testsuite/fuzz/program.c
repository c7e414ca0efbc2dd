/* SPDX-License-Identifier: GPL-3.0-or-later */
/* program.c - see program.h. One thread. */
#include "program.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define COPIES_BYTES (64u << 20) /* of all copies, at most */
#define COPIES_MAX 4096u
#define DIGITS 4 /* of a copy's number */
#define CHANGES 4
#define RUN_IN "/dev/shm/cinstr-fuzz-seeds." /* run.sh */

struct program {
	uint8_t *bytes;
	size_t size;
	char path[96]; /* of copies, without the number */
	uint32_t n_copies;
	uint8_t is_made[COPIES_MAX];
};

static void copy_write(const struct program *program, uint32_t number, const uint8_t *bytes)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s%0*x", program->path, DIGITS, number);
	f = fopen(path, "w");
	if (!f || fwrite(bytes, 1, program->size, f) != program->size || fclose(f))
		abort();
}

struct program *program_read(const char *seed, const char *folder, size_t number)
{
	struct program *program = calloc(1, sizeof(*program));
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s.program", seed);
	f = fopen(path, "r");
	if (!program || !f)
		abort();
	program->bytes = malloc(FUZZ_FILE_MAX);
	if (!program->bytes)
		abort();
	program->size = fread(program->bytes, 1, FUZZ_FILE_MAX, f);
	fclose(f);
	program->n_copies = COPIES_BYTES / (uint32_t)program->size;
	if (program->n_copies > COPIES_MAX)
		program->n_copies = COPIES_MAX;
	snprintf(program->path, sizeof(program->path), "%s/%zu.", folder, number);
	return program;
}

int program_name(const struct program *program, char *path)
{
	size_t n = strlen(path);

	if (strncmp(path, RUN_IN, strlen(RUN_IN)) != 0)
		return -1;
	if (n < strlen(program->path) + DIGITS)
		abort();
	memset(path, 0, n);
	snprintf(path, n + 1, "%s%0*x", program->path, DIGITS, 0);
	return 0;
}

static uint32_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

/* Where a change falls: half of them in a section, however small it is, the others anywhere. */
static size_t place_choose(const struct program *program, uint64_t *state)
{
	const Elf64_Ehdr *head = (const void *)program->bytes;
	const Elf64_Shdr *section = (const void *)(program->bytes + head->e_shoff);

	if (next(state) % 2)
		return next(state) % program->size;
	section += next(state) % head->e_shnum;
	if (section->sh_type == SHT_NOBITS || !section->sh_size)
		return next(state) % sizeof(*head);
	return section->sh_offset + next(state) % section->sh_size;
}

static void copy_change(const struct program *program, uint8_t *bytes, uint32_t number)
{
	static const uint32_t values[] = { 0, 1, UINT32_MAX, 1u << 31, 0x1b, 0x0a0a0a0a };
	uint64_t state = number;

	for (uint32_t i = 1 + next(&state) % CHANGES; i > 0; i--) {
		uint32_t how = next(&state);
		size_t at = place_choose(program, &state);

		if (how / 4 % 4 == 0 && at + 4 <= program->size)
			memcpy(bytes + at, &values[next(&state) % ARRAY_SIZE(values)], 4);
		else if (how / 4 % 4 == 1)
			bytes[at] ^= (uint8_t)(1u << next(&state) % 8);
		else if (how / 4 % 4 == 2)
			bytes[at] = bytes[next(&state) % program->size];
		else
			bytes[at] = how & 64 ? 0x1b : (uint8_t)next(&state);
	}
}

static void copy_make(struct program *program, uint32_t number)
{
	uint8_t *copy = malloc(program->size);

	if (!copy)
		abort();
	memcpy(copy, program->bytes, program->size);
	if (number)
		copy_change(program, copy, number);
	copy_write(program, number, copy);
	free(copy);
	program->is_made[number] = 1;
}

void program_begin(struct program *program)
{
	copy_make(program, 0);
}

void program_place(struct program *program, uint32_t number, struct image *image, size_t path_at)
{
	size_t n = strlen(program->path);
	char digits[16];

	number = number & 1 ? number / 2 % program->n_copies : 0;
	if (path_at + n + DIGITS > image->size || memcmp(image->bytes + path_at, program->path, n) != 0)
		return;
	if (!program->is_made[number])
		copy_make(program, number);
	snprintf(digits, sizeof(digits), "%0*x", DIGITS, number % COPIES_MAX);
	memcpy(image->bytes + path_at + n, digits, DIGITS);
}

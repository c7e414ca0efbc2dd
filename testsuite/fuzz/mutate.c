/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutate.c - libFuzzer's changes of inputs, and after most of them another seed, another verb, or a
 * change more, of a form that change.c reads. Verbs that take long are chosen more rarely.
 */
#include <stdint.h>
#include <string.h>

#include "change.h"
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define HEAD 4	  /* bytes: how it is read, seed, what is done to the whole, verb */
#define CHANGES 6 /* that an input has at most; more of them only hide one another */
#define CHANGE 8  /* bytes of one, more or less */

static uint32_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

static size_t change_append(uint8_t *data, size_t size, size_t max_size, uint64_t *state)
{
	for (size_t i = 0; i < CHANGE && size < max_size; i++)
		data[size++] = (uint8_t)next(state);
	if (next(state) % 2 && size >= HEAD + CHANGE)
		data[size - CHANGE] |= 0x60; /* of elements */
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
	uint32_t what = next(&state) % 8;

	if (what < 4)
		size = LLVMFuzzerMutate(data, size, max_size);
	if (next(&state) % 32 == 0 || size < HEAD)
		return size;
	data[0] |= FUZZ_MORE;
	if (what == 4 || what == 0)
		data[1] = (uint8_t)next(&state);
	data[1] = fuzz_seed_byte(data[1]);
	if (what == 5 || what == 0 || next(&state) % fuzz_one_in(data[3]))
		data[3] = fuzz_verb_byte(next(&state), next(&state));
	if (what >= 6 && max_size >= HEAD + CHANGE * CHANGES && size < HEAD + CHANGE * CHANGES)
		size = change_append(data, size, max_size, &state);
	if (what == 7 && next(&state) % 4 == 0)
		data[2] = (uint8_t)next(&state);
	return size;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segment_code.h"

#include <string.h>

#include "cinstr/abi.h"

static const uint8_t counter_nops[CINSTR_COUNT_BYTES] = CINSTR_COUNT_NOP;

/* The bytes of the segment that are its counter's: [begin, end); none: no counter is inside. */
static void counter_place(const struct segment *s, uint64_t *begin, uint64_t *end)
{
	*begin = *end = s->end - s->start;
	if (!s->counter || s->is_loop)
		return;
	*begin = s->counter - s->start - s->before;
	*end = s->counter - s->start + s->counter_bytes + s->behind;
}

/* Returns whether the file has the NOPs of the segment's counter where the table says. */
static int has_counter_there(const struct symbols *symbols, const struct segment *s)
{
	const uint8_t *code = symbols_code_bytes(symbols, s->counter, sizeof(counter_nops));

	return code && !memcmp(code, counter_nops, sizeof(counter_nops));
}

struct segment_code segment_code_read(const struct symbols *symbols, const struct segment *s,
				      void (*visit)(void *arg, const struct instruction *instruction),
				      void *arg)
{
	static const struct segment_code gone = { .state = SEGMENT_CODE_GONE };
	static const struct segment_code strange = { .state = SEGMENT_CODE_STRANGE };
	uint64_t n = s->end - s->start, at = 0, counter, counter_end;
	const uint8_t *code = n && symbols ? symbols_code_bytes(symbols, s->start, n) : NULL;
	struct segment_code found = { 0 };
	int was_jump = 0;

	if (n && !code)
		return gone;
	counter_place(s, &counter, &counter_end);
	if (s->counter && symbols && !has_counter_there(symbols, s))
		return gone;
	while (at < n) {
		uint64_t left = (at < counter ? counter : n) - at;
		struct instruction is;

		if (at == counter) {
			at = counter_end;
			continue;
		}
		if (instruction_read(code + at, left, s->start + at, &is))
			return strange;
		if (!is.is_nop) {
			found.n_instructions++;
			found.has_jumps |= was_jump;
			was_jump = is.kind != INSTRUCTION_NEXT;
			if (visit)
				visit(arg, &is);
		}
		at += is.length;
	}
	return found;
}

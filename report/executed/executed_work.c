/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executed_work.h"

#include <stdlib.h>
#include <string.h>

#include "arch/machine_code.h"

struct function_code {
	const struct segment *list;
	size_t n;
};

static int is_within(const struct function_code *function, uint64_t address)
{
	for (size_t i = 0; i < function->n; i++)
		if (address >= function->list[i].start && address < function->list[i].end)
			return 1;
	return 0;
}

/* The bytes of one instruction, and nothing of those before it. */
static int is_call(const uint8_t *code, size_t n)
{
	uint8_t alone[MACHINE_CALL_BYTES] = { 0 };

	if (n > sizeof(alone))
		return 0;
	memcpy(alone + sizeof(alone) - n, code, n);
	return code_ends_with_call(alone);
}

/* How many of the segment's instructions lead out of the function, or may. */
static uint64_t ways_out_of(const struct function_code *function, const struct segment *s,
			    const struct symbols *symbols)
{
	size_t n = (size_t)(s->end - s->start), found = 0;
	const uint8_t *code = n ? symbols_code_bytes(symbols, s->start, n) : NULL;

	for (size_t at = 0; at < n;) {
		struct instruction is;

		if (!code || instruction_read(code + at, n - at, s->start + at, &is))
			return 1;
		if (is.kind == INSTRUCTION_NEXT)
			found += is_call(code + at, is.length) != 0;
		else if (is.kind != INSTRUCTION_END)
			found += is.kind == INSTRUCTION_ANYWHERE || !is_within(function, is.target);
		at += is.length;
	}
	return found;
}

static void add(struct executed_work *work, const struct executed *executed,
		const struct executed_function *f)
{
	struct function_code function;

	work->is_known &= f->verdict == EXECUTED_KNOWN && !f->is_estimate && f->counts &&
			  !__builtin_add_overflow(work->instructions, f->instructions, &work->instructions);
	if (!work->is_known)
		return;
	function.list = executed_segments(executed, f, &function.n);
	for (size_t i = 0; i < function.n; i++)
		if (f->counts[i] &&
		    ways_out_of(&function, &function.list[i], executed->images[f->image].symbols))
			work->ways_out += f->counts[i];
}

/* Both names tell functions apart in other ways: the line of one that has no table differs. */
static void put_key(struct strbuf *key, const struct entity *entity)
{
	strbuf_clear(key);
	strbuf_printf(key, "%s\n%s\n%s", entity->assembler, entity->module ? entity->module : "",
		      entity->file ? util_basename(entity->file) : "");
}

struct executed_work *executed_work_make(const struct executed *executed, struct names *names)
{
	struct map keys = { 0 };
	STRBUF(key);
	struct executed_work *of_key, *work;
	int is_new;

	if (!executed->n_counting || executed->n_lost || executed->n_stopped ||
	    executed->n_counting < executed->n_files)
		return NULL;
	of_key = xcalloc(executed->n_functions + 1, sizeof(*of_key));
	for (size_t i = 0; i < executed->n_functions; i++) {
		const struct executed_function *f = &executed->functions[i];
		size_t number;

		put_key(&key, &executed->names->list[f->entity]);
		number = map_add(&keys, key.text, key.length, &is_new);
		of_key[number].is_known |= is_new;
		add(&of_key[number], executed, f);
	}
	work = xcalloc(names->keys.n + 1, sizeof(*work));
	for (size_t i = 0; i < names->keys.n; i++) {
		size_t number;

		if (!names->list[i].file)
			names_resolve(names, (uint32_t)i);
		put_key(&key, &names->list[i]);
		number = map_find(&keys, key.text, key.length);
		if (number != MAP_NONE)
			work[i] = of_key[number];
	}
	map_release(&keys);
	free(of_key);
	return work;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot_code.c - see hot_code.h. */
#include "hot_code.h"

#include <stdlib.h>
#include <string.h>

#include "arch/instruction.h"
#include "arch/operation.h"
#include "call_place.h"
#include "lib/array.h"
#include "names/system_paths.h"
#include "selection/just_my_code.h"

#define CODE_MOST 65536	 /* bytes of a function: larger ones are not looked at */
#define BEHIND_LOCKED 4	 /* instructions, with the locked one */
#define SOON_BEHIND 12	 /* ... that may read again what it has written */
#define SAMPLES_LEAST 20 /* of a function: fewer tell nothing of its code */

/* A function's machine code, and the samples in it. */
struct code {
	struct names *names;
	struct symbols *symbols;
	const uint8_t *bytes;
	size_t n;
	uint64_t begin;
	struct code_sample *samples;
	size_t n_samples;
	uint64_t taken; /* samples */
	uint64_t sum;	/* ms that they stand for */
};

static int code_read(struct code *code, const struct computing *computing, uint32_t entity)
{
	struct profile *profile = computing->graph.profile;
	const struct entity *e = call_graph_entity(&computing->graph, entity);

	*code = (struct code){ .names = profile->names };
	code->symbols = e->address && e->image ? names_symbols_later(profile->names, entity) : NULL;
	if (!code->symbols || symbols_code(code->symbols, e->address, &code->begin, &code->bytes, &code->n) ||
	    code->n > CODE_MOST)
		return -1;
	code->samples = code_samples_in(&profile->code, e->image, code->begin, code->begin + code->n,
					&code->n_samples);
	for (size_t i = 0; i < code->n_samples; i++) {
		code->taken += code->samples[i].n;
		code->sum += code->samples[i].ms;
	}
	return 0;
}

static uint64_t samples_between(const struct code *code, uint64_t begin, uint64_t end)
{
	uint64_t n = 0;

	for (size_t i = 0; i < code->n_samples; i++)
		if (code->samples[i].address >= begin && code->samples[i].address < end)
			n += code->samples[i].ms;
	return n;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static int is_alike(const struct code_loop *a, const struct code_loop *b)
{
	return code_loop_is_strided(a) == code_loop_is_strided(b) && !a->chase_at == !b->chase_at &&
	       !a->locked_at == !b->locked_at;
}

static uint64_t samples_in_loop(const struct code *code, const struct code_loop *loop)
{
	return samples_between(code, loop->begin, loop->end);
}

/* Tells whether the loop follows pointers, in code of the program itself. */
static int is_own_chase(const struct code *code, const struct code_loop *loop)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];

	return loop->chase_at && symbols_frames(code->symbols, loop->chase_at, frames, SYMBOL_FRAMES_MAX) &&
	       frames[0].file && !system_code_is_header(frames[0].file);
}

/* Returns the loop with half of the samples, or the most sampled one of those that follow pointers,
 * if these have half together: a function may be inlined several times. NULL: there is none. */
static const struct code_loop *sampled_loop(const struct code *code, const struct code_loops *loops)
{
	const struct code_loop *most = NULL;
	uint64_t chasing = 0;

	for (size_t i = 0; i < loops->n; i++)
		if (2 * samples_in_loop(code, &loops->list[i]) >= code->sum)
			return &loops->list[i];
	for (size_t i = 0; i < loops->n; i++) {
		if (!is_own_chase(code, &loops->list[i]))
			continue;
		chasing += samples_in_loop(code, &loops->list[i]);
		if (!most || samples_in_loop(code, &loops->list[i]) > samples_in_loop(code, most))
			most = &loops->list[i];
	}
	return 2 * chasing >= code->sum ? most : NULL;
}

static const struct code_loop *deepest_loop(const struct code_loops *loops)
{
	const struct code_loop *deepest = NULL;

	for (size_t i = 0; i < loops->n; i++)
		if (!deepest || loops->list[i].depth > deepest->depth)
			deepest = &loops->list[i];
	for (size_t i = 0; i < loops->n; i++)
		if (loops->list[i].depth == deepest->depth && !is_alike(&loops->list[i], deepest))
			return NULL;
	return deepest;
}

static void find_loop(struct hot_code *hot, const struct code *code)
{
	struct code_loops loops;
	const struct code_loop *loop;

	if (code_loops_make(&loops, code->bytes, code->n, code->begin))
		return;
	loop = hot->samples ? sampled_loop(code, &loops) : deepest_loop(&loops);
	hot->has_loop = loop != NULL;
	if (loop)
		hot->loop = *loop;
	code_loops_release(&loops);
}

/* ---- locked instructions --------------------------------------------------------------------- */

static int is_same_address(const struct operation_address *a, const struct operation_address *b)
{
	return a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->displacement == b->displacement;
}

static uint64_t samples_once(const struct code *code, const struct instruction *is, uint8_t *counted)
{
	uint64_t offset = is->address - code->begin;

	if (counted[offset])
		return 0;
	counted[offset] = 1;
	return samples_between(code, is->address, is->address + is->length);
}

/*
 * Returns the samples of a locked instruction: at it, at the next ones that are executed, and
 * behind others that soon read what it has written, as they wait for the same memory. `counted`,
 * by offset in the code: what was returned before.
 */
static uint64_t samples_behind(const struct code *code, uint64_t at, uint8_t *counted)
{
	struct operation_address locked = { OPERATION_NONE, OPERATION_NONE, 0, 0 };
	uint64_t n = 0;
	int is_behind = 0, is_known = 1;

	for (int i = 0; i < SOON_BEHIND && at - code->begin < code->n; i++) {
		size_t offset = at - code->begin;
		struct instruction is;
		struct operation o;

		if (instruction_read(code->bytes + offset, code->n - offset, at, &is))
			break;
		if (i < BEHIND_LOCKED || is_behind)
			n += samples_once(code, &is, counted);
		is_behind = 0;
		if (!operation_read(code->bytes + offset, is.length, &o)) {
			locked = i ? locked : o.address;
			is_behind = is_known && o.is_memory && is_same_address(&o.address, &locked);
			is_known &= locked.base == OPERATION_NONE || !(o.writes >> locked.base & 1);
		}
		if (is.kind == INSTRUCTION_ANYWHERE || is.kind == INSTRUCTION_END)
			break;
		at = is.kind == INSTRUCTION_JUMP ? is.target : at + is.length;
	}
	return n;
}

/* Reads an instruction. What is unknown is taken for one that does nothing, a byte long. */
static size_t read_at(const struct code *code, uint64_t address, struct operation *operation)
{
	size_t at = address - code->begin;
	struct instruction instruction;

	*operation = (struct operation){ 0 };
	if (instruction_read(code->bytes + at, code->n - at, address, &instruction) ||
	    operation_read(code->bytes + at, instruction.length, operation))
		return 1;
	return instruction.length;
}

/*
 * A sample has the address of an instruction that had not ended: where a locked one waits, it is
 * that one or one of the next, which are under way meanwhile.
 */
static void find_locked(struct hot_code *hot, const struct code *code)
{
	uint8_t *counted = xcalloc(code->n + 1, 1);
	struct operation operation;
	uint64_t most = 0, n;
	size_t length;

	for (uint64_t at = code->begin; at < code->begin + code->n; at += length) {
		length = read_at(code, at, &operation);
		if (!operation.is_locked)
			continue;
		n = samples_behind(code, at, counted);
		hot->locked += n;
		if (n > most) {
			hot->locked_at = at;
			most = n;
		}
	}
	free(counted);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Such an instruction is under way for as long as it copies. */
static void find_copies(struct hot_code *hot, const struct code *code)
{
	struct operation operation;
	uint64_t most = 0, n;
	size_t length;

	for (uint64_t at = code->begin; at < code->begin + code->n; at += length) {
		length = read_at(code, at, &operation);
		n = operation.is_copy ? samples_between(code, at, at + length) : 0;
		hot->copied += n;
		if (n > most) {
			hot->copied_at = at;
			most = n;
		}
	}
}

/* ---- divisions ------------------------------------------------------------------------------- */

/* Adds up the samples at divisions. The instruction behind a division counts as one: it waits for
 * the result, and has samples for that. */
static void find_divisions(struct hot_code *hot, const struct code *code)
{
	struct operation operation;
	int is_behind = 0;
	size_t length;

	for (uint64_t at = code->begin; at < code->begin + code->n; at += length) {
		length = read_at(code, at, &operation);
		if (operation.is_division || is_behind)
			hot->divided += samples_between(code, at, at + length);
		is_behind = operation.is_division;
	}
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A function of the program that was inlined, or the function itself. */
struct inlined {
	const char *name;
	uint64_t samples, most, most_at;
};

struct inlined_list {
	struct inlined *list;
	size_t n, size;
};

static void add_inlined(struct inlined_list *list, const char *name, const struct code_sample *sample)
{
	size_t i = 0;

	while (i < list->n && strcmp(list->list[i].name, name))
		i++;
	if (i == list->n) {
		ARRAY_ROOM(list->list, list->n, list->size, 8);
		list->list[list->n++] = (struct inlined){ .name = name };
	}
	list->list[i].samples += sample->ms;
	if (sample->ms > list->list[i].most) {
		list->list[i].most = sample->ms;
		list->list[i].most_at = sample->address;
	}
}

static void find_inlined(struct hot_code *hot, const struct code *code)
{
	struct inlined_list list = { 0 };
	const struct inlined *most = NULL;

	for (size_t i = 0; i < code->n_samples; i++) {
		struct symbol_frame frames[SYMBOL_FRAMES_MAX];
		size_t n = symbols_frames(code->symbols, code->samples[i].address, frames, SYMBOL_FRAMES_MAX);
		size_t own = call_place_own_frame(frames, n);

		if (own < n && frames[own].name)
			add_inlined(&list, frames[own].name, &code->samples[i]);
	}
	for (size_t i = 0; i < list.n; i++)
		if (!most || list.list[i].samples > most->samples)
			most = &list.list[i];
	if (most) {
		hot->most_at = most->most_at;
		hot->is_inlined = 2 * most->samples >= hot->samples;
	}
	free(list.list);
}

static const char *shown(struct names *names, const struct symbol_frame *frame)
{
	char *text = names_shown(frame->name, frame->decl_file, frame->decl_line);
	const char *kept = map_keep(&names->strings, text);

	free(text);
	return kept;
}

void code_place_find(struct code_place *place, const struct computing *computing, uint32_t entity,
		     uint64_t address)
{
	struct names *names = computing->graph.profile->names;
	struct symbols *symbols = names_symbols_later(names, entity);
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = symbols ? symbols_frames(symbols, address, frames, SYMBOL_FRAMES_MAX) : 0;
	size_t own = call_place_own_frame(frames, n);

	*place = (struct code_place){ 0 };
	if (own == n)
		return;
	place->file = map_keep(&names->strings, frames[own].file);
	place->line = frames[own].line;
	if (frames[own].is_inlined && own + 1 < n)
		place->inlined = shown(names, &frames[own]);
	if (frames[own].name)
		place->own = map_keep(&names->strings, frames[own].name);
	if (own > 0 && frames[own - 1].name) {
		place->header = shown(names, &frames[own - 1]);
		place->operation = map_keep(&names->strings, frames[own - 1].name);
	}
}

int hot_code_places(struct hot_code_places *places, const struct computing *computing, uint32_t entity)
{
	struct code code;
	int failed = code_read(&code, computing, entity);

	*places = (struct hot_code_places){ 0 };
	if (failed || code.taken < SAMPLES_LEAST) {
		if (!failed)
			free(code.samples);
		return -1;
	}
	places->list = xcalloc(code.n_samples, sizeof(*places->list));
	places->n = code.n_samples;
	places->ms = code.sum;
	for (size_t i = 0; i < places->n; i++) {
		places->list[i].ms = code.samples[i].ms;
		code_place_find(&places->list[i].place, computing, entity, code.samples[i].address);
	}
	free(code.samples);
	return 0;
}

void hot_code_places_release(struct hot_code_places *places)
{
	free(places->list);
	*places = (struct hot_code_places){ 0 };
}

int hot_code_find(struct hot_code *hot, const struct computing *computing, uint32_t entity)
{
	struct code code;
	int failed = code_read(&code, computing, entity);

	*hot = (struct hot_code){ 0 };
	if (failed)
		return -1;
	hot->samples = code.taken >= SAMPLES_LEAST ? code.sum : 0;
	find_loop(hot, &code);
	if (hot->samples) {
		find_locked(hot, &code);
		find_copies(hot, &code);
		find_divisions(hot, &code);
		find_inlined(hot, &code);
	}
	free(code.samples);
	return 0;
}

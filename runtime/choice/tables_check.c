/* SPDX-License-Identifier: MIT */
/*
 * tables_check.c - finds a module's tables and checks all of them before use.
 *
 * Files are changed after they were linked: patchelf moves the notes, BOLT moves the code, strip
 * removes either, disks err. So only data that the loader had to trust, too, are trusted here: each
 * address is looked up in the module's segments before it is read. A table that violates abi.h
 * makes the whole module unusable: other parts of the file may be damaged as well.
 *
 * Called in the module's constructor, under the lock of patch.c, before its sleds are patched.
 */
#include "tables.h"

/* More than that is no names of functions and files. */
#define STRINGS_MAX (1ull << 30)
/* what a tool that leads functions elsewhere writes over a sled, and a debugger */
#define JUMP_OPCODE 0xe9
#define BREAKPOINT_OPCODE 0xcc

struct check {
	struct module *module;
	const ElfW(Phdr) * strings, *text; /* segments: the strings'; that of the sled before */
	uint8_t *sleds, *enters;	   /* a bit for each aligned word of the text */
	uint64_t n_words;
	uint64_t lowest, highest; /* sleds */
	enum tables_fault fault;
};

/* The table at hand. */
struct state {
	const struct cinstr_abi_table *table;
	uint64_t last_sled;
	uint64_t entry; /* of the function at hand */
	uint32_t sum;
	uint32_t last_kind; /* of the group's sleds; 0: none yet */
	int in_group;
};

/* ---- finding the notes ----------------------------------------------------------------------- */

static int is_ours(const struct note *note)
{
	return (note->type == CINSTR_NOTE_TABLE || note->type == CINSTR_NOTE_HOOK ||
		note->type == CINSTR_NOTE_SEGMENTS || note->type == CINSTR_NOTE_SEGMENTS_SUM) &&
	       note_is(note, CINSTR_NOTE_NAME, sizeof(CINSTR_NOTE_NAME));
}

/* Is there something at `at` that is nearly one of ours? Those of cinstr.h are not. */
static int was_ours(const char *at, const char *end)
{
	const uint32_t *header = (const void *)at;
	const char *name = at + sizeof(ElfW(Nhdr));
	int n;

	if ((uint64_t)(end - at) < sizeof(ElfW(Nhdr)) + sizeof(CINSTR_NOTE_NAME) ||
	    header[2] == CINSTR_NOTE_API)
		return 0;
	n = header[0] == sizeof(CINSTR_NOTE_NAME);
	n += header[2] == CINSTR_NOTE_TABLE || header[2] == CINSTR_NOTE_HOOK ||
	     header[2] == CINSTR_NOTE_SEGMENTS || header[2] == CINSTR_NOTE_SEGMENTS_SUM;
	n += string_equal(name, CINSTR_NOTE_NAME);
	return n >= 2;
}

/*
 * Ours within [at, end): from the first one to the end of the last. Notes of other sections may
 * stand before and behind them, and anything where strip has removed some.
 */
static enum tables_fault find_range(struct module *module, const char *at, const char *end)
{
	const char *last = NULL;
	struct note note;

	while (at < end) {
		if (!note_read(at, end, 4, &note) || !is_ours(&note)) {
			if (was_ours(at, end))
				return TABLES_DAMAGED;
			at += 4;
			continue;
		}
		if (!last)
			module->notes = at;
		last = at = note.end;
	}
	if (!last)
		return TABLES_ABSENT;
	module->notes_bytes = (size_t)(last - module->notes);
	return TABLES_SOUND;
}

static enum tables_fault find_notes(struct module *module)
{
	struct note_segments segments = { .image = &module->image };
	enum tables_fault fault = TABLES_ABSENT;

	while (fault == TABLES_ABSENT && image_next_notes(&segments))
		fault = find_range(module, segments.at, segments.end);
	return fault;
}

/* ---- what was moved -------------------------------------------------------------------------- */

static int has_hook(const struct module *module, const void *hook)
{
	const struct cinstr_abi_hook *data = hook;

	return !((uint64_t)hook & 3) && image_segment(&module->image, hook, sizeof(*data), PF_R) &&
	       data->magic == CINSTR_HOOK_MAGIC;
}

/* Its note says where the hook's data and code were from there when the program was linked, the
 * hook where they are. */
static enum tables_fault find_move(struct module *module, const void *hook, const void *code)
{
	const char *at = module->notes, *end = at + module->notes_bytes;
	enum tables_fault fault = TABLES_DAMAGED; /* there is no such note */
	struct note note;

	for (; at < end; at += 4) { /* a step of 4 finds each note */
		const struct cinstr_abi_hook_note *place;

		if (!note_read(at, end, 4, &note) || !is_ours(&note) || note.type != CINSTR_NOTE_HOOK ||
		    note.bytes != sizeof(*place))
			continue;
		place = (const void *)note.descriptor;
		module->notes_moved = 0;
		module->notes_moved = table_target(module, &place->data) - (const char *)hook;
		if (table_target(module, &place->code) == code)
			return TABLES_SOUND;
		fault = TABLES_CODE_MOVED;
	}
	return fault;
}

/*
 * BOLT moves functions into a segment of their own behind all others, and what unwinds them, too;
 * it may leave the hook, and others, where they are.
 */
static int has_code_behind(const struct check *check)
{
	const struct image *image = &check->module->image;
	uint64_t data = UINT64_MAX, code = 0, frames = 0;

	for (int i = 0; i < image->n; i++) {
		const ElfW(Phdr) *ph = image->headers + i;
		uint64_t at = image->base + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_W && !(ph->p_flags & PF_X))
			data = min_of(data, at);
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X && at > code)
			code = at;
		if (ph->p_type == PT_GNU_EH_FRAME)
			frames = at;
	}
	return code > data && frames > data && code > check->highest;
}

/* ---- strings --------------------------------------------------------------------------------- */

static enum tables_fault check_string(struct check *check, struct state *state, const cinstr_abi_ref *field)
{
	struct module *module = check->module;
	const char *start = table_target(module, field), *at = start, *end;
	const ElfW(Phdr) *ph = image_segment(&module->image, at, 1, PF_R);

	if (!check->strings)
		check->strings = ph;
	if (!ph || ph != check->strings)
		return TABLES_DAMAGED;
	end = (const char *)module->base + ph->p_vaddr + ph->p_filesz;
	module->strings_start = min_of(module->strings_start, (uint64_t)at);
	while (at < end && *at)
		at++;
	if (at == end)
		return TABLES_DAMAGED;
	if ((uint64_t)at >= module->strings_end)
		module->strings_end = (uint64_t)at + 1;
	state->sum = cinstr_abi_sum_word(state->sum, (uint32_t)(at - start));
	return TABLES_SOUND;
}

static enum tables_fault check_strings(struct check *check, struct state *state)
{
	const cinstr_abi_ref *fields[] = { &state->table->unit, &state->table->comp_dir };
	enum tables_fault fault = TABLES_SOUND;

	for (int i = 0; i < 2 && !fault; i++)
		if (*fields[i])
			fault = check_string(check, state, fields[i]);
		else
			state->sum = cinstr_abi_sum_word(state->sum, 0);
	for (uint32_t i = 0; i < state->table->n_refs && !fault; i++)
		fault = check_string(check, state, table_refs(state->table) + i);
	return fault;
}

/* ---- sleds ----------------------------------------------------------------------------------- */

static uint64_t word_at(const char *at, int n)
{
	uint64_t word = 0;

	for (int i = n; i-- > 0;)
		word = word << 8 | (uint8_t)at[i];
	return word;
}

/* Somebody may have been there before us: the sled is left alone then (patch.c). Jumps of the
 * program's own stay in its text. */
static int is_foreign(const struct module *module, const char *sled)
{
	uint64_t bytes = word_at(sled, ARCH_SLED_BYTES), to;

	if ((uint8_t)bytes == BREAKPOINT_OPCODE)
		return bytes >> 8 == (uint64_t)ARCH_SLED_NOP_WORD >> 8;
	to = (uint64_t)sled + ARCH_SLED_BYTES + (uint64_t)(int64_t)(int32_t)(bytes >> 8);
	return (uint8_t)bytes == JUMP_OPCODE && (to < module->text_start || to >= module->text_end);
}

static int is_in_segment(const struct module *module, const ElfW(Phdr) * ph, uint64_t at, uint64_t bytes)
{
	uint64_t offset = at - module->base - ph->p_vaddr;

	return offset <= ph->p_filesz && bytes <= ph->p_filesz - offset;
}

/* Takes the bit of the word; 0: it is taken. */
static int take_bit(uint8_t *bits, uint64_t word)
{
	uint8_t bit = (uint8_t)(1u << (word & 7)), was = bits[word >> 3];

	bits[word >> 3] |= bit;
	return !(was & bit);
}

static enum tables_fault check_sled(struct check *check, struct state *state, const char *sled, uint32_t kind)
{
	const struct module *module = check->module;
	uint64_t at = (uint64_t)sled, word = (at - module->text_start) >> 3;

	if (!check->text || !is_in_segment(module, check->text, at, ARCH_SLED_BYTES))
		check->text = image_segment(&module->image, sled, ARCH_SLED_BYTES, PF_X);
	if (!check->text || word >= check->n_words || (at & 7) + ARCH_SLED_BYTES > 8)
		return TABLES_CODE_MOVED;
	if (check->text->p_flags & PF_R && word_at(sled, ARCH_SLED_BYTES) != ARCH_SLED_NOP_WORD &&
	    !is_foreign(module, sled))
		return TABLES_CODE_MOVED;
	if (at <= state->last_sled || !take_bit(check->sleds, word))
		return TABLES_DAMAGED;
	if (kind == CINSTR_REC_ENTER && (at != state->entry || !take_bit(check->enters, word)))
		return TABLES_DAMAGED;
	state->last_sled = at;
	check->lowest = min_of(check->lowest, at);
	if (at > check->highest)
		check->highest = at;
	return TABLES_SOUND;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Is the payload the number of a string? 1: yes; 2: or NO_REF; 0: no. */
static int refers(uint32_t kind)
{
	switch (kind) {
	case CINSTR_REC_FUNCTION:
	case CINSTR_REC_LEFT_OUT:
	case CINSTR_REC_INLINED:
		return 1;
	case CINSTR_REC_ENTRY:
	case CINSTR_REC_LINE:
	case CINSTR_REC_ACTION:
	case CINSTR_REC_BEFORE:
	case CINSTR_REC_TAIL:
		return 2;
	default:
		return 0;
	}
}

/* Does what the record says by itself make sense? */
static int is_record(const struct state *state, const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info), payload = CINSTR_REC_PAYLOAD(record->info);
	int ref = refers(kind);

	if (ref && payload >= state->table->n_refs && !(ref == 2 && payload == CINSTR_REC_NO_REF))
		return 0;
	switch (kind) {
	case CINSTR_REC_LEFT_OUT:
		return record->offset >= CINSTR_LEFT_OUT_ATTRIBUTE &&
		       record->offset <= CINSTR_LEFT_OUT_SYSTEM;
	case CINSTR_REC_ACTION:
		return record->offset >= CINSTR_ACTION_START && record->offset <= CINSTR_ACTION_QUIET_END;
	default:
		return kind && kind != 7 && kind != 8;
	}
}

/* Does it stand where abi.h says? next: the record behind it, NULL: it is the last one. */
static int is_in_place(struct state *state, uint32_t kind, const struct cinstr_abi_record *next)
{
	int was_in_group = state->in_group;

	switch (kind) {
	case CINSTR_REC_FUNCTION:
		state->in_group = 1;
		state->last_kind = 0;
		return next && CINSTR_REC_KIND(next->info) == CINSTR_REC_ENTRY;
	case CINSTR_REC_LEFT_OUT:
		state->in_group = 0;
		return 1;
	case CINSTR_REC_ENTRY: /* behind its FUNCTION, which ends the group before */
		return was_in_group && !state->last_kind;
	case CINSTR_REC_LINE:
	case CINSTR_REC_INLINED:
	case CINSTR_REC_ACTION:
		return was_in_group && state->last_kind;
	case CINSTR_REC_AFTER:
		return was_in_group && state->last_kind == CINSTR_REC_BEFORE;
	default:
		return was_in_group;
	}
}

static enum tables_fault check_record(struct check *check, struct state *state,
				      const struct cinstr_abi_record *record,
				      const struct cinstr_abi_record *next)
{
	uint32_t kind = CINSTR_REC_KIND(record->info);

	if (!is_record(state, record) || !is_in_place(state, kind, next))
		return TABLES_DAMAGED;
	state->sum = cinstr_abi_sum_record(state->sum, record->offset, record->info);
	if (kind == CINSTR_REC_ENTRY)
		state->entry = (uint64_t)table_entry(check->module, record);
	if (kind <= 8)
		return TABLES_SOUND;
	state->last_kind = kind;
	return check_sled(check, state, table_sled(check->module, state->table, record), kind);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static enum tables_fault check_header(const struct cinstr_abi_table *table, uint32_t bytes)
{
	uint64_t whole = sizeof(*table);

	if (bytes < whole)
		return TABLES_DAMAGED;
	if (table->abi != CINSTR_ABI_VERSION || table->flags & ~(uint32_t)CINSTR_TABLE_READS_CODE)
		return TABLES_OTHER_ABI;
	whole += (uint64_t)table->n_refs * sizeof(cinstr_abi_ref) +
		 (uint64_t)table->n_records * sizeof(struct cinstr_abi_record);
	return whole == bytes ? TABLES_SOUND : TABLES_DAMAGED;
}

static enum tables_fault check_table(struct check *check, const struct note *note)
{
	struct state state = { .table = (const void *)note->descriptor };
	enum tables_fault fault = check_header(state.table, note->bytes);
	const struct cinstr_abi_record *record, *end;

	if (!fault)
		fault = check_strings(check, &state);
	if (fault)
		return fault;
	record = table_records(state.table);
	end = record + state.table->n_records;
	for (; record < end && !fault; record++)
		fault = check_record(check, &state, record, record + 1 < end ? record + 1 : NULL);
	if (!fault && state.table->checksum && state.table->checksum != cinstr_abi_sum_end(state.sum))
		fault = TABLES_DAMAGED;
	return fault;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* A counter whose bytes are not its own is found when it is switched on (segments.c). */
static enum tables_fault check_segment(const struct check *check, const struct cinstr_abi_segment *segment,
				       uint32_t counter_bytes)
{
	const struct module *module = check->module;
	const char *start = table_target(module, &segment->start), *end = table_target(module, &segment->end);
	const char *counter = table_target(module, &segment->counter);
	uint32_t reg = CINSTR_SEGMENT_REGISTER(segment->from);

	if (end < start)
		return TABLES_DAMAGED;
	if (!image_segment(&module->image, start, (uint64_t)(end - start), PF_X))
		return TABLES_CODE_MOVED;
	if (!segment->counter)
		return TABLES_SOUND;
	if ((uint64_t)counter & 1 || !ARCH_IS_COUNTER_REGISTER(reg))
		return TABLES_DAMAGED;
	if (CINSTR_SEGMENT_IS_LOOP(segment->to) && counter_bytes == CINSTR_COUNT_BYTES)
		return counter < start && image_segment(&module->image, counter, counter_bytes, PF_X)
			       ? TABLES_SOUND
			       : TABLES_DAMAGED;
	return counter >= start && counter <= end && end - counter >= counter_bytes ? TABLES_SOUND
										    : TABLES_DAMAGED;
}

static enum tables_fault check_segments(const struct check *check, const struct note *note)
{
	const struct cinstr_abi_segments *function = (const void *)note->descriptor;
	const struct cinstr_abi_segment *list = (const void *)(function + 1);
	enum tables_fault fault = TABLES_SOUND;

	if (note->bytes < sizeof(*function))
		return TABLES_DAMAGED;
	if (function->abi != CINSTR_ABI_VERSION)
		return TABLES_OTHER_ABI;
	if (note->bytes != sizeof(*function) + (uint64_t)function->n_segments * sizeof(*list))
		return TABLES_DAMAGED;
	for (uint32_t i = 0; i < function->n_segments && !fault; i++)
		fault = check_segment(check, &list[i],
				      note->type == CINSTR_NOTE_SEGMENTS_SUM ? CINSTR_COUNT_SUM_BYTES
									     : CINSTR_COUNT_BYTES);
	return fault;
}

/* Between the first and the last of ours there is nothing else. */
static enum tables_fault check_notes(struct check *check)
{
	const char *at = check->module->notes, *end = at + check->module->notes_bytes;
	enum tables_fault fault = TABLES_SOUND;
	struct note note;

	while (at < end && !fault) {
		if (!word_at(at, 4)) {
			at += 4;
			continue;
		}
		if (!note_read(at, end, 4, &note) || !is_ours(&note))
			return TABLES_DAMAGED;
		if (note.type == CINSTR_NOTE_TABLE)
			fault = check_table(check, &note);
		else if (note.type == CINSTR_NOTE_SEGMENTS || note.type == CINSTR_NOTE_SEGMENTS_SUM)
			fault = check_segments(check, &note);
		at = note.end;
	}
	return fault;
}

/* Once all sleds are known: each ENTRY names an enter sled. */
static void check_entries(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	struct check *check = data;

	for (uint32_t i = 0; i < table->n_records; i++) {
		const struct cinstr_abi_record *record = table_records(table) + i;
		uint64_t word;

		if (CINSTR_REC_KIND(record->info) != CINSTR_REC_ENTRY)
			continue;
		word = ((uint64_t)table_entry(module, record) - module->text_start) >> 3;
		if (word >= check->n_words || !(check->enters[word >> 3] >> (word & 7) & 1))
			check->fault = TABLES_DAMAGED;
	}
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void check_all(struct check *check)
{
	struct module *module = check->module;

	module->strings_start = UINT64_MAX;
	module->strings_end = 0;
	check->fault = check_notes(check);
	if (!check->fault)
		each_table(module, check_entries, check);
	if (!check->strings)
		module->strings_start = module->strings_end = module->base;
	if (module->strings_end - module->strings_start > STRINGS_MAX || module->notes_bytes > STRINGS_MAX)
		check->fault = TABLES_TOO_LARGE;
	if (!check->fault && has_code_behind(check))
		check->fault = TABLES_CODE_MOVED;
}

static enum tables_fault check_with_memory(struct module *module)
{
	struct check check = { .module = module, .lowest = UINT64_MAX };
	uint64_t bytes;
	uint8_t *memory;

	check.n_words = (module->text_end - module->text_start + 7) >> 3;
	bytes = (check.n_words >> 3) + 1;
	if (bytes > STRINGS_MAX)
		return TABLES_TOO_LARGE;
	memory = sys_memory(2 * bytes);
	if (sys_failed(memory))
		return TABLES_TOO_LARGE;
	check.sleds = memory;
	check.enters = memory + bytes;
	check_all(&check);
	sys_munmap(memory, 2 * bytes);
	return check.fault;
}

int tables_read_code(struct module *module)
{
	static const char *const words[] = { "leave", "change", NULL };
	const char *at, *end;
	struct note note;

	if (option_word(CINSTR_OPTION_CHECKED_CODE, words) == 1 || find_notes(module))
		return 0;
	at = module->notes;
	end = at + module->notes_bytes;
	for (; at < end; at = note.end) {
		const struct cinstr_abi_table *table;

		if (!note_read(at, end, 4, &note)) {
			note.end = at + 4;
			continue;
		}
		table = (const void *)note.descriptor;
		if (is_ours(&note) && note.type == CINSTR_NOTE_TABLE && note.bytes >= sizeof(*table) &&
		    table->flags & CINSTR_TABLE_READS_CODE)
			return 1;
	}
	return 0;
}

enum tables_fault tables_check(struct module *module, const void *hook, const void *code)
{
	int hooked = has_hook(module, hook);
	enum tables_fault fault = find_notes(module);

	if (fault)
		return fault == TABLES_ABSENT && hooked ? TABLES_REMOVED : fault;
	image_text(&module->image, &module->text_start, &module->text_end);
	module->text_start &= ~7ull;
	if (module->text_end <= module->text_start)
		return TABLES_DAMAGED;
	fault = hooked ? find_move(module, hook, code) : TABLES_SOUND;
	return fault ? fault : check_with_memory(module);
}

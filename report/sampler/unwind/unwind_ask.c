/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_ask.c - libunwind through its remote interface. See internal.h.
 *
 * It works in link addresses of one image: nothing depends on the process. It is asked in two ways.
 * In a real step it gets the registers and the copied stack. To learn a rule it gets marks instead:
 * a register holds mark(register), memory mark(32 + number of the reading), and these are so far
 * apart that the answer tells what was computed from what. Two rounds with marks that are
 * differently aligned show what is no mere sum (as an aligned stack is).
 *
 * All it reads of the image comes through access_mem(), which ends it after some time: the file may
 * make it run in circles.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "machine_libunwind.h"
#include "lib/util.h"

/* libunwind exports it, without a declaration, for those who have tables of other processes (perf
 * does this, too). */
extern int MACHINE_SEARCH_UNWIND_TABLE(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);

#define READS_MAX 100000
#define MARKED_READINGS 24

struct question {
	struct image *image;
	uint64_t pc;
	const struct registers *registers; /* NULL: marks */
	const struct stack *stack;
	uint64_t salt;			    /* marks: */
	uint64_t readings[MARKED_READINGS]; /* addresses */
	size_t n_readings;
	size_t n_reads;
	int is_found; /* there is unwind information */
};

struct asker {
	unw_addr_space_t space;
	unw_accessors_t accessors;
};

const uint8_t saved_registers[MACHINE_N_SAVED] = MACHINE_SAVED_REGISTERS;

/* ---- marks ----------------------------------------------------------------------------------- */

enum { MARK_MEMORY = 32, MARK_NONE = 255 };

static uint64_t mark(const struct question *q, unsigned int what)
{
	return (uint64_t)(0x40 + what) << 48 | 1ull << 40 | q->salt;
}

/* Which mark a value was made of, and what was added to it. */
static unsigned int unmark(const struct question *q, uint64_t value, int32_t *added)
{
	uint64_t what = (value >> 48) - 0x40;
	int64_t difference;

	if (what >= MARK_MEMORY + MARKED_READINGS)
		return MARK_NONE;
	difference = (int64_t)(value - mark(q, (unsigned int)what));
	*added = (int32_t)difference;
	return *added == difference ? (unsigned int)what : MARK_NONE;
}

static int read_mark(struct question *q, uint64_t address, uint64_t *value)
{
	size_t i = 0;

	while (i < q->n_readings && q->readings[i] != address)
		i++;
	if (i == MARKED_READINGS)
		return -UNW_EUNSPEC;
	if (i == q->n_readings)
		q->readings[q->n_readings++] = address;
	*value = mark(q, MARK_MEMORY + (unsigned int)i);
	return 0;
}

/* ---- what libunwind calls -------------------------------------------------------------------- */

static int access_mem(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *arg)
{
	struct question *q = arg;

	(void)space;
	if (write || ++q->n_reads > READS_MAX)
		return -UNW_EINVAL;
	if (q->registers && !stack_read(q->stack, address, value))
		return 0;
	*value = 0;
	if (image_unwind_read(q->image, address, value, sizeof(*value)))
		return 0;
	if (q->registers)
		return -UNW_EUNSPEC;
	return read_mark(q, address, value);
}

static int access_reg(unw_addr_space_t space, unw_regnum_t n, unw_word_t *value, int write, void *arg)
{
	struct question *q = arg;

	(void)space;
	if (write || n < 0 || n > MACHINE_IP)
		return -UNW_EBADREG;
	if (n == MACHINE_IP)
		*value = q->pc;
	else if (!q->registers)
		*value = mark(q, (unsigned int)n);
	else if (q->registers->known >> n & 1)
		*value = q->registers->value[n];
	else
		return -UNW_EBADREG;
	return 0;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t n, unw_fpreg_t *value, int write, void *arg)
{
	(void)space, (void)n, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

/* libunwind has two ways to say what the functions' addresses in a table are relative to; it
 * insists on start_ip <= ip. */
static int search(unw_addr_space_t space, unw_word_t ip, const struct frames_table *table,
		  unw_proc_info_t *info, int need, void *arg)
{
	int is_one_base = table->function_base == table->segment_base;
	unw_dyn_info_t di = {
		.start_ip = is_one_base ? 0 : table->function_base,
		.end_ip = ~0ull,
		.format = is_one_base ? UNW_INFO_FORMAT_REMOTE_TABLE : UNW_INFO_FORMAT_IP_OFFSET,
		.u.rti = { .segbase = table->segment_base,
			   .table_data = table->entries,
			   .table_len = table->n },
	};

	if (ip < di.start_ip || ip >= di.end_ip)
		return -UNW_ENOINFO;
	memset(info, 0, sizeof(*info));
	if (MACHINE_SEARCH_UNWIND_TABLE(space, ip, &di, info, need, arg))
		return -UNW_ENOINFO;
	/* A table that leads to something else than a function's information: it would be an
	 * assertion's end. */
	return need && !info->unwind_info ? -UNW_ENOINFO : 0;
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need, void *arg)
{
	struct question *q = arg;

	for (int kind = 0; kind < N_FRAMES; kind++) {
		const struct frames_table *table = image_frames(q->image, kind);

		if (table && !search(space, ip, table, info, need, arg)) {
			q->is_found = 1;
			return 0;
		}
	}
	return -UNW_ENOINFO;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
	(void)space, (void)info, (void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t space, unw_word_t *address, void *arg)
{
	(void)space, (void)address, (void)arg;
	return -UNW_ENOINFO;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t address, char *name, size_t n, unw_word_t *offset,
			 void *arg)
{
	(void)space, (void)address, (void)name, (void)n, (void)offset, (void)arg;
	return -UNW_EINVAL;
}

struct asker *asker_new(void)
{
	struct asker *asker = xcalloc(1, sizeof(*asker));

	asker->accessors = (unw_accessors_t){
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
	asker->space = unw_create_addr_space(&asker->accessors, 0);
	if (asker->space)
		unw_set_caching_policy(asker->space, UNW_CACHE_NONE);
	return asker;
}

void asker_release(struct asker *asker)
{
	if (asker && asker->space)
		unw_destroy_addr_space(asker->space);
	free(asker);
}

/* unw_step()'s answer; without unwind information it would guess: -UNW_ENOINFO then. */
static int step(struct asker *asker, struct question *q, unw_cursor_t *cursor)
{
	unw_proc_info_t info;
	int answer;

	if (!asker->space || unw_init_remote(cursor, asker->space, q))
		return -UNW_ENOINFO;
	if (find_proc_info(asker->space, q->pc, &info, 0, q))
		return -UNW_ENOINFO;
	answer = unw_step(cursor);
	return answer;
}

/* ---- real steps ------------------------------------------------------------------------------ */

int asker_step(struct asker *asker, struct image *image, uint64_t pc, struct registers *registers,
	       const struct stack *stack)
{
	struct question q = { .image = image, .pc = pc, .registers = registers, .stack = stack };
	struct registers next = { .known = 0 };
	unw_cursor_t cursor;
	int answer = step(asker, &q, &cursor);

	if (answer <= 0)
		return answer < 0 ? -1 : 0;
	for (int n = 0; n <= MACHINE_IP; n++)
		if (!unw_get_reg(&cursor, n, &next.value[n]))
			next.known |= 1u << n;
	*registers = next;
	return 1;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* 0: it is a sum of a register or a word of memory at such a sum. */
static int cfa_of(const struct question *q, uint64_t cfa, struct rule *rule)
{
	unsigned int what = unmark(q, cfa, &rule->cfa_offset);

	if (what >= MARK_MEMORY && what != MARK_NONE) {
		rule->cfa_in_memory = 1;
		rule->cfa_add = rule->cfa_offset;
		what = unmark(q, q->readings[what - MARK_MEMORY], &rule->cfa_offset);
	}
	rule->cfa_register = (uint8_t)what;
	return what < MACHINE_IP ? 0 : -1;
}

/* Where the value of register n was read. */
static int place_of(const struct question *q, unsigned int n, uint64_t value, uint64_t cfa,
		    struct place *place)
{
	int32_t added = 0;
	unsigned int what = unmark(q, value, &added);
	uint64_t address;

	if (what == n && !added) {
		place->base = PLACE_SAME;
		return 0;
	}
	if (what < MARK_MEMORY || what == MARK_NONE || added)
		return -1;
	address = q->readings[what - MARK_MEMORY];
	place->offset = (int32_t)(address - cfa);
	place->base = PLACE_CFA;
	if ((int64_t)(address - cfa) == place->offset)
		return 0;
	what = unmark(q, address, &place->offset);
	place->base = (uint8_t)what;
	return what < MACHINE_IP ? 0 : -1;
}

static int rule_of(const struct question *q, unw_cursor_t *cursor, struct rule *rule)
{
	unw_word_t cfa, value;

	if (unw_get_reg(cursor, UNW_REG_SP, &cfa) || cfa_of(q, cfa, rule))
		return -1;
	for (int i = 0; i < MACHINE_N_SAVED; i++) {
		if (unw_get_reg(cursor, saved_registers[i], &value))
			rule->saved[i].base = PLACE_UNKNOWN;
		else if (place_of(q, saved_registers[i], value, cfa, &rule->saved[i]))
			return -1;
	}
	return 0;
}

static void learn(struct asker *asker, struct question *q, struct rule *rule)
{
	unw_cursor_t cursor;
	int answer = step(asker, q, &cursor);

	memset(rule, 0, sizeof(*rule));
	if (answer < 0)
		rule->kind = q->is_found ? RULE_ASK : RULE_NONE;
	else if (answer == 0)
		rule->kind = RULE_END;
	else
		rule->kind = rule_of(q, &cursor, rule) ? RULE_ASK : RULE_STEP;
}

void asker_learn(struct asker *asker, struct image *image, uint64_t pc, struct rule *rule)
{
	struct question first = { .image = image, .pc = pc, .salt = 8 };
	struct question second = { .image = image, .pc = pc, .salt = 64 };
	struct rule again;

	learn(asker, &first, rule);
	if (rule->kind != RULE_STEP)
		return;
	learn(asker, &second, &again);
	if (memcmp(rule, &again, sizeof(again)))
		rule->kind = RULE_ASK;
}

/* SPDX-License-Identifier: MIT */
/*
 * timeline_watch.c - CINSTR_KEEP_SLOWEST: finds the calls of the named functions that took longer
 * than the given time, in the records of a buffer. The functions are found by name when their
 * module is added; their open activations are kept from buffer to buffer, by code and stack
 * pointer, so that in recursion the right one ends.
 *
 * Ways out that are no exits (R15: exceptions, longjmp) end an activation at the next event that
 * proves it: one further out on the same stack. The runtime's own time is not counted; where
 * recording goes off, open activations are forgotten.
 */
#include "system/plain_name.h"
#include "tables.h"
#include "timeline_steps.h"

#define FUNCTIONS 1024 /* slots of the table, a power of two */
#define FUNCTIONS_MAX 512
#define STACK_SPAN (8u << 20) /* stack pointers further apart are on other stacks */

struct rule {
	char text[TIMELINE_RULE_TEXT]; /* FUNCTION:TIME, as it was given */
	uint32_t name_length;
	uint64_t ns;
};

static struct rule rules[TIMELINE_RULES];
static unsigned n_rules, n_functions;
static struct {
	uint32_t code; /* of the ENTER sled; 0: free */
	uint32_t rule;
} functions[FUNCTIONS];

/* ---- what is watched ------------------------------------------------------------------------- */

/* FUNCTION:TIME in text[0 .. length). Returns 0: it is not that. */
static int read_rule(const char *text, size_t length)
{
	struct rule *rule = &rules[n_rules];
	size_t name = length;

	while (name && text[name - 1] != ':') /* C++ names have colons, too */
		name--;
	if (name < 2 || length >= TIMELINE_RULE_TEXT || n_rules == TIMELINE_RULES)
		return 0;
	arch_copy(rule->text, text, length);
	rule->text[length] = '\0';
	rule->name_length = (uint32_t)name - 1;
	if (!option_read_time(rule->text + name, &rule->ns))
		return 0;
	n_rules++;
	return 1;
}

unsigned timeline_watch_init(void)
{
	const char *text = option_value(CINSTR_OPTION_KEEP_SLOWEST);

	while (*text) {
		size_t length = plain_name_glob_length(text);

		if (!read_rule(text, length) || (text[length] && !text[length + 1])) {
			option_complain(CINSTR_OPTION_KEEP_SLOWEST);
			n_rules = 0;
			break;
		}
		text += length + (text[length] == ',');
	}
	return n_rules;
}

static uint32_t slot_of(uint32_t code)
{
	return code * 0x9e3779b1u >> 22;
}

_Static_assert(FUNCTIONS == 1u << (32 - 22), "as many slots as hashes");

/* The constructors of modules, one at a time; threads read meanwhile: the code is stored last. */
static void watch_function(uint32_t code, uint32_t rule)
{
	uint32_t i = slot_of(code);

	if (n_functions == FUNCTIONS_MAX) {
		cinstr_say("CINSTR_KEEP_SLOWEST names too many functions; only the first are watched", NULL,
			   0);
		n_functions++;
	}
	if (n_functions > FUNCTIONS_MAX)
		return;
	while (functions[i].code && functions[i].code != code)
		i = (i + 1) % FUNCTIONS;
	if (functions[i].code)
		return;
	functions[i].rule = rule;
	atomic_store_release(&functions[i].code, code); /* rule_of */
	n_functions++;
}

static void watch_table(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const char *name = "";

	(void)data;
	for (uint32_t i = 0; i < table->n_records; i++) {
		const struct cinstr_abi_record *record = table_records(table) + i;
		uint32_t kind = CINSTR_REC_KIND(record->info);

		if (kind == CINSTR_REC_FUNCTION)
			name = table_string(module, table, CINSTR_REC_PAYLOAD(record->info));
		if (kind != CINSTR_REC_ENTER)
			continue;
		for (uint32_t r = 0; r < n_rules; r++) {
			if (plain_name_match(rules[r].text, rules[r].name_length, name)) {
				watch_function(code_of(module, table_sled(module, table, record)) |
						       CINSTR_EV_ENTER,
					       r);
				break;
			}
		}
	}
}

void timeline_watch_module(struct module *module)
{
	if (n_rules)
		each_table(module, watch_table, NULL);
}

/* Index of the function's rule; -1: it is not watched. */
static int rule_of(uint32_t code)
{
	for (uint32_t i = slot_of(code);; i = (i + 1) % FUNCTIONS) {
		uint32_t there = atomic_load_acquire(&functions[i].code);

		if (there == code)
			return (int)functions[i].rule;
		if (!there)
			return -1;
	}
}

/* ---- what happens ---------------------------------------------------------------------------- */

static void end_top(struct timeline_watch *w, struct timeline_slow *slowest)
{
	const struct timeline_watched *open = &w->open[--w->n];
	uint64_t ticks = w->time - w->own_ticks - open->ticks;
	int rule = rule_of(open->code);

	w->beyond = 0;
	if (rule < 0 || !cinstr.ticks_per_ns || ticks <= timeline_ticks(rules[rule].ns) ||
	    ticks <= slowest->ticks)
		return;
	*slowest = (struct timeline_slow){ open->begin, w->time, ticks, open->code, (uint32_t)rule };
}

/* Code runs with stack pointer `sp`: what lies below it on this stack is over. */
static void leave_dead(struct timeline_watch *w, uint32_t sp, struct timeline_slow *slowest)
{
	while (w->n && sp - w->open[w->n - 1].sp - 1 < STACK_SPAN)
		end_top(w, slowest);
}

static void open_call(struct timeline_watch *w, uint32_t code, uint32_t sp, uint32_t is_tailed)
{
	if (w->n == TIMELINE_WATCHED)
		w->beyond++;
	else
		w->open[w->n++] =
			(struct timeline_watched){ w->time, w->time - w->own_ticks, code, sp, is_tailed };
}

static void on_enter(struct timeline_watch *w, uint32_t code, uint32_t sp, struct timeline_slow *slowest)
{
	leave_dead(w, sp + 1, slowest); /* also what was where this one is now */
	if (rule_of(code) >= 0)
		open_call(w, code, sp, 0);
}

/* By a tail call: whoever made it stands in the same place, and ends with it; not so a function
 * that is there already. */
static void on_enter_tailed(struct timeline_watch *w, uint32_t code, uint32_t sp,
			    struct timeline_slow *slowest)
{
	uint32_t i;

	leave_dead(w, sp, slowest);
	for (i = w->n; i && w->open[i - 1].sp == sp; i--)
		if (w->open[i - 1].code == code) {
			while (w->n >= i)
				end_top(w, slowest);
			break;
		}
	if (w->n && w->open[w->n - 1].sp == sp)
		open_call(w, code, sp, 1);
	else if (rule_of(code) >= 0)
		open_call(w, code, sp, 0);
}

static void on_exit(struct timeline_watch *w, uint32_t sled, struct timeline_slow *slowest)
{
	uint32_t code = w->n ? timeline_owner(sled) : 0, i = w->n, is_tailed;

	if (!code || (rule_of(code) < 0 && w->open[w->n - 1].code != code))
		return;
	if (w->beyond) {
		w->beyond--;
		return;
	}
	while (i && w->open[i - 1].code != code)
		i--;
	is_tailed = i && w->open[i - 1].is_tailed;
	while (i && w->n >= i)
		end_top(w, slowest);
	while (is_tailed && w->n) {
		is_tailed = w->open[w->n - 1].is_tailed;
		end_top(w, slowest);
	}
}

static void on_special(struct timeline_watch *w, const struct cinstr_record *r)
{
	uint64_t value = CINSTR_SPECIAL_VALUE(r), gap = value > w->time ? value - w->time : 0;

	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_START:
	case CINSTR_SP_RESUME:
		w->own_ticks += gap;
		w->time += gap;
		break;
	case CINSTR_SP_SLOW:
		w->time += gap;
		break;
	case CINSTR_SP_PAUSE:
	case CINSTR_SP_CONTINUE:
	case CINSTR_SP_LOST:
		w->n = w->beyond = 0;
		break;
	default:
		break;
	}
}

void timeline_watch_scan(struct timeline_watch *w, const struct cinstr_record *records, size_t n,
			 struct timeline_slow *slowest)
{
	for (size_t i = 0; i < n; i++) {
		const struct cinstr_record *r = &records[i];
		uint32_t kind = CINSTR_CODE_KIND(r->code);

		if (kind == CINSTR_EV_SPECIAL) {
			on_special(w, r);
			continue;
		}
		w->time = timeline_advance(w->time, r);
		if (kind == CINSTR_EV_EXIT)
			on_exit(w, r->code, slowest);
		if (kind == CINSTR_EV_ENTER && w->is_jumping)
			on_enter_tailed(w, r->code, CINSTR_ENTER_SP(r), slowest);
		else if (kind == CINSTR_EV_ENTER)
			on_enter(w, r->code, CINSTR_ENTER_SP(r), slowest);
		else if (kind == CINSTR_EV_TAIL && r->second)
			on_enter_tailed(w, r->second, r->extra, slowest);
		else if (kind == CINSTR_EV_BEFORE && r->second)
			on_enter(w, r->second, r->extra, slowest);
		else if (kind > CINSTR_EV_TAIL || kind == CINSTR_EV_AFTER ||
			 (kind == CINSTR_EV_EXIT && r->second == CINSTR_SECOND_FUSED_EXIT))
			leave_dead(w, r->extra, slowest);
		w->is_jumping = kind == CINSTR_EV_TAIL && !r->second;
	}
}

/* "FUNCTION:TIME: it took N us" */
void timeline_watch_text(const struct timeline_slow *slow, struct text *text)
{
	uint64_t us = (uint64_t)(((unsigned __int128)slow->ticks << 20) / 1000 / cinstr.ticks_per_ns);

	text_add(text, rules[slow->rule].text);
	text_add(text, " took ");
	text_add_number(text, (int64_t)us);
	text_add(text, " us");
}

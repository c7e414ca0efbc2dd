/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the places of line sleds. A line is a file, a line and the inlined call it belongs to. An
 * instruction needs a sled if it may be reached while another line than its own is in effect:
 *
 *      a = 1;                  line 1  sled    movl    $1, a
 *      while (b)               line 2  sled    jmp     .L2
 *              c++;            line 3  sled    .L3:    addl    $1, c
 *                              line 2  sled    .L2:    cmpl    $0, b           from line 2 or 3
 *                                              jne     .L3
 *      do d++; while (d < 9);  line 4  sled                    on the way in only:
 *                                              .L4:    addl    $1, d           all jumps to it come
 *                                              cmpl    $8, d                   from line 4
 *                                              jle     .L4
 *
 * The pass runs after the control flow graph is gone, so labels and jumps are followed here: the
 * line in effect at a label is what all jumps to it and the code above agree on. This starts from
 * the hope that all agree and repeats until nothing changes; a label goes from not reached to a
 * line to mixed, so that is soon.
 *
 * Instructions without a line, and those that must not or need not have a sled in front of them,
 * leave the line in effect as it was.
 */
#include "lines.h"
#include "arch.h"
#include "names.h"
#include "sites.h"

enum line_state {
	LINE_NOT_REACHED,
	LINE_KNOWN,
	LINE_MIXED, /* depends on the way */
};

struct line {
	enum line_state state;
	struct site_place place;
	tree inlined; /* outermost block of the inlined function; NULL: not inlined */
};

/* What the analysis has to know of the instructions, in their order. */
enum step_kind {
	STEP_LINE, /* an instruction that may get a sled */
	STEP_JUMP, /* conditional or not; insn is the target */
	STEP_LABEL,
	STEP_FORGET, /* control may come from anywhere */
	STEP_END,    /* control does not go on */
};

struct step {
	enum step_kind kind;
	rtx_insn *insn;
	struct line line; /* STEP_LINE */
};

struct label {
	unsigned int n_jumps; /* that have a STEP_JUMP */
	struct line jumped;   /* in effect on the jumps to it */
	struct line line;     /* on these and from above */
};

struct flow {
	struct line definition; /* what the enter sled stands for */
	int first_label;
	struct label *labels;
	vec<struct step> steps;
	location_t location; /* the last that was looked at, and its line */
	struct line line;
};

void lines_setup(void)
{
	arch_forbid_red_zone();
}

/* From `block` outwards, the outermost block of the first inlined function. */
static tree inlined_block(tree block)
{
	while (block && TREE_CODE(block) == BLOCK && !inlined_function_outer_scope_p(block))
		block = BLOCK_SUPERCONTEXT(block);
	return block && TREE_CODE(block) == BLOCK ? block : NULL_TREE;
}

/* Nothing can make an assembler name any more when the front end's data has been freed for the
 * link. */
static const char *inlined_name(tree block)
{
	tree fn = block_ultimate_origin(block);

	if (!fn || TREE_CODE(fn) != FUNCTION_DECL)
		return "";
	if (DECL_ASSEMBLER_NAME_SET_P(fn) || !(in_lto_p || flag_generate_lto || flag_generate_offload))
		return names_assembler(fn);
	return DECL_NAME(fn) ? IDENTIFIER_POINTER(DECL_NAME(fn)) : "";
}

void lines_each_inlined(location_t location, void (*take)(const char *level))
{
	for (tree block = LOCATION_BLOCK(location); (block = inlined_block(block));
	     block = BLOCK_SUPERCONTEXT(block)) {
		struct site_place call = place_of(BLOCK_SOURCE_LOCATION(block));
		const char *file = call.file ? remap_debug_filename(call.file) : "";
		char *level = xasprintf("%s\t%s\t%u\n", inlined_name(block), file, call.line);

		take(level);
		free(level);
	}
}

location_t lines_inlined_at(location_t location)
{
	tree block = inlined_block(LOCATION_BLOCK(location));

	return block ? BLOCK_SOURCE_LOCATION(block) : UNKNOWN_LOCATION;
}

static struct line line_of(location_t location)
{
	return { LINE_KNOWN, place_of(location), inlined_block(LOCATION_BLOCK(location)) };
}

static bool same_line(const struct line *a, const struct line *b)
{
	if (a->state != b->state)
		return false;
	return a->state != LINE_KNOWN ||
	       (a->place.line == b->place.line && a->inlined == b->inlined &&
		(a->place.file == b->place.file || !strcmp(a->place.file, b->place.file)));
}

/* What is in effect where two ways meet. Returns whether that changes `line`. */
static bool join(struct line *line, const struct line *other)
{
	if (other->state == LINE_NOT_REACHED || line->state == LINE_MIXED || same_line(line, other))
		return false;
	if (line->state == LINE_NOT_REACHED)
		*line = *other;
	else
		line->state = LINE_MIXED;
	return true;
}

static struct label *label_at(const struct flow *flow, const rtx_insn *label)
{
	return &flow->labels[CODE_LABEL_NUMBER(label) - flow->first_label];
}

/*
 * May `insn` begin a line? The prologue and the epilogue belong to the enter and exit sleds, as
 * does a return. An instruction that reads the flags stays with the one that sets them: processors
 * execute such pairs as one. The last are pseudo instructions, such as barriers for the scheduler.
 */
static bool may_begin_line(rtx_insn *insn)
{
	return active_insn_p(insn) && !JUMP_TABLE_DATA_P(insn) && !arch_stays_first(insn) &&
	       !prologue_epilogue_contains(insn) && !(JUMP_P(insn) && returnjump_p(insn)) &&
	       LOCATION_LOCUS(INSN_LOCATION(insn)) != LOCATION_LOCUS(prologue_location) &&
	       !arch_reads_flags(insn) && get_attr_min_length(insn) > 0;
}

static void add_step(struct flow *flow, enum step_kind kind, rtx_insn *insn)
{
	flow->steps.safe_push({ kind, insn, {} });
}

static void add_line(struct flow *flow, rtx_insn *insn)
{
	if (INSN_LOCATION(insn) != flow->location) {
		flow->location = INSN_LOCATION(insn);
		flow->line = line_of(flow->location);
	}
	if (!flow->line.place.line)
		return;
	/* Within a run of one line there is nothing to find. */
	if (flow->steps.length() && flow->steps.last().kind == STEP_LINE &&
	    same_line(&flow->steps.last().line, &flow->line))
		return;
	if (may_begin_line(insn))
		flow->steps.safe_push({ STEP_LINE, insn, flow->line });
}

/* The label that a plain jump goes to. Other instructions may go anywhere that is not plainly
 * reached. */
static rtx_insn *jump_target(rtx_insn *insn)
{
	if (!JUMP_P(insn) || !JUMP_LABEL(insn) || !LABEL_P(JUMP_LABEL(insn)))
		return NULL;
	return simplejump_p(insn) || any_condjump_p(insn) ? JUMP_LABEL_AS_INSN(insn) : NULL;
}

static void add_insn(struct flow *flow, rtx_insn *insn)
{
	if (LABEL_P(insn))
		add_step(flow, STEP_LABEL, insn);
	else if (BARRIER_P(insn))
		add_step(flow, STEP_END, insn);
	else if (NONDEBUG_INSN_P(insn))
		add_line(flow, insn);
	if (rtx_insn *target = jump_target(insn)) {
		add_step(flow, STEP_JUMP, target);
		label_at(flow, target)->n_jumps++;
	}
	if (CALL_P(insn) && find_reg_note(insn, REG_SETJMP, NULL_RTX))
		add_step(flow, STEP_FORGET, insn);
}

/* Jump tables, asm goto, computed and non-local gotos, exceptions: from any line. */
static bool reached_oddly(const struct flow *flow, const rtx_insn *label, const_bitmap landings)
{
	return LABEL_PRESERVE_P(label) || bitmap_bit_p(landings, CODE_LABEL_NUMBER(label)) ||
	       (unsigned int)LABEL_NUSES(label) > label_at(flow, label)->n_jumps;
}

static void collect(struct flow *flow, const_bitmap landings)
{
	flow->definition = line_of(DECL_SOURCE_LOCATION(current_function_decl));
	flow->first_label = get_first_label_num();
	flow->labels = XCNEWVEC(struct label, max_label_num() - flow->first_label + 1);
	flow->location = UNKNOWN_LOCATION;
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn))
		add_insn(flow, insn);
	for (const struct step &step : flow->steps)
		if (step.kind == STEP_LABEL && reached_oddly(flow, step.insn, landings))
			label_at(flow, step.insn)->jumped.state = LINE_MIXED;
}

/*
 * May the sled of a label's first line stand above the label, so that jumps pass it by? If all
 * jumps come from that line, say of a loop that is all on one line.
 */
static bool only_from_above(const struct flow *flow, const struct step *label, const struct line *above)
{
	const struct step *next = label + 1;

	return next < flow->steps.end() && next->kind == STEP_LINE && above->state != LINE_NOT_REACHED &&
	       !same_line(above, &next->line) &&
	       same_line(&label_at(flow, label->insn)->jumped, &next->line) &&
	       next_real_nondebug_insn(label->insn) == next->insn;
}

/* Goes through the steps once. Returns whether a label has changed. starts: NULL, or what to fill
 * in. */
static bool follow(const struct flow *flow, bitmap starts)
{
	struct line now = flow->definition;
	bool changed = false;

	for (const struct step &step : flow->steps)
		switch (step.kind) {
		case STEP_LINE:
			if (starts && !same_line(&now, &step.line))
				bitmap_set_bit(starts, INSN_UID(step.insn));
			now = step.line;
			break;
		case STEP_JUMP:
			changed |= join(&label_at(flow, step.insn)->jumped, &now);
			break;
		case STEP_LABEL:
			if (starts && only_from_above(flow, &step, &now)) {
				bitmap_set_bit(starts, INSN_UID(step.insn));
				now = label_at(flow, step.insn)->jumped;
				break;
			}
			changed |= join(&label_at(flow, step.insn)->line, &now);
			changed |= join(&label_at(flow, step.insn)->line, &label_at(flow, step.insn)->jumped);
			now = label_at(flow, step.insn)->line;
			break;
		case STEP_FORGET:
			now.state = LINE_MIXED;
			break;
		case STEP_END:
			now.state = LINE_NOT_REACHED;
			break;
		}
	return changed;
}

void lines_find(bitmap starts, const_bitmap landings)
{
	struct flow flow = {};

	/* With -flto, a function may come from a unit that was compiled without line mode. */
	if (arch_red_zone_used())
		return;
	collect(&flow, landings);
	while (follow(&flow, NULL))
		;
	follow(&flow, starts);
	flow.steps.release();
	XDELETEVEC(flow.labels);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loops.cc - finds loops of one block whose number of iterations is known before the first one:
 *
 *	.L3:    movsd   (%rdx), %xmm1
 *		addq    $8, %rdx            the step
 *		...
 *		cmpq    %rdx, %rcx          the limit
 *		jne     .L3
 *
 * loops_find() takes only loops that end by `jne`: for other conditions the plugin would have to
 * emit more code, and GCC itself turns most loops that it can count into this form. The loop must
 * not have another way out: no call, and no inline assembly, which may be a system call.
 */
#include "loops.h"

/* Holds the instruction that sets a register in the block, if it is one only. */
struct setter {
	rtx_insn *insn;
	unsigned int n;
};

static struct setter find_setter(basic_block bb, unsigned int reg)
{
	struct setter setter = {};
	rtx_insn *insn;
	df_ref def;

	FOR_BB_INSNS(bb, insn)
	{
		if (!NONDEBUG_INSN_P(insn))
			continue;
		FOR_EACH_INSN_DEF(def, insn)
		if (DF_REF_REGNO(def) == reg) {
			setter.insn = insn;
			setter.n++;
		}
	}
	return setter;
}

/* Returns the n-th of the instruction's sets, or NULL if that is none. */
static rtx set_of(rtx_insn *insn, int n)
{
	rtx pattern = PATTERN(insn);

	if (GET_CODE(pattern) == PARALLEL)
		return n < XVECLEN(pattern, 0) && GET_CODE(XVECEXP(pattern, 0, n)) == SET
			       ? XVECEXP(pattern, 0, n)
			       : NULL_RTX;
	return !n && GET_CODE(pattern) == SET ? pattern : NULL_RTX;
}

static bool is_general(rtx x)
{
	return REG_P(x) && GENERAL_REGNO_P(REGNO(x)) && REGNO(x) != STACK_POINTER_REGNUM &&
	       (GET_MODE(x) == SImode || GET_MODE(x) == DImode);
}

/* Returns what the instruction adds to the register, whose lower bits at least are as wide as
 * `mode`; 0: something else is done to it. */
static HOST_WIDE_INT step_of(rtx_insn *insn, unsigned int reg, machine_mode mode)
{
	for (int i = 0; i < 2; i++) {
		rtx set = set_of(insn, i), sum = set ? SET_SRC(set) : NULL_RTX;

		if (set && is_general(SET_DEST(set)) && REGNO(SET_DEST(set)) == reg &&
		    (mode == SImode || GET_MODE(SET_DEST(set)) == DImode) && GET_CODE(sum) == PLUS &&
		    is_general(XEXP(sum, 0)) && REGNO(XEXP(sum, 0)) == reg && CONST_INT_P(XEXP(sum, 1)))
			return INTVAL(XEXP(sum, 1));
	}
	return 0;
}

static bool is_step(HOST_WIDE_INT step)
{
	HOST_WIDE_INT size = step < 0 ? -step : step;

	return size > 0 && size < 1 << 30 && pow2p_hwi(size);
}

static bool is_limit(basic_block bb, rtx limit)
{
	if (CONST_INT_P(limit))
		return INTVAL(limit) == (int32_t)INTVAL(limit);
	return is_general(limit) && !find_setter(bb, REGNO(limit)).n;
}

/* Returns whether `first` comes before `second` in the block. */
static bool is_before(rtx_insn *first, rtx_insn *second)
{
	while (second && second != first && !NOTE_INSN_BASIC_BLOCK_P(second))
		second = PREV_INSN(second);
	return second == first;
}

/* The instruction compares a register with the limit, in this order. */
static struct counted_loop find_step(basic_block bb, rtx_insn *compares, rtx reg, rtx limit)
{
	struct counted_loop loop = {};
	struct setter setter;

	if (!is_general(reg) || !is_limit(bb, limit))
		return loop;
	setter = find_setter(bb, REGNO(reg));
	if (setter.n != 1 || !is_step(step_of(setter.insn, REGNO(reg), GET_MODE(reg))))
		return loop;
	loop.reg = REGNO(reg);
	loop.limit = limit;
	loop.step = step_of(setter.insn, REGNO(reg), GET_MODE(reg));
	loop.is_wide = GET_MODE(reg) == DImode;
	loop.is_stepped_first = setter.insn != compares && is_before(setter.insn, compares);
	return loop;
}

static struct counted_loop compare_with(basic_block bb, rtx_insn *insn, rtx left, rtx right)
{
	struct counted_loop loop;

	/* `subl $1, %ecx` compares what was there before with 1 */
	if (GET_CODE(left) == PLUS && right == const0_rtx && CONST_INT_P(XEXP(left, 1)) &&
	    INTVAL(XEXP(left, 1)) == (int32_t)INTVAL(XEXP(left, 1)) && INTVAL(XEXP(left, 1)) != INT_MIN)
		return find_step(bb, insn, XEXP(left, 0), GEN_INT(-INTVAL(XEXP(left, 1))));
	loop = find_step(bb, insn, left, right);
	return loop.step || !REG_P(right) ? loop : find_step(bb, insn, right, left);
}

/* Returns the last instruction in the block that sets the register of flags, or NULL if something
 * in the block might leave it. */
static rtx_insn *find_compare(basic_block bb, rtx flags)
{
	rtx_insn *insn, *found = NULL;

	FOR_BB_INSNS(bb, insn)
	{
		if (!NONDEBUG_INSN_P(insn))
			continue;
		if (CALL_P(insn) || GET_CODE(PATTERN(insn)) == ASM_INPUT ||
		    asm_noperands(PATTERN(insn)) >= 0 ||
		    (GET_CODE(PATTERN(insn)) == PARALLEL &&
		     GET_CODE(XVECEXP(PATTERN(insn), 0, 0)) == ASM_INPUT))
			return NULL;
		if (reg_set_p(flags, insn))
			found = insn;
	}
	return found;
}

/* Returns the flags by which the block's last jump leads to its start, if what was compared is not
 * equal; NULL: it does not. */
static rtx flags_of_jump(basic_block bb)
{
	rtx_insn *jump = BB_END(bb);
	rtx source, condition;

	if (!JUMP_P(jump) || !any_condjump_p(jump) || !onlyjump_p(jump) || !LABEL_P(BB_HEAD(bb)) ||
	    JUMP_LABEL(jump) != BB_HEAD(bb))
		return NULL_RTX;
	source = SET_SRC(pc_set(jump));
	condition = XEXP(source, 0);
	if (GET_CODE(XEXP(source, 1)) != LABEL_REF || GET_CODE(condition) != NE ||
	    !REG_P(XEXP(condition, 0)) || XEXP(condition, 1) != const0_rtx)
		return NULL_RTX;
	return XEXP(condition, 0);
}

/* Does control come to the block from itself, and over its start, and from nowhere else? */
static bool is_entered_from_above(basic_block bb)
{
	edge way;
	edge_iterator i;
	bool is_entered = false, is_repeated = false;

	if (EDGE_COUNT(bb->preds) != 2 || EDGE_COUNT(bb->succs) != 2)
		return false;
	FOR_EACH_EDGE(way, i, bb->preds)
	{
		is_repeated |= way->src == bb && !(way->flags & EDGE_COMPLEX);
		is_entered |= way->src == bb->prev_bb && way->src != ENTRY_BLOCK_PTR_FOR_FN(cfun) &&
			      way->src != bb && way->flags & EDGE_FALLTHRU;
	}
	return is_entered && is_repeated;
}

struct counted_loop loops_find(basic_block bb)
{
	rtx flags = is_entered_from_above(bb) ? flags_of_jump(bb) : NULL_RTX;
	rtx_insn *insn = flags ? find_compare(bb, flags) : NULL;

	for (int i = 0; insn && i < 2; i++) {
		rtx set = set_of(insn, i);

		if (set && REG_P(SET_DEST(set)) && REGNO(SET_DEST(set)) == REGNO(flags) &&
		    GET_CODE(SET_SRC(set)) == COMPARE)
			return compare_with(bb, insn, XEXP(SET_SRC(set), 0), XEXP(SET_SRC(set), 1));
	}
	return {};
}

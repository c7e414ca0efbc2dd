/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64's part of arch.h: sleds, the registers that a probe may destroy, the code of the hook. */
#include "../../arch.h"
#include "../../loops.h"
#include "cinstr/abi.h"

#ifndef __x86_64__
#error "cinstr.so has been written for x86-64"
#endif

const char arch_supports[] = "x86-64 code with a small or medium code model";
const char arch_no_relocation[] = "R_X86_64_NONE";

/*
 * A sled with its local label. The alignment makes a label that is at most 3 past a multiple of 8,
 * so that the 5 bytes lie in one aligned word, which the runtime replaces by one store.
 * `.byte`, not an instruction: then the assembler lets a line begin behind the sled, not at it, and
 * debuggers put their breakpoints there, where they and the runtime are not in each other's way.
 */
const char arch_sled_format[] = "\t.p2align 3,,4\n.Lcinstr%u:\n\t.byte 0x0f,0x1f,0x44,0,0";

/*
 * Two prefixes that change nothing (as those of -mindirect-branch-cs-prefix) become part of the
 * call or jump behind the sled: so its displacement lies in one aligned word, too.
 */
const char arch_sled_of_call_format[] = "\t.p2align 3,,4\n.Lcinstr%u:\n\t.byte 0x0f,0x1f,0x44,0,0,0x2e,0x2e";

/* r11, free there, keeps the carry flag: sbb %r11d,%r11d; the sled; add %r11d,%r11d. */
const char arch_sled_keeping_carry_format[] = "\t.byte 0x45,0x19,0xdb\n\t.p2align 3,,4\n.Lcinstr%u:\n"
					      "\t.byte 0x0f,0x1f,0x44,0,0,0x45,0x01,0xdb";

static const unsigned int probe_regs[] = { R10_REG, R11_REG, FLAGS_REG };
const arch_registers arch_probe_regs = { probe_regs, probe_regs + ARRAY_SIZE(probe_regs) };

rtx arch_with_clobbers(rtx sled)
{
	static_assert(ARRAY_SIZE(probe_regs) == 3, "one clobber each below");
	rtx clobbers[ARRAY_SIZE(probe_regs)];

	for (unsigned int i = 0; i < ARRAY_SIZE(probe_regs); i++) {
		machine_mode mode = probe_regs[i] == FLAGS_REG ? CCmode : DImode;
		clobbers[i] = gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(mode, probe_regs[i]));
	}
	return gen_rtx_PARALLEL(VOIDmode, gen_rtvec(4, sled, clobbers[0], clobbers[1], clobbers[2]));
}

/* Lists the registers that calls destroy, with their numbers in code. An address that is one of
 * them takes no SIB byte. */
static const struct {
	unsigned int reg, in_code;
} counter_regs[] = {
	{ AX_REG, 0 }, { CX_REG, 1 }, { DX_REG, 2 },   { SI_REG, 6 },	{ DI_REG, 7 },
	{ R8_REG, 8 }, { R9_REG, 9 }, { R10_REG, 10 }, { R11_REG, 11 },
};

struct arch_counter arch_place_counter(bitmap live, const HARD_REG_SET &destroyed)
{
	unsigned int flags = REGNO_REG_SET_P(live, FLAGS_REG) ? CINSTR_SAVED_FLAGS : 0;

	for (const auto &candidate : counter_regs)
		if (TEST_HARD_REG_BIT(destroyed, candidate.reg) && !REGNO_REG_SET_P(live, candidate.reg) &&
		    !arch_preserved_by_function(candidate.reg))
			return { (int)candidate.reg, flags };
	return { AX_REG, flags | CINSTR_SAVED_REGISTER };
}

unsigned int arch_register_in_code(int reg)
{
	for (const auto &candidate : counter_regs)
		if ((int)candidate.reg == reg)
			return candidate.in_code;
	gcc_unreachable();
}

/* Bytes of code around a counter, for the assembler. */
struct counter_code {
	char text[1024];
	size_t n;
	bool moves; /* pushes change the frame's address */

	counter_code()
	    : text(), n(0), moves(dwarf2out_do_cfi_asm() && !frame_pointer_needed && !crtl->drap_reg)
	{
	}

	template <typename... values>
	void add(const char *format, values... v)
	{
		n += snprintf(text + n, sizeof(text) - n, format, v...);
	}

	/* moved: by how much the code moves the stack's end down */
	void bytes(const char *code, int moved)
	{
		add("\t.byte\t%s\n", code);
		if (moved && moves)
			add("\t.cfi_adjust_cfa_offset %d\n", moved);
	}

	/* The first byte has an even address, so that one store puts a jump over the rest there. */
	void nops(unsigned int label)
	{
		add(".Lcinstrc%u:\n", label);
		bytes("0x66,0x66,0x66,0x66,0x66,0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0,0x90", 0);
	}

	rtx input()
	{
		text[n - 1] = '\0'; /* the last newline */

		rtx asm_input = gen_rtx_ASM_INPUT_loc(VOIDmode, ggc_strdup(text), BUILTINS_LOCATION);
		MEM_VOLATILE_P(asm_input) = 1;
		return asm_input;
	}
};

static const char skip_red_zone[] = "0x48,0x8d,0x64,0x24,0x80";		 /* lea -128(%rsp), %rsp */
static const char back_to_red_zone[] = "0x48,0x8d,0xa4,0x24,0x80,0,0,0"; /* lea 128(%rsp), %rsp */

/*
 * Saves registers below the red zone. Unwinders that compute the frame's address from rsp are told
 * each change of rsp; in functions with a frame pointer they do not look at rsp.
 */
rtx arch_make_counter(const struct arch_counter *counter, unsigned int label, bool sums)
{
	bool saves_register = counter->saved & CINSTR_SAVED_REGISTER;
	bool saves_flags = counter->saved & CINSTR_SAVED_FLAGS;
	struct counter_code code;

	code.add("\t.p2align 1\n");
	if (counter->saved)
		code.bytes(skip_red_zone, 128);
	if (saves_flags) /* pushfq */
		code.bytes("0x9c", 8);
	if (saves_register) /* push %rax */
		code.bytes("0x50", 8);
	if (saves_flags && saves_register)
		code.bytes("0x90", 0);
	code.nops(label);
	if (sums)
		code.bytes("0x66,0x66,0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0", 0);
	if (saves_register) /* pop %rax */
		code.bytes("0x58", -8);
	if (saves_flags) /* popfq */
		code.bytes("0x9d", -8);
	if (counter->saved)
		code.bytes(back_to_red_zone, -128);

	rtx input = code.input();
	rtx reg = gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(DImode, counter->reg));
	rtx flags = gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(CCmode, FLAGS_REG));
	if (saves_flags)
		return saves_register ? input : gen_rtx_PARALLEL(VOIDmode, gen_rtvec(2, input, reg));
	return saves_register ? gen_rtx_PARALLEL(VOIDmode, gen_rtvec(2, input, flags))
			      : gen_rtx_PARALLEL(VOIDmode, gen_rtvec(3, input, reg, flags));
}

/* Returns the number in machine code of a general register. */
static unsigned int general_in_code(unsigned int reg)
{
	static const unsigned int legacy[] = { 0, 2, 1, 3, 6, 7, 5, 4 }; /* from AX_REG on */

	return REX_INT_REGNO_P(reg) ? 8 + reg - FIRST_REX_INT_REG : legacy[reg];
}

/* Puts `opcode` with rax and the operand there, or `opcode` of a constant. */
static void put_operation(struct counter_code *code, bool is_wide, unsigned int opcode,
			  const char *opcode_of_constant, rtx operand)
{
	if (CONST_INT_P(operand)) {
		code->add("\t.byte\t%s%s\n\t.long\t%d\n", is_wide ? "0x48," : "", opcode_of_constant,
			  (int)INTVAL(operand));
		return;
	}
	unsigned int reg = general_in_code(REGNO(operand));

	code->add("\t.byte\t%#x,%#x,%#x\n", 0x40 | is_wide << 3 | reg >> 3, opcode, 0xc0 | (reg & 7));
}

/* rax = left - right; one of them is rax, or none */
static void put_difference(struct counter_code *code, bool is_wide, rtx left, rtx right)
{
	bool is_reversed = REG_P(right) && REGNO(right) == AX_REG;

	if (!is_reversed && !(REG_P(left) && REGNO(left) == AX_REG))
		put_operation(code, is_wide, 0x8b, "0xc7,0xc0", left);
	put_operation(code, is_wide, 0x2b, "0x2d", is_reversed ? left : right);
	if (is_reversed) /* neg %rax */
		code->bytes(is_wide ? "0x48,0xf7,0xd8" : "0xf7,0xd8", 0);
}

/* rax = iterations */
static void put_iterations(struct counter_code *code, const struct counted_loop *loop)
{
	rtx reg = gen_rtx_REG(DImode, loop->reg);
	bool is_up = loop->step > 0;
	int size = is_up ? loop->step : -loop->step;

	put_difference(code, loop->is_wide, is_up ? loop->limit : reg, is_up ? reg : loop->limit);
	if (loop->is_stepped_first)
		put_operation(code, loop->is_wide, 0x2b, "0x2d", GEN_INT(size));
	if (size > 1) /* shr */
		code->add("\t.byte\t0x48,0xc1,0xe8,%d\n", exact_log2(size));
	code->bytes("0x48,0xff,0xc0", 0); /* inc %rax */
}

rtx arch_make_loop_counter(const struct counted_loop *loop, bitmap live, const HARD_REG_SET &destroyed,
			   unsigned int label, int *reg)
{
	auto_bitmap taken;
	bitmap_copy(taken, live);
	bitmap_set_bit(taken, AX_REG);

	struct arch_counter address = arch_place_counter(taken, destroyed);
	bool saves_rax = REGNO_REG_SET_P(live, AX_REG) || !TEST_HARD_REG_BIT(destroyed, AX_REG) ||
			 arch_preserved_by_function(AX_REG);
	bool saves_rcx = address.saved;
	struct counter_code code;

	if (address.saved & CINSTR_SAVED_FLAGS)
		return NULL_RTX;
	*reg = saves_rcx ? CX_REG : address.reg;
	if (saves_rax || saves_rcx)
		code.bytes(skip_red_zone, 128);
	if (saves_rax)
		code.bytes("0x50", 8);
	if (saves_rcx)
		code.bytes("0x51", 8);
	put_iterations(&code, loop);
	code.add("\t.p2align 1\n");
	code.nops(label);
	if (saves_rcx)
		code.bytes("0x59", -8);
	if (saves_rax)
		code.bytes("0x58", -8);
	if (saves_rax || saves_rcx)
		code.bytes(back_to_red_zone, -128);

	rtvec parts = gen_rtvec(2, code.input(), gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(CCmode, FLAGS_REG)));
	return gen_rtx_PARALLEL(VOIDmode, parts);
}

/* The records hold 32-bit distances between tables and code: no large code model. */
bool arch_supported(void)
{
	return TARGET_64BIT && !TARGET_X32 && ix86_cmodel != CM_LARGE && ix86_cmodel != CM_LARGE_PIC;
}

bool arch_foreign_abi(void)
{
	return ix86_cfun_abi() != SYSV_ABI;
}

/* endbr64 must be what an indirect jump meets; the patchable area belongs to other tools. */
bool arch_stays_first(rtx_insn *insn)
{
	if (!NONJUMP_INSN_P(insn))
		return false;
	int code = recog_memoized(insn);
	return code == CODE_FOR_nop_endbr || code == CODE_FOR_patchable_area;
}

/* rep movs, repne scas: one instruction that may run long. */
bool arch_repeats(rtx_insn *insn)
{
	return recog_memoized(insn) >= 0 && get_attr_type(insn) == TYPE_STR && get_attr_prefix_rep(insn);
}

bool arch_reads_flags(rtx_insn *insn)
{
	return refers_to_regno_p(FLAGS_REG, PATTERN(insn));
}

void arch_forbid_red_zone(void)
{
	global_options.x_target_flags |= MASK_NO_RED_ZONE;
}

bool arch_red_zone_used(void)
{
	return cfun->machine->frame.red_zone_size || ix86_red_zone_used;
}

bool arch_preserved_by_function(unsigned int reg)
{
	return global_regs[reg] || (reg != FLAGS_REG && fixed_regs[reg]) ||
	       !crtl->abi->clobbers_full_reg_p(reg);
}

/* A nested function finds its static chain in r10. */
bool arch_entry_needs_probe_regs(tree fn)
{
	return DECL_STATIC_CHAIN(fn);
}

/* With -fno-plt `call *f@GOTPCREL(%rip)`. */
rtx arch_linked_symbol(rtx address)
{
	if (GET_CODE(address) != CONST || GET_CODE(XEXP(address, 0)) != UNSPEC ||
	    XINT(XEXP(address, 0), 1) != UNSPEC_GOTPCREL)
		return NULL_RTX;
	return XVECEXP(XEXP(address, 0), 0, 0);
}

const char arch_unwind_section[] = "\t.section\t.eh_frame,\"a\",@unwind\n";
/* alignment of code 1, of data -8, return address in column 16; pcrel, sdata4; DW_CFA_def_cfa
 * rsp + 8, DW_CFA_offset 16 at cfa - 8 */
const char arch_unwind_rules[] = "\t.byte\t1,0x78,16,1,0x1b,0x0c,7,8,0x90,1\n";

/* hook/hook.c, compiled when the plugin was built: each line is a string here. */
static const char arch_hook_code[] =
#include "hook_code.inc"
	;

void arch_hook_write(FILE *out)
{
	bool intel = ASSEMBLER_DIALECT == ASM_INTEL;

	if (intel)
		fprintf(out, "\t.att_syntax prefix\n");
	fputs(arch_hook_code, out);
	if (intel)
		fprintf(out, "\t.intel_syntax noprefix\n");
}

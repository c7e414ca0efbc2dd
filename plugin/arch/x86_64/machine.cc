/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64's part of arch.h: sleds, the registers that a probe may destroy, the code of the hook. */
#include "../../arch.h"

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

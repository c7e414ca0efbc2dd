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

const char *const arch_hook_callees[] = {
	"getauxval", "getenv", "dlsym", "dlerror", "__errno_location", NULL
};

/* rbx function to call, r12 dlopen or handle, r13 next path, r14 &errno, ebp errno */
static const char arch_hook_code[] =
	"\t.weakref .Lcinstr_weak_cinstr_register_v1, cinstr_register_v1\n"
	"\t.weakref .Lcinstr_weak_cinstr_unregister_v1, cinstr_unregister_v1\n"
	"\t.weakref .Lcinstr_weak_getauxval, getauxval\n"
	"\t.weakref .Lcinstr_weak_getenv, getenv\n"
	"\t.weakref .Lcinstr_weak_dlsym, dlsym\n"
	"\t.weakref .Lcinstr_weak_dlerror, dlerror\n"
	"\t.weakref .Lcinstr_weak___errno_location, __errno_location\n"
	"\t.weak\t__ehdr_start\n"
	"\t.hidden\t__ehdr_start\n"
	"\t.globl\t__cinstr_hook_v1\n"
	"\t.hidden\t__cinstr_hook_v1\n"
	"\t.type\t__cinstr_hook_v1, @function\n"
	"__cinstr_hook_v1:\n"
	"\t.cfi_startproc\n"
	"\tendbr64\n"
	"\tpushq\t%rbx\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\t.cfi_rel_offset %rbx, 0\n"
	"\tpushq\t%rbp\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\t.cfi_rel_offset %rbp, 0\n"
	"\tpushq\t%r12\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\t.cfi_rel_offset %r12, 0\n"
	"\tpushq\t%r13\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\t.cfi_rel_offset %r13, 0\n"
	"\tpushq\t%r14\n"
	"\t.cfi_adjust_cfa_offset 8\n"
	"\t.cfi_rel_offset %r14, 0\n"
	"\tmovq\t.Lcinstr_weak_cinstr_register_v1@GOTPCREL(%rip), %rbx\n"
	"\tmovq\t.Lcinstr_weak_cinstr_unregister_v1@GOTPCREL(%rip), %rax\n"
	"\ttestq\t%rbx, %rbx\n"
	"\tjne\t.Lcinstr_hook_register\n"
	/* Is there a loader, and may we use it? */
	"\tmovq\t.Lcinstr_weak_getauxval@GOTPCREL(%rip), %rbx\n"
	"\ttestq\t%rbx, %rbx\n"
	"\tje\t.Lcinstr_hook_return\n"
	"\tmovl\t$7, %edi\n" /* AT_BASE */
	"\tcall\t*%rbx\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_hook_return\n"
	"\tmovq\t.Lcinstr_weak___errno_location@GOTPCREL(%rip), %rax\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_hook_return\n"
	"\tcall\t*%rax\n"
	"\tmovq\t%rax, %r14\n"
	"\tmovl\t(%r14), %ebp\n"
	"\tmovl\t$23, %edi\n" /* AT_SECURE; sets errno when the kernel has none */
	"\tcall\t*%rbx\n"
	"\ttestq\t%rax, %rax\n"
	"\tjne\t.Lcinstr_hook_errno\n"
	"\tmovq\t.Lcinstr_weak_getenv@GOTPCREL(%rip), %rax\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_hook_load\n"
	"\tleaq\t.Lcinstr_hook_variable(%rip), %rdi\n"
	"\tcall\t*%rax\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_hook_load\n"
	"\tcmpb\t$'o', (%rax)\n"
	"\tjne\t.Lcinstr_hook_load\n"
	"\tcmpb\t$'f', 1(%rax)\n"
	"\tjne\t.Lcinstr_hook_load\n"
	"\tcmpb\t$'f', 2(%rax)\n"
	"\tjne\t.Lcinstr_hook_load\n"
	"\tcmpb\t$0, 3(%rax)\n"
	"\tje\t.Lcinstr_hook_errno\n"
	/* Try the paths in turn. */
	".Lcinstr_hook_load:\n"
	"\tmovq\t.Lcinstr_weak_dlsym@GOTPCREL(%rip), %rbx\n"
	"\ttestq\t%rbx, %rbx\n"
	"\tje\t.Lcinstr_hook_errno\n"
	"\txorl\t%edi, %edi\n" /* RTLD_DEFAULT */
	"\tleaq\t.Lcinstr_hook_dlopen(%rip), %rsi\n"
	"\tcall\t*%rbx\n"
	"\tmovq\t%rax, %r12\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_hook_dlerror\n"
	"\tleaq\t.Lcinstr_hook_paths(%rip), %r13\n"
	".Lcinstr_hook_try:\n"
	"\tmovq\t%r13, %rdi\n"
	"\tmovl\t$2, %esi\n" /* RTLD_NOW */
	"\tcall\t*%r12\n"
	"\ttestq\t%rax, %rax\n"
	"\tjne\t.Lcinstr_hook_loaded\n"
	".Lcinstr_hook_skip:\n"
	"\tincq\t%r13\n"
	"\tcmpb\t$0, -1(%r13)\n"
	"\tjne\t.Lcinstr_hook_skip\n"
	"\tcmpb\t$0, (%r13)\n" /* an empty path ends the list */
	"\tjne\t.Lcinstr_hook_try\n"
	".Lcinstr_hook_dlerror:\n"
	"\tmovq\t.Lcinstr_weak_dlerror@GOTPCREL(%rip), %rax\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_hook_errno\n"
	"\tcall\t*%rax\n"
	"\tjmp\t.Lcinstr_hook_errno\n"
	".Lcinstr_hook_loaded:\n"
	"\tmovq\t%rax, %r12\n"
	"\tmovq\t%rax, %rdi\n"
	"\tleaq\t.Lcinstr_hook_unregister(%rip), %rsi\n"
	"\tcall\t*%rbx\n"
	"\tmovq\t%rax, %r13\n"
	"\tmovq\t%r12, %rdi\n"
	"\tleaq\t.Lcinstr_hook_name(%rip), %rsi\n"
	"\tcall\t*%rbx\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_hook_dlerror\n"
	"\tmovl\t%ebp, (%r14)\n"
	"\tmovq\t%rax, %rbx\n"
	"\tmovq\t%r13, %rax\n"
	".Lcinstr_hook_register:\n"
	"\tleaq\t__ehdr_start(%rip), %rdi\n"
	"\ttestq\t%rdi, %rdi\n"
	"\tje\t.Lcinstr_hook_return\n" /* no segment holds the headers: ld -N */
	"\tmovq\t%rax, .Lcinstr_hook_state(%rip)\n"
	"\tcall\t*%rbx\n"
	"\tjmp\t.Lcinstr_hook_return\n"
	".Lcinstr_hook_errno:\n"
	"\tmovl\t%ebp, (%r14)\n"
	".Lcinstr_hook_return:\n"
	"\tpopq\t%r14\n"
	"\t.cfi_adjust_cfa_offset -8\n"
	"\t.cfi_restore %r14\n"
	"\tpopq\t%r13\n"
	"\t.cfi_adjust_cfa_offset -8\n"
	"\t.cfi_restore %r13\n"
	"\tpopq\t%r12\n"
	"\t.cfi_adjust_cfa_offset -8\n"
	"\t.cfi_restore %r12\n"
	"\tpopq\t%rbp\n"
	"\t.cfi_adjust_cfa_offset -8\n"
	"\t.cfi_restore %rbp\n"
	"\tpopq\t%rbx\n"
	"\t.cfi_adjust_cfa_offset -8\n"
	"\t.cfi_restore %rbx\n"
	"\tret\n"
	"\t.cfi_endproc\n"
	"\t.size\t__cinstr_hook_v1, .-__cinstr_hook_v1\n"
	/* The destructor: only if the constructor registered. */
	"\t.globl\t__cinstr_unhook_v1\n"
	"\t.hidden\t__cinstr_unhook_v1\n"
	"\t.type\t__cinstr_unhook_v1, @function\n"
	"__cinstr_unhook_v1:\n"
	"\t.cfi_startproc\n"
	"\tendbr64\n"
	"\tmovq\t.Lcinstr_hook_state(%rip), %rax\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t.Lcinstr_unhook_return\n"
	"\tleaq\t__ehdr_start(%rip), %rdi\n"
	"\tjmp\t*%rax\n"
	".Lcinstr_unhook_return:\n"
	"\tret\n"
	"\t.cfi_endproc\n"
	"\t.size\t__cinstr_unhook_v1, .-__cinstr_unhook_v1\n";

void arch_hook_write(FILE *out)
{
	bool intel = ASSEMBLER_DIALECT == ASM_INTEL;

	if (intel)
		fprintf(out, "\t.att_syntax prefix\n");
	fputs(arch_hook_code, out);
	if (intel)
		fprintf(out, "\t.intel_syntax noprefix\n");
}

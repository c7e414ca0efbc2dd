/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that the plugin knows about x86-64: the text of a sled, the registers that a probe may
 * destroy, the instructions that must stay first in a function, and the code of the hook.
 * Used by sleds.cc, select.cc and hook.cc.
 */
#ifndef CINSTR_PLUGIN_ARCH_H
#define CINSTR_PLUGIN_ARCH_H

#include "../../gcc.h"

#ifndef __x86_64__
#error "this folder is for x86-64"
#endif

/* What arch_supported() and arch_foreign_abi() leave. */
#define ARCH_CODE "x86-64 code with a small or medium code model"
/* A relocation that does nothing. */
#define ARCH_RELOC_NONE "R_X86_64_NONE"

/*
 * A sled with its local label. The alignment makes a label that is at most 3 past a multiple of 8,
 * so that the 5 bytes lie in one aligned word, which the runtime replaces by one store.
 * `.byte`, not an instruction: then the assembler lets a line begin behind the sled, not at it, and
 * debuggers put their breakpoints there, where they and the runtime are not in each other's way.
 */
#define ARCH_SLED_FORMAT "\t.p2align 3,,4\n.Lcinstr%u:\n\t.byte 0x0f,0x1f,0x44,0,0"
#define ARCH_LABEL_FORMAT ".Lcinstr%u:"

/* What a probe destroys, unless its site says CINSTR_SITE_KEEP. */
static const unsigned int arch_probe_regs[] = { R10_REG, R11_REG, FLAGS_REG };

static inline machine_mode arch_probe_mode(unsigned int reg)
{
	return reg == FLAGS_REG ? CCmode : DImode;
}

/* The records hold 32-bit distances between tables and code: no large code model. */
static inline bool arch_supported(void)
{
	return TARGET_64BIT && !TARGET_X32 && ix86_cmodel != CM_LARGE && ix86_cmodel != CM_LARGE_PIC;
}

static inline bool arch_foreign_abi(void)
{
	return ix86_cfun_abi() != SYSV_ABI;
}

/* endbr64 must be what an indirect jump meets; the patchable area belongs to other tools. */
static inline bool arch_stays_first(rtx_insn *insn)
{
	if (!NONJUMP_INSN_P(insn))
		return false;
	int code = recog_memoized(insn);
	return code == CODE_FOR_nop_endbr || code == CODE_FOR_patchable_area;
}

/* rep movs, repne scas: one instruction that may run long. */
static inline bool arch_repeats(rtx_insn *insn)
{
	return recog_memoized(insn) >= 0 && get_attr_type(insn) == TYPE_STR && get_attr_prefix_rep(insn);
}

/* Does it read the flags? Then a sled in front of it parts it from the compare it runs fused with. */
static inline bool arch_reads_flags(rtx_insn *insn)
{
	return refers_to_regno_p(FLAGS_REG, PATTERN(insn));
}

/* Before the options of the target are settled: no function of this unit keeps anything in the red zone. */
static inline void arch_forbid_red_zone(void)
{
	global_options.x_target_flags |= MASK_NO_RED_ZONE;
}

/* Does the current function, after its prologue has been made, keep anything in the red zone? */
static inline bool arch_red_zone_used(void)
{
	return cfun->machine->frame.red_zone_size || ix86_red_zone_used;
}

/* Is `reg` a register whose value this function has to leave as its caller had it? */
static inline bool arch_preserved_by_function(unsigned int reg)
{
	return global_regs[reg] || (reg != FLAGS_REG && fixed_regs[reg]) ||
	       !crtl->abi->clobbers_full_reg_p(reg);
}

/* A nested function finds its static chain in r10. */
static inline bool arch_entry_needs_probe_regs(tree fn)
{
	return DECL_STATIC_CHAIN(fn);
}

/*
 * The hook: a constructor and a destructor, one pair per module. Weak references only, because
 * the program must link and run without a runtime. With cinstr_register_v1 linked in, the
 * constructor calls it. Otherwise it loads the runtime by the dlopen that the program itself has,
 * unless
 *   - there is no dynamic loader (no AT_BASE: static programs, where dlopen may exist but fails),
 *   - the program is set-user-ID or the like (AT_SECURE),
 *   - the environment says CINSTR=off.
 * dlopen is looked up by name: ld warns when a static program names it. errno and dlerror() are
 * left as they were found.
 *
 * rbx function to call, r12 dlopen or handle, r13 next path, r14 &errno, ebp errno
 */
#define ARCH_HOOK_SYMBOL "__cinstr_hook_v1"
#define ARCH_UNHOOK_SYMBOL "__cinstr_unhook_v1"

/* The functions of the C library that it calls by name. */
static const char *const arch_hook_callees[] = { "getauxval", "getenv", "dlsym", "dlerror",
						 "__errno_location" };

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

#endif

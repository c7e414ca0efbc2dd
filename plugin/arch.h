/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything in the plugin that depends on the target processor. Defined in a folder of arch/,
 * which the Makefile chooses by the compiler's machine. Used by sleds.cc, select.cc, lines.cc,
 * sites.cc, hook.cc and plugin.cc.
 */
#ifndef CINSTR_PLUGIN_ARCH_H
#define CINSTR_PLUGIN_ARCH_H

#include "gcc.h"

/* ---- the unit -------------------------------------------------------------------------------- */

/* Returns true if the unit is compiled to supported code, with tables and code near one another. */
bool arch_supported(void);
/* A description of supported code, for messages. */
extern const char arch_supports[];
/* The name of the relocation without effect. */
extern const char arch_no_relocation[];

/* ---- sleds ----------------------------------------------------------------------------------- */

/* The assembler text of a sled with its local label; the argument is the label's number. */
extern const char arch_sled_format[];
/* ... before a call by name, which the runtime may redirect (runtime/choice/direct.c). */
extern const char arch_sled_of_call_format[];
/* ... between the comparison with a split stack's limit and the jump that reads its carry. */
extern const char arch_sled_keeping_carry_format[];

/* The registers that a probe destroys, unless its site has CINSTR_SITE_KEEP. */
struct arch_registers {
	const unsigned int *first, *behind;
	const unsigned int *begin() const
	{
		return first;
	}
	const unsigned int *end() const
	{
		return behind;
	}
};
extern const arch_registers arch_probe_regs;
/* Returns the sled's pattern with clobbers of these registers. */
rtx arch_with_clobbers(rtx sled);

/* Returns true if this function must preserve the caller's value of `reg`. */
bool arch_preserved_by_function(unsigned int reg);
/* Returns true if a value is passed to the function in one of the probe's registers. */
bool arch_entry_needs_probe_regs(tree fn);

/* ---- counters of segments (segments.cc) ------------------------------------------------------ */

/* The register for a counter's code, and the registers that this code must save. */
struct arch_counter {
	int reg;	    /* GCC's number */
	unsigned int saved; /* enum cinstr_abi_saved */
};
/*
 * Returns a register for a counter in front of an instruction, where `live` is live, and what the
 * code around the counter must save. Uses only free registers in `destroyed`, or saves one.
 */
struct arch_counter arch_place_counter(bitmap live, const HARD_REG_SET &destroyed);
/* Returns an instruction for the counter's NOPs, which begin with the local label. sums: the
 * counter also adds up instructions. */
rtx arch_make_counter(const struct arch_counter *counter, unsigned int label, bool sums);
struct counted_loop; /* loops.h */
/*
 * Returns an instruction that counts the loop's iterations in front of it (CINSTR_SEGMENT_LOOP),
 * where `live` is live, and sets *reg to the register for the counter's address; NULL: the flags
 * are live there.
 */
rtx arch_make_loop_counter(const struct counted_loop *loop, bitmap live, const HARD_REG_SET &destroyed,
			   unsigned int label, int *reg);
/* Returns the register's number in machine code. */
unsigned int arch_register_in_code(int reg);

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns true if the current function has another calling convention than the system's. */
bool arch_foreign_abi(void);
/* Forbids the use of the red zone in this unit. Call it before the options of the target are
 * settled. */
void arch_forbid_red_zone(void);
/* Returns true if the current function, with its prologue made, uses the red zone. */
bool arch_red_zone_used(void);

/* ---- instructions ---------------------------------------------------------------------------- */

/* Returns true if the instruction must stay first in its function, or where it is. */
bool arch_stays_first(rtx_insn *insn);
/* Returns true for a single instruction that may run long. */
bool arch_repeats(rtx_insn *insn);
/* Returns true if the instruction reads the flags: a sled before it would separate it from the
 * compare that it is fused with. */
bool arch_reads_flags(rtx_insn *insn);
/* Returns the symbol whose address the linker stores at this address of a call's target, or
 * NULL. */
rtx arch_linked_symbol(rtx address);

/* ---- unwinding ------------------------------------------------------------------------------- */

/* The directive for the section of unwind information. */
extern const char arch_unwind_section[];
/*
 * The rest of a common entry after "zR": for code that never moves the stack pointer, with the
 * return address on top of the stack; addresses are relative to their place, of 4 bytes.
 */
extern const char arch_unwind_rules[];

/* ---- the hook -------------------------------------------------------------------------------- */

/* A constructor and a destructor, one pair per module (hook/hook.c). */
#define ARCH_HOOK_SYMBOL "__cinstr_hook_v1"
#define ARCH_UNHOOK_SYMBOL "__cinstr_unhook_v1"
/* Local label of the module's struct cinstr_abi_hook, which hook.cc writes. */
#define ARCH_HOOK_DATA ".Lcinstr_hook_data"

/* Writes the code of both. */
void arch_hook_write(FILE *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that the plugin knows about the processor that it compiles for: a folder of arch/, which the
 * Makefile takes by the compiler's machine, defines what is declared here. Used by sleds.cc,
 * select.cc, lines.cc, sites.cc, hook.cc and plugin.cc.
 */
#ifndef CINSTR_PLUGIN_ARCH_H
#define CINSTR_PLUGIN_ARCH_H

#include "gcc.h"

/* ---- the unit -------------------------------------------------------------------------------- */

/* Is it compiled to code that we know, whose tables and code are near one another? */
bool arch_supported(void);
/* Such code, in words. */
extern const char arch_supports[];
/* The relocation that does nothing. */
extern const char arch_no_relocation[];

/* ---- sleds ----------------------------------------------------------------------------------- */

/* The text of a sled with its local label, by the label's number. */
extern const char arch_sled_format[];
/* In front of a call by name, which the runtime may lead elsewhere (runtime/choice/direct.c). */
extern const char arch_sled_of_call_format[];

/* What a probe destroys, unless its site says CINSTR_SITE_KEEP. */
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
/* A sled that says so. */
rtx arch_with_clobbers(rtx sled);

/* Is `reg` a register whose value this function has to leave as its caller had it? */
bool arch_preserved_by_function(unsigned int reg);
/* Does it get anything in one of the probe's registers? */
bool arch_entry_needs_probe_regs(tree fn);

/* ---- counters of segments (segments.cc) ------------------------------------------------------ */

/* The registers that what runs at a counter may use: where it stands nothing needs them. */
struct arch_counter {
	int reg;	    /* GCC's number */
	unsigned int saved; /* enum cinstr_abi_saved */
};
/*
 * Returns the register of a counter in front of an instruction before which `live` is live, and
 * what the code around the counter has to save, if it uses only registers that are in `destroyed`.
 */
struct arch_counter arch_place_counter(bitmap live, const HARD_REG_SET &destroyed);
/* Returns an instruction that stands for the counter's NOPs, which begin with the local label; with
 * sums: of one that adds up instructions. */
rtx arch_make_counter(const struct arch_counter *counter, unsigned int label, bool sums);
/* Returns the number that machine code has for the register. */
unsigned int arch_register_in_code(int reg);

/* ---- functions ------------------------------------------------------------------------------- */

/* Is it called in another way than the system's programs are? */
bool arch_foreign_abi(void);
/* Before the options of the target are settled: no function of this unit keeps anything in the red
 * zone. */
void arch_forbid_red_zone(void);
/* Does the current function, after its prologue has been made, keep anything in the red zone? */
bool arch_red_zone_used(void);

/* ---- instructions ---------------------------------------------------------------------------- */

/* Must it be the first of a function, or where it stands? */
bool arch_stays_first(rtx_insn *insn);
/* One instruction that may run long. */
bool arch_repeats(rtx_insn *insn);
/* Does it read the flags? Then a sled in front of it parts it from the compare it runs fused
 * with. */
bool arch_reads_flags(rtx_insn *insn);
/* The symbol whose address the linker puts where this address, of a call's target, is; NULL:
 * none. */
rtx arch_linked_symbol(rtx address);

/* ---- unwinding ------------------------------------------------------------------------------- */

/* The directive for the section of unwind information. */
extern const char arch_unwind_section[];
/*
 * Behind a common entry's "zR": for code that never moves the stack pointer, on top of which is the
 * return address; addresses are relative to their place, of 4 bytes.
 */
extern const char arch_unwind_rules[];

/* ---- the hook -------------------------------------------------------------------------------- */

/* A constructor and a destructor, one pair per module (hook/hook.c). */
#define ARCH_HOOK_SYMBOL "__cinstr_hook_v1"
#define ARCH_UNHOOK_SYMBOL "__cinstr_unhook_v1"
/* Local label of its struct cinstr_abi_hook, which hook.cc writes. */
#define ARCH_HOOK_DATA ".Lcinstr_hook_data"

/* Their code. */
void arch_hook_write(FILE *out);

#endif

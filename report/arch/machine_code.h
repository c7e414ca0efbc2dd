/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine_code.h - recognises code by its bytes. Implemented for each processor
 * (arch/NAME/machine_code.c; sizes are in its machine.h).
 */
#ifndef REPORT_ARCH_MACHINE_CODE_H
#define REPORT_ARCH_MACHINE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

/* Whether a call may end after these bytes, so that it returns there. */
int code_ends_with_call(const uint8_t code[MACHINE_CALL_BYTES]);
/* Whether the C library's call of main() or of a thread's function may return to these bytes, which
 * pass its result on to the exit. */
int code_passes_result_on(const uint8_t code[MACHINE_PASS_ON_BYTES]);

/* Code that a signal's handler returns to. The instruction pointer may be at any of `offsets` in
 * it. */
struct code_sigreturn {
	uint8_t bytes[MACHINE_SIGRETURN_BYTES];
	uint8_t offsets[MACHINE_SIGRETURN_OFFSETS];
};
extern const struct code_sigreturn code_sigreturn;

/* Returns the address that the instruction of n bytes at `address` computes from its own, or 0. */
uint64_t code_address_made(const uint8_t *code, size_t n, uint64_t address);

/* ---- stubs of the procedure linkage table ---------------------------------------------------- */

/* Returns the size of a stub in a section with this size of entries. */
size_t code_stub_bytes(uint64_t entry_bytes);
/* Whether these are the first bytes of the stub that calls the dynamic linker. */
int code_is_lazy_stub(const uint8_t code[MACHINE_LAZY_STUB_BYTES]);
/* Find in the stub code[n] at `address`, from code[*at] on, a possible target: the address of a
 * slot that it jumps through; the number of a jump slot that it passes to the dynamic linker.
 * Return 1 with *at moved past it, or 0 if there are no more. */
int code_stub_slot(const uint8_t *code, size_t n, uint64_t address, size_t *at, uint64_t *slot);
int code_stub_number(const uint8_t *code, size_t n, size_t *at, uint32_t *number);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * internal.h - what the parts of unwind.c know of one another.
 *
 * To read an address's unwind information takes a microsecond: the function is looked up, and its
 * unwind program is run from the start. So it is done once per address, and what comes of it is
 * kept as a rule (unwind_rules.c). Where it is no such rule, it is read each time. Rules are of an
 * image's link addresses: good for all processes.
 */
#ifndef REPORT_SAMPLER_UNWIND_INTERNAL_H
#define REPORT_SAMPLER_UNWIND_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "sampler/images/images.h"

enum rule_kind {
	RULE_NONE,   /* no unwind information, or none that makes sense */
	RULE_STEP,   /* what follows says it */
	RULE_END,    /* outermost: the return address is undefined */
	RULE_SIGNAL, /* the kernel's frame of a signal: all registers are above the stack pointer */
	RULE_ASK,    /* none of these: cfi_step() */
};

/* Where a register of the caller is. */
enum place_base { /* below MACHINE_IP: at offset from the value of that register */
		  PLACE_CFA = MACHINE_REGISTERS,
		  PLACE_SAME,
		  PLACE_UNKNOWN,
};
struct place {
	uint8_t base; /* enum place_base */
	int32_t offset;
};

/* Registers that calls preserve, and the return address: their DWARF numbers. */
extern const uint8_t saved_registers[MACHINE_N_SAVED];

/* CFA = register + offset, or with cfa_in_memory: what is stored there, + cfa_add. */
struct rule {
	uint8_t kind; /* enum rule_kind */
	uint8_t cfa_register, cfa_in_memory;
	int32_t cfa_offset, cfa_add;
	struct place saved[MACHINE_N_SAVED];
};

struct registers {
	uint64_t value[MACHINE_REGISTERS]; /* by DWARF number */
	uint32_t known;			   /* bits */
};

struct stack {
	const uint8_t *bytes;
	uint64_t start; /* address of the first */
	size_t n;
};
/* 0; -1: it was not copied. */
int stack_read(const struct stack *stack, uint64_t address, uint64_t *value);

/* unwind_image.c: memory of an image by link addresses. Returns how many of the n bytes there
 * are. */
size_t image_unwind_read(struct image *image, uint64_t address, void *bytes, size_t n);
/* The sorted table of functions with unwind information that linkers make (.eh_frame_hdr): pairs
 * of 32 bits, the function's address and that of its information, both relative to `base`. */
struct functions {
	uint64_t base;
	uint64_t entries; /* link address */
	uint64_t n;
};
/* 0, or -1: the image has none. */
int image_functions(struct image *image, struct functions *functions);

/* unwind_cfi.c: what the unwind information says of an address, as a rule. */
void cfi_learn(struct image *image, uint64_t pc, struct rule *rule);
/* One step to the caller: 1; 0: there is none; -1: it cannot be told. `pc`: link address in the
 * image. */
int cfi_step(struct image *image, uint64_t pc, struct registers *registers, const struct stack *stack);

/* unwind_rules.c: the rule of an address. is_call: pc is the last byte of a call. */
struct rules;
struct rules *rules_new(void);
void rules_release(struct rules *rules);
const struct rule *rules_find(struct rules *rules, struct image *image, uint64_t pc, int is_call);

/* unwind_code.c: what the machine code at an address says. Where it cannot be read: 1. */
int code_is_after_call(const struct space *space, uint64_t address);
/* A sled (cinstr/abi.h) ends there, as the file has it: the runtime may have made a call of it,
 * which returns there. Unreadable: 0. */
int code_is_after_sled(const struct space *space, uint64_t address);
/* The C library's call of main() or of a thread's function returns here: its result is passed on to
 * the exit. Unreadable: 0. */
int code_is_outermost_call(const struct space *space, uint64_t address);

#endif

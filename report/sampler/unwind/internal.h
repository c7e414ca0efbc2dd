/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * internal.h - internals shared by the parts of unwind.c.
 *
 * Reading an address's unwind information takes a microsecond: the function is searched, and its
 * unwind program is run from the start. It is therefore done once per address, and the result is
 * kept as a rule (unwind_rules.c). If it cannot be expressed as a rule, it is read each time. Rules
 * are of an image's link addresses and valid for all processes.
 */
#ifndef REPORT_SAMPLER_UNWIND_INTERNAL_H
#define REPORT_SAMPLER_UNWIND_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "sampler/images/images.h"

enum rule_kind {
	RULE_NONE,   /* no unwind information, or an invalid one */
	RULE_STEP,   /* apply the members below */
	RULE_END,    /* outermost: the return address is undefined */
	RULE_SIGNAL, /* the kernel's frame of a signal: all registers are above the stack pointer */
	RULE_ASK,    /* none of these: use cfi_step() */
};

/* How to find a register of the caller. */
enum place_base { /* Values below MACHINE_IP: at offset from the value of that register. */
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
	uint64_t value[MACHINE_REGISTERS]; /* indexed by DWARF number */
	uint32_t known;			   /* bits by DWARF number */
};

struct stack {
	const uint8_t *bytes;
	uint64_t start; /* address of bytes[0] */
	size_t n;
};
/* Reads a value from the copied stack. Returns 0, or -1 if it was not copied. */
int stack_read(const struct stack *stack, uint64_t address, uint64_t *value);

/* unwind_image.c: reads memory of an image by link address. Returns the number of bytes read. */
size_t image_unwind_read(struct image *image, uint64_t address, void *bytes, size_t n);
/* The linker's sorted table of functions with unwind information (.eh_frame_hdr): pairs of 32 bits,
 * the addresses of the function and of its information, both relative to `base`. */
struct functions {
	uint64_t base;
	uint64_t entries; /* link address of the first entry */
	uint64_t n;
};
/* Finds the table. Returns 0, or -1 if the image has none. */
int image_functions(struct image *image, struct functions *functions);

/* unwind_cfi.c: makes the rule of an address from its unwind information. */
void cfi_learn(struct image *image, uint64_t pc, struct rule *rule);
/* Steps to the caller. Returns 1; 0: there is none; -1: it is not known. `pc`: link address in the
 * image. */
int cfi_step(struct image *image, uint64_t pc, struct registers *registers, const struct stack *stack);

/* unwind_rules.c: returns the rule of an address. is_call: pc is the last byte of a call. */
struct rules;
struct rules *rules_new(void);
void rules_release(struct rules *rules);
const struct rule *rules_find(struct rules *rules, struct image *image, uint64_t pc, int is_call);

/* unwind_code.c: whether a call instruction ends at the address; 1 if the code cannot be read. */
int code_is_after_call(const struct space *space, uint64_t address);
/* Whether a sled (cinstr/abi.h) ends at the address, according to the file: the runtime may have
 * replaced it by a call that returns there. 0 if the code cannot be read. */
int code_is_after_sled(const struct space *space, uint64_t address);
/* Whether the address is where the C library's call of main() or of a thread's function returns:
 * its result is passed on to the exit. 0 if the code cannot be read. */
int code_is_outermost_call(const struct space *space, uint64_t address);

#endif

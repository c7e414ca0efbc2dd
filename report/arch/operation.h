/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operation.h - what an instruction does to the registers that addresses are made of, and where in
 * memory it reads or writes. Each processor has its own (arch/NAME/operations.c).
 */
#ifndef REPORT_ARCH_OPERATION_H
#define REPORT_ARCH_OPERATION_H

#include <stddef.h>
#include <stdint.h>

#define OPERATION_REGISTERS 16
#define OPERATION_NONE 255 /* no register */

/* base + index * scale + displacement */
struct operation_address {
	uint8_t base, index; /* or OPERATION_NONE */
	uint8_t scale;
	int64_t displacement;
};

enum operation_kind {
	OPERATION_OTHER,      /* nothing is known of what the written registers get */
	OPERATION_LOAD,	      /* to = what lies at the address */
	OPERATION_ADDRESS,    /* to = the address */
	OPERATION_ADD,	      /* to += from + amount */
	OPERATION_SUBTRACT,   /* to -= from + amount */
	OPERATION_ADD_LOADED, /* to += or -= what lies at the address */
	OPERATION_MULTIPLY,   /* to = from * amount */
	OPERATION_CONSTANT,   /* to = amount */
};

struct operation {
	enum operation_kind kind;
	uint8_t to, from; /* or OPERATION_NONE */
	int64_t amount;
	uint32_t writes; /* registers, by bits, `to` among them */
	int is_memory;	 /* it reads or writes at the address */
	int is_locked;	 /* ... and no other processor does so meanwhile */
	int is_pointer;	 /* OPERATION_LOAD: what it reads is as long as an address */
	struct operation_address address;
};

/* The instruction at code[n]. -1: it is none that is known. */
int operation_read(const uint8_t *code, size_t n, struct operation *operation);
/* Whether the register leads to the function's frame. */
int operation_is_frame(uint8_t reg);

#endif

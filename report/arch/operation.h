/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operation.h - the effect of an instruction on registers that addresses are computed from, and the
 * memory that it reads or writes. Implemented for each processor (arch/NAME/operations.c).
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
	OPERATION_OTHER,      /* written registers get unknown values */
	OPERATION_LOAD,	      /* to = value at the address */
	OPERATION_ADDRESS,    /* to = the address */
	OPERATION_ADD,	      /* to += from + amount */
	OPERATION_SUBTRACT,   /* to -= from + amount */
	OPERATION_ADD_LOADED, /* to += or -= value at the address */
	OPERATION_MULTIPLY,   /* to = from * amount */
	OPERATION_CONSTANT,   /* to = amount */
};

struct operation {
	enum operation_kind kind;
	uint8_t to, from; /* or OPERATION_NONE */
	int64_t amount;
	uint32_t writes; /* bits of all registers written, including `to` */
	int is_memory;	 /* reads or writes at the address */
	int is_locked;	 /* is_memory: the access is atomic */
	int is_changed;	 /* is_memory: reads what is there, and writes something else */
	int is_copy;	 /* copies a piece of memory of any length, by itself */
	int is_division; /* divides, or takes a square root: one that takes long by itself */
	int is_pointer;	 /* OPERATION_LOAD: reads as many bytes as an address has */
	struct operation_address address;
};

/* Decodes the instruction at code[n]. Returns 0, or -1 if it is unknown. */
int operation_read(const uint8_t *code, size_t n, struct operation *operation);
/* Whether the register points to the function's frame. */
int operation_is_frame(uint8_t reg);

#endif

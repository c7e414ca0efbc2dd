/* SPDX-License-Identifier: GPL-3.0-or-later */
/* registers.h - the kernel's numbering of registers, and its conversion to DWARF numbers, which the
 * command uses (machine.h). */
#ifndef REPORT_ARCH_REGISTERS_H
#define REPORT_ARCH_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

/* Returns the DWARF number of the register with this number in perf's samples; -1: not used. */
int register_of_perf(int number);

/* The kernel's frame of a signal's handler: at `offset` bytes from the stack pointer after the
 * handler's return, registers of 8 bytes each, in this order of DWARF numbers. */
#define SIGNAL_REGISTERS_MAX 32
struct signal_registers {
	size_t offset;
	size_t n;
	uint8_t number[SIGNAL_REGISTERS_MAX];
};
extern const struct signal_registers signal_registers;

#endif

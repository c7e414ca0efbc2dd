/* SPDX-License-Identifier: GPL-3.0-or-later */
/* registers.h - in which order the kernel has registers; ours is that of their DWARF numbers
 * (machine.h). */
#ifndef REPORT_ARCH_REGISTERS_H
#define REPORT_ARCH_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

/* DWARF number of the register with the kernel's number in perf's samples; -1: of no interest. */
int register_of_perf(int number);

/*
 * What the kernel puts onto the stack for a signal's handler: at so many bytes from the stack
 * pointer behind the handler's return, all registers, of 8 bytes each, in this order of DWARF
 * numbers.
 */
#define SIGNAL_REGISTERS_MAX 32
struct signal_registers {
	size_t offset;
	size_t n;
	uint8_t number[SIGNAL_REGISTERS_MAX];
};
extern const struct signal_registers signal_registers;

#endif

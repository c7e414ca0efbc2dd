/* SPDX-License-Identifier: GPL-3.0-or-later */
/* registers.c - see arch/registers.h. */
#include "arch/registers.h"

int register_of_perf(int number)
{
	static const int8_t numbers[] = { 0, 3, 2, 1, 4, 5, MACHINE_FP, MACHINE_SP, MACHINE_IP };

	if (number < (int)sizeof(numbers))
		return numbers[number];
	return number >= 16 && number < 24 ? number - 8 : -1;
}

/* struct sigcontext: r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip; behind 40 bytes of the
 * ucontext. */
const struct signal_registers signal_registers = {
	.offset = 40,
	.n = MACHINE_REGISTERS,
	.number = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, MACHINE_FP, 3, 1, 0, 2, MACHINE_SP, MACHINE_IP },
};

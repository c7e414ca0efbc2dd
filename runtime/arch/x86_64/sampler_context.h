/* SPDX-License-Identifier: MIT */
/* sampler_context.h - the registers of a thread that a signal has interrupted. */
#ifndef CINSTR_SAMPLER_CONTEXT_H
#define CINSTR_SAMPLER_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

#include "sampler/sampler_ring.h"

/* Copies the registers in the order of their DWARF numbers. */
static inline void arch_context_registers(uint64_t to[SAMPLER_REGISTERS], const ucontext_t *context)
{
	static const uint8_t from[SAMPLER_REGISTERS] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
							 REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
							 REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (int i = 0; i < SAMPLER_REGISTERS; i++)
		to[i] = (uint64_t)context->uc_mcontext.gregs[from[i]];
}

static inline uint64_t arch_context_ip(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline uint64_t arch_context_sp(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

/* Returns 1 if these two bytes are the instruction `syscall`. */
static inline int arch_is_system_call(uint16_t code)
{
	return code == 0x050f;
}

#endif

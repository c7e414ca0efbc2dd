/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instruction.h - the decoder of instructions, which the command and the runtime share. */
#ifndef REPORT_ARCH_INSTRUCTION_H
#define REPORT_ARCH_INSTRUCTION_H

#include "runtime/arch/instruction.h"

#endif

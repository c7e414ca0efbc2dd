# SPDX-License-Identifier: GPL-3.0-or-later
# Compiling the runtime for x86-64: no vector registers, also where GCC 16 copies and clears structures,
# for which it would call memcpy and memset, which use them.
runtime_strategy := unrolled_loop:256:noalign,rep_8byte:-1:noalign
ARCH_CFLAGS := -mgeneral-regs-only -mmemcpy-strategy=$(runtime_strategy) \
	-mmemset-strategy=$(runtime_strategy) -fcf-protection=none
# The hook's constructor is called through a pointer.
ARCH_HOOK_CFLAGS := -fcf-protection=branch

/* SPDX-License-Identifier: MIT */
/*
 * room.S - memory for code in this library with unwind information, for processes whose dynamic
 * loader knows the library: the return address is on top of the stack (thunk.c, aborts).
 */
#include "cinstr/abi.h"

	.section .bss.cinstr_room,"aw",@nobits
	.globl	cinstr_own_room
	.hidden	cinstr_own_room
	.balign	4096
	.cfi_startproc
cinstr_own_room:
	.zero	CINSTR_ROOM_ABORTS
	.cfi_endproc

	.section .note.GNU-stack,"",@progbits

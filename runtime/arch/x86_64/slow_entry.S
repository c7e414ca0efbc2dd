/* SPDX-License-Identifier: MIT */
/*
 * slow_entry.S - from a thunk to cinstr_slow() and back, with every register preserved. The C side
 * is compiled for general registers only, so vector, x87 and mask registers are not touched; what
 * must call libc does it through cinstr_call_preserving(), which saves them.
 */
#include "probe/probe.h"

	.text
	.globl	cinstr_slow_entry
	.hidden	cinstr_slow_entry
	.type	cinstr_slow_entry, @function
	.balign	64
/* Stack: code offset, kind, end of the sled, top of the stack at the sled. Builds a struct
 * probe_frame. */
cinstr_slow_entry:
	/* an overflow of the stack shows here, while signals are still open */
	.cfi_startproc
	.cfi_def_cfa rsp, 24
	push	%rax
	push	%rcx
	push	%rdx
	push	%rbx
	push	%rbp
	.cfi_def_cfa rsp, 64
	.cfi_offset rbp, -64
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, %rbp
	.cfi_def_cfa rbp, 144
	testb	$0, -1024(%rsp)
	mov	%rsp, %rdi
	and	$-16, %rsp
	call	cinstr_slow
	mov	%rbp, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rbp
	.cfi_restore rbp
	.cfi_def_cfa rsp, 56
	pop	%rbx
	pop	%rdx
	pop	%rcx
	pop	%rax
	lea	16(%rsp), %rsp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	cinstr_slow_entry, . - cinstr_slow_entry

/*
 * void cinstr_call_preserving(void (*function)(void *), void *argument): calls it with the state of
 * all vector units saved around it. Needs up to 3 KiB of stack; used once per thread.
 */
	.globl	cinstr_call_preserving
	.hidden	cinstr_call_preserving
	.type	cinstr_call_preserving, @function
	.balign	16
cinstr_call_preserving:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	push	%rbx
	push	%r12
	mov	%rdi, %r12
	sub	$2880, %rsp
	and	$-64, %rsp
	mov	%rsp, %rbx
	xor	%eax, %eax
	mov	$8, %ecx
	lea	512(%rbx), %rdi /* the header must be zero */
	cld
	rep stosq
	cmpl	$0, cinstr_has_xsave(%rip)
	je	1f
	mov	$0xe7, %eax /* x87, SSE, AVX, mask and upper registers of AVX-512 */
	xor	%edx, %edx
	xsave	(%rbx)
	mov	%rsi, %rdi
	call	*%r12
	mov	$0xe7, %eax
	xor	%edx, %edx
	xrstor	(%rbx)
	jmp	2f
1:	fxsave	(%rbx)
	mov	%rsi, %rdi
	call	*%r12
	fxrstor	(%rbx)
2:	lea	-16(%rbp), %rsp
	pop	%r12
	pop	%rbx
	pop	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	cinstr_call_preserving, . - cinstr_call_preserving

/*
 * void cinstr_call_on_stack(void (*function)(void *), void *argument, void *top): calls it on
 * another stack; top NULL: on this one. With signals blocked: a handler would run on that stack.
 */
	.globl	cinstr_call_on_stack
	.hidden	cinstr_call_on_stack
	.type	cinstr_call_on_stack, @function
	.balign	16
cinstr_call_on_stack:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	mov	%rdi, %rax
	mov	%rsi, %rdi
	test	%rdx, %rdx
	cmovne	%rdx, %rsp
	and	$-16, %rsp
	call	*%rax
	mov	%rbp, %rsp
	pop	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	cinstr_call_on_stack, . - cinstr_call_on_stack

	.section .note.GNU-stack,"",@progbits

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
/*
 * From the gate (thunk_template.S), signals blocked. Stack: the address of {kind, K}, end of the
 * sled; below it what the gate keeps. Builds a struct probe_frame on the runtime's own stack, so
 * that little is needed of the program's.
 */
cinstr_slow_entry:
	.cfi_startproc
	lea	-GATE_BYTES(%rsp), %rsp
	.cfi_adjust_cfa_offset GATE_BYTES
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	push	%rbx
	.cfi_rel_offset rbx, -8
	lea	8 + GATE_BYTES(%rbp), %rdi /* the gate's stack pointer */
	call	cinstr_slow_stack
	lea	8 + GATE_BYTES(%rbp), %rcx
	movq	$GATE_ARM_AS_IT_IS, GATE_ARM(%rcx)
	cmp	$SLOW_NOTHING, %rax
	je	2f
	mov	(%rcx), %rdx
	cmp	$SLOW_NOTHING, %rax
	cmova	%rax, %rsp
	and	$-16, %rsp
	sub	$8, %rsp
	push	%rax
	lea	8(%rcx), %rax
	push	%rax
	pushq	GATE_NOW(%rcx)
	pushq	(%rdx)
	pushq	GATE_RAX(%rcx)
	pushq	GATE_RCX(%rcx)
	pushq	GATE_RDX(%rcx)
	pushq	-8(%rbp)
	pushq	(%rbp)
	pushq	GATE_RSI(%rcx)
	pushq	GATE_RDI(%rcx)
	pushq	GATE_R8(%rcx)
	pushq	GATE_R9(%rcx)
	pushq	GATE_R10(%rcx)
	pushq	GATE_R11(%rcx)
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, %rdi
	mov	%rsp, %rbx
	call	cinstr_slow
	lea	8 + GATE_BYTES(%rbp), %rcx
	mov	%rax, GATE_ARM(%rcx)
	mov	FRAME_LEFT(%rbx), %rax /* the slow path may clear it */
	mov	%rax, GATE_R11(%rcx)
	mov	FRAME_STACK(%rbx), %rdi
	lea	-8(%rbp), %rsp
	call	cinstr_slow_unstack
2:	pop	%rbx
	.cfi_restore rbx
	pop	%rbp
	.cfi_restore rbp
	.cfi_def_cfa rsp, GATE_BYTES + 8
	lea	GATE_BYTES(%rsp), %rsp
	.cfi_def_cfa_offset 8
	jmp	*GATE_LEAVE(%rsp)
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

/* SPDX-License-Identifier: MIT */
/* sampler_calls.S - the parts of libcinstr-sampler.so that cannot be written in C: syscall(), and
 * the return from its signal. */
	.text

/*
 * long syscall(long number, ...), as libc's: between the call and its result nothing is on the
 * stack but the return address. clone() may come back on another stack, and vfork() with one that
 * its child has written to.
 */
	.globl	syscall
	.type	syscall, @function
syscall:
	.cfi_startproc
	endbr64
	cmpq	$317, %rdi	/* SYS_seccomp */
	je	2f
1:
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	3f
	ret
2:
	pushq	%rdi
	.cfi_adjust_cfa_offset	8
	pushq	%rsi
	.cfi_adjust_cfa_offset	8
	pushq	%rdx
	.cfi_adjust_cfa_offset	8
	pushq	%rcx
	.cfi_adjust_cfa_offset	8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset	8
	movq	%rsi, %rdi
	call	sampler_before_seccomp
	addq	$8, %rsp
	.cfi_adjust_cfa_offset	-8
	popq	%rcx
	.cfi_adjust_cfa_offset	-8
	popq	%rdx
	.cfi_adjust_cfa_offset	-8
	popq	%rsi
	.cfi_adjust_cfa_offset	-8
	popq	%rdi
	.cfi_adjust_cfa_offset	-8
	jmp	1b	/* seccomp has three arguments */
3:
	movq	%rax, %rdi
	jmp	sampler_failed
	.cfi_endproc
	.size	syscall, . - syscall

/* What the signal's handler returns to. */
	.hidden	sampler_restore
	.globl	sampler_restore
	.balign	16
	nop	/* unwinders look at the byte before a return address */
sampler_restore:
	movq	$15, %rax	/* rt_sigreturn; debuggers know these bytes */
	syscall

	.section .note.GNU-stack, "", @progbits

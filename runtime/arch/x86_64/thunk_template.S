/* SPDX-License-Identifier: MIT */
/*
 * thunk_template.S - the code that a patched sled calls. HOT: this is the probe.
 *
 * It is a template: thunk.c copies it into a page near each instrumented module and fills in the
 * module's code offset K, the fs: offsets of the thread's probe_state, and the addresses of the
 * rseq descriptors.
 *
 * At a fast thunk's entry: (%rsp) = end of the sled, 8(%rsp) = what was on top of the stack at the
 * sled (at function entry and exit: the function's return address). r10, r11 and flags may be
 * changed, nothing else. rax and rdx are kept in r10 and r11; where these are live, below the stack
 * pointer, which never moves: the kernel leaves 128 bytes there alone.
 *
 * Each record is written in a restartable sequence (rseq): from the load of the cursor to the store
 * that commits. A signal or a switch in between makes the kernel go to the abort handler, and so
 * does, before the next probe arms its own sequence, the test of `armed` (the kernel has cleared
 * it): both leave to the slow path, which logs the event and asks what the operating system did.
 *
 *   BEFORE, ENTER alone, EXIT, AFTER alone, TAIL, LANDING   stamp: one 16-byte record
 *   LINE   the same, with every register and the flags preserved: its sled is anywhere in the code
 *   ENTER right after its BEFORE or TAIL, AFTER right after its callee's EXIT
 *          no stamp: completes that record.
 *   "Right after" is decided by return address: exact.
 *
 * The slot's first half {code, time} is stored last, so that a reader of a killed process's buffer
 * never sees half a record. Unlikely ways out, all to the slow path: armed == 0, high half of the
 * stamp changed (also: this thread has no buffer yet), interval over the threshold, buffer full.
 *
 * While recording is off (control.c) `armed` stays 0, so each probe fails its first test. It then
 * returns to the program, unless the sum of the process's and the session's epochs is not the one
 * that this thread saw last: then it takes the slow path.
 *
 * Nothing in here moves the stack pointer, but for calls within the template and their returns.
 * So one rule of unwinding holds at each instruction, which the plugin writes for all of a
 * module's room (plugin/room.cc): the return address is on top of the stack. What has to be kept
 * is kept below the stack pointer, where the kernel puts no signal's frame (128 bytes).
 */
#include <asm/unistd.h>

#include "probe/probe.h"
#ifdef CINSTR_VIRTUAL
#include "hooks.h" /* testsuite/virtual */
#endif

#define SIGNATURE 0x53053053 /* ARCH_RSEQ_SIGNATURE */
#define HOLE 0x7f000000	     /* any value that makes gas use 32 bits */

#define SP_AMOUNT (12 << 3)
#define SP_MEMORY (SP_AMOUNT | 1 << 8)
#define AMOUNT_BITS 40
#define AMOUNT_WRITTEN 60
#define AMOUNT_FAILED 62
#define EV_ENTER 1
#define EV_EXIT 2
#define EV_BEFORE 3
#define EV_AFTER 4
#define EV_TAIL 5
#define EV_LANDING 6
#define EV_LINE 7
#define SP_TARGET (6 << 3)
#define SIG_SETMASK 2
/* In glibc's pthread_mutex_t. */
#define MUTEX_OWNER 8
#define MUTEX_KIND 16
#define MUTEX_RECURSIVE 1
/* In glibc's pthread_rwlock_t: the bits of its first word, above which is the number of readers;
 * and the writer's tid. */
#define RWLOCK_WRITE_PHASE 1
#define RWLOCK_WRITE_LOCKED 2
#define RWLOCK_READERS_AT 3
#define RWLOCK_WRITER 24
/* In glibc's FILE: its descriptor. */
#define FILE_FD 112
/* Likewise in its DIR. */
#define FOLDER_FD 0
/* <linux/futex.h> */
/* <sys/epoll.h> */
#define EPOLL_CTL_ADD 1
#define SYS_futex __NR_futex
#define FUTEX_WAKE 1
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAKE_BITSET 10
#define FUTEX_COMMANDS 0x7f
/* By which an object's place among the gives is found (waits.c). */
#define GIVE_FACTOR 0x9e3779b97f4a7c15
#define SYS_rt_sigprocmask __NR_rt_sigprocmask

	.section .rodata.cinstr_fixups,"a",@progbits
	.balign 8
	.globl thunk_fixups
	.hidden thunk_fixups
thunk_fixups:
	.section .rodata.cinstr_sequences,"a",@progbits
	.balign 8
	.globl thunk_sequences
	.hidden thunk_sequences
thunk_sequences:

/* The 32-bit field that ends `back` bytes before here is of this type. */
.macro FIXUP type, back=0
991:	.pushsection .rodata.cinstr_fixups
	.long	991b - 4 - \back - thunk_template, \type
	.popsection
.endm

/* edx:eax = the clock, the high halves of both registers 0. */
.macro READ_TICKS
#ifdef CINSTR_VIRTUAL
	READ_VIRTUAL
	add	%fs:HOLE, %rax
	FIXUP	FIX_VIRTUAL_PROBE
	mov	%rax, %fs:HOLE
	FIXUP	FIX_VIRTUAL_NOW
	SPLIT_VIRTUAL
#else
	rdtsc
#endif
.endm

/* The same on the way out of the slow path, where no event is: virtual time stands still. */
.macro READ_TICKS_LEAVING
#ifdef CINSTR_VIRTUAL
	READ_VIRTUAL
	SPLIT_VIRTUAL
#else
	rdtsc
#endif
.endm

#ifdef CINSTR_VIRTUAL
.macro READ_VIRTUAL
	mov	%fs:HOLE, %rax
	FIXUP	FIX_VIRTUAL_NOW
.endm
.macro SPLIT_VIRTUAL
	mov	%rax, %rdx
	shr	$32, %rdx
	mov	%eax, %eax
.endm
#endif

.macro LOAD_CURSOR reg
	mov	%fs:HOLE, \reg
	FIXUP	FIX_CURSOR
.endm

.macro STORE_CURSOR reg
	mov	\reg, %fs:HOLE
	FIXUP	FIX_CURSOR
.endm

.macro SAVE
	mov	%rax, %r10
	mov	%rdx, %r11
.endm

.macro RETURN
	mov	%r10, %rax
	mov	%r11, %rdx
	ret
.endm

.macro SAVE_keep
	mov	%rax, -8(%rsp)
	mov	%rdx, -16(%rsp)
.endm

.macro RESTORE_keep
	mov	-8(%rsp), %rax
	mov	-16(%rsp), %rdx
.endm

.macro RETURN_keep
	RESTORE_keep
	ret
.endm

/* r11 has what no `syscall` instruction leaves there (ARCH_LEFT_BY_SYSCALL). */
.macro RETURN_CLEAR
	mov	%r10, %rax
	mov	%r11, %rdx
	xor	%r11d, %r11d
	ret
.endm

/* Where thunks that read the processor's counter keep rcx, and a word of their own. */
#define KEPT_RCX (-32)
#define KEPT_LOCK (-40)

/* Leave if the kernel was here since the last probe (or no probe has run in this thread). */
.macro CHECK_ARMED slow
#ifdef THUNK_COUNTER
	mov	%rcx, KEPT_RCX(%rsp)
#endif
	cmpq	$0, %fs:HOLE
	FIXUP	FIX_ARMED, 1
	je	\slow
.endm

/* On the way to the slow path. */
.macro RESTORE_RCX
#ifdef THUNK_COUNTER
	mov	KEPT_RCX(%rsp), %rcx
#endif
.endm

/* edx:eax = the processor's counter of the number in ecx, the high halves of both registers 0. */
.macro READ_COUNTER
#ifdef CINSTR_VIRTUAL
	mov	%fs:HOLE(, %rcx, 8), %rax
	FIXUP	FIX_VIRTUAL_COUNTERS
	SPLIT_VIRTUAL
#else
	rdpmc
#endif
.endm

/*
 * For the record at the cursor (or so far behind it): the thread's count. rax and rdx are changed;
 * rdx is the cursor then. A counter of the processor's is read as the kernel asks for: if it was
 * changed meanwhile, by an interrupt, the slow path reads it again; a switch ends the restartable
 * sequence.
 */
.macro ADD_UP slow, at=0
#ifdef THUNK_COUNTER
	mov	%fs:HOLE, %rdx
	FIXUP	FIX_COUNTER
	mov	COUNTER_LOCK(%rdx), %ecx
	mov	%ecx, KEPT_LOCK(%rsp)
	xor	%eax, %eax /* not known */
	mov	COUNTER_INDEX(%rdx), %ecx
	dec	%ecx
	js	881f
	READ_COUNTER
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%fs:HOLE, %rdx
	FIXUP	FIX_COUNTER
	movzwl	COUNTER_WIDTH(%rdx), %ecx
	neg	%ecx /* 64 - width */
	shl	%cl, %rax
	sar	%cl, %rax
	add	COUNTER_OFFSET(%rdx), %rax
	mov	KEPT_LOCK(%rsp), %ecx
	cmp	COUNTER_LOCK(%rdx), %ecx
	jne	\slow
	inc	%rax
881:	RESTORE_RCX
	LOAD_CURSOR %rdx
	mov	%rax, (PROBE_SUMS+\at)(%rdx)
#endif
#ifdef THUNK_SUMS
	mov	%fs:HOLE, %rdx
	FIXUP	FIX_SEGMENTS
	mov	HOLE(%rdx), %rax
	FIXUP	FIX_SUM
	add	HOLE(%rdx), %rax
	FIXUP	(FIX_SUM+1)
	add	HOLE(%rdx), %rax
	FIXUP	(FIX_SUM+2)
	add	HOLE(%rdx), %rax
	FIXUP	(FIX_SUM+3)
	LOAD_CURSOR %rdx
	mov	%rax, (PROBE_SUMS+\at)(%rdx)
#endif
.endm

/* Begin a restartable sequence; ends at label \name\()_end, its abort handler goes to \slow. */
.macro BEGIN name, slow, reg=%rax
	mov	\name\()_descriptor(%rip), \reg
	mov	\reg, %fs:HOLE
	FIXUP	FIX_ARMED
\name\()_start:
	.pushsection .text.cinstr_template
	.subsection 1
	.balign	8
\name\()_descriptor: /* its address: it stays when the module is unloaded */
	.quad	0
	.long	0, SIGNATURE
\name\()_abort:
	jmp	\slow
	.popsection
	.pushsection .rodata.cinstr_sequences
	.long	\name\()_descriptor - thunk_template, \name\()_start - thunk_template
	.long	\name\()_end - thunk_template, \name\()_abort - thunk_template
	.popsection
.endm

/* edx = the sled's code without its kind */
.macro SLED_CODE at=0
	mov	\at(%rsp), %edx
	lea	HOLE(%rdx), %edx
	FIXUP	FIX_CODE
	and	$-8, %edx
.endm

/* Stamp the record at the cursor, whose second half is written, and commit it. */
.macro STAMP name, kind, slow, return=RETURN, full=slow_full
	READ_TICKS
	cmp	%edx, %fs:HOLE
	FIXUP	FIX_HIGH
	jne	\slow
	shl	$32, %rax
	SLED_CODE
	lea	\kind(%rax, %rdx), %rax
	LOAD_CURSOR %rdx
	mov	%rax, (%rdx)
	sub	-16(%rdx), %rax /* high half: interval (or one less) */
	cmp	%fs:HOLE, %rax
	FIXUP	FIX_THRESHOLD
	ja	\slow
	ADD_UP	\slow
	add	$16, %rdx
	STORE_CURSOR %rdx /* commit */
\name\()_end:
	cmp	%fs:HOLE, %rdx
	FIXUP	FIX_END
	jae	\full
	\return
.endm

/* As STAMP, for a TARGET (or AMOUNT) record and the event's record behind it; both second halves
 * are written. */
.macro STAMP_PAIR name, kind, slow, return, full, first=SP_TARGET
	READ_TICKS
	cmp	%edx, %fs:HOLE
	FIXUP	FIX_HIGH
	jne	\slow
	shl	$32, %rax
	SLED_CODE
	lea	\kind(%rax, %rdx), %rax
	LOAD_CURSOR %rdx
	mov	%rax, 16(%rdx)
	shr	$32, %rax
	movl	$\first, (%rdx)
	mov	%eax, 4(%rdx)
	mov	16(%rdx), %rax
	sub	-16(%rdx), %rax
	cmp	%fs:HOLE, %rax
	FIXUP	FIX_THRESHOLD
	ja	\slow
	ADD_UP	\slow, 16
	add	$32, %rdx
	STORE_CURSOR %rdx /* commit */
\name\()_end:
	cmp	%fs:HOLE, %rdx
	FIXUP	FIX_END
	jae	\full
	\return
.endm

#include "thunk_events.inc"

	.section .text.cinstr_template,"ax",@progbits
	.balign	64
	.globl	thunk_template
	.hidden	thunk_template
thunk_template:

	FAST_THUNKS

/*
 * Around a call of a function that enters the kernel at times: the `syscall` instruction leaves the
 * flags in r11, and few functions put anything there behind it.
 */
	.balign	64
fast_before_stream:
	SAVE
	CHECK_ARMED slow_before_stream
	BEGIN	before_stream, slow_before_stream
	LOAD_CURSOR %rdx
	mov	(%rsp), %eax
	mov	%rax, 8(%rdx)
	STAMP	before_stream, EV_BEFORE, slow_before_stream, RETURN_CLEAR, slow_full_stream

	.balign	64
fast_after_stream:
	mov	%r11, %r10
	and	$ARCH_LEFT_BY_SYSCALL_MASK, %r10
	cmp	$ARCH_LEFT_BY_SYSCALL, %r10
	jne	fast_after
	jmp	plain_after_stream

/* To the gate, which finds the kind and K behind the call. */
.macro TO_SLOW kind, gate=slow_gate
	call	\gate
	.long	\kind
	.long	HOLE
	FIXUP	FIX_CODE
.endm

/* Where a LINE thunk keeps rax, the flags and rdx, below the end of the sled. */
#define LINE_RAX (-16)
#define LINE_FLAGS (GATE_FLAGS - 8)
#define LINE_RDX (-24)

.macro SAVE_LINE
	mov	%rax, LINE_RAX(%rsp)
	lahf
	seto	%al
	mov	%rax, LINE_FLAGS(%rsp)
.endm

.macro RESTORE_FLAGS at
	mov	\at(%rsp), %rax
	add	$127, %al /* the overflow flag */
	sahf
.endm

.macro RETURN_LINE
	RESTORE_FLAGS LINE_FLAGS
	mov	LINE_RDX(%rsp), %rdx
	mov	LINE_RAX(%rsp), %rax
.endm

/* Anywhere in the code. */
	.balign	64
fast_line:
	SAVE_LINE
	mov	%rdx, LINE_RDX(%rsp)
	CHECK_ARMED slow_line
	BEGIN	line, slow_line
	mov	%esp, %eax
	bts	$32, %rax
	bts	$33, %rax
	LOAD_CURSOR %rdx
	mov	%rax, 8(%rdx)
	READ_TICKS
	cmp	%edx, %fs:HOLE
	FIXUP	FIX_HIGH
	jne	slow_line
	shl	$32, %rax
	SLED_CODE
	lea	EV_LINE(%rax, %rdx), %rax
	LOAD_CURSOR %rdx
	mov	%rax, (%rdx)
	sub	-16(%rdx), %rax
	cmp	%fs:HOLE, %rax
	FIXUP	FIX_THRESHOLD
	ja	slow_line
	ADD_UP	slow_line
	add	$16, %rdx
	STORE_CURSOR %rdx /* commit */
line_end:
	cmp	%fs:HOLE, %rdx
	FIXUP	FIX_END
	jae	line_full
	RETURN_LINE
	ret
line_full:
	mov	LINE_RDX(%rsp), %rdx
	mov	LINE_RAX(%rsp), %rax
	TO_SLOW	PROBE_KIND_FULL, line_gate

	FAST_THUNKS _keep

/* r11d: who has the mutex, or the read-write lock, at rdi (CINSTR_HOLDER_READERS). */
.macro HOLDER_OF_mutex
	mov	MUTEX_OWNER(%rdi), %r11d
.endm
.macro HOLDER_OF_rwlock
	mov	RWLOCK_WRITER(%rdi), %r11d
	bts	$HOLDER_WRITER_BIT, %r11d
	testl	$RWLOCK_WRITE_PHASE, (%rdi)
	jne	801f
	mov	(%rdi), %r11d
	shr	$RWLOCK_READERS_AT, %r11d
	bts	$HOLDER_READERS_BIT, %r11d
801:
.endm

/*
 * What the call behind the sled, whose end is on top of the stack, waits for: the object at the
 * address in a register, or whose address is there (at); by: the kind of lock that tells who has
 * it; of a tail call, where it returns to. r11 and the flags are changed.
 */
.macro AWAIT by, tail, at, object=%rdi
/* A handler that comes between, and notes another call, leaves what does not fit together. */
.ifb \tail
	movl	$0, %fs:HOLE
	FIXUP	FIX_AWAITED_RETURNS, 4
.else
	mov	8(%rsp), %r11d
	mov	%r11d, %fs:HOLE
	FIXUP	FIX_AWAITED_RETURNS
.endif
	mov	(%rsp), %r11
	mov	%r11, %fs:HOLE
	FIXUP	FIX_AWAITED_SITE
.ifb \at
	mov	\object, %fs:HOLE
.else
	mov	(\object), %r11
	mov	%r11, %fs:HOLE
.endif
	FIXUP	FIX_AWAITED
.ifb \by
	movl	$0, %fs:HOLE
	FIXUP	FIX_AWAITED_HOLDER, 4
.else
	HOLDER_OF_\by
	mov	%r11d, %fs:HOLE
	FIXUP	FIX_AWAITED_HOLDER
.endif
.endm

/*
 * As fast_before and fast_tail, where the call behind the sled waits (AWAIT): behind the record
 * stands what for (cinstr/awaiting.h), for who reads the file while the thread is still there. at:
 * of the return address that the record needs, above the stack pointer.
 */
.macro FAST_AWAIT name, kind, at
	.balign	64
await_\name:
	SAVE
	CHECK_ARMED slow_\name
	BEGIN	await_\name, slow_\name
	SLED_CODE
	mov	%fs:HOLE, %rax
	FIXUP	FIX_AWAITED
	add	%eax, %edx
	shl	$32, %rdx
	mov	%fs:HOLE, %eax
	FIXUP	FIX_AWAITED_HOLDER
	or	%rax, %rdx
	LOAD_CURSOR %rax
	mov	%rdx, 40(%rax)
	mov	%fs:HOLE, %rdx
	FIXUP	FIX_AWAITED
	mov	%rdx, 24(%rax)
	mov	%fs:HOLE, %rdx
	FIXUP	FIX_GAVE
	mov	%rdx, 56(%rax)
	mov	\at(%rsp), %edx
	mov	%rdx, 8(%rax)
	STAMP	await_\name, \kind, slow_\name, RETURN, slow_full
.endm
	FAST_AWAIT before, EV_BEFORE, 0
	FAST_AWAIT tail, EV_TAIL, 8

#include "thunk_moves.inc"

/*
 * In a call of syscall(): r11 is futex()'s command without its flags, ZF is set if that is
 * FUTEX_WAIT; other: where to go if it is another system call.
 */
.macro FUTEX_COMMAND other
	cmp	$SYS_futex, %edi
	jne	\other
	mov	%edx, %r11d
	and	$FUTEX_COMMANDS, %r11d
.endm

/*
 * Notes who gives an object, for who waits for it (waits.c). On the stack: a return address, and
 * the end of the sled. r10, r11 and the flags are changed. The object is noted last, so that a
 * reader who finds it before and behind has what belongs to it.
 *
 * A mutex for which nobody sleeps was perhaps given already to one who sleeps no more, but has not
 * run since: who gives it now is the last one before that. So it is noted, too, if the mutex was
 * noted before, with that stamp: a wait that has begun since is not over by that.
 */
	.balign	64
give_word:
	cmpl	$1, (%rdi)
	jne	give_lock
	mov	%rdi, %r11
	jmp	give_again
/* Readers whom no writer waits for end no wait. */
give_rwlock:
	testl	$(RWLOCK_WRITE_PHASE | RWLOCK_WRITE_LOCKED), (%rdi)
	jne	give_lock
	ret
give_second_word:
	cmpl	$1, (%rsi)
	jne	give_second
	mov	%rsi, %r11
give_again:
	mov	%rax, -16(%rsp)
	movabs	$GIVE_FACTOR, %rax
	imul	%r11, %rax
	shr	$(64 - GIVES_BITS), %rax
	shl	$GIVE_BITS, %rax
	add	gives(%rip), %rax
	cmp	%r11, (%rax)
	jne	2f
	mov	%rdx, -24(%rsp)
	SLED_CODE 8
	shl	$32, %rdx
	mov	%fs:HOLE, %r10d
	FIXUP	FIX_TID
	or	%r10, %rdx
	cmp	%rdx, GIVE_BY(%rax)
	je	1f
	mov	GIVE_TICKS(%rax), %r10
	xor	%rdx, %r10
	xor	%r11, %r10
	movq	$0, (%rax)
	mov	%rdx, GIVE_BY(%rax)
	mov	%r10, GIVE_CHECK(%rax)
	mov	%r11, (%rax)
1:	mov	-24(%rsp), %rdx
2:	mov	-16(%rsp), %rax
	ret
give_second_lock:
	mov	(%rsi), %r11
	jmp	give_lock_r11
give_second:
	mov	%rsi, %r11
	jmp	give_lock_r11
give_lock:
	mov	%rdi, %r11
give_lock_r11:
	mov	$1, %r10d
	jmp	give_r11
give_futex: /* syscall() */
	FUTEX_COMMAND 2f
	je	2f
	cmp	$FUTEX_WAKE, %r11d
	je	1f
	cmp	$FUTEX_WAKE_BITSET, %r11d
	jne	2f
1:	mov	%rsi, %r11
	xor	%r10d, %r10d
	jmp	give_r11
2:	ret
give:
	mov	%rdi, %r11
	xor	%r10d, %r10d
give_r11: /* r10: 1 for a lock */
	mov	%rax, -16(%rsp)
	mov	%rdx, -24(%rsp)
	READ_TICKS_LEAVING
	shl	$32, %rdx
	or	%rax, %rdx
	test	%r10d, %r10d
	je	1f
	mov	%rdx, %fs:HOLE
	FIXUP	FIX_GAVE
1:	mov	%rdx, -32(%rsp)
	movabs	$GIVE_FACTOR, %rax
	imul	%r11, %rax
	shr	$(64 - GIVES_BITS), %rax
	shl	$GIVE_BITS, %rax
	add	gives(%rip), %rax
	SLED_CODE 8
	shl	$32, %rdx
	mov	%fs:HOLE, %r10d
	FIXUP	FIX_TID
	or	%r10, %rdx
	cmp	%r11, (%rax)
	jne	1f
	cmp	%rdx, GIVE_BY(%rax)
	je	2f
1:	mov	GIVE_TICKS(%rax), %r10
	mov	%r10, GIVE_OTHER(%rax)
2:	movq	$0, (%rax)
	mov	%rdx, GIVE_BY(%rax)
	mov	%r11, %r10
	xor	%rdx, %r10
	mov	-32(%rsp), %rdx
	mov	%rdx, GIVE_TICKS(%rax)
	xor	%rdx, %r10
	mov	%r10, GIVE_CHECK(%rax)
	mov	%r11, (%rax)
	mov	-24(%rsp), %rdx
	mov	-16(%rsp), %rax
	ret

/* Before a call of a function with an object, by enum cinstr_object_use. */
.macro GIVING use, routine
give_alone_\use:
	call	\routine
	ret
.endm
	GIVING	gives, give
	GIVING	gives_word, give_word
	GIVING	gives_rwlock, give_rwlock
	GIVING	signal, give_second_word
	GIVING	signal_lock, give_second_lock
	GIVING	futex, give_futex
object_tail_gives:
	call	give
	jmp	fast_tail
object_tail_gives_word:
	call	give_word
	jmp	fast_tail
object_tail_gives_rwlock:
	call	give_rwlock
	jmp	fast_tail
object_gives:
	call	give
	jmp	fast_before
object_gives_word:
	call	give_word
	jmp	fast_before
object_gives_rwlock:
	call	give_rwlock
	jmp	fast_before
object_takes:
	AWAIT
	jmp	await_before
object_tail_takes_mutex:
	cmpl	$0, (%rdi)
	je	object_tail_takes
	AWAIT	mutex, tail
	jmp	await_tail
object_tail_takes_rwlock:
	AWAIT	rwlock, tail
	jmp	await_tail
object_tail_signal_lock:
	call	give_second_lock
	jmp	object_tail_takes
object_tail_signal:
	call	give_second_word
	jmp	object_tail_takes
object_tail_meets:
	call	give
object_tail_takes:
	AWAIT	, tail
	jmp	await_tail
object_takes_mutex:
	cmpl	$0, (%rdi)
	je	object_takes
	AWAIT	mutex
	jmp	await_before
object_takes_rwlock:
	AWAIT	rwlock
	jmp	await_before
object_meets:
	call	give
	jmp	object_takes
object_takes_signal:
	call	give_second_word
	jmp	object_takes
object_takes_signal_lock:
	call	give_second_lock
	jmp	object_takes
object_takes_at:
	AWAIT	, , at
	jmp	await_before
object_tail_takes_at:
	AWAIT	, tail, at
	jmp	await_tail
object_futex:
	FUTEX_COMMAND action_before
	je	1f
	cmp	$FUTEX_WAIT_BITSET, %r11d
	je	1f
	call	give_futex
	jmp	fast_before
1:	AWAIT	, , , %rsi
	jmp	await_before
object_tail_futex:
	FUTEX_COMMAND action_tail
	je	1f
	cmp	$FUTEX_WAIT_BITSET, %r11d
	je	1f
	call	give_futex
	jmp	fast_tail
1:	AWAIT	, tail, , %rsi
	jmp	await_tail

/*
 * Around a call that takes a lock, in a function that is counted: recorded if the lock is not free.
 * The call's after is behind the same stack pointer, which is kept until then. Who has left such a
 * call by a jump may come to another at that place: its before forgets, or takes over, what was
 * kept. Where a handler's call waits in between, the outer one's after is not recorded.
 */
	.balign	64
lock_free:
	cmp	%rsp, %fs:HOLE
	FIXUP	FIX_WAITS
	je	1f
	ret
1:	movq	$0, %fs:HOLE
	FIXUP	FIX_WAITS, 4
	ret

/* Is called. Does this thread have the mutex already, which may take it again? Then ZF is set. */
lock_own:
	mov	MUTEX_KIND(%rdi), %r11d
	and	$3, %r11d
	cmp	$MUTEX_RECURSIVE, %r11d
	jne	1f
	mov	%fs:HOLE, %r11d
	FIXUP	FIX_TID
	cmp	%r11d, MUTEX_OWNER(%rdi)
1:	ret

.macro AROUND_LOCK as, rwlock
	.balign	16
lock_mutex\as:
	cmpl	$0, (%rdi)
	je	lock_free
.ifb \as
	call	lock_own
	je	lock_free
	jmp	lock_taken_by
.endif
lock_taken\as:
	mov	%rsp, %fs:HOLE
	FIXUP	FIX_WAITS
.ifb \as
	AWAIT
	jmp	await_before
lock_taken_by\as:
	mov	%rsp, %fs:HOLE
	FIXUP	FIX_WAITS
	AWAIT	mutex
	jmp	await_before
lock_taken_rwlock\as:
	mov	%rsp, %fs:HOLE
	FIXUP	FIX_WAITS
	AWAIT	rwlock
	jmp	await_before
.else
	jmp	fast_before\as
.endif
	.balign	16
lock_word\as:
	cmpl	$0, (%rdi)
	je	lock_free
	jmp	lock_taken\as
	.balign	16
lock_read\as:
	testl	$2, (%rdi)
	je	lock_free
	jmp	lock_taken\rwlock\as
	.balign	16
lock_write\as:
	testl	$~5, (%rdi)
	je	lock_free
	jmp	lock_taken\rwlock\as
	.balign	16
lock_semaphore\as:
	cmpl	$0, (%rdi)
	jne	lock_free
	jmp	lock_taken\as
	.balign	16
unlocked\as:
	cmp	%rsp, %fs:HOLE
	FIXUP	FIX_WAITS
	je	1f
	ret
1:	movq	$0, %fs:HOLE
	FIXUP	FIX_WAITS, 4
	jmp	fast_after\as
.endm
	AROUND_LOCK , _rwlock
	AROUND_LOCK _keep

/* Have the epochs changed? Every register is kept. */
.macro CHECK_SEEN
	mov	%rax, -24(%rsp)
	mov	%rcx, -32(%rsp)
	mov	control_pages(%rip), %rcx
	mov	PROBE_CONTROL_OFFSET(%rcx), %eax
	add	PROBE_CONTROL_OFFSET+PROBE_CONTROL_PAGE(%rcx), %eax
	cmp	%eax, %fs:HOLE
	FIXUP	FIX_SEEN
	mov	-32(%rsp), %rcx
	mov	-24(%rsp), %rax
.endm

/*
 * While recording is off no probe is armed; but a signal handler may have turned it off inside a
 * thunk that went on to arm itself. (That thunk recorded nothing: `high` fits no stamp, and nothing
 * is fused with a PAUSE.)
 */
.macro DISARM
	movq	$0, %fs:HOLE
	FIXUP	FIX_ARMED, 4
.endm

slow_line:
	RETURN_LINE
	RESTORE_RCX
plain_line:
	SAVE_LINE
	cmp	%rsp, %fs:HOLE
	FIXUP	FIX_SKIP
	ja	line_skip
line_look:
	mov	LINE_RAX(%rsp), %rax
	TO_SLOW	EV_LINE, line_gate
line_skip:
	mov	LINE_RAX(%rsp), %rax
	DISARM
	CHECK_SEEN
	jne	line_look
	RESTORE_FLAGS LINE_FLAGS
	mov	LINE_RAX(%rsp), %rax
	ret

/*
 * The gate to the slow path: switches signals off, and on again. Everything between the two is in
 * the runtime's library, which unwinders need not know: no handler runs there. On the stack: the
 * address behind the call that led here, end of the sled.
 */
/* rsi: the mask; rdx: for the old one. */
.macro MASK_SIGNALS
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	mov	$8, %r10d
	syscall
.endm

/*
 * Counts the thread, so that no filter comes before it has made both calls; leaves if one has come.
 * The outermost gate counts. A handler has jumped out of one that is at or below the stack pointer:
 * that one is still counted. (On its alternate stack a handler may be wrong in that: then a filter
 * waits, or does not wait, for one gate.)
 */
.macro GATE_OPEN leave
	mov	is_mute(%rip), %rdx
	mov	%fs:HOLE, %rax
	FIXUP	FIX_GATE
	test	%rax, %rax
	jne	2f
	lock addl $1, MUTE_TO_GATES(%rdx) /* before the look; pairs with seccomp.c */
1:	mov	%rsp, %fs:HOLE
	FIXUP	FIX_GATE
	jmp	3f
2:	cmp	%rsp, %rax
	jbe	1b
3:	cmpl	$0, (%rdx)
	je	4f
	GATE_CLOSE
	jmp	\leave\()_registers
4:
.endm

.macro GATE_CLOSE
	cmp	%rsp, %fs:HOLE
	FIXUP	FIX_GATE
	jne	5f
	mov	is_mute(%rip), %rdx
	movq	$0, %fs:HOLE
	FIXUP	FIX_GATE, 4
	lock subl $1, MUTE_TO_GATES(%rdx)
5:
.endm

.macro GATE name, leave
\name:
	mov	%rax, GATE_RAX(%rsp)
	mov	is_mute(%rip), %rax
	cmpl	$0, (%rax)
	jne	\leave\()_mute
	mov	%rcx, GATE_RCX(%rsp)
	mov	%rdx, GATE_RDX(%rsp)
	mov	%rsi, GATE_RSI(%rsp)
	mov	%rdi, GATE_RDI(%rsp)
	mov	%r8, GATE_R8(%rsp)
	mov	%r9, GATE_R9(%rsp)
	mov	%r10, GATE_R10(%rsp)
	mov	%r11, GATE_R11(%rsp)
	cmpq	$0, %fs:HOLE
	FIXUP	FIX_TASKS, 1
	jne	\name\()_shared
\name\()_own:
	mov	slow_reach(%rip), %rax
	testb	$0, (%rsp, %rax) /* an overflow of the stack shows while signals are on */
	lea	\leave(%rip), %rax
	mov	%rax, GATE_LEAVE(%rsp)
	mov	has_ticks(%rip), %rax
	cmpl	$0, (%rax)
	je	1f
	READ_TICKS
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, GATE_NOW(%rsp)
1:	GATE_OPEN \leave
	lea	all_signals(%rip), %rsi
	lea	GATE_MASK(%rsp), %rdx
	MASK_SIGNALS
	jmp	*slow_pointer(%rip)
/* Tasks that share the thread's memory: most of their events are left alone without a system call.
 * (Here alone the stack pointer moves.) */
\name\()_shared:
	lea	-GATE_BYTES(%rsp), %rsp
	lea	GATE_BYTES(%rsp), %rdi
	call	*early_pointer(%rip)
	lea	GATE_BYTES(%rsp), %rsp
	test	%eax, %eax
	je	\name\()_own
	jmp	\leave\()_registers
.endm

.macro LEAVE name
\name:
	lea	GATE_MASK(%rsp), %rsi
	xor	%edx, %edx
	MASK_SIGNALS
	GATE_CLOSE
	cmpq	$GATE_ARM_AS_IT_IS, GATE_ARM(%rsp)
	je	2f /* in a task that has no state of its own */
	mov	has_ticks(%rip), %rax
	cmpl	$0, (%rax)
	je	1f
	READ_TICKS_LEAVING
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, %fs:HOLE
	FIXUP	FIX_LEFT
	/* last: a tracer that stops at system calls would make each event a slow one */
1:	mov	GATE_ARM(%rsp), %rax
	mov	%rax, %fs:HOLE
	FIXUP	FIX_ARMED
2:
\name\()_registers:
	mov	GATE_R11(%rsp), %r11
	mov	GATE_R10(%rsp), %r10
	mov	GATE_R9(%rsp), %r9
	mov	GATE_R8(%rsp), %r8
	mov	GATE_RDI(%rsp), %rdi
	mov	GATE_RSI(%rsp), %rsi
	mov	GATE_RDX(%rsp), %rdx
	mov	GATE_RCX(%rsp), %rcx
.endm

	GATE	slow_gate, slow_leave
	GATE	line_gate, line_leave
	LEAVE	slow_leave
slow_leave_mute:
	mov	GATE_RAX(%rsp), %rax
	lea	8(%rsp), %rsp
	ret
	LEAVE	line_leave
line_leave_mute:
	RESTORE_FLAGS GATE_FLAGS
	mov	GATE_RAX(%rsp), %rax
	lea	8(%rsp), %rsp
	ret

/*
 * slow_X: from a fast thunk; plain_X: with every register as at the sled; action_X: the same, also
 * while recording is off; silent_X: only for the actions.
 */
.macro SLOW name, kind
slow_\name:
	mov	%r10, %rax
	mov	%r11, %rdx
	RESTORE_RCX
plain_\name:
	cmp	%rsp, %fs:HOLE
	FIXUP	FIX_SKIP
	ja	skip_\name
look_\name:
	TO_SLOW	\kind
action_\name:
	TO_SLOW	(\kind+PROBE_KIND_ACTION)
silent_\name:
	TO_SLOW	(\kind+PROBE_KIND_ACTION+PROBE_KIND_SILENT)
skip_\name:
	DISARM
	CHECK_SEEN
	jne	look_\name
	ret
.endm

slow_full: /* also while recording is off: there is no room behind */
	mov	%r10, %rax
	mov	%r11, %rdx
	TO_SLOW	PROBE_KIND_FULL

slow_full_stream:
	mov	%r10, %rax
	mov	%r11, %rdx
	xor	%r11d, %r11d
	TO_SLOW	PROBE_KIND_FULL

	SLOW	enter, EV_ENTER
	SLOW	exit, EV_EXIT
	SLOW	before, EV_BEFORE
	SLOW	after, EV_AFTER
	SLOW	tail, EV_TAIL
	SLOW	landing, EV_LANDING
	SLOW	before_stream, EV_BEFORE+PROBE_KIND_STREAM
	SLOW	after_stream, EV_AFTER+PROBE_KIND_STREAM
	SLOW	read, EV_AFTER+PROBE_KIND_MOVES
	SLOW	read_stream, EV_AFTER+PROBE_KIND_STREAM+PROBE_KIND_MOVES
	SLOW	written, EV_AFTER+PROBE_KIND_MOVES+PROBE_KIND_WRITES
	SLOW	written_stream, EV_AFTER+PROBE_KIND_STREAM+PROBE_KIND_MOVES+PROBE_KIND_WRITES
	SLOW	opened, EV_AFTER+PROBE_KIND_OPENS
	SLOW	paired, EV_AFTER+PROBE_KIND_PAIRS
	SLOW	polled, EV_AFTER+PROBE_KIND_POLLS
	SLOW	awaited, EV_AFTER+PROBE_KIND_POLLS+PROBE_KIND_WRITES
	SLOW	registered, EV_AFTER+PROBE_KIND_REGISTERS
	SLOW	allocates, EV_BEFORE+PROBE_KIND_ALLOCATES
	SLOW	holds, EV_BEFORE+PROBE_KIND_ALLOCATES+PROBE_KIND_HOLDS
	SLOW	held, EV_AFTER+PROBE_KIND_HOLDS
	SLOW	held_at, EV_AFTER+PROBE_KIND_HOLDS+PROBE_KIND_HOLDS_AT

/* Before a call that frees, or may: also while recording is off, as the block may be a held one. */
frees_before:
	TO_SLOW	(EV_BEFORE+PROBE_KIND_FREES)
frees_tail:
	TO_SLOW	(EV_TAIL+PROBE_KIND_FREES)
frees_before_alone:
	TO_SLOW	(EV_BEFORE+PROBE_KIND_FREES+PROBE_KIND_SILENT)
frees_tail_alone:
	TO_SLOW	(EV_TAIL+PROBE_KIND_FREES+PROBE_KIND_SILENT)
frees_and_holds:
	TO_SLOW	(EV_BEFORE+PROBE_KIND_FREES+PROBE_KIND_ALLOCATES+PROBE_KIND_HOLDS)

.macro SLOW_KEEP name
slow_\name\()_keep:
	RESTORE_keep
	RESTORE_RCX
	jmp	plain_\name
.endm
	SLOW_KEEP enter
	SLOW_KEEP exit
	SLOW_KEEP before
	SLOW_KEEP after
	SLOW_KEEP tail
	SLOW_KEEP landing

slow_full_keep:
	RESTORE_keep
	TO_SLOW	PROBE_KIND_FULL

/* To the slow path, unless nothing is recorded here. */
.macro COUNT_LOOK name, block, kind
	cmp	%rsp, %fs:HOLE
	FIXUP	FIX_SKIP
	ja	\name\()_skip_\block
\name\()_look_\block:
	TO_SLOW	(PROBE_KIND_COUNT+\kind)
\name\()_skip_\block:
	DISARM
	CHECK_SEEN
	jne	\name\()_look_\block
	ret
.endm

/*
 * From a stub that counts (thunk.c), whose thread has no counters for it (r10 is 0), or has counted
 * so many that it is time to fold (r10 is not 0; a stub that keeps r10 never does). Where recording
 * is on the slow path gets counters, and counts this call. A stub that was jumped to has called: in
 * front of that call is its jump back, by which the stack becomes what a call by the sled makes it.
 * r11 keeps where the stub ends, as it may be a call's own; it is 0 for others.
 */
.macro COUNT_SLOW block
count_jump_\block:
	mov	(%rsp), %r11
	movslq	-9(%r11), %r11
	lea	-5(%r11), %r11
	add	%r11, (%rsp)
	neg	%r11
	add	(%rsp), %r11
	jmp	count_begin_\block
count_\block:
	xor	%r11d, %r11d
count_begin_\block:
	COUNT_LOOK count, \block, \block
count_keep_\block:
	mov	STUB_R10(%rsp), %r10
	COUNT_LOOK count_keep, \block, PROBE_KIND_KEPT+\block
.endm
	.irp	block, 0, 1, 2, 3, 4, 5, 6, 7
	COUNT_SLOW \block
	.endr

/*
 * Calibration: void f(long rounds). What an empty interval measures, by the kind of record that
 * begins it.
 */
	.balign	64
calibrate_plain: /* a function without probes called from an instrumented one */
	.balign	8
	call	fast_before
	call	calibrate_nothing
	.balign	8
	call	fast_after
	dec	%rdi
	jnz	calibrate_plain
	ret
	.balign	64
calibrate_nothing:
	ret

	.balign	64
calibrate_bare: /* an instrumented function called from one whose calls are not probed */
	call	calibrate_call_leaf
	dec	%rdi
	jnz	calibrate_bare
	ret

	.balign	64
calibrate_line:
	.balign	8
	call	fast_line
	dec	%rdi
	jnz	calibrate_line
	ret

.macro WORK_NONE
.endm
.macro WORK_SERIAL /* each step waits for the one before: the processor does a probe meanwhile */
	.rept	24
	imul	%rsi, %rsi
	.endr
.endm

/* An instrumented function called from an instrumented one, with that work in both; and the same
 * without probes. */
.macro CALIBRATE name, work
	.balign	64
\name:
	\work
	.balign	8
	call	fast_before
	call	\name\()_leaf
	.balign	8
	call	fast_after
	dec	%rdi
	jnz	\name
	ret
	.balign	64
\name\()_leaf:
	call	fast_enter
	\work
	.balign	8
	call	fast_exit
	ret
	.balign	64
\name\()_bare:
	\work
	call	\name\()_bare_leaf
	dec	%rdi
	jnz	\name\()_bare
	ret
	.balign	64
\name\()_bare_leaf:
	\work
	ret
.endm
	CALIBRATE calibrate_call, WORK_NONE
	CALIBRATE calibrate_serial, WORK_SERIAL

	.balign	8
slow_pointer:
	.quad	0
early_pointer:
	.quad	0
slow_reach:
	.quad	0
all_signals:
	.quad	-1
has_ticks:
	.quad	0
is_mute:
	.quad	0
control_pages:
	.quad	0
gives:
	.quad	0
files:
	.quad	0
pipes:
	.quad	0

	.subsection 2
	.globl	thunk_template_end
	.hidden	thunk_template_end
thunk_template_end:
	.previous

	.section .rodata.cinstr_fixups
	.globl	thunk_fixups_end
	.hidden	thunk_fixups_end
thunk_fixups_end:
	.section .rodata.cinstr_sequences
	.globl	thunk_sequences_end
	.hidden	thunk_sequences_end
thunk_sequences_end:

.macro TABLE name
#ifdef THUNK_AS
	.globl	\name\()THUNK_AS
	.hidden	\name\()THUNK_AS
\name\()THUNK_AS:
#else
	.globl	\name
	.hidden	\name
\name:
#endif
.endm
	.section .rodata.cinstr_tables,"a",@progbits
	.balign	4
TABLE thunk_fast
	.long	0, fast_enter - thunk_template, fast_exit - thunk_template, fast_before - thunk_template
	.long	fast_after - thunk_template, fast_tail - thunk_template, fast_landing - thunk_template
	.long	fast_line - thunk_template
TABLE thunk_keep
	.long	0, fast_enter_keep - thunk_template, fast_exit_keep - thunk_template
	.long	fast_before_keep - thunk_template, fast_after_keep - thunk_template
	.long	fast_tail_keep - thunk_template, fast_landing_keep - thunk_template
	.long	fast_line - thunk_template
TABLE thunk_slow
	.long	0, plain_enter - thunk_template, plain_exit - thunk_template, plain_before - thunk_template
	.long	plain_after - thunk_template, plain_tail - thunk_template, plain_landing - thunk_template
	.long	plain_line - thunk_template
TABLE thunk_action
	.long	0, action_enter - thunk_template, action_exit - thunk_template, action_before - thunk_template
	.long	action_after - thunk_template, action_tail - thunk_template, action_landing - thunk_template
	.long	plain_line - thunk_template
TABLE thunk_silent
	.long	0, silent_enter - thunk_template, silent_exit - thunk_template, silent_before - thunk_template
	.long	silent_after - thunk_template, silent_tail - thunk_template, silent_landing - thunk_template
	.long	plain_line - thunk_template
TABLE thunk_indirect
	.long	indirect_before - thunk_template, indirect_apart - thunk_template
	.long	indirect_tail - thunk_template
	.long	indirect_before_keep - thunk_template, indirect_apart_keep - thunk_template
	.long	indirect_tail_keep - thunk_template
TABLE thunk_indirect_nothing
	.long	indirect_nothing_before - thunk_template, indirect_nothing_apart - thunk_template
	.long	indirect_nothing_tail - thunk_template
	.long	indirect_nothing_before_keep - thunk_template
	.long	indirect_nothing_apart_keep - thunk_template
	.long	indirect_nothing_tail_keep - thunk_template
TABLE thunk_stream
	.long	0, 0, 0, fast_before_stream - thunk_template, fast_after_stream - thunk_template, 0, 0, 0
TABLE thunk_stream_slow
	.long	0, 0, 0, plain_before_stream - thunk_template, plain_after_stream - thunk_template, 0, 0, 0
TABLE thunk_lock
	.irp	as, , _keep
	.long	0, lock_mutex\as - thunk_template, lock_word\as - thunk_template
	.long	lock_read\as - thunk_template, lock_write\as - thunk_template
	.long	lock_semaphore\as - thunk_template
	.endr
TABLE thunk_lock_taken
	.irp	as, , _keep
	.long	0
	.ifb \as
	.long	lock_taken_by - thunk_template, lock_taken - thunk_template
	.long	lock_taken_rwlock - thunk_template, lock_taken_rwlock - thunk_template
	.else
	.long	lock_taken\as - thunk_template, lock_taken\as - thunk_template
	.long	lock_taken\as - thunk_template, lock_taken\as - thunk_template
	.endif
	.long	lock_taken\as - thunk_template
	.endr
TABLE thunk_lock_own
	.long	lock_own - thunk_template
TABLE thunk_unlocked
	.long	unlocked - thunk_template, unlocked_keep - thunk_template
TABLE thunk_object
	.long	fast_before - thunk_template, object_takes - thunk_template
	.long	object_takes_mutex - thunk_template, object_takes_rwlock - thunk_template
	.long	object_takes_at - thunk_template
	.long	object_meets - thunk_template, object_takes_signal - thunk_template
	.long	object_takes_signal_lock - thunk_template, object_futex - thunk_template
	.long	object_gives - thunk_template, object_gives_word - thunk_template
	.long	object_gives_rwlock - thunk_template
TABLE thunk_object_tail
	.long	fast_tail - thunk_template, object_tail_takes - thunk_template
	.long	object_tail_takes_mutex - thunk_template, object_tail_takes_rwlock - thunk_template
	.long	object_tail_takes_at - thunk_template
	.long	object_tail_meets - thunk_template, object_tail_signal - thunk_template
	.long	object_tail_signal_lock - thunk_template, object_tail_futex - thunk_template
	.long	object_tail_gives - thunk_template, object_tail_gives_word - thunk_template
	.long	object_tail_gives_rwlock - thunk_template
TABLE thunk_give
	.long	0, 0, 0, 0, 0, give - thunk_template, give_second_word - thunk_template
	.long	give_second_lock - thunk_template, give_futex - thunk_template
	.long	give - thunk_template, give_word - thunk_template, give_rwlock - thunk_template
TABLE thunk_give_alone
	.long	0, 0, 0, 0, 0, give_alone_gives - thunk_template, give_alone_signal - thunk_template
	.long	give_alone_signal_lock - thunk_template, give_alone_futex - thunk_template
	.long	give_alone_gives - thunk_template, give_alone_gives_word - thunk_template
	.long	give_alone_gives_rwlock - thunk_template
/* By enum cinstr_amount_use: nothing, reads, writes, three of items, a stream; opens, makes,
 * closes, three that close a stream or folder, three that make pairs, three that poll; five that
 * allocate. */
TABLE thunk_moves
	.long	0, moves_fd_reads - thunk_template, moves_fd_writes - thunk_template
	.long	moves_items - thunk_template, moves_items - thunk_template
	.long	moves_items_third - thunk_template, moves_stream - thunk_template
	.long	moves_nothing - thunk_template, 0, moves_closes - thunk_template
	.long	moves_closes_stream - thunk_template, moves_closes_third - thunk_template
	.long	moves_closes_folder - thunk_template
	.long	moves_pairs - thunk_template, moves_pairs_fourth - thunk_template
	.long	moves_pairs_alone - thunk_template, moves_polls - thunk_template
	.long	moves_awaits - thunk_template, moves_registers - thunk_template
	.irp	use, first, second, first_second, second_third, third
	.long	allocates_\use - thunk_template
	.endr
TABLE thunk_moved
	.long	0, moved_read - thunk_template, moved_written - thunk_template
	.long	moved_read_stream - thunk_template, moved_written_stream - thunk_template
	.long	moved_read_stream - thunk_template, moved_read_stream - thunk_template
	.long	moved_opens - thunk_template, moved_makes - thunk_template, 0, 0, 0, 0
	.long	plain_paired - thunk_template, plain_paired - thunk_template
	.long	plain_paired - thunk_template, moved_polls - thunk_template
	.long	moved_awaits - thunk_template, moved_registers - thunk_template
	.long	0, 0, 0, 0, 0
TABLE thunk_sizes
	.long	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	.irp	use, first, second, first_second, second_third, third
	.long	size_\use - thunk_template
	.endr
/* The first argument of calls whose size is not their first one may be a block: realloc's. */
TABLE thunk_holds
	.long	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	.irp	use, first, second, first_second, second_third, third
	.long	holds_\use - thunk_template
	.endr
TABLE thunk_held
	.long	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	.long	plain_held - thunk_template, plain_held - thunk_template
	.long	plain_held - thunk_template, plain_held - thunk_template
	.long	plain_held_at - thunk_template
TABLE thunk_frees
	.long	0, 0, 0, frees_before - thunk_template, 0, frees_tail - thunk_template, 0, 0
TABLE thunk_frees_alone
	.long	0, 0, 0, frees_before_alone - thunk_template, 0, frees_tail_alone - thunk_template, 0, 0
TABLE thunk_count
	.irp	block, 0, 1, 2, 3, 4, 5, 6, 7
	.long	count_\block - thunk_template
	.endr
TABLE thunk_count_jump
	.irp	block, 0, 1, 2, 3, 4, 5, 6, 7
	.long	count_jump_\block - thunk_template
	.endr
TABLE thunk_count_keep
	.irp	block, 0, 1, 2, 3, 4, 5, 6, 7
	.long	count_keep_\block - thunk_template
	.endr
TABLE thunk_enter_only
	.long	fast_enter_only - thunk_template, fast_enter_only_keep - thunk_template
TABLE thunk_slow_pointer
	.long	slow_pointer - thunk_template
TABLE thunk_early_pointer
	.long	early_pointer - thunk_template
TABLE thunk_slow_reach
	.long	slow_reach - thunk_template
TABLE thunk_has_ticks
	.long	has_ticks - thunk_template
TABLE thunk_is_mute
	.long	is_mute - thunk_template
TABLE thunk_gives
	.long	gives - thunk_template
TABLE thunk_files
	.long	files - thunk_template
TABLE thunk_pipes
	.long	pipes - thunk_template
TABLE thunk_control_pages
	.long	control_pages - thunk_template
TABLE thunk_calibrate_call
	.long	calibrate_call - thunk_template
TABLE thunk_calibrate_call_bare
	.long	calibrate_call_bare - thunk_template
TABLE thunk_calibrate_serial
	.long	calibrate_serial - thunk_template
TABLE thunk_calibrate_serial_bare
	.long	calibrate_serial_bare - thunk_template
TABLE thunk_calibrate_plain
	.long	calibrate_plain - thunk_template
TABLE thunk_calibrate_bare
	.long	calibrate_bare - thunk_template
TABLE thunk_calibrate_line
	.long	calibrate_line - thunk_template

	.section .note.GNU-stack,"",@progbits

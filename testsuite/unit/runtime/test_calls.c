/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operands of indirect calls: what the runtime's decoder makes of them is compared with what
 * the assembler makes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "probe/thunk.h"
#include "tests.h"

/* A call or jump, and the load of its operand with a displacement of 32 bits; behind a sled's call,
 * what is relative to rsp is 8 bytes farther up. None of it is executed. */
struct form {
	const uint8_t *call, *load, *end;
	const char *text;
};

#define FORM_CODE(call, load) ".section .text.forms,\"ax\"\n1: " call "\n2: " load "\n3:\n.previous\n"
#define FORM_ROW ".section .data.forms,\"aw\"\n.quad 1b, 2b, 3b, 4f\n.previous\n"
#define FORM_TEXT(text) ".section .rodata.forms,\"a\"\n4: .asciz \"" text "\"\n.previous\n"
#define FORM(call, load) __asm__(FORM_CODE(call, load) FORM_ROW FORM_TEXT(call))

__asm__(".section .data.forms,\"aw\"\n.balign 8\nforms:\n.previous\n");
FORM("call *%rax", "{load} mov %rax, %rax");
FORM("call *%rbp", "{load} mov %rbp, %rax");
FORM("call *%r10", "{load} mov %r10, %rax");
FORM("jmp *%r11", "{load} mov %r11, %rax");
FORM("jmp *%r15", "{load} mov %r15, %rax");
FORM("notrack call *%r11", "{load} mov %r11, %rax");
FORM("notrack jmp *%rdx", "{load} mov %rdx, %rax");
FORM(".byte 0xf2; call *%rbx", "{load} mov %rbx, %rax");
FORM("cs call *%rcx", "{load} mov %rcx, %rax");
FORM("call *(%rax)", "{disp32} mov 0(%rax), %rax");
FORM("call *8(%rdi)", "{disp32} mov 8(%rdi), %rax");
FORM("call *-8(%rbp)", "{disp32} mov -8(%rbp), %rax");
FORM("call *0(%r13)", "{disp32} mov 0(%r13), %rax");
FORM("call *8(%r10)", "{disp32} mov 8(%r10), %rax");
FORM("jmp *0x12345(%r11)", "mov 0x12345(%r11), %rax");
FORM("notrack jmp *24(%r11)", "{disp32} mov 24(%r11), %rax");
FORM("call *(%r12)", "{disp32} mov 0(%r12), %rax");
FORM("call *16(%rsp)", "{disp32} mov 24(%rsp), %rax");
FORM("call *(%rsp)", "{disp32} mov 8(%rsp), %rax");
FORM("call *16(%rsp,%rcx,4)", "{disp32} mov 24(%rsp,%rcx,4), %rax");
FORM("call *(%rbx,%rax,8)", "{disp32} mov 0(%rbx,%rax,8), %rax");
FORM("call *8(%r10,%r11,8)", "{disp32} mov 8(%r10,%r11,8), %rax");
FORM("call *-0x1000(%rax,%r12,2)", "mov -0x1000(%rax,%r12,2), %rax");
FORM("call *(%r13,%r11,1)", "{disp32} mov 0(%r13,%r11,1), %rax");
FORM("jmp *0x1000(,%rax,8)", "mov 0x1000(,%rax,8), %rax");
FORM("jmp *0x1000(,%r11,8)", "mov 0x1000(,%r11,8), %rax");
FORM("call *0x1000", "mov 0x1000, %rax");
FORM("call *%fs:-8", "mov %fs:-8, %rax");
FORM("call *%fs:-40(,%rsi,8)", "mov %fs:-40(,%rsi,8), %rax");
FORM("jmp *%fs:(%r11)", "{disp32} mov %fs:0(%r11), %rax");
FORM(".byte 0x3e; call *%fs:(%rdi)", "{disp32} mov %fs:0(%rdi), %rax");
__asm__(".section .data.forms,\"aw\"\nforms_end:\n.previous\n");
extern const struct form forms[], forms_end[];

__asm__(".section .text.forms,\"ax\"\n"
	"thunk_r11: call 2f\n1: pause\n lfence\n jmp 1b\n2: mov %r11, (%rsp)\n ret\n"
	"thunk_rax: call 2f\n1: pause\n lfence\n jmp 1b\n2: mov %rax, (%rsp)\n ret\n"
	"call_thunk: call thunk_r11\n"
	"jump_thunk: .byte 0x2e\n jmp thunk_rax\n"
	"in_place: jmp 4f\n3: call 2f\n1: pause\n lfence\n jmp 1b\n2: mov %r10, (%rsp)\n ret\n4: call 3b\n"
	"in_place_end:\n"
	"from_rip: call *0x1234(%rip)\n"
	"from_rip_end: jmp *-0x1234(%rip)\n"
	"unknown: call *%gs:8\n"
	"unknown_32: call *(%edi)\n"
	"unknown_rsp: call *%rsp\n"
	"unknown_rip: call *%fs:8(%rip)\n"
	"direct: call unknown\n"
	"other: ret\n"
	".previous\n");
extern const uint8_t call_thunk[], jump_thunk[], in_place[], in_place_end[], from_rip[], from_rip_end[],
	unknown[], unknown_32[], unknown_rsp[], unknown_rip[], direct[], other[];

static int has_kept(const char *text)
{
	return strstr(text, "r10") || strstr(text, "r11");
}

static int is_right(const struct form *form)
{
	struct indirect_call call;
	size_t n = (size_t)(form->end - form->load);
	int has_address =
		(strchr(form->text, '(') || strstr(form->text, "*0x")) && !strstr(form->text, "%fs");

	if (!call_decode(form->call, &call) || call.n_load != n || memcmp(call.load, form->load, n))
		return 0;
	if (call.n_address != (has_address ? n : 0) || call.needs_kept != has_kept(form->text) || call.skip)
		return 0;
	if (!has_address)
		return 1;
	/* lea is mov with another opcode. */
	return call.address[0] == call.load[0] && call.address[1] == 0x8d &&
	       !memcmp(call.address + 2, call.load + 2, n - 2);
}

static void as_the_assembler(void)
{
	CU_ASSERT(forms_end - forms > 25);
	for (const struct form *form = forms; form < forms_end; form++) {
		if (!is_right(form))
			printf("\n  %s", form->text);
		CU_ASSERT(is_right(form));
	}
}

/* mov %rREG, %rax */
static int loads(const struct indirect_call *call, unsigned reg)
{
	const uint8_t load[] = { (uint8_t)(0x48 | reg >> 3), 0x8b, (uint8_t)(0xc0 | (reg & 7)) };

	return call->n_load == sizeof(load) && !memcmp(call->load, load, sizeof(load)) && !call->n_address;
}

static void thunks_of_the_compiler(void)
{
	struct indirect_call call;

	CU_ASSERT(call_decode(call_thunk, &call) && loads(&call, 11));
	CU_ASSERT(call.needs_kept && !call.skip);
	CU_ASSERT(call_decode(jump_thunk, &call) && loads(&call, 0));
	CU_ASSERT(!call.needs_kept && !call.skip);
	CU_ASSERT(call_decode(in_place, &call) && loads(&call, 10));
	CU_ASSERT_EQUAL(call.skip, in_place_end - in_place - 5);
}

static void relative_to_rip(void)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x05 };
	struct indirect_call call;

	CU_ASSERT(call_decode(from_rip, &call) && call.is_rip);
	CU_ASSERT_EQUAL(call.displacement, 0x1234);
	CU_ASSERT_EQUAL(call.size, from_rip_end - from_rip);
	CU_ASSERT(call.n_load == sizeof(load) && !memcmp(call.load, load, sizeof(load)) && !call.n_address);
	CU_ASSERT(call_decode(from_rip_end, &call) && call.displacement == -0x1234);
}

static void unknown_forms(void)
{
	const uint8_t *codes[] = { unknown, unknown_32, unknown_rsp, unknown_rip, direct, other };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct indirect_call call;

		CU_ASSERT(!call_decode(codes[i], &call));
		CU_ASSERT(!call.n_load && !call.n_address && !call.skip && !call.is_rip);
	}
}

CU_TestInfo calls_tests[] = {
	{ "as the assembler", as_the_assembler },
	{ "thunks of the compiler", thunks_of_the_compiler },
	{ "relative to rip", relative_to_rip },
	{ "unknown forms", unknown_forms },
	CU_TEST_INFO_NULL,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code taken apart, and where it may go: what R14 says of lines that are not known. */
#include <string.h>

#include "symbols/code_flow.h"
#include "tests.h"

/* By the assembler's own listing: bytes, length, what they do. */
static void instructions(void)
{
	static const struct {
		const char *bytes;
		uint8_t length, kind;
		int64_t target; /* behind the instruction's begin */
	} known[] = {
		{ "\x90", 1, INSTRUCTION_NEXT, 0 },
		{ "\x0f\x1f\x44\x00\x00", 5, INSTRUCTION_NEXT, 0 },		  /* a sled */
		{ "\xf3\x0f\x1e\xfa", 4, INSTRUCTION_NEXT, 0 },		  /* endbr64 */
		/* movabs $, %rax */
		{ "\x48\xb8\1\2\3\4\5\6\7\x08", 10, INSTRUCTION_NEXT, 0 },
		{ "\x66\xc7\x44\x24\x08\1\2", 7, INSTRUCTION_NEXT, 0 },	  /* movw $, 8(%rsp) */
		/* movq $, 256(%rsp) */
		{ "\x48\xc7\x84\x24\0\1\0\0\1\2\3\4", 12, INSTRUCTION_NEXT, 0 },
		/* testb $, (%rip) */
		{ "\xf6\x05\1\2\3\4\x7f", 7, INSTRUCTION_NEXT, 0 },
		{ "\xf7\xd8", 2, INSTRUCTION_NEXT, 0 },			  /* neg %eax */
		{ "\x66\x0f\x3a\x0f\xc1\x08", 6, INSTRUCTION_NEXT, 0 },	  /* palignr */
		{ "\xc5\xf8\x77", 3, INSTRUCTION_NEXT, 0 },			  /* vzeroupper */
		{ "\xc4\xe3\x7d\x39\xc1\x01", 6, INSTRUCTION_NEXT, 0 },	  /* vextracti128 */
		/* vmovups %zmm0, 64(%rsp) */
		{ "\x62\xf1\x7c\x48\x11\x44\x24\x01", 8, INSTRUCTION_NEXT, 0 },
		{ "\xe8\1\2\3\4", 5, INSTRUCTION_NEXT, 0 },			  /* call */
		{ "\xff\x15\1\2\3\4", 6, INSTRUCTION_NEXT, 0 },		  /* call *(%rip) */
		/* jne to itself */
		{ "\x75\xfe", 2, INSTRUCTION_BRANCH, 0 },
		{ "\x0f\x84\xfa\xff\xff\xff", 6, INSTRUCTION_BRANCH, 0 },	  /* je to itself */
		{ "\xeb\x10", 2, INSTRUCTION_JUMP, 18 },
		{ "\xe9\x00\x01\x00\x00", 5, INSTRUCTION_JUMP, 261 },
		{ "\x3e\xff\xe0", 3, INSTRUCTION_ANYWHERE, 0 }, /* notrack jmp *%rax */
		{ "\xf3\xc3", 2, INSTRUCTION_END, 0 },
		{ "\x0f\x0b", 2, INSTRUCTION_END, 0 },
	};
	static const char *const unknown[] = { "\x06", "\x9a", "\xd6", "\x62\xf4\x7c\x48\x11\xc0" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		uint8_t code[16] = { 0 };
		struct instruction step;

		memcpy(code, known[i].bytes, known[i].length);
		CU_ASSERT_EQUAL(instruction_read(code, sizeof(code), 0x1000, &step), 0);
		CU_ASSERT_EQUAL(step.length, known[i].length);
		CU_ASSERT_EQUAL(step.kind, known[i].kind);
		if (step.kind == INSTRUCTION_JUMP || step.kind == INSTRUCTION_BRANCH)
			CU_ASSERT_EQUAL(step.target, 0x1000 + (uint64_t)known[i].target);
		for (size_t n = 0; n < known[i].length; n++) /* cut off */
			CU_ASSERT_EQUAL(instruction_read(code, n, 0x1000, &step), -1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		uint8_t code[16] = { 0 };
		struct instruction step;

		memcpy(code, unknown[i], strlen(unknown[i]));
		CU_ASSERT_EQUAL(instruction_read(code, sizeof(code), 0x1000, &step), -1);
	}
}

static void nops(void)
{
	static const struct {
		const char *bytes;
		uint8_t length, is_nop;
	} known[] = {
		{ "\x90", 1, 1 },
		{ "\x66\x90", 2, 1 },
		{ "\x0f\x1f\x44\0\0", 5, 1 },			  /* a sled */
		{ "\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0", 11, 1 }, /* data16 cs nopw 0(%rax,%rax,1) */
		{ "\xf3\x90", 2, 0 },				  /* pause */
		{ "\x41\x90", 2, 0 },				  /* xchg %eax, %r8d */
		{ "\x0f\x0d\x08", 3, 0 },			  /* prefetchw */
		{ "\xf3\x0f\x1e\xfa", 4, 0 },			  /* endbr64 */
		{ "\x87\xc0", 2, 0 },				  /* xchg %eax, %eax: clears bits */
		{ "\xc5\xf8\x77", 3, 0 },			  /* vzeroupper */
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		uint8_t code[16] = { 0 };
		struct instruction step;

		memcpy(code, known[i].bytes, known[i].length);
		CU_ASSERT_EQUAL(instruction_read(code, sizeof(code), 0x1000, &step), 0);
		CU_ASSERT_EQUAL(step.length, known[i].length);
		CU_ASSERT_EQUAL(step.is_nop, known[i].is_nop);
	}
}

/* 0 nop; 1 nop; 2 je 0; 4 nop (a probe); 5 nop; 6 jmp 5; 8 ret; 9 je out of it; 11 jmp *%rax */
static const uint8_t loop[] = {
	0x90, 0x90, 0x74, 0xfc, 0x90, 0x90, 0xeb, 0xfd, 0xc3, 0x74, 0x70, 0xff, 0xe0
};

static unsigned reached(struct flow *flow, uint64_t from, int *is_known)
{
	unsigned bits = 0;

	flow_reach_begin(flow);
	*is_known = !flow_reach(flow, from);
	for (size_t i = 0; i < flow->n; i++)
		bits |= (unsigned)flow->steps[i].is_reached << (flow->steps[i].is.address - 100);
	return bits;
}

static void where_it_may_go(void)
{
	struct flow flow;
	int is_known;

	CU_ASSERT_EQUAL_FATAL(flow_read(&flow, loop, sizeof(loop), 100), 0);
	CU_ASSERT_EQUAL(flow.n, 9);
	CU_ASSERT_PTR_NULL(flow_step_at(&flow, 103));
	flow_step_at(&flow, 104)->is_stop = 1;
	CU_ASSERT_EQUAL(reached(&flow, 101, &is_known),
			1 << 0 | 1 << 1 | 1 << 2); /* back, and up to the probe */
	CU_ASSERT(is_known);
	CU_ASSERT_EQUAL(reached(&flow, 104, &is_known), 0);
	CU_ASSERT(is_known);
	CU_ASSERT_EQUAL(reached(&flow, 105, &is_known), 1 << 5 | 1 << 6);
	CU_ASSERT(is_known);
	CU_ASSERT_EQUAL(reached(&flow, 108, &is_known), 1 << 8);
	CU_ASSERT(is_known);
	reached(&flow, 109, &is_known);
	CU_ASSERT(!is_known); /* comes to a jump to wherever */
	reached(&flow, 103, &is_known);
	CU_ASSERT(!is_known); /* in the middle of an instruction */
	flow_release(&flow);
	CU_ASSERT_EQUAL(flow_read(&flow, (const uint8_t *)"\x90\x06", 2, 100), -1);
}

CU_TestInfo code_flow_tests[] = {
	{ "instructions", instructions },
	{ "NOPs", nops },
	{ "where it may go", where_it_may_go },
	CU_TEST_INFO_NULL,
};

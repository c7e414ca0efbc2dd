/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What inner loops do to memory, by machine code. */
#include <string.h>

#include "arch/operation.h"
#include "symbols/code_loops.h"
#include "tests.h"

#define AT 0x1000

struct code {
	uint8_t bytes[512];
	size_t n;
};

#define PUT(code, bytes) put((code), bytes, sizeof(bytes) - 1)
static void put(struct code *code, const char *bytes, size_t n)
{
	memcpy(code->bytes + code->n, bytes, n);
	code->n += n;
}

/* jne to an earlier place */
static void put_back(struct code *code, size_t to)
{
	int8_t distance = (int8_t)((int)to - (int)code->n - 2);

	PUT(code, "\x75");
	put(code, (const char *)&distance, 1);
}

/* A loop of these bytes, and a return. The one loop that is found. */
#define LOOP(bytes) loop_of(bytes, sizeof(bytes) - 1)
static struct code_loop loop_of(const char *bytes, size_t n)
{
	struct code code = { .n = 0 };
	struct code_loops loops;
	struct code_loop loop;

	put(&code, bytes, n);
	put_back(&code, 0);
	PUT(&code, "\xc3");
	CU_ASSERT_EQUAL_FATAL(code_loops_make(&loops, code.bytes, code.n, AT), 0);
	CU_ASSERT_EQUAL_FATAL(loops.n, 1);
	loop = loops.list[0];
	CU_ASSERT_EQUAL(loop.begin, AT);
	CU_ASSERT_EQUAL(loop.end, AT + n + 2);
	CU_ASSERT_EQUAL(loop.depth, 1);
	code_loops_release(&loops);
	return loop;
}

#define LOAD "\xf3\x0f\x10\x07" /* movss (%rdi), %xmm0 */

static void constant_steps(void)
{
	struct code_loop loop = LOOP(LOAD "\x48\x81\xc7\x00\x04\x00\x00"); /* add $1024, %rdi */

	CU_ASSERT(code_loop_is_strided(&loop));
	CU_ASSERT_EQUAL(loop.step, 1024);
	CU_ASSERT_EQUAL(loop.large_at, AT);
	loop = LOOP(LOAD "\x48\x81\xc7\xff\x03\x00\x00"); /* add $1023, %rdi */
	CU_ASSERT(!code_loop_is_strided(&loop));
	CU_ASSERT_EQUAL(loop.moving, 1);
	loop = LOOP(LOAD "\x48\x81\xef\x00\x10\x00\x00"); /* sub $4096, %rdi */
	CU_ASSERT_EQUAL(loop.step, 4096);
	/* movss 0(%rdi,%rax,4), %xmm0; add $256, %rax, by its own opcode */
	loop = LOOP("\xf3\x0f\x10\x04\x87\x48\x05\x00\x01\x00\x00");
	CU_ASSERT_EQUAL(loop.step, 1024);
	/* inc %rax; mov %rax, %rcx; shl $10, %rcx; movss (%rdi,%rcx,1), %xmm0 */
	loop = LOOP("\x48\xff\xc0\x48\x89\xc1\x48\xc1\xe1\x0a\xf3\x0f\x10\x04\x0f");
	CU_ASSERT_EQUAL(loop.step, 1024);
	/* add $1, %rax; imul $2000, %rax, %rcx; mov (%rdi,%rcx,1), %edx */
	loop = LOOP("\x48\x83\xc0\x01\x48\x69\xc8\xd0\x07\x00\x00\x8b\x14\x0f");
	CU_ASSERT_EQUAL(loop.step, 2000);
	/* lea 2048(%rdi), %rdi; mov (%rdi), %eax */
	loop = LOOP("\x48\x8d\xbf\x00\x08\x00\x00\x8b\x07");
	CU_ASSERT_EQUAL(loop.step, 2048);
}

static void steps_of_registers(void)
{
	struct code_loop loop = LOOP(LOAD "\x48\x01\xf7"); /* add %rsi, %rdi */

	CU_ASSERT(code_loop_is_strided(&loop));
	CU_ASSERT_EQUAL(loop.step, 0);
	loop = LOOP(LOAD "\x48\x03\x7c\x24\x10"); /* add 16(%rsp), %rdi */
	CU_ASSERT(code_loop_is_strided(&loop));
	/* the step itself changes: add %rsi, %rdi; add $8, %rsi */
	loop = LOOP(LOAD "\x48\x01\xf7\x48\x83\xc6\x08");
	CU_ASSERT_EQUAL(loop.moving, 0);
	/* what is added was read: mov (%rdx), %rsi; add %rsi, %rdi */
	loop = LOOP(LOAD "\x48\x8b\x32\x48\x01\xf7");
	CU_ASSERT_EQUAL(loop.large, 0);
	/* a call may change it: call; add %rsi, %rdi */
	loop = LOOP(LOAD "\xe8\0\0\0\0\x48\x01\xf7");
	CU_ASSERT_EQUAL(loop.moving, 0);
	/* of two places half: movss (%rdi); movss (%rdx); add %rsi, %rdi; add $4, %rdx */
	loop = LOOP(LOAD "\xf3\x0f\x10\x0a\x48\x01\xf7\x48\x83\xc2\x04");
	CU_ASSERT_EQUAL(loop.moving, 2);
	CU_ASSERT(code_loop_is_strided(&loop));
	/* of three one */
	loop = LOOP(LOAD "\xf3\x0f\x10\x0a\xf3\x0f\x10\x4a\x40\x48\x01\xf7\x48\x83\xc2\x04");
	CU_ASSERT_EQUAL(loop.moving, 3);
	CU_ASSERT(!code_loop_is_strided(&loop));
}

/* Places side by side, which a loop goes on by at once, are no large steps. */
static void unrolled(void)
{
	for (int n = 15; n <= 16; n++) {
		struct code code = { .n = 0 };
		struct code_loops loops;

		for (int i = 0; i < n; i++) {
			PUT(&code, "\xf3\x0f\x10\x47"); /* movss displacement(%rdi), %xmm0 */
			code.bytes[code.n++] = (uint8_t)(i * 4);
		}
		PUT(&code, "\x48\x81\xc7\x00\x04\x00\x00");
		put_back(&code, 0);
		CU_ASSERT_EQUAL_FATAL(code_loops_make(&loops, code.bytes, code.n, AT), 0);
		CU_ASSERT_EQUAL(code_loop_is_strided(&loops.list[0]), n == 15);
		code_loops_release(&loops);
	}
}

static void pointers(void)
{
	struct code_loop loop = LOOP("\x48\x8b\x00\x48\x85\xc0"); /* mov (%rax), %rax */

	CU_ASSERT_EQUAL(loop.chase_at, AT);
	loop = LOOP("\x48\x8b\x50\x08\x48\x89\xd0"); /* mov 8(%rax), %rdx; mov %rdx, %rax */
	CU_ASSERT_EQUAL(loop.chase_at, AT);
	loop = LOOP("\x48\x8b\x04\x08"); /* mov (%rax,%rcx), %rax: an index */
	CU_ASSERT_EQUAL(loop.chase_at, 0);
	loop = LOOP("\x48\x8b\x07\x48\x83\xc7\x08"); /* mov (%rdi), %rax; add $8, %rdi */
	CU_ASSERT_EQUAL(loop.chase_at, 0);
	loop = LOOP("\xff\xc0\xf0\x48\x83\x07\x01"); /* inc %eax; lock addq $1, (%rdi) */
	CU_ASSERT_EQUAL(loop.locked_at, AT + 2);
	loop = LOOP("\x87\x07"); /* xchg %eax, (%rdi) */
	CU_ASSERT_EQUAL(loop.locked_at, AT);
	loop = LOOP("\x48\x83\x07\x01");
	CU_ASSERT_EQUAL(loop.locked_at, 0);
}

/* What adds to memory, and what only reads or writes there. */
static void changes(void)
{
	struct code_loop loop = LOOP("\xff\xc0\x48\x83\x07\x01"); /* inc %eax; addq $1, (%rdi) */

	CU_ASSERT_EQUAL(loop.changed_at, AT + 2);
	loop = LOOP("\x48\x01\x07"); /* add %rax, (%rdi) */
	CU_ASSERT_EQUAL(loop.changed_at, AT);
	loop = LOOP("\x48\xff\x07"); /* incq (%rdi) */
	CU_ASSERT_EQUAL(loop.changed_at, AT);
	loop = LOOP("\x48\xd1\x27"); /* shlq (%rdi) */
	CU_ASSERT_EQUAL(loop.changed_at, AT);
	loop = LOOP("\x48\xf7\x1f"); /* negq (%rdi) */
	CU_ASSERT_EQUAL(loop.changed_at, AT);
	loop = LOOP("\x48\x03\x07"); /* add (%rdi), %rax */
	CU_ASSERT_EQUAL(loop.changed_at, 0);
	loop = LOOP("\x48\x83\x3f\x01"); /* cmpq $1, (%rdi) */
	CU_ASSERT_EQUAL(loop.changed_at, 0);
	loop = LOOP("\x48\x89\x07"); /* mov %rax, (%rdi) */
	CU_ASSERT_EQUAL(loop.changed_at, 0);
	loop = LOOP("\x48\xf7\x27"); /* mulq (%rdi) */
	CU_ASSERT_EQUAL(loop.changed_at, 0);
	loop = LOOP("\x48\x83\x04\x24\x01"); /* addq $1, (%rsp): the function's own */
	CU_ASSERT_EQUAL(loop.changed_at, 0);
}

static void copies(void)
{
	struct operation o;

	/* rep movsq, rep movsb; movsq by itself, rep stosq */
	CU_ASSERT(!operation_read((const uint8_t *)"\xf3\x48\xa5", 3, &o) && o.is_copy);
	CU_ASSERT(!operation_read((const uint8_t *)"\xf3\xa4", 2, &o) && o.is_copy);
	CU_ASSERT(!operation_read((const uint8_t *)"\x48\xa5", 2, &o) && !o.is_copy);
	CU_ASSERT(!operation_read((const uint8_t *)"\xf3\x48\xab", 3, &o) && !o.is_copy);
}

static void divisions(void)
{
	struct operation o;

	/* div %rcx, idivl (%rdi), divsd, vdivps, sqrtsd */
	CU_ASSERT(!operation_read((const uint8_t *)"\x48\xf7\xf1", 3, &o) && o.is_division);
	CU_ASSERT(!operation_read((const uint8_t *)"\xf7\x3f", 2, &o) && o.is_division);
	CU_ASSERT(!operation_read((const uint8_t *)"\xf2\x0f\x5e\xc1", 4, &o) && o.is_division);
	CU_ASSERT(!operation_read((const uint8_t *)"\xc5\xfc\x5e\xc1", 4, &o) && o.is_division);
	CU_ASSERT(!operation_read((const uint8_t *)"\xf2\x0f\x51\xc1", 4, &o) && o.is_division);
	/* mul %rcx, mulsd, pop %rsi */
	CU_ASSERT(!operation_read((const uint8_t *)"\x48\xf7\xe1", 3, &o) && !o.is_division);
	CU_ASSERT(!operation_read((const uint8_t *)"\xf2\x0f\x59\xc1", 4, &o) && !o.is_division);
	CU_ASSERT(!operation_read((const uint8_t *)"\x5e", 1, &o) && !o.is_division);
}

static void which_loops(void)
{
	struct code code = { .n = 0 };
	struct code_loops loops;

	PUT(&code, "\x90");
	PUT(&code, "\x48\xff\xc0"); /* 1: the outer loop; at 4 the inner one, at 10 another */
	PUT(&code, LOAD);
	put_back(&code, 4);
	PUT(&code, LOAD "\x90");
	put_back(&code, 10);
	put_back(&code, 1);
	/* code apart, which goes back: no loop */
	PUT(&code, "\x75\x01\xc3"); /* jne to the jump */
	PUT(&code, "\xeb\xfd");	    /* jmp to the return before it */
	CU_ASSERT_EQUAL_FATAL(code_loops_make(&loops, code.bytes, code.n, AT), 0);
	CU_ASSERT_EQUAL_FATAL(loops.n, 2);
	CU_ASSERT_EQUAL(loops.list[0].begin, AT + 4);
	CU_ASSERT_EQUAL(loops.list[0].end, AT + 10);
	CU_ASSERT_EQUAL(loops.list[0].depth, 2);
	CU_ASSERT_EQUAL(loops.list[1].begin, AT + 10);
	CU_ASSERT_EQUAL(loops.list[1].depth, 2);
	code_loops_release(&loops);
	CU_ASSERT_EQUAL(code_loops_make(&loops, (const uint8_t *)"\x90\x06", 2, AT), -1);
}

/* Which registers an instruction writes: by the assembler's own listing. */
static void written(void)
{
	enum { RAX = 1, RCX = 2, RDX = 4, RBX = 8, RSI = 64, RDI = 128, R8 = 256, CALL = 0x0fc7 };
	static const struct {
		const char *bytes;
		uint8_t length;
		uint32_t writes;
		int is_memory;
	} known[] = {
		{ "\x48\x39\xf7", 3, 0, 0 },		 /* cmp %rsi, %rdi */
		{ "\x48\x29\xf7", 3, RDI, 0 },		 /* sub %rsi, %rdi */
		{ "\x49\x01\xd0", 3, R8, 0 },		 /* add %rdx, %r8 */
		{ "\x48\x89\x07", 3, 0, 1 },		 /* mov %rax, (%rdi) */
		{ "\x48\x8d\x04\x8f", 4, RAX, 0 },	 /* lea (%rdi,%rcx,4), %rax */
		{ "\x0f\x1f\x40\x00", 4, 0, 0 },		 /* nopl (%rax) */
		{ "\x48\x0f\x44\xc2", 4, RAX, 0 },	 /* cmove %rdx, %rax */
		{ "\x48\xf7\xe1", 3, RAX | RDX, 0 },	 /* mul %rcx */
		{ "\x48\xf7\xd9", 3, RCX, 0 },		 /* neg %rcx */
		{ "\xe8\0\0\0\0", 5, CALL, 0 },
		{ "\xff\xd0", 2, CALL, 0 },		 /* call *%rax */
		{ "\x5b", 1, RBX, 0 },			 /* pop %rbx */
		{ "\x66\x0f\x7e\xc0", 4, RAX, 0 },	 /* movd %xmm0, %eax */
		{ "\xf3\x0f\x7e\xc8", 4, 0, 0 },		 /* movq %xmm0, %xmm1 */
		{ "\xc5\xfb\x2c\xf0", 4, RSI, 0 },	 /* vcvttsd2si %xmm0, %esi */
		{ "\xc4\xe2\x60\xf2\xc1", 5, RAX | RBX, 0 }, /* andn %ecx, %ebx, %eax */
		{ "\xc5\xf8\x10\x07", 4, 0, 1 },		 /* vmovups (%rdi), %xmm0 */
		{ "\xf0\x0f\xc1\x07", 4, RAX, 1 },	 /* lock xadd %eax, (%rdi) */
		{ "\xf0\x0f\xb1\x17", 4, RAX, 1 },	 /* lock cmpxchg %edx, (%rdi) */
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		uint8_t code[16] = { 0 };
		struct operation operation;

		memcpy(code, known[i].bytes, known[i].length);
		CU_ASSERT_EQUAL(operation_read(code, known[i].length, &operation), 0);
		CU_ASSERT_EQUAL(operation.writes, known[i].writes);
		CU_ASSERT_EQUAL(operation.is_memory, known[i].is_memory);
	}
}

/* Of a table whose rows are allocated one by one. */
static void columns(void)
{
#define ROWS "\x48\x83\xc0\x18"		     /* add $24, %rax */
#define ROW "\x48\x8b\x10"		     /* mov (%rax), %rdx */
#define AT_COLUMN "\xf3\x0f\x10\x04\x8a" /* movss (%rdx,%rcx,4), %xmm0 */
	struct code_loop loop = LOOP(ROW AT_COLUMN ROWS);

	CU_ASSERT(code_loop_is_strided(&loop));
	CU_ASSERT_EQUAL(loop.step, 0);
	CU_ASSERT_EQUAL(loop.large_at, AT + 3);
	CU_ASSERT_EQUAL(loop.moving, 2);
	/* add $1, %rcx: each row at another place */
	loop = LOOP(ROW AT_COLUMN ROWS "\x48\x83\xc1\x01");
	CU_ASSERT(!code_loop_is_strided(&loop));
	/* movss 8(%rdx), %xmm0: a field of objects */
	loop = LOOP(ROW "\xf3\x0f\x10\x42\x08" ROWS);
	CU_ASSERT(!code_loop_is_strided(&loop));
	/* mov (%rax), %edx; movslq (%rax), %rdx: an index */
	loop = LOOP("\x8b\x10" AT_COLUMN ROWS);
	CU_ASSERT(!code_loop_is_strided(&loop));
	loop = LOOP("\x48\x63\x10" AT_COLUMN ROWS);
	CU_ASSERT(!code_loop_is_strided(&loop));
	/* movss (%rcx,%rdx,4), %xmm0 */
	loop = LOOP(ROW "\xf3\x0f\x10\x04\x91" ROWS);
	CU_ASSERT(!code_loop_is_strided(&loop));
	loop = LOOP(ROW AT_COLUMN); /* one row */
	CU_ASSERT(!code_loop_is_strided(&loop));
	/* movss (%rdx,%rcx,4), %xmm0; add $8, %rdx: no pointer of the list any more */
	loop = LOOP(ROW "\x48\x83\xc2\x08" AT_COLUMN ROWS);
	CU_ASSERT(!code_loop_is_strided(&loop));
}

CU_TestInfo code_loops_tests[] = {
	{ "steps that are constants", constant_steps },
	{ "steps in registers", steps_of_registers },
	{ "unrolled loops", unrolled },
	{ "columns of rows that pointers lead to", columns },
	{ "pointers, locked instructions", pointers },
	{ "loops that change memory in place", changes },
	{ "instructions that copy memory", copies },
	{ "instructions that divide", divisions },
	{ "which loops there are", which_loops },
	{ "what instructions write", written },
	CU_TEST_INFO_NULL,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fibers.c - stacks that a program switches itself, by a few lines of assembler, as ruby, boost and
 * games do. Usage: fibers HOW N. The scheduler has no probes ("plain"), or has them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KEEP __attribute__((noinline, noclone))
#define PLAIN KEEP __attribute__((no_instrument_function))
#define FIBERS 4000
#define BYTES (16u << 10)

struct fiber {
	void *sp;
	struct fiber *by; /* who resumed it */
	long left;	  /* times that it will yield */
	int over;
};

static struct fiber fibers[FIBERS], *running, scheduler;
static char *stacks;
static volatile long sum, n_leaf, n_step;

void switch_stacks(void **from, void *to);
__asm__(".text\n"
	".globl switch_stacks\n"
	".type switch_stacks, @function\n"
	"switch_stacks:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size switch_stacks, .-switch_stacks\n");

PLAIN void plain_switch(struct fiber *to)
{
	struct fiber *from = running;

	running = to;
	switch_stacks(&from->sp, to->sp);
}

KEEP void yield(void)
{
	plain_switch(running->by);
}

KEEP long leaf(long x)
{
	volatile long s = 0;

	n_leaf++;
	for (volatile int i = 0; i < 5; i++)
		s += i * x;
	return s;
}

KEEP long step(long x)
{
	n_step++;
	sum += leaf(x);
	yield();
	return leaf(x) + x;
}

KEEP void generator(void)
{
	while (running->left-- > 0)
		sum += step(running->left);
	sum += leaf(1);
}

/* Only what it calls has probes. */
PLAIN void plain_generator(void)
{
	while (running->left-- > 0) {
		sum += leaf(running->left);
		sum += step(running->left);
	}
}

static void (*body)(void);

PLAIN void start(void)
{
	body();
	running->over = 1;
	plain_switch(running->by);
	abort();
}

PLAIN void make(int i, long left)
{
	uint64_t *top = (uint64_t *)(stacks + (size_t)(i + 1) * BYTES - 64);

	memset(top - 8, 0, 64);
	top[-2] = (uint64_t)start;
	top[-1] = 0;
	fibers[i] = (struct fiber){ .sp = top - 8, .left = left };
}

PLAIN void plain_resume(int i)
{
	fibers[i].by = running;
	plain_switch(&fibers[i]);
}

KEEP void resume(int i)
{
	fibers[i].by = running;
	plain_switch(&fibers[i]);
}

KEEP void once(int i)
{
	resume(i);
	sum += leaf(i);
}

/* Two that take turns, in both orders of their addresses. */
PLAIN void turns(long n, int first, int second)
{
	make(first, n);
	make(second, n);
	for (long i = 0; i < n; i++) {
		plain_resume(first);
		plain_resume(second);
	}
	plain_resume(first);
	plain_resume(second);
}

PLAIN void two(long n)
{
	body = generator;
	turns(n, 0, 1);
	turns(n, 1, 0);
	body = plain_generator;
	turns(n, 0, 1);
	turns(n, 1, 0);
}

/* Thousands that are there at once, asked in turn, up or down or anyhow; most are left for ever. */
PLAIN void many(long n)
{
	uint32_t seed = 1;

	body = generator;
	for (int i = 0; i < FIBERS; i++)
		make(i, n);
	for (long i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		plain_resume((int)(i % 3 == 0	? i % FIBERS
				   : i % 3 == 1 ? FIBERS - 1 - i % FIBERS
						: seed / 65536 % FIBERS));
	}
}

/* Each is left after its first value; its stack is used again. */
PLAIN void abandoned(long n)
{
	body = generator;
	for (long i = 0; i < n; i++) {
		make((int)(i % 7), 3);
		plain_resume((int)(i % 7));
	}
}

/* The scheduler has probes: what a fiber does is below the call that resumed it. */
KEEP void probed(long n)
{
	body = generator;
	for (long i = 0; i < n; i++) {
		if (i % 4 == 0)
			make((int)(i % 8), 3);
		once((int)(i / 4 * 4 % 8));
	}
}

/* A fiber resumes the next one, whose stack lies above, and so on. */
PLAIN void nested_body(void)
{
	int i = (int)(running - fibers);

	sum += leaf(i);
	if (i + 1 < 20) {
		make(i + 1, 1);
		resume(i + 1);
	}
	yield();
}

PLAIN void nested(long n)
{
	body = nested_body;
	for (long i = 0; i < n; i++) {
		make(0, 1);
		plain_resume(0);
	}
}

#ifdef PLAIN_MAIN
PLAIN
#endif
int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long);
	} ways[] = { { "two", two },
		     { "many", many },
		     { "abandoned", abandoned },
		     { "probed", probed },
		     { "nested", nested } };

	stacks = mmap(NULL, (size_t)FIBERS * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	running = &scheduler;
	for (size_t i = 0; argc > 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].run(atol(argv[2]));
	printf("%ld: leaf %ld step %ld\n", sum, n_leaf, n_step);
	return 0;
}

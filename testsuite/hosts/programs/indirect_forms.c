/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * indirect_forms N - calls through pointers in every register, in memory based on and indexed by
 * every register, by tail calls, relative to the stack, to rip and to fs, and of nested functions,
 * whose static chain is in r10. The callees are `counted`, with probes, and `unprobed`: FORMS
 * calls each in each of N rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#define WITH_PROBES __attribute__((noinline, noipa))

typedef long callee(long);
struct table {
	long other[2];
	callee *one;
	callee *many[8];
};

static volatile long sink;

WITH_PROBES static long counted(long x)
{
	for (int i = 0; i < 2; i++)
		sink += x;
	return x + 1;
}

__attribute__((noinline, noipa, no_instrument_function)) static long unprobed(long x)
{
	sink += x;
	return x + 2;
}

/* The pointer, or what it is relative to, is in this register. */
#define IN(reg, type, name, value) \
	register type name __asm__(#reg) = value; \
	__asm__ volatile("" : "+r"(name))

#define FORMS_OF(reg) \
	WITH_PROBES static long call_##reg(callee *f, long x) \
	{ \
		IN(reg, callee *, in, f); \
		return in(x) + 1; \
	} \
	WITH_PROBES static long tail_##reg(callee *f, long x) \
	{ \
		IN(reg, callee *, in, f); \
		return in(x); \
	} \
	WITH_PROBES static long base_##reg(struct table *table, long x) \
	{ \
		IN(reg, struct table *, in, table); \
		return in->one(x) + 1; \
	} \
	WITH_PROBES static long base_tail_##reg(struct table *table, long x) \
	{ \
		IN(reg, struct table *, in, table); \
		return in->one(x); \
	} \
	WITH_PROBES static long indexed_##reg(struct table *table, long x) \
	{ \
		IN(reg, struct table *, in, table); \
		return in->many[x & 7](x) + 1; \
	} \
	WITH_PROBES static long index_##reg(struct table *table, long x) \
	{ \
		IN(reg, long, in, x & 7); \
		return table->many[in](x) + 1; \
	}

#define ALL_OF(reg) \
	sum += call_##reg(f, i) + tail_##reg(f, i) + base_##reg(&table, i) + base_tail_##reg(&table, i) + \
	       indexed_##reg(&table, i) + index_##reg(&table, i);

#define EACH_REGISTER(DO) \
	DO(rax) DO(rbx) DO(rcx) DO(rdx) DO(r8) DO(r9) DO(r10) DO(r11) DO(r12) DO(r13) DO(r14) DO(r15)

EACH_REGISTER(FORMS_OF)

static callee *from_rip, *many_from_rip[8];
static __thread callee *from_fs, *many_from_fs[8];

WITH_PROBES static long rip(long x)
{
	return from_rip(x) + 1;
}

WITH_PROBES static long rip_indexed(long x)
{
	return many_from_rip[x & 7](x) + 1;
}

WITH_PROBES static long fs(long x)
{
	return from_fs(x) + 1;
}

WITH_PROBES static long fs_indexed(long x)
{
	return many_from_fs[x & 7](x) + 1;
}

WITH_PROBES static long stack(callee *f, long x)
{
	callee *volatile on_stack[3] = { f, f, f };

	return on_stack[x % 3](x) + 1;
}

WITH_PROBES static long nesting(callee *f, long x)
{
	long sum = 0;
	__attribute__((noinline, noipa)) auto long nested(long y);
	long (*volatile pointer)(long) = nested;

	long nested(long y)
	{
		sum += y;
		return f(y) + sum;
	}
	return nested(x) + pointer(x);
}

static void fill(struct table *table, callee *f)
{
	table->one = from_rip = from_fs = f;
	for (int i = 0; i < 8; i++)
		table->many[i] = many_from_rip[i] = many_from_fs[i] = f;
}

static long round_of(callee *f, long i)
{
	struct table table;
	long sum = 0;

	fill(&table, f);
	EACH_REGISTER(ALL_OF)
	sum += rip(i) + rip_indexed(i) + fs(i) + fs_indexed(i) + stack(f, i) + nesting(f, i);
	return sum;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0, sum = 0;

	for (long i = 0; i < n; i++)
		sum += round_of(counted, i) + round_of(unprobed, i);
	printf("%ld\n", sum);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of value that goes into and out of functions: what a sled must not disturb. */
#define _GNU_SOURCE
#include <alloca.h>
#include <complex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

static NOINLINE double sum(const char *kinds, ...)
{
	double total = 0;
	va_list list;

	va_start(list, kinds);
	for (; *kinds; kinds++)
		total += *kinds == 'd' ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return total;
}

static NOINLINE int fill(char *s, int n)
{
	memset(s, 'a', n);
	s[n] = 0;
	return (int)strlen(s);
}

static NOINLINE int use_alloca(int n)
{
	char *s = alloca(n + 1);
	int variable[n];

	variable[n - 1] = fill(s, n);
	return variable[n - 1] + s[n - 1];
}

struct small {
	int a;
	double b;
};

struct large {
	long v[10];
};

static NOINLINE struct small make_small(int a)
{
	return (struct small){ a, a / 2.0 };
}

static NOINLINE struct large make_large(int a, struct large in)
{
	for (int i = 0; i < 10; i++)
		in.v[i] += a * i;
	return in;
}

static NOINLINE __int128 multiply(__int128 a, long b)
{
	return a * b + (b > 0 ? multiply(a, -1) : 0);
}

static NOINLINE long double extended(long double x, int n)
{
	return n ? extended(x * 1.5L, n - 1) + 1 : x;
}

static NOINLINE _Complex double turn(_Complex double z, int n)
{
	return n ? turn(z * I + 1, n - 1) : z;
}

typedef int vector __attribute__((vector_size(32)));

__attribute__((target("avx2"))) static NOINLINE vector add_vectors(vector a, vector b, int n)
{
	return n ? add_vectors(a + b, b, n - 1) : a;
}

__attribute__((target("avx2"))) static NOINLINE int use_vectors(int n)
{
	vector a = { 1, 2, 3, 4, 5, 6, 7, 8 };
	vector sum = add_vectors(a, a << 1, n);

	return sum[0] * 1000 + sum[7] + abs(n);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static NOINLINE int sort(int n)
{
	int v[64], seed = 7;

	for (int i = 0; i < n; i++)
		v[i] = seed = (seed * 1103515245 + 12345) & 0xffff;
	qsort(v, n, sizeof(v[0]), compare);
	return v[0] * 3 + v[n / 2] + v[n - 1];
}

static int twice(int x)
{
	return 2 * x;
}

/* Its resolver runs before the program is relocated. */
static int (*resolve_doubled(void))(int)
{
	return twice;
}

int doubled(int x) __attribute__((ifunc("resolve_doubled")));

__attribute__((naked)) static NOINLINE int naked(int x __attribute__((unused)))
{
	__asm__(".byte 0x8d,0x47,0x07,0xc3"); /* leal 7(%rdi), %eax; ret */
}

/* Leaves r10 and r11 alone, which callers under -fipa-ra rely on. */
__attribute__((no_instrument_function)) static NOINLINE int leaf(int x)
{
	return x ^ 5;
}

/* The same with sleds: they cost r10 and r11 even where the code does not use them. */
static NOINLINE int probed_leaf(int x)
{
	return x ^ 6;
}

#define PRESSURE(name, callee) \
	static NOINLINE long name(const long *p) \
	{ \
		long a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6]; \
		long h = p[7], i = a * b, j = c * d, k = e * f, l = g * h; \
		int x = callee((int)a); \
\
		return x + a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + \
		       11 * k + 12 * l; \
	}
PRESSURE(pressure, leaf)
PRESSURE(probed_pressure, probed_leaf)

#ifdef GLOBAL_REGISTER
register long kept __asm__("r11");

static NOINLINE long read_kept(void)
{
	return kept;
}

static NOINLINE long use_kept(const long *p)
{
	kept = p[3];
	return probed_pressure(p) * 10 + read_kept();
}
#else
#define use_kept pressure
#endif

static NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h, double x, double y)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + (long)(x * 9 + y * 10);
}

typedef long (*many_function)(long, long, long, long, long, long, long, long, double, double);

static NOINLINE long call_indirect(many_function volatile *function, long a)
{
	return (*function)(a, 2, 3, 4, 5, 6, 7, 8, 9.5, 10.5);
}

/* More arguments than registers, in place: a tail call where the compiler can. */
static NOINLINE long forward(long a, long b, long c, long d, long e, long f, long g, long h, double x,
			     double y)
{
	return many(h, g, f, e, d, c, b, a, y, x);
}

static __thread int thread_value;

static void *in_thread(void *argument)
{
	thread_value = *(int *)argument;
	return memcpy(malloc(16), "from a thread", 14);
}

static NOINLINE void use_thread(int n)
{
	pthread_t thread;
	void *text;

	pthread_create(&thread, NULL, in_thread, &n);
	pthread_join(thread, &text);
	printf("thread %s %d\n", (char *)text, thread_value);
	free(text);
}

int main(void)
{
	static many_function volatile function = many;
	long p[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct large large = make_large(3, (struct large){ { 1, 2, 3 } });
	__int128 product = multiply((__int128)1 << 70, 12345);
	_Complex double z = turn(1 + 2 * I, 5);

	printf("variable arguments %g\n", sum("idid", 1, 2.5, 3, 4.25));
	printf("alloca %d\n", use_alloca(100));
	printf("structs %g %ld\n", make_small(5).b, large.v[1] + large.v[9]);
	printf("int128 %lx %lx\n", (long)(product >> 64), (long)product);
	printf("long double %.10Lg\n", extended(1.25L, 6));
	printf("complex %g %g\n", creal(z), cimag(z));
	if (__builtin_cpu_supports("avx2"))
		printf("vectors %d\n", use_vectors(4));
	printf("sort %d\n", sort(64));
	printf("ifunc %d\n", doubled(21));
	printf("naked %d\n", naked(35));
	printf("pressure %ld %ld %ld\n", pressure(p), probed_pressure(p), use_kept(p));
	printf("indirect %ld\n", call_indirect(&function, 1));
	printf("forward %ld\n", forward(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	use_thread(17);
	return 3;
}

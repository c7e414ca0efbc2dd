/* Functions of odd kinds: chosen at load time, naked, of another calling convention, without vector
 * registers. */
#include "e2e.h"

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static int version_a(int x)
{
	return leaf(x) * 2;
}

KEEP static int (*resolve(void))(int)
{
	return version_a;
}

int chosen(int x) __attribute__((ifunc("resolve")));

__attribute__((naked)) KEEP static int naked(int x)
{
	__asm__(".byte 0x8d,0x47,0x07,0xc3"); /* leal 7(%rdi), %eax; ret */
}

__attribute__((ms_abi)) KEEP static int microsoft(int a, double b)
{
	return leaf(a) + (int)b;
}

struct frame;
__attribute__((interrupt, target("general-regs-only"))) KEEP void interrupt(struct frame *frame)
{
	(void)frame;
}

__attribute__((target("general-regs-only"))) KEEP static int general(int x)
{
	return leaf(x) + 3;
}

typedef float vector __attribute__((vector_size(32)));
__attribute__((target("avx2"))) KEEP static vector vectors(vector a, vector b, int n)
{
	return n ? vectors(a * b, b + 1, n - 1) : a;
}

__attribute__((target("avx2"))) KEEP static int use_vectors(int n)
{
	vector a = { 1, 2, 3, 4, 5, 6, 7, 8 };

	vector b = vectors(a, a, n);
	return (int)(b[0] + b[7]);
}

/* Values wait on the stack of the x87 while leaf is called. */
KEEP static long double x87(long double a, int n)
{
	return a / 3 + leaf(n) * (a - (n ? x87(a * 2, n - 1) : 1));
}

KEEP static __int128 wide(__int128 a, int n)
{
	return n ? wide(a * 3, n - 1) + a : leaf(n);
}

struct sums {
	long sum;
	double product;
};

KEEP static struct sums sums(int n, ...)
{
	__builtin_va_list list;
	struct sums result = { 0, 1 };

	__builtin_va_start(list, n);
	for (int i = 0; i < n; i++)
		if (i % 2)
			result.product *= __builtin_va_arg(list, double);
		else
			result.sum += leaf(__builtin_va_arg(list, int));
	__builtin_va_end(list);
	return result;
}

int main(void)
{
	struct sums s = sums(5, 1, 2.5, 2, 3.5, 3);

	printf("%d %d %d %d\n", chosen(20), naked(35), microsoft(3, 4.5), general(5));
	printf("%d\n", __builtin_cpu_supports("avx2") ? use_vectors(3) : 0);
	printf("%.15Lg %ld\n", x87(1.5L, 5), (long)wide(7, 9));
	printf("%ld %g\n", s.sum, s.product);
	return 0;
}

/*
 * Moves its code onto pages of no file, as programs do that want huge pages for it: moved HOW.
 * HOW: whole, or part: the pages behind the first one of the text. "wait": then waits for a line
 * before it works.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096ul
#define KEEP __attribute__((noinline, noclone))

extern const char __ehdr_start[];

KEEP static int step(int x)
{
	for (volatile int i = 0; i < 30; i++)
		x += i;
	return x;
}

KEEP static int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += step(i);
	return sum;
}

static long raw(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}

KEEP static int move(char *text, unsigned long bytes)
{
	char *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(copy, text, bytes);
	mprotect(copy, bytes, PROT_READ | PROT_EXEC);
	return raw(SYS_mremap, (long)copy, (long)bytes, (long)bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		   (long)text) != (long)text;
}

int main(int argc, char **argv)
{
	const Elf64_Ehdr *head = (const void *)__ehdr_start;
	const Elf64_Phdr *ph = (const void *)(__ehdr_start + head->e_phoff);
	volatile int sum = 0;
	char line[16];

	for (int i = 0; argc > 1 && i < head->e_phnum; i++) {
		char *text = (char *)__ehdr_start + (ph[i].p_vaddr & ~(PAGE - 1));
		unsigned long bytes = ((ph[i].p_vaddr & (PAGE - 1)) + ph[i].p_memsz + PAGE - 1) & ~(PAGE - 1);
		unsigned long skip = strcmp(argv[1], "part") ? 0 : PAGE;

		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X && move(text + skip, bytes - skip))
			return 9;
	}
	if (argc > 2) {
		puts("moved");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 8;
	}
	for (int i = 0; i < 60; i++)
		sum += work(100000);
	return 0;
}

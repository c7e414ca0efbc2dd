/*
 * Looks at its own code: compares it with its file (HEADER), adds it up between the linker's
 * symbols (SUM, ENDS), copies a function and calls the copy (COPY). BOUND only prints how far the
 * end of the code is from the end of the data.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __ehdr_start[], __executable_start[], etext[], _etext[], edata[], _start[];

__attribute__((noinline)) long leaf(long x)
{
	__asm__ volatile("");
	return x * 3 + 1;
}

#ifdef COPY
extern const char __start_copied_code[], __stop_copied_code[];

__attribute__((section("copied_code"), noinline, noclone)) long copied(long x)
{
	long sum = 0;

	for (long i = 0; i < x; i++)
		sum = sum * 31 + i;
	return sum;
}
#endif

static long look(void)
{
	long sum = 0;
#if defined HEADER
	const Elf64_Ehdr *head = (const void *)__ehdr_start;
	const Elf64_Phdr *ph = (const void *)(__ehdr_start + head->e_phoff);
	const char *base = head->e_type == ET_DYN ? __ehdr_start : NULL;
	int fd = open("/proc/self/exe", O_RDONLY);

	for (int i = 0; i < head->e_phnum; i++) {
		char *copy = malloc(ph[i].p_filesz);

		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X &&
		    pread(fd, copy, ph[i].p_filesz, (off_t)ph[i].p_offset) == (ssize_t)ph[i].p_filesz)
			sum += memcmp(copy, base + ph[i].p_vaddr, ph[i].p_filesz) ? 1000 : 1;
		free(copy);
	}
	close(fd);
#elif defined SUM
	for (const char *at = __executable_start; at < etext; at++)
		sum = sum * 31 + *at;
#elif defined ENDS
	for (const char *at = _start; at < _etext; at++)
		sum = sum * 31 + *at;
#elif defined COPY
	size_t n = (size_t)(__stop_copied_code - __start_copied_code);
	char *to = mmap(NULL, n, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(to, __start_copied_code, n);
	sum = copied(100) + ((long (*)(long))(to + ((const char *)copied - __start_copied_code)))(100);
#elif defined BOUND
	sum = edata - etext > 0;
#endif
	return sum;
}

#ifdef LIBRARY
long library_work(void)
#else
int main(void)
#endif
{
	long sum = 0;

	for (int i = 0; i < 2000; i++)
		for (int j = 0; j < 50; j++)
			sum += leaf(i);
	printf("%ld %ld\n", sum, look());
	return 0;
}

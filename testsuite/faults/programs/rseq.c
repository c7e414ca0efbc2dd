/*
 * Registers restartable sequences by hand in each thread (run with
 * GLIBC_TUNABLES=glibc.pthread.rseq=0), and uses them: adds to a counter of its processor in a
 * sequence, many times, with signals in between. The sum must be exact.
 */
#include <errno.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))
#define SIGNATURE 0x53053053

static __thread struct rseq area __attribute__((aligned(32)));
static long counters[1024][8];
static volatile int sink;

KEEP static int leaf(int x)
{
	return x + 1;
}

/* counters[cpu][0]++, unless interrupted. 1: done. */
__attribute__((no_instrument_function, noipa)) static int add(void)
{
	int done = 0;

	__asm__ volatile goto(".pushsection __rseq_cs, \"aw\"\n"
			      ".balign 32\n"
			      "3: .long 0, 0\n"
			      ".quad 1f, 2f - 1f, 4f\n"
			      ".popsection\n"
			      "leaq 3b(%%rip), %%rax\n"
			      "movq %%rax, %c1(%0)\n"
			      "1: movl %c2(%0), %%eax\n"
			      "shlq $6, %%rax\n"
			      "addq %3, %%rax\n"
			      "incq (%%rax)\n"
			      "2: jmp 5f\n"
			      ".byte 0x0f, 0xb9, 0x3d\n"
			      ".long 0x53053053\n"
			      "4: jmp %l[aborted]\n"
			      "5:\n"
			      :
			      : "r"(&area), "i"(offsetof(struct rseq, rseq_cs)), "i"(offsetof(struct rseq, cpu_id)),
				"r"(&counters[0][0])
			      : "rax", "memory", "cc"
			      : aborted);
	done = 1;
aborted:
	return done;
}

static void on_alarm(int number)
{
	sink = leaf(number);
}

static void *body(void *data)
{
	if (syscall(SYS_rseq, &area, 32, 0, SIGNATURE)) {
		printf("rseq: error %d\n", errno);
		exit(1);
	}
	for (int i = 0; i < 200000; i++) {
		while (!add())
			;
		sink = leaf(sink);
	}
	syscall(SYS_rseq, &area, 32, 1, SIGNATURE);
	return data;
}

int main(void)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } };
	pthread_t threads[3];
	long sum = 0;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, body, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 1024; i++)
		sum += counters[i][0];
	printf("%ld\n", sum);
	return 0;
}

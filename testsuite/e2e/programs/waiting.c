/*
 * Time that a thread is not on the processor. argv[1]: sleep, read FILE, fault FILE, preempted.
 * Writes the truth: time by the clock, time on the processor, the kernel's count of switches.
 */
#include "truth.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;

KEEP static void nap(void)
{
	struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
}

KEEP static void compute(uint64_t ns)
{
	uint64_t end = raw_ns(CLOCK_MONOTONIC_RAW) + ns;

	while (raw_ns(CLOCK_MONOTONIC_RAW) < end)
		sink++;
}

/* Burns without any call: one interval. */
KEEP static void burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

KEEP static void read_file(int fd, char *buffer, size_t size)
{
	while (read(fd, buffer, size) > 0)
		sink += (unsigned)buffer[0];
}

KEEP static void touch_pages(const char *map, size_t size)
{
	for (size_t i = 0; i < size; i += 4096)
		sink += (unsigned)map[i];
}

static int open_uncached(const char *path)
{
	int fd = open(path, O_RDONLY);

	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return fd;
}

static void with_neighbour(void)
{
	cpu_set_t set;
	pid_t pid;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	pid = fork();
	if (pid == 0)
		for (;;)
			sink++;
	for (int i = 0; i < 10; i++)
		burn(20000000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	uint64_t wall = raw_ns(CLOCK_MONOTONIC_RAW), cpu = raw_ns(CLOCK_THREAD_CPUTIME_ID);
	struct rusage usage;

	if (!strcmp(argv[1], "sleep")) {
		for (int i = 0; i < 5; i++)
			nap();
		compute(20000000);
	} else if (!strcmp(argv[1], "read") && argc > 2) {
		char *buffer = malloc(1 << 20);

		read_file(open_uncached(argv[2]), buffer, 1 << 20);
	} else if (!strcmp(argv[1], "fault") && argc > 2) {
		int fd = open_uncached(argv[2]);
		struct stat st;

		fstat(fd, &st);
		touch_pages(mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0), (size_t)st.st_size);
	} else if (!strcmp(argv[1], "preempted")) {
		with_neighbour();
	}
	truth("wall_ns", (double)(raw_ns(CLOCK_MONOTONIC_RAW) - wall));
	truth("cpu_ns", (double)(raw_ns(CLOCK_THREAD_CPUTIME_ID) - cpu));
	getrusage(RUSAGE_THREAD, &usage);
	truth("major_faults", (double)usage.ru_majflt);
	truth("voluntary", (double)usage.ru_nvcsw);
	truth("involuntary", (double)usage.ru_nivcsw);
	return 0;
}

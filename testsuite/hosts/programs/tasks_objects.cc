// SPDX-License-Identifier: GPL-3.0-or-later
// tasks_objects.cc - a task made by clone() beside its thread, in C++: both make objects on their
// stacks; when the task is gone, the thread throws.
#include <sched.h>
#include <signal.h>
#include <stdexcept>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Sum {
	explicit Sum(long *to) : to(to) {}
	__attribute__((noinline)) ~Sum() { *to += value; }
	__attribute__((noinline)) void add(long x) { value += x * x; }
	long *to;
	long value = 0;
};

struct Job {
	long total = 0;
	__attribute__((noinline)) virtual void run()
	{
		for (long i = 0; i < 20000; i++) {
			Sum sum(&total);
			sum.add(i);
		}
	}
};

int body(void *argument)
{
	static_cast<Job *>(argument)->run();
	for (;;)
		__asm__ volatile("syscall" ::"a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
}

__attribute__((noinline)) void refuse(long number)
{
	Sum sum(&number);
	sum.add(number);
	throw std::runtime_error("refused");
}

} // namespace

int main()
{
	const size_t bytes = 256 << 10;
	Job own, other;
	int refused = 0, status = -1;

	for (int i = 0; i < 5; i++) {
		char *stack = static_cast<char *>(
			mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		int pid = clone(body, stack + bytes, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, &other);

		own.run();
		waitpid(pid, &status, 0);
		munmap(stack, bytes);
		try {
			refuse(i);
		} catch (const std::exception &) {
			refused++;
		}
	}
	printf("%ld %ld %d %#x\n", own.total, other.total, refused, status);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// indirect_null throw|jump [unmapped] - calls through tables at null and at addresses that nobody
// has; or where there was memory. The handler sees whether a backtrace finds main, and, but for
// unmapped, whether the fault is in the program's own text. It leaves by an exception, which is
// caught around the call, or by siglongjmp.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <sys/mman.h>
#include <ucontext.h>

#define WITH_PROBES __attribute__((noinline, noipa))

struct fault {
};

struct table {
	long other[2];
	long (*run)(long);
	long (*many[8])(long);
};

struct far_table {
	char other[20000];
	long (*run)(long);
};

struct object {
	virtual long first(long);
	virtual long second(long);
};

long object::first(long x)
{
	return x;
}

long object::second(long x)
{
	return x + 1;
}

extern "C" char __executable_start, etext;
static bool throws;
static void *in_main; // where main goes on
static sigjmp_buf place;
static int faults, in_text, found_main, left;
static unsigned long addresses;

__attribute__((no_instrument_function)) static void handler(int, siginfo_t *info, void *context)
{
	unsigned long ip = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
	void *frames[64];
	int n = backtrace(frames, 64);

	faults++;
	addresses = addresses * 31 + reinterpret_cast<unsigned long>(info->si_addr);
	in_text += ip >= reinterpret_cast<unsigned long>(&__executable_start) &&
		   ip < reinterpret_cast<unsigned long>(&etext);
	for (int i = 0; i < n; i++)
		found_main += frames[i] == in_main;
	if (throws)
		throw fault();
	siglongjmp(place, 1);
}

WITH_PROBES static long by_base(table *t, long x)
{
	return t->run(x) + 1;
}

WITH_PROBES static long by_tail(table *t, long x)
{
	return t->run(x);
}

WITH_PROBES static long by_index(table *t, long x)
{
	return t->many[x](x) + 1;
}

WITH_PROBES static long by_far(far_table *t, long x)
{
	return t->run(x) + 1;
}

WITH_PROBES static long by_virtual(object *o, long x)
{
	return o->second(x) + 1;
}

WITH_PROBES static long by_r10(table *t, long x)
{
	register table *in __asm__("r10") = t;
	__asm__ volatile("" : "+r"(in));
	return in->run(x) + 1;
}

WITH_PROBES static long by_r11(table *t, long x)
{
	register table *in __asm__("r11") = t;
	__asm__ volatile("" : "+r"(in));
	return in->run(x) + 1;
}

WITH_PROBES static long by_r11_tail(table *t, long x)
{
	register table *in __asm__("r11") = t;
	__asm__ volatile("" : "+r"(in));
	return in->run(x);
}

template <class function>
WITH_PROBES static void attempt(function call)
{
	if (throws) {
		try {
			call();
		} catch (const fault &) {
			left++;
		}
	} else if (!sigsetjmp(place, 1)) {
		call();
	} else {
		left++;
	}
}

// `where` is a table, an object, and what an object has in the place of its table.
WITH_PROBES static void call_each_way(void *where)
{
	void *no_table[1] = { where };
	volatile long x = 1;

	in_main = __builtin_return_address(0);
	attempt([&] { x = by_base(static_cast<table *>(where), x); });
	attempt([&] { x = by_tail(static_cast<table *>(where), x); });
	attempt([&] { x = by_index(static_cast<table *>(where), x); });
	attempt([&] { x = by_far(static_cast<far_table *>(where), x); });
	attempt([&] { x = by_virtual(static_cast<object *>(where), x); });
	attempt([&] { x = by_virtual(reinterpret_cast<object *>(no_table), x); });
	attempt([&] { x = by_r10(static_cast<table *>(where), x); });
	attempt([&] { x = by_r11(static_cast<table *>(where), x); });
	attempt([&] { x = by_r11_tail(static_cast<table *>(where), x); });
}

static void *unmapped()
{
	void *memory = mmap(nullptr, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(memory, 65536);
	return memory;
}

int main(int argc, char **argv)
{
	static const unsigned long wheres[] = {
		0, 8, 0x7000, 0x5a5a5a5a5a5a5a5a, 0x800000000000, 0xffff888000000000, ~0ul
	};
	struct sigaction action = {};
	void *first[2];

	backtrace(first, 2); // loads libgcc
	throws = argc > 1 && !strcmp(argv[1], "throw");
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
	sigaction(SIGBUS, &action, nullptr);
	if (argc > 2) {
		call_each_way(unmapped());
		printf("%d faults, %d times main was found, %d times left\n", faults, found_main, left);
		return 0;
	}
	for (int round = 0; round < 3; round++)
		for (unsigned long where : wheres)
			call_each_way(reinterpret_cast<void *>(where));
	printf("%d faults, %d in the text, %d times main was found, %d times left, addresses %lx\n", faults,
	       in_text, found_main, left, addresses);
	return 0;
}

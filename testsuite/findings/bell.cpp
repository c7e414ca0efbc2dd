// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0306|CF0311|CF0307 answer|ring|wait|main; wall
// Rings a bell, and waits for an answer. Planted: who answers does not notify the condition variable,
// which is waited for with a limit of 2 ms, again and again.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

class Bell {
public:
	void wait(int least)
	{
		std::unique_lock<std::mutex> guard(mutex);
#ifdef REPAIRED
		changed.wait(guard, [&] { return n >= least; });
#else
		while (n < least)
			changed.wait_for(guard, std::chrono::milliseconds(2));
#endif
	}
	void ring()
	{
		std::lock_guard<std::mutex> guard(mutex);
		n++;
#ifdef REPAIRED
		changed.notify_all();
#endif
	}

private:
	std::mutex mutex;
	std::condition_variable changed;
	int n = 0;
};

static unsigned work(unsigned seed)
{
	for (int i = 0; i < 50000; i++)
		seed = seed * 1664525u + 1013904223u;
	return seed;
}

int main()
{
	Bell door, answer;
	unsigned seed = 1;
	std::thread servant([&] {
		for (int i = 1; i <= 300; i++) {
			door.wait(i);
			seed = work(seed);
			answer.ring();
		}
	});
	for (int i = 1; i <= 300; i++) {
		door.ring();
		answer.wait(i);
	}
	servant.join();
	std::printf("%u\n", seed);
	return 0;
}

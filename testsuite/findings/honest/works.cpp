// SPDX-License-Identifier: GPL-3.0-or-later
// A pool of threads takes pieces of work of half a millisecond from a queue.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
public:
	explicit Pool(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			threads.emplace_back([this] { run(); });
	}
	~Pool()
	{
		{
			std::lock_guard guard(lock);
			is_closed = true;
		}
		changed.notify_all();
		for (auto &thread : threads)
			thread.join();
	}
	void put(std::function<void()> work)
	{
		{
			std::lock_guard guard(lock);
			queue.push_back(std::move(work));
		}
		changed.notify_one();
	}

private:
	void run()
	{
		for (;;) {
			std::unique_lock guard(lock);
			changed.wait(guard, [this] { return !queue.empty() || is_closed; });
			if (queue.empty())
				return;
			auto work = std::move(queue.front());
			queue.pop_front();
			guard.unlock();
			work();
		}
	}
	std::mutex lock;
	std::condition_variable changed;
	std::deque<std::function<void()>> queue;
	bool is_closed = false;
	std::vector<std::thread> threads;
};

static unsigned collatz(unsigned long n)
{
	unsigned steps = 0;
	for (; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

int main()
{
	std::vector<unsigned> longest(4000);
	{
		Pool pool(2);
		for (unsigned i = 0; i < longest.size(); i++)
			pool.put([&longest, i] {
				for (unsigned n = i * 2000 + 1; n <= (i + 1) * 2000; n++)
					longest[i] = std::max(longest[i], collatz(n));
			});
	}
	unsigned most = 0;
	for (unsigned one : longest)
		most = std::max(most, one);
	std::printf("%u steps\n", most);
	return 0;
}

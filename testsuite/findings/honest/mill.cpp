// SPDX-License-Identifier: GPL-3.0-or-later
// true: CF0403 the sacks are filled by one thread
// Two millers take sacks from a queue that one thread fills, and grind them.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

class Mill {
public:
	void put(uint32_t sack)
	{
		std::lock_guard<std::mutex> guard(mutex);
		sacks.push_back(sack);
		some.notify_one();
	}
	void work()
	{
		std::mt19937 dust(1);
		uint32_t flour = 0;
		for (uint32_t sack; take(sack);)
			for (int i = 0; i < 200000; i++)
				flour += sack ^ dust();
		std::lock_guard<std::mutex> guard(mutex);
		ground += flour;
	}
	uint32_t ground = 0;

private:
	bool take(uint32_t &sack)
	{
		std::unique_lock<std::mutex> guard(mutex);
		some.wait(guard, [this] { return !sacks.empty(); });
		sack = sacks.front();
		if (sack)
			sacks.pop_front();
		return sack != 0;
	}
	std::mutex mutex;
	std::condition_variable some;
	std::deque<uint32_t> sacks;
};

int main()
{
	Mill mill;
	std::vector<std::thread> millers;
	for (int i = 0; i < 2; i++)
		millers.emplace_back(&Mill::work, &mill);
	for (uint32_t i = 1; i <= 400; i++)
		mill.put(i);
	mill.put(0);
	for (auto &one : millers)
		one.join();
	std::printf("%d\n", mill.ground != 0);
	return 0;
}

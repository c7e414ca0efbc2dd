// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0111 put|take|pack|make; wall
// true: CF0101|CF0103 both threads still take the same lock for each thing
// Things go over a belt from one thread to another. Planted: the belt has room for one thing, so that
// the threads wait for each other at each of them.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

#ifdef REPAIRED
static const size_t room = 512;
#else
static const size_t room = 1;
#endif

struct Thing {
	unsigned number = 0;
	unsigned long weight = 0;
};

class Belt {
public:
	void put(const Thing &thing)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		has_room_.wait(lock, [this] { return things_.size() < room; });
		things_.push(thing);
		has_things_.notify_one();
	}

	Thing take()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		has_things_.wait(lock, [this] { return !things_.empty(); });
		Thing thing = things_.front();
		things_.pop();
		has_room_.notify_one();
		return thing;
	}

private:
	std::mutex mutex_;
	std::condition_variable has_room_, has_things_;
	std::queue<Thing> things_;
};

static unsigned long weigh(unsigned number, int steps)
{
	unsigned long weight = number;
	for (int i = 0; i < steps; i++)
		weight = weight * 6364136223846793005ul + 1442695040888963407ul;
	return weight;
}

static const unsigned things = 30000;

static void make(Belt &belt)
{
	for (unsigned i = 1; i <= things; i++)
		belt.put({i, weigh(i, 1000)});
	belt.put({});
}

static unsigned long pack(Belt &belt)
{
	unsigned long sum = 0;
	for (Thing thing = belt.take(); thing.number; thing = belt.take())
		sum += thing.weight ^ weigh(thing.number, 1500);
	return sum;
}

int main()
{
	Belt belt;
	std::thread maker(make, std::ref(belt));
	std::printf("%lu\n", pack(belt));
	maker.join();
}

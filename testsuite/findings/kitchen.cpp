// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0104|CF0306 work|take; processor
// true: CF0403 the orders are prepared by one thread
// Cooks of a kitchen wait for orders. Planted: each cook who has nothing to do yields its processor
// in a loop until there is something, in place of waiting.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

class Orders {
public:
	void put(unsigned order)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		orders_.push_back(order);
#ifdef REPAIRED
		there_.notify_one();
#endif
	}

	void close()
	{
		std::lock_guard<std::mutex> lock(mutex_);
		closed_ = true;
		there_.notify_all();
	}

	bool take(unsigned &order)
	{
		for (;;) {
			std::unique_lock<std::mutex> lock(mutex_);
#ifdef REPAIRED
			there_.wait(lock, [this] { return !orders_.empty() || closed_; });
#endif
			if (!orders_.empty()) {
				order = orders_.front();
				orders_.pop_front();
				return true;
			}
			if (closed_)
				return false;
			lock.unlock();
			std::this_thread::yield();
		}
	}

private:
	std::mutex mutex_;
	std::condition_variable there_;
	std::deque<unsigned> orders_;
	bool closed_ = false;
};

static unsigned long cook(unsigned order)
{
	unsigned long taste = order;
	for (int i = 0; i < 200000; i++)
		taste = taste * 6364136223846793005ul + 1442695040888963407ul;
	return taste;
}

static std::atomic<unsigned long> tasted;

static void work(Orders &orders)
{
	unsigned order;
	while (orders.take(order))
		tasted += cook(order) >> 60;
}

static void guests(Orders &orders)
{
	for (unsigned i = 0; i < 300; i++) {
		orders.put(i);
		std::this_thread::sleep_for(std::chrono::milliseconds(2));
	}
	orders.close();
}

int main()
{
	Orders orders;
	std::vector<std::thread> cooks;
	for (int i = 0; i < 3; i++)
		cooks.emplace_back(work, std::ref(orders));
	guests(orders);
	for (auto &one : cooks)
		one.join();
	std::printf("%lu\n", tasted.load());
}

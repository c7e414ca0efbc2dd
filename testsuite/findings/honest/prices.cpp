// SPDX-License-Identifier: GPL-3.0-or-later
// Threads look up prices that are rarely changed, by a lock that lets all read.
#include <cmath>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class Prices {
public:
	double of(const std::string &name) const
	{
		std::shared_lock guard(lock);
		auto found = prices.find(name);
		return found == prices.end() ? 0 : found->second;
	}
	void set(const std::string &name, double price)
	{
		std::unique_lock guard(lock);
		prices[name] = price;
	}

private:
	mutable std::shared_mutex lock;
	std::unordered_map<std::string, double> prices;
};

static double option(double price, double strike)
{
	double sum = 0;
	for (int i = 1; i <= 200; i++)
		sum += std::exp(-0.05 * i) * std::fmax(0, price * std::exp(0.01 * i * std::sin(i)) - strike);
	return sum;
}

int main()
{
	Prices prices;
	std::vector<std::string> names;
	for (int i = 0; i < 500; i++)
		names.push_back("share" + std::to_string(i));
	for (auto &name : names)
		prices.set(name, double(name.size()) * 10);
	std::vector<std::thread> threads;
	std::vector<double> sums(2 * 16);
	for (unsigned t = 0; t < 2; t++)
		threads.emplace_back([&, t] {
			for (unsigned i = 0; i < 150000; i++) {
				auto &name = names[(i * 7 + t) % names.size()];
				if (i % 1000 == 999)
					prices.set(name, i % 90 + 1);
				sums[t * 16] += option(prices.of(name), 50);
			}
		});
	for (auto &thread : threads)
		thread.join();
	std::printf("%.3f\n", sums[0] + sums[16]);
	return 0;
}

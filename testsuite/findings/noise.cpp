// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 uniform; processor
// Simulates customers of a shop. Planted: each random number has a generator of its own, whose 5 kB are
// set up for that one number.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

struct Customer {
	double arrives;
	double stays;
	int basket;
};

static unsigned next_seed = 1;

static double uniform(double low, double high)
{
#ifdef REPAIRED
	static std::mt19937 generator(next_seed);
#else
	std::mt19937 generator(next_seed++);
#endif
	std::uniform_real_distribution<double> distribution(low, high);
	return distribution(generator);
}

static double exponential(double mean)
{
	return -mean * std::log(1 - uniform(0, 1));
}

class Shop {
public:
	explicit Shop(int counters) : free_at_(counters) {}
	void day(double hours);
	double mean_wait() const { return n_ ? waited_ / n_ : 0; }
	long sold() const { return sold_; }

private:
	double serve(const Customer &customer);
	std::vector<double> free_at_;
	double waited_ = 0;
	long n_ = 0, sold_ = 0;
};

double Shop::serve(const Customer &customer)
{
	double ready = customer.arrives + customer.stays;
	size_t best = 0;
	for (size_t i = 1; i < free_at_.size(); i++)
		if (free_at_[i] < free_at_[best])
			best = i;
	double begins = std::max(ready, free_at_[best]);
	free_at_[best] = begins + 0.01 + 0.002 * customer.basket;
	return begins - ready;
}

void Shop::day(double hours)
{
	for (double &each : free_at_)
		each = 0;
	for (double now = exponential(0.005); now < hours; now += exponential(0.005)) {
		Customer customer{now, exponential(0.3), 1 + static_cast<int>(uniform(0, 30))};
		waited_ += serve(customer);
		sold_ += customer.basket;
		n_++;
	}
}

int main()
{
	Shop shop(24);
	for (int day = 0; day < 40; day++)
		shop.day(12);
	printf("%.4f hours, %ld sold\n", shop.mean_wait(), shop.sold());
}

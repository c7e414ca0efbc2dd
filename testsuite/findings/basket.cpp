// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0208|CF0207|CF0209 total|discounted; processor
// Adds up a basket with discounts. Planted: each discount of each article is a virtual call, though the
// kinds of discounts are known and few.
#include <cstdio>
#include <memory>
#include <vector>

struct Discount {
	virtual ~Discount() = default;
	virtual long of(long price) const = 0;
};
struct Percent final : Discount {
	explicit Percent(long part) : part(part) {}
	[[gnu::noinline]] long of(long price) const override { return price - (price * part >> 7); }
	long part;
};

struct Basket {
	std::vector<long> prices;
	std::vector<std::unique_ptr<Discount>> discounts;
#ifdef REPAIRED
	std::vector<Percent> percents{Percent(3), Percent(5), Percent(7)};
#endif
	[[gnu::noinline]] long total() const
	{
		long sum = 0;
		for (long price : prices) {
#ifdef REPAIRED
			for (auto &one : percents)
				price -= price * one.part >> 7;
#else
			for (auto &one : discounts)
				price = one->of(price);
#endif
			sum += price;
		}
		return sum;
	}
};

int main()
{
	Basket basket;
	long sum = 0;
	for (long i = 0; i < 1000; i++)
		basket.prices.push_back(100 + i * 37 % 5000);
	for (long part : {3, 5, 7})
		basket.discounts.push_back(std::make_unique<Percent>(part));
	for (int i = 0; i < 40000; i++)
		sum += basket.total() & 1023;
	std::printf("%ld\n", sum);
	return 0;
}

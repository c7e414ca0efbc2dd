// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 items|total; processor
// Prices orders. Planted: an order gives its items as a copy, and is asked for them for each item.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct Item {
	std::string article;
	int pieces;
	double price;
};

class Order {
public:
	explicit Order(int number) : number_(number) {}
	void add(Item item) { items_.push_back(std::move(item)); }
#ifdef REPAIRED
	const std::vector<Item> &items() const;
#else
	std::vector<Item> items() const;
#endif
	int number() const { return number_; }

private:
	int number_;
	std::vector<Item> items_;
};

#ifdef REPAIRED
const std::vector<Item> &Order::items() const
#else
std::vector<Item> Order::items() const
#endif
{
	return items_;
}

class PriceList {
public:
	void discount(std::string article, double share) { discounts_[std::move(article)] = share; }
	double price(const Item &item) const
	{
		auto found = discounts_.find(item.article);
		return item.price * item.pieces * (found == discounts_.end() ? 1 : 1 - found->second);
	}

private:
	std::map<std::string, double> discounts_;
};

static double total(const Order &order, const PriceList &prices)
{
	double sum = 0;
	for (size_t i = 0; i < order.items().size(); i++)
		sum += prices.price(order.items()[i]);
	return sum > 1000 ? sum * 0.98 : sum;
}

static std::vector<Order> orders(int n)
{
	std::vector<Order> all;
	for (int i = 0; i < n; i++) {
		Order order(i);
		for (int j = 0; j < 4 + i % 20; j++)
			order.add({"article number " + std::to_string((i * 31 + j * 7) % 500), 1 + j % 3, 1.5 * (1 + j)});
		all.push_back(std::move(order));
	}
	return all;
}

int main()
{
	PriceList prices;
	for (int i = 0; i < 500; i += 3)
		prices.discount("article number " + std::to_string(i), 0.1);
	auto all = orders(6000);
	double sum = 0;
	for (int day = 0; day < 15; day++)
		for (const Order &order : all)
			sum += total(order, prices);
	printf("%.2f\n", sum);
}

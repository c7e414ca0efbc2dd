// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0202 fill; processor
// true: CF0204 a node of the map for each order is what is left
// Fills orders of a market. Planted: the best of all orders is searched for each time.
#include <cstdio>
#include <list>
#include <map>
#include <string>
#include <vector>
struct Order {
	int id;
	double price;
	int pieces;
};
class Book
{
      public:
	void add(Order order)
	{
		orders_.push_back(order);
	}
	int fill(double price, int pieces);
	double volume() const;

      private:
#ifdef REPAIRED
	std::multimap<double, Order> sorted_;
#endif
	std::vector<Order> orders_;
};
#ifdef REPAIRED
int Book::fill(double price, int pieces)
{
	for (auto &o : orders_)
		sorted_.emplace(o.price, o);
	orders_.clear();
	int got = 0;
	while (got < pieces && !sorted_.empty() && sorted_.begin()->first <= price) {
		got += sorted_.begin()->second.pieces;
		sorted_.erase(sorted_.begin());
	}
	return got;
}
double Book::volume() const
{
	double v = 0;
	for (auto &o : sorted_)
		v += o.second.price * o.second.pieces;
	return v;
}
#else
int Book::fill(double price, int pieces)
{
	int got = 0;
	while (got < pieces) {
		size_t best = orders_.size();
		for (size_t i = 0; i < orders_.size(); i++)
			if (orders_[i].price <= price &&
			    (best == orders_.size() || orders_[i].price < orders_[best].price))
				best = i;
		if (best == orders_.size())
			break;
		got += orders_[best].pieces;
		orders_[best] = orders_.back();
		orders_.pop_back();
	}
	return got;
}
double Book::volume() const
{
	double v = 0;
	for (auto &o : orders_)
		v += o.price * o.pieces;
	return v;
}
#endif
int main()
{
	Book book;
	unsigned state = 1;
	auto next = [&] {
		state = state * 1664525u + 1013904223u;
		return state >> 8;
	};
	for (int i = 0; i < 20000; i++)
		book.add({ i, 50 + next() % 100000 * 1e-3, 1 });
	long got = 0;
	for (int i = 0; i < 12000; i++) {
		got += book.fill(120, 2);
		book.add({ i, 50 + next() % 100000 * 1e-3, 1 });
		book.add({ i, 50 + next() % 100000 * 1e-3, 1 });
	}
	printf("%ld %.0f\n", got, book.volume() / 1e5);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overloads, templates, lambdas, constructors of virtual bases, deleting destructors, a function
 * that is cloned. */
#include <vector>

#define OWN __attribute__((noinline))

extern "C" int shared(int);
static volatile int sink;

namespace shapes {
OWN int size(int n) { return sink + n; }
OWN int size(double x) { return sink + (int)x; }

template <class T> struct box {
	T value;
	template <class U> OWN U get(U scale) const { return (U)(value * scale + (T)sink); }
	OWN bool operator<(const box &other) const { return value < other.value + (T)sink; }
};
} // namespace shapes

namespace {
OWN int hidden(std::vector<int> &all)
{
	return all[0] + sink;
}
} // namespace

struct base {
	OWN base() { sink = sink + 1; }
	virtual OWN ~base() { sink = sink + 1; }
};
struct middle : virtual base {
	OWN middle() { sink = sink + 1; }
	OWN ~middle() override { sink = sink + 1; }
};
struct last : middle {
};

OWN static int helper(int n)
{
	return n + sink;
}

/* Another function of this name is in the other file. */
int both(int n)
{
	return helper(n) + shared(n);
}

int main()
{
	shapes::box<int> ints{ 2 };
	shapes::box<double> doubles{ 2.5 };
	std::vector<int> all{ 1, 2, 3 };
	auto lambda = [](int n) OWN { return n + sink; };
	int sum = shapes::size(1) + shapes::size(1.0) + ints.get(2) + (int)ints.get(2.0) + (int)doubles.get(2.0);

	sum += (ints < ints) + hidden(all) + lambda(3) + both(4);
	{
		middle one;
		last two;
	}
	delete new middle;
	return sum < 0;
}

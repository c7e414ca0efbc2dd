/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++: unwinding, thunks, COMDAT functions, static objects. */
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

struct Noisy {
	const char *name;
	explicit Noisy(const char *name) : name(name)
	{
	}
	~Noisy()
	{
		std::printf("gone: %s\n", name);
	}
};

struct Base {
	virtual int value() const = 0;
	virtual ~Base() = default;
};

struct Other {
	long filler = 1;
	virtual int other() const
	{
		return 1;
	}
	virtual ~Other() = default;
};

struct Derived : Other, Base {
	int value() const override
	{
		return 5;
	}
	int other() const override
	{
		return 6;
	}
};

template <typename T>
__attribute__((noinline)) T largest(T a, T b)
{
	return a < b ? b : a;
}

static Noisy global("global");

__attribute__((noinline)) static int thrower(int depth)
{
	Noisy noisy("thrower");

	if (!depth)
		throw std::runtime_error("bottom");
	return thrower(depth - 1) + 1;
}

__attribute__((noinline)) static int rethrower(int depth)
{
	try {
		return thrower(depth);
	} catch (const std::runtime_error &error) {
		std::printf("caught %s\n", error.what());
		throw std::logic_error("again");
	}
}

int main()
{
	Derived derived;
	Base &base = derived;
	Other &other = derived;
	std::map<std::string, int> map{ { "a", 1 }, { "b", 2 } };
	std::function<int(int)> add = [&](int x) { return x + base.value(); };

	std::printf("%d %d %d %d\n", base.value(), other.other(), add(3), largest(3, 4));
	std::printf("%s\n", largest(std::string("x"), std::string("y")).c_str());
	try {
		rethrower(2);
	} catch (const std::logic_error &error) {
		std::printf("caught %s %d\n", error.what(), map["b"]);
	}
	return 11;
}

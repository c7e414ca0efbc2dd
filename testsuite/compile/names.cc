// SPDX-License-Identifier: GPL-3.0-or-later
// Names and clones that a rule may have trouble with: choosing.sh excludes one after the other.
#include <string>

#define NOINLINE __attribute__((noinline))

bool touch();

namespace
{
template <class T> NOINLINE T hidden(T a)
{
	touch();
	return a;
}
} // namespace

struct S {
	template <class T> NOINLINE std::string operator<<(T)
	{
		touch();
		return std::string();
	}
	NOINLINE operator std::string()
	{
		touch();
		return "";
	}
	NOINLINE int operator()(int)
	{
		touch();
		return 1;
	}
	NOINLINE int operator[](int)
	{
		touch();
		return 1;
	}
	NOINLINE S *operator->()
	{
		touch();
		return this;
	}
#if __cplusplus > 201703
	NOINLINE int operator<=>(const S &) const
	{
		touch();
		return 1;
	}
#endif
	int member;
};

template <class T> NOINLINE bool operator<(S, T)
{
	return touch(); // a constant would be seen by main, from GCC 14 on
}

NOINLINE std::string tagged(const std::string &s)
{
	touch();
	return s + "x";
}

static NOINLINE void cloned(int a, int b)
{
	if (a)
		touch();
	if (b)
		touch();
}

NOINLINE void parallel()
{
#pragma omp parallel
	touch();
}

int main(int argc, char **)
{
	auto lambda = [&](int x) NOINLINE {
		touch();
		return x + argc;
	};
	S s;
	std::string text = s << 3;

	text = (std::string)s;
	hidden<int>(3);
	s(1);
	s[2];
	s->member = 1;
#if __cplusplus > 201703
	s <=> s;
#endif
	cloned(1, argc);
	parallel();
	return s < 3.0 ? tagged(text).size() : lambda(4);
}

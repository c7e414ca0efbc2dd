/* SPDX-License-Identifier: MIT */
/* Exceptions, longjmp, asm goto, jump tables, templates; in four threads with an argument. */
#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define APART __attribute__((noinline))

static std::atomic<int> destroyed;

struct counted {
	~counted()
	{
		++destroyed;
	}
};

APART static int risky(int i)
{
	counted one;

	if (i % 7 == 3)
		throw std::runtime_error("at " + std::to_string(i));
	if (i % 11 == 5)
		throw i;
	return i * 2;
}

/* Exceptions leave it at its call. */
APART static int passing(int i)
{
	int result = risky(i);

	return result * 3 + i;
}

APART static int catching(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		try {
			sum += passing(i);
		} catch (const std::exception &e) {
			sum += (int)std::string(e.what()).size();
		} catch (int value) {
			sum -= value;
		}
	return sum;
}

static jmp_buf place;

APART static void jump(int i)
{
	if (i & 1)
		longjmp(place, i);
}

APART static int jumping(int n)
{
	volatile int sum = 0;

	for (volatile int i = 0; i < n; i++)
		if (setjmp(place) == 0)
			jump(i);
		else
			sum += i;
	return sum;
}

APART static int by_asm_goto(int x)
{
	asm goto("cmpl $3, %0; je %l1" : : "r"(x) : "cc" : hit);
	return 1;
hit:
	return 2;
}

APART static long by_table(int i)
{
	switch (i % 10) {
	case 0:
		return i;
	case 1:
		return i * 3L;
	case 2:
		return i ^ 55;
	case 3:
		return i / 3;
	case 4:
		return i % 5;
	case 5:
		return -i;
	case 6:
		return i << 2;
	case 7:
		return ~i;
	case 8:
		return i * i;
	default:
		return 7;
	}
}

static void work(int id, long *result)
{
	std::map<int, std::string> names;
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		names[i % 97] += "a";
		sum += by_table(i + id) + by_asm_goto(i % 5);
	}
	sum += catching(300);
	for (auto &name : names)
		sum += (long)name.second.size();
	*result = sum;
}

int main(int argc, char **)
{
	std::vector<std::thread> threads;
	std::vector<int> numbers;
	long results[4];

	for (int i = 0; i < 4; i++)
		if (argc > 1)
			threads.emplace_back(work, i, &results[i]);
		else
			work(i, &results[i]);
	for (auto &thread : threads)
		thread.join();
	for (int i = 0; i < 2000; i++)
		numbers.push_back(i * 7919 % 5003);
	std::sort(numbers.begin(), numbers.end());
	std::cout << results[0] + results[3] << ' ' << jumping(100) << ' ' << numbers[77] << ' ' << destroyed << '\n';
	return 0;
}

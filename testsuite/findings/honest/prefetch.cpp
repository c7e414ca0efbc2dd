// SPDX-License-Identifier: GPL-3.0-or-later
// Reads blocks one after the other: std::async makes the next one while this one is added up.
#include <cstdint>
#include <cstdio>
#include <future>
#include <vector>

static std::vector<uint32_t> block(uint32_t number)
{
	std::vector<uint32_t> data(20000);
	for (uint32_t round = 0; round < 60; round++)
		for (uint32_t &one : data)
			one = one * 1664525u + number + round;
	return data;
}

static uint32_t sum_of(const std::vector<uint32_t> &data)
{
	uint32_t sum = 0;
	for (uint32_t round = 0; round < 60; round++)
		for (uint32_t one : data)
			sum = (sum ^ one) * 16777619u;
	return sum;
}

int main()
{
	uint32_t sum = 0;
	std::vector<uint32_t> now = block(0);
	for (uint32_t i = 1; i <= 120; i++) {
		auto next = std::async(std::launch::async, block, i);
		sum += sum_of(now);
		now = next.get();
	}
	std::printf("%08x\n", sum);
	return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0214 fare|quote|current; wall
// Threads quote fares by a tariff that may be exchanged at any time. Planted: each question copies the
// std::shared_ptr of the tariff, so that all threads count references in one place.
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

struct Tariff {
	unsigned base = 3, zone[16] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597};
};

class Office {
public:
	std::shared_ptr<const Tariff> current() const { return tariff; }

	unsigned fare(unsigned from, unsigned to) const
	{
#ifdef REPAIRED
		const auto &now = tariff;
#else
		auto now = current();
#endif
		return now->base + now->zone[from & 15] + now->zone[to & 15];
	}

private:
	std::shared_ptr<const Tariff> tariff = std::make_shared<Tariff>();
};

[[gnu::noinline]] static unsigned long quote(const Office &office, unsigned n)
{
	unsigned long sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += office.fare(i, i >> 4);
	return sum;
}

int main()
{
	Office office;
	std::vector<std::thread> threads;
	std::vector<unsigned long> sums(2);
	for (unsigned i = 0; i < 2; i++)
		threads.emplace_back([&office, &sums, i] {
			unsigned long sum = 0;
			for (int round = 0; round < 400; round++)
				sum += quote(office, 100000);
			sums[i] = sum;
		});
	for (auto &thread : threads)
		thread.join();
	std::printf("%lu\n", sums[0] + sums[1]);
	return 0;
}

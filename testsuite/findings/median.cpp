// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0218 median; processor
// A median of temperatures. Planted: all of them are sorted again after each new one.
#include <algorithm>
#include <cstdio>
#include <vector>

class Temperatures {
public:
	double median(double next)
	{
#ifdef REPAIRED
		values.insert(std::upper_bound(values.begin(), values.end(), next), next);
#else
		values.push_back(next);
		std::sort(values.begin(), values.end());
#endif
		return values[values.size() / 2];
	}

private:
	std::vector<double> values;
};

int main()
{
	Temperatures temperatures;
	unsigned seed = 3;
	double sum = 0;
	for (int i = 0; i < 6000; i++) {
		seed = seed * 1664525u + 1013904223u;
		sum += temperatures.median((seed >> 8) / 1e5);
	}
	std::printf("%.3f\n", sum);
	return 0;
}

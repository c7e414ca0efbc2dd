// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0101|CF0103 add|render; wall
// Tasks of std::async draw the tiles of a picture. Planted: a tile is computed while the palette, that
// all share, is locked.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <future>
#include <mutex>
#include <vector>

class Palette {
public:
	template <class F> void with(F use)
	{
		std::lock_guard<std::mutex> guard(mutex);
		use(colours);
	}
	uint32_t sum() const
	{
		uint32_t sum = 0;
		for (uint32_t colour : colours)
			sum = sum * 31 + colour;
		return sum;
	}

private:
	std::mutex mutex;
	std::vector<uint32_t> colours = std::vector<uint32_t>(256);
};

static unsigned colour_at(double x, double y)
{
	double a = 0, b = 0;
	unsigned n = 0;
	for (; n < 255 && a * a + b * b < 4; n++) {
		double t = a * a - b * b + x;
		b = 2 * a * b + y;
		a = t;
	}
	return n;
}

static std::vector<uint32_t> tile(int number)
{
	std::vector<uint32_t> used(256);
	for (int i = 0; i < 96; i++)
		for (int k = 0; k < 96; k++)
			used[colour_at(-2 + number % 20 * 0.12 + i * 0.00125, -1 + number / 20 * 0.1 + k * 0.001)]++;
	return used;
}

static void render(Palette &palette, int number)
{
#ifdef REPAIRED
	std::vector<uint32_t> used = tile(number);
	palette.with([&](std::vector<uint32_t> &colours) {
#else
	palette.with([&](std::vector<uint32_t> &colours) {
		std::vector<uint32_t> used = tile(number);
#endif
		for (std::size_t i = 0; i < colours.size(); i++)
			colours[i] += used[i];
	});
}

int main()
{
	Palette palette;
	for (int row = 0; row < 20; row++) {
		std::vector<std::future<void>> tasks;
		for (int column = 0; column < 20; column += 5)
			tasks.push_back(std::async(std::launch::async, [&palette, row, column] {
				for (int i = 0; i < 5; i++)
					render(palette, row * 20 + column + i);
			}));
		for (auto &task : tasks)
			task.get();
	}
	std::printf("%08x\n", palette.sum());
	return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0209 blend; processor
// Blends pictures. Planted: each pixel is found by its number, which is divided by the width again, and
// the result of a blend is divided by a sum that is the same for all pixels.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Picture {
	int64_t width, height;
	std::vector<uint16_t> pixels;
	Picture(int64_t w, int64_t h) : width(w), height(h), pixels(w * h) {}
};

static void draw(Picture &picture, int seed)
{
	uint32_t state = seed * 2654435761u + 1;
	for (auto &pixel : picture.pixels) {
		state = state * 1664525 + 1013904223;
		pixel = state >> 20;
	}
}

struct Weights {
	int64_t base, layer;
};

static void blend(Picture &base, const Picture &layer, int64_t left, int64_t top, Weights weights)
{
#ifdef REPAIRED
	const int64_t factor = weights.layer * 65536 / (weights.base + weights.layer);
	for (int64_t y = 0; y < layer.height; y++) {
		uint16_t *to = &base.pixels[(y + top) * base.width + left];
		const uint16_t *from = &layer.pixels[y * layer.width];
		for (int64_t x = 0; x < layer.width; x++)
			to[x] = to[x] + (((from[x] - to[x]) * factor) >> 16);
	}
#else
	for (size_t i = 0; i < layer.pixels.size(); i++) {
		int64_t x = static_cast<int64_t>(i) % layer.width + left, y = static_cast<int64_t>(i) / layer.width + top;
		uint16_t &to = base.pixels[y * base.width + x];
		to = (to * weights.base + layer.pixels[i] * weights.layer) / (weights.base + weights.layer);
	}
#endif
}

static uint64_t histogram(const Picture &picture)
{
	uint64_t counts[16] = {}, sum = 0;
	for (uint16_t pixel : picture.pixels)
		counts[pixel >> 8 & 15]++;
	for (int i = 0; i < 16; i++)
		sum = sum * 7 + counts[i] / 1000;
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	Picture base(1600 * argc, 1200), layer(1500 * argc, 1100);
	draw(base, 1);
	uint64_t sum = 0;
	for (int i = 0; i < 100; i++) {
		if (i % 10 == 0)
			draw(layer, i);
		blend(base, layer, i, i, {200 + i, 55});
		if (i % 8 == 0)
			sum += histogram(base);
	}
	printf("%llu\n", static_cast<unsigned long long>(sum));
}

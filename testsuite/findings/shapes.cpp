// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0208|CF0207|CF0209 paint; processor
// Darkens a picture. Planted: a virtual function is called for each pixel, which does next to nothing.
#include <cstdio>
#include <memory>
#include <vector>

struct Filter {
	virtual ~Filter() = default;
	virtual unsigned char of(unsigned char pixel) const = 0;
};

struct Darken : Filter {
	__attribute__((noinline)) unsigned char of(unsigned char pixel) const override { return pixel - (pixel >> 3); }
};

static void paint(const Filter &filter, std::vector<unsigned char> &pixels)
{
#ifdef REPAIRED
	(void)filter;
	for (auto &pixel : pixels)
		pixel = pixel - (pixel >> 3);
#else
	for (auto &pixel : pixels)
		pixel = filter.of(pixel);
#endif
}

int main()
{
	std::unique_ptr<Filter> filter = std::make_unique<Darken>();
	std::vector<unsigned char> pixels(4000000);
	unsigned long sum = 0;
	for (int round = 0; round < 40; round++) {
		for (std::size_t i = 0; i < pixels.size(); i += 4096)
			pixels[i] = (unsigned char)(i >> 12);
		paint(*filter, pixels);
		sum += pixels[4096];
	}
	std::printf("%lu\n", sum);
	return 0;
}

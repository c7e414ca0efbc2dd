// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0321|CF0308 Layer|compose; processor
// Composes pictures of layers. Planted: each layer is a new vector of 40 MB, which the kernel has to give
// page by page, and takes back.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr std::size_t width = 4096, height = 2560;

class Layer {
public:
	Layer() : pixels(width * height) {}
	void draw(unsigned number)
	{
		for (std::size_t y = number % 64; y < height; y += 64)
			std::memset(&pixels[y * width], int(number), width * sizeof(uint32_t));
	}
	uint32_t at(std::size_t x, std::size_t y) const { return pixels[y * width + x]; }
	void reuse() { std::memset(pixels.data(), 0, pixels.size() * sizeof(uint32_t)); }

private:
	std::vector<uint32_t> pixels;
};

class Picture {
public:
	void add(const Layer &layer)
	{
		for (std::size_t y = 0; y < height; y += 16)
			for (std::size_t x = 0; x < width; x += 16)
				sum = sum * 31 + layer.at(x, y);
	}
	uint32_t checksum() const { return sum; }

private:
	uint32_t sum = 0;
};

static void compose(Picture &picture, unsigned number)
{
#ifdef REPAIRED
	static Layer layer;
	layer.reuse();
#else
	Layer layer;
#endif
	layer.draw(number);
	picture.add(layer);
}

int main()
{
	Picture picture;
	for (unsigned i = 0; i < 60; i++)
		compose(picture, i);
	std::printf("%08x\n", picture.checksum());
	return 0;
}

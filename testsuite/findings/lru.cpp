// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0215 evict; processor
// Serves thumbnails through a cache. Planted: which thumbnail was used longest ago is searched for among
// all of them, each time that room is needed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

struct Thumbnail {
	std::vector<uint8_t> pixels;
	uint64_t used = 0;
	std::list<int>::iterator place;
};

class Cache {
public:
	explicit Cache(size_t most) : most_(most) {}
	const Thumbnail &get(int picture);
	long made() const { return made_; }

private:
	void evict();
	Thumbnail make(int picture);
	std::unordered_map<int, Thumbnail> kept_;
	std::list<int> order_;
	size_t most_;
	uint64_t now_ = 0;
	long made_ = 0;
};

Thumbnail Cache::make(int picture)
{
	Thumbnail thumbnail;
	thumbnail.pixels.resize(32 * 32);
	for (int y = 0; y < 32; y++)
		for (int x = 0; x < 32; x++)
			thumbnail.pixels[y * 32 + x] = (picture * 7 + x * y) >> 2;
	made_++;
	return thumbnail;
}

void Cache::evict()
{
#ifdef REPAIRED
	kept_.erase(order_.front());
	order_.pop_front();
#else
	auto oldest = std::min_element(kept_.begin(), kept_.end(),
				       [](const auto &a, const auto &b) { return a.second.used < b.second.used; });
	kept_.erase(oldest);
#endif
}

const Thumbnail &Cache::get(int picture)
{
	auto found = kept_.find(picture);
	if (found == kept_.end()) {
		if (kept_.size() >= most_)
			evict();
		found = kept_.emplace(picture, make(picture)).first;
#ifdef REPAIRED
		found->second.place = order_.insert(order_.end(), picture);
	} else {
		order_.splice(order_.end(), order_, found->second.place);
#endif
	}
	found->second.used = ++now_;
	return found->second;
}

int main()
{
	Cache cache(4000);
	uint64_t state = 42, sum = 0;
	for (int request = 0; request < 150000; request++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		int picture = static_cast<int>((state >> 33) % 5000);
		const Thumbnail &thumbnail = cache.get(picture);
		for (uint8_t pixel : thumbnail.pixels)
			sum += pixel;
	}
	printf("%llu, %ld made\n", static_cast<unsigned long long>(sum), cache.made());
}

// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0202|CF0215 all_tags; processor
// Collects the tags of photos. Planted: whether a tag is there already is searched for in a
// vector.
#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_set>
#include <vector>
struct Photo {
	int id;
	std::vector<std::string> tags;
};
static std::vector<std::string> all_tags(const std::vector<Photo> &photos)
{
	std::vector<std::string> unique;
#ifdef REPAIRED
	std::unordered_set<std::string> seen;
	for (const auto &photo : photos)
		for (const auto &tag : photo.tags)
			if (seen.insert(tag).second)
				unique.push_back(tag);
#else
	for (const auto &photo : photos)
		for (const auto &tag : photo.tags)
			if (std::find(unique.begin(), unique.end(), tag) == unique.end())
				unique.push_back(tag);
#endif
	std::sort(unique.begin(), unique.end());
	return unique;
}
int main()
{
	std::vector<Photo> photos;
	for (int i = 0; i < 20000; i++)
		photos.push_back(
			{ i,
			  { "place" + std::to_string(i * 7 % 3000), "person" + std::to_string(i * 13 % 900),
			    "year" + std::to_string(i % 40) } });
	auto tags = all_tags(photos);
	printf("%zu tags, %s\n", tags.size(), tags[100].c_str());
}

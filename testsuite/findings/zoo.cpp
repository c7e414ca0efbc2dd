// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0209 feed|cost|dynamic_cast|main; processor
// Feeds animals. Planted: what an animal is, is asked by dynamic_cast, one kind after the other.
#include <cstdio>
#include <memory>
#include <vector>

struct Animal {
	virtual ~Animal() = default;
	virtual int eats() const = 0;
};
struct Mammal : Animal {};
struct Bird : Animal { int eats() const override { return 1; } };
struct Cat : Mammal { int eats() const override { return 2; } };
struct Horse : Mammal { int eats() const override { return 3; } };
struct Pony : Horse { int eats() const override { return 4; } };

static int cost(const Animal &animal)
{
#ifdef REPAIRED
	return animal.eats();
#else
	if (dynamic_cast<const Bird *>(&animal))
		return 1;
	if (dynamic_cast<const Cat *>(&animal))
		return 2;
	if (dynamic_cast<const Pony *>(&animal))
		return 4;
	return dynamic_cast<const Horse *>(&animal) ? 3 : 0;
#endif
}

int main()
{
	std::vector<std::unique_ptr<Animal>> animals;
	for (int i = 0; i < 1000; i++) {
		unsigned kind = (unsigned)i * 2654435761u >> 30;
		if (kind == 0)
			animals.push_back(std::make_unique<Bird>());
		else if (kind == 1)
			animals.push_back(std::make_unique<Cat>());
		else if (kind == 2)
			animals.push_back(std::make_unique<Horse>());
		else
			animals.push_back(std::make_unique<Pony>());
	}
	long sum = 0;
	for (int day = 0; day < 5000; day++)
		for (auto &animal : animals)
			sum += cost(*animal);
	std::printf("%ld\n", sum);
	return 0;
}

// Opens a file for each order, of 20 customers: the streams are inlined.
#include <cstdio>
#include <fstream>
#include <string>

static std::string name_of(int id)
{
	return "customer" + std::to_string(id);
}

static int load(int id)
{
	std::ifstream in(name_of(id)); // open
	int discount = 0;

	in >> discount;
	return discount;
}

int main()
{
	long sum = 0;

	for (int i = 0; i < 20; i++)
		std::ofstream(name_of(i)) << i << "\n";
	for (int order = 0; order < 20000; order++)
		sum += load(order % 20);
	printf("%ld\n", sum);
}

/* dlopen, calls, dlclose, three times over; then a program's own work. */
#include "../trees/e2e.h"
#include <dlfcn.h>

KEEP static int own(int x)
{
	return x + 1;
}

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argc;
	for (int round = 0; round < 3; round++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*work)(int (*)(int), int);

		if (!library) {
			puts(dlerror());
			return 1;
		}
		work = (int (*)(int (*)(int), int))dlsym(library, "library_work");
		for (int i = 0; i < 10; i++)
			sum += work(own, i);
		dlclose(library);
		sum += own(round);
	}
	printf("%d\n", sum);
	return 0;
}

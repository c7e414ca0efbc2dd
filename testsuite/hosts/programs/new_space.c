/* A library in a name space of its own of the dynamic loader's. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *library = dlmopen(LM_ID_NEWLM, "./libopened.so", RTLD_NOW);
	int (*opened)(int) = dlsym(library, "opened");

	printf("%d\n", opened(1));
	return 0;
}

/* A program's own dlopen, which needs what main sets up, and then opens by the C library's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static FILE *log_file;

void *dlopen(const char *file, int mode)
{
	void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");

	fprintf(log_file, "opening %s\n", file);
	return next(file, mode);
}

int main(void)
{
	int (*opened)(int);

	log_file = stdout;
	opened = (int (*)(int))dlsym(dlopen("./libopened.so", RTLD_NOW), "opened");
	printf("%d\n", opened(1));
	return 0;
}

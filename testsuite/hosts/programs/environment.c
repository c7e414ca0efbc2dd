/* The environment: libc's variable, a copy of it in a program without PIE, or one of the program's
 * own by its name (OWN_ENVIRON). */
#include <stdio.h>

#ifdef OWN_ENVIRON
char **environ;
#else
extern char **environ;
#endif

__attribute__((noinline)) static int work(int x)
{
	for (volatile int i = 0; i < 30; i++)
		x += i;
	return x;
}

int main(void)
{
	printf("%d %d\n", work(1), environ && *environ);
	return 0;
}

/* The program with own_names.c: in this unit (OWN_HERE), in another one, or in a library. */
#ifdef OWN_HERE
#include "own_names.c"
#else
#include "own_names.h"
#endif

__attribute__((noinline)) static int work(int x)
{
	for (volatile int i = 0; i < 30; i++)
		x += i;
	return x;
}

int main(void)
{
	int sum = 0;

	own_ready = 1;
	for (int i = 0; i < 100; i++)
		sum += work(i);
	own_write(1, sum == 48450 && !own_calls ? "good\n" : "bad\n");
	return 7;
}

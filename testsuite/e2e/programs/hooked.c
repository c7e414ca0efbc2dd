/* Somebody else leads a function elsewhere, by a jump over its sled; then what is recorded is
 * chosen anew, several times. Prints how often it was led elsewhere, of 1500. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../trees/e2e.h"
#include "cinstr.h"

static int led;

KEEP static int elsewhere(int x)
{
	led++;
	return x + 1;
}

KEEP static int target(int x)
{
	sink += x;
	return x;
}

static void lead_elsewhere(void)
{
	char *at = (char *)target, jump[5] = { (char)0xe9 };
	long page = sysconf(_SC_PAGESIZE);
	int distance = (int)((char *)elsewhere - (at + 5));

	memcpy(jump + 1, &distance, 4);
	mprotect((char *)((unsigned long)at & -(unsigned long)page), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(at, jump, 5);
}

int main(void)
{
	static const char *const choices[] = { "not=target", "all" };

	for (int i = 0; i < 1000000; i++)
		target(i);
	lead_elsewhere();
	for (int i = 0; i < 500; i++)
		target(i); /* this call had led to the counter */
	for (int i = 0; i < 1000; i++) {
		cinstr_choose(choices[i % 2]);
		target(i);
	}
	printf("%d\n", led);
	return 0;
}

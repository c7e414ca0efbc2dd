/* Becomes the program of its arguments. */
#include "../trees/e2e.h"
#include <unistd.h>

KEEP static void before(void)
{
	sink++;
}

int main(int argc, char **argv)
{
	before();
	return argc > 1 ? execv(argv[1], argv + 1) : 1;
}

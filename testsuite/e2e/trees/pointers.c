/* Calls through variables: a row has the name of the function that was called, not that of the
 * pointer. */
#include "e2e.h"

int (*usleep)(const char *) = atoi; /* named like a system call's wrapper: it is none */
int (*hook)(int) = abs;

struct operations {
	int (*first)(int);
	int (*second)(const char *);
} operations = { abs, atoi };

KEEP static int through_variables(const char *text)
{
	return usleep(text) + hook(-1) + operations.first(-2) + operations.second(text);
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		sink += through_variables("12");
	return 0;
}

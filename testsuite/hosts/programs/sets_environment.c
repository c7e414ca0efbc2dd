/* A library whose constructor makes another environment. */
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
	clearenv();
	setenv("CINSTR_DATA", "elsewhere", 1);
}

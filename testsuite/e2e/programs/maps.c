/* Says whether the runtime is in this process. */
#include "../trees/e2e.h"
#include <string.h>

int main(void)
{
	char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	int found = 0;

	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, "libcinstr") != NULL;
	fclose(maps);
	puts(found ? "runtime" : "no runtime");
	return 0;
}

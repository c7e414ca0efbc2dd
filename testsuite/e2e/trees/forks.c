/* 20 forks: each child runs on in the frames that were open, with counts of its own from 0, and
 * exits. */
#include "e2e.h"
#include <sys/wait.h>
#include <unistd.h>

KEEP static int child_work(int x)
{
	return x + 1;
}

KEEP static void child_main(int i)
{
	sink = child_work(i);
	exit(0);
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child_main(i);
		waitpid(pid, NULL, 0);
	}
	puts("done");
	return 0;
}

/*
 * Calls ever new paths (the data file must grow), does something to its own surroundings, goes on.
 * argv: words in the order in which they are done:
 *   grow=N           2^N call paths that are new; ready: says so, and waits for a line on stdin
 *   rename=FROM:TO   rmtree=FOLDER (flat)    chroot=FOLDER    setuid=UID
 *   nofile=N         the limit on descriptors; eat: takes all free ones; release: gives them back
 *   closeall         closes all descriptors but the standard ones; closeloop: again and again
 *   fsize=BYTES      data=BYTES    memlock=BYTES    limits on files, heap, locked memory
 *   as=BYTES                     of address space; alloc=BYTES: asks for so much, says the answer
 *   lock=current     mlockall(MCL_CURRENT); lock=future: both; prints what it returned
 *   fd               prints the lowest free descriptor
 */
#include "count.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int right(unsigned path, int depth);

KEEP static int left(unsigned path, int depth)
{
	entered();
	return depth ? (path & 1 ? left : right)(path >> 1, depth - 1) + 1 : 0;
}

KEEP static int right(unsigned path, int depth)
{
	entered();
	return depth ? (path & 1 ? left : right)(path >> 1, depth - 1) + 2 : 0;
}

/* A path of its own in each phase: `base` differs. */
KEEP static long grow(int bits, unsigned base)
{
	long sum = 0;

	entered();
	for (unsigned path = 0; path < 1u << bits; path++)
		sum += left(path << 6 | base, bits + 6);
	return sum;
}

PLAIN static void limit(int which, const char *value)
{
	struct rlimit limit;

	getrlimit(which, &limit);
	limit.rlim_cur = strtoul(value, NULL, 10);
	setrlimit(which, &limit);
}

PLAIN static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[4096];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	if (rmdir(folder))
		printf("rmdir: error %d\n", errno);
}

PLAIN static void *close_all(void *for_ever)
{
	do
		for (int fd = 3; fd < 200; fd++)
			close(fd);
	while (for_ever);
	return NULL;
}

static int eaten[65536], n_eaten;

PLAIN static void eat(void)
{
	int fd;

	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		eaten[n_eaten++] = fd;
}

PLAIN static void release(void)
{
	while (n_eaten)
		close(eaten[--n_eaten]);
}

PLAIN static void lowest(void)
{
	int fd = dup(0);

	printf("lowest free descriptor %d\n", fd);
	close(fd);
}

PLAIN static void move(const char *names)
{
	char from[4096];
	const char *to = strchr(names, ':');

	snprintf(from, sizeof(from), "%.*s", (int)(to - names), names);
	if (rename(from, to + 1))
		printf("rename: error %d\n", errno);
}

/* The parent waits for its child, and ends as that does. */
PLAIN static void follow(void)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		return;
	waitpid(child, &status, 0);
	exit(WEXITSTATUS(status));
}

PLAIN static void do_one(const char *word, unsigned number)
{
	const char *value = strchr(word, '=');
	pthread_t thread;
	char line[16];

	value = value ? value + 1 : word + strlen(word);
	if (!strncmp(word, "grow=", 5))
		printf("%ld\n", grow(atoi(value), number % 64));
	else if (!strcmp(word, "ready") && puts("ready") >= 0 && !fflush(stdout))
		sink = read(0, line, sizeof(line)) > 0;
	else if (!strncmp(word, "rename=", 7))
		move(value);
	else if (!strncmp(word, "rmtree=", 7))
		remove_folder(value);
	else if (!strncmp(word, "chroot=", 7))
		printf("chroot %d\n", chroot(value));
	else if (!strncmp(word, "setuid=", 7))
		printf("setuid %d\n", setuid((uid_t)atoi(value)));
	else if (!strncmp(word, "nofile=", 7))
		limit(RLIMIT_NOFILE, value);
	else if (!strncmp(word, "fsize=", 6))
		limit(RLIMIT_FSIZE, value);
	else if (!strncmp(word, "data=", 5))
		limit(RLIMIT_DATA, value);
	else if (!strncmp(word, "as=", 3))
		limit(RLIMIT_AS, value);
	else if (!strncmp(word, "alloc=", 6))
		printf("alloc %s\n", malloc(strtoul(value, NULL, 10)) ? "done" : "failed");
	else if (!strncmp(word, "memlock=", 8))
		limit(RLIMIT_MEMLOCK, value);
	else if (!strcmp(word, "lock=current"))
		printf("mlockall %d\n", mlockall(MCL_CURRENT));
	else if (!strcmp(word, "lock=future"))
		printf("mlockall %d\n", mlockall(MCL_CURRENT | MCL_FUTURE));
	else if (!strcmp(word, "closeall"))
		close_all(NULL);
	else if (!strcmp(word, "closeloop"))
		pthread_create(&thread, NULL, close_all, &thread);
	else if (!strcmp(word, "eat"))
		eat();
	else if (!strcmp(word, "release"))
		release();
	else if (!strcmp(word, "fork"))
		follow();
	else if (!strcmp(word, "fd"))
		lowest();
}

int main(int argc, char **argv)
{
	entered();
	for (int i = 1; i < argc; i++)
		do_one(argv[i], (unsigned)i);
	fflush(stdout);
	return 0;
}

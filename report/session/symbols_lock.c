/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols_lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "lib/files.h"

#define WAIT_MS 2
#define WAITS_MOST 5000 /* of this process */

int symbols_lock_take(const char *path)
{
	int fd = files_open(path, FILES_OWN);

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -1;
}

int symbols_lock_wait(const char *path)
{
	static const struct timespec pause = { 0, WAIT_MS * 1000000 };
	static unsigned n_waits;
	unsigned before = n_waits;
	int fd = files_open(path, 0);

	while (fd >= 0 && n_waits < WAITS_MOST && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK) {
		nanosleep(&pause, NULL);
		n_waits++;
	}
	if (fd >= 0)
		close(fd);
	return n_waits > before;
}

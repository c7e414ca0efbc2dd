/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols_cache.c - see symbols.h: the symbols that this process has open. Callable from any
 * thread. They are kept until the process ends: the files of a session, and of other sessions
 * compared with it, have mostly the same modules.
 */
#include <pthread.h>
#include <sys/stat.h>

#include "lib/util.h"
#include "symbols.h"

static struct {
	pthread_mutex_t lock;
	struct map keys;
	struct entry {
		struct symbols *symbols; /* NULL: there are none */
		pthread_mutex_t lock;
		int is_open;
	} * *list; /* by the key's number */
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A file that is open is known by what it is, another one by where it is. */
static void key_of(struct strbuf *key, int fd, const char *path, const uint8_t *build_id,
		   size_t build_id_bytes)
{
	struct stat st;

	strbuf_printf(key, "%s\n", path);
	if (fd >= 0 && !fstat(fd, &st))
		strbuf_printf(key, "%llx:%llx:%llx:%llx.%lx\n", (unsigned long long)st.st_dev,
			      (unsigned long long)st.st_ino, (unsigned long long)st.st_size,
			      (unsigned long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	if (build_id_bytes)
		strbuf_add(key, (const char *)build_id, build_id_bytes);
}

static struct entry *entry_of(const struct strbuf *key)
{
	struct entry *entry;
	size_t number;
	int is_new;

	pthread_mutex_lock(&shared.lock);
	number = map_add(&shared.keys, key->text, key->length, &is_new);
	if (is_new) {
		shared.list = xrealloc(shared.list, number + 1, sizeof(*shared.list));
		shared.list[number] = xcalloc(1, sizeof(**shared.list));
		pthread_mutex_init(&shared.list[number]->lock, NULL);
	}
	entry = shared.list[number];
	pthread_mutex_unlock(&shared.lock);
	return entry;
}

struct symbols *symbols_shared(int fd, const char *path, const uint8_t *build_id, size_t build_id_bytes)
{
	STRBUF(key);
	struct entry *entry;

	key_of(&key, fd, path, build_id, build_id_bytes);
	entry = entry_of(&key);
	pthread_mutex_lock(&entry->lock);
	if (!entry->is_open)
		entry->symbols = fd < 0 ? symbols_open(path, build_id, build_id_bytes)
					: symbols_open_fd(fd, path, build_id, build_id_bytes);
	entry->is_open = 1;
	pthread_mutex_unlock(&entry->lock);
	return entry->symbols;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * images.c - see images.h. An image is identified by the file that was opened (device, inode, size,
 * time of change): one image for all processes, another one after the file was rewritten. If it
 * could not be opened, it is identified by the mapping.
 */
#include "images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "image.h"
#include "lib/util.h"

struct images {
	struct image **images;
	size_t n;
	struct map keys; /* number of a key is that of its image: each image has one */
	struct timespec since;
};

struct images *images_new(void)
{
	struct images *images = xcalloc(1, sizeof(*images));

	clock_gettime(CLOCK_REALTIME, &images->since);
	return images;
}

static void release_image(struct image *image)
{
	unwind_image_release(image);
	if (image->fd >= 0)
		close(image->fd);
	free(image->segments);
	free(image->path);
	free(image);
}

void images_release(struct images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->n; i++)
		release_image(images->images[i]);
	free(images->images);
	map_release(&images->keys);
	free(images);
}

size_t images_count(const struct images *images)
{
	return images->n;
}

struct image *images_at(const struct images *images, size_t number)
{
	return number < images->n ? images->images[number] : NULL;
}

/* The image with the key; *fd becomes its own, or is closed when it is known already. */
static struct image *keyed(struct images *images, const struct strbuf *key, const char *path,
			   size_t path_length, int fd)
{
	int is_new;
	size_t number = map_add(&images->keys, key->text, key->length, &is_new);
	struct image *image;

	if (!is_new) {
		if (fd >= 0)
			close(fd);
		return images->images[number];
	}
	image = xcalloc(1, sizeof(*image));
	image->path = strndup(path, path_length);
	image->fd = fd;
	image->number = (uint32_t)number;
	image_read_headers(image);
	images->images = xrealloc(images->images, images->n + 1, sizeof(*images->images));
	images->images[images->n++] = image;
	return image;
}

/* The kernel's code is the same in all processes, and in this one, where it can be read at any
 * time. */
static struct image *vdso(struct images *images, const struct raw_mapping *mapping)
{
	uint64_t own = getauxval(AT_SYSINFO_EHDR), bytes = mapping->end - mapping->start;
	STRBUF(key);
	struct image *image;
	size_t number;

	strbuf_printf(&key, "vdso %llu", (unsigned long long)bytes);
	number = map_find(&images->keys, key.text, key.length);
	if (number == MAP_NONE) {
		int fd = image_copy_range(mapping->pid, mapping->start, mapping->end);

		if (fd < 0 && own)
			fd = image_copy_range((uint32_t)getpid(), own, own + bytes);
		image = keyed(images, &key, mapping->path, strlen(mapping->path), fd);
	} else {
		image = images->images[number];
	}
	return image;
}

/* Opened files are told apart by what they are, others by name and number. */
static void add_key(struct strbuf *key, const struct raw_mapping *mapping, const struct stat *st)
{
	if (st)
		strbuf_printf(key, "file %llx %llx %llx %llx %lx", (unsigned long long)st->st_dev,
			      (unsigned long long)st->st_ino, (unsigned long long)st->st_size,
			      (unsigned long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	else
		strbuf_printf(key, "name %x:%x %llx %s", mapping->device_major, mapping->device_minor,
			      (unsigned long long)mapping->inode, mapping->path);
}

static int is_file(const char *path)
{
	static const char *const others[] = { "//", "/dev/zero", "/SYSV" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return 0;
	return path[0] == '/';
}

struct image *images_get(struct images *images, const struct raw_mapping *mapping)
{
	STRBUF(key);
	struct image *image;
	int is_deleted, fd;
	struct stat st;
	size_t n;
	FREED char *path = NULL;

	if (!strcmp(mapping->path, "[vdso]"))
		return vdso(images, mapping);
	if (!is_file(mapping->path))
		return NULL;
	n = maps_path_length(mapping->path, &is_deleted);
	path = strndup(mapping->path, n);
	fd = image_open(mapping, path, is_deleted, &images->since, &st);
	add_key(&key, mapping, fd >= 0 ? &st : NULL);
	if (fd < 0 && map_find(&images->keys, key.text, key.length) == MAP_NONE)
		fd = image_copy(mapping);
	image = keyed(images, &key, path, n, fd);
	image->is_deleted |= is_deleted;
	return image;
}

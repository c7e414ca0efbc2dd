/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * image.h - what the parts of images.c know of one another: opening the file that is mapped
 * (images_open.c), making one of a process's memory (images_memory.c), program headers
 * (images_elf.c), /proc/PID/maps (images_maps.c). Files and processes are the target's: all of it
 * may be damaged, or be made to be read wrongly.
 */
#ifndef REPORT_SAMPLER_IMAGES_IMAGE_H
#define REPORT_SAMPLER_IMAGES_IMAGE_H

#include <sys/stat.h>
#include <time.h>

#include "images.h"

/* Longest path that is built of a target's: longer ones are not opened. */
#define IMAGE_PATH_MAX 4200

/* images.c: the image of a mapping, NULL for code outside of any file. */
struct image *images_get(struct images *images, const struct raw_mapping *mapping);

/* images_open.c. Returns a descriptor of the very file that is mapped, or -1. `since`: when the
 * collection began. */
int image_open(const struct raw_mapping *mapping, const char *path, int is_deleted,
	       const struct timespec *since, struct stat *st);

/* images_memory.c: a memfd with what the process has of the mapping's file in its memory, at the
 * file's offsets, or -1. */
int image_copy(const struct raw_mapping *mapping);
/* The same of [start, end) alone. */
int image_copy_range(uint32_t pid, uint64_t start, uint64_t end);

/* images_elf.c: program headers and build-id of the image's descriptor. */
void image_read_headers(struct image *image);
/* Up to n bytes at an offset of the file; how many there were. */
size_t image_read(const struct image *image, uint64_t offset, void *bytes, size_t n);
/* Load address - link address, when the file is mapped from file_offset on at `start`. */
uint64_t image_base(const struct image *image, uint64_t start, uint64_t file_offset);
/* Returns whether the link address is of what the file has no bytes for (.bss). */
int image_is_zeroed(const struct image *image, uint64_t address);

/* images_moved.c. Returns whether code of no file is what the image has there: it was moved. */
int image_is_moved(const struct mapped_image *of, const struct raw_mapping *to);
/* The same where nothing is known of what was there before: 1, and what it is. */
int image_find_moved(struct images *images, const struct raw_mapping *moved, struct mapped_image *found);

/* images_maps.c: every mapping of the process as `each` is told it; executable ones only if so
 * wanted. 0 or -errno. */
int maps_read(uint32_t pid, int executable, void (*each)(void *arg, const struct raw_mapping *mapping),
	      void *arg);
/* A path without the " (deleted)" at its end; whether it has one. */
size_t maps_path_length(const char *path, int *is_deleted);

/* unwind_image.c: frees what it knows of the image. */
void unwind_image_release(struct image *image);

#endif

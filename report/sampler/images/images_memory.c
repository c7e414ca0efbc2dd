/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * images_memory.c - for deleted files and the kernel's [vdso]: copies their pages in the process's
 * memory into an unnamed file. The copy has the layout of the file, so that program headers are
 * valid; section headers are mostly not loaded, and are then removed from the copy's header. See
 * image.h.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "image.h"

#define CHUNK_BYTES 65536
/* More than that is copied of no file: it takes memory. */
#define COPY_BYTES_MAX (256ull << 20)
#define PIECES_MAX 64

struct pieces {
	const struct raw_mapping *of;
	struct piece {
		uint64_t start, end, offset;
	} piece[PIECES_MAX];
	size_t n;
};

size_t image_read_memory(uint32_t pid, uint64_t address, void *bytes, size_t n)
{
	struct iovec here = { bytes, n }, there = { (void *)(uintptr_t)address, n };
	ssize_t got = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* Pages that cannot be read are holes. Returns how many bytes could be. */
static uint64_t copy_piece(int fd, uint32_t pid, const struct piece *piece, uint64_t room)
{
	static char chunk[CHUNK_BYTES];
	uint64_t n = piece->end - piece->start, done = 0;

	if (n > room || piece->offset > COPY_BYTES_MAX * 16)
		return 0;
	for (uint64_t at = 0; at < n; at += CHUNK_BYTES) {
		size_t want = n - at < CHUNK_BYTES ? (size_t)(n - at) : CHUNK_BYTES;
		size_t got = image_read_memory(pid, piece->start + at, chunk, want);

		if (got && pwrite(fd, chunk, got, (off_t)(piece->offset + at)) == (ssize_t)got)
			done += got;
	}
	return done;
}

static void add_piece(void *arg, const struct raw_mapping *mapping)
{
	struct pieces *p = arg;

	if (p->n < PIECES_MAX && mapping->inode == p->of->inode && !strcmp(mapping->path, p->of->path))
		p->piece[p->n++] = (struct piece){ mapping->start, mapping->end, mapping->file_offset };
}

/* Data that the program may have changed lies last, and first in the order of copying: code and
 * constants win. */
static int copy_pieces(const struct pieces *p)
{
	int fd = memfd_create("cinstr-image", MFD_CLOEXEC);
	uint64_t done = 0;

	if (fd < 0)
		return -1;
	for (size_t i = p->n; i-- > 0;)
		done += copy_piece(fd, p->of->pid, &p->piece[i], COPY_BYTES_MAX - done);
	if (done)
		return fd;
	close(fd);
	return -1;
}

/* Section headers that are not there must not be looked for. */
static int checked(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	Elf64_Ehdr header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG)) {
		close(fd);
		return -1;
	}
	if (size < 0 || header.e_shoff > (uint64_t)size ||
	    (uint64_t)header.e_shnum * header.e_shentsize > (uint64_t)size - header.e_shoff) {
		header.e_shoff = 0;
		header.e_shnum = header.e_shstrndx = 0;
		if (pwrite(fd, &header, sizeof(header), 0) != sizeof(header)) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

int image_copy_range(uint32_t pid, uint64_t start, uint64_t end)
{
	const struct raw_mapping mapping = { .pid = pid };
	const struct pieces p = { &mapping, { { start, end, 0 } }, 1 };
	int fd = copy_pieces(&p);

	return fd < 0 ? -1 : checked(fd);
}

int image_copy(const struct raw_mapping *mapping)
{
	struct pieces p = { .of = mapping };
	int fd;

	if (maps_read(mapping->pid, 0, add_piece, &p) || !p.n)
		return -1;
	fd = copy_pieces(&p);
	return fd < 0 ? -1 : checked(fd);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is mapped in this process and its children, as told one by one and as read at once. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util.h"
#include "sampler/images/images.h"
#include "sampler/images/image.h"
#include "tests.h"

static char folder[] = "/tmp/cinstr-images-XXXXXX";
static struct images *images;
static struct space *space;

static void begin(void)
{
	images = images_new();
	space = space_new(images, (uint32_t)getpid());
}

static void end(void)
{
	space_release(space);
	images_release(images);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void map(uint64_t start, uint64_t end_address, const char *path)
{
	const struct raw_mapping mapping = {
		.start = start, .end = end_address, .path = path, .pid = (uint32_t)getpid()
	};

	space_map(space, &mapping);
}

static const char *path_at(uint64_t address)
{
	const struct mapped_image *mapped = space_find(space, address);

	return !mapped ? "none" : !mapped->image ? "anonymous" : mapped->image->path;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static void later_mappings_cover_earlier_ones(void)
{
	begin();
	map(0x10000, 0x20000, "/no/such/a");
	map(0x20000, 0x30000, "/no/such/b");
	map(0x18000, 0x24000, "/no/such/c");
	CU_ASSERT_STRING_EQUAL(path_at(0xffff), "none");
	CU_ASSERT_STRING_EQUAL(path_at(0x10000), "/no/such/a");
	CU_ASSERT_STRING_EQUAL(path_at(0x17fff), "/no/such/a");
	CU_ASSERT_STRING_EQUAL(path_at(0x18000), "/no/such/c");
	CU_ASSERT_STRING_EQUAL(path_at(0x23fff), "/no/such/c");
	CU_ASSERT_STRING_EQUAL(path_at(0x24000), "/no/such/b");
	CU_ASSERT_STRING_EQUAL(path_at(0x30000), "none");
	map(0x19000, 0x1a000, "//anon");
	CU_ASSERT_STRING_EQUAL(path_at(0x18fff), "/no/such/c");
	CU_ASSERT_STRING_EQUAL(path_at(0x19000), "anonymous");
	CU_ASSERT_STRING_EQUAL(path_at(0x1a000), "/no/such/c");
	map(0, ~0ull, "/no/such/d");
	CU_ASSERT_STRING_EQUAL(path_at(0x19000), "/no/such/d");
	map(0x5000, 0x5000, "/no/such/e");
	map(0x6000, 0x5000, "/no/such/e");
	CU_ASSERT_STRING_EQUAL(path_at(0x5000), "/no/such/d");
	space_clear(space);
	CU_ASSERT_STRING_EQUAL(path_at(0x19000), "none");
	end();
}

/* Against an array of pages, with ranges as they come. */
static void ranges_are_what_pages_are(void)
{
	enum { PAGES = 64 };
	static const char *const paths[] = { "/no/such/a", "/no/such/b", "//anon", "/no/such/c" };
	const char *pages[PAGES];
	uint32_t random = 1;

	begin();
	for (int i = 0; i < PAGES; i++)
		pages[i] = "none";
	for (int round = 0; round < 3000; round++) {
		uint32_t from, to;
		const char *path;

		random = random * 1103515245 + 12345;
		from = random >> 16 & 63;
		to = from + 1 + (random >> 24 & 15);
		path = paths[random >> 13 & 3];
		if (to > PAGES)
			to = PAGES;
		map(from * 4096ull, to * 4096ull, path);
		for (uint32_t i = from; i < to; i++)
			pages[i] = path[1] == '/' ? "anonymous" : path;
		for (uint32_t i = 0; i < PAGES; i++)
			if (strcmp(path_at(i * 4096ull + round % 4096), pages[i]))
				CU_FAIL_FATAL("a page is not what was mapped last");
	}
	end();
}

static void a_forked_process_has_what_its_parent_has(void)
{
	struct space *copy;

	begin();
	map(0x10000, 0x20000, "/no/such/a");
	copy = space_copy(space, 17);
	map(0x10000, 0x20000, "/no/such/b");
	CU_ASSERT_STRING_EQUAL(space_find(copy, 0x12345)->image->path, "/no/such/a");
	space_release(copy);
	end();
}

/* ---- this process ---------------------------------------------------------------------------- */

static int compare_object(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	(void)bytes, (void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *program = &info->dlpi_phdr[i];
		uint64_t address = info->dlpi_addr + program->p_vaddr;
		const struct mapped_image *mapped;

		if (program->p_type != PT_LOAD || !(program->p_flags & PF_X))
			continue;
		mapped = space_find(space, address);
		CU_ASSERT_PTR_NOT_NULL_FATAL(mapped);
		CU_ASSERT_PTR_NOT_NULL_FATAL(mapped->image);
		CU_ASSERT_EQUAL(mapped->base, info->dlpi_addr);
		CU_ASSERT(mapped->image->fd >= 0);
		CU_ASSERT_FALSE(mapped->image->is_deleted);
	}
	return 0;
}

static void bases_are_the_dynamic_linkers(void)
{
	begin();
	CU_ASSERT_FALSE(space_read(space));
	dl_iterate_phdr(compare_object, NULL);
	CU_ASSERT(images_count(images) >= 3);
	CU_ASSERT_PTR_NULL(images_at(images, images_count(images)));
	end();
}

static void the_kernels_code_is_an_image(void)
{
	const struct mapped_image *mapped;

	begin();
	CU_ASSERT_FALSE(space_read(space));
	mapped = space_find(space, getauxval(AT_SYSINFO_EHDR));
	CU_ASSERT_PTR_NOT_NULL_FATAL(mapped);
	CU_ASSERT_STRING_EQUAL(mapped->image->path, "[vdso]");
	CU_ASSERT(mapped->image->fd >= 0);
	CU_ASSERT(mapped->image->n_segments > 0);
	CU_ASSERT(mapped->image->eh_frame_hdr != 0);
	end();
}

/* ---- files ----------------------------------------------------------------------------------- */

static void copy_libc(const char *name)
{
	struct strbuf command = { 0 };

	CU_ASSERT_FALSE_FATAL(space_read(space));
	strbuf_printf(&command, "cp '%s' '%s'", space_find(space, (uint64_t)(uintptr_t)qsort)->image->path,
		      path_of(name));
	CU_ASSERT_EQUAL_FATAL(system(command.text), 0);
	strbuf_release(&command);
}

/* Maps the code of a file as a dynamic linker does; tells of it as the kernel does. */
static struct raw_mapping map_file(const char *name)
{
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	struct image image = { .fd = fd };
	struct raw_mapping mapping = { .pid = (uint32_t)getpid() };
	struct stat st;
	uint8_t *at;

	CU_ASSERT_FATAL(fd >= 0 && !fstat(fd, &st));
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	image_read_headers(&image);
	for (size_t i = 0; i < image.n_segments; i++) {
		const struct image_segment *s = &image.segments[i];

		if (!s->is_code)
			continue;
		mapping.file_offset = s->offset;
		mapping.start = (uint64_t)at + s->offset;
		mapping.end = mapping.start + ((s->file_bytes + 4095) & ~4095ull);
		mprotect(at + s->offset, mapping.end - mapping.start, PROT_READ | PROT_EXEC);
	}
	mapping.inode = st.st_ino;
	mapping.device_major = major(st.st_dev);
	mapping.device_minor = minor(st.st_dev);
	free(image.segments);
	close(fd);
	return mapping;
}

static const struct image *libc_image(void)
{
	return space_find(space, (uint64_t)(uintptr_t)qsort)->image;
}

static void is_libc(const struct image *image)
{
	const struct image *libc = libc_image();

	CU_ASSERT_PTR_NOT_NULL_FATAL(image);
	CU_ASSERT(image->fd >= 0);
	CU_ASSERT_EQUAL(image->n_segments, libc->n_segments);
	CU_ASSERT_EQUAL(image->eh_frame_hdr, libc->eh_frame_hdr);
	CU_ASSERT_EQUAL(image->build_id_bytes, libc->build_id_bytes);
	CU_ASSERT(image->build_id_bytes > 0);
	CU_ASSERT_FALSE(memcmp(image->build_id, libc->build_id, sizeof(image->build_id)));
}

static void a_deleted_file_is_read_from_memory(void)
{
	struct raw_mapping mapping;
	struct image image = { 0 };
	char path[160];
	uint32_t word;
	int fd;

	begin();
	copy_libc("gone.so");
	mapping = map_file("gone.so");
	unlink(path_of("gone.so"));
	snprintf(path, sizeof(path), "%s (deleted)", path_of("gone.so"));
	mapping.path = path;
	space_map(space, &mapping);
	is_libc(space_find(space, mapping.start)->image);
	CU_ASSERT(space_find(space, mapping.start)->image->is_deleted);
	CU_ASSERT_STRING_EQUAL(space_find(space, mapping.start)->image->path, path_of("gone.so"));
	/* The privileged read the file itself: the copy is tested for all. */
	fd = image_copy(&mapping);
	CU_ASSERT_FATAL(fd >= 0);
	image.fd = fd;
	image_read_headers(&image);
	is_libc(&image);
	CU_ASSERT_EQUAL(pread(fd, &word, sizeof(word), (off_t)mapping.file_offset), sizeof(word));
	CU_ASSERT_EQUAL(word, *(const uint32_t *)(uintptr_t)mapping.start);
	free(image.segments);
	close(fd);
	munmap((void *)(uintptr_t)(mapping.start - mapping.file_offset), mapping.end - mapping.start);
	end();
}

/* Another file in its place is not it: its code would be taken for what is running. */
static void a_file_that_was_replaced_is_not_taken(void)
{
	struct timespec begun = { 0 };
	struct raw_mapping mapping;
	struct stat st;

	begin();
	copy_libc("old.so");
	mapping = map_file("old.so");
	copy_libc("new.so");
	munmap((void *)(uintptr_t)(mapping.start - mapping.file_offset), mapping.end - mapping.start);
	mapping.path = path_of("new.so");
	CU_ASSERT_EQUAL(image_open(&mapping, mapping.path, 0, &begun, &st), -1);
	mapping.path = path_of("old.so");
	CU_ASSERT_EQUAL(close(image_open(&mapping, mapping.path, 0, &begun, &st)), 0);
	end();
}

static void processes_share_images(void)
{
	struct space *other;
	int status;
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	begin();
	CU_ASSERT_FALSE(space_read(space));
	other = space_new(images, (uint32_t)child);
	CU_ASSERT_FALSE(space_read(other));
	CU_ASSERT_PTR_EQUAL(space_find(other, (uint64_t)(uintptr_t)qsort)->image, libc_image());
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	space_clear(other);
	CU_ASSERT(space_read(other) < 0);
	space_release(other);
	end();
}

/* Every header of a small ELF file damaged in every way of a few: nothing is read that is not there
 * (with SAN=address). */
static void damaged_files_do_no_harm(void)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	unsigned char head[64 + 14 * 56];
	const struct image *vdso;

	begin();
	CU_ASSERT_FALSE(space_read(space));
	vdso = space_find(space, getauxval(AT_SYSINFO_EHDR))->image;
	for (size_t i = 4; i < 64 + 5 * 56; i++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			struct image image = { .fd = memfd_create("damaged", MFD_CLOEXEC) };

			CU_ASSERT_FATAL(image_read(vdso, 0, head, sizeof(head)) == sizeof(head));
			head[i] = values[v];
			CU_ASSERT_EQUAL(write(image.fd, head, sizeof(head)), sizeof(head));
			image_read_headers(&image);
			CU_ASSERT(image.build_id_bytes <= sizeof(image.build_id));
			image_base(&image, 0x1000, 0);
			free(image.segments);
			close(image.fd);
		}
	end();
}

CU_TestInfo images_tests[] = {
	{ "later mappings cover earlier ones", later_mappings_cover_earlier_ones },
	{ "ranges are what pages are", ranges_are_what_pages_are },
	{ "a forked process has what its parent has", a_forked_process_has_what_its_parent_has },
	{ "bases are the dynamic linker's", bases_are_the_dynamic_linkers },
	{ "the kernel's code is an image", the_kernels_code_is_an_image },
	{ "a deleted file is read from memory", a_deleted_file_is_read_from_memory },
	{ "a file that was replaced is not taken", a_file_that_was_replaced_is_not_taken },
	{ "processes share images", processes_share_images },
	{ "damaged files do no harm", damaged_files_do_no_harm },
	CU_TEST_INFO_NULL,
};

int images_begin(void)
{
	return mkdtemp(folder) ? 0 : -1;
}

int images_end(void)
{
	struct strbuf command = { 0 };
	int status;

	strbuf_printf(&command, "rm -rf %s", folder);
	status = system(command.text);
	strbuf_release(&command);
	return status;
}

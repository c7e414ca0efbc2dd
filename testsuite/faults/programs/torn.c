/*
 * What a data file looks like from outside, without any repair: prints, for the files named, in how
 * many of them a thread is in the middle of a fold, a segment is handed out but not yet in use, and
 * the recording of a forked child has not begun.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cinstr/format.h"

static int is_folding(const struct cinstr_thread *thread)
{
	return thread->journal_commit == thread->commit && thread->journal_used;
}

int main(int argc, char **argv)
{
	int folds = 0, segments = 0, begun = 0;

	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY), fold = 0, segment = 0;
		const struct cinstr_header *header;
		struct stat status;

		if (fd < 0 || fstat(fd, &status) || (size_t)status.st_size < CINSTR_PAGE)
			continue;
		header = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
		for (uint64_t at = CINSTR_PAGE; at < header->file_bytes && at < (uint64_t)status.st_size;) {
			const struct cinstr_segment *s = (const void *)((const char *)header + at);

			fold |= s->type == CINSTR_SEG_THREAD && is_folding((const void *)(s + 1));
			segment |= s->magic == CINSTR_SEGMENT_MAGIC && !s->type;
			if (s->bytes < CINSTR_PAGE)
				break;
			at += s->bytes;
		}
		folds += fold;
		segments += segment;
		begun += memcmp(header->magic, CINSTR_FILE_MAGIC, 8) != 0;
		close(fd);
	}
	printf("%d %d %d\n", folds, segments, begun);
	return 0;
}

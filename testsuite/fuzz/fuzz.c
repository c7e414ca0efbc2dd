/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz.c - libFuzzer on the reader of data files and on every verb that shows them. An input is a
 * short program: which seed (a sound data file of the folder $FUZZ_SEEDS), what to change in it,
 * which verb to run on it. So inputs stay small, changes fall on what matters, and checksums can be
 * made right again, without which nothing would get past them. Input that begins with a data file's
 * magic is the file itself.
 *
 * Besides what the sanitizers see: no verb may write a control character to a terminal.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cinstr/format.h"
#include "cmd.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define SEEDS_MAX 64
#define FILE_MAX (1u << 20)
#define SEGMENTS_MAX 256
#define ARGUMENTS_MAX 8
#define SAMPLED 5 /* from this kind of eight on */
#define SAMPLED_PREFIX 's'

static const char *const runs[][ARGUMENTS_MAX] = {
#include "verbs.inc"
};

static struct seed {
	char *name;
	uint8_t *bytes;
	size_t size;
} seeds[SEEDS_MAX];
static size_t n_seeds, n_sampled; /* of sampled processes: the last ones */

static _Alignas(64) uint8_t file[FILE_MAX];
static size_t file_bytes;
static int file_fd;
static char file_path[64], other_path[64];
static const char *every; /* all of this verb's runs on each input; NULL: the one that it names */

/* ---- the input ------------------------------------------------------------------------------- */

struct reader {
	const uint8_t *at;
	size_t left;
};

static uint32_t take(struct reader *r, size_t n)
{
	uint32_t value = 0;

	for (size_t i = 0; i < n && r->left; i++, r->left--)
		value |= (uint32_t)*r->at++ << 8 * i;
	return value;
}

/* Where the header and the used parts of the segments are. */
struct part {
	size_t offset, bytes;
};

static size_t parts_find(struct part *parts)
{
	size_t n = 0, at = CINSTR_PAGE;

	parts[n++] = (struct part){ 0, sizeof(struct cinstr_header) };
	while (at + sizeof(struct cinstr_segment) <= file_bytes && n + 1 < SEGMENTS_MAX) {
		const struct cinstr_segment *s = (const void *)(file + at);
		size_t used = s->used < 16384 ? s->used : 16384;

		if (s->magic != CINSTR_SEGMENT_MAGIC || !s->bytes || s->bytes % CINSTR_PAGE ||
		    s->bytes > file_bytes - at)
			break;
		parts[n++] = (struct part){ at, sizeof(*s) };
		if (used)
			parts[n++] = (struct part){ at + sizeof(*s), used };
		at += s->bytes;
	}
	return n;
}

static void change(struct reader *r)
{
	static const uint64_t values[] = { 0,	       1,	   UINT32_MAX,	UINT64_MAX,
					   1ull << 63, 1ull << 32, CINSTR_PAGE, 64 };
	struct part parts[SEGMENTS_MAX];
	size_t n = parts_find(parts);

	while (r->left >= 4) {
		uint32_t how = take(r, 1), where = take(r, 1), offset = take(r, 2), bytes = 1 + how / 4 % 8;
		const struct part *part = &parts[where % n];
		size_t at = part->offset + offset % part->bytes;
		uint64_t value;

		if (how & 128)
			at &= ~3ull;
		if (at + 8 > file_bytes)
			continue;
		memcpy(&value, file + at, 8);
		switch (how % 4) {
		case 0: /* bytes of the input */
			for (uint32_t i = 0; i < bytes; i++)
				file[at + i] = (uint8_t)take(r, 1);
			continue;
		case 1: /* a little more or less */
			value += (uint64_t)(int8_t)take(r, 1);
			break;
		case 2:
			value = values[take(r, 1) % ARRAY_SIZE(values)];
			break;
		default: /* what stands elsewhere in the same part */
			if (part->bytes >= 8)
				memcpy(&value, file + part->offset + take(r, 2) % (part->bytes - 7), 8);
		}
		memcpy(file + at, &value, bytes);
	}
}

static void checksums_mend(void)
{
	struct cinstr_header *h = (void *)file;
	size_t from = offsetof(struct cinstr_header, pid), to = offsetof(struct cinstr_header, file_bytes);
	size_t at = CINSTR_PAGE;

	h->identity_checksum = XXH3_64bits(file + from, to - from);
	while (at + sizeof(struct cinstr_segment) <= file_bytes) {
		struct cinstr_segment *s = (void *)(file + at);

		if (s->magic != CINSTR_SEGMENT_MAGIC || !s->bytes || s->bytes % CINSTR_PAGE ||
		    s->bytes > file_bytes - at)
			return;
		if (s->sealed && s->used <= s->bytes - sizeof(*s))
			s->checksum = XXH3_64bits(file + at + sizeof(*s), s->used);
		at += s->bytes;
	}
}

/* Most often a small, hand-made one: these are the first two. Large ones take ten times as long. */
static const struct seed *seed_choose(uint32_t byte, uint32_t kind)
{
	size_t n = n_seeds - n_sampled;

	if (n_sampled && kind >= SAMPLED)
		return &seeds[n + byte % n_sampled];
	return &seeds[byte < 240 && n > 2 ? byte % 2 : byte % n];
}

static const char *const *file_make(const uint8_t *input, size_t size)
{
	struct reader r = { input, size };
	const struct seed *seed;
	uint32_t run, choice, cut;

	if (size >= 8 && !memcmp(input, CINSTR_FILE_MAGIC, 8)) {
		file_bytes = size < FILE_MAX ? size : FILE_MAX;
		memcpy(file, input, file_bytes);
		return runs[input[size - 1] % ARRAY_SIZE(runs)];
	}
	run = take(&r, 1);
	choice = take(&r, 1);
	cut = take(&r, 1);
	seed = seed_choose(choice, cut / 4 % 8);
	file_bytes = seed->size;
	memcpy(file, seed->bytes, seed->size);
	if (cut & 1)
		file_bytes = (size_t)take(&r, 2) * 256 % (seed->size + 1);
	change(&r);
	if (!(cut & 2))
		checksums_mend();
	return runs[run % ARRAY_SIZE(runs)];
}

/* ---- running a verb -------------------------------------------------------------------------- */

/* What a verb writes: no control characters but newlines, in UTF-8 neither. */
static ssize_t output_check(void *is_table, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (*(int *)is_table && ((c < ' ' && c != '\n' && c != '\t') || c == 127)) {
			dprintf(STDERR_FILENO, "a control character, %d, behind: %.*s\n", c,
				(int)(i < 60 ? i : 60), bytes + (i < 60 ? 0 : i - 60));
			abort();
		}
	}
	return (ssize_t)n;
}

static FILE *output_open(int *is_table)
{
	cookie_io_functions_t functions = { .write = output_check };
	FILE *out = fopencookie(is_table, "w", functions);

	if (!out)
		abort();
	return out;
}

static void verb_run(const char *const *run)
{
	int is_table = 1, always = 1, n = 0;
	FILE *out = stdout, *err = stderr;
	char strings[ARGUMENTS_MAX + 1][64], *arguments[ARGUMENTS_MAX + 2];

	for (; n <= ARGUMENTS_MAX && (!n || arguments[n - 1]); n++) {
		const char *word = n < ARGUMENTS_MAX ? run[n] : NULL;

		snprintf(strings[n], sizeof(strings[n]), "%s",
			 !word		      ? file_path
			 : !strcmp(word, "@") ? other_path
					      : word);
		arguments[n] = strings[n];
		is_table &= !strstr(strings[n], "csv");
		if (!word)
			break;
	}
	arguments[n + 1] = NULL;
	stdout = output_open(&is_table);
	stderr = output_open(&always);
	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(commands[i]->name, run[0]))
			commands[i]->run(commands[i], n + 1, arguments);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = err;
}

static void file_run(const char *const *run)
{
	if (ftruncate(file_fd, (off_t)file_bytes) || pwrite(file_fd, file, file_bytes, 0) < 0)
		abort();
	verb_run(run);
}

/* ---- libFuzzer ------------------------------------------------------------------------------- */

static int compare_seeds(const void *a, const void *b)
{
	return strcmp(((const struct seed *)a)->name, ((const struct seed *)b)->name);
}

/* Nothing of this machine's files is looked up: their symbols take longer than all the rest. */
static void modules_isolate(uint8_t *payload, size_t bytes)
{
	size_t at = 0;

	while (at + sizeof(struct cinstr_module) <= bytes) {
		struct cinstr_module *module = (void *)(payload + at);
		uint8_t *path = payload + at + module->path_offset;

		module->build_id_bytes = 0;
		if (path[0] == '/')
			path[1] = '!';
		at += module->bytes;
	}
}

static void seed_isolate(const struct seed *seed)
{
	for (size_t at = CINSTR_PAGE; at < seed->size;) {
		struct cinstr_segment *s = (void *)(seed->bytes + at);

		if (s->type == CINSTR_SEG_MODULES)
			modules_isolate(seed->bytes + at + sizeof(*s), s->used);
		at += s->bytes;
	}
}

static void seed_add(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f || n_seeds == SEEDS_MAX)
		abort();
	seeds[n_seeds].bytes = malloc(FILE_MAX);
	seeds[n_seeds].size = fread(seeds[n_seeds].bytes, 1, FILE_MAX, f);
	seeds[n_seeds].name = strdup(name);
	fclose(f);
	n_sampled += name[0] == SAMPLED_PREFIX;
	seed_isolate(&seeds[n_seeds]);
	n_seeds++;
}

static int memory_file(char *path, size_t size)
{
	int fd = memfd_create("fuzz.cinstr", 0);

	if (fd < 0)
		abort();
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = getenv("FUZZ_SEEDS");
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *entry;
	int other;

	(void)argc;
	(void)argv;
	if (!dir) {
		fprintf(stderr, "FUZZ_SEEDS must name a folder of data files\n");
		exit(2);
	}
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, CINSTR_FILE_SUFFIX))
			seed_add(folder, entry->d_name);
	closedir(dir);
	qsort(seeds, n_seeds, sizeof(*seeds), compare_seeds);
	every = getenv("FUZZ_EVERY");
	file_fd = memory_file(file_path, sizeof(file_path));
	/* for verbs that compare: a sound one */
	other = memory_file(other_path, sizeof(other_path));
	if (!n_seeds || write(other, seeds[0].bytes, seeds[0].size) < 0)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	const char *const *run = file_make(input, size);

	if (!every)
		file_run(run);
	for (size_t i = 0; every && i < ARRAY_SIZE(runs); i++)
		if (!strcmp(runs[i][0], every))
			file_run(runs[i]);
	return 0;
}

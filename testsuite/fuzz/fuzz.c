/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz.c - libFuzzer on the reader of data files and on every verb that shows them. An input is a
 * short program: which seed (a sound data file of the folder $FUZZ_SEEDS), what to change in it,
 * which verb to run on it. So inputs stay small, changes fall on what matters, and checksums can be
 * made right again, without which nothing would get past them. Input that begins with a data file's
 * magic is the file itself.
 *
 * The file is in a session's folder (in memory). Seeds whose names begin with a letter:
 *   s  of a sampled process
 *   m  one file of a mixed session; beside it lies what NAME.with holds
 *   p  packed
 *   t  a table of a run of a history
 *
 * Besides what the sanitizers see: no verb may write a control character to a terminal.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
#define NO_FILE "." /* the last word of a run that is not of the file */
#define SAMPLED 5   /* from this kind of eight on */
#define PREFIXES "stmp"
#define MORE 0xe0 /* from this first byte on: seeds of all kinds, all runs */

static const char *const runs[][ARGUMENTS_MAX] = {
#include "verbs.inc"
};
/* These change files, or are of folders. The one that is fuzzed: "%", a history: "#". */
static const char *const more_runs[][ARGUMENTS_MAX] = {
#include "verbs_more.inc"
};
static const char *const history_runs[][ARGUMENTS_MAX] = {
#include "verbs_history.inc"
};

static struct seed {
	char *name;
	uint8_t *bytes;
	size_t size;
	struct seed *with; /* what lies beside it, or NULL */
} seeds[SEEDS_MAX];
static size_t n_seeds, n_plain, n_sampled; /* first those without a letter, then the sampled ones */
static const struct seed *current;

static _Alignas(64) uint8_t file[FILE_MAX];
static size_t file_bytes;
static char folder[64], session[96], file_path[160], with_path[160], history[96], table_path[160],
	other_path[96];
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
	if (n_sampled && kind >= SAMPLED)
		return &seeds[n_plain + byte % n_sampled];
	return &seeds[byte < 240 && n_plain > 2 ? byte % 2 : byte % n_plain];
}

static int is_table(const struct seed *seed)
{
	return seed->name[0] == 't';
}

static const char *const *verb_choose(uint32_t byte)
{
	if (is_table(current))
		return history_runs[byte % ARRAY_SIZE(history_runs)];
	byte %= ARRAY_SIZE(runs) + ARRAY_SIZE(more_runs);
	return byte < ARRAY_SIZE(runs) ? runs[byte] : more_runs[byte - ARRAY_SIZE(runs)];
}

static const char *const *file_make(const uint8_t *input, size_t size)
{
	struct reader r = { input, size };
	const char *const *verb;
	uint32_t run, choice, cut;

	if (size >= 8 && !memcmp(input, CINSTR_FILE_MAGIC, 8)) {
		file_bytes = size < FILE_MAX ? size : FILE_MAX;
		memcpy(file, input, file_bytes);
		current = &seeds[0];
		return runs[input[size - 1] % ARRAY_SIZE(runs)];
	}
	run = take(&r, 1);
	choice = take(&r, 1);
	cut = take(&r, 1);
	verb = runs[run % ARRAY_SIZE(runs)];
	current = seed_choose(choice, cut / 4 % 8);
	if (run >= MORE) {
		current = &seeds[choice % n_seeds];
		verb = verb_choose(take(&r, 1));
	}
	file_bytes = current->size;
	memcpy(file, current->bytes, current->size);
	if (cut & 1)
		file_bytes = (size_t)take(&r, 2) * 256 % (current->size + 1);
	change(&r);
	if (!(cut & 2) && !is_table(current))
		checksums_mend();
	return verb;
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
	char strings[ARGUMENTS_MAX + 1][160], *arguments[ARGUMENTS_MAX + 2];

	for (; n <= ARGUMENTS_MAX; n++) {
		const char *word = n < ARGUMENTS_MAX ? run[n] : NULL;

		if (!word && n && !strcmp(strings[n - 1], NO_FILE))
			break;
		snprintf(strings[n], sizeof(strings[n]), "%s",
			 !word		      ? file_path
			 : !strcmp(word, "@") ? other_path
			 : !strcmp(word, "%") ? session
			 : !strcmp(word, "#") ? history
					      : word);
		arguments[n] = strings[n];
		is_table &= !strstr(strings[n], "csv");
		if (!word) {
			n++;
			break;
		}
	}
	n -= n && !strcmp(strings[n - 1], NO_FILE);
	arguments[n] = NULL;
	stdout = output_open(&is_table);
	stderr = output_open(&always);
	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(commands[i]->name, run[0]))
			commands[i]->run(commands[i], n, arguments);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = err;
}

static void write_file(const char *path, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, bytes, n) < 0 || close(fd))
		abort();
}

static void file_run(const char *const *run)
{
	write_file(is_table(current) ? table_path : file_path, file, file_bytes);
	if (current->with)
		write_file(with_path, current->with->bytes, current->with->size);
	else
		unlink(with_path);
	verb_run(run);
}

/* ---- libFuzzer ------------------------------------------------------------------------------- */

/* Those of PREFIXES, in that order, come last. */
static int place_of(const struct seed *seed)
{
	const char *at = strchr(PREFIXES, seed->name[0]);

	return at ? 1 + (int)(at - PREFIXES) : 0;
}

static int compare_seeds(const void *a, const void *b)
{
	int difference = place_of(a) - place_of(b);

	return difference ? difference
			  : strcmp(((const struct seed *)a)->name, ((const struct seed *)b)->name);
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
	const struct cinstr_header *h = (const void *)seed->bytes;

	for (size_t at = CINSTR_PAGE; at < seed->size && !h->packed;) {
		struct cinstr_segment *s = (void *)(seed->bytes + at);

		if (s->type == CINSTR_SEG_MODULES)
			modules_isolate(seed->bytes + at + sizeof(*s), s->used);
		at += s->bytes;
	}
}

static void seed_add(const char *in, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", in, name);
	f = fopen(path, "r");
	if (!f || n_seeds == SEEDS_MAX)
		abort();
	seeds[n_seeds].bytes = malloc(FILE_MAX);
	seeds[n_seeds].size = fread(seeds[n_seeds].bytes, 1, FILE_MAX, f);
	seeds[n_seeds].name = strdup(name);
	fclose(f);
	if (name[0] != 't')
		seed_isolate(&seeds[n_seeds]);
	n_seeds++;
}

/* NAME.with is no seed of its own, but lies beside NAME. */
static void with_find(const char *in, struct seed *seed)
{
	static struct seed others[SEEDS_MAX];
	static size_t n_others;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.with", in, seed->name);
	f = fopen(path, "r");
	if (!f)
		return;
	seed->with = &others[n_others++];
	seed->with->bytes = malloc(FILE_MAX);
	seed->with->size = fread(seed->with->bytes, 1, FILE_MAX, f);
	fclose(f);
	seed_isolate(seed->with);
}

static void folders_remove(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		return;
}

/* A session, and a history of two runs, of which one is fuzzed. */
static void folders_make(void)
{
	static const char *const names[] = { "", "/session", "/history", "/history/run=000001",
					     "/history/run=000002" };
	char path[160];

	snprintf(folder, sizeof(folder), "/dev/shm/cinstr-fuzz.%ld", (long)getpid());
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s%s", folder, names[i]);
		if (mkdir(path, 0700))
			abort();
	}
	atexit(folders_remove);
	snprintf(session, sizeof(session), "%s/session", folder);
	snprintf(history, sizeof(history), "%s/history", folder);
	snprintf(file_path, sizeof(file_path), "%s/a.1.00000000.cinstr", session);
	snprintf(with_path, sizeof(with_path), "%s/b.1.00000001.cinstr", session);
	snprintf(other_path, sizeof(other_path), "%s/other.cinstr", folder);
	for (size_t i = 0; i < n_seeds; i++) {
		if (!is_table(&seeds[i]))
			continue;
		for (int run = 1; run <= 2; run++) {
			/* t-NAME.parquet.cinstr: NAME.parquet */
			snprintf(path, sizeof(path), "%s/run=%06d/%.*s", history, run,
				 (int)strcspn(seeds[i].name + 2, ".") + 8, seeds[i].name + 2);
			write_file(path, seeds[i].bytes, seeds[i].size);
		}
	}
}

static void table_choose(void)
{
	snprintf(table_path, sizeof(table_path), "%s/run=000001/%.*s", history,
		 (int)strcspn(current->name + 2, ".") + 8, current->name + 2);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *in = getenv("FUZZ_SEEDS");
	DIR *dir = in ? opendir(in) : NULL;
	struct dirent *entry;

	(void)argc;
	(void)argv;
	if (!dir) {
		fprintf(stderr, "FUZZ_SEEDS must name a folder of data files\n");
		exit(2);
	}
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, CINSTR_FILE_SUFFIX) && !strstr(entry->d_name, ".with"))
			seed_add(in, entry->d_name);
	closedir(dir);
	qsort(seeds, n_seeds, sizeof(*seeds), compare_seeds);
	for (size_t i = 0; i < n_seeds; i++) {
		n_plain += !place_of(&seeds[i]);
		n_sampled += place_of(&seeds[i]) == 1;
		with_find(in, &seeds[i]);
	}
	every = getenv("FUZZ_EVERY");
	if (!n_plain)
		abort();
	folders_make();
	/* for verbs that compare: a sound one */
	write_file(other_path, seeds[0].bytes, seeds[0].size);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	const char *const *run = file_make(input, size);

	if (is_table(current))
		table_choose();
	if (!every)
		file_run(run);
	for (size_t i = 0; every && i < ARRAY_SIZE(runs); i++)
		if (!strcmp(runs[i][0], every))
			file_run(runs[i]);
	return 0;
}

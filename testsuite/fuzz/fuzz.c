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
 *   f  of a process that sampled itself
 *   g  merged
 *   p  packed (here, once its modules are of no file)
 *   t  a table of a run of a history
 *   e  of a process that counted executed instructions; NAME.program is the file of its program,
 *      which an input may change, too (program.h)
 *
 * Besides what the sanitizers see: no verb may write a control character to a terminal.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "change.h"
#include "cinstr/format.h"
#include "cmd.h"
#include "count.h"
#include "fuzz.h"
#include "program.h"
#include "stored.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define SEEDS_MAX 64
#define FILE_MAX FUZZ_FILE_MAX
#define ARGUMENTS_MAX 8
#define NO_FILE "." /* the last word of a run that is not of the file */
#define SAMPLED 5   /* from this kind of eight on */
#define PREFIXES "stmpfge"
#define PACK_ANEW 7 /* of the top three bits of what is done to the whole */

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
static const char *const executed_runs[][ARGUMENTS_MAX] = {
#include "verbs_executed.inc"
};

static struct seed {
	char *name;
	uint8_t *bytes;
	size_t size;
	struct seed *with; /* what lies beside it, or NULL */
	struct stored stored; /* where its changed copies are written, one after another */
	struct program *program; /* of a process that counted executed instructions, or NULL */
	size_t path_at;		 /* where that one's path is */
} seeds[SEEDS_MAX];
static size_t n_seeds, n_plain, n_sampled; /* first those without a letter, then the sampled ones */
static struct seed *current;
static struct seed *placed; /* whose copy file_path names, or NULL: unknown */

static _Alignas(64) uint8_t file[FILE_MAX];
static struct image image = { .bytes = file };
static int is_packed_anew;
static const char *with_stored; /* what with_path is a link to, or NULL, */
static int with_placed;		/* if this is not 0 */
static char folder[64], session[96], file_path[160], with_path[160], history[96], table_path[160],
	other_path[96], executed_path[96];
static const char *every; /* all of this verb's runs on each input; NULL: the one that it names */
static const char *only;  /* the mutator keeps to seeds whose names begin so; NULL: to all */

/* ---- the input ------------------------------------------------------------------------------- */

/* Most often a small, hand-made one: these are the first two. Large ones take ten times as long. */
static struct seed *seed_choose(uint32_t byte, uint32_t kind)
{
	if (n_sampled && kind >= SAMPLED)
		return &seeds[n_plain + byte % n_sampled];
	return &seeds[byte < 240 && n_plain > 2 ? byte % 2 : byte % n_plain];
}

static int is_table(const struct seed *seed)
{
	return seed->name[0] == 't';
}

static int is_executed(const struct seed *seed)
{
	return seed->name[0] == 'e';
}

static const char *const *verb_choose(uint32_t byte)
{
	if (is_table(current))
		return history_runs[byte % ARRAY_SIZE(history_runs)];
	if (is_executed(current) && byte % 8)
		return executed_runs[byte % ARRAY_SIZE(executed_runs)];
	byte %= ARRAY_SIZE(runs) + ARRAY_SIZE(more_runs);
	return byte < ARRAY_SIZE(runs) ? runs[byte] : more_runs[byte - ARRAY_SIZE(runs)];
}

/* One in so many of what asks for such a verb does so: pages take ten times as long as what others
 * write, these two twice as long. */
static const struct {
	const char *verb;
	uint32_t one_in;
} rare[] = { { "html", 64 }, { "summary", 4 }, { "diff", 4 } };

uint32_t fuzz_one_in(uint8_t byte)
{
	uint32_t run = byte % (ARRAY_SIZE(runs) + ARRAY_SIZE(more_runs));
	const char *const *verb = run < ARRAY_SIZE(runs) ? runs[run] : more_runs[run - ARRAY_SIZE(runs)];

	for (size_t i = 0; i < ARRAY_SIZE(rare); i++)
		if (!strcmp(verb[0], rare[i].verb))
			return rare[i].one_in;
	return 1;
}

uint8_t fuzz_verb_byte(uint32_t random, uint32_t again)
{
	return (uint8_t)(fuzz_one_in((uint8_t)random) > 1 ? again : random);
}

uint8_t fuzz_seed_byte(uint8_t byte)
{
	for (size_t i = 0; only && i < n_seeds; i++)
		if (seeds[(byte + i) % n_seeds].name[0] == *only)
			return (uint8_t)((byte + i) % n_seeds);
	return byte;
}

static void image_is(struct seed *seed, const uint8_t *bytes, size_t n)
{
	current = seed;
	image.size = n < FILE_MAX ? n : FILE_MAX;
	image.is_flat = is_table(seed);
	is_packed_anew = 0;
	memcpy(file, bytes, image.size);
}

static void image_cut(struct reader *r, uint32_t whole)
{
	if (whole & 1)
		image.size = (size_t)take(r, 2) * 256 % (current->size + 1);
}

/* All seeds, all runs, changes of elements; before these the number of the changed program. */
static const char *const *file_make_more(struct reader *r, uint32_t choice, uint32_t whole)
{
	const struct seed *given = &seeds[(choice + 1 + whole / 4 % 8) % n_seeds];
	struct image donor = { given->bytes, given->size, is_table(given) || given->name[0] == 'p' };
	const char *const *verb;
	uint32_t number;

	image_is(&seeds[choice % n_seeds], seeds[choice % n_seeds].bytes, seeds[choice % n_seeds].size);
	image.is_flat |= current->name[0] == 'p';
	verb = verb_choose(take(r, 1));
	image_cut(r, whole);
	number = current->program ? take(r, 2) : 0;
	change_elements(&image, r, &donor);
	if (current->program)
		program_place(current->program, number, &image, current->path_at);
	if (image.is_flat)
		return verb;
	if (!(whole & 2))
		checksums_mend(&image);
	is_packed_anew = whole >> 5 == PACK_ANEW;
	if (is_packed_anew)
		image_pack(&image);
	return verb;
}

static const char *const *file_make(const uint8_t *input, size_t size)
{
	struct reader r = { input, size };
	struct seed *seed;
	uint32_t run, choice, whole;

	if (size >= 8 && !memcmp(input, CINSTR_FILE_MAGIC, 8)) {
		image_is(&seeds[0], input, size);
		return runs[input[size - 1] % ARRAY_SIZE(runs)];
	}
	run = take(&r, 1);
	choice = take(&r, 1);
	whole = take(&r, 1);
	if (run >= FUZZ_MORE)
		return file_make_more(&r, choice, whole);
	seed = seed_choose(choice, whole / 4 % 8);
	image_is(seed, seed->bytes, seed->size);
	image_cut(&r, whole);
	change_words(&image, &r);
	if (!(whole & 2))
		checksums_mend(&image);
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
	char strings[ARGUMENTS_MAX + 1][160], *arguments[ARGUMENTS_MAX + 2];

	for (; n <= ARGUMENTS_MAX; n++) {
		const char *word = n < ARGUMENTS_MAX ? run[n] : NULL;

		if (!word && n && !strcmp(strings[n - 1], NO_FILE))
			break;
		snprintf(strings[n], sizeof(strings[n]), "%s",
			 !word		      ? file_path
			 : !strcmp(word, "@") ? (is_executed(current) ? executed_path : other_path)
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

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What lies beside the file is the same for all changes of its seed: a link. */
static void with_place(void)
{
	const char *stored = current->with ? current->with->name : NULL;

	if (with_placed && with_stored == stored)
		return;
	unlink(with_path);
	if (stored && link(stored, with_path))
		abort();
	with_stored = stored;
	with_placed = 1;
}

/* The folder's file is a link to the seed's copy, in which only pages that differ are written. */
static void copy_place(void)
{
	struct stored *stored = &current->stored;
	int is_new = !stored->is_known;

	stored_write(stored, file, image.size);
	if (placed == current && !is_new)
		return;
	unlink(file_path);
	if (link(stored->path, file_path))
		abort();
	placed = current;
}

static void file_place(void)
{
	if (is_table(current)) {
		write_file(table_path, file, image.size);
		return;
	}
	copy_place();
	with_place();
}

static void file_run(const char *const *run)
{
	uint64_t begin = cpu_ns();

	file_place();
	verb_run(run);
	count_run(is_packed_anew ? 'w' : current->name[0], run[0], cpu_ns() - begin);
	if (is_table(current))
		write_file(table_path, current->bytes, current->size);
	if (!strcmp(run[0], "pack") || !strcmp(run[0], "control")) {
		current->stored.is_known = with_placed = 0;
		placed = NULL;
	}
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

/* Nothing of this machine's files is looked up: their symbols take longer than all the rest.
 * Returns where the path of the program is, which has a file here, or NULL. */
static uint8_t *modules_isolate(uint8_t *payload, size_t bytes, const struct program *program)
{
	uint8_t *program_path = NULL;
	size_t at = 0;

	while (at + sizeof(struct cinstr_module) <= bytes) {
		struct cinstr_module *module = (void *)(payload + at);
		uint8_t *path = payload + at + module->path_offset;

		module->build_id_bytes = 0;
		if (program && !program_name(program, (char *)path))
			program_path = path;
		else if (path[0] == '/')
			path[1] = '!';
		at += module->bytes;
	}
	return program_path;
}

static void seed_isolate(struct seed *seed)
{
	const struct cinstr_header *h = (const void *)seed->bytes;
	struct image whole = { seed->bytes, seed->size, 0 };

	for (size_t at = CINSTR_PAGE; at < seed->size && !h->packed;) {
		struct cinstr_segment *s = (void *)(seed->bytes + at);

		if (s->type == CINSTR_SEG_MODULES) {
			const uint8_t *path =
				modules_isolate(seed->bytes + at + sizeof(*s), s->used, seed->program);

			seed->path_at = path ? (size_t)(path - seed->bytes) : seed->path_at;
		}
		at += s->bytes;
	}
	if (!h->packed)
		checksums_mend(&whole);
}

static void seed_pack(struct seed *seed)
{
	struct image whole = { seed->bytes, seed->size, 0 };

	image_pack(&whole);
	seed->size = whole.size;
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
	if (name[0] == 'e')
		seeds[n_seeds].program = program_read(path, folder, n_seeds);
	if (name[0] != 't')
		seed_isolate(&seeds[n_seeds]);
	if (name[0] == 'p')
		seed_pack(&seeds[n_seeds]);
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
	seed->with->program = seed->program;
	seed_isolate(seed->with);
}

static void folders_remove(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		return;
}

static void copy_name(struct seed *seed, size_t number)
{
	snprintf(seed->stored.path, sizeof(seed->stored.path), "%s/copy-%zu", folder, number);
}

static void with_store(struct seed *with, size_t number)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/with-%zu", folder, number);
	write_file(path, with->bytes, with->size);
	with->name = strdup(path);
}

/* A session, and a history of two runs, of which one is fuzzed. */
static void folders_make(void)
{
	static const char *const names[] = { "", "/session", "/history", "/history/run=000001",
					     "/history/run=000002" };
	char path[160];

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
	snprintf(executed_path, sizeof(executed_path), "%s/executed.cinstr", folder);
	for (size_t i = 0; i < n_seeds; i++) {
		copy_name(&seeds[i], i);
		if (seeds[i].with)
			with_store(seeds[i].with, i);
		if (seeds[i].program) {
			program_begin(seeds[i].program);
			write_file(executed_path, seeds[i].bytes, seeds[i].size);
		}
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
	snprintf(folder, sizeof(folder), "/dev/shm/cinstr-fuzz.%ld", (long)getpid());
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, CINSTR_FILE_SUFFIX) && !strstr(entry->d_name, ".with") &&
		    !strstr(entry->d_name, ".program"))
			seed_add(in, entry->d_name);
	closedir(dir);
	qsort(seeds, n_seeds, sizeof(*seeds), compare_seeds);
	for (size_t i = 0; i < n_seeds; i++) {
		n_plain += !place_of(&seeds[i]);
		n_sampled += place_of(&seeds[i]) == 1;
		with_find(in, &seeds[i]);
	}
	/* neither the terminal nor the processors are asked for at each input */
	setenv("COLUMNS", "100", 0);
	setenv("CINSTR_REPORT_THREADS", "2", 0);
	every = getenv("FUZZ_EVERY");
	only = getenv("FUZZ_KIND");
	count_begin();
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

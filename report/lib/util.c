/* SPDX-License-Identifier: GPL-3.0-or-later */
/* util.c - see util.h. The only user of xxHash's one-shot interface outside data.c. */
#include "runtime/system/text.h"
#include "util.h"

#include "ink.h"
#include "progress.h"
#include "terminal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HUGE_PAGE (2ul << 20)
#define HUGE_LEAST (16ul << 20)

/* ---- messages -------------------------------------------------------------------------------- */

static int silent;
static const char *place;

static void print_lines(FILE *out, const char *format, va_list args);

void messages_silence(int is_silent)
{
	silent = is_silent;
}

void messages_are_of(const char *who)
{
	place = who;
}

/* In one write: other ranks' messages may go to the same place. */
static void message(const char *kind, enum ink of_kind, const char *format, va_list args)
{
	int colour = terminal_is_coloured(stderr);
	char *text = NULL;
	size_t size;
	FILE *out;

	if (silent)
		return;
	progress_pause();
	fflush(stdout);
	out = open_memstream(&text, &size);
	fprintf(out ? out : stderr, "cinstr: %s%s%s%s%s ", place ? place : "", place ? ": " : "",
		ink(colour, of_kind), kind, ink_end(colour, of_kind));
	print_lines(out ? out : stderr, format, args);
	fputs("\n", out ? out : stderr);
	if (out && !fclose(out))
		fputs(text, stderr);
	free(text);
}

#define ERROR_RETURNING(name, value) \
	int name(const char *format, ...) \
	{ \
		va_list args; \
\
		va_start(args, format); \
		message("error:", INK_ERROR, format, args); \
		va_end(args); \
		return value; \
	}
ERROR_RETURNING(error, -1)
ERROR_RETURNING(error_usage, STATUS_USAGE)
ERROR_RETURNING(error_data, STATUS_DATA)

void warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message("warning:", INK_WARNING, format, args);
	va_end(args);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void *not_null(void *memory)
{
	if (!memory) {
		fputs("cinstr: error: out of memory\n", stderr);
		exit(STATUS_DATA);
	}
	return memory;
}

/* Pages of 2 MB for what is large: it is filled, and walked through, with far fewer faults. */
static void *in_huge_pages(void *memory, size_t n, size_t size)
{
	uintptr_t from = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)memory + n * size) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (n * size >= HUGE_LEAST && from < to)
		/* only a wish to the kernel: without it nothing is lost but time */
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	return memory;
}

void *xcalloc(size_t n, size_t size)
{
	return in_huge_pages(not_null(calloc(n ? n : 1, size)), n, size);
}

void *xrealloc(void *memory, size_t n, size_t size)
{
	return in_huge_pages(not_null(reallocarray(memory, n ? n : 1, size)), n, size);
}

char *xstrdup(const char *string)
{
	return not_null(strdup(string));
}

/* ---- strbuf ---------------------------------------------------------------------------------- */

static void strbuf_grow(struct strbuf *buf, size_t n)
{
	size_t need = buf->length + n + 1;

	if (need <= buf->size)
		return;
	buf->size = need < 64 ? 64 : need * 2;
	buf->text = xrealloc(buf->text, buf->size, 1);
	buf->text[buf->length] = '\0';
}

void strbuf_add(struct strbuf *buf, const char *bytes, size_t n)
{
	strbuf_grow(buf, n);
	memcpy(buf->text + buf->length, bytes, n);
	buf->length += n;
	buf->text[buf->length] = '\0';
}

void strbuf_puts(struct strbuf *buf, const char *string)
{
	strbuf_add(buf, string, strlen(string));
}

void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	strbuf_grow(buf, (size_t)n);
	vsnprintf(buf->text + buf->length, (size_t)n + 1, format, again);
	va_end(again);
	buf->length += (size_t)n;
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vprintf(buf, format, args);
	va_end(args);
}

void strbuf_fill(struct strbuf *buf, char c, size_t n)
{
	strbuf_grow(buf, n);
	memset(buf->text + buf->length, c, n);
	buf->length += n;
	buf->text[buf->length] = '\0';
}

void strbuf_clear(struct strbuf *buf)
{
	strbuf_grow(buf, 0);
	buf->length = 0;
	buf->text[0] = '\0';
}

void strbuf_release(struct strbuf *buf)
{
	free(buf->text);
	*buf = (struct strbuf){ 0 };
}

/* ---- text for people ------------------------------------------------------------------------- */

/* `lines`: newlines and tabs stay. */
static void add_visible(struct strbuf *buf, const char *string, int lines)
{
	const unsigned char *s = (const unsigned char *)string;

	strbuf_grow(buf, 0); /* nothing has a text, too */
	while (*s) {
		size_t n = text_printable(string);
		int is_blank = *s == '\n' || *s == '\t';

		if (n || (lines && is_blank)) {
			n = n ? n : 1;
			strbuf_add(buf, string, n);
		} else {
			strbuf_printf(buf, *s == '\n' ? "\\n" : *s == '\t' ? "\\t" : "\\x%02x", *s);
			n = 1;
		}
		s += n;
		string += n;
	}
}

void strbuf_visible(struct strbuf *buf, const char *string)
{
	add_visible(buf, string, 0);
}

static void print_lines(FILE *out, const char *format, va_list args)
{
	STRBUF(text);
	STRBUF(shown);

	strbuf_vprintf(&text, format, args);
	add_visible(&shown, text.text, 1);
	fputs(shown.text, out);
}

void print_visible(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_lines(out, format, args);
	va_end(args);
}

char *util_visible(const char *string)
{
	struct strbuf buf = { 0 };

	strbuf_visible(&buf, string);
	return buf.text;
}

const char *util_shown(const char *string)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct map kept;
	FREED char *visible = util_visible(string);
	const char *shown;

	pthread_mutex_lock(&lock);
	shown = map_keep(&kept, visible);
	pthread_mutex_unlock(&lock);
	return shown;
}

void strbuf_argument(struct strbuf *buf, const char *argument)
{
	if (*argument && !strpbrk(argument, " \t\n'\"\\$`*?[]{}()<>|&;#~!")) {
		strbuf_puts(buf, argument);
		return;
	}
	strbuf_puts(buf, "'");
	for (const char *end; (end = strchr(argument, '\'')); argument = end + 1)
		strbuf_printf(buf, "%.*s'\\''", (int)(end - argument), argument);
	strbuf_printf(buf, "%s'", argument);
}

void strbuf_thousands(struct strbuf *buf, uint64_t n)
{
	if (n >= 1000) {
		strbuf_thousands(buf, n / 1000);
		strbuf_printf(buf, ",%03u", (unsigned)(n % 1000));
		return;
	}
	strbuf_printf(buf, "%u", (unsigned)n);
}

void strbuf_duration(struct strbuf *buf, long double ns)
{
	static const struct {
		long double ns;
		const char *unit;
	} units[] = { { 1e9L, "s" }, { 1e6L, "ms" }, { 1e3L, "us" }, { 1, "ns" } };
	size_t i = 0;
	long double value;

	/* 999.6 us is 1.00 ms, not 1000 us */
	while (i + 1 < ARRAY_SIZE(units) && ns < 0.9995L * units[i].ns)
		i++;
	value = ns / units[i].ns;
	/* As it is rounded: 9.997 is 10.0, not 10.00 */
	strbuf_printf(buf, "%.*Lf %s",
		      value <= 0 || value >= 99.95L ? 0
		      : value < 9.995L		    ? 2
						    : 1,
		      value, units[i].unit);
}

void strbuf_size(struct strbuf *buf, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
	double value = (double)bytes;
	size_t i = 0;

	while (value >= 1000 && i + 1 < ARRAY_SIZE(units)) {
		value /= 1000;
		i++;
	}
	strbuf_printf(buf, "%.*f %s", i && value < 100 ? 1 : 0, value, units[i]);
}

uint64_t util_rounded(long double value)
{
	if (!(value >= 0.5L))
		return 0;
	return value < 0x1p64L - 1 ? (uint64_t)(value + 0.5L) : UINT64_MAX;
}

uint64_t util_whole(long double value)
{
	return value < 0x1p64L ? value > 0 ? (uint64_t)value : 0 : UINT64_MAX;
}

int64_t util_whole_signed(long double value)
{
	return value < 0x1p63L ? value > -0x1p63L ? (int64_t)value : INT64_MIN : INT64_MAX;
}

int util_why_unwritten(FILE *out)
{
	errno = 0;
	if (!fflush(out) && !ferror(out))
		return 0;
	/* It failed earlier, and nobody kept the reason: most often there is no room. */
	return errno ? errno : ENOSPC;
}

int util_is_replaceable(const char *path)
{
	struct stat status;

	return lstat(path, &status) ? errno == ENOENT : S_ISREG(status.st_mode);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t util_realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

uint64_t util_raw_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t util_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int util_has_suffix(const char *string, const char *suffix)
{
	size_t n = strlen(string), n_suffix = strlen(suffix);

	return n > n_suffix && !strcmp(string + n - n_suffix, suffix);
}

const char *util_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *util_closest(const char *word, const char *const *names, size_t n)
{
	unsigned best = strlen(word) < 4 ? 1 : (unsigned)strlen(word) / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t prefix = strlen(word);
		unsigned d = string_distance(word, names[i]);

		if (prefix >= 2 && !strncmp(word, names[i], prefix))
			d = 0;
		if (d < best || (d == best && !found)) {
			best = d;
			found = names[i];
		}
	}
	return found;
}

void util_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
	       void *arg)
{
	if (n)
		qsort_r(array, n, size, compare, arg);
}

/* ---- map ------------------------------------------------------------------------------------- */

static size_t map_slot(const struct map *map, const void *key, size_t length, uint64_t hash)
{
	size_t i = hash & (map->n_slots - 1);

	for (; map->slots[i]; i = (i + 1) & (map->n_slots - 1)) {
		size_t number = map->slots[i] - 1;

		if (map->hashes[number] == hash && map->lengths[number] == length &&
		    !memcmp(map->keys[number], key, length))
			break;
	}
	return i;
}

static void map_grow(struct map *map)
{
	size_t mask;

	map->size = map->size ? map->size * 2 : 32;
	map->hashes = xrealloc(map->hashes, map->size, sizeof(*map->hashes));
	map->keys = xrealloc(map->keys, map->size, sizeof(*map->keys));
	map->lengths = xrealloc(map->lengths, map->size, sizeof(*map->lengths));
	free(map->slots);
	map->n_slots = map->size * 2;
	map->slots = xcalloc(map->n_slots, sizeof(*map->slots));
	mask = map->n_slots - 1;
	for (size_t number = 0; number < map->n; number++) {
		size_t i = map->hashes[number] & mask;

		while (map->slots[i])
			i = (i + 1) & mask;
		map->slots[i] = (uint32_t)number + 1;
	}
}

size_t map_add(struct map *map, const void *key, size_t length, int *is_new)
{
	uint64_t hash = XXH3_64bits(key, length);
	size_t i;

	if (map->n == map->size)
		map_grow(map);
	i = map_slot(map, key, length, hash);
	*is_new = !map->slots[i];
	if (!*is_new)
		return map->slots[i] - 1;
	map->slots[i] = (uint32_t)map->n + 1;
	map->hashes[map->n] = hash;
	map->lengths[map->n] = length;
	map->keys[map->n] = xcalloc(length + 1, 1);
	memcpy(map->keys[map->n], key, length);
	return map->n++;
}

size_t map_find(const struct map *map, const void *key, size_t length)
{
	size_t i;

	if (!map->n)
		return MAP_NONE;
	i = map_slot(map, key, length, XXH3_64bits(key, length));
	return map->slots[i] ? map->slots[i] - 1 : MAP_NONE;
}

const char *map_keep(struct map *map, const char *string)
{
	int is_new;
	size_t number = map_add(map, string, strlen(string), &is_new);

	return map->keys[number];
}

void map_release(struct map *map)
{
	for (size_t i = 0; i < map->n; i++)
		free(map->keys[i]);
	free(map->keys);
	free(map->slots);
	free(map->hashes);
	free(map->lengths);
	*map = (struct map){ 0 };
}

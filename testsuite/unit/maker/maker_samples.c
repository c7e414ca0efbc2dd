/* SPDX-License-Identifier: GPL-3.0-or-later */
/* maker_samples.c - see maker_samples.h. */
#include "maker_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGES 4
#define MS 1000000ull

static struct cinstr_segment *header_of(struct maker *m, size_t payload)
{
	return (struct cinstr_segment *)(void *)(m->bytes + payload - sizeof(struct cinstr_segment));
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct symbols_made {
	struct cinstr_symbol_address addresses[64];
	struct cinstr_symbol_frame frames[64];
	char strings[1024];
	struct cinstr_symbols head;
};

static uint32_t string(struct symbols_made *s, const char *text)
{
	uint32_t at = (uint32_t)s->head.strings_bytes;

	if (!text)
		return 0;
	strcpy(s->strings + at, text);
	s->head.strings_bytes += strlen(text) + 1;
	return at;
}

static void address(struct symbols_made *s, uint32_t module, uint64_t at)
{
	s->addresses[s->head.n_addresses++] = (struct cinstr_symbol_address){
		.address = at, .module = module, .first_frame = s->head.n_frames
	};
}

static void frame(struct symbols_made *s, uint64_t entry, const char *name, const char *file, uint32_t line,
		  const char *decl_file, uint32_t decl_line, uint32_t flags)
{
	s->addresses[s->head.n_addresses - 1].n_frames++;
	s->frames[s->head.n_frames++] = (struct cinstr_symbol_frame){ .entry = entry,
								      .name = string(s, name),
								      .file = string(s, file),
								      .line = line,
								      .decl_file = string(s, decl_file),
								      .decl_line = decl_line,
								      .flags = flags };
}

static void app_address(struct symbols_made *s, uint64_t at, uint64_t entry, const char *name, uint32_t line,
			uint32_t decl_line)
{
	address(s, MAKER_SAMPLED_APP, at);
	frame(s, entry, name, "/src/a.c", line, "/src/a.c", decl_line, 0);
}

static void helper_address(struct symbols_made *s, uint64_t at, uint32_t line)
{
	address(s, MAKER_SAMPLED_APP, at);
	frame(s, 0x1130, "helper", "/src/b.c", line, "/src/b.c", 5, CINSTR_SYMBOL_INLINED);
	frame(s, 0x1100, "work", "/src/a.c", 24, "/src/a.c", 20, 0);
}

static void symbols_fill(struct symbols_made *s)
{
	s->head.strings_bytes = 1;
	app_address(s, 0x1014, 0x1000, "main", 12, 10);
	app_address(s, 0x1024, 0x1000, "main", 13, 10);
	app_address(s, 0x1030, 0x1000, "main", 14, 10);
	app_address(s, 0x1110, 0x1100, "work", 21, 20);
	app_address(s, 0x1120, 0x1100, "work", 22, 20);
	app_address(s, 0x1128, 0x1100, "work", 23, 20);
	helper_address(s, 0x1132, 6);
	helper_address(s, 0x1136, 7);
	app_address(s, 0x1210, 0x1200, "rec", 31, 30);
	app_address(s, 0x1220, 0x1200, "rec", 32, 30);
	address(s, MAKER_SAMPLED_LIBC, 0x5010);
	frame(s, 0x5000, "puts", NULL, 0, NULL, 0, 0);
	address(s, MAKER_SAMPLED_LIBC, 0x6020);
	frame(s, 0x6000, "0x6000", NULL, 0, NULL, 0, CINSTR_SYMBOL_GUESSED);
	address(s, MAKER_SAMPLED_LIBC, 0x7000);
}

static void symbols_put(struct maker *m, const struct symbols_made *s)
{
	char *at;

	m->symbols = maker_segment(m, CINSTR_SEG_SYMBOLS, 0, 1);
	at = m->bytes + m->symbols;
	memcpy(at, &s->head, sizeof(s->head));
	at += sizeof(s->head);
	memcpy(at, s->addresses, s->head.n_addresses * sizeof(s->addresses[0]));
	at += s->head.n_addresses * sizeof(s->addresses[0]);
	memcpy(at, s->frames, s->head.n_frames * sizeof(s->frames[0]));
	at += s->head.n_frames * sizeof(s->frames[0]);
	memcpy(at, s->strings, s->head.strings_bytes);
	at += s->head.strings_bytes;
	header_of(m, m->symbols)->used = (uint64_t)(at - (m->bytes + m->symbols));
}

static void symbols_make(struct maker *m)
{
	struct symbols_made *s = calloc(1, sizeof(*s));

	symbols_fill(s);
	symbols_put(m, s);
	free(s);
}

void maker_symbols(struct maker *m, const struct maker_symbol *list, size_t n)
{
	struct symbols_made *s = calloc(1, sizeof(*s));

	header_of(m, m->symbols)->type = CINSTR_SEG_FREE;
	s->head.strings_bytes = 1;
	for (size_t i = 0; i < n; i++) {
		address(s, list[i].module, list[i].address);
		frame(s, list[i].entry, list[i].name, NULL, 0, NULL, 0, 0);
	}
	symbols_put(m, s);
	free(s);
}

void maker_no_symbols(struct maker *m)
{
	header_of(m, m->symbols)->type = CINSTR_SEG_FREE;
	maker_sampling(m)->flags &= ~(uint32_t)CINSTR_SAMPLING_COMPLETE;
}

/* ---- the file -------------------------------------------------------------------------------- */

static size_t module(struct maker *m, size_t at, const char *path, uint64_t base, uint32_t flags)
{
	struct cinstr_module raw = { .base = base,
				     .text_start = base + 0x1000,
				     .text_end = base + 0x8000,
				     .path_offset = sizeof(raw),
				     .flags = flags };

	raw.bytes = (sizeof(raw) + strlen(path) + 1 + 7) & ~7ul;
	memcpy(m->bytes + at, &raw, sizeof(raw));
	strcpy(m->bytes + at + sizeof(raw), path);
	return at + raw.bytes;
}

static void modules_make(struct maker *m)
{
	size_t at = maker_segment(m, CINSTR_SEG_MODULES, 0, 1), end;

	end = module(m, at, "/nowhere/app", 0x400000, CINSTR_MODULE_MAIN);
	end = module(m, end, "/nowhere/libc.so", 0x7f0000000000, 0);
	header_of(m, at)->used = end - at;
}

struct cinstr_sampling *maker_sampling(struct maker *m)
{
	return &maker_header(m)->sampling;
}

static size_t empty_segment(struct maker *m, uint32_t type)
{
	size_t at = maker_segment(m, type, 0, PAGES);

	header_of(m, at)->used = 0;
	return at;
}

void maker_room(struct maker *m, size_t *payload, uint32_t type, size_t pages)
{
	header_of(m, *payload)->type = CINSTR_SEG_FREE;
	*payload = maker_segment(m, type, 0, pages);
	header_of(m, *payload)->used = 0;
}

void maker_sampled_init(struct maker *m)
{
	struct cinstr_header *h;

	maker_init(m);
	/* Without the modules of the instrumented program. */
	memset(m->bytes + CINSTR_PAGE + CINSTR_PAGE, 0, m->n - 2 * CINSTR_PAGE);
	m->n = 2 * CINSTR_PAGE;
	h = maker_header(m);
	h->method = CINSTR_METHOD_SAMPLING;
	h->clock = CINSTR_CLOCK_MONOTONIC_RAW;
	h->probes = 0;
	h->restartable = 0;
	h->threshold_ticks = 0;
	h->clock_ticks[0] = h->clock_ns[0] = MAKER_BEGIN;
	h->clock_ticks[2] = h->clock_ns[2] = MAKER_BEGIN + 2000 * MS;
	h->sampling = (struct cinstr_sampling){ .interval = 1000000,
						.unit = CINSTR_SAMPLING_NS,
						.source = CINSTR_SOURCE_PERF,
						.stacks = CINSTR_STACKS_CFI,
						.flags = CINSTR_SAMPLING_COMPLETE,
						.stack_bytes = 32768,
						.collector = 4000 };
	maker_property(m, "event", "cpu-clock");
	modules_make(m);
	m->stacks = empty_segment(m, CINSTR_SEG_STACKS);
	m->tasks = empty_segment(m, CINSTR_SEG_TASKS);
	m->samples = empty_segment(m, CINSTR_SEG_SAMPLES);
	symbols_make(m);
}

/* Room for one more element; *number: how many there were. */
static void *element(struct maker *m, size_t payload, size_t bytes, uint32_t *number)
{
	struct cinstr_segment *s = header_of(m, payload);

	*number = (uint32_t)(s->used / bytes);
	s->used += bytes;
	return m->bytes + payload + *number * bytes;
}

struct cinstr_task *maker_task_at(struct maker *m, uint32_t task)
{
	return (struct cinstr_task *)(void *)(m->bytes + m->tasks) + task;
}

struct cinstr_stack_node *maker_stack_at(struct maker *m, uint32_t number)
{
	return (struct cinstr_stack_node *)(void *)(m->bytes + m->stacks) + (number - 1);
}

uint32_t maker_task(struct maker *m, uint32_t tid, const char *name)
{
	uint32_t number;
	struct cinstr_task *task = element(m, m->tasks, sizeof(*task), &number);

	*task = (struct cinstr_task){ .tid = tid,
				      .state = CINSTR_THREAD_ENDED,
				      .begin_ticks = MAKER_BEGIN,
				      .end_ticks = MAKER_BEGIN + 2000 * MS };
	strncpy(task->name, name, sizeof(task->name) - 1);
	return number;
}

uint32_t maker_stack(struct maker *m, uint32_t parent, uint32_t module, uint64_t address)
{
	uint32_t number;
	struct cinstr_stack_node *node = element(m, m->stacks, sizeof(*node), &number);

	*node = (struct cinstr_stack_node){ parent, module, address };
	return number + 1;
}

void maker_samples(struct maker *m, uint32_t task, uint32_t stack, uint64_t ms, unsigned n)
{
	uint32_t number;

	for (unsigned i = 0; i < n; i++) {
		struct cinstr_sample *sample = element(m, m->samples, sizeof(*sample), &number);

		*sample = (struct cinstr_sample){ MAKER_BEGIN + (ms + i) * MS, stack, task };
	}
	maker_task_at(m, task)->kept += n;
	maker_sampling(m)->kept += n;
}

/* ---- a session ------------------------------------------------------------------------------- */

static void first_thread(struct maker *m)
{
	uint32_t task = maker_task(m, 4242, "app"), call, at;

	call = maker_stack(m, 0, MAKER_SAMPLED_APP, 0x1014);
	maker_samples(m, task, maker_stack(m, call, MAKER_SAMPLED_APP, 0x1110), 0, 100);
	maker_samples(m, task, maker_stack(m, call, MAKER_SAMPLED_APP, 0x1120), 100, 50);
	maker_samples(m, task, maker_stack(m, call, MAKER_SAMPLED_APP, 0x1132), 150, 30);
	at = maker_stack(m, call, MAKER_SAMPLED_APP, 0x1136);
	at = maker_stack(m, at, MAKER_SAMPLED_LIBC, 0x5010);
	maker_samples(m, task, at, 180, 20);
	maker_samples(m, task, maker_stack(m, at, CINSTR_NODE_KERNEL, 0), 200, 7);
	call = maker_stack(m, 0, MAKER_SAMPLED_APP, 0x1024);
	at = maker_stack(m, call, MAKER_SAMPLED_APP, 0x1210);
	at = maker_stack(m, at, MAKER_SAMPLED_APP, 0x1210);
	maker_samples(m, task, maker_stack(m, at, MAKER_SAMPLED_APP, 0x1220), 300, 40);
	maker_samples(m, task, maker_stack(m, call, MAKER_SAMPLED_APP, 0x1220), 340, 10);
	maker_task_at(m, task)->discarded = 3;
	maker_task_at(m, task)->paused = 11;
}

static void second_thread(struct maker *m)
{
	uint32_t task = maker_task(m, 4243, "worker"), at = maker_stack(m, 0, CINSTR_NODE_TRUNCATED, 0);

	maker_samples(m, task, maker_stack(m, at, MAKER_SAMPLED_LIBC, 0x6020), 400, 12);
	maker_task_at(m, task)->truncated = 12;
	maker_samples(m, task, maker_stack(m, 0, MAKER_SAMPLED_LIBC, 0x7000), 420, 2);
	maker_samples(m, task, maker_stack(m, 0, 0, 0x7f1234567890), 430, 1);
	maker_samples(m, task, 0, 440, 1);
}

int maker_sampled_sample(const char *path, unsigned later_ns)
{
	struct maker m;

	maker_sampled_init(&m);
	snprintf(m.path, sizeof(m.path), "%s", path);
	maker_header(&m)->start_realtime_ns += later_ns;
	first_thread(&m);
	second_thread(&m);
	maker_mark(&m, 4242, MAKER_BEGIN + 200 * MS, 0, "recursion begins");
	maker_mark(&m, 4242, MAKER_BEGIN + 350 * MS, 0, "second thread");
	maker_header(&m)->end = CINSTR_END_EXIT;
	maker_header(&m)->end_realtime_ns = maker_header(&m)->start_realtime_ns + 2000 * MS;
	maker_sampling(&m)->discarded = 3;
	maker_sampling(&m)->paused = 11;
	maker_sampling(&m)->truncated = 12;
	maker_sampling(&m)->lost = 4;
	maker_sampling(&m)->silent = 2;
	maker_sampling(&m)->counted = 500000000;
	maker_write(&m);
	free(m.bytes);
	return 0;
}

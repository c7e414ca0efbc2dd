/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tape.c - see tape.h. */
#include "tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/timeline/timeline_codec.h"

static void add(struct tape *tape, uint64_t at, uint32_t code, uint32_t extra, uint32_t second)
{
	tape->last = TAPE_BEGIN + at;
	tape->records[tape->n++] = (struct cinstr_record){ code, (uint32_t)tape->last, extra, second };
}

void tape_special(struct tape *tape, uint64_t at, uint32_t type, uint32_t argument, uint64_t value)
{
	add(tape, at, CINSTR_SPECIAL(type, argument), (uint32_t)value, (uint32_t)(value >> 32) | 1u << 31);
}

void tape_enter(struct tape *tape, uint64_t at, enum maker_site enter, uint32_t sp)
{
	add(tape, at, maker_code(enter), 1, sp | 1);
}

void tape_call(struct tape *tape, uint64_t at, enum maker_site site, enum maker_site enter, uint32_t sp)
{
	add(tape, at, maker_code(site), sp, maker_code(enter));
}

void tape_late_enter(struct tape *tape, uint64_t at, enum maker_site enter, uint32_t sp)
{
	add(tape, at, maker_code(enter), 0x401234 + 5, sp | 1);
}

void tape_split_call(struct tape *tape, uint64_t at, uint64_t end, enum maker_site site,
		     enum maker_site enter, uint32_t sp)
{
	add(tape, at, maker_code(site), 0x401234, 0);
	tape_special(tape, end, CINSTR_SP_RESUME, 0, TAPE_BEGIN + end);
	tape_late_enter(tape, end + 10, enter, sp);
}

void tape_return(struct tape *tape, uint64_t at, enum maker_site exit, uint32_t sp)
{
	add(tape, at, maker_code(exit), sp, CINSTR_SECOND_FUSED_EXIT);
}

void tape_exit(struct tape *tape, uint64_t at, enum maker_site exit)
{
	add(tape, at, maker_code(exit), 1, CINSTR_SECOND_EXIT);
}

void tape_before(struct tape *tape, uint64_t at, enum maker_site site)
{
	add(tape, at, maker_code(site), 0x401234, 0);
}

void tape_after(struct tape *tape, uint64_t at, enum maker_site site, uint32_t sp)
{
	add(tape, at, maker_code(site), sp, CINSTR_SECOND_PLAIN);
}

void tape_os(struct tape *tape, uint64_t at, uint32_t bits, uint64_t off_cpu, uint64_t switches)
{
	tape_special(tape, at, CINSTR_SP_SLOW, bits, TAPE_BEGIN + at);
	tape_special(tape, at, CINSTR_SP_OS, 0, off_cpu);
	tape_special(tape, at, CINSTR_SP_SWITCHES, 0, switches);
}

void tape_begin(struct tape *tape, uint64_t at)
{
	*tape = (struct tape){ .n = 0 };
	tape_special(tape, at, CINSTR_SP_START, 0, TAPE_BEGIN + at);
}

void tape_put(const struct tape *tape, struct maker *maker, uint32_t thread, uint64_t number)
{
	size_t payload = maker_segment(maker, CINSTR_SEG_TIMELINE, thread, 1);
	struct cinstr_segment *segment = (void *)(maker->bytes + payload - sizeof(*segment));
	struct cinstr_timeline_chunk *chunk = (void *)(maker->bytes + payload);
	struct timeline_codec *codec = calloc(1, sizeof(*codec));
	uint32_t events = 0;
	long bytes;

	*chunk = (struct cinstr_timeline_chunk){
		.records = (uint32_t)tape->n,
		.start_ticks = CINSTR_SPECIAL_VALUE(&tape->records[0]),
		.end_ticks = tape->last,
		.number = number,
	};
	timeline_codec_begin(codec, chunk->start_ticks);
	bytes = timeline_encode(codec, tape->records, tape->n, (uint8_t *)(chunk + 1), 3000, &events);
	chunk->bytes = ((uint32_t)bytes + (uint32_t)sizeof(*chunk) + 7) & ~7u;
	chunk->events = events;
	segment->sequence = number + 1;
	segment->used = chunk->bytes;
	maker_header(maker)->timeline_mode = CINSTR_TIMELINE_FIRST;
	maker_header(maker)->timeline_bytes = 1 << 20;
	free(codec);
}

void tape_program(struct maker *maker)
{
	struct tape tape;

	tape_begin(&tape, 0);
	tape_enter(&tape, 100, MAIN_ENTER, 0x8000);
	tape_call(&tape, 300, MAIN_WORK, WORK_ENTER, 0x7f00);
	tape_before(&tape, 400, WORK_READ);
	tape_os(&tape, 2400, CINSTR_OS_VOLUNTARY, 1900, 1);
	tape_after(&tape, 2400, WORK_READ_AFTER, 0x7e00);
	tape_return(&tape, 2500, WORK_EXIT, 0x7f08);
	tape_call(&tape, 2600, MAIN_REC, REC_ENTER, 0x7f00);
	tape_call(&tape, 2700, REC_REC, REC_ENTER, 0x7e00);
	tape_after(&tape, 2800, MAIN_REC_AFTER, 0x7ff0);
	tape_special(&tape, 2900, CINSTR_SP_PAUSE, 0, TAPE_BEGIN + 2900);
	tape_special(&tape, 3900, CINSTR_SP_CONTINUE, 0, TAPE_BEGIN + 3900);
	tape_special(&tape, 3900, CINSTR_SP_STACK, 0, 1);
	tape_special(&tape, 4000, CINSTR_SP_LOST, 0, 7);
	tape_exit(&tape, 4100, MAIN_EXIT);
	tape_put(&tape, maker, 0, 0);
	tape_begin(&tape, 5000);
	tape_enter(&tape, 5100, WORK_ENTER, 0x8000);
	tape_exit(&tape, 5300, WORK_EXIT);
	tape_put(&tape, maker, 0, 1);
	maker_root_ticks(maker, 0, 5300);
}

int tape_sample(const char *path)
{
	struct tape tape;
	struct maker m;
	struct cinstr_mark *mark;

	maker_init(&m);
	snprintf(m.path, sizeof(m.path), "%s", path);
	maker_header(&m)->end = CINSTR_END_EXIT;
	maker_header(&m)->end_status = 3;
	maker_thread(&m, "app");
	tape_program(&m);
	maker_thread(&m, "evil\033[31m");
	tape_begin(&tape, 0);
	tape_enter(&tape, 50, WORK_ENTER, 0x8000);
	tape_put(&tape, &m, 1, 0);
	tape_begin(&tape, 2550);
	tape_enter(&tape, 2650, REC_ENTER, 0x7f00);
	tape_return(&tape, 2660, REC_EXIT, 0x7f08);
	tape_exit(&tape, 2750, WORK_EXIT);
	tape_put(&tape, &m, 1, 2);
	maker_root_ticks(&m, 1, 2750);
	maker_thread_at(&m, 1)->timeline_lost = 12;
	mark = maker_mark(&m, 1000, TAPE_BEGIN + 2450, 0, "half\tway");
	mark->id = 42;
	maker_mark(&m, 1000, TAPE_BEGIN + 2590, 0, "rec begins");
	mark = maker_mark(&m, 0, TAPE_BEGIN + 2950, 0, "from outside");
	mark->kind = CINSTR_MARK_OUTSIDE;
	maker_write(&m);
	free(m.bytes);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* buffer.c - see buffer.h. */
#include "buffer.h"

struct buffer buffer;

struct cinstr_record buffer_start(uint64_t stamp)
{
	uint64_t value = stamp | 1ull << 63;

	return (struct cinstr_record){ CINSTR_SPECIAL(CINSTR_SP_START, 0), 0, (uint32_t)value,
				       (uint32_t)(value >> 32) };
}

struct cinstr_record buffer_event(enum maker_site site, uint32_t ticks, uint32_t extra, uint32_t second)
{
	return (struct cinstr_record){ maker_code(site), FIRST + ticks, extra, second };
}

struct cinstr_record buffer_special(uint32_t type, uint32_t ticks, uint64_t value)
{
	struct cinstr_record record = buffer_start(value);

	record.code = CINSTR_SPECIAL(type, 0);
	record.time_lo = FIRST + ticks;
	return record;
}

void buffer_open(void)
{
	CU_ASSERT_EQUAL_FATAL(data_open(&buffer.data, maker_write(&buffer.maker)), 0);
	CU_ASSERT_EQUAL(buffer.data.n_problems, 0);
	CU_ASSERT_EQUAL_FATAL(buffer.data.n_threads, 1);
}

void buffer_close(void)
{
	data_release(&buffer.data);
	maker_release(&buffer.maker);
}

const struct data_thread *buffer_fold(const struct cinstr_record *records, size_t n)
{
	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	maker_records(&buffer.maker, 0, records, n);
	buffer_open();
	CU_ASSERT_EQUAL(values_conservation(&buffer.data.threads[0]), 0);
	return &buffer.data.threads[0];
}

uint32_t buffer_open_function(const struct data_thread *t, uint32_t i)
{
	const struct data_node *node = &t->nodes[t->open[i]];

	if (CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_LINE)
		node = &t->nodes[node->parent];
	return node->cell->func;
}

const struct data_node *buffer_find(const struct data_thread *t, uint32_t kind, enum maker_site site)
{
	for (size_t i = 0; i < t->n_nodes; i++) {
		const struct cinstr_cell *cell = t->nodes[i].cell;

		if (CINSTR_CELL_KIND(cell->tag) == kind &&
		    (kind == CINSTR_CELL_FRAME ? cell->func : cell->site) == maker_code(site))
			return &t->nodes[i];
	}
	return NULL;
}

uint64_t buffer_ticks_of(const struct data_thread *t, uint32_t kind, enum maker_site site)
{
	const struct data_node *node = buffer_find(t, kind, site);

	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	return node->cell->ticks;
}

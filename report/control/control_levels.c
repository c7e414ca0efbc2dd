/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "control_levels.h"

#include "cinstr/atomics.h"

struct level level_read(const uint32_t *stopped, const int32_t *suspensions)
{
	return (struct level){ atomic_load_relaxed(stopped) != 0, atomic_load_relaxed(suspensions) };
}

struct level level_of(const struct cinstr_control_block *block)
{
	return block ? level_read(&block->stopped, &block->suspensions) : (struct level){ 0, 0 };
}

int level_is_off(struct level level)
{
	return level.stopped || level.suspensions > 0;
}

/* The process, or another command, may change it at the same time. */
static int resume(int32_t *suspensions)
{
	int32_t n = atomic_load_relaxed(suspensions);

	while (n > 0)
		if (atomic_compare_swap(suspensions, &n, n - 1))
			return 0;
	return -1;
}

int level_change(uint32_t *stopped, int32_t *suspensions, enum level_change change)
{
	switch (change) {
	case LEVEL_ON:
	case LEVEL_OFF:
		atomic_store_relaxed(stopped, change == LEVEL_OFF);
		return 0;
	case LEVEL_SUSPEND:
		atomic_add(suspensions, 1);
		return 0;
	case LEVEL_RESUME:
		break;
	}
	return resume(suspensions);
}

static void put_count(struct strbuf *buf, int32_t suspensions)
{
	strbuf_printf(buf, "suspended %d time%s", suspensions, suspensions == 1 ? "" : "s");
}

void level_put_resumed(struct strbuf *buf, int32_t suspensions)
{
	uint32_t n = 0u - (uint32_t)suspensions;

	strbuf_printf(buf, ", resumed %u time%s too often", n, n == 1 ? "" : "s");
}

void level_put_why(struct strbuf *buf, const char *who, struct level level)
{
	const char *space = *who ? " " : "";

	if (level.stopped)
		strbuf_printf(buf, "%s%s%sstopped", buf->length ? ", " : "", who, space);
	if (level.suspensions <= 0)
		return;
	strbuf_printf(buf, "%s%s%s", buf->length ? ", " : "", who, space);
	put_count(buf, level.suspensions);
}

void level_put_state(struct strbuf *buf, struct level level, const char *others)
{
	strbuf_puts(buf, level.stopped ? " is off" : " is on");
	if (level.suspensions > 0) {
		strbuf_puts(buf, level.stopped ? ", and " : ", but ");
		put_count(buf, level.suspensions);
	} else if (!level.stopped && *others) {
		strbuf_printf(buf, ", but %s", others);
	}
	if (level.suspensions < 0)
		level_put_resumed(buf, level.suspensions);
}

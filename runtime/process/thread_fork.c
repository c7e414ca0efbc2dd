/* SPDX-License-Identifier: MIT */
/*
 * thread_fork.c - continues a thread's recording in a forked child: in a new file, with the calls
 * that were open at the fork. In the thread that forks, signals blocked; between thread_before_fork
 * and thread_after_fork under the store's lock.
 */
#include "runtime.h"

/* The open calls of the thread that forks, as of the fork: its parent's file goes on changing. */
static struct fork_image {
	struct cinstr_open *open; /* NULL: none */
	size_t bytes;
	uint32_t depth;
} fork_image;

/* In the thread that forks, its buffer folded. */
void thread_before_fork(void)
{
	const struct cinstr_thread *record = cinstr_probe.thread ? cinstr_probe.thread->record : NULL;
	uint32_t depth = record ? record->states[record->commit & 1].depth : 0;
	void *copy;

	fork_image = (struct fork_image){ .bytes = depth * sizeof(struct cinstr_open) };
	if (!depth)
		return;
	copy = sys_memory(fork_image.bytes);
	if (sys_failed(copy))
		return;
	arch_copy(copy, cinstr.store.file + record->stack_offset, fork_image.bytes);
	fork_image.open = copy;
	fork_image.depth = depth;
}

void thread_after_fork(void)
{
	if (fork_image.open)
		sys_munmap(fork_image.open, fork_image.bytes);
	fork_image.open = NULL;
}

/*
 * The calling thread goes on with the open frames it has in its parent's tree, in a tree of its own
 * (activations that the child did not begin: calls = 0).
 */
static void inherit_stack(struct thread *thread, const char *parent_file, uint64_t parent_bytes, uint64_t now)
{
	struct cinstr_fold_state *fresh = &thread->record->states[thread->record->commit & 1];
	struct cinstr_open *stack;
	uint32_t cell = thread->record->root;

	while (thread->record->stack_bytes < fork_image.bytes)
		if (thread->fold.more_stack(&thread->fold))
			return;
	stack = (struct cinstr_open *)(cinstr.store.file + thread->record->stack_offset);
	for (uint32_t i = 0; i < fork_image.depth; i++) {
		uint64_t at = sizeof(struct cinstr_cell) * (uint64_t)fork_image.open[i].cell;
		const struct cinstr_cell *from = (const void *)(parent_file + at);

		if (at + sizeof(*from) <= parent_bytes && CINSTR_CELL_KIND(from->tag) == CINSTR_CELL_LINE) {
			at = sizeof(struct cinstr_cell) * (uint64_t)from->parent;
			from = (const void *)(parent_file + at);
		}
		cell = at + sizeof(*from) <= parent_bytes ? fold_inherit(&thread->fold, cell, from) : 0;
		if (!cell)
			return;
		stack[i] = (struct cinstr_open){ .start_ticks = now,
						 .cell = cell,
						 .where = fork_image.open[i].where,
						 .flags = CINSTR_OPEN_CUT |
							  (fork_image.open[i].flags &
							   (CINSTR_OPEN_TAILED | CINSTR_OPEN_STACK)) };
		fresh->enters += CINSTR_CELL_KIND(from->tag) == CINSTR_CELL_FRAME ||
				 CINSTR_CELL_KIND(from->tag) == CINSTR_CELL_FLAT_FRAME;
		fresh->depth = i + 1;
		fresh->current = cell;
		fresh->slot = cell;
	}
}

/* In a child with a new file. After a raw fork nothing is known of the open frames. */
void thread_forked(const char *parent_file, uint64_t parent_bytes)
{
	struct probe_state *probe = &cinstr_probe;
	const struct thread *before = probe->thread;
	uint64_t now = clock_now();

	if (probe->thread) { /* its state goes with it */
		probe->control.stopped = probe->thread->record->stopped;
		probe->control.waiting_suspensions = probe->thread->record->suspensions;
	}
	thread_off(probe);
	depth_open(probe);
	depth_forked(probe, NULL);
	probe->phase = PROBE_NEW;
	tasks_forked(probe);
	if (probe->control.tid)
		probe->control.tid = (uint32_t)SYS0(SYS_gettid);
	if (!fork_image.open || thread_begin(probe, now))
		return;
	segments_open(probe->thread);
	inherit_stack(probe->thread, parent_file, parent_bytes, now);
	if (call_sums_tree(probe->thread))
		inherit_stack(call_sums_tree(probe->thread), parent_file, parent_bytes, SUM_FIRST);
	control_forked(probe);
	depth_forked(probe, before);
	depth_close(probe);
}

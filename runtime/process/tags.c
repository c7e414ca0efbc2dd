/* SPDX-License-Identifier: MIT */
/*
 * tags.c - the tags of a thread (cinstr/tags.h), and TAG records of their changes. In the thread
 * itself, signals blocked, behind an interval's end.
 */
#include "cinstr.h"
#include "runtime.h"

_Static_assert(CINSTR_TAGS_MAX == CINSTR_TAG_NAMES, "");

static void note(struct thread *thread, uint32_t argument, int64_t id)
{
	argument |= id < 0 ? CINSTR_TAG_NEGATIVE : 0;
	slow_note(thread, argument << 5 | CINSTR_SP_TAG, slow_last_stamp(thread->probe), (uint64_t)id);
}

void tags_clear(struct thread *thread)
{
	for (int i = 0; i < CINSTR_TAG_NAMES; i++) {
		thread->tags[i].is_on = 0;
		if (!thread->fold.tags[i]) /* else the fold goes on with this name */
			thread->tags[i].name = 0;
	}
}

int tags_begin(struct thread *thread, uint32_t name, int64_t id)
{
	struct tag *tag = thread->tags, *end = tag + CINSTR_TAG_NAMES;

	while (tag < end && tag->name && tag->name != name)
		tag++;
	if (tag == end)
		return -1;
	*tag = (struct tag){ name, 1, id };
	note(thread, name | CINSTR_TAG_BEGINS, id);
	return 0;
}

void tags_end(struct thread *thread, uint32_t name)
{
	for (int i = 0; i < CINSTR_TAG_NAMES; i++) {
		struct tag *tag = &thread->tags[i];

		if (!tag->is_on || (name && tag->name != name))
			continue;
		tag->is_on = 0;
		note(thread, tag->name, 0);
	}
}

void tags_take(const struct thread *thread, struct cinstr_tags *tags)
{
	for (int i = 0; i < CINSTR_TAG_NAMES; i++) {
		tags->names[i] = thread->tags[i].is_on ? thread->tags[i].name : 0;
		tags->ids[i] = thread->tags[i].id;
	}
}

/* Returns 1 if the tag with this name is among them. */
static int is_in(const struct cinstr_tags *tags, uint32_t name)
{
	for (int i = 0; i < CINSTR_TAG_NAMES; i++)
		if (tags->names[i] == name)
			return 1;
	return 0;
}

int tags_put(struct thread *thread, const struct cinstr_tags *tags)
{
	int failed = 0;

	for (int i = 0; i < CINSTR_TAG_NAMES; i++)
		if (thread->tags[i].is_on && !is_in(tags, thread->tags[i].name))
			tags_end(thread, thread->tags[i].name);
	for (int i = 0; i < CINSTR_TAG_NAMES; i++)
		if (tags->names[i])
			failed |= tags_begin(thread, tags->names[i], tags->ids[i]);
	return failed;
}

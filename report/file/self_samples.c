/* SPDX-License-Identifier: GPL-3.0-or-later */
/* self_samples.c - see self_samples.h. */
#include "self_samples.h"

#include "data.h"

static size_t n_in(const struct data_segment *s)
{
	return s->type == CINSTR_SEG_SELF_SAMPLES ? s->used / sizeof(struct cinstr_self_sample) : 0;
}

uint64_t self_samples_count(const struct data *data)
{
	uint64_t n = 0;

	for (size_t i = 0; i < data->n_segments; i++)
		n += n_in(&data->segments[i]);
	return n;
}

const struct cinstr_self_sample *self_samples_next(const struct data *data, uint32_t owner, size_t *at,
						   size_t *n)
{
	size_t n_segments;
	const struct data_segment *own = data_segments_of(data, owner, &n_segments);

	while (*at < n_segments) {
		const struct data_segment *s = &own[(*at)++];

		*n = n_in(s);
		if (*n)
			return (const void *)(data->memory + s->offset);
	}
	return NULL;
}

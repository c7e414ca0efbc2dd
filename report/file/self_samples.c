/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "self_samples.h"

#include "data.h"

static size_t n_in(const struct data_segment *s)
{
	return s->type == CINSTR_SEG_SELF_SAMPLES ? s->used / sizeof(struct cinstr_self_sample) : 0;
}

const struct cinstr_self_sample *self_samples_each(struct self_samples *samples)
{
	size_t n_segments;
	const struct data_segment *own = data_segments_of(samples->data, samples->owner, &n_segments);

	for (; samples->segment < n_segments; samples->segment++, samples->i = 0) {
		const struct data_segment *s = &own[samples->segment];
		const struct cinstr_self_sample *list = (const void *)(samples->data->memory + s->offset);

		if (samples->i < n_in(s))
			return &list[samples->i++];
	}
	return NULL;
}

const struct cinstr_self_sample *self_samples_next(struct self_samples *samples)
{
	const struct cinstr_self_sample *sample;

	while ((sample = self_samples_each(samples))) {
		samples->due_ms += self_sample_ms(sample);
		if (samples->due_ms < samples->period_ms)
			continue;
		samples->due_ms -= samples->period_ms;
		return sample;
	}
	return NULL;
}

void self_samples_begin(struct self_samples *samples, const struct data *data, uint32_t owner)
{
	struct self_samples all = { .data = data, .owner = owner };
	const struct cinstr_self_sample *sample;
	uint32_t longest = 0;

	while ((sample = self_samples_each(&all)))
		if (self_sample_ms(sample) > longest)
			longest = self_sample_ms(sample);
	*samples = (struct self_samples){ .data = data, .owner = owner, .period_ms = longest };
}

uint64_t self_samples_count(const struct data *data)
{
	struct self_samples samples;
	uint64_t n = 0;

	for (size_t i = 0; i < data->n_segments; i++)
		n += n_in(&data->segments[i]);
	for (size_t t = 0; t < data->n_threads; t++) {
		self_samples_begin(&samples, data, data->threads[t].record->index);
		while (n && self_samples_each(&samples))
			n--;
		self_samples_begin(&samples, data, data->threads[t].record->index);
		while (self_samples_next(&samples))
			n++;
	}
	return n;
}

uint64_t self_samples_rare(const struct data *data)
{
	struct self_samples samples;
	uint64_t n = 0;

	for (size_t t = 0; t < data->n_threads; t++) {
		self_samples_begin(&samples, data, data->threads[t].record->index);
		n += samples.period_ms > 1;
	}
	return n;
}

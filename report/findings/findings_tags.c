/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_tags.c - the rule on tags of the program, few of whose values take most of the time:
 * CF0109. */
#include <math.h>
#include <stdlib.h>

#include "rows/tag_facts.h"
#include "rules.h"

#define PERIODS_LEAST 20
#define TIME_LEAST 5e6L /* ns */
#define RARE_PART 0.05L /* of the periods */
#define SLOW_TIMES 10	/* of what half of the periods take at most */
#define SLOW_NS 20000.0L
#define SLOW_PART 0.3L /* of the tag's time */
#define NAMED 3	       /* values that are named */

/* The values of one tag, and the slow ones among them. */
struct tag_values {
	const struct tag_fact *list; /* most time first; others last */
	size_t n;
	long double ns, median;
	uint64_t times;
	const struct tag_fact *slow[NAMED], *slowest; /* slow: most time first */
	size_t n_slow;
	uint64_t slow_times;
	long double slow_ns;
};

static long double mean_of(const struct tag_fact *fact)
{
	return fact->ns / (long double)fact->times;
}

static int compare_means(const void *a, const void *b)
{
	long double x = mean_of(*(const struct tag_fact *const *)a);
	long double y = mean_of(*(const struct tag_fact *const *)b);

	return (x > y) - (x < y);
}

/* Returns what half of the periods take at most, as far as that is known: each value, and the
 * others, has its mean. */
static long double median_of(const struct tag_values *values)
{
	const struct tag_fact **sorted = xcalloc(values->n, sizeof(const struct tag_fact *));
	uint64_t times = 0;
	long double median = 0;

	for (size_t i = 0; i < values->n; i++)
		sorted[i] = &values->list[i];
	qsort(sorted, values->n, sizeof(*sorted), compare_means);
	for (size_t i = 0; i < values->n && 2 * times < values->times; i++) {
		times += sorted[i]->times;
		median = mean_of(sorted[i]);
	}
	free(sorted);
	return median;
}

static void slow_add(struct tag_values *values, const struct tag_fact *fact)
{
	if (values->n_slow < NAMED)
		values->slow[values->n_slow] = fact;
	values->n_slow++;
	values->slow_times += fact->times;
	values->slow_ns += fact->ns;
	if (!values->slowest || fact->longest_ns > values->slowest->longest_ns)
		values->slowest = fact;
}

static int are_rarely_slow(struct tag_values *values)
{
	for (size_t i = 0; i < values->n; i++) {
		values->ns += values->list[i].ns;
		values->times += values->list[i].times;
	}
	if (values->times < PERIODS_LEAST)
		return 0;
	values->median = median_of(values);
	for (size_t i = 0; i < values->n; i++)
		if (!values->list[i].is_others &&
		    mean_of(&values->list[i]) >= fmaxl(SLOW_TIMES * values->median, SLOW_NS))
			slow_add(values, &values->list[i]);
	return values->n_slow && (long double)values->slow_times <= RARE_PART * (long double)values->times &&
	       values->slow_ns >= SLOW_PART * values->ns;
}

static void put_values(struct strbuf *text, const struct tag_values *values)
{
	for (size_t i = 0; i < values->n_slow && i < NAMED; i++) {
		strbuf_printf(text, "%s%lld (", i ? ", " : ": ", (long long)values->slow[i]->id);
		strbuf_duration(text, values->slow[i]->ns);
		strbuf_puts(text, ")");
	}
	if (values->n_slow > NAMED)
		strbuf_printf(text, ", %zu more", values->n_slow - NAMED);
}

/* "tag 'request' is slow at times: half of 500 periods take at most 1.20 ms, but 2 have 80 % of the
 * time, the longest waited in read: 17 (300 ms), 42 (100 ms)" */
static void put_text(struct strbuf *text, const struct tag_values *values)
{
	strbuf_puts(text, "tag '");
	strbuf_visible(text, values->list->name);
	strbuf_puts(text, "' is slow at times: half of ");
	strbuf_thousands(text, values->times);
	strbuf_puts(text, " periods take at most ");
	strbuf_duration(text, values->median);
	strbuf_puts(text, ", but ");
	strbuf_thousands(text, values->slow_times);
	strbuf_printf(text, " %s %.0Lf %% of the time", values->slow_times == 1 ? "has" : "have",
		      100 * values->slow_ns / values->ns);
	if (values->slowest->waited_in) {
		strbuf_puts(text, ", the longest waited in ");
		strbuf_visible(text, values->slowest->waited_in);
	}
	put_values(text, values);
}

/* Several threads have the tag at a time: then the run is longer by as much less. */
static long double time_of(const struct finder *finder, const struct tag_values *values)
{
	long double at_once = finder->wall > 0 ? fmaxl(values->ns / finder->wall, 1) : 1;

	return (values->slow_ns - (long double)values->slow_times * values->median) / at_once;
}

static void look_at(struct finder *finder, const struct finding_rule *rule, struct tag_values *values)
{
	struct finding *finding;

	if (!are_rarely_slow(values) || time_of(finder, values) < TIME_LEAST)
		return;
	finding = finding_new(finder, rule);
	finding->about = values->slowest->entity;
	finding->verb = "report --by=tag";
	finding->time = time_of(finder, values);
	put_text(&finding->text, values);
}

static void slow_values(struct finder *finder, const struct finding_rule *rule)
{
	struct tag_facts *facts = &finder->input->edges->tags;
	size_t first = 0, end;

	tag_facts_sort(facts);
	for (; first < facts->n; first = end) {
		end = tag_facts_end(facts, first);
		look_at(finder, rule, &(struct tag_values){ .list = &facts->list[first], .n = end - first });
	}
}

const struct finding_rule findings_tags_rules[] = {
	{ "CF0109", "rare slow values of a tag", OF_TIMED | OF_WAITING | OF_COMPUTING, 80, 1, slow_values,
	  "Of each tag of cinstr_tag() with 20 periods and more: values whose periods take ten times as long "
	  "as half of all periods do, and 20 us. They are reported if they are at most 5 % of the periods "
	  "and "
	  "take 30 % of the tag's time, 5 ms and more.",
	  "What the slow values take more than the others, divided by how many threads had the tag at a "
	  "time.",
	  "The average hides them. Who waits for an answer does not: it is the slow ones that users notice.",
	  "Look at what these requests are: the values say which ones, cinstr report --by=tag has the call "
	  "path "
	  "of each one's longest period, and the function in which it waited.",
	  "The values are of different kinds, and the slow ones have more to do." },
};
const size_t findings_n_tags_rules = ARRAY_SIZE(findings_tags_rules);

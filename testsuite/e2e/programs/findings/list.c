/* A list that is walked to its end for each item that is appended; the ids take some time, too. */
#include <stdio.h>
#include <stdlib.h>

#define KEEP __attribute__((noipa))
#define ITEMS 12000

struct item {
	struct item *next;
	unsigned id;
};

KEEP static struct item *last_of(struct item *item)
{
	while (item->next)
		item = item->next;
	return item;
}

KEEP static unsigned id_of(unsigned i)
{
	for (int k = 0; k < 300; k++)
		i = i * 1664525u + 1013904223u;
	return i;
}

KEEP static struct item *append(struct item *head, unsigned id)
{
	struct item *item = calloc(1, sizeof(*item));

	item->id = id;
	if (!head)
		return item;
	last_of(head)->next = item;
	return head;
}

int main(void)
{
	struct item *head = NULL;
	unsigned sum = 0;

	for (unsigned i = 0; i < ITEMS; i++)
		head = append(head, id_of(i));
	for (; head; head = head->next)
		sum += head->id;
	printf("%u\n", sum);
	return 0;
}

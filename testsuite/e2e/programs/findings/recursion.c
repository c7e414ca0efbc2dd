/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `again`: Fibonacci's numbers by a recursion that reckons the same ones again and again; `kept`:
 * each once. `tree`: a tree of 100,000 nodes is walked, which has as many calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 100000

struct node {
	struct node *left, *right;
	unsigned value;
};
static unsigned long known[64];

__attribute__((noinline, noclone)) static unsigned long fibonacci(unsigned n)
{
	unsigned long sum;

	if (n < 2)
		return n;
	sum = fibonacci(n - 1);
	return sum + fibonacci(n - 2);
}

__attribute__((noinline, noclone)) static unsigned long fibonacci_kept(unsigned n)
{
	unsigned long sum;

	if (n < 2)
		return n;
	if (known[n])
		return known[n];
	sum = fibonacci_kept(n - 1);
	return known[n] = sum + fibonacci_kept(n - 2);
}

__attribute__((noinline)) static struct node *insert(struct node *root, unsigned value)
{
	struct node **at = &root;

	while (*at)
		at = value < (*at)->value ? &(*at)->left : &(*at)->right;
	*at = calloc(1, sizeof(**at));
	(*at)->value = value;
	return root;
}

__attribute__((noinline, noclone)) static unsigned long sum_of(const struct node *node)
{
	unsigned long sum;

	if (!node)
		return 0;
	sum = sum_of(node->left);
	return sum + node->value + sum_of(node->right);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "kept";
	unsigned long sum = 0;
	struct node *root = NULL;

	if (!strcmp(what, "again"))
		sum = fibonacci(33);
	else if (!strcmp(what, "tree")) {
		for (unsigned i = 0; i < NODES; i++)
			root = insert(root, i * 2654435761u);
		for (int i = 0; i < 5; i++)
			sum += sum_of(root);
	} else
		for (unsigned i = 0; i < 100000; i++)
			sum += fibonacci_kept(27 + i % 16);
	printf("%lu\n", sum);
	return 0;
}

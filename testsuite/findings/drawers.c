/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0315 real_name|serve; processor
 * true: CF0305 each request opens its document
 * Serves documents of a folder. Planted: the folder is read from its begin for each document, to
 * find its name without regard to capitals. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DOCUMENTS 700
#define REQUESTS 1500

static char folder[] = "/tmp/drawers.XXXXXX";
static char *names[DOCUMENTS];
static int n_names;

static int compare(const void *a, const void *b)
{
	return strcasecmp(*(char *const *)a, *(char *const *)b);
}

static void list_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && n_names < DOCUMENTS)
			names[n_names++] = strdup(entry->d_name);
	closedir(dir);
	qsort(names, (size_t)n_names, sizeof(*names), compare);
}

static int real_name(const char *asked, char *name)
{
#ifdef REPAIRED
	char **found = bsearch(&asked, names, (size_t)n_names, sizeof(*names), compare);

	strcpy(name, found ? *found : "");
	return found != NULL;
#else
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int found = 0;

	while (!found && (entry = readdir(dir))) {
		if (strcasecmp(entry->d_name, asked) == 0) {
			strcpy(name, entry->d_name);
			found = 1;
		}
	}
	closedir(dir);
	return found;
#endif
}

static long serve(const char *asked)
{
	char name[256], path[512], text[256];
	ssize_t n;
	int fd;

	if (!real_name(asked, name))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text));
	close(fd);
	return n;
}

static void fill(void)
{
	char path[512];

	for (int i = 0; i < DOCUMENTS; i++) {
		snprintf(path, sizeof(path), "%s/Document-%04d", folder, i * 7919 % 10000);
		FILE *file = fopen(path, "w");
		fprintf(file, "This is the document %d.\n", i);
		fclose(file);
	}
}

static void empty(void)
{
	char path[512];

	for (int i = 0; i < n_names; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int main(void)
{
	long bytes = 0;
	char asked[64];

	if (!mkdtemp(folder))
		return 1;
	fill();
	list_folder();
	for (int i = 0; i < REQUESTS; i++) {
		snprintf(asked, sizeof(asked), "DOCUMENT-%04d", i % DOCUMENTS * 7919 % 10000);
		bytes += serve(asked);
	}
	printf("%ld\n", bytes);
	empty();
	return 0;
}

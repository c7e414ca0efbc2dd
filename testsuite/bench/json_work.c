// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes a document with cJSON, argv[1] times; for mixed.py.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cJSON.h"

static cJSON *document(void)
{
	cJSON *list = cJSON_CreateArray();

	for (int i = 0; i < 200; i++) {
		cJSON *item = cJSON_CreateObject();
		char name[40];

		snprintf(name, sizeof(name), "item \"%d\"\n\\ %d", i, i * 7919 % 1009);
		cJSON_AddItemToObject(item, "name", cJSON_CreateString(name));
		cJSON_AddItemToObject(item, "price", cJSON_CreateNumber(i * 0.37));
		cJSON_AddItemToObject(item, "tags", cJSON_CreateIntArray((int[]){ i, i + 1, i * i }, 3));
		cJSON_AddItemToObject(item, "sold", cJSON_CreateBool(i & 1));
		cJSON_AddItemToArray(list, item);
	}
	return list;
}

int main(int argc, char **argv)
{
	cJSON *first = document();
	char *text = cJSON_Print(first);
	size_t bytes = 0;

	cJSON_Delete(first);
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++) {
		cJSON *read = cJSON_Parse(text);
		char *again = cJSON_PrintUnformatted(read);

		bytes += strlen(again) + (size_t)cJSON_GetArraySize(read);
		free(again);
		cJSON_Delete(read);
	}
	printf("%zu\n", bytes);
	free(text);
	return 0;
}

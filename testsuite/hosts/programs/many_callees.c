/* Calls many functions of other libraries by name, most of them never. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

extern void opens_end(void);

__attribute__((noinline)) static void never(char *s)
{
	FILE *f = fopen(s, s);
	wchar_t w[10];
	struct tm tm;
	time_t t = time(NULL);

	strcpy(s, s + 1), strcat(s, s), strtok(s, s), strdup(s), strcasestr(s, s), strcoll(s, s);
	atoi(s), strtol(s, NULL, 1), strtod(s, NULL), setenv(s, s, 1), unsetenv(s), system(s);
	fread(s, 1, 1, f), fseek(f, 1, 1), ftell(f), rewind(f), fgets(s, 1, f), perror(s), fclose(f);
	popen(s, s), remove(s), rename(s, s), chdir(s), getcwd(s, 1), access(s, 1), readlink(s, s, 1);
	localtime_r(&t, &tm), strftime(s, 1, s, &tm), mktime(&tm), clock(), sleep(1), alarm(1);
	wcslen(w), mbstowcs(w, s, 1), sin(t), cos(t), pow(t, t), lgamma(t), jn(2, t), cbrt(t);
}

__attribute__((noinline)) static long leaf(long x)
{
	__asm__ volatile("");
	return x + 1;
}

int main(int argc, char **argv)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += leaf(i);
	if (argc > 5)
		never(argv[1]);
	opens_end();
	printf("%ld %s\n", sum, argc > 5 ? strchr(argv[1], 'x') : "");
	return 0;
}

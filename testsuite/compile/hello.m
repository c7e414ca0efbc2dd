/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objective C: methods, an exception. */
#include <objc/Object.h>
#include <objc/runtime.h>
#include <stdio.h>

@interface Counter : Object {
	int n;
}
+ (id) make;
+ (void) initialize;
- (int) add: (int)x;
@end

@implementation Counter
+ (void) initialize
{
}
+ (id) make
{
	return class_createInstance(self, 0);
}
- (int) add: (int)x
{
	n += x;
	return n;
}
@end

static void thrower(Counter *c)
{
	if ([c add: 0] == 10)
		@throw c;
}

int main(void)
{
	Counter *c = [Counter make];
	int i;

	for (i = 0; i < 5; i++)
		[c add: i];
	@try {
		thrower(c);
	} @catch (Counter *e) {
		printf("caught %d\n", [e add: 1]);
	}
	return 0;
}

/* A library that comes and goes: with a constructor, a destructor, calls within and thread-local
 * data. */
#define KEEP __attribute__((noipa))

static volatile int state;
static __thread int own;

KEEP static int helper(int x)
{
	return x + 1;
}

KEEP int plugin_work(int x)
{
	own++;
	return helper(x) + helper(x + 1);
}

KEEP static int hook(int x)
{
	return x + 2;
}

__attribute__((constructor)) KEEP static void begin(void)
{
	state = hook(state);
}

__attribute__((destructor)) KEEP static void end(void)
{
	state = hook(state);
}

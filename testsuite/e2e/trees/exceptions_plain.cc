/* Without probes: frames that exceptions pass, with something to destroy, and one that catches and
 * throws again. */
#define E2E_NO_SINK
#include "e2e.h"
#include "exceptions_plain.h"

namespace
{
struct Silent {
	int x;
	~Silent()
	{
		sink = x;
	}
};
}

KEEP static int inner(int (*callback)(int), int x)
{
	Silent silent{ x };

	return callback(x) + sink * 0;
}

KEEP int through(int (*callback)(int), int x)
{
	try {
		return inner(callback, x);
	} catch (...) {
		throw;
	}
}

/* Without probes. */
int through(int (*callback)(int), int x);

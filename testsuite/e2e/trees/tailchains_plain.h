/* Without probes. */
int bounce(int (*callback)(long), long n);

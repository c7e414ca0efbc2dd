/* A library that is opened. */
int opened(int x)
{
	return x + 1;
}

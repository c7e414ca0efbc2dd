/* A program with one function that calls nothing. */
int main(void)
{
	return 0;
}

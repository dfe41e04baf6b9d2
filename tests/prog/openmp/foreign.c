/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that OpenMP does not know. */
#include <pthread.h>
#include <stdio.h>

static int n;

static void *count(void *arg)
{
	n++;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", n > 0);
	return 0;
}

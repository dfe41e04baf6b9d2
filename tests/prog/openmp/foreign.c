/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that neither OpenMP nor the program has begun: of a timer of the C library's. */
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static int n;
static sem_t done;

static void count(union sigval v)
{
	n++;
	sem_post(&done);
	(void)v;
}

int main(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = count };
	struct itimerspec soon = { .it_value = { .tv_nsec = 1000000 } };
	timer_t timer;

	sem_init(&done, 0, 0);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL))
		return 1;
	sem_wait(&done);
	printf("%d\n", n > 0);
	return 0;
}

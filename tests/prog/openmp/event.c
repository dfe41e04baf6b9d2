/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task that ends when another one fulfils its event; with an argument that writes behind that. */
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static int x;

	(void)argv;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t event;

#pragma omp task detach(event) depend(out : x)
		{
			(void)0;
		}
#pragma omp task
		{
			x = 5;
			omp_fulfill_event(event);
			if (argc > 1)
				x = 6; /* @behind */
		}
#pragma omp task depend(in : x)
		printf("%d\n", x); /* @read */
	}
	return 0;
}

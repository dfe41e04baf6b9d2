/* SPDX-License-Identifier: GPL-3.0-or-later */
/* It has a name that a mark needs: it is compiled without marks. */
#include <stdio.h>
static int dvmdbg_iteration_;
int a[10];
int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 10; i++)
		a[i] = i;
	printf("%d\n", a[3] + dvmdbg_iteration_);
}

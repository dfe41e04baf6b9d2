/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of blame.c that is compiled without access hooks. */
void plain_scale(double *x, double by);

void plain_scale(double *x, double by)
{
	*x *= by;
}

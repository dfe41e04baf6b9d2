/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many cases in one job: pairs stuck|late [SECONDS]. Ranks 2i and 2i + 1 do case i on a communicator of
 * their own: those of the first list wait for ever, in those of the second one rank only comes late.
 * "late" does these alone. The line of each call that waits has a comment with the case's name and
 * the rank in the pair, by which the test finds it.
 */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm pair;
static int me, x[2];
static double seconds = 60; /* by which the second rank of a pair comes late */
static MPI_Request r[2];

static void compute(void)
{
	double end = MPI_Wtime() + seconds;
	volatile double y = 1;

	while (me && MPI_Wtime() < end)
		for (int i = 0; i < 100000; i++)
			y = y * 1.0000001 + 1e-9;
}

static void send(int tag)
{
	int y = tag;

	MPI_Send(&y, 1, MPI_INT, !me, tag, pair);
}

/* ---- that hang ---- */

/* Both wait until what they have put into the buffer is received. */
static void detach(bool receive)
{
	static char sent[3000000], buffer[sizeof(sent) + MPI_BSEND_OVERHEAD];
	void *at;
	int n;

	MPI_Buffer_attach(buffer, sizeof(buffer));
	MPI_Bsend(sent, sizeof(sent), MPI_CHAR, !me, 7, pair); /* detached sent */
	if (receive && me) {
		compute();
		MPI_Recv(sent, sizeof(sent), MPI_CHAR, !me, 7, pair, MPI_STATUS_IGNORE);
	}
	MPI_Buffer_detach(&at, &n); /* detached */
	if (receive && !me)
		MPI_Recv(sent, sizeof(sent), MPI_CHAR, !me, 7, pair, MPI_STATUS_IGNORE);
}

static void detached(void)
{
	detach(false);
}

static void late_detached(void)
{
	detach(true);
}

/* The message went to the wildcard that was posted before. */
static void wildcard(void)
{
	if (me) {
		send(1);
		MPI_Recv(x, 1, MPI_INT, 0, 2, pair, MPI_STATUS_IGNORE); /* wildcard 1 */
		return;
	}
	MPI_Irecv(x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, r);
	MPI_Recv(x + 1, 1, MPI_INT, 1, 1, pair, MPI_STATUS_IGNORE); /* wildcard 0 */
	send(2);
	MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void sendrecv(void)
{
	MPI_Sendrecv(x, 1, MPI_INT, !me, 3, x + 1, 1, MPI_INT, !me, 4, pair, MPI_STATUS_IGNORE); /* sendrecv */
}

static void persistent(void)
{
	MPI_Recv_init(x, 1, MPI_INT, !me, 5, pair, r); /* persistent init */
	MPI_Start(r);
	MPI_Wait(r, MPI_STATUS_IGNORE); /* persistent */
	send(5);
	MPI_Request_free(r);
}

static void probed(void)
{
	MPI_Message m;

	if (me)
		MPI_Ssend(x, 1, MPI_INT, 0, 6, pair); /* probed 1 */
	else
		MPI_Mprobe(1, 7, pair, &m, MPI_STATUS_IGNORE); /* probed 0 */
}

static void some(void)
{
	int n, at[2];
	MPI_Status s[2];

	MPI_Irecv(x, 1, MPI_INT, !me, 8, pair, r); /* some post */
	MPI_Irecv(x + 1, 1, MPI_INT, !me, 9, pair, r + 1);
	MPI_Waitsome(2, r, &n, at, s); /* some */
}

/* Each group is one rank; the second does not come. */
static void bridge(void)
{
	MPI_Comm between;

	if (me)
		MPI_Recv(x, 1, MPI_INT, 0, 10, pair, MPI_STATUS_IGNORE); /* bridge 1 */
	else
		MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, !me, 1, &between); /* bridge 0 */
}

static void between_groups(void)
{
	MPI_Comm between;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, !me, 1, &between); /* between_groups made */
	MPI_Recv(x, 1, MPI_INT, 0, 11, between, MPI_STATUS_IGNORE); /* between_groups */
}

/* The second rank does not start it for the second time. */
static void collective(void)
{
	MPI_Allreduce_init(x, x + 1, 1, MPI_INT, MPI_SUM, pair, MPI_INFO_NULL, r); /* collective init */
	MPI_Start(r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	if (me) {
		MPI_Recv(x, 1, MPI_INT, 0, 12, pair, MPI_STATUS_IGNORE); /* collective 1 */
	} else {
		MPI_Start(r);
		MPI_Wait(r, MPI_STATUS_IGNORE); /* collective 0 */
	}
	MPI_Request_free(r);
}

/* ---- that do not ---- */

static void late_wildcard(void)
{
	compute();
	if (me) {
		send(1);
		send(1);
		return;
	}
	MPI_Irecv(x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, r);
	MPI_Recv(x + 1, 1, MPI_INT, 1, 1, pair, MPI_STATUS_IGNORE); /* late_wildcard 0 */
	MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void late_persistent(void)
{
	compute();
	MPI_Recv_init(x, 1, MPI_INT, !me, 5, pair, r);
	MPI_Start(r);
	send(5);
	MPI_Wait(r, MPI_STATUS_IGNORE); /* late_persistent 0 */
	MPI_Request_free(r);
}

static void late_bridge(void)
{
	MPI_Comm between, all;

	compute();
	MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, !me, 1, &between); /* late_bridge 0 */
	MPI_Intercomm_merge(between, me, &all);
	MPI_Barrier(all);
	MPI_Comm_free(&all);
	MPI_Comm_free(&between);
}

static void late_probe(void)
{
	compute();
	if (me) {
		send(6);
		return;
	}
	MPI_Probe(MPI_ANY_SOURCE, 6, pair, MPI_STATUS_IGNORE); /* late_probe 0 */
	MPI_Recv(x, 1, MPI_INT, 1, 6, pair, MPI_STATUS_IGNORE);
}

static void late_collective(void)
{
	MPI_Allreduce_init(x, x + 1, 1, MPI_INT, MPI_SUM, pair, MPI_INFO_NULL, r);
	for (int i = 0; i < 2; i++) {
		MPI_Start(r);
		MPI_Wait(r, MPI_STATUS_IGNORE); /* late_collective 0 */
		if (!i)
			compute();
	}
	MPI_Request_free(r);
}

static void (*const stuck[])(void) = { wildcard, sendrecv, persistent, probed, some, bridge, between_groups,
				       collective, detached };
static void (*const late[])(void) = { late_wildcard, late_persistent, late_bridge, late_probe, late_collective,
				      late_detached };
#define N(list) (sizeof(list) / sizeof(list[0]))

int main(int argc, char **argv)
{
	int rank;
	size_t i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
	MPI_Comm_rank(pair, &me);
	if (argc > 2)
		seconds = atof(argv[2]);
	i = (size_t)rank / 2 + (argc > 1 && !strcmp(argv[1], "late") ? N(stuck) : 0);
	if (i < N(stuck))
		stuck[i]();
	else if (i - N(stuck) < N(late))
		late[i - N(stuck)]();
	MPI_Comm_free(&pair);
	MPI_Finalize();
	if (!rank)
		puts("done");
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order FILE [lost]: on three ranks; in each phase ranks 1 and 2 send to rank 0, which takes what
 * comes first by another function of MPI. FILE has the number of runs before this one: which of the
 * two sends first changes with it, as the second waits until rank 0 has the first's message, or for a
 * while, as rank 0 may not want it yet. What comes of the order is `mix`, printed for each phase.
 * lost: rank 1 sends nothing, and rank 2 twice.
 */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "dvmdbg.h"

#define WAIT_S 0.3 /* for the other one to be first */

static int rank, size, runs, first, lost, tag;
static double mix, data[2], cell, *part = &cell;
static volatile int *taken; /* the last phase in which rank 0 has the first's message */

/* How many runs there were. */
static int count_run(const char *file)
{
	int n = 0;
	FILE *f = rank ? NULL : fopen(file, "r+");

	if (f && fscanf(f, "%d", &n) == 1) {
		rewind(f);
		fprintf(f, "%d\n", n + 1);
	}
	if (f)
		fclose(f);
	MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return n;
}

/* Rank 0 has the first's message; or does not take it for so long. */
static void wait_for_first(void)
{
	double until = MPI_Wtime() + WAIT_S;

	while (*taken < tag && MPI_Wtime() < until)
		sched_yield();
}

static void send_one(int to)
{
	double value = rank;

	MPI_Send(&value, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

static void senders(void)
{
	if (lost && rank == 1)
		return;
	if (rank != first)
		wait_for_first();
	send_one(0);
	if (lost)
		send_one(0);
}

/* The first has been taken: the second may send. */
static void took(int i)
{
	if (!i)
		*taken = tag;
}

static void by_recv(void)
{
	for (int i = 0; i < 2; i++) {
		MPI_Recv(&data[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		took(i);
	}
}

static void by_irecv(void)
{
	MPI_Request r[2];
	MPI_Status s[2];

	for (int i = 0; i < 2; i++)
		MPI_Irecv(&data[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[i]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	took(0);
	MPI_Waitall(2, r, s);
}

static void by_probe(void)
{
	MPI_Status s;

	for (int i = 0; i < 2; i++) {
		MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &s);
		MPI_Recv(&data[i], 1, MPI_DOUBLE, s.MPI_SOURCE, tag, MPI_COMM_WORLD, &s);
		took(i);
	}
}

static void by_iprobe(void)
{
	for (int i = 0; i < 2; i++) {
		MPI_Message m;
		int there = 0;

		while (!there)
			MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &m, MPI_STATUS_IGNORE);
		MPI_Mrecv(&data[i], 1, MPI_DOUBLE, &m, MPI_STATUS_IGNORE);
		took(i);
	}
}

/* Receives of both, whose completion is looked for by how: 0 any, 1 some, 2 testany, 3 test. */
static void by_request(int how)
{
	double got[2];
	MPI_Request r[2];
	MPI_Status s[2];
	int n = 0, some, at[2];

	for (int i = 0; i < 2; i++)
		MPI_Irecv(&got[i], 1, MPI_DOUBLE, i + 1, tag, MPI_COMM_WORLD, &r[i]);
	while (n < 2) {
		int flag = 1;

		some = 1;
		if (how == 0)
			MPI_Waitany(2, r, at, s);
		else if (how == 1)
			MPI_Waitsome(2, r, &some, at, s);
		else if (how == 2)
			MPI_Testany(2, r, at, &flag, MPI_STATUS_IGNORE);
		else if (r[at[0] = n ? r[0] == MPI_REQUEST_NULL : rank] != MPI_REQUEST_NULL)
			MPI_Test(&r[at[0]], &flag, MPI_STATUS_IGNORE);
		if (how == 3 && !flag && !n)
			MPI_Test(&r[at[0] = 1], &flag, MPI_STATUS_IGNORE);
		for (int k = 0; flag && k < some; k++) {
			data[n] = got[at[k]];
			took(n++);
		}
	}
}

static void by_any(void)
{
	by_request(0);
}

static void by_some(void)
{
	by_request(1);
}

static void by_testany(void)
{
	by_request(2);
}

static void by_test(void)
{
	by_request(3);
}

/* Sends to one that sends to it, and takes what comes. */
static void by_sendrecv(void)
{
	double value = 0;

	for (int i = 0; i < 2; i++) {
		MPI_Sendrecv(&value, 1, MPI_DOUBLE, i + 1, 98, &data[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE,
			     tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		took(i);
	}
}

static void phase(const char *name, void (*fn)(void))
{
	tag++;
	if (rank == 0)
		fn();
	else
		senders();
	if (rank && fn == by_sendrecv) {
		double value;

		MPI_Recv(&value, 1, MPI_DOUBLE, 0, 98, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Bcast(data, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	mix = 2 * mix + data[0];
	if (rank == 0)
		printf("%s: %g then %g\n", name, data[0], data[1]);
	DVMDBG_PL(.on = part, .range = { { 0, 2 } }, .writes = { part })
	cell = mix * (rank + 1);
}

static void share(MPI_Win *w)
{
	void *at;
	MPI_Aint bytes;
	int unit;

	MPI_Win_allocate_shared(rank ? 0 : sizeof(*taken), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &at, w);
	MPI_Win_shared_query(*w, 0, &bytes, &unit, &at);
	taken = at;
	if (!rank)
		*taken = 0;
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Win w;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	share(&w);
	runs = count_run(argc > 1 ? argv[1] : "");
	lost = argc > 2 && !strcmp(argv[2], "lost");
	first = 1 + (lost || runs % 2);
	if (size == 3) {
		DVMDBG_ARRAY(part, .shape = { 3 }, .own = { { rank, rank } });
		DVMDBG_REPLICATED(mix);
		phase("recv", by_recv);
		if (!lost) {
			phase("irecv", by_irecv);
			phase("probe", by_probe);
			phase("improbe", by_iprobe);
			phase("waitany", by_any);
			phase("waitsome", by_some);
			phase("testany", by_testany);
			phase("test", by_test);
			phase("sendrecv", by_sendrecv);
		}
		DVMDBG_FORGET(part);
	}
	MPI_Win_free(&w);
	MPI_Finalize();
	return 0;
}

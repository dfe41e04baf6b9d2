// SPDX-License-Identifier: GPL-3.0-or-later
// Buffers that are shorter than what calls use, and other faults that only their place or time
// shows: extents CASE…. Near them those that are correct. The line of a fault has the case's name
// in a comment. Rank 0 sends to itself where a message is needed.
#include <alloca.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static int whole[2]; // a static one

// The message is short enough: what is said of the buffer is not.
static void message(void *to, int n)
{
	MPI_Request req;
	int one = 1;

	MPI_Isend(&one, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &req);
	MPI_Recv(to, n, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void local(void)
{
	int small[4] = { 0 };
	MPI_Request req;
	int one = 1;

	MPI_Isend(&one, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &req);
	MPI_Recv(small, 10, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* local */
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void sent(void)
{
	static int sum[4];
	short some = 1;

	MPI_Allgather(&some, 1, MPI_INT, sum, 1, MPI_INT, MPI_COMM_WORLD); /* sent */
}

static void global(void)
{
	MPI_Request req;
	int got[5];

	MPI_Irecv(got, 5, MPI_INT, rank, 9, MPI_COMM_WORLD, &req);
	MPI_Send(whole, 5, MPI_INT, rank, 9, MPI_COMM_WORLD); /* global */
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void heap(void)
{
	int *block = malloc(4 * sizeof(int)), *other = malloc(100), got[12];
	MPI_Request req;

	memset(block, 0, 4 * sizeof(int));
	MPI_Irecv(got, 12, MPI_INT, rank, 10, MPI_COMM_WORLD, &req);
	MPI_Send(block, 12, MPI_INT, rank, 10, MPI_COMM_WORLD); /* heap */
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	free(other);
	free(block);
}

static void overlap(void)
{
	float data[8] = { 0 };
	MPI_Datatype type;
	MPI_Request req;

	MPI_Type_create_hvector(2, 1, 3, MPI_FLOAT, &type);
	MPI_Type_commit(&type);
	MPI_Isend(data, 2, MPI_FLOAT, rank, 5, MPI_COMM_WORLD, &req);
	MPI_Recv(data + 4, 1, type, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* overlap */
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
}

static void freed(void)
{
	static int box;
	MPI_Request req;

	MPI_Irecv(&box, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &req);
	MPI_Request_free(&req); /* freed */
	MPI_Send(&rank, 1, MPI_INT, rank, 6, MPI_COMM_WORLD);
}

static void unfenced(void)
{
	static int memory[4];
	MPI_Win win;

	MPI_Win_create(memory, sizeof(memory), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
	MPI_Win_free(&win); /* unfenced */
}

static void precedes(void)
{
	static int memory[4];
	MPI_Win win;

	MPI_Win_create(memory, sizeof(memory), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win); /* precedes */
	MPI_Win_free(&win);
}

static __attribute__((noinline)) void window(MPI_Win *win)
{
	int memory[100];

	memset(memory, 0, sizeof(memory));
	MPI_Win_create(memory, sizeof(memory), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

static void returned(void)
{
	MPI_Win win;

	window(&win);
	MPI_Win_fence(0, win); /* returned */
	MPI_Win_free(&win);
}

static void gathered(void)
{
	MPI_Gather(&rank, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD); /* gathered */
}

// Correct.

struct point {
	double x, y, z;
	int n;
};

static void right_members(void)
{
	struct point p = { 1, 2, 3, 4 }, list[2] = { { 0 } };

	MPI_Bcast(&p.x, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(&list[1].x, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(list, sizeof(list), MPI_BYTE, 0, MPI_COMM_WORLD);
}

// Variables of blocks may have one place.
static void right_blocks(int which)
{
	if (which) {
		short s[2] = { 1, 2 };

		MPI_Bcast(s, 2, MPI_SHORT, 0, MPI_COMM_WORLD);
	}
	{
		double d[40] = { 1 };

		MPI_Bcast(d, 40, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	}
	if (which) {
		char c[8] = "abc";

		MPI_Bcast(c, 8, MPI_CHAR, 0, MPI_COMM_WORLD);
	}
}

static void right_sizes(int n)
{
	int list[n], *other = alloca((size_t)n * sizeof(int));

	memset(list, 0, sizeof(list));
	memset(other, 0, sizeof(list));
	MPI_Bcast(list, n, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(other, n, MPI_INT, 0, MPI_COMM_WORLD);
}

// Of another function, and inside of a block.
static void right_others(int *of, int n)
{
	int one = 1;

	MPI_Bcast(of, n, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

// Rows that were allocated one by one are as far from one another.
static void right_rows(void)
{
	int *row[4], lengths[4] = { 6, 6, 6, 6 }, got[24];
	MPI_Aint at[4];
	MPI_Datatype rows;
	MPI_Request req;

	for (int i = 0; i < 4; i++) {
		row[i] = calloc(6, sizeof(int));
		MPI_Get_address(row[i], &at[i]);
	}
	for (int i = 3; i >= 0; i--)
		at[i] -= at[0];
	MPI_Type_create_hindexed(4, lengths, at, MPI_INT, &rows);
	MPI_Type_commit(&rows);
	MPI_Isend(row[0], 1, rows, rank, 8, MPI_COMM_WORLD, &req);
	MPI_Recv(got, 24, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Type_free(&rows);
	for (int i = 0; i < 4; i++)
		free(row[i]);
}

static void right_heap(void)
{
	int *list[50], *large = malloc(4 << 20);

	for (int i = 0; i < 50; i++)
		list[i] = malloc((size_t)(i + 1) * sizeof(int));
	for (int i = 0; i < 50; i += 3) {
		free(list[i]);
		list[i] = NULL;
	}
	for (int i = 0; i < 50; i++)
		if (list[i]) {
			memset(list[i], 0, (size_t)(i + 1) * sizeof(int));
			MPI_Bcast(list[i], i + 1, MPI_INT, 0, MPI_COMM_WORLD);
			free(list[i]);
		}
	memset(large, 0, 4 << 20);
	MPI_Bcast(large, 1 << 20, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(large + 1000, (1 << 20) - 1000, MPI_INT, 0, MPI_COMM_WORLD);
	free(large);
}

static void right_window(int n)
{
	int memory[100];
	MPI_Win win;

	memset(memory, 0, sizeof(memory));
	MPI_Win_create(memory, sizeof(memory), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (n)
		right_others(memory, 100);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static void right(void)
{
	int of[30] = { 0 };

	right_window(ranks);

	right_members();
	right_blocks(ranks > 1);
	right_sizes(25 + ranks);
	right_others(of, 30);
	right_others(of + 10, 20);
	right_rows();
	right_heap();
	message(of, 30);
	MPI_Bcast(whole, 2, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&whole[1], 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void *end(void *arg)
{
	MPI_Finalize(); /* ended */
	return arg;
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name }
	X(local), X(sent), X(global), X(heap), X(overlap), X(freed), X(unfenced), X(precedes),
	X(returned), X(gathered), X(right),
};

int main(int argc, char **argv)
{
	pthread_t other;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int k = 1; k < argc; k++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (!strcmp(argv[k], cases[i].name))
				cases[i].run();
	if (argc > 1 && !strcmp(argv[1], "ended")) {
		pthread_create(&other, NULL, end, NULL);
		pthread_join(other, NULL);
		return 0;
	}
	MPI_Finalize();
	return 0;
}

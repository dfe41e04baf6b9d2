// SPDX-License-Identifier: GPL-3.0-or-later
// Accesses to memory that MPI or other ranks may access at the same time, and near them those that are correct: race
// CASE…, on 3 ranks. The lines of an error have the case's name in a comment, with 1 and 2.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64

static int rank, win_memory[N], one[N], two[N];
static volatile int seen;
static MPI_Win win;
static MPI_Comm world;

static void make(int unit)
{
	MPI_Win_create(win_memory, sizeof(win_memory), unit, MPI_INFO_NULL, world, &win);
}

static void done(void)
{
	MPI_Win_free(&win);
}

// Two ranks, or one, access the window of another one. Seen in any build.

static void put_put(void)
{
	make(sizeof(int));
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(one, 4, MPI_INT, 2, 3, 4, MPI_INT, win); /* put_put 1 */
	if (rank == 1)
		MPI_Put(one, 4, MPI_INT, 2, 6, 4, MPI_INT, win); /* put_put 2 */
	MPI_Win_fence(0, win);
	done();
}

static void get_put(void)
{
	make(sizeof(int));
	MPI_Win_lock_all(0, win);
	if (rank == 0)
		MPI_Get(one, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /* get_put 1 */
	if (rank == 1)
		MPI_Put(one, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /* get_put 2 */
	MPI_Win_unlock_all(win);
	done();
}

static void shared(void)
{
	make(sizeof(int));
	MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
	if (rank == 0)
		MPI_Put(one, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /* shared 1 */
	if (rank == 1)
		MPI_Put(one, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /* shared 2 */
	MPI_Win_unlock(2, win);
	done();
}

static void group(int n, const int *of, MPI_Group *out)
{
	MPI_Group all;

	MPI_Comm_group(world, &all);
	MPI_Group_incl(all, n, of, out);
	MPI_Group_free(&all);
}

static void posted(void)
{
	MPI_Group g;

	make(sizeof(int));
	if (rank == 2) {
		group(2, (int[]){ 0, 1 }, &g);
		MPI_Win_post(g, 0, win);
		MPI_Win_wait(win);
	} else {
		group(1, (int[]){ 2 }, &g);
		MPI_Win_start(g, 0, win);
		if (rank == 0)
			MPI_Put(one, 1, MPI_INT, 2, 9, 1, MPI_INT, win); /* posted 1 */
		else
			MPI_Get(one, 1, MPI_INT, 2, 9, 1, MPI_INT, win); /* posted 2 */
		MPI_Win_complete(win);
	}
	MPI_Group_free(&g);
	done();
}

static void same(void)
{
	make(sizeof(int));
	MPI_Win_fence(0, win);
	if (rank == 0) {
		MPI_Put(one, 2, MPI_INT, 1, 5, 2, MPI_INT, win); /* same 1 */
		MPI_Put(two, 2, MPI_INT, 1, 6, 2, MPI_INT, win); /* same 2 */
	}
	MPI_Win_fence(0, win);
	done();
}

static void flushed(void)
{
	make(sizeof(int));
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
		MPI_Put(one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* flushed 1 */
		MPI_Win_flush_local(1, win);
		MPI_Get(one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* flushed 2 */
		MPI_Win_unlock(1, win);
	}
	done();
}

static void types(void)
{
	make(sizeof(int));
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Accumulate(one, 1, MPI_INT, 2, 0, 1, MPI_INT, MPI_SUM, win); /* types 1 */
	if (rank == 1)
		MPI_Accumulate(one, 1, MPI_FLOAT, 2, 0, 1, MPI_FLOAT, MPI_SUM, win); /* types 2 */
	MPI_Win_fence(0, win);
	done();
}

static void columns(void)
{
	MPI_Datatype column;

	MPI_Type_vector(4, 1, 8, MPI_INT, &column);
	MPI_Type_commit(&column);
	make(sizeof(int));
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(one, 1, column, 2, 3, 1, column, win); /* columns 1 */
	if (rank == 1)
		MPI_Put(one, 3, MPI_INT, 2, 10, 3, MPI_INT, win); /* columns 2 */
	MPI_Win_fence(0, win);
	MPI_Type_free(&column);
	done();
}

static void into(void)
{
	make(sizeof(int));
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Get(one, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /* into 1 */
	if (rank == 1)
		MPI_Get(&win_memory[2], 1, MPI_INT, 2, 0, 1, MPI_INT, win); /* into 2 */
	MPI_Win_fence(0, win);
	done();
}

static void unordered(void)
{
	make(sizeof(int));
	if (rank < 2) {
		MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
		if (rank == 0)
			MPI_Put(one, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /* unordered 1 */
		if (rank == 0)
			MPI_Send(two, 1, MPI_INT, 1, 0, world);
		else
			MPI_Recv(two, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Put(one, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /* unordered 2 */
		MPI_Win_unlock(2, win);
	}
	done();
}

// Buffers of calls that are not complete, used by other calls.

static void get_twice(void)
{
	make(sizeof(int));
	MPI_Win_fence(0, win);
	MPI_Get(one, 2, MPI_INT, 0, 0, 2, MPI_INT, win); /* get_twice 1 */
	MPI_Get(one + 1, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* get_twice 2 */
	MPI_Win_fence(0, win);
	done();
}

static void get_send(void)
{
	make(sizeof(int));
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
	MPI_Get(one, 1, MPI_INT, rank, 0, 1, MPI_INT, win); /* get_send 1 */
	MPI_Send(one, 1, MPI_INT, MPI_PROC_NULL, 0, world);
	MPI_Sendrecv(one, 1, MPI_INT, rank, 0, two, 1, MPI_INT, rank, 0, world, MPI_STATUS_IGNORE); /* get_send 2 */
	MPI_Win_unlock(rank, win);
	done();
}

static void begun(void)
{
	MPI_Request req[2];

	MPI_Ibcast(one, 4, MPI_INT, 0, world, &req[0]); /* begun 1 */
	MPI_Iallreduce(one + 3, two, 1, MPI_INT, MPI_SUM, world, &req[1]); /* begun 2 */
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
}

static void gathered(void)
{
	MPI_Request req;

	MPI_Irecv(two + 1, 1, MPI_INT, rank, 7, world, &req); /* gathered 1 */
	MPI_Allgather(one, 1, MPI_INT, two, 1, MPI_INT, world); /* gathered 2 */
	MPI_Send(one, 1, MPI_INT, rank, 7, world);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

// Loads and stores of the program, with access hooks.

static void load(void)
{
	make(sizeof(int));
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(one, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /* load 1 */
	if (rank == 1)
		seen = win_memory[3]; /* load 2 */
	MPI_Win_fence(0, win);
	done();
}

static void store(void)
{
	make(sizeof(int));
	MPI_Barrier(world);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Get(one, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /* store 1 */
		MPI_Win_unlock(1, win);
	}
	if (rank == 1)
		for (int i = 8; i-- > 3;)
			win_memory[i] = i; /* store 2 */
	done();
}

static void origin(void)
{
	make(sizeof(int));
	MPI_Win_fence(0, win);
	MPI_Put(one, 4, MPI_INT, rank, 0, 4, MPI_INT, win); /* origin 1 */
	one[3]++; /* origin 2 */
	MPI_Win_fence(0, win);
	done();
}

static void got(void)
{
	MPI_Request req;

	make(sizeof(int));
	MPI_Win_lock_all(0, win);
	MPI_Rget(one, 4, MPI_INT, 0, 0, 4, MPI_INT, win, &req); /* got 1 */
	seen = one[2]; /* got 2 */
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(win);
	done();
}

static void receives(void)
{
	MPI_Request req;

	MPI_Irecv(two, 4, MPI_INT, rank, 1, world, &req); /* receives 1 */
	seen = two[1]; /* receives 2 */
	MPI_Send(one, 4, MPI_INT, rank, 1, world);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void sends(void)
{
	MPI_Request req;

	MPI_Isend(one, 4, MPI_INT, rank, 2, world, &req); /* sends 1 */
	memset(one, 0, 8); /* sends 2 */
	MPI_Recv(two, 4, MPI_INT, rank, 2, world, MPI_STATUS_IGNORE);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void reduces(void)
{
	MPI_Request req;

	MPI_Iallreduce(one, two, 4, MPI_INT, MPI_SUM, world, &req); /* reduces 1 */
	two[0] = 5; /* reduces 2 */
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void started(void)
{
	MPI_Request req;

	MPI_Recv_init(two, 4, MPI_INT, rank, 1, world, &req); /* started 1 */
	two[0] = 3;
	MPI_Start(&req);
	two[1] = 3; /* started 2 */
	MPI_Send(one, 4, MPI_INT, rank, 1, world);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Request_free(&req);
}

// All is ordered, or apart.

static void right_epochs(void)
{
	MPI_Datatype column;

	MPI_Type_vector(4, 1, 8, MPI_INT, &column);
	MPI_Type_commit(&column);
	make(sizeof(int));
	win_memory[0] = 1;
	MPI_Win_fence(0, win);
	if (rank < 2)
		MPI_Put(one, 1, column, 2, rank, 1, column, win);
	if (rank == 2)
		seen = win_memory[2] + win_memory[7] + win_memory[10];
	MPI_Win_fence(0, win);
	for (int i = 0; i < N; i++)
		win_memory[i] = 0;
	memset(one, 0, sizeof(one));
	MPI_Win_fence(0, win);
	MPI_Accumulate(one, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, win);
	MPI_Accumulate(one, 4, MPI_INT, 1, 2, 4, MPI_INT, MPI_SUM, win);
	MPI_Get_accumulate(one, 4, MPI_INT, two, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_NO_OP, win);
	MPI_Win_fence(0, win);
	MPI_Get(two, 4, MPI_INT, 0, 0, 4, MPI_INT, win);
	seen = win_memory[1] + one[0];
	MPI_Win_fence(0, win);
	seen = two[0];
	MPI_Type_free(&column);
	done();
}

static void right_locks(void)
{
	make(sizeof(int));
	if (rank < 2) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		if (rank == 0)
			MPI_Put(one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		else
			seen = win_memory[0];
		MPI_Win_unlock(1, win);
	}
	MPI_Barrier(world);
	MPI_Win_lock_all(0, win);
	MPI_Barrier(world);
	if (rank == 0) {
		MPI_Put(one, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
		MPI_Win_flush(1, win);
		one[0] = 3;
		MPI_Send(one, 1, MPI_INT, 2, 5, world);
	}
	if (rank == 2) {
		MPI_Recv(two, 1, MPI_INT, 0, 5, world, MPI_STATUS_IGNORE);
		MPI_Put(one, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
		MPI_Win_flush_all(win);
	}
	MPI_Barrier(world);
	if (rank == 1)
		win_memory[1]++;
	MPI_Win_unlock_all(win);
	done();
}

static void right_posts(void)
{
	MPI_Group g;

	make(sizeof(int));
	win_memory[9] = 1;
	for (int i = 0; i < 2; i++) {
		if (rank == 2) {
			group(1, &i, &g);
			MPI_Win_post(g, 0, win);
			MPI_Win_wait(win);
			win_memory[9]++;
			MPI_Group_free(&g);
		} else if (rank == i) {
			group(1, (int[]){ 2 }, &g);
			MPI_Win_start(g, 0, win);
			MPI_Put(one, 1, MPI_INT, 2, 9, 1, MPI_INT, win);
			MPI_Win_complete(win);
			one[0] = 1;
			MPI_Group_free(&g);
		}
	}
	done();
}

/* A lock of the program's own. */
static void right_atomics(void)
{
	const int free_ = 0, taken = 1;
	int was = 1;

	memset(win_memory, 0, sizeof(win_memory));
	make(sizeof(int));
	MPI_Win_lock_all(0, win);
	MPI_Barrier(world);
	while (was) {
		MPI_Compare_and_swap(&taken, &free_, &was, MPI_INT, 0, 0, win);
		MPI_Win_flush(0, win);
	}
	MPI_Get(one, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
	one[0]++;
	MPI_Put(one, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
	MPI_Accumulate(&free_, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
	MPI_Win_flush(0, win);
	MPI_Win_unlock_all(win);
	done();
}

/* Halos are exchanged while the interior is computed. */
static void right_halo(void)
{
	static double u[10][10], v[10][10];
	MPI_Datatype column;
	MPI_Request req[8];
	int up = (rank + 1) % 3, down = (rank + 2) % 3;

	MPI_Type_vector(8, 1, 10, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	for (int step = 0; step < 3; step++) {
		MPI_Irecv(&u[0][1], 8, MPI_DOUBLE, down, 0, world, &req[0]);
		MPI_Irecv(&u[9][1], 8, MPI_DOUBLE, up, 1, world, &req[1]);
		MPI_Irecv(&u[1][0], 1, column, down, 2, world, &req[2]);
		MPI_Irecv(&u[1][9], 1, column, up, 3, world, &req[3]);
		MPI_Isend(&u[8][1], 8, MPI_DOUBLE, up, 0, world, &req[4]);
		MPI_Isend(&u[1][1], 8, MPI_DOUBLE, down, 1, world, &req[5]);
		MPI_Isend(&u[1][8], 1, column, up, 2, world, &req[6]);
		MPI_Isend(&u[1][1], 1, column, down, 3, world, &req[7]);
		for (int i = 2; i < 8; i++)
			for (int j = 2; j < 8; j++)
				v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
		MPI_Waitall(8, req, MPI_STATUSES_IGNORE);
		for (int i = 1; i < 9; i++)
			for (int j = 1; j < 9; j++)
				u[i][j] = v[i][j] + u[i - 1][j] + u[i][j + 1];
	}
	MPI_Type_free(&column);
}

static void right_requests(void)
{
	MPI_Request req;

	make(sizeof(int));
	MPI_Win_lock_all(0, win);
	MPI_Rget(two, 2, MPI_INT, 0, 0, 2, MPI_INT, win, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	two[0]++;
	MPI_Get(two, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
	MPI_Win_flush_local(0, win);
	two[1]++;
	MPI_Win_unlock_all(win);
	MPI_Isend(one, 4, MPI_INT, rank, 3, world, &req);
	seen = one[1];
	MPI_Recv(two, 4, MPI_INT, rank, 3, world, MPI_STATUS_IGNORE);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	one[1] = 4;
	MPI_Iallreduce(MPI_IN_PLACE, one, 2, MPI_INT, MPI_MAX, world, &req);
	two[3] = one[2];
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	seen = one[0];
	done();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name }
	X(put_put), X(get_put), X(shared), X(posted), X(same), X(flushed), X(types), X(columns),
	X(into), X(unordered), X(get_twice), X(get_send), X(begun), X(gathered), X(load), X(store),
	X(origin), X(got), X(receives), X(sends), X(reduces), X(started), X(right_epochs),
	X(right_locks), X(right_posts), X(right_atomics), X(right_halo), X(right_requests),
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	for (int k = 1; k < argc; k++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (!strcmp(argv[k], cases[i].name)) {
				cases[i].run();
				MPI_Barrier(world);
			}
	if (!rank)
		puts("done");
	MPI_Finalize();
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that call MPI: workers stuck|late. All threads of a rank wait for messages, or for each
 * other, and for ever; or one only comes late.
 */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void *receive(void *tag)
{
	int x;

	MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* @worker */
	return NULL;
}

static void *send_late(void *tag)
{
	int x = 1;

	sleep(3);
	MPI_Send(&x, 1, MPI_INT, (rank + size - 1) % size, *(int *)tag, MPI_COMM_WORLD);
	return NULL;
}

int main(int argc, char **argv)
{
	int tag[] = { 40, 41 }, level, late = argc > 1 && !strcmp(argv[1], "late");
	pthread_t thread[2];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	pthread_create(&thread[0], NULL, late ? send_late : receive, &tag[0]);
	pthread_create(&thread[1], NULL, late ? send_late : receive, &tag[1]);
	if (late) {
		receive(&tag[0]);
		receive(&tag[1]);
	}
	pthread_join(thread[0], NULL); /* @joins */
	pthread_join(thread[1], NULL);
	MPI_Finalize();
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misbehave HOW [RANK]: five steps with a parallel loop each; in the third step's loop (3.B) the
 * rank, 1 unless given, does what HOW says.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "dvmdbg.h"

static volatile int sink;
static int *volatile nowhere;

static void do_kill9(void)
{
	kill(getpid(), SIGKILL);
}

static void do_exit3(void)
{
	exit(3);
}

static void do_quick_exit(void)
{
	_exit(4);
}

static void do_abort(void)
{
	abort();
}

static void do_segv(void)
{
	*nowhere = 1;
}

static void do_fpe(void)
{
	raise(SIGFPE);
}

static int deeper(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	sink = room[0];
	return n < 0 ? 0 : deeper(n + 1) + room[0];
}

static void do_overflow(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_STACK, &limit);
	deeper(0);
}

static void do_mpi_abort(void)
{
	MPI_Abort(MPI_COMM_WORLD, 7);
}

static void do_close_all(void)
{
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
}

/* A child that lives on for a while, with our memory, and then leaves as if nothing had been. */
static void do_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		DVMDBG_PL(.range = { { 1, 1 } })
		for (int i = 0; i < 1; i++)
			sink++;
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void do_fork_exec(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(9);
	}
	waitpid(child, NULL, 0);
}

/* Leaves a process behind that nobody waits for. */
static void do_orphan(void)
{
	if (fork() == 0) {
		sleep(600);
		_exit(0);
	}
}

static void do_spin(void)
{
	while (!sink)
		usleep(1000);
}

static void do_sleep(void)
{
	sleep(600);
}

static void do_nothing(void)
{
}

static const struct {
	const char *how;
	void (*act)(void);
} acts[] = {
	{ "kill9", do_kill9 },	     { "exit3", do_exit3 },	    { "quick-exit", do_quick_exit },
	{ "abort", do_abort },	     { "segv", do_segv },	    { "fpe", do_fpe },
	{ "overflow", do_overflow }, { "mpi-abort", do_mpi_abort }, { "close-all", do_close_all },
	{ "fork", do_fork },	     { "fork-exec", do_fork_exec }, { "orphan", do_orphan },
	{ "spin", do_spin },	     { "sleep", do_sleep },	    { "nothing", do_nothing },
};

/* What happens around MPI_Init needs the rank before MPI tells it. */
static int early_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			return atoi(getenv(names[i]));
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "nothing";
	const int who = argc > 2 ? atoi(argv[2]) : 1;
	int rank, step = 0;

	DVMDBG_FUNCTION();
	if (strcmp(how, "never-init") == 0) {
		printf("never called MPI_Init\n");
		return 0;
	}
	if (early_rank() == who) {
		if (strcmp(how, "die-before-init") == 0)
			kill(getpid(), SIGKILL);
		if (strcmp(how, "exit-before-init") == 0)
			return 5;
		if (strcmp(how, "hang-init") == 0)
			sleep(600);
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	DVMDBG_REPLICATED(step);
	DVMDBG_SL(.range = { { 1, 5 } })
	for (step = 1; step <= 5; step++) {
		DVMDBG_ITERATION(step);
		DVMDBG_PL(.range = { { 0, 9 } })
		for (int i = 0; i < 1; i++)
			if (step == 3 && rank == who)
				for (size_t a = 0; a < sizeof(acts) / sizeof(acts[0]); a++)
					if (strcmp(acts[a].how, how) == 0)
						acts[a].act();
	}
	MPI_Finalize();
	if (rank == 0 && strcmp(how, "close-all") != 0)
		printf("misbehave: done\n");
	return 0;
}

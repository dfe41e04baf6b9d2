/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peak COMMAND [ARG]…: runs it without a word, and prints the seconds that it took and the MiB that
 * the largest of its processes had. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec from, to;
	struct rusage used;
	pid_t pid;
	int status;

	if (argc < 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &used))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.3f %ld\n",
	       (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
	       used.ru_maxrss >> 10);
	return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? 0 : 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A launcher as debuggers see one: its table of processes is HOST:PID, in the order of ranks. It starts nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct {
	char *host, *executable;
	int pid;
} *MPIR_proctable;
int MPIR_proctable_size;

int main(int argc, char **argv)
{
	MPIR_proctable = calloc((size_t)argc, sizeof(*MPIR_proctable));
	for (int i = 1; i < argc; i++) {
		MPIR_proctable[i - 1].host = strtok(argv[i], ":");
		MPIR_proctable[i - 1].pid = atoi(strtok(NULL, ":"));
		MPIR_proctable[i - 1].executable = argv[0];
	}
	MPIR_proctable_size = argc - 1;
	puts("ready");
	fflush(stdout);
	return pause();
}

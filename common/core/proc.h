/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of this host: what /proc says of them, why one cannot be traced, and by which variables
 * launchers number the ranks of a job.
 */
#ifndef DVMDBG_COMMON_CORE_PROC_H
#define DVMDBG_COMMON_CORE_PROC_H

#include <sys/types.h>

struct err;

/* Names of the variables that hold a rank's number and the number of ranks. */
struct proc_launcher {
	const char *rank, *size;
};

/* Most specific first: under srun, Open MPI and MPICH programs have Slurm's variables as well. */
#define PROC_LAUNCHERS 4
extern const struct proc_launcher proc_launchers[PROC_LAUNCHERS];

/* Slurm's number of ranks, which is right where a launcher gives none (PMIx). */
#define PROC_SLURM_SIZE "SLURM_NTASKS"

/* A decimal number behind a word that begins a line of a file; "": the first line's. -1: none. */
long proc_number(const char *path, const char *word);

/*
 * Why the kernel refused (error: its errno) to let this process trace pid, and which setting would
 * allow it: always -1 and err, without the process's number, so that equal ones can be merged.
 */
int proc_trace_refused(pid_t pid, int error, struct err *err);

#endif

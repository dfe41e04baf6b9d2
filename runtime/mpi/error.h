/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library: errors of MPI.
 */
#ifndef DVMDBG_RUNTIME_MPI_ERROR_H
#define DVMDBG_RUNTIME_MPI_ERROR_H

/* MPI is up: errors that would end the program are reported from now on. */
void error_begin(void);

#endif

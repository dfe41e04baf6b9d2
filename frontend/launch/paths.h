/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where our own files are: dvmdbg-exec and the libraries that are preloaded. Looked for in
 * $DVMDBG_LIBDIR alone when that is set, else relative to this program (a build tree or an
 * installation, wherever it was moved to), last where it was configured to be.
 */
#ifndef DVMDBG_FRONTEND_PATHS_H
#define DVMDBG_FRONTEND_PATHS_H

#include "frontend/launch/program.h"

struct err;

struct paths {
	char *exec;    /* dvmdbg-exec; all owned */
	char *runtime; /* libdvmdbg.so */
	char *mpi; /* libdvmdbg-openmpi.so or libdvmdbg-mpich.so; NULL when not needed or not there
		    */
};

/*
 * 0, or -1 with what is missing and where it was looked for. A missing library for the MPI is no
 * error: this dvmdbg may have been built without that MPI; mpi is NULL then.
 */
int paths_find(struct paths *p, enum program_mpi mpi, struct err *err);
void paths_clear(struct paths *p);

#endif

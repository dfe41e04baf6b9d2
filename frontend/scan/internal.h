/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DVMDBG_FRONTEND_SCAN_INTERNAL_H
#define DVMDBG_FRONTEND_SCAN_INTERNAL_H

#include "frontend/scan/scan.h"

/* branches.c: of text, which is the file, what the preprocessor leaves out becomes blanks. */
void scan_branches(struct scan *s, scan_compiled is, void *arg);
/* fortran.c: functions and loops of text; and whether a text in small letters calls MPI for more
 * than itself. */
void scan_fortran(struct scan *s);
bool scan_fortran_mpi(const char *from, const char *to);
/* Where the statement begins; NULL: it is none. */
const char *scan_fortran_statement(const struct scan *s, const char *at);
/* CALL stands in front of the name. */
bool scan_fortran_call(const struct scan *s, const char *name);

#endif

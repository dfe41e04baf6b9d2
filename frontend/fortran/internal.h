/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DVMDBG_FRONTEND_FORTRAN_INTERNAL_H
#define DVMDBG_FRONTEND_FORTRAN_INTERNAL_H

struct fortran;

/* unit.c: units of the statements. */
void units(struct fortran *f);

#endif

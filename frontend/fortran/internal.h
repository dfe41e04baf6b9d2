/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DVMDBG_FRONTEND_FORTRAN_INTERNAL_H
#define DVMDBG_FRONTEND_FORTRAN_INTERNAL_H

struct fortran;

/* statement.c: the statements of a text whose form is known. */
void statements(struct fortran *f, const char *text);
void statements_clear(struct fortran *f);
/* include.c: those of files that it includes, from the folder, at so many includes inside of each
 * other. */
void includes(struct fortran *f, const char *text, const char *dir, unsigned depth);
/* unit.c: units of the statements. */
void units(struct fortran *f);

#endif

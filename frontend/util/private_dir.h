/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private directories, for sockets and for a launcher's own files, and what earlier front ends and
 * guards that were killed left of theirs.
 */
#ifndef DVMDBG_FRONTEND_PRIVATE_DIR_H
#define DVMDBG_FRONTEND_PRIVATE_DIR_H

#include <stddef.h>

struct err;

/* sun_path has 108 bytes; the directory must leave room for a socket's name. */
#define PRIVATE_DIR_MAX 80

/*
 * Makes a directory with mode 0700 under $XDG_RUNTIME_DIR, $TMPDIR or /tmp, the first that can be
 * used and is short enough, and removes those of this user that nobody holds any more. Returns a
 * descriptor that holds it as long as it is open, or -1.
 */
int private_dir_make(char out[PRIVATE_DIR_MAX], struct err *err);
/* Removes the sockets in dir and dir itself. */
void private_dir_remove(const char *dir);

#define PRIVATE_DIR_SCRATCH 32 /* bytes that its name takes behind that of base, with its NUL */
/*
 * The same, in base, for files of others; -1 when none can be made. out has size bytes.
 */
int private_dir_scratch(const char *base, char *out, size_t size);
/* Removes that one with all there is in it. */
void private_dir_scratch_remove(const char *dir);

/*
 * A directory in $TMPDIR or /tmp for what is read again in this session: *dir, to be freed, is its
 * name, also where none could be made. Returns a descriptor that holds it, or -1 and errno.
 */
int private_dir_temporary(char **dir);
/* Removes those of this user that nobody holds: of front ends that were killed. */
void private_dir_sweep(void);

#endif

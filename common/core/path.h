/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of files.
 */
#ifndef DVMDBG_COMMON_PATH_H
#define DVMDBG_COMMON_PATH_H

#include <string.h>

/* What is behind the last slash, borrowed from path; "" of NULL. */
static inline const char *path_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

#endif

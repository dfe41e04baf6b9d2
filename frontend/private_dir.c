/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "frontend/guard.h"

#define PREFIX "dvmdbg-"
#define FRESH_SECONDS 10 /* younger ones may not be locked yet */

/*
 * Removes directories of ours that nobody has locked. Locks end with their holder whatever kills
 * it, and, unlike process numbers, mean the same in every container that shares /tmp.
 */
static void sweep(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		char path[512];
		struct stat st;
		int fd;

		if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 &&
		    st.st_mtime + FRESH_SECONDS < time(NULL) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
			snprintf(path, sizeof(path), "%s/%s", base, e->d_name);
			guard_remove_dir(path);
		}
		close(fd);
	}
	if (d)
		closedir(d);
}

int private_dir_make(char out[PRIVATE_DIR_MAX], struct err *err)
{
	const char *bases[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };
	int saved = 0;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		int n, fd;

		if (!bases[i] || bases[i][0] != '/')
			continue;
		n = snprintf(out, PRIVATE_DIR_MAX, "%s/" PREFIX "XXXXXX", bases[i]);
		if (n >= PRIVATE_DIR_MAX)
			continue;
		sweep(bases[i]);
		fd = mkdtemp(out) ? open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (fd >= 0) {
			flock(fd, LOCK_EX | LOCK_NB);
			return fd;
		}
		saved = errno;
	}
	out[0] = '\0';
	return err_set(
		err, "no directory for sockets can be made in XDG_RUNTIME_DIR, TMPDIR or /tmp: %s",
		strerror(saved));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

#define PREFIX "dvmdbg-"
#define TEMPORARY "dvmdbg-locate-"
#define SCRATCH ".dvmdbg-mpi-"
#define FRESH_SECONDS 10 /* younger ones may not be locked yet */

void private_dir_remove(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (e->d_type == DT_SOCK)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	remove(path);
	return 0;
}

void private_dir_scratch_remove(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/*
 * Removes directories of ours that nobody has locked. Locks end with their holder whatever kills
 * it, and, unlike process numbers, mean the same in every container that shares /tmp.
 */
static void sweep(const char *base, const char *prefix, void (*take_away)(const char *dir))
{
	DIR *d = opendir(base);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		char path[PATH_MAX];
		struct stat st;
		int fd;

		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0)
			continue;
		fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 &&
		    st.st_mtime + FRESH_SECONDS < time(NULL) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		    snprintf(path, sizeof(path), "%s/%s", base, e->d_name) < (int)sizeof(path))
			take_away(path);
		close(fd);
	}
	if (d)
		closedir(d);
}

static const char *temporary_base(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

void private_dir_sweep(void)
{
	sweep(temporary_base(), TEMPORARY, private_dir_scratch_remove);
}

/* out: a template. Holds what it makes. */
static int make(char *out)
{
	int fd = mkdtemp(out) ? open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
	return fd;
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
		sweep(bases[i], PREFIX, private_dir_remove);
		fd = make(out);
		if (fd >= 0)
			return fd;
		saved = errno;
	}
	out[0] = '\0';
	return err_set(
		err, "no directory for sockets can be made in XDG_RUNTIME_DIR, TMPDIR or /tmp: %s",
		strerror(saved));
}

int private_dir_scratch(const char *base, char *out, size_t size)
{
	if (snprintf(out, size, "%s/" SCRATCH "XXXXXX", base) >= (int)size)
		return -1;
	sweep(base, SCRATCH, private_dir_scratch_remove);
	return make(out);
}

int private_dir_temporary(char **dir)
{
	*dir = xasprintf("%s/" TEMPORARY "XXXXXX", temporary_base());
	return make(*dir);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "frontend/launch/launch.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

#define ROOTS 8

/* A directory that may hold us, and how its files are. */
struct root {
	char dir[PATH_MAX];
	const char *exec, *runtime, *mpi; /* directories of each, below dir */
};

/* Adds a candidate to roots. */
static void add_root(struct root *roots, unsigned *n, const char *base, const char *sub,
		     const char *exec, const char *runtime, const char *mpi)
{
	struct root *r = &roots[*n];

	if (*n == ROOTS ||
	    snprintf(r->dir, sizeof(r->dir), "%s%s", base, sub) >= (int)sizeof(r->dir))
		return;
	r->exec = exec;
	r->runtime = runtime;
	r->mpi = mpi;
	(*n)++;
}

static unsigned collect_roots(struct root *roots)
{
	static const char *const up[] = { "/..", "/../..", "/../../.." };
	static const char *const lib[] = {
		"/../lib",
		"/../lib64",
#if defined(__x86_64__)
		"/../lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
		"/../lib/aarch64-linux-gnu",
#endif
	};
	const char *given = getenv("DVMDBG_LIBDIR");
	char self[PATH_MAX];
	ssize_t len;
	unsigned n = 0;

	if (given && *given) {
		add_root(roots, &n, given, "", "", "", "");
		return n;
	}
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		char *dir;

		self[len] = '\0';
		dir = dirname(self);
		for (size_t i = 0; i < sizeof(up) / sizeof(up[0]); i++)
			add_root(roots, &n, dir, up[i], "/runtime/exec", "/runtime/.libs",
				 "/runtime/.libs");
		for (size_t i = 0; i < sizeof(lib) / sizeof(lib[0]); i++)
			add_root(roots, &n, dir, lib[i], "/dvmdbg", "", "/dvmdbg");
	}
	add_root(roots, &n, PKGLIBDIR, "", "", "/..", "");
	return n;
}

/* The file's canonical path when it is there and access(mode) holds; owned by the caller. */
static char *there(const struct root *r, const char *sub, const char *name, int mode)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s%s/%s", r->dir, sub, name);
	return access(path, mode) == 0 ? realpath(path, NULL) : NULL;
}

void paths_clear(struct paths *p)
{
	free(p->exec);
	free(p->runtime);
	free(p->regions);
	free(p->threads);
	free(p->mpi);
	*p = (struct paths){ 0 };
}

/* Words what is missing; -1 always. */
static int missing(const char *what, const struct root *roots, unsigned n, struct err *err)
{
	char list[768] = "";

	for (unsigned i = 0; i < n; i++) {
		size_t len = strlen(list);

		snprintf(list + len, sizeof(list) - len, "%s%.200s%s", len ? ", " : "",
			 roots[i].dir,
			 strcmp(what, "dvmdbg-exec") == 0 ? roots[i].exec : roots[i].runtime);
	}
	return err_set(
		err,
		"%s is missing, without it no program can be started; it was looked for in %s "
		"(DVMDBG_LIBDIR can name another directory)",
		what, list);
}

int paths_find(struct paths *p, enum program_mpi mpi, struct err *err)
{
	static const char *const mpi_lib[] = { NULL, "libdvmdbg-openmpi.so", "libdvmdbg-mpich.so" };
	struct root *roots = xcalloc(ROOTS, sizeof(*roots));
	unsigned n;

	*p = (struct paths){ 0 };
	n = collect_roots(roots);
	for (unsigned i = 0; i < n && !p->exec; i++) {
		p->exec = there(&roots[i], roots[i].exec, "dvmdbg-exec", X_OK);
		if (!p->exec)
			continue;
		/* All from one place, so that versions fit. */
		p->runtime = there(&roots[i], roots[i].runtime, "libdvmdbg.so", R_OK);
		p->regions = there(&roots[i], roots[i].mpi, "libdvmdbg-regions.so", R_OK);
		p->threads = there(&roots[i], roots[i].mpi, "libdvmdbg-threads.so", R_OK);
		if (mpi_lib[mpi])
			p->mpi = there(&roots[i], roots[i].mpi, mpi_lib[mpi], R_OK);
		if (!p->runtime)
			missing("libdvmdbg.so", &roots[i], 1, err);
	}
	if (!p->exec)
		missing("dvmdbg-exec", roots, n, err);
	free(roots);
	if (p->exec && p->runtime)
		return 0;
	paths_clear(p);
	return -1;
}

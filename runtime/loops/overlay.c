/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clang compiles in one process, so that its sources get their marks before they are preprocessed:
 * it is given an overlay (-ivfsoverlay), by which it sees the marked text under the name of the
 * source.
 */
#include "runtime/loops/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether it is C (1) or C++ (2). */
static int is_c(const char *name)
{
	static const char *const cxx[] = { ".cc", ".cpp", ".cxx", ".C", ".c++", ".cp", ".CPP" };

	if (*name == '-' || name_ends_in(name, ".c"))
		return *name != '-';
	for (size_t i = 0; i < sizeof(cxx) / sizeof(*cxx); i++)
		if (name_ends_in(name, cxx[i]))
			return 2;
	return 0;
}

/* The directory as the compiler knows it. */
static char *here(void)
{
	const char *pwd = getenv("PWD");
	struct stat a, b;

	if (pwd && *pwd == '/' && !stat(pwd, &a) && !stat(".", &b) && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino)
		return strdup(pwd);
	return getcwd(NULL, 0);
}

/* A text of JSON, which YAML is, too. */
static void put_quoted(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', f);
		putc(*text, f);
	}
	putc('"', f);
}

static bool put_root(FILE *f, bool first, const char *source, const char *contents)
{
	char *dir = here(), *name = NULL;

	if (!dir || asprintf(&name, "%s%s%s", *source == '/' ? "" : dir, *source == '/' ? "" : "/",
			     source) < 0) {
		free(dir);
		return false;
	}
	fprintf(f, "%s{\"type\": \"file\", \"name\": ", first ? "" : ", ");
	put_quoted(f, name);
	fputs(", \"external-contents\": ", f);
	put_quoted(f, contents);
	putc('}', f);
	free(name);
	free(dir);
	return true;
}

/* Files that have other contents, whose names are the caller's. Returns how many. */
static unsigned put_overlay(FILE *f, char **argv, char **marked, bool plain)
{
	unsigned n = 0;

	fputs("{\"version\": 0, \"use-external-names\": false, \"roots\": [", f);
	for (; *argv; argv++) {
		struct text t = { .plain = plain };
		int c = is_c(*argv);

		if (c && text_read(&t, *argv)) {
			c_marks(&t, c == 2, true);
			marked[n] = t.n && !t.bad ? file_marked(&t, *argv) : NULL;
			if (marked[n] && put_root(f, !n, *argv, marked[n]))
				n++;
			else
				file_discard(marked[n]);
		}
		text_clear(&t);
	}
	fputs("]}\n", f);
	return n;
}

bool run_overlaid(int argc, char **argv, bool plain)
{
	char **marked = calloc((size_t)argc + 1, sizeof(*marked));
	char **all = calloc((size_t)argc + 3, sizeof(*all));
	FILE *f = NULL;
	char *map = file_new(".yaml", &f);
	bool done = false;

	if (map && marked && all) {
		unsigned n = put_overlay(f, argv, marked, plain);

		memcpy(all, argv, (size_t)argc * sizeof(*all));
		all[argc] = (char *)"-ivfsoverlay";
		all[argc + 1] = map;
		done = !fclose(f) && n && run_quietly(all);
		f = NULL;
		while (n)
			file_discard(marked[--n]);
	}
	if (f)
		fclose(f);
	file_discard(map);
	free(all);
	free(marked);
	return done;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp-marks COMPILER ARGS…: runs it, as what -wrapper of gcc names. A C or Fortran compiler gets
 * its source with marks; when it has errors then, it gets it as it is. All others run unchanged.
 * omp-marks --clang COMPILER ARGS…: the same for clang, which sees other contents of its files.
 */
#include "runtime/loops/loops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has(char **argv, const char *word)
{
	while (*argv)
		if (!strcmp(*argv++, word))
			return true;
	return false;
}

/* Where the source is in argv, and what language it is; NULL: there is none to mark. */
static char **source_of(char **argv, const char **language)
{
	static const char *const fortran[] = { ".f90", ".F90", ".f95", ".F95", ".f03", ".F03",
					       ".f08", ".F08", ".f",   ".F",   ".for", ".FOR",
					       ".ftn", ".FTN", ".fpp", ".FPP", NULL };
	const char *name = strrchr(argv[0], '/');

	name = name ? name + 1 : argv[0];
	if (!strcmp(name, "f951")) {
		for (char **a = argv + 1; *a; a++)
			for (unsigned i = 0; fortran[i] && **a != '-'; i++)
				if (name_ends_in(*a, fortran[i])) {
					*language = "fortran";
					return a;
				}
		return NULL;
	}
	if (strcmp(name, "cc1") && strcmp(name, "cc1plus"))
		return NULL;
	*language = name + 3;
	for (char **a = argv + 1; *a; a++)
		if (!strcmp(*a, "-fpreprocessed") && a[1] && *a[1] != '-')
			return a + 1;
	return NULL;
}

static bool is_fixed(char **argv, const char *name)
{
	if (has(argv, "-ffixed-form") || has(argv, "-ffree-form"))
		return has(argv, "-ffixed-form");
	return !strchr("0358", name[strlen(name) - 1]);
}

/* The text with its marks, in place of the source. */
static bool run_marked(char **argv, char **source, const struct text *t)
{
	char *given = *source, *name = file_marked(t, given);
	bool done;

	if (!name)
		return false;
	*source = name;
	done = run_quietly(argv);
	*source = given;
	file_discard(name);
	return done;
}

/* The directory of the source, in which the compiler looks for what it includes. */
static char **with_directory(int argc, char **argv, const char *source)
{
	const char *slash = strrchr(source, '/');
	char **all = calloc((size_t)argc + 3, sizeof(*all));

	if (!all)
		return NULL;
	memcpy(all, argv, (size_t)argc * sizeof(*all));
	all[argc] = (char *)"-I";
	all[argc + 1] = slash ? strndup(source, (size_t)(slash - source)) : strdup(".");
	return all;
}

static int run_plain(char **argv)
{
	execvp(argv[0], argv);
	fprintf(stderr, "omp-marks: %s cannot be run: %s\n", argv[0], strerror(errno));
	return 127;
}

/* The compiler, with a source that has marks; plain: those of loops only. */
static bool run_source(int argc, char **argv, char **source, const char *language, bool plain)
{
	bool fortran = !strcmp(language, "fortran"), done = false;
	struct text t = { .plain = plain };
	char **all = NULL;

	if (text_read(&t, *source)) {
		if (fortran)
			fortran_marks(&t, is_fixed(argv, *source), *source);
		else
			c_marks(&t, !strcmp(language, "plus"), false);
		all = fortran ? with_directory(argc, argv, *source) : argv;
		done = t.n && !t.bad && all && run_marked(all, all + (source - argv), &t);
	}
	text_clear(&t);
	return done;
}

int main(int argc, char **argv)
{
	const char *language = "";
	char **source;

	argc--;
	argv++;
	if (argc < 1) {
		fputs("omp-marks: usage: omp-marks [--clang] COMPILER [ARG]...\n", stderr);
		return 2;
	}
	if (!strcmp(argv[0], "--clang") && argc > 1)
		return run_overlaid(argc - 1, argv + 1, false) ||
				       run_overlaid(argc - 1, argv + 1, true)
			       ? 0
			       : run_plain(argv + 1);
	source = source_of(argv, &language);
	if (source && (run_source(argc, argv, source, language, false) ||
		       run_source(argc, argv, source, language, true)))
		return 0;
	return run_plain(argv);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/rebuild/rebuild.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/launch/launch.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/private_dir.h"
#include "frontend/util/words.h"
#include "frontend/util/xvec.h"

#define UNITS_MOST 400

/* A source, and how it was compiled. */
struct unit {
	char *path, *dir, *how; /* owned; absolute or from dir; where; the compiler and its options */
	char **include;		/* owned */
	enum symbol_language language;
	bool done;
};

struct build {
	struct rebuilt *out;
	struct program program;
	struct unit *unit; /* owned */
	size_t n;
	char *log; /* owned: file of what the compiler says */
};

/* Words of a command, NULL at the end. */
struct command {
	char **word; /* owned */
	size_t n;
};

static void add(struct command *c, char *word)
{
	*xvec_add(c->word, c->n) = word;
}

static void command_clear(struct command *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->word[i]);
	free(c->word);
	*c = (struct command){ 0 };
}

static void take_unit(void *arg, const struct symbol_unit *s)
{
	struct build *b = arg;
	struct unit *u = xvec_add(b->unit, b->n);

	*u = (struct unit){ .path = xstrdup(s->path),
			    .dir = xstrdup(s->dir ? s->dir : "."),
			    .how = xstrdup(s->how),
			    .include = words_list_copy((char *const *)s->include),
			    .language = s->language };
}

static void build_clear(struct build *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->unit[i].path);
		free(b->unit[i].dir);
		free(b->unit[i].how);
		words_list_free(b->unit[i].include);
	}
	free(b->unit);
	free(b->log);
	program_clear(&b->program);
}

/* dvmdbg-cc or dvmdbg-fc: beside us, or where they are built. */
static char *own_compiler(const char *name)
{
	static const char *const places[] = { "", "../runtime/", "../bin/" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = xasprintf("%.*s/%s%s", (int)(slash - self), self, places[i], name);

		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return program_find(name);
}

/* The compiler that the hooks' is to run: of the program's MPI. NULL: there is none. */
static char *compiler_of(const struct build *b, enum symbol_language language)
{
	static const char *const names[3][SYMBOL_LANGUAGES][4] = {
		{ { "cc", "gcc" }, { "c++", "g++" }, { "gfortran" } },
		{ { "mpicc.openmpi", "mpicc" },
		  { "mpicxx.openmpi", "mpicxx", "mpic++" },
		  { "mpifort.openmpi", "mpifort", "mpif90" } },
		{ { "mpicc.mpich", "mpicc" },
		  { "mpicxx.mpich", "mpicxx", "mpic++" },
		  { "mpifort.mpich", "mpifort", "mpif90" } },
	};

	for (unsigned i = 0; i < 4 && names[b->program.mpi][language][i]; i++) {
		char *path = program_find(names[b->program.mpi][language][i]);

		free(path);
		if (path)
			return xstrdup(names[b->program.mpi][language][i]);
	}
	return NULL;
}

/* Of the words that the debug information has behind the compiler's name and version. */
static bool is_wanted(const char *word)
{
	static const char *const wanted[] = { "-f", "-m", "-std=", "-g", "-D", "-U", "-openmp" };
	static const char *const not[] = { "-fpre-include", "-fintrinsic-modules-path", "-fsanitize",
					   "-fdebug-prefix-map", "-ffile-prefix-map",
					   "-fprofile", "-flto" };

	for (size_t i = 0; i < sizeof(not) / sizeof(not[0]); i++)
		if (!strncmp(word, not[i], strlen(not[i])))
			return false;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strncmp(word, wanted[i], strlen(wanted[i])))
			return true;
	return false;
}

static void add_options(struct command *c, const struct unit *u)
{
	char *how = xstrdup(u->how), *rest = how;
	bool debug = false;

	for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (!is_wanted(word))
			continue;
		debug |= !strncmp(word, "-g", 2);
		add(c, xstrdup(word));
	}
	if (!debug)
		add(c, xstrdup("-g"));
	/* all variables are there, and are what the source says */
	add(c, xstrdup("-O0"));
	free(how);
	for (size_t i = 0; u->include[i]; i++)
		add(c, xasprintf("-I%s", u->include[i]));
}

static bool is_optimized(const char *how)
{
	return !strchr("0g", symbols_level(how));
}

/* Whether clang has compiled it, which a wrapper of MPI has to be told. */
static bool by_clang(const struct unit *u)
{
	return strstr(u->how, "clang version") != NULL;
}

/* Runs it in dir; what it says goes to the log. */
static bool run(const struct build *b, const struct command *c, const char *dir, const char *compiler,
		bool fortran, bool clang)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int fd = open(b->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int none = open("/dev/null", O_RDONLY);

		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (fd < 0 || none < 0 || dup2(none, 0) < 0 || dup2(fd, 1) < 0 ||
		    dup2(fd, 2) < 0 || chdir(dir) < 0)
			_exit(127);
		setenv(fortran ? "DVMDBG_FC" : "DVMDBG_CC", compiler, 1);
		if (clang) {
			setenv("OMPI_CC", "clang", 0);
			setenv("MPICH_CC", "clang", 0);
		}
		execv(c->word[0], c->word);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* 1: it has failed, and the log says why; -1 and err: there is none. */
static int run_compiler(const struct build *b, struct command *c, const char *dir,
			enum symbol_language language, bool clang, struct err *err)
{
	bool fortran = language == SYMBOL_FORTRAN, good;
	const char *name = fortran ? "dvmdbg-fc" : "dvmdbg-cc";
	char *own = own_compiler(name), *compiler = compiler_of(b, language);

	if (!own || !compiler) {
		err_set(err, "%s is not there", own ? "its compiler" : name);
		free(own);
		free(compiler);
		return -1;
	}
	free(c->word[0]);
	c->word[0] = own;
	add(c, NULL);
	good = run(b, c, dir, compiler, fortran, clang);
	free(compiler);
	return !good;
}

static int compile(const struct build *b, size_t i, struct err *err)
{
	const struct unit *u = &b->unit[i];
	struct command c = { 0 };
	int rc;

	add(&c, NULL); /* the compiler */
	add_options(&c, u);
	if (u->language == SYMBOL_FORTRAN) {
		/* its own modules come first; those of libraries may be where it was compiled */
		add(&c, xasprintf("-J%s", b->out->dir));
		add(&c, xasprintf("-I%s", b->out->dir));
		add(&c, xasprintf("-I%s", u->dir));
	}
	add(&c, xstrdup("-c"));
	add(&c, xstrdup(u->path));
	add(&c, xstrdup("-o"));
	add(&c, xasprintf("%s/%zu.o", b->out->dir, i));
	rc = run_compiler(b, &c, u->dir, u->language, by_clang(u), err);
	command_clear(&c);
	return rc;
}

/* The first line of the log that names an error. */
static int put_reason(const struct build *b, const char *what, struct err *err)
{
	FILE *f = fopen(b->log, "re");
	char line[400], first[400] = "";

	while (f && fgets(line, sizeof(line), f)) {
		bool says = strstr(line, "rror") || strstr(line, "cannot find") ||
			    strstr(line, "undefined reference");

		line[strcspn(line, "\n")] = 0;
		if (says || !*first)
			snprintf(first, sizeof(first), "%s", line);
		if (says)
			break;
	}
	if (f)
		fclose(f);
	return err_set(err, "%s cannot be compiled with hooks: %s", what,
		       *first ? first : "the compiler fails");
}

/* Modules of Fortran are there when the sources that have them are compiled. */
static int compile_all(struct build *b, struct err *err)
{
	size_t left = b->n, before, first = 0;
	int rc;

	do {
		before = left;
		for (size_t i = 0; i < b->n; i++) {
			if (b->unit[i].done)
				continue;
			rc = compile(b, i, err);
			if (rc < 0)
				return -1;
			b->unit[i].done = !rc;
			left -= !rc;
		}
	} while (left && left < before);
	if (!left)
		return 0;
	/* the log is of the last one that has failed: once more the first */
	while (b->unit[first].done)
		first++;
	rc = compile(b, first, err);
	return rc > 0 ? put_reason(b, b->unit[first].path, err) : -1;
}

static void add_library(void *arg, const char *path)
{
	struct command *c = arg;
	const char *slash = strrchr(path, '/');

	add(c, xstrdup(path));
	add(c, xasprintf("-Wl,-rpath,%.*s", (int)(slash ? slash - path : 0), path));
}

/* Libraries with a path are named already. */
static bool has_path_of(const struct command *c, const char *name)
{
	for (size_t i = 1; i < c->n; i++) {
		const char *slash = strrchr(c->word[i], '/');

		if (slash && *c->word[i] == '/' && !strcmp(slash + 1, name))
			return true;
	}
	return false;
}

static void add_needed(void *arg, const char *name)
{
	static const char *const known[] = { "libc.so", "ld-linux", "libmpi",	"libgcc_s",
					     "libgfortran", "libstdc++", "libdvmdbg", "libm.so" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(name, known[i], strlen(known[i])))
			return;
	if (!has_path_of(arg, name))
		add(arg, xasprintf("-l:%s", name));
}

static enum symbol_language linker_of(const struct build *b)
{
	enum symbol_language most = SYMBOL_C;

	for (size_t i = 0; i < b->n; i++)
		most = b->unit[i].language > most ? b->unit[i].language : most;
	return most;
}

static int link_all(struct build *b, struct err *err)
{
	enum symbol_language language = linker_of(b);
	struct command c = { 0 };
	int rc;
	bool openmp = false, clang = false, cxx = false;

	add(&c, NULL);
	add(&c, xstrdup("-g"));
	for (size_t i = 0; i < b->n; i++) {
		add(&c, xasprintf("%s/%zu.o", b->out->dir, i));
		openmp |= strstr(b->unit[i].how, "openmp") != NULL;
		clang |= by_clang(&b->unit[i]);
		cxx |= b->unit[i].language == SYMBOL_CXX;
	}
	if (openmp)
		add(&c, xstrdup("-fopenmp"));
	program_libraries(b->program.path, add_library, &c);
	program_needs(b->program.path, add_needed, &c);
	if (cxx && language == SYMBOL_FORTRAN)
		add(&c, xstrdup("-lstdc++"));
	add(&c, xstrdup("-lm"));
	add(&c, xstrdup("-o"));
	add(&c, xstrdup(b->out->program));
	rc = run_compiler(b, &c, b->out->dir, language, clang, err);
	command_clear(&c);
	return rc > 0 ? put_reason(b, "the program", err) : rc;
}

static int build(struct build *b, struct symbols *symbols, const char *program, struct err *err)
{
	char lacks[256];

	if (program_open(&b->program, program, err))
		return -1;
	symbols_units(symbols, b->program.path, take_unit, b);
	if (!b->n)
		return err_set(err, "it has no debug information: compile it with -g");
	if (b->n > UNITS_MOST)
		return err_set(err, "it has %zu sources, of which %d can be compiled here", b->n,
			       UNITS_MOST);
	for (size_t i = 0; i < b->n; i++) {
		const struct unit *u = &b->unit[i];
		char *path = *u->path == '/' ? xstrdup(u->path) :
					       xasprintf("%s/%s", u->dir, u->path);
		bool there = !access(path, R_OK);

		free(path);
		if (!there)
			return err_set(err, "its source %s is not there", u->path);
	}
	for (size_t i = 0; i < b->n; i++)
		b->out->optimized |= is_optimized(b->unit[i].how);
	b->out->held = private_dir_temporary(&b->out->dir);
	if (b->out->held < 0)
		return err_set(err, "cannot make %s: %s", b->out->dir, strerror(errno));
	b->out->program = xasprintf("%s/%s", b->out->dir, path_base(b->program.path));
	b->log = xasprintf("%s/log", b->out->dir);
	if (compile_all(b, err) || link_all(b, err))
		return -1;
	if (!symbols_has_functions_of(symbols, b->out->program, b->program.path, lacks,
				      sizeof(lacks)))
		return err_set(err,
			       "what its sources make now has no function %s: they have changed, or "
			       "macros of its build are not known",
			       lacks);
	b->out->sources = (unsigned)b->n;
	return 0;
}

int rebuild_with_hooks(struct rebuilt *r, struct symbols *symbols, const char *program,
		       struct err *err)
{
	struct build b = { .out = r };
	int rc;

	*r = (struct rebuilt){ .held = -1 };
	rc = build(&b, symbols, program, err);
	build_clear(&b);
	if (rc)
		rebuilt_clear(r);
	return rc;
}

void rebuilt_clear(struct rebuilt *r)
{
	if (r->dir && r->held >= 0) {
		private_dir_scratch_remove(r->dir);
		close(r->held);
	}
	free(r->dir);
	free(r->program);
	*r = (struct rebuilt){ .held = -1 };
}

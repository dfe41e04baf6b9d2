/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors inside MPI that would end the program: it stops before that, where they can be named. Only
 * where the program has left what is to be done to MPI.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/mpi_table.h"
#include "runtime/mpi/internal.h"

#define FRAMES 64
#define TEXT 192
#define REAL(name) ((__typeof__(&MPI_##name))next_of("PMPI_" #name))

#ifdef OPEN_MPI
#define FATAL ((MPI_Errhandler)object_of("ompi_mpi_errors_are_fatal"))
#define COMM_WORLD ((MPI_Comm)object_of("ompi_mpi_comm_world"))
#define COMM_SELF ((MPI_Comm)object_of("ompi_mpi_comm_self"))
#else
#define FATAL MPI_ERRORS_ARE_FATAL
#define COMM_WORLD MPI_COMM_WORLD
#define COMM_SELF MPI_COMM_SELF
#endif

/* Libraries of MPI, and this one. */
static int is_inside(const char *path)
{
	static const char *const parts[] = { "libmpi", "libdvmdbg", "libopen-", "mca_", "libpmi" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(slash ? slash : path, parts[i]))
			return 1;
	return 0;
}

const void *error_caller(void)
{
	void *frame[FRAMES];
	int n = backtrace(frame, FRAMES);
	Dl_info at;

	for (int i = 1; i < n; i++)
		if (dladdr(frame[i], &at) && at.dli_fname && !is_inside(at.dli_fname))
			return frame[i];
	return NULL;
}

/* The function's name out of "…MPI_Recv(buf=…) failed"; what is given otherwise. */
static void name_of(const char *text, const char *given, char *out, size_t size)
{
	const char *at = strstr(text, " MPI_");
	size_t len = at ? strcspn(at + 1, "( \n") : 0;

	if (given && !strncmp(given, "MPI_", 4))
		snprintf(out, size, "%s: ", given);
	else if (len && at[1 + len] == '(')
		snprintf(out, size, "%.*s: ", (int)len, at + 1);
	else
		*out = '\0';
}

static void report(int code, const char *given)
{
	char whole[MPI_MAX_ERROR_STRING + 1] = "", name[80], text[TEXT], *more;
	int len = 0, class = code;

	REAL(Error_string)(code, whole, &len);
	name_of(whole, given, name, sizeof(name));
	whole[strcspn(whole, "\n")] = '\0';
	more = strstr(whole, ", error stack");
	if (more)
		*more = '\0';
	snprintf(text, sizeof(text), "%s%.110s", name, whole);
	REAL(Error_class)(code, &class);
	if (dvmdbg_mpi_error)
		dvmdbg_mpi_error(class, text, error_caller());
}

/* What MPI itself does comes after that. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
	const char *given = NULL;
#ifdef OPEN_MPI
	va_list ap;

	va_start(ap, code);
	given = va_arg(ap, const char *);
	va_end(ap);
#endif
	report(*code, given);
	REAL(Comm_set_errhandler)(*comm, FATAL);
	REAL(Comm_call_errhandler)(*comm, *code);
}

static void watch(MPI_Comm comm, MPI_Errhandler ours)
{
	MPI_Errhandler theirs;

	if (REAL(Comm_get_errhandler)(comm, &theirs) != MPI_SUCCESS)
		return;
	if (theirs == FATAL)
		REAL(Comm_set_errhandler)(comm, ours);
	REAL(Errhandler_free)(&theirs);
}

void error_begin(void)
{
	MPI_Errhandler ours;

	if (REAL(Comm_create_errhandler)(on_error, &ours) != MPI_SUCCESS)
		return;
	watch(COMM_WORLD, ours);
	watch(COMM_SELF, ours);
	REAL(Errhandler_free)(&ours);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors inside MPI that would end the program: it stops before that, where they can be named. Only
 * where the program has left what is to be done to MPI.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/protocol/finding_kind.h"
#include "runtime/base/mpi_table.h"
#include "runtime/mpi/internal.h"

#define FRAMES 64
#define TEXT 192
#define REAL(name) ((__typeof__(&MPI_##name))next_of("PMPI_" #name))

#ifdef OPEN_MPI
#define FATAL ((MPI_Errhandler)object_of("ompi_mpi_errors_are_fatal"))
#define RETURN ((MPI_Errhandler)object_of("ompi_mpi_errors_return"))
#define COMM_WORLD ((MPI_Comm)object_of("ompi_mpi_comm_world"))
#define COMM_SELF ((MPI_Comm)object_of("ompi_mpi_comm_self"))
#define NO_FILE ((MPI_File)object_of("ompi_mpi_file_null"))
#else
#define FATAL MPI_ERRORS_ARE_FATAL
#define RETURN MPI_ERRORS_RETURN
#define COMM_WORLD MPI_COMM_WORLD
#define COMM_SELF MPI_COMM_SELF
#define NO_FILE MPI_FILE_NULL
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

/* Of a handler: Open MPI gives it the call's name behind the code. */
static void report_handled(int code, va_list more)
{
	const char *given = NULL;

#ifdef OPEN_MPI
	given = va_arg(more, const char *);
#else
	(void)more;
#endif
	report(code, given);
}

/* What MPI itself does comes after that. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
	va_list ap;

	va_start(ap, code);
	report_handled(*code, ap);
	va_end(ap);
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

static MPI_Errhandler of_windows;
static _Atomic bool have_windows;

static void on_window_error(MPI_Win *win, int *code, ...)
{
	va_list ap;

	va_start(ap, code);
	report_handled(*code, ap);
	va_end(ap);
	REAL(Win_set_errhandler)(*win, FATAL);
	REAL(Win_call_errhandler)(*win, *code);
}

static MPI_Win window_of(uint64_t handle)
{
	return (MPI_Win)(uintptr_t)handle;
}

void error_window(uint64_t handle)
{
	MPI_Errhandler theirs;

	if (!have_windows ||
	    REAL(Win_get_errhandler)(window_of(handle), &theirs) != MPI_SUCCESS)
		return;
	if (theirs == FATAL)
		REAL(Win_set_errhandler)(window_of(handle), of_windows);
	REAL(Errhandler_free)(&theirs);
}

/* Errors that no correct call has; others a program may expect, as of a file that is not there. */
static bool is_mistake(int class, unsigned call)
{
	static const int classes[] = { MPI_ERR_BUFFER,	MPI_ERR_COUNT,	  MPI_ERR_TYPE,	     MPI_ERR_TAG,
				       MPI_ERR_COMM,	MPI_ERR_RANK,	  MPI_ERR_REQUEST,   MPI_ERR_ROOT,
				       MPI_ERR_GROUP,	MPI_ERR_OP,	  MPI_ERR_TOPOLOGY,  MPI_ERR_DIMS,
				       MPI_ERR_ARG,	MPI_ERR_TRUNCATE, MPI_ERR_IN_STATUS, MPI_ERR_WIN,
				       MPI_ERR_BASE,	MPI_ERR_DISP,	  MPI_ERR_LOCKTYPE,  MPI_ERR_ASSERT,
				       MPI_ERR_SIZE,	MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC,
				       MPI_ERR_RMA_RANGE, MPI_ERR_FILE, MPI_ERR_AMODE,
				       MPI_ERR_NOT_SAME, MPI_ERR_READ_ONLY };

	/* a file that is open has been opened otherwise */
	if (class == MPI_ERR_ACCESS && call != MPISTATE_CALL_File_open)
		return true;
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (class == classes[i])
			return true;
	return false;
}

/* Whether errors of the call's communicator, window or file are returned, with nobody else who sees them. */
static bool is_returned(const struct mpi_thread *t)
{
	const struct mpistate_object *o = t->object;
	MPI_Errhandler have;
	bool is;
	int rc;

	if (o && o->what == MPISTATE_WIN)
		rc = REAL(Win_get_errhandler)(window_of(o->handle), &have);
	else if (o && o->what == MPISTATE_FILE)
		rc = REAL(File_get_errhandler)((MPI_File)(uintptr_t)o->handle, &have);
	else if (t->shape->file >= 0 || t->call == MPISTATE_CALL_File_open)
		rc = REAL(File_get_errhandler)(NO_FILE, &have);
	else
		rc = REAL(Comm_get_errhandler)(o ? (MPI_Comm)(uintptr_t)o->handle : COMM_WORLD, &have);
	if (rc != MPI_SUCCESS)
		return false;
	is = have == RETURN;
	REAL(Errhandler_free)(&have);
	return is;
}

void error_returned(const struct mpi_thread *t, int code)
{
	char whole[MPI_MAX_ERROR_STRING + 1] = "", *more;
	int class = 0, len = 0;

	if (REAL(Error_class)(code, &class) != MPI_SUCCESS || !is_mistake(class, t->call) ||
	    !is_returned(t) || REAL(Error_string)(code, whole, &len) != MPI_SUCCESS)
		return;
	whole[strcspn(whole, "\n")] = '\0';
	more = strstr(whole, ", error stack");
	if (more)
		*more = '\0';
	check_report(t, FINDING_MISUSE, "it has failed: %.110s", whole);
}

void error_begin(void)
{
	MPI_Errhandler ours;

	if (REAL(Comm_create_errhandler)(on_error, &ours) != MPI_SUCCESS)
		return;
	watch(COMM_WORLD, ours);
	watch(COMM_SELF, ours);
	REAL(Errhandler_free)(&ours);
	have_windows = REAL(Win_create_errhandler)(on_window_error, &of_windows) == MPI_SUCCESS;
}

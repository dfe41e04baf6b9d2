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
#include <strings.h>

#include "common/protocol/finding_kind.h"
#include "runtime/base/mpi_table.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/internal.h"

#define FRAMES 64
#define TEXT 192
#define REAL(name) ((__typeof__(&MPI_##name))next_of("PMPI_" #name))

#ifdef OPEN_MPI
#define FATAL ((MPI_Errhandler)object_of("ompi_mpi_errors_are_fatal"))
#define RETURN ((MPI_Errhandler)object_of("ompi_mpi_errors_return"))
#define HANDLER_FORTRAN(handler) NEXT(PMPI_Errhandler_c2f, "PMPI_Errhandler_c2f")(handler)
#else
#define FATAL MPI_ERRORS_ARE_FATAL
#define RETURN MPI_ERRORS_RETURN
#define HANDLER_FORTRAN(handler) ((MPI_Fint)(handler))
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
	if (dvmdbg_mpi_refuse)
		dvmdbg_mpi_refuse(text);
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

/* Never freed, so that no handler of the program's has the same handle. */
static MPI_Errhandler of_comms, of_windows;
static _Atomic bool have_comms, have_windows;

static void watch(MPI_Comm comm)
{
	MPI_Errhandler theirs;

	if (!have_comms || REAL(Comm_get_errhandler)(comm, &theirs) != MPI_SUCCESS)
		return;
	if (theirs == FATAL)
		REAL(Comm_set_errhandler)(comm, of_comms);
	REAL(Errhandler_free)(&theirs);
}

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

static void watch_window(MPI_Win win)
{
	MPI_Errhandler theirs;

	if (!have_windows || REAL(Win_get_errhandler)(win, &theirs) != MPI_SUCCESS)
		return;
	if (theirs == FATAL)
		REAL(Win_set_errhandler)(win, of_windows);
	REAL(Errhandler_free)(&theirs);
}

void error_window(uint64_t handle)
{
	watch_window(window_of(handle));
}

/* Errors that no correct call has; others a program may expect, as of a file that is not there. */
static bool is_mistake(int class, unsigned call)
{
	static const int classes[] = {
		MPI_ERR_BUFFER, MPI_ERR_COUNT,	      MPI_ERR_TYPE,	 MPI_ERR_TAG,
		MPI_ERR_COMM,	MPI_ERR_RANK,	      MPI_ERR_REQUEST,	 MPI_ERR_ROOT,
		MPI_ERR_GROUP,	MPI_ERR_OP,	      MPI_ERR_TOPOLOGY,	 MPI_ERR_DIMS,
		MPI_ERR_ARG,	MPI_ERR_TRUNCATE,     MPI_ERR_IN_STATUS, MPI_ERR_WIN,
		MPI_ERR_BASE,	MPI_ERR_DISP,	      MPI_ERR_LOCKTYPE,	 MPI_ERR_ASSERT,
		MPI_ERR_SIZE,	MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC,	 MPI_ERR_RMA_RANGE,
		MPI_ERR_FILE,	MPI_ERR_AMODE,	      MPI_ERR_NOT_SAME,	 MPI_ERR_READ_ONLY
	};

	/* a file that is open has been opened otherwise */
	if (class == MPI_ERR_ACCESS && call != MPISTATE_CALL_File_open)
		return true;
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (class == classes[i])
			return true;
	return false;
}

/* Whether errors of the call's communicator, window or file are returned, with nobody else who sees
 * them. */
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
		rc = REAL(File_get_errhandler)(FILE_NULL_, &have);
	else
		rc = REAL(Comm_get_errhandler)(o ? (MPI_Comm)(uintptr_t)o->handle : COMM_WORLD,
					       &have);
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

/*
 * What the program asks for is the handler that there would be without ours; as it may free that, a
 * reference of its own is taken. What it sets again is watched again.
 */
static mpi_word (*get_comm_next)(mpi_word comm, MPI_Errhandler *out);
static mpi_word (*set_comm_next)(mpi_word comm, mpi_word handler);
static mpi_word (*get_window_next)(mpi_word win, MPI_Errhandler *out);
static mpi_word (*set_window_next)(mpi_word win, mpi_word handler);

static mpi_word get_comm(mpi_word comm, MPI_Errhandler *out)
{
	mpi_word rc = get_comm_next(comm, out);

	if ((int)rc != MPI_SUCCESS || !have_comms || *out != of_comms)
		return rc;
	REAL(Errhandler_free)(out);
	REAL(Comm_set_errhandler)((MPI_Comm)comm, FATAL);
	rc = get_comm_next(comm, out);
	REAL(Comm_set_errhandler)((MPI_Comm)comm, of_comms);
	return rc;
}

static mpi_word set_comm(mpi_word comm, mpi_word handler)
{
	mpi_word rc = set_comm_next(comm, handler);

	if ((int)rc == MPI_SUCCESS)
		watch((MPI_Comm)comm);
	return rc;
}

static mpi_word get_window(mpi_word win, MPI_Errhandler *out)
{
	mpi_word rc = get_window_next(win, out);

	if ((int)rc != MPI_SUCCESS || !have_windows || *out != of_windows)
		return rc;
	REAL(Errhandler_free)(out);
	REAL(Win_set_errhandler)((MPI_Win)win, FATAL);
	rc = get_window_next(win, out);
	REAL(Win_set_errhandler)((MPI_Win)win, of_windows);
	return rc;
}

static mpi_word set_window(mpi_word win, mpi_word handler)
{
	mpi_word rc = set_window_next(win, handler);

	if ((int)rc == MPI_SUCCESS)
		watch_window((MPI_Win)win);
	return rc;
}

/* Fortran's: its handles are integers, and the code may be left out. */
static void (*fget_comm_next)(const MPI_Fint *comm, MPI_Fint *out, MPI_Fint *code);
static void (*fset_comm_next)(const MPI_Fint *comm, const MPI_Fint *handler, MPI_Fint *code);
static void (*fget_window_next)(const MPI_Fint *win, MPI_Fint *out, MPI_Fint *code);
static void (*fset_window_next)(const MPI_Fint *win, const MPI_Fint *handler, MPI_Fint *code);

static void fget_comm(const MPI_Fint *comm, MPI_Fint *out, MPI_Fint *code)
{
	MPI_Fint rc;

	fget_comm_next(comm, out, &rc);
	if (rc == MPI_SUCCESS && have_comms && *out == HANDLER_FORTRAN(of_comms)) {
		MPI_Errhandler ours = of_comms;

		REAL(Errhandler_free)(&ours);
		REAL(Comm_set_errhandler)(COMM_C(*comm), FATAL);
		fget_comm_next(comm, out, &rc);
		REAL(Comm_set_errhandler)(COMM_C(*comm), of_comms);
	}
	if (code)
		*code = rc;
}

static void fset_comm(const MPI_Fint *comm, const MPI_Fint *handler, MPI_Fint *code)
{
	MPI_Fint rc;

	fset_comm_next(comm, handler, &rc);
	if (rc == MPI_SUCCESS)
		watch(COMM_C(*comm));
	if (code)
		*code = rc;
}

static void fget_window(const MPI_Fint *win, MPI_Fint *out, MPI_Fint *code)
{
	MPI_Fint rc;

	fget_window_next(win, out, &rc);
	if (rc == MPI_SUCCESS && have_windows && *out == HANDLER_FORTRAN(of_windows)) {
		MPI_Errhandler ours = of_windows;

		REAL(Errhandler_free)(&ours);
		REAL(Win_set_errhandler)(window_of(WIN_WORD(*win)), FATAL);
		fget_window_next(win, out, &rc);
		REAL(Win_set_errhandler)(window_of(WIN_WORD(*win)), of_windows);
	}
	if (code)
		*code = rc;
}

static void fset_window(const MPI_Fint *win, const MPI_Fint *handler, MPI_Fint *code)
{
	MPI_Fint rc;

	fset_window_next(win, handler, &rc);
	if (rc == MPI_SUCCESS)
		watch_window(window_of(WIN_WORD(*win)));
	if (code)
		*code = rc;
}

/* A name of Fortran's, in any spelling. */
static bool is_spelled(const char *name, const char *as)
{
	size_t n = strlen(as);

	return !strncasecmp(name, as, n) && (!name[n] || !strcmp(name + n, "_") ||
					     !strcmp(name + n, "__") || !strcmp(name + n, "_f08_"));
}

void *error_wrapper(const char *name, void *next)
{
	static const struct {
		const char *name;
		void **next, *to, **fnext, *fto;
	} own[] = {
#define OWN(name, of) \
	{ name, (void **)&of##_next, (void *)of, (void **)&f##of##_next, (void *)f##of }
		OWN("MPI_Comm_get_errhandler", get_comm),
		OWN("MPI_Comm_set_errhandler", set_comm),
		OWN("MPI_Errhandler_get", get_comm),
		OWN("MPI_Errhandler_set", set_comm),
		OWN("MPI_Win_get_errhandler", get_window),
		OWN("MPI_Win_set_errhandler", set_window),
#undef OWN
	};

	for (size_t i = 0; next && i < sizeof(own) / sizeof(*own); i++) {
		if (!strcmp(name, own[i].name)) {
			*own[i].next = next;
			return own[i].to;
		}
		if (is_spelled(name, own[i].name)) {
			*own[i].fnext = next;
			return own[i].fto;
		}
	}
	return next;
}

void error_begin(void)
{
	have_comms = REAL(Comm_create_errhandler)(on_error, &of_comms) == MPI_SUCCESS;
	watch(COMM_WORLD);
	watch(COMM_SELF);
	have_windows = REAL(Win_create_errhandler)(on_window_error, &of_windows) == MPI_SUCCESS;
}

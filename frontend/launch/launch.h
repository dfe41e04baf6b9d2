/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The launcher process of a job: started below a guard, its output read line by line, ended for
 * certain.
 */
#ifndef DVMDBG_FRONTEND_LAUNCH_LAUNCH_H
#define DVMDBG_FRONTEND_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/protocol/msg.h"

struct conn;
struct err;
struct launch;
struct loop;
struct rendezvous;

/*
 * The guard: a small child of the front end that is the launcher's parent. It survives the front
 * end, whatever kills that, long enough to end the launcher and to remove the rendezvous directory,
 * or, when the program is to run on, to keep its output flowing. The launcher dies with the guard
 * (PDEATHSIG).
 */

/* What the front end writes to the guard's socket, a byte each. */
enum guard_word {
	GUARD_KILL = 'k', /* if the front end goes: end the launcher */
	GUARD_RUN = 'r',  /* if the front end goes: let it run */
	GUARD_TERM = 't', /* now: SIGTERM to the launcher's group, SIGKILL after GUARD_GRACE_MS */
};

#define GUARD_GRACE_MS 2000

/* What the guard writes: once when the launcher is started, once when it has ended. */
struct guard_note {
	int what;  /* 0 started, 1 ended */
	int value; /* pid; waitpid status */
};

struct guard_env {
	const char *name, *value; /* value NULL: unset */
};

struct guard_spec {
	const struct loop *loop; /* for the signals of the child */
	int control;		 /* the guard's end of the socket */
	int in;			 /* the launcher's standard input */
	int out[2], err[2];	 /* pipes: read and write end */
	char *const *argv;
	const struct guard_env *env; /* ends with name NULL */
	const char *dir; /* to be removed after the end if the front end is gone; may be NULL */
	bool scratch;	 /* the launcher gets a directory for its files, removed after its end */
	bool run_on;
};

/* Runs in a forked child. */
_Noreturn void guard_main(const struct guard_spec *g);

/*
 * What is to be known of a program before it is started, from its ELF file: whether it can be
 * started here, which MPI it needs, whether it announces constructs. The only user of libelf.
 */

enum program_mpi { PROGRAM_MPI_NONE = 0, PROGRAM_MPI_OPENMPI = 1, PROGRAM_MPI_MPICH = 2 };

struct program {
	char *path;	      /* owned; as found, with a '/' */
	bool script;	      /* begins with "#!": what it will start is not known */
	bool is_static;	      /* nothing can be preloaded */
	bool annotated;	      /* needs libdvmdbg or calls dvmdbg_* */
	bool hooked;	      /* has the access hooks of dvmdbg-cc, in its file … */
	bool hooked_library;  /* … or in a library that it needs */
	bool fortran;	      /* calls the Fortran module dvmdbg */
	bool module_unhooked; /* has the Fortran module, compiled without hooks */
	bool sanitized;	      /* it uses the compiler's thread sanitizer */
	char build_id[41];    /* in hexadecimal digits; "": it has none */
	enum program_mpi mpi; /* by its needed libraries and what those need */
};

/*
 * Finds the program (in PATH when the name has no slash) and reads it. 0, or -1 when it cannot be
 * started here: missing, a directory, not executable, no ELF file, of another architecture.
 */
int program_open(struct program *p, const char *name, struct err *err);
void program_clear(struct program *p);
/* Whether constructs may be announced by others than the program's own file: by a library that it
 * needs, or by one that it may load later. */
bool program_marks_elsewhere(const char *path);
/* Whether the file announces constructs. */
bool program_is_annotated(const char *path);
/*
 * Gives fn the shared libraries that a program needs, also by way of others, as far as they are
 * found by a run path or LD_LIBRARY_PATH: those of the system are left out.
 */
void program_libraries(const char *path, void (*fn)(void *arg, const char *path), void *arg);
/* Gives fn the names of the libraries that the file itself needs. */
void program_needs(const char *path, void (*fn)(void *arg, const char *name), void *arg);
/* "Open MPI", "MPICH", "no MPI" */
const char *program_mpi_words(enum program_mpi mpi);
/* The file that a shell would run for name, owned by the caller; NULL when there is none. */
char *program_find(const char *name);

/*
 * Which launcher starts the ranks, and what is to be known of it.
 */

struct launcher {
	char **word;  /* owned, NULL-terminated, word[0] a path; NULL: no launcher, one rank is
			 started directly */
	bool given;   /* the user named it */
	bool openmpi; /* Open MPI's: passes environment to other hosts only when told to (-x) */
	bool remote;  /* may start ranks on other hosts */
	bool scratch; /* is to have a directory for its files of its own, here */
};

/*
 * text: what the user gave ("srun --mpi=pmix", quotes as in a shell), or NULL: chosen by what the
 * program needs. n: ranks, 0 when not given. -1 when there is none to be found, or n is more than
 * it should start.
 */
int launcher_choose(struct launcher *l, const char *text, const struct program *p, int n,
		    struct err *err);
void launcher_clear(struct launcher *l);
/*
 * Splits into words by blanks; '…' and "…" keep blanks, \ keeps the next character. The array and
 * its strings are the caller's. NULL and err for a quote that is not closed.
 */
char **launcher_words(const char *text, struct err *err);
void launcher_words_free(char **word);

/*
 * Whether the file defines that symbol for others, and where, in its own address space. *fixed: it
 * is at that very address in each process.
 */
bool program_symbol(const char *path, const char *name, uint64_t *vaddr, bool *fixed);

/*
 * Processes of a job that was started without us.
 */

struct process {
	uint32_t rank;
	pid_t pid;
	const char *core; /* borrowed; of a core file there is no process. NULL: it is none */
};

struct processes {
	struct process *list; /* owned; by rank, each rank once */
	size_t n;
	uint32_t size;	   /* ranks of the job, as far as is known; more than the last rank */
	size_t elsewhere;  /* ranks that are on other hosts … */
	char host[256];	   /* … one of which is this */
	char *program;	   /* owned; the file that the first of them runs */
	char **argv;	   /* owned; that, and what its arguments were */
	int argc;
};

/*
 * Finds the ranks of a job: pid is a launcher (mpiexec, srun), whose table of processes (MPIR) is
 * read or whose descendants are looked at, or ranks themselves. -1 and err: there are none, they
 * belong to different jobs, or may not be debugged, with the setting that forbids it.
 */
int processes_find(struct processes *p, const pid_t *pid, size_t n, struct err *err);
void processes_clear(struct processes *p);

struct launch_spec {
	const struct launcher *launcher;
	int n;			     /* 0: the launcher decides */
	const char *exec;	     /* dvmdbg-exec */
	const char *program;	     /* path */
	char *const *args;	     /* the program's arguments, NULL-terminated */
	const char *input;	     /* its standard input; NULL: nothing … */
	bool typed;		     /* … or, with this, what launch_input is given */
	const struct guard_env *env; /* all of ours, for the guard */
	const char *dir;	     /* to be removed if we die; NULL: none */
	bool run_on;
};

struct launch_watch {
	void *arg;
	/* Whole lines where possible. stream 1 or 2. */
	void (*output)(void *arg, int stream, const char *text, size_t len);
	/* It has ended, all of its output has been reported; waitpid's status. */
	void (*ended)(void *arg, int status);
};

/* Strings of spec are needed during the call only. NULL and err when it cannot be started. */
struct launch *launch_start(const struct launch_spec *spec, struct loop *loop,
			    const struct launch_watch *watch, struct err *err);
/* Forgets it: an end is not waited for, see launch_end. NULL is fine. */
void launch_destroy(struct launch *l);
bool launch_ended(const struct launch *l);
/* waitpid's status; -1 while it runs. */
int launch_status(const struct launch *l);
/* What is to become of it when the front end goes. */
void launch_on_exit(struct launch *l, bool run_on);
/* Asks it to end: SIGTERM, SIGKILL GUARD_GRACE_MS later. Returns at once. */
void launch_end(struct launch *l);
/* The same, and waits until nothing of it is left. */
void launch_kill(struct launch *l);
/*
 * Gives text to the standard input of a launcher that was started `typed`; NULL: there is no more
 * to come. -1 and err.
 */
int launch_input(struct launch *l, const char *text, size_t len, struct err *err);
/* "exited with code 1", "was killed by SIGTERM"; returns out. */
const char *launch_status_text(int status, char *out, size_t size);

/*
 * Where our own files are: dvmdbg-exec and the libraries that are preloaded. Looked for in
 * $DVMDBG_LIBDIR alone when that is set, else relative to this program (a build tree or an
 * installation, wherever it was moved to), last where it was configured to be.
 */

struct paths {
	char *exec;    /* dvmdbg-exec; all owned */
	char *runtime; /* libdvmdbg.so */
	char *regions; /* libdvmdbg-regions.so; NULL: it is not there */
	char *threads; /* libdvmdbg-threads.so; NULL: it is not there */
	char *mpi; /* libdvmdbg-openmpi.so or libdvmdbg-mpich.so; NULL when not needed or not there
		    */
};

/*
 * 0, or -1 with what is missing and where it was looked for. A missing library for the MPI is no
 * error: this dvmdbg may have been built without that MPI; mpi is NULL then.
 */
int paths_find(struct paths *p, enum program_mpi mpi, struct err *err);
void paths_clear(struct paths *p);

/*
 * Where supervisors report first: listening sockets, the session's secret, and who is whose parent
 * in the tree. It answers each JOIN with PARENT or REFUSE; connections that become tree links are
 * handed on.
 */

/* How long a supervisor waits for its parent in the tree to come. */
#define RENDEZVOUS_DEFER_MS 5000
/* How long a connection may take to prove the secret and say JOIN. */
#define RENDEZVOUS_EARLY_MS 10000

struct rendezvous_spec {
	uint32_t n; /* ranks; 0: the first JOIN that knows it gives it */
	bool use_unix, use_tcp;
	struct msg_params params;
	const struct rankset *who; /* those that will come, borrowed for the call; NULL: all n */
};

struct rendezvous_watch {
	void *arg;
	/* The number of ranks has become known. */
	void (*size)(void *arg, uint32_t n);
	/* A supervisor has come for the first time; m is borrowed. */
	void (*joined)(void *arg, const struct msg_join *m);
	/* This connection is a tree link from now on; c becomes the callee's. PARENT was sent. */
	void (*linked)(void *arg, struct conn *c, const struct msg_join *m);
	/* It went before it was sent its parent. */
	void (*vanished)(void *arg, uint32_t rank);
	/* One line about a supervisor that was refused. */
	void (*refused)(void *arg, const char *text);
};

struct rendezvous *rendezvous_create(const struct rendezvous_spec *spec, struct loop *loop,
				     const struct rendezvous_watch *watch, struct err *err);
/* Takes nobody any more and drops those that are not linked. */
void rendezvous_close(struct rendezvous *r);
/* Closes all and removes the directory; NULL is fine. */
void rendezvous_destroy(struct rendezvous *r);
/* For DVMDBG_RENDEZVOUS and DVMDBG_SECRET; the directory is "" when there is none. Borrowed. */
const char *rendezvous_addrs(const struct rendezvous *r);
const char *rendezvous_secret(const struct rendezvous *r);
const char *rendezvous_dir(const struct rendezvous *r);
/* What PARENT says from now on. */
void rendezvous_set_params(struct rendezvous *r, const struct msg_params *params);
/* Process number of a rank's supervisor when it is on this host, else 0. */
int rendezvous_local_pid(const struct rendezvous *r, uint32_t rank);

#endif

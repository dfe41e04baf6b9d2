/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of MPI in which time decides, and receives that are under way.
 */
#ifndef DVMDBG_RUNTIME_MPI_ORDER_MPI_H
#define DVMDBG_RUNTIME_MPI_ORDER_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/order/order_next.h"
#include "runtime/order/order.h"

#ifdef OPEN_MPI
#define NO_REQUEST ((MPI_Request)object_of("ompi_request_null"))
#define WORLD ((MPI_Comm)object_of("ompi_mpi_comm_world"))
#else
#define NO_REQUEST MPI_REQUEST_NULL
#define WORLD MPI_COMM_WORLD
#endif

/* Name, parameters, arguments. */
/* clang-format off */
#define ORDER_CALLS(X) \
	X(Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, \
	  MPI_Status *s), b, n, t, from, tag, c, s) \
	X(Irecv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, \
	  MPI_Request *r), b, n, t, from, tag, c, r) \
	X(Sendrecv, (const void *b, int n, MPI_Datatype t, int to, int stag, void *b2, \
	  int n2, MPI_Datatype t2, int from, int tag, MPI_Comm c, MPI_Status *s), \
	  b, n, t, to, stag, b2, n2, t2, from, tag, c, s) \
	X(Sendrecv_replace, (void *b, int n, MPI_Datatype t, int to, int stag, int from, \
	  int tag, MPI_Comm c, MPI_Status *s), b, n, t, to, stag, from, tag, c, s) \
	X(Probe, (int from, int tag, MPI_Comm c, MPI_Status *s), from, tag, c, s) \
	X(Iprobe, (int from, int tag, MPI_Comm c, int *flag, MPI_Status *s), \
	  from, tag, c, flag, s) \
	X(Mprobe, (int from, int tag, MPI_Comm c, MPI_Message *m, MPI_Status *s), \
	  from, tag, c, m, s) \
	X(Improbe, (int from, int tag, MPI_Comm c, int *flag, MPI_Message *m, MPI_Status *s), \
	  from, tag, c, flag, m, s) \
	X(Wait, (MPI_Request *r, MPI_Status *s), r, s) \
	X(Waitall, (int n, MPI_Request r[], MPI_Status s[]), n, r, s) \
	X(Waitany, (int n, MPI_Request r[], int *i, MPI_Status *s), n, r, i, s) \
	X(Waitsome, (int n, MPI_Request r[], int *count, int i[], MPI_Status s[]), \
	  n, r, count, i, s) \
	X(Test, (MPI_Request *r, int *flag, MPI_Status *s), r, flag, s) \
	X(Testall, (int n, MPI_Request r[], int *flag, MPI_Status s[]), n, r, flag, s) \
	X(Testany, (int n, MPI_Request r[], int *i, int *flag, MPI_Status *s), \
	  n, r, i, flag, s) \
	X(Testsome, (int n, MPI_Request r[], int *count, int i[], MPI_Status s[]), \
	  n, r, count, i, s) \
	X(Request_free, (MPI_Request *r), r) \
	X(Request_get_status, (MPI_Request r, int *flag, MPI_Status *s), r, flag, s) \
	X(Cancel, (MPI_Request *r), r)
/* clang-format on */

enum {
#define X(name, ...) CALL_##name,
	ORDER_CALLS(X)
#undef X
	CALLS
};

/* Next definitions of names with PMPI_: of those above, which are kept, and of others. */
void *order_real(int call, const char *name);
#define REAL(name) ((__typeof__(&MPI_##name))order_real(CALL_##name, "PMPI_" #name))
#define OTHER(name) ((__typeof__(&MPI_##name))next_of("PMPI_" #name))

/* What is done in place of each; next is called for it. */
#define FN(name) __typeof__(&MPI_##name) next
#define UNPACK(...) __VA_ARGS__
#define X(name, params, ...) int order_##name(FN(name), UNPACK params);
ORDER_CALLS(X)
#undef X

/*
 * Whether a call decides: there is something to keep or to follow, and it is the outermost, as
 * functions that other tools put between call each other. order_leave returns rc.
 */
bool order_enter(void);
int order_leave(int rc);

/* A receive by a wildcard that does not block. */
struct receive {
	MPI_Request request;
	size_t kept; /* its ORDER_POST */
	bool narrow; /* waits for one source, in the place of these: */
	void *buf;
	int count, source, tag;
	MPI_Datatype type; /* ours */
	MPI_Comm comm;
	bool wide;	   /* the first is cancelled, and this one receives: */
	MPI_Request other;
};

bool receive_any(void);
struct receive *receive_of(MPI_Request r); /* NULL: it is none */
void receive_forget(struct receive *r);

/* Between two looks, which are counted. True: for so long that something else may be taken. */
bool order_rest(unsigned *looks, int64_t *since);
bool request_complete(MPI_Request r);
bool message_there(int source, int tag, MPI_Comm comm);

#endif

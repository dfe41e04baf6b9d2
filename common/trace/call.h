/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call of MPI with its arguments, as a TRACE_CALL has it: what the system trace consists of.
 * What a call has not is not there. doc/TRACE.md describes the bytes.
 */
#ifndef DVMDBG_COMMON_TRACE_CALL_H
#define DVMDBG_COMMON_TRACE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers, X(name, word): their order is that of their bits in the file, so new ones come last.
 * Ranks are those of the call's communicator, -1 MPI_ANY_SOURCE, -2 MPI_PROC_NULL; tags -1
 * MPI_ANY_TAG.
 */
#define TRACE_CALL_LIST(X)                                                                         \
	X(TO, "to")		    /* rank that a message, or an access to its window, goes to */ \
	X(TAG, "tag")		    /* of what is sent */                                          \
	X(COUNT, "count")	    /* elements that are sent, or all there are */                 \
	X(BYTES, "bytes")	    /* of these */                                                 \
	X(FROM, "from")		    /* rank that a message comes from, as it was asked for */      \
	X(FROM_TAG, "from_tag")	    /* of that */                                                  \
	X(RECV_COUNT, "recv_count") /* elements that there is room for */                          \
	X(RECV_BYTES, "recv_bytes") /* of these */                                                 \
	X(ROOT, "root")		    /* of a collective */                                          \
	X(SIZE, "size")		    /* ranks of the communicator, window or file */                \
	X(REQUEST, "request")	    /* number of the request that the call has made */             \
	X(REQUESTS, "requests")	    /* how many requests the call was given */                     \
	X(TRIES, "tries")	    /* tests or probes without success, which are one record */    \
	X(GOT, "got")		    /* rank that the message has come from */                      \
	X(GOT_TAG, "got_tag")	    /* its tag */                                                  \
	X(ERROR, "error")	    /* code that the call has returned, other than 0 */

enum trace_call_number {
#define X(name, word) TRACE_CALL_##name,
	TRACE_CALL_LIST(X)
#undef X
		TRACE_CALL_NUMBERS
};

/* Texts, likewise. */
#define TRACE_CALL_TEXT_LIST(X)                                                        \
	X(NAME, "call") /* MPI_Send */                                                 \
	X(COMM, "comm") /* name of the communicator, window or file; "(MPI_Comm_dup)": \
			 * it has none, and was made by that */                        \
	X(TYPE, "type") /* MPI_DOUBLE; "(MPI_Type_vector)" */                          \
	X(RECV_TYPE, "recv_type")                                                      \
	X(OP, "operation") /* MPI_SUM */                                               \
	X(WAITS, "waits")  /* numbers of the requests that it was given, with blanks */

enum trace_call_text {
#define X(name, word) TRACE_CALL_##name,
	TRACE_CALL_TEXT_LIST(X)
#undef X
		TRACE_CALL_TEXTS
};

struct trace_call {
	uint64_t begin; /* nanoseconds since 1970 */
	uint64_t ns;	/* until the call has returned */
	uint64_t have;	/* of number: a bit each */
	int64_t number[TRACE_CALL_NUMBERS];
	const char *text[TRACE_CALL_TEXTS]; /* "" or NULL: none; borrowed */
};

static inline void trace_call_set(struct trace_call *c, enum trace_call_number n, int64_t value)
{
	c->have |= UINT64_C(1) << n;
	c->number[n] = value;
}

static inline bool trace_call_has(const struct trace_call *c, enum trace_call_number n)
{
	return c->have >> n & 1;
}

/* "to", "comm". */
const char *trace_call_number_word(unsigned n);
const char *trace_call_text_word(unsigned n);

#define TRACE_CALL_ROOM 1024 /* of the numbers and texts of any call; texts are cut */

/* Numbers and texts into out; how many bytes. */
size_t trace_call_put(unsigned char out[TRACE_CALL_ROOM], const struct trace_call *c);
/*
 * The same from the n bytes of a record, which stay where the texts are; begin and ns are not
 * looked at. False: they are none. Numbers and texts of later versions are skipped.
 */
bool trace_call_get(struct trace_call *c, const unsigned char *bytes, size_t n);

#endif

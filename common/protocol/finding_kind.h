/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of findings, one table. A finding is something wrong in the user's program.
 */
#ifndef DVMDBG_COMMON_FINDING_H
#define DVMDBG_COMMON_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/report.h"

/*      name        key          text; the runtime's detail follows it after ": " when there is
 * one */
#define FINDING_LIST(X)                                                                            \
	X(NUMBERING, "numbering", "ranks have different constructs at one number")                 \
	X(NESTING, "nesting", "a construct is announced where it is not allowed")                  \
	X(THREAD, "thread", "a construct is opened by a thread other than the first")              \
	X(LEFT, "left", "a construct was left without its end")                                    \
	X(UNBALANCED, "unbalanced", "an end without a beginning")                                  \
	X(REGISTER, "register", "an object is registered with an invalid description")             \
	X(PARTIAL, "partial", "the information of the runtime is incomplete")                      \
	X(ACCESS, "access", "Found access to array without registration")                          \
	X(MEMORY, "memory", "the memory of a registered object cannot be read")                    \
	X(CHECKSUM, "checksum", "values differ from the reference")                                \
	X(REPLICATED, "replicated", "copies of a replicated object differ")                        \
	X(CONSTRUCT, "construct", "another construct than in the reference")                       \
	X(SHAPE, "shape", "the shape of an array differs from the reference")                      \
	X(PARTS, "parts", "an array is not distributed correctly")                                 \
	X(ABSENT, "absent", "an array exists in one run only")                                     \
	X(VALUE, "value", "a value differs from the reference")                                    \
	X(ITERATION, "iteration", "an iteration that the reference does not have")                 \
	X(TWICE, "twice", "an iteration is executed twice")                                        \
	X(MISSING, "missing", "iterations of the reference are not executed")                      \
	X(EXIT, "exit", "a loop ends differently than in the reference")                           \
	X(USE, "use", "unexpected use of a variable")                                              \
	X(UNWRITTEN, "unwritten", "elements are not written, or less often than in the reference") \
	X(REDUCTION, "reduction", "the result of a reduction differs from the reference")          \
	X(PRINTED, "printed", "printed results differ from the reference")                         \
	X(MPI, "mpi", "an error inside MPI ends the program")                                      \
	X(ORDER, "order", "the recorded order of messages is not followed any longer")             \
	X(MISUSE, "misuse",                                                                        \
	  "a call of MPI has arguments, or comes at a time, that MPI does not allow")              \
	X(REQUEST, "request", "a request is not used as MPI requires")                             \
	X(LEAK, "leak", "an object of MPI is never freed")                                         \
	X(ONESIDED, "onesided", "one-sided communication is not used as MPI requires")             \
	X(COLLECTIVE, "collective", "a collective has arguments that do not match")                \
	X(MESSAGE, "message", "a message is received as other data than were sent")                \
	X(UNRECEIVED, "unreceived", "a message is never received")                                 \
	X(UNFINALIZED, "unfinalized", "the program ends without MPI_Finalize")                     \
	X(BUFFER, "buffer", "a buffer is used while MPI may access it")                           \
	X(CONFLICT, "conflict", "accesses to the memory of a window are not ordered")              \
	X(DEADLOCK, "deadlock", "ranks can never go on")                                           \
	X(CALCULATED, "calculated",                                                                \
	  "the result of a reduction is not what its iterations give")                             \
	X(DEPENDENCE, "dependence", "iterations or tasks depend on each other")                   \
	X(UNINIT, "uninitialized", "an element is read that was not written")                     \
	X(SHARED, "shared", "a variable that is not distributed is changed by iterations")        \
	X(ASYNC, "asynchronous", "a variable is used before its reduction is complete")            \
	X(BOUNDS, "bounds", "an element outside of the array is accessed")                        \
	X(NONLOCAL, "nonlocal", "an element of another processor is accessed")                    \
	X(HALOWRITE, "halo-write", "the halo of an array is written")                              \
	X(STALE, "stale", "an element of the halo is read before it is renewed")                  \
	X(RENEWING, "renewing", "an element is changed before the renewal of halos is complete") \
	X(UNUSED, "unused", "a declaration is not needed")                                        \
	X(RACE, "race", "threads access the same memory at the same time")

enum finding_kind {
#define X(name, key, text) FINDING_##name,
	FINDING_LIST(X)
#undef X
	FINDING_KINDS,
	/*
	 * No finding: an array is registered in the memory of a module, at the place. Its detail:
	 * "TYPE BYTES FILE:LINE NAME", enum value_type. It becomes REGISTER when it is declared
	 * otherwise.
	 */
	FINDING_STORED = FINDING_KINDS
};

/* Of control: what a trace shows without a reference. UNUSED is a hint, no error. */
static inline bool finding_is_control(unsigned kind)
{
	return kind >= FINDING_DEPENDENCE && kind <= FINDING_RACE;
}

const char *finding_kind_key(unsigned kind);
const char *finding_kind_text(unsigned kind);

/* What a rank's runtime found by itself. */
struct report_finding {
	uint8_t kind;
	struct point point;
	struct place place;
	const char *detail;
};
int report_finding_code(struct codec *c, struct report_finding *r);
CODEC_PAIR(report_finding, (void)0)

#endif

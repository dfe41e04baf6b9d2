/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that can wait, and those that make what others wait for: their arguments are kept before
 * the next definition of their own name is called, and their end after it. One list has their
 * prototypes (common/mpistate/list.h): a number of words, as no argument of MPI is larger than a
 * register or a floating-point number, and on these processors one on the stack has eight bytes.
 */
#include "runtime/mpi/internal.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define P1 mpi_word a1
#define P2 P1, mpi_word a2
#define P3 P2, mpi_word a3
#define P4 P3, mpi_word a4
#define P5 P4, mpi_word a5
#define P6 P5, mpi_word a6
#define P7 P6, mpi_word a7
#define P8 P7, mpi_word a8
#define P9 P8, mpi_word a9
#define P10 P9, mpi_word a10
#define P11 P10, mpi_word a11
#define P12 P11, mpi_word a12
#define P13 P12, mpi_word a13
#define P14 P13, mpi_word a14
#define P15 P14, mpi_word a15
#define A1 a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A11 A10, a11
#define A12 A11, a12
#define A13 A12, a13
#define A14 A13, a14
#define A15 A14, a15

/* What C calls returns a code; Fortran's have it in an argument. */
#define WRAP(symbol, slot, call, is_fortran, n)                                                  \
	mpi_word wrapped_##slot(P##n) __asm__(#symbol) __attribute__((visibility("default")));   \
	mpi_word wrapped_##slot(P##n)                                                            \
	{                                                                                        \
		static struct mpi_slot next = { NULL, #symbol };                                 \
		const mpi_word arg[] = { A##n };                                                 \
		mpi_word (*to)(P##n) = (mpi_word(*)(P##n))slot_begin(&next);                     \
		struct mpi_thread *t = state_begin(call, is_fortran, arg,                        \
						   __builtin_return_address(0),                  \
						   __builtin_frame_address(0));                  \
		mpi_word rc = to(A##n);                                                          \
                                                                                                 \
		if (t)                                                                           \
			state_end(t, arg, is_fortran ? state_code(t, arg) : (int)rc);                             \
		return rc;                                                                       \
	}

/* In C, in the four spellings of Fortran's compilers, and in that of Open MPI's mpi_f08. */
#define ALL(name, lower, upper, class, args, c, f)                                 \
	WRAP(MPI_##name, c_##name, MPISTATE_CALL_##name, false, c)                 \
	WRAP(mpi_##lower##_, f1_##name, MPISTATE_CALL_##name, true, f)             \
	WRAP(mpi_##lower##__, f2_##name, MPISTATE_CALL_##name, true, f)            \
	WRAP(mpi_##lower, f3_##name, MPISTATE_CALL_##name, true, f)                \
	WRAP(MPI_##upper, f4_##name, MPISTATE_CALL_##name, true, f)                \
	WRAP(mpi_##lower##_f08_, f5_##name, MPISTATE_CALL_##name, true, f)
#define LATER(name, class, args, c) WRAP(MPI_##name, c_##name, MPISTATE_CALL_##name, false, c)

MPISTATE_LIST(ALL)
MPISTATE_LIST_LATER(LATER)

#endif

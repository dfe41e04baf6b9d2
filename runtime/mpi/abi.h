/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs between the ABIs of Open MPI, whose handles are addresses, and MPICH, whose handles
 * are integers. mpi.h of one of them has been included.
 */
#ifndef DVMDBG_RUNTIME_MPI_ABI_H
#define DVMDBG_RUNTIME_MPI_ABI_H

#include <stdint.h>

#include "runtime/base/mpi_table.h"
#include "runtime/mpi/internal.h"

/* A function of MPI, by the type its header gives it. */
#define NEXT(like, name) ((__typeof__(&like))next_of(name))

/* X(name, Open MPI's symbol, what matches: with its size; 0: anything) */
#define ABI_TYPES(X) \
	X(MPI_CHAR, char, 'c') \
	X(MPI_SIGNED_CHAR, signed_char, 'i') \
	X(MPI_UNSIGNED_CHAR, unsigned_char, 'u') \
	X(MPI_BYTE, byte, 'b') \
	X(MPI_SHORT, short, 'i') \
	X(MPI_INT, int, 'i') \
	X(MPI_UNSIGNED, unsigned, 'u') \
	X(MPI_LONG, long, 'i') \
	X(MPI_UNSIGNED_LONG, unsigned_long, 'u') \
	X(MPI_LONG_LONG_INT, long_long_int, 'i') \
	X(MPI_FLOAT, float, 'f') \
	X(MPI_DOUBLE, double, 'f') \
	X(MPI_LONG_DOUBLE, long_double, 'f') \
	X(MPI_C_BOOL, c_bool, 'l') \
	X(MPI_INT8_T, int8_t, 'i') \
	X(MPI_INT16_T, int16_t, 'i') \
	X(MPI_INT32_T, int32_t, 'i') \
	X(MPI_INT64_T, int64_t, 'i') \
	X(MPI_UINT8_T, uint8_t, 'u') \
	X(MPI_UINT16_T, uint16_t, 'u') \
	X(MPI_UINT32_T, uint32_t, 'u') \
	X(MPI_UINT64_T, uint64_t, 'u') \
	X(MPI_2INT, 2int, 0) \
	X(MPI_DOUBLE_INT, double_int, 0) \
	X(MPI_FLOAT_INT, float_int, 0) \
	X(MPI_LONG_INT, long_int, 0) \
	X(MPI_SHORT_INT, short_int, 0) \
	X(MPI_2INTEGER, 2integer, 0) \
	X(MPI_2REAL, 2real, 0) \
	X(MPI_2DOUBLE_PRECISION, 2dblprec, 0) \
	X(MPI_PACKED, packed, 0) \
	X(MPI_C_DOUBLE_COMPLEX, c_double_complex, 'z') \
	X(MPI_C_FLOAT_COMPLEX, c_float_complex, 'z') \
	X(MPI_INTEGER, integer, 'i') \
	X(MPI_REAL, real, 'f') \
	X(MPI_DOUBLE_PRECISION, dblprec, 'f') \
	X(MPI_COMPLEX, cplex, 'z') \
	X(MPI_DOUBLE_COMPLEX, dblcplex, 'z') \
	X(MPI_LOGICAL, logical, 'l') \
	X(MPI_CHARACTER, character, 'c') \
	X(MPI_INTEGER4, integer4, 'i') \
	X(MPI_INTEGER8, integer8, 'i') \
	X(MPI_REAL4, real4, 'f') \
	X(MPI_REAL8, real8, 'f')

/* X(name, Open MPI's symbol) */
#define ABI_OPS(X) \
	X(MPI_MAX, max) \
	X(MPI_MIN, min) \
	X(MPI_SUM, sum) \
	X(MPI_PROD, prod) \
	X(MPI_LAND, land) \
	X(MPI_BAND, band) \
	X(MPI_LOR, lor) \
	X(MPI_BOR, bor) \
	X(MPI_LXOR, lxor) \
	X(MPI_BXOR, bxor) \
	X(MPI_MAXLOC, maxloc) \
	X(MPI_MINLOC, minloc) \
	X(MPI_REPLACE, replace) \
	X(MPI_NO_OP, no_op)

#ifdef OPEN_MPI
#define ABI RT_MPI_OPENMPI
#define COMM_SELF ((MPI_Comm)object_of("ompi_mpi_comm_self"))
#define COMM_WORLD ((MPI_Comm)object_of("ompi_mpi_comm_world"))
#define MPI_COMM_NULL_ ((MPI_Comm)object_of("ompi_mpi_comm_null"))
#define WIN_NULL_ ((MPI_Win)object_of("ompi_mpi_win_null"))
#define FILE_NULL_ ((MPI_File)object_of("ompi_mpi_file_null"))
#define CHAR ((MPI_Datatype)object_of("ompi_mpi_char"))
#define REQUEST_NULL_WORD ((uintptr_t)object_of("ompi_request_null"))
#define REQUEST_NULL_FORTRAN \
	NEXT(PMPI_Request_c2f, "PMPI_Request_c2f")((MPI_Request)object_of("ompi_request_null"))
#define COMM_WORD(c) ((uintptr_t)(c))
#define COMM_FORTRAN(c) NEXT(PMPI_Comm_c2f, "PMPI_Comm_c2f")(c)
#define COMM_C(f) NEXT(PMPI_Comm_f2c, "PMPI_Comm_f2c")(f)
#define GROUP_C(f) NEXT(PMPI_Group_f2c, "PMPI_Group_f2c")(f)
#define WIN_WORD(f) ((uintptr_t)NEXT(PMPI_Win_f2c, "PMPI_Win_f2c")(f))
#define FILE_WORD(f) ((uintptr_t)NEXT(PMPI_File_f2c, "PMPI_File_f2c")(f))
#define WIN_FORTRAN(at) NEXT(PMPI_Win_c2f, "PMPI_Win_c2f")(*(const MPI_Win *)(at))
#define FILE_FORTRAN(at) NEXT(PMPI_File_c2f, "PMPI_File_c2f")(*(const MPI_File *)(at))
#define TYPE_IS_THERE(name, symbol) object_of("ompi_mpi_" #symbol)
#define TYPE_OF(name, symbol) ((MPI_Datatype)object_of("ompi_mpi_" #symbol))
#define TYPE_WORD(t) ((uintptr_t)(t))
#define TYPE_FORTRAN(t) NEXT(PMPI_Type_c2f, "PMPI_Type_c2f")(t)
#define TYPE_C(f) NEXT(PMPI_Type_f2c, "PMPI_Type_f2c")(f)
#define TYPE_NULL ((MPI_Datatype)object_of("ompi_mpi_datatype_null"))
#define GROUP_WORD(g) ((uintptr_t)(g))
#define GROUP_FORTRAN(g) NEXT(PMPI_Group_c2f, "PMPI_Group_c2f")(g)
#define GROUP_C(f) NEXT(PMPI_Group_f2c, "PMPI_Group_f2c")(f)
#define GROUP_OF(word) ((MPI_Group)(word))
#define GROUP_EMPTY ((MPI_Group)object_of("ompi_mpi_group_empty"))
#define OP_OF(name, symbol) ((MPI_Op)object_of("ompi_mpi_op_" #symbol))
#define OP_WORD(o) ((uintptr_t)(o))
#define OP_FORTRAN(o) NEXT(PMPI_Op_c2f, "PMPI_Op_c2f")(o)
#define OP_C(f) NEXT(PMPI_Op_f2c, "PMPI_Op_f2c")(f)
#define OP_NULL ((MPI_Op)object_of("ompi_mpi_op_null"))
#else
#define ABI RT_MPI_MPICH
#define COMM_SELF MPI_COMM_SELF
#define COMM_WORLD MPI_COMM_WORLD
#define MPI_COMM_NULL_ MPI_COMM_NULL
#define WIN_NULL_ MPI_WIN_NULL
#define FILE_NULL_ MPI_FILE_NULL
#define CHAR MPI_CHAR
#define REQUEST_NULL_WORD ((uint32_t)MPI_REQUEST_NULL)
#define REQUEST_NULL_FORTRAN ((MPI_Fint)MPI_REQUEST_NULL)
#define COMM_WORD(c) ((uint32_t)(c))
#define COMM_FORTRAN(c) ((MPI_Fint)(c))
#define COMM_C(f) ((MPI_Comm)(f))
#define GROUP_C(f) ((MPI_Group)(f))
#define WIN_WORD(f) ((uint32_t)(f))
#define FILE_WORD(f) ((uintptr_t)NEXT(PMPI_File_f2c, "PMPI_File_f2c")(f))
#define WIN_FORTRAN(at) ((MPI_Fint)*(const MPI_Win *)(at))
#define FILE_FORTRAN(at) NEXT(PMPI_File_c2f, "PMPI_File_c2f")(*(const MPI_File *)(at))
#define TYPE_IS_THERE(name, symbol) (name != MPI_DATATYPE_NULL)
#define TYPE_OF(name, symbol) name
#define TYPE_WORD(t) ((uint32_t)(t))
#define TYPE_FORTRAN(t) ((MPI_Fint)(t))
#define TYPE_C(f) ((MPI_Datatype)(f))
#define TYPE_NULL MPI_DATATYPE_NULL
#define GROUP_WORD(g) ((uint32_t)(g))
#define GROUP_FORTRAN(g) ((MPI_Fint)(g))
#define GROUP_C(f) ((MPI_Group)(f))
#define GROUP_OF(word) ((MPI_Group)(uint32_t)(word))
#define GROUP_EMPTY MPI_GROUP_EMPTY
#define OP_OF(name, symbol) name
#define OP_WORD(o) ((uint32_t)(o))
#define OP_FORTRAN(o) ((MPI_Fint)(o))
#define OP_C(f) ((MPI_Op)(f))
#define OP_NULL MPI_OP_NULL
#endif

#endif

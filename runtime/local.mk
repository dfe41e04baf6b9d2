# SPDX-License-Identifier: BSD-3-Clause
# The library that programs link, and one per MPI that is preloaded beside it.
lib_LTLIBRARIES += runtime/libdvmdbg.la
include_HEADERS += runtime/dvmdbg.h
pkgdata_DATA += runtime/dvmdbg.f90
pkgconfig_DATA += runtime/dvmdbg.pc
EXTRA_DIST += runtime/dvmdbg.f90

runtime_libdvmdbg_la_SOURCES = \
	runtime/api.c \
	runtime/arena.c \
	runtime/crash.c \
	runtime/fapi.c \
	runtime/find.c \
	runtime/init.c \
	runtime/page.h \
	runtime/park.c \
	runtime/probe.c \
	runtime/queue.c \
	runtime/rt.h \
	runtime/rt_mpi.h \
	runtime/rules.c \
	runtime/stack.c \
	runtime/stop.c \
	runtime/sums.c \
	runtime/sums.h \
	runtime/sums_item.c \
	runtime/vars.c \
	runtime/watched.c
runtime_libdvmdbg_la_LIBADD = common/libcommon.la -ldl -lpthread -lm
runtime_libdvmdbg_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -export-symbols-regex '^dvmdbg_'

# Not linked with libmpi: the program brings its own.
RUNTIME_MPI_SOURCES = \
	runtime/mpi.c
RUNTIME_MPI_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^(MPI_|mpi_|dvmdbg_)'

if HAVE_OPENMPI
pkglib_LTLIBRARIES += runtime/libdvmdbg-openmpi.la
runtime_libdvmdbg_openmpi_la_SOURCES = $(RUNTIME_MPI_SOURCES)
runtime_libdvmdbg_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CFLAGS)
runtime_libdvmdbg_openmpi_la_LDFLAGS = $(RUNTIME_MPI_LDFLAGS)
endif

if HAVE_MPICH
pkglib_LTLIBRARIES += runtime/libdvmdbg-mpich.la
runtime_libdvmdbg_mpich_la_SOURCES = $(RUNTIME_MPI_SOURCES)
runtime_libdvmdbg_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CFLAGS)
runtime_libdvmdbg_mpich_la_LDFLAGS = $(RUNTIME_MPI_LDFLAGS)
endif

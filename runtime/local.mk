# SPDX-License-Identifier: BSD-3-Clause
# The library that programs link, and one per MPI that is preloaded beside it.
lib_LTLIBRARIES += runtime/libdvmdbg.la
include_HEADERS += runtime/dvmdbg.h
pkgdata_DATA += runtime/dvmdbg.f90
pkgconfig_DATA += runtime/dvmdbg.pc
EXTRA_DIST += runtime/dvmdbg.f90

runtime_libdvmdbg_la_SOURCES = \
	runtime/access.c \
	runtime/api.c \
	runtime/arena.c \
	runtime/crash.c \
	runtime/fapi.c \
	runtime/find.c \
	runtime/gate.c \
	runtime/gate_look.c \
	runtime/heap.c \
	runtime/init.c \
	runtime/objects.c \
	runtime/page.h \
	runtime/park.c \
	runtime/peek.c \
	runtime/peek.h \
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
	runtime/trace.c \
	runtime/trace.h \
	runtime/values.c \
	runtime/vars.c \
	runtime/watched.c
runtime_libdvmdbg_la_LIBADD = common/libcommon.la -ldl -lpthread -lm
runtime_libdvmdbg_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -export-symbols-regex '^dvmdbg_'

# Not linked with libmpi: the program brings its own.
RUNTIME_MPI_SOURCES = \
	runtime/mpi.c \
	runtime/mpi_calls.c \
	runtime/mpi_list.h \
	runtime/mpi_next.h
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

# Linked into programs by dvmdbg-cc and dvmdbg-fc, so without anything else of ours or of a sanitizer.
pkglib_LIBRARIES = runtime/hooks/libdvmdbg-hooks.a
runtime_hooks_libdvmdbg_hooks_a_SOURCES = \
	runtime/hooks/access.c \
	runtime/hooks/atomic.c \
	runtime/hooks/atomic.h \
	runtime/hooks/atomic16.c \
	runtime/hooks/hooks.h \
	runtime/hooks/join.c \
	runtime/hooks/noop.c \
	runtime/hooks/tell.h \
	runtime/hooks/wrap.c \
	runtime/hooks/wrap_cxx.c
runtime_hooks_libdvmdbg_hooks_a_CFLAGS = -std=gnu11 -O2 -fPIC -fvisibility=hidden $(WARN_CFLAGS)

# Given to gcc's assembler by them.
hooksdir = $(pkglibdir)
hooks_DATA = runtime/hooks/inline.s
EXTRA_DIST += runtime/hooks/inline.s.in
CLEANFILES += $(hooks_DATA)
runtime/hooks/inline.s: $(srcdir)/runtime/hooks/inline.s.in
	$(AM_V_at)$(MKDIR_P) runtime/hooks
	$(AM_V_GEN)cp $(srcdir)/runtime/hooks/inline.s.in $@.new && mv -f $@.new $@

bin_SCRIPTS = runtime/dvmdbg-cc runtime/dvmdbg-fc
EXTRA_DIST += runtime/dvmdbg-cc.in
CLEANFILES += $(bin_SCRIPTS)
$(bin_SCRIPTS): $(srcdir)/runtime/dvmdbg-cc.in Makefile
	$(AM_V_at)$(MKDIR_P) runtime
	$(AM_V_GEN)sed -e 's|@pkglibdir[@]|$(pkglibdir)|' -e 's|@prefix[@]|$(prefix)|' \
		$(srcdir)/runtime/dvmdbg-cc.in >$@.new && chmod +x $@.new && mv -f $@.new $@

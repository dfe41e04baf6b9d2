# SPDX-License-Identifier: BSD-3-Clause
# The library that programs link, and one per MPI that is preloaded beside it.
lib_LTLIBRARIES += runtime/libdvmdbg.la
include_HEADERS += runtime/dvmdbg.h runtime/dvmdbg_mpi.h
pkgdata_DATA += runtime/dvmdbg.f90 runtime/dvmdbg_mpi.f90
pkgconfig_DATA += runtime/dvmdbg.pc
EXTRA_DIST += runtime/dvmdbg.f90 runtime/dvmdbg_mpi.f90

runtime_libdvmdbg_la_SOURCES = \
	runtime/api/api.c \
	runtime/api/fapi.c \
	runtime/api/abort.c \
	runtime/api/free.c \
	runtime/api/init.c \
	runtime/api/signals.c \
	runtime/base/arena.c \
	runtime/base/block.c \
	runtime/base/base.h \
	runtime/base/elsewhere.c \
	runtime/base/elsewhere.h \
	runtime/base/fields.c \
	runtime/base/find.c \
	runtime/base/lists.c \
	runtime/record/heap.c \
	runtime/base/mpi_table.h \
	runtime/base/omp_table.h \
	runtime/base/peek.c \
	runtime/base/peek.h \
	runtime/base/probe.c \
	runtime/base/refused.c \
	runtime/base/regs.c \
	runtime/base/regs.h \
	runtime/base/state.c \
	runtime/base/stored.c \
	runtime/base/vars.c \
	runtime/base/wait.c \
	runtime/ompt/interface.h \
	runtime/ompt/locks.c \
	runtime/ompt/locks.h \
	runtime/ompt/ompt.h \
	runtime/ompt/tool.c \
	runtime/marks/copy.c \
	runtime/marks/enter.c \
	runtime/marks/internal.h \
	runtime/marks/marks.h \
	runtime/marks/run.c \
	runtime/marks/sites.c \
	runtime/page/page.h \
	runtime/pending/pending.c \
	runtime/pending/pending.h \
	runtime/writes/writes.c \
	runtime/writes/writes.h \
	runtime/record/access.c \
	runtime/record/callers.c \
	runtime/record/gate.c \
	runtime/record/objects.c \
	runtime/record/openmp.c \
	runtime/record/trace.c \
	runtime/record/declare.c \
	runtime/record/uses.c \
	runtime/record/record.h \
	runtime/record/values.c \
	runtime/stop/breaks.c \
	runtime/stop/call.c \
	runtime/stop/code.c \
	runtime/stop/crash.c \
	runtime/stop/internal.h \
	runtime/stop/internal.h \
	runtime/stop/park.c \
	runtime/stop/printed.c \
	runtime/stop/traps.c \
	runtime/stop/queue.c \
	runtime/stop/rules.c \
	runtime/stop/stack.c \
	runtime/stop/stop.c \
	runtime/stop/stop.h \
	runtime/stop/sums.c \
	runtime/stop/thrown.c \
	runtime/stop/watched.c \
	runtime/tags/internal.h \
	runtime/tags/notes.c \
	runtime/tags/tags.c \
	runtime/tags/tags.h
runtime_libdvmdbg_la_LIBADD = common/libcommon.la -ldl -lpthread -lm
runtime_libdvmdbg_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -export-symbols-regex '^(dvmdbg_|(ompt_start_tool|abort|free|munmap|pthread_sigmask|sigaction|signal|sigprocmask)$$)'

# Not linked with libmpi: the program brings its own.
RUNTIME_MPI_SOURCES = \
	runtime/mpi/abi.h \
	runtime/mpi/agree.c \
	runtime/mpi/arguments.c \
	runtime/mpi/blocks.c \
	runtime/mpi/buffers.c \
	runtime/mpi/calls.c \
	runtime/mpi/check.c \
	runtime/mpi/internal.h \
	runtime/mpi/error.c \
	runtime/mpi/handles.c \
	runtime/mpi/handles.h \
	runtime/mpi/list.h \
	runtime/mpi/mpi.c \
	runtime/mpi/objects.c \
	runtime/mpi/onesided.c \
	runtime/mpi/race.c \
	runtime/mpi/race.h \
	runtime/mpi/state.c \
	runtime/mpi/traced.c \
	runtime/mpi/wrapped.c \
	runtime/order/order.c \
	runtime/order/order.h \
	runtime/order/order_mpi.h \
	runtime/order/order_next.c \
	runtime/order/order_next.h \
	runtime/order/order_receive.c \
	runtime/order/order_request.c
RUNTIME_MPI_LIBS = common/libcommon.la -ldl -lpthread
RUNTIME_MPI_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^(P?MPIX?_|mpi_|dvmdbg_)'

if HAVE_OPENMPI
pkglib_LTLIBRARIES += runtime/libdvmdbg-openmpi.la
runtime_libdvmdbg_openmpi_la_SOURCES = $(RUNTIME_MPI_SOURCES)
runtime_libdvmdbg_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CFLAGS)
runtime_libdvmdbg_openmpi_la_LIBADD = $(RUNTIME_MPI_LIBS)
runtime_libdvmdbg_openmpi_la_LDFLAGS = $(RUNTIME_MPI_LDFLAGS)
endif

if HAVE_MPICH
pkglib_LTLIBRARIES += runtime/libdvmdbg-mpich.la
runtime_libdvmdbg_mpich_la_SOURCES = $(RUNTIME_MPI_SOURCES)
runtime_libdvmdbg_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CFLAGS)
runtime_libdvmdbg_mpich_la_LIBADD = $(RUNTIME_MPI_LIBS)
runtime_libdvmdbg_mpich_la_LDFLAGS = $(RUNTIME_MPI_LDFLAGS)
endif

# Preloaded when parallel regions are numbered.
pkglib_LTLIBRARIES += runtime/libdvmdbg-regions.la
runtime_libdvmdbg_regions_la_SOURCES = runtime/hooks/gomp.h runtime/regions/regions.c
runtime_libdvmdbg_regions_la_LIBADD = -ldl
runtime_libdvmdbg_regions_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^GOMP_parallel'

# Preloaded into programs that have hooks.
pkglib_LTLIBRARIES += runtime/libdvmdbg-threads.la
runtime_libdvmdbg_threads_la_SOURCES = \
	runtime/base/omp_table.h \
	runtime/threads/blocks.c \
	runtime/threads/exclude.c \
	runtime/threads/internal.h \
	runtime/threads/passed.c \
	runtime/threads/threads.c
runtime_libdvmdbg_threads_la_LIBADD = -ldl -lpthread
runtime_libdvmdbg_threads_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^(pthread_|thrd_|mtx_|cnd_|sem_|call_once|__cxa_guard_|_Zn[wa]m$$|_Zd[la]Pvm?$$|write|send|eventfd_|mq_|kill|raise|read|recv|sigwait)'

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
	runtime/hooks/openmp.c \
	runtime/hooks/reduce.c \
	runtime/hooks/gate.h \
	runtime/hooks/gomp.h \
	runtime/hooks/target.c \
	runtime/hooks/transfer.c \
	runtime/hooks/wrap.c \
	runtime/hooks/wrap_cxx.c
runtime_hooks_libdvmdbg_hooks_a_CFLAGS = -std=gnu11 -O2 -fPIC -fvisibility=hidden $(WARN_CFLAGS)

# Given to gcc's assembler by them.
hooksdir = $(pkglibdir)
hooks_DATA = runtime/hooks/inline.s
# Run by gcc, beside them.
hooks_PROGRAMS = runtime/hooks/omp-marks
runtime_hooks_omp_marks_SOURCES = \
	runtime/loops/c.c \
	runtime/loops/directive.c \
	runtime/loops/file.c \
	runtime/loops/fortran.c \
	runtime/loops/loops.h \
	runtime/loops/main.c \
	runtime/loops/overlay.c
EXTRA_DIST += runtime/hooks/inline.s.in runtime/hooks/as.in
CLEANFILES += $(hooks_DATA) $(assembler_SCRIPTS)
assemblerdir = $(pkglibdir)/assembler
assembler_SCRIPTS = runtime/hooks/assembler/as
runtime/hooks/assembler/as: $(srcdir)/runtime/hooks/as.in
	$(AM_V_at)$(MKDIR_P) runtime/hooks/assembler
	$(AM_V_GEN)cp $(srcdir)/runtime/hooks/as.in $@.new && chmod +x $@.new && mv -f $@.new $@
runtime/hooks/inline.s: $(srcdir)/runtime/hooks/inline.s.in
	$(AM_V_at)$(MKDIR_P) runtime/hooks
	$(AM_V_GEN)cp $(srcdir)/runtime/hooks/inline.s.in $@.new && mv -f $@.new $@

bin_SCRIPTS = runtime/dvmdbg-cc runtime/dvmdbg-fc
EXTRA_DIST += runtime/dvmdbg-cc.in
CLEANFILES += $(bin_SCRIPTS)
$(bin_SCRIPTS): $(srcdir)/runtime/dvmdbg-cc.in Makefile
	$(AM_V_at)$(MKDIR_P) runtime
	$(AM_V_GEN)sed -e 's|@pkglibdir[@]|$(pkglibdir)|' -e 's|@prefix[@]|$(prefix)|' -e 's|@libomp[@]|$(LIBOMP)|' \
		$(srcdir)/runtime/dvmdbg-cc.in >$@.new && chmod +x $@.new && mv -f $@.new $@

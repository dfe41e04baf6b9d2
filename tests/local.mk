# SPDX-License-Identifier: GPL-3.0-or-later
# make check: unit tests (cmocka) and shell tests; make check-long: the ones that take long; make bench.
TEST_EXTENSIONS = .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_COMPILER = bash
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT;

EXTRA_DIST += tests/t tests/bench

UNIT_CPPFLAGS = $(FRONTEND_CPPFLAGS) $(CMOCKA_CFLAGS)
UNIT_LINK = $(FRONTEND_LIBS) $(CMOCKA_LIBS) -lpthread
UNIT_TESTS = \
	tests/unit/test_array \
	tests/unit/test_expr_eval \
	tests/unit/test_expr_parse \
	tests/unit/test_lstack \
	tests/unit/test_merge \
	tests/unit/test_page_read \
	tests/unit/test_runtime \
	tests/unit/test_runtime_objects \
	tests/unit/test_runtime_trouble \
	tests/unit/test_section \
	tests/unit/test_value

if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif
tests_unit_test_array_SOURCES = tests/unit/test_array.c
tests_unit_test_array_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_array_LDADD = $(UNIT_LINK)
tests_unit_test_expr_eval_SOURCES = tests/unit/test_expr_eval.c
tests_unit_test_expr_eval_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_expr_eval_LDADD = $(UNIT_LINK)
tests_unit_test_expr_parse_SOURCES = tests/unit/test_expr_parse.c
tests_unit_test_expr_parse_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_expr_parse_LDADD = $(UNIT_LINK)
tests_unit_test_lstack_SOURCES = tests/unit/test_lstack.c
tests_unit_test_lstack_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_lstack_LDADD = $(UNIT_LINK)
tests_unit_test_merge_SOURCES = tests/unit/test_merge.c
tests_unit_test_merge_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_merge_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_page_read_SOURCES = tests/unit/test_page_read.c
tests_unit_test_page_read_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_page_read_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_runtime_SOURCES = tests/unit/test_runtime.c tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_LDADD = $(UNIT_LINK)
tests_unit_test_runtime_objects_SOURCES = tests/unit/test_runtime_objects.c tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_objects_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_objects_LDADD = $(UNIT_LINK)
tests_unit_test_runtime_trouble_SOURCES = tests/unit/test_runtime_trouble.c tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_trouble_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_trouble_LDADD = $(UNIT_LINK)
tests_unit_test_section_SOURCES = tests/unit/test_section.c
tests_unit_test_section_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_section_LDADD = $(UNIT_LINK)
tests_unit_test_value_SOURCES = tests/unit/test_value.c
tests_unit_test_value_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_value_LDADD = $(UNIT_LINK)

SHELL_TESTS = \
	tests/t/badinput.sh \
	tests/t/control.sh \
	tests/t/deaths.sh \
	tests/t/examples.sh \
	tests/t/install.sh \
	tests/t/kill-any.sh \
	tests/t/kill.sh \
	tests/t/layers.sh \
	tests/t/manual.sh \
	tests/t/numbering.sh \
	tests/t/session.sh

# With sanitizers only the unit tests run: a preloaded library cannot bring them into programs.
if !SANITIZE
if HAVE_MPI
TESTS += $(SHELL_TESTS)
endif
endif

# Programs of the shell tests, for each MPI.
check_PROGRAMS += \
	tests/prog/marks \
	tests/prog/omp \
	tests/prog/serial
if HAVE_OPENMPI
check_PROGRAMS += \
	tests/prog/big \
	tests/prog/hello \
	tests/prog/misbehave \
	tests/prog/mpi \
	tests/prog/tasks
endif
if HAVE_MPICH
check_PROGRAMS += \
	tests/prog/big-mpich \
	tests/prog/hello-mpich \
	tests/prog/misbehave-mpich \
	tests/prog/mpi-mpich \
	tests/prog/tasks-mpich
endif
EXTRA_DIST += tests/prog/fmarks.f90
tests/prog/fmarks: $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/fmarks.f90 runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) tests/prog/fmarks.mod
	$(AM_V_GEN)$(FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J tests/prog/fmarks.mod $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/fmarks.f90 -o $@ $(JACOBI_LIBS)
CLEANFILES += tests/prog/fmarks tests/prog/fmarks.mod/*.mod
if HAVE_FC
check_DATA += tests/prog/fmarks
endif
tests_prog_big_SOURCES = tests/prog/big.c
tests_prog_big_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_big_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_big_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_big_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_big_mpich_SOURCES = tests/prog/big.c
tests_prog_big_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_big_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_big_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_big_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
tests_prog_hello_SOURCES = tests/prog/hello.c
tests_prog_hello_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_hello_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_hello_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_hello_LDADD = $(OPENMPI_LIBS) -lpthread -lm
tests_prog_hello_mpich_SOURCES = tests/prog/hello.c
tests_prog_hello_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_hello_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_hello_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_hello_mpich_LDADD = $(MPICH_LIBS) -lpthread -lm
tests_prog_marks_SOURCES = tests/prog/marks.c
tests_prog_marks_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
tests_prog_marks_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_marks_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_marks_LDADD = runtime/libdvmdbg.la  -lpthread -lm
tests_prog_misbehave_SOURCES = tests/prog/misbehave.c
tests_prog_misbehave_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_misbehave_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_misbehave_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_misbehave_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_misbehave_mpich_SOURCES = tests/prog/misbehave.c
tests_prog_misbehave_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_misbehave_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_misbehave_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_misbehave_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
tests_prog_mpi_SOURCES = tests/prog/mpi.c
tests_prog_mpi_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_mpi_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_mpi_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_mpi_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_mpi_mpich_SOURCES = tests/prog/mpi.c
tests_prog_mpi_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_mpi_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_mpi_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_mpi_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
tests_prog_omp_SOURCES = tests/prog/omp.c
tests_prog_omp_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
tests_prog_omp_CFLAGS = $(EXAMPLE_CFLAGS) $(OPENMP_CFLAGS)
tests_prog_omp_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_omp_LDADD = runtime/libdvmdbg.la  -lpthread -lm
tests_prog_serial_SOURCES = tests/prog/serial.c
tests_prog_serial_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
tests_prog_serial_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_serial_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_serial_LDADD = runtime/libdvmdbg.la  -lpthread -lm
tests_prog_tasks_SOURCES = tests/prog/tasks.c
tests_prog_tasks_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_tasks_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_tasks_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_tasks_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_tasks_mpich_SOURCES = tests/prog/tasks.c
tests_prog_tasks_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_tasks_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_tasks_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_tasks_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm

check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS)'

check-long: all
	$(MAKE) $(AM_MAKEFLAGS) check DVMDBG_LONG=1

bench: all $(BENCH_PROGRAMS)
	$(SHELL) $(top_srcdir)/tests/bench/bench.sh

.PHONY: check-unit check-long bench

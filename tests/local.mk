# SPDX-License-Identifier: GPL-3.0-or-later
# make check: unit tests (cmocka), and shell tests with the first MPI. make check-all: with each MPI, and what is
# longer. make check-long: what takes hours. make check-quick: below a minute, for every save. make bench.
# DVMDBG_TEST_SET and DVMDBG_TEST_MPIS of tests/t/lib.sh are what these differ in.
TEST_EXTENSIONS = .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' bash $(top_srcdir)/tests/timed.sh $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = bash $(srcdir)/tests/unit/run.sh
SH_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_COMPILER = timeout -k 30 1200 bash
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT;

EXTRA_DIST += tests/prog/annotate/README tests/prog/annotate/bodies.c tests/prog/annotate/box.c tests/prog/annotate/cells.c tests/prog/annotate/cg.c \
	tests/prog/annotate/cord.c tests/prog/annotate/ends.c tests/prog/annotate/fixed.c tests/prog/annotate/life.c tests/prog/annotate/lu.c tests/prog/annotate/pipeline.c \
	tests/prog/annotate/plate.c tests/prog/annotate/room.f90 tests/prog/annotate/redblack.c tests/prog/annotate/ring.c tests/prog/annotate/rod.c \
	tests/prog/annotate/blocks.c tests/prog/annotate/halves.c tests/prog/annotate/gap.c tests/prog/annotate/stages.cpp tests/prog/annotate/phases.cpp tests/prog/annotate/pencils.c tests/prog/annotate/lattice.cpp tests/prog/annotate/limit.c tests/prog/annotate/beam.c tests/prog/annotate/ribs.c tests/prog/annotate/rows.c tests/prog/annotate/sheets.cpp tests/prog/annotate/shocktube.cpp tests/prog/annotate/vortex.f90 tests/prog/annotate/slab.f90 tests/prog/annotate/strip.f90 tests/prog/annotate/strand.c tests/prog/annotate/staggered.c tests/prog/annotate/tagged.c tests/prog/annotate/wave.cpp \
	tests/prog/annotate/torus.c tests/prog/annotate/around.c tests/prog/annotate/pairs.c tests/prog/annotate/stack.c tests/prog/annotate/frame.c \
	tests/prog/annotate/vectors.cpp tests/prog/annotate/flat.cpp tests/prog/annotate/made.cpp tests/prog/annotate/inner.c tests/prog/annotate/check.f90 tests/prog/annotate/shelves.c tests/prog/annotate/lanes.f90 tests/prog/annotate/medium.cpp tests/prog/annotate/faces.cpp tests/prog/annotate/front.cpp tests/prog/annotate/tables.c tests/prog/annotate/scalars.c tests/prog/annotate/grid.cpp tests/prog/annotate/levels.c tests/prog/annotate/owned.cpp tests/prog/annotate/cube.c tests/prog/annotate/csr.c tests/prog/annotate/pulse.c tests/prog/annotate/turns.f90 tests/prog/annotate/copies.cpp \
	tests/prog/annotate/patches.c tests/prog/annotate/cyclic.f90 tests/prog/annotate/f77/common.inc tests/prog/annotate/f77/main.f \
	tests/prog/annotate/f77/setup.f tests/prog/annotate/f77/exch.f tests/prog/annotate/f77/step.f \
	tests/prog/annotate/basin.f90 tests/prog/annotate/seeds.c tests/prog/annotate/swapped.c tests/prog/annotate/kept.f90 tests/prog/annotate/planes.c tests/prog/annotate/poisson.c tests/prog/annotate/tracer.cpp tests/prog/annotate/yee.cpp tests/prog/annotate/lambdas.cpp \
	tests/prog/annotate/tiles.c tests/prog/annotate/sweeps.f90 tests/prog/annotate/bands.f90
EXTRA_DIST += tests/mutate/README tests/mutate/bench.h tests/mutate/bodies.f90 tests/mutate/edges.c tests/mutate/faults.py \
	tests/mutate/mutate.py tests/mutate/neighbour.c tests/mutate/onesided.c tests/mutate/pack3d.c tests/mutate/redblack.f90 \
	tests/mutate/score.py tests/mutate/solvers.py tests/mutate/spy.c tests/mutate/transpose.c tests/mutate/wavefront.f90
EXTRA_DIST += $(SHELL_TESTS) tests/t/lib.sh tests/t/compares.sh tests/t/locates.sh tests/t/screens.sh \
	tests/t/cells.awk tests/t/colours.awk tests/t/picture.awk tests/t/read_trace.py tests/screens \
	tests/data/language/terms.txt tests/data/small.trd tests/data/small-config.trd tests/data/odd.trd tests/bench/bench.sh tests/bench/heat_omp.c tests/bench/lu_omp.c tests/compile.sh tests/link.sh tests/timed.sh tests/times.sh tests/unit/run.sh

# --- unit tests. One is a line here; its source is the file of that name. What they share is in libunit.la.
UNIT_TESTS = \
	tests/unit/annotate/test_layout \
	tests/unit/annotate/test_scan \
	tests/unit/annotate/test_scan_fortran \
	tests/unit/annotate/test_trial \
	tests/unit/array/test_array \
	tests/unit/array/test_bins \
	tests/unit/array/test_layout \
	tests/unit/array/test_reduce \
	tests/unit/array/test_section \
	tests/unit/array/test_value \
	tests/unit/checksum/test_compare \
	tests/unit/checksum/test_parts \
	tests/unit/checksum/test_quick \
	tests/unit/checksum/test_sum \
	tests/unit/cmd/test_cmd \
	tests/unit/cmd/test_complete \
	tests/unit/cmd/test_help \
	tests/unit/core/test_buf \
	tests/unit/core/test_codec \
	tests/unit/core/test_err \
	tests/unit/core/test_hash \
	tests/unit/core/test_log \
	tests/unit/core/test_parse \
	tests/unit/core/test_vec \
	tests/unit/coverage/test_ownership \
	tests/unit/data/test_bins \
	tests/unit/data/test_fetch \
	tests/unit/diff/test_cells \
	tests/unit/diff/test_diff \
	tests/unit/diff/test_shape \
	tests/unit/dvmtext/test_head \
	tests/unit/dvmtext/test_text \
	tests/unit/exec/test_assign \
	tests/unit/exec/test_bins_plan \
	tests/unit/exec/test_gather \
	tests/unit/exec/test_merge \
	tests/unit/exec/test_object \
	tests/unit/exec/test_page_read \
	tests/unit/exec/test_page_sums \
	tests/unit/exec/test_scale \
	tests/unit/exec/test_send_halo \
	tests/unit/exec/test_traces \
	tests/unit/export/test_image \
	tests/unit/export/test_npy \
	tests/unit/export/test_shade \
	tests/unit/expr/test_eval \
	tests/unit/expr/test_parse \
	tests/unit/fit/test_fit \
	tests/unit/fortran/test_fortran \
	tests/unit/halo/test_halo \
	tests/unit/hang/test_graph \
	tests/unit/job/test_job \
	tests/unit/job/test_sums \
	tests/unit/launch/test_launch \
	tests/unit/launch/test_program \
	tests/unit/launch/test_rendezvous \
	tests/unit/logical/test_construct \
	tests/unit/logical/test_groups \
	tests/unit/logical/test_point \
	tests/unit/logical/test_rankset \
	tests/unit/logical/test_thread_set \
	tests/unit/marks/test_marks \
	tests/unit/match/test_conflicts \
	tests/unit/model/test_actionpoints \
	tests/unit/model/test_focus \
	tests/unit/output/test_merged \
	tests/unit/output/test_outcome \
	tests/unit/native/test_native \
	tests/unit/net/test_addr \
	tests/unit/net/test_auth \
	tests/unit/net/test_conn \
	tests/unit/net/test_frame \
	tests/unit/output/test_form \
	tests/unit/output/test_text \
	tests/unit/pair/test_match \
	tests/unit/pending/test_pending \
	tests/unit/writes/test_writes \
	tests/unit/protocol/test_finding_kind \
	tests/unit/protocol/test_forms \
	tests/unit/protocol/test_msg \
	tests/unit/protocol/test_point_sums \
	tests/unit/protocol/test_report \
	tests/unit/protocol/test_rule \
	tests/unit/protocol/test_stack_merge \
	tests/unit/protocol/test_trace_config \
	tests/unit/record/test_access \
	tests/unit/record/test_objects \
	tests/unit/reference/test_reference \
	tests/unit/session/test_entity \
	tests/unit/settings/test_settings \
	tests/unit/stop/test_queue \
	tests/unit/stop/test_runtime \
	tests/unit/stop/test_sums \
	tests/unit/stop/test_trouble \
	tests/unit/sumdiff/test_compare \
	tests/unit/sumdiff/test_objects \
	tests/unit/sumdiff/test_sums \
	tests/unit/symbols/test_data \
	tests/unit/tags/test_tags \
	tests/unit/trace/test_trace \
	tests/unit/tracediff/test_faults \
	tests/unit/tracediff/test_more \
	tests/unit/tracediff/test_order \
	tests/unit/tracediff/test_sequential \
	tests/unit/tracediff/test_step \
	tests/unit/tracediff/test_tracediff \
	tests/unit/tracefile/test_writer \
	tests/unit/traceindex/test_odd \
	tests/unit/traceindex/test_segment_reader \
	tests/unit/control/test_control \
	tests/unit/openmp/test_cells \
	tests/unit/openmp/test_openmp \
	tests/unit/reductions/test_reductions \
	tests/unit/tracereport/test_finding \
	tests/unit/tracereport/test_last_write \
	tests/unit/tracereport/test_out_of_bounds \
	tests/unit/traceslice/test_slice \
	tests/unit/traceview/test_calls \
	tests/unit/traceview/test_show \
	tests/unit/tui/test_cut \
	tests/unit/tui/test_keys \
	tests/unit/tui/test_list \
	tests/unit/tui/test_panes \
	tests/unit/tui/test_text \
	tests/unit/util/test_literal \
	tests/unit/util/test_xalloc \
	tests/unit/verify/test_levels \
	tests/unit/verify/test_printed

UNIT_CPPFLAGS = $(FRONTEND_CPPFLAGS) $(CMOCKA_CFLAGS)
UNIT_LINK = $(FRONTEND_LIBS) $(CMOCKA_LIBS) -lpthread
LDADD = tests/unit/libunit.la runtime/exec/libexec.la $(UNIT_LINK)
check_LTLIBRARIES += tests/unit/libunit.la
tests_unit_libunit_la_SOURCES = tests/unit/set.h \
	frontend/tui/array/internal.h \
	frontend/tui/array/array.h \
	frontend/tui/array/cut.c \
	frontend/tui/screen/glyph.c \
	frontend/tui/core/internal.h \
	frontend/tui/core/core.h \
	frontend/tui/core/keys.c \
	frontend/tui/core/panes.c \
	frontend/tui/core/list.c \
	frontend/tui/screen/number.c \
	frontend/tui/screen/span.c \
	tests/bench/trace_work.c \
	tests/bench/trace_work.h \
	$(SIM_SOURCES) \
	tests/unit/compare_help.c \
	tests/unit/compare_help.h \
	tests/unit/page_fixture.c \
	tests/unit/page_fixture.h \
	tests/unit/sum_help.c \
	tests/unit/sum_help.h \
	tests/unit/trace_help.c \
	tests/unit/trace_help.h
tests_unit_pending_test_pending_SOURCES = tests/unit/pending/test_pending.c runtime/pending/pending.c
# compiled once more, without the program that it is for
tests_unit_pending_test_pending_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_writes_test_writes_SOURCES = tests/unit/writes/test_writes.c runtime/writes/writes.c runtime/base/peek.c
tests_unit_writes_test_writes_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_openmp_test_cells_SOURCES = tests/unit/openmp/run.h tests/unit/openmp/test_cells.c
tests_unit_openmp_test_openmp_SOURCES = tests/unit/openmp/run.h tests/unit/openmp/test_openmp.c
tests_unit_protocol_test_forms_SOURCES = tests/unit/protocol/form_answers.h tests/unit/protocol/form_values.h tests/unit/protocol/test_forms.c
# A supervisor for one program under libdvmdbg.
check_LTLIBRARIES += tests/unit/libsuper.la
tests_unit_libsuper_la_SOURCES = tests/unit/ring.c tests/unit/ring.h tests/unit/super.c tests/unit/super.h \
	tests/unit/taker.c tests/unit/taker.h
UNDER_SUPER = tests/unit/libsuper.la $(LDADD)
tests_unit_record_test_access_LDADD = $(UNDER_SUPER)
tests_unit_stop_test_runtime_LDADD = $(UNDER_SUPER)
tests_unit_record_test_objects_LDADD = $(UNDER_SUPER)
tests_unit_stop_test_queue_LDADD = $(UNDER_SUPER)
tests_unit_stop_test_sums_LDADD = $(UNDER_SUPER)
tests_unit_stop_test_trouble_LDADD = $(UNDER_SUPER)
# A job that is not there; it takes the place of the front end's.
check_LTLIBRARIES += tests/unit/libfake.la
tests_unit_libfake_la_SOURCES = tests/unit/fake_job.c tests/unit/fake_job.h
WITH_FAKE_JOB = tests/unit/libfake.la $(LDADD)
tests_unit_cmd_test_cmd_LDADD = $(WITH_FAKE_JOB)
tests_unit_cmd_test_complete_LDADD = $(WITH_FAKE_JOB)
tests_unit_data_test_fetch_LDADD = $(WITH_FAKE_JOB)
tests_unit_model_test_focus_LDADD = $(WITH_FAKE_JOB)
tests_unit_halo_test_halo_LDADD = $(WITH_FAKE_JOB)
tests_unit_match_test_conflicts_LDADD = $(WITH_FAKE_JOB)
tests_unit_native_test_native_LDADD = $(WITH_FAKE_JOB)
tests_unit_cmd_test_help_LDADD = $(WITH_FAKE_JOB)
# Traces of programs that are not there, and their comparison.
check_LTLIBRARIES += tests/unit/libsynth.la
tests_unit_libsynth_la_SOURCES = tests/unit/trace_check.c tests/unit/trace_check.h tests/unit/trace_programs.c \
	tests/unit/trace_step.c tests/unit/trace_step.h tests/unit/trace_synth.c tests/unit/trace_synth.h \
	tests/unit/trace_synth_impl.h tests/unit/trace_synth_rank.c
WITH_TRACES = tests/unit/libsynth.la $(LDADD)
tests_unit_tracediff_test_tracediff_LDADD = $(WITH_TRACES)
tests_unit_tracediff_test_faults_LDADD = $(WITH_TRACES)
tests_unit_tracediff_test_more_LDADD = $(WITH_TRACES)
tests_unit_traceindex_test_odd_LDADD = $(WITH_TRACES)
tests_unit_tracediff_test_order_LDADD = $(WITH_TRACES)
tests_unit_tracediff_test_sequential_LDADD = $(WITH_TRACES)
tests_unit_tracediff_test_step_LDADD = $(WITH_TRACES)
# Thousands of tree nodes on one machine.
SIM_SOURCES = tests/sim/play.c tests/sim/play.h tests/sim/sim.c tests/sim/sim.h tests/sim/sim_cost.c \
	tests/sim/sim_rank.c tests/unit/fake_node.c tests/unit/fake_node.h
if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif

# --- lack of memory
# Each call site that allocates fails once. The linker puts what can fail in the place of what allocates.
OOM_WRAPPED = malloc calloc realloc reallocarray strdup strndup asprintf open_memstream fopen fdopen getline mmap
OOM_SOURCES = tests/oom/fail.c tests/oom/fail.h tests/oom/fail_wrap.c tests/oom/cases.h tests/oom/oom.c \
	tests/oom/case_common.c tests/oom/case_exec.c tests/oom/case_trace.c tests/sim/sim.h tests/sim/sim_rank.c \
	tests/unit/trace_synth.c tests/unit/trace_synth_rank.c tests/unit/trace_programs.c tests/unit/trace_synth.h \
	tests/unit/trace_synth_impl.h
EXTRA_DIST += tests/oom/fail_preload.c
if HAVE_CMOCKA
check_PROGRAMS += tests/oom/oom
TESTS += tests/oom/oom
endif
if HAVE_CMOCKA
check_PROGRAMS += tests/oom/sim
TESTS += tests/oom/sim
endif
tests_oom_sim_SOURCES = tests/oom/fail.c tests/oom/fail.h tests/oom/fail_wrap.c tests/oom/sim.c $(SIM_SOURCES)
tests_oom_sim_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_oom_sim_LDFLAGS = $(foreach f,$(OOM_WRAPPED),-Wl,--wrap=$(f))
tests_oom_sim_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_oom_oom_SOURCES = $(OOM_SOURCES)
tests_oom_oom_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_oom_oom_LDFLAGS = $(foreach f,$(OOM_WRAPPED),-Wl,--wrap=$(f))
tests_oom_oom_LDADD = runtime/exec/libexec.la $(UNIT_LINK)

# --- targets for the fuzzer, here with a main of their own. One is a line, too.
FUZZ_TARGETS = \
	tests/fuzz/fuzz_command \
	tests/fuzz/fuzz_compare \
	tests/fuzz/fuzz_expr \
	tests/fuzz/fuzz_found \
	tests/fuzz/fuzz_loops \
	tests/fuzz/fuzz_marks \
	tests/fuzz/fuzz_msg \
	tests/fuzz/fuzz_native \
	tests/fuzz/fuzz_page \
	tests/fuzz/fuzz_param \
	tests/fuzz/fuzz_point \
	tests/fuzz/fuzz_program \
	tests/fuzz/fuzz_rankset \
	tests/fuzz/fuzz_reference \
	tests/fuzz/fuzz_trace \
	tests/fuzz/fuzz_trace_text \
	tests/fuzz/fuzz_wire
check_PROGRAMS += $(FUZZ_TARGETS) tests/fuzz/subject
# What fuzz_native debugs.
tests_fuzz_subject_CFLAGS = -std=gnu11
tests_fuzz_subject_LDADD =
tests_fuzz_subject_LDFLAGS =
tests_fuzz_fuzz_loops_SOURCES = tests/fuzz/fuzz_loops.c runtime/loops/c.c runtime/loops/directive.c \
	runtime/loops/file.c runtime/loops/fortran.c
tests_fuzz_fuzz_command_LDADD = $(WITH_FAKE_JOB)
tests_fuzz_fuzz_param_LDADD = $(WITH_FAKE_JOB)
EXTRA_DIST += tests/fuzz/fuzz.h

# --- shell tests. The longest are begun first: nothing has to wait for one of them alone in the end.
SHELL_TESTS = \
	tests/t/wrapper.sh \
	tests/t/annotate.sh \
	tests/t/assign.sh \
	tests/t/badinput.sh \
	tests/t/break-lines.sh tests/t/points-mpi.sh tests/t/repeated.sh \
	tests/t/completion.sh \
	tests/t/control.sh \
	tests/t/crashes.sh \
	tests/t/deaths.sh \
	tests/t/diff.sh \
	tests/t/export.sh \
	tests/t/examples.sh \
	tests/t/functions.sh \
	tests/t/fuzz.sh \
	tests/t/gdb-habits.sh \
	tests/t/halo.sh \
	tests/t/hang.sh tests/t/hang-pairs.sh tests/t/hang-verbs.sh tests/t/hang-calls.sh \
	tests/t/hooks.sh \
	tests/t/hpd-actions.sh \
	tests/t/hpd-look.sh \
	tests/t/hpd-run.sh \
	tests/t/hpd-session.sh \
	tests/t/hpd-sets.sh \
	tests/t/hpd-steps.sh \
	tests/t/install.sh \
	tests/t/kill.sh \
	tests/t/language.sh \
	tests/t/layers.sh \
	tests/t/locate-blocks.sh \
	tests/t/locate-runs.sh \
	tests/t/scales.sh \
	tests/t/locate.sh \
	tests/t/logical.sh \
	tests/t/locate-astray.sh \
	tests/t/ends.sh \
	tests/t/locate-blame.sh \
	tests/t/locate-cause.sh \
	tests/t/locate-chain.sh \
	tests/t/locate-loop.sh \
	tests/t/locate-pipe.sh \
	tests/t/locate-threads.sh \
	tests/t/locate-trace.sh \
	tests/t/manual.sh tests/t/marks.sh \
	tests/t/mpierr.sh tests/t/mpierr-more.sh \
	tests/t/mpirace.sh \
	tests/t/mpimatch.sh \
	tests/t/mutate.sh \
	tests/t/attach.sh \
	tests/t/hosts.sh \
	tests/t/native.sh \
	tests/t/numbering.sh \
	tests/t/readme.sh \
	tests/t/register.sh \
	tests/t/oom.sh \
	tests/t/order.sh \
	tests/t/output.sh \
	tests/t/annotate-check.sh tests/t/annotate-fortran.sh tests/t/annotate-kinds.sh \
	tests/t/pager.sh \
	tests/t/pair.sh \
	tests/t/pending.sh \
	tests/t/watch.sh \
	tests/t/search.sh \
	tests/t/sequence.sh \
	tests/t/session.sh \
	tests/t/soak.sh \
	tests/t/outcome.sh \
	tests/t/sums.sh \
	tests/t/trace.sh \
	tests/t/texts.sh \
	tests/t/trace-format.sh \
	tests/t/threads.sh \
	tests/t/traces.sh \
	tests/t/traces-copies.sh \
	tests/t/record-none.sh \
	tests/t/reductions.sh \
	tests/t/dyncontrol.sh \
	tests/t/openmp.sh \
	tests/t/dyncontrol-verbs.sh \
	tests/t/dyncontrol-shapes.sh \
	tests/t/traces-dealt.sh \
	tests/t/traces-faults.sh \
	tests/t/traces-fortran.sh \
	tests/t/traces-gate.sh \
	tests/t/traces-levels.sh \
	tests/t/traces-moved.sh \
	tests/t/traces-names.sh \
	tests/t/traces-odd.sh \
	tests/t/traces-order.sh \
	tests/t/traces-parts.sh \
	tests/t/traces-programs.sh \
	tests/t/traces-right.sh \
	tests/t/traces-calls.sh \
	tests/t/traces-verbs.sh \
	tests/t/traces-zones.sh \
	tests/t/tui-array.sh \
	tests/t/tui-ends.sh \
	tests/t/tui-reports.sh \
	tests/t/tui-screens.sh \
	tests/t/tui-timeline.sh \
	tests/t/tui-walk.sh \
	tests/t/tui.sh \
	tests/t/call.sh \
	tests/t/described.sh \
	tests/t/placement.sh \
	tests/t/gdb-all.sh \
	tests/t/elsewhere.sh \
	tests/t/fields.sh \
	tests/t/variables.sh \
	tests/t/bins.sh

# With sanitizers only the unit tests run: a preloaded library cannot bring them into programs.
if SANITIZE
TESTS += tests/t/fuzz.sh
else
if HAVE_MPI
TESTS += $(SHELL_TESTS)
endif
endif

# --- programs of the shell tests. One is a word here; its source is the file of that name.
PLAIN_PROG = tests/prog/arrays/sums tests/prog/hooks/access tests/prog/points/marks tests/prog/points/omp \
	tests/prog/points/register \
	tests/prog/runs/ask tests/prog/runs/serial
MPI_PROG = tests/prog/hang/hang tests/prog/mpierr/mpierr tests/prog/mpierr/match tests/prog/runs/chatter tests/prog/arrays/halos tests/prog/arrays/odd tests/prog/arrays/reduce tests/prog/arrays/view \
	tests/prog/locate/askew tests/prog/locate/causes tests/prog/locate/scaled tests/prog/locate/unlike tests/prog/points/shifted tests/prog/points/tasks \
	tests/prog/runs/big tests/prog/runs/hello tests/prog/runs/misbehave tests/prog/runs/mpi tests/prog/runs/order
MPICH_PROG = $(MPI_PROG:=-mpich)
FIRST_MPI_PROG = $(MPI_PROG) tests/prog/traces/traced tests/prog/moved/heat
PROGRAM_CC = $(CC) $(EXAMPLE_CPPFLAGS) $(EXAMPLE_CFLAGS) $(CFLAGS)
PROGRAM_LIBS = $(FORTRAN_LIBS)
tests/prog/runs/chatter tests/prog/runs/chatter-mpich tests/prog/runs/hello tests/prog/runs/hello-mpich tests/prog/hang/hang tests/prog/hang/hang-mpich \
	tests/prog/mpierr/match tests/prog/mpierr/match-mpich tests/prog/mpierr/mpierr tests/prog/mpierr/mpierr-mpich: PROGRAM_LIBS =
# a call that comes last keeps its line
tests/prog/hang/hang tests/prog/hang/hang-mpich: PROGRAM_CC += -g -fno-optimize-sibling-calls
tests/prog/mpierr/match tests/prog/mpierr/match-mpich tests/prog/mpierr/mpierr tests/prog/mpierr/mpierr-mpich: PROGRAM_CC += -g -fno-optimize-sibling-calls
tests/prog/points/omp: PROGRAM_CC += $(OPENMP_CFLAGS)
check_DATA += $(PLAIN_PROG)
$(PLAIN_PROG): tests/prog/%: $(srcdir)/tests/prog/%.c runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PROGRAM_CC) $< -o $@ $(PROGRAM_LIBS) -lpthread -lm
if !SANITIZE
if HAVE_MPI
check_DATA += $(FIRST_MPI_PROG)
endif
if HAVE_BOTH
check_DATA += $(MPICH_PROG)
endif
check_DATA += tests/yield.so
endif
tests/yield.so: $(srcdir)/tests/yield.c
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(CC) $(CFLAGS) -g0 -shared -fPIC $< -o $@ -ldl
CLEANFILES += tests/yield.so
EXTRA_DIST += tests/yield.c
$(MPI_PROG) tests/prog/traces/traced: tests/prog/%: $(srcdir)/tests/prog/%.c runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PROGRAM_CC) $(MPI_CFLAGS) $< -o $@ $(PROGRAM_LIBS) $(MPI_LIBS) -lpthread -lm
$(MPICH_PROG): tests/prog/%-mpich: $(srcdir)/tests/prog/%.c runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PROGRAM_CC) $(MPICH_CFLAGS) $< -o $@ $(PROGRAM_LIBS) $(MPICH_LIBS) -lpthread -lm
# The heat example with its loops two lines further down, as after a change.
tests/prog/moved/heat: $(srcdir)/doc/examples/heat.c runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_at)sed -e 's/^int main/\n\n&/' $< >$@.c
	$(AM_V_GEN)$(PROGRAM_CC) $(MPI_CFLAGS) $@.c -o $@ $(PROGRAM_LIBS) $(MPI_LIBS) -lpthread -lm
CLEANFILES += $(PLAIN_PROG) $(FIRST_MPI_PROG) $(MPICH_PROG) tests/prog/moved/heat.c
EXTRA_DIST += $(PLAIN_PROG:=.c) $(MPI_PROG:=.c)
# Compiled by the tests themselves, in many ways.
EXTRA_DIST += tests/prog/hooks/hooks_atomic.c tests/prog/hooks/hooks_c.c tests/prog/hooks/hooks_count.c \
	tests/prog/hang/pairs.c tests/prog/hang/pairs.F90 tests/prog/hooks/hooks_f.f90 tests/prog/hooks/pending.c tests/prog/hooks/pending_mpi.c \
	tests/prog/hooks/pending_mpi.f90 tests/prog/hooks/plugin.c tests/prog/hooks/moved.cpp tests/prog/hooks/moved.f90 tests/prog/hooks/watch.c tests/prog/hooks/watch.f90 tests/prog/hooks/watched.c tests/prog/hooks/watched.f90 tests/prog/locate/astray.c tests/prog/arrays/around.c tests/prog/arrays/described.c tests/prog/arrays/described.f90 tests/prog/arrays/placed.c tests/prog/arrays/placed.f90 tests/prog/arrays/cuda_runtime.h tests/prog/arrays/fields.c tests/prog/arrays/fields.f90 tests/prog/native/called.c tests/prog/native/called.cpp tests/prog/native/classes.cpp tests/prog/native/called.f90 tests/prog/native/calls.c \
	tests/prog/native/accessed.cpp tests/prog/native/accessed.f90 tests/prog/native/calls.f90 tests/prog/native/crashes.c tests/prog/native/crashes.f90 tests/prog/native/marked.c \
	tests/prog/native/mpir.c tests/prog/native/refuse.c tests/prog/native/thrown.cpp tests/prog/logical/menu.c tests/prog/logical/menu.f90 \
	tests/prog/language/terms.c tests/prog/language/terms.f90 tests/prog/native/kinds.c tests/prog/native/kinds.f90 tests/prog/native/nested.f90 tests/prog/native/viewed.c tests/prog/native/vars.c tests/prog/native/vars.cpp tests/prog/native/vars.f90 tests/prog/marks/ways.c tests/prog/marks/parts.cpp tests/prog/marks/kinds.f90 \
	tests/prog/locate/astray.f90 tests/prog/locate/blame.c tests/prog/locate/chain.c tests/prog/locate/csr.c \
	tests/prog/locate/ends.c tests/prog/locate/ends.f90 \
	tests/prog/locate/blame_plain.c tests/prog/locate/solver.f90 tests/prog/mpierr/extents.c tests/prog/mpierr/match.F90 tests/prog/mpierr/more.c tests/prog/mpierr/mpierr.f90 tests/prog/mpierr/race.c tests/prog/mpierr/race.f90 tests/prog/points/fmarks.f90 tests/prog/points/fregister.f90 \
	tests/prog/points/collectives.c tests/prog/points/regions.c tests/prog/points/collectives.F90 tests/prog/hang/repeated.c tests/prog/hang/threads.c tests/prog/hang/workers.c tests/prog/hang/calls.c tests/prog/hang/calls.F90 tests/prog/hang/verbs.c tests/prog/points/lines.c tests/prog/runs/order.f90 tests/prog/traces/copies.c tests/prog/traces/swapped.c tests/prog/traces/uses.c tests/prog/traces/dealt.f90 tests/prog/traces/trace_odd.c \
	tests/prog/openmp/blocks.c tests/prog/openmp/blocks.f90 tests/prog/openmp/cases.c tests/prog/openmp/cases.f90 tests/prog/openmp/event.c tests/prog/openmp/foreign.c tests/prog/openmp/fresh.c tests/prog/openmp/fresh.f90 tests/prog/openmp/hybrid.c tests/prog/openmp/constructs.c tests/prog/openmp/loops.c tests/prog/openmp/run.h tests/prog/openmp/odd.c tests/prog/openmp/plate.c tests/prog/openmp/odd.cc tests/prog/openmp/odd.f tests/prog/openmp/taken.c tests/prog/openmp/threads.c tests/prog/openmp/threads.cc tests/prog/control/cases.c tests/prog/control/cases.f90 tests/prog/control/shapes.f90 $(SHAPES_C) tests/prog/control/shapes.h tests/prog/traces/calls.c tests/prog/traces/freduced.f90 tests/prog/traces/original.c tests/prog/traces/reduced.c tests/prog/traces/sequence.c tests/prog/traces/traced.c tests/prog/traces/traced_omp.c
# These write and read traces.
check_PROGRAMS += tests/prog/traces/tracecat tests/prog/traces/tracedump
TRACE_LINK = common/libtrace.la common/libcommon.la $(SODIUM_LIBS) $(ZSTD_LIBS) -lm
tests_prog_traces_tracecat_LDADD = $(TRACE_LINK)
tests_prog_traces_tracedump_LDADD = tests/unit/libunit.la $(TRACE_LINK)
tests/prog/points/fmarks tests/prog/points/fregister: tests/prog/points/%: $(srcdir)/runtime/dvmdbg.f90 \
		$(srcdir)/tests/prog/points/%.f90 runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) $@.mod
	$(AM_V_GEN)$(FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J $@.mod $(filter %.f90,$^) -o $@ $(FORTRAN_LIBS)
CLEANFILES += tests/prog/points/fmarks tests/prog/points/fmarks.mod/*.mod tests/prog/points/fregister \
	tests/prog/points/fregister.mod/*.mod
if HAVE_FC
check_DATA += tests/prog/points/fmarks tests/prog/points/fregister
endif
tests/prog/locate/solver: SOLVER_FC = $(OPENMPI_FC)
tests/prog/locate/solver-mpich: SOLVER_FC = $(MPICH_FC)
tests/prog/locate/solver tests/prog/locate/solver-mpich: $(srcdir)/runtime/dvmdbg.f90 \
		$(srcdir)/tests/prog/locate/solver.f90 runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) $@.mod
	$(AM_V_GEN)$(SOLVER_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J $@.mod $(filter %.f90,$^) -o $@ $(FORTRAN_LIBS)
if HAVE_OPENMPI_FC
check_DATA += tests/prog/locate/solver
endif
if HAVE_MPICH_FC
check_DATA += tests/prog/locate/solver-mpich
endif
CLEANFILES += tests/prog/locate/solver tests/prog/locate/solver-mpich tests/prog/locate/solver.mod/*.mod \
	tests/prog/locate/solver-mpich.mod/*.mod

# The examples with access hooks. Not where the library has a sanitizer in it: that has to be in the program, too.
HOOKED_C = doc/examples/cg-hooked doc/examples/heat-hooked doc/examples/multiblock-hooked doc/examples/ring-hooked
HOOKED_PROG = tests/prog/control/cases-hooked tests/prog/traces/original-hooked tests/prog/traces/reduced-hooked tests/prog/traces/sequence-hooked tests/prog/traces/traced-hooked tests/prog/locate/scaled-hooked tests/prog/locate/unlike-hooked
HOOKED_F = doc/examples/jacobi-hooked doc/examples/lu-hooked doc/examples/stagger-hooked
HOOKED_DEPS = $(bin_SCRIPTS) $(hooks_DATA) $(pkglib_LIBRARIES) runtime/libdvmdbg.la
HOOKED_CC = DVMDBG_CC='$(CC)' runtime/dvmdbg-cc -std=gnu11 $(WARN_CFLAGS) $(CFLAGS) $(EXAMPLE_CPPFLAGS)
if !SANITIZE
if HAVE_MPI
check_DATA += $(HOOKED_C) $(HOOKED_PROG) tests/prog/control/shapes-hooked
endif
if HAVE_BOTH
check_DATA += $(HOOKED_C:=-mpich) tests/prog/control/shapes-hooked-mpich
endif
if HAVE_OPENMPI_FC
check_DATA += $(HOOKED_F)
endif
if HAVE_MPICH_FC
check_DATA += $(HOOKED_F:=-mpich)
endif
endif
# What quickstart builds, too: those for the first MPI.
HOOKED_ALL =
if !SANITIZE
if HAVE_MPI
HOOKED_ALL += $(HOOKED_C)
endif
if HAVE_OPENMPI_FC
HOOKED_ALL += $(HOOKED_F)
endif
endif
examples-hooked: all
	$(if $(HOOKED_ALL),$(MAKE) $(AM_MAKEFLAGS) $(HOOKED_ALL))
.PHONY: examples-hooked
doc/examples/%-hooked: $(srcdir)/doc/examples/%.c $(HOOKED_DEPS)
	$(AM_V_GEN)$(HOOKED_CC) $(MPI_CFLAGS) $< -o $@ $(FORTRAN_LIBS) $(MPI_LIBS) -lm
$(HOOKED_PROG): tests/prog/%-hooked: $(srcdir)/tests/prog/%.c $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(HOOKED_CC) $(MPI_CFLAGS) $< -o $@ $(FORTRAN_LIBS) $(MPI_LIBS) -lm
SHAPES_C = tests/prog/control/shapes.c tests/prog/control/shapes_when.c tests/prog/control/shapes_where.c
SHAPES_DEPS = $(SHAPES_C:%=$(srcdir)/%) $(srcdir)/tests/prog/control/shapes.h
tests/prog/control/shapes-hooked: $(SHAPES_DEPS) $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(HOOKED_CC) -I$(srcdir) $(MPI_CFLAGS) $(filter %.c,$^) -o $@ $(FORTRAN_LIBS) $(MPI_LIBS) -lm
tests/prog/control/shapes-hooked-mpich: $(SHAPES_DEPS) $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(HOOKED_CC) -I$(srcdir) $(MPICH_CFLAGS) $(filter %.c,$^) -o $@ $(FORTRAN_LIBS) $(MPICH_LIBS) -lm
doc/examples/%-hooked-mpich: $(srcdir)/doc/examples/%.c $(HOOKED_DEPS)
	$(AM_V_GEN)$(HOOKED_CC) $(MPICH_CFLAGS) $< -o $@ $(FORTRAN_LIBS) $(MPICH_LIBS) -lm
doc/examples/%-hooked: $(srcdir)/doc/examples/%.f90 $(srcdir)/runtime/dvmdbg.f90 $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $@.mod
	$(AM_V_GEN)DVMDBG_FC='$(OPENMPI_FC)' runtime/dvmdbg-fc $(FCFLAGS) -J $@.mod $(srcdir)/runtime/dvmdbg.f90 $< \
		-o $@ $(FORTRAN_LIBS)
HOOKED_PROG_F = tests/prog/control/fcases-hooked tests/prog/control/fshapes-hooked tests/prog/traces/freduced-hooked
if !SANITIZE
if HAVE_OPENMPI_FC
check_DATA += $(HOOKED_PROG_F)
endif
endif
tests/prog/control/fcases-hooked: $(srcdir)/tests/prog/control/cases.f90
tests/prog/control/fshapes-hooked: $(srcdir)/tests/prog/control/shapes.f90
tests/prog/traces/freduced-hooked: $(srcdir)/tests/prog/traces/freduced.f90
$(HOOKED_PROG_F): $(srcdir)/runtime/dvmdbg.f90 $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $@.mod
	$(AM_V_GEN)DVMDBG_FC='$(OPENMPI_FC)' runtime/dvmdbg-fc $(FCFLAGS) -J $@.mod $(srcdir)/runtime/dvmdbg.f90 \
		$(filter-out %/dvmdbg.f90,$(filter %.f90,$^)) -o $@ $(FORTRAN_LIBS)
CLEANFILES += $(HOOKED_PROG_F) tests/prog/control/*-hooked.mod/*.mod tests/prog/traces/*-hooked.mod/*.mod
doc/examples/%-hooked-mpich: $(srcdir)/doc/examples/%.f90 $(srcdir)/runtime/dvmdbg.f90 $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $@.mod
	$(AM_V_GEN)DVMDBG_FC='$(MPICH_FC)' runtime/dvmdbg-fc $(FCFLAGS) -J $@.mod $(srcdir)/runtime/dvmdbg.f90 $< \
		-o $@ $(FORTRAN_LIBS)
CLEANFILES += $(HOOKED_PROG) tests/prog/control/shapes-hooked tests/prog/control/shapes-hooked-mpich $(HOOKED_C) $(HOOKED_C:=-mpich) $(HOOKED_F) $(HOOKED_F:=-mpich) doc/examples/*-hooked*.mod/*.mod

# --- make bench: the example without its annotations, and programs that measure.
FOR_BENCH = tests/bench/heat-plain tests/bench/copy tests/bench/giant tests/bench/keys tests/bench/peak tests/bench/scale tests/bench/stuck tests/bench/sums tests/bench/trace
EXTRA_PROGRAMS = $(FOR_BENCH)
tests_bench_heat_plain_SOURCES = doc/examples/heat.c
tests_bench_heat_plain_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS) -DDVMDBG_OFF
tests_bench_heat_plain_CFLAGS = $(EXAMPLE_CFLAGS)
tests_bench_heat_plain_LDADD = $(MPI_LIBS) -lm
tests_bench_copy_SOURCES = tests/bench/copy.c
tests_bench_copy_LDADD = -lm
tests_bench_giant_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS)
tests_bench_giant_CFLAGS = $(EXAMPLE_CFLAGS)
tests_bench_giant_LDADD = runtime/libdvmdbg.la $(MPI_LIBS) -lm
tests_bench_keys_LDADD =
tests_bench_stuck_CPPFLAGS = $(MPI_CFLAGS)
tests_bench_stuck_LDADD = $(MPI_LIBS)
tests_bench_peak_LDADD =
tests_bench_scale_SOURCES = tests/bench/bench_scale.c
tests_bench_sums_SOURCES = tests/bench/bench_sum.c
tests_bench_sums_LDADD = common/libcommon.la -lm
tests_bench_trace_SOURCES = tests/bench/bench_trace.c
bench: all $(FOR_BENCH)
	srcdir=$(srcdir) bash $(top_srcdir)/tests/bench/bench.sh

# --- what else can be run
QUICK_TESTS = tests/t/session.sh tests/t/numbering.sh tests/t/badinput.sh
check-quick:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS) $(QUICK_TESTS)' DVMDBG_TEST_SET=quick
# What can depend on the compiler of the program that is debugged: its debug information, what its hooks see.
COMPILER_TESTS = $(filter $(addprefix tests/t/,assign.sh functions.sh halo.sh hooks.sh hpd-look.sh locate.sh locate-blame.sh \
	native.sh numbering.sh pending.sh register.sh session.sh sums.sh traces.sh traces-gate.sh \
	traces-moved.sh traces-programs.sh wrapper.sh),$(SHELL_TESTS))
check-compiler:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(COMPILER_TESTS)' DVMDBG_TEST_SET=compiler
# Of these what is nearest to the compiler: ./quickstart check all runs them in its build with clang.
NEAR_TESTS = $(filter $(addprefix tests/t/,assign.sh hooks.sh native.sh numbering.sh pending.sh register.sh session.sh sums.sh \
	traces.sh traces-moved.sh wrapper.sh),$(SHELL_TESTS))
check-near:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(NEAR_TESTS)' DVMDBG_TEST_SET=compiler
# All faulty programs, on 2 and 4 ranks with and without access hooks: an hour. Prints the table of doc/BENCHMARKS.md.
check-mutate: all check-programs
	python3 $(srcdir)/tests/mutate/mutate.py --srcdir $(srcdir) --builddir . --right
	python3 $(srcdir)/tests/mutate/mutate.py --srcdir $(srcdir) --builddir . --scale 1e-12 --every 10
	python3 $(srcdir)/tests/mutate/mutate.py --srcdir $(srcdir) --builddir . --scale 1e12 --every 10
	python3 $(srcdir)/tests/mutate/mutate.py --srcdir $(srcdir) --builddir . $(MUTATE)
TEST_LINK = $(SHELL) $(srcdir)/tests/link.sh $(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) $(TEST_LD) -o $$@
# All that tests need, and no test. What runs for a moment only is not optimised: that takes a third of the time.
check-programs: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_LTLIBRARIES) CFLAGS='$(CFLAGS) -O0'
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) CFLAGS='$(CFLAGS) -O0' LINK='$(TEST_LINK)'
	$(MAKE) $(AM_MAKEFLAGS) $(check_DATA)
# Unit tests and fuzz targets alone, and the programs that unit tests run: nothing else is built for them.
FOR_UNIT = $(UNIT_TESTS) $(FUZZ_TARGETS) tests/fuzz/subject
unit-programs: $(noinst_LTLIBRARIES) $(check_LTLIBRARIES) $(check_DATA)
	$(MAKE) $(AM_MAKEFLAGS) $(FOR_UNIT) LINK='$(TEST_LINK)'
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(UNIT_TESTS) tests/t/fuzz.sh' check_PROGRAMS='$(FOR_UNIT)' \
		check_LTLIBRARIES= check_DATA=
check-all:
	$(MAKE) $(AM_MAKEFLAGS) check DVMDBG_TEST_SET=all
check-long: all
	python3 $(srcdir)/tests/mutate/solvers.py --srcdir $(srcdir) --builddir . --faults
	$(MAKE) $(AM_MAKEFLAGS) check DVMDBG_TEST_SET=long DVMDBG_LONG=1
# Before the summary: where the time went.
test-times: $(TEST_LOGS)
	@bash $(srcdir)/tests/times.sh 12 $(TEST_LOGS:.log=.trs)
test-suite.log: test-times

.PHONY: check-compiler check-mutate check-near check-programs check-quick check-unit check-all check-long bench test-times unit-programs

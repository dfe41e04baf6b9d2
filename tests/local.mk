# SPDX-License-Identifier: GPL-3.0-or-later
# make check: unit tests (cmocka) and shell tests; make check-long: the ones that take long; make bench.
TEST_EXTENSIONS = .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = bash $(srcdir)/tests/unit/run.sh
SH_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_COMPILER = bash
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT;

EXTRA_DIST += $(SHELL_TESTS) tests/t/lib.sh tests/t/compares.sh tests/t/locates.sh tests/t/screens.sh tests/t/cells.awk tests/t/colours.awk tests/t/picture.awk tests/screens tests/bench/bench.sh \
	tests/unit/run.sh

UNIT_CPPFLAGS = $(FRONTEND_CPPFLAGS) $(CMOCKA_CFLAGS)
UNIT_LINK = $(FRONTEND_LIBS) $(CMOCKA_LIBS) -lpthread
# Thousands of tree nodes on one machine.
SIM_SOURCES = tests/sim/play.c tests/sim/play.h tests/sim/sim.c tests/sim/sim.h tests/sim/sim_cost.c \
	tests/sim/sim_rank.c tests/unit/fake_node.c tests/unit/fake_node.h
UNIT_TESTS = \
	tests/unit/test_access \
	tests/unit/test_actionpoints \
	tests/unit/test_addr \
	tests/unit/test_array \
	tests/unit/test_assign \
	tests/unit/test_auth \
	tests/unit/test_buf \
	tests/unit/test_cmd \
	tests/unit/test_compare \
	tests/unit/test_compare_objects \
	tests/unit/test_codec \
	tests/unit/test_complete \
	tests/unit/test_conn \
	tests/unit/test_construct \
	tests/unit/test_diff \
	tests/unit/test_diff_cells \
	tests/unit/test_diff_shape \
	tests/unit/test_differ \
	tests/unit/test_entity \
	tests/unit/test_err \
	tests/unit/test_expr_eval \
	tests/unit/test_reduce \
	tests/unit/test_expr_parse \
	tests/unit/test_fetch \
	tests/unit/test_finding \
	tests/unit/test_focus \
	tests/unit/test_forms \
	tests/unit/test_gather \
	tests/unit/test_gauge \
	tests/unit/test_halo \
	tests/unit/test_help \
	tests/unit/test_image \
	tests/unit/test_job \
	tests/unit/test_job_sums \
	tests/unit/test_launch \
	tests/unit/test_levels \
	tests/unit/test_literal \
	tests/unit/test_log \
	tests/unit/test_lstack \
	tests/unit/test_merge \
	tests/unit/test_msg \
	tests/unit/test_npy \
	tests/unit/test_object \
	tests/unit/test_out_text \
	tests/unit/test_page_read \
	tests/unit/test_page_sums \
	tests/unit/test_pair_match \
	tests/unit/test_point \
	tests/unit/test_program \
	tests/unit/test_rankset \
	tests/unit/test_reference \
	tests/unit/test_rendezvous \
	tests/unit/test_report \
	tests/unit/test_rim \
	tests/unit/test_rule \
	tests/unit/test_runtime \
	tests/unit/test_runtime_objects \
	tests/unit/test_runtime_queue \
	tests/unit/test_runtime_sums \
	tests/unit/test_runtime_trouble \
	tests/unit/test_scale \
	tests/unit/test_section \
	tests/unit/test_settings \
	tests/unit/test_symbol_data \
	tests/unit/test_shade \
	tests/unit/test_sum \
	tests/unit/test_sum_compare \
	tests/unit/test_sum_parts \
	tests/unit/test_sums \
	tests/unit/test_tally \
	tests/unit/test_trace \
	tests/unit/test_trace_cmp \
	tests/unit/test_trace_faults \
	tests/unit/test_trace_file \
	tests/unit/test_trace_finding \
	tests/unit/test_trace_back \
	tests/unit/test_trace_head \
	tests/unit/test_trace_beside \
	tests/unit/test_trace_owner \
	tests/unit/test_trace_more \
	tests/unit/test_trace_show \
	tests/unit/test_trace_odd \
	tests/unit/test_trace_order \
	tests/unit/test_trace_step \
	tests/unit/test_trace_text \
	tests/unit/test_traces \
	tests/unit/test_tui_cut \
	tests/unit/test_tui_keys \
	tests/unit/test_tui_panes \
	tests/unit/test_tui_list \
	tests/unit/test_tui_text \
	tests/unit/test_value \
	tests/unit/array/test_layout \
	tests/unit/core/test_parse \
	tests/unit/core/test_hash \
	tests/unit/core/test_vec \
	tests/unit/test_wire \
	tests/unit/util/test_xalloc \
	tests/unit/test_zoom \
	tests/unit/test_zoom_answer \
	tests/unit/test_zoom_walk

if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif
# Each call site that allocates fails once. The linker puts what can fail in the place of what allocates.
OOM_WRAPPED = malloc calloc realloc reallocarray strdup strndup asprintf open_memstream fopen fdopen getline mmap
OOM_SOURCES = tests/oom/fail.c tests/oom/fail.h tests/oom/fail_wrap.c tests/oom/cases.h tests/oom/oom.c \
	tests/oom/case_common.c tests/oom/case_exec.c tests/oom/case_trace.c tests/sim/sim.h tests/sim/sim_rank.c
EXTRA_DIST += tests/oom/fail_preload.c
check_PROGRAMS += tests/oom/oom
TESTS += tests/oom/oom
check_PROGRAMS += tests/oom/sim
TESTS += tests/oom/sim
tests_oom_sim_SOURCES = tests/oom/fail.c tests/oom/fail.h tests/oom/fail_wrap.c tests/oom/sim.c $(SIM_SOURCES)
tests_oom_sim_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_oom_sim_LDFLAGS = $(foreach f,$(OOM_WRAPPED),-Wl,--wrap=$(f))
tests_oom_sim_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_oom_oom_SOURCES = $(OOM_SOURCES)
tests_oom_oom_CPPFLAGS = $(FRONTEND_CPPFLAGS)
tests_oom_oom_LDFLAGS = $(foreach f,$(OOM_WRAPPED),-Wl,--wrap=$(f))
tests_oom_oom_LDADD = runtime/exec/libexec.la $(FRONTEND_LIBS) -lpthread
tests_unit_test_access_SOURCES = tests/unit/test_access.c tests/unit/super.c tests/unit/super.h tests/unit/taker.c tests/unit/taker.h
tests_unit_test_access_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_access_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_actionpoints_SOURCES = tests/unit/test_actionpoints.c
tests_unit_test_actionpoints_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_actionpoints_LDADD = $(UNIT_LINK)
tests_unit_test_addr_SOURCES = tests/unit/test_addr.c
tests_unit_test_addr_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_addr_LDADD = $(UNIT_LINK)
tests_unit_test_array_SOURCES = tests/unit/test_array.c
tests_unit_test_array_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_array_LDADD = $(UNIT_LINK)
tests_unit_test_assign_SOURCES = tests/unit/test_assign.c tests/unit/page_fixture.c tests/unit/page_fixture.h
tests_unit_test_assign_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_assign_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_auth_SOURCES = tests/unit/test_auth.c
tests_unit_test_auth_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_auth_LDADD = $(UNIT_LINK)
tests_unit_test_buf_SOURCES = tests/unit/test_buf.c
tests_unit_test_buf_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_buf_LDADD = $(UNIT_LINK)
tests_unit_test_cmd_SOURCES = tests/unit/test_cmd.c tests/unit/fake_job.c tests/unit/fake_job.h
tests_unit_test_cmd_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_cmd_LDADD = $(UNIT_LINK)
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c tests/unit/compare_help.c tests/unit/compare_help.h
tests_unit_test_compare_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_compare_LDADD = $(UNIT_LINK)
tests_unit_test_codec_SOURCES = tests/unit/test_codec.c
tests_unit_test_codec_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_codec_LDADD = $(UNIT_LINK)
tests_unit_test_complete_SOURCES = tests/unit/test_complete.c tests/unit/fake_job.c tests/unit/fake_job.h
tests_unit_test_complete_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_complete_LDADD = $(UNIT_LINK)
tests_unit_test_compare_objects_SOURCES = tests/unit/test_compare_objects.c tests/unit/compare_help.c tests/unit/compare_help.h
tests_unit_test_compare_objects_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_compare_objects_LDADD = $(UNIT_LINK)
tests_unit_test_conn_SOURCES = tests/unit/test_conn.c
tests_unit_test_conn_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_conn_LDADD = $(UNIT_LINK)
tests_unit_test_construct_SOURCES = tests/unit/test_construct.c
tests_unit_test_construct_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_construct_LDADD = $(UNIT_LINK)
tests_unit_test_diff_SOURCES = tests/unit/test_diff.c
tests_unit_test_diff_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_diff_LDADD = $(UNIT_LINK)
tests_unit_test_diff_cells_SOURCES = tests/unit/test_diff_cells.c
tests_unit_test_diff_cells_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_diff_cells_LDADD = $(UNIT_LINK)
tests_unit_test_diff_shape_SOURCES = tests/unit/test_diff_shape.c
tests_unit_test_diff_shape_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_diff_shape_LDADD = $(UNIT_LINK)
tests_unit_test_differ_SOURCES = tests/unit/test_differ.c
tests_unit_test_differ_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_differ_LDADD = $(UNIT_LINK)
tests_unit_test_entity_SOURCES = tests/unit/test_entity.c tests/unit/fake_node.c tests/unit/fake_node.h
tests_unit_test_entity_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_entity_LDADD = $(UNIT_LINK)
tests_unit_test_err_SOURCES = tests/unit/test_err.c
tests_unit_test_err_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_err_LDADD = $(UNIT_LINK)
tests_unit_test_reduce_SOURCES = tests/unit/test_reduce.c
tests_unit_test_reduce_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_reduce_LDADD = $(UNIT_LINK)

tests_unit_test_expr_eval_SOURCES = tests/unit/test_expr_eval.c
tests_unit_test_expr_eval_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_expr_eval_LDADD = $(UNIT_LINK)
tests_unit_test_expr_parse_SOURCES = tests/unit/test_expr_parse.c
tests_unit_test_expr_parse_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_expr_parse_LDADD = $(UNIT_LINK)
tests_unit_test_fetch_SOURCES = tests/unit/test_fetch.c tests/unit/fake_job.c tests/unit/fake_job.h
tests_unit_test_fetch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_fetch_LDADD = $(UNIT_LINK)
tests_unit_test_finding_SOURCES = tests/unit/test_finding.c
tests_unit_test_finding_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_finding_LDADD = $(UNIT_LINK)
tests_unit_util_test_xalloc_SOURCES = tests/unit/util/test_xalloc.c
tests_unit_util_test_xalloc_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_util_test_xalloc_LDADD = $(UNIT_LINK)
tests_unit_test_focus_SOURCES = tests/unit/test_focus.c tests/unit/fake_job.c tests/unit/fake_job.h
tests_unit_test_focus_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_focus_LDADD = $(UNIT_LINK)
tests_unit_test_forms_SOURCES = tests/unit/test_forms.c
tests_unit_test_forms_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_forms_LDADD = $(UNIT_LINK)
tests_unit_test_gather_SOURCES = tests/unit/test_gather.c
tests_unit_test_gather_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_gather_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_gauge_SOURCES = tests/unit/test_gauge.c
tests_unit_test_gauge_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_gauge_LDADD = $(UNIT_LINK)
tests_unit_test_help_SOURCES = tests/unit/test_help.c tests/unit/fake_job.c tests/unit/fake_job.h
tests_unit_test_help_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_help_LDADD = $(UNIT_LINK)
tests_unit_test_halo_SOURCES = tests/unit/test_halo.c tests/unit/fake_job.c tests/unit/fake_job.h
tests_unit_test_halo_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_halo_LDADD = $(UNIT_LINK)
tests_unit_test_image_SOURCES = tests/unit/test_image.c
tests_unit_test_image_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_image_LDADD = $(UNIT_LINK)
tests_unit_test_job_SOURCES = tests/unit/test_job.c tests/unit/fake_node.c tests/unit/fake_node.h
tests_unit_test_job_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_job_LDADD = $(UNIT_LINK)
tests_unit_test_job_sums_SOURCES = tests/unit/test_job_sums.c tests/unit/fake_node.c tests/unit/fake_node.h
tests_unit_test_job_sums_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_job_sums_LDADD = $(UNIT_LINK)
tests_unit_test_levels_SOURCES = tests/unit/test_levels.c
tests_unit_test_levels_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_levels_LDADD = $(UNIT_LINK)
tests_unit_test_launch_SOURCES = tests/unit/test_launch.c
tests_unit_test_launch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_launch_LDADD = $(UNIT_LINK)
tests_unit_test_literal_SOURCES = tests/unit/test_literal.c
tests_unit_test_literal_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_literal_LDADD = $(UNIT_LINK)
tests_unit_test_log_SOURCES = tests/unit/test_log.c
tests_unit_test_log_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_log_LDADD = $(UNIT_LINK)
tests_unit_test_lstack_SOURCES = tests/unit/test_lstack.c
tests_unit_test_lstack_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_lstack_LDADD = $(UNIT_LINK)
tests_unit_test_merge_SOURCES = tests/unit/test_merge.c
tests_unit_test_merge_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_merge_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_msg_SOURCES = tests/unit/test_msg.c
tests_unit_test_msg_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_msg_LDADD = $(UNIT_LINK)
tests_unit_test_object_SOURCES = tests/unit/test_object.c tests/unit/page_fixture.c tests/unit/page_fixture.h
tests_unit_test_object_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_object_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_out_text_SOURCES = tests/unit/test_out_text.c
tests_unit_test_out_text_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_out_text_LDADD = $(UNIT_LINK)
tests_unit_test_page_read_SOURCES = tests/unit/test_page_read.c tests/unit/page_fixture.c tests/unit/page_fixture.h
tests_unit_test_page_read_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_page_read_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_page_sums_SOURCES = tests/unit/test_page_sums.c tests/unit/page_fixture.c tests/unit/page_fixture.h tests/unit/sum_help.c tests/unit/sum_help.h
tests_unit_test_page_sums_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_page_sums_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_point_SOURCES = tests/unit/test_point.c
tests_unit_test_point_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_point_LDADD = $(UNIT_LINK)
tests_unit_test_program_SOURCES = tests/unit/test_program.c
tests_unit_test_program_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_program_LDADD = $(UNIT_LINK)
tests_unit_test_rankset_SOURCES = tests/unit/test_rankset.c
tests_unit_test_rankset_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rankset_LDADD = $(UNIT_LINK)
tests_unit_test_rendezvous_SOURCES = tests/unit/test_rendezvous.c
tests_unit_test_rendezvous_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rendezvous_LDADD = $(UNIT_LINK)
tests_unit_test_report_SOURCES = tests/unit/test_report.c
tests_unit_test_report_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_report_LDADD = $(UNIT_LINK)
tests_unit_test_rim_SOURCES = tests/unit/test_rim.c tests/unit/page_fixture.c tests/unit/page_fixture.h
tests_unit_test_rim_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rim_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_rule_SOURCES = tests/unit/test_rule.c
tests_unit_test_rule_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_rule_LDADD = $(UNIT_LINK)
tests_unit_test_runtime_SOURCES = tests/unit/test_runtime.c tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_LDADD = $(UNIT_LINK)
tests_unit_test_runtime_objects_SOURCES = tests/unit/test_runtime_objects.c tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_objects_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_objects_LDADD = $(UNIT_LINK)
tests_unit_test_runtime_queue_SOURCES = tests/unit/test_runtime_queue.c tests/unit/ring.c tests/unit/ring.h tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_queue_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_queue_LDADD = $(UNIT_LINK)
tests_unit_test_runtime_sums_SOURCES = tests/unit/test_runtime_sums.c tests/unit/ring.c tests/unit/ring.h tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_sums_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_sums_LDADD = $(UNIT_LINK)
tests_unit_test_runtime_trouble_SOURCES = tests/unit/test_runtime_trouble.c tests/unit/super.c tests/unit/super.h
tests_unit_test_runtime_trouble_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_runtime_trouble_LDADD = $(UNIT_LINK)
tests_unit_test_scale_SOURCES = tests/unit/test_scale.c $(SIM_SOURCES)
tests_unit_test_scale_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_scale_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_section_SOURCES = tests/unit/test_section.c
tests_unit_test_section_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_section_LDADD = $(UNIT_LINK)
tests_unit_test_settings_SOURCES = tests/unit/test_settings.c
tests_unit_test_settings_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_settings_LDADD = $(UNIT_LINK)
tests_unit_test_symbol_data_SOURCES = tests/unit/test_symbol_data.c
tests_unit_test_symbol_data_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_symbol_data_LDADD = $(UNIT_LINK)
tests_unit_test_sum_SOURCES = tests/unit/test_sum.c tests/unit/sum_help.c tests/unit/sum_help.h
tests_unit_test_sum_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sum_LDADD = $(UNIT_LINK)
tests_unit_test_sum_compare_SOURCES = tests/unit/test_sum_compare.c
tests_unit_test_sum_compare_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sum_compare_LDADD = $(UNIT_LINK)
tests_unit_test_sum_parts_SOURCES = tests/unit/test_sum_parts.c tests/unit/sum_help.c tests/unit/sum_help.h
tests_unit_test_sum_parts_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sum_parts_LDADD = $(UNIT_LINK)
tests_unit_test_sums_SOURCES = tests/unit/test_sums.c
tests_unit_test_sums_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_sums_LDADD = $(UNIT_LINK)
tests_unit_test_tally_SOURCES = tests/unit/test_tally.c tests/unit/sum_help.c tests/unit/sum_help.h
tests_unit_test_tally_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tally_LDADD = $(UNIT_LINK)
tests_unit_test_reference_SOURCES = tests/unit/test_reference.c
tests_unit_test_reference_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_reference_LDADD = $(UNIT_LINK)
tests_unit_test_npy_SOURCES = tests/unit/test_npy.c
tests_unit_test_npy_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_npy_LDADD = $(UNIT_LINK)
tests_unit_test_pair_match_SOURCES = tests/unit/test_pair_match.c
tests_unit_test_pair_match_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_pair_match_LDADD = $(UNIT_LINK)
tests_unit_test_shade_SOURCES = tests/unit/test_shade.c
tests_unit_test_shade_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_shade_LDADD = $(UNIT_LINK)
tests_unit_test_trace_SOURCES = tests/unit/test_trace.c tests/unit/trace_help.c tests/unit/trace_help.h \
	tests/bench/trace_work.c tests/bench/trace_work.h
tests_unit_test_trace_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_LDADD = $(UNIT_LINK)
tests_unit_test_trace_file_SOURCES = tests/unit/test_trace_file.c tests/unit/trace_help.c tests/unit/trace_help.h
tests_unit_test_trace_file_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_file_LDADD = $(UNIT_LINK)
tests_unit_test_trace_back_SOURCES = tests/unit/test_trace_back.c tests/unit/trace_help.c tests/unit/trace_help.h
tests_unit_test_trace_back_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_back_LDADD = $(UNIT_LINK)
tests_unit_test_trace_head_SOURCES = tests/unit/test_trace_head.c tests/unit/trace_help.c tests/unit/trace_help.h
tests_unit_test_trace_head_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_head_LDADD = $(UNIT_LINK)
tests_unit_test_trace_text_SOURCES = tests/unit/test_trace_text.c tests/unit/trace_help.c tests/unit/trace_help.h
tests_unit_test_trace_text_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_text_LDADD = $(UNIT_LINK)
# Traces of programs that are not there, and their comparison.
TRACE_LINK = common/libtrace.la common/libcommon.la $(CMOCKA_LIBS) $(SODIUM_LIBS) $(ZSTD_LIBS) -lm -lpthread
TRACE_SYNTH = tests/unit/trace_check.c tests/unit/trace_check.h tests/unit/trace_programs.c \
	tests/unit/trace_synth.c tests/unit/trace_synth.h tests/unit/trace_synth_impl.h tests/unit/trace_synth_rank.c
tests_unit_test_trace_cmp_SOURCES = tests/unit/test_trace_cmp.c $(TRACE_SYNTH)
tests_unit_test_trace_cmp_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_cmp_LDADD = $(TRACE_LINK)
tests_unit_test_trace_faults_SOURCES = tests/unit/test_trace_faults.c $(TRACE_SYNTH)
tests_unit_test_trace_faults_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_faults_LDADD = $(TRACE_LINK)
tests_unit_test_trace_beside_SOURCES = tests/unit/test_trace_beside.c
tests_unit_test_trace_beside_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_beside_LDADD = $(TRACE_LINK)
tests_unit_test_trace_owner_SOURCES = tests/unit/test_trace_owner.c
tests_unit_test_trace_owner_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_owner_LDADD = $(TRACE_LINK)
tests_unit_test_trace_finding_SOURCES = tests/unit/test_trace_finding.c
tests_unit_test_trace_finding_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_finding_LDADD = $(TRACE_LINK)
tests_unit_test_trace_show_SOURCES = tests/unit/test_trace_show.c
tests_unit_test_trace_show_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_show_LDADD = $(UNIT_LINK)
tests_unit_test_trace_more_SOURCES = tests/unit/test_trace_more.c $(TRACE_SYNTH)
tests_unit_test_trace_more_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_more_LDADD = $(TRACE_LINK)
tests_unit_test_trace_odd_SOURCES = tests/unit/test_trace_odd.c $(TRACE_SYNTH)
tests_unit_test_trace_odd_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_odd_LDADD = $(TRACE_LINK)
tests_unit_test_trace_order_SOURCES = tests/unit/test_trace_order.c tests/unit/trace_step.c \
	tests/unit/trace_step.h $(TRACE_SYNTH)
tests_unit_test_trace_order_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_order_LDADD = $(TRACE_LINK)
tests_unit_test_trace_step_SOURCES = tests/unit/test_trace_step.c tests/unit/trace_step.c \
	tests/unit/trace_step.h $(TRACE_SYNTH)
tests_unit_test_trace_step_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_trace_step_LDADD = $(TRACE_LINK)
tests_unit_test_tui_cut_SOURCES = tests/unit/test_tui_cut.c frontend/tui/array/cut.c frontend/tui/screen/number.c
tests_unit_test_tui_cut_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_cut_LDADD = $(UNIT_LINK)
tests_unit_test_tui_keys_SOURCES = tests/unit/test_tui_keys.c frontend/tui/core/keys.c
tests_unit_test_tui_keys_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_keys_LDADD = $(UNIT_LINK)
tests_unit_test_tui_panes_SOURCES = tests/unit/test_tui_panes.c frontend/tui/core/panes.c
tests_unit_test_tui_panes_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_panes_LDADD = $(UNIT_LINK)
tests_unit_test_tui_list_SOURCES = tests/unit/test_tui_list.c frontend/tui/core/list.c frontend/tui/screen/glyph.c
tests_unit_test_tui_list_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_list_LDADD = $(UNIT_LINK)
tests_unit_test_tui_text_SOURCES = tests/unit/test_tui_text.c frontend/tui/screen/glyph.c frontend/tui/screen/span.c
tests_unit_test_tui_text_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_tui_text_LDADD = $(UNIT_LINK)
tests_unit_test_value_SOURCES = tests/unit/test_value.c
tests_unit_test_value_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_value_LDADD = $(UNIT_LINK)
tests_unit_test_traces_SOURCES = tests/unit/test_traces.c tests/unit/page_fixture.c tests/unit/page_fixture.h
tests_unit_test_traces_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_traces_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_array_test_layout_SOURCES = tests/unit/array/test_layout.c
tests_unit_array_test_layout_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_array_test_layout_LDADD = $(UNIT_LINK)
tests_unit_core_test_parse_SOURCES = tests/unit/core/test_parse.c
tests_unit_core_test_parse_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_core_test_parse_LDADD = $(UNIT_LINK)
tests_unit_core_test_hash_SOURCES = tests/unit/core/test_hash.c
tests_unit_core_test_hash_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_core_test_hash_LDADD = $(UNIT_LINK)
tests_unit_core_test_vec_SOURCES = tests/unit/core/test_vec.c
tests_unit_core_test_vec_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_core_test_vec_LDADD = $(UNIT_LINK)
tests_unit_test_wire_SOURCES = tests/unit/test_wire.c
tests_unit_test_wire_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_wire_LDADD = $(UNIT_LINK)
tests_unit_test_zoom_SOURCES = tests/unit/test_zoom.c
tests_unit_test_zoom_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_zoom_LDADD = $(UNIT_LINK)
tests_unit_test_zoom_answer_SOURCES = tests/unit/test_zoom_answer.c tests/unit/page_fixture.c tests/unit/page_fixture.h
tests_unit_test_zoom_answer_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_zoom_answer_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_unit_test_zoom_walk_SOURCES = tests/unit/test_zoom_walk.c tests/unit/page_fixture.c tests/unit/page_fixture.h
tests_unit_test_zoom_walk_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_zoom_walk_LDADD = runtime/exec/libexec.la $(UNIT_LINK)

# The longest is begun first: nothing has to wait for it alone in the end.
SHELL_TESTS = \
	tests/t/wrapper.sh \
	tests/t/assign.sh \
	tests/t/badinput.sh \
	tests/t/completion.sh \
	tests/t/control.sh \
	tests/t/deaths.sh \
	tests/t/diff.sh \
	tests/t/export.sh \
	tests/t/examples.sh \
	tests/t/functions.sh \
	tests/t/fuzz.sh \
	tests/t/gdb-habits.sh \
	tests/t/halo.sh \
	tests/t/hooks.sh \
	tests/t/hpd-actions.sh \
	tests/t/hpd-look.sh \
	tests/t/hpd-run.sh \
	tests/t/hpd-session.sh \
	tests/t/hpd-sets.sh \
	tests/t/hpd-steps.sh \
	tests/t/install.sh \
	tests/t/kill.sh \
	tests/t/layers.sh \
	tests/t/locate-blocks.sh \
	tests/t/locate-runs.sh \
	tests/t/locate.sh \
	tests/t/locate-blame.sh \
	tests/t/locate-cause.sh \
	tests/t/locate-loop.sh \
	tests/t/locate-pipe.sh \
	tests/t/locate-trace.sh \
	tests/t/manual.sh \
	tests/t/numbering.sh \
	tests/t/pager.sh \
	tests/t/pair.sh \
	tests/t/pending.sh \
	tests/t/search.sh \
	tests/t/session.sh \
	tests/t/soak.sh \
	tests/t/sums.sh \
	tests/t/trace.sh \
	tests/t/trace-format.sh \
	tests/t/traces.sh \
	tests/t/traces-copies.sh \
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
	tests/t/traces-verbs.sh \
	tests/t/traces-zones.sh \
	tests/t/tui-array.sh \
	tests/t/tui-ends.sh \
	tests/t/tui-told.sh \
	tests/t/tui-screens.sh \
	tests/t/tui-walk.sh \
	tests/t/tui.sh \
	tests/t/zoom.sh

# With sanitizers only the unit tests run: a preloaded library cannot bring them into programs.
if SANITIZE
TESTS += tests/t/fuzz.sh
else
if HAVE_MPI
TESTS += $(SHELL_TESTS)
endif
endif

# Targets for the fuzzer, here with a main of their own; programs of the shell tests, for each MPI.
check_PROGRAMS += \
	tests/prog/access \
	tests/prog/tracecat \
	tests/prog/tracedump \
	tests/prog/marks \
	tests/prog/omp \
	tests/prog/ask \
	tests/prog/serial \
	tests/prog/sums
if HAVE_OPENMPI
check_PROGRAMS += \
	tests/prog/askew \
	tests/prog/big \
	tests/prog/causes \
	tests/prog/halos \
	tests/prog/hello \
	tests/prog/misbehave \
	tests/prog/odd \
	tests/prog/unlike \
	tests/prog/reduce \
	tests/prog/view \
	tests/prog/mpi \
	tests/prog/tasks
endif
if HAVE_MPICH
check_PROGRAMS += \
	tests/prog/askew-mpich \
	tests/prog/big-mpich \
	tests/prog/causes-mpich \
	tests/prog/halos-mpich \
	tests/prog/hello-mpich \
	tests/prog/misbehave-mpich \
	tests/prog/odd-mpich \
	tests/prog/unlike-mpich \
	tests/prog/reduce-mpich \
	tests/prog/view-mpich \
	tests/prog/mpi-mpich \
	tests/prog/tasks-mpich
endif
check_PROGRAMS += \
	tests/fuzz/fuzz_command \
	tests/fuzz/fuzz_compare \
	tests/fuzz/fuzz_expr \
	tests/fuzz/fuzz_found \
	tests/fuzz/fuzz_msg \
	tests/fuzz/fuzz_page \
	tests/fuzz/fuzz_param \
	tests/fuzz/fuzz_point \
	tests/fuzz/fuzz_program \
	tests/fuzz/fuzz_rankset \
	tests/fuzz/fuzz_reference \
	tests/fuzz/fuzz_trace \
	tests/fuzz/fuzz_trace_text \
	tests/fuzz/fuzz_wire
tests_fuzz_fuzz_command_SOURCES = tests/fuzz/fuzz_command.c tests/fuzz/fuzz.h tests/unit/fake_job.c \
	tests/unit/fake_job.h
tests_fuzz_fuzz_command_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_command_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_compare_SOURCES = tests/fuzz/fuzz_compare.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_compare_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_compare_LDADD = $(TRACE_LINK)
tests_fuzz_fuzz_expr_SOURCES = tests/fuzz/fuzz_expr.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_expr_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_expr_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_found_SOURCES = tests/fuzz/fuzz_found.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_found_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_found_LDADD = $(TRACE_LINK)
tests_fuzz_fuzz_msg_SOURCES = tests/fuzz/fuzz_msg.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_msg_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_msg_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_page_SOURCES = tests/fuzz/fuzz_page.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_page_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_page_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_fuzz_fuzz_param_SOURCES = tests/fuzz/fuzz_param.c tests/fuzz/fuzz.h tests/unit/fake_job.c \
	tests/unit/fake_job.h
tests_fuzz_fuzz_param_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_param_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_point_SOURCES = tests/fuzz/fuzz_point.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_point_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_point_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_program_SOURCES = tests/fuzz/fuzz_program.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_program_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_program_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_rankset_SOURCES = tests/fuzz/fuzz_rankset.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_rankset_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_rankset_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_reference_SOURCES = tests/fuzz/fuzz_reference.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_reference_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_reference_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_trace_SOURCES = tests/fuzz/fuzz_trace.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_trace_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_trace_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_trace_text_SOURCES = tests/fuzz/fuzz_trace_text.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_trace_text_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_trace_text_LDADD = $(UNIT_LINK)
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_wire_CPPFLAGS = $(UNIT_CPPFLAGS) -DFUZZ_MAIN
tests_fuzz_fuzz_wire_LDADD = $(UNIT_LINK)
EXTRA_DIST += tests/prog/fmarks.f90
EXTRA_DIST += tests/data/small.trd tests/data/small-config.trd tests/t/read_trace.py
# Compiled by the tests themselves, in many ways.
EXTRA_DIST += tests/prog/hooks_atomic.c tests/prog/hooks_c.c tests/prog/hooks_count.c tests/prog/hooks_f.f90 \
	tests/prog/pending.c \
	tests/prog/pending_mpi.c \
	tests/prog/pending_mpi.f90
tests/prog/fmarks: $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/fmarks.f90 runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) tests/prog/fmarks.mod
	$(AM_V_GEN)$(FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J tests/prog/fmarks.mod $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/fmarks.f90 -o $@ $(FORTRAN_LIBS)
CLEANFILES += tests/prog/fmarks tests/prog/fmarks.mod/*.mod
if HAVE_FC
check_DATA += tests/prog/fmarks
endif
# The heat example with its loops two lines further down, as after a change.
if HAVE_OPENMPI
check_PROGRAMS += tests/prog/moved/heat
nodist_tests_prog_moved_heat_SOURCES = tests/prog/moved/heat.c
tests_prog_moved_heat_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_moved_heat_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_moved_heat_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_moved_heat_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lm
endif
tests/prog/moved/heat.c: $(srcdir)/doc/examples/heat.c
	$(AM_V_at)$(MKDIR_P) tests/prog/moved
	$(AM_V_GEN)sed -e 's/^int main/\n\n&/' $(srcdir)/doc/examples/heat.c >$@
CLEANFILES += tests/prog/moved/heat.c
EXTRA_DIST += tests/prog/solver.f90
tests/prog/solver: $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/solver.f90 runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) tests/prog/solver.mod
	$(AM_V_GEN)$(OPENMPI_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J tests/prog/solver.mod $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/solver.f90 -o $@ $(FORTRAN_LIBS)
tests/prog/solver-mpich: $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/solver.f90 runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) tests/prog/solver-mpich.mod
	$(AM_V_GEN)$(MPICH_FC) $(FCFLAGS) $(SANITIZE_CFLAGS) -J tests/prog/solver-mpich.mod $(srcdir)/runtime/dvmdbg.f90 $(srcdir)/tests/prog/solver.f90 -o $@ $(FORTRAN_LIBS)
if HAVE_OPENMPI_FC
check_DATA += tests/prog/solver
endif
if HAVE_MPICH_FC
check_DATA += tests/prog/solver-mpich
endif
CLEANFILES += tests/prog/solver tests/prog/solver-mpich tests/prog/solver.mod/*.mod \
	tests/prog/solver-mpich.mod/*.mod
tests_prog_askew_SOURCES = tests/prog/askew.c
tests_prog_askew_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_askew_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_askew_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_askew_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_askew_mpich_SOURCES = tests/prog/askew.c
tests_prog_askew_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_askew_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_askew_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_askew_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
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
tests_prog_causes_SOURCES = tests/prog/causes.c
tests_prog_causes_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_causes_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_causes_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_causes_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_causes_mpich_SOURCES = tests/prog/causes.c
tests_prog_causes_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_causes_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_causes_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_causes_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
tests_prog_halos_SOURCES = tests/prog/halos.c
tests_prog_halos_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_halos_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_halos_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_halos_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_halos_mpich_SOURCES = tests/prog/halos.c
tests_prog_halos_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_halos_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_halos_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_halos_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
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
tests_prog_access_SOURCES = tests/prog/access.c
tests_prog_access_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
tests_prog_access_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_access_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_access_LDADD = runtime/libdvmdbg.la  -lpthread -lm
tests_prog_tracedump_SOURCES = tests/prog/tracedump.c tests/bench/trace_work.c tests/bench/trace_work.h
tests_prog_tracedump_CPPFLAGS = $(FRONTEND_CPPFLAGS)
tests_prog_tracedump_LDADD = common/libtrace.la common/libcommon.la -lm
tests_prog_tracecat_SOURCES = tests/prog/tracecat.c
tests_prog_tracecat_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_prog_tracecat_LDADD = common/libtrace.la common/libcommon.la $(SODIUM_LIBS) $(ZSTD_LIBS) -lm
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
tests_prog_unlike_SOURCES = tests/prog/unlike.c
tests_prog_unlike_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_unlike_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_unlike_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_unlike_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_unlike_mpich_SOURCES = tests/prog/unlike.c
tests_prog_unlike_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_unlike_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_unlike_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_unlike_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
tests_prog_reduce_SOURCES = tests/prog/reduce.c
tests_prog_reduce_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_reduce_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_reduce_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_reduce_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_reduce_mpich_SOURCES = tests/prog/reduce.c
tests_prog_reduce_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_reduce_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_reduce_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_reduce_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
tests_prog_view_SOURCES = tests/prog/view.c
tests_prog_view_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_view_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_view_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_view_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_view_mpich_SOURCES = tests/prog/view.c
tests_prog_view_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_view_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_view_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_view_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
tests_prog_odd_SOURCES = tests/prog/odd.c
tests_prog_odd_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(OPENMPI_CFLAGS)
tests_prog_odd_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_odd_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_odd_LDADD = runtime/libdvmdbg.la $(OPENMPI_LIBS) -lpthread -lm
tests_prog_odd_mpich_SOURCES = tests/prog/odd.c
tests_prog_odd_mpich_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPICH_CFLAGS)
tests_prog_odd_mpich_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_odd_mpich_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_odd_mpich_LDADD = runtime/libdvmdbg.la $(MPICH_LIBS) -lpthread -lm
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
tests_prog_ask_SOURCES = tests/prog/ask.c
tests_prog_ask_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
tests_prog_ask_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_ask_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_ask_LDADD = runtime/libdvmdbg.la -lpthread -lm
tests_prog_serial_SOURCES = tests/prog/serial.c
tests_prog_serial_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
tests_prog_serial_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_serial_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_serial_LDADD = runtime/libdvmdbg.la  -lpthread -lm
tests_prog_sums_SOURCES = tests/prog/sums.c
tests_prog_sums_CPPFLAGS = $(EXAMPLE_CPPFLAGS)
tests_prog_sums_CFLAGS = $(EXAMPLE_CFLAGS)
tests_prog_sums_LDFLAGS = $(EXAMPLE_LINK)
tests_prog_sums_LDADD = runtime/libdvmdbg.la  -lpthread -lm
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

# The examples with access hooks. Not where the library has a sanitizer in it: that has to be in the program, too.
HOOKED_C = doc/examples/cg-hooked doc/examples/heat-hooked doc/examples/multiblock-hooked doc/examples/ring-hooked
HOOKED_PROG = tests/prog/traced tests/prog/traced-hooked tests/prog/unlike-hooked
HOOKED_F = doc/examples/jacobi-hooked doc/examples/lu-hooked
HOOKED_DEPS = $(bin_SCRIPTS) $(hooks_DATA) $(pkglib_LIBRARIES) runtime/libdvmdbg.la
HOOKED_CC = DVMDBG_CC='$(CC)' runtime/dvmdbg-cc -std=gnu11 $(WARN_CFLAGS) $(CFLAGS) $(EXAMPLE_CPPFLAGS)
if !SANITIZE
if HAVE_MPI
check_DATA += $(HOOKED_C) $(HOOKED_PROG)
endif
if HAVE_BOTH
check_DATA += $(HOOKED_C:=-mpich)
endif
if HAVE_OPENMPI_FC
check_DATA += $(HOOKED_F)
endif
if HAVE_MPICH_FC
check_DATA += $(HOOKED_F:=-mpich)
endif
endif
doc/examples/%-hooked: $(srcdir)/doc/examples/%.c $(HOOKED_DEPS)
	$(AM_V_GEN)$(HOOKED_CC) $(MPI_CFLAGS) $< -o $@ $(FORTRAN_LIBS) $(MPI_LIBS) -lm
tests/prog/traced-hooked tests/prog/unlike-hooked: tests/prog/%-hooked: $(srcdir)/tests/prog/%.c $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) tests/prog
	$(AM_V_GEN)$(HOOKED_CC) $(MPI_CFLAGS) $< -o $@ $(FORTRAN_LIBS) $(MPI_LIBS) -lm
tests/prog/traced: $(srcdir)/tests/prog/traced.c runtime/libdvmdbg.la
	$(AM_V_at)$(MKDIR_P) tests/prog
	$(AM_V_GEN)$(CC) $(EXAMPLE_CPPFLAGS) $(EXAMPLE_CFLAGS) $(CFLAGS) $(MPI_CFLAGS) $< -o $@ $(FORTRAN_LIBS) $(MPI_LIBS) -lm
doc/examples/%-hooked-mpich: $(srcdir)/doc/examples/%.c $(HOOKED_DEPS)
	$(AM_V_GEN)$(HOOKED_CC) $(MPICH_CFLAGS) $< -o $@ $(FORTRAN_LIBS) $(MPICH_LIBS) -lm
doc/examples/%-hooked: $(srcdir)/doc/examples/%.f90 $(srcdir)/runtime/dvmdbg.f90 $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $@.mod
	$(AM_V_GEN)DVMDBG_FC='$(OPENMPI_FC)' runtime/dvmdbg-fc $(FCFLAGS) -J $@.mod $(srcdir)/runtime/dvmdbg.f90 $< \
		-o $@ $(FORTRAN_LIBS)
doc/examples/%-hooked-mpich: $(srcdir)/doc/examples/%.f90 $(srcdir)/runtime/dvmdbg.f90 $(HOOKED_DEPS)
	$(AM_V_at)$(MKDIR_P) $@.mod
	$(AM_V_GEN)DVMDBG_FC='$(MPICH_FC)' runtime/dvmdbg-fc $(FCFLAGS) -J $@.mod $(srcdir)/runtime/dvmdbg.f90 $< \
		-o $@ $(FORTRAN_LIBS)
EXTRA_DIST += tests/prog/blame.c tests/prog/blame_plain.c tests/prog/copies.c tests/prog/plugin.c tests/prog/traced.c tests/prog/traced_omp.c tests/prog/trace_odd.c
EXTRA_DIST += tests/prog/dealt.f90
CLEANFILES += $(HOOKED_PROG) $(HOOKED_C) $(HOOKED_C:=-mpich) $(HOOKED_F) $(HOOKED_F:=-mpich) doc/examples/*-hooked*.mod/*.mod

# For make bench: the example without its annotations.
FOR_BENCH = tests/bench/heat-plain tests/bench/giant tests/bench/keys tests/bench/scale tests/bench/sums tests/bench/trace
EXTRA_PROGRAMS = $(FOR_BENCH)
tests_bench_heat_plain_SOURCES = doc/examples/heat.c
tests_bench_heat_plain_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS) -DDVMDBG_OFF
tests_bench_heat_plain_CFLAGS = $(EXAMPLE_CFLAGS)
tests_bench_heat_plain_LDADD = $(MPI_LIBS) -lm
tests_bench_giant_SOURCES = tests/bench/giant.c
tests_bench_giant_CPPFLAGS = $(EXAMPLE_CPPFLAGS) $(MPI_CFLAGS)
tests_bench_giant_CFLAGS = $(EXAMPLE_CFLAGS)
tests_bench_giant_LDADD = runtime/libdvmdbg.la $(MPI_LIBS) -lm
tests_bench_scale_SOURCES = tests/bench/bench_scale.c $(SIM_SOURCES)
tests_bench_scale_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_bench_scale_LDADD = runtime/exec/libexec.la $(UNIT_LINK)
tests_bench_keys_SOURCES = tests/bench/keys.c
tests_bench_sums_SOURCES = tests/bench/bench_sum.c
tests_bench_sums_LDADD = common/libcommon.la -lm

check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS) tests/t/fuzz.sh'

check-long: all
	$(MAKE) $(AM_MAKEFLAGS) check DVMDBG_LONG=1

tests_bench_trace_SOURCES = tests/bench/bench_trace.c tests/bench/trace_work.c tests/bench/trace_work.h
tests_bench_trace_CPPFLAGS = $(FRONTEND_CPPFLAGS)
tests_bench_trace_LDADD = common/libtrace.la common/libcommon.la -lm
bench: all $(FOR_BENCH)
	srcdir=$(srcdir) bash $(top_srcdir)/tests/bench/bench.sh

.PHONY: check-unit check-long bench

# SPDX-License-Identifier: BSD-3-Clause
# What both sides compute. The parts with sockets and the secret, and with compression, are apart: they
# never go into programs.
noinst_LTLIBRARIES += common/libcommon.la common/libnet.la common/libtrace.la

common_libcommon_la_SOURCES = \
	common/array.c \
	common/array.h \
	common/array_part.c \
	common/buf.c \
	common/buf.h \
	common/construct.c \
	common/construct.h \
	common/core/hash.c \
	common/core/hash.h \
	common/core/parse.c \
	common/core/parse.h \
	common/core/vec.c \
	common/core/vec.h \
	common/differ.c \
	common/differ.h \
	common/err.c \
	common/err.h \
	common/expr.h \
	common/expr_call.c \
	common/expr_eval.c \
	common/expr_eval.h \
	common/expr_impl.h \
	common/expr_lex.c \
	common/expr_lex.h \
	common/expr_parse.c \
	common/finding.c \
	common/finding.h \
	common/fingerprint.c \
	common/fingerprint.h \
	common/gauge.c \
	common/gauge.h \
	common/log.c \
	common/log.h \
	common/lstack.c \
	common/lstack.h \
	common/msg.c \
	common/msg.h \
	common/msg_list.h \
	common/point.c \
	common/point.h \
	common/quantity.c \
	common/quantity.h \
	common/rankset.c \
	common/rankset.h \
	common/reduce.c \
	common/reduce.h \
	common/report.c \
	common/report.h \
	common/rule.c \
	common/rule.h \
	common/section.c \
	common/section.h \
	common/sum.c \
	common/sum.h \
	common/sum_exact.c \
	common/sum_impl.h \
	common/sum_kernel.c \
	common/sum_kernel.h \
	common/sum_result.c \
	common/sum_stage.c \
	common/sum_walk.c \
	common/sum_wire.c \
	common/tally.c \
	common/tally.h \
	common/trace.c \
	common/trace.h \
	common/trace_code.h \
	common/trace_enc.c \
	common/trace_enc.h \
	common/trace_enc_impl.h \
	common/tree.h \
	common/value.c \
	common/value.h \
	common/value_apply.c \
	common/wire.c \
	common/wire.h \
	common/zoom.c \
	common/zoom.h \
	common/zoom_kernel.c \
	common/zoom_wire.c

common_libnet_la_CPPFLAGS = $(AM_CPPFLAGS) $(SODIUM_CFLAGS)
common_libnet_la_LIBADD = $(SODIUM_LIBS)
common_libnet_la_SOURCES = \
	common/addr.c \
	common/addr.h \
	common/auth.c \
	common/auth.h \
	common/conn.c \
	common/conn.h

# Traces, for those who read and write them: programs have the encoder alone, which is in libcommon.
common_libtrace_la_CPPFLAGS = $(AM_CPPFLAGS) $(SODIUM_CFLAGS) $(ZSTD_CFLAGS)
common_libtrace_la_LIBADD = $(SODIUM_LIBS) $(ZSTD_LIBS)
common_libtrace_la_SOURCES = \
	common/pack.c \
	common/pack.h \
	common/trace_block.c \
	common/trace_block.h \
	common/trace_cmp.c \
	common/trace_cmp.h \
	common/trace_cmp_held.c \
	common/trace_cmp_impl.h \
	common/trace_cmp_iter.c \
	common/trace_cmp_join.c \
	common/trace_cmp_join.h \
	common/trace_cmp_late.c \
	common/trace_beside.c \
	common/trace_beside.h \
	common/trace_cmp_look.c \
	common/trace_cmp_operand.c \
	common/trace_cmp_scope.c \
	common/trace_cmp_seq.c \
	common/trace_cmp_sum.c \
	common/trace_cmp_tell.c \
	common/trace_cmp_tell.h \
	common/trace_cmp_value.c \
	common/trace_cover.c \
	common/trace_cover.h \
	common/trace_covers.c \
	common/trace_dec.c \
	common/trace_dec.h \
	common/trace_dec_impl.h \
	common/trace_diff.c \
	common/trace_diff.h \
	common/trace_last.c \
	common/trace_last.h \
	common/trace_file.c \
	common/trace_file.h \
	common/trace_finding.c \
	common/trace_finding.h \
	common/trace_finding_impl.h \
	common/trace_findings.c \
	common/trace_ident.c \
	common/trace_ident.h \
	common/trace_info.c \
	common/trace_join.h \
	common/trace_join_table.c \
	common/trace_judge.c \
	common/trace_judge.h \
	common/trace_map.c \
	common/trace_map.h \
	common/trace_owner.c \
	common/trace_owner.h \
	common/trace_raw.c \
	common/trace_reader.c \
	common/trace_ref.c \
	common/trace_ref.h \
	common/trace_ref_find.c \
	common/trace_ref_impl.h \
	common/trace_ref_loop.c \
	common/trace_ref_walk.c \
	common/trace_run.c \
	common/trace_run.h \
	common/trace_seg.c \
	common/trace_seg.h \
	common/trace_set.c \
	common/trace_set.h \
	common/trace_set_impl.h \
	common/trace_set_wire.c \
	common/trace_store.h \
	common/trace_tables.c \
	common/trace_take.c \
	common/trace_take.h \
	common/trace_text.h \
	common/trace_text_export.c \
	common/trace_text_head.c \
	common/trace_text_head_write.c \
	common/trace_text_import.c \
	common/trace_text_name.c \
	common/trace_text_name.h \
	common/trace_text_operand.c \
	common/trace_text_operand.h \
	common/trace_text_put.c \
	common/trace_text_put.h \
	common/trace_text_scan.c \
	common/trace_text_scan.h

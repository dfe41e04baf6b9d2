# SPDX-License-Identifier: BSD-3-Clause
# What both sides compute. The parts with sockets and the secret, and with compression, are apart: they
# never go into programs.
noinst_LTLIBRARIES += common/libcommon.la common/libnet.la common/libtrace.la \
	common/libdebuginfo.la

common_libcommon_la_SOURCES = \
	common/array/array.c \
	common/array/array.h \
	common/array/bins.c \
	common/array/bins.h \
	common/array/bins_kernel.c \
	common/array/bins_wire.c \
	common/array/layout.c \
	common/array/layout.h \
	common/array/reduce.c \
	common/array/reduce.h \
	common/array/reduce_part.c \
	common/array/section.c \
	common/array/section.h \
	common/array/value.c \
	common/array/value.h \
	common/array/value_apply.c \
	common/array/values.c \
	common/array/values.h \
	common/checksum/checksum.h \
	common/checksum/compare.c \
	common/checksum/exact.c \
	common/checksum/kernel.c \
	common/checksum/kernel.h \
	common/checksum/scale.c \
	common/checksum/stage.c \
	common/checksum/sum.c \
	common/checksum/walk.c \
	common/checksum/wire.c \
	common/core/buf.c \
	common/core/buf.h \
	common/core/codec.c \
	common/core/codec.h \
	common/core/err.c \
	common/core/memory.c \
	common/core/memory.h \
	common/core/err.h \
	common/core/fingerprint.c \
	common/core/fingerprint.h \
	common/core/hash.c \
	common/core/hash.h \
	common/core/log.c \
	common/core/log.h \
	common/core/parse.c \
	common/core/parse.h \
	common/core/proc.c \
	common/core/proc.h \
	common/core/vec.c \
	common/core/vec.h \
	common/expr/arguments.c \
	common/expr/call.c \
	common/expr/characters.c \
	common/expr/eval.c \
	common/expr/expr.h \
	common/expr/internal.h \
	common/expr/lex.c \
	common/expr/parse.c \
	common/expr/text.c \
	common/markcode/insn.c \
	common/markcode/markcode.c \
	common/markcode/markcode.h \
	common/tags/notes.c \
	common/tags/tags.h \
	common/tags/value.c \
	common/logical/construct.c \
	common/logical/construct.h \
	common/logical/groups.c \
	common/logical/groups.h \
	common/logical/point.c \
	common/logical/point.h \
	common/logical/rankset.c \
	common/logical/rankset.h \
	common/logical/thread_set.c \
	common/logical/thread_set.h \
	common/logical/tree.h \
	common/mpistate/agree.c \
	common/mpistate/agree.h \
	common/mpistate/list.h \
	common/mpistate/mpistate.c \
	common/mpistate/mpistate.h \
	common/mpistate/race.h \
	common/mpistate/report.c \
	common/mpistate/report.h \
	common/net/internal.h \
	common/net/net.h \
	common/net/frame.c \
	common/protocol/answer.c \
	common/protocol/answer.h \
	common/protocol/finding_kind.c \
	common/protocol/finding_kind.h \
	common/protocol/msg.c \
	common/protocol/msg.h \
	common/protocol/msg_list.h \
	common/protocol/own_value.c \
	common/protocol/own_value.h \
	common/protocol/point_sums.c \
	common/protocol/point_sums.h \
	common/protocol/report.c \
	common/protocol/report.h \
	common/protocol/rule.c \
	common/protocol/rule.h \
	common/protocol/stack_merge.c \
	common/protocol/stack_merge.h \
	common/protocol/trace_config.c \
	common/protocol/trace_config.h \
	common/trace/call.c \
	common/trace/call.h \
	common/trace/code.h \
	common/trace/encode.c \
	common/trace/encode.h \
	common/trace/encode_impl.h \
	common/trace/trace.c \
	common/trace/trace.h

common_libnet_la_CPPFLAGS = $(AM_CPPFLAGS) $(SODIUM_CFLAGS)
common_libnet_la_LIBADD = $(SODIUM_LIBS)
common_libnet_la_SOURCES = \
	common/net/addr.c \
	common/net/auth.c \
	common/net/conn.c

# Debug information, for the front end and the supervisor.
common_libdebuginfo_la_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) $(ELF_CFLAGS)
common_libdebuginfo_la_SOURCES = \
	common/debuginfo/debuginfo.c \
	common/debuginfo/debuginfo.h

# Traces, for those who read and write them: programs have the encoder alone, which is in libcommon.
common_libtrace_la_CPPFLAGS = $(AM_CPPFLAGS) $(SODIUM_CFLAGS) $(ZSTD_CFLAGS)
common_libtrace_la_LIBADD = $(SODIUM_LIBS) $(ZSTD_LIBS)
common_libtrace_la_SOURCES = \
	common/checksum/tolerance.c \
	common/coverage/coverage.h \
	common/coverage/cover.c \
	common/coverage/index_set.c \
	common/coverage/index_set_wire.c \
	common/coverage/internal.h \
	common/coverage/merge.c \
	common/coverage/ownership.c \
	common/dvmtext/internal.h \
	common/dvmtext/dvmtext.h \
	common/dvmtext/export.c \
	common/dvmtext/head.c \
	common/dvmtext/import.c \
	common/dvmtext/name.c \
	common/dvmtext/operand.c \
	common/dvmtext/put.c \
	common/dvmtext/scan.c \
	common/dvmtext/values.c \
	common/control/access.c \
	common/control/arrays.c \
	common/control/control.c \
	common/control/control.h \
	common/control/finding.c \
	common/control/hints.c \
	common/control/internal.h \
	common/control/marks.c \
	common/control/names.c \
	common/control/shadow.c \
	common/control/steps.c \
	common/control/threads.c \
	common/control/writers.c \
	common/openmp/cells.c \
	common/openmp/clocks.c \
	common/openmp/edges.c \
	common/openmp/events.c \
	common/openmp/fresh.c \
	common/openmp/handover.c \
	common/openmp/internal.h \
	common/openmp/judge.c \
	common/openmp/loops.c \
	common/openmp/memory.c \
	common/openmp/moved.c \
	common/openmp/names.c \
	common/openmp/pairs.c \
	common/openmp/simd.c \
	common/openmp/openmp.c \
	common/openmp/openmp.h \
	common/openmp/order.c \
	common/openmp/space.c \
	common/openmp/threads.c \
	common/reductions/cell.c \
	common/reductions/engine.c \
	common/reductions/internal.h \
	common/reductions/judge.c \
	common/reductions/merge.c \
	common/reductions/reductions.h \
	common/reductions/table.c \
	common/stream/stream.c \
	common/stream/stream.h \
	common/stream/writer.c \
	common/trace/block.c \
	common/trace/block.h \
	common/trace/decode.c \
	common/trace/decode.h \
	common/trace/decode_impl.h \
	common/trace/raw.c \
	common/trace/tables.c \
	common/tracediff/diff.c \
	common/tracediff/internal.h \
	common/tracediff/iteration.c \
	common/tracediff/match.c \
	common/tracediff/match_deferred.c \
	common/tracediff/match_second.c \
	common/tracediff/match_table.c \
	common/tracediff/reader.c \
	common/tracediff/reductions.c \
	common/tracediff/scope.c \
	common/tracediff/sequential.c \
	common/tracediff/suspects.c \
	common/tracediff/tracediff.c \
	common/tracediff/tracediff.h \
	common/tracediff/values.c \
	common/tracediff/written.c \
	common/tracefile/internal.h \
	common/tracefile/tracefile.h \
	common/tracefile/info.c \
	common/tracefile/pack.c \
	common/tracefile/reader.c \
	common/tracefile/writer.c \
	common/traceindex/traceindex.h \
	common/traceindex/access_reader.c \
	common/traceindex/fold.c \
	common/traceindex/index.c \
	common/traceindex/index_find.c \
	common/traceindex/index_loop.c \
	common/traceindex/index_walk.c \
	common/traceindex/moves.c \
	common/traceindex/internal.h \
	common/traceindex/object_id.c \
	common/traceindex/run.c \
	common/traceindex/segment.c \
	common/traceindex/segment_reader.c \
	common/traceindex/text.c \
	common/tracereport/tracereport.h \
	common/tracereport/finding.c \
	common/tracereport/findings.c \
	common/tracereport/inspect.c \
	common/tracereport/last_write.c \
	common/tracereport/operands.c \
	common/tracereport/out_of_bounds.c \
	common/traceslice/traceslice.h \
	common/traceslice/internal.h \
	common/traceslice/load.c \
	common/traceslice/reads.c \
	common/traceslice/what.c \
	common/traceslice/find.c \
	common/traceslice/history.c \
	common/traceslice/slice.c

# Not optimised and with sanitizers these take most of the time of all unit tests.
if SANITIZE
common/checksum/kernel.lo common/checksum/stage.lo common/checksum/sum.lo common/checksum/walk.lo: \
	CFLAGS += -O1
endif

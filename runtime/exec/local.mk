# SPDX-License-Identifier: BSD-3-Clause
# The supervisor that stands between the launcher and each rank's program.
helperexec_PROGRAMS += runtime/exec/dvmdbg-exec
noinst_LTLIBRARIES += runtime/exec/libexec.la

# All but main, so that tests can link it.
runtime_exec_libexec_la_SOURCES = \
	runtime/exec/page/page.h \
	runtime/exec/page/agree.c \
	runtime/exec/page/history.c \
	runtime/exec/page/mpi.c \
	runtime/exec/page/names.c \
	runtime/exec/page/object.c \
	runtime/exec/page/read.c \
	runtime/exec/page/sums.c \
	runtime/exec/page/threads.c \
	runtime/exec/native/accessed.c \
	runtime/exec/native/call.c \
	runtime/exec/native/capture.c \
	runtime/exec/native/convention.c \
	runtime/exec/native/function.c \
	runtime/exec/native/internal.h \
	runtime/exec/native/locals.c \
	runtime/exec/native/library.c \
	runtime/exec/native/location.c \
	runtime/exec/native/names.c \
	runtime/exec/native/native.h \
	runtime/exec/native/elements.c \
	runtime/exec/native/number.c \
	runtime/exec/native/path.c \
	runtime/exec/native/place.c \
	runtime/exec/native/shape.c \
	runtime/exec/native/typed.c \
	runtime/exec/native/types.c \
	runtime/exec/native/unwind.c \
	runtime/exec/native/value.c \
	runtime/exec/query/internal.h \
	runtime/exec/query/query.h \
	runtime/exec/query/address.c \
	runtime/exec/query/assign.c \
	runtime/exec/query/bins.c \
	runtime/exec/query/bins_plan.c \
	runtime/exec/query/crash.c \
	runtime/exec/query/fetch.c \
	runtime/exec/query/near.c \
	runtime/exec/query/reduce.c \
	runtime/exec/query/send_halo.c \
	runtime/exec/query/target.c \
	runtime/exec/query/test.c \
	runtime/exec/rank/answer.c \
	runtime/exec/rank/calls.c \
	runtime/exec/rank/control.c \
	runtime/exec/rank/internal.h \
	runtime/exec/rank/news.c \
	runtime/exec/rank/output.c \
	runtime/exec/rank/placed.c \
	runtime/exec/rank/sums.c \
	runtime/exec/rank/traces.c \
	runtime/exec/rank/tracing.c \
	runtime/exec/sys/child.c \
	runtime/exec/sys/child.h \
	runtime/exec/sys/clock.h \
	runtime/exec/sys/core.c \
	runtime/exec/sys/core.h \
	runtime/exec/sys/futex.h \
	runtime/exec/sys/link.h \
	runtime/exec/sys/listen.c \
	runtime/exec/sys/listen.h \
	runtime/exec/sys/memory.c \
	runtime/exec/sys/memory.h \
	runtime/exec/sys/module.c \
	runtime/exec/sys/module.h \
	runtime/exec/sys/output.c \
	runtime/exec/sys/output.h \
	runtime/exec/sys/rank.c \
	runtime/exec/sys/rank.h \
	runtime/exec/sys/watch.c \
	runtime/exec/sys/watch.h \
	runtime/exec/tree/internal.h \
	runtime/exec/tree/tree.h \
	runtime/exec/tree/children.c \
	runtime/exec/tree/gather.c \
	runtime/exec/tree/merge.c \
	runtime/exec/tree/node.c \
	runtime/exec/tree/parent.c \
	runtime/exec/tree/replay.c

runtime_exec_dvmdbg_exec_SOURCES = runtime/exec/rank/main.c
runtime_exec_dvmdbg_exec_LDADD = runtime/exec/libexec.la common/libdebuginfo.la common/libnet.la common/libtrace.la \
	common/libcommon.la $(DW_LIBS) $(ELF_LIBS) $(SODIUM_LIBS) $(ZSTD_LIBS) -lpthread -lm

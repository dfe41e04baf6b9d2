# SPDX-License-Identifier: BSD-3-Clause
# The supervisor that stands between the launcher and each rank's program.
helperexec_PROGRAMS += runtime/exec/dvmdbg-exec
noinst_LTLIBRARIES += runtime/exec/libexec.la

# All but main, so that tests can link it.
runtime_exec_libexec_la_SOURCES = \
	runtime/exec/answer.c \
	runtime/exec/assign.c \
	runtime/exec/assign.h \
	runtime/exec/child.c \
	runtime/exec/child.h \
	runtime/exec/children.c \
	runtime/exec/children.h \
	runtime/exec/clock.h \
	runtime/exec/control.c \
	runtime/exec/control.h \
	runtime/exec/control_impl.h \
	runtime/exec/fetch.c \
	runtime/exec/fetch.h \
	runtime/exec/futex.h \
	runtime/exec/gather.c \
	runtime/exec/gather.h \
	runtime/exec/link.h \
	runtime/exec/listen.c \
	runtime/exec/listen.h \
	runtime/exec/memory.c \
	runtime/exec/memory.h \
	runtime/exec/merge.c \
	runtime/exec/merge.h \
	runtime/exec/node.c \
	runtime/exec/node.h \
	runtime/exec/object.c \
	runtime/exec/object.h \
	runtime/exec/page_history.c \
	runtime/exec/page_names.c \
	runtime/exec/page_names.h \
	runtime/exec/page_read.c \
	runtime/exec/page_read.h \
	runtime/exec/page_sums.c \
	runtime/exec/page_sums.h \
	runtime/exec/parent.c \
	runtime/exec/parent.h \
	runtime/exec/rank.c \
	runtime/exec/rank.h \
	runtime/exec/replay.c \
	runtime/exec/replay.h \
	runtime/exec/rim.c \
	runtime/exec/rim.h \
	runtime/exec/sums.c \
	runtime/exec/sums.h \
	runtime/exec/target.c \
	runtime/exec/target.h \
	runtime/exec/test.c \
	runtime/exec/test.h \
	runtime/exec/trace_news.c \
	runtime/exec/trace_news.h \
	runtime/exec/traces.c \
	runtime/exec/traces.h \
	runtime/exec/tracing.c \
	runtime/exec/tracing.h \
	runtime/exec/watch.c \
	runtime/exec/watch.h \
	runtime/exec/zoom.c \
	runtime/exec/zoom.h \
	runtime/exec/zoom_plan.c \
	runtime/exec/zoom_plan.h

runtime_exec_dvmdbg_exec_SOURCES = runtime/exec/exec.c
runtime_exec_dvmdbg_exec_LDADD = runtime/exec/libexec.la common/libnet.la common/libtrace.la \
	common/libcommon.la $(SODIUM_LIBS) $(ZSTD_LIBS) -lpthread -lm

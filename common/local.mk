# SPDX-License-Identifier: BSD-3-Clause
# What both sides compute. The part with sockets and the secret is apart: it never goes into programs.
noinst_LTLIBRARIES += common/libcommon.la common/libnet.la

common_libcommon_la_SOURCES = \
	common/array.c \
	common/array.h \
	common/array_part.c \
	common/buf.c \
	common/buf.h \
	common/construct.c \
	common/construct.h \
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

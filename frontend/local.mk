# SPDX-License-Identifier: GPL-3.0-or-later
# The debugger itself.
bin_PROGRAMS += frontend/dvmdbg
noinst_LTLIBRARIES += frontend/libfrontend.la

FRONTEND_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(READLINE_CFLAGS) $(PCRE2_CFLAGS) \
	$(ELF_CFLAGS) $(DW_CFLAGS) $(SODIUM_CFLAGS)
FRONTEND_LIBS = frontend/libfrontend.la common/libnet.la common/libcommon.la \
	$(JANSSON_LIBS) $(READLINE_LIBS) $(PCRE2_LIBS) $(DW_LIBS) $(ELF_LIBS) $(SODIUM_LIBS) -lm

# All but main, so that tests can link it.
frontend_libfrontend_la_CPPFLAGS = $(FRONTEND_CPPFLAGS)
frontend_libfrontend_la_SOURCES = \
	frontend/actionpoints.c \
	frontend/actionpoints.h \
	frontend/alias.c \
	frontend/alias.h \
	frontend/ask.c \
	frontend/ask.h \
	frontend/assemble.c \
	frontend/assemble.h \
	frontend/cli.c \
	frontend/cli.h \
	frontend/cmd.c \
	frontend/cmd.h \
	frontend/cmd/break.c \
	frontend/cmd/go.c \
	frontend/cmd/go.h \
	frontend/cmd/objects.c \
	frontend/cmd/points.c \
	frontend/cmd/print.c \
	frontend/cmd/run.c \
	frontend/cmd/set.c \
	frontend/cmd/sets.c \
	frontend/cmd/talk.c \
	frontend/cmd/where.c \
	frontend/cmd_list.h \
	frontend/cmd_parse.c \
	frontend/cmd_parse.h \
	frontend/complete.c \
	frontend/complete.h \
	frontend/entity.c \
	frontend/entity_show.c \
	frontend/fetch.c \
	frontend/fetch.h \
	frontend/findings.c \
	frontend/findings.h \
	frontend/focus.c \
	frontend/focus.h \
	frontend/guard.c \
	frontend/guard.h \
	frontend/history.c \
	frontend/history.h \
	frontend/job.c \
	frontend/job.h \
	frontend/job_go.c \
	frontend/job_numbering.c \
	frontend/job_priv.h \
	frontend/job_query.c \
	frontend/job_state.c \
	frontend/job_tree.c \
	frontend/launch.c \
	frontend/launch.h \
	frontend/launcher.c \
	frontend/launcher.h \
	frontend/loop.c \
	frontend/loop.h \
	frontend/names.c \
	frontend/names.h \
	frontend/out.c \
	frontend/out.h \
	frontend/out_stop.c \
	frontend/out_text.c \
	frontend/out_text.h \
	frontend/out_value.c \
	frontend/paths.c \
	frontend/paths.h \
	frontend/private_dir.c \
	frontend/private_dir.h \
	frontend/program.c \
	frontend/program.h \
	frontend/rendezvous.c \
	frontend/rendezvous.h \
	frontend/search.c \
	frontend/search.h \
	frontend/session.c \
	frontend/session.h \
	frontend/settings.c \
	frontend/settings.h \
	frontend/shell.c \
	frontend/shell.h \
	frontend/source.c \
	frontend/source.h \
	frontend/symbol.c \
	frontend/symbol.h \
	frontend/value_json.c \
	frontend/value_json.h

frontend_dvmdbg_CPPFLAGS = $(FRONTEND_CPPFLAGS)
frontend_dvmdbg_SOURCES = frontend/main.c
frontend_dvmdbg_LDADD = $(FRONTEND_LIBS)

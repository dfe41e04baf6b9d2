# SPDX-License-Identifier: GPL-3.0-or-later
# The debugger itself.
bin_PROGRAMS += frontend/dvmdbg
noinst_LTLIBRARIES += frontend/libfrontend.la

FRONTEND_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(READLINE_CFLAGS) $(PCRE2_CFLAGS) \
	$(ELF_CFLAGS) $(DW_CFLAGS) $(SODIUM_CFLAGS) $(PNG_CFLAGS) $(ZSTD_CFLAGS)
FRONTEND_LIBS = frontend/libfrontend.la common/libnet.la common/libcommon.la \
	$(JANSSON_LIBS) $(READLINE_LIBS) $(PCRE2_LIBS) $(DW_LIBS) $(ELF_LIBS) $(SODIUM_LIBS) $(PNG_LIBS) \
	$(ZSTD_LIBS) -lm

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
	frontend/checker.c \
	frontend/checker.h \
	frontend/checker_priv.h \
	frontend/checker_save.c \
	frontend/checker_tell.c \
	frontend/checker_wish.c \
	frontend/cli.c \
	frontend/cli.h \
	frontend/cmd.c \
	frontend/cmd.h \
	frontend/cmd/break.c \
	frontend/cmd/diff.c \
	frontend/cmd/go.c \
	frontend/cmd/go.h \
	frontend/cmd/halo.c \
	frontend/cmd/locate.c \
	frontend/cmd/objects.c \
	frontend/cmd/pair.c \
	frontend/cmd/points.c \
	frontend/cmd/print.c \
	frontend/cmd/reference.c \
	frontend/cmd/run.c \
	frontend/cmd/set.c \
	frontend/cmd/sets.c \
	frontend/cmd/talk.c \
	frontend/cmd/where.c \
	frontend/cmd_list.h \
	frontend/cmd_parse.c \
	frontend/cmd_parse.h \
	frontend/compare.c \
	frontend/compare.h \
	frontend/compare_impl.h \
	frontend/compare_text.c \
	frontend/compare_track.c \
	frontend/complete.c \
	frontend/complete.h \
	frontend/diff.c \
	frontend/diff.h \
	frontend/diff_border.c \
	frontend/diff_image.c \
	frontend/diff_impl.h \
	frontend/diff_map.c \
	frontend/diff_npy.c \
	frontend/diff_npy.h \
	frontend/diff_shape.c \
	frontend/diff_source.c \
	frontend/diff_source.h \
	frontend/diff_words.c \
	frontend/diff_words.h \
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
	frontend/halo.c \
	frontend/halo.h \
	frontend/halo_go.c \
	frontend/halo_parts.c \
	frontend/halo_parts.h \
	frontend/halo_watch.c \
	frontend/halo_watch.h \
	frontend/history.c \
	frontend/history.h \
	frontend/image.c \
	frontend/image.h \
	frontend/job.c \
	frontend/job.h \
	frontend/job_go.c \
	frontend/job_numbering.c \
	frontend/job_priv.h \
	frontend/job_query.c \
	frontend/job_state.c \
	frontend/job_sums.c \
	frontend/job_tree.c \
	frontend/launch.c \
	frontend/launch.h \
	frontend/launcher.c \
	frontend/launcher.h \
	frontend/locate.c \
	frontend/locate.h \
	frontend/locate_hints.c \
	frontend/locate_look.c \
	frontend/locate_priv.h \
	frontend/locate_report.c \
	frontend/locate_run.c \
	frontend/loop.c \
	frontend/loop.h \
	frontend/names.c \
	frontend/names.h \
	frontend/npy.c \
	frontend/npy.h \
	frontend/options.c \
	frontend/options.h \
	frontend/out.c \
	frontend/out.h \
	frontend/out_diff.c \
	frontend/out_halo.c \
	frontend/out_locate.c \
	frontend/out_stop.c \
	frontend/out_sums.c \
	frontend/out_text.c \
	frontend/out_text.h \
	frontend/out_value.c \
	frontend/pair.c \
	frontend/pair.h \
	frontend/pair_go.c \
	frontend/pair_match.c \
	frontend/pair_match.h \
	frontend/pair_priv.h \
	frontend/pair_tie.c \
	frontend/pair_tie.h \
	frontend/pair_value.c \
	frontend/paths.c \
	frontend/paths.h \
	frontend/pieces.c \
	frontend/pieces.h \
	frontend/private_dir.c \
	frontend/private_dir.h \
	frontend/program.c \
	frontend/program.h \
	frontend/reference.c \
	frontend/reference.h \
	frontend/reference_file.c \
	frontend/reference_impl.h \
	frontend/reference_manifest.c \
	frontend/rendezvous.c \
	frontend/rendezvous.h \
	frontend/replicas.c \
	frontend/replicas.h \
	frontend/save.c \
	frontend/save.h \
	frontend/search.c \
	frontend/search.h \
	frontend/second.c \
	frontend/second.h \
	frontend/session.c \
	frontend/session.h \
	frontend/settings.c \
	frontend/settings.h \
	frontend/shell.c \
	frontend/shell.h \
	frontend/source.c \
	frontend/source.h \
	frontend/stack_answer.c \
	frontend/stack_answer.h \
	frontend/sums.c \
	frontend/sums.h \
	frontend/sums_answer.c \
	frontend/sums_answer.h \
	frontend/sums_wire.c \
	frontend/symbol.c \
	frontend/symbol.h \
	frontend/tolerance.c \
	frontend/tolerance.h \
	frontend/value_json.c \
	frontend/value_json.h

frontend_dvmdbg_CPPFLAGS = $(FRONTEND_CPPFLAGS)
frontend_dvmdbg_SOURCES = frontend/main.c frontend/options.c frontend/options.h
frontend_dvmdbg_LDADD = $(FRONTEND_LIBS)

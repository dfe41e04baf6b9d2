/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of each type of answer.
 */
#ifndef DVMDBG_FRONTEND_RENDER_RENDER_H
#define DVMDBG_FRONTEND_RENDER_RENDER_H

#include <stdbool.h>

#include "frontend/output/form.h"
#include "frontend/output/text.h"

/* Hands all renderers to output; before the first answer. */
void render_use(void);

/* In actions.c. */
void out_text_actionpoint(FILE *f, const json_t *answer);
void out_text_actions(FILE *f, const json_t *answer);
void out_text_export(FILE *f, const json_t *answer);
void out_text_barrier(FILE *f, const json_t *answer);
void out_text_vote(FILE *f, const json_t *answer);
void out_text_watch(FILE *f, const json_t *answer);
/* "written at heat.c:62, iteration (3,4)"; begins: with a capital letter. */
void out_text_write(FILE *f, const json_t *o, bool begins);
/* In diff.c. */
void out_text_save(FILE *f, const json_t *answer);
void out_text_diff(FILE *f, const json_t *answer);
/* In halo.c. */
void out_text_halo(FILE *f, const json_t *answer);
/* In annotate.c. */
void out_text_annotation(FILE *f, const json_t *answer);
void out_text_checked_marks(FILE *f, const json_t *answer);
/* In hang.c: the report; what a rank does, without a newline; its requests, a line each. */
void out_text_hang(FILE *f, const json_t *answer);
void render_mpi_call(FILE *f, const json_t *o);
void out_text_mpi_ops(FILE *f, const json_t *o, const char *indent);
/* "  for 2.3 s", of one that has not moved since then. */
void out_text_still(FILE *f, const json_t *g);
/* In help.c. */
void out_text_help(FILE *f, const json_t *answer);
void out_text_verb(FILE *f, const json_t *answer);
void out_text_topic(FILE *f, const json_t *answer);
/* In locate.c. */
void out_text_locate(FILE *f, const json_t *answer);
/* In trace.c. */
void out_text_trace(FILE *f, const json_t *answer);
void out_text_timeline(FILE *f, const json_t *answer);
void out_text_trace_stat(FILE *f, const json_t *answer);
void out_text_last_write(FILE *f, const json_t *answer);
void out_text_levels(FILE *f, const json_t *answer);
/* In search.c. */
void out_text_search(FILE *f, const json_t *answer);
/* In sets.c. */
void out_text_focus(FILE *f, const json_t *answer);
void out_text_sets(FILE *f, const json_t *answer);
void out_text_whichsets(FILE *f, const json_t *answer);
/* In sums.c. */
void out_text_sums(FILE *f, const json_t *answer);
void out_text_compared(FILE *f, const json_t *answer);
/* "; small differences in 3 sums, …", where there are any */
void out_text_small(FILE *f, const json_t *answer);
void out_text_recorded(FILE *f, const json_t *answer);
void out_text_compared_traces(FILE *f, const json_t *answer);
void out_text_controlled(FILE *f, const json_t *answer);
void out_text_reductions(FILE *f, const json_t *answer);
void out_text_recorded_traces(FILE *f, const json_t *answer);
/* In elements.c. */
void out_text_elements(FILE *f, const json_t *answer);
void out_text_plot(FILE *f, const json_t *answer);
void out_text_histogram(FILE *f, const json_t *answer);
/* In bins.c. */
void out_text_bins(FILE *f, const json_t *bins);
void out_text_stat(FILE *f, const json_t *answer);
void out_text_heatmap(FILE *f, const json_t *answer);
/* In stop.c. */
void out_text_stop(FILE *f, const json_t *answer);
/* The calls of native_tree, a line each. */
void out_text_tree(FILE *f, const json_t *calls);
void out_text_exit(FILE *f, const json_t *answer);
void out_text_waiting(FILE *f, const json_t *answer);
void out_text_where(FILE *f, const json_t *answer);
void out_text_calls(FILE *f, const json_t *a);
void out_text_locals(FILE *f, const json_t *a);
void out_text_call(FILE *f, const json_t *a);
void out_text_gdb(FILE *f, const json_t *a);
void out_text_status(FILE *f, const json_t *answer);
void out_text_points(FILE *f, const json_t *answer);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is found in traces, as members of answers: with source lines from the debug information.
 */
#ifndef DVMDBG_FRONTEND_TRACE_TELL_H
#define DVMDBG_FRONTEND_TRACE_TELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct findings_goal;
struct rankset;
struct session;
struct symbols;
struct tracediff_state;
struct trace_finding;
struct trace_findings;
struct trace_pair;
struct trace_spot;

/*
 * "heat.c:61"; "heat+0x12f4" when there is no line, or the file has been built again since. Returns
 * out.
 */
const char *trace_spot_text(struct symbols *s, const struct trace_spot *p, char *out, size_t size);
/* One of the values: as value_json, or "0x…" when its type is not known. */
json_t *trace_value_json(const struct trace_pair *v, uint64_t bits);
/* [3, 4] */
json_t *trace_index_json(const int64_t *index, unsigned n);
/* Everything that is known of it, and how it is come to again (texts are borrowed from f). */
json_t *trace_finding_json(struct symbols *s, const struct trace_finding *f);
void trace_finding_goal(const struct trace_finding *f, struct findings_goal *goal);
/* All of them, one for each source line, as answers of the type "finding"; ranks: of the run. */
json_t *trace_findings_json(struct symbols *s, const struct trace_findings *l, uint32_t ranks);
/* {"type": "compared-traces", …} of what was compared with the reference; told: findings. */
json_t *trace_compared_json(const struct tracediff_state *state, const struct trace_findings *l,
			    size_t reported, const char *reference, unsigned level, bool complete);
/*
 * Brings the session's findings up to date with the list; those that are new are reported. Ranks
 * are the run's, for findings that no rank has made. Returns how many were new.
 */
size_t trace_findings_report(struct session *s, const struct trace_findings *l,
			   const struct rankset *all);

#endif

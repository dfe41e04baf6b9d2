/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locate has from traces of the interval in which something became wrong.
 */
#ifndef DVMDBG_FRONTEND_LOCATE_TRACE_H
#define DVMDBG_FRONTEND_LOCATE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/tracereport/finding.h"
#include "common/checksum/tolerance.h"
#include "common/array/value.h"
#include "frontend/locate/internal.h"

struct trace_index;

/* The pair of runs that were traced, and what they have found. */
struct locate_traced {
	struct locate *l;
	struct locate_interval x;
	struct second *now; /* stands at the end of the interval */
	struct trace_findings found;
	bool again; /* it was wrong in this run, too */
	/* owned; opened when they are asked for; NULL: they cannot be read, or were not */
	struct trace_index *ref_traces, *now_traces;
	struct trace_tolerance tolerance;
	bool unexplained; /* what is registered does not show why it is wrong */
};

/*
 * locate_trace.c: a pair of runs, traced in the interval; begin makes its directories, which end
 * removes. Both: 0 or -1, when a note says why. Then the first of what was found that shows why the
 * object is wrong; false: nothing does.
 */
int locate_traced_begin(struct locate_traced *t, struct locate *l); /* sets the interval, too */
int locate_traced_run(struct locate_traced *t);
bool locate_traced_choose(const struct locate_traced *t, struct trace_finding *best);
void locate_traced_end(struct locate_traced *t);

/* Who wrote an element last, in both runs. */
struct locate_writes {
	bool here, there; /* this run, the reference; else nobody has, as far as was recorded */
	struct trace_finding now, ref;
	struct trace_findings now_list, ref_list; /* that these are borrowed from */
};

/*
 * locate_setter.c. Before the point, main 0: up to the interval's end. Only by this rank of this
 * run, TRACE_NO_RANK: any. The second: of the copy in the rank's halo.
 */
void locate_halo_writes(struct locate_traced *t, const struct trace_thing *element, uint32_t rank,
			const struct point *before, struct locate_writes *out);
void locate_last_writes(struct locate_traced *t, const struct trace_thing *element, uint32_t rank,
			const struct point *before, struct locate_writes *out);
void locate_writes_clear(struct locate_writes *w);
/* Of an element of that name, as checksums have it; structures' fields have one, too. */
bool locate_is_named(const struct trace_thing *t, const char *name);
/* Not in a parallel loop or task. */
bool locate_outside(const struct trace_finding *f);
/* Both values are there, and differ beyond the tolerance. */
bool locate_differ(const struct locate_traced *t, const struct trace_pair *v);
/* This run's value; returns out. */
const char *locate_value_text(const struct trace_pair *v, char out[VALUE_TEXT]);
/*
 * The wrong element's last writes in both runs, as a finding in *f, borrowed from *w: it was set to
 * something else, or not at all, or only here. False: that does not show why it is wrong; why is
 * what does then (text for people), or NULL.
 */
bool locate_setter(struct locate_traced *t, struct trace_finding *f, struct locate_writes *w,
		   char **why);
#define LOCATE_UNHOOKED 200
/* ": lib.c, mesh.c", the program's sources without hooks, "" none is known; returns out. */
const char *locate_unhooked(const struct locate *l, char out[LOCATE_UNHOOKED]);
/* A rank on which it is wrong. */
uint32_t locate_wrong_rank(const struct locate *l);
/* The first wrong element, as things are in traces. */
void locate_element(const struct locate *l, struct trace_thing *e);
/* Where the reference sets the element last; NULL: not known. */
json_t *locate_set_at(struct locate_traced *t);

/*
 * locate_write.c: what is known of the finding of the run that stands in s, with the line of the
 * source, and of operands the owners of the halos that they were read from.
 */
json_t *locate_write_json(struct locate *l, struct session *s, const struct trace_finding *f);

/* locate_origin.c: what is wrong with an operand. */
enum locate_fault {
	FAULT_NONE,    /* nothing is */
	FAULT_STALE,   /* it is in a halo, and its owner has what the reference has */
	FAULT_WRONG,   /* it was set wrong before */
	FAULT_STRANGE, /* the reference does not read it in the iteration */
	FAULT_UNREAD,  /* only the reference does */
};
struct locate_operand {
	enum locate_fault fault;
	const struct trace_operand *o; /* borrowed from the finding */
	long owner;		       /* of the halo it is in; -1: none */
	bool unowned;		       /* it is in a halo, and nobody owns it */
	json_t *origin;		       /* owned; who set it; NULL: nothing is known of that */
};
/* The one that shows most; write: of the finding, as JSON. To be cleared. */
void locate_operand(struct locate_traced *t, const struct trace_finding *f, const json_t *write,
		    struct locate_operand *out);

/*
 * locate_others.c: one more pair of runs, for what the write (as it was found, and as JSON) was
 * computed from that nobody has registered.
 */
void locate_others(struct locate *l, const struct trace_finding *f, json_t *write);

/*
 * locate_cause.c: because, advice, and what follows for halos. set: the finding is the last write
 * of the wrong element (locate_setter).
 */
void locate_blame(struct locate_traced *t, const struct trace_finding *f, json_t *write, bool set);
/* When the iteration in *f has nothing to do with the wrong element: one of another kind that
 * has. */
void locate_better_iteration(struct locate_traced *t, struct trace_finding *f);
/* Nothing that was traced sets it wrong. */
void locate_blame_nothing(struct locate_traced *t);
void locate_say(char **to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define LOCATE_TEXT 600
/* "heat.c:67"; returns out. */
const char *locate_place(const struct locate_traced *t, const struct trace_spot *spot,
			 char out[LOCATE_TEXT]);
/* No halo is the cause. */
void locate_refute(struct locate *l);

/* locate_operands.c: of a wrong value, by what it was computed from. */
void locate_blame_value(struct locate_traced *t, const struct trace_finding *f, json_t *write);
/* Only by operands; false: they do not show anything. */
bool locate_blame_operand(struct locate_traced *t, const struct trace_finding *f, json_t *write);
/* By what loops before have read. */
bool locate_blame_reads(struct locate_traced *t, const struct trace_finding *f);

/* locate_begin.c: the finding is of one of the wrong elements: that is the first from now on. */
void locate_move_first(struct locate *l, const struct trace_finding *f);

#endif

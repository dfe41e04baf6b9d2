/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces for people: records, statistics, findings in words, names of memory, costs.
 */
#ifndef DVMDBG_FRONTEND_TRACEVIEW_TRACEVIEW_H
#define DVMDBG_FRONTEND_TRACEVIEW_TRACEVIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/logical/point.h"
#include "common/logical/rankset.h"
#include "common/trace/decode.h"
#include "common/tracefile/tracefile.h"
#include "common/traceindex/traceindex.h"
#include "frontend/symbols/symbols.h"

/*
 * A configuration file of traces (SEMANTICS 3): the constructs of a program and what the trace of
 * each has cost, counted in traces that were recorded.
 */

struct dvmtext_head;
struct err;
struct findings_goal;
struct rankset;
struct reference;
struct session;
struct symbols;
struct trace_files;
struct trace_finding;
struct trace_findings;
struct trace_index;
struct trace_pair;
struct trace_reader;
struct trace_spot;
struct trace_thing;
struct tracediff_state;

/*
 * Of one rank, or of all together (-1); *h is cleared by the caller, also when this fails. sums:
 * whose checksums say what constructs use, beside the traces; NULL: these alone do.
 */
int trace_costs(const struct trace_files *f, struct symbols *s, long rank, struct reference *sums,
		struct dvmtext_head *h, struct err *err);
/* The same, written to a file beside, which then takes its place. */
int traceview_costs_write(const struct trace_files *f, struct symbols *s, long rank,
			  struct reference *sums, const char *path, struct err *err);

/*
 * Traces as texts of the historical format, with names from the debug information and as the
 * settings WriteEmptyIter and SpaceIndent want them.
 */

/*
 * to "-": the standard output. What was written is reported. level: TRACE_CONFIG_NONE or CHECKSUM
 * when that is the level of the text, with checksums of the reference; else it has what was
 * recorded.
 */
int traceview_export(struct session *s, const struct trace_reader *m, int level,
		     struct reference *sums, const char *to, struct err *err);

/*
 * Trace files as a user names them: a file, or a directory with those of all ranks.
 */

/* Zeroed: nothing is open. */
struct trace_files {
	struct trace_index *ref;  /* owned; of a directory */
	struct trace_reader *one; /* owned; of a file */
};

int trace_files_open(struct trace_files *f, const char *path, struct err *err);
void trace_files_close(struct trace_files *f);
size_t trace_files_count(const struct trace_files *f);
/* In the order of ranks; borrowed. */
const struct trace_reader *trace_files_map(const struct trace_files *f, size_t i);

/*
 * Names of memory that nobody registered, in traces: variables by the debug information of the
 * program and libraries that were loaded, and as they were built then.
 */

/*
 * "grid.cell[3].t" of an address that is known as that of a module; "heat+0x4010" when no variable
 * is there, or the file has been built again since. size: bytes of the access. NULL: it is in no
 * module. Else returns text, and in *out (may be NULL) what is known, its type VALUE_TYPES when
 * that is nothing.
 */
const char *trace_spot_name(struct symbols *s, const struct trace_spot *p, unsigned size,
			    struct symbol_data *out, char *text, size_t room);
/* The same of an access of the block to no object. */
const char *trace_access_name(struct symbols *s, const struct trace_block *b,
			      const struct trace_rec *r, struct symbol_data *out, char *text,
			      size_t room);
/* The variable, with its element, of memory that nobody registered: as that, of a variable of a call,
 * or as symbols_block_at. NULL: not known. Else returns text. */
const char *trace_thing_name(struct symbols *s, const struct trace_thing *t, char *text,
			     size_t size);

/* What a finding is about, without indices: the array, or the variable at its address. Returns out,
 * "": not known. */
const char *trace_finding_name(struct symbols *s, const struct trace_finding *f, char *out,
			       size_t room);

/* Addresses that a variable, or an element of it, has in the process of a block. */
struct trace_range {
	uint64_t at, size;
};
/* Those of the text, at most n of them, as several modules may have the name. Returns how many. */
unsigned trace_name_ranges(struct symbols *s, const struct trace_block *b, const char *text,
			   struct trace_range *range, unsigned n);

/*
 * An element of an object as it is typed: "u[3][4]", "a(3,4)", "eps"; of an array of structures
 * "cells[3].v[1]", "p(3)%v(1)", or with the indices behind the field, "cells.v[3][1]".
 */
struct traceview_element {
	char name[256]; /* without indices, "cells.v"; also p.v of p%v */
	unsigned ndim;
	int64_t index[ARRAY_DIMS];
	bool whole; /* all of the text has this form */
};

/* false: it has another form, up to which the name and the indices are set. */
bool traceview_element_parse(const char *text, struct traceview_element *e);
/*
 * Why the traces have no such element: it is outside of the array, has other dimensions, names no
 * field or one that there is not; NULL: it is none of an object there, or is inside. Returns out.
 */
const char *traceview_element_miss(struct symbols *s, struct trace_index *ref, const char *text,
				   char *out, size_t size);

/*
 * The variable of that name in a module that the traces know: 1, with the module's path (owned by
 * the reference's maps no longer than *hold, which is to be freed with trace_block_free); 0: there
 * is none; -1: err says why it is not that.
 */
int traceview_name_find(struct symbols *s, const struct trace_index *ref, const char *text,
			struct symbol_data *out, const char **module, struct trace_block **hold,
			struct err *err);

/*
 * What is found in traces, as members of answers: with source lines from the debug information.
 */

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
json_t *traceview_compared_json(const struct tracediff_state *state, const struct trace_findings *l,
				size_t reported, const char *reference, unsigned level,
				bool complete);
/*
 * Brings the session's findings up to date with the list; those that are new are reported. Ranks
 * are the run's, for findings that no rank has made. Returns how many were new.
 */
size_t trace_findings_report(struct session *s, const struct trace_findings *l,
			     const struct rankset *all);

/*
 * What is in trace files, as answers: their records, and how many there are.
 */

/* Which records are shown. Zeroed: all. */
struct trace_want {
	struct rankset ranks;  /* n 0: of all */
	struct point from, to; /* main 0: from the start, to the end */
	const char *array;     /* only accesses to it */
	const char *element;   /* only to this, as "u[3][4]" without blanks */
	unsigned nidx;	       /* only in this iteration of a parallel loop */
	int64_t index[ARRAY_DIMS];
	uint64_t most; /* 0: all */
	bool calls;	   /* only calls of MPI */
	const char *call;  /* only of this function, "MPI_Send" or "send" */
};

/* Records, answer by answer of a bounded size. */
int traceview_show(struct session *s, const struct trace_files *f, const struct trace_want *w,
		   struct err *err);
/* {"type": "trace-stat", …}; blocks are not decoded. */
json_t *traceview_stat(const struct trace_files *f);
/*
 * The system trace: calls of MPI of all ranks. A kind of call has a letter in a time line.
 */
#define TRACEVIEW_KIND_LIST(X)                                       \
	X(SEND, 'S', "send")                                         \
	X(RECV, 'R', "receive")                                      \
	X(SENDRECV, 'X', "send and receive")                         \
	X(POST, 'I', "begin, without waiting")                       \
	X(WAIT, 'W', "wait")                                         \
	X(TEST, 'T', "test, probe")                                  \
	X(BARRIER, 'B', "barrier")                                   \
	X(FROM, 'F', "from a root")                                  \
	X(TO, 'G', "to a root")                                      \
	X(ALL, 'A', "all to all, scan, neighbours")                  \
	X(WINDOW, 'O', "one-sided")                                  \
	X(FILE, 'D', "file")                                         \
	X(MAKE, 'C', "communicators, types")                         \
	X(INIT, 'M', "init, finalize")                               \
	X(OTHER, 'Z', "other")
enum traceview_kind {
#define X(name, letter, words) TRACEVIEW_##name,
	TRACEVIEW_KIND_LIST(X)
#undef X
		TRACEVIEW_KINDS
};
char traceview_kind_letter(unsigned kind);
const char *traceview_kind_words(unsigned kind);
unsigned traceview_kind_of(const char *name); /* of "MPI_Send" */

struct traceview_call {
	uint64_t begin, ns; /* nanoseconds since 1970, and how long it took */
	int64_t bytes;	    /* sent and received, as far as it is known */
	uint64_t record;    /* in its block, from 0 */
	uint32_t block;	    /* of the rank's file */
	uint32_t name;	    /* in the list of names */
};

struct traceview_calls {
	uint64_t first, last; /* when the first began, and the last ended; 0: there are none */
	struct traceview_name {
		char *text; /* owned */
		uint8_t kind;
	} *name; /* owned */
	uint32_t nname;
	struct traceview_rank {
		uint32_t rank, file;	     /* file: its position among the files */
		struct traceview_call *call; /* owned; in the order in which they began */
		size_t n;
		uint64_t longest; /* ns of one */
	} *rank; /* owned; in the order of ranks */
	size_t nrank;
};

bool traceview_has_calls(const struct trace_files *f);
/* All calls; -1: a block is damaged. Zeroed and cleared: nothing is owned. */
int traceview_calls_load(struct traceview_calls *c, const struct trace_files *f, struct err *err);
void traceview_calls_clear(struct traceview_calls *c);
/* The call that takes most of from … to, exclusive; NULL: there is none. */
const struct traceview_call *traceview_call_at(const struct traceview_rank *r, uint64_t from,
					       uint64_t to);
/* The next that begins behind that time (step 1), or the last before it (-1); NULL: there is
 * none. */
const struct traceview_call *traceview_call_next(const struct traceview_rank *r, uint64_t time,
						 int step);
/*
 * The time from … to, exclusive, as `width` cells: the letter of the kind of call that took most of
 * a cell's time, a small one when calls took less than half of it, '.': no call. out has width + 1
 * bytes; kind (may be NULL) gets what cells show, TRACEVIEW_KINDS: nothing. to - from is at least
 * width.
 */
void traceview_row(const struct traceview_calls *c, const struct traceview_rank *r, uint64_t from,
		   uint64_t to, uint32_t width, char *out, uint8_t *kind);
/* "MPI_Send to 1 tag 7, 10 MPI_DOUBLE (80 bytes), MPI_COMM_WORLD of 4". */
struct trace_call;
void traceview_call_text(const struct trace_call *c, char *out, size_t size);
/* "1.5 ms" */
void traceview_time_text(uint64_t ns, char *out, size_t size);
/* What they come to, of each function and each rank. */
json_t *traceview_calls_json(const struct traceview_calls *c);
/* One of them as an object of an answer of the type "trace"; NULL: its block is damaged. */
json_t *traceview_call_json(struct symbols *s, const struct traceview_calls *c,
			    const struct traceview_rank *r, const struct traceview_call *x,
			    const struct trace_files *f);
/*
 * {"type": "timeline", …}: a row for each of the ranks (n 0: all), of `width` cells, from … to in
 * seconds since the first call (to <= from: all).
 */
#define TRACEVIEW_TIMELINE_MOST 1000 /* cells */
int traceview_timeline(struct session *s, const struct trace_files *f, const struct rankset *ranks,
		       double from, double to, uint32_t width, struct err *err);

/* Reads all blocks: damaged ones are reported and count for the exit status. */
void traceview_check(struct session *s, const struct trace_files *f);

#endif

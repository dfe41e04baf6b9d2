/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a checker.
 */
#ifndef DVMDBG_FRONTEND_VERIFY_INTERNAL_H
#define DVMDBG_FRONTEND_VERIFY_INTERNAL_H

#include "common/dvmtext/dvmtext.h"
#include "common/protocol/report.h"
#include "common/tracereport/tracereport.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/verify/printed.h"
#include "frontend/verify/verify.h"

struct job;
struct levels;
struct program;
struct replicas;
struct settings;
struct tracediff_state;

#define CHECKER_POINTS 16 /* where whole arrays are written */
#define PRINTED_EXP 1e-9  /* relative */
#define CHECKER_TASKS 256 /* whose last points are kept */

/* What the user wants of the next run. */
struct checker_request {
	char *record, *compare; /* owned directories; NULL: not */
	char **array;		/* owned; NULL-terminated names, NULL: none */
	struct point at[CHECKER_POINTS];
	size_t nat;
	bool calls;   /* calls of MPI are in the traces that are recorded */
	bool order;   /* the order of messages is kept in the reference that is made */
	bool order_given; /* what is kept and followed is this, and no reference's: */
	char *order_keep, *order_follow; /* owned directories; NULL: nothing */
	bool reads;   /* what constructs read is reported, whatever the reference has of that */
	bool limited; /* only counts */
	bool by_file; /* compare is that of TraceFile */
	struct checker_only only;
};

/* record none: in place of a directory. A directory of that name is ./none. */
#define CHECKER_NONE "none"
bool checker_drops(const struct checker *c);

/* Warnings that are given once for each text. */
struct checker_once {
	char **text; /* owned */
	size_t n;
};

/* In a comparison the limits of the reference hold, as far as its traces say them. */
void checker_take_limits(const struct checker *c, struct trace_config_limits *l);
/* Warns of constructs of the configuration file that the run, which has ended, has not had. */
void checker_report_missing(struct checker *c);
/* A text trace or a configuration file is to be written of what is recorded: at any level. */
bool checker_wants_files(const struct checker *c);
void checker_show_finding(struct checker *c, uint8_t kind, const struct point *at,
			  const struct rankset *ranks, const char *where, const char *text);

/*
 * means.c: checksums as text traces have them. NULL: there are none.
 */
struct means *means_of_traces(const struct trace_index *x);
void means_destroy(struct means *m); /* NULL is fine */
/* "5.625", "(1,2)". Returns out. */
const char *means_text(const struct sum_result *s, char *out, size_t room);
/* Some arrays were only read in the construct. */
bool means_read(const struct means *m);
/* Compares a point of the run; returns how many findings are new. */
size_t means_take(struct checker *c, struct means *ref, const struct sums_point *p);
void means_sum_up(struct checker *c, const struct means *m, const char *dir, bool complete);
/* Compares those of two directories or texts, of which one has no others. False: one has none. */
bool means_offline(struct session *s, const char *run_dir, const struct trace_index *run,
		   const char *dir, const struct trace_index *reference);

/* Traces of the run that are compared. */
struct checker_traces {
	uint8_t level;		 /* of the reference's; TRACE_CONFIG_NONE: it has none */
	struct trace_index *ref; /* owned; NULL: not compared */
	struct means *means;	 /* owned; checksums that it has as a text; NULL: none */
	struct covers *covers;	 /* owned; what ranks have executed */
	struct trace_findings found;
	size_t reported;	  /* findings of the session that were made of these */
	struct report_trace sum;  /* of all ranks that have come to their end */
	uint64_t done;		  /* how many these are */
	bool bare;		  /* the program has no access hooks: MINIMAL at most */
	struct levels *file;	  /* owned; of FileLoopInfo, NULL: none */
	struct dvmtext_head head; /* owned; what that file says, zeroed: nothing */
};

/* Results of reductions that are calculated. */
struct checker_calculated {
	struct reductions_set *set; /* owned; NULL: not wanted */
	struct trace_findings found;
	bool bare; /* the program has no access hooks: they cannot be */
	bool none; /* it has neither marks of its own nor MPI */
};

/* Accesses that are controlled. */
struct checker_controlled {
	bool wanted;
	bool bare; /* the program has no access hooks: they cannot be */
	unsigned ngrid;
	uint32_t grid[ARRAY_DIMS];
	struct trace_findings found;
	size_t reported; /* findings of the session that were made of these */
	struct suppressions *suppressions; /* owned; NULL: none */
	size_t suppressed;
};

/* The newest point with a checksum of the arrays of a name. */
struct checker_summed {
	char *name; /* owned */
	struct point point;
};

struct checker {
	struct session *s;
	struct checker_request request;
	void (*tap)(void *arg, struct sums_point *p);
	void *tap_arg;

	/* the run */
	bool begun;
	bool quiet; /* nobody asks any more what came of it */
	struct trace_config trace_config;
	bool sees_uses; /* of a construct that does not say what it uses the hooks show it */
	struct reference *made;	 /* owned; what is recorded, or has been */
	bool drops; /* what is recorded is dropped */
	struct reference *known; /* owned; what is compared with */
	struct compare *compare; /* owned; with known, or else of copies only */
	struct replicas *replicas;
	struct sums_point *last;		/* owned */
	struct point call;			/* of the last collective call; main 0: none */
	struct sums_point *task[CHECKER_TASKS]; /* owned; the last of other tasks of its region */
	size_t ntask;
	struct checker_summed *summed; /* owned; each array that had a checksum */
	size_t nsummed, at_summed;     /* … and where the next one most likely is */
	struct checker_once once;
	struct checker_traces traces;
	struct checker_calculated calculated;
	struct checker_controlled controlled;
	size_t reported;       /* mismatches that were reported */
	size_t cursor;	       /* points of known that are behind */
	bool blind;	       /* what is right before the cursor is damaged: unknown points */
	struct printed printed; /* owned; what the run has printed */
	struct printed printed_again; /* owned; what a second run of the reference has */
	struct printed_diff printed_diff; /* owned; how that differs, when it is compared */
	bool printed_done;     /* it has been compared */
	uint64_t points;       /* that came, all but the end of the program */
	uint64_t beyond;       /* points that known does not have, as its run was shorter */
	uint64_t alone;	       /* points of known of which this run has reported nothing */
	uint64_t without;      /* points of which ranks that run have sent nothing */
	uint64_t given_up;     /* points after which ranks said that some were dropped */
	bool moved;	       /* known is of another version of the program */
	bool deaf;	       /* the comparison has ended: MaxErrors, or known cannot be read */
	bool piped;	   /* that was as they waited in MPI for those that held */
	int64_t next_look; /* when that is looked at again */
	struct point released; /* ranks that held there were let go on, as others did not come */
	bool owed; /* after that sums have been found to differ: ranks stop at the next point */
	bool sums_differ, traces_differ; /* where ranks stop, or stopped last */
	uint32_t apart;	      /* ranks of a run that is over, and was recorded; 0: it is a job */
	bool length_reported; /* whether it was as long as that of the reference */
	bool array_saved;     /* SaveArrayFilename of a mismatch */
	bool no_region[2];    /* start, finish: it names a task of what is a parallel loop */
	uint32_t errands; /* arrays were saved at these of the points where they are to be; bits */
};

/* at.c: before p becomes the last point; main 0: all are forgotten. */
void checker_forget_points(struct checker *c, const struct point *p);
/* NULL: no memory. */
/* In at.c. Keeps which arrays have a checksum at the point. */
void checker_keep_summed(struct checker *c, const struct sums_point *p);
void checker_forget_summed(struct checker *c);
struct sums_point *checker_copy_point(const struct sums_point *p);
/* Compares, or records, the next point. Returns how many mismatches it has brought. */
size_t checker_take_point(struct checker *c, struct sums_point *p, bool dropped);
/* request.c */
void checker_forget(struct checker *c);
bool checker_setting_is(const struct checker *c, const char *name, const char *value);
/* Narrows the interval to what is in that of the other, too. */
void checker_inner(struct trace_config *g, const struct trace_config *other);
/* The messages of the documents. */
int checker_check_interval(const struct trace_config *g, struct err *err);

/* config.c: levels of the configuration file that this run reads. */
int checker_read_levels(struct checker *c, struct err *err);
/* Levels of arrays are those of the reference that is compared with, and those of constructs that
 * have no other here. */
int checker_take_levels(struct checker *c, struct err *err);
/* Leaves out of p what the file says that its construct does not use. */
void checker_apply_uses(const struct checker *c, struct sums_point *p);
bool checker_has_uses(const struct checker *c);
/* Whether what constructs use that do not say it is to be seen by the program's access hooks. */
bool checker_can_see_uses(struct checker *c, const struct program *p);
/* The reference of TraceMode 3, when nothing else is requested. */
void checker_follow_mode(struct checker *c);
/* Whether the program can be traced as is asked for; -1: it is said how it has to be built. */
int checker_check_hooks(struct checker *c, const struct program *p, struct err *err);
/* The run is over: reports when it has not come to where it was to be looked at. */
void checker_report_interval(struct checker *c);
/* The run is over: writes the configuration file when that is asked for, and statistics. */
void checker_write_levels(struct checker *c);
/* The highest level of any construct. */
unsigned checker_highest(const struct checker *c);

/* trace.c: the level of traces (enum trace_config_level) that is set. */
uint8_t checker_level(const struct checker *c);
/* Informs the ranks of the job what becomes of their traces. */
int checker_trace(struct checker *c, const char *build_id, struct err *err);
/* The traces of the reference that is compared with, if it has any. */
int checker_open_traces(struct checker *c, struct err *err);
void checker_close_traces(struct checker *c);
/* Adds what of the traces could not be compared. */
void checker_keep_lost(struct outcome *o, const struct tracediff_state *s);
/*
 * Numbers were equal within the tolerance, and the reference has no file of scales, as older ones:
 * "least" is the magnitude below which their difference is absolute.
 */
void checker_put_unscaled(json_t *o, const struct tracediff_state *s, const struct settings *set,
			  const char *reference);
/* The run is over: what was recorded, or how it compares. */
void checker_sum_up_traces(struct checker *c, bool complete);

/* calculated.c: reductions are calculated in this run, which needs traces of level FULL. */
bool checker_calculates(const struct checker *c);
/* That, and the program may have some. */
bool checker_has_results(const struct checker *c);
void checker_open_calculated(struct checker *c, const struct program *p);
void checker_close_calculated(struct checker *c);
void checker_report_calculated(struct checker *c);
void checker_sum_up_calculated(struct checker *c);

/* controlled.c: accesses are controlled in this run, which needs traces of level FULL. */
bool checker_controls(const struct checker *c);
int checker_open_controlled(struct checker *c, const struct program *p, struct err *err);
void checker_close_controlled(struct checker *c);
void checker_take_controlled(struct checker *c, const struct trace_findings *l);
void checker_report_controlled(struct checker *c);
void checker_sum_up_controlled(struct checker *c);
struct stream;
struct trace_meta;
/* suppress.c: findings that are not reported. NULL is none. */
struct suppressions;
struct symbols;
struct settings;
/* As the settings Suppressions, DynControlOnly and DynControlNot say. -1: err, *out is to be
 * destroyed. */
int suppressions_open(struct suppressions **out, const struct settings *set, struct err *err);
void suppressions_destroy(struct suppressions *s);
bool suppressions_have(const struct suppressions *s, unsigned kind, const char *place,
		       const char *name);
/* Adds those that are reported to *to; returns how many are not. */
size_t suppressions_filter(const struct suppressions *s, struct symbols *symbols,
			   const struct trace_findings *from, struct trace_findings *to);
/* Of a recorded trace: the reader, and what has come of all of them; why: "" or why it was not
 * done. */
int controlled_add(struct session *s, struct stream *to, const struct trace_meta *m,
		   struct err *err);
/* Declarations that no rank needed. */
void controlled_hints(struct session *s, const struct suppressions *no,
		      const struct trace_findings *l, size_t ranks);
void controlled_sum_up(struct session *s, const struct report_trace *r, size_t findings,
		       size_t suppressed, const char *why);
/* What of l is not suppressed becomes findings of the session; *suppressed: how many are. */
size_t controlled_report(struct session *s, const struct suppressions *no,
			 const struct trace_findings *l, const struct rankset *all,
			 size_t *suppressed);

/* report.c: the run is over, what it has printed is compared, once. */
void checker_report_printed(struct checker *c);
/* A warning that is given once in a run; it may be long. */
void checker_warn(struct checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, of what for that is not compared, or not recorded. */
void checker_incomplete(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void checker_once_clear(struct checker_once *o);
/* Reports mismatches that were not reported. Returns how many. */
size_t checker_report(struct checker *c);
#define CHECKER_OF_NONE \
	"%s is of level NONE, which has constructs alone: there was nothing to compare"
/* Whether the reference and this run both have points of that kind: else there is nothing to
 * compare. */
bool checker_has_kind(const struct checker *c, const struct point *p);
/* What was recorded, or how the runs compare. complete: the run came to its end. */
void checker_sum_up(struct checker *c, bool complete);
/* What differs between what the reference is of and this run, and what the reference lacks. */
void checker_report_order(struct checker *c); /* whether that of the reference is followed */
void checker_report_reference(struct checker *c, const char *path, char *const *argv,
			      const char *build_id, const char *marks);

/* save.c: whether the first array that differs is still to be saved: all ranks stop for that, and
 * go on. */
bool checker_saves_mismatch(const struct checker *c);
/* save.c: whether SaveArrayID is an identifier. */
int checker_save_check(const struct checker *c, struct err *err);
/* The run is over: reports where arrays were to be saved and it did not come to. */
void checker_save_over(struct checker *c);

#endif

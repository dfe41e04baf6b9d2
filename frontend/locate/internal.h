/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locate has found out, shared by the files of this room.
 */
#ifndef DVMDBG_FRONTEND_LOCATE_INTERNAL_H
#define DVMDBG_FRONTEND_LOCATE_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/array/value.h"
#include "common/checksum/checksum.h"
#include "common/protocol/finding_kind.h"
#include "common/tracereport/tracereport.h"
#include "common/traceslice/traceslice.h"
#include "frontend/data/fetch.h"
#include "frontend/diff/diff.h"
#include "frontend/fit/fit.h"
#include "frontend/halo/halo.h"
#include "frontend/locate/locate.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/verify/verify.h"

struct object_id;
struct ref_parts;
struct reference;
struct run_watch;
struct loop;
struct scan;
struct second;
struct session;
struct trace_acc;
struct trace_index;

#define LOCATE_DATED 16 /* arrays with stale halos, whose dates are reported */
#define LOCATE_COPIES 8 /* groups of copies that are looked into */

enum locate_verdict {
	LOCATE_EQUAL,
	LOCATE_ROUNDING,
	LOCATE_MISMATCH,
	LOCATE_BLIND,	    /* there was nothing to compare */
	LOCATE_FAILED,	    /* a run failed before anything was found */
	LOCATE_INTERRUPTED, /* Ctrl-C */
	LOCATE_PRINTED,	    /* only what was printed differs */
	LOCATE_PARTED,	    /* ranks of the program go different ways */
	LOCATE_TRACED,	    /* the reference is a trace alone, and the run's differs from it */
};

/* The elements of the mismatching object that were looked at, in both runs. */
struct locate_values {
	bool there;
	struct fetched ref, now;
	struct diff diff;    /* total 0: of a scalar */
	struct owner *owner; /* owned */
	size_t nowner;
	bool image; /* the picture was made */
	/* That first element in each group of copies, the first ncopy of them. */
	struct value copy[LOCATE_COPIES];
	size_t ncopy;
	struct sum_tolerance tol;
	double *scale; /* owned; tol.scale */
	/* The same elements where the construct begins; of the first one the values there. */
	struct fetched ref_begin, now_begin;
	bool began;
	struct value first_ref_begin, first_now_begin;
	bool spoilt;	/* the first was wrong there already */
	bool unwritten; /* the construct has set none of those that are wrong, and should have */
	/* On a rank: how far in the dimension the elements are that have these values in the
	 * reference; 0: nowhere. */
	int64_t shift;
	int shift_dim; /* -1: rows and columns are exchanged */
	uint32_t shift_rank;
	bool shift_local; /* that is where its part begins */
};

/* A stale halo, and the end of the construct since when its owner has what it has; main 0: not
 * known. */
struct locate_stale {
	const struct halo_entry *e; /* borrowed from a report */
	struct point since;
	enum { HALO_UNKNOWN, HALO_READ, HALO_UNREAD } read; /* in the loop, as traces show */
};

/* A stale halo that holds the values of other elements of its array. */
struct locate_astray {
	const struct halo_entry *e; /* borrowed from a report */
	struct fit_pair first;	    /* want: in the halo; got: whose value it has */
	uint64_t found, stale; /* elements of the halo: with such a value, all that are stale */
	uint32_t from;	       /* the rank that owns what has these values */
	struct fit fit;
};

/* Halos that the construct may have read while they were stale. */
struct locate_halo {
	bool asked, ended;
	bool reads; /* what the construct reads is known */
	struct halo_report begin, end;
	struct locate_stale dated[LOCATE_DATED]; /* arrays with stale halos at the beginning */
	size_t ndated;
	struct locate_astray astray[LOCATE_DATED];
	size_t nastray;
	struct locate_stale *reported; /* owned; those that wrong elements are adjacent to */
	size_t n;
	uint64_t corners, corner_elements; /* stale ones that it does not take to explain them */
	bool refuted;			 /* traces have shown that none of it is the cause */
	const struct halo_entry *cause;	 /* why the first is wrong; NULL: not known */
	bool sure;			 /* … and not only perhaps */
	const struct halo_entry *origin; /* what that may have been computed from; NULL: nothing */
};

/* What is traced: the interval in which it became wrong. */
struct locate_interval {
	struct point from, to;	  /* from.main 0: from the start */
	struct checker_only only; /* arrays */
	char *top;		  /* owned; a directory with these two: */
	int lock;		  /* holds it */
	char *dir, *now;	  /* owned; for the traces of the reference, of this program */
	uint64_t room;		  /* bytes that they may take; 0: not known */
};

/* Whether what was found was there when that run was made again. */
enum locate_again { AGAIN_UNKNOWN, AGAIN_SAME, AGAIN_OTHER };

/* What a cause is: flags. */
enum locate_about {
	LOCATE_HALO = 1,     /* a halo */
	LOCATE_STALE = 2,    /* that was not renewed */
	LOCATE_COPIED = 4,   /* it shows in what is copied, brought by MPI, or computed from it */
	LOCATE_UNNAMED = 8,  /* a variable that has no name */
	LOCATE_ALIKE = 16,   /* a statement that reads the same */
	LOCATE_REDUCED = 32, /* a reduction that gives another result */
};

struct locate {
	struct session *s;
	const struct locate_spec *spec;
	char *dir; /* owned; of the reference */
	char *top; /* owned; a directory of our own with dir in it, which takes the place of what
		      was there; NULL: dir is the user's */
	int lock;  /* holds that */
	struct reference *ref; /* owned; NULL: there is none so far */
	char *ref_path; /* owned; its program, when that may be run again; NULL: not looked for */
	int ref_ranks;
	bool annotated;	   /* the program announces something */
	bool ref_bad;	   /* the reference has failed, or ended with an exit code */
	int64_t ref_quiet; /* the longest time that the reference took without a point; 0: not known
			    */
	unsigned runs;
	int64_t begun, stage_begun;
	bool interrupted; /* Ctrl-C: nothing more is begun */
	enum locate_verdict verdict;
	const char *stage; /* what was being done */
	int stage_ranks, stage_threads; /* threads 0: not said */
	char *failure;		  /* owned; why a run has failed; NULL: none has */
	const struct mismatch *m; /* borrowed from the session's comparison */
	bool went_on;		  /* the run has gone on from there, and stands elsewhere */
	struct compare_state state;
	uint64_t bytes, points; /* of the reference */
	bool bare;		/* it is a trace alone, without checksums */
	json_t *traced;		/* the first finding of the comparison with that; NULL: none */
	struct point last;	/* of its main points */
	struct locate_values values;
	struct locate_halo halo;
	enum locate_again ref_again, now_again;
	/* Of this run's messages: where their order is kept (owned; NULL: nowhere), and what holds
	 * that. */
	char *order_dir;
	int order_lock;
	bool unordered; /* a run that followed an order did not come through: none does any more */
	bool followed;	/* some have */
	bool hung;	/* the comparison was given up, as no point came */
	json_t *parted; /* owned; where ranks of the program go different ways; NULL: nowhere */
	bool raced;	/* that order decides whether, or how, it is wrong */
	/* Arrays that are registered by pointers to other elements than is said. */
	struct halo_shifted shifted[HALO_SHIFTED];
	size_t nshifted;
	int64_t quick_ms;   /* runs are given up when no point comes for so long; 0: as is usual */
	json_t *stale_read; /* a loop reads stale halo; NULL: none was seen to */
	json_t *notes;
	bool passing; /* not all ranks can stand at the end of the interval: it is passed */
	bool whole;   /* the interval begins at the start, or long before what is wrong */
	struct run_watch *watch; /* borrowed; of a run that writes traces; NULL: of none */
	const struct locate_interval *interval; /* borrowed; of that */
	/* Of the mismatch's point, unless `elsewhere`; of what is wrong since something between two
	 * points also that of the first. */
	json_t *stack, *stack_before;
	bool elsewhere;
	char *set_by; /* owned; the collective of MPI whose result goes to the object; NULL: none */
	bool ambiguous;		     /* other objects have the name of the mismatch's, too */
	struct checker_only touched; /* arrays that the construct names; none: it is not known */
	char *because;		     /* owned; the cause that traces have shown; NULL: none */
	unsigned about;		     /* enum locate_about: what that is */
	/* Owned; a statement that uses the buffer of a call before that is complete, and where (at
	 * NULL: accesses to a window that conflict); NULL: none is the cause. */
	char *early, *early_at;
	bool vague;		     /* it is only the statement that has set it */
	enum slice_grade grade;	     /* how sure that is */
	json_t *chain;		     /* owned; from that to the wrong element; NULL: none */
	int chain_weight;	     /* how much it says */
	bool rooted;		     /* because is its root */
	/* The statement that a chain ends in, which is not proved, or that reads what has no name.
	 */
	struct {
		char *file, *module; /* owned; NULL: there is none */
		uint32_t line, rank;
	} root;
	bool unset; /* what it ends in was set before the interval, if at all */
	char *advice;		     /* owned; what to try then; NULL: nothing of its own */
	char *also_advice;	     /* owned; what control adds to that; NULL: nothing */
	json_t *trace; /* what traces of the interval show; NULL: that was not asked */
	json_t *parts; /* the owners of an array that is not distributed correctly */
	json_t *races; /* owned; of threads, the first of nraces; NULL: nobody looked for them */
	size_t nraces;
	bool race_explains; /* what is wrong, and why it may be otherwise in each run */
};

/* locate.c */
/* "4 ranks, 2 threads", of the stage; returns out. */
#define LOCATE_SIZE 60
const char *locate_size(const struct locate *l, char out[LOCATE_SIZE]);
/* One of the runs is not the same each time: what the cause is cannot be said. */
bool locate_varies(const struct locate *l);
void locate_note(struct locate *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The name to ask the ranks for: with its place where there is one. */
const char *locate_name(const struct mismatch *m, char *out, size_t size);

/* The last lines that the program of r has printed become a note; so do its warnings that nobody
 * has seen. */
void locate_note_output(struct locate *l, struct second *r);
void locate_note_warnings(struct locate *l, struct second *r);
/* What the ranks of a run that failed are doing, among the answers of the session. */
void locate_show_ranks(struct locate *l, struct session *s, bool hung);
/* The run of s has failed: why, the first time. Stuck: by a deadlock, which has ended it; false: it
 * has not. */
void locate_fail(struct locate *l, const struct session *s, const char *why);
bool locate_failed_stuck(struct locate *l, const struct session *s);

/* Adds a name once; false: there is no room for it. */
bool locate_add_name(struct checker_only *only, const char *name);

/* r stands at the mismatch in the reference: the session keeps the array as it is there. */
void locate_keep(struct locate *l, struct session *r);

/* A new directory, to be freed, and what holds it; NULL and err. And away with it. */
char *locate_temporary(int *lock, struct err *err);
void locate_remove(const char *dir, int lock);

/* run.c. The first two: 0 went well, 1 it ended before that (l says why), -1 it could not
 * begin. */
int locate_reference(struct locate *l, struct err *err);
/* How many printed lines differ, both runs being over. */
size_t locate_printed(struct locate *l);
int locate_compare(struct locate *l, struct err *err);
/* The same with a reference that is a trace alone: fills traced. */
int locate_compare_trace(struct locate *l, struct err *err);
/* Several objects have that name. In inspect.c. */
bool locate_has_others(const struct locate *l, const char *name);
/* "u[3][4]", "u[3] of u@heat.c:20#1" where several have the name; in locate.c; returns out. */
#define LOCATE_TEXT 600
const char *locate_thing(const struct locate *l, const struct trace_thing *t,
			 char out[LOCATE_TEXT]);
/* The first finding of that kind in the newest run of s; NULL: there is none. */
json_t *locate_finding(const struct session *s, enum finding_kind kind);
/* A replicated object that was zero when it was registered, and has been set since. */
bool locate_passed_over(const struct locate *l, const struct mismatch *m);
/*
 * The reference's program (else this one) run again up to p, compared with the reference in the
 * construct of p; for second_retire. NULL: a note says why, or there was Ctrl-C.
 */
struct second *locate_again(struct locate *l, bool ref, const struct point *p);
/*
 * The reference's program run again up to the interval's end, its traces written into the
 * interval's directory; else this one, compared with them. Where ranks that stand there keep others
 * from coming, it is run once more, to its own end (l->passing). For second_retire. NULL: a note
 * says why, or there was Ctrl-C.
 */
struct second *locate_traced(struct locate *l, bool ref, const struct locate_interval *x);
/*
 * This program alone, up to p, what is written of it in dir; only: traced from `from` on. For
 * second_retire. NULL: it does not come there.
 */
struct second *locate_alone(struct locate *l, const char *dir, const struct point *from,
			    const struct point *p, const struct checker_only *only);
/* It goes on to p, where locate_differs can be asked. 0 or -1. */
int locate_on(struct locate *l, struct second *r, const struct point *p);
/* What differs from the reference where r stands, of the mismatch's object; NULL: nothing. */
const struct mismatch *locate_differs(struct locate *l, struct second *r);

/* reads.c: before there is a reference, of a program with access hooks: fills stale_read. */
void locate_stale_reads(struct locate *l);
/* Nothing that was compared depends on what is there. */
bool locate_harmless(const struct locate *l);
/* It, as the cause of the mismatch; NULL: it is none. */
json_t *locate_stale_cause(const struct locate *l);
/* A read of a loop, of what the rank does not own; borrowed until the next. */
struct locate_read {
	const struct ref_parts *parts;
	uint32_t at; /* in the part */
	const struct trace_acc *acc;
	const struct object_id *object;
	int64_t index[ARRAY_DIMS];
	uint32_t within; /* bytes in the element */
};
/* All of them in one file, until fn is false. */
void locate_foreign_reads(struct trace_index *t, uint32_t file, const struct point *loop,
			  bool (*fn)(void *arg, const struct locate_read *r), void *arg);

/* report.c: the whole path of a file of that base name that the stack is in; else the name. */
const char *locate_path(const struct locate *l, const char *name);
/* Of the innermost sequential loop in the stack. */
void locate_put_iteration(const json_t *stack, json_t *o, const char *key, const char *loop);
/*
 * Whether ranks of the program have gone different ways before anything differed: that comes before
 * all else. In inspect.c.
 */
void locate_look_parted(struct locate *l);
/* inspect.c: fills values, halo, stack; what cannot be had becomes a note. */
void locate_inspect(struct locate *l);
void locate_look_clear(struct locate *l);
/* Where the comparison stands: fills early. Later, when traces have shown theirs, makes it the
 * cause. */
void locate_look_early(struct locate *l);
void locate_take_early(struct locate *l);
/* Fills shifted, where s stands. */
void locate_look_registered(struct locate *l, struct session *s);
/* What of the object differs, from the ranks of who of s; of the reference, made again. 0 or -1. */
int locate_fetch(struct locate *l, struct session *s, const struct rankset *who,
		 struct fetched *out);
int locate_fetch_ref(struct locate *l);

/*
 * begin.c. The construct's point at its end shows what it reads, NULL: nothing is known.
 * Sets spoilt and unwritten; shift.
 */
void locate_grade_begin(struct locate *l, const struct sums_point *at);
void locate_look_shift(struct locate *l);

/*
 * halo.c. Where s stands at the beginning: since when its stale halos are that. Later, of
 * both reports the causes.
 */
void locate_date_halos(struct locate *l, struct session *s);
void locate_choose_halos(struct locate *l, const struct sums_point *at);

/*
 * astray.c. Where s stands at the beginning: whose values its stale halos have. NULL: those of no
 * others.
 */
void locate_look_astray(struct locate *l, struct session *s);
const struct locate_astray *locate_astray_of(const struct locate *l, const struct halo_entry *e);
/* "as if the row were 14 long, not 16", else which element has whose value; returns out. */
#define LOCATE_RULE 300
const char *locate_astray_text(const struct locate_astray *a, char out[LOCATE_RULE]);

/* parts.c: values for copies that do not match, before and after they are compared. */
int locate_fetch_copies(struct locate *l);
/* Leaves the owners of the copy that is wrong, of an array in several copies. */
void locate_copy_owners(struct locate *l);
void locate_look_copies(struct locate *l);
/* The ranks whose copies are wrong, or else fewer than the others; none: nobody can say. */
void locate_wrong_ranks(const struct mismatch *m, struct rankset *out);
json_t *locate_copies_json(struct locate *l);

/*
 * trace.c. Keeps the names of what the construct reads and writes. Later, of a program with
 * access hooks: one more pair of runs, and from them trace.
 */
void locate_touched(struct locate *l, const struct sums_point *at);
void locate_trace(struct locate *l);
/* Only what is printed differs: the reduction before it that does. */
void locate_trace_printed(struct locate *l);
/* threads.c: between one thread and several: fills races, and what they explain. */
void locate_look_races(struct locate *l);
/*
 * run.c: this program once more, to its end, accesses between these points (main 0: no limit) under
 * control; for second_retire. NULL: a note says why, or there was Ctrl-C. w has its tick.
 */
struct second *locate_controlled(struct locate *l, const struct point *from, const struct point *to,
				 struct run_watch *w);
void locate_show_progress(void *arg,
			  struct session *s); /* the tick of others; arg: struct locate */
/* parts.c: fills parts. */
void locate_look_parts(struct locate *l);

/* report.c: the answer. */
json_t *locate_report(struct locate *l);
/* What to try where a collective has set it: that call, and the object. */
#define LOCATE_RESULT_ADVICE                                                                       \
	"the result of %s goes to %s: look at what each rank gives to that call, and at its "      \
	"counts, places, operation, root and communicator; whose part is wrong is not known"
/* hints.c: what to try, an array of texts. */
json_t *locate_hints(struct locate *l);
/* Some rank has halo of the array that is beyond it. */
bool locate_beyond(const struct locate_values *v);

/*
 * What locate has from traces of the interval in which something became wrong.
 */

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
	bool hidden;	  /* memory that was not recorded may have a part in it */
	bool unseen;	  /* what is wrong was set before the interval */
};

/*
 * trace.c: a pair of runs, traced in the interval; begin makes its directories, which end
 * removes. Both: 0 or -1, when a note says why. Then the first of what was found that shows why the
 * object is wrong; false: nothing does.
 */
int locate_traced_begin(struct locate_traced *t, struct locate *l); /* sets the interval, too */
int locate_traced_run(struct locate_traced *t);
bool locate_traced_choose(const struct locate_traced *t, struct trace_finding *best);
void locate_traced_end(struct locate_traced *t);

/* reads.c: of the halos that are reported: whether the loop has read what is stale, by this run's
 * traces. */
void locate_mark_reads(struct locate_traced *t);

/* setter.c: false: they cannot be read, which a note says. */
bool locate_traces_open(struct locate_traced *t);

/*
 * chain.c: the chain from the wrong write to its root, into l->chain, and because and advice when
 * it says more than these do; write: the finding as JSON. False: there is none.
 */
bool locate_chain(struct locate_traced *t, const struct trace_finding *f, const json_t *write);
void locate_root_clear(struct locate *l);

/* Who wrote an element last, in both runs. */
struct locate_writes {
	bool here, there; /* this run, the reference; else nobody has, as far as was recorded */
	struct trace_finding now, ref;
	struct trace_findings now_list, ref_list; /* that these are borrowed from */
};

/*
 * setter.c. Before the point, main 0: up to the interval's end. Only by this rank of this
 * run, TRACE_NO_RANK: any. The second: of the copy in the rank's halo.
 */
void locate_halo_writes(struct locate_traced *t, const struct trace_thing *element, uint32_t rank,
			const struct point *before, struct locate_writes *out);
void locate_last_writes(struct locate_traced *t, const struct trace_thing *element, uint32_t rank,
			const struct point *before, struct locate_writes *out);
void locate_writes_clear(struct locate_writes *w);
/*
 * The element at the same indices of another array, as its owner has set it, that the rank has read
 * in the place of o in its halo, and o in its place: messages were exchanged. False: there is none.
 */
bool locate_held(struct locate_traced *t, const struct trace_operand *o, uint32_t owner,
		 uint32_t rank, const struct point *before, char out[LOCATE_TEXT]);
/* Of an element of that name, as checksums have it; structures' fields have one, too. */
bool locate_is_named(const struct trace_thing *t, const char *name);
/* Not in a parallel loop or task. */
bool locate_outside(const struct trace_finding *f);
/* Both values are there, and differ beyond the tolerance. */
bool locate_differ(const struct locate_traced *t, const struct trace_thing *thing,
		   const struct trace_pair *v);
/* This run's value; returns out. */
const char *locate_value_text(const struct trace_pair *v, char out[VALUE_TEXT]);
/*
 * The wrong element's last writes in both runs, as a finding in *f, borrowed from *w: it was set to
 * something else, or not at all, or only here. False: that does not show why it is wrong; why is
 * what does then (text for people), or NULL.
 */
bool locate_setter(struct locate_traced *t, struct trace_finding *f, struct locate_writes *w,
		   char **why);
/* " (MPI_Put at f.c:37)", of the file of the finding; "": there is none. */
void locate_puts(struct locate *l, const struct trace_finding *f, char out[LOCATE_TEXT]);
/* Copies of a variable differ, and no write of it was traced: the lines that set it. */
bool locate_set_lines(struct locate *l);
/* What is a container's is set on a line of its library: the program's lines that set all of it are
 * advised, too. */
void locate_container_lines(struct locate *l, const char *name, const char *at, uint32_t rank);
#define LOCATE_UNHOOKED 200
/* ": lib.c, mesh.c", the program's sources without hooks, "" none is known; returns out. */
const char *locate_unhooked(const struct locate *l, char out[LOCATE_UNHOOKED]);
/* A rank on which it is wrong. */
uint32_t locate_wrong_rank(const struct locate *l);
/* The first wrong element, as things are in traces. */
void locate_element(const struct locate *l, struct trace_thing *e);
/* The source of the program, without what it has no code of; NULL: it cannot be read. */
struct scan *locate_scan(struct locate *l, const char *file, const char *module);
/* The construct's loop, in the file of the statement; else the outermost one that has the line. */
const struct loop *locate_loop_of(const struct scan *scan, const char *where, uint32_t line);
/* Where the reference sets the element last; NULL: not known. */
json_t *locate_set_at(struct locate_traced *t);

/*
 * write.c: what is known of the finding of the run that stands in s, with the line of the
 * source, and of operands the owners of the halos that they were read from.
 */
json_t *locate_write_json(struct locate *l, struct session *s, const struct trace_finding *f);
/* What the source assigns on the line of that spot: "p->tamb", "dbuf[5]"; false: not one thing. */
bool locate_assigned(const struct locate *l, const struct trace_spot *spot, char *out, size_t room);

/*
 * write.c: the element at the other end of the array that one beyond its edge is a copy of, if the
 * array is periodic, and the rank that owns it; false: there is none.
 */
bool locate_other_end(struct session *s, const struct trace_thing *t, struct trace_thing *out,
		      uint32_t *rank);

/* operands.c: what is wrong with an operand. */
enum locate_fault {
	FAULT_NONE,    /* nothing is */
	FAULT_STALE,   /* it is in a halo, and its owner has what the reference has */
	FAULT_WRONG,   /* it was set wrong before */
	FAULT_STRANGE, /* the reference does not read it in the iteration */
	FAULT_UNREAD,  /* only the reference does */
};
/* Of a pointer, or without a type what looks like one: it is another one in each run. */
bool locate_is_address(const struct trace_operand *o);
struct locate_operand {
	enum locate_fault fault;
	const struct trace_operand *o; /* borrowed from the finding */
	long owner;		       /* of the halo it is in; -1: none */
	bool unowned;		       /* it is in a halo, and nobody owns it */
	bool known;		       /* stale: a write of the owner is seen, which was right */
	json_t *origin;		       /* owned; who set it; NULL: nothing is known of that */
};
/* The one that shows most; write: of the finding, as JSON. To be cleared. */
void locate_operand(struct locate_traced *t, const struct trace_finding *f, const json_t *write,
		    struct locate_operand *out);

/*
 * astray.c: writes of the loop of the finding, on its rank, that hit other elements than those of
 * the reference become a member of *write.
 */
void locate_astray_writes(struct locate_traced *t, const struct trace_finding *f, json_t *write);

/*
 * others.c: one more pair of runs, for what the write (as it was found, and as JSON) was
 * computed from that nobody has registered. False: that does not show why it is wrong.
 */
bool locate_others(struct locate *l, const struct trace_finding *f, json_t *write);
/* The same, where the loop begins, for variables of its call, and behind a reduction. */
bool locate_scope(struct locate_traced *t, const struct trace_finding *f, const json_t *write);
/* The same, for the statement of the root, when the construct is beside it. */
bool locate_scope_root(struct locate_traced *t);

/*
 * cause.c: because, advice, and what follows for halos. set: the finding is the last write
 * of the wrong element (locate_setter).
 */
void locate_blame(struct locate_traced *t, const struct trace_finding *f, json_t *write, bool set);
/* When the iteration in *f has nothing to do with the wrong element: one of another kind that
 * has. */
void locate_better_iteration(struct locate_traced *t, struct trace_finding *f);
/* Nothing that was traced sets it wrong. */
void locate_blame_nothing(struct locate_traced *t);
void locate_say(char **to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The cause; about: enum locate_about. */
void locate_because(struct locate *l, unsigned about, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "heat.c:67"; returns out. */
const char *locate_place(const struct locate_traced *t, const struct trace_spot *spot,
			 char out[LOCATE_TEXT]);
/* The line where it begins to be wrong, when that is not the wrong write's. */
void locate_root(struct locate *l, const char *place);
/* No halo is the cause. */
void locate_refute(struct locate *l);

/* operands.c: of a wrong value, by what it was computed from. */
void locate_blame_value(struct locate_traced *t, const struct trace_finding *f, json_t *write);
/* Only by operands; false: they do not show anything. */
bool locate_blame_operand(struct locate_traced *t, const struct trace_finding *f, json_t *write);
/* By what loops before have read. */
bool locate_blame_reads(struct locate_traced *t, const struct trace_finding *f);

/* begin.c: the finding is of one of the wrong elements: that is the first from now on. */
void locate_move_first(struct locate *l, const struct trace_finding *f);

#endif

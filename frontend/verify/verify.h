/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksums in a session: takes the points of the running job, keeps the last one, writes them to a
 * new reference or compares them with one, reports findings, and gives the verdict that ranks wait
 * for (STOP_ON mismatch).
 */
#ifndef DVMDBG_FRONTEND_VERIFY_VERIFY_H
#define DVMDBG_FRONTEND_VERIFY_VERIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/trace_config.h"
#include "frontend/sumdiff/sumdiff.h"

struct checker;
struct cover;
struct dvmtext_head;
struct err;
struct job;
struct job_spec;
struct levels;
struct location;
struct outcome;
struct point_sums;
struct rankset;
struct reduction;
struct reference;
struct report_trace;
struct rule;
struct session;
struct sums_point;
struct trace_config_place;
struct trace_findings;

struct checker *checker_create(struct session *s);
void checker_destroy(struct checker *c); /* NULL is fine */

/* For the next run. NULL dir: no longer. They exclude each other: the later one holds. */
void checker_record(struct checker *c, const char *dir);
void checker_compare(struct checker *c, const char *dir);
/* Takes what is requested of the next run away, for a while. */
struct checker_request *checker_put_aside(struct checker *c);
void checker_restore(struct checker *c, struct checker_request *w); /* takes w over; NULL is fine */
void checker_request_free(struct checker_request *w);		    /* NULL is fine */
/* Points go to fn instead of a reference: for pairs of jobs. NULL ends it. fn owns p. */
void checker_tap(struct checker *c, void (*fn)(void *arg, struct sums_point *p), void *arg);
/* Points also report what constructs only read, though the reference that is compared with does
 * not. */
void checker_see_reads(struct checker *c);
/*
 * The order of messages (what wildcard receives get, which of several requests is chosen): kept in
 * the reference that the next run makes; or kept in one directory and followed from another, NULL:
 * not, instead of what the reference has that is compared with.
 */
void checker_order(struct checker *c, bool keep);
/* The next run that is recorded has its calls of MPI in its traces, at level MINIMAL at least. */
void checker_calls(struct checker *c, bool keep);
void checker_order_in(struct checker *c, const char *keep, const char *follow);
/* For a job that is about to be started; and whether one that was has something else. */
void checker_order_spec(const struct checker *c, struct job_spec *spec);
bool checker_order_changed(const struct checker *c, const struct job_spec *spec);
/*
 * The next run is traced at this level, whatever LEVEL and the reference say, and only accesses to
 * objects of these names (none: to all that are registered). NULL: as it is set.
 */
struct checker_only {
	const char
		*keep; /* borrowed: where the traces of a run go that is compared; NULL: nowhere */
	bool others;   /* and to memory that nobody has registered */
	uint8_t level; /* enum trace_config_level; TRACE_CONFIG_NONE: it is not traced */
	uint8_t nname;
	char name[TRACE_CONFIG_NAMES][TRACE_CONFIG_NAME];
};
void checker_trace_only(struct checker *c, const struct checker_only *only);
/* What the traces of this run have differed in so far. Borrowed. */
const struct trace_findings *checker_found(const struct checker *c);
/* What control has found that is not suppressed, added to out. */
void checker_controlled_found(const struct checker *c, struct trace_findings *out);
/* A list of texts: what of OpenMP was not controlled. */
json_t *checker_unthreaded(const struct checker *c);
/*
 * What is asked of the ranks: level CHECKSUM when something is recorded, compared or tapped, or
 * set. Of a reference that is compared with, its ChecksumMode and no more than its interval.
 */
struct trace_config checker_trace_config(const struct checker *c);
/* The directories of the next run, NULL: none. */
const char *checker_recording(const struct checker *c);
const char *checker_comparing(const struct checker *c);
/*
 * What the run writes down beside its sums: these arrays (names, NULL-terminated; copied) at these
 * points (n of them), into the reference that is made. NULL: none.
 */
void checker_arrays(struct checker *c, char *const *name, const struct point *at, size_t n);
/* Settings or the verbs above have changed: makes that work for a run that has not begun, as far as
 * that can be also for one that has. */
int checker_changed(struct checker *c, struct err *err);

/* A setting is about to get this value: StartPoint and FinishPoint have to be points. NULL: its
 * default. */
int checker_allows(const char *name, const char *value, struct err *err);
/*
 * -1 when StartPoint is not before FinishPoint: that may be while both are moved, in any order.
 * name: only when that is the setting that was changed; NULL: whichever. can_start: -1 as long as
 * it is so, and a run would use them.
 */
int checker_crossed(const struct checker *c, const char *name, struct err *err);
int checker_can_start(const struct checker *c, struct err *err);
/*
 * session_load calls begin when the job is there and nothing is started; -1: it cannot be recorded
 * or compared. over: the job has ended, or is about to be ended; finishes what is open and reports
 * what has come of it, once.
 */
int checker_begin(struct checker *c, struct err *err);
void checker_take(struct checker *c, struct point_sums *t, const struct rankset *missing);
/* Levels that constructs have for themselves in this run, *n, owned by the caller. */
void checker_places(const struct checker *c, struct trace_config_place **out, uint32_t *n);
/* What has become of the traces of ranks. */
void checker_take_trace(struct checker *c, const struct rankset *ranks,
			const struct report_trace *r);
void checker_take_found(struct checker *c, struct trace_findings *l);
void checker_take_cover(struct checker *c, struct cover *cover);
/* A part of a reduction's result, which it empties. */
void checker_take_reduced(struct checker *c, struct reduction *r);
/* Reports the findings of traces that have come and were not reported, in the order of the run. */
void checker_report_traces(struct checker *c);
/* The directory with traces of this run, or else of what it is compared with; NULL: none. To be
 * freed. */
char *checker_traces_dir(const struct checker *c);
bool checker_traces_own(const struct checker *c); /* whether they are of this run */
/* Why ranks stop that were ordered to stop where the runs differ. */
const char *checker_mismatch_words(const struct checker *c);
/* While ranks are waited for: those that hold for others that wait in MPI for them go on. */
void checker_look(struct checker *c);
void checker_over(struct checker *c);
/* The job has come to its end: a finding when the run was shorter than that of the reference.
 * Once. */
void checker_ended(struct checker *c);
/* The program has printed that, to its standard output. */
void checker_take_output(struct checker *c, const char *text, size_t len);
/*
 * How many pairs of printed lines differ, the run being over; *ref, *now, *a, *b: those of the
 * i-th, and the numbers in them, borrowed, NULL: there is no such.
 */
size_t checker_printed(struct checker *c, size_t i, const char *line[2], const char *number[2]);
/* What the run has printed so far, borrowed. */
const char *checker_output(const struct checker *c);
/* Text is what another run of the reference has printed: what it has otherwise is not
 * compared. */
void checker_printed_again(struct checker *c, const char *text);
/* How many points have come in this run. */
uint64_t checker_points(const struct checker *c);

/* As what a mismatch is reported (enum finding_kind), and the ranks of the job that it is about;
 * -1: memory. */
uint8_t checker_finding(enum mismatch_kind kind);
int checker_ranks(const struct session *s, const struct mismatch *m, struct rankset *out);
/* The comparison of this run, NULL when nothing is compared. */
const struct compare *checker_comparison(const struct checker *c);
/* Puts into an answer which differences were small, if any were. */
void checker_put_small(json_t *o, const struct compare_state *s);
/* … and which difference the settings allow: compare, exp, and in words tolerance. */
void checker_put_tolerance(json_t *o, const struct compare_state *s, const struct settings *set);
struct reference *checker_reference(const struct checker *c);
/* All ranks of the job have come to their end by themselves. */
bool checker_complete(const struct job *j);
/* Adds what could not be compared by the state of a comparison. */
void checker_keep_uncompared(struct outcome *o, const struct compare_state *s);
/* The newest complete point, NULL before the first; and, when compared, the reference's. */
const struct sums_point *checker_last(const struct checker *c);
/* The newest point in the task of p, or outside tasks p itself; NULL: it is not there. */
const struct sums_point *checker_at(const struct checker *c, const struct point *p);
/* The newest point at which an array of that name had a checksum; NULL: there was none. */
const struct point *checker_summed_at(const struct checker *c, const char *name);
/* Ranks stand at the end of a construct whose checksums are to come, and have not come so far. */
bool checker_awaits(const struct checker *c);
/* The same in a task, where it is unknown before the region ends whether there are any. */
bool checker_may_await(const struct checker *c);
/* All replicated objects as they are known now; to be destroyed by the caller. NULL: memory. */
struct sums_point *checker_objects(const struct checker *c, struct err *err);

/* In save.c. Rules for stops where arrays are saved; at most CHECKER_RULES of them. */
#define CHECKER_RULES 17
#define CHECKER_RULE_ID 0xfffffff0u /* their id; no actionpoint has it */
uint32_t checker_rules(const struct checker *c, struct rule *out);
/*
 * All of who have stopped: saves what is to be saved there. True: they have stopped for nothing
 * else and have been sent on.
 */
bool checker_saved(struct checker *c, const struct rankset *who);

/*
 * Levels of detail that constructs have for themselves, by their places: given by level, or by a
 * configuration file.
 */

struct levels *levels_create(void);
void levels_destroy(struct levels *l); /* NULL is fine */
/* The construct's own level; -1: it has none any more. */
int levels_set(struct levels *l, const struct location *loc, int level, struct err *err);
void levels_forget(struct levels *l);
/* Those of a configuration file take the place of all. How many have a level or ranges: *n. */
int levels_read(struct levels *l, const struct dvmtext_head *h, size_t *n, struct err *err);
size_t levels_count(const struct levels *l);
/* The highest (enum trace_config_level). */
unsigned levels_highest(const struct levels *l);
/* What ranks are sent: *n of them, owned by the caller; NULL when there is none. -1: err. */
void levels_places(const struct levels *l, struct session *s, struct trace_config_place **out,
		   uint32_t *n);
/*
 * As a reference keeps them: [{"file": "heat.c", "line": 61, "level": "FULL", "ranges": [[first,
 * last, step], …]}, {"name": "solve", …}, {"array": "u", "line": 32, "counter": 0, "level":
 * "MODIFY"}, …]; those of more follow, either may be NULL.
 */
json_t *levels_kept(const struct levels *l, const struct levels *more);
/* Appends such; constructs have the level `most` at most. */
int levels_take(struct levels *l, const json_t *list, unsigned most, struct err *err);
void levels_forget_arrays(struct levels *l);
/* Not all accesses to the array are recorded; l NULL: they are. */
bool levels_cut(const struct levels *l, const char *name, uint32_t counter);
/* [{"location": "heat.c:61", "level": "FULL"}, …] of constructs */
json_t *levels_json(const struct levels *l);

/*
 * Runs that are over, compared by what was recorded of them: no program runs.
 */

/*
 * Compares the checksums and the traces of one directory, whose findings are reported as those of a
 * new run, with those of another: what both have. Raises the session's status. -1: err, nothing
 * could be compared.
 */
int checker_compare_offline(struct session *s, const char *run, const char *reference,
			    struct err *err);
/* The traces alone, as answers; numbered: as findings of the session. */
int checker_traces_offline(struct session *s, const char *run, const char *reference, bool numbered,
			   struct err *err);

/*
 * Calculates the results of reductions from recorded traces of level FULL, without the program:
 * findings, and an answer of the type "reductions". -1: err.
 */
struct trace_findings;
struct trace_index;
/*
 * Dynamic control of traces of level FULL, without emulated processors: what was found is added to
 * *out. They may be of an interval: then what was declared outside of it is not known.
 */
int checker_control_traces(struct trace_index *run, struct trace_findings *out, struct err *err);

/* Writes lines for the findings of control of a list, as findings_list has it, so that they are not
 * reported. */
int suppressions_write(const char *path, const json_t *list, struct err *err);
int checker_calculate_offline(struct session *s, const char *dir, struct err *err);

/*
 * The checksums of the current point as an answer.
 */

/*
 * {"type": "sums", "point", "where", "list": […]}, of all arrays or of the one with that name;
 * in a task where who stand of that point. Waits for those that are on their way. NULL and err:
 * none have been taken, or none of that name.
 */
json_t *sums_answer(struct session *s, const struct rankset *who, const char *name,
		    struct err *err);

#endif

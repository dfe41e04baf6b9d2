/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is done with a session: loading and ending its job, waiting for a logical stop, showing it.
 */
#ifndef DVMDBG_FRONTEND_SESSION_SESSION_H
#define DVMDBG_FRONTEND_SESSION_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/rankset.h"
#include "frontend/model/session.h"

struct alias;
struct err;
struct focus;
struct focus_env;
struct focus_odd;
struct groups;
struct history;
struct logs;
struct rankset;
struct report_finding;
struct report_frame;
struct report_stop;
struct session;
struct source;
struct stack_merge;
struct symbols;

/*
 * Parameters of the historical debugger (SEMANTICS 9): their other names, those that are accepted
 * and have no effect here, and the parameter file.
 */

/* "TraceOptions.Exp" and "DebugOptions.Exp" are Exp. Borrowed from name. */
const char *historical_name(const char *name);
/* Why a parameter that is accepted has no effect here; NULL: it is none of these. */
const char *historical_note(const char *name);
/*
 * The setting that another name represents, and its value: TraceLevel = 3 is LEVEL = FULL,
 * StrictCompare = 1 is ON. Both stay as they are when they are no such; lasts until the next call.
 */
void historical_setting(const char **name, const char **value);
/* Why the value, which the documents name, is not taken, and the former stays; NULL: it is none of
 * these. */
const char *historical_refused(const char *name, const char *value);
/* "Incorrect parameter TraceOptions.Ig_left value.", before what is allowed; NULL: no such wording.
 */
const char *historical_words(const char *name, const char *value, char *out, size_t size);
/*
 * Sets what a parameter file says, line by line: NAME = VALUE. Errors name file and line. It has to
 * be a regular file of at most 1 MiB.
 */
int historical_file(struct session *s, const char *path, struct err *err);

/* How a wait for a logical stop ended. */
enum stop_verdict {
	VERDICT_STOPPED,   /* all members have stopped or ended */
	VERDICT_PARTIAL,   /* some have, the timer ran out for the others */
	VERDICT_BAD,	   /* one stopped badly, the others were halted */
	VERDICT_OVER,	   /* the job is over */
	VERDICT_INTERRUPT, /* Ctrl-C: members were halted */
};

struct session *session_create(struct loop *loop, struct out *out);
/* Ends the job as ON_EXIT says. */
void session_destroy(struct session *s);
/* Removes what was kept of locate's reference. */
void session_keep_nothing(struct session *s);
/* Loads the program of spec: supervisors are started, the program is not. */
int session_load(struct session *s, struct err *err);
/* What POINTS has beside marks; POINT_KIND_MARKS: nothing. */
enum point_kind shell_points(const struct session *s);
/* Threads are members of sets (MODE). */
bool shell_multilevel(const struct session *s);
/* Ends what runs; all that it has printed is where it belongs. */
void session_unload(struct session *s);
/* Ends what runs, loads again, sends the rules. */
int session_reload(struct session *s, struct err *err);
/*
 * Ends what runs and attaches to processes that run already; their program and arguments become the
 * session's, for runs to come.
 */
int session_attach(struct session *s, const struct processes *p, struct err *err);
/* Turns the loop until the members have stopped, by the policies STOP_TIMER and BAD_STOP
 * (entity.c). */
enum stop_verdict session_wait(struct session *s, const struct rankset *who);
/* The same until any member has stopped or ended; the others run on. */
enum stop_verdict session_wait_any(struct session *s, const struct rankset *who);
/* As these two, but Ctrl-C only ends the waiting: the members run on. */
enum stop_verdict session_watch(struct session *s, const struct rankset *who, bool any);
/* The same for two sessions at once; done is called as soon as one is waited for no longer. */
void session_wait_both(struct session *const s[2], const struct rankset *const who[2],
		       enum stop_verdict verdict[2], void (*done)(void *arg, int i), void *arg);
/*
 * Adds the ranks that have exited with code 0 before or without MPI_Finalize though others have
 * not: these may wait for them for ever. False: there are none.
 */
bool session_left_others(const struct job *j, struct rankset *out);
/*
 * FINDING_STORED against the debug information: true when the array is declared with other
 * elements; place is then that of the registration, detail what is wrong.
 */
bool session_stored_wrong(struct symbols *s, const struct report_finding *f, char *place,
			  size_t placesize, char *detail, size_t size);
/* Findings of calls of MPI that do not match those of other ranks, so far. */
void session_match(struct session *s);
/* They stand somewhere that is no mark: crashed, or stopped by a halt where they were. */
bool session_at_no_mark(const struct report_stop *r);
/* The user's line that the first of these is at, by its native stack; false: it is not known. */
bool session_native_place(struct session *s, const struct rankset *ranks, char *file, size_t size,
			  uint32_t *line);
/* Prints where the members are: "Point 3.B  [0:3]  parallel loop  heat.c:61", ends, reasons. */
void session_show_stop(struct session *s, const struct rankset *who, enum stop_verdict verdict);

/*
 * What the commands of a session keep between them: named sets, aliases, history, where list is,
 * the frame that up and down have chosen, the script that is read.
 */

/* The most ranks that can be asked for. */
#define SHELL_MAX_RANKS 65536

/* The words of ERROR_CHECKS. */
enum shell_checks { CHECKS_MIN, CHECKS_NORMAL, CHECKS_MAX };

/* Makes it and hangs it into the session. */
struct shell *shell_create(struct session *s);
/* Takes it out of the session. */
void shell_destroy(struct session *s);
/* Copies program and arguments into the session's spec. */
void shell_set_argv(struct session *s, char *const *argv, int argc);
/* Sets a setting and makes it work at once. */
int shell_set(struct session *s, const char *name, const char *value, struct err *err);
int shell_unset(struct session *s, const char *name, struct err *err);
/* Evaluates a set without brackets; repeated members and such that are not there are warnings. */
int shell_eval(struct session *s, const char *text, struct rankset *out, struct err *err);
/* The same, and with MODE MULTILEVEL which of their threads; else threads stay as they are. */
int shell_eval_threads(struct session *s, const char *text, struct rankset *out,
		       struct thread_set *threads, struct err *err);
/* Warns of what is odd about the set, unless ERROR_CHECKS is MIN. */
void shell_warn_odd(struct session *s, const char *text, const struct focus_odd *odd);
enum shell_checks shell_checks(const struct session *s);
/* The terminal has shown "^C": what is reported next begins a line. */
void shell_end_line(const struct session *s);
/* Somebody is there to be asked, and ERROR_CHECKS is not MIN. */
bool shell_can_ask(const struct session *s);
/*
 * Asks the user, when ERROR_CHECKS is at least that, and one is there to be asked; else it is
 * agreed to. True: go on.
 */
bool shell_confirm(struct session *s, enum shell_checks least, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The prompt, as PROMPT and MAX_PROMPT say; returns out. */
const char *shell_prompt(const struct session *s, char *out, size_t size);
/* After ranks have stopped: the current place is where they are. */
void shell_stopped(struct session *s);
/* Remembers how the present run ends, before it is replaced or the session ends. */
void shell_keep_result(struct session *s);
/* Reports the actionpoints that a run that is over has not reached. */
void shell_report_unreached(struct session *s);
/* The file and line of the innermost frame of the first stopped group; false when there is none. */
bool shell_place(struct session *s, char *file, size_t size, uint32_t *line);

/*
 * Arguments and variables of functions, as their debug information has them (locals.c).
 */

struct session_arguments;
struct expr_scope;
struct groups;
struct msg_value;
struct fetch;
struct fetched;
struct section;
struct values;

/*
 * Those of the frame that up and down have chosen, merged over ranks: an answer of the type
 * "locals". path: "a[3].x", "" all; what: enum locals_ask. NULL and err: nobody has them; ERR_NAME
 * when there is no such variable.
 */
json_t *session_locals(struct session *s, const struct rankset *who, const char *path,
		       unsigned what, struct err *err);
/*
 * Numbers of one of them, or of a section of it (not bound; NULL: all): "p->x", "*p", "p@10", "&x".
 * ERR_NAME as above. Clear them.
 */
int session_local_values(struct session *s, const struct rankset *who, const char *name,
			 const struct section *sec, struct values *out, struct err *err);
/* Its type alone, enum value_type. */
int session_local_type(struct session *s, const struct rankset *who, const char *name,
		       const struct section *sec, unsigned *type, struct err *err);
/* Elements of it become the value; answers are as of ask. */
int session_local_assign(struct session *s, const struct rankset *who, const char *name,
			 const struct section *sec, const struct msg_value *value,
			 struct groups *answers, struct rankset *silent, struct err *err);
/* Whether one has that name and can have subscripts in "(": in C only where no function has it. */
bool session_local_is_array(struct session *s, const struct rankset *who, const char *name);
/*
 * Asks for each thread that the verb's set names, with the ranks that have it, and merges what
 * comes: equal values once, with their threads. NULL and err: there is no answer.
 */
typedef json_t *session_answer(void *arg, const struct rankset *who, struct err *err);
json_t *session_each_thread(struct session *s, const struct rankset *who, session_answer *answer,
			    void *arg, struct err *err);
/* Frame *level of these threads, from the innermost, an answer of the type "calls"; *level becomes
 * one that is there. NULL and err: there is none. */
json_t *session_thread_frames(struct session *s, const struct rankset *who, long *level,
			      struct err *err);
/* In which function of the program each of their threads is, those that the verb's set names or
 * all:
 * {"ranks", "name", "file", "line"}, without a name: in none. */
json_t *session_thread_places(struct session *s, const struct rankset *who);
/*
 * Elements that are watched and are no registered object: a variable or an expression becomes what
 * the actionpoint id watches on these ranks, and out->q has its type and shape; "": the values that
 * it has now. Numbers of structures are fields without gaps, called as behind the structure, ".x[2]".
 * what: enum locals_ask, or 0. fetched_clear *out in either case.
 */
int session_watched(struct session *s, const struct rankset *who, const char *text, uint32_t id,
		    unsigned what, struct fetched *out, struct err *err);
/* What expressions of verbs may name: registered objects, and variables of that frame. f is
 * borrowed. */
struct expr_scope session_scope(struct fetch *f);

/*
 * Has ranks call a function of the program (call.c): an answer of the type "call". text: "f(x, 3)";
 * keep: in the process itself, not in a copy of it; seconds: it is ended after so many. NULL and
 * err: nobody could.
 */
json_t *session_call(struct session *s, const struct rankset *who, const char *text, bool keep,
		     int seconds, struct err *err);

/* The arguments of all calls. */
struct session_arguments *session_arguments_ask(struct session *s, const struct rankset *who);
/*
 * Those of the next call of the function on the way in, of these ranks: {"name", "groups":
 * [{"ranks", "value"}]} each.
 */
json_t *session_arguments_next(struct session_arguments *x, const struct rankset *ranks,
			       const char *func);
void session_arguments_destroy(struct session_arguments *x);

/*
 * Logical stacks as answers of the type "where".
 */

/*
 * The calls of who and their constructs as one stack. *lacking becomes what
 * native_lacking says; *answers stays the caller's and must outlive it.
 */
struct stack_merge *stack_answer_joined(struct session *s, const struct rankset *who,
					struct groups *answers, struct rankset *silent,
					json_t **lacking, struct err *err);
/* The logical stack of who; *answers stays the caller's and must outlive it. */
struct stack_merge *stack_answer_ask(struct session *s, const struct rankset *who,
				     struct groups *answers, struct rankset *silent,
				     struct err *err);
/*
 * The frame that up and down have chosen, as one of the stack of who: their own part of it when it
 * was chosen for more ranks, 0 when it was chosen for others.
 */
unsigned session_level(struct session *s, const struct rankset *who);
void session_choose_level(struct session *s, const struct rankset *who, unsigned level);
/* Frames first … first + count - 1; level is the one that is chosen. */
json_t *stack_answer(struct session *s, const struct stack_merge *stack, unsigned level,
		     size_t first, size_t count, const struct groups *answers,
		     const struct rankset *silent);

#endif

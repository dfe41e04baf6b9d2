/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only printer. A verb makes an answer, a JSON object with a member "type"; out prints it as
 * text by the renderer of that type, or with --json as one line. So both forms carry the same data.
 */
#ifndef DVMDBG_FRONTEND_OUT_H
#define DVMDBG_FRONTEND_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

struct logs;
struct out;

/* What is reported besides answers; the words of the setting VERBOSE. */
enum out_verbose { OUT_ERR, OUT_WARN, OUT_ALL };

/* What becomes of what is reported, when a sink has seen it. */
enum out_fate {
	OUT_PRINT, /* printed, as without a sink */
	OUT_LOG,   /* only to the file of the verb log */
	OUT_DROP,  /* nowhere */
};

/* One that sees all that is reported. Messages are answers too, of the types error, warning, note,
 * echo. */
struct out_sink {
	void *arg;
	enum out_fate (*answer)(void *arg, const json_t *answer); /* borrowed */
	/* side: 'A' or 'B' of a pair, or 0 */
	enum out_fate (*program)(void *arg, char side, int stream, const char *text, size_t len);
	enum out_fate (*progress)(void *arg, const char *text); /* NULL: it has ended */
};

/* json: one object a line. Text goes to f (borrowed). Errors go to standard error at first. */
struct out *out_create(FILE *f, bool json);
void out_destroy(struct out *o);
/* One through which everything goes to another (borrowed), as that of side 'A' or 'B' of a pair. */
struct out *out_create_side(struct out *to, char side);
/* Prints and releases the answer. */
void out_answer(struct out *o, json_t *answer);
/* {"type": "error", "text": …}; in text form where out_set_errors says, with its prefix. */
void out_error(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An error in a line of a file of commands: "file:line: …" without the prefix. */
void out_error_at(struct out *o, const char *file, unsigned line, const char *text);
void out_warning(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_note(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A note that is reported with VERBOSE ALL only. */
void out_detail(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * A line below everything else, on a terminal on standard error, for as long as nothing else is
 * printed; NULL takes it away. Nothing in JSON.
 */
void out_progress(struct out *o, const char *text);
/* A command of a file, after the prompt it would have; nothing in JSON. */
void out_echo(struct out *o, const char *prompt, const char *line);
/* The program's own output: "| text" on a terminal, its bytes as they are in files and pipes (to
 * where it has written them, output or errors), {"type": "output", …} in JSON. */
void out_program(struct out *o, int stream, const char *text, size_t len);
/* Somebody reads the program's output on a terminal, in text form: it may be labelled by ranks. */
bool out_merges(const struct out *o);
/* What the program writes to that stream goes to a file (out_set_program). */
bool out_redirects(const struct out *o, int stream);
/* As out_program, to the logs alone, and with the ranks it is of ("[0:3]"), to the screen alone. */
void out_program_logged(struct out *o, const char *text, size_t len);
void out_program_of(struct out *o, const char *ranks, int stream, const char *text, size_t len);
/* Called before an answer is shown: what is older comes first. NULL ends that. */
void out_set_ahead(struct out *o, void (*ahead)(void *), void *arg);
/* While on, answers on the terminal come a screen at a time; keys come from standard input. */
void out_page(struct out *o, bool on);
/* Called before and after anything is printed, so that readline's line is taken away and redrawn.
 */
void out_set_hooks(struct out *o, void (*before)(void *), void (*after)(void *), void *arg);
/* Copies of everything go to these (borrowed), as they request; NULL ends that. */
void out_set_logs(struct out *o, struct logs *logs);
/* The sink (borrowed) sees it first; NULL ends it. */
void out_set_sink(struct out *o, const struct out_sink *sink);
/* The text form of an answer or message, whole lines, to be freed; NULL when there is none. */
char *out_render(const json_t *answer);
/* Where errors go (borrowed) and what stands before them; NULL: among the answers. */
void out_set_errors(struct out *o, FILE *f, const char *prefix);
/* Answers are objects: nothing is left out of them. */
bool out_is_json(const struct out *o);
/* Columns that tables may take; at least 40. */
void out_set_columns(struct out *o, int columns);
void out_set_verbose(struct out *o, enum out_verbose verbose);
enum out_verbose out_verbose(const struct out *o);
/*
 * What the program writes to its standard output and error goes to these streams (borrowed)
 * instead, as it is; NULL: back again.
 */
void out_set_program(struct out *o, FILE *out, FILE *err);
/* Answers are those of a side of a pair, 'A' or 'B'; 0: of neither. */
void out_side(struct out *o, char side);
/* While on, messages are kept; off prints them. For EVENT_INTERRUPT. */
void out_hold(struct out *o, bool on);
/*
 * Ctrl-C, or a request to end, has come while a long answer is made or written: signals are blocked
 * and the loop does not turn meanwhile. The answer ends early then.
 */
bool out_cut_short(void);
/* A JSON string of any bytes: those that are not UTF-8 are taken as Latin-1. Never NULL. */
json_t *out_json_text(const char *text);
json_t *out_json_textn(const char *text, size_t len);
/* An answer with a list, which is taken over, and, when nothing is in it, that as "text". */
json_t *out_json_list(const char *type, json_t *list, const char *none);

#endif

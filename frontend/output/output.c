/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/output.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "frontend/output/logs.h"
#include "frontend/output/text.h"
#include "frontend/output/pager.h"
#include "frontend/util/xalloc.h"

struct out {
	FILE *f, *errors;   /* borrowed */
	FILE *program[2];   /* borrowed; in place of the terminal, NULL: there */
	struct logs *logs;  /* borrowed */
	const char *prefix; /* borrowed; of errors */
	bool json, only_log;
	bool midline;	/* the program's last bytes have not ended their line */
	bool loud;	/* what is printed just now is for the screen, whatever the logs say */
	char side;	/* of a pair, 0: none */
	struct out *to; /* borrowed; NULL: it prints by itself */
	const struct out_sink *sink; /* borrowed */
	enum out_verbose verbose;
	FILE *held; /* owned; a memory stream while messages are held */
	char *held_text;
	size_t held_len;
	void (*before)(void *), (*after)(void *);
	void *arg;
	void (*ahead)(void *); /* out_set_ahead */
	void *ahead_arg;
	bool progress;	/* a line of out_progress stands there */
	size_t columns; /* of the terminal; 0: there is none */
	struct pager pager;
};

struct out *out_create(FILE *f, bool json)
{
	struct out *o = xcalloc(1, sizeof(*o));

	o->f = f;
	o->json = json;
	o->errors = stderr;
	o->prefix = "dvmdbg: ";
	o->verbose = OUT_WARN;
	return o;
}

struct out *out_create_side(struct out *to, char side)
{
	struct out *o = out_create(to->f, to->json);

	o->to = to;
	o->side = side;
	return o;
}

/* Who prints, for the side that o is of; the side it had is to be given back to it. */
static struct out *printer(struct out *o, char *had)
{
	struct out *to = o->to ? o->to : o;

	*had = to->side;
	if (o->to)
		to->side = o->side;
	return to;
}

void out_destroy(struct out *o)
{
	if (!o)
		return;
	out_hold(o, false);
	free(o);
}

void out_set_hooks(struct out *o, void (*before)(void *), void (*after)(void *), void *arg)
{
	o->before = before;
	o->after = after;
	o->arg = arg;
}

void out_set_logs(struct out *o, struct logs *logs)
{
	o->logs = logs;
}

void out_set_errors(struct out *o, FILE *f, const char *prefix)
{
	o->errors = f;
	o->prefix = prefix;
}

void out_set_verbose(struct out *o, enum out_verbose verbose)
{
	o->verbose = verbose;
}

void out_set_program(struct out *o, FILE *out, FILE *err)
{
	o->program[0] = out;
	o->program[1] = err;
}

void out_side(struct out *o, char side)
{
	o->side = side;
}

/* Where it is read: not in logs. */
static void show(struct out *o, FILE *f, const char *text, size_t len)
{
	if (o->only_log || (!o->loud && logs_quiet(o->logs)))
		return;
	if (o->held) {
		fwrite(text, 1, len, o->held);
		return;
	}
	out_progress(o, NULL);
	if (o->before)
		o->before(o->arg);
	if (f && f != o->f)
		fflush(o->f);
	f = f ? f : o->f;
	if (f == o->f && pager_is_on(&o->pager)) {
		pager_write(&o->pager, text, len);
	} else {
		fwrite(text, 1, len, f);
		fflush(f);
	}
	if (o->after)
		o->after(o->arg);
}

/* What emit does, with the text as it is. */
static void emit_as_is(struct out *o, FILE *f, const char *text, size_t len)
{
	logs_answer(o->logs, text, len);
	if (o->midline)
		show(o, NULL, "\n", 1);
	o->midline = false;
	show(o, f, text, len);
}

/* Writes a text that is whole lines to f, or to the answers' stream when f is NULL, and to the log.
 */
static void emit(struct out *o, FILE *f, const char *text, size_t len)
{
	size_t size;
	char *clean = out_text_clean(text, len, o->json, &size);

	emit_as_is(o, f, clean ? clean : text, clean ? size : len);
	free(clean);
}

void out_progress(struct out *o, const char *text)
{
	const char *term = getenv("TERM");
	struct winsize size;

	if (o->sink && o->sink->progress(o->sink->arg, text) != OUT_PRINT)
		return;
	if (o->json || !(text || o->progress) || (text && (o->held || o->verbose < OUT_WARN)) ||
	    !term || !strcmp(term, "dumb") || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0)
		return;
	o->progress = text != NULL;
	fprintf(stderr, "\r\033[K%.*s", size.ws_col > 1 ? size.ws_col - 1 : 79, text ? text : "");
	fflush(stderr);
}

void out_hold(struct out *o, bool on)
{
	FILE *held = o->held;

	if (on && !held)
		o->held = xmemstream(&o->held_text, &o->held_len);
	if (on || !held)
		return;
	o->held = NULL;
	xmemstream_close(held);
	if (o->held_len) {
		struct logs *logs = o->logs;

		o->logs = NULL; /* they have it already */
		o->only_log = false;
		emit(o, NULL, o->held_text, o->held_len);
		o->logs = logs;
	}
	free(o->held_text);
	o->held_text = NULL;
	o->held_len = 0;
}

void out_set_sink(struct out *o, const struct out_sink *sink)
{
	o->sink = sink;
}

/* Informs the sink. True when the answer goes on to be written. */
static bool pass(struct out *o, const json_t *answer)
{
	enum out_fate fate;

	if (o->ahead)
		o->ahead(o->ahead_arg);
	fate = o->sink ? o->sink->answer(o->sink->arg, answer) : OUT_PRINT;

	o->only_log = fate == OUT_LOG;
	return fate != OUT_DROP;
}

void out_echo(struct out *o, const char *prompt, const char *line)
{
	json_t *answer = json_pack("{s:s s:o s:o}", "type", "echo", "prompt", out_json_text(prompt),
				   "text", out_json_text(line));
	struct logs *logs = o->logs;
	bool on = pass(o, answer);
	char *text;
	int len;

	json_decref(answer);
	if (!on || o->json || (len = asprintf(&text, "%s%s\n", prompt, line)) < 0)
		return;
	o->logs = NULL; /* they get commands by themselves */
	emit(o, NULL, text, (size_t)len);
	o->logs = logs;
	free(text);
}

static void emit_json(struct out *o, const json_t *answer)
{
	char *text = json_dumps(answer, JSON_COMPACT | JSON_PRESERVE_ORDER);
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return;
	text[len] = '\n';
	emit(o, NULL, text, len + 1);
	free(text);
}

/*
 * By the renderer of its type, with the side of a pair before one line or above several; NULL when
 * there is no renderer.
 */
static char *render_type(const json_t *answer, size_t *len)
{
	out_text_fn render = out_text_find(out_str(answer, "type"));
	const char *side = out_str(answer, "side");
	char *text = NULL;
	FILE *f = render ? xmemstream(&text, len) : NULL;
	size_t label;

	if (!f)
		return NULL;
	if (*side)
		fprintf(f, "%s: ", side);
	fflush(f);
	label = *len;
	out_text_whole(json_is_true(out_get(answer, "all")));
	render(f, answer);
	out_text_whole(false);
	xmemstream_close(f);
	if (*len == label)
		*len = 0;
	else if (label && memchr(text, '\n', *len) != text + *len - 1)
		text[label - 1] = '\n';
	text[*len] = 0;
	return text;
}

/* A message: what stands before its text, and the text. */
static char *render_message(const json_t *answer)
{
	const char *before = out_str(answer, "prompt"), *side = out_str(answer, "side");
	const char *text = out_str(answer, "text");
	char *line;
	int rc;

	if (!strcmp(out_str(answer, "type"), "warning"))
		before = "warning: ";
	if (out_get(answer, "file"))
		rc = asprintf(&line, "%s:%d: %s\n", out_str(answer, "file"),
			      (int)out_int(answer, "line"), text);
	else
		rc = asprintf(&line, "%s%s%s%s\n", before, side, *side ? ": " : "", text);
	return rc < 0 ? NULL : line;
}

char *out_render(const json_t *answer)
{
	size_t len;
	char *text;

	out_text_scrolls(true);
	text = render_type(answer, &len);
	return text || !out_get(answer, "text") ? text : render_message(answer);
}

/* Whether the text of such an answer is sentences and tables without a layout for few columns. */
static bool folds(const char *type)
{
	static const char *const types[] = { "compared", "finding", "findings", "halo",
					     "locate",	 "points",  "sums" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static void emit_answer(struct out *o, const char *type, const char *text, size_t len)
{
	char *folded = o->columns && folds(type) ? out_text_fold(text, len, o->columns) : NULL;

	emit(o, NULL, folded ? folded : text, folded ? strlen(folded) : len);
	free(folded);
}

static void print_answer(struct out *o, json_t *answer)
{
	char *text;
	size_t len = 0;

	if (!answer)
		return;
	if (o->side)
		json_object_set_new(answer, "side", json_stringn(&o->side, 1));
	if (pass(o, answer)) {
		out_text_scrolls(o->only_log || pager_is_on(&o->pager));
		text = o->json ? NULL : render_type(answer, &len);
		if (!text)
			emit_json(o, answer);
		else if (len)
			emit_answer(o, out_str(answer, "type"), text, len);
		free(text);
	}
	json_decref(answer);
}

void out_answer(struct out *o, json_t *answer)
{
	char had;
	struct out *to = printer(o, &had);

	print_answer(to, answer);
	to->side = had;
}

bool out_cut_short(void)
{
	sigset_t set;

	return !sigpending(&set) && (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
				     sigismember(&set, SIGHUP));
}

json_t *out_json_textn(const char *text, size_t len)
{
	json_t *s = json_stringn(text, len);
	char *wide, *p;

	if (s)
		return s;
	wide = p = xmalloc(2 * len + 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x80)
			*p++ = (char)(0xc0 | c >> 6);
		*p++ = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
	}
	s = json_stringn(wide, (size_t)(p - wide));
	free(wide);
	return s ? s : json_string("?");
}

json_t *out_json_text(const char *text)
{
	return out_json_textn(text, strlen(text));
}

json_t *out_json_list(const char *type, json_t *list, const char *none)
{
	json_t *o = json_pack("{s:s s:o}", "type", type, "list", list);

	if (!json_array_size(list))
		json_object_set_new(o, "text", json_string(none));
	return o;
}

/* Prints a message: an object (taken over) with its text, or a line of text after `before`. */
static void emit_message(struct out *o, FILE *f, json_t *answer, const char *before,
			 const char *text)
{
	char *line;
	int len;

	json_object_set_new(answer, "text", out_json_text(text));
	if (!pass(o, answer)) {
		json_decref(answer);
		return;
	}
	if (o->json) {
		emit_json(o, answer);
	} else if ((len = asprintf(&line, "%s%s\n", before, text)) >= 0) {
		emit(o, f, line, (size_t)len);
		free(line);
	}
	json_decref(answer);
}

/* errors: where errors go, with the prefix that they have there. */
static void message(struct out *o, bool errors, const char *type, const char *before,
		    const char *fmt, va_list ap)
{
	char had;
	struct out *to = printer(o, &had);
	const char label[4] = { to->side, ':', ' ' };
	char *text = xvasprintf(fmt, ap), *whole = xasprintf("%s%s", before, to->side ? label : "");
	json_t *answer = json_pack("{s:s}", "type", type);

	if (to->side)
		json_object_set_new(answer, "side", json_stringn(&to->side, 1));
	to->loud = errors;
	emit_message(to, errors ? to->errors : NULL, answer, whole, text);
	to->loud = false;
	free(whole);
	free(text);
	to->side = had;
}

void out_error_at(struct out *o, const char *file, unsigned line, const char *text)
{
	char *before = xasprintf("%s:%u: ", file, line);

	o->loud = true;
	emit_message(o, o->errors,
		     json_pack("{s:s s:o s:i}", "type", "error", "file", out_json_text(file),
			       "line", (int)line),
		     before, text);
	o->loud = false;
	free(before);
}

void out_page(struct out *o, bool on)
{
	if (on && !o->json)
		pager_begin(&o->pager, o->f, STDIN_FILENO);
	else
		pager_end(&o->pager);
}

bool out_is_json(const struct out *o)
{
	return o->to ? out_is_json(o->to) : o->json;
}

void out_set_columns(struct out *o, int columns)
{
	o->columns = columns < 40 ? 40 : (size_t)columns;
	out_text_columns((int)o->columns);
}

void out_error(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(o, true, "error", o->to ? o->to->prefix : o->prefix, fmt, ap);
	va_end(ap);
}

void out_warning(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->verbose < OUT_WARN)
		return;
	va_start(ap, fmt);
	message(o, true, "warning", "warning: ", fmt, ap);
	va_end(ap);
}

void out_note(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->verbose < OUT_WARN)
		return;
	va_start(ap, fmt);
	message(o, false, "note", "", fmt, ap);
	va_end(ap);
}

void out_detail(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->verbose < OUT_ALL)
		return;
	va_start(ap, fmt);
	message(o, false, "note", "", fmt, ap);
	va_end(ap);
}

enum out_verbose out_verbose(const struct out *o)
{
	return o->to ? out_verbose(o->to) : o->verbose;
}

static bool on_terminal(const struct out *o)
{
	return isatty(fileno(o->f));
}

/* Files and pipes get the bytes as they are. */
static void program_bytes(struct out *o, int stream, const char *text, size_t len)
{
	logs_program(o->logs, text, len);
	show(o, stream == 2 ? stderr : NULL, text, len);
	if (stream != 2 && !o->only_log)
		o->midline = text[len - 1] != '\n';
}

/* The mark before every line: "| ", "A| " for a side, "[0:3] " of ranks. */
static void program_text(struct out *o, const char *mark, const char *text, size_t len)
{
	char *marked = NULL;
	size_t size = 0;
	bool shown = on_terminal(o);
	FILE *f = xmemstream(&marked, &size), *paged;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		bool cr = end && n && text[n - 1] == '\r' && shown;

		fputs(mark, f);
		fwrite(text, 1, n - cr, f);
		fputc('\n', f);
		n += end ? 1 : 0;
		text += n;
		len -= n;
	}
	xmemstream_close(f);
	/* it comes when it comes, and nobody shall wait for a key meanwhile */
	paged = o->pager.f;
	o->pager.f = NULL;
	/* files get what the program has printed, terminals what cannot harm them */
	if (shown)
		emit(o, NULL, marked, size);
	else
		emit_as_is(o, NULL, marked, size);
	o->pager.f = paged;
	free(marked);
}

/* A file that cannot take it is reported once; what else the program writes to it is lost. */
static void program_file(struct out *o, FILE *f, int stream, const char *text, size_t len)
{
	if (ferror(f))
		return;
	if (fwrite(text, 1, len, f) != len || fflush(f))
		out_warning(o,
			    "the program's standard %s cannot be written to its file: %s; later "
			    "output is lost",
			    stream == 2 ? "error" : "output", strerror(errno));
}

void out_program(struct out *o, int stream, const char *text, size_t len)
{
	char side = o->to ? o->side : 0;
	const char mark[4] = { side, '|', ' ' };
	enum out_fate fate;
	json_t *answer;

	if (!len)
		return;
	if (o->program[stream == 2]) {
		program_file(o, o->program[stream == 2], stream, text, len);
		return;
	}
	o = o->to ? o->to : o;
	fate = o->sink ? o->sink->program(o->sink->arg, side, stream, text, len) : OUT_PRINT;
	o->only_log = fate == OUT_LOG;
	if (fate == OUT_DROP)
		return;
	if (!o->json) {
		if (side || on_terminal(o))
			program_text(o, side ? mark : mark + 1, text, len);
		else
			program_bytes(o, stream, text, len);
		return;
	}
	answer = json_pack("{s:s s:i s:o}", "type", "output", "stream", stream, "text",
			   out_json_textn(text, len));
	if (answer && side)
		json_object_set_new(answer, "side", json_stringn(&side, 1));
	if (answer)
		emit_json(o, answer);
	json_decref(answer);
}

bool out_merges(const struct out *o)
{
	return !o->json && !o->to && on_terminal(o);
}

bool out_redirects(const struct out *o, int stream)
{
	return o->program[stream == 2] != NULL;
}

void out_program_logged(struct out *o, const char *text, size_t len)
{
	logs_program(o->logs, text, len);
}

void out_program_of(struct out *o, const char *ranks, int stream, const char *text, size_t len)
{
	char *label;
	struct logs *logs = o->logs;
	size_t size = 0;
	FILE *f = xmemstream(&label, &size);

	fprintf(f, "%s ", ranks);
	xmemstream_close(f);
	if (o->sink) {
		char *line = xmalloc(size + len);

		memcpy(line, label, size);
		memcpy(line + size, text, len);
		o->only_log =
			o->sink->program(o->sink->arg, 0, stream, line, size + len) != OUT_PRINT;
		free(line);
	}
	/* logs have it already */
	o->logs = NULL;
	if (!o->only_log && !logs_quiet(logs))
		program_text(o, label, text, len);
	o->logs = logs;
	o->only_log = false;
	free(label);
}

void out_set_ahead(struct out *o, void (*ahead)(void *), void *arg)
{
	o->ahead = ahead;
	o->ahead_arg = arg;
}

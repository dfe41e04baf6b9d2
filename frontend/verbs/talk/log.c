/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb log. */
#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/logs.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"

enum { LOG_QUIET, LOG_OUTPUT, LOG_INPUT, LOG_OFF };

static const char *kept_words(const struct log_file *x)
{
	if (x->input && x->output)
		return "commands and answers";
	return x->input ? "commands" : "answers";
}

/* All files so far, with what they keep and whether they still do. */
static void list(struct session *s)
{
	json_t *files = json_array();
	const struct log_file *x;
	char text[100];

	for (size_t i = 0; (x = logs_at(s->shell->logs, i)); i++) {
		snprintf(text, sizeof(text), "%s  %s%s", x->f ? "on " : "off", kept_words(x),
			 x->quiet ? ", quiet" : "");
		json_array_append_new(files, json_pack("{s:o s:s s:b s:b s:b s:b}", "name",
						       out_json_text(x->path), "text", text, "on",
						       x->f != NULL, "input", x->input, "output",
						       x->output, "quiet", x->quiet));
	}
	out_answer(s->out, out_json_list("logs", files, "no logs"));
}

static int off(struct session *s, struct cmd_call *call)
{
	const char *path = call->argc ? call->argv[0] : NULL;

	if (!logs_end(s->shell->logs, path))
		out_warning(s->out,
			    path ? "log: %s is not being written" : "log: no log is being written",
			    path);
	return 0;
}

static int run_log(struct session *s, struct cmd_call *call, struct err *err)
{
	struct log_file like = { .input = !call->option[LOG_OUTPUT],
				 .output = !call->option[LOG_INPUT],
				 .quiet = call->option[LOG_QUIET] };

	if (call->argc > 1)
		return err_set(err, "log takes one file, not '%s'", call->rest);
	if (call->option[LOG_OFF])
		return off(s, call);
	if (call->option[LOG_OUTPUT] && call->option[LOG_INPUT])
		return err_set(err, "log: only one of -output and -input can be given");
	if (!call->argc && (like.quiet || !like.input || !like.output))
		return err_set(err, "log: give the name of a file");
	if (!call->argc) {
		list(s);
		return 0;
	}
	like.path = call->argv[0];
	return logs_begin(s->shell->logs, &like, err);
}

const struct cmd cmd_log = {
	.name = "log",
	.args = "[file [-quiet] [-output | -input]] | [file] -off",
	.brief = "keep copies of commands and answers in files",
	.help = "The copy is appended to the file. Several files can be written at a time. A file "
		"of commands only has no prompts, so that input can read it. -off ends the copy "
		"into one file, or into all. Without arguments it lists the files.",
	.example = "log session.txt",
	.completes = "file",
	.no_set = true,
	.option = { [LOG_QUIET] = { "quiet", CMD_FLAG,
				    "answers go to files only; errors are shown" },
		    [LOG_OUTPUT] = { "output", CMD_FLAG, "only answers" },
		    [LOG_INPUT] = { "input", CMD_FLAG, "only commands" },
		    [LOG_OFF] = { "off", CMD_FLAG, "end the copy" } },
	.run = run_log,
};

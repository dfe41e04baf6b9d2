/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line of dvmdbg.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/log.h"
#include "frontend/cli.h"
#include "frontend/cmd.h"
#include "frontend/findings.h"
#include "frontend/loop.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"

enum { STATUS_CLEAN = 0, STATUS_FINDINGS = 1, STATUS_USAGE = 2, STATUS_FAILED = 3 };

/* What is to be run before the prompt, in the order of the command line. */
struct first {
	bool file; /* -x, else -e */
	const char *text;
};

struct options {
	int n;
	const char *launcher, *transport;
	bool batch, json;
	struct first *first; /* owned */
	size_t nfirst;
	const char **set; /* owned; NAME=VALUE */
	size_t nset;
	char **program;
	int nprogram;
};

static const char usage[] =
	"usage: dvmdbg [run] [options] [--] [PROGRAM ARGS...]\n"
	"\n"
	"A debugger for parallel array programs: all ranks pause at numbered points.\n"
	"Without PROGRAM the session begins with nothing loaded; load loads one.\n"
	"\n"
	"  -n N              ranks, 1 to 65536; without it one rank\n"
	"  --launcher L      what starts the ranks, as in \"srun --mpi=pmix\"\n"
	"  --transport T     how the parts talk: auto, unix, tcp\n"
	"  -x FILE           run the commands of FILE first; may repeat\n"
	"  -e COMMAND        run COMMAND first; may repeat\n"
	"  --batch           no prompt: end after these commands, or at the first error\n"
	"  --json            every answer is one JSON object a line\n"
	"  --set NAME=VALUE  a setting, as the command set does\n"
	"  --version         print the version\n"
	"  --help            print this\n"
	"\n"
	"Exit status: 0 nothing found, 1 findings, 2 usage or set-up error, 3 the program "
	"failed.\n";

static int bad_usage(const char *fmt, const char *arg)
{
	fputs("dvmdbg: ", stderr);
	fprintf(stderr, "%s", fmt);
	if (arg)
		fprintf(stderr, " '%s'", arg);
	fputs("; dvmdbg --help tells what there is\n", stderr);
	return -1;
}

static int take_n(struct options *o, const char *value)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(value, &end, 10);
	if (end == value || *end || errno || n < 1 || n > SHELL_MAX_RANKS) {
		fprintf(stderr, "dvmdbg: -n %s: the number of ranks can be 1 to %d\n", value,
			SHELL_MAX_RANKS);
		return -1;
	}
	o->n = (int)n;
	return 0;
}

static int take_transport(struct options *o, const char *value)
{
	if (strcmp(value, "auto") && strcmp(value, "unix") && strcmp(value, "tcp")) {
		fprintf(stderr, "dvmdbg: --transport %s: auto, unix and tcp are allowed\n", value);
		return -1;
	}
	o->transport = value;
	return 0;
}

static int take_set(struct options *o, const char *value)
{
	if (!strchr(value, '=') || *value == '=') {
		fprintf(stderr, "dvmdbg: --set %s: NAME=VALUE is needed\n", value);
		return -1;
	}
	o->set[o->nset++] = value;
	return 0;
}

static int take_par(struct options *o, const char *value)
{
	fprintf(stderr,
		"dvmdbg: --par %s: parameter files are not served by this version; use --set\n",
		value);
	return -1;
}

static int take_launcher(struct options *o, const char *value)
{
	if (!value[strspn(value, " \t")]) {
		fprintf(stderr, "dvmdbg: --launcher: the name of a command is needed\n");
		return -1;
	}
	o->launcher = value;
	return 0;
}

static int take_file(struct options *o, const char *value)
{
	o->first[o->nfirst++] = (struct first){ true, value };
	return 0;
}

static int take_command(struct options *o, const char *value)
{
	o->first[o->nfirst++] = (struct first){ false, value };
	return 0;
}

static int take_batch(struct options *o, const char *value)
{
	o->batch = true;
	return 0;
}

static int take_json(struct options *o, const char *value)
{
	o->json = true;
	return 0;
}

static const struct {
	const char *name;
	bool value;
	int (*take)(struct options *o, const char *value);
} known[] = {
	{ "-n", true, take_n },		  { "--launcher", true, take_launcher },
	{ "-x", true, take_file },	  { "-e", true, take_command },
	{ "--batch", false, take_batch }, { "--json", false, take_json },
	{ "--set", true, take_set },	  { "--transport", true, take_transport },
	{ "--par", true, take_par },
};

/* The value in "-n4" or "--set=A=B"; NULL when arg is not the option with a value in it. */
static const char *inner_value(const char *arg, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(arg, name, len))
		return NULL;
	if (name[1] != '-')
		return arg + len;
	return arg[len] == '=' ? arg + len + 1 : NULL;
}

/* One option at argv[*i]; *i is moved behind it. */
static int parse_option(struct options *o, int argc, char **argv, int *i)
{
	const char *arg = argv[*i];

	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		const char *value = NULL;

		if (strcmp(arg, known[k].name)) {
			value = known[k].value ? inner_value(arg, known[k].name) : NULL;
			if (!value)
				continue;
		} else if (known[k].value) {
			if (*i + 1 >= argc)
				return bad_usage("a value is needed after", arg);
			value = argv[++*i];
		}
		++*i;
		return known[k].take(o, value);
	}
	return bad_usage("unknown option", arg);
}

/* 0 go on, 1 done with success, -1 an error was told. */
static int parse(struct options *o, int argc, char **argv)
{
	int i = 1;

	o->first = calloc((size_t)argc + 1, sizeof(*o->first));
	o->set = calloc((size_t)argc + 1, sizeof(*o->set));
	if (!o->first || !o->set)
		return bad_usage("out of memory", NULL);
	if (i < argc && !strcmp(argv[i], "run"))
		i++;
	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(usage, stdout);
			return 1;
		}
		if (!strcmp(argv[i], "--version")) {
			printf("dvmdbg %s\n", PACKAGE_VERSION);
			return 1;
		}
		if (parse_option(o, argc, argv, &i))
			return -1;
	}
	o->program = argv + i;
	o->nprogram = argc - i;
	return 0;
}

static void on_end(void *arg, int sig)
{
	struct session *s = arg;

	s->quitting = true;
}

/* Ctrl-C in a batch session ends it. */
static void on_interrupt(void *arg, int sig)
{
	struct session *s = arg;

	s->quitting = true;
	if (s->status < STATUS_USAGE)
		s->status = STATUS_USAGE;
}

/* Settings and program of the command line. */
static int setup(struct session *s, const struct options *o, struct err *err)
{
	for (size_t i = 0; i < o->nset; i++) {
		const char *mark = strchr(o->set[i], '=');
		char *name = strndup(o->set[i], (size_t)(mark - o->set[i]));
		int rc = name ? shell_set(s, name, mark + 1, err) : err_set(err, "out of memory");

		free(name);
		if (rc)
			return err_prefix(err, "--set");
	}
	s->spec.n = o->n;
	if (o->launcher)
		s->spec.launcher = strdup(o->launcher);
	if (o->transport)
		s->spec.transport = strdup(o->transport);
	if (!o->nprogram)
		return 0;
	if (shell_set_argv(s, o->program, o->nprogram))
		return err_set(err, "out of memory");
	return session_load(s, err);
}

/* The commands of -x and -e. In a batch session the first error ends it. */
static int run_first(struct session *s, const struct options *o)
{
	for (size_t i = 0; i < o->nfirst && !s->quitting; i++) {
		struct err err = { "" };
		int rc;

		if (o->first[i].file) {
			rc = cmd_file(s, o->first[i].text, &err);
			if (rc && *err.text)
				out_error(s->out, "%s", err.text);
		} else {
			s->shell->script = "-e";
			s->shell->script_line = (unsigned)i + 1;
			rc = cmd_line(s, o->first[i].text);
			s->shell->script = NULL;
		}
		if (rc && s->batch) {
			s->status = STATUS_USAGE;
			return -1;
		}
	}
	return 0;
}

static int exit_status(const struct session *s)
{
	if (s->status == STATUS_USAGE)
		return STATUS_USAGE;
	if (s->shell->failed_program || s->status == STATUS_FAILED)
		return STATUS_FAILED;
	return findings_count(s->findings) ? STATUS_FINDINGS : STATUS_CLEAN;
}

/* The session from its set-up to its end; its exit status. */
static int run(struct session *s, const struct options *o)
{
	struct err err = { "" };

	if (setup(s, o, &err)) {
		out_error(s->out, "%s", err.text);
		return STATUS_USAGE;
	}
	if (s->interactive && !o->json)
		out_set_errors(s->out, NULL, "");
	if (s->batch)
		loop_signal(s->loop, SIGINT, on_interrupt, s);
	if (!run_first(s, o) && !s->quitting && !(s->batch && o->nfirst)) {
		if (cli_run(s, &err)) {
			out_error(s->out, "%s", err.text);
			return STATUS_USAGE;
		}
	}
	shell_keep_result(s);
	return exit_status(s);
}

static int start(const struct options *o)
{
	struct err err = { "" };
	struct loop *loop = loop_create(&err);
	struct out *out = loop ? out_create(stdout, o->json) : NULL;
	struct session *s = out ? session_create(loop, out, &err) : NULL;
	int status = STATUS_USAGE;

	if (s && shell_create(s, &err)) {
		s->batch = o->batch;
		s->interactive = !o->batch && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
		loop_signal(loop, SIGHUP, on_end, s);
		loop_signal(loop, SIGTERM, on_end, s);
		status = run(s, o);
	} else {
		fprintf(stderr, "dvmdbg: %s\n", *err.text ? err.text : "out of memory");
	}
	if (s)
		shell_destroy(s);
	session_destroy(s);
	out_destroy(out);
	loop_destroy(loop);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	int rc = parse(&o, argc, argv);

	log_init("dvmdbg");
	if (!rc)
		rc = start(&o);
	else
		rc = rc > 0 ? STATUS_CLEAN : STATUS_USAGE;
	free(o.first);
	free(o.set);
	return rc;
}

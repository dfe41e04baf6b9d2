/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "frontend/locate/locate.h"
#include "frontend/main/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/traceindex/traceindex.h"
#include "common/control/control.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

static const char usage_head[] =
	"usage: dvmdbg [run] [options] [--] [PROGRAM ARGS...]\n"
	"       dvmdbg record -o DIR [options] [--] PROGRAM ARGS...\n"
	"       dvmdbg compare -r DIR [options] [--] PROGRAM ARGS...\n"
	"       dvmdbg compare [options] RUN DIR\n"
	"       dvmdbg check [options] [--] PROGRAM ARGS...\n"
	"       dvmdbg check [options] -r DIR\n"
	"       dvmdbg locate [options] [--] PROGRAM ARGS...\n"
	"       dvmdbg pair [-n N] [PROGRAM ARGS...] : [options] [PROGRAM ARGS...]\n"
	"       dvmdbg hang [options] [--] PROGRAM ARGS...\n"
	"       dvmdbg hang [options] -p PID\n"
	"       dvmdbg attach [options] PID...\n"
	"       dvmdbg annotate [options] [--] PROGRAM ARGS...\n"
	"       dvmdbg trace print|stat|diff|export|import [options] [PATH...]\n"
	"\n"
	"A debugger for parallel array programs: all ranks stop at numbered points.\n"
	"Without PROGRAM the session begins with nothing loaded; load loads one.\n"
	"record writes the checksums of a run into DIR, compare compares a run with them; both\n"
	"run to the end without a prompt. Given two directories, compare compares what was "
	"recorded\n"
	"in them. check finds errors of parallelisation by the accesses of iterations, and of\n"
	"threads and tasks of OpenMP, and calculates reductions, in a run or from traces of level\n"
	"FULL. locate finds the first wrong element of a run, compared with one on fewer ranks.\n"
	"pair has two runs go on together and compares them point by point.\n"
	"hang runs a program to its end, or reports who waits for whom when nothing moves;\n"
	"with -p it looks at a job that runs already, and leaves it running.\n"
	"attach begins a session with such a job: PID is its mpiexec or srun, or some ranks.\n"
	"annotate finds the arrays and loops of a program without marks, and writes their marks;\n"
	"with --check it proves the marks of arrays that are there.\n"
	"trace shows and compares traces; its options are those of the command: help trace.\n"
	"\n";

static const char usage_tail[] =
	"\n"
	"Exit status: 0 all compared, nothing found; 1 findings; 2 wrong usage, set-up, or not "
	"all could\nbe compared; 3 the program failed or hung. If several hold: 1 before 3 before "
	"2.\n";

static const char *const modes[] = {
	[MODE_RUN] = "run",	     [MODE_RECORD] = "record", [MODE_COMPARE] = "compare",
	[MODE_CHECK] = "check",	     [MODE_LOCATE] = "locate", [MODE_PAIR] = "pair",
	[MODE_TRACE] = "trace",	     [MODE_HANG] = "hang",     [MODE_ATTACH] = "attach",
	[MODE_ANNOTATE] = "annotate"
};

static int bad_usage(const char *fmt, const char *arg)
{
	fputs("dvmdbg: ", stderr);
	fprintf(stderr, "%s", fmt);
	if (arg)
		fprintf(stderr, " '%s'", arg);
	fputs("; dvmdbg --help lists what there is\n", stderr);
	return -1;
}

static int take_ranks(int *out, const char *option, const char *value)
{
	int64_t n;

	if (parse_int(value, 1, SHELL_MAX_RANKS, &n)) {
		fprintf(stderr, "dvmdbg: %s %s: the number of ranks can be 1 to %d\n", option,
			value, SHELL_MAX_RANKS);
		return -1;
	}
	*out = (int)n;
	return 0;
}

static int take_n(struct options *o, const char *value)
{
	return take_ranks(&o->n, "-n", value);
}

static int take_ref_ranks(struct options *o, const char *value)
{
	return take_ranks(&o->ref_ranks, "--ref-ranks", value);
}

static int take_threads(struct options *o, const char *value)
{
	struct err err = { "" };

	if (!locate_threads_parse(value, &o->ref_threads, &o->threads, &err))
		return 0;
	fprintf(stderr, "dvmdbg: --threads %s\n", err.text);
	return -1;
}

static int take_ref_program(struct options *o, const char *value)
{
	o->ref_program = value;
	return 0;
}

static int take_order(struct options *o, const char *value)
{
	o->order = true;
	return 0;
}

static int take_calls(struct options *o, const char *value)
{
	o->calls = true;
	return 0;
}

static int take_all(struct options *o, const char *value)
{
	o->all = true;
	return 0;
}

static int take_pid(struct options *o, const char *value)
{
	o->pid[o->npid++] = value;
	return 0;
}

static int take_image(struct options *o, const char *value)
{
	o->image = value;
	return 0;
}

static int take_also(struct options *o, const char *value)
{
	if (o->nalso == ANNOTATE_SIZES) {
		fprintf(stderr, "dvmdbg: --also can be given %d times\n", ANNOTATE_SIZES);
		return -1;
	}
	o->also[o->nalso++] = value;
	return 0;
}

static int take_check(struct options *o, const char *value)
{
	(void)value;
	o->check = true;
	return 0;
}

static int take_automatic(struct options *o, const char *value)
{
	(void)value;
	o->automatic = true;
	return 0;
}

static int take_yes(struct options *o, const char *value)
{
	(void)value;
	o->yes = true;
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
	o->par = value;
	return 0;
}

static int take_init(struct options *o, const char *value)
{
	o->init = value;
	return 0;
}

static int take_grid(struct options *o, const char *value)
{
	uint32_t grid[ARRAY_DIMS];
	struct err err;
	unsigned n;

	if (dyncontrol_grid_parse(value, &n, grid, &err)) {
		fprintf(stderr, "dvmdbg: --grid: %s\n", err.text);
		return -1;
	}
	o->grid = value;
	return 0;
}

static int take_marks(struct options *o, const char *value)
{
	o->marks = value;
	return 0;
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

static int take_tui(struct options *o, const char *value)
{
	o->tui = true;
	return 0;
}

static int take_dir(struct options *o, const char *value)
{
	if (!*value) {
		fprintf(stderr, "dvmdbg: the name of the reference's directory is empty\n");
		return -1;
	}
	o->dir = value;
	return 0;
}

static int take_with(struct options *o, const char *value)
{
	const char *dir = o->dir;
	int rc = take_dir(o, value);

	o->with = o->dir;
	o->dir = dir;
	return rc;
}

/* Keeps it as NAME=value of a setting. */
static int keep_setting(struct options *o, const char *name, const char *value)
{
	char *text = xmalloc(strlen(name) + strlen(value) + 2);

	strcat(strcat(strcpy(text, name), "="), value);
	o->made[o->nmade++] = text;
	return take_set(o, text);
}

static int take_level(struct options *o, const char *value)
{
	return keep_setting(o, "LEVEL", value);
}

static int take_start(struct options *o, const char *value)
{
	return keep_setting(o, "StartPoint", value);
}

static int take_finish(struct options *o, const char *value)
{
	return keep_setting(o, "FinishPoint", value);
}

static int take_completion(struct options *o, const char *value)
{
	if (!shell_script(value, stdout))
		return 1;
	fprintf(stderr, "dvmdbg: --completion %s: bash and zsh are allowed\n", value);
	return -1;
}

static int take_version(struct options *o, const char *value)
{
	printf("dvmdbg %s\n", PACKAGE_VERSION);
	return 1;
}

static int take_help(struct options *o, const char *value);

#define IN(mode) (1u << MODE_##mode)
#define ANYWHERE ~0u

/* Those without help are other names of others, or are answered with a reason. */
static const struct known {
	struct option_help reported;
	int (*take)(struct options *o, const char *value);
} known[] = {
	{ { "-n", "N", "", ANYWHERE, "ranks, 1 to 65536; without it one rank" }, take_n },
	{ { "--launcher", "L", "command", ANYWHERE,
	    "what starts the ranks, as in \"srun --mpi=pmix\"" },
	  take_launcher },
	{ { "--transport", "T", "=auto|=unix|=tcp", ANYWHERE,
	    "how the parts communicate: auto, unix, tcp" },
	  take_transport },
	{ { "--init", "FILE", "file", ANYWHERE, "run the commands of FILE in place of .hpdinit" },
	  take_init },
	{ { "-x", "FILE", "file", ANYWHERE, "run the commands of FILE first; may repeat" },
	  take_file },
	{ { "-e", "COMMAND", "verb", ANYWHERE, "run COMMAND first; may repeat" }, take_command },
	{ { "--batch", NULL, NULL, ANYWHERE,
	    "no prompt: end after these commands, or at the first error" },
	  take_batch },
	{ { "--json", NULL, NULL, ANYWHERE, "every answer is one JSON object a line" }, take_json },
	{ { "--tui", NULL, NULL, IN(RUN) | IN(PAIR),
	    "begin with the full screen, as tui and Ctrl-X a do later" },
	  take_tui },
	{ { "--set", "NAME=VALUE", "setting", ANYWHERE, "a setting, as the command set does" },
	  take_set },
	{ { "--par", "FILE", "file", ANYWHERE, "a file with settings, NAME = VALUE a line" },
	  take_par },
	{ { "--marks", "FILE", "file",
	    IN(RUN) | IN(RECORD) | IN(COMPARE) | IN(LOCATE) | IN(PAIR) | IN(HANG) | IN(ANNOTATE),
	    "marks beside the source, of a program compiled with -g" },
	  take_marks },
	{ { "-o", "DIR", "directory", IN(RECORD) | IN(LOCATE),
	    "record: where to, none: nowhere; locate: keep the reference there" },
	  take_dir },
	{ { "-o", "FILE", "file", IN(ANNOTATE),
	    "annotate: the marks, PROGRAM.marks without it; the patch is FILE.diff" },
	  take_dir },
	{ { "--also", "ARGS", "", IN(ANNOTATE) | IN(LOCATE),
	    "annotate, locate --auto: arguments of another size to learn from; may repeat" },
	  take_also },
	{ { "--auto", NULL, NULL, IN(LOCATE),
	    "locate: find the marks of a program without any first, as annotate does" },
	  take_automatic },
	{ { "--check", NULL, NULL, IN(ANNOTATE),
	    "annotate: prove the marks that the program has, or those of --marks" },
	  take_check },
	{ { "--yes", NULL, NULL, IN(ANNOTATE), "annotate: do not ask" }, take_yes },
	{ { "--grid", "PxQ", "", IN(CHECK),
	    "processors that are emulated on one rank: each has a block of every array" },
	  take_grid },
	{ { "-r", "DIR", "directory", IN(COMPARE) | IN(CHECK),
	    "compare, locate: with this reference; check: the traces in it" },
	  take_dir },
	{ { "-r", "DIR", "directory", IN(LOCATE), NULL }, take_with },
	{ { "--order", NULL, NULL, IN(RECORD), "record: keep the order of messages, too" },
	  take_order },
	{ { "-order", NULL, NULL, IN(RECORD), NULL }, take_order },
	{ { "--mpi", NULL, NULL, IN(RECORD), "record: calls of MPI in the traces, too" },
	  take_calls },
	{ { "-mpi", NULL, NULL, IN(RECORD), NULL }, take_calls },
	{ { "--ref-ranks", "N", "", IN(LOCATE), "locate: ranks of the reference; without it one" },
	  take_ref_ranks },
	{ { "--threads", "A:B", "", IN(LOCATE),
	    "locate: between A and B threads of OpenMP, on equally many ranks" },
	  take_threads },
	{ { "--ref-program", "P", "command", IN(LOCATE),
	    "locate -r: the program that made it, if it is another" },
	  take_ref_program },
	{ { "--all", NULL, NULL, IN(LOCATE),
	    "locate: list corners of halos, also those that nothing reads" },
	  take_all },
	{ { "--image", "FILE.png", "file", IN(LOCATE), "locate: a picture of the differences" },
	  take_image },
	{ { "-p", "PID", "", IN(HANG), "hang: attach to this job; may repeat" }, take_pid },
	{ { "--level", "L", "=NONE|=MINIMAL|=MODIFY|=FULL|=CHECKSUM", ANYWHERE,
	    "what is observed: NONE MINIMAL MODIFY FULL CHECKSUM" },
	  take_level },
	{ { "--start", "POINT", "", ANYWHERE, "first point with checksums and traces, as 7.B" },
	  take_start },
	{ { "--finish", "POINT", "", ANYWHERE, "last point with them, as 13.E" }, take_finish },
	{ { "--completion", "SH", "=bash|=zsh", ANYWHERE,
	    "print the shell's completion script for this command line" },
	  take_completion },
	{ { "--version", NULL, NULL, ANYWHERE, "print the version" }, take_version },
	{ { "--help", NULL, NULL, ANYWHERE, "print this" }, take_help },
	{ { "-h", NULL, NULL, ANYWHERE, NULL }, take_help },
	{ { "-level", "L", "=NONE|=MINIMAL|=MODIFY|=FULL|=CHECKSUM", ANYWHERE, NULL }, take_level },
	/* as the verb calls them */
	{ { "-ranks", "N", "", IN(LOCATE), NULL }, take_ref_ranks },
	{ { "-threads", "A:B", "", IN(LOCATE), NULL }, take_threads },
	{ { "-reference", "DIR", "directory", IN(LOCATE), NULL }, take_dir },
	{ { "-with", "DIR", "directory", IN(LOCATE), NULL }, take_with },
	{ { "-program", "P", "command", IN(LOCATE), NULL }, take_ref_program },
	{ { "-all", NULL, NULL, IN(LOCATE), NULL }, take_all },
	{ { "-image", "FILE.png", "file", IN(LOCATE), NULL }, take_image },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

const struct option_help *options_at(size_t i)
{
	return i < KNOWN ? &known[i].reported : NULL;
}

const char *options_mode(size_t i)
{
	return i < sizeof(modes) / sizeof(modes[0]) ? modes[i] : NULL;
}

static int take_help(struct options *o, const char *value)
{
	fputs(usage_head, stdout);
	for (size_t i = 0; i < KNOWN; i++) {
		const struct option_help *t = &known[i].reported;
		char name[64];

		if (!t->help)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", t->name, t->value ? " " : "",
			 t->value ? t->value : "");
		printf("  %-18s %s\n", name, t->help);
	}
	fputs(usage_tail, stdout);
	return 1;
}

/* The value in "-n4" or "--set=A=B"; NULL when arg is not the option with a value in it. */
static const char *inner_value(const char *arg, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(arg, name, len))
		return NULL;
	if (name[1] != '-' && !name[2])
		return arg + len;
	return arg[len] == '=' ? arg + len + 1 : NULL;
}

/* One option at argv[*i]; *i is moved behind it. 0, 1, -1 as options_parse. */
static int parse_option(struct options *o, int argc, char **argv, int *i)
{
	const char *arg = argv[*i];

	for (size_t k = 0; k < KNOWN; k++) {
		const struct option_help *t = &known[k].reported;
		const char *value = NULL;

		if (!(t->modes & 1u << o->mode))
			continue;
		if (strcmp(arg, t->name)) {
			value = t->value ? inner_value(arg, t->name) : NULL;
			if (!value)
				continue;
		} else if (t->value) {
			if (*i + 1 >= argc)
				return bad_usage("a value is needed after", arg);
			value = argv[++*i];
		}
		++*i;
		return known[k].take(o, value);
	}
	return bad_usage("unknown option", arg);
}

/* The first word, when it is one of the modes. */
static bool take_mode(struct options *o, const char *word)
{
	for (size_t i = 0; options_mode(i); i++) {
		if (strcmp(word, options_mode(i)))
			continue;
		o->mode = (enum mode)i;
		return true;
	}
	return false;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* compare: a directory in the program's place is what was recorded of a run. */
static void split_columns(struct options *o)
{
	int with = o->dir ? 1 : 2;

	if (o->mode != MODE_COMPARE || o->nprogram != with)
		return;
	for (int i = 0; i < with; i++)
		if (!is_directory(o->program[i]) && !trace_index_text(o->program[i]))
			return;
	o->run = o->program[0];
	o->dir = o->dir ? o->dir : o->program[1];
}

/* What the mode needs beside its options. */
static int check_mode(const struct options *o)
{
	if (o->mode == MODE_RUN)
		return 0;
	if (o->mode == MODE_ATTACH && !o->nprogram)
		return bad_usage("attach: the number of a process is needed", NULL);
	if (o->npid && o->nprogram)
		return bad_usage("hang: -p is a job that runs already, which excludes",
				 o->program[0]);
	if (o->npid)
		return 0;
	if (o->mode == MODE_TRACE && !o->nprogram)
		return bad_usage("trace: print, stat, diff, export or import is needed", NULL);
	if (o->mode == MODE_CHECK && !o->dir == !o->nprogram)
		return bad_usage("check: a program is needed, or -r DIR with traces", NULL);
	if (o->mode == MODE_CHECK && o->dir)
		return 0;
	if (!o->dir && (o->mode == MODE_RECORD || o->mode == MODE_COMPARE))
		return bad_usage(o->mode == MODE_RECORD
					 ? "record: -o DIR is needed"
					 : "compare: -r DIR is needed, and a program; or two "
					   "directories with what was recorded",
				 NULL);
	if (o->mode == MODE_RECORD && o->order && !strcmp(o->dir, "none"))
		return bad_usage("record: -o none keeps nothing, which excludes", "--order");
	if (o->with && (o->dir || o->ref_ranks || o->threads))
		return bad_usage("locate: -r DIR is an existing reference, which excludes",
				 o->dir		? "-o"
				 : o->ref_ranks ? "--ref-ranks"
						: "--threads");
	if (o->ref_program && !o->with)
		return bad_usage("locate: --ref-program is for an existing reference, which needs "
				 "-r DIR",
				 NULL);
	if (o->mode == MODE_ANNOTATE && o->marks && !o->check)
		return bad_usage("annotate: --marks needs --check, which proves them", NULL);
	if (o->check && (o->dir || o->nalso))
		return bad_usage("annotate: --check writes and learns nothing, which excludes",
				 o->dir ? "-o" : "--also");
	if (o->check && o->n == 1)
		return bad_usage("annotate: --check needs two ranks or more", NULL);
	if (!o->nprogram)
		return bad_usage("a program is needed", NULL);
	return 0;
}

/* Options up to the program; 0, 1, -1 as options_parse. */
static int parse_options(struct options *o, int argc, char **argv, int *i)
{
	int rc;

	while (*i < argc && argv[*i][0] == '-' && argv[*i][1]) {
		const char *arg = argv[*i];

		if (!strcmp(arg, "--")) {
			++*i;
			break;
		}
		rc = parse_option(o, argc, argv, i);
		if (rc)
			return rc;
	}
	return 0;
}

/* Side A, up to the ':', whose place ends its words. */
static int parse_other(struct options *o, int argc, char **argv, int *i)
{
	int rc = parse_options(o, argc, argv, i), colon = *i;

	if (rc)
		return rc;
	while (colon < argc && strcmp(argv[colon], ":"))
		colon++;
	if (colon == argc)
		return bad_usage("pair: ':' is needed between the sides", NULL);
	o->other_n = o->n;
	o->n = 0;
	if (colon > *i)
		o->other = argv + *i;
	argv[colon] = NULL;
	*i = colon + 1;
	return 0;
}

/*
 * The words of the verb trace, with its own options; ours may stand between them, when they have
 * two dashes.
 */
static int parse_trace(struct options *o, int argc, char **argv, int *i)
{
	o->program = argv + *i;
	while (*i < argc) {
		int rc;

		if (strncmp(argv[*i], "--", 2)) {
			o->program[o->nprogram++] = argv[(*i)++];
			continue;
		}
		rc = parse_option(o, argc, argv, i);
		if (rc)
			return rc;
	}
	return check_mode(o);
}

int options_parse(struct options *o, int argc, char **argv)
{
	int i = 1, rc;

	o->first = xcalloc((size_t)argc + 1, sizeof(*o->first));
	o->set = xcalloc((size_t)argc + 1, sizeof(*o->set));
	o->made = xcalloc((size_t)argc + 1, sizeof(*o->made));
	o->pid = xcalloc((size_t)argc + 1, sizeof(*o->pid));
	/* no program is called so that was meant */
	if (i < argc && !strcmp(argv[i], "help") && access(argv[i], F_OK))
		return take_help(o, NULL);
	if (i < argc && take_mode(o, argv[i]))
		i++;
	if (o->mode == MODE_TRACE)
		return parse_trace(o, argc, argv, &i);
	rc = o->mode == MODE_PAIR ? parse_other(o, argc, argv, &i) : 0;
	if (!rc)
		rc = parse_options(o, argc, argv, &i);
	if (rc)
		return rc;
	o->program = argv + i;
	o->nprogram = argc - i;
	/* the same program on both sides need be named once */
	if (o->other && !o->nprogram) {
		o->program = o->other;
		while (o->other[o->nprogram])
			o->nprogram++;
		o->other = NULL;
	}
	split_columns(o);
	return check_mode(o);
}

void options_clear(struct options *o)
{
	for (size_t i = 0; i < o->nmade; i++)
		free(o->made[i]);
	free(o->made);
	free(o->first);
	free(o->set);
	free(o->pid);
}

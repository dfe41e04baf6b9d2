/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/job/internal.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/util/loop.h"
#include "frontend/launch/launch.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define REFUSED_MS 2000 /* after a refusal nobody who is missing can be expected for long */
#define STARTED_MS 1000 /* for supervisors to say whether there is a runtime */
#define LEAVE_MS 4000	/* how long supervisors may take to leave by themselves */
#define PATH_LIST (3 * PATH_MAX + 3)

static void report(struct job *j, const char *text)
{
	if (j->watch.notice)
		j->watch.notice(j->watch.arg, text);
}

/* Keeps the end of what was said. */
static void keep_launcher_text(struct job *j, const char *text, size_t len)
{
	size_t have = strlen(j->launcher_text), room = sizeof(j->launcher_text) - 1;

	if (len > room) {
		text += len - room;
		len = room;
	}
	if (have + len > room) {
		size_t drop = have + len - room;

		memmove(j->launcher_text, j->launcher_text + drop, have - drop + 1);
		have -= drop;
	}
	memcpy(j->launcher_text + have, text, len);
	j->launcher_text[have + len] = '\0';
}

/*
 * Before the program runs, standard error is the launcher's. While the supervisors leave all is:
 * that ranks have ended has been reported better.
 */
static void take_output(void *arg, int stream, const char *text, size_t len)
{
	struct job *j = arg;

	if (j->leaving || (stream == 2 && !j->up))
		keep_launcher_text(j, text, len);
	else if (j->watch.output)
		j->watch.output(j->watch.arg, stream, text, len);
}

static void launcher_ended(void *arg, int status)
{
	struct job *j = arg;
	char text[200], how[64];

	if (!j->up || j->leaving || job_over(j))
		return;
	job_hurry(j);
	snprintf(text, sizeof(text), "%s %s", j->launcher_name,
		 launch_status_text(status, how, sizeof(how)));
	report(j, text);
}

static void take_size(void *arg, uint32_t n)
{
	struct job *j = arg;

	if (j->n || n == 0)
		return;
	j->n = n;
	xrankset_add(&j->set[JOB_ALL], 0, n - 1);
	xrankset_add(&j->set[JOB_ABSENT], 0, n - 1);
}

static void take_refused(void *arg, const char *text)
{
	struct job *j = arg;

	if (j->refused_at == 0) {
		j->refused_at = loop_now();
		snprintf(j->refused, sizeof(j->refused), "%s", text);
	}
	if (j->up && !j->leaving)
		report(j, text);
}

/* What makes the program work less well than it could. */
static void report_limits(struct job *j, const struct paths *paths)
{
	char text[512];

	if (j->program.mpi != PROGRAM_MPI_NONE && !paths->mpi) {
		snprintf(text, sizeof(text),
			 "this dvmdbg was built without %s: MPI_Abort and the state of MPI are not "
			 "shown",
			 program_mpi_words(j->program.mpi));
		report(j, text);
	}
	if (j->program.is_static) {
		snprintf(text, sizeof(text),
			 "%s is linked statically, so that dvmdbg sees only its end; link it "
			 "dynamically",
			 j->program.path);
		report(j, text);
	}
	if ((j->program.hooked || j->program.hooked_library) && j->program.module_unhooked) {
		snprintf(text, sizeof(text),
			 "%s has access hooks, but its Fortran module dvmdbg was compiled without "
			 "them: iterations marked with 'if (dvmdbg_hooked)' are lost. Compile "
			 "dvmdbg.f90 with dvmdbg-fc, then all files that use it",
			 j->program.path);
		report(j, text);
	}
	if (j->program.script) {
		snprintf(text, sizeof(text),
			 "%s is a script, so that its MPI is unknown; dvmdbg sees points only in a "
			 "program that it starts with exec",
			 j->program.path);
		report(j, text);
	}
}

static int check_transport(const char *transport, struct err *err)
{
	if (!transport || strcmp(transport, "auto") == 0 || strcmp(transport, "unix") == 0 ||
	    strcmp(transport, "tcp") == 0)
		return 0;
	return err_set(err, "transport '%s': it is one of auto, unix, tcp", transport);
}

/* who: those that will come; NULL: all n. */
static int open_rendezvous(struct job *j, const struct job_spec *spec, uint32_t n, bool remote,
			   const struct rankset *who, struct err *err)
{
	const char *t = spec->transport ? spec->transport : "auto";
	const struct rendezvous_spec rs = {
		.n = n,
		.use_unix = strcmp(t, "tcp") != 0,
		.use_tcp = strcmp(t, "tcp") == 0 || (strcmp(t, "auto") == 0 && remote),
		.params = { .on_exit_run = spec->on_exit_run,
			    .fpe = spec->fpe,
			    .points = (uint8_t)spec->points,
			    .marks = spec->marks,
			    .nmarks = (uint32_t)spec->nmarks },
		.who = who,
	};
	const struct rendezvous_watch watch = {
		.arg = j,
		.size = take_size,
		.linked = job_linked,
		.vanished = job_vanished,
		.refused = take_refused,
	};

	take_size(j, n);
	j->rdv = rendezvous_create(&rs, j->loop, &watch, err);
	return j->rdv ? 0 : -1;
}

/* Starts the launcher with everything the supervisors need in its environment. */
static int start_launcher(struct job *j, const struct job_spec *spec, const struct launcher *l,
			  const struct paths *paths, struct err *err)
{
	static const char binding[] = "OMPI_MCA_hwloc_base_binding_policy";
	char preload[PATH_LIST], threads[20];
	const struct guard_env env[] = {
		/* Numbers of a launcher that we ourselves run under would be taken for the
		   program's. */
		{ "OMPI_COMM_WORLD_RANK", NULL },
		{ "OMPI_COMM_WORLD_SIZE", NULL },
		{ "PMI_RANK", NULL },
		{ "PMI_SIZE", NULL },
		{ "PMIX_RANK", NULL },
		{ "SLURM_PROCID", NULL },
		{ "DVMDBG_RENDEZVOUS", rendezvous_addrs(j->rdv) },
		{ "DVMDBG_SECRET", rendezvous_secret(j->rdv) },
		{ "DVMDBG_PRELOAD", preload },
		{ "DVMDBG_REGIONS", paths->regions },
		{ "DVMDBG_PEER_TIMER", getenv("DVMDBG_PEER_TIMER") },
		{ "DVMDBG_OUTPUT", spec->labelled ? "labelled" : NULL },
		{ "DVMDBG_SENDS", spec->synchronous ? "synchronous" : NULL },
		{ "DVMDBG_ORDER_KEEP", spec->order_keep },
		{ "DVMDBG_ORDER_FOLLOW", spec->order_follow },
		{ spec->threads ? "OMP_NUM_THREADS" : NULL, threads },
		/* Open MPI gives few ranks one processor each, for all threads */
		{ spec->threads > 1 && !getenv(binding) ? binding : NULL, "none" },
		{ NULL, NULL },
	};
	const struct launch_spec ls = {
		.launcher = l,
		.n = spec->n == 0 && !l->given ? 1 : spec->n,
		.exec = paths->exec,
		.program = j->program.path,
		.args = spec->argv + 1,
		.input = spec->input,
		.typed = spec->typed,
		.env = env,
		.dir = rendezvous_dir(j->rdv)[0] ? rendezvous_dir(j->rdv) : NULL,
		.run_on = spec->on_exit_run,
	};
	const struct launch_watch watch = { .arg = j,
					    .output = take_output,
					    .ended = launcher_ended };
	const char *name = l->word ? l->word[0] : paths->exec, *slash = strrchr(name, '/');
	bool hooked = j->program.hooked || j->program.hooked_library;

	snprintf(threads, sizeof(threads), "%d", spec->threads);
	snprintf(preload, sizeof(preload), "%s%s%s%s%s", paths->runtime, paths->mpi ? ":" : "",
		 paths->mpi ? paths->mpi : "", hooked && paths->threads ? ":" : "",
		 hooked && paths->threads ? paths->threads : "");
	snprintf(j->launcher_name, sizeof(j->launcher_name), "%s", slash ? slash + 1 : name);
	j->launch = launch_start(&ls, j->loop, &watch, err);
	return j->launch ? 0 : -1;
}

/* The supervisors of processes that run already, or of core files; the first of ours is in the
 * launcher's place. */
static int start_attach(struct job *j, const struct job_spec *spec, const struct paths *paths,
			struct err *err)
{
	const struct processes *p = spec->attach;
	char **argv = xcalloc(p->n + 4, sizeof(*argv));
	struct job_spec own = *spec;
	struct launcher l = { 0 };
	size_t n = 0;
	int rc;

	free(j->program.path);
	j->program.path = xstrdup(p->list[0].core ? "--core" : "--attach");
	argv[n++] = j->program.path;
	argv[n++] = xasprintf("%u", p->list[p->n - 1].rank + 1);
	if (p->list[0].core)
		argv[n++] = xstrdup(p->program);
	for (size_t i = 0; i < p->n; i++)
		argv[n++] = p->list[i].core
				    ? xasprintf("%u:%s", p->list[i].rank, p->list[i].core)
				    : xasprintf("%u:%d", p->list[i].rank, (int)p->list[i].pid);
	own.argv = argv;
	own.n = 0;
	own.on_exit_run = false;
	rc = start_launcher(j, &own, &l, paths, err);
	for (size_t i = 1; i < n; i++)
		free(argv[i]);
	free(argv);
	free(j->program.path);
	j->program.path = xstrdup(p->program);
	return rc;
}

/* Attaches to what runs. */
static int begin_attach(struct job *j, const struct job_spec *spec, struct err *err)
{
	const struct processes *p = spec->attach;
	struct job_spec own = *spec;
	struct rankset who = { 0 };
	struct paths paths = { 0 };
	int rc = -1;

	j->attached = true;
	j->cores = p->list[0].core;
	j->on_exit_run = false;
	own.on_exit_run = false;
	own.transport = "unix";
	own.attach = p;
	/* its file may have been replaced since */
	if (program_open(&j->program, p->program, NULL))
		j->program = (struct program){ .path = xstrdup(p->program) };
	j->needs_mpi = j->program.mpi != PROGRAM_MPI_NONE;
	for (size_t i = 0; i < p->n; i++)
		xrankset_add(&who, p->list[i].rank, p->list[i].rank);
	j->n = p->list[p->n - 1].rank + 1;
	xrankset_copy(&j->set[JOB_ALL], &who);
	xrankset_copy(&j->set[JOB_ABSENT], &who);
	if (!paths_find(&paths, PROGRAM_MPI_NONE, err) &&
	    !open_rendezvous(j, &own, j->n, false, &who, err))
		rc = start_attach(j, &own, &paths, err);
	paths_clear(&paths);
	rankset_clear(&who);
	return rc;
}

/* Checks everything that can be checked before something is started, then starts it. */
static int begin(struct job *j, const struct job_spec *spec, struct err *err)
{
	struct launcher l = { 0 };
	struct paths paths = { 0 };
	int rc = -1;

	if (!spec->argv || !spec->argv[0])
		return err_set(err, "no program was given");
	if (check_transport(spec->transport, err) < 0 ||
	    program_open(&j->program, spec->argv[0], err) < 0 ||
	    launcher_choose(&l, spec->launcher, &j->program, spec->n, err) < 0)
		return -1;
	j->marked = j->annotated = j->program.annotated || spec->nmarks;
	j->needs_mpi = j->program.mpi != PROGRAM_MPI_NONE;
	if (paths_find(&paths, j->program.mpi, err) == 0) {
		uint32_t n = spec->n == 0 && !l.given ? 1 : (uint32_t)spec->n;

		report_limits(j, &paths);
		if (open_rendezvous(j, spec, n, l.remote, NULL, err) == 0 &&
		    start_launcher(j, spec, &l, &paths, err) == 0)
			rc = 0;
	}
	paths_clear(&paths);
	launcher_clear(&l);
	return rc;
}

/* Everyone is there, or nobody who is missing can come any more. */
static bool settled(const struct job *j, int64_t until)
{
	int64_t now = loop_now();

	return (j->n && j->set[JOB_ABSENT].n == 0) || launch_ended(j->launch) || now >= until ||
	       (j->refused_at && now >= j->refused_at + REFUSED_MS) || loop_interrupted(j->loop);
}

/* Words why a start has failed; -1 always. */
static int failed(struct job *j, int timeout_ms, struct err *err)
{
	char how[64], list[64], launcher_text[860] = "";
	size_t here = rankset_count(&j->set[JOB_ALL]) - rankset_count(&j->set[JOB_ABSENT]);
	size_t len = strlen(j->launcher_text);
	const char *tail = j->launcher_text, *own = strstr(j->launcher_text, "dvmdbg-exec: ");

	if (len > 600) {
		const char *line = strchr(j->launcher_text + len - 600, '\n');

		tail = line ? line + 1 : j->launcher_text + len - 600;
	}
	/* what a supervisor says counts more than what the launcher says of that */
	if (own && own < tail)
		snprintf(launcher_text, sizeof(launcher_text), "; its output:\n%.*s\n%.600s",
			 (int)(strcspn(own, "\n") < 200 ? strcspn(own, "\n") : 200), own, tail);
	else if (*tail)
		snprintf(launcher_text, sizeof(launcher_text), "; its output:\n%.600s", tail);
	for (len = strlen(launcher_text); len && launcher_text[len - 1] == '\n'; len--)
		launcher_text[len - 1] = '\0';
	if (loop_interrupted(j->loop))
		return err_set(err, "interrupted; %zu of %u ranks had connected", here, j->n);
	if (j->refused[0])
		return err_set(err, "%s", j->refused);
	if (launch_ended(j->launch))
		return err_set(err, "%s %s before %s%s", j->launcher_name,
			       launch_status_text(launch_status(j->launch), how, sizeof(how)),
			       here ? "all ranks had connected" : "any rank had connected",
			       launcher_text);
	return err_set(err, "%s has not connected within %d s (START_TIMER)%s",
		       j->n ? rankset_format(&j->set[JOB_ABSENT], list, sizeof(list)) : "no rank",
		       timeout_ms / 1000, launcher_text);
}

/* Waits for the supervisors. -1 when there is nothing to go on with. */
static int await(struct job *j, int timeout_ms, struct err *err)
{
	int64_t until = loop_now() + timeout_ms;
	struct err why;
	char list[64], text[1200];

	while (!settled(j, until))
		loop_turn(j->loop, 100);
	if (j->n && j->set[JOB_ABSENT].n == 0)
		return 0;
	failed(j, timeout_ms, &why);
	if (loop_interrupted(j->loop) || j->refused_at || launch_ended(j->launch) ||
	    j->set[JOB_LOADED].n == 0)
		return err_set(err, "%s", why.text);
	snprintf(text, sizeof(text), "%s has not connected within %d s; the others can be used",
		 rankset_format(&j->set[JOB_ABSENT], list, sizeof(list)), timeout_ms / 1000);
	report(j, text);
	return 0;
}

/* What is to be known of those that were attached to; their stops are those of a plan. */
static void begin_attached(struct job *j)
{
	int64_t until = loop_now() + STARTED_MS;
	size_t n = rankset_count(&j->set[JOB_ALL]) - rankset_count(&j->set[JOB_ABSENT]);

	while (rankset_count(&j->started) < n && loop_now() < until && !loop_interrupted(j->loop))
		loop_turn(j->loop, 100);
	j->marked = j->annotated;
	job_run_on(j);
}

struct job *job_start(const struct job_spec *spec, struct loop *loop, const struct job_watch *watch,
		      int timeout_ms, struct err *err)
{
	struct job *j = xcalloc(1, sizeof(*j));

	j->loop = loop;
	j->watch = *watch;
	j->on_exit_run = spec->on_exit_run;
	j->fpe = spec->fpe;
	j->points = spec->points;
	j->marks = spec->marks;
	j->nmarks = (uint32_t)spec->nmarks;
	if ((spec->attach ? begin_attach(j, spec, err) : begin(j, spec, err)) < 0 ||
	    await(j, timeout_ms, err) < 0) {
		job_destroy(j);
		return NULL;
	}
	j->up = true;
	if (spec->attach && !j->cores)
		begin_attached(j);
	if (j->launcher_text[0] && j->watch.output)
		j->watch.output(j->watch.arg, 2, j->launcher_text, strlen(j->launcher_text));
	return j;
}

/* Supervisors on this host that are still there although all was done to make them leave. */
static void kill_leftovers(const struct job *j)
{
	for (uint32_t r = 0; j->rdv && r < j->n; r++) {
		int pid = rendezvous_local_pid(j->rdv, r);
		char path[64], exe[PATH_MAX] = "";
		const char *name;

		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		if (readlink(path, exe, sizeof(exe) - 1) < 0)
			continue;
		name = strrchr(exe, '/');
		if (name && strncmp(name + 1, "dvmdbg-exec", 11) == 0) {
			log_debug("job", "process %d is killed", pid);
			kill(pid, SIGKILL);
		}
	}
}

void job_end(struct job *j)
{
	j->leaving = true;
	if (!j->rdv || j->leave_until)
		return;
	/* Without a link nobody can be asked to leave. */
	j->leave_until = loop_now() + (j->links ? LEAVE_MS : 0);
	j->on_exit_run = false;
	job_send_params(j);
	job_send_kill(j, &j->set[JOB_ALL], true);
	rendezvous_close(j->rdv);
	if (j->launch)
		launch_on_exit(j->launch, false);
}

bool job_gone(const struct job *j)
{
	return !j->launch || launch_ended(j->launch);
}

/* Ends the program and everything that was started for it. */
static void end_all(struct job *j)
{
	job_end(j);
	if (!j->rdv || !j->launch)
		return;
	/*
	 * Supervisors that were asked leave, and the launcher with them: a signal in the midst of
	 * that can make it hang or crash.
	 */
	while (!launch_ended(j->launch) && loop_now() < j->leave_until)
		loop_turn(j->loop, 50);
	job_links_close(j);
	launch_kill(j->launch);
	kill_leftovers(j);
}

void job_destroy(struct job *j)
{
	if (!j)
		return;
	j->leaving = true;
	for (struct job_link *l = j->links; j->detached && l; l = l->next)
		conn_flush(l->c, 1000);
	if (!j->detached)
		end_all(j);
	job_links_close(j);
	job_req_drop_all(j);
	job_forget_all(j);
	buf_clear(&j->trace);
	rankset_clear(&j->started);
	rendezvous_destroy(j->rdv);
	launch_destroy(j->launch);
	program_clear(&j->program);
	free(j->printed);
	free(j);
}

bool job_attached(const struct job *j)
{
	return j->attached;
}

int job_size(const struct job *j)
{
	return (int)j->n;
}

const struct rankset *job_set(const struct job *j, enum job_set which)
{
	return &j->set[which];
}

bool job_over(const struct job *j)
{
	return j->set[JOB_ABSENT].n == 0 && j->set[JOB_LOADED].n == 0 &&
	       j->set[JOB_RUNNING].n == 0 && j->set[JOB_STOPPED].n == 0;
}

bool job_annotated(const struct job *j)
{
	return j->annotated;
}

bool job_marked(const struct job *j)
{
	return j->marked;
}

bool job_fortran(const struct job *j)
{
	return j->program.fortran;
}

bool job_script(const struct job *j)
{
	return j->program.script;
}

bool job_hooked(const struct job *j)
{
	return j->program.hooked;
}

bool job_needs_mpi(const struct job *j)
{
	return j->needs_mpi;
}

const char *job_path(const struct job *j)
{
	return j->program.path;
}

uint32_t job_gen(const struct job *j)
{
	return j->gen;
}

int64_t job_since(const struct job *j, uint32_t rank)
{
	return rank < j->nsince ? j->since[rank] : 0;
}

unsigned job_moves(const struct job *j)
{
	return j->moves;
}

const struct groups *job_stops(const struct job *j)
{
	return &j->stops;
}

const struct groups *job_exits(const struct job *j)
{
	return &j->exits;
}

int job_input(struct job *j, const char *text, size_t len, struct err *err)
{
	if (!j->launch || launch_ended(j->launch))
		return err_set(err, "the program has ended");
	return launch_input(j->launch, text, len, err);
}

bool job_points(struct job *j, enum point_kind points)
{
	if (j->points == points)
		return true;
	if (!rankset_equal(&j->set[JOB_LOADED], &j->set[JOB_ALL]))
		return false;
	j->points = points;
	job_send_params(j);
	return true;
}

void job_on_exit(struct job *j, bool run)
{
	if (j->on_exit_run == run || j->attached)
		return;
	j->on_exit_run = run;
	job_send_params(j);
	if (j->launch)
		launch_on_exit(j->launch, run);
}

void job_fpe(struct job *j, unsigned traps)
{
	if (j->fpe == traps)
		return;
	j->fpe = (uint8_t)traps;
	job_send_params(j);
}

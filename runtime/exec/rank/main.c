/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dvmdbg-exec: stands between the launcher and one rank's program.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/net/net.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/rank/internal.h"
#include "runtime/exec/tree/tree.h"
#include "runtime/exec/sys/rank.h"
#include "runtime/exec/sys/watch.h"
#include "runtime/page/page.h"

#define LEAVE_BELOW_MS 1000   /* for the nodes below us to leave first */
#define LEAVE_PROGRAM_MS 5000 /* for a killed program to be gone */
#define LEAVE_FLUSH_MS 1000
#define LEAVE_POLL_MS 20
#define OWN_FDS 6

enum { EXIT_SETUP = 2 };

struct exec {
	uint32_t rank, size;
	unsigned char secret[AUTH_SECRET];
	sigset_t mask; /* as we got it; the program gets it back */
	pid_t launcher;
	int signals;
	struct child *child;
	struct control *control;
	struct watch *watch;
	struct node *node; /* NULL: the program runs on unsupervised */
	struct pollfd *fds;
	bool abandoned, refused;
	bool reported_to_end; /* the launcher wants us to go */
	int64_t leave_at; /* since when we leave, 0: we do not */
};

/* Read here and handed to the program. */
static const int forwarded[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2,
				 SIGCONT, SIGTSTP, SIGALRM, SIGWINCH, SIGXCPU, SIGURG };

static void leave(struct exec *e)
{
	if (!e->leave_at)
		e->leave_at = clock_msec();
}

static void order_params(void *arg, const struct msg_params *params)
{
	control_params(((struct exec *)arg)->control, params);
}

static int order_rules(void *arg, const struct msg_rules *rules)
{
	return control_rules(((struct exec *)arg)->control, rules);
}

static void order_go(void *arg, const struct plan *plan)
{
	struct exec *e = arg;

	if (!e->leave_at)
		control_go(e->control, plan);
}

static void order_go_others(void *arg, const struct plan *plan)
{
	control_go_others(((struct exec *)arg)->control, plan);
}

static void order_freeze(void *arg, uint32_t req)
{
	control_freeze(((struct exec *)arg)->control, req);
}

static void order_query(void *arg, const struct msg_query *q)
{
	control_query(((struct exec *)arg)->control, q);
}

/* One that was attached to runs on, whatever ends us. */
static void let_go(struct exec *e)
{
	control_release(e->control);
	child_let_go(e->child);
	leave(e);
}

static void order_kill(void *arg, bool final)
{
	struct exec *e = arg;

	if (child_is_attached(e->child)) {
		if (final)
			let_go(e);
		return;
	}
	control_kill(e->control);
	if (final)
		leave(e);
}

static void order_verdict(void *arg, const struct msg_verdict *m)
{
	control_verdict(((struct exec *)arg)->control, m);
}

static void order_trace(void *arg, const struct msg_trace *m)
{
	control_trace(((struct exec *)arg)->control, m);
}

static void order_resync(void *arg)
{
	control_resync(((struct exec *)arg)->control);
}

static void on_refused(void *arg, const char *why)
{
	struct exec *e = arg;

	fprintf(stderr, "dvmdbg-exec: %s\n", why);
	e->refused = true;
}

static void on_abandoned(void *arg)
{
	((struct exec *)arg)->abandoned = true;
}

static const struct node_ops node_ops = {
	.params = order_params,
	.rules = order_rules,
	.go = order_go,
	.go_others = order_go_others,
	.freeze = order_freeze,
	.query = order_query,
	.kill = order_kill,
	.verdict = order_verdict,
	.trace = order_trace,
	.resync = order_resync,
	.refused = on_refused,
	.abandoned = on_abandoned,
};

/* A launcher that has died shows so by the signal it has set for that; see take_signal. */
static bool launcher_is_gone(const struct exec *e, const struct signalfd_siginfo *s)
{
	return (pid_t)s->ssi_pid == e->launcher && getppid() != e->launcher;
}

static void take_signal(struct exec *e, const struct signalfd_siginfo *s)
{
	int sig = (int)s->ssi_signo;

	if (sig == SIGCHLD) {
		if (child_reap(e->child))
			control_ended(e->control);
		return;
	}
	/* the program has sent it to its own group, or the terminal to all */
	if ((child_pid(e->child) && (pid_t)s->ssi_pid == child_pid(e->child)) ||
	    (s->ssi_code == SI_KERNEL && !control_is_idle(e->control)))
		return;
	if (sig == SIGTERM && control_on_exit_run(e->control) && launcher_is_gone(e, s))
		return;
	if (sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT)
		e->reported_to_end = true;
	child_signal(e->child, sig);
}

static void take_signals(struct exec *e)
{
	struct signalfd_siginfo s;

	while (read(e->signals, &s, sizeof(s)) == (ssize_t)sizeof(s))
		take_signal(e, &s);
}

static void drop_node(struct exec *e)
{
	control_report_to(e->control, NULL);
	node_destroy(e->node);
	e->node = NULL;
}

/* What happened in this turn decides whether we stay. */
static void decide(struct exec *e)
{
	if (child_is_attached(e->child)) {
		if (e->abandoned && e->node)
			drop_node(e);
		if ((e->refused || e->abandoned || e->reported_to_end) && !e->leave_at)
			let_go(e);
		return;
	}
	if (e->refused && !e->leave_at) {
		control_kill(e->control);
		leave(e);
	}
	if (e->abandoned && e->node) {
		bool run_on = control_on_exit_run(e->control) && !control_is_idle(e->control) &&
			      !e->leave_at;

		/* closes the links to those below, so that they notice as well */
		drop_node(e);
		if (run_on) {
			control_release(e->control);
		} else {
			control_kill(e->control);
			leave(e);
		}
	}
	if (control_is_idle(e->control) && (e->reported_to_end || !e->node))
		leave(e);
}

/* True when there is nothing left to wait for. */
static bool may_leave(struct exec *e, int64_t now)
{
	bool nobody;

	if (!e->leave_at)
		return false;
	/* those below are leaving as well, and what they say last goes through us */
	nobody = !e->node || e->refused || node_leave(e->node) ||
		 now >= e->leave_at + LEAVE_BELOW_MS;
	if (control_is_idle(e->control) || child_is_attached(e->child))
		return nobody;
	return now >= e->leave_at + LEAVE_PROGRAM_MS;
}

static int turn(struct exec *e)
{
	int64_t now = clock_msec(), due = e->node ? node_due(e->node) : -1;
	struct pollfd *fds = e->fds;
	size_t n = 0, cap = e->node ? node_fds(e->node) : 0;

	fds[0] = (struct pollfd){ .fd = e->signals, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = watch_fd(e->watch), .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = child_error_fd(e->child), .events = POLLIN };
	fds[3] = (struct pollfd){ .fd = control_trace_fd(e->control), .events = POLLIN };
	fds[4] = (struct pollfd){ .fd = control_output_fd(e->control, 0), .events = POLLIN };
	fds[5] = (struct pollfd){ .fd = control_output_fd(e->control, 1), .events = POLLIN };
	if (e->node)
		n = node_poll(e->node, fds + OWN_FDS, cap);
	if (control_sums_left(e->control))
		due = now;
	due = clock_earlier(due, control_trace_due(e->control));
	due = clock_earlier(due, control_watch_due(e->control));
	if (e->leave_at)
		due = clock_earlier(due, now + LEAVE_POLL_MS);
	due = due < 0 ? -1 : due > now ? due - now : 0;
	if (poll(fds, OWN_FDS + n, due > INT32_MAX ? INT32_MAX : (int)due) < 0)
		return errno == EINTR ? 0 : -1;
	/* what was printed before a stop or the end is reported before that */
	if (fds[4].revents || fds[5].revents)
		control_output(e->control, false);
	if (fds[1].revents) {
		watch_clear(e->watch);
		control_inspect(e->control);
	}
	if (fds[2].revents && child_error_read(e->child))
		control_ended(e->control);
	if (fds[3].revents || control_trace_due(e->control) >= 0)
		control_trace_inspect(e->control);
	if (control_watch_due(e->control) >= 0 && clock_msec() >= control_watch_due(e->control))
		control_still(e->control);
	if (fds[0].revents)
		take_signals(e);
	if (e->node) {
		node_io(e->node, fds + OWN_FDS, n);
		/* the way up may be free again */
		control_trace_news(e->control);
		control_sums(e->control, false);
		node_tick(e->node, clock_msec());
	}
	decide(e);
	return 0;
}

/* Returns the exit status. */
static int run(struct exec *e)
{
	bool supervised;

	while (!may_leave(e, clock_msec()))
		if (turn(e))
			break;
	supervised = e->node != NULL || e->leave_at == 0 || child_was_killed(e->child);
	if (e->node)
		node_flush(e->node, LEAVE_FLUSH_MS);
	if (supervised)
		child_kill_all(e->child, LEAVE_PROGRAM_MS);
	return e->refused ? EXIT_SETUP : child_exit_code(e->child);
}

/* Standard descriptors that are closed would become our sockets, and then be printed to. */
static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int open_signals(struct exec *e, struct err *err)
{
	sigset_t read_here, blocked;

	/* ignored children would not be waited for */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&read_here);
	sigaddset(&read_here, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&read_here, forwarded[i]);
	blocked = read_here;
	sigaddset(&blocked, SIGPIPE);
	/* a file that may not grow is an error of write */
	sigaddset(&blocked, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &blocked, &e->mask);
	e->signals = signalfd(-1, &read_here, SFD_CLOEXEC | SFD_NONBLOCK);
	return e->signals < 0 ? err_set(err, "signalfd: %s", strerror(errno)) : 0;
}

/* Takes the secret out of the environment, where other processes of the user could read it. */
static int take_secret(struct exec *e, struct err *err)
{
	char *hex = getenv("DVMDBG_SECRET");
	int ret = auth_secret_from_hex(e->secret, hex, err);

	explicit_bzero(hex, strlen(hex));
	unsetenv("DVMDBG_SECRET");
	return ret < 0 ? err_prefix(err, "DVMDBG_SECRET") : 0;
}

/* What is supervised that is not to be started: a process that runs already, or a core file. */
struct existing {
	pid_t pid;	  /* 0: none */
	const char *core; /* NULL: none */
	const char *program; /* whose core it is */
};

static int take_existing(struct child *c, const struct existing *x, struct err *err)
{
	if (x->core)
		return child_core(c, x->core, x->program, err);
	return x->pid ? child_attach(c, x->pid, err) : 0;
}

static int setup(struct exec *e, char **argv, const struct existing *existing, struct err *err)
{
	struct child_spec program = { .argv = argv,
				      .preload = getenv("DVMDBG_PRELOAD"),
				      .regions = getenv("DVMDBG_REGIONS"),
				      .output = getenv("DVMDBG_OUTPUT") != NULL,
				      .mask = &e->mask };
	struct node_spec node = { .rendezvous = getenv("DVMDBG_RENDEZVOUS"),
				  .ops = &node_ops,
				  .arg = e };
	char who[32];

	if (auth_init(err) || take_secret(e, err) || rank_detect(&e->rank, &e->size, err) ||
	    open_signals(e, err))
		return -1;
	snprintf(who, sizeof(who), "exec %u", e->rank);
	log_init(who);
	e->launcher = getppid();
	/* what the program leaves behind becomes ours to kill */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	program.rank = node.rank = e->rank;
	program.size = node.size = e->size;
	memcpy(node.secret, e->secret, sizeof(node.secret));
	e->child = child_create(&program, err);
	if (!e->child || take_existing(e->child, existing, err))
		return -1;
	e->control = control_create(e->child, getenv("DVMDBG_NO_VM") != NULL, err);
	e->watch = watch_create(&child_page(e->child)->event_seq, err);
	if (!e->control || !e->watch)
		return -1;
	e->node = node_create(&node, err);
	if (!e->node)
		return err_prefix(err, "rank %u cannot reach dvmdbg", e->rank);
	control_report_to(e->control, e->node);
	e->fds = calloc(OWN_FDS + node_fds(e->node), sizeof(*e->fds));
	return e->fds ? 0 : err_set(err, "out of memory");
}

static void cleanup(struct exec *e)
{
	node_destroy(e->node);
	control_destroy(e->control);
	watch_destroy(e->watch);
	child_destroy(e->child);
	free(e->fds);
	if (e->signals >= 0)
		close(e->signals);
}

static void usage(FILE *to)
{
	fputs("usage: dvmdbg-exec [--] PROGRAM [ARGUMENT...]\n"
	      "       dvmdbg-exec --attach RANKS RANK:PROCESS...\n"
	      "       dvmdbg-exec --core RANKS PROGRAM RANK:FILE...\n"
	      "Supervises one rank of a program under dvmdbg. It is started by dvmdbg, through "
	      "the\n"
	      "launcher (mpiexec, srun, ...), and not by hand: type dvmdbg -n 4 PROGRAM ARGUMENTS\n"
	      "  --attach   supervises processes that run already, for dvmdbg attach\n"
	      "  --core     shows core files, for dvmdbg core\n"
	      "  --help     this text\n"
	      "  --version  the version\n",
	      to);
}

/* What is no supervision: prints it; first is the first word of the program. -1: go on. */
static int answer_options(int argc, char **argv, int *first)
{
	*first = 1;
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		usage(stdout);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("dvmdbg-exec %s\n", PACKAGE_VERSION);
		return 0;
	}
	if (argc > 1 && (strcmp(argv[1], "--") == 0 || strcmp(argv[1], "--attach") == 0 ||
			 strcmp(argv[1], "--core") == 0))
		++*first;
	else if (argc > 1 && argv[1][0] == '-')
		*first = argc;
	if (*first >= argc) {
		usage(stderr);
		return EXIT_SETUP;
	}
	if (!getenv("DVMDBG_RENDEZVOUS") || !getenv("DVMDBG_SECRET")) {
		fputs("dvmdbg-exec: is started by dvmdbg, which sets DVMDBG_RENDEZVOUS and "
		      "DVMDBG_SECRET;\ntype: dvmdbg -n 4 PROGRAM ARGUMENTS\n",
		      stderr);
		return EXIT_SETUP;
	}
	return -1;
}

/* Elements are evaluated and sent by mebibytes: their pages are kept from one to the next, which the
 * kernel would fill with zeros each time. */
#define KEEP_PIECE (16 << 20)
#define KEEP_FREE (32 << 20)

static int supervise(char **argv, const struct existing *existing)
{
	struct exec e = { .signals = -1 };
	struct err err = { "" };
	int status = EXIT_SETUP;

	mallopt(M_MMAP_THRESHOLD, KEEP_PIECE);
	mallopt(M_TRIM_THRESHOLD, KEEP_FREE);
	if (setup(&e, argv, existing, &err))
		fprintf(stderr, "dvmdbg-exec: %s\n", err.text);
	else
		status = run(&e);
	cleanup(&e);
	return status;
}

/*
 * In place of a launcher: a supervisor for each "RANK:PROCESS", or "RANK:FILE" of that program
 * (NULL: they are processes), which knows its rank as from one.
 */
static int attach_all(const char *size, const char *program, char **words)
{
	sigset_t all, former;
	pid_t self = getpid(), child;
	int status, worst = 0;

	/* they leave on signals, and we after them */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &former);
	for (; *words; words++) {
		char *mark = strchr(*words, ':');

		if (!mark || (!program && atoi(mark + 1) < 1)) {
			fprintf(stderr, "dvmdbg-exec: '%s' is not RANK:%s\n", *words,
				program ? "FILE" : "PROCESS");
			return EXIT_SETUP;
		}
		child = fork();
		if (child < 0) {
			fprintf(stderr, "dvmdbg-exec: fork: %s\n", strerror(errno));
			return EXIT_SETUP;
		}
		if (child)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != self)
			return EXIT_SETUP;
		sigprocmask(SIG_SETMASK, &former, NULL);
		*mark = '\0';
		setenv("PMI_RANK", *words, 1);
		setenv("PMI_SIZE", size, 1);
		return supervise(words, &(struct existing){ .pid = program ? 0 : atoi(mark + 1),
							    .core = program ? mark + 1 : NULL,
							    .program = program });
	}
	while ((child = waitpid(-1, &status, 0)) > 0 || errno == EINTR)
		if (child > 0 && status)
			worst = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SETUP;
	return worst;
}

int main(int argc, char **argv)
{
	int first, status;

	open_standard();
	status = answer_options(argc, argv, &first);
	if (status >= 0)
		return status;
	if (strcmp(argv[1], "--attach") == 0)
		return attach_all(argv[first], NULL, argv + first + 1);
	if (strcmp(argv[1], "--core") == 0 && first + 1 < argc)
		return attach_all(argv[first], argv[first + 1], argv + first + 2);
	return supervise(argv + first, &(struct existing){ 0 });
}

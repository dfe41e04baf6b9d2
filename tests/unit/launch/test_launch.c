/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/launch/launch.h"
#include "frontend/util/loop.h"

static struct loop *loop;

struct heard {
	char out[4096], err[4096];
	unsigned calls;
	bool ended;
	int status;
};

static int make_loop(void **state)
{
	loop = loop_create(NULL);
	return loop ? 0 : -1;
}

static int end_loop(void **state)
{
	loop_destroy(loop);
	return 0;
}

static void on_output(void *arg, int stream, const char *text, size_t len)
{
	struct heard *h = arg;
	char *to = stream == 1 ? h->out : h->err;

	h->calls++;
	strncat(to, text, len);
}

static void on_ended(void *arg, int status)
{
	struct heard *h = arg;

	h->ended = true;
	h->status = status;
}

static void assert_words(const char *text, const char *joined)
{
	char **word = launcher_words(text, NULL), all[256] = "";

	assert_non_null(word);
	for (size_t i = 0; word[i]; i++) {
		strcat(all, word[i]);
		strcat(all, "|");
	}
	assert_string_equal(all, joined);
	launcher_words_free(word);
}

static void launchers_are_split_as_by_a_shell(void **state)
{
	struct err err = { "" };

	assert_words("srun --mpi=pmix", "srun|--mpi=pmix|");
	assert_words("  a\t b  ", "a|b|");
	assert_words("sh -c 'x y' \"p \\\" q\" r\\ s", "sh|-c|x y|p \" q|r s|");
	assert_words("a ''  b", "a||b|");
	assert_words("", "");
	assert_null(launcher_words("a 'b", &err));
	assert_non_null(strstr(err.text, "a 'b"));
}

static void the_launcher_fits_the_program(void **state)
{
	struct program p = { .mpi = PROGRAM_MPI_NONE };
	struct launcher l;
	struct err err = { "" };

	assert_int_equal(launcher_choose(&l, NULL, &p, 0, NULL), 0);
	assert_null(l.word);
	launcher_clear(&l);
	assert_int_equal(launcher_choose(&l, "no-such-launcher -x", &p, 4, &err), -1);
	assert_non_null(strstr(err.text, "'no-such-launcher' is not found in PATH"));
	assert_int_equal(launcher_choose(&l, " ", &p, 4, &err), -1);
	assert_non_null(strstr(err.text, "empty"));
	assert_int_equal(launcher_choose(&l, "env A=b", &p, 100000, &err), 0);
	assert_true(l.given);
	assert_true(l.remote);
	assert_string_equal(l.word[1], "A=b");
	launcher_clear(&l);
	assert_int_equal(launcher_choose(&l, "env", &p, 100000000, &err), -1);
	assert_int_equal(launcher_choose(&l, NULL, &p, -1, &err), -1);
	assert_non_null(strstr(err.text, "-n -1"));
}

static void too_many_ranks_here_are_refused(void **state)
{
	struct program p = { .mpi = PROGRAM_MPI_NONE };
	struct launcher l;
	struct err err = { "" };
	char *mpiexec = program_find("mpiexec");

	if (!mpiexec)
		skip();
	free(mpiexec);
	assert_int_equal(launcher_choose(&l, NULL, &p, 100000, &err), -1);
	assert_non_null(strstr(err.text, "-n 100000: at most"));
	assert_int_equal(launcher_choose(&l, NULL, &p, 4, &err), 0);
	assert_non_null(strstr(l.word[0], "mpi"));
	assert_false(l.remote);
	launcher_clear(&l);
}

static void each_mpi_has_its_launcher(void **state)
{
	static const struct {
		enum program_mpi mpi;
		const char *name;
	} names[] = { { PROGRAM_MPI_OPENMPI, "mpiexec.openmpi" },
		      { PROGRAM_MPI_MPICH, "mpiexec.mpich" } };

	for (size_t i = 0; i < 2; i++) {
		struct program p = { .mpi = names[i].mpi };
		char *path = program_find(names[i].name);
		struct launcher l;

		if (!path)
			continue;
		assert_int_equal(launcher_choose(&l, NULL, &p, 2, NULL), 0);
		assert_string_equal(l.word[0], path);
		assert_int_equal(l.openmpi, i == 0);
		assert_int_equal(l.scratch, i == 0);
		launcher_clear(&l);
		free(path);
	}
}

/* Open MPI's has its files in a directory of its own, unless that could be wrong. */
static void where_open_mpi_has_its_files(void **state)
{
	static const struct {
		const char *words;
		bool scratch;
	} given[] = { { "mpiexec.openmpi", true },
		      { "mpiexec.openmpi --oversubscribe", true },
		      { "mpiexec.openmpi --host a,b", false },
		      { "mpiexec.openmpi --mca orte_remote_tmpdir_base /x", false },
		      { "env mpiexec.openmpi", false } };
	struct program p = { .mpi = PROGRAM_MPI_NONE };
	char *path = program_find("mpiexec.openmpi");
	struct launcher l;

	if (!path)
		skip();
	free(path);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		assert_int_equal(launcher_choose(&l, given[i].words, &p, 2, NULL), 0);
		assert_int_equal(l.scratch, given[i].scratch);
		launcher_clear(&l);
	}
	setenv("OMPI_MCA_orte_local_tmpdir_base", "/x", 1);
	assert_int_equal(launcher_choose(&l, given[0].words, &p, 2, NULL), 0);
	assert_false(l.scratch);
	unsetenv("OMPI_MCA_orte_local_tmpdir_base");
	launcher_clear(&l);
}

/* A plain mpiexec is known by the file that it is. */
static void a_plain_mpiexec_is_looked_at(void **state)
{
	struct program p = { .mpi = PROGRAM_MPI_NONE };
	char *path = program_find("mpiexec.openmpi"), dir[] = "/tmp/test-launch-XXXXXX";
	char link[64], other[64];
	struct launcher l;

	if (!path)
		skip();
	assert_non_null(mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/mpiexec", dir);
	snprintf(other, sizeof(other), "%s/env", dir);
	assert_int_equal(symlink(path, link) | symlink(path, other), 0);
	assert_int_equal(launcher_choose(&l, link, &p, 2, NULL), 0);
	assert_true(l.openmpi);
	launcher_clear(&l);
	assert_int_equal(launcher_choose(&l, other, &p, 2, NULL), 0);
	assert_false(l.openmpi);
	launcher_clear(&l);
	unlink(link);
	unlink(other);
	rmdir(dir);
	free(path);
}

/* Starts `sh -c script` in the place of dvmdbg-exec. */
static struct launch *start_with(const char *script, const struct guard_env *env, const char *dir,
				 bool run_on, bool own, struct heard *h)
{
	static const struct guard_env nothing[] = { { NULL, NULL } };
	const struct launcher direct = { .scratch = own };
	char *args[] = { (char *)script, NULL };
	const struct launch_spec spec = { .launcher = &direct,
					  .exec = "/bin/sh",
					  .program = "-c",
					  .args = args,
					  .env = env ? env : nothing,
					  .dir = dir,
					  .run_on = run_on };
	const struct launch_watch watch = { .arg = h, .output = on_output, .ended = on_ended };
	struct err err = { "" };
	struct launch *l;

	memset(h, 0, sizeof(*h));
	l = launch_start(&spec, loop, &watch, &err);
	if (!l)
		fail_msg("%s", err.text);
	return l;
}

static struct launch *start(const char *script, const struct guard_env *env, const char *dir,
			    bool run_on, struct heard *h)
{
	return start_with(script, env, dir, run_on, false, h);
}

static void wait_end(struct heard *h, int ms)
{
	int64_t until = loop_now() + ms;

	while (!h->ended && loop_now() < until)
		loop_turn(loop, 50);
	assert_true(h->ended);
}

static void output_and_status_arrive(void **state)
{
	const struct guard_env env[] = { { "DVMDBG_TEST", "hello" },
					 { "HOME", NULL },
					 { NULL, NULL } };
	struct heard h;
	struct launch *l = start("echo $DVMDBG_TEST; echo \"<$HOME>\" >&2; printf rest; exit 3",
				 env, NULL, false, &h);

	wait_end(&h, 20000);
	assert_string_equal(h.out, "hello\nrest");
	assert_string_equal(h.err, "<>\n");
	assert_true(WIFEXITED(h.status));
	assert_int_equal(WEXITSTATUS(h.status), 3);
	assert_int_equal(launch_status(l), h.status);
	launch_destroy(l);
}

static void it_has_its_own_group_and_no_blocked_signals(void **state)
{
	struct heard h;
	struct launch *l = start("grep SigBlk /proc/self/status; ps -o pgid= -p $$; echo $$", NULL,
				 NULL, false, &h);
	int pgid, pid;

	wait_end(&h, 20000);
	assert_int_equal(strncmp(h.out, "SigBlk:\t0000000000000000\n", 25), 0);
	assert_int_equal(sscanf(h.out + 25, "%d %d", &pgid, &pid), 2);
	assert_int_equal(pgid, pid);
	assert_int_not_equal(pgid, getpgrp());
	launch_destroy(l);
}

static void one_that_ignores_sigterm_is_killed(void **state)
{
	struct heard h;
	struct launch *l =
		start("trap '' TERM; echo up; sleep 60 & wait; sleep 60", NULL, NULL, false, &h);
	int64_t before;

	while (!h.out[0])
		loop_turn(loop, 50);
	before = loop_now();
	launch_kill(l);
	assert_true(loop_now() - before >= GUARD_GRACE_MS - 200);
	assert_true(launch_ended(l));
	assert_true(WIFSIGNALED(h.status));
	launch_destroy(l);
}

static bool alive(int pid)
{
	return kill(pid, 0) == 0;
}

static void wait_gone(int pid, int ms)
{
	int64_t until = loop_now() + ms;

	while (alive(pid) && loop_now() < until)
		usleep(20000);
	assert_false(alive(pid));
}

/* A front end that starts a launcher, tells its pid, and is killed. */
static int killed_front_end(const char *script, const char *dir, bool run_on)
{
	int fds[2], pid = 0;
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		struct heard h;

		/* what it runs may be heard after it is gone */
		dup2(open("/dev/null", O_WRONLY), 2);
		loop = loop_create(NULL);
		start(script, NULL, dir, run_on, &h);
		while (!strchr(h.out, '\n'))
			loop_turn(loop, 50);
		pid = atoi(h.out);
		(void)!write(fds[1], &pid, sizeof(pid));
		kill(getpid(), SIGKILL);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &pid, sizeof(pid)), sizeof(pid));
	close(fds[0]);
	waitpid(child, NULL, 0);
	return pid;
}

static void nothing_is_left_of_a_killed_front_end(void **state)
{
	char dir[] = "/tmp/dvmdbg-test-XXXXXX";
	struct stat st;
	int pid;

	assert_non_null(mkdtemp(dir));
	pid = killed_front_end("trap '' TERM; echo $$; while :; do sleep 1; done", dir, false);
	wait_gone(pid, GUARD_GRACE_MS + 2000);
	usleep(200000);
	assert_int_equal(stat(dir, &st), -1);
	assert_int_equal(errno, ENOENT);
}

static void one_that_shall_run_on_does(void **state)
{
	char dir[] = "/tmp/dvmdbg-test-XXXXXX", done[64];
	int64_t until;
	char script[256];
	int pid;

	assert_non_null(mkdtemp(dir));
	snprintf(done, sizeof(done), "%s.done", dir);
	snprintf(script, sizeof(script),
		 "echo $$; sleep 1; i=0; while [ $i -lt 3000 ]; do echo "
		 "1234567890123456789012345678901234567890;"
		 " i=$((i+1)); done >&2; echo ok >%s",
		 done);
	pid = killed_front_end(script, dir, true);
	usleep(300000);
	assert_true(alive(pid));
	/* more than a pipe holds: somebody must read it */
	until = loop_now() + 5000;
	while (access(done, F_OK) < 0 && loop_now() < until)
		usleep(50000);
	assert_int_equal(access(done, F_OK), 0);
	unlink(done);
	wait_gone(pid, 20000);
}

static void a_killed_guard_takes_the_launcher_along(void **state)
{
	struct heard h;
	struct launch *l = start("echo $PPID $$; exec sleep 60", NULL, NULL, false, &h);
	int guard = 0, pid = 0;

	while (!strchr(h.out, '\n'))
		loop_turn(loop, 50);
	assert_int_equal(sscanf(h.out, "%d %d", &guard, &pid), 2);
	kill(guard, SIGKILL);
	wait_end(&h, 20000);
	wait_gone(pid, 20000);
	launch_kill(l);
	launch_destroy(l);
}

/* Runs the script with a directory of its own, until it ends; its name in out. */
static void run_own(const char *script, char out[200])
{
	struct heard h;
	struct launch *l = start_with(script, NULL, NULL, false, true, &h);

	wait_end(&h, 20000);
	assert_int_equal(sscanf(h.out, "%199s", out), 1);
	launch_kill(l);
	launch_destroy(l);
}

/* Makes what is at path older than what anybody may still be about to hold. */
static void age(const char *path)
{
	const struct timespec old[2] = { { .tv_sec = time(NULL) - 3600 },
					 { .tv_sec = time(NULL) - 3600 } };

	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
}

static void files_of_the_launcher_go_with_it(void **state)
{
	static const char killed[] =
		"echo $OMPI_MCA_orte_tmpdir_base $PPID; mkdir -p $OMPI_MCA_orte_tmpdir_base/c; "
		"trap '' TERM; kill -KILL $PPID";
	char base[] = "/tmp/test-launch-XXXXXX", one[200], other[200], two[200], kept[64];

	assert_non_null(mkdtemp(base));
	setenv("OMPI_MCA_orte_tmpdir_base", base, 1);
	run_own("echo $OMPI_MCA_orte_tmpdir_base; cd $OMPI_MCA_orte_tmpdir_base && mkdir -p a/b && "
		"touch a/b/f && mkfifo a/p && ln -s /tmp s",
		one);
	assert_memory_equal(one, base, strlen(base));
	assert_int_equal(access(one, F_OK), -1);
	assert_int_equal(access("/tmp", F_OK), 0);
	run_own("echo $PRTE_MCA_prte_tmpdir_base", other);
	assert_string_not_equal(one, other);
	/* the guard cannot do it when it is killed: the next one does, when they are old */
	run_own(killed, two);
	assert_int_equal(access(two, F_OK), 0);
	run_own("echo x", other);
	assert_int_equal(access(two, F_OK), 0);
	age(two);
	/* what others may look into is not ours */
	snprintf(kept, sizeof(kept), "%s/.dvmdbg-mpi-kept", base);
	assert_int_equal(mkdir(kept, 0700), 0);
	assert_int_equal(chmod(kept, 0755), 0); /* whatever umask says */
	age(kept);
	run_own("echo x", other);
	assert_int_equal(access(two, F_OK), -1);
	assert_int_equal(access(kept, F_OK), 0);
	unsetenv("OMPI_MCA_orte_tmpdir_base");
	rmdir(kept);
	assert_int_equal(rmdir(base), 0);
}

static void a_missing_input_file_is_said(void **state)
{
	static const struct guard_env env[] = { { NULL, NULL } };
	const struct launcher none = { 0 };
	const struct launch_spec spec = { .launcher = &none,
					  .exec = "/bin/sh",
					  .program = "-c",
					  .input = "/no/such/input",
					  .env = env };
	const struct launch_watch watch = { 0 };
	struct err err = { "" };

	assert_null(launch_start(&spec, loop, &watch, &err));
	assert_non_null(strstr(err.text, "/no/such/input"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launchers_are_split_as_by_a_shell),
		cmocka_unit_test(the_launcher_fits_the_program),
		cmocka_unit_test(too_many_ranks_here_are_refused),
		cmocka_unit_test(each_mpi_has_its_launcher),
		cmocka_unit_test(where_open_mpi_has_its_files),
		cmocka_unit_test(a_plain_mpiexec_is_looked_at),
		cmocka_unit_test(output_and_status_arrive),
		cmocka_unit_test(it_has_its_own_group_and_no_blocked_signals),
		cmocka_unit_test(one_that_ignores_sigterm_is_killed),
		cmocka_unit_test(nothing_is_left_of_a_killed_front_end),
		cmocka_unit_test(one_that_shall_run_on_does),
		cmocka_unit_test(a_killed_guard_takes_the_launcher_along),
		cmocka_unit_test(files_of_the_launcher_go_with_it),
		cmocka_unit_test(a_missing_input_file_is_said),
	};

	return cmocka_run_group_tests(tests, make_loop, end_loop);
}

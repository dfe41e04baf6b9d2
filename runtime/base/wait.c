/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that waits: it sleeps on the shared page until it may go on, and meanwhile lets MPI's
 * messages move, reads memory for the supervisor, and notices when that is gone. Also used in
 * signal handlers: nothing here allocates or locks.
 */
#include "runtime/base/base.h"
#include "runtime/base/mpi_table.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define POLL_MIN 50000L /* ns between two looks at MPI */
#define POLL_MAX 2000000L
#define LOOK 1000000000L /* ns between two looks for the supervisor */

static void futex_wake(_Atomic uint32_t *at)
{
	syscall(SYS_futex, at, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void futex_wait(_Atomic uint32_t *at, uint32_t value, long ns)
{
	struct timespec t = { ns / 1000000000L, ns % 1000000000L };

	syscall(SYS_futex, at, FUTEX_WAIT, value, &t, NULL, 0);
}

void wait_notify(void)
{
	atomic_fetch_add(&rt.page->event_seq, 1);
	futex_wake(&rt.page->event_seq);
}

/* Moves len bytes between our own address `at` and data through a pipe, which tests each byte. */
static int move_by_pipe(uint64_t at, unsigned char *data, size_t len, bool write_it)
{
	char *mem = (char *)(uintptr_t)at;
	int fd[2], error = 0;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return errno;
	for (size_t done = 0; done < len && !error;) {
		size_t part = len - done < 4096 ? len - done : 4096;
		ssize_t n = write(fd[1], write_it ? (char *)data + done : mem + done, part);

		if (n > 0)
			n = read(fd[0], write_it ? mem + done : (char *)data + done, (size_t)n);
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			error = n ? errno : EIO;
	}
	close(fd[0]);
	close(fd[1]);
	return error;
}

static int move_by_vm(uint64_t at, unsigned char *data, size_t len, bool write_it)
{
	struct iovec local = { data, len }, remote = { (void *)(uintptr_t)at, len };
	ssize_t n = write_it ? process_vm_writev(getpid(), &local, 1, &remote, 1, 0)
			     : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	if (n < 0)
		return errno;
	return (size_t)n == len ? 0 : EFAULT;
}

static void bounce_serve(void)
{
	struct page_bounce *b = &rt.page->bounce;
	uint32_t request = atomic_load(&b->request);

	if (request == atomic_load_explicit(&b->answer, memory_order_relaxed))
		return;
	if (b->len > PAGE_BOUNCE) {
		b->error = EINVAL;
	} else {
		b->error = move_by_vm(b->addr, b->data, b->len, b->write);
		if (b->error == ENOSYS || b->error == EPERM)
			b->error = move_by_pipe(b->addr, b->data, b->len, b->write);
	}
	atomic_store(&b->answer, request);
	wait_notify();
}

static void die(void)
{
	for (;;) {
		kill(getpid(), SIGKILL);
		pause();
	}
}

static bool is_alive(int32_t pid)
{
	return pid && (!kill(pid, 0) || errno == EPERM);
}

static bool supervised(void)
{
	int32_t exec = atomic_load(&rt.page->exec_pid);

	return rt.kept ? is_alive(exec) : getppid() == exec;
}

/* The supervisor is gone: the thread dies, or switches the runtime off. */
static void give_up(void)
{
	if (!atomic_load(&rt.page->on_exit_run))
		die();
	rt_off();
}

void wait_for(bool (*done)(uint64_t arg), uint64_t arg)
{
	if (rt_owner) {
		wait_polling(done, arg, false);
		return;
	}
	for (;;) {
		uint32_t wake = atomic_load(&rt.page->wake);

		if (atomic_load(&rt.page->fatal))
			die();
		if (done(arg))
			return;
		futex_wait(&rt.page->wake, wake, LOOK);
		/* one that lets us go does so before it leaves */
		if (!supervised() && !done(arg)) {
			give_up();
			return;
		}
	}
}

void wait_polling(bool (*done)(uint64_t arg), uint64_t arg, bool poll)
{
	long pause_ns = POLL_MIN, slept = 0;

	for (;;) {
		uint32_t wake = atomic_load(&rt.page->wake);
		const struct rt_mpi_ops *mpi = poll ? rt.mpi : NULL;

		bounce_serve();
		rt_deathsig();
		if (atomic_load(&rt.page->fatal))
			die();
		if (done(arg))
			return;
		if (mpi)
			mpi->progress();
		futex_wait(&rt.page->wake, wake, mpi ? pause_ns : LOOK);
		slept += mpi ? pause_ns : LOOK;
		pause_ns = pause_ns * 2 < POLL_MAX ? pause_ns * 2 : POLL_MAX;
		if (slept < LOOK)
			continue;
		slept = 0;
		if (!supervised() && !done(arg)) {
			give_up();
			return;
		}
	}
}

bool wait_turn(long ns, bool poll)
{
	uint32_t wake = atomic_load(&rt.page->wake);

	bounce_serve();
	rt_deathsig();
	if (atomic_load(&rt.page->fatal))
		die();
	if (poll && rt.mpi)
		rt.mpi->progress();
	futex_wait(&rt.page->wake, wake, ns);
	if (supervised())
		return true;
	give_up();
	return false;
}

void wait_sleep(void)
{
	futex_wait(&rt.page->wake, atomic_load(&rt.page->wake), LOOK);
}

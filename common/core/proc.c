/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"

const struct proc_launcher proc_launchers[PROC_LAUNCHERS] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "PMI_RANK", "PMI_SIZE" },
	{ "PMIX_RANK", "PMIX_SIZE" },
	{ "SLURM_PROCID", PROC_SLURM_SIZE },
};

long proc_number(const char *path, const char *word)
{
	char line[256];
	FILE *f = fopen(path, "re");
	long n = -1;

	while (f && n < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word)))
			n = strtol(line + strlen(word), NULL, 10);
	if (f)
		fclose(f);
	return n;
}

static int refuse_traced(long tracer, struct err *err)
{
	char path[64], name[32] = "?";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/comm", tracer);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = 0;
	if (f)
		fclose(f);
	return err_set(err, "%s, process %ld, traces it already", name, tracer);
}

int proc_trace_refused(pid_t pid, int error, struct err *err)
{
	char path[64];
	struct stat st;
	long tracer, scope, most;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	tracer = proc_number(path, "TracerPid:");
	if (tracer > 0)
		return refuse_traced(tracer, err);
	/* Yama's 1 lets a parent trace its children */
	most = proc_number(path, "PPid:") == getpid() ? 1 : 0;
	scope = proc_number("/proc/sys/kernel/yama/ptrace_scope", "");
	if (scope > most)
		return err_set(
			err,
			"the kernel forbids ptrace: kernel.yama.ptrace_scope is %ld, and %ld "
			"is needed without CAP_SYS_PTRACE%s",
			scope, most,
			scope < 3 && !most ? " (sysctl -w kernel.yama.ptrace_scope=0)" : "");
	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (!stat(path, &st) && st.st_uid != geteuid())
		return err_set(err,
			       "the kernel forbids ptrace without CAP_SYS_PTRACE, as it is not "
			       "dumpable (prctl PR_SET_DUMPABLE, or set-user-id)");
	return err_set(err, "the kernel forbids ptrace (%s), as containers do without "
			    "CAP_SYS_PTRACE",
		       strerror(error));
}

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The mutation bench: programs with one fault each, and what locate says of them.

mutate.py --srcdir DIR --builddir DIR [--only REGEX] [--every N] [--ranks 2,4] [--builds plain,hooked] [--jobs N]
[--keep DIR] [--results FILE [--go-on]] [--scale 1e-12] [--right] [--few] [--seed N]

With --every the seed says which of them; --go-on leaves out those that the results have already, and counts them.
The build "inferred" has access hooks and no marks: locate --auto finds them in the faulty program itself.

Each faulty program runs with spy.c in the place of dvmdbg: its files say which objects are wrong at which point. What
differs nowhere is dropped. Then locate runs, and its report is held against that and against the truth in faults.py.
"""
import argparse
import concurrent.futures
import itertools
import json
import math
import os
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import faults
import score

FORMS = {("4", 8): "d", ("3", 4): "f", ("1", 4): "i", ("2", 8): "q", ("8", 8): "q", ("7", 4): "i"}


class Run:
    def __init__(self, options):
        self.o = options
        self.src, self.build = os.path.abspath(options.srcdir), os.path.abspath(options.builddir)
        self.wrap = shlex.split(os.environ.get("MUTATE_WRAP", ""))
        self.env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                        OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_pml="ob1",
                        OMPI_MCA_odls_base_sigkill_timeout="0", LC_ALL="C.UTF-8", TERM="dumb")
        for name in ("DVMDBG_PAGE", "DVMDBG_RENDEZVOUS", "DVMDBG_SECRET"):
            self.env.pop(name, None)
        self.dir = options.keep or tempfile.mkdtemp(prefix="mutate.")
        os.makedirs(self.dir, exist_ok=True)
        self.spy = os.path.join(self.dir, "spy.so")
        self.right = {}
        self.lock = threading.Lock()
        # the first MPI of config.sh, as the tests have it
        self.cc, self.fc, self.mpiexec = (shutil.which(name + ".openmpi") or name for name in ("mpicc", "mpif90",
                "mpiexec"))

    def run(self, command, seconds, cwd=None):
        """Exit status (124: too long), output, error output. No process of it is left."""
        since = time.monotonic()
        p = subprocess.Popen(self.wrap + ["timeout", "-k", "3", str(seconds)] + command, cwd=cwd, env=self.env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     start_new_session=True)
        out, err = p.communicate()
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        # timeout ends with 137 where TERM was not enough
        late = p.returncode in (137, -signal.SIGKILL) and time.monotonic() - since >= seconds
        return 124 if late else p.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def must(self, command, seconds=100):
        status, out, err = self.run(command, seconds)
        if status:
            sys.exit("%s\n%s%s" % (" ".join(command), out, err))

    def prepare(self):
        self.must(["gcc", "-shared", "-fPIC", "-O1", "-I", self.src + "/runtime", self.src + "/tests/mutate/spy.c",
                   "-o", self.spy])

    def scaled(self, program, scale):
        """Arguments of the program, and options of its compiler, for fields times scale."""
        if program.scale == "SCALE":
            return program.args, ["-DSCALE=" + scale]
        return program.args + ([scale] if program.scale else []), []

    def compile(self, program, source, where, build, extra=()):
        """The program of that source text, in a folder of its own. Its path, or None."""
        if build == "inferred":
            source, where = without_marks(source, program.fortran), os.path.join(where, "unmarked")
        os.makedirs(where, exist_ok=True)
        path = os.path.join(where, os.path.basename(program.path))
        with open(path, "w") as f:
            f.write("\n".join(source))
        exe = os.path.join(where, build)
        lib = self.build + "/runtime/.libs"
        link = ["-L" + lib, "-ldvmdbg", "-Wl,-rpath," + lib, "-lm"]
        hooked = build != "plain"
        if program.fortran:
            cc = ["env", "DVMDBG_FC=" + self.fc, self.build + "/runtime/dvmdbg-fc"] if hooked else [self.fc]
            flags = ["-g", "-O1", "-ffree-line-length-none", "-J", where, self.src + "/runtime/dvmdbg.f90"]
        else:
            cc = ["env", "DVMDBG_CC=" + self.cc, self.build + "/runtime/dvmdbg-cc"] if hooked else [self.cc]
            flags = ["-g", "-O1", "-std=gnu11", "-D_GNU_SOURCE", "-I", self.src + "/runtime", "-I",
                    self.src + "/tests/mutate"]
        if build == "inferred":
            flags[flags.index("-O1")] = "-O0"
        status, out, err = self.run(cc + flags + list(extra) + [path, "-o", exe] + link, 100, where)
        if status:
            print("%s does not compile:\n%s%s" % (path, out, err[:2000]), file=sys.stderr)
            return None
        return exe

    # ---- what is true

    def spied(self, exe, args, n):
        """How it ended, what it printed, and the objects at all points."""
        name = exe + ".spy%d" % n
        for r in range(n):
            if os.path.exists(f"{name}.{r}"):
                os.remove(f"{name}.{r}")
        status, out, err = self.run([self.mpiexec, "-n", str(n), "env", "SPY=" + name, "LD_PRELOAD=" + self.spy,
                exe] + args, 25)
        ranks = [read_spy(f"{name}.{r}") for r in range(n)]
        for r in range(n):
            if os.path.exists(f"{name}.{r}"):
                os.remove(f"{name}.{r}")
        end = "hang" if status == 124 else "crash" if status not in (0,
                1) or (status == 1 and "WRONG" not in out) else "ends"
        return end, re.sub(r"[0-9.]+ s\b|\d+ ranks", "", out), points_of(ranks)

    def reference(self, program):
        """The right program on one rank. The spy has to have seen arrays, else nothing would ever differ."""
        if program.name not in self.right:
            where = os.path.join(self.dir, program.name + ".right")
            args, extra = self.scaled(program, self.o.scale)
            plain = self.compile(program, program.source, where, "plain", extra)
            self.right[program.name] = self.spied(plain, args, 1)
            points = self.right[program.name][2]
            if not any(not p[0].replicated for _, _, there in points for p in there.values()):
                sys.exit("%s: spy.c has seen no array: has the interface of libdvmdbg.so changed?" % program.name)
        return self.right[program.name]

    def truth(self, program, exe, n):
        """What class of fault it is, and what is wrong at which point."""
        with self.lock:
            reference = self.reference(program)
        args = self.scaled(program, self.o.scale)[0]
        first = self.spied(exe, args, n)
        wrong = compare(reference[2], first[2])
        if first[0] != "ends":
            return first[0], wrong
        second = self.spied(exe, args, n)
        if second[0] != "ends":
            return second[0], wrong
        if raw_of(second[2]) != raw_of(first[2]):
            return "random", wrong
        if not wrong and not numbers_differ(reference[1], first[1]):
            return "equal", wrong
        return "wrong", wrong

    # ---- a mutant

    def mutant(self, fault):
        program = fault.program
        source = list(program.source)
        source[fault.line - 1] = fault.text
        where = os.path.join(self.dir, fault.name)
        results = []
        extra = self.scaled(program, self.o.scale)[1]
        plain = self.compile(program, source, where, "plain", extra)
        if not plain:
            return [dict(name=fault.name, kind=fault.kind, error="does not compile")]
        truths = {}
        for n in self.o.ranks:
            truths[n] = self.truth(program, plain, n)
        if all(t[0] == "equal" for t in truths.values()):
            self.clean(where)
            return [dict(name=fault.name, kind=fault.kind, dropped=True)]
        exes = {"plain": plain}
        for build in self.o.builds:
            if build != "plain" and (not self.o.few or fault.build == build):
                exes[build] = self.compile(program, source, where, build, extra)
        for build in [fault.build] if self.o.few else self.o.builds:
            for n in self.o.ranks:
                if truths[n][0] == "equal":
                    continue
                results.append(self.locate(fault, exes[build], build, n, truths[n]))
        self.clean(where)
        return results

    def locate(self, fault, exe, build, n, truth):
        command = [self.build + "/frontend/dvmdbg", "locate", "--json", "--batch", "-n", str(n), "--set",
                "HANG_LIMIT=6", exe]
        if build == "inferred":
            command.insert(2, "--auto")
        args = self.scaled(fault.program, self.o.scale)[0]
        status, out, err = self.run(command + args, 400 if build == "inferred" else 120)
        report = None
        for line in out.split("\n"):
            if '"type":"locate"' in line:
                report = json.loads(line)
        result = score.score(fault, build, n, truth, status, report)
        result["command"] = "%s -n %d %s %s" % (" ".join(command[:2]), n, exe, " ".join(args))
        result["edit"] = "%s:%d: %s" % (os.path.basename(fault.program.path), fault.line, fault.text.strip())
        if self.o.keep:
            with open(exe + ".%d.json" % n, "w") as f:
                f.write(out + err)
        return result

    def clean(self, where):
        if not self.o.keep:
            shutil.rmtree(where, ignore_errors=True)

    # ---- programs that are right

    def check_right(self, program):
        results = []
        scales = ["1"]
        if program.scale:
            scales += ["1e-12", "1e12"]
        for scale in scales:
            args, extra = self.scaled(program, scale)
            for build in self.o.builds:
                where = os.path.join(self.dir, f"{program.name}.{scale}.{build}")
                exe = self.compile(program, program.source, where, build, extra)
                for n in self.o.ranks:
                    status, out, err = self.run([self.build + "/frontend/dvmdbg", "locate", "--json", "--batch", "-n",
                            str(n), exe] + args, 120)
                    verdicts = re.findall(r'"verdict":"([^"]*)"', out)
                    results.append(dict(name=program.name, scale=scale, build=build, ranks=n, status=status,
                                        verdict=verdicts[-1] if verdicts else "", right=status == 0))
                self.clean(where)
        return results


def without_marks(source, fortran):
    """The same lines without calls and declarations of dvmdbg."""
    text = "\n".join(source)
    if fortran:
        call = r"[^\n!]*\bdvmdbg(?:_\w+)?\b(?:[^\n&]*&[^\n]*\n)*[^\n]*"
        return re.sub("(?m)^" + call, blank, text).split("\n")
    text = re.sub(r'(?m)^#include "dvmdbg.h"$', "", text)
    inner = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    return re.sub(r"\bDVMDBG_\w+\s*" + inner + r"[ \t]*;?", blank, text).split("\n")


def blank(match):
    return "\n" * match.group().count("\n")


# ---- what the spy has written

class Piece:
    """What one rank has of an object at a point."""

    def __init__(self, words, data, at):
        self.replicated, self.form = int(words[1]), FORMS.get((words[2], int(words[3])))
        self.spans = []
        for d in range(int(words[4])):
            lo, hi = words[5 + 2 * d], words[6 + 2 * d]
            if "=" in hi:
                self.spans.append([int(x) for x in hi.split("=")[1].split(",")])
            else:
                self.spans.append(range(int(lo), int(hi) + 1))
        self.total = math.prod(len(s) for s in self.spans)
        self.raw = data[at:at + self.total * int(words[3])]
        self.end = at + self.total * int(words[3]) + 1

    def values(self):
        """{index: value}"""
        if not self.form:
            return {}
        return dict(zip(itertools.product(*self.spans), struct.unpack("=%d%s" % (self.total, self.form), self.raw)))


def read_spy(path):
    """[(side, written, {name: Piece})] of a rank."""
    points = []
    if not os.path.exists(path):
        return points
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        words = data[at:end].decode().split() if end >= 0 else []
        if words[:1] == ["point"]:
            points.append((words[1], words[2:], {}))
            at = end + 1
            continue
        if len(words) < 5:
            break
        piece = Piece(words, data, end + 1)
        at = piece.end
        if at > len(data) + 1:
            break
        points[-1][2][words[0]] = piece
    return points


def points_of(ranks):
    """[(side, written, {name: [Piece of each rank]})] of all ranks."""
    points = []
    for k in range(max([len(r) for r in ranks] + [0])):
        side, written, pieces = None, set(), {}
        for r in ranks:
            if k < len(r):
                side = r[k][0]
                written |= set(r[k][1])
                for name, piece in r[k][2].items():
                    pieces.setdefault(name, []).append(piece)
        points.append((side, sorted(written), pieces))
    return points


def raw_of(points):
    return [(side, [(name, [p.raw for p in pieces]) for name, pieces in there.items()]) for side, _, there in points]


def most_of(values):
    """The largest absolute value of each component, and the dimensions that are components."""
    ndim = len(next(iter(values), ()))
    small = [d for d in range(ndim) if len({i[d] for i in values}) <= 6] if ndim > 1 else []
    most = {}
    for i, v in values.items():
        c = tuple(i[d] for d in small)
        if abs(v) > most.get(c, 0):
            most[c] = abs(v)
    return small, most


def wrong_elements(reference, pieces):
    truth = {}
    for p in reference:
        truth.update(p.values())
    wrong, seen = set(), set()
    small, most = most_of(truth)
    if pieces[0].replicated:
        small, most = None, {}
    for p in pieces:
        for i, v in p.values().items():
            seen.add(i)
            limit = abs(truth.get(i, 0)) if small is None else most.get(tuple(i[d] for d in small), 0)
            if i not in truth or far(v, truth[i], limit):
                wrong.add(i)
    return wrong | (truth.keys() - seen)


def far(a, b, most):
    return a != b and not (a != a and b != b) and not abs(a - b) <= 1e-9 * most


def compare(reference, points):
    """{point: ({name: wrong elements}, objects that were written there)} of the first points where something is wrong."""
    wrong = {}
    number = 0
    open_, before = [], {}
    for (side, _, there), (_, written, here) in zip(reference, points):
        if side == "B":
            number += 1
            open_.append(number)
            point = number
        else:
            point = open_.pop()
        bad = {}
        for name, pieces in here.items():
            if name not in there:
                continue
            raw = [p.raw for p in there[name]], [p.raw for p in pieces]
            if name not in before or before[name][0] != raw:
                before[name] = raw, wrong_elements(there[name], pieces)
            if before[name][1]:
                bad[name] = before[name][1]
        if bad:
            wrong["%d.%s" % (point, side)] = (bad, written)
        if len(wrong) == 12:
            break
    return wrong


def numbers_differ(a, b):
    """Of two outputs, by more than rounding."""
    x, y = ([re.findall(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?", t)] for t in (a, b))
    if len(x[0]) != len(y[0]):
        return True
    return any(abs(float(p) - float(q)) > 1e-5 * max(abs(float(p)), abs(float(q))) and abs(float(p)) > 1e-7
               for p, q in zip(x[0], y[0]))


def former(path):
    """The results that are in the file, of each run the last."""
    last = {}
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                r = json.loads(line)
                last[r["name"], r.get("build"), r.get("ranks")] = r
    return list(last.values())


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--srcdir", default=".")
    a.add_argument("--builddir", default="build")
    a.add_argument("--only", default="")
    a.add_argument("--every", type=int, default=1)
    a.add_argument("--offset", type=int, default=0)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--ranks", default="2,4")
    a.add_argument("--builds", default="plain,hooked")
    a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--keep", default="")
    a.add_argument("--scale", default="1")
    a.add_argument("--results", default="")
    a.add_argument("--go-on", action="store_true")
    a.add_argument("--right", action="store_true")
    a.add_argument("--few", action="store_true")
    a.add_argument("--list", action="store_true")
    o = a.parse_args()
    o.ranks = [int(n) for n in o.ranks.split(",")]
    o.builds = o.builds.split(",")
    programs = faults.load(o.srcdir)
    run = Run(o)
    all_faults = [f for p in programs for f in p.faults]
    chosen = [f for f in all_faults if re.search(o.only, f.name + " " + f.kind) and (o.scale == "1" or f.program.scale)]
    random.Random(o.seed).shuffle(chosen)
    chosen = chosen[o.offset::o.every]
    if o.few:
        chosen = faults.few(programs)
    results = former(o.results) if o.go_on else []
    done = {r["name"] for r in results}
    chosen = [f for f in chosen if f.name not in done]
    if o.list:
        for f in chosen:
            print(f.name, f.kind, f"{f.line}: {f.text.strip()}", f.causes, sorted(f.lines), sep="\t")
        return 0
    try:
        run.prepare()
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            if o.right:
                todo = [pool.submit(run.check_right, p) for p in programs if re.search(o.only, p.name)]
            else:
                todo = [pool.submit(run.mutant, f) for f in chosen]
            for f in concurrent.futures.as_completed(todo):
                results += f.result()
                for r in f.result():
                    if o.results:
                        with open(o.results, "a") as file:
                            file.write(json.dumps(r) + "\n")
                    if "right" not in r and not r.get("dropped") and "error" not in r:
                        print(score.line(r), flush=True)
        if o.right:
            bad = [r for r in results if not r["right"]]
            for r in bad:
                print("a program that is right: %(name)s, %(build)s, fields times %(scale)s, %(ranks)d ranks: status %(status)d, "
                      "%(verdict)s" % r)
            print("%d of %d runs of right programs without a finding" % (len(results) - len(bad), len(results)))
            return bool(bad)
        if not o.few:
            print(score.table(results))
        return 0 if score.aims(results, o.few) else 1
    finally:
        if not o.keep:
            shutil.rmtree(run.dir, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What annotate finds of programs without marks, held against the truth.

solvers.py --srcdir DIR --builddir DIR [--only REGEX] [--keep DIR] [--runs 2,3,4] [--faults]

Each program of tests/prog/annotate is compiled with hooks and annotated; the patch is put into a copy, which is compiled
and run on one and on N ranks at a size that was not trained: a mark is right when both agree. Arrays and loops are counted
as right, wrong or left out by the table below. Exit status 1: a mark was wrong.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True


class Program:
    """args: what it is annotated with; other: a size it was not trained on. arrays: name, or names that are exchanged: which
    dimensions are divided (b block, c dealt out, - not) and the halo of each. loops: lines of its parallel loops; also:
    lines that may be marked. runs: numbers of ranks that it can do with, where one is none; faults: arguments of its faults."""

    def __init__(self, args, other, arrays, loops, also=(), ranks=4, faults=(), runs=None):
        self.args, self.other, self.arrays, self.loops = args, other, arrays, loops
        self.also, self.ranks, self.faults, self.runs = also, ranks, faults, runs


ROWS1 = ("b-", "10")
PROGRAMS = {
    "rod.c": Program("37 12", "53 9", {"t": ("b", "1"), "tn": ("b", "1")}, [35, 43, 51], faults="123"),
    "rows.c": Program("20 17 9", "31 26 10", {"old[0]": ("b-", "11"), "new[0]": ("b-", "11")}, [54, 83], faults="12"),
    "plate.c": Program("18 23 9", "27 22 10", {"u": ("bb", "11"), "w": ("bb", "11")}, [63, 70, 78], faults="123"),
    "box.c": Program("9 10 11 3", "12 9 10 3", {"f.u": ("bb-", "111"), "f.unew": ("bb-", "111")}, [101, 124, 133],
                     faults="12"),
    "staggered.c": Program("17 22 5", "21 15 5", {"p": ("b-", "1:0,0"), "u": ("b-", "01"), "v": ("b-", "0:1,0")},
                           [36, 59, 69, 78, 111], faults="12"),
    "ring.c": Program("64 9", "75 9", {"psi": ("b", "2"), "hpsi": ("b", "0"), "pot": ("b", "0")}, [33, 62, 65, 70],
                      faults="12"),
    "life.c": Program("20 17 5", "23 18 6", {"cells": ("b-", "10"), "next": ("b-", "10")}, [23, 45, 55, 76], faults="1"),
    "redblack.c": Program("20 0.0001", "27 0.0001", {"g.u": ("b-", "10"), "g.f": ("b-", "10")}, [42, 60], faults="1"),
    "pipeline.c": Program("21 24 3", "26 35 3", {"m.a": ("b-", "1:0,0"), "m.src": ("b-", "00")}, [29, 72, 77],
                          also=[22], faults="1"),
    "fixed.c": Program("5", "7", {"u": ("b-", "full"), "unew": ("b-", "full"), "levels": ("b-", "full")},
                       [30, 47, 51, 57], faults="1"),
    "wave.cpp": Program("21 17 5", "26 20 5", {"now_": ("b-", "10"), "next_": ("b-", "10"), "past_": ("b-", "10")},
                        [24, 41, 55], faults="12"),
    "cg.c": Program("50", "67", {n: ("b", "0") for n in "xrpq"}, [16, 27, 62, 74, 81], faults="1"),
    "lu.c": Program("19 1", "25 1", {"a": ("c-", "00")}, [30, 43, 54], faults="1"),
    "lu.c block": Program("22 2", "27 2", {"a": ("c-", "00")}, [30, 43, 54]),
    "torus.c": Program("60 10", "75 9", {"q": ("b", "2:0")}, [29, 41, 45], also=[39], faults="12", runs=[2, 3, 4]),
    "pairs.c": Program("16 20 5", "21 26 6", {"a": ("bb", "11"), "b": ("bb", "11")}, [57, 71, 81], faults="1",
                       runs=[2, 4, 6]),
    "stack.c": Program("20 15 6", "26 20 5", {"u": ("b-", "10"), "w": ("b-", "10")}, [16, 40, 48], faults="1"),
    "frame.c": Program("5", "7", {"a": ("b-", "full"), "b": ("b-", "full")}, [19, 29, 32, 37], faults="1"),
    "vectors.cpp": Program("64 8", "75 9", {"u": ("b", "1"), "v": ("b", "1")}, [21, 39, 48], faults="1"),
    "levels.c": Program("21 18 6", "26 20 5", {"g.field[0]": ("b-", "10"), "g.field[1]": ("b-", "10"), "g.depth": ("b-", "10")},
                        [28, 51, 84], faults="1"),
    "cube.c": Program("10 11 12 3", "9 12 10 2", {"u": ("bbb", "111"), "w": ("bbb", "111")}, [57, 63, 73], faults="12"),
    "cells.c": Program("60 4", "75 4", {"a[].rho": ("b", "1"), "b[].rho": ("b", "1")}, [27, 56, 69], faults="1"),
    "csr.c": Program("80 4", "95 4", {}, []),
    "patches.c": Program("12 4", "15 4", {}, []),
    "bodies.c": Program("70 4", "83 4", {"vx": ("b", "0"), "vy": ("b", "0")}, [34, 38, 49, 60], faults="1"),
}
# The same array under another name.
SAME = [{"f.u", "f->u"}, {"f.unew", "f->unew"}, {"g.u", "g->u"}, {"g.f", "g->f"}, {"m.a", "m->a"}, {"m.src", "m->src"}]


def halo_of(pairs):
    if all(lo == hi for lo, hi in pairs):
        return "".join(str(lo) for lo, _ in pairs)
    return ",".join("%d:%d" % (lo, hi) if lo != hi else str(lo) for lo, hi in pairs)


class Bench:
    def __init__(self, o):
        self.o = o
        self.src, self.build = os.path.abspath(o.srcdir), os.path.abspath(o.builddir)
        self.dvmdbg = self.build + "/frontend/dvmdbg"
        self.env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                        OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", LC_ALL="C.UTF-8", CCACHE_DISABLE="1",
                        TERM="dumb")
        self.dir = o.keep or tempfile.mkdtemp(prefix="solvers.")
        os.makedirs(self.dir, exist_ok=True)

    def run(self, command, cwd, seconds=200):
        p = subprocess.run(["timeout", "-k", "3", str(seconds)] + command, cwd=cwd, env=self.env,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")

    def compile(self, where, source, exe):
        cxx = source.endswith(".cpp")
        compiler = next(c for c in (("mpicxx.openmpi", "mpicxx") if cxx else ("mpicc.openmpi", "mpicc")) if shutil.which(c))
        lib = self.build + "/runtime/.libs"
        command = ["env", "DVMDBG_CC=" + compiler, self.build + "/runtime/dvmdbg-cc", "-g", "-O0", "-I",
                   self.src + "/runtime", source, "-o", exe, "-L" + lib, "-ldvmdbg", "-Wl,-rpath," + lib, "-lm"]
        if not cxx:
            command[4:4] = ["-std=gnu11"]
        return self.run(command, where)

    def annotate(self, where, p, args):
        status, out, err = self.run([self.dvmdbg, "annotate", "--json", "--batch", "--yes", "-n", str(p.ranks), "./prog"] +
                                    args.split(), where)
        for line in out.split("\n"):
            if '"type":"annotation"' in line.replace(" ", ""):
                return json.loads(line), out + err
        return None, out + err

    def agree(self, where, p):
        """The numbers of ranks on which the marked program agrees with the fewest, and those on which it does not."""
        args, first, others = p.other, p.runs[0] if p.runs else 1, p.runs[1:] if p.runs else self.o.runs
        right, wrong = [], []
        ref = os.path.join(where, "ref")
        shutil.rmtree(ref, ignore_errors=True)
        status, out, err = self.run([self.dvmdbg, "record", "--batch", "-n", str(first), "-o", ref, "./marked"] + args.split(), where)
        self.say(where, out + err)
        for n in others:
            status, out, err = self.run([self.dvmdbg, "compare", "--batch", "-n", str(n), "-r", ref, "./marked"] +
                                        args.split(), where)
            self.say(where, "on %d ranks: status %d\n%s%s" % (n, status, out, err))
            (wrong if status else right).append(n)
        return right, wrong

    def say(self, where, text):
        with open(os.path.join(where, "log"), "a") as f:
            f.write(text + "\n")

    def score(self, p, answer):
        """Arrays and loops: right, wrong, left out; and what is to be said of each."""
        count = dict(arrays=[0, 0, 0], loops=[0, 0, 0])
        notes, seen = [], set()
        for a in answer["arrays"]:
            name = a.get("name", "?").replace("._M_impl._M_start", "")
            key = next((k for k in p.arrays if k == name or name.split(">")[-1].split(".")[-1] == k or
                        any({k, name} <= s for s in SAME)), None)
            if "left_out" in a:
                if key or "replicated" not in a["left_out"]:
                    notes.append("%s:%d %s left out: %s" % (a.get("file"), a.get("line", 0), name, a["left_out"]))
                continue
            if not key:
                count["arrays"][1] += 1
                notes.append("%s marked, and is no array of the table" % name)
                continue
            seen.add(key)
            split, halo = p.arrays[key]
            got = "".join("b" if s else "-" for s in a["split"]), halo_of(a["halo"])
            good = got == (split.replace("c", "b"), halo) and bool(a.get("cyclic")) == ("c" in split) or halo == "full" and got[0] == split
            count["arrays"][0 if good else 1] += 1
            if not good:
                notes.append("%s is %s, not %s" % (name, got, (split, halo)))
        count["arrays"][2] = len(set(p.arrays) - seen)
        lines = {int(m.group(1)) for m in re.finditer(r"^parallel +\S+?:(\d+)-", "\n".join(answer.get("marks", [])), re.M)}
        count["loops"] = [len(lines & set(p.loops)), len(lines - set(p.loops) - set(p.also)), len(set(p.loops) - lines)]
        if lines - set(p.loops) - set(p.also):
            notes.append("marked loops that are none: %s" % sorted(lines - set(p.loops) - set(p.also)))
        if set(p.loops) - lines:
            notes.append("loops left out: %s" % sorted(set(p.loops) - lines))
        return count, notes

    def one(self, name, p, fault=None):
        source = name.split()[0]
        where = os.path.join(self.dir, name.replace(" ", "-") + ("-" + fault if fault else ""))
        os.makedirs(where, exist_ok=True)
        open(os.path.join(where, "log"), "w").close()
        shutil.copy(os.path.join(self.src, "tests/prog/annotate", source), where)
        status, out, err = self.compile(where, source, "prog")
        if status:
            sys.exit("%s does not compile:\n%s" % (source, err))
        start = time.time()
        answer, text = self.annotate(where, p, p.args + (" " + fault if fault else ""))
        seconds = time.time() - start
        self.say(where, text)
        if not answer:
            return dict(name=name, fault=fault, use="none", notes=[text.strip().split("\n")[-1]], seconds=seconds,
                        arrays=[0, 0, len(p.arrays)], loops=[0, 0, len(p.loops)], right=[], wrong=[])
        count, notes = self.score(p, answer)
        use, right, wrong = "none", [], []
        patch = answer.get("patch")
        if patch:
            status, out, err = self.run(["patch", "-p0", "-i", patch], where)
            self.say(where, out + err)
            if not status:
                status, out, err = self.compile(where, source, "marked")
            self.say(where, out + err)
            use = "draft"
            if not status:
                right, wrong = self.agree(where, p)
                use = "untouched" if not wrong and not count["arrays"][2] + count["loops"][2] else \
                    "in part" if not wrong else "draft"
            else:
                notes.append("the patch does not go in, or does not compile")
                wrong = [0]
        return dict(name=name, fault=fault, use=use, notes=notes, seconds=seconds, right=right, wrong=wrong, **count)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--srcdir", default=".")
    a.add_argument("--builddir", default=".")
    a.add_argument("--only", default="")
    a.add_argument("--keep")
    a.add_argument("--runs", default="2,3,4", type=lambda t: [int(x) for x in t.split(",")])
    a.add_argument("--faults", action="store_true")
    o = a.parse_args()
    bench = Bench(o)
    results = []
    print("%-16s %-9s %-9s %-10s %-11s %s" % ("program", "arrays", "loops", "patch", "ranks", "seconds"))
    for name, p in PROGRAMS.items():
        if not re.search(o.only, name):
            continue
        for fault in [None] + (list(p.faults) if o.faults else []):
            r = bench.one(name, p, fault)
            results.append(r)
            print("%-16s %-9s %-9s %-10s %-11s %.0f" % (name + (" " + fault if fault else ""),
                  "%d %d %d" % tuple(r["arrays"]), "%d %d %d" % tuple(r["loops"]), r["use"],
                  "".join("%d " % n for n in r["right"]) + ("not " + " ".join(map(str, r["wrong"])) if r["wrong"] else ""),
                  r["seconds"]), flush=True)
            for n in r["notes"]:
                print("    " + n)
    total = [sum(x) for x in zip(*[r["arrays"] + r["loops"] for r in results])] if results else [0] * 6
    print("arrays: %d right, %d wrong, %d left out; loops: %d right, %d wrong, %d left out; %d of %d patches untouched" %
          (*total, sum(r["use"] == "untouched" for r in results), len(results)))
    if not o.keep:
        shutil.rmtree(bench.dir)
    return 1 if any(r["arrays"][1] or r["loops"][1] or r["wrong"] for r in results) else 0


sys.exit(main())

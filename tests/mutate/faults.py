# SPDX-License-Identifier: BSD-3-Clause
"""Single faults of the programs of the mutation bench, each with the truth about it.

A fault replaces text in one line, so that all lines keep their numbers. In the new text {all}, {one} and {zero} are 1 on
more than one rank: on all, on the last, on the first; else 0. {who} makes two faults, of {one} and of {zero}. With a ? they
are conditions. On one rank a faulty program is right: it is its own reference.

What is known of a fault: its kind, the lines of which one is its cause (that of the edit, and the statement that reads what
did not come), and what may be said of the cause:
  halo:A    the halo of A is stale or wrong          bounds    iterations are missing, or too many
  unset     elements that are never written          write     this statement, its indices or its constants
  set:X     X is set wrong in this statement         sum:X     the reduction that makes X
  order     a statement comes too early or too late
"""
import re


class Fault:
    def __init__(self, program, name, kind, line, text, causes, lines):
        self.program, self.name, self.kind, self.line, self.text = program, name, kind, line, text
        self.causes, self.lines = causes.split(), lines


class Program:
    def __init__(self, path, args=(), scale=None):
        self.path, self.args, self.scale = path, list(args), scale
        self.name = re.sub(r"\.\w+$", "", path.split("/")[-1])
        self.fortran = path.endswith(".f90")
        self.faults = []
        self.source = []

    def load(self, srcdir):
        with open(f"{srcdir}/{self.path}") as f:
            self.source = f.read().split("\n")

    def at(self, text, nth=1):
        """The number of the nth line with this text."""
        for n, line in enumerate(self.source, 1):
            if text in line:
                nth -= 1
                if not nth:
                    return n
        raise SystemExit(f"{self.path}: no such line: {text}")

    def statement(self, text, nth=1):
        """The lines of the statement that has that one."""
        first = last = self.at(text, nth)
        if self.fortran:
            goes_on = re.compile(r"&\s*$")
        else:
            goes_on = re.compile(r"(?![\s\S]*([;{}]|\*/|DVMDBG_PL\(.*\)|for \(.*\)|if \(.*\)|else)\s*(/\*.*\*/)?\s*$)[\s\S]*\S")
        while goes_on.match(self.source[last - 1]) if not self.fortran else goes_on.search(self.source[last - 1]):
            last += 1
        while first > 1 and (goes_on.match(self.source[first - 2]) if not self.fortran else
                             goes_on.search(self.source[first - 2])):
            first -= 1
        return set(range(first, last + 1))

    def who(self, which, condition):
        size, rank = "size", "rank"
        if self.name in ("lu", "jacobi", "stagger"):
            size = "ranks"
        if self.fortran:
            test = {"all": f"{size} > 1", "one": f"{size} > 1 .and. rank == {size} - 1",
                    "zero": f"{size} > 1 .and. rank == 0"}[which]
            return f"({test})" if condition else f"merge(1, 0, {test})"
        test = {"all": f"{size} > 1", "one": f"{size} > 1 && rank == {size} - 1",
                "zero": f"{size} > 1 && rank == 0"}[which]
        return f"({test})"

    def fill(self, text, who):
        text = text.replace("{who", "{" + who)
        for which in ("all", "one", "zero"):
            text = text.replace("{" + which + "?}", self.who(which, True)).replace("{" + which + "}", self.who(which,
                    False))
        return text

    def fault(self, kind, site, old, new, causes, lines=(), nth=1):
        """One fault, or two, when new has {who}. Without old, new is put before the line's statement."""
        line = self.at(site, nth)
        source = self.source[line - 1]
        if old is None:
            old = re.search(r"\S.*", source).group()
            new = new + old
        if old not in source:
            raise SystemExit(f"{self.path}:{line}: has no {old}")
        own = self.statement(site, nth)
        if kind == "reduction" or "sum:" in causes:
            own |= {n for n, text in enumerate(self.source, 1) if re.search("dvmdbg_reduction", text, re.I)}
        if kind == "uninitialised":
            own.add(max(n for n in range(1, line) if re.search(r"dvmdbg_pl(_begin)?\(", self.source[n - 1], re.I)))
        for who in ("one", "zero") if "{who" in new else ("",):
            text = source.replace(old, self.fill(new, who), 1)
            name = f"{self.name}-{len(self.faults) + 1}"
            self.faults.append(Fault(self, name, kind, line, text, causes, own | set(lines)))

    # ---- edits that follow from what a line is

    def drop(self, site, causes, lines=(), nth=1, kind="dropped message", who="all"):
        cond = ("if (.not. {%s?}) " if self.fortran else "if (!{%s?}) ") % who
        self.fault(kind, site, None, cond, causes, lines, nth)

    def constant(self, site, number, causes="write", lines=(), nth=1):
        """Another value of a constant on one rank."""
        self.fault("constant", site, number, "(%s * (1 + 0.25%s * {who}))" % (number, "d0" if self.fortran else ""),
                   causes, lines, nth)

    def bounds(self, site, construct, causes="bounds", nth=1, up=True, down=True):
        """A loop that begins later, or ends earlier, on one rank."""
        source = self.source[self.at(site, nth) - 1]
        lines = {self.at(site, nth)} | self.statement(construct[0], construct[1])
        if self.fortran:
            m = re.search(r"\bdo \w+ = (.+?), ([^,]+|\w+\([^()]*\))(,[^,()]*)?$", source)
        else:
            m = re.search(r"= ([^;]+); \w+ <=? ([^;]+);", source)
        if down:
            self.fault("bounds", site, m.group(2), m.group(2) + " - {who}", causes, lines, nth)
        if up:
            a, b = m.span(1)
            self.fault("bounds", site, source[a - 2:b], source[a - 2:a] + m.group(1) + " + {who}", causes, lines, nth)

    def index(self, site, old, new, causes="write", lines=(), nth=1):
        self.fault("index", site, old, new, causes, lines, nth)


def pack3d(p):
    stencil = p.statement("AT(v, i, j, k) = AT(u")
    packed, unpacked = {p.at("buf[n++] = AT")}, {p.at("AT(a, i, j, k) = buf")}
    halo = stencil | packed | unpacked
    p.drop("exchange(u);", "halo:u", stencil)
    p.fault("dropped message", "MPI_Irecv(ra", "prev[d], 2", "{all} ? MPI_PROC_NULL : prev[d], 2", "halo:u hang", halo)
    p.fault("dropped message", "if (next[d] != MPI_PROC_NULL)", "next[d] != MPI_PROC_NULL",
            "next[d] != MPI_PROC_NULL && !{all}", "halo:u", halo)
    p.fault("dropped message", "if (prev[d] != MPI_PROC_NULL)", "prev[d] != MPI_PROC_NULL",
            "prev[d] != MPI_PROC_NULL && d != 0", "halo:u", halo)
    p.fault("swapped message", "unpack(a, d, lo[d] - 1, ra)", "ra", "{all} ? rb : ra", "halo:u", halo)
    p.fault("swapped message", "pack(a, d, hi[d], sb)", "hi[d]", "{all} ? lo[d] : hi[d]", "halo:u", halo)
    p.fault("swapped message", "int n = pack(a, d, lo[d], sa)", "lo[d]", "{all} ? hi[d] : lo[d]", "halo:u", halo)
    p.fault("truncated message", "MPI_Isend(sa", "(sa, n", "(sa, n - 3 * {all}", "halo:u", halo)
    p.fault("truncated message", "MPI_Isend(sb", "(sb, n", "(sb, n - 3 * {all}", "halo:u", halo)
    p.fault("misplaced message", "MPI_Isend(sb", "(sb,", "(sb + {all},", "halo:u", halo)
    p.fault("misplaced message", "MPI_Irecv(rb", "(rb,", "(rb + {all},", "halo:u", halo)
    p.fault("misplaced message", "unpack(a, d, hi[d] + 1, rb)", "hi[d] + 1", "hi[d] + 1 - {all}", "halo:u set:u write",
            halo)
    p.fault("index", "buf[n++] = AT", "AT(a, i, j, k)", "AT(a, i, d == 0 ? f[1] + l[1] - j : j, k)", "halo:u", halo)
    p.fault("index", "AT(a, i, j, k) = buf", "buf[n++]", "buf[n++ - (n > 0 && {all})]", "halo:u", halo)
    p.fault("index", "for (long k = f[2]", "k <= l[2]", "k <= l[2] - {all}", "halo:u", halo)
    p.fault("missing wait", "MPI_Waitall", "MPI_Waitall(4,", "MPI_Waitall({all} ? 1 : 4,", "halo:u random", halo)
    p.fault("order", "\t\tint n = pack", "int n = pack(a, d, lo[d], sa)", "int n = pack(a, d, lo[d] + {all}, sa)",
            "halo:u", halo)
    loop = ("DVMDBG_PL(.on = v", 1)
    for d in "ijk":
        p.bounds(f"for (long {d} = f[", loop, nth=3)
    init = ("DVMDBG_PL(.on = u, .range = { { 0", 1)
    p.bounds("for (long i = lo[0]", init, "unset bounds", nth=1)
    p.bounds("for (long k = lo[2]", init, "unset bounds", nth=1)
    p.constant("c * (AT(u, i - 1", "c")
    p.constant("0.1 * k", "0.1")
    p.constant("6 * AT(u, i, j, k));", "6")
    p.constant("double c = 0.1", "0.1", "write set:c", stencil)
    p.index("c * (AT(u, i - 1", "AT(u, i - 1, j, k)", "AT(u, i - 1, j - {who}, k)")
    p.index("AT(u, i, j, k - 1)", "k + 1", "k + 1 - {who}")
    p.index("AT(u, i, j, k) = AT(v", "AT(v, i, j, k)", "AT(v, i, j, k - {who})")
    p.index("SCALE * (1 + sin", "0.3 * i", "0.3 * (i - {all} * lo[0])")
    p.index("AT(v, i, j, k) = AT(u", "AT(v, i, j, k)", "AT(v, i, j, k - ({one} && k == l[2]))")
    p.fault("reduction", "MPI_Allreduce", "MPI_MAX", "{all} ? MPI_SUM : MPI_MAX", "sum:top")
    p.fault("reduction", "MPI_Allreduce", "MPI_MAX", "{all} ? MPI_MIN : MPI_MAX", "sum:top")
    p.fault("reduction", "MPI_Allreduce", "&most", "{one} ? &c : &most", "sum:top")
    p.fault("dropped message", "MPI_Isend(sa", "prev[d], 1", "{one} ? MPI_PROC_NULL : prev[d], 1", "hang")
    p.fault("missing wait", "MPI_Irecv(rb", "next[d], 1", "next[d], {all} ? 3 : 1", "hang")
    p.fault("index", "buf[n++] = AT", "buf[n++]", "buf[{one} && n == 5 ? 1000000000L : n++]", "crash")


def onesided(p):
    stencil = p.statement("const double below") | p.statement("const double above") | p.statement("AT(v, i, j) = AT(u, i, j) +")
    p.drop("put_rows();", "halo:u", stencil)
    p.drop("get_coefficient();", "halo:k", stencil)
    p.fault("dropped message", "if (up != MPI_PROC_NULL)", "up !=", "!{all} && up !=", "halo:k", stencil)
    p.fault("dropped message", "if (down != MPI_PROC_NULL)", "down !=", "!{all} && down !=", "halo:k", stencil)
    p.fault("dropped message", "if (up != MPI_PROC_NULL)", "up !=", "!{all} && up !=", "halo:u", stencil, nth=2)
    p.fault("dropped message", "if (down != MPI_PROC_NULL)", "down !=", "!{all} && down !=", "halo:u", stencil, nth=2)
    p.fault("dropped message", "if (down != MPI_PROC_NULL)", "down !=", "!{zero} && down !=", "halo:u", stencil, nth=2)
    p.fault("swapped message", "MPI_Put(&AT(u, lo, 0)", "AT(u, lo, 0)", "AT(u, {all} ? hi : lo, 0)", "halo:u", stencil)
    p.fault("swapped message", "MPI_Put(&AT(u, hi, 0)", "AT(u, hi, 0)", "AT(u, {all} ? lo : hi, 0)", "halo:u", stencil)
    p.fault("truncated message", "MPI_Put(&AT(u, lo, 0)", "M, MPI_DOUBLE, up", "M / 2, MPI_DOUBLE, up", "halo:u",
            stencil)
    p.fault("truncated message", "MPI_Put(&AT(u, hi, 0)", "0), M, MPI_DOUBLE, down, 0, M",
            "0), M - 3, MPI_DOUBLE, down, 0, M - 3", "halo:u", stencil)
    p.fault("misplaced message", "MPI_Put(&AT(u, lo, 0)", "first_row(up) + 1) * M", "first_row(up) + 1) * M + {all}",
            "halo:u", stencil)
    p.fault("truncated message", "MPI_Get(&AT(k, hi", "0), M, MPI_DOUBLE, down, M, M",
            "0), M - 2, MPI_DOUBLE, down, M, M - 2", "halo:k", stencil)
    p.fault("misplaced message", "MPI_Put(&AT(u, lo, 0)", "first_row(up) + 1", "first_row(up) + 1 - {all}",
            "set:u halo:u", stencil)
    p.fault("misplaced message", "MPI_Put(&AT(u, hi, 0)", "down, 0", "down, {all}", "halo:u", stencil)
    p.fault("misplaced message", "MPI_Put(&AT(u, hi, 0)", "AT(u, hi, 0)", "AT(u, hi - {all}, 0)", "halo:u", stencil)
    p.fault("misplaced message", "MPI_Get(&AT(k, lo", "first_row(up)) * M", "first_row(up) - {all}) * M", "halo:k",
            stencil)
    p.fault("misplaced message", "MPI_Get(&AT(k, hi", "down, M", "down, M + {all}", "halo:k", stencil)
    p.fault("misplaced message", "MPI_Get(&AT(k, hi", "down, M", "down, M - {all} * M", "halo:k", stencil)
    loop, back = ("DVMDBG_PL(.on = v", 1), ("DVMDBG_PL(.on = u, .range = { { 1", 1)
    init = ("DVMDBG_PL(.on = u, .range = { { 0", 1)
    p.bounds("for (long j = 0; j < M", init, "unset bounds", nth=1, up=True)
    p.bounds("for (long j = 0; j < M", loop, nth=2)
    p.bounds("for (long j = 0; j < M", back, nth=3)
    p.fault("bounds", "for (long i = lo > 0", "(hi < N - 1 ? hi : N - 2)", "(hi < N - 1 ? hi - {all} : N - 2)",
            "bounds", p.statement(*loop))
    p.fault("bounds", "for (long i = lo > 0", "lo > 0 ? lo", "lo > 0 ? lo + {all}", "bounds", p.statement(*loop))
    p.fault("bounds", "for (long i = lo > 0", "(hi < N - 1 ? hi : N - 2)", "(hi < N - 1 ? hi - {all} : N - 2)",
            "bounds", p.statement(*back), nth=2)
    p.fault("bounds", "for (long i = lo;", "i = lo;", "i = lo + {who};", "unset bounds", p.statement(*init))
    p.constant("dt * 0.5", "0.5")
    p.constant("0.05 * j", "0.05")
    p.constant("1 + 0.1 *", "0.1")
    p.constant("double dt = 0.2", "0.2", "set:dt", stencil)
    p.index("const double below", "AT(k, i + 1, j)", "AT(k, i + 1 - {who}, j)", lines=stencil)
    p.index("(AT(u, i, j) - AT(u, i - 1, j))", "AT(u, i - 1, j)", "AT(u, i - 1 + {who}, j)", lines=stencil)
    p.index("AT(u, i, j) = SCALE", "0.4 * i", "0.4 * (i - {all} * lo)")
    p.index("AT(u, i, j) = AT(v", "AT(v, i, j)", "AT(v, i, j > 0 ? j - {who} : j)")
    p.fault("reduction", "MPI_Allreduce", "MPI_MAX", "{all} ? MPI_SUM : MPI_MAX", "sum:top")
    p.fault("reduction", "MPI_Allreduce", "&most", "{one} ? &dt : &most", "sum:top")
    p.fault("stride", "#define AT", "* M +", "* (M - ({one} && &a == &v)) +", "write", stencil)
    p.drop("MPI_Win_fence(0, wu);", "halo:u random", stencil, nth=2, kind="missing wait")
    p.drop("put_rows();", "hang", who="one")
    p.fault("index", "AT(v, i, j) = AT(u, i, j) +", "AT(v, i, j)", "AT(v, i + {one} * 100000000L, j)", "crash")


def neighbour(p):
    stencil = p.statement("const double bend") | p.statement("AT(then, i, j) = 2")
    p.drop("exchange(now);", "halo:now", stencil)
    p.fault("dropped message", "const int one[4]", "{ 1, 1, 1, 1 }", "{ 1, 1, !{all}, !{all} }", "halo:now", stencil)
    p.fault("dropped message", "const int one[4]", "{ 1, 1, 1, 1 }", "{ !{all}, !{all}, 1, 1 }", "halo:now", stencil)
    p.fault("swapped message", "const MPI_Aint out[4]", "BYTES(a, r0, c0), BYTES(a, r1, c0)",
            "BYTES(a, {all} ? r1 : r0, c0), BYTES(a, r1, c0)", "halo:now", stencil)
    p.fault("swapped message", "const MPI_Aint out[4]", "BYTES(a, r1, c0)", "BYTES(a, {all} ? r0 : r1, c0)", "halo:now",
            stencil)
    p.fault("swapped message", "BYTES(a, r0, c1) };", "BYTES(a, r0, c1)", "BYTES(a, r0, {all} ? c0 : c1)", "halo:now",
            stencil)
    p.fault("misplaced message", "const MPI_Aint in[4]", "BYTES(a, r0 - 1, c0)", "BYTES(a, r0 - 1 + {all}, c0)",
            "set:now halo:now", stencil)
    p.fault("misplaced message", "BYTES(a, r0 - 1, c0), BYTES(a, r1 + 1, c0)", "BYTES(a, r1 + 1, c0)",
            "BYTES(a, r1 + 1, c0 - {all})", "halo:now", stencil)
    p.fault("misplaced message", "const MPI_Aint out[4]", "BYTES(a, r1, c0)", "BYTES(a, r1 - {all}, c0)", "halo:now",
            stencil)
    p.fault("misplaced message", "BYTES(a, r0, c0 - 1),", "BYTES(a, r0, c0 - 1)", "BYTES(a, r0 + {all}, c0 - 1)",
            "halo:now", stencil)
    p.fault("truncated message", "MPI_Type_contiguous", "(int)(c1 - c0 + 1)", "(int)(c1 - c0 + 1) - 2 * {all}",
            "halo:now", stencil)
    p.fault("truncated message", "MPI_Type_vector", "(int)(r1 - r0 + 1)", "(int)(r1 - r0 + 1) - {all}", "halo:now",
            stencil)
    p.fault("stride", "MPI_Type_vector", "(int)W", "(int)W - {all}", "halo:now set:now", stencil)
    p.fault("stride", "MPI_Type_vector", "(int)W", "(int)W + {all}", "halo:now set:now", stencil)
    p.fault("stride", "#define AT", "* W +", "* (W - ({one} && &a == &then)) +", "write", stencil)
    init, loop = ("DVMDBG_PL(.on = now", 1), ("DVMDBG_PL(.on = then", 1)
    p.bounds("for (long i = top;", init, "unset bounds", nth=1)
    p.bounds("for (long j = west;", init, "unset bounds", nth=1)
    p.bounds("for (long i = top;", loop, nth=2)
    p.bounds("for (long j = west;", loop, nth=2)
    p.fault("bounds", "const long top", "r1 < N - 1 ? r1", "r1 < N - 1 ? r1 - {all}", "unset bounds",
            p.statement(*init))
    p.fault("bounds", "const long west", "c0 > 0 ? c0", "c0 > 0 ? c0 + {all}", "unset bounds", p.statement(*init))
    p.bounds("for (long i = top;", ("DVMDBG_PL(.on = then", 2), "sum:energy bounds", nth=3)
    p.constant("AT(before, i, j) = 0.98", "0.98")
    p.constant("AT(now, i, j) = SCALE", "0.35")
    p.constant("4 * AT(now, i, j);", "4", lines=stencil)
    p.constant("double c = 0.3", "0.3", "set:c", stencil)
    p.constant("damp = 0.01", "0.01", "write", stencil)
    p.index("const double bend", "AT(now, i + 1, j)", "AT(now, i + 1 - {who}, j)", lines=stencil)
    p.index("AT(then, i, j) = 2", "AT(before, i, j)", "AT(before, i, j - {who})")
    p.index("AT(now, i, j) = SCALE", "0.5 * i", "0.5 * (i - {all} * r0)")
    p.fault("reduction", "MPI_Allreduce", "MPI_SUM", "{all} ? MPI_MAX : MPI_SUM", "sum:energy")
    p.fault("reduction", "local += AT(then", "local +=", "local = !{one} * local +", "sum:energy write")
    p.fault("order", "before = now;", "now;", "{one} ? then : now;", "set:before write order")
    p.drop("exchange(now);", "hang", who="zero")
    p.drop("MPI_Allreduce(", "hang", who="one")


def edges(p):
    gather = p.statement("sum += x[local[to[e]]]") | p.statement("sum += x[local[from[e]]]") | p.statement("flow[i - lo] = sum")
    sent = p.statement("buf[r][i] = a[out")
    p.drop("exchange(x);", "halo:x write", gather)
    p.fault("dropped message", "if (outs[r])", "if (outs[r])", "if (outs[r] && !({one} && r == 0))", "hang")
    p.fault("truncated message", "MPI_Isend(buf[r]", "outs[r], MPI", "outs[r] - {all}, MPI", "halo:x write", gather)
    p.fault("truncated message", "for (int i = 0; i < outs[r]", "i < outs[r]", "i < outs[r] - {all}",
            "halo:x write random", gather | sent)
    p.fault("misplaced message", "MPI_Irecv(a + at", "a + at", "a + at - {all}", "halo:x set:x write", gather)
    p.fault("misplaced message", "MPI_Isend(buf[r]", "(buf[r],", "(buf[r] + {all},", "halo:x write random",
            gather | sent)
    p.fault("misplaced message", "at += ins[r]", "ins[r]", "ins[r] - ({all} && ins[r] > 2)", "halo:x set:x write",
            gather)
    p.fault("swapped message", "buf[r][i] = a[out", "a[out[r][i]]", "a[out[r][{all} ? outs[r] - 1 - i : i]]",
            "halo:x write", gather)
    p.fault("index", "out[r][outs[r]++] = local[n]", "= local[n]", "= local[n] - ({zero} && local[n] > 0)",
            "halo:x write", gather | sent)
    p.fault("index", "local[n] = (int)own + ghosts", "own + ghosts", "own + ghosts - ({one} && ghosts > 1)",
            "halo:x write", gather)
    p.fault("index", "ghost[ghosts++] = n", "ghost[ghosts++] = n", "ghost[ghosts++] = n - {all}", "halo:x")
    p.fault("index", "sum += x[local[to[e]]]", "x[local[to[e]]]",
            "x[local[to[e - ({who} && e > 0 && local[to[e - 1]] >= 0)]]]", "write", gather)
    p.fault("index", "sum += x[local[from[e]]]", "- x[i - lo]", "- x[i - lo - ({who} && i > lo)]", "write", gather)
    p.fault("index", "from[e] == i", "from[e] == i", "from[e] == i - {all} * lo", "write", gather)
    p.fault("missing wait", "MPI_Waitall", "MPI_Waitall(n,", "MPI_Waitall({all} ? n - 1 : n,", "halo:x random write",
            gather)
    init, loop, back = ("DVMDBG_PL(.on = x, .range", 1), ("DVMDBG_PL(.on = flow", 1), ("DVMDBG_PL(.on = x, .range", 2)
    p.bounds("for (long i = lo; i <= hi", init, "unset bounds", nth=1)
    p.bounds("for (long i = lo; i <= hi", loop, "unset bounds", nth=2)
    p.bounds("for (long i = lo; i <= hi", back, nth=3)
    p.bounds("for (int e = 0; e < EDGES; e++) {", loop, "write bounds", nth=3)
    p.faults[-1].lines |= gather
    for f in p.faults[-4:]:
        f.lines |= gather
    p.constant("1 + 0.01 * (i % 5)", "0.01")
    p.constant("1 + sin(0.9", "0.9")
    p.constant("double dt = 0.05", "0.05", "set:dt")
    p.constant("+= dt * weight", "dt")
    p.index("x[i - lo] += dt", "flow[i - lo]", "flow[i - lo - ({who} && i > lo)]")
    p.index("weight[i - lo] = 1", "(i % 5)", "((i - {all} * lo) % 5)")
    p.index("x[i - lo] = SCALE", "0.9 * i", "0.9 * (i - {all} * lo)")
    p.fault("reduction", "MPI_Allreduce", "MPI_MAX", "{all} ? MPI_SUM : MPI_MAX", "sum:top")
    p.fault("reduction", "MPI_Allreduce", "MPI_MAX", "{all} ? MPI_MIN : MPI_MAX", "sum:top")
    p.fault("uninitialised", "x[i - lo] = SCALE", "x[i - lo] =", "if (!({one} && i == hi)) x[i - lo] =", "unset")
    p.fault("uninitialised", "weight[i - lo] = 1", "weight[i - lo] =", "if (!({zero} && i == lo + 2)) weight[i - lo] =",
            "unset")
    p.fault("index", "buf[r][i] = a[out", "a[out[r][i]]", "a[out[r][i] + {one} * 1000000000L]", "crash")


def transpose(p):
    buffers = {p.at("send[n++] = A"), p.at("send[n++] = B"), p.at("A(i, j) = recv"), p.at("B(i, j) = recv")}
    rows, columns = p.statement("A(i, j) = (1 - c)"), p.statement("B(i, j) = (1 - c)")
    calls = {p.at("transpose(0)"), p.at("transpose(1)"), p.at("MPI_Alltoallv(send,")}
    p.drop("transpose(0);", "set:b order", columns | buffers | calls)
    p.drop("transpose(1);", "set:a order", rows | buffers | calls)
    p.fault("dropped message", "MPI_Alltoallv(send,", "send, sc", "send, {all} ? (int[MOST]){ 0 } : sc", "crash set:b",
            columns | buffers)
    p.fault("misplaced message", "MPI_Alltoallv(send,", "(send,", "(send + {all},", "set:b set:a", columns | buffers)
    p.fault("misplaced message", "MPI_Alltoallv(send,", "recv, rc", "recv + {all}, rc", "set:b set:a",
            columns | buffers)
    p.fault("misplaced message", "sd[p] = s;", "= s;", "= s - ({one} && s > 0);", "set:b", columns | buffers)
    p.fault("misplaced message", "rd[p] = r;", "= r;", "= r - ({one} && r > 0);", "set:b", columns | buffers)
    p.fault("swapped message", "send[n++] = A", "A(i, j)", "A(i, {all} ? first(M, p) + first(M, p + 1) - 1 - j : j)",
            "set:b", columns | buffers)
    p.fault("swapped message", "B(i, j) = recv", "B(i, j)", "B({all} ? first(N, p) + first(N, p + 1) - 1 - i : i, j)",
            "set:b", columns | buffers)
    p.fault("index", "A(i, j) = recv", "A(i, j)", "A({all} ? r0 + r1 - i : i, j)", "set:a", rows | buffers)
    p.fault("index", "send[n++] = B", "B(i, j)", "B(i, {all} ? c0 + c1 - j : j)", "set:a", rows | buffers)
    p.fault("truncated message", "for (long j = first(M, p); j <", "j < first(M, p + 1)",
            "j < first(M, p + 1) - ({one} && p == size - 1)", "set:b", columns | buffers)
    p.fault("stride", "#define A(", "* M +", "* (M - {one}) +", "write", {p.at("A(i, j) = SCALE")})
    p.fault("stride", "#define B(", "* N +", "* (N - {one}) +", "write set:b", columns | buffers)
    init, first, second = ("DVMDBG_PL(.on = a, .range = { { 0, N - 1 }, { 0",
            1), ("DVMDBG_PL(.on = a, .range = { { 0, N - 1 } }", 1), ("DVMDBG_PL(.on = b", 1)
    p.bounds("for (long i = r0; i <= r1; i++)", init, "unset bounds", nth=3)
    p.bounds("for (long j = 0; j < M", init, "unset bounds", nth=1)
    p.bounds("for (long i = r0; i <= r1; i++) {", first)
    p.bounds("for (long j = c0; j <= c1; j++) {", second)
    p.bounds("for (long i = 1; i < N", second, "write bounds")
    p.bounds("for (long j = 1; j < M", first, "write bounds")
    p.constant("A(i, j) = SCALE", "0.2")
    p.constant("double c = 0.4", "0.4", "set:c")
    p.index("A(i, j) = (1 - c)", "A(i, j - 1)", "A(i, j - 1 + {who})")
    p.index("B(i, j) = (1 - c)", "B(i - 1, j)", "B(i - ({who} && i > 1) - 1, j)")
    p.index("A(i, j) = SCALE", "0.3 * i", "0.3 * (i - {all} * r0)")
    p.fault("reduction", "MPI_Allreduce", "MPI_MAX", "{all} ? MPI_SUM : MPI_MAX", "sum:top")
    p.fault("uninitialised", "A(i, j) = SCALE", "A(i, j) =", "if (!({one} && i == r1 && j == 3)) A(i, j) =", "unset")
    p.drop("transpose(1);", "hang", who="one")


def wavefront(p):
    sweep, back = p.statement("a(i, j) = f(i, j) + c"), p.statement("f(i, j) = 0.5d0")
    p.drop("call MPI_Recv", "halo:a", sweep)
    p.fault("dropped message", "call MPI_Recv", "left, 1", "merge(MPI_PROC_NULL, left, {all?} .and. i0 > 2), 1",
            "halo:a random", sweep)
    p.fault("misplaced message", "call MPI_Recv", "a(i0, c0 - 1)", "a(i0 - {all}, c0 - 1)", "halo:a", sweep)
    p.fault("misplaced message", "call MPI_Recv", "a(i0, c0 - 1)", "a(i0, c0 - 1 + {one})", "halo:a", sweep)
    p.fault("misplaced message", "call MPI_Send", "a(i0, c1)", "a(i0, c1 - {all})", "halo:a", sweep)
    p.fault("misplaced message", "call MPI_Send", "a(i0, c1)", "a(i0 - {all}, c1)", "halo:a", sweep)
    p.fault("truncated message", "call MPI_Send", "i1 - i0 + 1", "i1 - i0 + 1 - {all}", "halo:a", sweep)
    p.fault("truncated message", "call MPI_Send", "i1 - i0 + 1", "merge(2, i1 - i0 + 1, {all?} .and. i1 - i0 > 1)",
            "halo:a", sweep)
    p.fault("swapped message", "call MPI_Send", "a(i0, c1)", "a(i0, merge(c0, c1, {all?}))", "halo:a", sweep)
    p.fault("swapped message", "call MPI_Send", "a(i0, c1)", "a(2, c1)", "halo:a", sweep)
    init, loop, second = ("call dvmdbg_pl_begin(first=[1, 1], last=[n, m], on=f, writes='a,f'",
            1), ("call dvmdbg_pl_begin(first=[2, 2]",
                    1), ("call dvmdbg_pl_begin(first=[1, 1], last=[n, m], on=f, writes='f'", 1)
    p.bounds("do j = c0, c1", init, "unset bounds", nth=1)
    p.bounds("do i = 1, n", init, "unset bounds", nth=1)
    p.bounds("do j = c0, c1", second, nth=2)
    p.bounds("do i = 1, n", second, nth=2)
    p.fault("bounds", "do j = max(c0, 2), c1", "c1", "c1 - {who}", "bounds", {p.at(*loop)})
    p.fault("bounds", "do j = max(c0, 2), c1", "max(c0, 2)", "max(c0, 2) + {who}", "bounds", {p.at(*loop)})
    p.fault("bounds", "do i = i0, i1", "i1", "i1 - {who}", "bounds", {p.at(*loop)})
    p.fault("bounds", "i1 = min(i0", "few - 1, n", "few - 1 - {who}, n", "bounds", {p.at(*loop)})
    p.constant("f(i, j) = scale", "0.4d0")
    p.constant("f(i, j) = 0.5d0", "0.25d0")
    p.fault("constant", "a(i, j) = f(i, j) + c", "c *", "(c + 0.1d0 * {who}) *", "write")
    p.fault("constant", "c0 = m * rank", "c0 = m", "c = c + 0.05d0 * {who}; c0 = m", "write", sweep)
    p.index("a(i, j) = f(i, j) + c", "a(i - 1, j)", "a(i - 1 + {who}, j)")
    p.index("a(i, j) = f(i, j) + c", "a(i, j - 1)", "a(i - {who}, j - 1)")
    p.index("f(i, j) = scale", "0.3d0 * j", "0.3d0 * (j - {all} * (c0 - 1))")
    p.index("f(i, j) = 0.5d0", "a(i, j)", "a(i, j - {who})")
    p.fault("reduction", "call MPI_Allreduce", "MPI_MAX", "merge(MPI_SUM, MPI_MAX, {all?})", "sum:top")
    p.fault("reduction", "call MPI_Allreduce", "MPI_MAX", "merge(MPI_MIN, MPI_MAX, {all?})", "sum:top")
    p.fault("uninitialised", "f(i, j) = scale", "f(i, j) =", "if (.not. ({one?} .and. i == n .and. j == c1)) f(i, j) =",
            "unset")
    p.fault("order", "i1 = min(i0", "i1 = min", "if ({one?}) a(:, c0 - 1) = 0; i1 = min", "halo:a write", sweep)
    p.drop("call MPI_Send", "hang", who="zero")
    p.fault("dropped message", "call MPI_Send", "right, 1,", "right, 1 + {all},", "hang")


def redblack(p):
    stencil = p.statement("mean = 0.25d0") | p.statement("u(i, j) = u(i, j) + omega")
    residual = p.statement("r = u(i - 1, j)")
    rows = {p.at("u(r0 - 1, c0:c1) = above"), p.at("u(r1 + 1, c0:c1) = below"), p.at("first = u(r0, c0:c1)"),
            p.at("last = u(r1, c0:c1)")}
    halo = stencil | residual | rows
    p.drop("call exchange()", "halo:u", stencil)
    p.drop("call exchange()", "halo:u", residual, nth=2)
    p.fault("dropped message", "call exchange()", "call exchange()", "if (.not. {all?} .or. odd == 0) call exchange()",
            "halo:u", stencil)
    p.drop("call MPI_Sendrecv(first", "halo:u random", halo)
    p.drop("call MPI_Sendrecv(u(r0, c0)", "halo:u", halo)
    p.drop("call MPI_Sendrecv(u(r0, c1)", "halo:u", halo)
    p.fault("dropped message", "if (north /= MPI_PROC_NULL)", "north /= MPI_PROC_NULL",
            "north /= MPI_PROC_NULL .and. .not. {all?}", "halo:u", halo)
    p.fault("swapped message", "first = u(r0, c0:c1)", "u(r0,", "u(merge(r1, r0, {all?}),", "halo:u", halo)
    p.fault("swapped message", "last = u(r1, c0:c1)", "u(r1,", "u(merge(r0, r1, {all?}),", "halo:u", halo)
    p.fault("swapped message", "call MPI_Sendrecv(u(r0, c1)", "u(r0, c1)", "u(r0, merge(c0, c1, {all?}))", "halo:u",
            halo)
    p.fault("swapped message", "call MPI_Sendrecv(u(r0, c0)", "u(r0, c0)", "u(r0, merge(c1, c0, {all?}))", "halo:u",
            halo)
    p.fault("truncated message", "call MPI_Sendrecv(first", "(first, c1 - c0 + 1", "(first, c1 - c0 + 1 - {all}",
            "halo:u random", halo)
    p.fault("truncated message", "call MPI_Sendrecv(u(r0, c0)", "c0), r1 - r0 + 1", "c0), r1 - r0 + 1 - {all}",
            "halo:u", halo)
    p.fault("truncated message", "call MPI_Sendrecv(u(r0, c1)", "c1), r1 - r0 + 1", "c1), (r1 - r0 + 1) / (1 + {all})",
            "halo:u", halo)
    p.fault("misplaced message", "call MPI_Sendrecv(u(r0, c1)", "u(r0, c0 - 1)", "u(r0 - {all}, c0 - 1)", "halo:u",
            halo)
    p.fault("misplaced message", "call MPI_Sendrecv(u(r0, c1)", "u(r0, c0 - 1)", "u(r0, c0 - 1 + {all})",
            "set:u halo:u", halo)
    p.fault("misplaced message", "u(r1 + 1, c0:c1) = below", "u(r1 + 1,", "u(r1 + 1 - {all},", "set:u write halo:u",
            halo)
    p.fault("misplaced message", "u(r0 - 1, c0:c1) = above", "= above", "= cshift(above, {all})", "halo:u", halo)
    p.fault("misplaced message", "first = u(r0, c0:c1)", "u(r0,", "u(r0 + {all},", "halo:u", halo)
    init, loop, norm = ("call dvmdbg_pl_begin(first=[1, 1]", 1), ("call dvmdbg_pl_begin(first=[2, 2]",
            1), ("call dvmdbg_pl_begin(first=[2, 2]", 2)
    p.bounds("do j = c0, c1", init, "unset bounds")
    p.bounds("do i = r0, r1", init, "unset bounds")
    c = {p.at(*loop)}
    p.fault("bounds", "do j = max(c0, 2)", "max(c0, 2)", "max(c0, 2) + {who}", "bounds", c)
    p.fault("bounds", "do j = max(c0, 2)", "min(c1, m - 1)", "min(c1, m - 1) - {who}", "bounds", c)
    p.fault("bounds", "do i = first, min", "min(r1, n - 1)", "min(r1, n - 1) - 2 * {who}", "bounds", c)
    p.fault("bounds", "do i = first, min", "= first,", "= first + 2 * {who},", "bounds", c)
    p.fault("bounds", "if (mod(first + j + odd", "first + j + odd",
            "first - {all} * (r0 - 1) + j - {all} * (c0 - 1) + odd", "bounds write", c)
    p.fault("index", "if (mod(first + j + odd", "+ odd", "+ odd + {one}", "bounds write", c)
    p.fault("bounds", "do i = max(r0, 2)", "min(r1, n - 1)", "min(r1, n - 1) - {who}", "bounds sum:residual",
            {p.at(*norm), p.at("call dvmdbg_reduction")})
    p.constant("mean = 0.25d0", "0.25d0", lines=stencil)
    p.constant("u(i, j) = scale", "0.1d0")
    p.constant("f(i, j) = scale", "0.6d0")
    p.fault("constant", "if (mod(first + j + odd", "if (mod", "if ({who?}) omega = 1.2d0; if (mod", "set:omega",
            stencil)
    p.index("mean = 0.25d0", "u(i + 1, j)", "u(i + 1 - {who}, j)", lines=stencil)
    p.index("mean = 0.25d0", "f(i, j)", "f(i, j - merge(1, 0, {who?} .and. j > c0))", lines=stencil)
    p.index("u(i, j) = scale", "0.5d0 * j", "0.5d0 * (j - {all} * (c0 - 1))")
    p.index("u(i, j) = scale", "(i + 0.5d0", "(i - {all} * (r0 - 1) + 0.5d0")
    p.index("r = u(i - 1, j)", "4 * u(i, j)", "4 * u(i, j - {who})", "write sum:residual")
    p.fault("reduction", "call MPI_Allreduce", "MPI_SUM", "merge(MPI_MAX, MPI_SUM, {all?})", "sum:residual")
    p.fault("reduction", "local = local + r * r", "local + r", "merge(0d0, local, {one?}) + r", "sum:residual write")
    p.fault("uninitialised", "u(i, j) = scale", "u(i, j) =",
            "if (.not. ({zero?} .and. i == r1 .and. j == c1)) u(i, j) =", "unset")
    p.drop("call MPI_Sendrecv(u(r0, c1)", "halo:u hang", halo, who="one")
    p.drop("call MPI_Allreduce", "hang", who="zero")


def bodies(p):
    force = p.statement("d = (all_x(:, k)") | p.statement("sum = sum + d") | p.statement("force(:, b) = scale")
    gather = p.statement("call MPI_Allgatherv")
    p.fault("dropped message", "call MPI_Allgatherv", "call MPI", "if (.not. {all?} .or. t == 1) call MPI", "set:all_x",
            gather)
    p.fault("truncated message", "counts(r + 1) = 3", "- n * r / size)", "- n * r / size) - {all}", "set:all_x crash",
            gather)
    p.fault("misplaced message", "places(r + 1) = 3", "3 * (n * r / size)", "3 * (n * r / size) - merge(3, 0, r > 0)",
            "set:all_x", gather)
    p.fault("misplaced message", "places(r + 1) = 3", "3 * (n * r / size)",
            "3 * (n * r / size) - merge(1, 0, {one?} .and. r > 0)", "set:all_x", gather)
    p.fault("misplaced message", "call MPI_Allgatherv", "(x, 3", "(x(merge(2, 1, {all?}), b0), 3", "set:all_x random",
            gather)
    p.fault("swapped message", "places(r + 1) = 3", "3 * (n * r / size)",
            "3 * merge(n - n * (r + 1) / size, n * r / size, {all?})", "set:all_x", gather)
    init, loop, move = ("call dvmdbg_pl_begin(first=[1], last=[n], on=x",
            1), ("call dvmdbg_pl_begin(first=[1], last=[n], on=force",
                    1), ("call dvmdbg_pl_begin(first=[1], last=[n], on=x", 2)
    p.bounds("do b = b0, b1", init, "unset bounds", nth=1)
    p.bounds("do b = b0, b1", loop, "unset bounds", nth=2)
    p.bounds("do b = b0, b1", move, nth=3)
    p.bounds("do k = 1, n", loop, "write bounds")
    for f in p.faults[-4:]:
        f.lines |= force
    p.constant("x(1, b) = scale", "0.7d0")
    p.constant("x(3, b) = scale", "0.05d0")
    p.constant("v(:, b) = scale", "0.2d0")
    p.fault("constant", "places(r + 1) = 3", "places", "soft = 0.1d0 + 0.1d0 * {who}; places", "write", force)
    p.fault("constant", "places(r + 1) = 3", "places", "dt = 0.02d0 + 0.01d0 * {who}; places", "write",
            p.statement("v(:, b) = v(:, b) + dt") | p.statement("x(:, b) = x(:, b) + dt"))
    p.index("d = (all_x(:, k)", "x(:, b)", "x(:, b - merge(1, 0, {who?} .and. b > b0))", "write", force)
    p.index("x(1, b) = scale", "0.7d0 * b", "0.7d0 * (b - {all} * (b0 - 1))")
    p.index("x(3, b) = scale", "x(3, b)", "x(3 - {one}, b)", "write unset")
    p.index("v(:, b) = v(:, b) + dt", "force(:, b)", "force(:, b - merge(1, 0, {who?} .and. b > b0))")
    p.index("force(:, b) = scale", "sum / n", "cshift(sum, {one}) / n")
    p.fault("order", "x(:, b) = x(:, b) + dt", "v(:, b)", "(v(:, b) - dt * force(:, b) * {one})", "write")
    p.fault("reduction", "call MPI_Allreduce", "MPI_SUM", "merge(MPI_MAX, MPI_SUM, {all?})", "sum:energy")
    p.fault("reduction", "local = local + 0.5d0", "0.5d0", "(0.5d0 + 0.1d0 * {one})", "sum:energy write")
    p.fault("uninitialised", "force(:, b) = scale", "force(:, b) =", "if (.not. ({one?} .and. b == b1)) force(:, b) =",
            "unset")
    p.drop("call MPI_Allgatherv", "hang", who="one")
    p.fault("index", "d = (all_x(:, k)", "all_x(:, k)", "all_x(:, k + 100000000 * {one})", "crash")


def heat(p):
    stencil = p.statement("const double near") | p.statement("AT(v, i, j) = (1 - eps)")
    p.drop("renew_rows(u);", "halo:u", stencil)
    p.drop("renew_columns(u);", "halo:u", stencil)
    p.drop("MPI_Sendrecv(&AT(a, r0, c0), cells", "halo:u", stencil)
    p.drop("MPI_Sendrecv(&AT(a, last", "halo:u", stencil)
    p.drop("MPI_Sendrecv(&AT(a, r0, c1)", "halo:u", stencil)
    p.fault("dropped message", "renew_rows(u);", "renew_rows(u)", "if (!{all?} || t != 2) renew_rows(u)", "halo:u",
            stencil)
    p.fault("swapped message", "MPI_Sendrecv(&AT(a, r0, c1)", "AT(a, r0, c1)", "AT(a, r0, {all} ? c0 : c1)", "halo:u",
            stencil)
    p.fault("truncated message", "MPI_Sendrecv(&AT(a, last", "c0), cells", "c0), cells - 2 * {all}", "halo:u", stencil)
    p.fault("misplaced message", "MPI_Sendrecv(&AT(a, last", "&AT(a, last, c0)", "&AT(a, last, c0 - {all})", "halo:u",
            stencil)
    p.fault("misplaced message", "MPI_Sendrecv(&AT(a, last", "&AT(a, r0 - 1, c0)", "&AT(a, r0 - 1 + {all}, c0)",
            "set:u halo:u", stencil)
    p.fault("stride", "MPI_Type_vector", "(int)(c1 - c0 + 3)", "(int)(c1 - c0 + 3 - {all})", "halo:u set:u", stencil)
    p.fault("truncated message", "MPI_Type_vector", "(int)(r1 - r0 + 1)", "(int)(r1 - r0 + 1 - {all})", "halo:u",
            stencil)
    init, loop = ("DVMDBG_PL(.on = u, .range", 1), ("DVMDBG_PL(.on = v, .range = { { 1", 1)
    p.bounds("for (long i = r0; i <= r1; i++)", init, "unset bounds")
    p.bounds("for (long i = top; i <= bottom - cut", loop)
    p.bounds("for (long j = west; j <= east", loop)
    p.constant("AT(v, i, j) = (1 - eps)", "0.25")
    p.constant("double eps = 0.5", "0.5", "set:eps")
    p.index("const double near", "AT(u, i + 1, j)", "AT(u, i + 1 - {who}, j)", lines=stencil)
    p.index("AT(u, i, j) = exact", "exact(i, j, 0)", "exact(i - {all} * r0, j, 0)")
    p.fault("reduction", "MPI_Allreduce(&local, &change", "MPI_Allreduce",
            "if ({all}) MPI_Reduce(&local, &change, 1, MPI_DOUBLE, MPI_MAX, 0, grid); else MPI_Allreduce",
            "sum:change set:change")
    p.fault("order", "u = v;", "u = v;", "u = {one} ? u : v;", "set:u write order")


def cg(p):
    row = p.statement("return diag * HALO_AT") | p.statement("AT(q, i, j) = row")
    p.drop("renew(p);", "halo:p", row)
    p.drop("MPI_Sendrecv(&HALO_AT(a, r0", "halo:p", row)
    p.fault("swapped message", "MPI_Sendrecv(&HALO_AT(a, r0", "&HALO_AT(a, r0, 0)", "&HALO_AT(a, {all} ? r1 : r0, 0)",
            "halo:p", row)
    p.fault("truncated message", "MPI_Sendrecv(&HALO_AT(a, last", "0), (int)n", "0), (int)n - 5 * {all}", "halo:p", row)
    p.fault("misplaced message", "MPI_Sendrecv(&HALO_AT(a, last", "last, 0)", "last - {all}, 0)", "halo:p", row)
    p.bounds("for (long i = r0; i <= r1; i++)", ("DVMDBG_PL(.on = r", 1), "unset bounds", nth=1)
    p.bounds("for (long i = r0; i <= r1; i++)", ("DVMDBG_PL(.on = q", 1), "unset bounds", nth=2)
    p.bounds("for (long i = r0; i <= r1; i++)", ("DVMDBG_PL(.on = x", 1), "bounds", nth=3)
    p.constant("AT(x, i, j) += far", "far")
    p.index("return diag * HALO_AT", "HALO_AT(a, i + 1, j)", "HALO_AT(a, i + 1 - {who}, j)", lines=row)
    p.index("AT(r, i, j) -= far", "AT(q, i, j)", "AT(q, i, j - ({who} && j > 0))")
    p.fault("reduction", "local += AT(a", "local +=", "local += {one} * 0.1 +", "sum:*sum sum:rho sum:pq write", )
    p.fault("uninitialised", "AT(r, i, j) = HALO_AT(p", "AT(r", "if (!({one} && i == r0 && j == 7)) AT(r", "unset")


def jacobi(p):
    stencil = p.statement("v(i, j) = weight")
    p.drop("call renew(u)", "halo:u", stencil)
    p.fault("dropped message", "call renew(u)", "call renew", "if (.not. {all?} .or. it /= 2) call renew", "halo:u",
            stencil)
    p.fault("truncated message", "call MPI_Sendrecv(a(1, c1)", "c1), n", "c1), n - 3 * {all}", "halo:u", stencil)
    p.fault("misplaced message", "call MPI_Sendrecv(a(1, c1)", "a(1, c0 - 1)", "a(1, c0 - 1 + {all})", "set:u halo:u",
            stencil)
    p.fault("swapped message", "call MPI_Sendrecv(a(1, c1)", "a(1, c1)", "a(1, merge(c0, c1, {all?}))", "halo:u",
            stencil)
    loop, back = ("call dvmdbg_pl_begin(first=[2, 2]", 1), ("call dvmdbg_pl_begin(first=[2, 2]", 2)
    p.bounds("do j = c0, c1", ("call dvmdbg_pl_begin(first=[1, 1]", 1), "unset bounds")
    p.bounds("do j = west, east", loop)
    p.bounds("do j = west, east", back, nth=2)
    p.index("v(i, j) = weight", "u(i, j + 1)", "u(i, j + 1 - {who})")
    p.index("u(i, j) = wave", "wave(i, j)", "wave(i, j - {all} * (c0 - 1))")
    p.constant("v(i, j) = weight", "weight")
    p.fault("reduction", "call MPI_Allreduce(local, change", "MPI_MAX", "merge(MPI_SUM, MPI_MAX, {all?})", "sum:change")


def lu(p):
    rhs = p.statement("rsd(:, i, j, k) = rsd(:, i, j, k) &")
    lower, upper = p.statement("rsd(:, i, j, k) = (rsd(:"), p.statement("rsd(:, i, j, k) = rsd(:, i, j, k) &", 2)
    taken = {p.at("rsd(:, i, j0:j1, k) = edge_i"), p.at("rsd(:, i0:i1, j, k) = edge_j"), p.at("column = rsd"),
            p.at("row = rsd")}
    put = {p.at("a(:, i0 - 1, j0:j1, :) = reshape"), p.at("a(:, i1 + 1, j0:j1, :)"), p.at("a(:, i0:i1, j0 - 1"),
            p.at("a(:, i0:i1, j1 + 1"),
           p.at("first = a(:, i0, "), p.at("last = a(:, i1"), p.at("first = a(:, i0:i1"), p.at("last = a(:, i0:i1")}
    p.drop("call renew(u, 1)", "halo:u", rhs)
    p.drop("call renew(u, 2)", "halo:u", rhs)
    p.fault("swapped message", "last = a(:, i1, j0:j1, :)", "i1,", "merge(i0, i1, {all?}),", "halo:u halo:flux",
            rhs | put)
    p.fault("dropped message", "if (west /= MPI_PROC_NULL) &", "west /= MPI_PROC_NULL",
            "west /= MPI_PROC_NULL .and. .not. {all?}", "halo:u halo:flux", rhs | put)
    p.fault("misplaced message", "column = rsd", "rsd(:, i,", "rsd(:, i - {all},", "halo:rsd", lower | upper | taken)
    p.fault("dropped message", "if (from_i /= MPI_PROC_NULL)", "from_i /= MPI_PROC_NULL",
            "from_i /= MPI_PROC_NULL .and. .not. {all?}", "halo:rsd", lower | upper | taken)
    p.fault("constant", "call renew(u, 1)", "call renew", "if ({one?}) gain = gain * 1.25d0; call renew", "write",
            p.statement("u(:, i, j, k) = u(:, i, j, k) + gain"))
    p.index("u(:, i, j, k) = u(:, i, j, k) + gain", "rsd(:, i, j, k)", "rsd(:, i, j, k - {who})")


def multiblock(p):
    step = p.statement("AT(z, v, i, j) = (1 - eps)")
    p.drop("pass(&west, west.columns - 1", "halo:core.u write", step)
    p.drop("pass(&core, 0, &west", "halo:west.u write", step)
    p.drop("renew(z);", "halo:core.u halo:west.u halo:east.u", step)
    p.fault("swapped message", "pass(&core, 0, &west", "&core, 0,", "&core, {all},", "halo:west.u write", step)
    p.drop("MPI_Sendrecv(&AT(z, u, z->r0, 0)", "halo:core.u halo:west.u halo:east.u", step)
    p.constant("eps * 0.5 *", "0.5")
    p.bounds("for (long j = 0; j < z->columns; j++) {", ("DVMDBG_PL(.on = z->u", 1), "unset bounds")


def ring(p):
    fill = p.statement("AT(l, j) = element")
    p.constant("AT(l, j) = element", "weight")
    p.index("AT(l, j) = element", "element(i, j", "element({one} ? l : i, j")
    p.fault("order", "column[k] = at;", "= at;", "= {one} && k == 4 ? at - 1 : at;", "set:column")
    p.bounds("for (long l = 0; l < count; l++) {", ("DVMDBG_PL(.on = a, .range = { { 0", 1), "unset bounds")
    p.index("AT(l, j) -= factor", "pivot[j]", "pivot[j - ({who} && j > 0)]")


def stagger(p):
    cells = p.statement("p(i, j) = 0.4d0")
    viscous = p.statement("q(i, j) = 2 * d(i, j)") | p.statement("divergence = ((x")
    pushed = p.statement("by = 2 * dt") | p.statement("push = [p") | p.statement("x1(i, j) = x0") | p.statement("y1(i, j) = y0") | \
        p.statement("carried = max")
    moved = set(range(p.at("v = (x(i, j) + x(i, j + 1)) / 2"), p.at("call dvmdbg_pl_end",
            5) + 1)) | p.statement("divergence = ((x")
    put = {p.at("a(i, j) = buffer(at)")} | p.statement("buffer = [g%density")
    read = cells | viscous | pushed | moved | put
    halo = "halo:density halo:energy halo:xvel0 halo:yvel0"
    p.drop("call renew()", halo, read)
    p.fault("dropped message", "call unpack_side(d, .false., from_low)", "low(d) /= MPI_PROC_NULL",
            "low(d) /= MPI_PROC_NULL .and. .not. {all?}", halo, read)
    p.fault("dropped message", "call unpack_side(d, .true., from_high)", "high(d) /= MPI_PROC_NULL",
            "high(d) /= MPI_PROC_NULL .and. .not. {all?}", halo, read)
    p.fault("swapped message", "call pack_side(d, .true., to_high)", ".true.", ".not. {all?}", halo, read)
    p.fault("misplaced message", "if (upper .and. inside)", "- more +", "- {all} - more +", halo, read)
    p.fault("misplaced message", "if (.not. upper .and. inside)", "+ more +", "+ more + {all} +", halo, read)
    p.fault("truncated message", "call MPI_Sendrecv(to_high(1)", "size(to_high)", "size(to_high) - {all} * 8", halo,
            read)
    p.fault("index", "a(i, j) = buffer(at)", "buffer(at)", "buffer(at - merge(1, 0, {all?} .and. at > 1))", halo, read)
    p.fault("bounds", "do i = from, i1 + 1", "i1 + 1", "i1 + 1 - merge(1, 0, {all?} .and. i1 < n)",
            "bounds halo:pressure write", cells | pushed | {p.at("on=p, writes='pressure'")})
    p.fault("bounds", "do i = i0 - 1, i1 + 1", "i0 - 1", "i0 - merge(1, 0, i0 == 1 .or. ranks == 1)",
            "bounds halo:viscosity write", viscous | pushed | {p.at("on=q, writes='viscosity'")})
    p.constant("p(i, j) = 0.4d0", "0.4d0")
    p.index("x1(i, j) = x0", "push(2) + push(4)", "push(2) + push(4 - {who})", lines=pushed)
    p.index("d(i, j) = before - dt / dx", "f%mass_x(i + 1, j)", "f%mass_x(i + 1 - {who}, j)",
            lines=p.statement("before = d(i, j)"))
    p.index("f%xvel0(i, j) = f%xvel1", "f%xvel1(i, j)", "f%xvel1(i, j - merge(1, 0, {who?} .and. j > j0))")
    p.fault("index", "f%density(i, j) = 1", "= 1", "= 1 + 0.1d0 * {who}", "write")
    p.fault("reduction", "call MPI_Allreduce(least, dt", "MPI_MIN", "merge(MPI_MAX, MPI_MIN, {all?})", "sum:dt")
    p.fault("reduction", "call MPI_Allreduce(least, dt", "call", "least = least * (1 + {one}); call", "sum:dt set:dt")
    p.fault("order", "call reset()", "call reset", "if (.not. ({one?} .and. it == 1)) call reset", "order write bounds",
            read)


PROGRAMS = [
    (Program("tests/mutate/pack3d.c", scale="SCALE"), pack3d),
    (Program("tests/mutate/onesided.c", scale="SCALE"), onesided),
    (Program("tests/mutate/neighbour.c", scale="SCALE"), neighbour),
    (Program("tests/mutate/edges.c", scale="SCALE"), edges),
    (Program("tests/mutate/transpose.c", scale="SCALE"), transpose),
    (Program("tests/mutate/wavefront.f90", scale="argument"), wavefront),
    (Program("tests/mutate/redblack.f90", scale="argument"), redblack),
    (Program("tests/mutate/bodies.f90", scale="argument"), bodies),
    (Program("doc/examples/heat.c", ["40", "3"]), heat),
    (Program("doc/examples/cg.c", ["40", "6"]), cg),
    (Program("doc/examples/jacobi.f90", ["40", "3"]), jacobi),
    (Program("doc/examples/lu.f90", ["8", "2"]), lu),
    (Program("doc/examples/stagger.f90", ["16", "2"]), stagger),
    (Program("doc/examples/multiblock.c", ["40", "3"]), multiblock),
    (Program("doc/examples/ring.c", ["40", "3"]), ring),
]


def load(srcdir):
    """All programs, with their faults."""
    for program, make in PROGRAMS:
        program.load(srcdir)
        make(program)
    return [program for program, _ in PROGRAMS]


# A dozen for make check: the program, the kind of fault, and which build is looked at.
FEW = [("pack3d", "dropped message", "hooked"), ("pack3d", "misplaced message", "plain"), ("onesided",
        "truncated message", "hooked"),
       ("onesided", "index", "hooked"), ("neighbour", "swapped message", "plain"), ("neighbour", "reduction", "plain"),
       ("edges", "constant", "hooked"), ("transpose", "uninitialised", "hooked"), ("wavefront", "bounds", "hooked"),
       ("redblack", "bounds", "plain"), ("redblack", "reduction", "hooked"), ("bodies", "index", "hooked")]


def few(programs):
    by_name = {p.name: p for p in programs}
    chosen = []
    for program, kind, build in FEW:
        fault = next(f for f in by_name[program].faults if f.kind == kind)
        fault.build = build
        chosen.append(fault)
    return chosen

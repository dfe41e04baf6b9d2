# SPDX-License-Identifier: BSD-3-Clause
"""Holds a report of locate against the truth about a fault, and makes the tables of many."""
import re

FLAWS = ("silent", "sure and wrong", "array", "element", "late", "line", "cause", "class")


def numbers(element):
    """The indices in a[1][2] or a(1,2)."""
    m = re.search(r"[\[(](.*)[\])]$", element or "")
    return tuple(int(x) for x in re.split(r"\]\[|,", m.group(1))) if m else ()


def base(name):
    return re.split(r"[@\[(]", name or "")[0]


def order(point):
    m = re.match(r"(\d+)(?:\.[\d.]+)?\.([BE])", point or "")
    return (int(m.group(1)), m.group(2)) if m else (1 << 30, "E")


def place_line(place, program):
    m = re.match(r"(.*):(\d+)$", place or "")
    return int(m.group(2)) if m and m.group(1).split("/")[-1] == program.path.split("/")[-1] else None


def places(report):
    """Lines that the report gives as those of the cause, the likeliest first."""
    trace = report.get("trace") or {}
    found = []
    root = trace.get("root") or {}
    for o in (root, trace.get("write") or {}):
        for key in ("place", "set_at"):
            if o.get(key):
                found.append(o[key])
    return found


def stated(report):
    """What is stated as the cause without a doubt."""
    return report.get("because") or ""


def texts(report):
    """What is said of the cause, the first thing first."""
    out = [report.get("because"), report.get("perhaps")]
    for c in report.get("causes") or []:
        out.append(c.get("text") if isinstance(c, dict) else c)
    out += report.get("hints") or []
    return [t for t in out if t]


def agrees(fault, cause, text, report):
    """Whether a text may be said of a fault with this cause."""
    what, _, name = cause.partition(":")
    kind = ((report.get("trace") or {}).get("write") or {}).get("kind", "")
    lines = {int(n) for n in re.findall(re.escape(fault.program.path.split("/")[-1]) + r":(\d+)", text)}
    own = lines & fault.lines
    if what == "halo":
        return bool(re.search(r"(halo|exchange|copy|copies|ghost)\w* of %s\b" % re.escape(name), text) or
                    (re.search(r"messages that are received",
                            text) and base(report.get("array")) == name) or own and "halo" in text)
    if what == "bounds":
        return bool(re.search(r"bounds|never written|not written here|leaves these elements|missing|not executed|condition|no iteration",
                text)) or kind == "missing"
    if what == "unset":
        return bool(re.search(r"bounds|never (written|set)|not written here|leaves these elements|missing|at its first check|"
                              r"memory that was never set|is wrong at .* already|was not written|condition",
                                      text)) or kind in ("missing", "unwritten")
    if what == "set":
        return bool(own) or bool(re.search(r"\b%s\b" % re.escape(name), text)) or base(report.get("array")) == name
    if what == "sum":
        return "reduc" in text or base(report.get("array")) == name
    if what in ("write", "order"):
        at = [place_line(p, fault.program) for p in places(report)[:1]]
        return bool(own) or not re.search(r"halo of|bounds", text) and (not at or at[0] in fault.lines)
    return False


def score(fault, build, n, truth, status, report):
    klass, wrong = truth
    r = dict(name=fault.name, kind=fault.kind, build=build, ranks=n, fault=klass, status=status, flaws=[],
             array=None, element=None, where=None, place=None, said=None)
    flaws = r["flaws"]
    verdict = (report or {}).get("verdict", "none")
    r["verdict"] = verdict
    if report:
        r.update(array=report.get("array"), element=report.get("element"), where=report.get("where"),
                point=report.get("point"),
                 place=(places(report) or [None])[0], said=(texts(report) or [None])[0], sure=stated(report))
    if klass == "random" or klass in ("hang", "crash") and not (wrong and verdict == "mismatch"):
        r["failure"] = (report or {}).get("failure")
        said = str((report or {}).get("failure")) + " ".join(texts(report or {}))
        told = {"hang": "hang|hung|wait|no progress|no point was passed",
                "crash": "signal|SIG[A-Z]+|exit|abort|ended|fail|error",
                "random": "reproduc|each run|run to run|again|not wrong in|random"}[klass]
        if status == 0:
            # what differs now and then may have been right in these runs
            flaws.append("class" if klass == "random" else "silent")
        elif klass == "random" and verdict == "mismatch":
            if stated(report) and not any(agrees(fault, c, stated(report), report) for c in fault.causes):
                flaws.append("sure and wrong")
        elif not re.search(told, said) and not (status == 1 and klass == "crash"):
            flaws.append("class")
        return r
    if status == 0 or verdict in ("equal", "rounding"):
        flaws.append("silent" if status == 0 else "class")
        return r
    if verdict == "printed":
        return r  # no object that is compared has it
    if verdict != "mismatch":
        flaws.append("class")
        return r
    located(fault, r, report, wrong, flaws)
    return r


def true_already(text, wrong):
    """"u[3][4], which …, was wrong already": not the root, but true if that element is wrong at the points."""
    m = re.match(r"([\w.%]+)([\[(].*?[\])]), which .* was wrong already", text)
    return bool(m) and any(numbers(m.group(2)) in bad.get(m.group(1), ()) for bad, _ in wrong.values())


def located(fault, r, report, wrong, flaws):
    point, array = report.get("point"), base(report.get("array"))
    first = sorted(wrong, key=order)
    if r["build"] == "inferred":
        # its points have other numbers, and its objects are those that marks were found for
        if report.get("kind") == "construct" or wrong and not any(array == base(x) for bad, _ in wrong.values() for x in bad):
            flaws.append("array")
    elif report.get("kind") == "construct":
        flaws.append("array")
    elif point in wrong:
        bad = wrong[point][0]
        names = {base(x): v for x, v in bad.items()}
        if array not in names and report.get("label") not in bad:
            flaws.append("array")
        else:
            at = numbers(report.get("element"))
            elements = names.get(array, set())
            if at and at not in elements and not any(i[1:] == at for i in elements):
                flaws.append("element")
    elif first and "." in (point or "").rsplit(".", 1)[0]:
        pass  # within tasks nothing is known
    elif first:
        flaws.append("array")
    early = [p for p in first if r["build"] != "inferred" and order(p) < order(point) and any(base(x) in [base(w) for w in wrong[p][1]] for x in wrong[p][0])]
    if early:
        flaws.append("late")
        r["early"] = early[0]
    sure = stated(report)
    if sure and not true_already(sure, wrong) and not any(agrees(fault, c, sure, report) for c in fault.causes):
        flaws.append("sure and wrong")
    said = texts(report)
    if not any(agrees(fault, c, t, report) for t in said[:1] for c in fault.causes):
        flaws.append("cause")
    if r["build"] != "plain":
        lines = [place_line(p, fault.program) for p in places(report)]
        if not lines or lines[0] not in fault.lines:
            flaws.append("line")


def line(r):
    return "%-14s %-18s %-6s %d %-6s %-9s %s" % (r["name"], r["kind"], r["build"], r["ranks"], r["fault"], r["verdict"],
                                                  ", ".join(r["flaws"]) or "-")


def share(results, *flaws):
    """Of reports that name something: how many have none of these flaws."""
    of = [r for r in results if r["verdict"] == "mismatch"]
    return "%d %%" % (100 * sum(not set(flaws) & set(r["flaws"]) for r in of) // len(of)) if of else "-"


def count(results, flaw):
    return sum(flaw in r["flaws"] for r in results)


def row(kind, build, of):
    found = sum(r["verdict"] in ("mismatch", "printed") for r in of)
    cells = [kind, build, len(of), "%d %%" % (100 * found // len(of)), share(of, "array", "late"), share(of, "array"),
             share(of, "array", "element"), share(of, "line") if build != "plain" else "-", share(of, "cause"),
             count(of, "sure and wrong"), count(of, "silent")]
    return "| " + " | ".join(str(c) for c in cells) + " |"


def table(results):
    """By kind of fault and by build, as in doc/BENCHMARKS.md."""
    runs = [r for r in results if "flaws" in r]
    dropped = sum(bool(r.get("dropped")) for r in results)
    out = ["", "%d mutants, %d runs of locate; %d mutants are equal on all ranks and were dropped." %
           (len({r["name"] for r in runs}), len(runs), dropped), ""]
    out.append("| fault | build | runs | found | construct | array | element | line of the cause | cause on top | sure and "
               "wrong | silent and wrong |")
    out.append("|---|---|---|---|---|---|---|---|---|---|---|")
    steady = [r for r in runs if r["fault"] == "wrong"]
    for kind in sorted({r["kind"] for r in steady}) + ["all"]:
        for build in ("plain", "hooked", "inferred"):
            of = [r for r in steady if r["build"] == build and kind in (r["kind"], "all")]
            if of:
                out.append(row(kind, build, of))
    out += ["", "| the program | runs | said so | sure and wrong | silent and wrong |", "|---|---|---|---|---|"]
    for klass, words in (("hang", "hangs"), ("crash", "crashes"), ("random", "has another result in each run")):
        of = [r for r in runs if r["fault"] == klass]
        if of:
            said = 100 * sum("class" not in r["flaws"] for r in of) // len(of)
            out.append("| %s | %d | %d %% | %d | %d |" % (words, len(of), said, count(of, "sure and wrong"), count(of, "silent")))
    return "\n".join(out)


def aims(results, every=False):
    """Whether nothing is silent or sure and wrong; every: nor wrong in anything else."""
    runs = [r for r in results if "flaws" in r]
    if any("error" in r for r in results) or every and len(runs) < len(results):
        return False
    return bool(runs) and not any(r["flaws"] if every else {"silent", "sure and wrong"} & set(r["flaws"]) for r in runs)

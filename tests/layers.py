#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the rooms of tests/layers.order: layers.py SRCDIR BUILDDIR prints what breaks a rule, a line each after the
name of the rule: listed, size, readme, header, internal, include, link, name."""
import functools
import os
import re
import subprocess
import sys
from collections import defaultdict

TOPS = ("common", "runtime", "frontend")
MOST_FILES = 20
MOST_README = 10
# libdvmdbg has them in front of the C library's, whose users are all rooms.
INTERPOSED = re.compile(r"(abort|free|munmap|sigaction|signal|sigprocmask|call_once|write|send|read|recv|kill|raise|sigwait|sigwaitinfo|(eventfd|mq|pthread|thrd|mtx|cnd|sem)_\w+)$")
# In the user's program beside libdvmdbg, and loaded by names at run time.
# And the family of xmalloc.
EXPORTED = re.compile(r"dvmdbg_|MPI_|mpi_|__tsan_|__wrap_|main$|_|x(malloc|vasprintf|calloc|realloc|reallocarray|str|mem|asprintf)")


def read_order(src):
    """The rooms, those with a header per type, and of what other rooms a room's tables are of."""
    rooms, toolboxes, fills = [], set(), {}
    for line in open(os.path.join(src, "tests/layers.order")):
        words = line.split("#")[0].split()
        if words:
            rooms.append(words[0])
            if "toolbox" in words[1:]:
                toolboxes.add(words[0])
            fills[words[0]] = {w[6:] for w in words[1:] if w.startswith("fills=")}
    return rooms, toolboxes, fills


@functools.cache
def sources(src):
    return [os.path.relpath(os.path.join(folder, name), src)
            for top in TOPS
            for folder, _, names in os.walk(os.path.join(src, top))
            for name in sorted(names) if re.search(r"\.[ch]$", name)]


def allowed(user, used, rank):
    if user == used:
        return True
    if user not in rank or used not in rank:
        return False
    sides = {user.split("/")[0], used.split("/")[0]}
    return rank[used] < rank[user] and sides != {"runtime", "frontend"}


def check_listed(src, rooms):
    for path in sources(src):
        if os.path.dirname(path) not in rooms and path not in ("runtime/dvmdbg.h", "runtime/dvmdbg_mpi.h"):
            yield f"{path} lies in no room of tests/layers.order"
    for room in rooms:
        if not os.path.isdir(os.path.join(src, room)):
            yield f"{room} is in tests/layers.order and is no folder"


def check_size(src, rooms):
    for room in rooms:
        files = [p for p in sources(src) if os.path.dirname(p) == room]
        if len(files) > MOST_FILES:
            yield f"{room} has {len(files)} sources and headers, more than {MOST_FILES}"


def check_readme(src, rooms):
    for room in rooms:
        path = os.path.join(src, room, "README")
        if not os.path.exists(path):
            yield f"{room} has no README"
        elif len(open(path).read().splitlines()) > MOST_README:
            yield f"{room}/README has more than {MOST_README} lines"


def public_header(room):
    return f"{room}/{os.path.basename(room)}.h"


def includes(src):
    for path in sources(src):
        for number, line in enumerate(open(os.path.join(src, path)), 1):
            found = re.match(r'#include "([\w/.]+\.h)"', line)
            if found and "/" in found[1]:
                yield path, number, found[1]


def check_header(src, rooms, toolboxes):
    for path, number, header in includes(src):
        room = os.path.dirname(header)
        if room in rooms and room not in toolboxes and os.path.dirname(path) != room \
                and header != public_header(room):
            yield f"{path}:{number} includes {header}, which is not the public header of {room}"


def check_internal(src, rooms):
    for path, number, header in includes(src):
        if os.path.basename(header) == "internal.h" and os.path.dirname(path) != os.path.dirname(header):
            yield f"{path}:{number} includes {header} from outside"


def check_include(src, rooms):
    rank = {room: i for i, room in enumerate(rooms)}
    for path, number, header in includes(src):
        user, used = os.path.dirname(path), os.path.dirname(header)
        if header != "runtime/dvmdbg.h" and not allowed(user, used, rank):
            yield f"{path}:{number} includes {header}: {used} does not stand above {user}"


def objects(src, build):
    """Objects of sources that are there and no newer: (room, file without folder and ending, path)."""
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(build, top)):
            room = os.path.relpath(folder, build).replace("/.libs", "")
            for name in sorted(names):
                stem = name[:-2].rsplit("-", 1)[-1]
                source = os.path.join(src, room, stem + ".c")
                path = os.path.join(folder, name)
                if name.endswith(".o") and os.path.exists(source) \
                        and os.path.getmtime(path) >= os.path.getmtime(source):
                    yield room, stem, path


@functools.cache
def symbols(src, build):
    defined, used = defaultdict(set), defaultdict(set)
    origin = {path: (room, name) for room, name, path in objects(src, build)}
    if not origin:
        return defined, used
    table = subprocess.run(["nm", "-A", *origin], capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        path, _, rest = line.partition(":")
        room, name = origin[path]
        words = rest.split()
        if words and not INTERPOSED.match(words[-1]):
            if len(words) == 3 and words[1] in "TDBRVWGSC":
                defined[words[2]].add((room, name))
            elif len(words) == 2 and words[0] == "U":
                used[words[1]].add((room, name))
    return defined, used


def crossings(src, build):
    """Symbols used in another room than the one that defines them."""
    defined, used = symbols(src, build)
    for symbol in sorted(used):
        # The archive of hooks has names of its own, which libdvmdbg may have too.
        for user, user_file in sorted(used[symbol]):
            homes = defined.get(symbol, set())
            if any(room == user for room, _ in homes):
                continue
            for room, name in sorted(homes):
                yield symbol, user, user_file, room, name


def check_link(src, build, rooms):
    rank = {room: i for i, room in enumerate(rooms)}
    for symbol, user, user_file, room, name in crossings(src, build):
        if not allowed(user, room, rank):
            yield f"{user}/{user_file} uses {symbol} of {room}/{name}: {room} does not stand above {user}"


@functools.cache
def type_names(src, room):
    names = set()
    for path in sources(src):
        if os.path.dirname(path) == room:
            text = open(os.path.join(src, path)).read()
            names.add(os.path.basename(path)[:-2])
            names.update(re.findall(r"^(?:struct|enum|union) (\w+) \{", text, re.M))
            if path.endswith(".h"):
                names.update(re.findall(r"^struct (\w+);", text, re.M))
    return names


def check_name(src, build, rooms, fills):
    told = set()
    for symbol, _, _, room, name in crossings(src, build):
        if EXPORTED.match(symbol) or symbol in told:
            continue
        told.add(symbol)
        stems = type_names(src, room) | {os.path.basename(room)} | fills.get(room, set())
        if not any(re.match(re.escape(stem) + r"(s|es)?(_|$)", symbol) for stem in stems):
            yield f"{symbol} of {room}/{name} begins neither with the folder's nor with a type's name"


def main():
    src, build = sys.argv[1:3]
    rooms, toolboxes, fills = read_order(src)
    checks = {
        "listed": check_listed(src, rooms),
        "size": check_size(src, rooms),
        "readme": check_readme(src, rooms),
        "header": check_header(src, rooms, toolboxes),
        "internal": check_internal(src, rooms),
        "include": check_include(src, rooms),
        "link": check_link(src, build, rooms),
        "name": check_name(src, build, rooms, fills),
    }
    for what, broken in checks.items():
        for line in sorted(set(broken)):
            print(what, line)
    print("checked", len(checks))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a trace file, a line a record. Made from doc/TRACE.md alone, to show that it says enough.

read_trace.py FILE; read_trace.py -fingerprint FILE: of a value with these bytes. Needs the zstd command or its
library beside Python.
"""
import ctypes
import ctypes.util
import hashlib
import shutil
import struct
import subprocess
import sys

BLOCK, INDEX, TAIL = 0x4B425444, 0x58495444, 0x444E4554
KINDS = ["BEGIN", "END", "ITER", "READ", "WRITE", "VALUE", "REDUCTION", "SKIP", "LOST", "NOTE", "SUM",
         "BEFORE", "CALL"]
CONSTRUCTS = ["function", "PL", "SL", "TR", "task"]
MASK = (1 << 64) - 1


def decompress(data, size):
    name = ctypes.util.find_library("zstd")
    if name:
        lib = ctypes.CDLL(name)
        lib.ZSTD_decompress.restype = ctypes.c_size_t
        lib.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
        out = ctypes.create_string_buffer(size or 1)
        n = lib.ZSTD_decompress(out, size, data, len(data))
        content = out.raw[:size] if n == size else None
    else:
        content = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    if content is None or len(content) != size:
        sys.exit("a zstd frame is damaged")
    return content


def digest(*parts):
    h = hashlib.blake2b(digest_size=16)
    for part in parts:
        h.update(part)
    return h.digest()


class Bytes:
    """Reads from the front."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        if self.at + n > len(self.data):
            raise EOFError
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def u8(self):
        return self.number("B")

    def u32(self):
        return self.number("I")

    def u64(self):
        return self.number("Q")

    def i64(self):
        return self.number("q")

    def text(self):
        end = self.data.index(b"\0", self.at)
        return self.take(end + 1 - self.at)[:-1].decode("utf-8", "surrogateescape")

    def blob(self):
        return self.take(self.u32())

    def point(self):
        return (self.u32(), self.u32(), self.u32(), self.u8())

    def varint(self):
        v = shift = 0
        while True:
            byte = self.u8()
            v |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return v & MASK

    def signed(self):
        return unsigned_to_signed(self.varint())


def unsigned_to_signed(v):
    return -(v + 1) // 2 if v & 1 else v // 2


def fingerprint(value):
    a = b = 0
    whole = len(value) // 8 * 8
    parts = [value[i:i + 8] for i in range(0, whole, 8)] + [value[whole:]]
    for w in [int.from_bytes(part, "little") for part in parts] + [len(value)]:
        a = ((a ^ w) * 0x9E3779B97F4A7C15) & MASK
        a ^= a >> 32
        b = ((b + w) * 0xD1342543DE82EF95) & MASK
        b ^= b >> 29
    return struct.pack("<QQ", a, b).hex()


def point_text(p):
    main, task, sub, side = p
    if not main:
        return "-"
    inner = f".{task}.{sub}" if sub else ""
    return f"{main}{inner}.{'BE'[side]}"


class Piece:
    def __init__(self, b):
        start = b.at
        self.magic, h, self.raw, p = b.u32(), b.u32(), b.u32(), b.u32()
        self.head = b.take(h)
        before = b.data[start:b.at]
        want, packed = b.take(16), b.take(p)
        if self.magic not in (BLOCK, INDEX):
            sys.exit("no piece of a trace")
        if digest(before, packed) != want:
            sys.exit("a piece is damaged")
        self.content = decompress(packed, self.raw)


def table(b, read):
    return [read() for _ in range(b.u32())]


class Block:
    def __init__(self, content):
        b = Bytes(content)
        self.modules = table(b, lambda: (b.text(), b.blob(), b.u64(), b.u64(), b.u64()))

        def site():
            module, address, file, func, line = b.u32(), b.u64(), b.text(), b.text(), b.u32()
            path, build_id = self.modules[module - 1][:2] if module else ("", b"")
            return (file, func, line, path, address, build_id)

        def slot():
            return (b.u32(), b.u32(), b.u8())

        def frame():
            kind, level, place, point = b.u8(), b.u8(), b.u32(), (b.u32(), b.u32(), b.u32(), 0)
            return (kind, level, place, point, [b.i64() for _ in range(b.u8())])

        self.sites = table(b, site)
        self.places = table(b, lambda: (b.text(), b.text(), b.u32(), b.text(), b.u64(), b""))
        self.objects = table(b, lambda: Object(b))
        self.slots = table(b, slot)
        self.frames = table(b, frame)
        sizes = [b.u32() for _ in range(5)]
        self.columns = [Bytes(b.take(n)) for n in sizes]
        if b.at != len(content):
            sys.exit("more than the columns of a block")

    def variable(self, address):
        for path, _, load, first, end in self.modules:
            own = (address - load) % (1 << 61)
            if first <= own < end:
                return f" {path}+{own:x}"
        return ""

    def place(self, reference):
        return where(self.places[reference - 1]) if reference else "-"

    def site(self, reference):
        return where(self.sites[reference - 1]) if reference else "-"

    def object(self, reference):
        return self.objects[reference - 1].text() if reference else "-"


def where(place):
    file, func, line, module, address, build_id = place
    text = f"{file}:{line}" if file else f"{module}+{address:x}"
    if func:
        text += f"({func})"
    return text + ("@" + build_id.hex() if build_id else "")


class Object:
    def __init__(self, b):
        self.version, self.kind, self.site, self.address = b.u32(), b.u8(), b.u32(), b.u64()
        self.name, self.file, self.line, self.counter = b.text(), b.text(), b.u32(), b.u32()
        self.replicated, self.type, self.order, self.bytes = b.u8(), b.u8(), b.u8(), b.u32()
        self.dims = range(b.u8())
        self.bounds = [(b.i64(), b.i64()) for _ in self.dims]
        self.fields = table(b, lambda: (b.text(), b.u8(), b.u32(), b.u32()))
        b.u8()
        self.own = []
        for _ in self.dims:
            first, last, below, above, listed = b.i64(), b.i64(), b.i64(), b.i64(), b.u8()
            entries = [b.i64() for _ in range(b.u32())]
            self.own.append((first, last, below, above, entries if listed else None))
        self.strides = [b.i64() for _ in self.dims]

    def text(self):
        return f"{self.name}#{self.version}"

    def length(self, d):
        first, last, below, above, entries = self.own[d]
        owned = len(entries) if entries is not None else max(0, last - first + 1)
        return owned + below + above

    def element(self, at):
        index, edge, own = [0] * len(self.dims), False, True
        for d in sorted(self.dims, key=lambda d: (-abs(self.strides[d]), -self.length(d))):
            stride = abs(self.strides[d]) * self.bytes
            position, at = divmod(at, stride) if stride > 0 else (0, at)
            first, last, below, _, entries = self.own[d]
            if position >= self.length(d):
                return "outside"
            if self.strides[d] < 0:
                position = self.length(d) - 1 - position
            position -= below
            lower, extent = self.bounds[d]
            if entries is None:
                index[d] = first + position
                own = own and first <= index[d] <= last
                edge = edge or not lower <= index[d] < lower + extent
            elif 0 <= position < len(entries):
                index[d] = entries[position]
            else:
                edge = True
        if at >= self.bytes:
            return "outside"
        if edge:
            return "edge"
        text = "".join(f"[{i}]" for i in index)
        return ("own" if own else "halo") + text + (f"+{at}" if at else "")


class Reader:
    """The records of a block."""

    def __init__(self, block, first):
        self.b = block
        self.ops, self.numbers, self.words, self.halves, self.bytes = block.columns
        self.slots = [{"at": 0, "stride": 0, "turn": 0, "last": [0, 0]} for _ in block.slots]
        self.table = [0] * (1 << 15)
        self.index, self.step, self.n = [0] * 8, [0] * 8, 0
        self.previous = -1
        self.point = first

    def __iter__(self):
        while self.ops.at < len(self.ops.data):
            op = self.ops.u8()
            code, bits = op >> 2, op & 3
            if code <= 57:
                yield self.access(code, bits)
            elif code == 59:
                yield self.iteration(bits)
            elif op == 60 << 2:
                yield self.other(self.ops.u8())
            else:
                sys.exit("a reserved op")

    def move(self, slot, size, expected):
        if expected:
            step = slot["stride"]
        else:
            p = self.numbers.varint()
            step = unsigned_to_signed(p >> 1)
            if not p & 1:
                step *= size
            step = (step + (1 << 60)) % (1 << 61) - (1 << 60)
            if step == slot["turn"]:
                slot["stride"] = step
            slot["turn"] = step
        slot["at"] = (slot["at"] + step) % (1 << 61)
        return slot["at"]

    def new_words(self, slot, size):
        if size <= 2:
            words = [int.from_bytes(self.bytes.take(size), "little")]
        elif size == 4:
            words = [(slot["last"][0] + unsigned_to_signed(self.halves.u32())) % (1 << 32)]
        else:
            words = [(slot["last"][i] + unsigned_to_signed(self.words.u64())) & MASK
                     for i in range(size // 8)]
        slot["last"] = (words + [0])[:2]
        return words

    def access(self, code, bits):
        number = self.numbers.varint() if code == 57 else self.previous + 1 + unsigned_to_signed(code)
        self.previous = number
        site, reference, flags = self.b.slots[number]
        slot, size = self.slots[number], flags & 0x1F
        at = self.move(slot, size, bits & 2)
        version = self.b.objects[reference - 1].version if reference else (1 << 32) - 1
        entry = at // min(size, 8) + 40503 * version
        entries = [(entry + i) % (1 << 15) for i in range(2 if size == 16 else 1)]
        words = [self.table[e] for e in entries] if bits & 1 else self.new_words(slot, size)
        for e, word in zip(entries, words):
            self.table[e] = word
        value = b"".join(w.to_bytes(8, "little") for w in words)[:size].hex()
        element = " " + self.b.objects[reference - 1].element(at) if reference else self.b.variable(at)
        return (f"{KINDS[4 if flags & 0x20 else 3]} {point_text(self.point)} {size} {flags & ~0x1F:02x} "
                f"{self.b.site(site)} {self.b.object(reference)}+{at}{element} {value}")

    def iteration(self, bits):
        if bits == 0:
            self.n = self.numbers.varint()
            for d in range(self.n):
                self.step[d] = self.numbers.signed()
        for d in range(self.n):
            step = self.step[d] if bits in (0, 3) else int(d == (self.n - 1 if bits == 1 else 0))
            self.index[d] = (self.index[d] + step + (1 << 63)) % (1 << 64) - (1 << 63)
        return " ".join(["ITER", point_text(self.point)] + [str(i) for i in self.index[:self.n]])

    def construct_point(self, kind, side):
        point = (self.numbers.varint(), self.numbers.varint(), self.numbers.varint(), side)
        if point[0] and CONSTRUCTS[kind] in ("PL", "TR"):
            self.point = point
        return point_text(point)

    def begin(self):
        number = self.numbers
        kind, level, place = number.varint(), number.varint(), number.varint()
        point = self.construct_point(kind, 0)
        text = f"BEGIN {point} {CONSTRUCTS[kind]} {level} {self.b.place(place)}"
        for _ in range(number.varint()):
            text += f" {number.signed()}:{number.signed()}:{number.signed()}"
        return text

    def end(self):
        number = self.numbers
        kind, left, place = number.varint(), number.varint(), number.varint()
        point = self.construct_point(kind, 1)
        return f"END {point} {CONSTRUCTS[kind]}{' left' * left} {number.varint() - 1} {self.b.place(place)}"

    def before(self):
        number, b = self.numbers, self.b
        reference, site, flags, at = number.varint(), number.varint(), number.varint(), number.varint()
        element = " " + b.objects[reference - 1].element(at) if reference else b.variable(at)
        return (f"BEFORE {point_text(self.point)} {flags & 0x1F} {flags & ~0x1F:02x} {b.site(site)} "
                f"{b.object(reference)}+{at}{element}")

    def call(self, n):
        """The numbers and texts of a call of MPI: 2=5 3=40 MPI_Send MPI_COMM_WORLD MPI_DOUBLE - - -"""
        of = Bytes(self.bytes.take(n))
        have = of.varint()
        numbers = [f"{bit}={of.signed()}" for bit in range(64) if have >> bit & 1]
        return " ".join(numbers + [t or "-" for t in bytes(of.data[of.at:]).decode("latin-1").split("\0")[:-1]])

    def other(self, kind):
        number, b = self.numbers, self.b
        code = form = 0
        at = ""
        thing = place = site = "-"
        name = KINDS[kind]
        if name == "BEGIN":
            return self.begin()
        if name == "END":
            return self.end()
        if name == "LOST":
            return f"LOST {point_text(self.point)} {number.varint()} {number.varint()}"
        if name == "BEFORE":
            return self.before()
        if name == "CALL":
            site = b.site(number.varint())
            begin, ns = number.varint(), number.varint()
            return f"CALL {point_text(self.point)} {begin} {ns} {site} {self.call(number.varint())}"
        if name in ("VALUE", "REDUCTION", "SUM"):
            thing = b.object(number.varint())
        if name in ("VALUE", "SKIP"):
            place = b.place(number.varint())
        if name == "VALUE":
            form = number.varint()
            if form == 2:
                at = f" {number.varint()} {number.varint()}"
        if name == "REDUCTION":
            site = b.site(number.varint())
        if name in ("REDUCTION", "NOTE"):
            code = number.varint()
        value = b"" if name == "SKIP" else self.bytes.take(number.varint())
        return f"{name} {point_text(self.point)} {code} {form}{at} {thing} {place} {site} {value.hex()}"


def print_block(piece):
    h = Bytes(piece.head)
    rank, thread, seq, first, last, half = h.u32(), h.u32(), h.u64(), h.point(), h.point(), h.u8()
    counts = [h.u64() for _ in range(h.u8())]
    loops, n = h.u8(), h.u8()
    text = (f"block rank {rank} thread {thread} seq {seq} from {point_text(first)} to {point_text(last)}"
            f" half {half} records {sum(counts)} loops {loops}")
    if n:
        text += " " + point_text(h.point())
    for _ in range(n):
        text += f" {h.i64()}:{h.i64()}"
    print(text)
    block = Block(piece.content)
    for kind, level, place, point, index in block.frames:
        print(" ".join(["frame", CONSTRUCTS[kind], str(level), block.place(place), point_text(point)] +
                       [str(i) for i in index]))
    seen = dict.fromkeys(KINDS, 0)
    for line in Reader(block, first):
        seen[line.split(" ", 1)[0]] += 1
        print(line)
    if list(seen.values()) != (counts + [0] * len(KINDS))[:len(KINDS)]:
        sys.exit(f"{seen}, and the block's head says {counts}")


def main(path):
    with open(path, "rb") as f:
        data = f.read()
    b = Bytes(data)
    if b.take(16) != b"dvmdbg trace bin":
        sys.exit("no trace")
    head = Bytes(b.blob())
    if digest(data[:b.at]) != b.take(16):
        sys.exit("the head is damaged")
    if head.u32() != 2:
        sys.exit("another format")
    rank, ranks, level, start, finish, seconds = (head.u32(), head.u32(), head.u8(), head.point(),
                                                  head.point(), head.u64())
    texts = "|".join(head.text() for _ in range(4))
    print(f"trace rank {rank} of {ranks} level {level} {point_text(start)} {point_text(finish)} {seconds} {texts}")
    if head.at < len(head.data):
        print(head.text().replace("\n", "\nhead ").removesuffix("head "), end="")
    complete, offsets = False, []
    while b.at < len(data):
        at = b.at
        try:
            piece = Piece(b)
            if piece.magic == INDEX:
                complete = check_index(data, at, b.at, piece, offsets)
                break
        except EOFError:
            break
        offsets.append((at, b.at - at, piece.raw, piece.head))
        print_block(piece)
    print("complete" if complete else "incomplete")


def check_index(data, at, end, piece, offsets):
    """The index has to say what was found without it. Whether the run came to its end."""
    tail = Bytes(data, end)
    if (tail.u64(), tail.u32()) != (at, TAIL) or tail.at != len(data):
        sys.exit("the tail is damaged")
    b, told = Bytes(piece.content), []
    while b.at < len(piece.content):
        told.append((b.u64(), b.u32(), b.u32(), b.blob()))
    if told != offsets:
        sys.exit("the index is wrong")
    return Bytes(piece.head).u8() == 1


if __name__ == "__main__":
    if not ctypes.util.find_library("zstd") and not shutil.which("zstd"):
        print("no zstd here", file=sys.stderr)
        sys.exit(77)
    sys.stdout.reconfigure(errors="surrogateescape")
    if sys.argv[1] == "-fingerprint":
        with open(sys.argv[2], "rb") as f:
            print(fingerprint(f.read()))
    else:
        main(sys.argv[1])

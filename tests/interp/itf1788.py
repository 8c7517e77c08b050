#!/usr/bin/env python3
"""The vectors of ITF1788 as lines of text, from the file that Debian's package octave-interval has of them.

    apt-get download octave-interval && dpkg -x octave-interval_*.deb interval
    tests/interp/itf1788.py interval/usr/share/octave/packages/interval-*/test/itl.mat > vectors.txt
    RECKON_ITF1788=vectors.txt build/dev/tests/reckon_tests "[.itf1788]"

The file is in Octave's binary format, compressed: records of a name, a type and a value.
"""
import gzip
import math
import struct
import sys


class Reader:
    def __init__(self, data):
        self.data, self.at = data, len(b"Octave-1-L") + 1

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def integer(self):
        return struct.unpack("<i", self.take(4))[0]

    def text(self):
        return self.take(self.integer()).decode("latin1")

    def number(self):
        kind = self.take(1)[0]
        form = "BHIbhifd"[kind]
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def extents(self):
        count = self.integer()
        return [self.integer() for _ in range(-count)] if count < 0 else None, count

    def record(self):
        """A name and its value."""
        name = self.text()
        self.text()  # documentation
        self.take(1)  # whether it is global
        kind = self.take(1)[0]
        assert kind == 255, kind
        return name, self.value(self.text())

    def fields(self):
        return dict(self.record() for _ in range(self.integer()))

    def value(self, kind):
        if kind == "scalar struct":
            return self.fields()
        if kind == "struct":
            self.extents()
            return self.fields()
        if kind == "class":
            self.text()
            return self.fields()
        if kind == "cell":
            extents, _ = self.extents()
            return [self.record()[1] for _ in range(math.prod(extents))]
        if kind == "scalar":
            return self.number()
        if kind == "matrix":
            extents, _ = self.extents()
            form = self.take(1)[0]
            assert form == 7, form
            return list(struct.unpack(f"<{math.prod(extents)}d", self.take(8 * math.prod(extents))))
        if kind in ("bool", "uint8 scalar"):
            return self.take(1)[0]
        if kind == "string":
            extents, lines = self.extents()
            return self.take(math.prod(extents)).decode("latin1") if extents else [self.text() for _ in range(lines)]
        raise ValueError(kind)

    def everything(self):
        out = {}
        while self.at < len(self.data):
            name, value = self.record()
            out[name] = value
        return out


def ends(value):
    if isinstance(value, float):
        return value, value
    if isinstance(value, dict) and set(value) == {"inf", "sup"}:
        low, high = (v[0] if isinstance(v, list) else v for v in (value["inf"], value["sup"]))
        return low, high
    return None


def shown(value):
    low, high = ends(value)
    return "empty" if not low <= high else f"[{low.hex()},{high.hex()}]"


def main():
    with gzip.open(sys.argv[1]) as file:
        tests = Reader(file.read()).everything()["NoSignal"]["infsup"]
    for operation, cases in sorted(tests.items()):
        for given, expected in zip(cases["in"], cases["out"]):
            given = given if isinstance(given, list) else [given]
            if isinstance(expected, dict) and all(ends(x) for x in given + [expected]):
                print(operation, *map(shown, given), "->", shown(expected))


main()

"""The meaning of every schedule, once more, from the words of docs/schedules.md; nothing here knows Reckon's sources.

Each line of standard input is `n <tab> schedule`; each line of standard output is that schedule's tree for n leaves,
as `((0 1) 2)`. `p4016(L)` stands for WG21 P4016's canonical reduction with L lanes, defined in its own way below.
"""
import re
import sys

sys.setrecursionlimit(100_000)


# --- The trees. A node is text, a schedule is a function from a list of nodes to one node, a stage to a shorter list.

def pair(a, b):
    return f"({a} {b})"


def seq(nodes):
    """Left fold."""
    total = nodes[0]
    for node in nodes[1:]:
        total = pair(total, node)
    return total


def tree(nodes):
    """Adjacent pairs, again and again; an odd last one is carried."""
    while len(nodes) > 1:
        nodes = [pair(*nodes[i:i + 2]) if i + 1 < len(nodes) else nodes[i] for i in range(0, len(nodes), 2)]
    return nodes[0]


def halving(nodes):
    """i with i + P/2, P the least power of two >= n, again with P halved; absent operands pass through."""
    size = 1
    while size < len(nodes):
        size *= 2
    slots = list(nodes) + [None] * (size - len(nodes))
    while size > 1:
        size //= 2
        slots = [joined(slots[i], slots[i + size]) for i in range(size)]
    return slots[0]


def joined(a, b):
    """A pair, of which an absent operand is passed through."""
    return a if b is None else b if a is None else pair(a, b)


def blelloch(nodes):
    """n in binary, largest power of two first; each aligned block by `tree`, the blocks in order."""
    blocks, start = [], 0
    for bit in reversed(range(len(nodes).bit_length())):
        if len(nodes) >> bit & 1:
            blocks.append(tree(nodes[start:start + 2 ** bit]))
            start += 2 ** bit
    return seq(blocks)


def quoted(shape):
    def place(at, nodes):
        return nodes[at] if isinstance(at, int) else pair(place(at[0], nodes), place(at[1], nodes))

    def leaves(at):
        return [at] if isinstance(at, int) else leaves(at[0]) + leaves(at[1])

    def schedule(nodes):
        assert sorted(leaves(shape)) == list(range(len(nodes))), f"{shape} is not for {len(nodes)} nodes"
        return place(shape, nodes)
    return schedule


def split(m, a, b):
    return lambda nodes: a(nodes) if len(nodes) <= m else pair(a(nodes[:m]), b(nodes[m:]))


def tile(k, s):
    return lambda nodes: [s(nodes[i:i + k]) for i in range(0, len(nodes), k)]


def lanes(k, s):
    return lambda nodes: [s(nodes[lane::k]) for lane in range(min(k, len(nodes)))]


def arrange(layout, s):
    """One run for each coordinate o of the layout's last mode: the nodes L(c, o), c over the other modes."""
    shape, stride = layout
    shape, stride = (shape, stride) if isinstance(shape, list) else ([shape], [stride])
    inner = offsets(shape[:-1], stride[:-1])

    def stage(nodes):
        if shape[-1] == "_":
            outer, o = [], 0  # as long as needed
            while any(o * stride[-1] + i < len(nodes) for i in inner):
                outer.append(o * stride[-1])
                o += 1
            runs = [[o + i for i in inner if o + i < len(nodes)] for o in outer]
        else:
            runs = [[o + i for i in inner] for o in offsets(shape[-1], stride[-1])]
        assert sorted(sum(runs, [])) == list(range(len(nodes))), f"{layout} does not cover {len(nodes)} nodes"
        return [s([nodes[i] for i in run]) for run in runs]
    return stage


def offsets(shape, stride):
    """A layout's values in colexicographic order of its coordinates: the first mode is the fastest."""
    if not isinstance(shape, list):
        return [i * stride for i in range(shape)]
    values = [0]
    for extent, step in zip(shape, stride):
        values = [slow + fast for slow in offsets(extent, step) for fast in values]
    return values


def p4016(count):
    """WG21 P4016: lanes of every count-th element, padded with absent operands to a power of two of slots, and the
    perfect binary tree over each, then over the lanes; an operation with an absent operand is not applied."""
    def perfect(slots):
        if len(slots) == 1:
            return slots[0]
        middle = len(slots) // 2
        return joined(perfect(slots[:middle]), perfect(slots[middle:]))

    def padded(slots):
        return perfect(slots + [None] * (2 ** (len(slots) - 1).bit_length() - len(slots)))

    def schedule(nodes):
        rows = -(-len(nodes) // count)
        grid = list(nodes) + [None] * (rows * count - len(nodes))
        return padded([padded(grid[lane::count]) for lane in range(count)])
    return schedule


# --- The terms. Every schedule is ("schedule", function), every stage ("stage", function).

PLAIN = {"seq": seq, "tree": tree, "halving": halving, "blelloch": blelloch}
TAKES = {"split": (split, "nSS", "schedule"), "tile": (tile, "nS", "stage"), "lanes": (lanes, "nS", "stage"),
         "arrange": (arrange, "LS", "stage"), "p4016": (p4016, "n", "schedule")}


class Term:
    def __init__(self, text):
        self.words = re.findall(r"[a-z]\w*|\d+|[_'(),:]", text)
        assert "".join(self.words) == re.sub(r"\s+", "", text), text

    def take(self, expected=None):
        word = self.words.pop(0)
        assert expected in (None, word), f"`{word}` instead of `{expected}`"
        return word

    def chain(self):
        parts = [self.primary()]
        while self.words and self.words[0] == "then":
            self.take()
            parts.append(self.primary())
        *stages, (kind, last) = parts
        assert all(each == "stage" for each, _ in stages), "only a stage comes before `then`"

        def run(nodes):
            for _, stage in stages:
                nodes = stage(nodes)
            return last(nodes)
        return kind, run

    def primary(self):
        word = self.take()
        if word == "(":
            inside = self.chain()
            self.take(")")
            return inside
        if word == "'":
            return "schedule", quoted(self.tuple(separator=None))
        if word in PLAIN:
            return "schedule", PLAIN[word]
        make, parameters, kind = TAKES[word]
        self.take("(")
        arguments = []
        for i, parameter in enumerate(parameters):
            if i:
                self.take(",")
            if parameter == "n":
                arguments.append(int(self.take()))
            elif parameter == "L":
                arguments.append((self.tuple(), self.take(":") and self.tuple()))
            else:
                arguments.append(self.schedule())
        self.take(")")
        return kind, make(*arguments)

    def schedule(self):
        kind, function = self.chain()
        assert kind == "schedule", "a stage leaves several nodes"
        return function

    def tuple(self, separator=","):
        """Nested parentheses as lists, of integers and `_`."""
        word = self.take()
        if word != "(":
            return word if word == "_" else int(word)
        parts = [self.tuple(separator)]
        while self.words[0] != ")":
            if separator:
                self.take(separator)
            parts.append(self.tuple(separator))
        self.take(")")
        return parts


for line in sys.stdin:
    n, text = line.rstrip("\n").split("\t")
    term = Term(text)
    schedule = term.schedule()
    assert not term.words, text
    print(schedule([str(i) for i in range(int(n))]))

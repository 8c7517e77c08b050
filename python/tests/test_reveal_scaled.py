"""The orders of functions that scale their sums, and of those that return many: what is found must reproduce the bits
of 1,000 random inputs that the search did not see, by arithmetic in NumPy that shares no code with Reckon."""

import math
import re

import pytest

import reckon

numpy = pytest.importorskip("numpy")

TYPES = {"f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64}
TRIALS = 1000


def inputs(shape, dtype, seed=20_261):
    """Random numbers over some binades, some with their negatives, trial by trial."""
    source = numpy.random.default_rng(seed)
    spread = 3 if dtype == "f16" else 12
    values = source.normal(size=(TRIALS, *shape)) * 2.0 ** source.integers(-spread, spread // 2, (TRIALS, *shape))
    return values.astype(TYPES[dtype])


def added(tree, leaves):
    """The sums along a tree of rows of terms: leaves[:, k] is the k-th term of each row."""
    if isinstance(tree, int):
        return leaves[:, tree]
    # Trees are deep: an explicit stack instead of recursion.
    done, stack = [], [(tree, False)]
    while stack:
        node, ready = stack.pop()
        if isinstance(node, int):
            done.append(leaves[:, node])
        elif ready:
            second = done.pop()
            done.append(done.pop() + second)
        else:
            stack += [(node, True), (node[1], False), (node[0], False)]
    return done[0]


def model(found, rows, result, second=None):
    """What a verdict says that the function gives for each row."""
    accumulator = TYPES[found.arithmetic.split(" ")[0]]
    scaling = found.scaling
    terms = rows
    if scaling is not None and scaling.where == "elements":
        by = TYPES[scaling.format](scaling.by)
        terms = terms.astype(TYPES[scaling.format])
        terms = terms / by if scaling.operation == "divide" else terms * by
    terms = terms.astype(accumulator)
    if second is not None:
        assert found.arithmetic == "f32", "a sum with fma is not this model"
        terms = terms * second.astype(accumulator)
    sums = added(found.tree.nested, terms)
    if scaling is not None and scaling.where != "elements":
        if scaling.rounded_first:
            sums = sums.astype(TYPES[result])
        sums = sums.astype(TYPES[scaling.format])
        by = TYPES[scaling.format](scaling.by)
        sums = sums / by if scaling.operation == "divide" else sums * by
    return sums.astype(TYPES[result])


def same(expected, actual):
    """Bit for bit; a sum that is 0 has no sign in the model."""
    assert expected.dtype == actual.dtype
    words = {2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}[expected.dtype.itemsize]
    differ = (expected.view(words) != actual.view(words)) & ~((expected == 0) & (actual == 0))
    assert not differ.any(), f"{differ.sum()} of {differ.size} differ"


def reproduced(function, found, n, dtype, result=None):
    result = result or dtype
    rows = inputs((n,), dtype)
    actual = numpy.array([function(row) for row in rows])
    if actual.dtype != TYPES[result]:
        actual = actual.astype(TYPES[result])
    same(model(found, rows, result), actual)


@pytest.mark.parametrize("n", [3, 7, 100, 1000])
def test_numpys_mean(n):
    found = reckon.reveal(numpy.mean, n=n)
    assert found and found.scaling.operation == "divide" and found.scaling.where == "sum"
    assert found.scaling.by == n and found.scaling.name == "n" and found.verified == 50
    assert "numpy" in (found.schedule.text, *found.names)
    reproduced(numpy.mean, found, n, "f32")


@pytest.mark.parametrize("dtype", ["f64", "f16"])
@pytest.mark.parametrize("n", [7, 100])
def test_numpys_mean_in_other_formats(n, dtype):
    found = reckon.reveal(numpy.mean, n=n, dtype=dtype)
    assert found and found.scaling.by == n
    assert found.arithmetic == ("f32" if dtype == "f16" else "f64")
    reproduced(numpy.mean, found, n, dtype)


SCALED = {
    "a factor": (lambda x: numpy.float32(0.3) * x.sum(), "multiply", "sum"),
    "a factor in f64": (lambda x: 0.3 * float(x.sum()), "multiply", "sum"),
    "over the root": (lambda x: x.sum() / numpy.float32(math.sqrt(len(x))), "divide", "sum"),
    "over the root in f64": (lambda x: x.sum() / numpy.float64(math.sqrt(len(x))), "divide", "sum"),
    "the rounded inverse": (lambda x: numpy.add.reduce(x) * numpy.float32(1 / len(x)), "multiply", "sum"),
    "elements": (lambda x: (x / numpy.float32(len(x))).sum(), "divide", "elements"),
    "elements times the inverse": (lambda x: (x * numpy.float32(1 / len(x))).sum(), "multiply", "elements"),
    "halves": (lambda x: numpy.float32(0.5) * x.sum(), "either", "either"),
}


@pytest.mark.parametrize("n", [3, 7, 100])
@pytest.mark.parametrize("name", SCALED)
def test_scalings(name, n):
    function, operation, where = SCALED[name]
    found = reckon.reveal(function, n=n)
    assert found, found.reason
    assert (found.scaling.operation, found.scaling.where) == (operation, where)
    assert str(found).splitlines()[3] == f"scaled     {found.scaling.text}"
    reproduced(function, found, n, "f32", "f64" if "f64" in name else "f32")


def pairs(values):
    level = list(values)
    while len(level) > 1:
        level = [level[k] + level[k + 1] if k + 1 < len(level) else level[k] for k in range(0, len(level), 2)]
    return level[0]


def left(values):
    total = values[0]
    for each in values[1:]:
        total = total + each
    return total


@pytest.mark.parametrize("order, tree", [(left, "((((((0 1) 2) 3) 4) 5) 6)"), (pairs, "(((0 1) (2 3)) ((4 5) 6))")])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_planted_orders(order, tree, dtype):
    seven = TYPES[dtype](7)
    for function, operation, where in [
        (lambda x: order(x) / seven, "divide", "sum"),
        (lambda x: order(x) * (1 / seven), "multiply", "sum"),
        (lambda x: order(x / seven), "divide", "elements"),
        (lambda x: order(x * (1 / seven)), "multiply", "elements"),
    ]:
        found = reckon.reveal(function, n=7, dtype=dtype)
        assert found.tree == tree and (found.scaling.operation, found.scaling.where) == (operation, where)
        reproduced(function, found, 7, dtype)


def test_what_is_more_than_a_scaled_sum_is_undecided():
    def compensated(x):
        total = error = x[0] * 0
        for each in x:
            y = each - error
            t = total + y
            error = (t - total) - y
            total = t
        return total / numpy.float32(len(x))

    turns = iter(range(10**6))
    for function, reason in [
        (lambda x: x.mean() + numpy.float32(1), "zeros came to 1 "),
        (lambda x: min(max(x.mean(), numpy.float32(-9)), numpy.float32(9)), "no factor"),
        (compensated, "those of another sum"),
        (lambda x: left(numpy.sort(x)) / numpy.float32(len(x)), "does not add in the order of its elements"),
        (lambda x: left(numpy.roll(x, next(turns))) / numpy.float32(len(x)), "changes from call to call"),
        (lambda x: x.mean() / (1 + abs(x[0])), "no factor"),
        (lambda x: numpy.median(x), "1 beside zeros|alone came to 0|not a plain sum"),
    ]:
        found = reckon.reveal(function, n=11)
        assert not found
        assert re.search(reason, found.reason), found.reason
    with numpy.errstate(over="ignore"):
        squares = reckon.reveal(lambda x: (x * x).sum(), n=11)
    assert not squares and "x[i] * y[i]" in squares.notes[0] and "x[i] * y[i]" in str(squares)


def reproduced_outputs(function, found, shape, dtype, trials=TRIALS):
    arrays = inputs(shape, dtype)[:trials]
    actual = numpy.array([function(each) for each in arrays]).reshape(trials, -1)
    flat = arrays.reshape(trials, -1)
    assert len(found) == actual.shape[1]
    for output, group in enumerate(found):
        rows = flat[:, list(found.elements(output))]
        if found.weights(output):
            rows = rows * numpy.array(found.weights(output), TYPES[dtype])
        same(model(group, rows, dtype), numpy.ascontiguousarray(actual[:, output]))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_sums_along_an_axis(axis, dtype):
    function = lambda x: x.sum(axis=axis)  # noqa: E731
    found = reckon.reveal(function, shape=(8, 100), dtype=dtype)
    assert found and len(found.groups) == 1
    assert found.groups[0].over == ("x[i, :]" if axis == 1 else "x[:, i]")
    assert found.shape == ((8,) if axis == 1 else (100,))
    assert found.calls["probes"] + found.calls["checks"] < 600
    reproduced_outputs(function, found, (8, 100), dtype)
    assert found.elements(1) == (tuple(range(100, 200)) if axis == 1 else tuple(range(1, 800, 100)))
    assert str(found).startswith(f"{len(found)} outputs, one tree each over {found.groups[0].over}\n  order ")


def test_means_of_rows():
    function = lambda x: x.mean(axis=1)  # noqa: E731
    found = reckon.reveal(function, shape=(5, 100))
    assert found.groups[0].scaling.by == 100
    reproduced_outputs(function, found, (5, 100), "f32")
    function = lambda x: numpy.add.reduce(x, axis=(0, 2)) * numpy.float32(0.1)  # noqa: E731
    found = reckon.reveal(function, shape=(3, 2, 5))
    assert found.groups[0].over == "x[:, i, :]"
    assert found.elements(1) == (5, 6, 7, 8, 9, 15, 16, 17, 18, 19, 25, 26, 27, 28, 29)
    reproduced_outputs(function, found, (3, 2, 5), "f32")


def test_products_with_a_fixed_matrix():
    weights = numpy.random.default_rng(1).choice([-2, 0.5, 1, 4], size=(24, 3)).astype(numpy.float32)
    function = lambda x: x @ weights  # noqa: E731
    with numpy.errstate(all="ignore"):
        found = reckon.reveal(function, shape=(2, 24))
    assert found and found.weights((1, 2)) == tuple(weights[:, 2])
    assert found[1, 2] is found[-1] and found.elements((1, 2)) == tuple(range(24, 48))
    reproduced_outputs(function, found, (2, 24), "f32")
    rough = numpy.random.default_rng(1).normal(size=(24, 3)).astype(numpy.float32)
    found = reckon.reveal(lambda x: x @ rough, shape=(2, 24))
    assert not found and len(found.groups) == 1 and "factors of their own" in found.groups[0].reason


def test_products_of_matrices():
    found = reckon.reveal(lambda x, y: x @ y, products=True, shape=((3, 40), (40, 4)))
    assert found and found.groups[0].over == "x[i, :]" and found.groups[0].over_second == "y[:, j]"
    assert found.second_elements((1, 2)) == tuple(range(2, 160, 4))
    assert found.calls["probes"] + found.calls["checks"] < 1200
    x, y = inputs((3, 40), "f32"), inputs((40, 4), "f32", 5)
    actual = numpy.array([a @ b for a, b in zip(x, y)]).reshape(TRIALS, -1)
    for output, group in enumerate(found):
        rows = x.reshape(TRIALS, -1)[:, list(found.elements(output))]
        columns = y.reshape(TRIALS, -1)[:, list(found.second_elements(output))]
        if "fma" in group.arithmetic:
            continue  # NumPy has none
        same(model(group, rows, "f32", columns), numpy.ascontiguousarray(actual[:, output]))


def test_two_groups():
    def function(x):
        return numpy.array([left(row) if k % 2 else pairs(row) for k, row in enumerate(x)])

    found = reckon.reveal(function, shape=(5, 6))
    assert [each.outputs for each in found.groups] == [(0, 2, 4), (1, 3)]
    assert [each.schedule.text for each in found.groups] == ["tree", "seq"]
    assert "3 of 5 outputs, one tree each over x[i, :]" in str(found) and repr(found).startswith("<revealed: 3 of 5")
    reproduced_outputs(function, found, (5, 6), "f32")
    with pytest.raises(IndexError, match="there is no output 5"):
        found[5]


def test_softmax_is_undecided():
    def softmax(x):
        powers = numpy.exp(x - x.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    with numpy.errstate(all="ignore"):
        found = reckon.reveal(softmax, shape=(2, 4))
    assert not found and "zeros came to 0.25" in found.groups[0].reason


def test_torch():
    torch = pytest.importorskip("torch")
    for n in (7, 100):
        found = reckon.reveal(torch.mean, n=n)
        assert found and found.scaling.by == n
        reproduced(lambda row: torch.mean(torch.from_numpy(row)).numpy(), found, n, "f32")
    for name, function in {
        "rows": lambda x: torch.sum(x, dim=1),
        "columns": lambda x: torch.sum(x, dim=0),
        "means": lambda x: torch.mean(x, dim=1),
    }.items():
        found = reckon.reveal(function, shape=(6, 50), framework="torch")
        assert found, (name, str(found))
        reproduced_outputs(lambda x: function(torch.from_numpy(x)).numpy(), found, (6, 50), "f32")
    half = reckon.reveal(torch.mean, n=50, dtype="f16")
    assert half and half.arithmetic == "f32" and half.scaling.by == 50
    reproduced(lambda row: torch.mean(torch.from_numpy(row)).numpy(), half, 50, "f16")
    product = reckon.reveal(torch.mm, products=True, shape=((2, 30), (30, 3)))
    assert product and product.groups[0].over_second == "y[:, j]"

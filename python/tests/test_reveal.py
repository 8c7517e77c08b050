"""The order of functions of Python."""

import math

import pytest

import reckon

numpy = pytest.importorskip("numpy")


def pairs(values):
    level = list(values)
    while len(level) > 1:
        level = [level[k] + level[k + 1] if k + 1 < len(level) else level[k] for k in range(0, len(level), 2)]
    return level[0]


def test_numpys_sum():
    found = reckon.reveal(numpy.sum, n=100)
    assert found and "numpy" in (found.schedule.text, *found.names) and found.arithmetic == "f32"
    assert str(found).startswith("order      numpy") and found.tree.leaves[:2] == (0, 8)
    assert reckon.reveal(numpy.sum, n=100, dtype="float64").arithmetic == "f64"


@pytest.mark.parametrize("dtype", ["f32", "f64", numpy.float16])
def test_loops(dtype):
    assert reckon.reveal(lambda x: sum(x[1:], x[0]), n=9, dtype=dtype).schedule == "seq"
    assert reckon.reveal(pairs, n=9, dtype=dtype).schedule == "tree"


def test_results_as_python_floats_and_arrays_of_one_element():
    assert reckon.reveal(lambda x: float(pairs(x)), n=8).schedule == "tree"
    assert reckon.reveal(lambda x: numpy.array([pairs(x)]), n=8).schedule == "tree"
    assert reckon.reveal(lambda x: x.mean() * 8, n=8).scaling is None


def test_products():
    found = reckon.reveal(lambda x, y: pairs(x * y), n=8, products=True)
    assert found.schedule == "tree"


def test_bf16_as_patterns():
    def add(x):
        total = 0.0
        for pattern in x.view(numpy.uint16):
            total = reckon._formats.number(int(pattern), reckon._formats.FORMATS["bf16"]) + total
            total = reckon._formats.number(
                reckon._formats.pattern(total, reckon._formats.FORMATS["bf16"]), reckon._formats.FORMATS["bf16"]
            )
        return total

    assert reckon.reveal(add, n=7, dtype="bf16").schedule == "seq"


def test_what_is_no_plain_sum_is_undecided():
    found = reckon.reveal(lambda x: math.fsum(x), n=10, dtype="f64")
    assert not found and "exactly" in found.reason and "undecided" in repr(found)
    assert not reckon.reveal(lambda x: x.max(), n=10)


def test_a_circuit_of_reckon_itself(rk):
    assert reckon.reveal(rk.in_pairs, n=10).schedule == "tree"


def test_exceptions_come_through():
    def broken(x):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        reckon.reveal(broken, n=4)
    calls = []

    def late(x):
        calls.append(1)
        if len(calls) > 8:
            raise KeyboardInterrupt
        return x.sum()

    with pytest.raises(reckon.Interrupted):
        reckon.reveal(late, n=64)
    with pytest.raises(reckon.ArgumentError, match=r"returned a ndarray of the shape \(4,\), and not one number"):
        reckon.reveal(lambda x: x, n=4)
    with pytest.raises(reckon.ArgumentError, match="cannot be called"):
        reckon.reveal(3, n=4)
    with pytest.raises(reckon.ArgumentError, match="there are 'numpy' and 'torch'"):
        reckon.reveal(numpy.sum, n=4, framework="jax")
    with pytest.raises(reckon.ArgumentError, match="say how many numbers are added"):
        reckon.reveal(numpy.sum)
    with pytest.raises(reckon.ArgumentError, match="say how many numbers are added"):
        reckon.reveal(numpy.sum, n=4, shape=(4,))
    with pytest.raises(reckon.ArgumentError, match="a shape is a tuple of sizes"):
        reckon.reveal(numpy.sum, shape=4)
    with pytest.raises(reckon.ArgumentError, match="needs products=True"):
        reckon.reveal(numpy.matmul, shape=((4, 4), (4, 4)))
    sizes = iter(range(1, 100))
    with pytest.raises(reckon.ArgumentError, match=r"of the shape \(\d+,\), after one of \(\d+,\)"):
        reckon.reveal(lambda x: x[: next(sizes)], shape=(100,))


def test_torch():
    torch = pytest.importorskip("torch")
    assert reckon.reveal(torch.sum, n=33)
    assert reckon.reveal(lambda x: torch.cumsum(x, 0)[-1], n=9).schedule == "seq"

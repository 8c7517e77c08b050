"""Verdicts, and the assertions for tests."""

import pytest

import reckon
from reckon.testing import assert_bits_equal, assert_same_algebra, assert_within_orders

numpy = pytest.importorskip("numpy")


def test_a_check_that_holds(rk):
    found = rk.check("in_order == in_pairs in algebra")
    assert found and found.verdict == "holds" and found.strength == "proved" and found.semantics == "algebra"
    assert found.counterexample is None and found.evidence["trials"] > 0
    assert str(found).startswith("holds") and "in_order == in_pairs" in found.text
    assert found.raise_for_failure() is found
    assert reckon.check("check (2, 4):(1, 2) == 8:1")
    assert reckon.check("in_order == in_pairs in algebra", rk)


def test_a_counterexample_is_one(rk):
    found = rk.check("in_order == in_pairs in float for n: {6}")
    assert not found and found.verdict == "fails"
    example = found.counterexample
    x = example.inputs["x"]
    assert example.dimensions == {"n": 6} and x.shape == (6,) and x.dtype == numpy.float32
    order = x[0]
    for each in x[1:]:
        order = order + each
    pairs = ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5])
    assert order != pairs
    assert_bits_equal(numpy.uint32(int(example.left["bits"], 16)), order.view(numpy.uint32))
    assert_bits_equal(numpy.uint32(int(example.right["bits"], 16)), pairs.view(numpy.uint32))
    with pytest.raises(reckon.CheckFailed, match="fails +check in_order == in_pairs in float") as caught:
        found.raise_for_failure()
    assert caught.value.verdict is found and isinstance(caught.value, AssertionError)


def test_arrays_in_checks(rk):
    x = numpy.array([1e8, 1, -1e8, 1], numpy.float32)
    assert rk.check("attains(total, x, r)", x=x, r=numpy.float32(1))
    assert not rk.check("attains(total, x, r)", x=x, r=numpy.float32(7))
    large = numpy.ones(5000, numpy.float32)
    assert rk.check("in_order(v) == r in float", v=large, r=numpy.float32(5000))


def test_what_is_no_check(rk):
    with pytest.raises(reckon.Error):
        rk.check("in_order")
    with pytest.raises(reckon.UsageError, match="several checks"):
        rk.check("check width == 4\ncheck width == 4")


def test_assertions(rk):
    assert assert_same_algebra(rk.in_order, rk.in_pairs).strength == "proved"
    assert assert_same_algebra("in_order", "in_pairs", module=rk)
    with pytest.raises(AssertionError, match="fails"):
        assert_same_algebra(rk.in_order, reckon_other(rk))
    with pytest.raises(reckon.ArgumentError, match="two programs"):
        assert_same_algebra(rk.in_order, reckon.loads("fn f(x: f32[n]) -> f32 = x[0]").f)
    x = numpy.random.default_rng(3).standard_normal(2000).astype(numpy.float32)
    assert_within_orders(rk.in_order, x, x.sum())
    with pytest.raises(AssertionError):
        assert_within_orders(rk.in_order, x, x[:-1].sum() + numpy.float32(1))


def reckon_other(rk):
    rk.run("fn missing_last(x: f32[n]) -> f32 = sum i < n - 1: x[i] by seq else 0")
    return rk.missing_last


def test_bits(rk):
    nan = numpy.array([0x7FC00000, 0xFFC00001], numpy.uint32).view(numpy.float32)
    assert_bits_equal(nan, nan[::-1])
    for actual, expected, message in [
        (
            numpy.array([1.0, 2]),
            numpy.array([1.0, numpy.nextafter(2, 3)]),
            r"1 of 2 elements differ:\n  actual\[1\] = 2.0 .f64#4000000000000000.*1 ulp apart",
        ),
        (numpy.float32(0), numpy.float32(-0.0), "f32#80000000"),
        (numpy.zeros(2), numpy.zeros(3), "shapes differ"),
        (numpy.zeros(2), numpy.zeros(2, numpy.float32), "formats differ: f64 and f32"),
    ]:
        with pytest.raises(AssertionError, match=message):
            assert_bits_equal(actual, expected)
    assert_bits_equal(numpy.array([0x7FC0], numpy.uint16), numpy.array([0xFFFF], numpy.uint16), dtype="bf16")
    assert_bits_equal(numpy.array([3], numpy.uint32), numpy.array([3], numpy.uint32))

"""Other semantics than float, against fractions and outward bounds computed here."""

import math
from fractions import Fraction

import pytest

import reckon

numpy = pytest.importorskip("numpy")

X = [0.1, 0.2, -0.3, 1e-5]


def exact_sum(values):
    return sum(Fraction(float(numpy.float32(each))) for each in values)


def test_intervals_enclose(rk):
    found = rk.in_order(X, semantics="interval")
    assert Fraction(float(found.lo)) <= exact_sum(X) <= Fraction(float(found.hi)) and found.hi - found.lo < 1e-12
    tensor = rk.softmax([1.0, 2.0, 3.0], semantics="interval")
    true = [math.exp(k) / sum(map(math.exp, (1, 2, 3))) for k in (1, 2, 3)]
    assert tensor.shape == (3,) and tensor.lo.dtype == numpy.float64
    assert all(lo <= each <= hi for lo, each, hi in zip(tensor.lo, true, tensor.hi))
    assert str(tensor).startswith("[[0.09003057") and "interval" in repr(tensor)


def test_exact(rk):
    found = rk.in_order(X, semantics="exact")
    assert found.fractions == exact_sum(X)
    assert float(found.value) == float(exact_sum(X))
    assert rk.axpy(0.5, [1.0], [1 / 3], semantics="exact").fractions[0] == Fraction(1, 2) + Fraction(
        float(numpy.float32(1 / 3))
    )


def test_bound(rk):
    for found in (rk.in_order(X, semantics="bound"), reckon.bound(rk.in_order, X)):
        assert found.value == rk.in_order(X)
        assert abs(Fraction(float(found.value)) - exact_sum(X)) <= Fraction(float(found.bound)) < Fraction(1, 10**6)
    assert reckon.bound(rk.in_order, X, any_order=True).bound >= reckon.bound(rk.in_order, X).bound > 0


def test_fpsan_has_payloads(rk):
    found = rk.axpy(1.0, [1.0, 2.0], [0.0, 0.0], semantics="fpsan")
    assert found.payload.dtype == numpy.uint32 and found.bits.shape == (2,)
    same = rk.in_order([1.0, 2.0, 4.0], semantics="fpsan").payload
    assert same == rk.in_pairs([4.0, 1.0, 2.0], semantics="fpsan").payload  # no order counts


def test_count(rk):
    found = rk.in_order(numpy.zeros(10, numpy.float32), semantics="count")
    assert found.summary["add"] == 9 and found.summary["depth"] == 9
    assert "add 9" in str(found)
    with pytest.raises(AttributeError, match="has no `lo`; it has depth"):
        found.lo


def test_spread(rk):
    values = [1e8, 1.0, -1e8, 1.0]
    found = reckon.spread(rk.total, values)
    import itertools

    results = set()
    for order in itertools.permutations(numpy.array(values, numpy.float32)):
        a, b, c, d = order
        results |= {float(((a + b) + c) + d), float((a + b) + (c + d))}
    assert (found.lo, found.hi) == (min(results), max(results))
    assert reckon.Tree(found.lo_witness).leaves and found.exact


def test_directed_rounding_is_float(rk):
    up, down = (rk.in_order(X, semantics=f"float({way})") for way in ("up", "down"))
    assert type(up) is numpy.float32 and Fraction(float(down)) < exact_sum(X) < Fraction(float(up))

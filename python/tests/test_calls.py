"""Calls on the host, against NumPy computing the same order of the same roundings."""

import array
import ctypes
import gc
import threading
from fractions import Fraction

import pytest

import reckon
from reckon.testing import assert_bits_equal

numpy = pytest.importorskip("numpy")
f32 = numpy.float32


def pairs(values):
    """The sum of f32 by adjacent pairs, an odd last one carried."""
    level = list(values)
    while len(level) > 1:
        level = [level[k] + level[k + 1] if k + 1 < len(level) else level[k] for k in range(0, len(level), 2)]
    return level[0]


def in_order(values):
    total = values[0]
    for each in values[1:]:
        total = total + each
    return total


@pytest.fixture
def x():
    return numpy.random.default_rng(1).standard_normal(1003).astype(f32)


@pytest.mark.parametrize("on", ["host", "interpreter"])
def test_a_dot_product_has_the_bits_of_its_order(rk, x, on):
    y = x[::-1].copy()
    found = rk.dot(x, y, on=on)
    assert type(found) is numpy.float32
    assert_bits_equal(found, pairs(x * y))
    assert_bits_equal(rk.in_order(x, on=on), in_order(x))


def test_the_second_call_gives_the_same(rk, x):
    for n in (1, 2, 3, 100, 3, 1):
        for _ in range(3):
            assert_bits_equal(rk.dot(x[:n], x[:n]), pairs(x[:n] * x[:n]))


def test_shapes_and_several_results(rk):
    a = numpy.arange(6, dtype=f32).reshape(2, 3)
    assert rk.matvec(a, numpy.array([1, 10, 100], f32)).tolist() == [210, 543]
    total, negative = rk.both(numpy.array([1, 2, 3], f32))
    assert total == 6 and type(total) is numpy.float32 and negative.tolist() == [-1, -2, -3]
    assert rk.axpy(numpy.array(2, f32), a[0], a[1]).tolist() == [3, 6, 9]


def test_plain_numbers_are_rounded_once_to_the_parameters_format(rk):
    tenth = f32(0.1)
    for given in (0.1, Fraction(1, 10), numpy.float64(0.1)):
        for _ in range(2):
            assert_bits_equal(rk.axpy(given, [1.0], [0.0]), numpy.array([tenth]))
    assert rk.third(1) == 1 / 3 and rk.third(1.0) == 1 / 3
    assert rk.dot([1, 2, 3], (4, 5, 6)) == 32
    assert rk.matvec([[1, 2], [3, 4]], [1, 10]).tolist() == [21, 43]
    # Above the midpoint of two numbers of f32, by less than f64 can say.
    assert rk.in_order([2**60 + 2**36 + 1]) == f32(2**60 + 2**37)
    assert rk.axpy(1e300, [1.0], [0.0]).tolist() == [numpy.inf]


def test_arrays_of_other_libraries(rk):
    values = array.array("f", [1, 2, 3])
    assert rk.in_order(values) == 6
    assert rk.in_order(memoryview(values)) == 6
    assert rk.in_order((ctypes.c_float * 3)(1, 2, 3)) == 6
    assert rk.in_order(memoryview(bytes(values)).cast("f")) == 6

    class Interface:
        held = numpy.array([1, 2, 3], f32)
        __array_interface__ = held.__array_interface__

    assert rk.in_order(Interface()) == 6

    class DLPack:
        held = numpy.array([1, 2, 4], f32)

        def __dlpack__(self, stream=None):
            return self.held.__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    assert rk.in_order(DLPack()) == 7


def test_torch_tensors_on_the_host(rk):
    torch = pytest.importorskip("torch")
    total = rk.in_order(torch.tensor([1.0, 2.0]))
    assert isinstance(total, torch.Tensor) and total.shape == () and total == 3
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    for on in ("host", "interpreter"):
        for found, expected in [(rk.narrow(x, on=on), x), (rk.twice(x, on=on), x + x)]:
            assert found.dtype == torch.bfloat16 and found.tolist() == expected.tolist()
    y = torch.zeros(3)
    assert rk.axpy(2.0, torch.ones(3), numpy.ones(3, f32), out=y) is y and y.tolist() == [3, 3, 3]
    assert rk.in_order(torch.ones(10)[::2]) == 5 and rk.both(torch.ones(3))[1].tolist() == [-1, -1, -1]
    with pytest.raises(reckon.ArgumentError, match="requires a gradient"):
        rk.in_order(torch.ones(3, requires_grad=True))
    with torch.no_grad():
        assert rk.in_order(torch.ones(3, requires_grad=True)) == 3


def test_memory_that_is_not_as_it_must_be_is_copied(rk, x):
    before = x.copy()
    assert_bits_equal(rk.in_order(x[::3]), in_order(x[::3]))
    assert_bits_equal(rk.in_order(x[::-1]), in_order(x[::-1]))
    columns = x[:1000].reshape(100, 10).T
    assert_bits_equal(rk.matvec(columns, x[:100]), numpy.array([in_order(row * x[:100]) for row in columns]))
    for _ in range(2):
        assert_bits_equal(rk.in_order(x.astype(">f4")), in_order(x))
    shifted = numpy.frombuffer(b"\0" + x.tobytes(), numpy.uint8)[1:].view(f32)
    assert not shifted.flags.aligned
    for _ in range(2):
        assert_bits_equal(rk.in_order(shifted), in_order(x))
    x.flags.writeable = False
    for _ in range(2):
        assert_bits_equal(rk.in_order(x), in_order(x))
    assert_bits_equal(rk.in_order(numpy.broadcast_to(f32(0.1), (10,))), in_order(numpy.full(10, 0.1, f32)))
    assert_bits_equal(x, before)


def test_out(rk, x):
    y = numpy.empty_like(x)
    assert rk.axpy(2.0, x, x, out=y) is y
    assert_bits_equal(y, f32(2) * x + x)
    total = numpy.empty((), f32)
    assert rk.both(x[:3], out=(total, y[:3].copy()))[0] is total and total == in_order(x[:3])


def test_static_parameters_and_formats(rk, x):
    for k in (1, 4, 32):
        runs = [in_order(x[at : at + k]) for at in range(0, len(x), k)]
        for _ in range(2):
            assert_bits_equal(rk.blocked(x, k=k), pairs(runs))
    for dtype in (numpy.float64, numpy.float32, numpy.float16):
        values = numpy.array([0.1, 1e4, -3], dtype)
        found = rk.twice(values)
        assert found.dtype == dtype
        assert_bits_equal(found, values + values)
    assert rk.twice([0.5], T="f16").dtype == numpy.float16
    assert rk.twice([0.5], T=numpy.float32).dtype == numpy.float32


def test_formats_that_numpy_lacks(rk):
    patterns = numpy.array([0x3F80, 0xC049], numpy.uint16)
    found = rk.narrow(patterns, dtype="bf16")
    assert found.dtype == numpy.uint16 and found.tolist() == patterns.tolist()
    assert rk.narrow([1.0, -3.14], dtype="bf16").tolist() == [0x3F80, 0xC049]
    assert rk.small(numpy.array([0x38, 0x7E], numpy.uint8), dtype="f8e4m3").tolist() == [0x38, 0x7E]
    assert rk.twice(patterns, dtype="bf16").tolist() == [0x4000, 0xC0C9]
    thin = reckon.convert([0.1, 1 / 3], "tf32")
    assert_bits_equal(rk.thin(thin), thin)


def test_formats_of_ml_dtypes(rk):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = numpy.array([1, -3.14], ml_dtypes.bfloat16)
    assert rk.narrow(x).dtype == x.dtype and (rk.narrow(x) == x).all()


@pytest.mark.parametrize("on", ["host", "interpreter"])
def test_masks_are_arrays_of_bool(tmp_path, x, on):
    program = tmp_path / "masks.rk"
    program.write_text(
        "fn masked(x: f32[n], m: bool[n]) -> f32 = sum i where m[i]: x[i] by seq\n"
        "fn flipped(m: bool[n]) -> bool[n] = for i: not m[i]\n"
        "fn both(a: bool, b: bool) -> bool = a and b\n"
    )
    masks = reckon.load(str(program))
    m = numpy.random.default_rng(2).random(x.shape) < 0.5
    assert_bits_equal(masks.masked(x, m, on=on), in_order(numpy.where(m, x, f32(0))))
    flipped = masks.flipped(m, on=on)
    assert flipped.dtype == numpy.bool_ and (flipped == ~m).all()
    assert masks.both(True, True, on=on) and not masks.both(True, False, on=on)
    with pytest.raises(reckon.ArgumentError, match="has elements of bool, and this array is of uint8"):
        masks.masked(x, m.astype(numpy.uint8), on=on)


def test_integers_and_booleans(rk):
    x = numpy.array([1, 2, 0xFFFFFFFF], numpy.uint32)
    assert rk.wrap(x).tolist() == [(int(each) * 2654435761) % 2**32 for each in x]
    assert rk.positive([1, -1, 0]).tolist() == [True, False, False]
    assert rk.positive([1.0]).dtype == numpy.bool_


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("on", ["interpreter", "host"])
def test_integers_of_every_type(rk, name, on):
    info = numpy.iinfo(name)
    x = numpy.array([info.min, info.min + 1, 0, 3, info.max], name)
    found = rk.squares(x, 3, on=on)
    # NumPy's arrays wrap around, and its // rounds down, too.
    assert found.dtype == x.dtype and found.tolist() == ((x * x) // x.dtype.type(3)).tolist()
    assert rk.squares([5], 3, T=name, on=on).tolist() == [numpy.array(25, name) // 3]


def test_integers_of_torch(rk):
    torch = pytest.importorskip("torch")
    x = torch.tensor([-128, 100, 7], dtype=torch.int8)
    assert rk.squares(x, 3).tolist() == ((x * x) // 3).tolist()
    y = torch.tensor([-(2**63), 7], dtype=torch.int64)
    assert rk.squares(y, 3).dtype == torch.int64


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda rk: rk.in_order(numpy.zeros(3)),
            r"`x` of `in_order` has elements of f32, and this array is of float64: "
            r"convert it, x.astype\(numpy.float32\)",
        ),
        (
            lambda rk: rk.narrow(numpy.zeros(3, numpy.uint16)),
            r"convert it, reckon.convert\(x, 'bf16'\); or, if these are its bit patterns, say so: dtype='bf16'",
        ),
        (
            lambda rk: rk.narrow(numpy.zeros(3, f32)),
            r"has elements of bf16, and this array is of float32: convert it, reckon.convert",
        ),
        (
            lambda rk: rk.in_order(numpy.zeros((3, 2), f32)),
            r"is `x: f32\[n\]` of rank 1, and was given the shape \(3, 2\)",
        ),
        (lambda rk: rk.in_order(1.0), r"of rank 1, and was given the shape \(\)"),
        (
            lambda rk: rk.dot(numpy.zeros(3, f32)),
            r"`dot` lacks the argument `y`: fn dot\(x: f32\[n\], y: f32\[n\]\) -> f32",
        ),
        (lambda rk: rk.in_order(*[numpy.zeros(3, f32)] * 2), "takes 1 arguments and was given 2"),
        (lambda rk: rk.dot(numpy.zeros(3, f32), x=[1]), "argument `x` of `dot` is given twice"),
        (lambda rk: rk.in_order("abc"), "is a str, which is no array of numbers: a text is no number"),
        (lambda rk: rk.in_order(None), "is a NoneType, which is no array of numbers"),
        (lambda rk: rk.in_order([1, "2"]), "cannot be rounded to f32: '2' is no real number"),
        (lambda rk: rk.in_order([1, 2j]), "cannot be rounded to f32: 2j is no real number"),
        (lambda rk: rk.twice([1.0]), r"there are only numbers: state it, T=\"f32\""),
        (lambda rk: rk.blocked([1.0]), "`blocked` lacks the static parameter `k`: give it one, k=64"),
        (
            lambda rk: rk.in_order([1.0], semantic="exact"),
            "no parameter, dimension or keyword `semantic`; is `semantics` meant",
        ),
        (lambda rk: rk.in_order([1.0], q=3), r"keyword `q`: fn in_order\(x: f32\[n\]\) -> f32"),
        (lambda rk: rk.in_order([[1, 2], [3]]), "the rows of this list have different lengths"),
        (lambda rk: rk.in_order([numpy.zeros(3, f32)]), "is a list of arrays: join them"),
        (lambda rk: rk.in_order(numpy.ma.masked_array([1, 2], [0, 1], dtype=f32)), "a masked array"),
        (lambda rk: rk.in_order(numpy.array([1 + 2j])), "this array is of complex128"),
        (lambda rk: rk.in_order([1.0], dtype="f33"), "dtype: `f33` is no format"),
        (lambda rk: rk.thin(numpy.array([0.1], f32)), r"no tf32: round it, reckon.convert\(x, 'tf32'\)"),
        (
            lambda rk: rk.blocked([1.0], k=1.5),
            "`k` is 1.5: a dimension or static parameter is an integer or a format",
        ),
        (
            lambda rk: rk.axpy(1.0, [1.0], [2.0], out=numpy.zeros(2, f32)),
            r"out has the shape \(2,\), and the result has \(1,\)",
        ),
        (
            lambda rk: rk.axpy(1.0, [1.0], [2.0], out=numpy.zeros(1)),
            r"out is of float64, and the result is of f32 \(float32\)",
        ),
        (lambda rk: rk.axpy(1.0, [1.0], [2.0], out=numpy.broadcast_to(f32(1), (1,))), "out is read-only"),
        (lambda rk: rk.axpy(1.0, *[numpy.zeros(4, f32)] * 2, out=numpy.zeros(8, f32)[::2]), "out is not contiguous"),
        (lambda rk: rk.axpy(1.0, [1.0], [2.0], out=[0.0]), "out has 1 arrays|is a float|results are written"),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_how_to_convert(rk, call, message):
    with pytest.raises(reckon.ArgumentError, match=message):
        call(rk)


def test_the_library_says_what_else_is_wrong(rk):
    with pytest.raises(reckon.SourceError, match="n"):
        rk.dot(numpy.zeros(3, f32), numpy.zeros(4, f32))
    with pytest.raises(reckon.UsageError, match="on='tpu'"):
        rk.in_order(numpy.zeros(3, f32), on="tpu")


def test_results_do_not_share_memory_with_arguments(rk):
    x = numpy.zeros(4, f32)
    with pytest.raises(reckon.ArgumentError, match="shares memory"):
        rk.axpy(1.0, x, x, out=x)
    y = rk.axpy(1.0, x, x)
    assert not numpy.may_share_memory(x, y)


def test_released_memory_is_an_error(rk):
    view = memoryview(bytearray(12)).cast("f")
    view.release()
    with pytest.raises(reckon.ArgumentError, match="released"):
        rk.in_order(view)


def test_a_program_that_is_closed(x):
    with reckon.loads("fn f(x: f32[n]) -> f32[n] = x") as rk:
        f = rk.f
        assert_bits_equal(f(x), x)
        interval = f([1.0], semantics="interval")
    for use in (lambda: f(x), lambda: rk.check("f == f in float"), lambda: interval.lo, lambda: f([1, 2])):
        with pytest.raises(reckon.UsageError, match="closed"):
            use()


def test_the_cache_forgets_what_was_not_used_for_longest(x, monkeypatch):
    monkeypatch.setattr("reckon._program.CACHE_SIZE", 4)
    rk = reckon.loads("fn f(x: f32[n]) -> f32[n] = for i: x[i] * 2")
    for n in (1, 2, 3, 4, 5, 1, 2):
        assert_bits_equal(rk.f(x[:n]), x[:n] * 2)
    assert len(rk.f._plans) <= 4
    gc.collect()
    assert_bits_equal(rk.f(x[:3]), x[:3] * 2)


def test_threads_take_turns(rk, x):
    wrong = []

    def work(n):
        expected = pairs(x[:n] * x[:n])
        for _ in range(300):
            if rk.dot(x[:n], x[:n]) != expected:
                wrong.append(n)
            if rk.axpy(float(n), x[:1], x[:1])[0] != f32(n) * x[0] + x[0]:
                wrong.append(-n)

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 7, 64, 100)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_empty_arrays(rk):
    empty = numpy.zeros(0, f32)
    for _ in range(2):
        assert rk.axpy(1.0, empty, empty).shape == (0,)
    with pytest.raises(reckon.SourceError):
        rk.in_order(empty)

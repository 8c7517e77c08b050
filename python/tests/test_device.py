"""Calls with arrays on a GPU: which addresses, streams and programs the library gets. The device is a stand-in."""

import gc
import sys
import types

import pytest

from reckon import ArgumentError, UsageError, _device, _module, _session

import stand_ins
from stand_ins import Tensor

F32 = "torch.float32"


@pytest.fixture
def library(monkeypatch):
    found = stand_ins.Library()
    monkeypatch.setattr(_session, "library", lambda: found)
    return found


@pytest.fixture
def torch(monkeypatch):
    found = stand_ins.Torch()
    monkeypatch.setitem(sys.modules, "torch", found)
    monkeypatch.setattr(_device, "_frameworks", {})
    found.captures = types.SimpleNamespace(number=0)
    monkeypatch.setattr(_device, "_driver", types.SimpleNamespace(capture=lambda stream: found.captures.number))
    return found


@pytest.fixture
def axpy(library, torch):
    return _module.loads("").axpy


def arguments(n=5, **options):
    return Tensor((), F32), Tensor((n,), F32, **options)


def test_the_program_gets_the_addresses_and_the_current_stream(axpy, library, torch):
    a, x = arguments()
    y = axpy(a, x)
    assert library.prepared == [{"on": 2, "device": 0, "shapes": [("f32", ()), ("f32", (5,))]}]
    run = library.runs[0]
    assert run["arguments"] == [a.data_ptr(), x.data_ptr()] and run["results"] == [y.data_ptr()]
    assert run["stream"] == 7 and torch.allocated == [(5,)] and y.shape == (5,)


def test_a_second_call_compiles_nothing_and_another_shape_does(axpy, library):
    for n in (5, 5, 5, 6, 5):
        axpy(*arguments(n))
    assert len(library.prepared) == 2 and len(library.runs) == 5


def test_each_stream_has_a_program_of_its_own(axpy, library, torch):
    axpy(*arguments())
    torch.stream = 8
    axpy(*arguments())
    torch.stream = 7
    axpy(*arguments())
    programs = [run["program"] for run in library.runs]
    assert [run["stream"] for run in library.runs] == [7, 8, 7]
    assert programs[0] == programs[2] != programs[1]


def test_a_tensor_that_is_not_aligned_or_not_contiguous_is_copied(axpy, library):
    a, x = arguments(alignment=4)
    axpy(a, x)
    assert x.copies == 1 and library.runs[-1]["arguments"][1] != x.data_ptr()
    assert library.runs[-1]["arguments"][1] % 16 == 0
    a, x = arguments(contiguous=False)
    axpy(a, x)
    assert x.copies == 1
    a, x = arguments()
    axpy(a, x)
    assert x.copies == 0


def test_a_number_is_written_on_the_device_by_the_framework_once(axpy, library, torch):
    x = Tensor((5,), F32)
    for number in (0.1, 0.1, 2, 2.0, 0.0, -0.0, 0.1):
        axpy(number, x)
    # As f32, which the framework then has nothing to round.
    assert [str(each) for each in torch.filled] == ["0.10000000149011612", "2.0", "2.0", "0.0", "-0.0"]
    assert library.runs[0]["arguments"] == library.runs[-1]["arguments"] and len(library.prepared) == 1
    for k in range(100):
        axpy(float(k), x)
    assert len(torch.filled) == 5 + 98  # two of them were there


def test_the_device_of_the_tensors_is_the_programs(axpy, library):
    axpy(Tensor((), F32, ("cuda", 1)), Tensor((5,), F32, ("cuda", 1)))
    assert library.prepared[0]["device"] == 1 and library.runs[0]["stream"] == 107
    with pytest.raises(ArgumentError, match="several devices: 0, 1"):
        axpy(Tensor((), F32), Tensor((5,), F32, ("cuda", 1)))


def test_what_is_recorded_has_a_program_of_its_own_that_stays(axpy, library, torch, monkeypatch):
    monkeypatch.setattr("reckon._program.CACHE_SIZE", 1)
    monkeypatch.setattr(_device, "recorded", [])
    torch.is_recorded, torch.captures.number = True, 41
    with pytest.raises(UsageError, match="impossible while a CUDA graph is recorded: call it once before"):
        axpy(*arguments())
    torch.is_recorded = False
    axpy(*arguments())
    torch.is_recorded, torch.stream = True, 8
    axpy(*arguments())
    axpy(*arguments())
    torch.captures.number = 42
    with pytest.raises(UsageError, match="once for each graph"):
        axpy(*arguments())
    torch.is_recorded, torch.stream = False, 7
    axpy(*arguments())
    programs = [run["program"] for run in library.runs]
    assert programs[0] == programs[1] == programs[2] != programs[3] and len(library.prepared) == 2
    for n in range(6, 12):
        axpy(*arguments(n))
    gc.collect()
    assert programs[3] in library.freed and programs[0] not in library.freed
    axpy.close()
    gc.collect()
    assert programs[0] in library.freed


def test_a_stated_layout_is_refused(axpy, library):
    library.row_major = False
    with pytest.raises(ArgumentError, match="argument `a` of `axpy` has a stated layout"):
        axpy(*arguments())


def test_wrong_tensors_are_refused(axpy, torch):
    with pytest.raises(
        ArgumentError, match=r"elements of f32, and this array is of torch.float64: convert it, x.to\(torch.float32\)"
    ):
        axpy(Tensor((), F32), Tensor((5,), "torch.float64"))
    with pytest.raises(ArgumentError, match=r"`x: f32\[n\]` of rank 1, and was given the shape \(5, 2\)"):
        axpy(Tensor((), F32), Tensor((5, 2), F32))
    with pytest.raises(ArgumentError, match="requires a gradient"):
        axpy(Tensor((), F32), Tensor((5,), F32, requires_grad=True))
    with pytest.raises(
        ArgumentError, match="some arguments lie on a GPU, and one, a Tensor, in the memory of the host"
    ):
        axpy(Tensor((), F32), Tensor((5,), F32, ("cpu", None)))
    with pytest.raises(ArgumentError, match="lists are no arguments"):
        axpy([1.0], Tensor((5,), F32))
    with pytest.raises(ArgumentError, match="in `float`, not in `interval`"):
        axpy(*arguments(), semantics="interval")
    with pytest.raises(ArgumentError, match="lie on a GPU, and on='host'"):
        axpy(*arguments(), on="host")
    with pytest.raises(UsageError, match="runs on 'interpreter', 'host', 'gpu'"):
        axpy(*arguments(), on="tpu")
    freed = Tensor((5,), F32)
    freed.memory = None
    with pytest.raises(ArgumentError, match="`x` of `axpy` has no memory any more"):
        axpy(Tensor((), F32), freed)


def test_gradients_are_of_no_interest_where_they_are_switched_off(axpy, torch):
    torch.grad = False
    axpy(Tensor((), F32), Tensor((5,), F32, requires_grad=True))


def test_results_go_where_out_says(axpy, library):
    a, x = arguments()
    y = Tensor((5,), F32)
    assert axpy(a, x, out=y) is y and library.runs[-1]["results"] == [y.data_ptr()]
    for wrong, message in [
        (Tensor((6,), F32), "has the shape"),
        (Tensor((5,), "torch.float64"), "the result is of f32"),
        (Tensor((5,), F32, alignment=4), "not contiguous and aligned to 16"),
        (Tensor((5,), F32, ("cuda", 1)), "lies on the device 1"),
        (x, "shares memory"),
        ((y, y), "out has 2 arrays"),
        ([1.0], "no array of torch"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            axpy(a, x, out=wrong)


class CudaArray:
    """An array of another library, which one of the two frameworks takes over."""

    __cuda_array_interface__ = {"shape": (5,), "typestr": "<f4", "data": (4096, False), "version": 3}


def test_an_array_of_another_library_is_taken_over(axpy, library, torch):
    adopted = Tensor((5,), F32)
    torch.as_tensor = lambda value, device: adopted
    axpy(Tensor((), F32), CudaArray())
    assert library.runs[0]["arguments"][1] == adopted.data_ptr()


@pytest.mark.parametrize("shortcuts", [False, True])
def test_cupy(library, monkeypatch, shortcuts):
    numpy = pytest.importorskip("numpy")

    class Array:
        def __init__(self, shape, dtype):
            self.memory = stand_ins.Memory(4 * max(1, int(numpy.prod(shape))))
            self.shape, self.dtype = shape, numpy.dtype(dtype)
            self.data = types.SimpleNamespace(ptr=self.memory.address, device_id=0)
            self.flags = types.SimpleNamespace(c_contiguous=True)
            self.__cuda_array_interface__ = {}

    cupy = types.ModuleType("cupy")
    cupy.ndarray, cupy.empty = Array, Array
    stream = types.SimpleNamespace(ptr=9, is_capturing=lambda: False)
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: stream, Device=lambda: types.SimpleNamespace(id=0))
    if shortcuts:
        cupy.cuda.stream = types.SimpleNamespace(get_current_stream_ptr=lambda: 9)
        cupy.cuda.runtime = types.SimpleNamespace(streamIsCapturing=lambda stream: stream != 9)
        cupy.cuda.device = types.SimpleNamespace(get_device_id=lambda: 0)
        cupy.cuda.get_current_stream = cupy.cuda.Device = None
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(_device, "_frameworks", {})
    axpy = _module.loads("").axpy
    a, x = Array((), "f4"), Array((5,), "f4")
    for _ in range(3):
        y = axpy(a, x)
    assert isinstance(y, Array) and y.dtype == numpy.float32
    assert library.runs[-1]["arguments"] == [a.data.ptr, x.data.ptr] and library.runs[-1]["stream"] == 9
    assert len(library.prepared) == 1

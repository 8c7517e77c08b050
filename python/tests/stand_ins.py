"""Stand-ins for what a machine without a GPU lacks: a framework whose "device" is the host's memory, and a library that
records how it is called."""

from __future__ import annotations

import ctypes
import json
import math
import sys
import types

from reckon import _library


class Memory:
    """Bytes at an address with the alignment that a test asks for, 16 or less."""

    def __init__(self, size: int, alignment: int = 16) -> None:
        self.buffer = ctypes.create_string_buffer(size + 64)
        start = ctypes.addressof(self.buffer)
        self.address = (start + 31) // 32 * 32 + (0 if alignment >= 16 else alignment)


class Device:
    """What the package uses of torch.device."""

    def __init__(self, type_: str, index: int) -> None:
        self.type, self.index = type_, index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"


SIZES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "uint8": 1, "int16": 2}


class Tensor:
    """What the package uses of torch.Tensor."""

    def __init__(self, shape, dtype, device=("cuda", 0), alignment=16, contiguous=True, requires_grad=False) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype
        self.device = Device(*device)
        self.is_cuda = device[0] == "cuda"
        self.requires_grad = requires_grad
        self.layout = "strided"
        self.memory = Memory(max(math.prod(self.shape), 1) * SIZES[dtype.rpartition(".")[2]], alignment)
        self._contiguous = contiguous
        self.copies = 0

    def data_ptr(self) -> int:
        return self.memory.address if self.memory else 0

    def is_contiguous(self) -> bool:
        return self._contiguous

    def is_conj(self) -> bool:
        return False

    def is_neg(self) -> bool:
        return False

    def detach(self) -> "Tensor":
        return self

    def new_empty(self, shape) -> "Tensor":
        sys.modules["torch"].allocated.append(tuple(shape))
        return Tensor(shape, self.dtype, (self.device.type, self.device.index))

    def clone(self, memory_format=None) -> "Tensor":
        self.copies += 1
        return Tensor(self.shape, self.dtype, (self.device.type, self.device.index))


class Torch(types.ModuleType):
    """What the package uses of the module torch. `allocated` has the shapes that were asked for."""

    def __init__(self) -> None:
        super().__init__("torch")
        self.Tensor = Tensor
        self.strided = "strided"
        self.contiguous_format = "contiguous"
        for name in SIZES:
            setattr(self, name, f"torch.{name}")
        self.allocated = []
        self.filled = []
        self.stream = 7
        self.is_recorded = False
        self._C = types.SimpleNamespace(
            _cuda_getCurrentRawStream=lambda device: self.stream + 100 * device,
            _cuda_isCurrentStreamCapturing=lambda: self.is_recorded,
        )
        self.grad = True

    def is_grad_enabled(self) -> bool:
        return self.grad

    def device(self, type_, index) -> Device:
        return Device(type_, index)

    def empty(self, shape, dtype, device) -> Tensor:
        if not isinstance(device, Device):
            raise TypeError(f"empty(): argument 'device' must be torch.device, not {type(device).__name__}")
        self.allocated.append(tuple(shape))
        return Tensor(shape, dtype, (device.type, device.index))

    def empty_like(self, like) -> Tensor:
        if not like.is_contiguous():
            raise TypeError("the strides of the result would be those of the argument")
        return like.new_empty(like.shape)

    def full(self, shape, number, dtype, device) -> Tensor:
        if not isinstance(device, Device):
            raise TypeError(f"full(): argument 'device' must be torch.device, not {type(device).__name__}")
        self.filled.append(number)
        return Tensor(shape, dtype, (device.type, device.index))


class Library:
    """A library with one circuit, axpy(a: f32, x: f32[n]) -> f32[n]. `runs` has what each run was given."""

    def __init__(self) -> None:
        self.runs = []
        self.prepared = []
        self.freed = []
        self.row_major = True
        self._next = 1000

    def _handle(self, out) -> int:
        self._next += 1
        out._obj.value = self._next
        return 0

    def session_new(self, options, out) -> int:
        return self._handle(out)

    def session_free(self, session) -> None:
        pass

    def use_library(self, session) -> int:
        return 0

    def load(self, session, text, path) -> int:
        return 0

    def loaded(self, session, out) -> int:
        out._obj.value = b'["axpy"]'
        return 0

    def describe(self, session, name, out) -> int:
        out._obj.value = b"fn axpy(a: f32, x: f32[n]) -> f32[n]"
        return 0

    def signature(self, session, name, out) -> int:
        a = {"name": "a", "type": "f32", "shape": [], "row_major": True}
        x = {"name": "x", "type": "f32", "shape": ["n"], "row_major": True}
        out._obj.value = json.dumps({"static": [], "parameters": [a, x], "results": [x]}).encode()
        return 0

    def prepare(self, session, name, options, out) -> int:
        found = options._obj
        shapes = []
        for k in range(found.argument_count):
            tensor = found.arguments[k]
            shapes.append((tensor.type.decode(), tuple(tensor.shape[: tensor.rank])))
        self.prepared.append({"on": found.on, "device": found.device, "shapes": shapes})
        return self._handle(out)

    def program_free(self, program) -> None:
        self.freed.append(program)

    def program_parameters(self, program) -> int:
        return 2

    def program_results(self, program) -> int:
        return 1

    def _info(self, out, name, shape) -> int:
        found = out._obj
        found.name, found.type, found.rank = name, b"f32", len(shape)
        found.shape = _library.sizes(shape)
        found.bytes = 4 * math.prod(shape)
        found.row_major = self.row_major
        return 0

    def program_parameter(self, program, index, out) -> int:
        shapes = self.prepared[-1]["shapes"]
        return self._info(out, [b"a", b"x"][index], shapes[index][1])

    def program_result(self, program, index, out) -> int:
        return self._info(out, None, self.prepared[-1]["shapes"][1][1])

    def program_run(self, program, arguments, results, stream) -> int:
        self.runs.append(
            {"program": program, "arguments": list(arguments), "results": list(results), "stream": stream}
        )
        return 0

    def message_text(self, session) -> bytes:
        return b"error: of the stand-in"

    def messages(self, session) -> bytes:
        return b"[]"

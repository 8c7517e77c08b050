"""Records what a PyTorch function or module computes, as a list of ATen operations on tensors of fixed shapes.

A dispatch mode below autograd sees every ATen operation with its arguments. An operation that has a rule of its own is
recorded; any other is replaced by its decomposition, whose operations are seen in turn. What does not depend on the
inputs or parameters is computed at once and is a constant. This works alike with every PyTorch that has
`TorchDispatchMode` (1.13 and later), on functions, modules, `torch.fx.GraphModule`s and exported programs.
"""

import contextlib
import textwrap
import traceback
import weakref
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import decompositions
from .errors import Unsupported
from .graph import Names, Node, Place, map_tensors
from .operators import FAMILIES

HERE = str(Path(__file__).parent)
TORCH = str(Path(torch.__file__).parent)
RANDOM = frozenset(
    """
    rand randn rand_like randn_like randint randint_like randperm bernoulli bernoulli_ normal normal_ uniform_
    multinomial native_dropout dropout exponential_ random_ rrelu rrelu_with_noise alpha_dropout feature_dropout
    poisson
    """.split()
)


# What an exported program asserts of its inputs holds for the example's.
ASSERTIONS = frozenset(
    """
    _assert_tensor_metadata _assert_async _assert_scalar sym_constrain_range sym_constrain_range_for_size
    """.split()
)


DECIDING = {"_local_scalar_dense": "bool(), item() or int() of a tensor"}


SCATTERS = {"select": torch.ops.aten.select_scatter.default, "slice": torch.ops.aten.slice_scatter.default}


# Where the shape stays, these change nothing (a slice keeps its size only if it is the whole).
SAME = frozenset(
    """
    expand view slice _unsafe_view reshape _reshape_alias broadcast_to
    """.split()
)


# In place, these change how the tensor is seen and write nothing.
TURNING = frozenset(
    """
    transpose_ t_ squeeze_ unsqueeze_ swapaxes_ swapdims_
    """.split()
)


class ModulePath:
    """Follows which submodule runs, by hooks."""

    def __init__(self, module):
        self.names = {id(part): name for name, part in module.named_modules()} if module is not None else {}
        self.stack = []
        self.handles = []

    def __enter__(self):
        hooks = torch.nn.modules.module
        self.handles = [
            hooks.register_module_forward_pre_hook(self.enter),
            hooks.register_module_forward_hook(self.leave),
        ]
        return self

    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()

    def enter(self, module, _):
        name = self.names.get(id(module))
        self.stack.append(type(module).__name__ if name is None else f"{name}" if name else "")

    def leave(self, *_):
        if self.stack:
            self.stack.pop()

    def current(self):
        return next((name for name in reversed(self.stack) if name), "")


def source_line():
    """The innermost line of the traced function that is neither PyTorch's nor this package's."""
    for frame in reversed(traceback.extract_stack()):
        if frame.filename.startswith(HERE) and frame.name == "trace":
            break
        if not frame.filename.startswith((HERE, TORCH)) and not frame.filename.startswith("<"):
            text = f": {frame.line}" if frame.line else ""
            return f"{Path(frame.filename).name}:{frame.lineno}{text}"
    return ""


class Recorder(TorchDispatchMode):
    """Turns every ATen operation on a followed tensor into a node."""

    def __init__(self, supported, pool, path):
        super().__init__()
        self.supported = supported
        self.pool = pool
        self.path = path
        self.names = Names()
        self.nodes = []
        self.followed = {}
        self.views = {}
        self.parts = {}
        self.stale = {}
        self.known = set()
        self.within = []

    def follow(self, tensor, node):
        key = id(tensor)
        self.parts.pop(key, None)
        self.stale.pop(key, None)
        self.followed[key] = (weakref.ref(tensor, lambda _: self.parts.pop(key, None)), node)
        self.views.setdefault(storage_of(tensor), []).append(weakref.ref(tensor))
        if node not in self.known:
            self.known.add(node)
            self.nodes.append(node)

    def node_of(self, tensor):
        entry = self.followed.get(id(tensor))
        if entry is not None and entry[0]() is tensor:
            old = self.stale.get(id(tensor))
            if old is not None and old[0]() is tensor:
                raise Unsupported(
                    old[1],
                    self.place(),
                    "has written into the storage of a tensor that is used here",
                    "write it without assignment to a part: `torch.cat`, `torch.where` or `torch.stack`",
                )
            return entry[1]
        parameter = self.pool.find(tensor)
        if parameter is not None:
            self.follow(tensor, parameter)
        return parameter

    def constant(self, tensor):
        """A tensor that depends on no input: small ones and patterns stay constants, others become parameters."""
        node = Node(
            self.names.fresh("constant", number=True),
            "constant",
            tuple(tensor.shape),
            tensor.dtype,
            place=self.place(),
            value=tensor.detach().clone(),
        )
        self.follow(tensor, node)
        return node

    def place(self):
        return Place(self.path.current(), source_line())

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = operator_name(function)
        if name in ASSERTIONS:
            return None
        if name == "_fused_sdp_choice":
            return 0  # the formula, not a kernel
        if name in RANDOM:
            raise Unsupported(
                name,
                self.place(),
                "draws random numbers, so the result is no function of the inputs",
                "call `module.eval()`, or give the random tensor as an input",
            )
        if not self.depends(args, kwargs):
            return function(*args, **kwargs)
        if name in ("_local_scalar_dense", "item", "is_nonzero", "equal", "nonzero", "masked_select", "unique"):
            raise Unsupported(
                DECIDING.get(name, name),
                self.place(),
                "the module decides by the value of a tensor (data-dependent control flow)",
                "a circuit has no branches on values: write `torch.where(condition, a, b)`",
            )
        if name.endswith("_") and not name.endswith("__") or kwargs.get("out") is not None:
            return self.in_place(function, name, args, kwargs)
        return self.out_of_place(function, name, args, kwargs)

    @contextlib.contextmanager
    def part(self, name):
        """Operators that are recorded inside are parts of the one named."""
        self.within.append(name)
        try:
            yield
        except NotImplementedError as refusal:
            if isinstance(refusal, Unsupported):
                raise
            raise Unsupported(name, self.place(), str(refusal)) from None
        finally:
            self.within.pop()

    def depends(self, args, kwargs):
        found = []
        map_tensors((args, kwargs), lambda tensor: found.append(self.node_of(tensor)))
        return any(node is not None and node.kind != "constant" for node in found)

    def out_of_place(self, function, name, args, kwargs):
        if name in ("detach", "alias", "lift_fresh", "clone", "contiguous", "lift_fresh_copy", "_conj"):
            result = function(*args, **kwargs)
            self.follow(result, self.node_of(args[0]))
            return result
        replacement = decompositions.find(name, function, name in self.supported)
        if replacement is not None:
            with self.part(name), self:
                result = replacement(*args, **kwargs)
            if result is not NotImplemented:
                return result
        if name not in self.supported:
            with self:
                result = composite(function, args, kwargs)
            if result is not NotImplemented:
                return result
            raise Unsupported(name, self.place(), "no circuit is known for this operator", supported_text())
        result = compute(function, args, kwargs)
        if name in SAME and result.shape == args[0].shape and result.dtype == args[0].dtype:
            self.follow(result, self.node_of(args[0]))
            self.parts[id(result)] = (args[0], None, (), {})
            return result
        self.record(function, name, args, kwargs, result)
        if name in SCATTERS:
            self.parts[id(result)] = (args[0], name, args[1:], kwargs)
        return result

    def record(self, function, name, args, kwargs, result):
        recorded = map_tensors((args, kwargs), lambda tensor: self.node_of(tensor) or self.constant(tensor))
        outputs = result if isinstance(result, (tuple, list)) else [result]
        place = self.place()
        for index, tensor in enumerate(outputs):
            if not isinstance(tensor, torch.Tensor):
                continue
            node = Node(
                self.names.fresh(name, number=True),
                "operation",
                tuple(tensor.shape),
                tensor.dtype,
                name,
                function,
                recorded[0],
                recorded[1],
                index,
                place,
                part_of=self.within[0].strip("_") if self.within else "",
            )
            if 0 in node.shape:
                raise Unsupported(name, place, "its result has no elements")
            self.follow(tensor, node)

    def in_place(self, function, name, args, kwargs):
        """Computes a new value and lets the written tensor stand for it. If it is a part of others (`x[:, 0] = y`),
        they get new values, too; a tensor that sees the storage in another way is refused where it is used."""
        target = kwargs.get("out", args[0] if args else None)
        chain = [target]
        while id(chain[-1]) in self.parts:
            chain.append(self.parts[id(chain[-1])][0])
        new = self.written(function, name, target, args, kwargs)
        if name in TURNING:
            function(*args, **kwargs)
            self.rebind(target, new)
            return target
        for seen in self.views.get(storage_of(target), []):
            other = seen()
            if other is not None and not any(other is member for member in chain) and overlap(target, other):
                self.stale[id(other)] = (seen, name)
        target.detach().copy_(new.detach())
        self.rebind(target, new)
        for part, whole in zip(chain, chain[1:]):
            _, operator, place, options = self.parts[id(part)]
            if self.node_of(whole) is None and self.node_of(new) is None:
                break
            if operator is not None:
                new = self.out_of_place(SCATTERS[operator], operator + "_scatter", (whole, new, *place), options)
            self.rebind(whole, new)
        return target

    def written(self, function, name, target, args, kwargs):
        """The value that an operation in place gives its target."""
        base = name.rstrip("_")
        if base in ("copy", "fill", "zero"):
            source = args[1] if base != "zero" else 0
            with self:
                if not isinstance(source, torch.Tensor):
                    source = torch.tensor(source, dtype=target.dtype)
                return source.to(target.dtype).expand(target.shape).clone()
        plain = {key: value for key, value in kwargs.items() if key != "out"}
        return self.__torch_dispatch__(functional(function, base, self.place()), (), args, plain)

    def rebind(self, target, new):
        self.stale.pop(id(target), None)
        node = self.node_of(new)
        entry = self.followed.pop(id(target), None)
        if node is not None:
            self.followed[id(target)] = (entry[0] if entry else weakref.ref(target), node)
            if entry is None:
                self.views.setdefault(storage_of(target), []).append(weakref.ref(target))


class Functions(TorchFunctionMode):
    """Replaces functions of PyTorch that would choose among kernels, as they are called."""

    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, function, types, args=(), kwargs=None):
        replacement = decompositions.FUNCTIONS.get(function) if callable(function) else None
        if replacement is None:
            return function(*args, **(kwargs or {}))
        with self.recorder.part(function.__name__):
            return replacement(*args, **(kwargs or {}))


def overlap(a, b):
    """Whether two tensors of one storage share an element."""

    def places(tensor):
        grid = torch.zeros((), dtype=torch.int64)
        for d, (size, step) in enumerate(zip(tensor.shape, tensor.stride())):
            grid = grid.unsqueeze(-1) + torch.arange(size) * step
        return set((grid + tensor.storage_offset()).flatten().tolist())

    return not places(a).isdisjoint(places(b))


def composite(function, args, kwargs):
    """What PyTorch itself writes as several operators, without a derivative of its own."""
    try:
        return function.decompose(*args, **kwargs)
    except AttributeError:
        return NotImplemented


def supported_text():
    """The operators that have a rule, by family, and those that are written in others."""
    families = {**FAMILIES, "norms, losses, attention and others": decompositions.OWN}
    lines = []
    for family, rules in families.items():
        names = sorted(name for name in rules if not name.startswith("_"))
        lines.append(
            textwrap.fill(f"{family}: {', '.join(names)}", 112, initial_indent="    ", subsequent_indent="      ")
        )
    return "what is supported, and what PyTorch decomposes into it:\n" + "\n".join(lines)


def functional(function, base, place):
    packet = getattr(torch.ops.aten, base, None)
    overload = getattr(function, "_overloadname", "default")
    if base in ("transpose", "swapaxes", "swapdims"):
        return torch.ops.aten.transpose.int
    found = getattr(packet, overload, None) if packet is not None else None
    if found is None:
        raise Unsupported(base + "_", place, "no circuit is known for this operation in place")
    return found


def storage_of(tensor):
    if tensor is None:
        return None
    try:
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
        return storage.data_ptr()
    except (RuntimeError, NotImplementedError):
        return id(tensor)


def compute(function, args, kwargs):
    """Runs an operation. Where this build lacks it for a narrow format, float32 takes its place."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as failure:
        if "not implemented for" not in str(failure):
            raise
    narrow = []

    def widen(tensor):
        if tensor.dtype in (torch.float16, torch.bfloat16):
            narrow.append(tensor.dtype)
            return tensor.float()
        return tensor

    args, kwargs = map_tensors((args, kwargs), widen)
    result = function(*args, **kwargs)
    return map_tensors(result, lambda tensor: tensor.to(narrow[0]) if tensor.dtype == torch.float32 else tensor)


def operator_name(function):
    packet = getattr(function, "overloadpacket", function)
    name = getattr(packet, "__name__", str(packet))
    space = getattr(function, "namespace", None) or str(packet).split(".")[0]
    return name if space in ("aten", "prim", "prims") else f"{space}::{name}"

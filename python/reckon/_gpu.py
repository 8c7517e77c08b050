"""Calls of a circuit with arrays on a GPU: which program runs, on which stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from . import _device, _formats, _host
from ._errors import ArgumentError, UsageError
from ._formats import FORMATS, Format
from ._program import Cache, Program, Shape

if TYPE_CHECKING:
    from ._circuit import Circuit


class _Known:
    """A call that was looked at: its device, its key among the plans, and the plan of the stream that it came on last."""

    __slots__ = ("device", "key", "stream", "plan")

    def __init__(self, device: int, key: Any, stream: int, plan: _device.DevicePlan) -> None:
        self.device, self.key, self.stream, self.plan = device, key, stream, plan


class GpuCalls:
    """A circuit's programs on GPUs. A program has memory of its own, so each stream and each CUDA graph has another."""

    def __init__(self, circuit: "Circuit") -> None:
        self.circuit = circuit
        #: By the stream and the call's key.
        self._plans: "Cache[_device.DevicePlan]" = Cache()
        #: What was found for a call, by what can be seen of it at once.
        self._known: "Cache[_Known]" = Cache()
        #: What CUDA graphs recorded, which may run it at any time.
        self._recorded: Dict[Any, _device.DevicePlan] = {}

    def clear(self) -> None:
        self._plans.clear()
        self._known.clear()
        for plan in self._recorded.values():
            _device.recorded.remove(plan)
        self._recorded.clear()

    def quick(self, arguments: Tuple[Any, ...], options: Dict[str, Any], out: Any) -> Any:
        """A call with arrays of one framework on a GPU that is like an earlier one, or any other call."""
        circuit = self.circuit
        frame = None
        numbers = False
        key: List[Any] = []
        for value in arguments:
            kind = value.__class__
            if frame is None or kind is not frame.kind:
                if kind in _formats.NUMBERS:
                    key.append(kind)
                    numbers = True
                    continue
                found = _device.by_class.get(kind)
                if frame is not None or found is None:
                    return circuit._call(arguments, options, out, None)
                frame = found
                key.append(frame)
            if not frame.look(value, key):
                return circuit._call(arguments, options, out, None)
        if frame is None:
            return circuit._call(arguments, options, out, None)
        try:
            if options:
                key.extend(options.items())
            whole = tuple(key)
            known = self._known.get(whole)
        except TypeError:
            return circuit._call(arguments, options, out, None)
        if known is None or frame.capturing():
            return circuit._call(arguments, options, out, whole)
        stream = frame.stream(known.device)
        plan = known.plan
        if stream != known.stream or plan.recorded:
            plan = self._plans.get((stream, known.key))
            if plan is None:
                return circuit._call(arguments, options, out, whole)
            known.stream, known.plan = stream, plan
        arrays: Sequence[Any] = plan.with_numbers(arguments) if numbers else arguments
        if out is None:
            return plan.run(arrays, stream)
        plan.run(arrays, stream, plan.checked_results(out, arrays))
        return out

    def call(
        self,
        values: Sequence[Any],
        texts: List[str],
        stated: Optional[Format],
        out: Any,
        quick: Optional[Tuple[Any, ...]],
    ) -> Any:
        frame, arrays = _device.framework_of(values)
        devices = {frame.device(each) for each in arrays if not _host.is_plain(each)}
        if len(devices) > 1:
            raise ArgumentError(f"the arguments lie on several devices: {', '.join(map(str, sorted(devices)))}")
        device = devices.pop()
        stream = frame.stream(device)
        sizes = [frame.key(each) if not _host.is_plain(each) else "number" for each in arrays]
        key = (frame.name, device, *texts, stated and stated.name, *sizes)
        plan: Optional[_device.DevicePlan]
        if frame.capturing():
            plan = self._recorded_plan(key, stream)
        else:
            plan = self._plans.get((stream, key))
            if plan is None:
                plan = self._made(frame, arrays, texts, stated, device)
                self._plans.keep((stream, key), plan)
            if quick is not None:
                self._known.keep(quick, _Known(device, key, stream, plan))
        for each, value in zip(self.circuit.parameters, arrays):
            if not _host.is_plain(value):
                frame.check(value, self.circuit._what(each))
        arrays = plan.with_numbers(arrays)
        outs = None if out is None else plan.checked_results(out, arrays)
        found = plan.run(arrays, stream, outs)
        return found if out is None else out

    def _recorded_plan(self, key: Tuple[Any, ...], stream: int) -> _device.DevicePlan:
        """The program for a call that a CUDA graph records. Its memory then belongs to the graph, so it is one that an
        earlier call made, and is no longer used outside. None can be made while a graph is recorded."""
        place = (_device.driver().capture(stream), stream, key)
        plan = self._recorded.get(place)
        if plan is None:

            def spare(places: List[Any]) -> Optional[Any]:
                found = [each for each in places if each[1] == key]
                return (stream, key) if (stream, key) in found else found[0] if found else None

            plan = self._plans.take(spare)
            if plan is None:
                raise UsageError(
                    f"`{self.circuit.name}` is not compiled for these arguments, which is impossible while a CUDA "
                    "graph is recorded: call it once before (once for each graph: a graph keeps what it recorded)"
                )
            plan.recorded = True
            self._recorded[place] = plan
            _device.recorded.append(plan)
        return plan

    def _made(
        self, frame: Any, arrays: Sequence[Any], texts: List[str], stated: Optional[Format], device: int
    ) -> _device.DevicePlan:
        circuit = self.circuit

        def own(value: Any) -> Optional[Format]:
            found = frame.format(value)
            if (
                stated is not None
                and found is not stated
                and value.dtype
                in (_formats.pattern_dtype(stated), getattr(frame.module, _formats._PATTERNS[stated.bytes], None))
            ):
                return stated
            return found  # type: ignore[no-any-return]

        formats = circuit._formats_of(arrays, own, texts)
        shapes = []
        for each, value, form in zip(circuit.parameters, arrays, formats):
            if _host.is_plain(value):
                shapes.append(Shape(form, ()))
                circuit._check_rank(each, 0, ())
                continue
            found = own(value)
            if form.name == "tf32" and found is FORMATS["f32"]:
                found = form
            if found is not form:
                how = f": convert it, x.to(torch.{form.torch_name})" if frame.name == "torch" else ""
                raise ArgumentError(
                    f"{circuit._what(each)} has elements of {form.name}, and this array is of {value.dtype}{how}"
                )
            circuit._check_rank(each, len(value.shape), value.shape)
            shapes.append(Shape(form, tuple(value.shape)))
        program = Program(circuit._session, circuit.name, "gpu", shapes, texts, device)
        for part, what in [
            *((part, f"argument `{part.name}`") for part in program.parameters),
            *((part, "a result") for part in program.results),
        ]:
            if not part.row_major:
                raise ArgumentError(
                    f"{what} of `{circuit.name}` has a stated layout, and arrays on a GPU are row-major: call a "
                    "circuit without it"
                )
        return _device.DevicePlan(program, circuit.name, frame, device, stated)

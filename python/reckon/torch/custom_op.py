"""Circuits as operators of PyTorch, which torch.compile keeps in its graphs."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import torch

_DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "bool": torch.bool,
}


def _sizes(parameters: Any, tensors: Dict[str, torch.Tensor]) -> Dict[str, Any]:
    """The dimensions that are sizes of parameters by themselves."""
    out: Dict[str, Any] = {}
    for each in parameters:
        for text, size in zip(each.shape, tensors[each.name].shape if each.shape else ()):
            if text.isidentifier():
                out.setdefault(text, size)
    return out


def _shape(texts: Tuple[str, ...], sizes: Dict[str, Any]) -> List[Any]:
    """Sizes from their texts in the language, whose `//`, `%`, `min` and `max` are Python's for sizes."""
    return [eval(text, {"__builtins__": {}, "min": min, "max": max}, sizes) for text in texts]


def operator(circuit: Any, name: Optional[str] = None, **definitions: Any) -> Any:
    """A circuit as the operator `reckon::NAME`: tensors for parameters with dimensions, floats for those without.

    Under torch.compile the operator stays one node, also with fullgraph=True. It has no derivative. `definitions` gives the
    circuit's static parameters: operator(rk.scale, k=64).
    """
    name = name or circuit.name
    parameters, results = circuit.parameters, circuit.results
    kinds = ["Tensor" if each.shape else "float" for each in parameters]
    given = ", ".join(f"{kind} {each.name}" for kind, each in zip(kinds, parameters))
    taken = "Tensor" if len(results) == 1 else "(" + ", ".join("Tensor" for _ in results) + ")"

    def call(*arguments: Any) -> Any:
        return circuit(*arguments, **definitions)

    made = torch.library.custom_op(f"reckon::{name}", call, mutates_args=(), schema=f"({given}) -> {taken}")

    def fake(*arguments: Any) -> Any:
        tensors = {each.name: value for each, value in zip(parameters, arguments) if each.shape}
        sizes: Dict[str, Any] = {**{k: v for k, v in definitions.items() if isinstance(v, int)}, **_sizes(parameters, tensors)}
        formats = {each.type: tensors[each.name].dtype for each in parameters if each.shape}
        first = next(iter(tensors.values()), None)
        device = first.device if first is not None else None
        out = []
        for result in results:
            stated = definitions.get(result.type, result.type)
            dtype = _DTYPES.get(str(stated)) or formats[result.type]
            out.append(torch.empty(_shape(result.shape, sizes), dtype=dtype, device=device))
        return out[0] if len(out) == 1 else tuple(out)

    made.register_fake(fake)
    return made

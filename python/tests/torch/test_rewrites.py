"""Modules, a right and a wrong rewrite of each (cases/): the right one holds; the wrong one fails with inputs on which
PyTorch itself sees the difference, and the operation is named where the mistake was made."""

import contextlib
import sys

import pytest
import torch
from cases import CASES

from reckon.torch import check, circuit


@contextlib.contextmanager
def in_float64(case, parameters):
    """PyTorch in float64, and the case's module with these parameters."""
    source = sys.modules[case.right.__module__]
    modules = [value for value in vars(source).values() if isinstance(value, torch.nn.Module)]
    if isinstance(case.module, torch.nn.Module):
        modules.append(case.module)
    kept = [{name: tensor.clone() for name, tensor in module.state_dict().items()} for module in modules]
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            for module in modules:
                module.double()
                for name, tensor in list(module.named_parameters()) + list(module.named_buffers()):
                    if module is case.module and name in parameters:
                        tensor.copy_(parameters[name])
            yield
    finally:
        torch.set_default_dtype(torch.float32)
        for module, state in zip(modules, kept):
            module.float().load_state_dict(state)


def element_of(function, inputs, place):
    result = function(*inputs)
    return float((result[0] if isinstance(result, tuple) else result)[place])


def test_there_are_forty():
    assert len(CASES) >= 40 and len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_right(case):
    verdict = check(case.module, case.right, case.tensors(), ranges=case.ranges)
    print(verdict, f"\n  {verdict.seconds:.1f} s")
    assert verdict.verdict == "holds", str(verdict)
    assert verdict.strength in case.strengths, str(verdict)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_wrong(case):
    verdict = check(case.module, case.wrong, case.tensors(), ranges=case.ranges)
    print(verdict, f"\n  {verdict.seconds:.1f} s")
    assert verdict.verdict == "fails", str(verdict)
    assert verdict.inputs and all(value.dtype == torch.float64 for value in verdict.inputs.values())
    assert abs(verdict.expected - verdict.found) > 1e-12 or verdict.expected != verdict.found
    given = list(verdict.inputs.values())
    inputs = [given.pop(0) if tensor.dtype.is_floating_point else tensor for tensor in case.tensors()]
    with in_float64(case, verdict.inputs):
        assert abs(element_of(case.module, inputs, verdict.element) - verdict.expected) < 1e-6
        assert abs(element_of(case.wrong, inputs, verdict.element) - verdict.found) < 1e-6
    assert verdict.first is not None, str(verdict)
    assert verdict.first.step.source.operator == case.differs, str(verdict)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_import_agrees_with_torch(case):
    """The circuit of module and rewrite, by Reckon's interpreter, beside PyTorch in float64."""
    inputs = case.tensors()
    imported = circuit(case.module, inputs)
    floats = [tensor for tensor in inputs if tensor.dtype.is_floating_point]
    (got, *_) = imported.evaluate(*floats, semantics="exact")
    with in_float64(case, {}):
        wanted = case.module(*[t.double() if t.dtype.is_floating_point else t for t in inputs])
    wanted = wanted[0] if isinstance(wanted, tuple) else wanted
    assert got.shape == wanted.shape
    assert float((got - wanted).abs().max()) < 1e-6

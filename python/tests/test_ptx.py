"""Kernels of PTX, and the circuits that are read off them."""

from pathlib import Path

import pytest

import reckon

numpy = pytest.importorskip("numpy")

KERNELS = (Path(__file__).resolve().parents[2] / "tests" / "data" / "ptx" / "kernels_sm_80.ptx").read_text()


def rows(m, n, seed=1):
    return numpy.random.default_rng(seed).normal(size=(m, n)).astype(numpy.float32)


def test_a_kernel_runs():
    x = rows(64, 32)
    launch = reckon.ptx(KERNELS, "transpose", grid=(1, 2), block=(32, 8), args=[x, "f32[32, 64]", 64, 32])
    assert launch and launch.memory[2] is None
    assert launch.memory[1].shape == (32, 64) and (launch.memory[1] == x.T).all()
    assert launch.counts["blocks"] == 2 and launch.counts["thread instructions"] > 0


def test_what_a_kernel_should_not_do_is_found():
    launch = reckon.ptx(KERNELS, "transpose", grid=(1, 2), block=(32, 8), args=[rows(64, 32), "f32[31, 64]", 64, 32])
    assert not launch and launch.messages[0].code == "E0631" and launch.messages[0].line > 0
    with pytest.raises(reckon.SourceError, match="E0630"):
        reckon.ptx(KERNELS, "transpos", 1, 1, [])
    with pytest.raises(reckon.ArgumentError, match="no memory"):
        reckon.ptx(KERNELS, "transpose", 1, 1, ["f33[2]"])
    with pytest.raises(reckon.ArgumentError, match="extents"):
        reckon.ptx(KERNELS, "transpose", (1, 1, 1, 1), 1, [])


def test_fpsan_compares_a_kernel_with_a_circuit():
    x = rows(4, 255)
    theirs = reckon.ptx(KERNELS, "softmax", 4, 64, [x, "f32[4, 255]", 255], semantics="fpsan")
    program = reckon.loads(
        """fn softmax(x: f32[m, n]) -> f32[m, n] {
  let top = for i: max j: x[i, j];
  let e = for i, j: exp(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j];
  for i, j: e[i, j] / s[i]
}"""
    )
    ours = program.softmax(x, semantics="fpsan")
    assert theirs and (theirs.memory[1].view(numpy.uint32).ravel() == numpy.asarray(ours.bits).ravel()).all()


def test_a_circuit_is_read_off():
    x = rows(4, 256)
    found = reckon.trace(KERNELS, "layer_norm", 4, 32, [x, "f32[4, 256]", 256])
    (output,) = found.outputs
    (elements, folds) = output.groups[0]
    assert len(elements) == 1024 and folds[0].schedule == "lanes(32, seq) then halving"
    assert output.equal == output.compared == 6
    circuit = getattr(reckon.loads(found.program), output.name)
    launch = reckon.ptx(KERNELS, "layer_norm", 4, 32, [x, "f32[4, 256]", 256])
    assert (circuit(x).view(numpy.uint32) == launch.memory[1].view(numpy.uint32)).all()

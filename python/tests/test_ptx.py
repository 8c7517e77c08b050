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
    for block in ((1, 1, 1, 1), 1.5, "8", -1, 2**32, None):
        with pytest.raises(reckon.ArgumentError, match="extents, integers"):
            reckon.ptx(KERNELS, "transpose", 1, block, [])
    with pytest.raises(TypeError, match="a text is wanted, not bytes"):
        reckon.ptx(KERNELS.encode(), "transpose", 1, 1, [])
    with pytest.raises(reckon.SourceError, match="a trace reads off"):
        reckon.ptx(KERNELS, "transpose", 1, 1, [], semantics="interval")
    with pytest.raises(reckon.SourceError, match="is no chip whose tables are known"):
        reckon.ptx(KERNELS, "transpose", (1, 2), (32, 8), [rows(64, 32), "f32[32, 64]", 64, 32], chip="h2000")


def test_a_chip_says_what_approximate_instructions_give():
    text = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .f32 %f<3>; .reg .b32 %t; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %rd3, %t, 4;
  add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd1]; ex2.approx.ftz.f32 %f2, %f1; st.global.f32 [%rd2], %f2; ret;
}"""
    x = rows(1, 256)[0]
    given = reckon.ptx(text, "k", 1, 256, [x, "f32[256]"], chip="h200").memory[1]
    nearest = reckon.ptx(text, "k", 1, 256, [x, "f32[256]"], nearest=True).memory[1]
    exact = numpy.exp2(x.astype(numpy.float64))
    # The ISA's bound (PTX ISA 9.0, 9.7.3.20, "ex2"), and what the nearest numbers keep to.
    assert (abs(given - exact) <= 2.0**-22 * exact).all()
    assert (abs(nearest - exact) <= 2.0**-24 * exact).all()
    assert (given != nearest).any()
    with pytest.raises(reckon.SourceError, match="only the chip knows"):
        reckon.ptx(text, "k", 1, 256, [x, "f32[256]"])
    with pytest.raises(reckon.SourceError, match="E0630"):
        reckon.ptx(text, "k", 1, 256, [x, "f32[256]"], chip="h201")


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

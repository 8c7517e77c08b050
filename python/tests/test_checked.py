"""Kernels that are checked at their calls. What launches them is a stand-in: nothing runs on a GPU."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import reckon

numpy = pytest.importorskip("numpy")

KERNELS = (Path(__file__).resolve().parents[2] / "tests" / "data" / "ptx" / "kernels_sm_80.ptx").read_text()
PROGRAM = """fn total(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k]
fn squares(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k] * x[k]
fn in_order(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k] by lanes(64, seq) then tile(32, halving) then seq"""


class Triton:
    """A kernel of Triton, as far as its launch gives back what it has compiled."""

    arg_names = ["x", "out", "n", "BLOCK"]
    params = [SimpleNamespace(name=name, is_constexpr=name == "BLOCK") for name in arg_names]

    def __init__(self, text=KERNELS, signature=None):
        self.text, self.signature, self.launches = text, signature, 0

    def __getitem__(self, grid):
        def launch(*args, **options):
            self.launches += 1
            metadata = SimpleNamespace(num_warps=options.get("num_warps", 4), shared=0)
            return SimpleNamespace(asm={"ptx": self.text}, metadata=metadata, src=SimpleNamespace(signature=self.signature))

        return launch


def numbers(n):
    return numpy.random.default_rng(n).normal(size=n).astype(numpy.float32)


def test_a_kernel_of_triton_is_checked_once_for_each_shape():
    program = reckon.loads(PROGRAM)
    kernel = reckon.checked(program.total, entry="sum_by_shuffles")(Triton())
    out = numpy.zeros(1, numpy.float32)
    assert kernel[(1,)](numbers(200), out, 200, BLOCK=64, num_warps=2).asm["ptx"] == KERNELS
    assert [each.strength for each in kernel.verdicts] == ["proved"]
    kernel[(1,)](numbers(200), out, 200, BLOCK=64, num_warps=2)
    assert len(kernel.verdicts) == 1 and kernel.kernel.launches == 2
    kernel[lambda meta: (meta["n"] // meta["n"],)](numbers(77), out, 77, BLOCK=64, num_warps=2)
    assert len(kernel.verdicts) == 2 and kernel.launches == 3


def test_a_wrong_kernel_raises_with_its_verdict():
    program = reckon.loads(PROGRAM)
    kernel = reckon.checked(program.squares, "in fpsan", entry="sum_by_shuffles")(Triton())
    with pytest.raises(reckon.CheckFailed) as failed:
        kernel[(1,)](numbers(200), numpy.zeros(1, numpy.float32), 200, BLOCK=64, num_warps=2)
    assert failed.value.verdict.verdict == "fails"
    # Another order has the same algebra, and other bits.
    order = reckon.checked(program.in_order, "in float", entry="sum_by_shuffles")(Triton())
    order[(1,)](numbers(200), numpy.zeros(1, numpy.float32), 200, BLOCK=64, num_warps=2)
    with pytest.raises(reckon.CheckFailed):
        order[(1,)](numbers(200), numpy.zeros(1, numpy.float32), 200, BLOCK=64, num_warps=4)
    near = reckon.checked(program.total, "in float within 1e-3", entry="sum_by_shuffles")(Triton())
    near[(1,)](numbers(200), numpy.zeros(1, numpy.float32), 200, BLOCK=64)
    assert near.verdicts[0].strength == "observed"


def test_a_kernel_of_cupy_is_checked_with_its_text():
    program = reckon.loads(PROGRAM)
    launched = []
    raw = lambda grid, block, args, shared_mem=0: launched.append(shared_mem)
    kernel = reckon.checked(program.total, ptx=lambda: KERNELS, entry="sum_by_halves")(raw)
    kernel((1,), (256,), (numbers(300), numpy.zeros(1, numpy.float32), numpy.int32(300)))
    assert launched == [0] and kernel.verdicts[0]
    with pytest.raises(reckon.ArgumentError, match="no PTX of its own"):
        reckon.checked(program.total)(raw)((1,), (256,), (numbers(300), numpy.zeros(1, numpy.float32), 300))


def test_several_outputs_have_a_circuit_each():
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry both(.param .u64 x, .param .u64 twice, .param .u64 square, .param .u64 scratch) {
  .reg .f32 %f<4>; .reg .b32 %t; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [twice]; ld.param.u64 %rd3, [square];
  mov.u32 %t, %tid.x; mul.wide.u32 %rd4, %t, 4;
  add.s64 %rd1, %rd1, %rd4; add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4;
  ld.global.f32 %f1, [%rd1];
  add.rn.f32 %f2, %f1, %f1; mul.rn.f32 %f3, %f1, %f1;
  st.global.f32 [%rd2], %f2; st.global.f32 [%rd3], %f3;
  ret;
}
"""
    program = reckon.loads(
        """fn twice(x: f32[n]) -> f32[n] = for i: x[i] + x[i]
fn square(x: f32[n]) -> f32[n] = for i: x[i] * x[i]"""
    )
    room = lambda: numpy.zeros(32, numpy.float32)
    kernel = reckon.checked({1: program.twice, 2: program.square}, "in float", ptx=text)(lambda grid, block, args: None)
    kernel((1,), (32,), (numbers(32), room(), room()))  # the last parameter is the compiler's
    assert [str(each.verdict) for each in kernel.verdicts] == ["holds", "holds"]
    with pytest.raises(reckon.ArgumentError, match="names a circuit for each"):
        reckon.checked(program.twice, ptx=text)(lambda *args: None)((1,), (32,), (numbers(32), room(), room()))
    with pytest.raises(reckon.ArgumentError, match="does not write argument 0"):
        reckon.checked({0: program.twice}, ptx=text)(lambda *args: None)((1,), (32,), (numbers(32), room(), room()))
    with pytest.raises(reckon.ArgumentError, match="takes the circuit of a program"):
        reckon.checked("twice", ptx=text)(lambda *args: None)
    with pytest.raises(reckon.ArgumentError, match="which kernel is meant"):
        reckon.checked(program.twice, ptx=text, entry="none")(lambda *args: None)((1,), (32,), (numbers(32), room(), room()))


def test_programs_name_kernels_of_ptx(tmp_path):
    (tmp_path / "k.ptx").write_text(KERNELS)
    (tmp_path / "p.rk").write_text(
        'kernel theirs[n] = ptx("k.ptx", "sum_by_shuffles", grid: 1, block: 64, x: f32[n], f32[1], n)\n' + PROGRAM
    )
    program = reckon.load(tmp_path / "p.rk")
    assert program.check("theirs[200] == total in algebra").strength == "proved"
    x = numbers(200)
    launch = reckon.ptx(KERNELS, "sum_by_shuffles", 1, 64, [x, "f32[1]", 200])
    assert program.theirs(x, n=200).view(numpy.uint32) == launch.memory[1].view(numpy.uint32)
    with pytest.raises(reckon.SourceError, match="did you mean `sum_by_shuffles`"):
        reckon.loads('kernel k = ptx("k.ptx", "sum_by_shufles", grid: 1, block: 1, 1)', path=str(tmp_path / "q.rk"))

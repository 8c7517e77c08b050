"""Tolerances: accepted is what rounding may do, refused is a mistake of the size of one product."""

from fractions import Fraction

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from reckon.torch import ArgumentMistake, Unsupported, tolerance
from reckon.torch.errors_of import likely_growth

K = 32768
BLOCK = 64


def product(a, b):
    return a.float() @ b.float()


def split_k(products):
    """Blocks of 64 in order, then their sums as a tree, in float32: what a split-K kernel does."""
    sums = torch.zeros(K // BLOCK)
    for column in products.reshape(-1, BLOCK).t():
        sums = sums + column
    while sums.numel() > 1:
        sums = sums[0::2] + sums[1::2]
    return sums[0]


def test_split_k_and_one_dropped_product():
    allowed = tolerance(product, [(1, K), (K, 1)], "f16", (0.5, 1), order=f"tile({BLOCK}, seq) then tree").proven[0]
    generator = torch.Generator().manual_seed(0)
    a, b = ((torch.rand(K, generator=generator) / 2 + 0.5).half() for _ in range(2))
    products = a.float() * b.float()
    true = (a.double() * b.double()).sum()
    computed = split_k(products)
    assert computed.double() != true and allowed.allows(computed, true)
    for place in range(0, K, 997):
        kept = products.clone()
        kept[place] = 0
        assert not allowed.allows(split_k(kept), true)
    dropped = computed.double() - products.double()  # the sum without each of the 32768, to within its rounding
    assert float((dropped - true).abs().min()) > 2 * float(allowed.atol + allowed.rtol * true)
    with_any = tolerance(product, [(1, K), (K, 1)], "f16", (0.5, 1)).proven[0]
    assert with_any.allows(split_k(products * (products != products.min())), true), "every order: too wide to see one"


def test_one_addition_by_hand():
    allowed = tolerance(lambda x, y: x + y, [(3,), (3,)], "f32", (0, 1)).proven[0]
    assert (allowed.atol, allowed.rtol) == (0, 2.0**-24)


def test_two_products_by_hand():
    """fl(fl(ab) + fl(cd)) of numbers up to 1: two products, each off by u, and a sum of at most 2 (1 + u)."""
    u = Fraction(1, 2**24)
    allowed = tolerance(lambda x, y: x @ y, [(1, 2), (2, 1)], "f32", (-1, 1), order="seq").proven[0]
    least, most = 2 * u + 2 * u / (1 + u), 2 * u + 2 * u * (1 + u) + Fraction(1, 2**60)
    assert least * Fraction(99, 100) <= Fraction(allowed.atol) <= most * Fraction(101, 100)


def accumulates(product_of):
    """Where this PyTorch keeps the sums of a product of bf16: 300 ones add up to 256 in bf16. PyTorch 1.13 does so on
    processors without AVX-512."""
    total = product_of(torch.ones(1, 300, dtype=torch.bfloat16), torch.ones(300, 1, dtype=torch.bfloat16)).item()
    assert total in (256, 300)
    return "own" if total == 256 else "f32"


ACCUMULATES = {
    "mm": accumulates(torch.mm),
    "convolution": accumulates(lambda x, w: F.conv1d(x.view(1, 300, 1), w.view(1, 300, 1)).view(1)),
}


@pytest.mark.parametrize("form, dtype", [("f32", torch.float32), ("bf16", torch.bfloat16)])
@pytest.mark.parametrize(
    "function, shapes, ranges",
    [
        (lambda x: F.softmax(x, -1), [(8, 50)], (-8, 8)),
        (lambda x: F.log_softmax(x, -1), [(8, 50)], (-2, 2)),
        (lambda x, y: x @ y, [(8, 300), (300, 4)], (-1, 1)),
        (lambda x: x.mean(-1), [(8, 300)], (0, 1)),
        (lambda x: (x * x).sum(-1).sqrt(), [(8, 300)], (0.25, 1)),
        (lambda x: F.silu(x) * torch.sigmoid(x), [(8, 30)], (-4, 4)),
        (lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5), [(8, 30)], (0.5, 2)),
        (lambda x, w: F.conv1d(x, w, padding=1), [(2, 3, 20), (4, 3, 3)], (-1, 1)),
        (lambda x: F.relu(x).pow(3) + torch.tanh(x) - x.clamp(-0.5, 0.5), [(8, 30)], (-2, 2)),
        (lambda x, y: x / (y + 2), [(8, 30), (8, 30)], (-1, 1)),
        (lambda x, w: F.conv1d(x, w, padding=2), [(2, 3, 20), (4, 3, 3)], (0.5, 1)),
        (lambda x: F.gelu(x) + F.softplus(x) - F.leaky_relu(x, 0.1), [(8, 30)], (-4, 4)),
        (lambda x: torch.where(x > 0.25, x * x, F.pad(x, (1, 0), value=0.1)[:, :-1]), [(8, 30)], (-2, 2)),
    ],
    ids="softmax log_softmax matmul mean norm silu rms conv mixed quotient conv_positive gelu where".split(),
)
def test_pytorch_stays_within(form, dtype, function, shapes, ranges):
    """What PyTorch computes in the format, in its own order, from inputs of the format; its functions are good to 2
    ulp. In bf16 each operation's result is rounded, as the analysis has it."""
    products = ACCUMULATES["convolution" if len(shapes[0]) == 3 else "mm"] if len(shapes) == 2 else "f32"
    found = tolerance(function, shapes, form, ranges, function_ulps=2, accumulate=products)
    generator = torch.Generator().manual_seed(2)
    low, high = ranges
    for _ in range(20):
        inputs = [(torch.rand(shape, generator=generator) * (high - low) + low).to(dtype) for shape in shapes]
        computed, true = function(*inputs), function(*[x.double() for x in inputs])
        assert found.proven[0].allows(computed, true)
        assert found.probable[0].allows(computed, true)
    assert found.probable[0].atol <= found.proven[0].atol and found.probable[0].rtol <= found.proven[0].rtol


def test_probability_is_the_theorem():
    """exp(t sqrt(n) u + n u^2 / (1 - u)) - 1 with t of the chance; far below n u for long sums."""
    t, growth = likely_growth(K - 1, 1e-6 / K, "f32")
    assert 6 < t < 8
    assert float(growth) == pytest.approx(t * (K - 1) ** 0.5 * 2.0**-24, rel=1e-3)


def test_statement_names_its_conditions():
    found = tolerance(lambda x: torch.exp(x).sum(), [(9,)], "f32", (0, 1))
    assert "proven for all inputs within the ranges" in found.proven[0].statement
    assert "exp err by at most 1 ulp" in found.proven[0].statement and "sums in any order" in found.proven[0].statement
    assert "independent and of mean zero" in found.probable[0].statement


def test_sums_in_a_narrow_format():
    """300 ones: in bf16 a sum in order stays at 256, where the next number is 258."""
    shapes, one, true = [(1, 300), (300, 1)], (1, 1), torch.tensor([[300.0]])
    stuck = torch.tensor([[256.0]], dtype=torch.bfloat16)
    wide = tolerance(torch.mm, shapes, "bf16", one, order="seq").proven[0]
    own = tolerance(torch.mm, shapes, "bf16", one, order="seq", accumulate="own").proven[0]
    assert "sums of bf16 are kept in f32" in wide.statement and "sums of bf16 are kept in bf16" in own.statement
    assert own.allows(stuck, true) and not wide.allows(stuck, true)
    with pytest.raises(ArgumentMistake, match='"f32" or "own", not "f16"'):
        tolerance(torch.mm, shapes, "bf16", one, accumulate="f16")


def test_a_module_lies_within_its_values():
    linear = nn.Linear(4, 3)
    found = tolerance(linear, [(2, 4)], "f32", (-1, 1))
    assert "weight in" in found.ranges
    assert found.proven[0].allows(linear(torch.ones(2, 4)), linear.double()(torch.ones(2, 4).double()))


def test_what_has_no_bound_is_refused():
    with pytest.raises(Unsupported, match="may be 0, or nearer to 0 than its error"):
        tolerance(lambda x: 1 / x, [(3,)], "f32", (-1, 1))
    with pytest.raises(Unsupported, match="may overflow f16"):
        tolerance(lambda x: x * x, [(3,)], "f16", (0, 1000))
    with pytest.raises(Unsupported, match="the other side may be chosen"):
        tolerance(lambda x: torch.where(x * x < 0.5, x, -x), [(3,)], "f32", (0, 1))
    with pytest.raises(Unsupported, match="may be negative"):
        tolerance(lambda x: (x.sum(-1) - 2).sqrt(), [(3, 4)], "f32", (0.5, 1))
    with pytest.raises(Unsupported, match="cumsum"):
        tolerance(lambda x: x.cumsum(0), [(3,)], "f32", (0, 1))
    with pytest.raises(ArgumentMistake, match="ranges"):
        tolerance(lambda x: x, [(3,)], "f32", {"y": (0, 1)})
    with pytest.raises(ArgumentMistake, match="rounding unit"):
        tolerance(lambda x: x, [(3,)], "f8", (0, 1))

"""What an import looks like, and what it refuses."""

import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from reckon.torch import ArgumentMistake, Unsupported, check, circuit, decompositions

X = torch.linspace(-1, 1, 6).reshape(2, 3)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x):
        return torch.relu(self.inner(x)) * 3**-0.5


def test_text():
    text = circuit(Scaled(), [X]).text()
    assert (
        re.sub("  # .*", "", text)
        == """\
fn scaled(x: f32[2, 3], inner_weight: f32[3, 3], inner_bias: f32[3]) -> f32[2, 3] {
  let t_1 = for i0 < 3, i1 < 3: inner_weight[i1, i0];
  let mm_1 = for i0 < 2, i1 < 3: (sum r0 < 3: x[i0, r0] * t_1[r0, i1] by seq);
  let add_1 = for i0 < 2, i1 < 3: mm_1[i0, i1] + inner_bias[i1];
  let relu_1 = for i0 < 2, i1 < 3: max(add_1[i0, i1], 0);
  let mul_1 = for i0 < 2, i1 < 3: relu_1[i0, i1] * f32(sqrt(1/3));
  mul_1
}
"""
    )
    assert "by seq);  # mm of addmm, module `inner`, test_import.py:" in text


def test_text_for_floats_has_the_doubles_and_the_order():
    text = circuit(Scaled(), [X], order="tree").text(real=False)
    assert "sqrt" not in text and (3**-0.5).hex() in text and "by tree" in text


def test_narrow_formats_keep_their_sums_in_f32():
    text = circuit(lambda a, b: a @ b, [torch.ones(2, 3).half(), torch.ones(3, 2).half()]).text()
    assert "f16(sum r0 < 3: f32(a[i0, r0]) * f32(b[r0, i1]) by seq)" in text


def test_masks_are_conditions():
    text = circuit(lambda x: x.masked_fill(torch.ones(3, 3).triu(1).bool(), float("-inf")), [torch.ones(3, 3)]).text()
    assert "select(i1 > i0, f32(-inf), x[i0, i1])" in text


def test_integers_are_constants():
    text = circuit(lambda x, k: x[:, k] * 2, [X, torch.tensor([2, 0])]).text()
    assert text.startswith("fn function(x: f32[2, 3]) -> f32[2, 2]")


def test_unsupported_operator():
    class Ranks(nn.Module):
        def forward(self, x):
            return x.argsort(-1) + x

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.ranks = Ranks()

        def forward(self, x):
            return self.ranks(x)

    with pytest.raises(Unsupported) as refused:
        circuit(Outer(), [X])
    message = str(refused.value)
    assert refused.value.operator in ("sort", "argsort") and "no circuit is known for this operator" in message
    assert "module `ranks`, test_import.py" in message and "return x.argsort(-1) + x" in message
    assert "element by element: abs, acos" in message and "products: bmm, convolution" in message


def test_control_flow():
    def absolute(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(Unsupported, match="data-dependent control flow") as refused:
        circuit(absolute, [X])
    assert "x if x.sum() > 0 else -x" in str(refused.value) and "torch.where" in str(refused.value)


def test_wrong_number_of_inputs():
    with pytest.raises(ArgumentMistake, match=r"`Scaled\(x\)` does not take the 2 example inputs"):
        circuit(Scaled(), [X, X])
    with pytest.raises(ArgumentMistake, match="the 0 example inputs"):
        circuit(Scaled(), [])


def test_random_numbers():
    with pytest.raises(Unsupported, match="draws random numbers") as refused:
        circuit(nn.Sequential(nn.Dropout(0.5)), [X])
    assert "module.eval()" in str(refused.value)


def test_indices_of_extremes():
    with pytest.raises(Unsupported, match="integers"):
        circuit(lambda x: x.max(-1)[1], [X])


def test_writes_that_others_see():
    def written(x):
        y = x.clone()
        row = y[0]
        y.mul_(2)
        return row + 1

    with pytest.raises(Unsupported, match="has written into the storage of a tensor that is used here"):
        circuit(written, [X])


def test_the_module_is_left_as_it_was():
    norm = nn.BatchNorm1d(3)
    before = {name: tensor.clone() for name, tensor in norm.state_dict().items()}
    circuit(norm, [X])
    assert all(torch.equal(before[name], tensor) for name, tensor in norm.state_dict().items())
    frozen = nn.Linear(3, 2).requires_grad_(False)
    circuit(frozen, [X])
    assert not frozen.weight.requires_grad


def test_copies_of_parameters_are_noted():
    linear = nn.Linear(3, 2)
    copied = linear.weight.detach().clone()
    verdict = check(linear, lambda x: x @ copied.t() + linear.bias, [X])
    assert verdict.verdict == "fails" and any("the module's own tensor" in note for note in verdict.notes)


def test_a_result_that_is_no_tensor():
    with pytest.raises(ArgumentMistake, match="returned no tensor"):
        circuit(lambda x: None, [X])


def test_shapes_of_results():
    with pytest.raises(ArgumentMistake, match="different shapes"):
        check(lambda x: x.sum(-1), lambda x: x.sum(-1, keepdim=True), [X])


def test_candidate_text():
    softmax = nn.Softmax(-1)
    text = """
fn online(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
  let (m, s) = a;
  let (n, t) = b;
  let k = max(m, n);
  (k, s * exp(m - k) + t * exp(n - k))
}
fn kernel(x: f32[2, 3]) -> f32[2, 3] {
  let (m, s) = for i: reduce(online) j: (x[i, j], f32(1)) by tree;
  let e = for i, j: exp(x[i, j] - m[i]);   # the shift; of all
  for i, j: e[i, j] / s[i]
}
"""
    assert check(softmax, text, [X])
    assert check(softmax, text.replace("kernel", "module"), [X])
    wrong = check(softmax, text.replace("e[i, j] / s[i]", "e[i, j] / s[0]"), [X])
    assert wrong.verdict == "fails" and wrong.first.step.source.operator == "div"
    with pytest.raises(ArgumentMistake, match="has 1 parameters .* and the module has 3"):
        check(nn.LayerNorm(3), text, [X])


def test_candidate_module_shares_parameters_by_name_and_value():
    linear = nn.Linear(3, 2)

    class Named(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.zeros(2, 3)), nn.Parameter(torch.zeros(2))

        def forward(self, x):
            return (x[:, None] * self.weight).sum(-1) + self.bias

    class Renamed(nn.Module):
        def __init__(self, weight):
            super().__init__()
            self.w, self.b = nn.Parameter(weight.clone()), nn.Parameter(linear.bias.detach().clone())

        def forward(self, x):
            return x @ self.w.t() + self.b

    assert check(linear, Named(), [X])
    renamed = check(linear, Renamed(linear.weight.detach()), [X])
    assert renamed and any("`w` has the values of the module's `weight`" in note for note in renamed.notes)
    with pytest.raises(ArgumentMistake, match="`w` .* has no counterpart"):
        check(linear, Renamed(linear.weight.detach() + 1), [X])


def test_other_semantics():
    imported = circuit(nn.LayerNorm(3), [X])
    true = F.layer_norm(X.double(), (3,))
    (low, high), *_ = imported.evaluate(X, semantics="interval")
    assert bool(((low - 1e-14 <= true) & (true <= high + 1e-14)).all()) and float((high - low).max()) < 1e-10
    (values, bounds), *_ = imported.evaluate(X, semantics="bound(any)")
    assert bool(((values - true).abs() <= bounds + 1e-15).all()) and 0 < float(bounds.max()) < 1e-5


def test_ranges():
    root, power = (lambda x: (x * x).sqrt()), (lambda x: x)
    assert check(root, power, [X], ranges={"x": (0, None)})
    wrong = check(root, power, [X], ranges={"x": (-2, -1)})
    assert wrong.verdict == "fails" and float(wrong.inputs["x"].max()) <= 0
    with pytest.raises(ArgumentMistake, match="`ranges` names `y`"):
        check(root, power, [X], ranges={"y": (0, 1)})


def test_floats():
    assert "the same bits" in check(F.relu, lambda x: x.clamp(min=0), [X]).floats
    assert "only rounding" in check(lambda x: x.sum(-1), lambda x: x.flip(-1).sum(-1), [X]).floats


def by_formula(q, k, v, allowed=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    scores = scores if allowed is None else scores.masked_fill(~allowed, float("-inf"))
    return torch.softmax(scores, -1) @ v


def test_attention_function():
    """The function of PyTorch 2, as it is replaced; and, where this PyTorch has it, that it is."""
    q, k, v = (torch.randn(1, 4, 3, 2, dtype=torch.float64) for _ in range(3))
    allowed = torch.ones(3, 3).tril().bool()
    attention = decompositions.scaled_dot_product_attention
    assert torch.allclose(attention(q, k, v), by_formula(q, k, v))
    assert torch.allclose(attention(q, k, v, is_causal=True), by_formula(q, k, v, allowed))
    assert torch.allclose(attention(q, k, v, attn_mask=allowed), by_formula(q, k, v, allowed))
    few = [tensor[:, :2] for tensor in (k, v)]
    grouped = by_formula(q, *[tensor.repeat_interleave(2, 1) for tensor in few])
    assert torch.allclose(attention(q, *few, enable_gqa=True), grouped)
    if hasattr(F, "scaled_dot_product_attention"):
        text = circuit(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), [q, k, v]).text()
        assert "masked_fill of scaled_dot_product_attention" in text


def test_functions_are_replaced_as_they_are_called(monkeypatch):
    monkeypatch.setitem(decompositions.FUNCTIONS, torch.logit, lambda x, eps=None: torch.log(x) - torch.log(1 - x))
    text = circuit(lambda x: torch.logit(x) * 2, [X]).text()
    assert "log of logit" in text and "mul, test_import.py" in text


def test_traced_graphs():
    graph = torch.fx.symbolic_trace(Scaled())
    assert circuit(graph, [X]).text().count("let") == 5

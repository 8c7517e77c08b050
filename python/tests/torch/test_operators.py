"""Every operator that is imported: its circuit under `exact`, beside PyTorch in float64."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from reckon.torch import circuit

X, IMAGE, ROWS = (2, 4, 6), (2, 4, 6, 6), (4, 6)
MASK = torch.ones(4, 6).triu(1).bool()


def assigned(x):
    y = x.clone()
    y[:, 0] = 1.0
    y[..., 1:3] *= 2
    y[0] = x[1]
    return y


def shifted_into_zeros(x):
    y = torch.zeros(2, 4, 6)
    y[:, 1:] = x[:, :-1]
    return y


SHAPES = {
    "view": lambda x: x.reshape(2, 2, 2, 3, 2).permute(0, 2, 1, 4, 3).reshape(4, 12),
    "transpose": lambda x: x.transpose(0, 2),
    "squeeze": lambda x: x[:, :1].squeeze(1).unsqueeze(0),
    "expand": lambda x: x[:, :1].expand(2, 4, 6),
    "cat": lambda x: torch.cat([x, 2 * x, x[:, :1]], 1),
    "stack": lambda x: torch.stack([x, 2 * x], 1),
    "chunk": lambda x: x.chunk(2, -1)[1] * x.chunk(2, -1)[0],
    "split": lambda x: x.split([1, 3, 2], -1)[1],
    "slice": lambda x: x[:, 1:4:2, -5:-1],
    "flip": lambda x: x.flip(1),
    "roll": lambda x: torch.roll(x, 1, 2),
    "roll_flat": lambda x: torch.roll(x, 5),
    "repeat": lambda x: x.repeat(1, 2, 1),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 1),
    "pad": lambda x: F.pad(x, (1, 2), value=3.0),
    "pad_negative": lambda x: F.pad(x, (-1, 2)),
    "reflect": lambda x: F.pad(x, (2, 1), mode="reflect"),
    "replicate": lambda x: F.pad(x, (2, 1), mode="replicate"),
    "triangles": lambda x: x.tril() + x.triu(1),
    "index": lambda x: x[:, torch.tensor([0, 2, 1])],
    "index_even": lambda x: x[:, torch.tensor([0, 2])],
    "index_back": lambda x: x[:, torch.tensor([3, 1])],
    "unbind": lambda x: x.unbind(1)[2],
    "glu": lambda x: F.glu(x, -1),
    "gather": lambda x: x[:, :, 0].gather(1, torch.tensor([[1], [2]])),
    "windows": lambda x: x.unfold(2, 3, 2),
    "diagonal": lambda x: x.diagonal(1, 1, 2),
    "assigned": assigned,
    "shifted": shifted_into_zeros,
    "in_place": lambda x: F.relu(x * 2, inplace=True).add_(1).mul_(x),
    "movedim": lambda x: x.movedim(0, 2),
    "meshgrid": lambda x: x + torch.arange(4)[:, None] * torch.arange(6),
}
REDUCTIONS = {
    "sum": lambda x: x.sum((0, 2)),
    "mean": lambda x: x.mean(1, keepdim=True),
    "amax": lambda x: x.amax((1, 2)),
    "amin": lambda x: x.amin(0),
    "max_values": lambda x: x.max(-1)[0] + x.min(-1).values,
    "prod": lambda x: x.prod(-1),
    "var": lambda x: x.var(-1),
    "var_population": lambda x: x.var(-1, unbiased=False),
    "var_all": lambda x: x.var(),
    "std": lambda x: x.std((0, 1)),
    "var_mean": lambda x: torch.var_mean(x, -1)[0],
    "norm": lambda x: x.norm(dim=-1),
    "norm_1": lambda x: x.norm(1, dim=-1),
    "norm_inf": lambda x: x.norm(math.inf, dim=(0, 1)),
    "norm_3": lambda x: x.norm(3, dim=-1),
    "logsumexp": lambda x: torch.logsumexp(x, -1),
    "cumsum": lambda x: x.cumsum(1),
    "normalize": lambda x: F.normalize(x, dim=-1),
    "any": lambda x: torch.where((x > 1).any(-1), x[..., 0], x[..., 1]),
    "softmax": lambda x: F.softmax(x, 1),
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "softmin": lambda x: F.softmin(x, -1),
}
ELEMENTS = {
    name: getattr(F, name)
    for name in (
        "elu",
        "softplus",
        "hardtanh",
        "leaky_relu",
        "silu",
        "mish",
        "selu",
        "hardsigmoid",
        "hardswish",
        "logsigmoid",
        "relu",
        "relu6",
        "celu",
        "softsign",
        "tanhshrink",
        "softshrink",
        "gelu",
    )
}
ELEMENTS.update(
    {
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "threshold": lambda x: F.threshold(x, 0.1, 20.0),
        "softplus_beta": lambda x: F.softplus(x, beta=2.0),
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "erf": torch.erf,
        "erfc": lambda x: torch.special.erfc(3 * x),
        "lgamma": lambda x: torch.lgamma(x * x + 0.5),
        "clamp": lambda x: x.clamp(-0.5) + x.clamp(max=0.25),
        "trigonometry": lambda x: x.sin() + x.cos() * torch.tan(x / 3),
        "powers": lambda x: x**3 + (x * x) ** 0.5 + (x * x + 1) ** -1.5 + 2.0**x + (x * x + 1) ** 0.3,
        "logarithms": lambda x: (x * x + 1).log() + (x * x + 1).log2() + (x * x).log1p() + (x * x + 1).log10(),
        "where": lambda x: torch.where((x > 0) & (x < 1) | ~(x > -1), x, torch.zeros_like(x)),
        "masked_fill": lambda x: x.masked_fill(MASK, 0.0),
        "rounding": lambda x: x.floor() + (2 * x).ceil() + (x / 3).trunc(),
        "remainders": lambda x: torch.remainder(x, 0.7) + torch.fmod(x, 0.7),
        "sign": lambda x: x.sign() * x.abs().sqrt(),
        "extremes": lambda x: torch.maximum(x, x.flip(0)) - torch.minimum(x, x.flip(1)),
        "extremes_of_numbers": lambda x: torch.fmax(x, x.flip(0)) - torch.fmin(x, x.flip(1)),
        "lerp": lambda x: x.lerp(x * x, 0.25),
        "fused": lambda x: torch.addcmul(x, x, x, value=0.5) + torch.addcdiv(x, x, x * x + 1, value=2),
        "rsub": lambda x: 1 - x,
        "narrow": lambda x: (x > 0).float() * x,
        "logaddexp": lambda x: torch.logaddexp(x, 2 * x),
        "xlogy": lambda x: torch.xlogy(x, x * x + 1),
        "reciprocal": lambda x: 1 / (x * x + 1),
        "hypot": lambda x: torch.hypot(x, x + 1),
    }
)
IMAGES = {
    "max_pool": lambda x: F.max_pool2d(x, 3, 2, 1),
    "avg_pool": lambda x: F.avg_pool2d(x, 2, padding=1),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
    "unfold": lambda x: F.unfold(x, 3, padding=1, stride=2),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
}
MODULES = {
    "linear": (nn.Linear(6, 3), X),
    "layer_norm": (nn.LayerNorm(6), X),
    "group_norm": (nn.GroupNorm(2, 4), IMAGE),
    "batch_norm": (nn.BatchNorm2d(4).eval(), IMAGE),
    "batch_norm_own": (nn.BatchNorm1d(4, track_running_stats=False), X),
    "instance_norm": (nn.InstanceNorm2d(4, affine=True), IMAGE),
    "conv2d": (nn.Conv2d(4, 4, 3, 2, 1, groups=2), IMAGE),
    "conv1d": (nn.Conv1d(4, 4, 3, padding="same", dilation=2), X),
    "conv3d": (nn.Conv3d(2, 3, 2), (1, 2, 3, 3, 3)),
    "transposed": (nn.ConvTranspose2d(4, 4, 3, 2, 1, 1), IMAGE),
    "transposed_groups": (nn.ConvTranspose1d(4, 4, 3, groups=2), X),
    "max_pool1d": (nn.MaxPool1d(2), X),
    "avg_pool1d": (nn.AvgPool1d(2), X),
    "max_pool3d": (nn.MaxPool3d(2), (1, 2, 4, 4, 4)),
    "encoder_layer": (nn.TransformerEncoderLayer(6, 2, 8, batch_first=True).eval(), X),
    "prelu": (nn.PReLU(4), X),
    "lstm": (nn.LSTM(6, 3, batch_first=True), X),
    "gru": (nn.GRU(6, 3, batch_first=True), X),
    "dropout": (nn.Dropout(0.5).eval(), X),
}
PRODUCTS = {
    "einsum": lambda x, y: torch.einsum("btd,bsd->bts", x, y),
    "baddbmm": lambda x, y: torch.baddbmm(torch.ones(2, 4, 4), x, y.transpose(1, 2), alpha=0.5),
    "outer": lambda x, y: torch.outer(x[0, 0], y[1, 0]),
    "addmm": lambda x, y: torch.addmm(x[0, :, :4], x[0], y[1].t(), beta=2),
    "mv": lambda x, y: torch.mv(x[0], y[1, 0]),
    "dot": lambda x, y: torch.dot(x[0, 0], y[1, 0]),
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "huber": F.huber_loss,
    "smooth_l1": lambda x, y: F.smooth_l1_loss(x, y, beta=0.5),
    "kl": lambda x, y: F.kl_div(x, y.exp(), reduction="batchmean"),
    "bce": lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
    "bce_logits": lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "cosine": lambda x, y: F.cosine_similarity(x, y, -1),
    "triplet": lambda x, y: F.triplet_margin_loss(x[0], y[0], x[1]),
    "cross_entropy": lambda x, y: F.cross_entropy(x[:, :, 0], torch.tensor([1, 2])),
    "cross_entropy_sum": lambda x, y: F.cross_entropy(
        x, torch.tensor([[1, 2, 0, 0, 3, 1], [1, -100, 0, 0, 3, 1]]), reduction="sum"
    ),
}
ONE = [(name, function, [X]) for name, function in {**SHAPES, **REDUCTIONS, **ELEMENTS}.items()]
ONE += [(name, function, [IMAGE]) for name, function in IMAGES.items()]
ONE += [(name, function, [X, X]) for name, function in PRODUCTS.items()]


def compare(function, inputs):
    imported = circuit(function, inputs)
    (got, *_) = imported.evaluate(*inputs, semantics="exact")
    if isinstance(function, nn.Module):
        function = function.double()
    torch.set_default_dtype(torch.float64)
    try:
        wanted = function(*[x.double() for x in inputs])
    finally:
        torch.set_default_dtype(torch.float32)
        if isinstance(function, nn.Module):
            function.float()
    wanted = wanted[0] if isinstance(wanted, tuple) else wanted
    assert got.shape == wanted.shape
    assert float((got - wanted).abs().max()) < 1e-6


def drawn(shapes):
    generator = torch.Generator().manual_seed(7)
    return [torch.randn(shape, generator=generator) for shape in shapes]


@pytest.mark.parametrize("name, function, shapes", ONE, ids=[name for name, _, _ in ONE])
def test_function(name, function, shapes):
    compare(function, drawn(shapes))


@pytest.mark.parametrize("name", MODULES)
def test_module(name):
    module, shape = MODULES[name]
    compare(module, drawn([shape]))


def test_attention_module():
    compare(nn.MultiheadAttention(6, 2, batch_first=True), drawn([X, X, X]))

import math

import torch
import torch.nn.functional as F
from torch import nn

from .case import Case

X = [(3, 4)]
TWO_OVER_PI = math.sqrt(2 / math.pi)


def gelu_tanh_as_sigmoid(x):
    return x * torch.sigmoid(2 * TWO_OVER_PI * (x + 0.044715 * x * x * x))


CASES = [
    Case(
        "silu", nn.SiLU(), lambda x: x * (1 + torch.tanh(x / 2)) / 2, lambda x: x * (1 + torch.tanh(x)) / 2, X, "silu"
    ),
    Case(
        "gelu_tanh",
        lambda x: F.gelu(x, approximate="tanh"),
        gelu_tanh_as_sigmoid,
        lambda x: x * torch.sigmoid(2 * TWO_OVER_PI * (x + 0.44715 * x * x * x)),
        X,
        "gelu",
    ),
    Case(
        "gelu_erf",
        nn.GELU(),
        lambda x: x / 2 + x / 2 * torch.erf(x / math.sqrt(2)),
        lambda x: x / 2 + x / 2 * torch.erf(x / 2),
        X,
        "gelu",
    ),
    Case(
        "softplus",
        nn.Softplus(),
        lambda x: torch.clamp(x, min=0) + torch.log1p(torch.exp(-x.abs())),
        lambda x: torch.clamp(x, min=0) + torch.log1p(torch.exp(x.abs())),
        X,
        "softplus",
    ),
    Case(
        "elu",
        nn.ELU(alpha=0.5),
        lambda x: torch.clamp(x, min=0) + 0.5 * (torch.exp(torch.clamp(x, max=0)) - 1),
        lambda x: torch.clamp(x, min=0) + 0.5 * torch.exp(torch.clamp(x, max=0)) - 1,
        X,
        "elu",
    ),
    Case(
        "leaky_relu",
        nn.LeakyReLU(0.125),
        lambda x: torch.maximum(x, 0.125 * x),
        lambda x: torch.maximum(x, -0.125 * x),
        X,
        "leaky_relu",
    ),
    Case(
        "hardswish", nn.Hardswish(), lambda x: x * F.relu6(x + 3) / 6, lambda x: x * F.relu6(x + 2) / 6, X, "hardswish"
    ),
    Case(
        "mish",
        nn.Mish(),
        lambda x: x - 2 * x / ((1 + x.exp()) ** 2 + 1),
        lambda x: x - 2 * x / ((1 + x.exp()) ** 2 + 2),
        X,
        "mish",
    ),
    Case(
        "softmax",
        nn.Softmax(-1),
        lambda x: x.exp() / x.exp().sum(-1, keepdim=True),
        lambda x: x.exp() / x.exp().sum(0, keepdim=True),
        X,
        "sum",
    ),
    Case(
        "log_softmax",
        nn.LogSoftmax(-1),
        lambda x: x - torch.logsumexp(x, -1, keepdim=True),
        lambda x: x - torch.log2(x.exp().sum(-1, keepdim=True)),
        X,
        "log",
    ),
]

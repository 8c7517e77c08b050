import torch
import torch.nn.functional as F
from torch import nn

from .case import Case, seeded

LAYER = seeded(nn.LayerNorm(6))
GROUP = seeded(nn.GroupNorm(2, 4))
BATCH = seeded(nn.BatchNorm2d(3))
INSTANCE = seeded(nn.InstanceNorm1d(3, affine=True))


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


RMS = seeded(RMSNorm(6))


def layer_by_squares(x):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    scale = LAYER.weight / torch.sqrt(variance + LAYER.eps)
    return x * scale + (LAYER.bias - mean * scale)


def layer_sample_variance(x):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(x.var(-1, keepdim=True) + LAYER.eps) * LAYER.weight + LAYER.bias


def rms_by_norm(x):
    return x * (6**0.5) * torch.rsqrt((x * x).sum(-1, keepdim=True) + 6 * RMS.eps) * RMS.weight


def rms_eps_outside(x):
    return x / (torch.sqrt(x.pow(2).mean(-1, keepdim=True)) + RMS.eps) * RMS.weight


def group_by_squares(x):
    y = x.reshape(2, 2, 2, 3)
    mean = y.mean((2, 3), keepdim=True)
    variance = y.pow(2).mean((2, 3), keepdim=True) - mean * mean
    y = (y - mean) * torch.rsqrt(variance + GROUP.eps)
    return y.reshape(2, 4, 3) * GROUP.weight[:, None] + GROUP.bias[:, None]


def group_interleaved(x):
    y = x.reshape(2, 2, 2, 3).transpose(1, 2)
    mean = y.mean((2, 3), keepdim=True)
    variance = (y - mean).pow(2).mean((2, 3), keepdim=True)
    y = ((y - mean) * torch.rsqrt(variance + GROUP.eps)).transpose(1, 2)
    return y.reshape(2, 4, 3) * GROUP.weight[:, None] + GROUP.bias[:, None]


def batch_folded(x):
    scale = BATCH.weight * torch.rsqrt(BATCH.running_var + BATCH.eps)
    shift = BATCH.bias - BATCH.running_mean * scale
    return x * scale[:, None, None] + shift[:, None, None]


def batch_folded_wrong(x):
    scale = BATCH.weight * torch.rsqrt(BATCH.running_var + BATCH.eps)
    return x * scale[:, None, None] + (BATCH.bias - BATCH.running_mean)[:, None, None]


def instance_by_squares(x):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean**2
    return (x - mean) / (variance + 1e-5).sqrt() * INSTANCE.weight[:, None] + INSTANCE.bias[:, None]


def instance_over_channels(x):
    mean = x.mean(1, keepdim=True)
    variance = (x - mean).pow(2).mean(1, keepdim=True)
    return (x - mean) / (variance + 1e-5).sqrt() * INSTANCE.weight[:, None] + INSTANCE.bias[:, None]


CASES = [
    Case("layer_norm", LAYER, layer_by_squares, layer_sample_variance, [(2, 6)], "div"),
    Case("rms_norm", RMS, rms_by_norm, rms_eps_outside, [(2, 6)], "add"),
    Case("group_norm", GROUP, group_by_squares, group_interleaved, [(2, 4, 3)], "sum"),
    Case("batch_norm", BATCH, batch_folded, batch_folded_wrong, [(2, 3, 2, 2)], "sub"),
    Case("instance_norm", INSTANCE, instance_by_squares, instance_over_channels, [(2, 3, 4)], "sum"),
    Case(
        "l2_normalize",
        lambda x: F.normalize(x, dim=-1, eps=0.0),
        lambda x: x * torch.rsqrt((x * x).sum(-1, keepdim=True)),
        lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True)),
        [(3, 4)],
        "sqrt",
    ),
]

import torch
import torch.nn.functional as F
from torch import nn

from .case import Case, seeded

CONV1 = seeded(nn.Conv1d(2, 3, 3, stride=2, padding=1))
CONV2 = seeded(nn.Conv2d(2, 3, 3, padding=1))
GROUPED = seeded(nn.Conv2d(4, 4, 2, groups=2))
DILATED = seeded(nn.Conv1d(2, 2, 2, dilation=2))
TRANSPOSED = seeded(nn.ConvTranspose1d(2, 2, 3, stride=2))
DEPTHWISE = seeded(nn.Conv1d(3, 3, 3, groups=3, padding=2, bias=False))


def conv1_by_windows(x):
    windows = F.pad(x, (1, 1)).unfold(2, 3, 2)
    return torch.einsum("bcok,dck->bdo", windows, CONV1.weight) + CONV1.bias[:, None]


def conv1_padded_left(x):
    windows = F.pad(x, (2, 0)).unfold(2, 3, 2)
    return torch.einsum("bcok,dck->bdo", windows, CONV1.weight) + CONV1.bias[:, None]


def conv2_by_columns(x):
    columns = F.unfold(x, 3, padding=1)
    return (CONV2.weight.reshape(3, -1) @ columns).reshape(1, 3, 3, 4) + CONV2.bias[:, None, None]


def conv2_flipped(x):
    columns = F.unfold(x, 3, padding=1)
    return (CONV2.weight.flip(2, 3).reshape(3, -1) @ columns).reshape(1, 3, 3, 4) + CONV2.bias[:, None, None]


def grouped_apart(x):
    halves = [F.conv2d(x[:, 2 * g : 2 * g + 2], GROUPED.weight[2 * g : 2 * g + 2]) for g in range(2)]
    return torch.cat(halves, 1) + GROUPED.bias[:, None, None]


def grouped_interleaved(x):
    halves = [F.conv2d(x[:, g::2], GROUPED.weight[2 * g : 2 * g + 2]) for g in range(2)]
    return torch.cat(halves, 1) + GROUPED.bias[:, None, None]


def dilated_by_slices(x):
    taps = [torch.einsum("dc,bcn->bdn", DILATED.weight[:, :, k], x[:, :, 2 * k : 2 * k + 4]) for k in range(2)]
    return taps[0] + taps[1] + DILATED.bias[:, None]


def undilated(x):
    taps = [torch.einsum("dc,bcn->bdn", DILATED.weight[:, :, k], x[:, :, k : k + 4]) for k in range(2)]
    return taps[0] + taps[1] + DILATED.bias[:, None]


def transposed_by_stuffing(x):
    stuffed = torch.stack([x, torch.zeros_like(x)], -1).reshape(1, 2, 6)[:, :, :-1]
    return F.conv1d(F.pad(stuffed, (2, 2)), TRANSPOSED.weight.flip(2).transpose(0, 1)) + TRANSPOSED.bias[:, None]


def transposed_unflipped(x):
    stuffed = torch.stack([x, torch.zeros_like(x)], -1).reshape(1, 2, 6)[:, :, :-1]
    return F.conv1d(F.pad(stuffed, (2, 2)), TRANSPOSED.weight.transpose(0, 1)) + TRANSPOSED.bias[:, None]


def causal_depthwise(x):
    return DEPTHWISE(x)[:, :, :-2]


def depthwise_by_shifts(x):
    return sum(F.pad(x, (2 - k, 0))[:, :, :5] * DEPTHWISE.weight[:, 0, k : k + 1] for k in range(3))


def depthwise_reversed(x):
    return sum(F.pad(x, (k, 0))[:, :, :5] * DEPTHWISE.weight[:, 0, k : k + 1] for k in range(3))


def max_by_slices(x):
    return torch.maximum(
        torch.maximum(x[..., ::2, ::2], x[..., 1::2, ::2]), torch.maximum(x[..., ::2, 1::2], x[..., 1::2, 1::2])
    )


def max_without_corner(x):
    return torch.maximum(torch.maximum(x[..., ::2, ::2], x[..., 1::2, ::2]), x[..., ::2, 1::2])


CASES = [
    Case("conv1d_stride_padding", CONV1, conv1_by_windows, conv1_padded_left, [(1, 2, 6)], "convolution"),
    Case("conv2d", CONV2, conv2_by_columns, conv2_flipped, [(1, 2, 3, 4)], "convolution"),
    Case("conv2d_groups", GROUPED, grouped_apart, grouped_interleaved, [(1, 4, 3, 3)], "convolution"),
    Case("conv1d_dilation", DILATED, dilated_by_slices, undilated, [(1, 2, 6)], "convolution"),
    Case("conv_transposed", TRANSPOSED, transposed_by_stuffing, transposed_unflipped, [(1, 2, 3)], "convolution"),
    Case("causal_depthwise", causal_depthwise, depthwise_by_shifts, depthwise_reversed, [(1, 3, 5)], "convolution"),
    Case("max_pool", nn.MaxPool2d(2), max_by_slices, max_without_corner, [(1, 2, 4, 4)], "max_pool2d_with_indices"),
    Case(
        "avg_pool",
        nn.AvgPool2d(2),
        lambda x: F.conv2d(x, torch.full((2, 1, 2, 2), 0.25), stride=2, groups=2),
        lambda x: F.conv2d(x, torch.full((2, 1, 2, 2), 0.5), stride=2, groups=2),
        [(1, 2, 4, 4)],
        "avg_pool2d",
    ),
    Case(
        "global_pool",
        nn.AdaptiveAvgPool2d(1),
        lambda x: x.reshape(2, 3, 8).sum(-1)[:, :, None, None] / 8,
        lambda x: x.reshape(2, 3, 8)[:, :, :-1].sum(-1)[:, :, None, None] / 8,
        [(2, 3, 2, 4)],
        "sum",
    ),
]

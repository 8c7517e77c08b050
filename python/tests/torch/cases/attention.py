import math

import torch
import torch.nn.functional as F

from .case import Case

QKV = [(1, 2, 4, 3)] * 3
GROUPED = [(1, 4, 3, 2), (1, 2, 3, 2), (1, 2, 3, 2)]


def attend(q, k, v, mask=None, scale=None):
    scores = q @ k.transpose(-2, -1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.softmax(scores, -1) @ v


def full(q, k, v):
    return attend(q, k, v)


def causal(q, k, v):
    return attend(q, k, v, torch.ones(q.shape[-2], k.shape[-2]).tril().bool())


def blocked(q, k, v, scale):
    """Two blocks of keys, with the running maximum, sum and product of flash attention."""
    largest = total = product = None
    for start in (0, 2):
        scores = q @ k[..., start : start + 2, :].transpose(-2, -1) * scale
        here = scores.amax(-1, keepdim=True)
        weights = torch.exp(scores - here)
        if largest is None:
            largest, total, product = here, weights.sum(-1, keepdim=True), weights @ v[..., :2, :]
            continue
        new = torch.maximum(largest, here)
        old, now = torch.exp(largest - new), torch.exp(here - new)
        total = total * old + weights.sum(-1, keepdim=True) * now
        product = product * old + (weights @ v[..., start : start + 2, :]) * now
        largest = new
    return product / total


def causal_by_product(q, k, v, diagonal=0):
    allowed = torch.ones(4, 4).tril(diagonal)
    weights = torch.exp(q @ k.transpose(-2, -1) / math.sqrt(3)) * allowed
    return (weights @ v) / weights.sum(-1, keepdim=True)


def grouped(q, k, v):
    return attend(q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1))


def grouped_by_view(q, k, v):
    q = q.reshape(1, 2, 2, 3, 2)
    weights = torch.softmax(torch.einsum("bhgid,bhjd->bhgij", q, k) / math.sqrt(2), -1)
    return torch.einsum("bhgij,bhjd->bhgid", weights, v).reshape(1, 4, 3, 2)


def sliding(q, k, v):
    mask = torch.ones(4, 4).tril().bool() & torch.ones(4, 4).triu(-1).bool()
    return attend(q, k, v, mask)


def sliding_by_slices(q, k, v, width=2):
    rows = []
    for i in range(4):
        keys = slice(max(i - width + 1, 0), i + 1)
        weights = torch.exp((k[..., keys, :] * q[..., i : i + 1, :]).sum(-1) / math.sqrt(3))
        rows.append((weights[..., None] * v[..., keys, :]).sum(-2) / weights.sum(-1, keepdim=True))
    return torch.stack(rows, -2)


def cross_by_rows(q, k, v):
    e = torch.exp(torch.einsum("bhid,bhjd->bhij", q, k) * 3**-0.5)
    return torch.einsum("bhij,bhjd->bhid", e, v) / e.sum(-1)[..., None]


def biased(q, k, v, bias):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(3) + bias, -1) @ v


def biased_by_factors(q, k, v, bias):
    e = torch.exp(q @ k.transpose(-2, -1) / math.sqrt(3)) * torch.exp(bias)
    return (e @ v) / e.sum(-1, keepdim=True)


CASES = [
    Case("attention", full, cross_by_rows, lambda q, k, v: attend(q, k, v, scale=1 / 3), QKV, "mul"),
    Case(
        "attention_blocked",
        full,
        lambda q, k, v: blocked(q, k, v, 3**-0.5),
        lambda q, k, v: blocked(q, k, v, 0.5),
        QKV,
        "mul",
    ),
    Case(
        "attention_causal", causal, causal_by_product, lambda q, k, v: causal_by_product(q, k, v, 1), QKV, "masked_fill"
    ),
    Case(
        "attention_gqa",
        grouped,
        grouped_by_view,
        lambda q, k, v: attend(q, k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)),
        GROUPED,
        "bmm",
    ),
    Case(
        "attention_sliding",
        sliding,
        sliding_by_slices,
        lambda q, k, v: sliding_by_slices(q, k, v, 3),
        QKV,
        "masked_fill",
    ),
    Case(
        "attention_bias",
        biased,
        biased_by_factors,
        lambda q, k, v, b: biased_by_factors(q, k, v, -b),
        QKV + [(4, 4)],
        "add",
    ),
]

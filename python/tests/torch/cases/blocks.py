import math

import torch
import torch.nn.functional as F
from torch import nn

from .case import Case, seeded


class Block(nn.Module):
    """A transformer's block: norm, causal attention of two heads, norm, MLP; both with a residual."""

    def __init__(self, width=4, heads=2, inner=6):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(d, -1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -math.inf)
        x = x + self.out((torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(b, n, d))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Rotary(nn.Module):
    """Rotary embedding of pairs (i, i + half)."""

    def __init__(self, n=3, width=4):
        super().__init__()
        self.register_buffer("angles", torch.rand(n, width // 2))

    def forward(self, x):
        first, second = x.chunk(2, -1)
        c, s = self.angles.cos(), self.angles.sin()
        return torch.cat([first * c - second * s, first * s + second * c], -1)


BLOCK = seeded(Block())
LSTM = seeded(nn.LSTM(3, 2, batch_first=True))
MLP = seeded(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)))
ROTARY = seeded(Rotary())
EMBEDDING = seeded(nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2)))
TOKENS = torch.tensor([[3, 0], [4, 1]])


def norm_by_squares(x, norm):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) * torch.rsqrt((x * x).mean(-1, keepdim=True) - mean * mean + norm.eps) * norm.weight + norm.bias


def block_rewritten(x, last=0):
    """Other norms, heads one by one, and rows that attend to what comes before them by slices."""
    y = BLOCK.qkv(norm_by_squares(x, BLOCK.norm1))
    heads = []
    for h in range(2):
        q, k, v = (y[..., 4 * part + 2 * h : 4 * part + 2 * h + 2] for part in range(3))
        rows = []
        for i in range(3):
            upto = slice(0, min(i + 1 + last, 3))
            weights = torch.exp((k[:, upto] * q[:, i : i + 1]).sum(-1, keepdim=True) / math.sqrt(2))
            rows.append((weights * v[:, upto]).sum(1) / weights.sum(1))
        heads.append(torch.stack(rows, 1))
    x = x + BLOCK.out(torch.cat(heads, -1))
    up = BLOCK.up(norm_by_squares(x, BLOCK.norm2))
    gate = torch.sigmoid(2 * math.sqrt(2 / math.pi) * (up + 0.044715 * up**3))
    return x + BLOCK.down(up * gate)


def lstm_cell(x, forget_first=False):
    h = c = torch.zeros(2, 2)
    out = []
    for t in range(2):
        gates = x[:, t] @ LSTM.weight_ih_l0.t() + LSTM.bias_ih_l0 + h @ LSTM.weight_hh_l0.t() + LSTM.bias_hh_l0
        i, f, g, o = gates.chunk(4, -1)
        i, f = (f, i) if forget_first else (i, f)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        out.append(h)
    return torch.stack(out, 1)


def mlp_by_exp(x):
    y = torch.exp(2 * (x @ MLP[0].weight.t() + MLP[0].bias))
    return (1 - 2 / (y + 1)) @ MLP[2].weight.t() + MLP[2].bias


def mlp_without_first_bias(x):
    y = torch.exp(2 * (x @ MLP[0].weight.t()))
    return (1 - 2 / (y + 1)) @ MLP[2].weight.t() + MLP[2].bias


def rotary_by_swap(x, sign=-1):
    swapped = torch.cat([sign * x[..., 2:], x[..., :2]], -1)
    twice = torch.cat([ROTARY.angles, ROTARY.angles], -1)
    return x * torch.cos(twice) + swapped * torch.sin(twice)


def x_type():
    return EMBEDDING[0].weight.dtype


def embedded_by_product(tokens, last=4):
    rows = F.one_hot(tokens.clamp(max=last), 5).to(x_type()) @ EMBEDDING[0].weight
    return rows @ EMBEDDING[1].weight.t() + EMBEDDING[1].bias


CASES = [
    Case(
        "transformer_block",
        BLOCK,
        block_rewritten,
        lambda x: block_rewritten(x, 1),
        [(1, 3, 4)],
        "masked_fill",
        strengths=("observed to 25 decimal places",),
    ),
    Case("lstm", lambda x: LSTM(x)[0], lstm_cell, lambda x: lstm_cell(x, True), [(2, 2, 3)], "mul"),
    Case("mlp", MLP, mlp_by_exp, mlp_without_first_bias, [(2, 3)], "add"),
    Case("rotary", ROTARY, rotary_by_swap, lambda x: rotary_by_swap(x, 1), [(2, 3, 4)], "sub"),
    Case("embedding", EMBEDDING, embedded_by_product, lambda t: embedded_by_product(t, 3), [TOKENS], "embedding"),
]

import torch
import torch.nn.functional as F
from torch import nn

from .case import Case, seeded

LINEAR = seeded(nn.Linear(6, 5))


class SwiGLU(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


GLU = seeded(SwiGLU(4, 6))


def packed(x):
    both = x @ torch.cat([GLU.gate.weight, GLU.up.weight]).t()
    gate, up = both.chunk(2, -1)
    return (gate / (1 + torch.exp(-gate)) * up) @ GLU.down.weight.t()


def packed_swapped(x):
    both = x @ torch.cat([GLU.gate.weight, GLU.up.weight]).t()
    up, gate = both.chunk(2, -1)
    return (gate / (1 + torch.exp(-gate)) * up) @ GLU.down.weight.t()


def split_k(a, b):
    total = torch.zeros(a.shape[0], b.shape[1])
    for k in range(0, a.shape[1], 4):
        total = total + a[:, k : k + 4] @ b[k : k + 4]
    return total


def split_k_without_tail(a, b):
    total = torch.zeros(a.shape[0], b.shape[1])
    for k in range(0, a.shape[1] // 4 * 4, 4):
        total = total + a[:, k : k + 4] @ b[k : k + 4]
    return total


def linear_by_rows(x):
    return torch.stack([(x * row).sum(-1) for row in LINEAR.weight], -1) + LINEAR.bias


def linear_without_last_row(x):
    rows = [(x * row).sum(-1) for row in LINEAR.weight[:-1]]
    return torch.stack(rows + [rows[-1]], -1) + LINEAR.bias


CASES = [
    Case("matmul_tail", torch.matmul, split_k, split_k_without_tail, [(2, 10), (10, 3)], "mm"),
    Case("linear", LINEAR, linear_by_rows, linear_without_last_row, [(2, 6)], "mm"),
    Case(
        "linear_relu_tail",
        lambda x: F.relu(LINEAR(x)),
        lambda x: (LINEAR(x) + LINEAR(x).abs()) / 2,
        lambda x: F.relu(x @ LINEAR.weight.t()) + LINEAR.bias,
        [(2, 6)],
        "relu",
    ),
    Case(
        "bmm_scaled",
        lambda a, b: torch.bmm(a, b) * 0.25,
        lambda a, b: torch.einsum("bik,bkj->bij", a * 0.5, b * 0.5),
        lambda a, b: torch.einsum("bik,bkj->bij", a, b) * 0.5,
        [(2, 3, 4), (2, 4, 2)],
        "mul",
    ),
    Case("swiglu", GLU, packed, packed_swapped, [(2, 4)], "silu"),
    Case(
        "cumulative_sum",
        lambda x: torch.cumsum(x, -1),
        lambda x: x @ torch.ones(5, 5).triu(),
        lambda x: x @ torch.ones(5, 5).triu(1),
        [(2, 5)],
        "cumsum",
    ),
]

import torch
import torch.nn.functional as F

from .case import Case

PAIR = [(3, 4), (3, 4)]
CLASSES = torch.tensor([1, 0, 3])


def cross_by_pick(x, last=3):
    y = x - torch.logsumexp(x, -1, keepdim=True)
    return -(y[0, 1] + y[1, 0] + y[2, last]) / 3


def smooth_by_clamp(x, y):
    d = (x - y).abs()
    inner = torch.clamp(d, max=1)
    return (inner * d - inner * inner / 2).mean()


def smooth_wrong(x, y):
    d = (x - y).abs()
    inner = torch.clamp(d, max=1)
    return (inner * d - inner * inner).mean()


CASES = [
    Case(
        "mse",
        F.mse_loss,
        lambda x, y: ((x * x).sum() - 2 * (x * y).sum() + (y * y).sum()) / 12,
        lambda x, y: ((x - y) ** 2).sum(-1).mean(),
        PAIR,
        "div",
    ),
    Case(
        "cross_entropy",
        lambda x: F.cross_entropy(x, CLASSES),
        cross_by_pick,
        lambda x: cross_by_pick(x, 2),
        [(3, 4)],
        "mul",
    ),
    Case(
        "bce_with_logits",
        F.binary_cross_entropy_with_logits,
        lambda x, y: -(y * torch.log(torch.sigmoid(x)) + (1 - y) * torch.log(1 - torch.sigmoid(x))).mean(),
        lambda x, y: -(y * torch.log(torch.sigmoid(x)) + (1 - y) * torch.log(torch.sigmoid(x))).mean(),
        PAIR,
        "mul",
    ),
    Case(
        "kl_div",
        lambda x, y: F.kl_div(x, y, reduction="batchmean", log_target=True),
        lambda x, y: (y.exp() * y - y.exp() * x).sum() / 3,
        lambda x, y: (y.exp() * y - y.exp() * x).mean(),
        PAIR,
        "div",
    ),
    Case("smooth_l1", F.smooth_l1_loss, smooth_by_clamp, smooth_wrong, PAIR, "mul"),
    Case(
        "cosine_similarity",
        lambda x, y: F.cosine_similarity(x, y, -1, eps=0.0),
        lambda x, y: (x * y).sum(-1) * torch.rsqrt((x * x).sum(-1) * (y * y).sum(-1)),
        lambda x, y: (x * y).sum(-1) * torch.rsqrt((x * x).sum(-1) * (x * x).sum(-1)),
        PAIR,
        "pow",
    ),
]

"""Operators that a circuit states through others. Each function here is written in PyTorch; what it calls is recorded
in its place. An operator without a rule and without one of these falls back on PyTorch's own table of
decompositions."""

import functools
import math

import torch

aten = torch.ops.aten


def find(name, function, has_rule):
    """The decomposition of an operator, or None if it is recorded as it is."""
    if name in OWN:
        return OWN[name]
    return None if has_rule else from_pytorch(function)


def from_pytorch(function):
    """PyTorch's own decomposition of an operator, or None."""
    for table in tables():
        try:
            found = table.get(function)
        except (KeyError, TypeError):
            found = None
        if found is not None:
            return found
    return None


@functools.lru_cache(maxsize=1)
def tables():
    """The core one, where this PyTorch has it, and then all."""
    from torch import _decomp

    core = getattr(_decomp, "core_aten_decompositions", None)
    return ([core()] if core is not None else []) + [_decomp.decomposition_table]


def dims_of(tensor, dim):
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(tensor.dim()))
    dims = dim if isinstance(dim, (list, tuple)) else [dim]
    return [d % max(tensor.dim(), 1) for d in dims]


def count_of(tensor, dims):
    return math.prod(tensor.shape[d] for d in dims)


def mean(x, dim=None, keepdim=False, dtype=None):
    x = x if dtype is None else x.to(dtype)
    dims = dims_of(x, dim)
    total = x.sum(dims, keepdim) if dims else x
    return total / count_of(x, dims)


def variance(x, dim=None, unbiased=True, keepdim=False, correction=None):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = (1 if unbiased else 0) if correction is None else correction
    dims = dims_of(x, dim)
    centred = x - mean(x, dims, True)
    return (centred * centred).sum(dims, keepdim) / (count_of(x, dims) - correction)


def variance_by_correction(x, dim=None, *, correction=1, keepdim=False):
    return variance(x, dim, keepdim=keepdim, correction=1 if correction is None else correction)


def var(x, *args, **kwargs):
    if "correction" in kwargs or (not args and not kwargs):
        return variance_by_correction(x, *args, **kwargs)
    if args and isinstance(args[0], bool):
        return variance(x, None, args[0])
    return (
        variance(x, *args, **kwargs)
        if len(args) > 1 or "unbiased" in kwargs
        else variance_by_correction(x, *args, **kwargs)
    )


def std(x, *args, **kwargs):
    return var(x, *args, **kwargs).sqrt()


def var_mean(x, *args, **kwargs):
    keepdim = kwargs.get("keepdim", args[2] if len(args) > 2 else False)
    return var(x, *args, **kwargs), mean(x, args[0] if args and not isinstance(args[0], bool) else None, keepdim)


def softmax(x, dim, half_to_float=False):
    x = x.float() if half_to_float else x
    weights = (x - x.amax(dim, True)).exp()
    return weights / weights.sum(dim, True)


def log_softmax(x, dim, half_to_float=False):
    x = x.float() if half_to_float else x
    shifted = x - x.amax(dim, True)
    return shifted - shifted.exp().sum(dim, True).log()


def logsumexp(x, dim, keepdim=False):
    dims = dims_of(x, dim)
    largest = x.amax(dims, True)
    total = (x - largest).exp().sum(dims, True).log() + largest
    for d in sorted(dims, reverse=True):
        total = total if keepdim else total.squeeze(d)
    return total


def layer_norm(x, shape, weight=None, bias=None, eps=1e-5):
    dims = list(range(x.dim() - len(shape), x.dim()))
    average = mean(x, dims, True)
    centred = x - average
    rstd = (mean(centred * centred, dims, True) + eps).rsqrt()
    y = centred * rstd
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias), average, rstd


def rms_norm(x, shape, weight=None, eps=None):
    dims = list(range(x.dim() - len(shape), x.dim()))
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    rstd = (mean(x * x, dims, True) + eps).rsqrt()
    y = x * rstd
    return (y if weight is None else y * weight), rstd


def group_norm(x, weight, bias, n, c, hw, groups, eps):
    grouped = x.reshape(n, groups, c // groups * hw)
    average = mean(grouped, [2], True)
    centred = grouped - average
    rstd = (mean(centred * centred, [2], True) + eps).rsqrt()
    y = (centred * rstd).reshape(x.shape)
    channels = [1, c] + [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.reshape(channels)
    y = y if bias is None else y + bias.reshape(channels)
    return y, average.reshape(n, groups), rstd.reshape(n, groups)


def batch_norm(x, weight, bias, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    channels = [1, x.shape[1]] + [1] * (x.dim() - 2)
    if training or running_mean is None:
        dims = [d for d in range(x.dim()) if d != 1]
        average = mean(x, dims, True)
        spread = mean((x - average) * (x - average), dims, True)
    else:
        average, spread = running_mean.reshape(channels), running_var.reshape(channels)
    rstd = (spread + eps).rsqrt()
    y = (x - average) * rstd
    y = y if weight is None else y * weight.reshape(channels)
    y = y if bias is None else y + bias.reshape(channels)
    return y, average.reshape(-1), rstd.reshape(-1)


def batch_norm_eval(x, weight, bias, running_mean, running_var, momentum, eps):
    return batch_norm(x, weight, bias, running_mean, running_var, False, momentum, eps)


def norm(x, p=2, dim=None, keepdim=False, dtype=None):
    dims = dims_of(x, dim)
    p = 2 if p is None else p
    if p == 2:
        return (x * x).sum(dims, keepdim).sqrt()
    if p == 1:
        return x.abs().sum(dims, keepdim)
    if p == math.inf:
        return x.abs().amax(dims, keepdim)
    if p == -math.inf:
        return x.abs().amin(dims, keepdim)
    return x.abs().pow(p).sum(dims, keepdim).pow(1 / p)


def attention(q, k, v, mask=None, dropout=0.0, causal=False, scale=None):
    """softmax(q k^T * scale + mask) v; with fewer heads of k than of q, groups of queries share one."""
    if dropout:
        raise NotImplementedError("dropout of attention draws random numbers; pass dropout_p=0")
    if q.dim() == 4 and q.shape[1] != k.shape[1]:
        groups = q.shape[1] // k.shape[1]
        k = k.unsqueeze(2).expand(-1, -1, groups, -1, -1).reshape(k.shape[0], -1, *k.shape[2:])
        v = v.unsqueeze(2).expand(-1, -1, groups, -1, -1).reshape(v.shape[0], -1, *v.shape[2:])
    scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        allowed = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~allowed, -math.inf)
    elif mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    weights = torch.softmax(scores, -1)
    return weights @ v, weights


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """The function of PyTorch 2, which is replaced before it chooses one of its kernels."""
    return attention(query, key, value, attn_mask, dropout_p, is_causal, scale)[0]


def attention_1_13(q, k, v, mask=None, dropout=0.0, need_weights=False, causal=False):
    return attention(q, k, v, mask, dropout, causal)


def attention_math(
    q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, dropout_mask=None, *, scale=None, enable_gqa=False
):
    return attention(q, k, v, attn_mask, dropout_p, is_causal, scale)


def attention_flash_cpu(q, k, v, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    y, weights = attention(q, k, v, attn_mask, dropout_p, is_causal, scale)
    return y, weights.sum(-1)


def attention_flash(q, k, v, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    y, weights = attention(q, k, v, None, dropout_p, is_causal, scale)
    nothing = torch.zeros((), dtype=torch.int64)
    return y, weights.sum(-1), nothing, nothing, q.shape[-2], k.shape[-2], nothing, nothing, weights


def attention_efficient(q, k, v, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, *, scale=None):
    y, weights = attention(q, k, v, attn_bias, dropout_p, is_causal, scale)
    nothing = torch.zeros((), dtype=torch.int64)
    return y, weights.sum(-1), nothing, nothing


def attention_cudnn(
    q, k, v, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None
):
    y, weights = attention(q, k, v, attn_bias, dropout_p, is_causal, scale)
    nothing = torch.zeros((), dtype=torch.int64)
    return y, weights.sum(-1), nothing, nothing, q.shape[-2], k.shape[-2], nothing, nothing, weights


def reduced(loss, reduction):
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


def mse_loss(x, y, reduction=1):
    difference = x - y
    return reduced(difference * difference, reduction)


def l1_loss(x, y, reduction=1):
    return reduced((x - y).abs(), reduction)


def smooth_l1_loss(x, y, reduction=1, beta=1.0):
    distance = (x - y).abs()
    if beta == 0:
        return reduced(distance, reduction)
    return reduced(torch.where(distance < beta, distance * distance * (0.5 / beta), distance - 0.5 * beta), reduction)


def huber_loss(x, y, reduction=1, delta=1.0):
    distance = (x - y).abs()
    return reduced(
        torch.where(distance <= delta, distance * distance * 0.5, (distance - 0.5 * delta) * delta), reduction
    )


def binary_cross_entropy(x, y, weight=None, reduction=1):
    loss = -(y * x.log() + (1 - y) * (1 - x).log())
    return reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(x, y, weight=None, pos_weight=None, reduction=1):
    if pos_weight is None:
        loss = x - x * y + torch.nn.functional.softplus(-x)
    else:
        loss = (1 - y) * x + (1 + (pos_weight - 1) * y) * torch.nn.functional.softplus(-x)
    return reduced(loss if weight is None else loss * weight, reduction)


def soft_margin_loss(x, y, reduction=1):
    return reduced((-y * x).exp().log1p(), reduction)


def nll_loss(x, target, weight=None, reduction=1, ignore_index=-100):
    """Against constant classes: the products with a constant tensor of zeros and ones."""
    classes = x.shape[1] if x.dim() > 1 else x.shape[0]
    kept = target != ignore_index
    chosen = torch.nn.functional.one_hot(torch.where(kept, target, 0), classes) * kept.unsqueeze(-1)
    if x.dim() > 2:
        chosen = chosen.movedim(-1, 1)
    chosen = chosen.to(x.dtype)
    axis = 1 if x.dim() > 1 else 0
    if weight is not None:
        chosen = chosen * weight.reshape([-1 if d == axis else 1 for d in range(x.dim())])
    loss = -(x * chosen).sum(axis)
    total = chosen.sum()
    return (loss if reduction == 0 else loss.sum() / total if reduction == 1 else loss.sum()), total


def addmm(c, a, b, *, beta=1, alpha=1):
    product = a @ b
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (c if beta == 1 else c * beta)


def addcmul(x, a, b, *, value=1):
    return x + (a * b if value == 1 else a * b * value)


def addcdiv(x, a, b, *, value=1):
    return x + (a / b if value == 1 else a / b * value)


def lerp(x, y, weight):
    return x + weight * (y - x)


def gather(x, dim, index, sparse_grad=False):
    """By constant indices: a sum over the axis against zeros and ones."""
    dim = dim % x.dim()
    if any(index.shape[d] != x.shape[d] for d in range(x.dim()) if d != dim):
        raise NotImplementedError("`gather` is imported where the index has the input's size in all other dimensions")
    chosen = torch.nn.functional.one_hot(index, x.shape[dim]).to(x.dtype)
    last = x.movedim(dim, -1).unsqueeze(dim)
    return (chosen * last).sum(-1)


def avg_pool1d(x, size, stride=(), padding=(0,), ceil_mode=False, count_include_pad=True):
    stride = stride or size
    pooled = aten.avg_pool2d(
        x.unsqueeze(-2), [1, size[0]], [1, stride[0]], [0, padding[0]], ceil_mode, count_include_pad
    )
    return pooled.squeeze(-2)


def adaptive_avg_pool(x, sizes):
    n = len(sizes)
    wanted = [s if o is None or o == -1 else o for s, o in zip(x.shape[-n:], sizes)]
    if any(s % o for s, o in zip(x.shape[-n:], wanted)):
        raise NotImplementedError("adaptive pooling is imported where the output's size divides the input's")
    shape = list(x.shape[:-n])
    for s, o in zip(x.shape[-n:], wanted):
        shape += [o, s // o]
    first = x.dim() - n
    return x.reshape(shape).mean([first + 2 * i + 1 for i in range(n)])


def prelu(x, weight):
    shape = [1, -1] + [1] * (x.dim() - 2) if x.dim() > 1 and weight.numel() > 1 else [1] * max(x.dim(), 1)
    return torch.where(x > 0, x, x * (weight.reshape(shape) if weight.dim() == 1 and x.dim() else weight))


def pixel_shuffle(x, r):
    n, c, h, w = x.shape
    return x.reshape(n, c // (r * r), r, r, h, w).permute(0, 1, 4, 2, 5, 3).reshape(n, c // (r * r), h * r, w * r)


def pixel_unshuffle(x, r):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // r, r, w // r, r).permute(0, 1, 3, 5, 2, 4).reshape(n, c * r * r, h // r, w // r)


# Python functions that are replaced as they are called.
FUNCTIONS = {getattr(torch.nn.functional, "scaled_dot_product_attention", None): scaled_dot_product_attention}

OWN = {
    "linear": lambda x, weight, bias=None: x @ weight.t() if bias is None else x @ weight.t() + bias,
    "_batch_norm_no_update": lambda *args: (*batch_norm_eval(*args), torch.zeros(())),
    "_batch_norm_with_update": lambda x, w, b, m, v, momentum, eps: (
        *batch_norm(x, w, b, m, v, True, momentum, eps),
        torch.zeros(()),
    ),
    "pixel_shuffle": pixel_shuffle,
    "pixel_unshuffle": pixel_unshuffle,
    "mean": mean,
    "var": var,
    "std": std,
    "var_mean": var_mean,
    "_softmax": softmax,
    "_log_softmax": log_softmax,
    "_safe_softmax": lambda x, dim, dtype=None: softmax(x, dim),
    "logsumexp": logsumexp,
    "native_layer_norm": layer_norm,
    "_fused_rms_norm": rms_norm,
    "native_group_norm": group_norm,
    "native_batch_norm": batch_norm,
    "cudnn_batch_norm": batch_norm,
    "_native_batch_norm_legit_no_training": batch_norm_eval,
    "_native_batch_norm_legit": batch_norm,
    "norm": norm,
    "linalg_vector_norm": norm,
    "_scaled_dot_product_attention_forward": attention_1_13,
    "_scaled_dot_product_attention": attention_1_13,
    "_scaled_dot_product_attention_math": attention_math,
    "_scaled_dot_product_flash_attention_for_cpu": attention_flash_cpu,
    "_scaled_dot_product_flash_attention": attention_flash,
    "_scaled_dot_product_efficient_attention": attention_efficient,
    "_scaled_dot_product_cudnn_attention": attention_cudnn,
    "mse_loss": mse_loss,
    "l1_loss": l1_loss,
    "smooth_l1_loss": smooth_l1_loss,
    "huber_loss": huber_loss,
    "binary_cross_entropy": binary_cross_entropy,
    "binary_cross_entropy_with_logits": binary_cross_entropy_with_logits,
    "soft_margin_loss": soft_margin_loss,
    "nll_loss_forward": nll_loss,
    "nll_loss2d_forward": nll_loss,
    "addmm": addmm,
    "baddbmm": addmm,
    "addbmm": lambda c, a, b, *, beta=1, alpha=1: addmm(
        c, a.transpose(0, 1).reshape(a.shape[1], -1), b.reshape(-1, b.shape[2]), beta=beta, alpha=alpha
    ),
    "addmv": addmm,
    "addr": lambda c, a, b, *, beta=1, alpha=1: addmm(c, a.unsqueeze(1), b.unsqueeze(0), beta=beta, alpha=alpha),
    "addcmul": addcmul,
    "addcdiv": addcdiv,
    "lerp": lerp,
    "gather": gather,
    "avg_pool1d": avg_pool1d,
    "_adaptive_avg_pool2d": adaptive_avg_pool,
    "adaptive_avg_pool1d": adaptive_avg_pool,
    "_adaptive_avg_pool3d": adaptive_avg_pool,
    "_prelu_kernel": prelu,
    "prelu": prelu,
    "log_sigmoid_forward": lambda x: (-torch.nn.functional.softplus(-x), x),
}

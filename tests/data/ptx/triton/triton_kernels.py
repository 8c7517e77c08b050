"""Triton kernels of the usual kinds, written for Reckon's tests of PTX that others emit."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(out, x, stride_out, stride_x, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * stride_x + at, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * stride_out + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def _leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul(a, b, c, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, TAIL: tl.constexpr, PRECISION: tl.constexpr):
    """The product of a (m x k) and b (k x n); tiles in groups of GROUP rows of tiles, so that the L2 cache serves them."""
    number = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    in_group = GROUP * tiles_n
    first = number // in_group * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m, tile_n = first + (number % in_group) % height, (number % in_group) // height
    rows = (tile_m * BM + tl.arange(0, BM)) % m
    columns = (tile_n * BN + tl.arange(0, BN)) % n
    steps = tl.arange(0, BK)
    at_a = a + rows[:, None] * stride_am + steps[None, :] * stride_ak
    at_b = b + steps[:, None] * stride_bk + columns[None, :] * stride_bn
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        left = tl.load(at_a, mask=steps[None, :] < k - step * BK, other=0.0)
        right = tl.load(at_b, mask=steps[:, None] < k - step * BK, other=0.0)
        total = tl.dot(left, right, total, input_precision=PRECISION)
        at_a += BK * stride_ak
        at_b += BK * stride_bk
    if TAIL:
        total = _leaky(total)
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    at_c = c + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(at_c, total.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def matmul_typed(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TYPE: tl.constexpr):
    """The product of row-major a and b, summed in TYPE (int32 or float64)."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=TYPE)
    for begin in range(0, k, BK):
        steps = begin + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * k + steps[None, :], mask=(rows[:, None] < m) & (steps[None, :] < k), other=0)
        right = tl.load(b + steps[:, None] * n + columns[None, :], mask=(steps[:, None] < k) & (columns[None, :] < n), other=0)
        total = tl.dot(left, right, total, out_dtype=TYPE)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def matmul_split(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    """Each of SPLIT programs of a tile adds its part of the sum by atomics."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for begin in range(tl.program_id(2) * BK, k, BK * SPLIT):
        steps = begin + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * k + steps[None, :], mask=(rows[:, None] < m) & (steps[None, :] < k), other=0)
        right = tl.load(b + steps[:, None] * n + columns[None, :], mask=(steps[:, None] < k) & (columns[None, :] < n), other=0)
        total = tl.dot(left, right, total)
    tl.atomic_add(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def matmul_by_descriptors(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TILES_M: tl.constexpr, TILES_N: tl.constexpr):
    """Persistent: each program goes through tiles; operands and results by tensor maps (TMA); b is n x k."""
    for tile in tl.range(tl.program_id(0), TILES_M * TILES_N, tl.num_programs(0), flatten=True):
        row, column = tile // TILES_N * BM, tile % TILES_N * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for begin in range(0, k, BK):
            total = tl.dot(a.load([row, begin]), b.load([column, begin]).T, total)
        c.store([row, column], total.to(tl.float16))


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, values / (1 - p), 0.0), mask=at < n)


@triton.jit
def layer_norm(x, y, w, b, mean_out, factor_out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for begin in range(0, n, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        sums += tl.load(x + row * stride + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for begin in range(0, n, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        d = tl.where(at < n, tl.load(x + row * stride + at, mask=at < n, other=0.0).to(tl.float32) - mean, 0.0)
        squares += d * d
    factor = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(mean_out + row, mean)
    tl.store(factor_out + row, factor)
    for begin in range(0, n, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        inside = at < n
        d = tl.load(x + row * stride + at, mask=inside, other=0.0).to(tl.float32) - mean
        tl.store(y + row * stride + at, d * factor * tl.load(w + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


@triton.jit
def layer_norm_back(dx, dy, dw, db, x, w, mean_in, factor_in, lock, stride, n, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """dx, and the parts of dw and db, which rows of a group add under a lock."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    xs = tl.load(x + row * stride + at, mask=inside, other=0).to(tl.float32)
    dys = tl.load(dy + row * stride + at, mask=inside, other=0).to(tl.float32)
    ws = tl.load(w + at, mask=inside).to(tl.float32)
    mean = tl.load(mean_in + row)
    factor = tl.load(factor_in + row)
    normal = tl.where(inside, (xs - mean) * factor, 0.)
    scaled = tl.where(inside, ws * dys, 0.)
    c1 = tl.sum(normal * scaled, axis=0) / n
    c2 = tl.sum(scaled, axis=0) / n
    tl.store(dx + row * stride + at, (scaled - (normal * c1 + c2)) * factor, mask=inside)
    part = row % GROUPS
    while tl.atomic_cas(lock + part, 0, 1) == 1:
        pass
    count = tl.load(lock + GROUPS + part)
    dws = dys * normal
    dbs = dys
    if count == 0:
        tl.atomic_xchg(lock + GROUPS + part, 1)
    else:
        dws += tl.load(dw + part * n + at, mask=inside)
        dbs += tl.load(db + part * n + at, mask=inside)
    tl.store(dw + part * n + at, dws, mask=inside)
    tl.store(db + part * n + at, dbs, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock + part, 0)


@triton.jit
def attention(q, k, v, out, maxima, scale, tokens, heads, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    """One pass over the keys with a running maximum and sum; q, k, v, out are (batch * heads) x tokens x D."""
    block, head = tl.program_id(0), tl.program_id(1)
    rows = block * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    d = tl.arange(0, D)
    begin = head.to(tl.int64) * tokens * D
    queries = tl.load(q + begin + rows[:, None] * D + d[None, :], mask=rows[:, None] < tokens, other=0.0)
    greatest = tl.zeros([BM], dtype=tl.float32) - float("inf")
    total = tl.zeros([BM], dtype=tl.float32)
    sums = tl.zeros([BM, D], dtype=tl.float32)
    last = tokens
    if CAUSAL:
        last = min(tokens, (block + 1) * BM)
    for first in range(0, last, BN):
        at = first + columns
        keys = tl.load(k + begin + at[None, :] * D + d[:, None], mask=at[None, :] < tokens, other=0.0)
        scores = tl.dot(queries, keys) * (scale * 1.44269504)
        seen = at[None, :] < tokens
        if CAUSAL:
            seen = seen & (rows[:, None] >= at[None, :])
        scores = tl.where(seen, scores, -1.0e6)
        new = tl.maximum(greatest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new[:, None])
        factor = tl.math.exp2(greatest - new)
        total = total * factor + tl.sum(weights, 1)
        values = tl.load(v + begin + at[:, None] * D + d[None, :], mask=at[:, None] < tokens, other=0.0)
        sums = tl.dot(weights.to(values.dtype), values, sums * factor[:, None])
        greatest = new
    tl.store(maxima + head * tokens + rows, greatest + tl.math.log2(total), mask=rows < tokens)
    tl.store(out + begin + rows[:, None] * D + d[None, :], (sums / total[:, None]).to(out.dtype.element_ty), mask=rows[:, None] < tokens)


@triton.jit
def attention_by_descriptors(q, k, v, out, scale, tokens, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * BM
    queries = q.load([row, 0])
    greatest = tl.zeros([BM], dtype=tl.float32) - float("inf")
    total = tl.zeros([BM], dtype=tl.float32)
    sums = tl.zeros([BM, D], dtype=tl.float32)
    for first in tl.range(0, tokens, BN):
        scores = tl.dot(queries, k.load([first, 0]).T) * (scale * 1.44269504)
        new = tl.maximum(greatest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new[:, None])
        factor = tl.math.exp2(greatest - new)
        total = total * factor + tl.sum(weights, 1)
        sums = tl.dot(weights.to(tl.float16), v.load([first, 0]), sums * factor[:, None])
        greatest = new
    out.store([row, 0], (sums / total[:, None]).to(tl.float16))


@triton.jit
def arcsine(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, libdevice.asin(tl.load(x + at, mask=at < n)), mask=at < n)


@triton.jit
def grouped(addresses_a, addresses_b, addresses_c, sizes, groups, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Products of several sizes in one launch; sizes has m, n, k of each; the matrices' addresses come from memory."""
    tile = tl.program_id(0)
    before = 0
    for g in range(groups):
        m, n, k = tl.load(sizes + 3 * g), tl.load(sizes + 3 * g + 1), tl.load(sizes + 3 * g + 2)
        tiles_n = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * tiles_n
        while tile >= before and tile < before + tiles:
            a = tl.load(addresses_a + g).to(tl.pointer_type(tl.float16))
            b = tl.load(addresses_b + g).to(tl.pointer_type(tl.float16))
            c = tl.load(addresses_c + g).to(tl.pointer_type(tl.float16))
            rows = (tile - before) // tiles_n * BM + tl.arange(0, BM)
            columns = (tile - before) % tiles_n * BN + tl.arange(0, BN)
            steps = tl.arange(0, BK)
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for begin in range(0, k, BK):
                left = tl.load(a + rows[:, None] * k + (begin + steps)[None, :], mask=(rows[:, None] < m) & ((begin + steps)[None, :] < k), other=0.0)
                right = tl.load(b + (begin + steps)[:, None] * n + columns[None, :], mask=((begin + steps)[:, None] < k) & (columns[None, :] < n), other=0.0)
                total = tl.dot(left, right, total)
            tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=(rows[:, None] < m) & (columns[None, :] < n))
            tile += PROGRAMS
        before += tiles


@triton.jit
def sum_by_atomics(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at, mask=at < n, other=0.0), axis=0))


@triton.jit
def row_sums(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=0.0), axis=0))


@triton.jit
def column_sums(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros([BM, BN], dtype=tl.float32)
    for begin in range(0, m, BM):
        rows = begin + tl.arange(0, BM)
        total += tl.load(x + rows[:, None] * n + columns[None, :], mask=(rows[:, None] < m) & (columns[None, :] < n), other=0.0)
    tl.store(out + columns, tl.sum(total, axis=0), mask=columns < n)


@triton.jit
def prefix_sums(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    tl.store(out + row + at, tl.cumsum(tl.load(x + row + at, mask=at < n, other=0.0), axis=0), mask=at < n)


@triton.jit
def _join(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, out, n, BLOCK: tl.constexpr):
    """h[i] = a[i] * h[i-1] + b[i] by an associative scan."""
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    factors = tl.load(a + row + at, mask=at < n, other=1.0)
    terms = tl.load(b + row + at, mask=at < n, other=0.0)
    _, h = tl.associative_scan((factors, terms), 0, _join)
    tl.store(out + row + at, h, mask=at < n)


@triton.jit
def greatest_place(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=-float("inf"))
    tl.store(out + tl.program_id(0), tl.argmax(values, axis=0))


@triton.jit
def sorted_rows(x, out, n: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, n)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def counts(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(tl.load(x + at, mask=at < n, other=0), BINS, mask=at < n))


@triton.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=1.0)
    p = tl.abs(v) + 0.125
    tl.store(out + at, tl.exp(v), mask=at < n)
    tl.store(out + n + at, tl.log(p), mask=at < n)
    tl.store(out + 2 * n + at, tl.sin(v), mask=at < n)
    tl.store(out + 3 * n + at, tl.cos(v), mask=at < n)
    tl.store(out + 4 * n + at, tl.sqrt(p), mask=at < n)
    tl.store(out + 5 * n + at, tl.rsqrt(p), mask=at < n)
    tl.store(out + 6 * n + at, tl.erf(v), mask=at < n)
    tl.store(out + 7 * n + at, tl.sigmoid(v), mask=at < n)
    tl.store(out + 8 * n + at, libdevice.tanh(v), mask=at < n)
    tl.store(out + 9 * n + at, libdevice.pow(p, v), mask=at < n)
    tl.store(out + 10 * n + at, tl.math.div_rn(v, p), mask=at < n)
    tl.store(out + 11 * n + at, tl.math.sqrt_rn(p), mask=at < n)
    tl.store(out + 12 * n + at, v / p, mask=at < n)
    tl.store(out + 13 * n + at, tl.floor(v * 8), mask=at < n)


@triton.jit
def quantise(x, out, scales, n, BLOCK: tl.constexpr):
    """A row in int8 with its scale."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, mask=at < n, other=0.0)
    scale = tl.max(tl.abs(v), axis=0) / 127
    tl.store(scales + row, scale)
    tl.store(out + row * n + at, libdevice.rint(v / scale).to(tl.int8), mask=at < n)


@triton.jit
def to_formats(x, out16, outb, out8, out5, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(out16 + at, v.to(tl.float16), mask=at < n)
    tl.store(outb + at, v.to(tl.bfloat16), mask=at < n)
    tl.store(out8 + at, v.to(tl.float8e4nv), mask=at < n)
    tl.store(out5 + at, v.to(tl.float8e5), mask=at < n)


@triton.jit
def transpose(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    tile = tl.load(x + rows[:, None] * n + columns[None, :], mask=(rows[:, None] < m) & (columns[None, :] < n))
    tl.store(out + columns[:, None] * m + rows[None, :], tl.trans(tile), mask=(columns[:, None] < n) & (rows[None, :] < m))


@triton.jit
def cross_entropy(x, target, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    m = tl.max(v, axis=0)
    tl.store(out + row, tl.log(tl.sum(tl.exp(v - m), axis=0)) + m - tl.load(x + row * n + tl.load(target + row)))


@triton.jit
def embedding(ids, table, out, width, BLOCK: tl.constexpr):
    token = tl.load(ids + tl.program_id(0)).to(tl.int64)
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * width + at, tl.load(table + token * width + at, mask=at < width), mask=at < width)


@triton.jit
def gathered(x, places, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(places + at), 0))


@triton.jit
def rope(x, cosine, sine, out, half, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < half
    a = tl.load(x + row * stride + at, mask=inside)
    b = tl.load(x + row * stride + half + at, mask=inside)
    c = tl.load(cosine + row * half + at, mask=inside)
    s = tl.load(sine + row * half + at, mask=inside)
    tl.store(out + row * stride + at, a * c - b * s, mask=inside)
    tl.store(out + row * stride + half + at, b * c + a * s, mask=inside)


@triton.jit
def waits_for_the_grid_before(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.extra.cuda.gdc_wait()
    s = tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(out + at, s, mask=at < n)


@triton.jit
def convolution(x, w, out, height, width, channels, filters, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """3 x 3, padding 1, as an implicit product: positions by (3 * 3 * channels) by filters."""
    at = tl.program_id(0) * BM + tl.arange(0, BM)
    f = tl.program_id(1) * BN + tl.arange(0, BN)
    row, column = at // width, at % width
    depth = 9 * channels
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for begin in range(0, depth, BK):
        s = begin + tl.arange(0, BK)
        r = row[:, None] + (s // (3 * channels))[None, :] - 1
        c = column[:, None] + (s // channels % 3)[None, :] - 1
        inside = (r >= 0) & (r < height) & (c >= 0) & (c < width) & (at[:, None] < height * width) & (s[None, :] < depth)
        left = tl.load(x + (r * width + c) * channels + (s % channels)[None, :], mask=inside, other=0.0)
        right = tl.load(w + s[:, None] * filters + f[None, :], mask=(s[:, None] < depth) & (f[None, :] < filters), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(out + at[:, None] * filters + f[None, :], total.to(tl.float16), mask=(at[:, None] < height * width) & (f[None, :] < filters))

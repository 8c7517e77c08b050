"""The arithmetic of PTX, exact to the last bit, on arrays."""
from fractions import Fraction
import numpy as np

np.seterr(all="ignore")
TYPES = {"pred": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64}
TYPES |= {f"{k}{8 * w}": np.dtype(f"{'i' if k == 's' else 'u'}{w}").type for k in "bus" for w in (1, 2, 4, 8)}
TYPES["bf16"] = np.uint16  # its bits
RAW = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
NAN = {np.float16: 0x7FFF, np.float32: 0x7FFFFFFF}  # what arithmetic gives on the device


class Fault(Exception):
    pass


def type_bytes(t):
    return np.dtype(TYPES[t]).itemsize


def two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def to_odd(s, e):
    """s + e, e being less than half a unit of s: towards the odd neighbour, so that rounding again errs nowhere."""
    s = np.atleast_1d(np.asarray(s, np.float64))
    bits = s.view(np.int64)
    inexact = np.isfinite(s) & (e != 0) & (bits & 1 == 0)
    return (bits + np.where(inexact, np.where((e > 0) == (s > 0), 1, -1), 0)).view(np.float64)


def rounded(x, to, mode):
    y = np.asarray(x).astype(to)
    if mode in ("rm", "rp"):
        sign = -1 if mode == "rm" else 1
        wrong = (y.astype(np.float64) - x) * sign < 0
        wrong |= np.isinf(y) & np.isfinite(x) & (np.signbit(y) == (sign > 0))
        y = np.where(wrong, np.nextafter(y, to(sign * np.inf)), y)
    elif mode == "rz":
        y = np.where(np.abs(y.astype(np.float64)) > np.abs(x), np.nextafter(y, to(0)), y)
    elif mode != "rn":
        raise Fault(f"rounding {mode}")
    return y


def exact_product(a, b):
    """a * b and its error, for magnitudes in [1/4, 1]."""
    def halves(x):
        c = 134217729.0 * x
        h = c - (c - x)
        return h, x - h
    p = a * b
    (ah, al), (bh, bl) = halves(a), halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def fma64(x, y, z):
    x, y, z = (np.array(v, np.float64) for v in np.broadcast_arrays(x, y, z))
    finite = np.isfinite(x) & np.isfinite(y)
    hard = finite & np.isfinite(z) & (x != 0) & (y != 0)
    out = np.where(finite & ~np.isfinite(z), z, np.where(hard & (z == 0), x * y, x * y + z))
    hard &= z != 0
    (mx, ex), (my, ey), (mz, ez) = np.frexp(x), np.frexp(y), np.frexp(z)
    e = ex + ey
    near = hard & (np.abs(ez - e) < 200)
    mz = np.ldexp(mz, np.clip(ez - e, -200, 200))
    uh, ul = exact_product(mx, my)  # Boldo and Melquiond's sum of three numbers
    th, tl = two_sum(mz, ul)
    vh, vl = two_sum(uh, th)
    value = vh + to_odd(*two_sum(tl, vl))
    near &= (np.frexp(value)[1] + e > -1000) | (value == 0)  # a subnormal result would be rounded twice
    out = np.where(near, np.ldexp(value, e), out)
    for i in np.flatnonzero(hard & ~near):
        exact = Fraction(x[i]) * Fraction(y[i]) + Fraction(z[i])
        try:
            out[i] = float(exact)
        except OverflowError:
            out[i] = np.inf if exact > 0 else -np.inf
    return out


def directed64(s, e, a, b, mode):
    """s is the nearest, e the sign of what it lacks."""
    sign = -1 if mode == "rm" else 1
    s = np.where(e * sign > 0, np.nextafter(s, sign * np.inf), s)
    over = np.isinf(s) & np.isfinite(a) & np.isfinite(b) & (np.signbit(s) == (sign > 0))
    return np.where(over, np.nextafter(s, 0), s)


def remainder_sign(name, x, y, out):
    """What a quotient or a root that was rounded lacks: its sign. No double is too small for fractions."""
    sign = np.zeros(out.shape)
    for i in np.flatnonzero(np.isfinite(out) & np.isfinite(y) & (x != 0)):
        q = Fraction(out[i])
        d = Fraction(x[i]) / Fraction(y[i]) - q if name == "div" else Fraction(x[i]) - q * q
        sign[i] = (d > 0) - (d < 0)
    return sign


def directed_fma64(out, x, y, z, mode):
    """The nearest of x * y + z to what is rounded down or up."""
    if mode not in ("rm", "rp"):
        raise Fault(f"fma.{mode}.f64")
    x, y, z, out = (np.array(v, np.float64) for v in np.broadcast_arrays(x, y, z, out))
    finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    lacks = np.zeros(out.shape)
    for i in np.flatnonzero(finite):
        exact = Fraction(x[i]) * Fraction(y[i]) + Fraction(z[i])
        if np.isinf(out[i]):
            continue  # directed64 knows what overflowed
        lacks[i] = (exact > out[i]) - (exact < out[i])
        if exact == 0 and np.signbit(x[i]) ^ np.signbit(y[i]) != np.signbit(z[i]):
            out[i] = -0.0 if mode == "rm" else 0.0
    known = np.where(finite, 0.0, np.inf)
    return directed64(out, lacks, known, known, mode)


def float_op(name, t, mode, x, y=None, z=None):
    given = [np.asarray(v) for v in (x, y, z) if v is not None]
    if mode != "rn" and all(v.ndim == 0 for v in given):  # a value that all threads have
        return float_op(name, t, mode, *(v.reshape(1) for v in given)).reshape(())
    if name == "sub":
        name, y = "add", -y
    if t is np.float64:
        if name == "fma":
            out = fma64(x, y, z)
            return out if mode == "rn" else directed_fma64(out, x, y, z, mode)
        out = {"add": lambda: x + y, "mul": lambda: x * y, "div": lambda: x / y, "sqrt": lambda: np.sqrt(x)}[name]()
        if mode == "rn":
            return out
        if mode not in ("rm", "rp"):
            raise Fault(f"{name}.{mode}.f64")
        x, y, out = (np.array(v, np.float64) for v in np.broadcast_arrays(x, 1.0 if y is None else y, out))
        if name in ("div", "sqrt"):
            return directed64(out, remainder_sign(name, x, y, out), x, y, mode)
        if name == "add":
            zero = (out == 0) & (np.signbit(x) != np.signbit(y))
            out = np.where(zero, -0.0 if mode == "rm" else 0.0, out)
            return directed64(out, np.nan_to_num(two_sum(x, y)[1], nan=0.0), x, y, mode)
        e = np.where(np.isfinite(out), np.nan_to_num(fma64(x, y, -out), nan=0.0), 0.0)
        for i in np.flatnonzero((np.abs(out) < 2.0**-900) & (x != 0) & (y != 0) & np.isfinite(x) & np.isfinite(y)):
            d = Fraction(x[i]) * Fraction(y[i]) - Fraction(out[i])
            e[i] = (d > 0) - (d < 0)
        return directed64(out, e, x, y, mode)
    if mode == "rn" and name != "fma":
        out = {"add": lambda: x + y, "mul": lambda: x * y, "div": lambda: x / y, "sqrt": lambda: np.sqrt(x)}[name]()
    elif mode in ("rm", "rp") and name != "fma":  # the f64 rounded in the same direction, and rounded on
        out = rounded(float_op(name, np.float64, mode, np.float64(x), None if y is None else np.float64(y)), t, mode)
    else:  # f64 holds every product
        x, y = np.float64(x), np.float64(y)
        s, e = two_sum(x, y) if name == "add" else two_sum(x * y, np.float64(z)) if name == "fma" else (x * y, 0)
        if name not in ("add", "mul", "fma"):
            raise Fault(f"{name}.{mode}")
        out = rounded(to_odd(s, e), t, mode)
    return quiet(out, t)


def quiet(out, t):
    nan = np.isnan(out)
    if nan.any():
        out = np.where(nan, np.array(NAN[t], RAW[np.dtype(t).itemsize]).view(t), out)
    return out


def extreme(name, t, keep_nan, x, y):
    x, y = np.broadcast_arrays(x, y)
    less = (x < y) | ((x == y) & np.signbit(x))
    out = np.where(less == (name == "min"), x, y)
    nx, ny = np.isnan(x), np.isnan(y)
    if (nx | ny).any():
        nan = t(np.nan) if t is np.float64 else np.array(NAN[t], RAW[np.dtype(t).itemsize]).view(t)
        out = np.where(nx | ny, nan, out) if keep_nan else np.where(nx & ny, nan, np.where(nx, y, np.where(ny, x, out)))
    return out


def high(x, y):
    """The upper half of the product."""
    w = x.dtype.itemsize
    if w < 8:
        wide = np.dtype(f"{x.dtype.kind}{2 * w}").type
        return (x.astype(wide) * y.astype(wide) >> wide(8 * w)).astype(x.dtype)
    a, b = (v.astype(object) if v.ndim else int(v) for v in (np.asarray(x), np.asarray(y)))
    return np.array((a * b >> 64) % 2**64, object).astype(np.uint64).view(x.dtype)


def divide(name, x, y):
    if np.any(y == 0):
        raise Fault("division by zero")
    if x.dtype.kind == "u":
        return x // y if name == "div" else x % y
    # NumPy rounds down, and the instructions toward zero. (The least number has no absolute value.)
    q = x // y + ((x % y != 0) & ((x < 0) != (y < 0))).astype(x.dtype)
    return q if name == "div" else x - q * y


def shift(name, x, n):
    w = 8 * x.dtype.itemsize
    n, big = np.minimum(n, w - 1).astype(x.dtype), n >= w
    if name == "shl":
        return np.where(big, x.dtype.type(0), x << n)
    return np.where(big, x >> x.dtype.type(w - 1) if x.dtype.kind == "i" else x.dtype.type(0), x >> n)


def bits_of(x):
    """A row of bits for each number, the most significant one first."""
    return np.unpackbits(np.ascontiguousarray(x).byteswap().view(np.uint8).reshape(len(x), -1), axis=1)


def clz(x):
    b = bits_of(x)
    return np.where(b.any(1), b.argmax(1), b.shape[1]).astype(np.uint32)


def funnel(side, clamp, lo, hi, n):
    n = np.minimum(n, 32) if clamp else n & 31
    both = hi.astype(np.uint64) << np.uint64(32) | lo.astype(np.uint64)
    n = n.astype(np.uint64)
    return ((both << n) >> np.uint64(32) if side == "l" else both >> n).astype(np.uint32)


def extract(x, pos, n):
    w = 8 * x.dtype.itemsize
    pos, n = (pos & 255).astype(np.int64), (n & 255).astype(np.int64)
    if x.dtype.kind == "u":
        mask = np.where(n >= w, ~x.dtype.type(0), shift("shl", np.full_like(x, 1), n) - x.dtype.type(1))
        return shift("shr", x, pos) & mask
    end = np.minimum(pos + n, w)  # beyond the end stands the sign, as for a bit field that reaches beyond it
    top = shift("shl", x, w - end)
    return np.where(n == 0, x.dtype.type(0), shift("shr", top, np.minimum(pos + (w - end), w)))


def insert(a, b, pos, n):
    one = np.full_like(b, 1)
    pos, n = pos & 255, n & 255
    ones = np.where(n >= 8 * b.dtype.itemsize, ~b.dtype.type(0), shift("shl", one, n) - b.dtype.type(1))
    mask = shift("shl", ones, pos)
    return (shift("shl", a, pos) & mask) | (b & ~mask)


def permute(a, b, s):
    pool = b.astype(np.uint64) << np.uint64(32) | a.astype(np.uint64)
    out = np.zeros(np.broadcast(a, b, s).shape, np.uint32)
    for k in range(4):
        c = np.uint64(s) >> np.uint64(4 * k)
        byte = (pool >> (np.uint64(8) * (c & np.uint64(7)))) & np.uint64(255)
        byte = np.where(c & np.uint64(8), np.where(byte & np.uint64(128), np.uint64(255), np.uint64(0)), byte)
        out |= byte.astype(np.uint32) << np.uint32(8 * k)
    return out


def lookup(a, b, c, table):
    out = np.zeros_like(a)
    for k in range(8):
        if int(table) >> k & 1:
            out = out | ((a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c))
    return out


UNORDERED = ("nan", "num", "equ", "neu", "ltu", "leu", "gtu", "geu")
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
           "ge": np.greater_equal, "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}


def compare(name, t, x, y):
    if t not in (np.float16, np.float32, np.float64):
        return COMPARE[name](x, y)
    nan = np.isnan(x) | np.isnan(y)
    if name in ("nan", "num"):
        return nan == (name == "nan")
    if name in UNORDERED:
        return COMPARE[name[:2]](x, y) | nan
    return COMPARE[name](x, y) & ~nan


def convert(x, to, source, modes):
    mode = next((m for m in modes if m != "sat"), None)
    if "sat" in modes:
        raise Fault("cvt.sat")
    if source == "bf16":
        x, source = (x.astype(np.uint32) << np.uint32(16)).view(np.float32), "f32"
    t = TYPES[to]
    if to == "bf16":
        if source != "f32" or mode != "rn":
            raise Fault("cvt to bf16")
        b = x.view(np.uint32)
        out = ((b + np.uint32(0x7FFF) + (b >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)
        return np.where(np.isnan(x), np.uint16(0x7FFF), out)
    if to[0] == "f" and source[0] == "f":
        if mode in ("rni", "rzi", "rmi", "rpi"):
            return {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}[mode](x).astype(t)
        return quiet(rounded(x, t, mode or "rn"), t) if t is not np.float64 else x.astype(t)
    if to[0] == "f":
        if mode == "rn":
            return x.astype(t)
        y = x.astype(t)
        gap = np.array([int(v) - int(w) for v, w in zip(x, y)], object)  # what rounding took away
        return directed64(y, np.sign(gap).astype(t), x, x, mode).astype(t)
    if source[0] == "f":
        y = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}[mode](np.float64(x))
        low, top = np.iinfo(t).min, np.iinfo(t).max
        inside = np.where((y > float(low)) & (y < float(top)), y, 0).astype(t)
        return np.where(np.isnan(y), t(0), np.where(y >= float(top), t(top), np.where(y <= float(low), t(low), inside)))
    return x.astype(t)


WHOLE = {"popc", "clz", "brev", "bfe", "bfi", "mov"}  # functions of arrays, not of numbers


def operation(name, plain, before, t, count):
    """What an instruction computes, and its operands' types: plain has what stands between its name and its type t."""
    kind, inputs, made = TYPES[t], [t] * count, None
    size = np.dtype(kind).itemsize
    real, raw = kind in (np.float16, np.float32, np.float64), RAW[size]
    rounding = next((m for m in plain if m in ("rn", "rm", "rp", "rz")), "rn")
    if set(plain) & {"ftz", "sat", "approx", "full", "cc", "xorsign"} or t == "bf16" and name not in ("cvt", "mov"):
        pass
    elif real and name in ("add", "sub", "mul", "fma", "div", "sqrt"):
        made = lambda *v: float_op(name, kind, rounding, *v)
    elif real and name == "rcp":
        made = lambda x: float_op("div", kind, rounding, kind(1), x)
    elif real and name in ("min", "max"):
        made = lambda x, y: extreme(name, kind, "NaN" in plain, x, y)
    elif name == "copysign":  # of the first, onto the second
        bit = raw(1 << 8 * size - 1)
        made = lambda x, y: ((y.view(raw) & ~bit) | (x.view(raw) & bit)).view(kind)
    elif real and name in ("abs", "neg"):
        sign = raw(1 << 8 * size - 1)
        made = lambda x: (x.view(raw) & ~sign if name == "abs" else x.view(raw) ^ sign).view(kind)
    elif name in ("mul", "mad") and "wide" in plain:
        wide = np.dtype(f"{t[0].replace('b', 'u').replace('s', 'i')}{2 * size}").type
        inputs[2:] = [wide] * (count - 2)
        made = lambda x, y, z=wide(0): wide(x) * wide(y) + z
    elif name in ("mul", "mad") and not real and ("lo" in plain or "hi" in plain):
        half = high if "hi" in plain else np.multiply
        made = lambda x, y, z=kind(0): half(x, y) + z
    elif name in ("div", "rem"):
        made = lambda x, y: divide(name, x, y)
    elif name == "mov":
        made = lambda x: x
    elif name == "cvt" and before in ("bf16x2", "f16x2"):  # the first becomes the upper half
        half = lambda x: convert(x, before[:-2], t, [m for m in plain if m != before]).view(np.uint16).astype(np.uint32)
        made = lambda x, y: half(x) << np.uint32(16) | half(y)
    elif name == "cvt":
        made = lambda x: convert(x, before, t, [m for m in plain if m not in TYPES])
    elif name == "selp":
        inputs[2] = "pred"
        made = lambda x, y, c: np.where(c, x, y)
    elif name in ("shl", "shr"):
        inputs[1] = "u32"
        made = lambda x, n: shift(name, x, n)
    elif name == "shf":
        made = lambda x, y, n: funnel(plain[0], plain[1] == "clamp", x, y, n)
    elif name in ("bfe", "bfi"):
        inputs[-2:] = ["u32"] * 2
        made = extract if name == "bfe" else insert
    elif name == "popc":
        made = lambda x: bits_of(x).sum(1).astype(np.uint32)
    elif name == "brev":
        made = lambda x: np.packbits(bits_of(x)[:, ::-1], axis=1).view(kind)[:, 0].byteswap()
    elif not real and (name != "prmt" or not plain):
        made = {"add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
                "or": np.bitwise_or, "xor": np.bitwise_xor, "abs": np.abs, "neg": np.negative, "not": np.invert,
                "clz": clz, "prmt": permute, "lop3": lookup}.get(name)
    if made is None:
        raise Fault("unknown instruction")
    return made, inputs

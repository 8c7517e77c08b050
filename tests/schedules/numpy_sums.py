"""NumPy's sums of hostile vectors, for numpy_test.cpp: `numpy_sums.py FOLDER COUNT`.

Writes FOLDER/f32_0.npy to f16_4.npy, and prints `format kind buffered start n bits` for COUNT random stretches of each format.
`buffered` is 1 where NumPy adds chunks of 8192 elements, its buffer's size, in sequence (up to NumPy 2.2, see
numpy/numpy#27883), and 0 where the whole stretch is one pairwise sum: in later versions, and in every version with a
buffer as long as the data, for which the long stretches are asked as well.
"""
import sys

import numpy

LONGEST = 1_000_000
random = numpy.random.Generator(numpy.random.PCG64(20260921))


def hostile(dtype):
    """Kinds of data in which the order shows, each LONGEST elements."""
    tiny, smallest, spread = {"f4": (1e-8, 2.0**-149, 18.0), "f8": (1e-17, 2.0**-1074, 140.0),
                              "f2": (1e-3, 2.0**-24, 3.0)}[dtype]
    normal = random.standard_normal(LONGEST)
    mixed = random.choice([-1.0, 1.0], LONGEST) * 10 ** random.uniform(-spread, spread / 8, LONGEST)
    half = random.standard_normal(LONGEST // 2)
    cancelling = random.permutation(numpy.concatenate([half, -half]))
    cancelling[::7] += tiny
    large = numpy.where(numpy.arange(LONGEST) % 3 == 0, 1.0, random.choice([-1.0, 1.0], LONGEST) / tiny / 64)
    subnormal = numpy.round(random.standard_normal(LONGEST) * 1000) * smallest
    return [each.astype(dtype) for each in (normal, mixed, cancelling, large, subnormal)]


folder, count = sys.argv[1], int(sys.argv[2])
version = tuple(int(part) for part in numpy.__version__.split(".")[:2])
print("version", numpy.__version__)
for name, dtype, bits in (("f32", "f4", "u4"), ("f64", "f8", "u8"), ("f16", "f2", "u2")):
    data = hostile(dtype)
    for kind, values in enumerate(data):
        numpy.save(f"{folder}/{name}_{kind}.npy", values)
    buffer = numpy.getbufsize()
    for trial in range(count):
        # A third of them short, where each length has a tree of its own form; the rest anywhere.
        n = int(random.integers(1, [300, 20_000, LONGEST + 1][trial % 3] if trial % 9 else 9000))
        kind, start = int(random.integers(len(data))), int(random.integers(LONGEST - n + 1))
        stretch = data[kind][start:start + n]
        # f16 is added in f32, but rounded to f16 after each chunk: no order of one sum.
        if name != "f16" or n <= buffer:
            result = numpy.add.reduce(stretch).view(bits)
            print(name, kind, int(version < (2, 3) and n > buffer), start, n, f"{int(result):0{len(result.tobytes()) * 2}x}")
        if n > buffer:
            numpy.setbufsize(1_000_000)  # a multiple of 16, as it must be
            result = numpy.sum(stretch).view(bits)
            print(name, kind, 0, start, n, f"{int(result):0{len(result.tobytes()) * 2}x}")
            numpy.setbufsize(buffer)

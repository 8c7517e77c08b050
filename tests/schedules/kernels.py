"""Reductions of GPU libraries, thread by thread: what each thread, warp and block does, on symbolic operands.

Each line of standard input is `n <tab> kernel parameters`; each line of standard output is the tree of its result. Written
from the sources that stdlib/schedules.rk names; nothing here knows a schedule.
"""
import sys

sys.setrecursionlimit(100_000)


def add(a, b):
    """An absent operand is one that the kernel does not add, or a zero that changes nothing."""
    return a if b is None else b if a is None else f"({a} {b})"


def accumulate(values):
    total = None
    for value in values:
        total = add(total, value)
    return total


def shuffle_down(values, offsets, threads=32):
    """The registers of a warp; lane 0 has the result. A lane without a partner keeps its value."""
    for offset in offsets:
        values = [add(values[i], values[i + offset]) if i + offset < threads else values[i] for i in range(threads)]
    return values[0]


def butterfly(values):
    """shfl.bfly over all of `values`, whose number is a power of two; lane 0."""
    offset = len(values) // 2
    while offset:
        values = [add(values[i], values[i ^ offset]) for i in range(len(values))]
        offset //= 2
    return values[0]


def padded(values, size):
    return values + [None] * (size - len(values))


def power_of_two_from(n):
    size = 1
    while size < n:
        size *= 2
    return size


def power_of_two_to(n):
    size = 1
    while 2 * size <= n:
        size *= 2
    return size


def warp(x):
    """A warp that strides over x, then shuffles down by 16, 8, 4, 2, 1."""
    return shuffle_down([accumulate(x[lane::32]) for lane in range(32)], [16, 8, 4, 2, 1])


def triton(x, block, threads, width):
    """tl.sum of a block: the blocked layout's registers, the warp's lanes, the warps."""
    x = padded(x, block)
    registers = [[] for _ in range(threads)]
    for position in range(0, block, width):  # width neighbours go to a thread, the next to the next
        registers[position // width % threads] += x[position:position + width]
    sums = [accumulate(own) for own in registers]
    shared = [butterfly(sums[first:first + 32]) for first in range(0, threads, 32)]
    return butterfly(padded(shared, power_of_two_from(len(shared))))


def cub_join(sums):
    """BlockReduceWarpReductions: WarpReduceShfl in each warp, then thread 0 in order."""
    sums = padded(sums, -(-len(sums) // 32) * 32)
    return accumulate(shuffle_down(sums[first:first + 32], [1, 2, 4, 8, 16]) for first in range(0, len(sums), 32))


def cub_block(x, items):
    return cub_join([accumulate(x[first:first + items]) for first in range(0, len(x), items)])


def cub_agent(x, threads, width):
    """AgentReduce: full tiles by vectors, what is left one element a thread at a time."""
    sums = [None] * threads
    position = 0
    while position + threads * width <= len(x):
        for thread in range(threads):
            for value in x[position + thread * width:position + (thread + 1) * width]:
                sums[thread] = add(sums[thread], value)
        position += threads * width
    for left in range(position, len(x)):
        thread = (left - position) % threads
        sums[thread] = add(sums[thread], x[left])
    return cub_join(sums)


def cub_device(x, threads, width, share):
    partial = [cub_agent(x[first:first + share], threads, width) for first in range(0, len(x), share)]
    return cub_agent(partial, threads, 1)


def cub_tile(x, threads, width):
    """A full tile: vectors of `width` in turn, a thread's items reduced as a binary tree in its registers."""
    sums = []
    for thread in range(threads):
        own = []
        for first in range(thread * width, len(x), threads * width):
            own += x[first:first + width]
        while len(own) > 1:
            own = [add(own[i], own[i + 1]) for i in range(0, len(own), 2)]
        sums.append(own[0])
    return cub_join(sums)


def torch_join(sums):
    """block_x_reduce: halving in shared memory down to a warp, then shuffles down by 16, 8, 4, 2, 1."""
    size = len(sums)
    shared = list(sums)
    offset = size // 2
    while offset >= 32:
        for thread in range(offset):
            shared[thread] = add(shared[thread], shared[thread + offset])
        offset //= 2
    lanes = min(size, 32)
    offsets = [16 >> step for step in range(5) if 16 >> step < lanes]
    return shuffle_down(padded(shared[:lanes], 32), offsets)


def torch_vectors(x, threads, width):
    """input_vectorized_thread_reduce_impl."""
    sums = []
    for thread in range(threads):
        accumulators = [None] * width
        index = thread
        while index * width + width - 1 < len(x):
            for i in range(width):
                accumulators[i] = add(accumulators[i], x[index * width + i])
            index += threads
        tail = len(x) - len(x) % width + thread
        if tail < len(x):
            accumulators[0] = add(accumulators[0], x[tail])
        sums.append(accumulate(accumulators))
    return torch_join(sums)


def torch_strided(x, threads, unroll):
    """thread_reduce_impl: `unroll` accumulators a thread, used in turn."""
    sums = []
    for thread in range(threads):
        accumulators = [None] * unroll
        index = thread
        while index + (unroll - 1) * threads < len(x):
            for i in range(unroll):
                accumulators[i] = add(accumulators[i], x[index + i * threads])
            index += threads * unroll
        for i in range(unroll):
            if index < len(x):
                accumulators[i] = add(accumulators[i], x[index])
                index += threads
        sums.append(accumulate(accumulators))
    return torch_join(sums)


def torch(x):
    n = len(x)
    if n < 128:
        return torch_strided(x, power_of_two_to(n), 4)
    return torch_vectors(x, min(512, power_of_two_to(n // 4)), 4)


KERNELS = {f.__name__: f for f in (warp, triton, cub_block, cub_agent, cub_device, cub_tile, torch_vectors, torch_strided, torch)}
for line in sys.stdin:
    n, kernel = line.split("\t")
    name, *parameters = kernel.split()
    print(KERNELS[name]([str(i) for i in range(int(n))], *map(int, parameters)))

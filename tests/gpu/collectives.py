#!/usr/bin/env python3
"""In which order NCCL adds: the tree of each element of an all-reduce over the GPUs of this machine.

    tests/gpu/collectives.py [RANKS] [ALGORITHM...]

RANKS: 2 to the number of GPUs, by default all. ALGORITHMs: `Ring` and `Tree`, by default both. Whether NVLink multicast may
be used is the environment's choice, and stays as it is. One rank has +M at an element, another one -M, and all others 1:
what is left counts the ranks that are added after the two have met (FPRev, ATC 2025). Random numbers are added then, too,
and compared with the tree that was found. Needs PyTorch.
"""

import itertools
import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

COUNTS = (1, 1000, 4096, 65536, 1000003)
LARGE = 2.0**127


def reduce(own):
    """The all-reduce of one tensor for each rank; this rank's is given."""
    out = own.clone()
    dist.all_reduce(out)
    return out


def tree_of(ranks, leaves_under):
    """The tree of some ranks, as text: the ranks that meet a first one are grouped by where they do."""
    first, rest = ranks[0], ranks[1:]
    node = str(first)
    for size in sorted({leaves_under[frozenset((first, other))] for other in rest}):
        group = [other for other in rest if leaves_under[frozenset((first, other))] == size]
        node = f"({node} {tree_of(group, leaves_under)})"
    return node


def value_of(tree, inputs):
    """The sum in a tree's order, in the inputs' format."""
    tokens = tree.replace("(", " ( ").replace(")", " ) ").split()

    def parse():
        token = tokens.pop(0)
        if token != "(":
            return inputs[int(token)]
        parts = []
        while tokens[0] != ")":
            parts.append(parse())
        tokens.pop(0)
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    return parse()


def numbers(rank, count):
    generator = torch.Generator().manual_seed(rank)
    return torch.randn(count, generator=generator) * 2.0 ** torch.randint(-9, 9, (count,), generator=generator)


def work(rank, ranks, algorithm, port):
    os.environ.update(NCCL_ALGO=algorithm, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks)
    device = torch.device("cuda", rank)
    for count in COUNTS:
        under = {}
        for i, j in itertools.combinations(range(ranks), 2):
            mine = LARGE if rank == i else -LARGE if rank == j else 1.0
            left = reduce(torch.full((count,), mine, device=device)).cpu()
            under[i, j] = [ranks - int(value) for value in left.tolist()]
        trees = []
        for k in range(count):
            leaves_under = {frozenset(pair): sizes[k] for pair, sizes in under.items()}
            trees.append(tree_of(list(range(ranks)), leaves_under))
        inputs = [numbers(each, count) for each in range(ranks)]
        result = reduce(inputs[rank].to(device)).cpu()
        if rank != 0:
            continue
        wrong, start = 0, 0
        for tree in set(trees):
            at = torch.tensor([k for k, each in enumerate(trees) if each == tree])
            expected = value_of(tree, [each[at] for each in inputs])
            wrong += int((expected.view(torch.int32) != result[at].view(torch.int32)).sum())
        runs = []
        for tree, group in itertools.groupby(trees):
            length = len(list(group))
            runs.append(f"{start}..{start + length - 1}: {tree}")
            start += length
        shown = runs if len(runs) <= 9 else [*runs[:8], f"... ({len(runs)} runs, {len(set(trees))} trees)"]
        print(f"{algorithm}, {ranks} ranks, {count} numbers of f32; {wrong} differ from these trees")
        for line in shown:
            print("   ", line, flush=True)
    dist.destroy_process_group()


def main():
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else torch.cuda.device_count()
    print("NCCL", ".".join(map(str, torch.cuda.nccl.version())), "of PyTorch", torch.__version__, flush=True)
    for number, algorithm in enumerate(sys.argv[2:] or ["Ring", "Tree"]):
        mp.spawn(work, (ranks, algorithm, 29500 + number), ranks)


if __name__ == "__main__":
    main()

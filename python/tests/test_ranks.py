"""Circuits that the ranks of a job compute together."""

import os
import shutil
import subprocess
import sys

import pytest

import reckon

PROGRAM = """
import os, numpy, reckon
def say(*parts):  # a line in one piece, since several processes write lines
    os.write(1, (" ".join(map(str, parts)) + "\\n").encode())
rk = reckon.loads("fn total(x: f32[n]) -> f32 = sum i: x[i] * x[i] by tree", "ranks.rk")
x = numpy.random.default_rng(1).standard_normal(4097, dtype=numpy.float32)
"""

mpirun = pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun (Debian: openmpi-bin)")


def job(count, lines):
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count), sys.executable, "-c", PROGRAM + lines]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMPI_MCA_pml": "ob1"}
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    return found.returncode, sorted(found.stdout.split("\n"))[1:], found.stderr


def bits(value):
    return f"{value.view('uint32'):08x}"


@mpirun
def test_rank_0_has_the_result_and_the_others_none():
    rk = reckon.loads("fn total(x: f32[n]) -> f32 = sum i: x[i] * x[i] by tree", "ranks.rk")
    import numpy

    x = numpy.random.default_rng(1).standard_normal(4097, dtype=numpy.float32)
    expected = bits(rk.total(x, on="interpreter"))
    lines = "rank, size = reckon.ranks()\nfound = rk.total(x, on='mpi')\n"
    lines += "say(rank, size, None if found is None else f\"{found.view('uint32'):08x}\")"
    status, out, err = job(3, lines)
    assert (status, out) == (0, [f"0 3 {expected}", "1 3 None", "2 3 None"]), err


@mpirun
def test_a_communicator_of_mpi4py():
    pytest.importorskip("mpi4py")
    lines = """
from mpi4py import MPI
half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
rank, size = reckon.ranks(half)
found = rk.total(x[:1000 + MPI.COMM_WORLD.rank % 2], on='mpi')
alone = rk.total(x[:1000 + MPI.COMM_WORLD.rank % 2], on='interpreter')
say(MPI.COMM_WORLD.rank, rank, size, None if found is None else found == alone)
"""
    status, out, err = job(5, lines)
    expected = ["0 0 3 True", "1 0 2 True", "2 1 3 None", "3 1 2 None", "4 2 3 None"]
    assert (status, out) == (0, expected), err


@mpirun
def test_a_mistake_is_an_exception_on_every_rank():
    lines = "try: rk.total(x, on='mpi', semantics='exact')\nexcept reckon.Error as error: say(str(error).split('\\n')[0])"
    status, out, err = job(2, lines)
    assert status == 0, err
    assert out == ["error[E0720]: `exact` cannot be computed by several ranks"] * 2


def test_what_is_no_communicator_is_refused():
    with pytest.raises(reckon.ArgumentError, match="42 is no communicator of mpi4py"):
        reckon.ranks(42)

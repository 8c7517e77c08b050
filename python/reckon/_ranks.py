"""The ranks of a job that `mpirun` started (docs/many_machines.md)."""

from __future__ import annotations

import sys
from ctypes import byref, c_int
from typing import Any, Tuple

from ._errors import ArgumentError
from ._session import default_session


def _handle(communicator: Any) -> int:
    """An MPI_Comm as an integer."""
    if communicator is None:
        return 0
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None and isinstance(communicator, mpi.Comm):
        if communicator == mpi.COMM_NULL:
            raise ArgumentError("the communicator is COMM_NULL: this process is no rank of it")
        return int(mpi._handleof(communicator)) & (1 << 64) - 1
    raise ArgumentError(f"{communicator!r} is no communicator of mpi4py")


def ranks(communicator: Any = None) -> Tuple[int, int]:
    """This process's rank and how many there are; opens MPI. Calls with on="mpi" are those of all ranks that the
    launcher started or, once it is given, of the ranks of a communicator of mpi4py, all of which make the same calls."""
    session = default_session()
    rank, size = c_int(), c_int()
    session.do(session._lib.use_ranks, _handle(communicator), byref(rank), byref(size))
    return rank.value, size.value

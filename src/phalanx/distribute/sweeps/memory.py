"""Results of a sweep in memory, without a store."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from phalanx.base.errors import MissingExtra, UnknownName
from phalanx.base.memory import check_memory
from phalanx.distribute.sweeps.chunk import Array, Chunk
from phalanx.distribute.sweeps.store_layout import DONE, FAILED
from phalanx.distribute.sweeps.study import Study


@final
class Memory:
    """What a store is, without a disk.

    Attributes:
        failures: Cases that failed, and why.
        missing: Numbers of the chunks that are not there.
    """

    def __init__(self, study: Study) -> None:
        """Make room.

        Raises:
            InvalidInput: When memory has none.
        """
        size = study.size()
        check_memory(
            f"{size.cases:,} cases of {size.bytes_of_case:,} bytes",
            size.bytes,
            "Write them to disk (to=), keep less, or take fewer cases.",
        )
        self.study = study
        self.missing = list(range(study.chunks))
        self.failures: dict[int, str] = {}
        self._arrays = {
            name: np.full((study.cases, *v.shape), v.absent, v.dtype)
            for name, v in study.variables.items()
        }
        self._status = np.zeros(study.cases, np.uint8)

    @property
    def cases_done(self) -> int:
        """Cases of the chunks that are there."""
        return int(np.count_nonzero(self._status))

    def write(self, number: int, chunk: Chunk, study: Study) -> None:
        """Add a chunk."""
        numbers = study.numbers(number)
        rows = slice(numbers.start, numbers.stop)
        for name, array in chunk.results.items():
            self._arrays[name][rows] = array
        self._status[rows] = DONE
        self._status[list(chunk.failures)] = FAILED
        self.failures |= chunk.failures
        self.missing.remove(number)

    def array(self, name: str) -> Array:
        """All of one array.

        Raises:
            UnknownName: When there is none of that name.
        """
        if name == "status":
            return self._status
        if name in self._arrays:
            return self._arrays[name]
        varied = self.study.values(range(self.study.cases))
        if name not in varied:
            known = (*self._arrays, *varied, "status")
            raise UnknownName("this sweep", "array", name, known)
        return varied[name]

    def to_xarray(self) -> Any:
        """As an ``xarray.Dataset``, as a store would be."""
        try:
            import xarray
        except ImportError:
            raise MissingExtra("a sweep as an xarray.Dataset", "cluster") from None
        study = self.study
        data: dict[str, Any] = {
            name: (("case", *v.dims), self._arrays[name], {"units": v.unit, "long_name": v.about})
            for name, v in study.variables.items()
        }
        data["status"] = ("case", self._status)
        coordinates: dict[str, Any] = {
            name: (
                ("case", *[f"{name}_entry"][: array.ndim - 1]),
                array,
                {"units": study.run.unit(name)},
            )
            for name, array in study.values(range(study.cases)).items()
        }
        coordinates |= {
            name: (name, list(axis.values), {"units": axis.unit})
            for name, axis in study.axes.items()
        }
        return xarray.Dataset(data, coordinates)

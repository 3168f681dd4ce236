"""Export of recordings as CSV and Parquet tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

from phalanx.base.errors import MissingExtra

if TYPE_CHECKING:
    from phalanx.simulation.record.recording import Recording

TIME, TIME_UNIT = "time", "s"
ROWS_AT_A_TIME = 8192


def export_csv(recording: Recording, path: Path) -> None:
    """A header ``time [s],q.elbow [rad],…`` and a line a sample; numbers read back exactly."""
    units = [(TIME, TIME_UNIT)]
    units += [(column, c.unit) for c in recording.channels for column in c.columns]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(f"{name} [{unit}]" if unit else name for name, unit in units)
        for start in range(0, len(recording), ROWS_AT_A_TIME):
            stop = start + ROWS_AT_A_TIME
            # from time and signals, since a table of all would double the memory
            parts = [recording.time[start:stop, None]]
            parts += [signal.table[start:stop] for signal in recording.signals.values()]
            lists = [part.tolist() for part in parts]
            writer.writerows([x for part in row for x in part] for row in zip(*lists, strict=True))


def export_parquet(recording: Recording, path: Path) -> None:
    """A column ``time`` and one a number, such as ``q.elbow``, with its unit as metadata.

    Raises:
        MissingExtra: When pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("Parquet", "parquet") from None

    fields = [pyarrow.field(TIME, pyarrow.float64(), metadata={"unit": TIME_UNIT})]
    arrays = [recording.time]
    for signal in recording.signals.values():
        for k, column in enumerate(signal.channel.columns):
            fields.append(pyarrow.field(column, pyarrow.float64(), metadata={"unit": signal.unit}))
            arrays.append(signal.table[:, k])
    settings = json.dumps(dict(recording.settings), ensure_ascii=False)
    schema = pyarrow.schema(fields, metadata={"phalanx.settings": settings})
    columns = [pyarrow.array(array) for array in arrays]
    parquet.write_table(pyarrow.Table.from_arrays(columns, schema=schema), path)

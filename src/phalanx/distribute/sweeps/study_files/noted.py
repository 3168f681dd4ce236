"""Which file a store comes from: noted beside its arrays, where readers of Zarr do not look.

A store holds hashes of what made it and no code. So to run a case of it again, its file is read
again, and what it says now must have these hashes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from phalanx.distribute.sweeps.store import Store
from phalanx.distribute.sweeps.study import Study
from phalanx.distribute.sweeps.study_files.reader import STUDIES, StudyFile, read_study
from phalanx.errors import ReadError
from phalanx.files import naming_file, read_text

NOTE = "study_file.json"
LARGEST_NOTE = 2**16


def note_study(store: Store, study: StudyFile) -> None:
    """Note the file: by name if it comes with the package, else by its whole path."""
    name = next((name for name, path in STUDIES.items() if path.resolve() == study.path), None)
    note = {"study": name or str(study.path), "name": study.name}
    beside = store.path / f"{NOTE}.writing"
    beside.write_text(json.dumps(note), encoding="utf-8")
    os.replace(beside, store.path / NOTE)


def noted_study(store: Store) -> str | None:
    """The study that was noted: its name or path; None for a store that Python code made."""
    path = store.path / NOTE
    if not path.exists():
        return None
    with naming_file(path):
        try:
            said = json.loads(read_text(path, LARGEST_NOTE))["study"]
        except (ValueError, KeyError, TypeError):
            said = None
        if not isinstance(said, str):
            raise ReadError("not a note of which study made the store.")
        return said


def study_of_store(store: Store, source: str | Path | None = None) -> tuple[StudyFile, Study]:
    """The study that made a store, read again from its file.

    Args:
        store: The store.
        source: Its file or name, where another is meant than what was noted.

    Raises:
        ReadError: When there is no such file any more, or none was noted.
        InvalidInput: When the file says something else by now.
    """
    said = source or noted_study(store)
    if said is None:
        raise ReadError(
            f"{store.path} was not made from a file; name the study that made it, or run the case "
            "in Python with Study.of(range(k, k + 1))."
        )
    file = read_study(str(said))
    study = Study(file.run, file.over, store.data["keep"], store.data["seed"], store.cut)
    store.check(study)
    return file, study

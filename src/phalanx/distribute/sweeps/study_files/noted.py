"""Provenance of a store: its study file, kept beside the arrays, where Zarr does not look.

A store holds hashes of what made it and no code. So to run a case of it again, its file is read
again, and what it holds now must have these hashes. What reports need of the study is in the
note, so that they read no other file. A function that a study names is imported only when the user
names the study, or states that the store is trusted.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import final

from phalanx.base.errors import ReadError
from phalanx.base.files import naming_file
from phalanx.distribute.sweeps.seals import sealed, unsealed
from phalanx.distribute.sweeps.store import Store
from phalanx.distribute.sweeps.store_facts import json_table
from phalanx.distribute.sweeps.store_layout import put_whole
from phalanx.distribute.sweeps.study import Study
from phalanx.distribute.sweeps.study_files.reader import (
    STUDIES,
    StudyFile,
    function_named,
    read_study,
)

NOTE = "study_file.json"
LARGEST_NOTE = 2**16


@final
@dataclass(frozen=True)
class Note:
    """Note of the study that made a store.

    Attributes:
        study: Its name, or the path of its file.
        name: What to call it.
        description: What it shows.
        judge: The result that reports rank cases by; the first when None.
        is_less_better: Whether the least of it is the best.
    """

    study: str
    name: str
    description: str = ""
    judge: str | None = None
    is_less_better: bool = True


def note_study(store: Store, study: StudyFile) -> None:
    """Note the file: by name if it comes with the package, else by its whole path."""
    name = next((name for name, path in STUDIES.items() if path.resolve() == study.path), None)
    source = name or str(study.path)
    note = Note(source, study.name, study.description, study.judge, study.is_less_better)
    put_whole(store.path / NOTE, sealed(asdict(note)))


def noted_study(store: Store) -> Note | None:
    """What was noted; None for a store that Python code made.

    Raises:
        ReadError: When the note is damaged.
    """
    path = store.path / NOTE
    if not os.path.lexists(path):
        return None
    with naming_file(store.path):
        fields = unsealed(path, LARGEST_NOTE) if store.is_sealed else json_table(path)
        try:
            note = Note(**fields)
        except TypeError:
            raise ReadError(f"{NOTE} is not a note of which study made the store.") from None
        kinds = (str, str, str, str | None, bool)
        if not all(isinstance(v, k) for v, k in zip(asdict(note).values(), kinds, strict=True)):
            raise ReadError(f"{NOTE} is not a note of which study made the store.")
        return note


def study_of_store(
    store: Store, source: str | Path | None = None, *, trust: bool = False
) -> tuple[StudyFile, Study]:
    """The study that made a store, read again from its file.

    Args:
        store: The store.
        source: Its file or name, where another is meant than what was noted. Who names it trusts
            it: a function that it names is imported.
        trust: Whether a function may be imported that only the store leads to; the error names
            it.

    Raises:
        ReadError: When there is no such file any more, or none was noted.
        InvalidInput: When the file has changed since, or names a function and neither
            it nor the store is stated to be trusted.
    """
    note = None if source else noted_study(store)
    if source is None and note is None:
        raise ReadError(
            f"{store.path} was not made from a file; name the study that made it, or run the case "
            "in Python with Study.of(range(k, k + 1))."
        )
    if note is not None and trust:
        named = function_named(note.study)
        if named is not None:
            warnings.warn(f"trusting {store.path}: this runs {named}.", stacklevel=2)
    file = read_study(str(source or (note and note.study)), trust=trust or source is not None)
    study = Study(file.run, file.over, store.data["keep"], store.data["seed"], store.cut)
    store.check(study)
    return file, study

"""Settings of a run as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from phalanx.base.errors import InvalidInput, shown

JSON = None | bool | int | float | str | list["JSON"] | dict[str, "JSON"]


def plain(settings: Mapping[str, Any]) -> dict[str, JSON]:
    """A deep copy of settings in which NumPy scalars and arrays are numbers and lists.

    Raises:
        InvalidInput: When something is not JSON: an object, a NaN, a key that is no text.
    """
    if not isinstance(settings, Mapping):
        raise InvalidInput(
            f"settings are {type(settings).__name__}; expected names with values, such as a dict."
        )
    copy = {}
    for name, value in settings.items():
        if not isinstance(name, str):
            raise InvalidInput(f"setting {name!r}: expected a name that is text.")
        try:
            text = json.dumps(value, default=_from_numpy, allow_nan=False, ensure_ascii=False)
            # paths in other encodings have characters that are none
            copy[name] = json.loads(text.encode(errors="replace"))
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(
                f"setting '{name}' is {shown(value)}; expected what JSON can hold: text, finite "
                f"numbers, true, false, null, lists and objects of those ({error})."
            ) from None
    return copy


def _from_numpy(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")

"""Validation of the numbers of an MJCF model that MuJoCo does not check.

To MuJoCo a NaN means that a number was not given: ``mass="nan"`` becomes the mass of the shape at
the density of water. And it multiplies without limit: ``<replicate count="1000000000">`` is one
element, and what it stands for fits into no memory. Both are looked for before it sees the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.base.errors import ReadError, shown
from phalanx.mechanism.read.mjcf_names import BODY, EQUALITY, JOINT, SITE, TENDON, name_of

MOST_ELEMENTS = 100_000
# attributes that hold names, of which "nan" may be one
NAMES = re.compile(
    r"(.*name|.*class|model|prefix|file.*|data|text|objtype|reftype|target|instance|plugin|element)"
    r"|(body|joint|geom|site|tendon|mesh|hfield|material|texture|actuator|flex|skin|key).*"
    r"|.*site|jointinparent|user"
)
NAN = re.compile(r"[+-]?nan(\(\w*\))?", re.IGNORECASE)
# elements whose ``count`` says how many there are of what is in them, or of what they make
COPIES = ("replicate", "composite", "flexcomp")
# numbers of the compiled model that must be finite, and whose they are
FINITE = {
    BODY: ("body_mass", "body_inertia", "body_pos", "body_quat", "body_ipos", "body_iquat"),
    JOINT: ("jnt_pos", "jnt_axis", "jnt_stiffness"),
    SITE: ("site_pos", "site_quat"),
    EQUALITY: ("eq_data",),
    TENDON: ("tendon_stiffness", "tendon_damping", "tendon_lengthspring"),
}


def check_numbers(parts: Iterable[Element]) -> None:
    """Refuse a NaN in any attribute, and more elements than the limit.

    Args:
        parts: The root elements of the model and of what it includes.

    Raises:
        ReadError: With the element and its attribute.
    """
    total = 0.0
    for root in parts:
        waiting = [(root, 1.0)]
        while waiting:
            element, copies = waiting.pop()
            _check_attributes(element)
            total += copies
            if element.tag in COPIES:
                copies *= _count(element)
                total += copies
            if not total <= MOST_ELEMENTS:
                raise ReadError(
                    f"{_called(element)} makes more elements than the {MOST_ELEMENTS:,} read, with "
                    f"count={shown(element.get('count', '1'))}."
                )
            waiting += [(child, copies) for child in element]


def check_finite(model: Any) -> None:
    """Refuse a compiled model with a NaN or an infinity where a machine has a number.

    Raises:
        ReadError: With the element.
    """
    for kind, names in FINITE.items():
        for name in names:
            values = getattr(model, name)
            bad = np.argwhere(~np.isfinite(values))
            if len(bad):
                k = int(bad[0, 0])
                raise ReadError(
                    f"{kind} '{name_of(model, kind, k)}' has {name} = {values[k]}; expected finite "
                    "numbers."
                )


def _check_attributes(element: Element) -> None:
    for key, text in element.attrib.items():
        if NAMES.fullmatch(key) is None and any(NAN.fullmatch(word) for word in text.split()):
            raise ReadError(
                f"{_called(element)} has {key}={shown(text)}; MuJoCo would take it as not given."
            )


def _count(element: Element) -> float:
    """How many an element makes; one where it does not say, which MuJoCo then explains."""
    try:
        numbers = [float(word) for word in element.get("count", "1").split()]
    except ValueError:
        return 1.0
    return math.prod(max(number, 1.0) for number in numbers)


def _called(element: Element) -> str:
    name = element.get("name")
    return f"<{element.tag}>" if name is None else f"<{element.tag}> '{name}'"

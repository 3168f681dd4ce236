"""Typed access to children and attributes of XML elements, with errors.

``who`` names the link or joint that an element belongs to, for messages.
"""

from __future__ import annotations

from math import isinf, isnan
from xml.etree.ElementTree import Element

from phalanx.base.errors import ReadError, shown


def child_of(element: Element, tag: str, who: str) -> Element:
    """The first child of that tag."""
    child = element.find(tag)
    if child is None:
        raise ReadError(f"{who}: <{element.tag}> has no <{tag}>.")
    return child


def text_of(element: Element, key: str, who: str) -> str:
    """An attribute that must not be empty."""
    text = element.get(key)
    if not text:
        raise ReadError(f"{who} has no attribute '{key}' in <{element.tag}>.")
    return text


def number_of(element: Element | None, key: str, who: str, default: float | None = None) -> float:
    """An attribute as a number; the default where it, or the element, is missing."""
    if default is not None and (element is None or element.get(key) is None):
        return default
    assert element is not None
    return numbers_of(element, key, 1, who)[0]


def numbers_of(
    element: Element, key: str, count: int, who: str, default: str | None = None
) -> list[float]:
    """An attribute as ``count`` numbers; the default where it is missing."""
    text = element.get(key, default)
    if text is None:
        raise ReadError(f"{who} has no attribute '{key}' in <{element.tag}>.")
    # effort and velocity limits are the numbers that may be infinite
    return parse_numbers(
        text, count, f"{who}, <{element.tag} {key}=…>,", finite=element.tag != "limit"
    )


def parse_numbers(text: str, count: int, what: str, *, finite: bool = True) -> list[float]:
    """``count`` numbers separated by blanks, without NaN, and without infinity where ``finite``."""
    try:
        # Python alone takes digits of all scripts, and underscores between them
        plain = text.isascii() and "_" not in text
        values = [float(word) for word in text.split()] if plain else []
    except ValueError:
        values = []
    bad = any(isnan(value) or (finite and isinf(value)) for value in values)
    if bad or len(values) != count:
        hint = " Expand the xacro file first." if "${" in text else ""
        raise ReadError(f"{what} should be {count} number(s), got {shown(text)}.{hint}")
    return values

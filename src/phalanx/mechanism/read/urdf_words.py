"""Misspelled and duplicate elements and attributes of a URDF file.

To a reader that skips what it does not know, ``<origin xzy="1 0 0"/>`` is a place at zero, a joint
with ``<limits>`` has none, and of two ``<axis>`` one counts. Such a file says something else than
what is read. Words that resemble nothing are extensions of others, and skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from xml.etree.ElementTree import Element

from phalanx.base.errors import ReadError, shown

# of each element that says what moves and how: its children, each at most once, and its attributes
WORDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "link": (("inertial",), ("name",)),
    "inertial": (("origin", "mass", "inertia"), ()),
    "joint": (
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
        ("name", "type"),
    ),
    "origin": ((), ("xyz", "rpy")),
    "mass": ((), ("value",)),
    "inertia": ((), ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "parent": ((), ("link",)),
    "child": ((), ("link",)),
    "axis": ((), ("xyz",)),
    "limit": ((), ("lower", "upper", "effort", "velocity")),
    "dynamics": ((), ("damping", "friction")),
    "mimic": ((), ("joint", "multiplier", "offset")),
}
# words of others that are read too: Drake's of rotors, and one of ours
NAMESPACES = {"drake": "http://drake.mit.edu", "phalanx": "urn:phalanx:urdf"}
ROTOR_WORD = f"{{{NAMESPACES['drake']}}}rotor_inertia"
GRAVITY_WORD = f"{{{NAMESPACES['phalanx']}}}gravity"
# closures of an early Drake's, which are no joints of the tree
LOOP_WORD = "loop_joint"
PARTS = ("link", "joint", "material", "transmission")
# what a joint without an axis may have, and is not read
IDLE = {"fixed": ("axis", "limit", "dynamics", "mimic"), "floating": ("axis", "limit")}
SIMILAR = 0.65  # "xzy" is "xyz"; "contact" and "D" are nothing that is known here


def check_words(robot: Element) -> None:
    """Refuse what is there twice, and what is nearly a word of the format.

    Raises:
        ReadError: With the link or joint, the word, and what was probably meant.
    """
    for part in robot:
        near = "" if part.tag in (*PARTS, LOOP_WORD) else _nearest(part.tag, PARTS)
        if near:
            raise ReadError(f"<robot> has <{part.tag}>; did you mean '{near}'?")
        if part.tag in ("link", "joint"):
            who = f"{part.tag} {shown(part.get('name', ''))}"
            for element in _looked_at(part):
                children, attributes = WORDS[element.tag]
                tags = Counter(child.tag for child in element)
                twice = next((tag for tag in children if tags[tag] > 1), None)
                if twice is not None:
                    raise ReadError(f"{who} has <{twice}> {tags[twice]} times; expected one.")
                _check_typing(f"{who} has <{{}}>", tags, children)
                _check_typing(f"{who} has <{element.tag} {{}}=…>", element.attrib, attributes)


def _looked_at(part: Element) -> Iterator[Element]:
    """A link or joint, and those of its elements that this reader takes numbers from."""
    yield part
    idle = IDLE.get(part.get("type", ""), ()) if part.tag == "joint" else ()
    for child in part:
        if child.tag in WORDS[part.tag][0] and child.tag not in idle:
            yield from _looked_at(child)


def _check_typing(where: str, words: Iterable[str], known: tuple[str, ...]) -> None:
    given = set(words)
    missing = tuple(word for word in known if word not in given)
    for word in given - set(known):
        near = _nearest(word, missing)
        if near:
            raise ReadError(f"{where.format(word)}; did you mean '{near}'?")


@lru_cache(1024)  # a file has the same few words thousands of times
def _nearest(word: str, known: tuple[str, ...]) -> str:
    """The known word that resembles one, or none."""
    return next(iter(get_close_matches(word, known, n=1, cutoff=SIMILAR)), "")

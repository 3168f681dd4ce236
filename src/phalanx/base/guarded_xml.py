"""Safe XML parsing: limits on size, depth and elements; no entities, no document types.

An entity can expand to gigabytes or name a file of the reader's machine; no model format needs one.
Limits are looked at while the file is parsed, before it has taken memory.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers import expat

from phalanx.base.errors import ReadError
from phalanx.base.files import read_bytes

LARGEST_FILE = 64 * 2**20
# MuJoCo's own limit; a chain of as many bodies in MJCF is the deepest that is meant
DEEPEST = 500
MOST_ELEMENTS = 1_000_000
# prefixes of other programs that files use, some without declaring them
PREFIXES = {"drake": "http://drake.mit.edu"}
UNDECLARED = "urn:undeclared:"
MOST_PREFIXES = 32


def parse_xml(path: Path) -> Element:
    """The root element of a file.

    Raises:
        ReadError: When it is missing, too large, too deep, not XML, or declares entities or a
            document type.
    """
    content = _without_late_declaration(read_bytes(path, LARGEST_FILE))
    try:
        return _parse(content)
    except _UnboundPrefix as error:
        declared = _with_declarations(content)
        if declared is None:
            raise ReadError(f"not well-formed XML: {error}.") from error
    try:
        return _parse(declared)
    except _UnboundPrefix as error:
        raise ReadError(f"not well-formed XML: {error}.") from error


def _without_late_declaration(content: bytes) -> bytes:
    """The file with blanks for ``<?xml …?>`` where blanks come before it; lines stay in place.

    Published files have such; XML wants it first or not at all. Only one in UTF-8 needs none.
    """
    late = re.match(rb"\s+<\?xml\s[^>]*\?>", content)
    if late is None or re.search(rb"encoding\s*=\s*.(?!utf-?8\W)", late[0], re.IGNORECASE):
        return content
    return re.sub(rb"[^\r\n]", b" ", late[0]) + content[late.end() :]


def foreign_name(tag: str) -> str:
    """Return the prefixed name of a foreign element; nothing for one of the format's own."""
    space, _, name = tag[1:].rpartition("}") if tag.startswith("{") else ("", "", "")
    known = {uri: prefix for prefix, uri in PREFIXES.items()}
    prefix = known.get(space) or space.removeprefix(UNDECLARED)
    return f"{prefix}:{name}" if name else ""


def _with_declarations(content: bytes) -> bytes | None:
    """The file with the prefixes declared that its root element forgot; None if there is no need.

    Gazebo and Drake use prefixes that nothing declares, and their parsers know no namespaces.
    """
    root = re.match(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*<[\w:.-]+", content, re.DOTALL)
    used = re.finditer(rb"<([A-Za-z_][\w.-]*):|\s([A-Za-z_][\w.-]*):[\w.-]+\s*=", content)
    missing = {match[1] or match[2] for match in used} - {b"xml", b"xmlns"}
    missing -= {match[1] for match in re.finditer(rb"\sxmlns:([\w.-]+)\s*=", content)}
    if root is None or not 0 < len(missing) <= MOST_PREFIXES:
        return None
    names = sorted(prefix.decode("ascii") for prefix in missing)
    spaces = (f' xmlns:{name}="{PREFIXES.get(name, UNDECLARED + name)}"' for name in names)
    return content[: root.end()] + "".join(spaces).encode() + content[root.end() :]


def _parse(content: bytes) -> Element:
    from defusedxml.ElementTree import DefusedXMLParser

    parser = DefusedXMLParser(target=_LimitedBuilder(), forbid_dtd=True)
    try:
        parser.feed(content)
        root: Element = parser.close()
    except ParseError as error:
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_UNBOUND_PREFIX]:
            raise _UnboundPrefix(str(error)) from error
        raise ReadError(f"not well-formed XML: {error}.") from error
    except _TooMuch as error:
        line = parser.parser.CurrentLineNumber
        raise ReadError(f"line {line}: {error}.") from error
    except ValueError as error:
        # defusedxml's exceptions, and an unknown or wrong text encoding, are ValueErrors
        raise ReadError(
            f"refused XML: {error}. Entities and document types are not read."
        ) from error
    except LookupError as error:
        raise ReadError(f"{error}.") from error
    return root


class _UnboundPrefix(Exception):
    """A prefix that nothing declares."""


class _TooMuch(Exception):
    """A file beyond a limit."""


class _LimitedBuilder(TreeBuilder):
    """Builds the tree of a file as long as it stays within limits."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = self._elements = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        """An element begins."""
        self._depth += 1
        self._elements += 1
        if self._depth > DEEPEST:
            raise _TooMuch(f"elements are nested too deeply, more than {DEEPEST} levels")
        if self._elements > MOST_ELEMENTS:
            raise _TooMuch(f"more than the {MOST_ELEMENTS:,} elements read")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        """An element ends."""
        self._depth -= 1
        return super().end(tag)

"""XML from strangers: limited in size, depth and number of elements, without entities or types.

An entity can expand to gigabytes or name a file of the reader's machine; no model format needs one.
Limits are looked at while the file is parsed, before it has taken memory.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from phalanx.errors import ReadError
from phalanx.files import read_bytes

LARGEST_FILE = 64 * 2**20
# MuJoCo's own limit; a chain of as many bodies in MJCF is the deepest that is meant
DEEPEST = 500
MOST_ELEMENTS = 1_000_000


def parse_xml(path: Path) -> Element:
    """The root element of a file.

    Raises:
        ReadError: When it is missing, too large, too deep, not XML, or declares entities or a
            document type.
    """
    from defusedxml.ElementTree import DefusedXMLParser

    content = read_bytes(path, LARGEST_FILE)
    parser = DefusedXMLParser(target=_LimitedBuilder(), forbid_dtd=True)
    try:
        parser.feed(content)
        root: Element = parser.close()
    except ParseError as error:
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

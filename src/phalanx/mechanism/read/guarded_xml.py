"""XML from strangers: size-limited, and without entities or document types.

An entity can expand to gigabytes or name a file of the reader's machine; no model format needs one.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from phalanx.errors import ReadError

LARGEST_FILE = 64 * 2**20


def parse_xml(path: Path) -> Element:
    """The root element of a file.

    Raises:
        ReadError: When it is missing, too large, not XML, or declares entities or a document type.
    """
    from defusedxml.ElementTree import fromstring

    try:
        size = path.stat().st_size
        if not path.is_file():
            raise ReadError("not a file.")
        if size > LARGEST_FILE:
            raise ReadError(f"{size / 2**20:.0f} MB, larger than the {LARGEST_FILE >> 20} MB read.")
        content = path.read_bytes()
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}.") from error
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except ParseError as error:
        raise ReadError(f"not well-formed XML: {error}.") from error
    except ValueError as error:
        # defusedxml's exceptions, and an unknown or wrong text encoding, are ValueErrors
        raise ReadError(
            f"refused XML: {error}. Entities and document types are not read."
        ) from error
    except LookupError as error:
        raise ReadError(f"{error}.") from error
    return root

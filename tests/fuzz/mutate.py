"""Files made wrong: bytes, tokens, lines and elements of real ones changed at random.

Everything depends on the generator that is given, so a case is known by its number.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from random import Random
from xml.etree import ElementTree

TOKEN = re.compile(rb"[+-]?\d[\w.+-]*|[A-Za-z_][\w-]*|\s+|.", re.DOTALL)
NUMBER = re.compile(rb"[+-]?\d+\.?\d*(?:[eE][+-]?\d+)?")
STRANGE_NUMBERS = (
    *(b"nan", b"-nan", b"NaN", b".nan", b"inf", b"-inf", b".inf", b"Infinity", b"-0", b"0", b"-1"),
    *(b"1e155", b"-1e155", b"1e308", b"-1e308", b"1e309", b"1e-308", b"5e-324", b"1e9", b"1e20"),
    *(b"1" + b"0" * 30, b"1" + b"0" * 400, b"9" * 5000, b"0x" + b"f" * 4500, b"0." + b"1" * 5000),
    *(b"2147483648", b"4294967296", b"18446744073709551616", b"1_0", b"1,5", b"1.2.3", b"--1"),
    *(b"1e", b"0b", b"0x", b"0b_", b"1:30", b"2001-13-45", b"2001-02-03", b"12:99:99"),
)
STRANGE_TEXTS = (
    *(b"", b" ", b"\0", b"\xff\xfe", b"\xc3", b"\xef\xbb\xbf", "é".encode(), "\u2028".encode()),
    *(b"null", b"true", b"no", b"~", b"~nosuchuser/x", b"../../../etc/passwd", b"/dev/zero"),
    *(b"a" * 300, b"a/" * 3000, b"%s%n", b"${x}", b"$(x)", b"&amp;", b"&#0;", b"&x;", b"<", b">"),
    *(b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b"\n", b"\r", b"\t", b"#", b"--", b"]]>"),
    *(b"[" * 3000, b"{" * 3000, b"[[" * 20, b"{a: " * 600, b"a." * 2000 + b"a = 1", b"(" * 100),
    *(b"&a [*a]", b"*a", b"<<: *a", b"!!python/object:os.system", b"!!int x", b"? - x", b"---\n"),
    *(b"&a [1,1,1,1,1,1,1,1,1]", b"[*a,*a,*a,*a,*a,*a,*a,*a,*a]", b"!!timestamp 1", b"%YAML 9.9"),
    *(b"1979-05-27T07:32:00Z", b"[[x]]", b"[x]", b"{}", b"[]", b'{"a": 1, "a": 2}', b"[{}]"),
)


def mutated(seed: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """A seed changed in one place, or in a few."""
    content = seed
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        content = rng.choice(CHANGES)(content, others, rng)
    return content


def _span(content: bytes, rng: Random, longest: int = 200) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.randint(1, longest))


def _flip(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    if not content:
        return b"\0"
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _insert(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(STRANGE_TEXTS) + content[at:]


def _delete(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    start, stop = _span(content, rng)
    return content[:start] + content[stop:]


def _repeat(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    start, stop = _span(content, rng)
    return content[:stop] + content[start:stop] * rng.choice((1, 1, 2, 50)) + content[stop:]


def _truncate(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _splice(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    other = rng.choice(others)
    (a, b), (c, d) = _span(content, rng), _span(other, rng, 2000)
    return content[:a] + other[c:d] + content[b:]


def _number(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """One number, or all that are alike, becomes a strange one."""
    found = list(NUMBER.finditer(content))
    if not found:
        return _insert(content, others, rng)
    one = rng.choice(found)
    strange = rng.choice(STRANGE_NUMBERS)
    if rng.random() < 0.1:
        return content.replace(one.group(), strange)
    return content[: one.start()] + strange + content[one.end() :]


def _token(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """A token gives way to another of the file, to a strange text, or to nothing."""
    tokens = TOKEN.findall(content)
    if not tokens:
        return _insert(content, others, rng)
    at = rng.randrange(len(tokens))
    tokens[at] = rng.choice(
        (rng.choice(tokens), rng.choice(tokens), rng.choice(STRANGE_TEXTS), b"")
    )
    return b"".join(tokens)


def _lines(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """A line is lost, comes twice, or stands elsewhere."""
    lines = content.splitlines(keepends=True) or [b""]
    line = lines[rng.randrange(len(lines))]
    how = rng.randrange(3)
    if how:
        lines.insert(rng.randrange(len(lines) + 1), line)
    if how != 1:
        lines.remove(line)
    return b"".join(lines)


def _element(content: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """An element of XML is lost, comes twice, moves, is wrapped, or its attributes change."""
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        return _token(content, others, rng)
    parents = [(parent, child) for parent in root.iter() for child in parent]
    if not parents:
        return _token(content, others, rng)
    try:
        return _changed_tree(root, parents, rng)
    except RecursionError:  # Python's own copies of deep trees
        return _token(content, others, rng)


Elements = list[tuple[ElementTree.Element, ElementTree.Element]]


def _changed_tree(root: ElementTree.Element, parents: Elements, rng: Random) -> bytes:
    parent, child = rng.choice(parents)
    other_parent, other = rng.choice(parents)
    match rng.randrange(8):
        case 0:
            parent.remove(child)
        case 1:
            parent.append(copy.deepcopy(child))
        case 2:
            other_parent.append(copy.deepcopy(child))
        case 3:
            child.attrib, other.attrib = other.attrib, child.attrib
        case 4 if child.attrib:
            del child.attrib[rng.choice(list(child.attrib))]
        case 5 if child.attrib and other.attrib:
            child.set(rng.choice(list(child.attrib)), rng.choice(list(other.attrib.values())))
        case 6:
            child.tag = other.tag
        case _:
            inner = copy.deepcopy(child)
            for _ in range(rng.choice((1, 30, 600))):
                wrapped = ElementTree.Element(parent.tag)
                wrapped.append(inner)
                inner = wrapped
            other_parent.append(inner)
    return ElementTree.tostring(root)


CHANGES: tuple[Callable[[bytes, Sequence[bytes], Random], bytes], ...] = (
    *(_flip, _insert, _delete, _repeat, _truncate, _splice, _lines),
    *(_number, _number, _number, _number, _token, _token, _token, _element, _element, _element),
)

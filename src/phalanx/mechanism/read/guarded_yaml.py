"""Safe YAML parsing: plain lists, mappings, texts and numbers, limited in depth and number.

An alias may repeat what repeats others: 271 bytes can stand for more values than memory holds. So
every alias counts as all that it stands for. A key that comes twice is an error, not the last of
the two. Dates stay texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phalanx.base.errors import ReadError, shown
from phalanx.base.files import read_text

LARGEST_FILE = 2**20
DEEPEST = 20
MOST_VALUES = 50_000
LONGEST_TEXT = 1000
KINDS = ("null", "bool", "int", "float", "str", "seq", "map")


def parse_yaml(path: Path) -> Any:
    """The content of a file.

    Raises:
        ReadError: When it cannot be read, is not well-formed, or is beyond a limit; with the line.
    """
    import yaml

    text = read_text(path, LARGEST_FILE)
    try:
        return yaml.load(text, _limited_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark is not None else ""
        reason = getattr(error, "problem", None) or " ".join(str(error).split())
        raise ReadError(f"{line}not well-formed YAML: {reason}.") from error


def _limited_loader() -> Any:
    """A loader class with limits; made here, since YAML is loaded only when it is needed."""
    import yaml

    prefix = "tag:yaml.org,2002:"
    safe = yaml.SafeLoader
    known = {prefix + kind for kind in (*KINDS, "merge")}

    class LimitedLoader(safe):  # type: ignore[misc,valid-type]
        yaml_constructors = {  # noqa: RUF012
            tag: make for tag, make in safe.yaml_constructors.items() if tag is None or tag in known
        }
        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [(tag, pattern) for tag, pattern in resolvers if tag in known]
            for first, resolvers in safe.yaml_implicit_resolvers.items()
        }

        def __init__(self, text: str) -> None:
            super().__init__(text)
            self._depth = self._values = 0
            self._sizes: dict[str, int] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            """A value, counted; an alias as often as what it stands for."""
            event = self.peek_event()
            if isinstance(event, yaml.AliasEvent):
                if event.anchor in self.anchors and event.anchor not in self._sizes:
                    raise ReadError(self._at(event, f"'{event.anchor}' holds itself"))
                self._count(event, self._sizes.get(event.anchor, 1))
                return super().compose_node(parent, index)
            before = self._values
            self._count(event, 1)
            if self._depth == DEEPEST:
                raise ReadError(self._at(event, f"nested too deeply, more than {DEEPEST} levels"))
            if isinstance(event, yaml.ScalarEvent) and len(event.value) > LONGEST_TEXT:
                came = f"a value of {len(event.value):,} characters"
                raise ReadError(self._at(event, f"{came}; read are up to {LONGEST_TEXT:,}"))
            self._depth += 1
            node = super().compose_node(parent, index)
            self._depth -= 1
            if event.anchor is not None:
                self._sizes[event.anchor] = self._values - before
            return node

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            """A mapping whose keys are different from each other."""
            if isinstance(node, yaml.MappingNode):
                seen = set()
                for key, _ in node.value:
                    if isinstance(key, yaml.ScalarNode):
                        if (key.tag, key.value) in seen:
                            raise ReadError(self._at(key, f"{shown(key.value)} comes twice"))
                        seen.add((key.tag, key.value))
            return super().construct_mapping(node, deep)

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            """A value; one that is not of its tag is said with its line."""
            try:
                return super().construct_object(node, deep)
            except (ValueError, KeyError, OverflowError) as error:
                kind = node.tag.removeprefix(prefix)
                text = f"{shown(node.value)} is no value of kind '{kind}'"
                raise ReadError(self._at(node, text)) from error

        def _count(self, event: Any, values: int) -> None:
            self._values += values
            if self._values > MOST_VALUES:
                text = f"stands for more than the {MOST_VALUES:,} values read"
                raise ReadError(self._at(event, text))

        @staticmethod
        def _at(place: Any, text: str) -> str:
            return f"line {place.start_mark.line + 1}: {text}."

    return LimitedLoader

"""Binding of positional and keyword arguments to the inputs of a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Port


def bound(
    kernel: str, ports: Sequence[Port], args: tuple[object, ...], keywords: dict[str, object]
) -> tuple[object, ...]:
    """The arguments in order, from positions and names."""
    if not keywords and len(args) == len(ports):
        return args
    names = [port.name for port in ports]
    values = dict(zip(names, args, strict=False))
    repeated = values.keys() & keywords.keys()
    unknown = keywords.keys() - set(names)
    missing = [name for name in names if name not in values and name not in keywords]
    if len(args) > len(names):
        problem = f"got {len(args)} arguments"
    elif repeated:
        problem = f"got '{repeated.pop()}' twice"
    elif unknown:
        problem = f"has no input '{unknown.pop()}'"
    elif missing:
        problem = f"is missing {', '.join(missing)}"
    else:
        values |= keywords
        return tuple(values[name] for name in names)
    expected = ", ".join(f"{port.name} {port.shape}" for port in ports)
    raise InvalidInput(f"kernel {kernel} {problem}; it takes ({expected}) and out=.")

"""Names and shapes of a kernel's arguments: signature, help text, binding of arguments."""

from __future__ import annotations

import inspect
import keyword
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Port


@final
@dataclass(frozen=True)
class Description:
    """Name, signature and docstring of a call.

    Attributes:
        name: Under which it is called.
        inputs: Its arguments, by position or by name.
        outputs: Its results.
        text: What it does, where there is more to say than what goes in and out.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    text: str = ""

    @property
    def signature(self) -> inspect.Signature:
        """What ``inspect.signature`` gives: the inputs, then ``out=``."""
        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        out = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
        own = [inspect.Parameter(name, either) for name in self._names]
        return inspect.Signature([*own, out])

    @property
    def doc(self) -> str:
        """The text, and the shapes of all that goes in and out."""
        shapes = textwrap.fill(
            f"Trailing shapes, behind any batch axes: {_shapes(self.inputs)} -> "
            f"{_shapes(self.outputs)}.",
            width=88,
        )
        return f"{self.text}\n\n{shapes}\n" if self.text else _plain_text(shapes)

    @property
    def definition(self) -> str:
        """Signature and text as CPython wants them of a builtin."""
        arguments = ", ".join([*self._names, "*", "out=None"])
        return f"{self.name}({arguments})\n--\n\n{self.doc}"

    @property
    def _names(self) -> list[str]:
        """The inputs; CasADi allows names that are words of Python's."""
        return [f"{p.name}_" if keyword.iskeyword(p.name) else p.name for p in self.inputs]

    def function(
        self, evaluate: Callable[[tuple[object, ...], object, dict[str, object]], Any]
    ) -> Callable[..., Any]:
        """A function of that name and text around ``evaluate(arguments, out, keywords)``."""

        def call(*args: object, out: object = None, **keywords: object) -> Any:
            return evaluate(args, out, keywords)

        call.__name__ = call.__qualname__ = self.name
        call.__doc__ = self.doc
        call.__signature__ = self.signature  # type: ignore[attr-defined]
        return call


def _plain_text(shapes: str) -> str:
    """Describe what is true of every kernel."""
    return (
        "Evaluate one sample or a batch.\n\n"
        f"{shapes}\n\n"
        "Leading axes of the inputs are batch axes and broadcast together. Results come back in\n"
        "new arrays, or in out=: an array, or a tuple of as many arrays as there are results.\n"
    )


def _shapes(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name} {port.shape}" for port in ports) or "nothing"


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
